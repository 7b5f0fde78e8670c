/* The kernel that brings every tile onto the constraints. */
#ifndef SARRUS_CUDA_ASSEMBLE_CUH
#define SARRUS_CUDA_ASSEMBLE_CUH

#include "kernels/cuda/fused.cuh"
#include "kernels/step/assemble.h"

static __global__ void assemble_kernel(const __grid_constant__ launch work) {
    lane_work lane;
    if (!work_begin(&work, &lane))
        return;
    do {
        tile_begin(&work, &lane);
        sarrus_assemble(&lane.ev, lane.tile);
    } while (tile_next(&work, &lane));
    work_end(&work, &lane);
}

#endif
