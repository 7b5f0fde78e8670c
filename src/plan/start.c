#include "plan/start.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/report.h"
#include "plan/drives.h"

/* Where the last σ that counts is larger than this, relative to σ₁, no rounding is near; some long mechanisms are below it too. */
static const double small_sigma = 1e-2;
/* Smaller ones may be the work of what Newton leaves of Φ: nothing is refused for them. */
static const double firm_sigma = 1e-6;

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
    start->q_given = copy_of(c->q, c->n);
    start->v_given = copy_of(c->v, c->n);
    start->q = copy_of(c->q, c->n);
    start->v = copy_of(c->v, c->n);
    return start->q_given && start->v_given && start->q && start->v ? SARRUS_OK : SARRUS_NO_MEMORY;
}

void sarrus_plan_start_free(sarrus_plan_start *start) {
    free(start->q_given);
    free(start->v_given);
    free(start->q);
    free(start->v);
    memset(start, 0, sizeof *start);
}

/* v ← v − M^{-1/2} (J M^{-1/2})⁺ Φ̇, with the singular values that count. */
void sarrus_plan_start_take(sarrus_plan *plan, sarrus_configuration *c, const sarrus_decomposition *svd, int rank) {
    sarrus_plan_start *start = &plan->start;
    const int m = c->m, n = c->n;
    memcpy(start->q, c->q, (size_t)n * sizeof *c->q);
    memcpy(start->v, c->v, (size_t)n * sizeof *c->v);
    for (int k = 0; k < rank; ++k) {
        double along = 0.0;
        for (int i = 0; i < m; ++i)
            along += svd->u[i + k * m] * c->phi_dot[i];
        for (int i = 0; i < n; ++i)
            start->v[i] -= c->weight[i] * svd->vt[k + i * n] * along / svd->sigma[k];
    }
}

/* The rows of J M^{-1/2} at q + step·M^{-1/2} v, v the right singular vector `last`. */
static void rows_beside(sarrus_configuration *c, const sarrus_decomposition *svd, int last, double step, const double *q,
                        double t) {
    for (int i = 0; i < c->n; ++i)
        c->q[i] = q[i] + step * c->weight[i] * svd->vt[last + i * c->n];
    (void)sarrus_configuration_rows(c, t);
}

/* A step along v, in the unit of v, that moves bodies by 1e-4: the difference of J is then good to 1e-8. */
static double small_step(const sarrus_gap *gap, const sarrus_decomposition *svd, int last) {
    const sarrus_configuration *c = gap->c;
    double largest = 0.0;
    for (int i = 0; i < c->n; ++i)
        largest = fmax(largest, fabs(c->weight[i] * svd->vt[last + i * c->n]) / (i % 3 == 2 ? 1.0 : gap->size));
    return largest > 0.0 ? 1e-4 / largest : 0.0;
}

/* σ belongs to w on the left and to v on the right. On lengths with which σ is zero all along the motion v, w stays a null vector
 * of Jᵀ and turns by dw/ds; here the loops differ from those by Φ, and σ = |(dw/ds)ᵀΦ| (docs/rank.md). The smallest Φ in lengths is
 * σ/‖dw/ds‖ over the rows of lengths. In the other singular vectors, dw/ds = −Σ u_i (wᵀ dJ/ds v_i)/σ_i; those of σ that are as
 * small belong to further motions of this kind. */
