/* Hostile calls about kinematics. */
#ifndef SARRUS_TESTS_API_HOSTILE_KINEMATICS_H
#define SARRUS_TESTS_API_HOSTILE_KINEMATICS_H

#include <math.h>
#include <stdlib.h>

#include "sarrus/kinematics.h"
#include "tests/api/hostile_world.h"

static bool kinematics_made(void) {
    sarrus_kinematics *out = NULL;
    return bad_and_told(sarrus_kinematics_create(w.context, NULL, NULL, &out)) &&
           bad_and_told(sarrus_kinematics_create(w.context, w.plan, NULL, NULL)) && out == NULL;
}

static bool kinematics_refuse(sarrus_kinematics *k, double *q, double *out) {
    sarrus_kinematics_pair pair;
    bool good = true;
    for (int i = 0; i < N_BAD && good; ++i) {
        const int by = bad_indices[i];
        good = bad(sarrus_kinematics_pair_get(k, by, &pair)) && bad(sarrus_kinematics_screws(k, 1, q, 1, &by, out)) &&
               bad(sarrus_kinematics_inertia(k, 1, q, 1, &by, out));
    }
    return good && bad(sarrus_kinematics_pair_get(NULL, 0, &pair)) && bad(sarrus_kinematics_pair_get(k, 0, NULL)) &&
           bad(sarrus_kinematics_screws(k, 0, q, 0, NULL, out)) && bad(sarrus_kinematics_screws(k, 1, q, 1, NULL, out)) &&
           bad(sarrus_kinematics_screws(k, 1, NULL, 0, NULL, out)) && bad(sarrus_kinematics_inertia(NULL, 1, q, 0, NULL, out)) &&
           bad(sarrus_kinematics_inertia(k, 1, q, SARRUS_MOST_DERIVATIVES + 1, bad_indices, out)) &&
           bad(sarrus_kinematics_christoffel(k, 1, q, NULL)) && bad(sarrus_kinematics_poses(k, 0, q, out, NULL)) &&
           bad(sarrus_kinematics_coordinates(k, 1, NULL, out)) && bad(sarrus_kinematics_motion(k, 1, q, NULL, NULL, out, NULL)) &&
           bad(sarrus_kinematics_forces(k, 1, q, q, NULL, NULL)) && sarrus_kinematics_n_pairs(NULL) == 0 &&
           sarrus_kinematics_n_bodies(NULL) == 0;
}

/* Coordinates that are no numbers give none back, and nothing else happens. */
static bool kinematics_asked(void) {
    sarrus_kinematics *k = NULL;
    bool good = sarrus_kinematics_create(w.context, w.plan, NULL, &k) == SARRUS_OK;
    const size_t n = (size_t)sarrus_kinematics_n_pairs(k) + 7, n_most = n * n * n + 12 * n * (size_t)sarrus_kinematics_n_bodies(k);
    double *q = malloc(n_most * sizeof *q), *out = calloc(n_most, sizeof *out), *more = calloc(n_most, sizeof *more);
    for (size_t i = 0; q && i < n_most; ++i)
        q[i] = (double)NAN;
    good = good && q && out && more && kinematics_refuse(k, q, out) &&
           sarrus_kinematics_screws(k, 1, q, 0, NULL, out) == SARRUS_OK &&
           sarrus_kinematics_inertia(k, 1, q, 0, NULL, out) == SARRUS_OK && isnan(out[0]) &&
           sarrus_kinematics_christoffel(k, 1, q, out) == SARRUS_OK && sarrus_kinematics_poses(k, 1, q, out, more) == SARRUS_OK &&
           sarrus_kinematics_coordinates(k, 1, q, out) == SARRUS_OK &&
           sarrus_kinematics_motion(k, 1, q, q, q, out, more) == SARRUS_OK &&
           sarrus_kinematics_forces(k, 1, q, q, out, more) == SARRUS_OK;
    free(q);
    free(out);
    free(more);
    sarrus_kinematics_destroy(NULL);
    sarrus_kinematics_destroy(k);
    return good;
}

#endif
