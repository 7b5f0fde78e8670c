/* The CUDA kernels for one plan, compiled when a mechanism is run (src/jit/nvrtc.c). sarrus_constant_plan.h holds the plan
 * (src/jit/plan_text.c); the command line defines the launch bounds:
 *   SARRUS_BLOCK_THREADS   threads of a block, a multiple of the warp
 *   SARRUS_BLOCKS          blocks that a multiprocessor is to hold at once, which limits the registers
 * As in fused.cuh a warp is a tile and a thread is a lane. The arrays of an evaluation are the thread's own: registers within a
 * phase, and local memory, where a warp's accesses lie side by side, from one phase to the next. */
#include <sarrus_constant_plan.h>

#define SARRUS_RANK_PATH_INSIDE 1
#include "kernels/cuda/lane_memory.cuh"
#include "kernels/step/advance.h"

static_assert(SARRUS_BLOCK_THREADS % LANE_WIDTH == 0, "a block holds whole tiles");

/* The steps that are still to be done, for every n_workspaces-th tile from the warp's own on; see sarrus_cuda_advance. */
extern "C" __global__ void __launch_bounds__(SARRUS_BLOCK_THREADS, SARRUS_BLOCKS)
    sarrus_specialized_advance(const __grid_constant__ sarrus_cuda_lanes lanes, const __grid_constant__ sarrus_clock clock,
                               uint64_t n_steps) {
    const int32_t i_warp = (int32_t)(blockIdx.x * (SARRUS_BLOCK_THREADS / LANE_WIDTH) + threadIdx.x / LANE_WIDTH);
    if (i_warp >= lanes.n_workspaces)
        return;
    sarrus_workspace ws;
    (void)sarrus_workspace_cut(&sarrus_constant_plan, lane_workspace(&lanes, &sarrus_constant_plan, i_warp), &ws);
    sarrus_outside_directions(&ws);
    for (int32_t i_tile = i_warp; i_tile < lanes.n_tiles; i_tile += lanes.n_workspaces) {
        sarrus_evaluation ev;
        real *tile = lane_tile(&lanes, &sarrus_constant_plan, i_warp, i_tile);
        uint64_t *n_done = lanes.n_done ? lane_of_tile(lanes.n_done, i_tile, 1) : nullptr;
        uint64_t *step = lanes.step ? lane_of_tile(lanes.step, i_tile, 1) : nullptr;
        uint64_t *counts = lane_of_tile(lanes.counts, i_warp, 2);
        const uint64_t i_first = step ? *step : clock.step;
        sarrus_clock from = clock;
        uint64_t n_now = n_done ? *n_done : 0;
        if (n_now >= n_steps)
            continue;
        const uint64_t i_begin = lane_take(&lanes, &sarrus_constant_plan, i_tile, i_first, tile);
        for (;;) {
            ev.external = nullptr;
            ev.external_user = nullptr;
            ev.rank_path = nullptr;
            ev.rank_path_user = nullptr;
            sarrus_evaluation_begin(&ev, &sarrus_constant_plan, &ws, tile);
            from.step = i_begin + n_now;
            n_now += sarrus_advance(&ev, tile, &from, n_steps - n_now);
            counts[0] += (uint64_t)ev.n_evaluations;
            counts[LANE_WIDTH] += (uint64_t)ev.n_rank_revealing;
            if (!step || n_now >= n_steps)
                break;
            lane_at(tile, sarrus_constant_plan.layout.n_waiting_changes) = 0.0; /* full of changes of rank: dropped */
        }
        lane_give(&lanes, &sarrus_constant_plan, i_tile, tile);
        if (step)
            *step += n_steps;
        if (!n_done)
            continue;
        *n_done = n_now;
        if (n_now < n_steps)
            *lanes.is_waiting = 1;
    }
}
