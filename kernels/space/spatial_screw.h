/* Screws of space, all about one point at rest and in the inertial frame: a twist is how something turns and how fast what of it is
 * at that point moves; a wrench is a moment about the point and a force (S4 1.1). */
#ifndef SARRUS_SPACE_SPATIAL_SCREW_H
#define SARRUS_SPACE_SPATIAL_SCREW_H

#include "kernels/space/space.h"

typedef struct space_twist {
    space_vector omega, at;
} space_twist;

typedef struct space_wrench {
    space_vector moment, force;
} space_wrench;

/* What moves as one: m, m c, and the tensor of inertia about the point: xx, yy, zz, xy, xz, yz. */
typedef struct space_inertia {
    real mass;
    space_vector first;
    real second[6];
} space_inertia;
enum { SPACE_INERTIA_NUMBERS = 10 };

LANE_FUNCTION space_vector space_turned(space_vector omega, space_vector s) {
    return space_cross(omega, s);
}
LANE_FUNCTION space_vector space_sum(space_vector a, space_vector b) {
    space_vector out;
    out.x = a.x + b.x;
    out.y = a.y + b.y;
    out.z = a.z + b.z;
    return out;
}
LANE_FUNCTION space_vector space_less(space_vector a, space_vector b) {
    space_vector out;
    out.x = a.x - b.x;
    out.y = a.y - b.y;
    out.z = a.z - b.z;
    return out;
}
LANE_FUNCTION space_vector space_scaled(real s, space_vector a) {
    space_vector out;
    out.x = s * a.x;
    out.y = s * a.y;
    out.z = s * a.z;
    return out;
}
LANE_FUNCTION real space_inner(space_vector a, space_vector b) {
    return space_dot(a, b);
}
LANE_FUNCTION space_vector space_nothing(void) {
    space_vector out;
    out.x = out.y = out.z = real_set(0.0);
    return out;
}

LANE_FUNCTION space_twist space_twist_at_rest(void) {
    space_twist out;
    out.omega = out.at = space_nothing();
    return out;
}

/* a + s b. */
LANE_FUNCTION space_twist space_twist_add(space_twist a, real s, space_twist b) {
    space_twist out;
    out.omega = space_add(a.omega, s, b.omega);
    out.at = space_add(a.at, s, b.at);
    return out;
}

/* The rate of the twist s where it is carried along by v:  (ω_v × ω_s, ω_v × s_at + v_at × ω_s). */
LANE_FUNCTION space_twist space_twist_carried(space_twist v, space_twist s) {
    space_twist out;
    out.omega = space_cross(v.omega, s.omega);
    out.at = space_sum(space_cross(v.omega, s.at), space_cross(v.at, s.omega));
    return out;
}

/* The power of a wrench. */
LANE_FUNCTION real space_power(space_twist s, space_wrench w) {
    return space_dot(s.omega, w.moment) + space_dot(s.at, w.force);
}
LANE_FUNCTION space_wrench space_wrench_add(space_wrench a, space_wrench b) {
    space_wrench out;
    out.moment = space_sum(a.moment, b.moment);
    out.force = space_sum(a.force, b.force);
    return out;
}

/* A force at the arm c and a moment. */
LANE_FUNCTION space_wrench space_wrench_at(space_vector c, space_vector force, space_vector moment) {
    space_wrench out;
    out.moment = space_sum(space_cross(c, force), moment);
    out.force = force;
    return out;
}

/* B s of a symmetric matrix xx, yy, zz, xy, xz, yz. */
LANE_FUNCTION space_vector space_symmetric_times(const real b[6], space_vector s) {
    space_vector out;
    out.x = real_fma(b[0], s.x, real_fma(b[3], s.y, b[4] * s.z));
    out.y = real_fma(b[3], s.x, real_fma(b[1], s.y, b[5] * s.z));
    out.z = real_fma(b[4], s.x, real_fma(b[5], s.y, b[2] * s.z));
    return out;
}

