/* Screws of the plane, all about one point at rest: a twist is how something turns and how fast what of it is at that point
 * moves; a
 * wrench is a moment about the point and a force. */
#ifndef SARRUS_SPACE_PLANAR_SCREW_H
#define SARRUS_SPACE_PLANAR_SCREW_H

#include "kernels/space/space.h"

typedef struct space_twist {
    real omega;
    space_vector at;
} space_twist;

typedef struct space_wrench {
    real moment;
    space_vector force;
} space_wrench;

/* What moves as one: m, m c, and the moment of inertia, about the point. */
typedef struct space_inertia {
    real mass;
    space_vector first;
    real second;
} space_inertia;
enum { SPACE_INERTIA_NUMBERS = 4 };

/* ω × s. */
LANE_FUNCTION space_vector space_turned(real omega, space_vector s) {
    const space_vector out = {-(omega * s.y), omega * s.x};
    return out;
}
LANE_FUNCTION space_vector space_sum(space_vector a, space_vector b) {
    const space_vector out = {a.x + b.x, a.y + b.y};
    return out;
}
LANE_FUNCTION space_vector space_less(space_vector a, space_vector b) {
    const space_vector out = {a.x - b.x, a.y - b.y};
    return out;
}
LANE_FUNCTION space_vector space_scaled(real s, space_vector a) {
    const space_vector out = {s * a.x, s * a.y};
    return out;
}
LANE_FUNCTION real space_inner(space_vector a, space_vector b) {
    return real_fma(a.x, b.x, a.y * b.y);
}

LANE_FUNCTION space_twist space_twist_at_rest(void) {
    space_twist out;
    out.omega = out.at.x = out.at.y = real_set(0.0);
    return out;
}

/* a + s b. */
LANE_FUNCTION space_twist space_twist_add(space_twist a, real s, space_twist b) {
    space_twist out;
    out.omega = real_fma(s, b.omega, a.omega);
    out.at.x = real_fma(s, b.at.x, a.at.x);
    out.at.y = real_fma(s, b.at.y, a.at.y);
    return out;
}

/* The rate of the twist s where it is carried along by v:  (0, ω_v × s_at − ω_s × v_at). */
LANE_FUNCTION space_twist space_twist_carried(space_twist v, space_twist s) {
    space_twist out;
    out.omega = real_set(0.0);
    out.at.x = real_fnma(v.omega, s.at.y, s.omega * v.at.y);
    out.at.y = real_fnma(s.omega, v.at.x, v.omega * s.at.x);
    return out;
}

/* The power of a wrench. */
LANE_FUNCTION real space_power(space_twist s, space_wrench w) {
    return real_fma(s.omega, w.moment, real_fma(s.at.x, w.force.x, s.at.y * w.force.y));
}
LANE_FUNCTION space_wrench space_wrench_add(space_wrench a, space_wrench b) {
    space_wrench out;
    out.moment = a.moment + b.moment;
    out.force = space_sum(a.force, b.force);
    return out;
}

/* A force at the arm c and a moment. */
LANE_FUNCTION space_wrench space_wrench_at(space_vector c, space_vector force, real moment) {
    space_wrench out;
    out.moment = real_fma(c.x, force.y, real_fnma(c.y, force.x, moment));
    out.force = force;
    return out;
}

/* The momentum of what has this inertia and moves by s. */
LANE_FUNCTION space_wrench space_momentum(const space_inertia *i, space_twist s) {
    space_wrench out;
    out.force.x = real_fnma(s.omega, i->first.y, i->mass * s.at.x);
    out.force.y = real_fma(s.omega, i->first.x, i->mass * s.at.y);
    out.moment = real_fma(i->second, s.omega, real_fnma(i->first.y, s.at.x, i->first.x * s.at.y));
    return out;
}

/* Of a body: I about its centre of mass at c. */
LANE_FUNCTION space_inertia space_inertia_of(real mass, space_vector c, real inertia) {
    space_inertia out;
    out.mass = mass;
    out.first = space_scaled(mass, c);
    out.second = real_fma(out.first.x, c.x, real_fma(out.first.y, c.y, inertia));
    return out;
}
LANE_FUNCTION space_inertia space_inertia_add(const space_inertia *a, const space_inertia *b) {
    space_inertia out;
    out.mass = a->mass + b->mass;
    out.first = space_sum(a->first, b->first);
    out.second = a->second + b->second;
    return out;
}

/* As numbers: ω, then the velocity; the moment, then the force; m, m c, I. */
LANE_FUNCTION space_twist space_twist_of_numbers(const real x[SPACE_NV]) {
    space_twist out;
    out.omega = x[0];
    out.at.x = x[1];
    out.at.y = x[2];
    return out;
}
LANE_FUNCTION void space_twist_to_numbers(space_twist s, real x[SPACE_NV]) {
    x[0] = s.omega;
    x[1] = s.at.x;
    x[2] = s.at.y;
}
LANE_FUNCTION space_wrench space_wrench_of_numbers(const real x[SPACE_NV]) {
    space_wrench out;
    out.moment = x[0];
    out.force.x = x[1];
    out.force.y = x[2];
    return out;
}
LANE_FUNCTION void space_wrench_to_numbers(space_wrench w, real x[SPACE_NV]) {
    x[0] = w.moment;
    x[1] = w.force.x;
    x[2] = w.force.y;
}
LANE_FUNCTION space_inertia space_inertia_of_numbers(const real x[SPACE_INERTIA_NUMBERS]) {
    space_inertia out;
    out.mass = x[0];
    out.first.x = x[1];
    out.first.y = x[2];
    out.second = x[3];
    return out;
}
LANE_FUNCTION void space_inertia_to_numbers(const space_inertia *i, real x[SPACE_INERTIA_NUMBERS]) {
    x[0] = i->mass;
    x[1] = i->first.x;
    x[2] = i->first.y;
    x[3] = i->second;
}

#endif
