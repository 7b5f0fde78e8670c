#include "plan/build.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/report.h"
#include "plan/fields.h"
#include "plan/cost.h"

static char *joined(const char *body, const char *component) {
    size_t n = strlen(body) + strlen(component) + 2;
    char *text = malloc(n);
    if (text)
        (void)snprintf(text, n, "%s.%s", body, component);
    return text;
}

/* The names of n numbers, of each body those of `component`. */
static bool name_all(const sarrus_plan *plan, int n, const char *const *component, char ***out) {
    char **names = *out = calloc((size_t)n + 1, sizeof *names);
    const int n_each = n / (plan->mech.n_bodies > 0 ? plan->mech.n_bodies : 1);
    bool good = names != NULL;
    for (int i = 0; good && i < n; ++i) {
        names[i] = joined(plan->model->bodies[i / n_each].name, component[i % n_each]);
        good = names[i] != NULL;
    }
    return good;
}

static sarrus_status name_coordinates(sarrus_context *context, sarrus_plan *plan) {
    static const char *const coordinates[2][SARRUS_SPATIAL_NQ] = {
        [SARRUS_SPACE_PLANAR] = {"x", "y", "theta"},
        [SARRUS_SPACE_SPATIAL] = {"x", "y", "z", "qw", "qx", "qy", "qz"},
    };
    static const char *const speeds[2][SARRUS_SPATIAL_NV] = {
        [SARRUS_SPACE_PLANAR] = {"vx", "vy", "omega"},
        [SARRUS_SPACE_SPATIAL] = {"vx", "vy", "vz", "wx", "wy", "wz"},
    };
    const sarrus_mechanism *mech = &plan->mech;
    const bool good = name_all(plan, mech->n_q, coordinates[mech->space], &plan->coordinate_names) &&
                      name_all(plan, mech->n_v, speeds[mech->space], &plan->speed_names);
    return good ? SARRUS_OK : sarrus_report(context, SARRUS_NO_MEMORY, "out of memory for the names of the coordinates");
}

/* Intervals of the grid (fixed steps: steps) to t_end; a remainder below 1e-9 of one is round-off of the quotient. */
static uint64_t count_steps(const sarrus_model *model) {
    double steps = ceil(model->integrator.t_end / model->integrator.grid - 1e-9);
    return steps > 0.0 ? (uint64_t)steps : 0;
}

double sarrus_plan_rounded(double x, int n_bits) {
    int exponent;
    const double mantissa = frexp(x, &exponent);
    return ldexp(rint(ldexp(mantissa, n_bits)), exponent - n_bits);
}

/* The automatic rank's bound on the count settles what is redundant; its threshold has only to tell when a direction is lost for
 * the moment. That is when its σ has sunk to 1e-5 of what it is in an ordinary configuration: there the round-off of γ, divided by
 * σ, begins to outweigh the acceleration that Gauss's principle gives the direction once it is free. */
void sarrus_plan_threshold_settle(sarrus_plan *plan) {
    if (plan->mech.rank.method != SARRUS_RANK_AUTO)
        return;
    const double kept = plan->independence.typical_kept; /* 0 or infinite: no row holds anything */
    const bool is_known = kept > 0.0 && isfinite(kept);
    plan->mech.rank.tolerance = is_known ? 1e-5 * sarrus_plan_rounded(kept, SARRUS_BITS_OF_BOUNDS) : 1e-10;
}

sarrus_status sarrus_plan_create(sarrus_context *context, const sarrus_model *model, sarrus_plan **out) {
    return sarrus_plan_create_in_order(context, model, SARRUS_ORDER_BEST, NULL, out);
}

sarrus_status sarrus_plan_create_watched(sarrus_context *context, const sarrus_model *model, const sarrus_plan_options *options,
                                         sarrus_plan **out) {
    return sarrus_plan_create_in_order(context, model, SARRUS_ORDER_BEST, options, out);
}

/* What follows from the independent rows. */
static sarrus_status make_factor(sarrus_context *context, sarrus_plan *plan, sarrus_order_kind wanted) {
    plan->mech.independent = plan->independence.independent;
    sarrus_plan_threshold_settle(plan);
    sarrus_status status = sarrus_plan_cranks(context, plan);
    sarrus_plan_watch_phase(plan->watch, "ordering the elimination");
    if (status == SARRUS_OK)
        status = sarrus_plan_elimination(context, plan, wanted);
    if (status == SARRUS_OK)
        status = sarrus_plan_shares(context, plan);
    if (status != SARRUS_OK)
        return status;
    sarrus_plan_layout(&plan->mech);
    sarrus_plan_watch_phase(plan->watch, "measuring the pivots");
    return sarrus_plan_ordinary_find(context, plan);
}

static sarrus_status make(sarrus_context *context, sarrus_plan *plan, sarrus_order_kind wanted) {
    sarrus_status status = sarrus_plan_structure(context, plan);
    if (status == SARRUS_OK)
        status = sarrus_graph_make(context, plan->model, &plan->graph);
    if (status == SARRUS_OK)
        status = sarrus_plan_parts_find(context, plan);
    if (status == SARRUS_OK)
        status = name_coordinates(context, plan);
    if (status == SARRUS_OK)
        status = sarrus_plan_independence_find(context, plan);
    if (status == SARRUS_OK)
        status = make_factor(context, plan, wanted);
    if (status != SARRUS_OK)
        return status;
    sarrus_plan_limits(plan);
    status = sarrus_plan_weights_find(context, plan);
    if (status == SARRUS_OK)
        status = sarrus_plan_precision_check(context, plan);
    if (status == SARRUS_OK)
        status = sarrus_plan_formulation_choose(context, plan, wanted);
    if (status == SARRUS_OK)
        status = sarrus_plan_precision_settle(context, plan);
    if (status != SARRUS_OK)
        return status;
    plan->hash = sarrus_plan_hash_make(plan);
    sarrus_plan_cost_count(plan);
    return sarrus_plan_report_write(context, plan);
}

sarrus_status sarrus_plan_create_in_order(sarrus_context *context, const sarrus_model *model, sarrus_order_kind wanted,
                                          const sarrus_plan_options *options, sarrus_plan **out) {
    if (!model || !out)
        return sarrus_report(context, SARRUS_BAD_ARGUMENT, "sarrus_plan_create needs a model and a place for the plan");
    sarrus_plan *plan = calloc(1, sizeof *plan);
    if (!plan)
        return sarrus_report(context, SARRUS_NO_MEMORY, "out of memory for the plan");
    plan->model = model;
    plan->n_steps = count_steps(model);
    sarrus_plan_watch watch;
    sarrus_plan_watch_begin(&watch, options);
    plan->watch = &watch;
    sarrus_status status = make(context, plan, wanted);
    plan->watch = NULL;
    if (status != SARRUS_OK) {
        sarrus_plan_destroy(plan);
        return status == SARRUS_INTERRUPTED ? sarrus_report(context, status, "the plan was stopped") : status;
    }
    *out = plan;
    return SARRUS_OK;
}
