/* What kernels do to M over a tree, as lists without loops in loops: M = Lᵀ D L from the last speed to the first, each handing its
 * share to the speeds of its chain (Featherstone, Rigid Body Dynamics Algorithms, 2008, 6.5). */
#include <stdlib.h>

#include "core/report.h"
#include "plan/build.h"

/* The most steps that a table may have. */
enum { MOST_STEPS = 1 << 25 };

static int64_t count_steps(const sarrus_plan *plan) {
    int64_t n = 0;
    for (int32_t i = 0; i < plan->mech.n_v; ++i) {
        const int64_t n_before = plan->chain_start[i + 1] - plan->chain_start[i] - 1;
        n += 1 + n_before + n_before * (n_before + 1) / 2;
    }
    return n;
}

static void list_steps(const sarrus_plan *plan, sarrus_mech_tree_step *step) {
    for (int32_t i = plan->mech.n_v - 1; i >= 0; --i) {
        const int32_t first = plan->chain_start[i], end = plan->chain_start[i + 1];
        *step++ = (sarrus_mech_tree_step){.kind = SARRUS_TREE_PIVOT, .to = i, .a = first};
        for (int32_t r = first + 1; r < end; ++r) {
            *step++ = (sarrus_mech_tree_step){.kind = SARRUS_TREE_SHARE, .to = r, .a = i};
            for (int32_t s = r; s < end; ++s)
                *step++ = (sarrus_mech_tree_step){
                    .kind = SARRUS_TREE_UPDATE, .to = plan->chain_start[plan->chain[r]] + s - r, .a = r, .b = s};
        }
    }
}

sarrus_status sarrus_plan_tree_steps(sarrus_context *context, sarrus_plan *plan) {
    sarrus_mech_tree *tree = &plan->mech.tree;
    const int64_t n_steps = tree->is_articulated || tree->is_recursive ? 0 : count_steps(plan);
    if (n_steps > MOST_STEPS) {
        const sarrus_location where = sarrus_plan_formulation_place(plan->model);
        return sarrus_report_at(
            context, SARRUS_ERROR, SARRUS_BAD_INPUT, &where,
            "the bodies hang on one another in chains that are too long for relative coordinates: the factor of M "
            "would take more than %d steps; expected absolute coordinates",
            MOST_STEPS);
    }
    tree->n_steps = (int32_t)n_steps;
    plan->owner = calloc((size_t)tree->n_chain + 1, sizeof *plan->owner);
    plan->tree_step = calloc((size_t)n_steps + 1, sizeof *plan->tree_step);
    if (!plan->owner || !plan->tree_step)
        return sarrus_report(context, SARRUS_NO_MEMORY, "out of memory for the factor of the plan's tree");
    tree->owner = plan->owner;
    tree->step = plan->tree_step;
    for (int32_t i = 0; i < plan->mech.n_v; ++i) {
        for (int32_t r = plan->chain_start[i]; r < plan->chain_start[i + 1]; ++r)
            plan->owner[r] = i;
    }
    if (n_steps > 0)
        list_steps(plan, plan->tree_step);
    return SARRUS_OK;
}
