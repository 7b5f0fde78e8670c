/* The kernel that looks at every tile. */
#ifndef SARRUS_CUDA_OBSERVE_CUH
#define SARRUS_CUDA_OBSERVE_CUH

#include "kernels/cuda/fused.cuh"
#include "kernels/step/observe.h"

/* What is observed of a tile, its coordinates, velocities and status among it. */
static __global__ void observe_kernel(const __grid_constant__ launch work, const __grid_constant__ sarrus_cuda_observation what,
                                      double *out) {
    const sarrus_tile_layout *layout = &work.mech.layout;
    const int32_t at_q = what.want.at[SARRUS_OBSERVE_Q], at_v = what.want.at[SARRUS_OBSERVE_V];
    lane_work lane;
    if (!work_begin(&work, &lane))
        return;
    do {
        tile_begin(&work, &lane);
        real *seen = lane_of_tile(out, lane.i_tile, (size_t)what.want.n_arrays);
        if (what.is_computed) {
            const sarrus_observe_request want = want_at(&work, &what.want, lane.i_tile);
            sarrus_observe(&lane.ev, lane.tile, &want, seen);
        }
        for (int32_t i = 0; at_q >= 0 && i < work.mech.n_q; ++i)
            lane_at(seen, at_q + i) = lane_at(lane.tile, layout->q + i);
        for (int32_t i = 0; at_v >= 0 && i < work.mech.n_v; ++i)
            lane_at(seen, at_v + i) = lane_at(lane.tile, layout->v + i);
        if (what.status >= 0)
            lane_at(seen, what.status) = lane_at(lane.tile, layout->status);
    } while (tile_next(&work, &lane));
    work_end(&work, &lane);
}

#endif
