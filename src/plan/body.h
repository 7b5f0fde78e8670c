/* A body on the host, in the plane and in space: how many numbers it has, how they move, and what its mass makes of them. */
#ifndef SARRUS_PLAN_BODY_H
#define SARRUS_PLAN_BODY_H

#include <stdint.h>

typedef struct sarrus_body_sizes {
    int n_q, n_v;     /* coordinates and speeds of a body */
    int turn;         /* where among both those begin that turn it */
    int dimension;    /* numbers of a vector */
    int n_turn;       /* speeds that turn it */
    int n_parameters; /* SARRUS_PB_N or SARRUS_SB_N */
} sarrus_body_sizes;

/* Those of a space (sarrus_space). */
const sarrus_body_sizes *sarrus_body_sizes_of(int32_t space);

/* q [n_q] ← q ⊞ scale·d, d [n_v] as speeds are: the centre of mass is moved, and the body turned; in space by the rotation vector
 * scale·d in its own frame, p ← p ∘ (cos ½φ, sin ½φ u). The Euler parameters p keep their length and do not change their sign. */
void sarrus_body_advance(int32_t space, double scale, const double *d, double *q);

/* d [n_v] ← what moves a to b [n_q]: a ⊞ d = b; in space by the shorter way round. */
void sarrus_body_difference(int32_t space, const double *a, const double *b, double *d);

/* Brings coordinates that were summed up back among those that a body can have: in space |p| = 1. */
void sarrus_body_normalize(int32_t space, double *q);

/* Where the point s of the body's frame is in the inertial one. */
void sarrus_body_point(int32_t space, const double *q, const double *s, double *out);

/* "(1, 0) m/s", `joining`, "2 rad/s" of speeds v [n_v]. */
enum { SARRUS_SPEEDS_TEXT = 120 };
void sarrus_body_speeds_text(int32_t space, const double *v, const char *joining, char text[SARRUS_SPEEDS_TEXT]);

/* M^{-1/2} of a body: 1/√m, and of its inertia 1/√I or, in space, the root L of I = L Lᵀ (xx, yy, zz, yx, zx, zy). In weighted
 * coordinates x speeds are d = M^{-1/2} x, in space L⁻ᵀ x of those that turn, and a row of J is one of J M^{-1/2}. */
typedef struct sarrus_body_weight {
    double shift, turn[6];
} sarrus_body_weight;

/* From the body's parameters. */
sarrus_body_weight sarrus_body_weight_of(int32_t space, const double *parameters);

/* d [n_v] ← scale·M^{-1/2} x. */
void sarrus_body_weigh(int32_t space, const sarrus_body_weight *weight, double scale, const double *x, double *d);

/* Of the turns alone: x ← M^{1/2} d by direction, of length 1. */
void sarrus_body_weigh_back(int32_t space, const sarrus_body_weight *weight, const double *d, double *x);

/* x [n_v] ← M^{1/2} x, of speeds; row [n_v] of J ← that of J M^{-1/2}. In space the one is Lᵀ, the other L, of those that turn. */
void sarrus_body_unweigh_speed(int32_t space, const sarrus_body_weight *weight, double *v);
void sarrus_body_unweigh_row(int32_t space, const sarrus_body_weight *weight, double *row);

#endif
