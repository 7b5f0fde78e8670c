/* The dense formulations for avx512: 8 instances a tile. */
#define SARRUS_LANE_WIDTH 8
#define SARRUS_DENSE_KERNELS sarrus_dense_kernels_avx512
#define SARRUS_DENSE_RUN_LINKED sarrus_dense_run_avx512
#define SARRUS_PINV_WORK sarrus_pinv_work_avx512
#define SARRUS_PINV_RUN sarrus_pinv_run_avx512
#include "kernels/cpu/expand_dense.h"
