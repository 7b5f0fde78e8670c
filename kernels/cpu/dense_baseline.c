/* The dense formulations for baseline: 2 instances a tile. */
#define SARRUS_LANE_WIDTH 2
#define SARRUS_DENSE_KERNELS sarrus_dense_kernels_baseline
#define SARRUS_DENSE_RUN_LINKED sarrus_dense_run_baseline
#define SARRUS_PINV_WORK sarrus_pinv_work_baseline
#define SARRUS_PINV_RUN sarrus_pinv_run_baseline
#include "kernels/cpu/expand_dense.h"
