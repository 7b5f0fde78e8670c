/* The kernel that goes many steps. */
#ifndef SARRUS_CUDA_ADVANCE_CUH
#define SARRUS_CUDA_ADVANCE_CUH

#include "kernels/cuda/fused.cuh"
#include "kernels/step/advance.h"

/* A lane that is full of changes of rank goes on without them. */
static __device__ void changes_drop(const launch *work, lane_work *lane) {
    lane->n_evaluations += (uint64_t)lane->ev.n_evaluations;
    lane->n_rank_revealing += (uint64_t)lane->ev.n_rank_revealing;
    lane_at(lane->tile, work->mech.layout.n_waiting_changes) = 0.0;
    evaluation_begin(work, lane);
}

/* The steps that this lane has still to do. A lane that is full of changes of rank stops by itself: the others need not wait. */
static __global__ void advance_kernel(const __grid_constant__ launch work, const __grid_constant__ sarrus_clock clock,
                                      uint64_t n_steps) {
    lane_work lane;
    if (!work_begin(&work, &lane))
        return;
    do {
        uint64_t *n_done = work.lanes.n_done ? lane_of_tile(work.lanes.n_done, lane.i_tile, 1) : nullptr;
        uint64_t *step = work.lanes.step ? lane_of_tile(work.lanes.step, lane.i_tile, 1) : nullptr;
        const uint64_t n_before = n_done ? *n_done : 0;
        const uint64_t i_first = step ? *step : clock.step;
        sarrus_clock from = clock;
        uint64_t n_now = n_before;
        lane.tile = lane_tile(&work.lanes, &work.mech, warp_of_thread(), lane.i_tile);
        const uint64_t i_begin = lane_take(&work.lanes, &work.mech, lane.i_tile, i_first, lane.tile);
        evaluation_begin(&work, &lane);
        if (n_before >= n_steps)
            continue;
        for (;;) {
            from.step = i_begin + n_now;
            n_now += sarrus_advance(&lane.ev, lane.tile, &from, n_steps - n_now);
            if (!step || n_now >= n_steps)
                break;
            changes_drop(&work, &lane);
        }
        lane_give(&work.lanes, &work.mech, lane.i_tile, lane.tile);
        if (step)
            *step += n_steps;
        if (!n_done)
            continue;
        *n_done = n_now;
        if (n_now < n_steps)
            *work.lanes.is_waiting = 1;
    } while (tile_next(&work, &lane));
    work_end(&work, &lane);
}

#endif
