/* Steps of one instruction set: what kernels of both precisions have. Part of expand.h and expand_single.h. */
#include "kernels/cpu/kernels.h"
#include "kernels/step/advance.h"

static void call_begin(const sarrus_kernel_call *call, sarrus_evaluation *ev, sarrus_workspace *ws) {
    const size_t n_cut = sarrus_workspace_cut(call->mech, (real *)call->workspace, ws);
#if defined(SARRUS_DENSE_RUN)
    ev->full = (real *)call->workspace + n_cut;
#else
    (void)n_cut;
#endif
    ev->external = call->external;
    ev->external_user = call->external_user;
    ev->rank_path = NULL;
    ev->rank_path_user = NULL;
    sarrus_evaluation_begin(ev, call->mech, ws, (real *)call->tile);
    ev->stop = call->stop;
    ev->is_configured = call->is_configured;
    ev->is_factored = call->is_factored;
}

static void call_end(sarrus_kernel_call *call, const sarrus_evaluation *ev) {
    call->is_configured = ev->is_configured;
#if defined(SARRUS_KERNELS_RELATIVE)
    if (!sarrus_state_prepares_poses(call->mech)) /* who looks next wants the poses that steps have done without */
        call->is_configured = 0;
#endif
    call->is_factored = ev->is_factored;
    call->n_evaluations += ev->n_evaluations;
    call->n_rank_revealing += ev->n_rank_revealing;
}

static size_t kernel_workspace_arrays(const sarrus_mechanism *mech) {
    sarrus_workspace ws;
    size_t n = sarrus_workspace_cut(mech, NULL, &ws);
#if defined(SARRUS_DENSE_RUN)
    n += sarrus_in_full_work(mech);
#endif
    return n;
}

static void kernel_prepare(sarrus_kernel_call *call) {
    sarrus_workspace ws;
    (void)sarrus_workspace_cut(call->mech, (real *)call->workspace, &ws);
    sarrus_constant_directions(call->mech, &ws);
}

static uint64_t kernel_advance(sarrus_kernel_call *call, const sarrus_clock *clock, uint64_t n_steps) {
    sarrus_workspace ws;
    sarrus_evaluation ev;
    call_begin(call, &ev, &ws);
    const uint64_t n_done = sarrus_advance(&ev, (real *)call->tile, clock, n_steps);
    call_end(call, &ev);
    return n_done;
}
