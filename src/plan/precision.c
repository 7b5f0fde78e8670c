/* Single precision: what it is for, and what the scenario is told where it asks for more (docs/precision.md). */
#include "core/formulation_kind.h"
#include "core/report.h"
#include "plan/build.h"

/* Counts of steps beyond this are not exact in floats. */
static const uint64_t most_steps = UINT64_C(1) << 24;
/* 8 ε of floats, and what may be open of a direction (kernels/step/single.h): where no instance could make a step. */
static const double direction_noise = 0x1p-20, most_noise = 1e-3;

static sarrus_location precision_place(const sarrus_model *model) {
    const sarrus_place *place = &model->integrator.precision_place;
    return sarrus_model_location(model, place);
}

/* Positions in the plane or in space lose the digits in which neighbouring bodies differ; coordinates of joints do not. */
static bool is_over_tree(sarrus_formulation wish) {
    return wish == SARRUS_FORMULATION_AUTO || wish == SARRUS_FORMULATION_RELATIVE || wish == SARRUS_FORMULATION_RECURSIVE;
}

/* Of the numbers that a body is made of: products of a few of them stay within floats. */
static const double least_mass = 1e-12, most_mass = 1e12;
/* Below these round-off alone breaks a limit. */
static const double least_violation = 1e-5, least_energy = 1e-5;

static bool is_out_of_range(double x) {
    return x > 0.0 && (x < least_mass || x > most_mass);
}

/* The first body, by its nominal mass and inertia; −1: none. */
static int body_out_of_range(const sarrus_model *model) {
    const int n_inertias = model->space == SARRUS_SPACE_SPATIAL ? 3 : 1;
    for (int i = 0; i < model->n_bodies; ++i) {
        bool is_out = is_out_of_range(model->values[model->bodies[i].mass].nominal);
        for (int k = 0; k < n_inertias; ++k)
            is_out = is_out || is_out_of_range(model->values[model->bodies[i].inertia[k]].nominal);
        if (is_out)
            return i;
    }
    return -1;
}

static sarrus_status numbers_check(sarrus_context *context, const sarrus_model *model) {
    const sarrus_location where = precision_place(model);
    const int body = body_out_of_range(model);
    if (body >= 0)
        return sarrus_report_at(context, SARRUS_ERROR, SARRUS_UNSUPPORTED, &where,
                                "'precision: single' with body '%s': products of its mass or inertia leave the range of floats; "
                                "expected %g to %g kg | kg m2",
                                model->bodies[body].name, least_mass, most_mass);
    if (model->limits.violation < least_violation || model->limits.energy < least_energy)
        return sarrus_report_at(context, SARRUS_ERROR, SARRUS_UNSUPPORTED, &where,
                                "'precision: single': round-off of floats is above the limits of violation or energy; expected %g "
                                "and more, auto or off",
                                least_violation);
    return SARRUS_OK;
}

sarrus_status sarrus_plan_precision_check(sarrus_context *context, const sarrus_plan *plan) {
    const sarrus_model *model = plan->model;
    const sarrus_location where = precision_place(model);
    const char *why_not = NULL;
    if (!model->integrator.is_single)
        return SARRUS_OK;
    if (!is_over_tree(model->dynamics.formulation)) {
        const sarrus_location named = sarrus_plan_formulation_place(model);
        return sarrus_report_at(context, SARRUS_ERROR, SARRUS_UNSUPPORTED, &named,
                                "'precision: single' with 'formulation: %s': in absolute coordinates neighbours differ in digits "
                                "that floats do not have; expected 'formulation: auto', relative or recursive",
                                sarrus_formulation_word(model->dynamics.formulation));
    }
    if (model->dynamics.pinv != SARRUS_PINV_AUTO || model->dynamics.rank_method != SARRUS_RANK_AUTO)
        why_not = "pseudoinverses and rank rules of the scenario's choice are for doubles; expected 'pinv: auto' and 'rank: "
                  "{method: auto}'";
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
    return numbers_check(context, model);
}

/* Over a tree bodies are seen from one point. How one turns that is small for its distance from there is what large terms leave of
 * one another, which floats know to ε of these: an acceleration to 2⁻²³ times the loss. Motions of drawn chains with losses above
 * 2,700 were off by 1e-3 to 1 after a second or two, those of up to 1,900 by 1e-4 and less where they were not chaotic. */
static const double most_loss = 2000.0;

static sarrus_status loss_check(sarrus_context *context, const sarrus_plan *plan) {
    const sarrus_location where = precision_place(plan->model);
    const sarrus_plan *steps = sarrus_plan_stepped(plan);
    if (!(steps->loss > most_loss))
        return SARRUS_OK;
    return sarrus_report_at(
        context, SARRUS_ERROR, SARRUS_UNSUPPORTED, &where,
        "'precision: single': body '%s' is small for its distance from where its tree hangs on ground: what its "
        "turns meet is 1/%.2g of the terms that it is left of, and would be known to %.2g; expected 'precision: "
        "double'",
        plan->model->bodies[steps->loss_body].name, steps->loss, 0x1p-23 * steps->loss);
}

sarrus_status sarrus_plan_precision_settle(sarrus_context *context, const sarrus_plan *plan) {
    const sarrus_location where = precision_place(plan->model);
    const sarrus_plan *steps = sarrus_plan_stepped(plan);
    const sarrus_status status = plan->mech.is_single ? loss_check(context, plan) : SARRUS_OK;
    if (status != SARRUS_OK)
        return status;
    if (!plan->mech.is_single || steps->mech.m == 0 || direction_noise / steps->mech.ordinary <= most_noise)
        return SARRUS_OK;
    return sarrus_report_at(context, SARRUS_ERROR, SARRUS_UNSUPPORTED, &where,
                            "'precision: single': one constraint holds %.2g of what it would hold alone, even far from change "
                            "points, which floats do not tell from nothing; expected 'precision: double'",
                            steps->mech.ordinary);
}
