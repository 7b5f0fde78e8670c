/* M and the load of the speeds alone of a tree whose bodies move in frames of their own: no place in the inertial frame is asked
 * for, products of numbers that are 0 in the plan are left out, and turns by right angles are a choice of components. For open
 * trees of single turns and slides about axes along those of their bodies, on which nothing acts but gravity, torques that stand in
 * the frame of their body, and what loads coordinates (src/plan/tree_zeros.c). Each body has its own frame at its joint's point P.
 * With r from the inboard body's P to the joint's point on it, ω and α the body's angular velocity and its rate, a the acceleration
 * of P less gravity, A = α̃ + ωωᵀ − ω², h = m c and I about P (S3 5.2.4; S4 2.9; Featherstone, Rigid Body Dynamics Algorithms,
 * 2008, 5.3 and 6.2):
 *   f = m a + A h,   n = I α + ω × (I ω + rotor) + h × a,   and to the inboard body  f,  n + r × f. */
#ifndef SARRUS_BODY_RELATIVE_OWN_FRAMES_H
#define SARRUS_BODY_RELATIVE_OWN_FRAMES_H

#include "kernels/body/relative/rows.h"

#if defined(SARRUS_KERNELS_SPATIAL)

#include "kernels/body/relative/own_links.h"

/* ---- inertias ---- */

/* About a point from which its own one is at r:
 *   h ← h' = h + m r,   I_kk += Σ_{l≠k} r_l (h_l + h'_l),   I_kl −= r_k h_l + r_l h'_k. */
LANE_FUNCTION void sarrus_own_shift_along(real mass, real r, real *h, real next, real after, sarrus_own_inertia *all, int32_t k) {
    const real before = *h, to = real_fma(mass, r, before), grown = r * (before + to);
    space_vector *m = &all->second.moment, *p = &all->second.product;
    *h = to;
    m->x = k == 0 ? m->x : m->x + grown;
    m->y = k == 1 ? m->y : m->y + grown;
    m->z = k == 2 ? m->z : m->z + grown;
    p->x = k == 0 ? p->x : real_fnma(r, k == 1 ? next : after, p->x);
    p->y = k == 1 ? p->y : real_fnma(r, k == 2 ? next : after, p->y);
    p->z = k == 2 ? p->z : real_fnma(r, k == 0 ? next : after, p->z);
}
LANE_FUNCTION void sarrus_own_shift(sarrus_own_inertia *all, space_vector r, int32_t zeros) {
    space_vector *h = &all->first;
    if (!(zeros & 1)) {
        sarrus_own_shift_along(all->mass, r.x, &h->x, h->y, h->z, all, 0);
        if (zeros == SARRUS_ALONG_X)
            return;
    }
    if (!(zeros & 2))
        sarrus_own_shift_along(all->mass, r.y, &h->y, h->z, h->x, all, 1);
    if (!(zeros & 4))
        sarrus_own_shift_along(all->mass, r.z, &h->z, h->x, h->y, all, 2);
}

/* Of a body, about its P, from where the centre of mass is at c. */
LANE_FUNCTION sarrus_own_inertia sarrus_own_inertia_of(const sarrus_mechanism *mech, const real *parameter,
                                                       const sarrus_mech_link *link) {
    const real *p = sarrus_body_parameters(mech, parameter, link->body);
    const space_vector s = sarrus_own_point(mech, parameter, link), c = {-s.x, -s.y, -s.z};
    sarrus_own_inertia out;
    out.mass = lane_at(p, SARRUS_SB_MASS);
    out.first = space_nothing();
    out.second.moment = sarrus_parameter_vector(p, SARRUS_SB_INERTIA);
    out.second.product.z = lane_at(p, SARRUS_SB_INERTIA + 3);
    out.second.product.y = lane_at(p, SARRUS_SB_INERTIA + 4);
    out.second.product.x = lane_at(p, SARRUS_SB_INERTIA + 5);
    sarrus_own_shift(&out, c, link->outboard_zeros);
    return out;
}

/* Whether it has no products: those of its own are 0, and its P lies on an axis of its frame at the centre of mass. */
LANE_FUNCTION int sarrus_own_is_diagonal(const sarrus_mech_link *link) {
    const int32_t zeros = link->outboard_zeros;
    return link->is_diagonal && (zeros == 3 || zeros == 5 || zeros == 6 || zeros == 7);
}

