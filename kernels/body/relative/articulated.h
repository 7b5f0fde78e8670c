/* Accelerations of open trees, and the factor of M under loops, by articulated bodies: work that grows with the bodies, where that
 * of the factor of M grows with the cubes of chains (Featherstone, Rigid Body Dynamics Algorithms, 2008, 7 and 8.6; S4 2.9-2.15).
 * All screws of a tree are about one point and in one frame, so that nothing is carried from body to body but sums. With x the
 * acceleration beyond what the speeds alone make, A the articulated inertia and w the wrench on what hangs on a speed s with the
 * load τ:
 *   U = A s,  d = s·U,  u = s·w + τ,   A ← A − U Uᵀ/d,  w ← w − U u/d,   q̈ = (u − U·x)/d,  x ← x + s q̈
 * It is the elimination of M = Lᵀ D L from the leaves: D_i = d_i, L_ij = U_i·s_j/d_i of the speeds j before i. */
#ifndef SARRUS_BODY_RELATIVE_ARTICULATED_H
#define SARRUS_BODY_RELATIVE_ARTICULATED_H

#include "kernels/body/relative/tree.h"

/* An articulated inertia as the lower triangle of a symmetric matrix over the numbers of twists. */
LANE_FUNCTION int32_t sarrus_triangle_at(int32_t i, int32_t j) {
    return i >= j ? i * (i + 1) / 2 + j : j * (j + 1) / 2 + i;
}

/* That of a body alone: moments and forces from how it turns and moves. */
LANE_FUNCTION void sarrus_articulated_begin(const space_inertia *own, real a[SARRUS_ARTICULATED]) {
    const space_vector h = own->first;
    LANE_EACH (k, SARRUS_ARTICULATED)
        a[k] = real_set(0.0);
#if defined(SARRUS_KERNELS_SPATIAL)
    LANE_EACH (k, 3) {
        a[sarrus_triangle_at(k, k)] = own->second[k];
        a[sarrus_triangle_at(3 + k, 3 + k)] = own->mass;
    }
    a[sarrus_triangle_at(1, 0)] = own->second[3];
    a[sarrus_triangle_at(2, 0)] = own->second[4];
    a[sarrus_triangle_at(2, 1)] = own->second[5];
    a[sarrus_triangle_at(3, 1)] = h.z;
    a[sarrus_triangle_at(3, 2)] = -h.y;
    a[sarrus_triangle_at(4, 0)] = -h.z;
    a[sarrus_triangle_at(4, 2)] = h.x;
    a[sarrus_triangle_at(5, 0)] = h.y;
    a[sarrus_triangle_at(5, 1)] = -h.x;
#else
    a[sarrus_triangle_at(0, 0)] = own->second;
    a[sarrus_triangle_at(1, 0)] = -h.y;
    a[sarrus_triangle_at(2, 0)] = h.x;
    a[sarrus_triangle_at(1, 1)] = a[sarrus_triangle_at(2, 2)] = own->mass;
#endif
}

LANE_FUNCTION void sarrus_numbers_take(const real *array, int32_t i, int32_t n, real *x) {
    LANE_EACH (k, n)
        x[k] = frame_beyond(array, n * i, k);
}
LANE_FUNCTION void sarrus_numbers_put(const real *x, int32_t n, real *array, int32_t i) {
    LANE_EACH (k, n)
        frame_beyond(array, n * i, k) = x[k];
}
LANE_FUNCTION real sarrus_numbers_dot(const real x[SPACE_NV], const real y[SPACE_NV]) {
    real sum = x[0] * y[0];
    LANE_EACH (k, SPACE_NV - 1)
        sum = real_fma(x[k + 1], y[k + 1], sum);
    return sum;
}

