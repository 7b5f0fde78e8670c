#include "jit/specialize_plan.h"

#include <stdlib.h>

#include "jit/plan_text.h"

static const double longest_compilation = 300.0;           /* s */
static const uint64_t compiler_memory = UINT64_C(4) << 30; /* bytes */
static const uint64_t cache_size = UINT64_C(256) << 20;    /* bytes */

/* s. The compiler's time grows with the straight-line code that it is given (gcc 12, a core of 2.x GHz); in runs that is much the
 * same for all plans, and over a tree it grows with the laps that are written out. */
static double expected_seconds(const sarrus_plan *plan, sarrus_plan_text_form form, double n_flops) {
    if (plan->mech.tree.n_links > 0)
        return 0.8 + 1.5e-3 * n_flops;
    if (plan->mech.space == SARRUS_SPACE_SPATIAL)
        return 0.7 + 0.5e-3 * n_flops;
    return form == SARRUS_PLAN_TEXT_STRAIGHT ? 0.7 + 1.3e-3 * plan->cost.flops_per_evaluation : 4.0;
}

/* Of the time of a step with the generic kernels: straight code is about twice as fast, in space 1.7 times; in runs, the longer the
 * vectors the more the arrays of a long mechanism keep both kinds waiting. */
static double saved_share(const sarrus_plan *plan, sarrus_plan_text_form form, int32_t width) {
    if (form == SARRUS_PLAN_TEXT_STRAIGHT)
        return plan->mech.space == SARRUS_SPACE_SPATIAL ? 0.4 : 0.5;
    if (plan->mech.tree.n_links > 0)
        return 0.3;
    return width >= 8 ? 0.2 : 0.3;
}

sarrus_specializer *sarrus_specializer_create_for(const sarrus_plan *plan, const sarrus_batch_options *options,
                                                  const sarrus_kernels *kernels) {
    if (options == NULL || options->specialize == SARRUS_SPECIALIZE_OFF)
        return NULL;
    const char *why_not = NULL;
    double n_flops;
    const sarrus_plan_text_form form = sarrus_plan_text_form_of(plan, &n_flops, &why_not);
    if (form == SARRUS_PLAN_TEXT_NONE)
        return sarrus_specializer_create_without(SARRUS_SPECIALIZATION_UNSUPPORTED, why_not);
    char *text = sarrus_plan_text(plan, form);
    if (text == NULL)
        return sarrus_specializer_create_without(SARRUS_SPECIALIZATION_FAILED, "out of memory for the plan's text");
    const sarrus_specializer_request request = {
        .mode = options->specialize,
        .cache_dir = options->cache_dir,
        .compiler = options->compiler,
        .sources = sarrus_embedded_sources,
        .n_sources = sarrus_n_embedded_sources,
        .unit = "kernels/cpu/specialized.c",
        .plan_text = text,
        .isa = kernels->name,
        .width = kernels->width,
        .expected_seconds = expected_seconds(plan, form, n_flops),
        .saved_share = saved_share(plan, form, kernels->width),
        .max_seconds = longest_compilation,
        .max_memory_bytes = compiler_memory,
        .max_cache_bytes = cache_size,
        .stop = options->stop,
    };
    sarrus_specializer *specializer = sarrus_specializer_create(&request);
    free(text);
    return specializer;
}

double sarrus_plan_step_seconds(const sarrus_plan *plan, uint64_t n_instances, int32_t width, int n_threads) {
    /* Additions and multiplications a second in one lane of the generic kernels: a processor of our day. */
    const double lane_rate = 1.2e9;
    const double n_lanes = (double)((n_instances + (uint64_t)width - 1) / (uint64_t)width) * (double)width;
    const bool is_rk4 = plan->mech.integrator.method == SARRUS_INTEGRATOR_RK4;
    const bool is_rough = plan->mech.tree.n_links > 0 && !plan->mech.integrator.is_adaptive; /* those of a tree are not counted */
    const double flops = is_rough ? (is_rk4 ? 4.0 : 1.0) * plan->cost.code_flops : plan->cost.flops_per_step;
    return flops * n_lanes / (lane_rate * width * n_threads);
}
