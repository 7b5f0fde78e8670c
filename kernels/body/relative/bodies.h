/* Between the state of a tree and the coordinates and speeds of its bodies, for those who speak of bodies: results, and the
 * assembly of instances. */
#ifndef SARRUS_BODY_RELATIVE_BODIES_H
#define SARRUS_BODY_RELATIVE_BODIES_H

#include "kernels/body/relative/state.h"

/* q [n_bodies·SPACE_NQ], v [n_bodies·SPACE_NV] ← the bodies at the tile's state. Their turns, which who looks at bodies counts from
 * those that were seen last, are those of the state that is shown: a step that an output falls into may make many. */
LANE_BODY void sarrus_bodies_get(const sarrus_mechanism *mech, const real *parameter, sarrus_workspace *ws, real *tile, real *q,
                                 real *v) {
    const real *of_tree = lane_from(tile, mech->layout.q);
#if defined(SARRUS_KERNELS_SPATIAL)
    sarrus_links_see_angles(mech, of_tree, mask_not(mask_none()), lane_from(tile, mech->layout.seen));
#endif
    sarrus_tree_place(mech, parameter, of_tree, ws);
    sarrus_tree_move_links(mech, ws, lane_from(tile, mech->layout.v), SARRUS_SHOWN_WHOLE);
    for (int32_t n = 0; n < mech->tree.n_links; ++n)
        sarrus_link_show(parameter, ws, &mech->tree.link[n], of_tree, lane_from(tile, mech->layout.hand), q);
    for (int32_t i = 0; i < SPACE_NV * mech->n_bodies; ++i)
        lane_at(v, i) = frame_at(ws->body_v, i);
}

/* a [n_bodies·SPACE_NV] ← the accelerations of the bodies where the tree has the accelerations x [n_v] at the speeds v: those that
 * the speeds alone make, and the twists of x. Poses and arms are there; uses ws->wrench. */
LANE_BODY void sarrus_bodies_accelerate(const sarrus_mechanism *mech, sarrus_workspace *ws, const real *v, const real *x, real *a) {
    sarrus_tree_move_links(mech, ws, v, SARRUS_SHOWN_WHOLE);
    for (int32_t n = 0; n < mech->tree.n_links; ++n) {
        const int32_t body = mech->tree.link[n].body, at = space_v(body);
        sarrus_tree_twist(mech, ws, &mech->tree.link[n], x, (const real *)0, ws->wrench);
        const space_twist own = sarrus_twist_take(ws->wrench, body);
        const space_vector beyond = space_sum(own.at, space_turned(own.omega, sarrus_tree_arm(ws, body)));
        const space_vector centre = space_sum(sarrus_tree_vector(ws->body_drift, at), beyond);
        lane_at(a, at) = centre.x;
        lane_at(a, at + 1) = centre.y;
#if defined(SARRUS_KERNELS_SPATIAL)
        const space_rotation of_body = sarrus_tree_rotation(ws, body);
        const space_vector turning = space_sum(sarrus_twist_take(ws->drift, body).omega, own.omega);
        const space_vector in_frame = space_rotate_back(&of_body, turning);
        lane_at(a, at + 2) = centre.z;
        lane_at(a, at + SPACE_TURN) = in_frame.x;
        lane_at(a, at + SPACE_TURN + 1) = in_frame.y;
        lane_at(a, at + SPACE_TURN + 2) = in_frame.z;
#else
        lane_at(a, at + SPACE_TURN) = frame_at(ws->body_drift, at + SPACE_TURN) + own.omega;
#endif
    }
}

#if defined(SARRUS_KERNELS_SPATIAL)
/* Angles of the tree, which bodies tell but for whole turns, go on from the turns that were seen: springs count them. */
LANE_BODY void sarrus_bodies_put_turns(const sarrus_mechanism *mech, const real *seen, real *q) {
    const real turn = real_set(6.28318530717958647693), unit = real_set(0.159154943091895335769);
    for (int32_t i = 0; i < mech->tree.n_links; ++i) {
        const sarrus_mech_link *link = &mech->tree.link[i];
        for (int32_t k = 0; k < sarrus_link_n_angles(link); ++k) {
            const int32_t in_q = sarrus_link_angle_in_q(link, k);
            const real there = lane_at(seen, sarrus_link_angle_at(mech, link, k)), x = lane_at(q, in_q);
            const real n = real_nearest(unit * ((link->is_reversed ? -there : there) - x));
            lane_at(q, in_q) = real_select(real_eq(n, n), real_fma(turn, n, x), x);
        }
    }
}
#endif

/* NaN in the lanes in which one of these numbers is not finite, else 0. */
LANE_BODY real sarrus_bodies_spoilt(const sarrus_mechanism *mech, const real *q, const real *v) {
    real sum = real_set(0.0);
    for (int32_t i = 0; i < SPACE_NQ * mech->n_bodies; ++i)
        sum = real_fma(real_set(0.0), lane_at(q, i), sum);
    for (int32_t i = 0; i < SPACE_NV * mech->n_bodies; ++i)
        sum = real_fma(real_set(0.0), lane_at(v, i), sum);
    return sum;
}

/* The tile's state ← that in which the bodies have these coordinates and speeds, as far as the joints of the tree let them. A
 * number that is not finite spoils all speeds, also where no joint asks for it. */
LANE_BODY void sarrus_bodies_put(const sarrus_mechanism *mech, const real *parameter, sarrus_workspace *ws, const real *q,
                                 const real *v, real *tile) {
    real *q_tree = lane_from(tile, mech->layout.q), *v_tree = lane_from(tile, mech->layout.v);
    for (int32_t b = 0; b < mech->n_bodies; ++b)
        sarrus_link_take(ws, b, lane_from(q, space_q(b)));
    for (int32_t i = 0; i < SPACE_NV * mech->n_bodies; ++i)
        frame_at(ws->body_v, i) = lane_at(v, i);
    for (int32_t n = 0; n < mech->tree.n_links; ++n)
        sarrus_link_read(mech, parameter, ws, &mech->tree.link[n], q_tree, v_tree);
#if defined(SARRUS_KERNELS_SPATIAL)
    sarrus_bodies_put_turns(mech, lane_from(tile, mech->layout.seen), q_tree);
    for (int32_t n = 0; n < mech->tree.n_links; ++n) /* a whole turn more is the other one of p and −p */
        sarrus_link_read_hand(parameter, ws, &mech->tree.link[n], q_tree, lane_from(tile, mech->layout.hand));
#endif
    const real spoilt = sarrus_bodies_spoilt(mech, q, v);
    for (int32_t i = 0; i < mech->n_v; ++i)
        lane_at(v_tree, i) = real_select(real_eq(spoilt, real_set(0.0)), lane_at(v_tree, i), spoilt);
}

#endif