/* One speed of a link, from its last to its first: a and, where loads are carried, w become what is left for those before it. */
LANE_FUNCTION void sarrus_articulated_speed(sarrus_workspace *ws, int32_t i, real a[SARRUS_ARTICULATED], real w[SPACE_NV],
                                            int has_loads) {
    real s[SPACE_NV], hold[SPACE_NV], part[SPACE_NV];
    sarrus_numbers_take(ws->motion, i, SPACE_NV, s);
    LANE_EACH (r, SPACE_NV) {
        hold[r] = a[sarrus_triangle_at(r, 0)] * s[0];
        LANE_EACH (c, SPACE_NV - 1)
            hold[r] = real_fma(a[sarrus_triangle_at(r, c + 1)], s[c + 1], hold[r]);
    }
    const real inverse = real_set(1.0) / sarrus_numbers_dot(s, hold);
    if (has_loads) {
        const real load = sarrus_numbers_dot(s, w) + frame_at(ws->pushed, i), rate = load * inverse;
        LANE_EACH (r, SPACE_NV)
            w[r] = real_fnma(hold[r], rate, w[r]);
        frame_at(ws->pushed, i) = load;
    }
    LANE_EACH (r, SPACE_NV)
        part[r] = hold[r] * inverse;
    LANE_EACH (r, SPACE_NV) {
        LANE_EACH (c, r + 1)
            a[sarrus_triangle_at(r, c)] = real_fnma(part[r], hold[c], a[sarrus_triangle_at(r, c)]);
    }
    sarrus_numbers_put(hold, SPACE_NV, ws->hold, i);
    frame_at(ws->lightness, i) = inverse;
}

/* Numbers of a body are added to those of the one before it. */
LANE_FUNCTION void sarrus_numbers_add(const real *x, int32_t n, real *array, int32_t i) {
    LANE_EACH (k, n)
        frame_beyond(array, n * i, k) = frame_beyond(array, n * i, k) + x[k];
}

/* A link's body alone; then what hangs on it, handed on to the inboard one. */
LANE_FUNCTION void sarrus_articulated_put(sarrus_workspace *ws, int32_t body, const space_inertia *own) {
    real a[SARRUS_ARTICULATED];
    sarrus_articulated_begin(own, a);
    sarrus_numbers_put(a, SARRUS_ARTICULATED, ws->articulated, body);
}
LANE_FUNCTION void sarrus_articulated_link(const sarrus_mechanism *mech, sarrus_workspace *ws, const sarrus_mech_link *link,
                                           int has_loads) {
    real a[SARRUS_ARTICULATED], w[SPACE_NV];
    sarrus_numbers_take(ws->articulated, link->body, SARRUS_ARTICULATED, a);
    if (has_loads)
        sarrus_numbers_take(ws->wrench, link->body, SPACE_NV, w);
    PLAN_WITHIN(k, 0, mech->tree.most_speeds) {
        if (k < link->n_v)
            sarrus_articulated_speed(ws, link->v + link->n_v - 1 - k, a, w, has_loads);
    }
    if (link->inboard < 0)
        return;
    sarrus_numbers_add(a, SARRUS_ARTICULATED, ws->articulated, link->inboard);
    if (has_loads)
        sarrus_numbers_add(w, SPACE_NV, ws->wrench, link->inboard);
}

/* From the leaves to ground: ws->hold and ws->lightness of all speeds, from ws->articulated of the bodies alone and, with loads,
 * the wrenches on them (ws->wrench) and the loads of the speeds (ws->pushed [n_v]). */
LANE_FUNCTION void sarrus_articulated_inward(const sarrus_mechanism *mech, sarrus_workspace *ws, int has_loads) {
    sarrus_mech_link now;
    PLAN_RUNS_BACK(LINKS, i, lap, 0, mech->tree.n_links,
                   sarrus_articulated_link(mech, ws, sarrus_link_at(mech, i, lap, &now), has_loads))
}

/* A link's body alone, into ws->articulated. */
LANE_FUNCTION void sarrus_articulated_alone(const sarrus_mechanism *mech, const real *parameter, sarrus_workspace *ws,
                                            const sarrus_mech_link *link) {
    const space_inertia own = sarrus_tree_inertia(mech, parameter, ws, link);
    sarrus_articulated_put(ws, link->body, &own);
}

/* Number r of L: of speed i and one before it in its chain. */
LANE_FUNCTION void sarrus_articulated_share(sarrus_workspace *ws, int32_t r, int32_t i, int32_t before) {
    real s[SPACE_NV], hold[SPACE_NV];
    if (before == i)
        return;
    sarrus_numbers_take(ws->motion, before, SPACE_NV, s);
    sarrus_numbers_take(ws->hold, i, SPACE_NV, hold);
    frame_at(ws->share, r) = sarrus_numbers_dot(hold, s) * frame_at(ws->lightness, i);
}

