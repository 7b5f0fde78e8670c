/* The pseudoinverse methods for avx512: 8 matrices a tile. */
#define SARRUS_LANE_WIDTH 8
#define SARRUS_PINV_KERNELS sarrus_pinv_kernels_avx512
#define SARRUS_PINV_WORK_LINKED sarrus_pinv_work_avx512
#define SARRUS_PINV_RUN_LINKED sarrus_pinv_run_avx512
#include "kernels/cpu/expand_pinv.h"
