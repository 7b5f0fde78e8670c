/* The kernels between tiles in relative coordinates, which steps are made in, and tiles in those of the bodies, in which instances
 * are assembled and observed: what src/backend/cpu/relative_tile.c does on the host. */
#ifndef SARRUS_CUDA_BODIES_CUH
#define SARRUS_CUDA_BODIES_CUH

#include "kernels/body/relative/bodies.h"
#include "kernels/cuda/fused.cuh"
#include "kernels/step/observe.h"

static_assert(sizeof(launch) + sizeof(sarrus_cuda_bodies) + sizeof(sarrus_observe_request) + 2 * sizeof(double *) <=
                  SARRUS_CUDA_PARAMETERS,
              "of the kernel that settles");

static __device__ real *lane_of_stepped(const launch *work, const lane_work *lane) {
    return lane_of_tile(work->lanes.tiles, lane->i_tile, (size_t)work->mech.layout.n_arrays);
}

static __device__ real *lane_of_bodies(const sarrus_cuda_bodies *bodies, const lane_work *lane) {
    return lane_of_tile(bodies->tiles, lane->i_tile, (size_t)bodies->n_arrays);
}

/* The tiles, all zero before, from tiles of bodies that were assembled. */
static __global__ void bodies_take_kernel(const __grid_constant__ launch work, const __grid_constant__ sarrus_cuda_bodies bodies) {
    const sarrus_tile_layout *at = &work.mech.layout;
    lane_work lane;
    if (!work_begin(&work, &lane))
        return;
    do {
        real *tile = lane_of_stepped(&work, &lane);
        const real *from = lane_of_bodies(&bodies, &lane);
        for (int32_t k = 0; k < bodies.n_moves; ++k)
            for (int32_t i = 0; i < bodies.move[k].n; ++i)
                lane_at(tile, bodies.move[k].relative + i) = lane_at(from, bodies.move[k].bodies + i);
        lane_at(tile, at->rank) -= (double)work.mech.tree.n_rows_within;
        tile_begin(&work, &lane);
        sarrus_bodies_put(&work.mech, lane.ev.parameter, &lane.ws, lane_from(from, bodies.q), lane_from(from, bodies.v), tile);
        for (int32_t i = 0; i < work.mech.n_q; ++i)
            lane_at(tile, at->q0 + i) = lane_at(tile, at->q + i);
        for (int32_t i = 0; i < work.mech.n_v; ++i)
            lane_at(tile, at->v0 + i) = lane_at(tile, at->v + i);
    } while (tile_next(&work, &lane));
    work_end(&work, &lane);
}

/* Tiles of bodies from the tiles: coordinates, speeds and what an observation looks at besides. */
static __global__ void bodies_show_kernel(const __grid_constant__ launch work, const __grid_constant__ sarrus_cuda_bodies bodies) {
    const double n_within = (double)work.mech.tree.n_rows_within;
    lane_work lane;
    if (!work_begin(&work, &lane))
        return;
    do {
        tile_begin(&work, &lane);
        real *to = lane_of_bodies(&bodies, &lane);
        sarrus_bodies_get(&work.mech, lane.ev.parameter, &lane.ws, lane.tile, lane_from(to, bodies.q), lane_from(to, bodies.v));
        for (int32_t k = 0; k < bodies.n_moves; ++k)
            for (int32_t i = 0; i < bodies.move[k].n; ++i)
                lane_at(to, bodies.move[k].bodies + i) = lane_at(lane.tile, bodies.move[k].relative + i);
        lane_at(to, bodies.rank) += n_within;
        if (lane_at(to, bodies.rank_now) >= 0.0) /* −1: before the first step */
            lane_at(to, bodies.rank_now) += n_within;
    } while (tile_next(&work, &lane));
    work_end(&work, &lane);
}

/* What an observation has left in the tiles of bodies, into the tiles: the status. And into the observation the rank, where it is
 * wanted: that by which steps are made, which know what they cross. */
static __global__ void bodies_settle_kernel(const __grid_constant__ launch work, const __grid_constant__ sarrus_cuda_bodies bodies,
                                            const __grid_constant__ sarrus_observe_request want, double *out) {
    const sarrus_tile_layout *at = &work.mech.layout;
    const int32_t at_rank = want.at[SARRUS_OBSERVE_RANK];
    sarrus_observe_request alone = want;
    for (int32_t k = 0; k < SARRUS_N_OBSERVABLES; ++k)
        alone.at[k] = k == SARRUS_OBSERVE_RANK ? at_rank : -1;
    lane_work lane;
    if (!work_begin(&work, &lane))
        return;
    do {
        real *tile = lane_of_stepped(&work, &lane);
        const real *from = lane_of_bodies(&bodies, &lane);
        lane_at(tile, at->status) = lane_at(from, bodies.status);
        lane_at(tile, at->failed_step) = lane_at(from, bodies.failed_step);
        tile_begin(&work, &lane);
        if (at_rank < 0)
            continue;
        real *seen = lane_of_tile(out, lane.i_tile, (size_t)want.n_arrays);
        alone.clock = want_at(&work, &want, lane.i_tile).clock;
        sarrus_observe(&lane.ev, tile, &alone, seen);
        lane_at(seen, at_rank) += (double)work.mech.tree.n_rows_within;
    } while (tile_next(&work, &lane));
    work_end(&work, &lane);
}

#endif
