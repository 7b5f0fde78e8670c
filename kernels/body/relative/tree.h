/* The tree at a state: poses, M(q) by composite bodies and its factor, twists of the bodies, and what of their accelerations comes
 * of the speeds alone (S2 61; S3 5.2; Featherstone, Rigid Body Dynamics Algorithms, 2008, 6.2 and 8). */
#ifndef SARRUS_BODY_RELATIVE_TREE_H
#define SARRUS_BODY_RELATIVE_TREE_H

#if defined(SARRUS_KERNELS_SPATIAL)
#include "kernels/body/relative/spatial_motion.h"
#else
#include "kernels/body/relative/planar_motion.h"
#endif

/* Poses of the bodies and twists of the speeds at q. */
PLAN_BODY void sarrus_tree_place(const sarrus_mechanism *mech, const real *parameter, const real *q, sarrus_workspace *ws) {
    sarrus_mech_link now;
    PLAN_RUNS(LINKS, i, lap, 0, mech->tree.n_links, sarrus_link_place(mech, parameter, ws, sarrus_link_at(mech, i, lap, &now), q))
}

/* ws->momentum of every speed: body on body is added up on the way to ground. */
LANE_FUNCTION void sarrus_composite_begin(const sarrus_mechanism *mech, const real *parameter, sarrus_workspace *ws,
                                          const sarrus_mech_link *link) {
    const space_inertia own = sarrus_tree_inertia(mech, parameter, ws, link);
    sarrus_composite_put(ws, link->body, &own);
}
LANE_FUNCTION void sarrus_composite_add(sarrus_workspace *ws, const sarrus_mech_link *link) {
    if (link->inboard < 0)
        return;
    const space_inertia all = sarrus_composite_take(ws, link->body), before = sarrus_composite_take(ws, link->inboard);
    const space_inertia sum = space_inertia_add(&before, &all);
    sarrus_composite_put(ws, link->inboard, &sum);
}
LANE_FUNCTION void sarrus_momentum_find(const sarrus_mechanism *mech, sarrus_workspace *ws, int32_t i, int32_t lap) {
    const int32_t speed = TREE_NUMBER(speed, i, lap);
    const space_inertia all = sarrus_composite_take(ws, SPEED_BODY(mech, i, lap));
    sarrus_wrench_put(ws->momentum, speed, sarrus_speed_momentum(&mech->tree.speed[i], ws, speed, &all));
}
PLAN_BODY void sarrus_tree_momenta(const sarrus_mechanism *mech, const real *parameter, sarrus_workspace *ws) {
    sarrus_mech_link now;
    PLAN_RUNS(LINKS, i, lap, 0, mech->tree.n_links, sarrus_composite_begin(mech, parameter, ws, sarrus_link_at(mech, i, lap, &now)))
    PLAN_RUNS_BACK(LINKS, i, lap, 0, mech->tree.n_links, sarrus_composite_add(ws, sarrus_link_at(mech, i, lap, &now)))
    PLAN_RUNS(TREE_SPEEDS, i, lap, 0, mech->n_v, sarrus_momentum_find(mech, ws, i, lap))
}

/* ws->mass ← M: what hangs on a speed resists the twists of its chain. */
LANE_FUNCTION void sarrus_mass_find(const sarrus_mechanism *mech, sarrus_workspace *ws, int32_t r, int32_t lap) {
    const sarrus_mech_speed *like = &mech->tree.speed[mech->tree.chain[r]];
    const space_wrench momentum = sarrus_wrench_take(ws->momentum, TREE_AT(mech, owner, r, lap));
    frame_at(ws->mass, TREE_NUMBER(chain, r, lap)) = sarrus_speed_power(like, ws, TREE_AT(mech, chain, r, lap), momentum);
}
PLAN_BODY void sarrus_tree_mass(const sarrus_mechanism *mech, const real *parameter, sarrus_workspace *ws) {
    sarrus_tree_momenta(mech, parameter, ws);
    PLAN_RUNS(CHAIN, r, lap, 0, mech->tree.n_chain, sarrus_mass_find(mech, ws, r, lap))
    PLAN_EACH (i, 0, mech->n_v)
        frame_at(ws->heft, i) = frame_at(ws->mass, mech->tree.chain_start[i]);
}

