/* The kernels for AVX2 + FMA: 4 instances a tile. */
#define SARRUS_LANE_WIDTH 4
#define SARRUS_KERNELS sarrus_kernels_avx2
#define SARRUS_KERNELS_NAME "avx2"
#include "kernels/cpu/expand.h"
