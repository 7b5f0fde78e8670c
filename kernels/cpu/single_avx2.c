/* Steps of relative coordinates in single precision for AVX2 + FMA: 8 instances a tile. */
#define SARRUS_LANE_SINGLE
#define SARRUS_PINV_NONE
#define SARRUS_LANE_WIDTH 8
#define SARRUS_KERNELS_RELATIVE
#define SARRUS_KERNELS sarrus_kernels_single_avx2
#define SARRUS_KERNELS_NAME "avx2"
#include "kernels/cpu/expand_single.h"
