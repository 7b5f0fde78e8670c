/* The kernels for any processor (x86-64: SSE2): 2 instances a tile. */
#define SARRUS_LANE_WIDTH 2
#define SARRUS_KERNELS sarrus_kernels_baseline
#define SARRUS_KERNELS_NAME "baseline"
#include "kernels/cpu/expand.h"
