/* Space. Of a body: coordinates (x, y, z, e0, e1, e2, e3) with the Euler parameters p = (e0, e) of its rotation, and speeds
 * (ẋ, ẏ, ż, ω) with the angular velocity ω in the body's own frame, in which its inertia is constant (S3 2.1.4):
 *   ė0 = −½ ω·e,   ė = ½ (e0 ω + e × ω).
 * Rotations are those of p/|p|, so that a length which is off by a method's error is no deformation; |p| = 1 after every step. */
#ifndef SARRUS_SPACE_SPATIAL_H
#define SARRUS_SPACE_SPATIAL_H

#include "kernels/space/index.h"

typedef struct space_vector {
    real x, y, z;
} space_vector;

/* From a body's frame to the inertial one: the matrix A(p), by rows. */
typedef struct space_rotation {
    space_vector row[3];
} space_rotation;

LANE_FUNCTION real space_dot(space_vector a, space_vector b) {
    return real_fma(a.x, b.x, real_fma(a.y, b.y, a.z * b.z));
}

LANE_FUNCTION space_vector space_cross(space_vector a, space_vector b) {
    space_vector out;
    out.x = real_fnma(a.z, b.y, a.y * b.z);
    out.y = real_fnma(a.x, b.z, a.z * b.x);
    out.z = real_fnma(a.y, b.x, a.x * b.y);
    return out;
}

/* a + s b. */
LANE_FUNCTION space_vector space_add(space_vector a, real s, space_vector b) {
    space_vector out;
    out.x = real_fma(s, b.x, a.x);
    out.y = real_fma(s, b.y, a.y);
    out.z = real_fma(s, b.z, a.z);
    return out;
}

LANE_FUNCTION space_vector space_vector_at(const real *x) {
    space_vector out;
    out.x = lane_at(x, 0);
    out.y = lane_at(x, 1);
    out.z = lane_at(x, 2);
    return out;
}

LANE_FUNCTION void space_vector_put(space_vector a, real *x) {
    lane_at(x, 0) = a.x;
    lane_at(x, 1) = a.y;
    lane_at(x, 2) = a.z;
}

/* A(p) = 1 + 2 (e0 ẽ + ẽẽ)/|p|², from the four parameters of a body: column k is what becomes of axis k. */
LANE_FUNCTION space_rotation space_rotation_of_numbers(const real p[4]) {
    const real one = real_set(1.0), e0 = p[0];
    const space_vector e = {p[1], p[2], p[3]};
    const real two = real_set(2.0) / real_fma(e0, e0, space_dot(e, e));
    const real x = two * e.x, y = two * e.y, z = two * e.z;
    space_rotation out;
    out.row[0].x = one - real_fma(y, e.y, z * e.z);
    out.row[0].y = real_fnma(z, e0, x * e.y);
    out.row[0].z = real_fma(y, e0, x * e.z);
    out.row[1].x = real_fma(z, e0, x * e.y);
    out.row[1].y = one - real_fma(x, e.x, z * e.z);
    out.row[1].z = real_fnma(x, e0, y * e.z);
    out.row[2].x = real_fnma(y, e0, x * e.z);
    out.row[2].y = real_fma(x, e0, y * e.z);
    out.row[2].z = one - real_fma(x, e.x, y * e.y);
    return out;
}

/* The same of four numbers in a lane array. */
LANE_FUNCTION space_rotation space_rotation_of(const real *p) {
    const real numbers[4] = {lane_at(p, 0), lane_at(p, 1), lane_at(p, 2), lane_at(p, 3)};
    return space_rotation_of_numbers(numbers);
}

/* A s. */
LANE_FUNCTION space_vector space_rotate(const space_rotation *a, space_vector s) {
    space_vector out;
    out.x = space_dot(a->row[0], s);
    out.y = space_dot(a->row[1], s);
    out.z = space_dot(a->row[2], s);
    return out;
}

/* Aᵀ s: into the body's frame. */
LANE_FUNCTION space_vector space_rotate_back(const space_rotation *a, space_vector s) {
    space_vector out;
    out.x = real_fma(a->row[0].x, s.x, real_fma(a->row[1].x, s.y, a->row[2].x * s.z));
    out.y = real_fma(a->row[0].y, s.x, real_fma(a->row[1].y, s.y, a->row[2].y * s.z));
    out.z = real_fma(a->row[0].z, s.x, real_fma(a->row[1].z, s.y, a->row[2].z * s.z));
    return out;
}

