/* The pseudoinverse methods for avx2: 4 matrices a tile. */
#define SARRUS_LANE_WIDTH 4
#define SARRUS_PINV_KERNELS sarrus_pinv_kernels_avx2
#define SARRUS_PINV_WORK_LINKED sarrus_pinv_work_avx2
#define SARRUS_PINV_RUN_LINKED sarrus_pinv_run_avx2
#include "kernels/cpu/expand_pinv.h"
