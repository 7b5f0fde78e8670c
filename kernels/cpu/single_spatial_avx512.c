/* Steps of relative coordinates in space in single precision for AVX-512 (F, DQ, VL): 16 instances a tile. */
#define SARRUS_LANE_SINGLE
#define SARRUS_PINV_NONE
#define SARRUS_LANE_WIDTH 16
#define SARRUS_KERNELS_RELATIVE
#define SARRUS_KERNELS_SPATIAL
#define SARRUS_KERNELS sarrus_kernels_single_spatial_avx512
#define SARRUS_KERNELS_NAME "avx512"
#include "kernels/cpu/expand_single.h"
