/* Bodies of a tree in the plane as they move, all about the origin of their tree: twists and their rates, momenta, wrenches, and
 * points. Angular rates of twists are nothing: all turns are about one normal. */
#ifndef SARRUS_BODY_RELATIVE_PLANAR_MOTION_H
#define SARRUS_BODY_RELATIVE_PLANAR_MOTION_H

#include "kernels/body/relative/planar_links.h"

/* The power of a wrench with the twist of speed i, which is of the kind of `like`. */
LANE_FUNCTION real sarrus_speed_power(const sarrus_mech_speed *like, const sarrus_workspace *ws, int32_t i, space_wrench w) {
    const int32_t form = like->form;
    if (like->is_pure)
        return w.moment;
    const space_twist s = sarrus_motion_of(ws, i);
    if (form == SARRUS_LINK_TURN)
        return real_fma(s.at.x, w.force.x, real_fma(s.at.y, w.force.y, w.moment));
    if (form == SARRUS_LINK_SLIDE)
        return space_inner(s.at, w.force);
    return space_power(s, w);
}

/* The momentum of what moves by speed i when that is 1. */
LANE_FUNCTION space_wrench sarrus_speed_momentum(const sarrus_mech_speed *like, const sarrus_workspace *ws, int32_t i,
                                                 const space_inertia *all) {
    const int32_t form = like->form;
    space_wrench out;
    if (like->is_pure) {
        out.force.x = -all->first.y;
        out.force.y = all->first.x;
        out.moment = all->second;
        return out;
    }
    const space_twist s = sarrus_motion_of(ws, i);
    if (form != SARRUS_LINK_TURN)
        return space_momentum(all, s);
    out.force.x = real_fma(all->mass, s.at.x, -all->first.y);
    out.force.y = real_fma(all->mass, s.at.y, all->first.x);
    out.moment = all->second + real_fnma(all->first.y, s.at.x, all->first.x * s.at.y);
    return out;
}

/* A turn at the rate `speed` of what hangs on a body that moves by `now`, drift its rate by the speeds alone:
 *   now ← now + speed s,   drift ← drift + speed (now × s). */
LANE_FUNCTION void sarrus_turn_carry(int is_pure, space_vector at, real speed, space_twist *now, space_twist *drift) {
    space_vector carried = space_turned(now->omega, at);
    if (is_pure) {
        drift->at = space_scaled(speed, carried);
        now->at = space_scaled(speed, at);
    } else {
        carried.x = carried.x + now->at.y;
        carried.y = carried.y - now->at.x;
        drift->at.x = real_fma(speed, carried.x, drift->at.x);
        drift->at.y = real_fma(speed, carried.y, drift->at.y);
        now->at.x = real_fma(speed, at.x, now->at.x);
        now->at.y = real_fma(speed, at.y, now->at.y);
    }
    now->omega = now->omega + speed;
}

/* The twist of the link's body and its rate by the speeds alone; `now` and `drift` come as those of the inboard body. */
LANE_FUNCTION void sarrus_link_carry(const sarrus_mechanism *mech, const sarrus_workspace *ws, const sarrus_mech_link *link,
                                     const real *v, space_twist *now, space_twist *drift) {
    const real speed = link->n_v > 0 ? frame_at(v, link->v) : real_set(0.0);
    (void)mech;
    if (link->is_pure) {
        now->omega = speed;
    } else if (link->form == SARRUS_LINK_TURN) {
        const space_twist s = sarrus_motion_of(ws, link->v);
        sarrus_turn_carry(link->is_on_pure, s.at, speed, now, drift);
    } else if (link->form == SARRUS_LINK_SLIDE) {
        const space_vector axis = sarrus_motion_of(ws, link->v).at, carried = space_turned(now->omega, axis);
        if (link->inboard >= 0) {
            drift->at.x = real_fma(speed, carried.x, drift->at.x);
            drift->at.y = real_fma(speed, carried.y, drift->at.y);
        }
        now->at.x = real_fma(speed, axis.x, now->at.x);
        now->at.y = real_fma(speed, axis.y, now->at.y);
    } else if (link->form == SARRUS_LINK_FREE) { /* its origin goes along with it */
        now->at.x = speed;
        now->at.y = frame_at(v, link->v + 1);
        now->omega = frame_at(v, link->v + SPACE_TURN);
        drift->at.x = now->omega * now->at.y;
        drift->at.y = -(now->omega * now->at.x);
    }
}

