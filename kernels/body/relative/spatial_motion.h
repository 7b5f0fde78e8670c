/* Bodies of a tree in space as they move, all about the origin of their tree and in the inertial frame: twists and their rates,
 * momenta and wrenches. */
#ifndef SARRUS_BODY_RELATIVE_SPATIAL_MOTION_H
#define SARRUS_BODY_RELATIVE_SPATIAL_MOTION_H

#include "kernels/body/relative/spatial_bodies.h"

/* The power of a wrench with the twist of speed i, which is of the kind of `like`. */
LANE_FUNCTION real sarrus_speed_power(const sarrus_mech_speed *like, const sarrus_workspace *ws, int32_t i, space_wrench w) {
    const space_twist s = sarrus_motion_of(ws, i);
    return like->is_pure ? space_dot(s.omega, w.moment) : space_power(s, w);
}

/* The momentum of what moves by speed i when that is 1. */
LANE_FUNCTION space_wrench sarrus_speed_momentum(const sarrus_mech_speed *like, const sarrus_workspace *ws, int32_t i,
                                                 const space_inertia *all) {
    const space_twist s = sarrus_motion_of(ws, i);
    space_wrench out;
    if (!like->is_pure)
        return space_momentum(all, s);
    out.force = space_turned(s.omega, all->first);
    out.moment = space_symmetric_times(all->second, s.omega);
    return out;
}

/* Where the speeds of a link that are ω in the body's axes begin among them: those are carried along as one; n_v: it has none. */
LANE_FUNCTION int32_t sarrus_link_first_of_ball(const sarrus_mech_link *link) {
    return link->form == SARRUS_LINK_BALL ? 0 : link->form == SARRUS_LINK_FREE ? SPACE_TURN : link->n_v;
}

/* The twist of the link's body and its rate by the speeds alone; `now` and `drift` come as those of the inboard body. */
LANE_FUNCTION void sarrus_link_carry(const sarrus_mechanism *mech, const sarrus_workspace *ws, const sarrus_mech_link *link,
                                     const real *v, space_twist *now, space_twist *drift) {
    const int32_t first_of_ball = sarrus_link_first_of_ball(link);
    space_twist carrier = *now;
    PLAN_WITHIN(k, 0, mech->tree.most_speeds) {
        if (k >= link->n_v)
            continue;
        const space_twist s = sarrus_motion_of(ws, link->v + k);
        const real speed = frame_at(v, link->v + k);
        if (k <= first_of_ball)
            carrier = *now;
        if (link->inboard >= 0 || k > 0) /* ground carries nothing along */
            *drift = space_twist_add(*drift, speed, space_twist_carried(carrier, s));
        *now = space_twist_add(*now, speed, s);
    }
}

/* The wrench on a link's body with the inertia `own`, about the origin, of gravity, of its forces (ws->force: force and torque),
 * and of its resistance to what the speeds alone do to it: with k = g − (d + ω × v), h = m c and I about the origin (Featherstone
 * 2008, 5.3),
 *   force m k − ω̇ × h − ω × (ω × h),   moment h × k − I ω̇ − ω × (I ω + rotor),   (ω̇, d) the drift. */
LANE_FUNCTION space_wrench sarrus_body_wrench(const sarrus_mechanism *mech, const real *parameter, const sarrus_workspace *ws,
                                              const sarrus_mech_link *link, const space_inertia *own, space_vector gravity) {
    const int32_t body = link->body;
    const space_twist now = sarrus_twist_take(ws->twist, body), drift = sarrus_twist_take(ws->drift, body);
    const space_rotation a = sarrus_tree_rotation(ws, body);
    const space_vector of_turn = space_less(gravity, space_sum(drift.at, space_cross(now.omega, now.at)));
    const space_vector k = link->is_pure ? gravity : of_turn;
    space_vector spin = space_symmetric_times(own->second, now.omega);
    if (link->has_rotor) {
        const real *p = sarrus_body_parameters(mech, parameter, body);
        spin = space_sum(spin, space_rotate(&a, sarrus_parameter_vector(p, SARRUS_SB_ROTOR)));
    }
    const space_vector rate = space_sum(space_symmetric_times(own->second, drift.omega), space_cross(now.omega, spin));
    const space_vector inwards = space_cross(now.omega, space_cross(now.omega, own->first));
    space_wrench out;
    out.force = space_less(space_scaled(own->mass, k), space_sum(space_cross(drift.omega, own->first), inwards));
    out.moment = space_less(space_cross(own->first, k), rate);
    if (mech->tree.has_loads) {
        const space_vector force = sarrus_tree_vector(ws->force, space_v(body));
        const space_vector torque = sarrus_frame_vector(ws->force, space_v(body) + SPACE_TURN);
        out = space_wrench_add(out, space_wrench_at(sarrus_tree_arm(ws, body), force, torque));
    }
    return out;
}

/* Twice the kinetic energy of a body. */
LANE_FUNCTION real sarrus_body_vis_viva(const sarrus_mechanism *mech, const sarrus_workspace *ws, int32_t body,
                                        const space_inertia *own) {
    const space_twist now = sarrus_twist_take(ws->twist, body);
    (void)mech;
    return space_power(now, space_momentum(own, now));
}

#endif