/* ṙ + ω × ρ, all in one frame: the velocity of the point at ρ from the centre of mass. */
LANE_FUNCTION space_vector space_velocity(space_vector centre, space_vector omega, space_vector arm) {
    return space_add(centre, real_set(1.0), space_cross(omega, arm));
}

/* ρ × f: the torque about the centre of mass of a force at ρ. */
LANE_FUNCTION space_vector space_moment(space_vector arm, space_vector f) {
    return space_cross(arm, f);
}

/* q̇ [n_bodies·SPACE_NQ] at (q, v), in `out`, which is returned. */
LANE_FUNCTION const real *space_rates(int32_t n_bodies, const real *q, const real *v, real *out) {
    const real half = real_set(0.5);
    for (int32_t b = 0; b < n_bodies; ++b) {
        const real *p = lane_from(q, space_q(b) + SPACE_TURN), *speed = lane_from(v, space_v(b));
        const space_vector e = space_vector_at(lane_from(p, 1)), w = space_vector_at(lane_from(speed, SPACE_TURN));
        const space_vector e_cross_w = space_cross(e, w);
        real *rate = lane_from(out, space_q(b));
        LANE_EACH (k, SPACE_TURN)
            lane_at(rate, k) = lane_at(speed, k);
        lane_at(rate, SPACE_TURN) = -(half * space_dot(w, e));
        lane_at(rate, SPACE_TURN + 1) = half * real_fma(lane_at(p, 0), w.x, e_cross_w.x);
        lane_at(rate, SPACE_TURN + 2) = half * real_fma(lane_at(p, 0), w.y, e_cross_w.y);
        lane_at(rate, SPACE_TURN + 3) = half * real_fma(lane_at(p, 0), w.z, e_cross_w.z);
    }
    return out;
}

/* q̈ [SPACE_NQ] of one body with the accelerations a:   p̈ = ½ p ∘ (0, ω̇) − ¼ ω² p. */
LANE_FUNCTION void space_second_rates(const real *q, const real *v, const real *a, real *out) {
    const real *p = lane_from(q, SPACE_TURN), half = real_set(0.5);
    const space_vector e = space_vector_at(lane_from(p, 1)), w = space_vector_at(lane_from(v, SPACE_TURN));
    const space_vector turn = space_vector_at(lane_from(a, SPACE_TURN)), e_cross_turn = space_cross(e, turn);
    const real quarter = real_set(-0.25) * space_dot(w, w);
    LANE_EACH (k, SPACE_TURN)
        lane_at(out, k) = lane_at(a, k);
    real *second = lane_from(out, SPACE_TURN);
    lane_at(second, 0) = real_fma(quarter, lane_at(p, 0), -(half * space_dot(turn, e)));
    lane_at(second, 1) = real_fma(quarter, e.x, half * real_fma(lane_at(p, 0), turn.x, e_cross_turn.x));
    lane_at(second, 2) = real_fma(quarter, e.y, half * real_fma(lane_at(p, 0), turn.y, e_cross_turn.y));
    lane_at(second, 3) = real_fma(quarter, e.z, half * real_fma(lane_at(p, 0), turn.z, e_cross_turn.z));
}

/* How far apart the two rates in the middle of a step of rk4 are, h |ṗ₃ − ṗ₂|, squared, of the body that turns fastest. With p₂ and
 * p₃ from p̈ = −¼ω² p that is (h|ω|)³/32: what the accelerations, which may be zero, say nothing of. */
LANE_FUNCTION real space_turn_spread2(int32_t n_bodies, real h, const real *v) {
    real fastest2 = real_set(0.0);
    for (int32_t b = 0; b < n_bodies; ++b) {
        const space_vector w = space_vector_at(lane_from(v, space_v(b) + SPACE_TURN));
        fastest2 = real_max(space_dot(w, w), fastest2);
    }
    const real angle2 = h * h * fastest2;
    return angle2 * angle2 * angle2 * real_set(1.0 / 1024.0);
}

/* Brings coordinates back to what they must be whatever the motion: p ← p/|p|. */
LANE_FUNCTION void space_settle(int32_t n_bodies, real *q) {
    for (int32_t b = 0; b < n_bodies; ++b) {
        real *p = lane_from(q, space_q(b) + SPACE_TURN);
        const space_vector e = space_vector_at(lane_from(p, 1));
        const real length = real_sqrt(real_fma(lane_at(p, 0), lane_at(p, 0), space_dot(e, e)));
        for (int32_t k = 0; k < SPACE_NQ - SPACE_TURN; ++k)
            lane_at(p, k) = lane_at(p, k) / length;
    }
}

