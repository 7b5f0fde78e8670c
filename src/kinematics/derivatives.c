/* Kinematic coefficients, effective inertia, and their derivatives of any order in closed form (S4 theorems 1 to 3).
 *
 * In the frame of a body the screw of a pair changes with the pairs behind it alone, ∂l^i/∂q_j = −ad(l^j) l^i, and a second one
 * that stands behind the first acts on the result: by Jacobi's identity the terms in which it turns l^j itself are in that
 * already. So a derivative is a chain of products, the nearest pair first. */
#include "kinematics/kinematics.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sarrus/status.h"

/* by[n_by] in ascending order, which is that of the tree on every path. */
static void by_sort(int n_by, const int *by, int sorted[SARRUS_MOST_DERIVATIVES]) {
    for (int i = 0; i < n_by; ++i) {
        int at = i;
        for (; at > 0 && sorted[at - 1] > by[i]; --at)
            sorted[at] = sorted[at - 1];
        sorted[at] = by[i];
    }
}

/* Where on a path of n_path pairs each of by stands; false when one of them does not carry the body. */
static bool by_find(const int *path, int n_path, int n_by, const int *by, int place[SARRUS_MOST_DERIVATIVES]) {
    for (int i = 0; i < n_by; ++i) {
        place[i] = 0;
        while (place[i] < n_path && path[place[i]] != by[i])
            ++place[i];
        if (place[i] == n_path)
            return false;
    }
    return true;
}

/* out [1 << n_by][6] ← derivatives of the k-th screw of a path by every part of the coordinates at `place`, bit t of the number
 * saying whether the t-th is among them. */
static void screw_derive_all(const double *within, int k, int n_by, const int *place, double *out) {
    memcpy(out, within + 6 * (ptrdiff_t)k, 6 * sizeof *out);
    for (int part = 1; part < 1 << n_by; ++part) {
        int last = n_by - 1, first = 0;
        while (!(part >> last & 1))
            --last;
        while (!(part >> first & 1))
            ++first;
        double *own = out + 6 * (ptrdiff_t)part;
        if (place[first] <= k)
            memset(own, 0, 6 * sizeof *own);
        else
            sarrus_screw_derive(within + 6 * (ptrdiff_t)place[last], out + 6 * (ptrdiff_t)(part & ~(1 << last)), own);
    }
}

/* NaN where a coordinate is none, whatever the derivative would be. */
static bool is_finite(const double *q, int n) {
    for (int i = 0; i < n; ++i) {
        if (!isfinite(q[i]))
            return false;
    }
    return true;
}

static void spoil(double *out, size_t n) {
    for (size_t i = 0; i < n; ++i)
        out[i] = (double)NAN;
}

sarrus_status sarrus_kinematics_screws(const sarrus_kinematics *k, size_t n_instances, const double *q, int n_by, const int *by,
                                       double *screws) {
    if (!q || !screws || !sarrus_kinematics_has(k, n_instances) || !sarrus_kinematics_by_is_good(k, n_by, by))
        return SARRUS_BAD_ARGUMENT;
    const size_t n = (size_t)k->n, n_bodies = (size_t)k->n_bodies;
    int sorted[SARRUS_MOST_DERIVATIVES], place[SARRUS_MOST_DERIVATIVES];
    kinematics_state state;
    double *parts = malloc(((size_t)6 << n_by) * sizeof *parts);
    const bool good = sarrus_kinematics_state_create(k, &state) && parts;
    by_sort(n_by, by, sorted);
    for (size_t i = 0; good && i < n_instances; ++i) {
        double *own = screws + 6 * i * n_bodies * n;
        memset(own, 0, 6 * n_bodies * n * sizeof *own);
        sarrus_kinematics_place(k, i, q + i * n, &state);
        for (int b = 0; b < k->n_bodies; ++b) {
            const int *path = k->path + k->start[b];
            const int n_path = sarrus_kinematics_look(k, b, &state);
            for (int s = 0; by_find(path, n_path, n_by, sorted, place) && s < n_path; ++s) {
                screw_derive_all(state.within, s, n_by, place, parts);
                memcpy(own + 6 * ((size_t)b * n + (size_t)path[s]), parts + 6 * (((ptrdiff_t)1 << n_by) - 1), 6 * sizeof *own);
            }
        }
        if (!is_finite(q + i * n, k->n))
            spoil(own, 6 * n_bodies * n);
    }
    free(parts);
    sarrus_kinematics_state_free(&state);
    return good ? SARRUS_OK : SARRUS_NO_MEMORY;
}

/* --- Effective inertia ------------------------------------------------------------------------------------------------------ */

/* A call: scratch for all parts of all screws of a path, and their momenta. */
typedef struct inertia_scratch {
    kinematics_state state;
    double *parts, *momenta; /* [n][1 << n_by][6] */
} inertia_scratch;

static bool scratch_make(const sarrus_kinematics *k, int n_by, inertia_scratch *out) {
    const size_t n_doubles = ((size_t)k->n + 1) * ((size_t)6 << n_by);
    out->parts = malloc(n_doubles * sizeof(double));
    out->momenta = malloc(n_doubles * sizeof(double));
    return sarrus_kinematics_state_create(k, &out->state) && out->parts && out->momenta;
}

