/* Single precision: what it is for, and what the scenario is told where it asks for more (docs/precision.md). */
#include "core/report.h"
#include "plan/build.h"

/* Counts of steps beyond this are not exact in floats. */
static const uint64_t most_steps = UINT64_C(1) << 24;
/* 8 ε of floats, and what may be open of a direction (kernels/step/single.h): where no instance could make a step. */
static const double direction_noise = 0x1p-20, most_noise = 1e-3;

sarrus_location sarrus_plan_precision_place(const sarrus_model *model) {
    const sarrus_place *place = &model->integrator.precision_place;
    return (sarrus_location){model->file, model->text, place->line, place->column};
}

/* Positions in the plane or in space lose the digits in which neighbouring bodies differ; coordinates of joints do not. */
static bool is_over_tree(sarrus_formulation wish) {
    return wish == SARRUS_FORMULATION_AUTO || wish == SARRUS_FORMULATION_RELATIVE || wish == SARRUS_FORMULATION_RECURSIVE;
}

sarrus_status sarrus_plan_precision_check(sarrus_context *context, const sarrus_plan *plan) {
    const sarrus_model *model = plan->model;
    const sarrus_location where = sarrus_plan_precision_place(model);
    const char *why_not = NULL;
    if (!model->integrator.is_single)
        return SARRUS_OK;
    if (!is_over_tree(model->dynamics.formulation))
        why_not = "in absolute coordinates neighbours differ in digits that floats do not have; expected 'formulation: auto', "
                  "relative or recursive";
    else if (model->dynamics.pinv != SARRUS_PINV_AUTO || model->dynamics.rank_method != SARRUS_RANK_AUTO)
        why_not = "pseudoinverses and rank rules of the scenario's choice are for doubles; expected 'pinv: auto' and 'rank: auto'";
    else if (plan->mech.n_curves > 0)
        why_not = "points on curves are found by doubles; expected 'precision: double'";
    else if (plan->n_steps > most_steps)
        why_not = "floats count 16777216 steps and no more; expected a longer dt, or 'precision: double'";
    if (why_not)
        return sarrus_report_at(context, SARRUS_ERROR, SARRUS_UNSUPPORTED, &where, "'precision: single': %s", why_not);
    why_not = sarrus_plan_relative_why_not(plan);
    if (why_not)
        return sarrus_report_at(context, SARRUS_ERROR, SARRUS_UNSUPPORTED, &where,
                                "'precision: single' is for relative coordinates, and %s not; expected 'precision: double'",
                                why_not);
    return SARRUS_OK;
}

sarrus_status sarrus_plan_precision_settle(sarrus_context *context, const sarrus_plan *plan) {
    const sarrus_location where = sarrus_plan_precision_place(plan->model);
    const sarrus_plan *steps = sarrus_plan_stepped(plan);
    if (!plan->mech.is_single || steps->mech.m == 0 || direction_noise / steps->mech.ordinary <= most_noise)
        return SARRUS_OK;
    return sarrus_report_at(context, SARRUS_ERROR, SARRUS_UNSUPPORTED, &where,
                            "'precision: single': one constraint holds %.2g of what it would hold alone, even far from change "
                            "points, which floats do not tell from nothing; expected 'precision: double'",
                            steps->mech.ordinary);
}
