/* Expands steps in single precision for one instruction set; all else is computed in double precision (expand.h). The including
 * file defines SARRUS_LANE_SINGLE, SARRUS_LANE_WIDTH, SARRUS_KERNELS (the table's name) and SARRUS_KERNELS_NAME, and is compiled
 * for that instruction set. Tile and workspace hold floats. */
#include "kernels/cpu/expand_advance.h"

const sarrus_kernels SARRUS_KERNELS = {
    .name = SARRUS_KERNELS_NAME,
    .width = SARRUS_LANE_WIDTH,
    .workspace_arrays = kernel_workspace_arrays,
    .prepare = kernel_prepare,
    .advance = kernel_advance,
};
