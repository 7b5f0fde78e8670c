#include "backend/scatter.h"

#include <math.h>

int sarrus_scatter_width(const sarrus_mechanism *mech, sarrus_observable observable) {
    switch (observable) {
    case SARRUS_OBSERVE_Q:
    case SARRUS_OBSERVE_V:
    case SARRUS_OBSERVE_ACCELERATION:
        return mech->n;
    case SARRUS_OBSERVE_REACTIONS:
        return 3 * mech->n_joints;
    case SARRUS_OBSERVE_DRIVES:
        return mech->n_drives;
    case SARRUS_OBSERVE_ENERGY:
    case SARRUS_OBSERVE_POSITION_ERROR:
    case SARRUS_OBSERVE_VELOCITY_ERROR:
    case SARRUS_OBSERVE_RANK:
        return 1;
    case SARRUS_N_OBSERVABLES:
        break;
    }
    return 0;
}

sarrus_kernel_observation sarrus_scatter_request(const sarrus_mechanism *mech, const sarrus_observation *request) {
    sarrus_kernel_observation want = {-1, -1, -1, -1, -1, -1, -1, 0};
    int32_t *const place[SARRUS_N_OBSERVABLES] = {
        [SARRUS_OBSERVE_ENERGY] = &want.energy,
        [SARRUS_OBSERVE_POSITION_ERROR] = &want.position_error,
        [SARRUS_OBSERVE_VELOCITY_ERROR] = &want.velocity_error,
        [SARRUS_OBSERVE_RANK] = &want.rank,
        [SARRUS_OBSERVE_REACTIONS] = &want.reactions,
        [SARRUS_OBSERVE_DRIVES] = &want.drives,
        [SARRUS_OBSERVE_ACCELERATION] = &want.acceleration,
    };
    for (int o = 0; o < SARRUS_N_OBSERVABLES; ++o) {
        int width = sarrus_scatter_width(mech, (sarrus_observable)o);
        if (!place[o] || !request->destination[o] || width == 0)
            continue;
        *place[o] = want.n_arrays;
        want.n_arrays += width;
    }
    return want;
}

/* The lane arrays that hold an observable. */
static const double *source_of(const sarrus_observed_tile *from, sarrus_observable observable) {
    const sarrus_tile_layout *layout = &from->mech->layout;
    const sarrus_kernel_observation *want = &from->want;
    int32_t at = -1;
    switch (observable) {
    case SARRUS_OBSERVE_Q:
        return from->tile + layout->q * from->width;
    case SARRUS_OBSERVE_V:
        return from->tile + layout->v * from->width;
    case SARRUS_OBSERVE_ENERGY:
        at = want->energy;
        break;
    case SARRUS_OBSERVE_POSITION_ERROR:
        at = want->position_error;
        break;
    case SARRUS_OBSERVE_VELOCITY_ERROR:
        at = want->velocity_error;
        break;
    case SARRUS_OBSERVE_RANK:
        at = want->rank;
        break;
    case SARRUS_OBSERVE_REACTIONS:
        at = want->reactions;
        break;
    case SARRUS_OBSERVE_DRIVES:
        at = want->drives;
        break;
    case SARRUS_OBSERVE_ACCELERATION:
        at = want->acceleration;
        break;
    case SARRUS_N_OBSERVABLES:
        break;
    }
    return at < 0 ? NULL : from->observed + at * from->width;
}

void sarrus_scatter(const sarrus_observed_tile *from, const sarrus_observation *request, uint64_t n_instances, uint64_t i_time) {
    const double *status = from->tile + from->mech->layout.status * from->width;
    uint64_t first = from->i_tile * (uint64_t)from->width;
    for (int o = 0; o < SARRUS_N_OBSERVABLES; ++o) {
        size_t width = (size_t)sarrus_scatter_width(from->mech, (sarrus_observable)o);
        const double *source = source_of(from, (sarrus_observable)o);
        if (!request->destination[o] || width == 0 || !source)
            continue;
        for (int32_t lane = 0; lane < from->width && first + (uint64_t)lane < n_instances; ++lane) {
            uint64_t row = (first + (uint64_t)lane) * request->n_times_stride + request->i_time_first + i_time;
            double *out = request->destination[o] + row * width;
            if (status[lane] != (double)SARRUS_INSTANCE_OK) {
                for (size_t k = 0; k < width; ++k)
                    out[k] = NAN;
            } else {
                for (size_t k = 0; k < width; ++k)
                    out[k] = source[k * (size_t)from->width + (size_t)lane];
            }
        }
    }
}
