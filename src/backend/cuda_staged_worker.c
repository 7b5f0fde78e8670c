/* The staged path for the tiles of a worker of the CUDA backend. */
#include "backend/cuda_device.h"

int sarrus_cuda_staged_open(cuda_worker *worker) {
    const sarrus_cuda_staged_setup setup = {
        .gpu = worker->owner->gpu,
        .library = worker->owner->library,
        .mech = &worker->part->mech,
        .n_tiles = (int32_t)worker->n_capacity,
        .stream = worker->stream,
    };
    return sarrus_cuda_staged_create(&setup, &worker->staged);
}

int sarrus_cuda_staged_steps(cuda_worker *worker, const sarrus_cuda_lanes *lanes, const sarrus_clock *clock, uint64_t n_steps) {
    const uint64_t n_room = (uint64_t)worker->part->mech.event_capacity; /* a step changes the rank once at most */
    sarrus_clock now = *clock;
    int error = SARRUS_GPU_OK;
    if (n_room == 0)
        return sarrus_cuda_staged_advance(worker->staged, lanes, clock, n_steps);
    for (uint64_t n_left = n_steps; n_left > 0 && error == SARRUS_GPU_OK;) {
        const uint64_t n = n_left < n_room ? n_left : n_room;
        error = sarrus_cuda_events_fetch(worker);
        if (error == SARRUS_GPU_OK)
            error = sarrus_cuda_staged_advance(worker->staged, lanes, &now, n);
        now.step += n;
        n_left -= n;
    }
    return error;
}

/* What stands in the tiles by the kernel that packs it, the rest by rounds. */
int sarrus_cuda_staged_see(cuda_worker *worker, const sarrus_cuda_call *call, double t, double *out) {
    sarrus_cuda_observation standing = worker->what;
    standing.is_computed = 0;
    const int error = worker->owner->gpu->observe(call, t, &standing, out);
    if (error != SARRUS_GPU_OK || !worker->what.is_computed)
        return error;
    return sarrus_cuda_staged_observe(worker->staged, &call->lanes, t, &worker->what.want, out);
}