static void scratch_free(inertia_scratch *scratch) {
    sarrus_kinematics_state_free(&scratch->state);
    free(scratch->parts);
    free(scratch->momenta);
}

/* A [n][n] += Σ over the parts β of the coordinates of (∂^β l^i)ᵀ M (∂^rest l^j), of one body. */
static void body_add(const sarrus_kinematics *k, int body, const double *mass, int n_by, const int *by, inertia_scratch *scratch,
                     double *inertia) {
    const int *path = k->path + k->start[body];
    const int n_path = sarrus_kinematics_look(k, body, &scratch->state), n_parts = 1 << n_by;
    int place[SARRUS_MOST_DERIVATIVES];
    if (!by_find(path, n_path, n_by, by, place))
        return;
    for (int s = 0; s < n_path; ++s) {
        double *parts = scratch->parts + 6 * (ptrdiff_t)s * n_parts, *momenta = scratch->momenta + 6 * (ptrdiff_t)s * n_parts;
        screw_derive_all(scratch->state.within, s, n_by, place, parts);
        for (int part = 0; part < n_parts; ++part)
            sarrus_screw_weigh(mass, parts + 6 * (ptrdiff_t)part, momenta + 6 * (ptrdiff_t)part);
    }
    for (int s = 0; s < n_path; ++s) {
        for (int t = 0; t <= s; ++t) {
            double sum = 0.0;
            for (int part = 0; part < n_parts; ++part)
                sum += sarrus_screw_product(scratch->parts + 6 * ((ptrdiff_t)s * n_parts + part),
                                            scratch->momenta + 6 * ((ptrdiff_t)t * n_parts + (n_parts - 1 - part)));
            inertia[(size_t)path[s] * (size_t)k->n + (size_t)path[t]] += sum;
            if (s != t)
                inertia[(size_t)path[t] * (size_t)k->n + (size_t)path[s]] += sum;
        }
    }
}

/* The derivative at the state that is in place, by coordinates in ascending order. */
static void inertia_fill(const sarrus_kinematics *k, size_t i, int n_by, const int *by, inertia_scratch *scratch, double *out) {
    const kinematics_instance own = sarrus_kinematics_instance(k, i);
    memset(out, 0, (size_t)k->n * (size_t)k->n * sizeof *out);
    for (int b = 0; b < k->n_bodies; ++b)
        body_add(k, b, own.mass + KINEMATICS_MASS * (ptrdiff_t)b, n_by, by, scratch, out);
}

sarrus_status sarrus_kinematics_inertia(const sarrus_kinematics *k, size_t n_instances, const double *q, int n_by, const int *by,
                                        double *inertia) {
    if (!q || !inertia || !sarrus_kinematics_has(k, n_instances) || !sarrus_kinematics_by_is_good(k, n_by, by))
        return SARRUS_BAD_ARGUMENT;
    const size_t n = (size_t)k->n;
    int sorted[SARRUS_MOST_DERIVATIVES];
    inertia_scratch scratch;
    const bool good = scratch_make(k, n_by, &scratch);
    by_sort(n_by, by, sorted);
    for (size_t i = 0; good && i < n_instances; ++i) {
        sarrus_kinematics_place(k, i, q + i * n, &scratch.state);
        inertia_fill(k, i, n_by, sorted, &scratch, inertia + i * n * n);
        if (!is_finite(q + i * n, k->n))
            spoil(inertia + i * n * n, n * n);
    }
    scratch_free(&scratch);
    return good ? SARRUS_OK : SARRUS_NO_MEMORY;
}

sarrus_status sarrus_kinematics_christoffel(const sarrus_kinematics *k, size_t n_instances, const double *q, double *symbols) {
    if (!q || !symbols || !sarrus_kinematics_has(k, n_instances))
        return SARRUS_BAD_ARGUMENT;
    const size_t n = (size_t)k->n;
    inertia_scratch scratch;
    double *slopes = malloc((n * n * n + 1) * sizeof *slopes); /* [n][n][n] ∂A_jk/∂q_i, i first */
    const bool good = scratch_make(k, 1, &scratch) && slopes;
    for (size_t i = 0; good && i < n_instances; ++i) {
        double *out = symbols + i * n * n * n;
        sarrus_kinematics_place(k, i, q + i * n, &scratch.state);
        for (int by = 0; by < k->n; ++by)
            inertia_fill(k, i, 1, &by, &scratch, slopes + (size_t)by * n * n);
        for (size_t a = 0; a < n; ++a) {
            for (size_t b = 0; b < n; ++b) {
                for (size_t c = 0; c < n; ++c)
                    out[(a * n + b) * n + c] =
                        0.5 * (slopes[(c * n + a) * n + b] + slopes[(b * n + a) * n + c] - slopes[(a * n + b) * n + c]);
            }
        }
        if (!is_finite(q + i * n, k->n))
            spoil(out, n * n * n);
    }
    free(slopes);
    scratch_free(&scratch);
    return good ? SARRUS_OK : SARRUS_NO_MEMORY;
}
