/* The kernel that goes many steps. */
#ifndef SARRUS_CUDA_ADVANCE_CUH
#define SARRUS_CUDA_ADVANCE_CUH

#include "kernels/cuda/fused.cuh"
#include "kernels/step/advance.h"

/* The steps that this lane has still to do. A lane that is full of changes of rank stops by itself: the others need not wait. */
static __global__ void advance_kernel(const __grid_constant__ launch work, const __grid_constant__ sarrus_clock clock,
                                      uint64_t n_steps) {
    lane_work lane;
    if (!work_begin(&work, &lane))
        return;
    do {
        tile_begin(&work, &lane);
        uint64_t *n_done = work.lanes.n_done ? lane_of_tile(work.lanes.n_done, lane.i_tile, 1) : nullptr;
        const uint64_t n_before = n_done ? *n_done : 0;
        sarrus_clock from = clock;
        from.step += n_before;
        if (n_before >= n_steps)
            continue;
        const uint64_t n_now = n_before + sarrus_advance(&lane.ev, lane.tile, &from, n_steps - n_before);
        if (!n_done)
            continue;
        *n_done = n_now;
        if (n_now < n_steps)
            *work.lanes.is_waiting = 1;
    } while (tile_next(&work, &lane));
    work_end(&work, &lane);
}

#endif
