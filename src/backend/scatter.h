/* From the lanes of a tile to the rows of the caller's arrays. */
#ifndef SARRUS_BACKEND_SCATTER_H
#define SARRUS_BACKEND_SCATTER_H

#include "backend/backend.h"

/* A tile that has just been observed. */
typedef struct sarrus_observed_tile {
    const sarrus_mechanism *mech;
    int32_t width;
    const double *q, *v;    /* [n_q][width], [n_v][width] */
    const double *status;   /* [width] */
    const double *observed; /* [want.n_arrays][width] */
    sarrus_observe_request want;
    int32_t n_numbers[SARRUS_N_OBSERVABLES]; /* widths, 0 of what is not asked for: sarrus_scatter_widths */
    uint64_t i_tile;
} sarrus_observed_tile;

/* How many numbers of each observable the request asks for. */
void sarrus_scatter_widths(const sarrus_mechanism *mech, const sarrus_observation *request,
                           int32_t n_numbers[SARRUS_N_OBSERVABLES]);

/* What the observe kernel has to compute for this request, and where it puts it. */
sarrus_observe_request sarrus_scatter_request(const sarrus_mechanism *mech, const sarrus_observation *request);

/* Width of an observable, and of all of them together. */
int sarrus_scatter_width(const sarrus_mechanism *mech, sarrus_observable observable);
size_t sarrus_scatter_most(const sarrus_mechanism *mech);

/* Row i_time of every wanted array for the instances of the tile; NaN for instances whose status is not ok. */
void sarrus_scatter(const sarrus_observed_tile *from, const sarrus_observation *request, uint64_t n_instances, uint64_t i_time);

#endif
