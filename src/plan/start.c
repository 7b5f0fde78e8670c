#include "plan/start.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/report.h"
#include "plan/lacking.h"
#include "plan/length_change.h"

/* Where the last σ that counts is larger than this, relative to σ₁, no rounding is near; some long mechanisms are below it too. */
static const double small_sigma = 1e-2;
/* Smaller ones may be the work of what Newton leaves of Φ: nothing is refused for them. */
static const double firm_sigma = 1e-6;
/* Of a coordinate, and of one m or rad where it is smaller. */
static const double round_off = 1e-15;

/* Of the largest speed that is there: what may be left of the speeds of constraints. */
static const double slips = 1e-6;

static double *copy_of(const double *from, int n) {
    double *to = malloc((size_t)(n ? n : 1) * sizeof *to);
    if (to)
        memcpy(to, from, (size_t)n * sizeof *to);
    return to;
}

sarrus_status sarrus_plan_start_give(sarrus_plan *plan, const sarrus_configuration *c) {
    sarrus_plan_start *start = &plan->start;
    start->change = (double)INFINITY;
    start->kept = 1.0;
    start->doubt.joint = -1;
    start->q_given = copy_of(c->q, c->n_q);
    start->v_given = copy_of(c->v, c->n);
    start->q = copy_of(c->q, c->n_q);
    start->v = copy_of(c->v, c->n);
    return start->q_given && start->v_given && start->q && start->v ? SARRUS_OK : SARRUS_NO_MEMORY;
}

/* The nonholonomic constraint that is missed most by what is left of Φ̇, relative to the speeds: as instances are judged when they
 * are assembled (kernels/step/assemble.h). −1: none is. */
static int slipping_constraint(const sarrus_plan *plan, const sarrus_configuration *c, const double *rest, double *slip) {
    double unit = 0.0;
    int row = -1;
    for (int i = 0; i < c->n; ++i)
        unit = fmax(unit, fabs(plan->start.v[i]));
    for (int i = 0; i < c->m; ++i)
        unit = fmax(unit, fabs(c->phi_dot[i]));
    *slip = slips * unit;
    for (int i = 0; i < c->m; ++i) {
        if (!sarrus_plan_row_is_of_speeds(plan, i) || fabs(rest[i]) <= *slip)
            continue;
        *slip = fabs(rest[i]);
        row = i;
    }
    return row < 0 ? -1 : plan->row[row].joint - plan->mech.n_joints;
}

static sarrus_status speeds_judge(sarrus_context *context, const sarrus_plan *plan, const sarrus_configuration *c,
                                  const double *rest) {
    const sarrus_model *model = plan->model;
    double slip;
    const int constraint = slipping_constraint(plan, c, rest, &slip);
    if (constraint < 0)
        return SARRUS_OK;
    const sarrus_constraint *of = &model->constraints[constraint];
    const sarrus_location at = sarrus_model_location(model, &of->place);
    return sarrus_report_at(
        context, SARRUS_ERROR, SARRUS_BAD_INPUT, &at,
        "the speed of constraint '%s' does not go together with what other constraints ask for at t = 0: %.3g of "
        "it is left; expected speeds that the mechanism can have",
        of->name, slip);
}

/* v ← v − M^{-1/2} (J M^{-1/2})⁺ Φ̇, with the singular values that count. */
sarrus_status sarrus_plan_start_take(sarrus_context *context, sarrus_plan *plan, sarrus_configuration *c) {
    sarrus_plan_start *start = &plan->start;
    const int n = c->n;
    double *x = calloc((size_t)n + 1, sizeof *x), *rest = calloc((size_t)c->m + 1, sizeof *rest);
    /* What assembly moves by round-off it does not move. */
    for (int i = 0; i < c->n_q; ++i)
        start->q[i] = fabs(c->q[i] - start->q_given[i]) > round_off * fmax(1.0, fabs(c->q[i])) ? c->q[i] : start->q_given[i];
    memcpy(start->v, c->v, (size_t)n * sizeof *c->v);
    const bool good = x && rest && sarrus_configuration_least(c, SARRUS_RANK_TOLERANCE, c->phi_dot, x, rest) &&
                      sarrus_plan_lacking_take_out(c, x);
    sarrus_status status = x && rest ? SARRUS_OK : SARRUS_NO_MEMORY;
    if (status == SARRUS_OK && !good)
        status = sarrus_configuration_failure(c);
    if (status == SARRUS_OK) {
        sarrus_configuration_weigh(c, 1.0, x, x);
        for (int i = 0; i < n; ++i)
            start->v[i] -= x[i];
        status = speeds_judge(context, plan, c, rest);
    }
    free(rest);
    free(x);
    return status;
}

