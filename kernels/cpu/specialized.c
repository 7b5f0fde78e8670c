/* The kernels for one plan, compiled when a mechanism is run. sarrus_constant_plan.h holds the plan (src/jit/plan_text.c); the
 * command line defines SARRUS_LANE_WIDTH        lanes of a tile SARRUS_SPECIALIZED_KEY   what the object will be known by, a string
 */
#include <sarrus_constant_plan.h>

/* Pieces of code of a thousand instructions without a branch: worth ordering before registers are given out, which gcc does not do
 * for x86 unless it is told, and with an eye on how many there are. Where there are 16, and not 32, and the factor is long, gcc's
 * search for the best use of them takes minutes; by priority it is half of that, for as many instructions (docs/specialize.md).
 * Other compilers do not know the words. */
#if defined(__AVX512F__) || defined(SARRUS_KERNELS_RELATIVE) || defined(SARRUS_PLAN_IN_RUNS)
#define SARRUS_MOST_ROWS_SEARCHED SARRUS_PLAN_N_ROWS
#elif defined(SARRUS_KERNELS_SPATIAL)
#define SARRUS_MOST_ROWS_SEARCHED 12
#else
#define SARRUS_MOST_ROWS_SEARCHED 24
#endif
#if defined(__GNUC__) && !defined(__clang__)
#if SARRUS_PLAN_N_ROWS > SARRUS_MOST_ROWS_SEARCHED
#pragma GCC optimize("ira-algorithm=priority")
#else
#pragma GCC optimize("schedule-insns", "sched-pressure")
#endif
#endif

#include "kernels/cpu/kernels.h"
#include "kernels/step/advance.h"

/* Between the phases the arrays of an evaluation stand in `ws`; the rest of the workspace is where the generic kernels have it. */
static uint64_t advance(sarrus_kernel_call *call, const sarrus_clock *clock, uint64_t n_steps) {
    sarrus_workspace ws;
    sarrus_evaluation ev;
    (void)sarrus_workspace_cut(&sarrus_constant_plan, (real *)call->workspace, &ws);
    sarrus_outside_directions(&ws);
    ev.external = NULL;
    ev.external_user = NULL;
    ev.rank_path = call->rank_path;
    ev.rank_path_user = call;
    sarrus_evaluation_begin(&ev, &sarrus_constant_plan, &ws, (real *)call->tile);
    ev.stop = call->stop;
    const uint64_t n_done = sarrus_advance(&ev, (real *)call->tile, clock, n_steps);
    call->is_configured = call->is_factored = 0; /* what the generic kernels would look for is not in their workspace */
    call->n_evaluations += ev.n_evaluations;
    call->n_rank_revealing += ev.n_rank_revealing;
    return n_done;
}

extern const sarrus_specialized sarrus_specialized_kernels;
const sarrus_specialized sarrus_specialized_kernels = {SARRUS_SPECIALIZED_ABI, SARRUS_SPECIALIZED_KEY, SARRUS_LANE_WIDTH, advance};