/* Its diagonal alone. */
PLAN_BODY void sarrus_tree_hefts(const sarrus_mechanism *mech, const real *parameter, sarrus_workspace *ws) {
    sarrus_tree_momenta(mech, parameter, ws);
    PLAN_EACH (i, 0, mech->n_v)
        frame_at(ws->heft, i) = sarrus_speed_power(&mech->tree.speed[i], ws, i, sarrus_wrench_take(ws->momentum, i));
}

/* M = Lᵀ D L in place, and 1/D; then x ← L⁻ᵀ x, and x ← L⁻¹ x. The chain of a speed in that of another one is its end. */
#if defined(SARRUS_CONSTANT_PLAN)
LANE_FUNCTION void sarrus_tree_step(sarrus_workspace *ws, const sarrus_mech_tree_step *step) {
    if (step->kind == SARRUS_TREE_UPDATE)
        frame_at(ws->mass, step->to) =
            real_fnma(frame_at(ws->share, step->a), frame_at(ws->mass, step->b), frame_at(ws->mass, step->to));
    else if (step->kind == SARRUS_TREE_SHARE)
        frame_at(ws->share, step->to) = frame_at(ws->mass, step->to) * frame_at(ws->lightness, step->a);
    else
        frame_at(ws->lightness, step->to) = real_set(1.0) / frame_at(ws->mass, step->a);
}
PLAN_BODY void sarrus_tree_factor(const sarrus_mechanism *mech, sarrus_workspace *ws) {
    sarrus_mech_tree_step now;
    PLAN_RUNS(TREE_STEPS, n, lap, 0, mech->tree.n_steps, sarrus_tree_step(ws, sarrus_tree_step_at(mech, n, lap, &now)))
}
/* x[to] ← x[to] − L[r]·x[from], of two speeds of a chain. */
LANE_FUNCTION void sarrus_share_take(const sarrus_workspace *ws, int32_t r, int32_t to, int32_t from, real *x) {
    if (to != from)
        frame_at(x, to) = real_fnma(frame_at(ws->share, r), frame_at(x, from), frame_at(x, to));
}
PLAN_BODY void sarrus_tree_solve_back(const sarrus_mechanism *mech, const sarrus_workspace *ws, real *x){
    PLAN_RUNS_BACK(CHAIN, r, lap, 0, mech->tree.n_chain,
                   sarrus_share_take(ws, TREE_NUMBER(chain, r, lap), TREE_AT(mech, chain, r, lap), TREE_AT(mech, owner, r, lap),
                                     x))} PLAN_BODY
    void sarrus_tree_solve(const sarrus_mechanism *mech, const sarrus_workspace *ws, real *x) {
    PLAN_RUNS(CHAIN, r, lap, 0, mech->tree.n_chain,
              sarrus_share_take(ws, TREE_NUMBER(chain, r, lap), TREE_AT(mech, owner, r, lap), TREE_AT(mech, chain, r, lap), x))
}
#else
/* to[n] ← to[n] − share · from[n]: chains are short, and a loop of its own around each number takes longer than the numbers. */
LANE_FUNCTION void sarrus_tree_take(real share, const real *from, int32_t n, real *to) {
    for (; n > 4; --n)
        frame_at(to, n - 1) = real_fnma(share, frame_at(from, n - 1), frame_at(to, n - 1));
    if (n > 3)
        frame_at(to, 3) = real_fnma(share, frame_at(from, 3), frame_at(to, 3));
    if (n > 2)
        frame_at(to, 2) = real_fnma(share, frame_at(from, 2), frame_at(to, 2));
    if (n > 1)
        frame_at(to, 1) = real_fnma(share, frame_at(from, 1), frame_at(to, 1));
    frame_at(to, 0) = real_fnma(share, frame_at(from, 0), frame_at(to, 0));
}

