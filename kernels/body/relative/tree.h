/* The tree at a state: poses, M(q) by composite bodies and its factor, twists of the bodies, and what of their accelerations comes
 * of the speeds alone (S2 61; S3 5.2; Featherstone, Rigid Body Dynamics Algorithms, 2008, 6.2 and 8). */
#ifndef SARRUS_BODY_RELATIVE_TREE_H
#define SARRUS_BODY_RELATIVE_TREE_H

#if defined(SARRUS_KERNELS_SPATIAL)
#include "kernels/body/relative/spatial_bodies.h"
#else
#include "kernels/body/relative/planar_links.h"
#endif

/* From the centre of the root of a body's tree to the body's own. */
LANE_FUNCTION space_vector sarrus_tree_arm(const sarrus_mechanism *mech, const sarrus_workspace *ws, int32_t body) {
    const int32_t root = mech->tree.link[mech->tree.link_of[body]].root;
    return space_less(sarrus_tree_centre(ws, body), sarrus_tree_centre(ws, root));
}

/* Poses of the bodies and twists of the speeds at q. */
PLAN_BODY void sarrus_tree_place(const sarrus_mechanism *mech, const real *parameter, const real *q, sarrus_workspace *ws) {
    PLAN_EACH (i, 0, mech->tree.n_links)
        sarrus_link_place(mech, parameter, ws, &mech->tree.link[i], q);
}

/* The inertia of each body about the centre of its root. */
LANE_FUNCTION space_inertia sarrus_tree_inertia(const sarrus_mechanism *mech, const real *parameter, const sarrus_workspace *ws,
                                                int32_t body) {
    const real *p = sarrus_body_parameters(mech, parameter, body);
    const space_vector arm = sarrus_tree_arm(mech, ws, body);
#if defined(SARRUS_KERNELS_SPATIAL)
    const space_rotation a = sarrus_tree_rotation(ws, body);
    real tensor[6];
    for (int32_t k = 0; k < 6; ++k)
        tensor[k] = lane_at(p, SARRUS_SB_INERTIA + k);
    return space_inertia_of(lane_at(p, SARRUS_SB_MASS), arm, tensor, &a);
#else
    return space_inertia_of(lane_at(p, SARRUS_PB_MASS), arm, lane_at(p, SARRUS_PB_INERTIA));
#endif
}

/* The rows of M of a link's speeds, from all that hangs on its body. */
LANE_FUNCTION void sarrus_tree_mass_of(const sarrus_mechanism *mech, sarrus_workspace *ws, const sarrus_mech_link *link,
                                       const space_inertia *all) {
    PLAN_EACH (i, link->v, link->v + link->n_v) {
        const space_wrench momentum = space_momentum(all, sarrus_motion_of(ws, i));
        PLAN_EACH (r, mech->tree.chain_start[i], mech->tree.chain_start[i + 1])
            frame_at(ws->mass, r) = space_power(sarrus_motion_of(ws, mech->tree.chain[r]), momentum);
        frame_at(ws->heft, i) = frame_at(ws->mass, mech->tree.chain_start[i]);
    }
}

/* ws->mass ← M, link by link from the ends of the tree: body on body is added up on the way to ground. */
PLAN_BODY void sarrus_tree_mass(const sarrus_mechanism *mech, const real *parameter, sarrus_workspace *ws) {
    PLAN_EACH (b, 0, mech->n_bodies) {
        const space_inertia own = sarrus_tree_inertia(mech, parameter, ws, b);
        sarrus_composite_put(ws, b, &own);
    }
    PLAN_EACH (n_done, 0, mech->tree.n_links) {
        const sarrus_mech_link *link = &mech->tree.link[mech->tree.n_links - 1 - n_done];
        const space_inertia all = sarrus_composite_take(ws, link->body);
        sarrus_tree_mass_of(mech, ws, link, &all);
        if (link->inboard >= 0) {
            const space_inertia before = sarrus_composite_take(ws, link->inboard), sum = space_inertia_add(&before, &all);
            sarrus_composite_put(ws, link->inboard, &sum);
        }
    }
}

/* M = Lᵀ D L in place, and 1/D: row i of L is what speed i hands to those before it in its chain. */
PLAN_BODY void sarrus_tree_factor(const sarrus_mechanism *mech, sarrus_workspace *ws) {
    const sarrus_mech_tree *tree = &mech->tree;
    PLAN_EACH (n_done, 0, mech->n_v) {
        const int32_t i = mech->n_v - 1 - n_done, first = tree->chain_start[i], end = tree->chain_start[i + 1];
        const real inverse = real_set(1.0) / frame_at(ws->mass, first);
        frame_at(ws->lightness, i) = inverse;
        PLAN_EACH (r, first + 1, end) {
            const real share = frame_at(ws->mass, r) * inverse;
            const int32_t to = tree->chain_start[tree->chain[r]];
            PLAN_EACH (s, r, end)
                frame_at(ws->mass, to + s - r) = real_fnma(share, frame_at(ws->mass, s), frame_at(ws->mass, to + s - r));
            frame_at(ws->share, r) = share;
        }
    }
}

