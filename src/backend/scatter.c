#include "backend/scatter.h"

#include <math.h>
#include <stdbool.h>

#include "plan/body.h"

int sarrus_scatter_width(const sarrus_mechanism *mech, sarrus_observable observable) {
    const int n_q = mech->n_q, n = mech->n_v, n_reaction = sarrus_body_sizes_of(mech->space)->n_v, n_joints = mech->n_joints,
              n_drives = mech->n_drives, n_constraints = mech->n_constraints, n_load = mech->space == SARRUS_SPACE_SPATIAL ? 3 : 1,
              n_free = mech->n_joint_numbers;
    const int widths[SARRUS_N_OBSERVABLES] = {
#define SARRUS_OBSERVABLE(name, width, unit, text) [SARRUS_OBSERVE_##name] = (width),
#include "sarrus/observables.def"
    };
    return (unsigned)observable < SARRUS_N_OBSERVABLES ? widths[observable] : 0;
}

size_t sarrus_scatter_most(const sarrus_mechanism *mech) {
    size_t n = 0;
    for (int o = 0; o < SARRUS_N_OBSERVABLES; ++o)
        n += (size_t)sarrus_scatter_width(mech, (sarrus_observable)o);
    return n;
}

/* Coordinates and velocities stand in the tile; everything else the kernel has to compute. */
static bool stands_in_tile(int observable) {
    return observable == SARRUS_OBSERVE_Q || observable == SARRUS_OBSERVE_V;
}

sarrus_observe_request sarrus_scatter_request(const sarrus_mechanism *mech, const sarrus_observation *request) {
    sarrus_observe_request want = {.n_arrays = 0};
    for (int o = 0; o < SARRUS_N_OBSERVABLES; ++o) {
        int width = sarrus_scatter_width(mech, (sarrus_observable)o);
        bool is_wanted = request->destination[o] && width > 0 && !stands_in_tile(o);
        want.at[o] = is_wanted ? want.n_arrays : -1;
        want.n_arrays += is_wanted ? width : 0;
    }
    want.n_computed = want.n_arrays;
    return want;
}

void sarrus_scatter_widths(const sarrus_mechanism *mech, const sarrus_observation *request,
                           int32_t n_numbers[SARRUS_N_OBSERVABLES]) {
    for (int o = 0; o < SARRUS_N_OBSERVABLES; ++o)
        n_numbers[o] = request->destination[o] ? sarrus_scatter_width(mech, (sarrus_observable)o) : 0;
}

/* The lane arrays that hold an observable, NULL when there are none. */
static const double *source_of(const sarrus_observed_tile *from, int observable) {
    if (observable == SARRUS_OBSERVE_Q)
        return from->q;
    if (observable == SARRUS_OBSERVE_V)
        return from->v;
    return from->want.at[observable] < 0 ? NULL : from->observed + from->want.at[observable] * from->width;
}

void sarrus_scatter(const sarrus_observed_tile *from, const sarrus_observation *request, uint64_t n_instances, uint64_t i_time) {
    const uint64_t first = from->i_tile * (uint64_t)from->width, n_left = n_instances - first;
    const int32_t n_lanes = n_left < (uint64_t)from->width ? (int32_t)n_left : from->width;
    for (int o = 0; o < SARRUS_N_OBSERVABLES; ++o) {
        const size_t n = (size_t)from->n_numbers[o];
        const double *source = n > 0 ? source_of(from, o) : NULL;
        if (!source)
            continue;
        double *out = request->destination[o] + (first * request->n_times_stride + request->i_time_first + i_time) * n;
        for (int32_t lane = 0; lane < n_lanes; ++lane, out += request->n_times_stride * n) {
            if (from->status[lane] == (double)SARRUS_INSTANCE_OK) {
                for (size_t k = 0; k < n; ++k)
                    out[k] = source[k * (size_t)from->width + (size_t)lane];
            } else {
                for (size_t k = 0; k < n; ++k)
                    out[k] = NAN;
            }
        }
    }
}
