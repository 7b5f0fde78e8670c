/* The dense formulations for avx2: 4 instances a tile. */
#define SARRUS_LANE_WIDTH 4
#define SARRUS_DENSE_KERNELS sarrus_dense_kernels_avx2
#define SARRUS_DENSE_RUN_LINKED sarrus_dense_run_avx2
#define SARRUS_PINV_WORK sarrus_pinv_work_avx2
#define SARRUS_PINV_RUN sarrus_pinv_run_avx2
#include "kernels/cpu/expand_dense.h"