/* Of the chain at `first`: what speed i takes of the masses before it. */
LANE_FUNCTION void sarrus_tree_eliminate(const sarrus_mechanism *mech, sarrus_workspace *ws, int32_t first, int32_t end) {
    const int32_t *chain = mech->tree.chain, *start = mech->tree.chain_start;
    real *mass = ws->mass;
    for (int32_t p = first + 1; p < end; ++p)
        sarrus_tree_take(frame_at(ws->share, p), frame_from(mass, p), end - p, frame_from(mass, start[chain[p]]));
}
PLAN_BODY void sarrus_tree_factor(const sarrus_mechanism *mech, sarrus_workspace *ws) {
    for (int32_t i = mech->n_v - 1; i >= 0; --i) {
        const int32_t first = mech->tree.chain_start[i], end = mech->tree.chain_start[i + 1];
        const real lightness = real_set(1.0) / frame_at(ws->mass, first);
        frame_at(ws->lightness, i) = lightness;
        for (int32_t p = first + 1; p < end; ++p)
            frame_at(ws->share, p) = frame_at(ws->mass, p) * lightness;
        sarrus_tree_eliminate(mech, ws, first, end);
    }
}
PLAN_BODY void sarrus_tree_solve_back(const sarrus_mechanism *mech, const sarrus_workspace *ws, real *x) {
    for (int32_t i = mech->n_v - 1; i >= 0; --i) {
        const int32_t first = mech->tree.chain_start[i];
        const real own = frame_at(x, i);
        for (int32_t p = mech->tree.chain_start[i + 1] - 1; p > first; --p)
            frame_at(x, mech->tree.chain[p]) = real_fnma(frame_at(ws->share, p), own, frame_at(x, mech->tree.chain[p]));
    }
}
PLAN_BODY void sarrus_tree_solve(const sarrus_mechanism *mech, const sarrus_workspace *ws, real *x) {
    for (int32_t i = 0; i < mech->n_v; ++i) {
        const int32_t end = mech->tree.chain_start[i + 1];
        real own = frame_at(x, i);
        for (int32_t p = mech->tree.chain_start[i] + 1; p < end; ++p)
            own = real_fnma(frame_at(ws->share, p), frame_at(x, mech->tree.chain[p]), own);
        frame_at(x, i) = own;
    }
}
#endif

/* (L x)_i of an array of an evaluation, less that of another one (NULL: of none). */
LANE_FUNCTION real sarrus_tree_part(const sarrus_mechanism *mech, const sarrus_workspace *ws, int32_t i, const real *x,
                                    const real *less) {
    real sum = less ? frame_at(x, i) - frame_at(less, i) : frame_at(x, i);
    PLAN_EACH (r, mech->tree.chain_start[i] + 1, mech->tree.chain_start[i + 1]) {
        const int32_t k = mech->tree.chain[r];
        sum = real_fma(frame_at(ws->share, r), less ? frame_at(x, k) - frame_at(less, k) : frame_at(x, k), sum);
    }
    return sum;
}

/* How a body moves for those who ask: its velocity and, of its acceleration, what comes of the speeds alone. In space its turning
 * is in its twist, and where `is_whole` in its frame too. */
