/* The kernels for any processor (x86-64: SSE2) and mechanisms in space: 2 instances a tile. */
#define SARRUS_LANE_WIDTH 2
#define SARRUS_KERNELS_SPATIAL
#define SARRUS_KERNELS sarrus_kernels_spatial_baseline
#define SARRUS_KERNELS_NAME "baseline"
#define SARRUS_PINV_WORK sarrus_pinv_work_baseline
#define SARRUS_PINV_RUN sarrus_pinv_run_baseline
#define SARRUS_DENSE_RUN sarrus_dense_run_baseline
#include "kernels/cpu/expand.h"