double sarrus_plan_start_change(sarrus_gap *gap, const sarrus_decomposition *svd, int rank, double t) {
    sarrus_configuration *c = gap->c;
    const int m = c->m, n = c->n, last = rank - 1;
    if (rank < 1)
        return (double)INFINITY;
    const double step = small_step(gap, svd, last);
    double *q = copy_of(c->q, n), *pull = calloc((size_t)(n ? n : 1), sizeof *pull), *turn = calloc((size_t)m + 1, sizeof *turn);
    double change = (double)NAN, turning = 0.0;
    if (q && pull && turn) {
        for (int side = -1; side <= 1; side += 2) {
            rows_beside(c, svd, last, side * step, q, t);
            for (int k = 0; k < n && step > 0.0; ++k) {
                for (int i = 0; i < m; ++i)
                    pull[k] += svd->u[i + last * m] * c->jacobian[i + k * m] * side / (2.0 * step);
            }
        }
        for (int other = 0; other < last && svd->sigma[other] > 10.0 * svd->sigma[last]; ++other) {
            double along = 0.0;
            for (int k = 0; k < n; ++k)
                along += pull[k] * svd->vt[other + k * n];
            for (int i = 0; i < m; ++i)
                turn[i] += svd->u[i + other * m] * along / svd->sigma[other];
        }
        for (int i = 0; i < m; ++i)
            turning += c->plan->row[i].kind == SARRUS_ROW_ANGLE ? 0.0 : turn[i] * turn[i];
        change = turning > 0.0 ? svd->sigma[last] / sqrt(turning) : (double)INFINITY;
        rows_beside(c, svd, last, 0.0, q, t);
    }
    free(q);
    free(pull);
    free(turn);
    return change;
}

void sarrus_plan_change_text(double change, double size, char text[100]) {
    text[0] = '\0';
    if (change < SARRUS_NEAR_CHANGE * size)
        (void)snprintf(text, 100, " (lengths that differ by about %.1g m would let it move)", change);
}

/* The first body with a given velocity, −1 when there is none. */
static int moving_body(const sarrus_plan *plan) {
    for (int i = 0; i < plan->mech.n; ++i) {
        if (plan->start.v_given[i] != 0.0)
            return i / 3;
    }
    return -1;
}

/* Whether nothing can move, drives not counted, and that is firm. */
static bool is_locked(const sarrus_plan *plan, sarrus_gap *gap, double *change) {
    const sarrus_plan_independence *found = &plan->independence;
    if (found->n_independent < plan->mech.n || !(found->typical_kept > firm_sigma))
        return false;
    *change = plan->start.change;
    return plan->mech.n_drives == 0 || sarrus_plan_undriven_rank(gap, 0.0, change) == plan->mech.n;
}

static sarrus_status refuse_velocity(sarrus_context *context, const sarrus_plan *plan, int body, double change) {
    const sarrus_model *model = plan->model;
    const sarrus_body *of = &model->bodies[body];
    const double *v = plan->start.v_given + 3 * body;
    const sarrus_value_index at = v[0] != 0.0 ? of->velocity[0] : v[1] != 0.0 ? of->velocity[1] : of->angular_velocity[0];
    const sarrus_place *place = model->values[at].place.line > 0 ? &model->values[at].place : &of->place;
    const sarrus_location where = {model->file, model->text, place->line, place->column};
    char freed[100];
    sarrus_plan_change_text(change, plan->start.size, freed);
    return sarrus_report_at(context, SARRUS_ERROR, SARRUS_BAD_INPUT, &where,
                            "body '%s' is to start with (%.4g, %.4g) m/s and %.4g rad/s, but nothing can move: the mechanism has 0 "
                            "degrees of freedom%s; expected no velocity, or a mechanism that can move",
                            of->name, v[0], v[1], v[2], freed);
}

sarrus_status sarrus_plan_start_judge(sarrus_context *context, sarrus_plan *plan, sarrus_gap *gap,
                                      const sarrus_decomposition *svd) {
    const sarrus_plan_independence *found = &plan->independence;
    const int rank = found->n_independent, body = moving_body(plan);
    /* Here as elsewhere: next to a singular configuration σ tells something else. */
    const bool is_small = rank > 0 && found->typical_kept < small_sigma;
    if (is_small && svd->sigma[rank - 1] > 1e-2 * found->typical_kept * svd->sigma[0]) {
        const double change = sarrus_plan_start_change(gap, svd, rank, 0.0);
        if (isnan(change))
            return SARRUS_NO_MEMORY;
        if (change < SARRUS_NEAR_CHANGE * gap->size)
            plan->start.change = change;
    }
    double change = (double)INFINITY;
    if (body >= 0 && is_locked(plan, gap, &change))
        return refuse_velocity(context, plan, body, change);
    return SARRUS_OK;
}
