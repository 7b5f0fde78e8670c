/* What multipliers that are not unique are least in: of all λ with the same Jᵀλ the kernels take that of the smallest Σ w² λ²
 * (kernels/formulation/multipliers.h). Without a word of the scenario w is 1, which adds N² to (N m)²: who measures in millimetres
 * gets other shares. With `units` a moment counts as the force that it is at the size of the mechanism, with `masses` w² is
 * J M⁻¹ Jᵀ, what a joint's multipliers accelerate: force and moment then have the same unit, N²/kg. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "plan/build.h"
#include "plan/configuration.h"

/* J M⁻¹ Jᵀ of row i. */
static double mobility_of(const sarrus_configuration *c, int i) {
    double sum = 0.0;
    for (int side = 0; side < c->rows.n_sides; ++side) {
        const double *part = sarrus_plan_row_side(&c->rows, i, side);
        for (int k = 0; c->rows.body[i][side] >= 0 && k < c->rows.n_each; ++k)
            sum += part[k] * part[k];
    }
    return sum;
}

/* The mean over the rows of one owner that hold shifts, or turns: it does not depend on how the axes lie in the joint. */
static void mobilities_find(sarrus_plan *plan, const sarrus_configuration *c) {
    const int n_owners = plan->mech.n_joints + plan->mech.n_constraints;
    for (int owner = 0; owner < n_owners; ++owner) {
        const sarrus_mech_joint *joint = &plan->joint[owner];
        double sum[2] = {0.0, 0.0};
        int n[2] = {0, 0};
        for (int i = joint->row; i < joint->row + joint->n_rows; ++i) {
            const int is_angle = sarrus_plan_row_is_angle(plan, i);
            sum[is_angle] += mobility_of(c, i);
            n[is_angle] += 1;
        }
        for (int i = joint->row; i < joint->row + joint->n_rows; ++i) {
            const int is_angle = sarrus_plan_row_is_angle(plan, i);
            plan->row_weight[i] = sarrus_plan_rounded(sum[is_angle] / n[is_angle], SARRUS_BITS_OF_WEIGHTS);
        }
    }
}

static sarrus_status weigh_by_masses(sarrus_context *context, sarrus_plan *plan) {
    const sarrus_model *model = plan->model;
    const sarrus_location where = sarrus_model_location(model, &model->dynamics.weights.place);
    sarrus_configuration c;
    if (plan->mech.n_lacking > 0)
        return sarrus_report_at(context, SARRUS_ERROR, SARRUS_UNSUPPORTED, &where,
                                "'multipliers: masses' inverts M, and bodies may lack mass or inertia; expected units, or weights");
    const sarrus_status status = sarrus_configuration_create(plan, &c);
    if (status != SARRUS_OK)
        return sarrus_report(context, status, "out of memory for the weights of the multipliers");
    memcpy(c.q, plan->start.q, (size_t)c.n_q * sizeof *c.q);
    (void)sarrus_configuration_rows(&c, 0.0);
    mobilities_find(plan, &c);
    sarrus_configuration_free(&c);
    return SARRUS_OK;
}

sarrus_status sarrus_plan_weights_find(sarrus_context *context, sarrus_plan *plan) {
    const sarrus_weights *weights = &plan->model->dynamics.weights;
    sarrus_status status = SARRUS_OK;
    if (weights->rule == SARRUS_WEIGHTS_EQUAL || plan->mech.m == 0)
        return status;
    plan->row_weight = calloc((size_t)plan->mech.m, sizeof *plan->row_weight);
    if (!plan->row_weight)
        return sarrus_report(context, SARRUS_NO_MEMORY, "out of memory for the weights of the multipliers");
    const double size = plan->start.size > 0.0 ? sarrus_plan_rounded(plan->start.size, SARRUS_BITS_OF_WEIGHTS) : 1.0;
    for (int i = 0; i < plan->mech.m; ++i) {
        const int is_angle = sarrus_plan_row_is_angle(plan, i);
        const double of_unit = is_angle ? 1.0 / size : 1.0,
                     given = weights->of ? weights->of[2 * plan->row[i].joint + is_angle] : 1.0;
        plan->row_weight[i] = given * of_unit * given * of_unit;
    }
    if (weights->rule == SARRUS_WEIGHTS_MASSES)
        status = weigh_by_masses(context, plan);
    plan->mech.row_weight = plan->row_weight;
    return status;
}

const char *sarrus_plan_weights_text(const sarrus_plan *plan) {
    switch (plan->model->dynamics.weights.rule) {
    case SARRUS_WEIGHTS_UNITS:
        return "of least norm, a moment as the force that it is at the size of the mechanism";
    case SARRUS_WEIGHTS_MASSES:
        return "of least norm, weighted by what they accelerate";
    case SARRUS_WEIGHTS_GIVEN:
        return "of least norm in the weights of the scenario";
    default:
        return "of least norm";
    }
}
