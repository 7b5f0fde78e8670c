/* Scratch lane arrays of one evaluation. One block per thread, cut up by offsets that follow from the mechanism alone.
 * Nothing in it outlives a kernel call. */
#ifndef SARRUS_BODY_WORKSPACE_H
#define SARRUS_BODY_WORKSPACE_H

#include "kernels/body/plan_access.h"
#include "kernels/pinv/call.h"

/* Whether the state is that of a tree, and the numbers of a composite and of an articulated body there. */
#if defined(SARRUS_KERNELS_RELATIVE)
enum { SARRUS_HAS_TREE = 1, SARRUS_COMPOSITE = SPACE_DIMENSION == 2 ? 4 : 10, SARRUS_ARTICULATED = SPACE_NV * (SPACE_NV + 1) / 2 };
#else
enum { SARRUS_HAS_TREE = 0, SARRUS_COMPOSITE = 0 };
#endif

/* What there is of ground, where it moves. */
enum { SARRUS_GROUND_NUMBERS = SPACE_DIMENSION == 2 ? (int)SARRUS_GROUND_N : (int)SARRUS_SPATIAL_GROUND_N };

/* Lengths of arrays of evaluations that depend on it: forces stand by bodies before they become accelerations, and the springs of a
 * joint without rows use one behind the last. */
LANE_FUNCTION size_t sarrus_speeds_count(const sarrus_mechanism *mech) {
    return SARRUS_HAS_TREE ? (size_t)SPACE_NV * (size_t)mech->n_bodies : (size_t)mech->n_v;
}
LANE_FUNCTION size_t sarrus_rows_places(const sarrus_mechanism *mech) {
    return (size_t)mech->m + (SARRUS_HAS_TREE ? 1 : 0);
}

typedef struct sarrus_workspace {
#define SARRUS_FRAME(name, per, of, is_there) FRAME_ARRAY(name, (per)*SARRUS_PLAN_N_##of);
#define SARRUS_KEPT(name, n, is_there) real *name;
#include "kernels/body/workspace.def"
    int32_t moves_ground; /* the plan's, for those who have no plan at hand */
    const real *seen; /* [n_free + n_curves] the tile's: free coordinates and feet as they were seen last, angles beyond a turn */
} sarrus_workspace;

/* Whether signals move ground. A constant plan knows. */
LANE_FUNCTION int sarrus_ground_moves(const sarrus_workspace *ws) {
#if defined(SARRUS_CONSTANT_PLAN)
    (void)ws;
    return sarrus_constant_plan.moves_ground;
#else
    return ws->moves_ground;
#endif
}

/* The problem z = D⁺ b of the plan's method over n_rows of the rows. */
LANE_FUNCTION sarrus_pinv_shape sarrus_method_shape(const sarrus_mechanism *mech, int32_t n_rows) {
    sarrus_pinv_shape shape;
    shape.method = mech->method;
    shape.m = n_rows;
    shape.n = mech->n_v;
    shape.n_rhs = 1;
    shape.is_explicit = 0;
    shape.rule = mech->rank;
    return shape;
}

/* Lane arrays of scratch for the plan's method, over the independent rows or all of them. */
LANE_BODY size_t sarrus_method_work(const sarrus_mechanism *mech) {
    if (mech->solve != SARRUS_SOLVE_METHOD)
        return 0;
    sarrus_pinv_shape all = sarrus_method_shape(mech, mech->m), some = sarrus_method_shape(mech, mech->factor.n_independent);
    size_t of_all = sarrus_pinv_work(&all), of_some = sarrus_pinv_work(&some);
    return of_all > of_some ? of_all : of_some;
}

/* Derivatives that a trial step of an adaptive method keeps. */
LANE_FUNCTION int32_t sarrus_stages_count(const sarrus_mechanism *mech) {
    if (!mech->integrator.is_adaptive)
        return 0;
    return mech->integrator.method == SARRUS_INTEGRATOR_ADAMS_MOULTON ? mech->integrator.max_order : mech->integrator.n_stages;
}

/* Whether a step's gains act on the violation that it began with: those of adams-moulton act on the present one. */
LANE_FUNCTION int sarrus_violation_is_held(const sarrus_mechanism *mech) {
    return mech->integrator.has_step_gains && mech->integrator.method != SARRUS_INTEGRATOR_ADAMS_MOULTON;
}

LANE_FUNCTION real *sarrus_workspace_part(real *block, size_t *at, size_t n_arrays) {
    real *part = block ? lane_from(block, *at) : block;
    *at += n_arrays;
    return part;
}

/* The same for an array of an evaluation: specialised kernels keep it elsewhere, and leave its place to the generic ones. */
#if defined(SARRUS_CONSTANT_PLAN) && !defined(SARRUS_PLAN_IN_RUNS)
#define FRAME_PART(array, part) (void)(part)
#else
#define FRAME_PART(array, part) (array) = (part)
#endif

/* Cuts `block` (NULL: only counts); returns the number of lane arrays that the workspace needs. */
LANE_FUNCTION size_t sarrus_workspace_cut(const sarrus_mechanism *mech, real *block, sarrus_workspace *ws) {
    const size_t n_q = (size_t)mech->n_q, n_v = (size_t)mech->n_v, n_y = n_q + n_v, m = (size_t)mech->m;
    const size_t n_d = (size_t)mech->factor.n_dependent, n_stages = (size_t)sarrus_stages_count(mech);
    const size_t n_BODIES = (size_t)mech->n_bodies, n_SIGNALS = (size_t)mech->n_signals, n_ONE = 1;
    const size_t n_SPEEDS = sarrus_speeds_count(mech), n_ROWS = sarrus_rows_places(mech);
    const size_t n_LINES = n_ROWS + (size_t)mech->n_parts;
    const size_t n_BLOCKS = (size_t)mech->factor.n_blocks, n_PLACES = n_BLOCKS + (size_t)mech->factor.n_entries;
#if defined(SARRUS_KERNELS_RELATIVE)
    const size_t n_TREE_SPEEDS = n_v, n_CHAIN = (size_t)mech->tree.n_chain, n_TREE_ENTRIES = (size_t)mech->tree.n_entries;
#endif
    size_t at = 0;
    ws->moves_ground = mech->moves_ground;
#define SARRUS_FRAME(name, per, of, is_there)                                                                                      \
    FRAME_PART(ws->name, sarrus_workspace_part(block, &at, (is_there) ? (per)*n_##of : 0));
#define SARRUS_KEPT(name, n, is_there) ws->name = sarrus_workspace_part(block, &at, (is_there) ? (n) : 0);
#include "kernels/body/workspace.def"
    return at;
}

/* Plan and workspace as a piece of code of its own sees them (PLAN_PIECE). In runs that is the constant, and the workspace is cut
 * anew from its first place: a compiler then knows how arrays lie to one another, and what is stored into one leaves the places of
 * all where they are. */
LANE_FUNCTION const sarrus_mechanism *sarrus_plan_here(const sarrus_mechanism *mech) {
#if defined(SARRUS_PLAN_IN_RUNS)
    (void)mech;
    return &sarrus_constant_plan;
#else
    return mech;
#endif
}
LANE_FUNCTION sarrus_workspace *sarrus_workspace_here(sarrus_workspace *outside, sarrus_workspace *here) {
#if defined(SARRUS_PLAN_IN_RUNS)
    (void)sarrus_workspace_cut(&sarrus_constant_plan, outside->sine, here);
    here->seen = outside->seen;
    return here;
#else
    (void)here;
    return outside;
#endif
}

#endif