/* The speeds [n_bodies·SPACE_NV] that change q at the rates dq, in `out`, which is returned: ω = 2 (e0 ė − ė0 e − e × ė), the
 * inverse of space_rates; what dq changes of |p| is no motion. */
LANE_FUNCTION const real *space_speeds(int32_t n_bodies, const real *q, const real *dq, real *out) {
    for (int32_t b = 0; b < n_bodies; ++b) {
        const real *p = lane_from(q, space_q(b) + SPACE_TURN), *rate = lane_from(dq, space_q(b));
        const space_vector e = space_vector_at(lane_from(p, 1)), e_dot = space_vector_at(lane_from(rate, SPACE_TURN + 1));
        space_vector w = space_add(space_cross(e_dot, e), lane_at(p, 0), e_dot);
        w = space_add(w, -lane_at(rate, SPACE_TURN), e);
        real *speed = lane_from(out, space_v(b));
        LANE_EACH (k, SPACE_TURN)
            lane_at(speed, k) = lane_at(rate, k);
        space_vector_put(space_add(w, real_set(1.0), w), lane_from(speed, SPACE_TURN));
    }
    return out;
}

typedef struct space_parameters {
    real e0;
    space_vector e;
} space_parameters;

LANE_FUNCTION space_parameters space_parameters_at(const real *p) {
    space_parameters out;
    out.e0 = lane_at(p, 0);
    out.e = space_vector_at(lane_from(p, 1));
    return out;
}

/* The product p ∘ o: the rotation o first, then p. */
LANE_FUNCTION space_parameters space_compose(space_parameters p, space_parameters o) {
    space_parameters out;
    out.e0 = real_fma(p.e0, o.e0, -space_dot(p.e, o.e));
    out.e = space_add(space_add(space_cross(p.e, o.e), p.e0, o.e), o.e0, p.e);
    return out;
}

/* q ← q ⊞ scale·d of one body in the lanes of `on`: the centre is moved, and p ← p ∘ (cos ½φ, sin ½φ u) with φ u = scale·d_turn,
 * which keeps |p|. */
LANE_FUNCTION void space_advance(real scale, const real *d, mask on, real *q) {
    const space_vector turn = space_vector_at(lane_from(d, SPACE_TURN));
    const real length = real_sqrt(space_dot(turn, turn));
    real *p = lane_from(q, SPACE_TURN), sine, cosine;
    real_sincos(real_set(0.5) * scale * length, &sine, &cosine);
    const real along = sine * real_inverse_or_zero(length);
    space_parameters step;
    step.e0 = cosine;
    step.e.x = along * turn.x;
    step.e.y = along * turn.y;
    step.e.z = along * turn.z;
    const space_parameters turned = space_compose(space_parameters_at(p), step);
    LANE_EACH (k, SPACE_TURN)
        lane_at(q, k) = real_select(on, real_fma(scale, lane_at(d, k), lane_at(q, k)), lane_at(q, k));
    lane_at(p, 0) = real_select(on, turned.e0, lane_at(p, 0));
    lane_at(p, 1) = real_select(on, turned.e.x, lane_at(p, 1));
    lane_at(p, 2) = real_select(on, turned.e.y, lane_at(p, 2));
    lane_at(p, 3) = real_select(on, turned.e.z, lane_at(p, 3));
}

/* d [SPACE_NV]: what moves b to a, with the turn by an angle φ about u as 2 sin(½φ) u: to third order the vector of space_advance.
 * p and −p are the same rotation. */
LANE_FUNCTION void space_difference(const real *a, const real *b, real *d) {
    space_parameters back = space_parameters_at(lane_from(b, SPACE_TURN));
    back.e = space_add(back.e, real_set(-2.0), back.e);
    const space_parameters turn = space_compose(back, space_parameters_at(lane_from(a, SPACE_TURN)));
    const mask is_other = real_lt(turn.e0, real_set(0.0));
    const real two = real_select(is_other, real_set(-2.0), real_set(2.0));
    LANE_EACH (k, SPACE_TURN)
        lane_at(d, k) = lane_at(a, k) - lane_at(b, k);
    lane_at(d, SPACE_TURN) = two * turn.e.x;
    lane_at(d, SPACE_TURN + 1) = two * turn.e.y;
    lane_at(d, SPACE_TURN + 2) = two * turn.e.z;
}

#endif