/* What hangs on a link, about P of its outboard body, as a part of the inboard body, about that one's. */
LANE_FUNCTION void sarrus_own_hang(const sarrus_mechanism *mech, const real *parameter, const sarrus_workspace *ws,
                                   const sarrus_mech_link *link, const real *q, sarrus_own_inertia *all) {
    if (link->form == SARRUS_LINK_SLIDE)
        sarrus_own_shift(all, sarrus_own_way(mech, parameter, link, q), 7 & ~(1 << link->axis));
    sarrus_own_inertia_in(ws, link, all);
    sarrus_own_shift(all, sarrus_own_reach(ws, link), link->span_zeros);
}

/* The momentum about P of what hangs on a link whose speed, along the axis of the body, is 1. */
LANE_FUNCTION space_wrench sarrus_own_momentum(const sarrus_mech_link *link, const sarrus_own_inertia *all) {
    const int32_t k = link->axis;
    const space_vector h = all->first, p = all->second.product;
    const real zero = real_set(0.0), next = sarrus_next(h, k), after = sarrus_after_next(h, k);
    space_wrench out;
    if (link->form == SARRUS_LINK_TURN) {
        out.force = sarrus_from_axis(k, zero, -after, next);
        out.moment = sarrus_from_axis(k, sarrus_component(all->second.moment, k), sarrus_after_next(p, k), sarrus_next(p, k));
    } else {
        out.force = sarrus_from_axis(k, all->mass, zero, zero);
        out.moment = sarrus_from_axis(k, zero, after, -next);
    }
    return out;
}

/* Turns, r and inertias of the bodies by themselves. */
PLAN_BODY void sarrus_own_find(const sarrus_mechanism *mech, const real *parameter, const real *q, sarrus_workspace *ws) {
    PLAN_EACH (n, 0, mech->tree.n_links) {
        const sarrus_mech_link *link = &mech->tree.link[n];
        const sarrus_own_inertia own = sarrus_own_inertia_of(mech, parameter, link);
        real sine = real_set(0.0), cosine = real_set(1.0);
        if (link->form == SARRUS_LINK_TURN)
            real_sincos(frame_at(q, link->q), &sine, &cosine);
        frame_at(ws->hang, SARRUS_HANG_N * link->body) = link->way == SARRUS_OWN_ASKEW ? sine : sarrus_own_sense(link, sine);
        frame_beyond(ws->hang, SARRUS_HANG_N * link->body, 1) = cosine;
        sarrus_own_reach_find(mech, parameter, ws, link);
        sarrus_own_put(ws, link->body, &own);
    }
}

/* What hangs on a link, `part`, added to what hangs on the inboard one. */
LANE_FUNCTION void sarrus_own_add(const sarrus_mechanism *mech, const real *parameter, const real *q, sarrus_workspace *ws,
                                  const sarrus_mech_link *link, sarrus_own_inertia part) {
    if (link->inboard < 0)
        return;
    sarrus_own_inertia all = sarrus_own_take(ws, link->inboard);
    sarrus_own_hang(mech, parameter, ws, link, q, &part);
    all.mass = all.mass + part.mass;
    all.first = space_sum(all.first, part.first);
    all.second.moment = space_sum(all.second.moment, part.second.moment);
    all.second.product = space_sum(all.second.product, part.second.product);
    sarrus_own_put(ws, link->inboard, &all);
}

/* ws->mass ← M at q, and its diagonal: the momentum of each speed is carried down its chain. Leaves sines and cosines of the turns,
 * r, and the inertias of what hangs on the links. */