/* x ← L⁻ᵀ x, and x ← L⁻¹ x. */
PLAN_BODY void sarrus_tree_solve_back(const sarrus_mechanism *mech, const sarrus_workspace *ws, real *x) {
    PLAN_EACH (n_done, 0, mech->n_v) {
        const int32_t i = mech->n_v - 1 - n_done;
        PLAN_EACH (r, mech->tree.chain_start[i] + 1, mech->tree.chain_start[i + 1]) {
            const int32_t to = mech->tree.chain[r];
            frame_at(x, to) = real_fnma(frame_at(ws->share, r), frame_at(x, i), frame_at(x, to));
        }
    }
}
PLAN_BODY void sarrus_tree_solve(const sarrus_mechanism *mech, const sarrus_workspace *ws, real *x) {
    PLAN_EACH (i, 0, mech->n_v) {
        PLAN_EACH (r, mech->tree.chain_start[i] + 1, mech->tree.chain_start[i + 1])
            frame_at(x, i) = real_fnma(frame_at(ws->share, r), frame_at(x, mech->tree.chain[r]), frame_at(x, i));
    }
}

/* (L x)_i of an array of the tile or the workspace, less that of another one (NULL: of none). */
LANE_FUNCTION real sarrus_tree_part(const sarrus_mechanism *mech, const sarrus_workspace *ws, int32_t i, const real *x,
                                    const real *less) {
    real sum = less ? frame_at(x, i) - frame_at(less, i) : frame_at(x, i);
    PLAN_EACH (r, mech->tree.chain_start[i] + 1, mech->tree.chain_start[i + 1]) {
        const int32_t k = mech->tree.chain[r];
        sum = real_fma(frame_at(ws->share, r), less ? frame_at(x, k) - frame_at(less, k) : frame_at(x, k), sum);
    }
    return sum;
}

/* How a body moves: its velocity and, of its acceleration, what comes of the speeds alone; ω and ω̇ as the space has them. */
LANE_FUNCTION void sarrus_tree_put_motion(const sarrus_mechanism *mech, sarrus_workspace *ws, int32_t body, space_twist v,
                                          space_twist drift) {
    const space_vector arm = sarrus_tree_arm(mech, ws, body), velocity = space_sum(v.at, space_turned(v.omega, arm));
    const space_vector turning = space_sum(space_turned(drift.omega, arm), space_turned(v.omega, velocity));
    sarrus_tree_vector_put(velocity, ws->body_v, space_v(body));
    sarrus_tree_vector_put(space_sum(drift.at, turning), ws->body_drift, space_v(body));
#if defined(SARRUS_KERNELS_SPATIAL)
    const space_rotation a = sarrus_tree_rotation(ws, body);
    sarrus_tree_vector_put(space_rotate_back(&a, v.omega), ws->body_v, space_v(body) + SPACE_TURN);
    sarrus_tree_vector_put(space_rotate_back(&a, drift.omega), ws->body_drift, space_v(body) + SPACE_TURN);
#else
    frame_at(ws->body_v, space_v(body) + SPACE_TURN) = v.omega;
    frame_at(ws->body_drift, space_v(body) + SPACE_TURN) = drift.omega;
#endif
}

/* Where the speeds of a link that are ω in the body's axes begin among them: those are carried along as one; n_v: it has none. */
LANE_FUNCTION int32_t sarrus_link_first_of_ball(const sarrus_mech_link *link) {
    if (SPACE_DIMENSION == 3 && link->form == SARRUS_LINK_BALL)
        return 0;
    if (SPACE_DIMENSION == 3 && link->form == SARRUS_LINK_FREE)
        return SPACE_TURN;
    return link->n_v;
}

/* Velocities of the bodies at v, and what of their accelerations comes of it. */
PLAN_BODY void sarrus_tree_move(const sarrus_mechanism *mech, sarrus_workspace *ws, const real *v) {
    PLAN_EACH (n, 0, mech->tree.n_links) {
        const sarrus_mech_link *link = &mech->tree.link[n];
        const int32_t first_of_ball = sarrus_link_first_of_ball(link);
        space_twist now = space_twist_at_rest(), drift = space_twist_at_rest();
        if (link->inboard >= 0) {
            now = sarrus_twist_take(ws->twist, link->inboard);
            drift = sarrus_twist_take(ws->drift, link->inboard);
        }
        space_twist carrier = now;
        PLAN_EACH (k, 0, link->n_v) {
            const space_twist s = sarrus_motion_of(ws, link->v + k);
            const real speed = frame_at(v, link->v + k);
            if (k <= first_of_ball)
                carrier = now;
            drift = space_twist_add(drift, speed, space_twist_carried(carrier, s));
            now = space_twist_add(now, speed, s);
        }
        sarrus_twist_put(now, ws->twist, link->body);
        sarrus_twist_put(drift, ws->drift, link->body);
        sarrus_tree_put_motion(mech, ws, link->body, now, drift);
    }
}

/* The power that wrenches on the bodies (ws->wrench) have with each speed, into h [n_v]; the wrenches are added up to ground. */
PLAN_BODY void sarrus_tree_gather(const sarrus_mechanism *mech, sarrus_workspace *ws, real *h) {
    PLAN_EACH (n_done, 0, mech->tree.n_links) {
        const sarrus_mech_link *link = &mech->tree.link[mech->tree.n_links - 1 - n_done];
        const space_wrench all = sarrus_wrench_take(ws, link->body);
        PLAN_EACH (i, link->v, link->v + link->n_v)
            frame_at(h, i) = space_power(sarrus_motion_of(ws, i), all);
        if (link->inboard >= 0)
            sarrus_wrench_put(ws, link->inboard, space_wrench_add(sarrus_wrench_take(ws, link->inboard), all));
    }
}

#endif
