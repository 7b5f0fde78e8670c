/* The kernels for AVX2 + FMA: 4 instances a tile. */
#define SARRUS_LANE_WIDTH 4
#define SARRUS_KERNELS sarrus_kernels_avx2
#define SARRUS_KERNELS_NAME "avx2"
#define SARRUS_PINV_WORK sarrus_pinv_work_avx2
#define SARRUS_PINV_RUN sarrus_pinv_run_avx2
#define SARRUS_DENSE_RUN sarrus_dense_run_avx2
#include "kernels/cpu/expand.h"
