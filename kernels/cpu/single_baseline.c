/* Steps of relative coordinates in single precision for any processor: 4 instances a tile. */
#define SARRUS_LANE_SINGLE
#define SARRUS_PINV_NONE
#define SARRUS_LANE_WIDTH 4
#define SARRUS_KERNELS_RELATIVE
#define SARRUS_KERNELS sarrus_kernels_single_baseline
#define SARRUS_KERNELS_NAME "baseline"
#include "kernels/cpu/expand_single.h"
