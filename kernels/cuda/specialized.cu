/* The CUDA kernels for one plan, compiled when a mechanism is run (src/backend/nvrtc.c). sarrus_constant_plan.h holds the plan
 * (src/plan/constant.c); the command line defines the launch bounds:
 *   SARRUS_BLOCK_THREADS   threads of a block, a multiple of the warp
 *   SARRUS_BLOCKS          blocks that a multiprocessor is to hold at once, which limits the registers
 * As in expand.cu a warp is a tile and a thread is a lane. The arrays of an evaluation are the thread's own: registers within a
 * phase, and local memory, where a warp's accesses lie side by side, from one phase to the next. */
#include <sarrus_constant_plan.h>

#define SARRUS_REVEAL_INSIDE 1
#include "kernels/step/advance.h"

static_assert(SARRUS_BLOCK_THREADS % LANE_WIDTH == 0, "a block holds whole tiles");

/* Where this thread's lane of tile i_tile begins, in an array of tiles of n_arrays each. */
static __device__ __forceinline__ double *lane_of_tile(double *tiles, int32_t i_tile, size_t n_arrays) {
    return tiles + (size_t)i_tile * n_arrays * LANE_WIDTH + threadIdx.x % LANE_WIDTH;
}

/* n_steps steps from clock.step for every tile; the parameters are those of sarrus_cuda_call. */
extern "C" __global__ void __launch_bounds__(SARRUS_BLOCK_THREADS, SARRUS_BLOCKS)
    sarrus_specialized_advance(double *tiles, double *workspace, uint64_t n_workspace_arrays, int32_t n_tiles,
                               const __grid_constant__ sarrus_clock clock, uint64_t n_steps) {
    const int32_t i_tile = (int32_t)(blockIdx.x * (SARRUS_BLOCK_THREADS / LANE_WIDTH) + threadIdx.x / LANE_WIDTH);
    if (i_tile >= n_tiles)
        return;
    sarrus_workspace ws;
    sarrus_evaluation ev;
    real *tile = lane_of_tile(tiles, i_tile, (size_t)sarrus_constant_plan.layout.n_arrays);
    (void)sarrus_workspace_cut(&sarrus_constant_plan, lane_of_tile(workspace, i_tile, (size_t)n_workspace_arrays), &ws);
    ev.external = nullptr;
    ev.external_user = nullptr;
    ev.reveal = nullptr;
    ev.reveal_user = nullptr;
    sarrus_frame_directions(&ws);
    sarrus_evaluation_begin(&ev, &sarrus_constant_plan, &ws, tile);
    (void)sarrus_advance(&ev, tile, &clock, n_steps);
}
