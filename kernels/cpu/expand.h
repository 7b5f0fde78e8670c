/* Expands the single-source bodies for one instruction set. The including file defines SARRUS_LANE_WIDTH, SARRUS_KERNELS (the
 * table's name) and SARRUS_KERNELS_NAME, and is compiled for that instruction set. */
#include "kernels/cpu/expand_advance.h"
#include "kernels/step/observe.h"
#if defined(SARRUS_KERNELS_RELATIVE)
#include "kernels/body/relative/bodies.h"
#endif

static void kernel_assemble(sarrus_kernel_call *call) {
    sarrus_workspace ws;
    sarrus_evaluation ev;
    call_begin(call, &ev, &ws);
    sarrus_assemble(&ev, (real *)call->tile);
    call_end(call, &ev);
}

static void kernel_observe(sarrus_kernel_call *call, const sarrus_observe_request *want, double *out) {
    sarrus_workspace ws;
    sarrus_evaluation ev;
    call_begin(call, &ev, &ws);
    sarrus_observe(&ev, (const real *)call->tile, want, (real *)out);
    call_end(call, &ev);
}

static void kernel_rows(sarrus_kernel_call *call, double t, double *jacobian, double *phi, double *phi_dot) {
    sarrus_workspace ws;
    sarrus_evaluation ev;
    const sarrus_mechanism *mech = call->mech;
    const real *tile = (const real *)call->tile;
    call_begin(call, &ev, &ws);
    sarrus_evaluate_rows(&ev, real_set(t), tile + mech->layout.q, tile + mech->layout.v);
    sarrus_dense_rows(mech, ev.parameter, &ws, 0, (real *)jacobian);
    for (int32_t i = 0; i < mech->m; ++i) {
        ((real *)phi)[i] = ws.phi[i];
        ((real *)phi_dot)[i] = ws.phi_dot[i];
    }
}

#if defined(SARRUS_DENSE_RUN)
static void kernel_system(sarrus_kernel_call *call, const sarrus_clock *clock, const sarrus_system_tile *out) {
    sarrus_workspace ws;
    sarrus_evaluation ev;
    const sarrus_mechanism *mech = call->mech;
    const real *tile = (const real *)call->tile, *q = tile + mech->layout.q, *v = tile + mech->layout.v;
    const sarrus_system_arrays system = {(real *)out->mass, (real *)out->force, (real *)out->jacobian, (real *)out->gamma,
                                         (real *)out->scratch};
    call_begin(call, &ev, &ws);
    sarrus_configure(&ev, sarrus_lane_time(mech, tile, clock, clock->step), q);
    sarrus_system_fill(&ev, q, v, &system);
    call->is_configured = call->is_factored = 0;
}
#endif

#if defined(SARRUS_KERNELS_RELATIVE)
static void kernel_bodies_get(sarrus_kernel_call *call, double *q, double *v) {
    sarrus_workspace ws;
    sarrus_evaluation ev;
    call_begin(call, &ev, &ws);
    sarrus_bodies_get(call->mech, ev.parameter, &ws, (real *)call->tile, (real *)q, (real *)v);
    call->is_configured = call->is_factored = 0;
}

static void kernel_bodies_put(sarrus_kernel_call *call, const double *q, const double *v) {
    sarrus_workspace ws;
    sarrus_evaluation ev;
    call_begin(call, &ev, &ws);
    sarrus_bodies_put(call->mech, ev.parameter, &ws, (const real *)q, (const real *)v, (real *)call->tile);
    call->is_configured = call->is_factored = 0;
}

static void kernel_bodies_accelerate(sarrus_kernel_call *call, const sarrus_clock *clock, double *a) {
    sarrus_workspace ws;
    sarrus_evaluation ev;
    sarrus_observe_request want = {.clock = *clock};
    const real *tile = (const real *)call->tile;
    for (int o = 0; o < SARRUS_N_OBSERVABLES; ++o)
        want.at[o] = o == (int)SARRUS_OBSERVE_ACCELERATION ? 0 : -1;
    call_begin(call, &ev, &ws);
    sarrus_observe_state(&ev, tile, &want, (real *)a);
    sarrus_bodies_accelerate(call->mech, &ws, tile + call->mech->layout.v, ws.a, (real *)a);
    call->is_configured = call->is_factored = 0;
}
#endif