/* What the speeds alone accelerate by: the rate of the velocity at the origin with what is there,  drift + ω × v. */
LANE_FUNCTION space_vector sarrus_body_pull(const sarrus_workspace *ws, int32_t body) {
    const space_twist now = sarrus_twist_take(ws->twist, body), drift = sarrus_twist_take(ws->drift, body);
    const space_vector out = {real_fnma(now.omega, now.at.y, drift.at.x), real_fma(now.omega, now.at.x, drift.at.y)};
    return out;
}

/* The wrench on a link's body with the inertia `own`, about the origin, of gravity, of its forces (ws->force, about its centre of
 * mass), and of its resistance to what the speeds alone do to it: with k = g − (drift + ω × v) and h = m c, a force m k + ω² h and
 * a moment h × k. */
LANE_FUNCTION space_wrench sarrus_body_wrench(const sarrus_mechanism *mech, const real *parameter, const sarrus_workspace *ws,
                                              const sarrus_mech_link *link, const space_inertia *own, space_vector gravity) {
    const int32_t body = link->body;
    const real mass = own->mass;
    const space_vector arm = sarrus_tree_arm(ws, body), first = own->first;
    (void)parameter;
    const real omega = frame_at(ws->body_v, space_v(body) + SPACE_TURN), omega2 = omega * omega;
    const space_vector k = link->is_pure ? gravity : space_less(gravity, sarrus_body_pull(ws, body));
    space_wrench out;
    out.force.x = real_fma(mass, k.x, omega2 * first.x);
    out.force.y = real_fma(mass, k.y, omega2 * first.y);
    out.moment = space_moment(first, k);
    if (mech->tree.has_loads) {
        const space_vector force = sarrus_tree_vector(ws->force, space_v(body));
        out = space_wrench_add(out, space_wrench_at(arm, force, frame_at(ws->force, space_v(body) + SPACE_TURN)));
    }
    return out;
}

/* Twice the kinetic energy of a body. */
LANE_FUNCTION real sarrus_body_vis_viva(const sarrus_mechanism *mech, const sarrus_workspace *ws, int32_t body,
                                        const space_inertia *own) {
    const space_twist now = sarrus_twist_take(ws->twist, body);
    const real of_turn = own->second * now.omega * now.omega;
    if (sarrus_body_is_pure(mech, body))
        return of_turn;
    const real both = now.omega * space_moment(own->first, now.at);
    return real_fma(own->mass, space_inner(now.at, now.at), real_fma(real_set(2.0), both, of_turn));
}

/* A point (x, y) of a body, in its frame: from the centre of mass, and from the origin of the tree, all in the inertial frame. */
typedef struct sarrus_tree_point {
    space_vector arm, at;
} sarrus_tree_point;

LANE_FUNCTION sarrus_tree_point sarrus_tree_point_of(const sarrus_workspace *ws, int32_t body, space_vector s) {
    sarrus_tree_point out;
    const space_rotation a = sarrus_tree_rotation(ws, body);
    out.arm = space_rotate(&a, s);
    out.at = space_sum(sarrus_tree_arm(ws, body), out.arm);
    return out;
}

/* Its velocity, and its acceleration by the speeds alone. */
LANE_FUNCTION space_vector sarrus_tree_point_velocity(const sarrus_mechanism *mech, const sarrus_workspace *ws, int32_t body,
                                                      const sarrus_tree_point *p) {
    const space_twist now = sarrus_twist_take(ws->twist, body);
    const space_vector turning = space_turned(now.omega, p->at);
    return sarrus_body_is_pure(mech, body) ? turning : space_sum(now.at, turning);
}
LANE_FUNCTION space_vector sarrus_tree_point_drift(const sarrus_mechanism *mech, const sarrus_workspace *ws, int32_t body,
                                                   const sarrus_tree_point *p) {
    const real omega = frame_at(ws->body_v, space_v(body) + SPACE_TURN);
    const space_vector inwards = space_scaled(-(omega * omega), p->at);
    return sarrus_body_is_pure(mech, body) ? inwards : space_sum(sarrus_body_pull(ws, body), inwards);
}

#endif
