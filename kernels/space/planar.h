/* The plane. Of a body: coordinates (x, y, θ) and speeds (ẋ, ẏ, θ̇), which are the rates of the coordinates. */
#ifndef SARRUS_SPACE_PLANAR_H
#define SARRUS_SPACE_PLANAR_H

#include "kernels/space/index.h"

typedef struct space_vector {
    real x, y;
} space_vector;

/* From a body's frame to the inertial one: A = (c, −s; s, c). */
typedef struct space_rotation {
    real sine, cosine;
} space_rotation;

/* A s. */
LANE_FUNCTION space_vector space_rotate(const space_rotation *a, space_vector s) {
    space_vector out;
    out.x = real_fnma(a->sine, s.y, a->cosine * s.x);
    out.y = real_fma(a->sine, s.x, a->cosine * s.y);
    return out;
}

/* Aᵀ s. */
LANE_FUNCTION space_vector space_rotate_back(const space_rotation *a, space_vector s) {
    space_vector out;
    out.x = real_fma(a->sine, s.y, a->cosine * s.x);
    out.y = real_fnma(a->sine, s.x, a->cosine * s.y);
    return out;
}

/* ṙ + ω ρ^⊥ with ρ^⊥ = (−ρ_y, ρ_x): the velocity of the point at ρ from the centre of mass. */
LANE_FUNCTION space_vector space_velocity(space_vector centre, real omega, space_vector arm) {
    space_vector out;
    out.x = real_fnma(omega, arm.y, centre.x);
    out.y = real_fma(omega, arm.x, centre.y);
    return out;
}

/* ρ × f: the torque about the centre of mass of a force at ρ. */
LANE_FUNCTION real space_moment(space_vector arm, space_vector f) {
    return real_fnma(arm.y, f.x, arm.x * f.y);
}

/* q̇ [n_bodies·SPACE_NQ] at (q, v): the speeds themselves. `out` is for spaces where they are not. */
LANE_FUNCTION const real *space_rates(int32_t n_bodies, const real *q, const real *v, real *out) {
    (void)n_bodies;
    (void)q;
    (void)out;
    return v;
}

/* q̈ [SPACE_NQ] of one body with the accelerations a: the accelerations themselves. */
LANE_FUNCTION void space_second_rates(const real *q, const real *v, const real *a, real *out) {
    (void)q;
    (void)v;
    for (int32_t k = 0; k < SPACE_NQ; ++k)
        lane_at(out, k) = lane_at(a, k);
}

/* What a step of rk4 of length h at the speeds v makes of orientations, squared: those of the plane are angles, integrated as the
 * speeds are. */
LANE_FUNCTION real space_turn_spread2(int32_t n_bodies, real h, const real *v) {
    (void)n_bodies;
    (void)h;
    (void)v;
    return real_set(0.0);
}

/* Brings coordinates back to what they must be whatever the motion. Those of the plane may be anything. */
LANE_FUNCTION void space_settle(int32_t n_bodies, real *q) {
    (void)n_bodies;
    (void)q;
}

/* The speeds that change q at the rates dq [n_bodies·SPACE_NQ]: the inverse of space_rates. */
LANE_FUNCTION const real *space_speeds(int32_t n_bodies, const real *q, const real *dq, real *out) {
    (void)n_bodies;
    (void)q;
    (void)out;
    return dq;
}

/* q ← q ⊞ scale·d of one body in the lanes of `on`; d [SPACE_NV] moves it as speeds would in a unit of time. */
LANE_FUNCTION void space_advance(real scale, const real *d, mask on, real *q) {
    for (int32_t k = 0; k < SPACE_NQ; ++k) {
        const real now = lane_at(q, k);
        lane_at(q, k) = real_select(on, real_fma(scale, lane_at(d, k), now), now);
    }
}

/* d [SPACE_NV] such that b ⊞ d = a. */
LANE_FUNCTION void space_difference(const real *a, const real *b, real *d) {
    for (int32_t k = 0; k < SPACE_NV; ++k)
        lane_at(d, k) = lane_at(a, k) - lane_at(b, k);
}

#endif