static void copy(const void *from, int32_t n, real *to) {
    for (int32_t i = 0; from && i < n; ++i)
        to[i] = ((const real *)from)[i];
}

/* Rows that were made elsewhere. */
static void rank_path_rows(const sarrus_mechanism *mech, const sarrus_rank_path_problem *problem, sarrus_workspace *ws) {
#if defined(SARRUS_KERNELS_RELATIVE)
    copy(problem->leg, mech->tree.n_entries, ws->leg);
    copy(problem->whole, mech->m, ws->whole);
    copy(problem->share, mech->tree.n_chain, ws->share);
    copy(problem->lightness, mech->n_v, ws->lightness);
    copy(problem->hold, mech->tree.is_recursive ? SPACE_NV * mech->n_v : 0, ws->hold);
    copy(problem->motion, mech->tree.is_recursive ? SPACE_NV * mech->n_v : 0, ws->motion);
    sarrus_tree_reach(mech, ws);
#else
    copy(problem->turn, 2 * SPACE_N_TURN * mech->m, ws->turn);
    copy(problem->direction, SPACE_DIMENSION * mech->m, ws->direction);
#endif
}

static void kernel_rank_path(void *user, const sarrus_rank_path_problem *problem) {
    sarrus_kernel_call *call = user;
    const sarrus_mechanism *mech = call->mech;
    const real *phi = problem->phi, one = real_set(1.0);
    sarrus_workspace ws;
    sarrus_evaluation ev;
    call_begin(call, &ev, &ws);
    ev.is_configured = ev.is_factored = 0;
    ev.wants_closeness = problem->wants_closeness;
    ev.is_looking = problem->is_looking;
    ev.is_swapped = real_eq(*(const real *)problem->swapped, one);
    ev.asks_all = real_eq(*(const real *)problem->asks_all, one);
    ev.healthy = real_eq(*(const real *)problem->healthy, one);
    ev.max_rank = *(const real *)problem->max_rank;
    ev.rank_now = *(const real *)problem->rank_now;
    ev.crossed = problem->has_crossed ? (const real *)call->tile + mech->layout.passage.crossed : NULL;
    rank_path_rows(mech, problem, &ws);
    for (int32_t i = 0; phi && i < mech->m; ++i)
        ws.phi[i] = phi[i];
    ev.stage_violation = *(const real *)problem->stage_violation;
    (void)sarrus_correct_fast(&ev, problem->rhs);
    const sarrus_rank_decision found =
        sarrus_rank_path(&ev, problem->rhs, real_eq(*(const real *)problem->slow, one), problem->how);
    for (int32_t i = 0; i < mech->n_v; ++i)
        ((real *)problem->z)[i] = ws.z[i];
    for (int32_t k = 0; k < SARRUS_N_CLOSENESS; ++k)
        ((real *)problem->closeness)[k] = ws.closeness[k];
    *(real *)problem->rank = found.rank;
    *(real *)problem->swapped = real_select(ev.is_swapped, one, real_set(0.0));
}

static void kernel_sincos(const double *x, double *sine, double *cosine) {
    real s, c, angle;
    for (int i = 0; i < SARRUS_LANE_WIDTH; ++i)
        angle[i] = x[i];
    real_sincos(angle, &s, &c);
    for (int i = 0; i < SARRUS_LANE_WIDTH; ++i) {
        sine[i] = s[i];
        cosine[i] = c[i];
    }
}

const sarrus_kernels SARRUS_KERNELS = {
    .name = SARRUS_KERNELS_NAME,
    .width = SARRUS_LANE_WIDTH,
    .workspace_arrays = kernel_workspace_arrays,
    .prepare = kernel_prepare,
    .assemble = kernel_assemble,
    .advance = kernel_advance,
    .observe = kernel_observe,
    .rows = kernel_rows,
#if defined(SARRUS_DENSE_RUN)
    .system = kernel_system,
#endif
    .rank_path = kernel_rank_path,
#if defined(SARRUS_KERNELS_RELATIVE)
    .bodies_get = kernel_bodies_get,
    .bodies_put = kernel_bodies_put,
    .bodies_accelerate = kernel_bodies_accelerate,
#endif
    .sincos = kernel_sincos,
};
