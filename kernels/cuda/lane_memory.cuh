/* Where the numbers of this thread's lane stand. The host's tiles hold doubles. Steps in single precision are made in a tile of
 * floats, which lies before the rest of the warp's work space: the lane comes into it, as floats and what these lack of q and v
 * (kernels/step/carry.h), and goes back with what steps write. */
#ifndef SARRUS_CUDA_LANE_MEMORY_CUH
#define SARRUS_CUDA_LANE_MEMORY_CUH

#include "kernels/cuda/lanes.h"
#include "kernels/body/mechanism.h"
#include "kernels/lane/lane.h"

/* Where this thread's lane of tile i_tile begins, in an array of tiles of n_arrays each. */
template <typename number> static __device__ __forceinline__ number *lane_of_tile(number *tiles, int32_t i_tile, size_t n_arrays) {
    return tiles + (size_t)i_tile * n_arrays * LANE_WIDTH + threadIdx.x % LANE_WIDTH;
}

#if LANE_IS_SINGLE

/* The warp's work space: tile, and the arrays that are cut up (sarrus_workspace_cut). */
static __device__ __forceinline__ real *lane_tile(const sarrus_cuda_lanes *lanes, const sarrus_mechanism *mech, int32_t i_warp,
                                                  int32_t i_tile) {
    (void)mech, (void)i_tile;
    double *block = lanes->workspace + (size_t)i_warp * lanes->n_workspace_arrays * LANE_WIDTH;
    return (real *)block + threadIdx.x % LANE_WIDTH;
}
static __device__ __forceinline__ real *lane_workspace(const sarrus_cuda_lanes *lanes, const sarrus_mechanism *mech,
                                                       int32_t i_warp) {
    const int32_t n_arrays = mech->layout.n_arrays + mech->n_q + mech->n_v;
    return lane_tile(lanes, mech, i_warp, 0) + (size_t)n_arrays * LANE_WIDTH;
}

/* carry [n] ← what is left of the doubles beside their floats. */
static __device__ __forceinline__ void lane_carry_take(const double *from, const real *rounded, int32_t n, real *carry) {
    for (int32_t i = 0; i < n; ++i)
        lane_at(carry, i) = (real)(lane_at(from, i) - (double)lane_at(rounded, i));
}
/* Into `tile`, whose steps count from `step` of the grid, so that instances that began late know theirs. Returns what the clock
 * then shows. */
static __device__ __forceinline__ uint64_t lane_take(const sarrus_cuda_lanes *lanes, const sarrus_mechanism *mech, int32_t i_tile,
                                                     uint64_t step, real *tile) {
    const sarrus_tile_layout *at = &mech->layout;
    const double *from = lane_of_tile(lanes->tiles, i_tile, (size_t)at->n_arrays);
    real *carry = lane_from(tile, at->n_arrays);
    for (int32_t i = 0; i < at->n_arrays; ++i)
        lane_at(tile, i) = (real)lane_at(from, i);
    lane_at(tile, at->begun) = (real)(lane_at(from, at->begun) - (double)step);
    lane_carry_take(lane_from(from, at->q), lane_from(tile, at->q), mech->n_q, carry);
    lane_carry_take(lane_from(from, at->v), lane_from(tile, at->v), mech->n_v, lane_from(carry, mech->n_q));
    return 0;
}

/* Fields that steps write stand together, by the order of sarrus/field.def (tests/backend/test_single_tile.c). */
static __device__ __forceinline__ void lane_give(const sarrus_cuda_lanes *lanes, const sarrus_mechanism *mech, int32_t i_tile,
                                                 const real *tile) {
    const sarrus_tile_layout *at = &mech->layout;
    const int32_t range[][2] = SARRUS_STEPPED_RANGES(at);
    const real *carry = lane_from(tile, at->n_arrays);
    double *to = lane_of_tile(lanes->tiles, i_tile, (size_t)at->n_arrays);
    for (int32_t k = 0; k < SARRUS_N_STEPPED_RANGES; ++k) {
        for (int32_t i = range[k][0]; i < range[k][1]; ++i)
            lane_at(to, i) = (double)lane_at(tile, i);
    }
    for (int32_t i = 0; i < mech->n_q; ++i)
        lane_at(to, at->q + i) += (double)lane_at(carry, i);
    for (int32_t i = 0; i < mech->n_v; ++i)
        lane_at(to, at->v + i) += (double)lane_at(carry, mech->n_q + i);
}

#else

static __device__ __forceinline__ real *lane_tile(const sarrus_cuda_lanes *lanes, const sarrus_mechanism *mech, int32_t i_warp,
                                                  int32_t i_tile) {
    (void)i_warp;
    return lane_of_tile(lanes->tiles, i_tile, (size_t)mech->layout.n_arrays);
}
static __device__ __forceinline__ real *lane_workspace(const sarrus_cuda_lanes *lanes, const sarrus_mechanism *mech,
                                                       int32_t i_warp) {
    (void)mech;
    return lane_of_tile(lanes->workspace, i_warp, lanes->n_workspace_arrays);
}
static __device__ __forceinline__ uint64_t lane_take(const sarrus_cuda_lanes *lanes, const sarrus_mechanism *mech, int32_t i_tile,
                                                     uint64_t step, real *tile) {
    (void)lanes, (void)mech, (void)i_tile, (void)tile;
    return step;
}
static __device__ __forceinline__ void lane_give(const sarrus_cuda_lanes *lanes, const sarrus_mechanism *mech, int32_t i_tile,
                                                 const real *tile) {
    (void)lanes, (void)mech, (void)i_tile, (void)tile;
}

#endif

#endif
