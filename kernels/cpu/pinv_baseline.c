/* The pseudoinverse methods for baseline: 2 matrices a tile. */
#define SARRUS_LANE_WIDTH 2
#define SARRUS_PINV_KERNELS sarrus_pinv_kernels_baseline
#include "kernels/cpu/expand_pinv.h"
