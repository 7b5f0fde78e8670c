/* Coordinates of links and their speeds: rates of each other, and moves. All are numbers whose rates the speeds are, but for Euler
 * parameters. Arrays are those of tiles. */
#ifndef SARRUS_BODY_RELATIVE_COORDINATES_H
#define SARRUS_BODY_RELATIVE_COORDINATES_H

#include "kernels/body/relative/tree.h"

/* Where a link's Euler parameters begin among its coordinates, and ω among its speeds; −1: it has none. */
LANE_FUNCTION int32_t sarrus_link_ball(const sarrus_mech_link *link) {
#if defined(SARRUS_KERNELS_SPATIAL)
    const int32_t first = sarrus_link_first_of_ball(link);
    return first < link->n_v ? first : -1;
#else
    (void)link;
    return -1;
#endif
}

#if defined(SARRUS_KERNELS_SPATIAL)

/* A body that stands where a link's Euler parameters would be those of one: what kernels/space does to bodies serves them too. */
typedef struct sarrus_link_body {
    real q[SPACE_NQ * LANE_STRIDE], v[SPACE_NV * LANE_STRIDE], d[SPACE_NV * LANE_STRIDE], out[SPACE_NQ * LANE_STRIDE];
} sarrus_link_body;

LANE_FUNCTION void sarrus_link_body_take(sarrus_link_body *body, const sarrus_mech_link *link, const real *q, const real *v) {
    const int32_t ball = sarrus_link_ball(link);
    for (int32_t k = 0; k < SPACE_TURN; ++k) {
        lane_at(body->q, k) = lane_at(body->v, k) = real_set(0.0);
        lane_at(body->v, SPACE_TURN + k) = v ? lane_at(v, link->v + ball + k) : real_set(0.0);
    }
    for (int32_t k = SPACE_TURN; k < SPACE_NQ; ++k)
        lane_at(body->q, k) = lane_at(q, link->q + ball + k - SPACE_TURN);
}

#endif

/* q̇ [n_q] at (q, v): the speeds themselves where there are no Euler parameters, else in `out`. */
LANE_FUNCTION const real *sarrus_state_rates(const sarrus_mechanism *mech, const real *q, const real *v, real *out) {
#if defined(SARRUS_KERNELS_SPATIAL)
    if (mech->n_q == mech->n_v)
        return v;
    for (int32_t n = 0; n < mech->tree.n_links; ++n) {
        const sarrus_mech_link *link = &mech->tree.link[n];
        const int32_t ball = sarrus_link_ball(link), n_same = ball < 0 ? link->n_v : ball;
        for (int32_t k = 0; k < n_same; ++k)
            lane_at(out, link->q + k) = lane_at(v, link->v + k);
        if (ball < 0)
            continue;
        sarrus_link_body body;
        sarrus_link_body_take(&body, link, q, v);
        (void)space_rates(1, body.q, body.v, body.out);
        for (int32_t k = SPACE_TURN; k < SPACE_NQ; ++k)
            lane_at(out, link->q + ball + k - SPACE_TURN) = lane_at(body.out, k);
    }
    return out;
#else
    (void)mech;
    (void)q;
    (void)out;
    return v;
#endif
}

