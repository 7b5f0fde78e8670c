/* The pseudoinverse methods for baseline: 2 matrices a tile. */
#define SARRUS_LANE_WIDTH 2
#define SARRUS_PINV_KERNELS sarrus_pinv_kernels_baseline
#define SARRUS_PINV_WORK_LINKED sarrus_pinv_work_baseline
#define SARRUS_PINV_RUN_LINKED sarrus_pinv_run_baseline
#include "kernels/cpu/expand_pinv.h"