/* The first body with a given velocity, −1 when there is none. */
static int moving_body(const sarrus_plan *plan) {
    for (int i = 0; i < plan->mech.n_v; ++i) {
        if (plan->start.v_given[i] != 0.0)
            return i / sarrus_body_sizes_of(plan->mech.space)->n_v;
    }
    return -1;
}

/* Whether nothing can move, drives not counted, and that is firm. With a ground that moves all does. */
static bool is_locked(const sarrus_plan *plan, sarrus_gap *gap, double *change) {
    const sarrus_plan_independence *found = &plan->independence;
    if (plan->mech.moves_ground || found->n_independent < plan->mech.n_v || !(found->typical_kept > firm_sigma))
        return false;
    *change = plan->start.change;
    return plan->mech.n_drives == 0 || sarrus_plan_undriven_rank(gap, 0.0, change) == plan->mech.n_v;
}

/* The first number of the velocity of a body that is not 0. */
static sarrus_value_index moving_value(const sarrus_plan *plan, const sarrus_body *body, const double *v) {
    const sarrus_body_sizes *sizes = sarrus_body_sizes_of(plan->mech.space);
    int k = 0;
    while (k < sizes->n_v - 1 && v[k] == 0.0)
        ++k;
    return k < sizes->turn ? body->velocity[k] : body->angular_velocity[k - sizes->turn];
}

static sarrus_status refuse_velocity(sarrus_context *context, const sarrus_plan *plan, int body, double change) {
    const sarrus_model *model = plan->model;
    const sarrus_body *of = &model->bodies[body];
    const double *v = plan->start.v_given + sarrus_body_sizes_of(plan->mech.space)->n_v * body;
    const sarrus_value_index at = moving_value(plan, of, v);
    const sarrus_place *place = model->values[at].place.line > 0 ? &model->values[at].place : &of->place;
    const sarrus_location where = sarrus_model_location(model, place);
    char freed[100], speeds[SARRUS_SPEEDS_TEXT];
    sarrus_length_change_text(change, plan->start.size, freed);
    sarrus_body_speeds_text(plan->mech.space, v, " and ", speeds);
    return sarrus_report_at(context, SARRUS_ERROR, SARRUS_BAD_INPUT, &where,
                            "body '%s' is to start with %s, but nothing can move: the mechanism has 0 "
                            "degrees of freedom%s; expected no velocity, or a mechanism that can move",
                            of->name, speeds, freed);
}

/* How near the rank is to one less at the present configuration, when it is near. */
static sarrus_status find_change(sarrus_plan *plan, sarrus_gap *gap) {
    sarrus_configuration *c = gap->c;
    const sarrus_plan_independence *found = &plan->independence;
    sarrus_spectrum spectrum;
    sarrus_status status = sarrus_spectrum_find(&c->fronts, &c->rows, SARRUS_SPECTRUM_VECTORS, &spectrum);
    if (status != SARRUS_OK)
        return status;
    /* Only where σ here is like σ elsewhere: next to a singular configuration it means something else. */
    if (spectrum.rank == found->n_independent && spectrum.kept > 1e-2 * found->typical_kept) {
        const double change = sarrus_length_change(gap, &spectrum, 0.0);
        status = isnan(change) ? sarrus_configuration_failure(c) : SARRUS_OK;
        if (status == SARRUS_OK && change < SARRUS_NEAR_CHANGE * gap->size)
            plan->start.change = change;
    }
    sarrus_spectrum_free(&spectrum);
    return status;
}

sarrus_status sarrus_plan_start_judge(sarrus_context *context, sarrus_plan *plan, sarrus_gap *gap) {
    const sarrus_plan_independence *found = &plan->independence;
    const int body = moving_body(plan);
    /* Without loops rows are independent whatever the lengths; a long chain has a small σ all the same. */
    if (found->n_independent > 0 && plan->parts.n_loops > 0 && found->typical_kept < small_sigma) {
        const sarrus_status status = find_change(plan, gap);
        if (status != SARRUS_OK)
            return status;
    }
    double change = (double)INFINITY;
    if (body >= 0 && is_locked(plan, gap, &change))
        return refuse_velocity(context, plan, body, change);
    return SARRUS_OK;
}
