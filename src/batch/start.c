#include "batch/start.h"

#include <math.h>
#include <string.h>

#include "batch/given.h"
#include "batch/lanes.h"
#include "plan/body.h"

/* Euler parameters of any length are one orientation. Those that are of length 1 but for round-off keep their bits, which are those
 * of a fresh batch. */
static void orientations_scale(const sarrus_mechanism *mech, double *q) {
    static const double round_off = 1e-12;
    const sarrus_body_sizes *sizes = sarrus_body_sizes_of(mech->space);
    for (int32_t b = 0; mech->space == SARRUS_SPACE_SPATIAL && b < mech->n_bodies; ++b) {
        const double *p = q + sizes->n_q * b + sizes->turn;
        const double length2 = p[0] * p[0] + p[1] * p[1] + p[2] * p[2] + p[3] * p[3];
        if (fabs(length2 - 1.0) > round_off)
            sarrus_body_normalize(mech->space, q + sizes->n_q * b);
    }
}

size_t sarrus_start_size(const sarrus_batch *batch) {
    const sarrus_mechanism *mech = &batch->plan->mech;
    return (size_t)(mech->n_parameters + mech->n_q + mech->n_v + 1);
}

void sarrus_start_row(const sarrus_batch *batch, uint64_t i, const double *shown, double *row) {
    const sarrus_mechanism *mech = &batch->plan->mech, *stored = sarrus_batch_stored(batch);
    const int32_t width = batch->device->width, lane = (int32_t)(i % (uint64_t)width);
    const double *tile = sarrus_batch_tile(batch, i / (uint64_t)width), *given = sarrus_batch_given_row(batch, i);
    double *q = row + mech->n_parameters, *v = q + mech->n_q;
    sarrus_lane_get(tile, stored->layout.parameter, width, lane, row, mech->n_parameters);
    if (given) {
        memcpy(q, given, (size_t)(mech->n_q + mech->n_v) * sizeof *q);
    } else {
        sarrus_lane_get(shown, mech->layout.q, width, lane, q, mech->n_q);
        sarrus_lane_get(shown, mech->layout.v, width, lane, v, mech->n_v);
    }
    orientations_scale(mech, q);
    const bool is_invalid = tile[stored->layout.status * width + lane] == (double)SARRUS_INSTANCE_INVALID_PARAMETER;
    v[mech->n_v] = is_invalid ? (double)SARRUS_INSTANCE_INVALID_PARAMETER : (double)SARRUS_INSTANCE_OK;
}

void sarrus_start_put(const sarrus_batch *batch, const double *row, int32_t lane, double *tile) {
    const sarrus_mechanism *mech = &batch->plan->mech;
    const int32_t width = batch->device->width;
    const double *q = row + mech->n_parameters, *v = q + mech->n_q;
    sarrus_lane_put(tile, mech->layout.parameter, width, lane, row, mech->n_parameters);
    sarrus_lane_put(tile, mech->layout.q, width, lane, q, mech->n_q);
    sarrus_lane_put(tile, mech->layout.v, width, lane, v, mech->n_v);
    sarrus_lane_put(tile, mech->layout.status, width, lane, v + mech->n_v, 1);
}