/* The momentum of what has this inertia and moves by s:  m v + ω × m c,  I ω + m c × v. */
LANE_FUNCTION space_wrench space_momentum(const space_inertia *i, space_twist s) {
    space_wrench out;
    out.force = space_add(space_cross(s.omega, i->first), i->mass, s.at);
    out.moment = space_sum(space_symmetric_times(i->second, s.omega), space_cross(i->first, s.at));
    return out;
}

/* B s of the same, of which a diagonal one has no products. */
LANE_FUNCTION space_vector space_tensor_times(const real b[6], int is_diagonal, space_vector s) {
    const space_vector out = {b[0] * s.x, b[1] * s.y, b[2] * s.z};
    return is_diagonal ? out : space_symmetric_times(b, s);
}

/* Of a body with the tensor I (in its frame, as above) about its centre of mass at c, turned by A:  A I Aᵀ + m (c·c − c cᵀ). */
LANE_FUNCTION space_inertia space_inertia_of(real mass, space_vector c, const real tensor[6], int is_diagonal,
                                             const space_rotation *a) {
    const space_vector first = space_scaled(mass, c);
    const space_vector x = space_tensor_times(tensor, is_diagonal, a->row[0]);
    const space_vector y = space_tensor_times(tensor, is_diagonal, a->row[1]);
    const space_vector z = space_tensor_times(tensor, is_diagonal, a->row[2]);
    const real square = space_dot(first, c);
    space_inertia out;
    out.mass = mass;
    out.first = first;
    out.second[0] = real_fnma(first.x, c.x, space_dot(x, a->row[0]) + square);
    out.second[1] = real_fnma(first.y, c.y, space_dot(y, a->row[1]) + square);
    out.second[2] = real_fnma(first.z, c.z, space_dot(z, a->row[2]) + square);
    out.second[3] = real_fnma(first.x, c.y, space_dot(x, a->row[1]));
    out.second[4] = real_fnma(first.x, c.z, space_dot(x, a->row[2]));
    out.second[5] = real_fnma(first.y, c.z, space_dot(y, a->row[2]));
    return out;
}
LANE_FUNCTION space_inertia space_inertia_add(const space_inertia *a, const space_inertia *b) {
    space_inertia out;
    out.mass = a->mass + b->mass;
    out.first = space_sum(a->first, b->first);
    LANE_EACH (k, 6)
        out.second[k] = a->second[k] + b->second[k];
    return out;
}

/* As numbers: ω, then the velocity; the moment, then the force; m, m c, I. */
LANE_FUNCTION space_twist space_twist_of_numbers(const real x[SPACE_NV]) {
    const space_twist out = {{x[0], x[1], x[2]}, {x[3], x[4], x[5]}};
    return out;
}
LANE_FUNCTION void space_twist_to_numbers(space_twist s, real x[SPACE_NV]) {
    x[0] = s.omega.x;
    x[1] = s.omega.y;
    x[2] = s.omega.z;
    x[3] = s.at.x;
    x[4] = s.at.y;
    x[5] = s.at.z;
}
LANE_FUNCTION space_wrench space_wrench_of_numbers(const real x[SPACE_NV]) {
    const space_wrench out = {{x[0], x[1], x[2]}, {x[3], x[4], x[5]}};
    return out;
}
LANE_FUNCTION void space_wrench_to_numbers(space_wrench w, real x[SPACE_NV]) {
    const space_twist same = {w.moment, w.force};
    space_twist_to_numbers(same, x);
}
LANE_FUNCTION space_inertia space_inertia_of_numbers(const real x[SPACE_INERTIA_NUMBERS]) {
    space_inertia out;
    out.mass = x[0];
    out.first.x = x[1];
    out.first.y = x[2];
    out.first.z = x[3];
    LANE_EACH (k, 6)
        out.second[k] = x[4 + k];
    return out;
}
LANE_FUNCTION void space_inertia_to_numbers(const space_inertia *i, real x[SPACE_INERTIA_NUMBERS]) {
    x[0] = i->mass;
    x[1] = i->first.x;
    x[2] = i->first.y;
    x[3] = i->first.z;
    LANE_EACH (k, 6)
        x[4 + k] = i->second[k];
}

#endif