/* The speeds [n_v] of the rates dq. */
LANE_FUNCTION const real *sarrus_state_speeds(const sarrus_mechanism *mech, const real *q, const real *dq, real *out) {
#if defined(SARRUS_KERNELS_SPATIAL)
    if (mech->n_q == mech->n_v)
        return dq;
    for (int32_t n = 0; n < mech->tree.n_links; ++n) {
        const sarrus_mech_link *link = &mech->tree.link[n];
        const int32_t ball = sarrus_link_ball(link), n_same = ball < 0 ? link->n_v : ball;
        sarrus_link_body body;
        if (ball >= 0) {
            sarrus_link_body_take(&body, link, q, (const real *)0);
            for (int32_t k = 0; k < SPACE_NQ; ++k)
                lane_at(body.out, k) = k < SPACE_TURN ? real_set(0.0) : lane_at(dq, link->q + ball + k - SPACE_TURN);
            (void)space_speeds(1, body.q, body.out, body.v);
        }
        for (int32_t k = 0; k < n_same; ++k)
            lane_at(out, link->v + k) = lane_at(dq, link->q + k);
        for (int32_t k = 0; ball >= 0 && k < SPACE_TURN; ++k)
            lane_at(out, link->v + ball + k) = lane_at(body.v, SPACE_TURN + k);
    }
    return out;
#else
    (void)mech;
    (void)q;
    (void)out;
    return dq;
#endif
}

/* out [n_q] ← q̈ at (q, v) with the accelerations a. */
LANE_FUNCTION void sarrus_state_second_rates(const sarrus_mechanism *mech, const real *q, const real *v, const real *a, real *out) {
    for (int32_t n = 0; n < mech->tree.n_links; ++n) {
        const sarrus_mech_link *link = &mech->tree.link[n];
        const int32_t ball = sarrus_link_ball(link), n_same = ball < 0 ? link->n_v : ball;
        for (int32_t k = 0; k < n_same; ++k)
            lane_at(out, link->q + k) = lane_at(a, link->v + k);
#if defined(SARRUS_KERNELS_SPATIAL)
        if (ball < 0)
            continue;
        sarrus_link_body body;
        sarrus_link_body_take(&body, link, q, v);
        for (int32_t k = 0; k < SPACE_NV; ++k)
            lane_at(body.d, k) = k < SPACE_TURN ? real_set(0.0) : lane_at(a, link->v + ball + k - SPACE_TURN);
        space_second_rates(body.q, body.v, body.d, body.out);
        for (int32_t k = SPACE_TURN; k < SPACE_NQ; ++k)
            lane_at(out, link->q + ball + k - SPACE_TURN) = lane_at(body.out, k);
#else
        (void)q;
        (void)v;
#endif
    }
}

/* space_turn_spread2 of the fastest of what Euler parameters are integrated for: other angles are their speeds' integrals. */
LANE_FUNCTION real sarrus_state_turn_spread2(const sarrus_mechanism *mech, real h, const real *v) {
    real most = real_set(0.0);
#if defined(SARRUS_KERNELS_SPATIAL)
    for (int32_t n = 0; n < mech->tree.n_links; ++n) {
        const sarrus_mech_link *link = &mech->tree.link[n];
        const int32_t ball = sarrus_link_ball(link);
        if (ball < 0)
            continue;
        real one[SPACE_NV * LANE_STRIDE];
        for (int32_t k = 0; k < SPACE_NV; ++k)
            lane_at(one, k) = k < SPACE_TURN ? real_set(0.0) : lane_at(v, link->v + ball + k - SPACE_TURN);
        most = real_max(space_turn_spread2(1, h, one), most);
    }
#else
    (void)mech;
    (void)h;
    (void)v;
#endif
    return most;
}

/* |p| = 1 of all Euler parameters. */
LANE_FUNCTION void sarrus_state_settle(const sarrus_mechanism *mech, real *q) {
#if defined(SARRUS_KERNELS_SPATIAL)
    for (int32_t n = 0; n < mech->tree.n_links; ++n) {
        const sarrus_mech_link *link = &mech->tree.link[n];
        const int32_t ball = sarrus_link_ball(link);
        if (ball < 0)
            continue;
        sarrus_link_body body;
        sarrus_link_body_take(&body, link, q, (const real *)0);
        space_settle(1, body.q);
        for (int32_t k = SPACE_TURN; k < SPACE_NQ; ++k)
            lane_at(q, link->q + ball + k - SPACE_TURN) = lane_at(body.q, k);
    }
#else
    (void)mech;
    (void)q;
#endif
}

