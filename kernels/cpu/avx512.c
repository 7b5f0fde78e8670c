/* The kernels for AVX-512 (F, DQ, VL): 8 instances a tile. */
#define SARRUS_LANE_WIDTH 8
#define SARRUS_KERNELS sarrus_kernels_avx512
#define SARRUS_KERNELS_NAME "avx512"
#include "kernels/cpu/expand.h"