#if defined(SARRUS_CONSTANT_PLAN)
LANE_FUNCTION const sarrus_mech_link *sarrus_own_link(const sarrus_mechanism *mech, int32_t speed) {
    return &mech->tree.link[mech->tree.link_of[mech->tree.speed[speed].body]];
}
PLAN_BODY void sarrus_own_mass(const sarrus_mechanism *mech, const real *parameter, const real *q, sarrus_workspace *ws) {
    space_wrench w = {space_nothing(), space_nothing()};
    sarrus_own_find(mech, parameter, q, ws);
    PLAN_EACH (n_done, 0, mech->tree.n_links) {
        const sarrus_mech_link *link = &mech->tree.link[mech->tree.n_links - 1 - n_done];
        sarrus_own_add(mech, parameter, q, ws, link, sarrus_own_take(ws, link->body));
    }
    PLAN_EACH (r, 0, mech->tree.n_chain) {
        const sarrus_mech_link *link = sarrus_own_link(mech, mech->tree.chain[r]);
        if (mech->tree.chain[r] == mech->tree.owner[r]) {
            const sarrus_own_inertia all = sarrus_own_take(ws, link->body);
            w = sarrus_own_momentum(link, &all);
        } else {
            w = sarrus_own_carry(mech, parameter, ws, sarrus_own_link(mech, mech->tree.chain[r - 1]), q, w);
        }
        frame_at(ws->mass, r) = sarrus_own_power(link, w, sarrus_own_link(mech, mech->tree.owner[r])->is_against);
    }
    PLAN_EACH (i, 0, mech->n_v)
        frame_at(ws->heft, i) = frame_at(ws->mass, mech->tree.chain_start[i]);
}
#else
PLAN_BODY void sarrus_own_mass(const sarrus_mechanism *mech, const real *parameter, const real *q, sarrus_workspace *ws) {
    sarrus_own_find(mech, parameter, q, ws);
    for (int32_t n = mech->tree.n_links - 1; n >= 0; --n) {
        const sarrus_mech_link *own = &mech->tree.link[n], *link = own;
        const sarrus_own_inertia all = sarrus_own_take(ws, own->body);
        space_wrench w = sarrus_own_momentum(own, &all);
        real *to = frame_from(ws->mass, mech->tree.chain_start[own->v]);
        frame_at(to, 0) = frame_at(ws->heft, own->v) = sarrus_own_power(own, w, own->is_against);
        sarrus_own_add(mech, parameter, q, ws, own, all);
        for (int32_t k = 1; link->inboard >= 0; ++k) {
            w = sarrus_own_carry(mech, parameter, ws, link, q, w);
            link = sarrus_own_inboard(mech, link);
            frame_at(to, k) = sarrus_own_power(link, w, own->is_against);
        }
    }
}
#endif

/* ---- what the speeds alone do ---- */

/* Whether the body turns about an axis that stands still. */
LANE_FUNCTION int sarrus_own_is_spun(const sarrus_mech_link *link) {
    return link->inboard < 0 && link->form == SARRUS_LINK_TURN;
}

/* to + A r of a link's body at v. */
LANE_FUNCTION space_vector sarrus_own_swing(const sarrus_workspace *ws, const sarrus_mech_link *link, const real *v,
                                            space_vector to, space_vector r, int32_t zeros) {
    if (sarrus_own_is_spun(link)) {
        const real w = frame_at(v, link->v);
        return sarrus_add_spun(to, w * w, r, zeros | 1 << link->axis);
    }
    const space_twist now = sarrus_twist_take(ws->twist, link->body), drift = sarrus_twist_take(ws->drift, link->body);
    return sarrus_add_swung(to, now.omega, drift.omega, r, zeros);
}

/* to + s ω × e, with e the axis k. */
LANE_FUNCTION space_vector sarrus_own_veered(space_vector to, real s, space_vector w, int32_t k) {
    const real zero = real_set(0.0);
    const space_vector axis = sarrus_from_axis(k, s, zero, zero);
    space_vector out = to;
    if (k == 0) {
        out.y = real_fma(axis.x, w.z, to.y);
        out.z = real_fnma(axis.x, w.y, to.z);
    } else if (k == 1) {
        out.z = real_fma(axis.y, w.x, to.z);
        out.x = real_fnma(axis.y, w.z, to.x);
    } else {
        out.x = real_fma(axis.z, w.y, to.x);
        out.y = real_fnma(axis.z, w.x, to.y);
    }
    return out;
}

/* ω and a of a link's body into ws->twist, α into ws->drift. */
LANE_FUNCTION void sarrus_own_move(const sarrus_mechanism *mech, const real *parameter, const real *q, const real *v,
                                   sarrus_workspace *ws, const sarrus_mech_link *link) {
    const int32_t k = link->axis;
    const real zero = real_set(0.0), speed = sarrus_own_sense(link, frame_at(v, link->v));
    space_twist now = space_twist_at_rest(), drift = space_twist_at_rest();
    if (link->inboard >= 0) {
        now = sarrus_twist_take(ws->twist, link->inboard);
        drift.omega = sarrus_twist_take(ws->drift, link->inboard).omega;
        now.at = sarrus_own_swing(ws, sarrus_own_inboard(mech, link), v, now.at, sarrus_own_reach(ws, link), link->span_zeros);
        sarrus_own_across(ws, link, 1, &now.omega, &drift.omega);
    } else {
        now.at = space_less(now.at, sarrus_tree_gravity(mech, parameter));
    }
    const space_vector along = sarrus_from_axis(k, speed, zero, zero);
    sarrus_own_across(ws, link, 1, &now.at, (space_vector *)0);
    if (link->form == SARRUS_LINK_TURN && link->inboard < 0) {
        now.omega = along;
    } else if (link->form == SARRUS_LINK_TURN) {
        drift.omega = sarrus_own_veered(drift.omega, speed, now.omega, k);
        now.omega = space_sum(now.omega, along);
    } else if (link->inboard >= 0) {
        const space_vector way = sarrus_own_way(mech, parameter, link, q);
        now.at = sarrus_add_swung(now.at, now.omega, drift.omega, way, 7 & ~(1 << k));
        now.at = sarrus_own_veered(now.at, speed + speed, now.omega, k);
    }
    sarrus_twist_put(now, ws->twist, link->body);
    sarrus_twist_put(drift, ws->drift, link->body);
}

