/* What the kernels share that expand the single-source bodies (assemble.cuh, advance.cuh, observe.cuh): a warp works on one tile
 * after another, a thread is a lane. Every pointer that a body sees is moved to the thread's own lane once, here; lane_at then
 * steps from array to array. A kernel is a unit of its own, so that they compile side by side. */
#ifndef SARRUS_CUDA_FUSED_CUH
#define SARRUS_CUDA_FUSED_CUH

#include "kernels/cuda/kernels.h"
#include "kernels/cuda/lane_memory.cuh"
#include "kernels/cuda/queue.cuh"
#include "kernels/step/advance.h"

static_assert(SARRUS_CUDA_WIDTH == LANE_WIDTH, "the host lays out tiles for this width");

static const int TILES_PER_BLOCK = SARRUS_CUDA_TILES_PER_BLOCK;

/* A launch with everything by value, so that it lies in constant memory. */
struct launch {
    sarrus_mechanism mech;
    sarrus_cuda_lanes lanes;
};

static_assert(sizeof(launch) + sizeof(sarrus_clock) + sizeof(uint64_t) <= SARRUS_CUDA_PARAMETERS, "of the advance kernel");
static_assert(sizeof(launch) + sizeof(double) + sizeof(sarrus_cuda_observation) + sizeof(double *) <= SARRUS_CUDA_PARAMETERS,
              "of the kernel that observes");

static launch launch_of(const sarrus_cuda_call *call) {
    launch work = {*call->mech, call->lanes};
    return work;
}

static cuda_grid grid_of(const sarrus_cuda_call *call) {
    const int32_t n_warps = call->lanes.n_tiles < call->lanes.n_workspaces ? call->lanes.n_tiles : call->lanes.n_workspaces;
    const unsigned n_blocks = (unsigned)((n_warps + TILES_PER_BLOCK - 1) / TILES_PER_BLOCK);
    return {n_blocks, (unsigned)(TILES_PER_BLOCK * LANE_WIDTH), 0, call->stream};
}

/* A thread's own part of a launch. */
struct lane_work {
    sarrus_workspace ws;
    sarrus_evaluation ev;
    real *tile;
    int32_t i_tile;
    uint64_t n_evaluations, n_rank_revealing;
};

static __device__ int32_t warp_of_thread() {
    return (int32_t)(blockIdx.x * TILES_PER_BLOCK + threadIdx.x / LANE_WIDTH);
}

/* What is wanted, where a lane of tile i_tile stands. */
static __device__ sarrus_observe_request want_at(const launch *work, const sarrus_observe_request *want, int32_t i_tile) {
    sarrus_observe_request here = *want;
    if (work->lanes.step)
        here.clock.step = *lane_of_tile(work->lanes.step, i_tile, 1);
    return here;
}

/* The first tile of this thread's warp: false when there is none. */
static __device__ bool work_begin(const launch *work, lane_work *lane) {
    lane->i_tile = warp_of_thread();
    lane->n_evaluations = lane->n_rank_revealing = 0;
    if (lane->i_tile >= work->lanes.n_workspaces || lane->i_tile >= work->lanes.n_tiles)
        return false;
    (void)sarrus_workspace_cut(&work->mech, lane_workspace(&work->lanes, &work->mech, lane->i_tile), &lane->ws);
    sarrus_constant_directions(&work->mech, &lane->ws);
    return true;
}

static __device__ void evaluation_begin(const launch *work, lane_work *lane) {
    sarrus_evaluation *ev = &lane->ev;
    ev->external = nullptr;
    ev->external_user = nullptr;
    ev->rank_path = nullptr;
    ev->rank_path_user = nullptr;
    sarrus_evaluation_begin(ev, &work->mech, &lane->ws, lane->tile);
}

static __device__ void tile_begin(const launch *work, lane_work *lane) {
    lane->tile = lane_tile(&work->lanes, &work->mech, warp_of_thread(), lane->i_tile);
    evaluation_begin(work, lane);
}

/* The warp's next tile: false when there is none. */
static __device__ bool tile_next(const launch *work, lane_work *lane) {
    lane->n_evaluations += (uint64_t)lane->ev.n_evaluations;
    lane->n_rank_revealing += (uint64_t)lane->ev.n_rank_revealing;
    lane->i_tile += work->lanes.n_workspaces;
    return lane->i_tile < work->lanes.n_tiles;
}

static __device__ void work_end(const launch *work, const lane_work *lane) {
    uint64_t *counts = lane_of_tile(work->lanes.counts, warp_of_thread(), 2);
    counts[0] += lane->n_evaluations;
    counts[LANE_WIDTH] += lane->n_rank_revealing;
}

#endif
