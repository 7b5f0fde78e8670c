/* One instance of a scenario followed for a test, without the dense reference, which is of the plane. Fails the test, with the
 * diagnostics, when something cannot be made or the instance does not end as `ok`. */
#ifndef TESTS_SUPPORT_MOTION_H
#define TESTS_SUPPORT_MOTION_H

#include <stddef.h>
#include <stdint.h>

#include "sarrus/sarrus.h"

/* Rows at evenly spaced times, the start first. */
typedef struct motion {
    sarrus_plan_sizes sizes;
    size_t n_times;
    double interval;                         /* s, between rows */
    double *q, *v, *a;                       /* [n_times][n_coordinates], and [n_times][n] the others */
    double *energy, *work, *rank;            /* [n_times], J, J, 1 */
    double *position_error, *velocity_error; /* [n_times] */
    double *reactions, *loads;               /* [n_times][n_joints][3 or 6], on the child; [n_times][n_drives] */
    int n_reactions, n_loads;                /* of a row */
    char *card;                              /* what `sarrus check` says */
    uint64_t n_steps;                        /* that the integrator made */
} motion;

/* Rows are `interval` seconds apart. `file` is a leaf in scenarios/; `integrator` is its mapping without dt and t_end, as
 * "method: dopri5, rtol: 1e-9", where a fixed step is `interval / n_substeps`; overrides end with a NULL path (NULL: none). */
typedef struct motion_times {
    const char *integrator;
    double interval;
    size_t n_times;
    int n_substeps;
    int is_in_calls; /* each row by a call of its own: where there are inputs, which may change there, steps end there */
} motion_times;
motion motion_of_file(const char *file, const sarrus_override *overrides, const motion_times *times);
motion motion_of_text(const char *text, const sarrus_override *overrides, const motion_times *times);
void motion_free(motion *m);

/* Row k of q from body i_body on, in space: x, y, z, then the Euler parameters. */
const double *motion_body(const motion *m, size_t k, int i_body);

/* a⁻¹ b of two unit quaternions: the rotation that takes the frame of a into that of b, in a's frame. */
void motion_relative(const double a[4], const double b[4], double out[4]);

/* The rotation matrix of a unit quaternion, by rows. */
void motion_matrix(const double p[4], double out[3][3]);

/* Largest |x − x₀| of n numbers that should all be x₀. */
double motion_spread(const double *x, size_t n, double x0);

/* The largest |E − E₀ − W| over the rows, relative to `scale`, J. */
double motion_imbalance(const motion *m, double scale);

#endif