/* f and n of a link's body. Of one that turns about an axis that stands still what ω does to n is across that axis, where nobody
 * asks. */
LANE_FUNCTION space_wrench sarrus_own_wrench(const sarrus_mechanism *mech, const real *parameter, const real *v,
                                             const sarrus_workspace *ws, const sarrus_mech_link *link) {
    const sarrus_own_inertia own = sarrus_own_inertia_of(mech, parameter, link);
    const space_twist now = sarrus_twist_take(ws->twist, link->body), drift = sarrus_twist_take(ws->drift, link->body);
    const int is_diagonal = sarrus_own_is_diagonal(link);
    space_wrench out;
    out.force = sarrus_own_swing(ws, link, v, space_scaled(own.mass, now.at), own.first, link->outboard_zeros);
    out.moment = space_nothing();
    if (!sarrus_own_is_spun(link)) {
        space_vector spin = sarrus_own_times(&own.second, is_diagonal, now.omega);
        if (link->has_rotor) {
            const real *p = sarrus_body_parameters(mech, parameter, link->body);
            spin = space_sum(spin, sarrus_parameter_vector(p, SARRUS_SB_ROTOR));
        }
        out.moment = sarrus_own_times(&own.second, is_diagonal, drift.omega);
        out.moment = sarrus_add_turned(out.moment, now.omega, spin, 0);
    }
    out.moment = sarrus_add_turned(out.moment, own.first, now.at, link->outboard_zeros);
    return out;
}

/* The torques on bodies, which stand in their frames, off what is to be overcome (ws->wrench). Returns their power. */
LANE_FUNCTION real sarrus_own_load(const sarrus_mechanism *mech, const real *parameter, const real *input, sarrus_workspace *ws) {
    real power = real_set(0.0);
    PLAN_EACH (i, 0, mech->n_forces) {
        const sarrus_mech_force *force = &mech->force[i];
        const real *p = lane_from(parameter, force->p);
        const space_vector torque = {sarrus_source_load(ws, input, force, 0, p), sarrus_source_load(ws, input, force, 1, p),
                                     sarrus_source_load(ws, input, force, 2, p)};
        space_wrench w = sarrus_wrench_take(ws->wrench, force->body[0]);
        w.moment = space_less(w.moment, torque);
        sarrus_wrench_put(ws->wrench, force->body[0], w);
        power = power + space_dot(torque, sarrus_twist_take(ws->twist, force->body[0]).omega);
    }
    return power;
}

/* h [n_v] ← what gravity, torques on bodies and the speeds alone do, of each speed; after sarrus_own_mass at the same q. Returns
 * the power of the torques. */
PLAN_BODY real sarrus_own_gather(const sarrus_mechanism *mech, const real *parameter, const real *input, const real *q,
                                 const real *v, sarrus_workspace *ws, real *h) {
    PLAN_EACH (n, 0, mech->tree.n_links)
        sarrus_own_move(mech, parameter, q, v, ws, &mech->tree.link[n]);
    PLAN_EACH (n, 0, mech->tree.n_links) {
        const sarrus_mech_link *link = &mech->tree.link[n];
        sarrus_wrench_put(ws->wrench, link->body, sarrus_own_wrench(mech, parameter, v, ws, link));
    }
    const real power = sarrus_own_load(mech, parameter, input, ws);
    PLAN_EACH (n_done, 0, mech->tree.n_links) {
        const sarrus_mech_link *link = &mech->tree.link[mech->tree.n_links - 1 - n_done];
        const space_wrench all = sarrus_wrench_take(ws->wrench, link->body);
        if (link->inboard >= 0) {
            const space_wrench part = sarrus_own_carry(mech, parameter, ws, link, q, all);
            sarrus_wrench_put(ws->wrench, link->inboard, space_wrench_add(sarrus_wrench_take(ws->wrench, link->inboard), part));
        }
        frame_at(h, link->v) = -sarrus_own_power(link, all, 0);
    }
    return power;
}

/* ---- energies ---- */