/* L and 1/D of M = Lᵀ D L, and ws->hold for the rows. */
PLAN_BODY void sarrus_articulated_factor(const sarrus_mechanism *mech, const real *parameter, sarrus_workspace *ws) {
    sarrus_mech_link now;
    PLAN_RUNS(LINKS, i, lap, 0, mech->tree.n_links,
              sarrus_articulated_alone(mech, parameter, ws, sarrus_link_at(mech, i, lap, &now)))
    sarrus_articulated_inward(mech, ws, 0);
    PLAN_RUNS(CHAIN, r, lap, 0, mech->tree.n_chain,
              sarrus_articulated_share(ws, TREE_NUMBER(chain, r, lap), TREE_AT(mech, owner, r, lap), TREE_AT(mech, chain, r, lap)))
}

/* From ground to the leaves: ws->force [n_v] ← q̈; x of the bodies takes the place of their wrenches. */
LANE_FUNCTION void sarrus_articulated_move(const sarrus_mechanism *mech, sarrus_workspace *ws, const sarrus_mech_link *link) {
    real x[SPACE_NV], s[SPACE_NV], hold[SPACE_NV];
    LANE_EACH (k, SPACE_NV)
        x[k] = link->inboard < 0 ? real_set(0.0) : frame_at(ws->wrench, SPACE_NV * link->inboard + k);
    PLAN_WITHIN(k, 0, mech->tree.most_speeds) {
        if (k >= link->n_v)
            continue;
        const int32_t i = link->v + k;
        sarrus_numbers_take(ws->motion, i, SPACE_NV, s);
        sarrus_numbers_take(ws->hold, i, SPACE_NV, hold);
        const real rate = (frame_at(ws->pushed, i) - sarrus_numbers_dot(hold, x)) * frame_at(ws->lightness, i);
        LANE_EACH (r, SPACE_NV)
            x[r] = real_fma(s[r], rate, x[r]);
        frame_at(ws->force, i) = rate;
    }
    sarrus_numbers_put(x, SPACE_NV, ws->wrench, link->body);
}
PLAN_BODY void sarrus_articulated_spread(const sarrus_mechanism *mech, sarrus_workspace *ws) {
    sarrus_mech_link now;
    PLAN_RUNS(LINKS, i, lap, 0, mech->tree.n_links, sarrus_articulated_move(mech, ws, sarrus_link_at(mech, i, lap, &now)))
}

/* The twist of a body whose tree moves by x − less (NULL: by x), into `twist` [SPACE_NV][n_bodies]. */
LANE_FUNCTION void sarrus_tree_twist(const sarrus_mechanism *mech, const sarrus_workspace *ws, const sarrus_mech_link *link,
                                     const real *x, const real *less, real *twist) {
    real t[SPACE_NV], s[SPACE_NV];
    LANE_EACH (k, SPACE_NV)
        t[k] = link->inboard < 0 ? real_set(0.0) : frame_at(twist, SPACE_NV * link->inboard + k);
    PLAN_WITHIN(k, 0, mech->tree.most_speeds) {
        if (k >= link->n_v)
            continue;
        const int32_t i = link->v + k;
        const real rate = less ? frame_at(x, i) - frame_at(less, i) : frame_at(x, i);
        sarrus_numbers_take(ws->motion, i, SPACE_NV, s);
        LANE_EACH (r, SPACE_NV)
            t[r] = real_fma(s[r], rate, t[r]);
    }
    sarrus_numbers_put(t, SPACE_NV, twist, link->body);
}

/* (x − less)ᵀ M (y − less_y) without M: of the twists of all bodies. Uses ws->articulated. */
PLAN_BODY real sarrus_tree_product(const sarrus_mechanism *mech, const real *parameter, sarrus_workspace *ws, const real *x,
                                   const real *less, const real *y, const real *less_y) {
    real *of_x = ws->articulated, *of_y = frame_from(ws->articulated, SPACE_NV * mech->n_bodies), sum = real_set(0.0);
    PLAN_EACH (n, 0, mech->tree.n_links) {
        const sarrus_mech_link *link = &mech->tree.link[n];
        const space_inertia own = sarrus_tree_inertia(mech, parameter, ws, link);
        sarrus_tree_twist(mech, ws, link, x, less, of_x);
        sarrus_tree_twist(mech, ws, link, y, less_y, of_y);
        const space_wrench momentum = space_momentum(&own, sarrus_twist_take(of_y, link->body));
        sum = sum + space_power(sarrus_twist_take(of_x, link->body), momentum);
    }
    return sum;
}

#endif