LANE_FUNCTION void sarrus_tree_show_motion(sarrus_workspace *ws, int32_t body, space_twist v, space_twist drift, int is_whole) {
    const space_vector arm = sarrus_tree_arm(ws, body), velocity = space_sum(v.at, space_turned(v.omega, arm));
    const space_vector turning = space_sum(space_turned(drift.omega, arm), space_turned(v.omega, velocity));
    sarrus_tree_vector_put(velocity, ws->body_v, space_v(body));
    sarrus_tree_vector_put(space_sum(drift.at, turning), ws->body_drift, space_v(body));
#if defined(SARRUS_KERNELS_SPATIAL)
    const space_rotation a = sarrus_tree_rotation(ws, body);
    if (is_whole)
        sarrus_tree_vector_put(space_rotate_back(&a, v.omega), ws->body_v, space_v(body) + SPACE_TURN);
#else
    (void)is_whole;
    frame_at(ws->body_drift, space_v(body) + SPACE_TURN) = drift.omega;
#endif
}

/* Twists of the bodies at v and their rates by the speeds alone, and the bodies' own speeds where `is_shown`: to rows and forces,
 * or SARRUS_SHOWN_WHOLE. */
enum { SARRUS_SHOWN_WHOLE = 2 };
LANE_FUNCTION void sarrus_tree_move_link(const sarrus_mechanism *mech, sarrus_workspace *ws, const sarrus_mech_link *link,
                                         const real *v, int is_shown) {
    space_twist now = space_twist_at_rest(), drift = space_twist_at_rest();
    if (link->inboard >= 0) {
        now = sarrus_twist_take(ws->twist, link->inboard);
        drift = sarrus_twist_take(ws->drift, link->inboard);
    }
    sarrus_link_carry(mech, ws, link, v, &now, &drift);
    sarrus_twist_put(now, ws->twist, link->body);
    sarrus_twist_put(drift, ws->drift, link->body);
#if !defined(SARRUS_KERNELS_SPATIAL)
    frame_at(ws->body_v, space_v(link->body) + SPACE_TURN) = now.omega;
#endif
    if (is_shown)
        sarrus_tree_show_motion(ws, link->body, now, drift, is_shown == SARRUS_SHOWN_WHOLE);
}
LANE_FUNCTION void sarrus_tree_move_links(const sarrus_mechanism *mech, sarrus_workspace *ws, const real *v, int is_shown) {
    sarrus_mech_link now;
    PLAN_RUNS(LINKS, i, lap, 0, mech->tree.n_links,
              sarrus_tree_move_link(mech, ws, sarrus_link_at(mech, i, lap, &now), v, is_shown))
}
PLAN_BODY void sarrus_tree_move(const sarrus_mechanism *mech, sarrus_workspace *ws, const real *v) {
    sarrus_tree_move_links(mech, ws, v, mech->tree.asks_bodies);
}

/* The power that wrenches on the bodies (ws->wrench) have with each speed, into h [n_v]; the wrenches are added up to ground. */
LANE_FUNCTION void sarrus_wrench_gather(sarrus_workspace *ws, const sarrus_mech_link *link) {
    if (link->inboard < 0)
        return;
    const space_wrench all = sarrus_wrench_take(ws->wrench, link->body);
    sarrus_wrench_put(ws->wrench, link->inboard, space_wrench_add(sarrus_wrench_take(ws->wrench, link->inboard), all));
}
LANE_FUNCTION void sarrus_power_find(const sarrus_mechanism *mech, const sarrus_workspace *ws, int32_t i, int32_t lap, real *h) {
    const int32_t speed = TREE_NUMBER(speed, i, lap);
    const space_wrench on = sarrus_wrench_take(ws->wrench, SPEED_BODY(mech, i, lap));
    frame_at(h, speed) = sarrus_speed_power(&mech->tree.speed[i], ws, speed, on);
}
PLAN_BODY void sarrus_tree_gather(const sarrus_mechanism *mech, sarrus_workspace *ws, real *h) {
    sarrus_mech_link now;
    PLAN_RUNS_BACK(LINKS, i, lap, 0, mech->tree.n_links, sarrus_wrench_gather(ws, sarrus_link_at(mech, i, lap, &now)))
    PLAN_RUNS(TREE_SPEEDS, i, lap, 0, mech->n_v, sarrus_power_find(mech, ws, i, lap, h))
}

#endif