/* ω and the velocity of P of a link's body, in its frame, into ws->twist. */
LANE_FUNCTION space_twist sarrus_own_velocity(const sarrus_mechanism *mech, const real *parameter, const real *q, const real *v,
                                              sarrus_workspace *ws, const sarrus_mech_link *link) {
    const real zero = real_set(0.0), speed = sarrus_own_sense(link, frame_at(v, link->v));
    const space_vector along = sarrus_from_axis(link->axis, speed, zero, zero);
    space_twist now = space_twist_at_rest();
    if (link->inboard >= 0) {
        now = sarrus_twist_take(ws->twist, link->inboard);
        const space_vector against = {-now.omega.x, -now.omega.y, -now.omega.z};
        now.at = sarrus_add_turned(now.at, sarrus_own_reach(ws, link), against, link->span_zeros);
        sarrus_own_across(ws, link, 1, &now.omega, &now.at);
    }
    if (link->form == SARRUS_LINK_TURN) {
        now.omega = link->inboard < 0 ? along : space_sum(now.omega, along);
    } else {
        const space_vector against = {-now.omega.x, -now.omega.y, -now.omega.z};
        now.at = sarrus_add_turned(now.at, sarrus_own_way(mech, parameter, link, q), against, 7 & ~(1 << link->axis));
        now.at = space_sum(now.at, along);
    }
    sarrus_twist_put(now, ws->twist, link->body);
    return now;
}

/* T = ½ Σ u·(m u + 2 ω × h) + ω·I ω, u the velocity of P; after sarrus_own_mass at the same q, like the potential energy. */
LANE_FUNCTION real sarrus_own_kinetic(const sarrus_mechanism *mech, const real *parameter, const real *q, const real *v,
                                      sarrus_workspace *ws) {
    real sum = real_set(0.0);
    PLAN_EACH (n, 0, mech->tree.n_links) {
        const sarrus_mech_link *link = &mech->tree.link[n];
        const sarrus_own_inertia own = sarrus_own_inertia_of(mech, parameter, link);
        const space_twist now = sarrus_own_velocity(mech, parameter, q, v, ws, link);
        const space_vector twice = space_scaled(real_set(-2.0), now.omega);
        const space_vector push = sarrus_add_turned(space_scaled(own.mass, now.at), own.first, twice, link->outboard_zeros);
        sum = sum + space_dot(now.at, push);
        sum = sum + space_dot(now.omega, sarrus_own_times(&own.second, sarrus_own_is_diagonal(link), now.omega));
    }
    return real_set(0.5) * sum;
}

/* −g·Σ m r, over the trees. */
LANE_FUNCTION real sarrus_own_potential(const sarrus_mechanism *mech, const real *parameter, const real *q, sarrus_workspace *ws) {
    const space_vector gravity = sarrus_tree_gravity(mech, parameter);
    real sum = real_set(0.0);
    PLAN_EACH (n, 0, mech->tree.n_links) {
        const sarrus_mech_link *link = &mech->tree.link[n];
        if (link->inboard >= 0)
            continue;
        const sarrus_own_inertia all = sarrus_own_take(ws, link->body);
        space_vector first = all.first;
        if (link->form == SARRUS_LINK_SLIDE)
            first = space_add(first, all.mass, sarrus_own_way(mech, parameter, link, q));
        sarrus_own_across(ws, link, 0, &first, (space_vector *)0);
        first = space_add(first, all.mass, sarrus_tree_ground(parameter, link));
        sum = sum - space_dot(gravity, first);
    }
    return sum;
}

#else

/* Trees of the plane have none: a body's frame is the inertial one turned about its normal. */
LANE_FUNCTION void sarrus_own_mass(const sarrus_mechanism *mech, const real *parameter, const real *q, sarrus_workspace *ws) {
    (void)mech, (void)parameter, (void)q, (void)ws;
}
LANE_FUNCTION real sarrus_own_gather(const sarrus_mechanism *mech, const real *parameter, const real *input, const real *q,
                                     const real *v, sarrus_workspace *ws, real *h) {
    (void)mech, (void)parameter, (void)input, (void)q, (void)v, (void)ws, (void)h;
    return real_set(0.0);
}
LANE_FUNCTION real sarrus_own_kinetic(const sarrus_mechanism *mech, const real *parameter, const real *q, const real *v,
                                      sarrus_workspace *ws) {
    (void)mech, (void)parameter, (void)q, (void)v, (void)ws;
    return real_set(0.0);
}
LANE_FUNCTION real sarrus_own_potential(const sarrus_mechanism *mech, const real *parameter, const real *q, sarrus_workspace *ws) {
    (void)mech, (void)parameter, (void)q, (void)ws;
    return real_set(0.0);
}

#endif

#endif