/* q ← q ⊞ scale·d in the lanes of `on`. */
PLAN_BODY void sarrus_state_move(const sarrus_mechanism *mech, real scale, const real *d, mask on, real *q) {
    PLAN_EACH (n, 0, mech->tree.n_links) {
        const sarrus_mech_link *link = &mech->tree.link[n];
        const int32_t ball = sarrus_link_ball(link), n_same = ball < 0 ? link->n_v : ball;
        PLAN_EACH (k, 0, n_same) {
            const real now = lane_at(q, link->q + k);
            lane_at(q, link->q + k) = real_select(on, real_fma(scale, lane_at(d, link->v + k), now), now);
        }
#if defined(SARRUS_KERNELS_SPATIAL)
        if (ball < 0)
            continue;
        sarrus_link_body body;
        sarrus_link_body_take(&body, link, q, d);
        space_advance(scale, body.v, on, body.q);
        for (int32_t k = SPACE_TURN; k < SPACE_NQ; ++k)
            lane_at(q, link->q + ball + k - SPACE_TURN) = lane_at(body.q, k);
#endif
    }
}

/* Whether speed i turns something. Found by the link that has it: a slide comes before the turns of its link. */
LANE_FUNCTION int sarrus_state_is_turn(const sarrus_mechanism *mech, int32_t i) {
    for (int32_t n = 0; n < mech->tree.n_links; ++n) {
        const sarrus_mech_link *link = &mech->tree.link[n];
        if (i < link->v || i >= link->v + link->n_v)
            continue;
        const int32_t n_slides = link->form == SARRUS_LINK_FREE                                          ? SPACE_TURN
                                 : link->form == SARRUS_LINK_PLANE                                       ? 2
                                 : link->form == SARRUS_LINK_SLIDE || link->form == SARRUS_LINK_CYLINDER ? 1
                                                                                                         : 0;
        return i - link->v >= n_slides;
    }
    return 0;
}

/* The speed of one of a chain that the other chain does not have, in rad/s and parts 1/unit of a length. */
LANE_FUNCTION real sarrus_speed_counted(const sarrus_mechanism *mech, real_scalar unit, int32_t i, const real *v) {
    return real_abs(lane_at(v, i)) * real_set(sarrus_state_is_turn(mech, i) ? 1.0 : unit);
}

/* No more than the fastest of what a joint does at the state: the speeds on the way from one of its bodies to the other; of arrays
 * of the tile. */
LANE_FUNCTION real sarrus_state_joint_speed(const sarrus_mechanism *mech, const sarrus_workspace *ws,
                                            const sarrus_mech_joint *joint, real_scalar unit, const real *q, const real *v) {
    const sarrus_mech_tree *tree = &mech->tree;
    const int32_t bodies[2] = {joint->parent, joint->child};
    int32_t at[2] = {0, 0}, end[2] = {0, 0};
    real sum = real_set(0.0);
    (void)ws;
    (void)q;
    for (int32_t side = 0; side < 2; ++side) {
        int32_t body = bodies[side];
        while (body >= 0 && tree->link[tree->link_of[body]].n_v == 0)
            body = tree->link[tree->link_of[body]].inboard;
        if (body < 0)
            continue;
        const sarrus_mech_link *link = &tree->link[tree->link_of[body]];
        at[side] = tree->chain_start[link->v + link->n_v - 1];
        end[side] = tree->chain_start[link->v + link->n_v];
    }
    while (at[0] < end[0] || at[1] < end[1]) {
        const int32_t speed[2] = {at[0] < end[0] ? tree->chain[at[0]] : -1, at[1] < end[1] ? tree->chain[at[1]] : -1};
        if (speed[0] == speed[1])
            break;
        const int32_t side = speed[0] > speed[1] ? 0 : 1;
        sum = sum + sarrus_speed_counted(mech, unit, speed[side], v);
        at[side] += 1;
    }
    return sum;
}

#endif
