/* The plan of the same mechanism in relative coordinates, after that in absolute ones: what both have is copied, the tree has its
 * tables (tree.c), and the rest is made as that of any plan, from rows over the tree's speeds (tree_rows.c). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/report.h"
#include "plan/build.h"
#include "plan/constraints.h"
#include "plan/cost.h"
#include "plan/fields.h"
#include "plan/pivots.h"
#include "plan/relative_rows.h"

enum { N_ITERATIONS = 30 };

/* A table of n items of `size` bytes, as another one; NULL: no memory. */
static void *copied(const void *from, size_t n, size_t size) {
    void *to = calloc(n + 1, size);
    if (to && n > 0)
        memcpy(to, from, n * size);
    return to;
}

static size_t count_knots(const sarrus_plan *plan) {
    size_t n = 0;
    for (int i = 0; i < plan->model->n_signals; ++i)
        n += plan->model->signals[i].knots ? (size_t)plan->model->signals[i].n_values : 0;
    return n + sarrus_plan_constraints_knots(plan->model);
}

/* What both plans have. No crank is eliminated: that is the tree's part. */
static bool begin(const sarrus_plan *absolute, sarrus_plan *plan) {
    sarrus_mechanism *mech = &plan->mech;
    plan->model = absolute->model;
    plan->n_steps = absolute->n_steps;
    plan->watch = absolute->watch;
    plan->start = (sarrus_plan_start){.size = absolute->start.size,
                                      .kept = absolute->start.kept,
                                      .change = absolute->start.change,
                                      .doubt = absolute->start.doubt};
    *mech = absolute->mech;
    mech->factor = (sarrus_mech_factor){0};
    mech->lane = (sarrus_lane_tables){0};
    mech->n_cranks = 0;
    mech->ordinary = 1.0;
    mech->tree = (sarrus_mech_tree){0};
    const size_t n_constraints = (size_t)mech->n_constraints, n_lines = (size_t)(mech->m + mech->n_parts);
    mech->joint = plan->joint = copied(absolute->joint, (size_t)mech->n_joints + n_constraints, sizeof *plan->joint);
    plan->constraint = copied(absolute->constraint, n_constraints, sizeof *plan->constraint);
    mech->constraint = n_constraints > 0 ? plan->constraint : NULL;
    mech->freedom = plan->freedom = copied(absolute->freedom, (size_t)mech->n_freedoms, sizeof *plan->freedom);
    mech->force = plan->force = copied(absolute->force, (size_t)mech->n_forces, sizeof *plan->force);
    mech->signal = plan->signal = copied(absolute->signal, (size_t)mech->n_signals, sizeof *plan->signal);
    mech->row = plan->row = copied(absolute->row, n_lines, sizeof *plan->row);
    mech->knots = plan->knots = copied(absolute->knots, count_knots(absolute), sizeof *plan->knots);
    if (!plan->joint || !plan->constraint || !plan->freedom || !plan->force || !plan->signal || !plan->row || !plan->knots)
        return false;
    for (int i = 0; i < mech->n_joints; ++i) {
        plan->joint[i].is_crank_pin = 0;
        plan->joint[i].parent_crank = plan->joint[i].child_crank = -1;
    }
    return true;
}

/* The fields of a tile and what the independent rows decide. */
static sarrus_status make_factor(sarrus_context *context, sarrus_plan *plan, sarrus_order_kind wanted) {
    plan->mech.independent = plan->independence.independent;
    plan->mech.is_watched = plan->mech.m > 0;
    sarrus_status status = sarrus_plan_elimination(context, plan, wanted);
    if (status == SARRUS_OK)
        status = sarrus_plan_shares(context, plan);
    if (status == SARRUS_OK)
        status = sarrus_plan_row_blocks(context, plan);
    if (status == SARRUS_OK)
        sarrus_plan_layout(&plan->mech);
    return status;
}

static double normalize(double *x, int n) {
    double sum = 0.0;
    for (int k = 0; k < n; ++k)
        sum += x[k] * x[k];
    for (int k = 0; k < n; ++k)
        x[k] /= sqrt(sum);
    return sqrt(sum);
}

/* x [2 n_blocks] ← S x in elimination order. by_speed: [n_v] */
static void apply(const sarrus_tree_rows *rows, double *x, double *by_speed) {
    const sarrus_plan *plan = rows->plan;
    const sarrus_mech_factor *f = &plan->mech.factor;
    memset(by_speed, 0, (size_t)plan->mech.n_v * sizeof *by_speed);
    for (int pass = 0; pass < 2; ++pass) {
        for (int32_t i = 0; i < f->n_rows; ++i) {
            double sum = 0.0;
            for (int32_t e = plan->row_start[f->row_of[i]]; e < plan->row_start[f->row_of[i] + 1]; ++e) {
                if (pass == 0)
                    by_speed[plan->entry[e].speed] += rows->value[e] * x[f->at[i]];
                else
                    sum += rows->value[e] * by_speed[plan->entry[e].speed];
            }
            if (pass == 1)
                x[f->at[i]] = sum;
        }
    }
}

/* The smallest singular value of the independent rows relative to the largest, from the eigenvalues of S by iteration with it and
 * with its factor. As good as a threshold needs it. x: [2 n_blocks + n_v] */
static double spread(const sarrus_tree_rows *rows, const sarrus_pivots *pivots, double *x) {
    const sarrus_mech_factor *f = &rows->plan->mech.factor;
    const int n = 2 * f->n_blocks;
    double size[2] = {1.0, 1.0};
    for (int inverse = 0; inverse < 2; ++inverse) {
        memset(x, 0, (size_t)n * sizeof *x);
        for (int32_t i = 0; i < f->n_rows; ++i)
            x[f->at[i]] = 1.0 + 1e-3 * (i * 37 % 101);
        (void)normalize(x, n);
        for (int k = 0; k < N_ITERATIONS; ++k) {
            if (inverse)
                sarrus_pivots_solve(pivots, x);
            else
                apply(rows, x, x + n);
            size[inverse] = normalize(x, n);
        }
    }
    return 1.0 / sqrt(size[0] * size[1]);
}

/* Pivots and singular values in the configurations that are asked. */
static sarrus_status measure(sarrus_plan *plan, sarrus_tree_rows *rows) {
    const sarrus_plan_independence *seen = &rows->absolute->independence;
    sarrus_plan_independence *found = &plan->independence;
    sarrus_pivots p;
    plan->mech.factor.guard = plan->guard = calloc(2 * (size_t)plan->mech.factor.n_blocks + 1, sizeof *plan->guard);
    double *x = calloc(2 * (size_t)plan->mech.factor.n_blocks + (size_t)plan->mech.n_v + 1, sizeof *x);
    const bool good = sarrus_pivots_create(&p, &plan->mech.factor) && plan->guard && x;
    sarrus_status status = good ? SARRUS_OK : SARRUS_NO_MEMORY;
    found->smallest_kept = 1.0;
    for (int i = 0; status == SARRUS_OK && i < seen->n_configurations; ++i) {
        if (!seen->is_asked[i])
            continue;
        sarrus_tree_rows_find(rows, seen->configurations + (ptrdiff_t)i * rows->absolute->mech.n_q);
        sarrus_pivots_fill(&p, sarrus_tree_rows_product, rows);
        for (int32_t k = 0; k < plan->mech.factor.n_rows; ++k)
            p.own[plan->mech.factor.at[k]] = sarrus_tree_rows_whole(rows, plan->mech.factor.row_of[k]);
        if (sarrus_pivots_find(&p)) {
            const double kept = spread(rows, &p, x);
            sarrus_pivots_keep(&p);
            found->smallest_kept = fmin(found->smallest_kept, kept);
            found->typical_kept = fmax(found->typical_kept, kept);
        }
        status = sarrus_plan_watch_goes_on(plan->watch) ? SARRUS_OK : SARRUS_INTERRUPTED;
    }
    if (status == SARRUS_OK)
        sarrus_pivots_settle(&p, plan);
    sarrus_pivots_free(&p);
    free(x);
    return status;
}

sarrus_location sarrus_plan_formulation_place(const sarrus_model *model) {
    const sarrus_place *place = &model->dynamics.formulation_place;
    return sarrus_model_location(model, place);
}

/* The smallest of what bodies have of mass, or of inertia about an axis (i > 0), relative to the largest, at nominal values. */
static double least_share(const sarrus_model *model, int i, int *body) {
    double least = (double)INFINITY, most = 0.0;
    for (int b = 0; b < model->n_bodies; ++b) {
        const sarrus_value_index index = i == 0 ? model->bodies[b].mass : model->bodies[b].inertia[i - 1];
        const double x = model->values[index].nominal;
        *body = x < least ? b : *body;
        least = fmin(least, x);
        most = fmax(most, x);
    }
    return least / most;
}

/* Rows of loops that only differ by what a body without weight to speak of does. */
static sarrus_status masses_refuse(sarrus_context *context, const sarrus_plan *plan) {
    const sarrus_model *model = plan->model;
    const sarrus_location where = sarrus_plan_formulation_place(model);
    const int n_numbers = model->space == SARRUS_SPACE_SPATIAL ? 4 : 2;
    int body = 0, i_least = 0;
    double least = (double)INFINITY;
    for (int i = 0; i < n_numbers; ++i) {
        int at = 0;
        const double share = least_share(model, i, &at);
        body = share < least ? at : body;
        i_least = share < least ? i : i_least;
        least = fmin(least, share);
    }
    return sarrus_report_at(context, SARRUS_ERROR, SARRUS_BAD_INPUT, &where,
                            "body '%s' has %.2g of the largest %s: beside the others only %d of %d constraints can be told from "
                            "dependent ones; expected masses and inertias above some 1e-17 of the largest for relative coordinates",
                            model->bodies[body].name, least, i_least == 0 ? "mass" : "inertia", plan->independence.n_independent,
                            plan->mech.m);
}

static sarrus_status choose_rows(sarrus_context *context, const sarrus_plan *absolute, sarrus_tree_rows *rows) {
    sarrus_plan_watch_phase(absolute->relative->watch, "choosing rows over the tree");
    const sarrus_status status = sarrus_plan_relative_rows(absolute, rows);
    return status == SARRUS_BAD_INPUT ? masses_refuse(context, absolute) : status;
}

static sarrus_status make(sarrus_context *context, const sarrus_plan *absolute, sarrus_order_kind wanted) {
    sarrus_plan *plan = absolute->relative;
    sarrus_tree_rows rows = {0};
    if (!begin(absolute, plan))
        return SARRUS_NO_MEMORY;
    sarrus_status status = sarrus_plan_tree(context, absolute, plan);
    if (status == SARRUS_OK)
        status = sarrus_tree_rows_create(absolute, &rows);
    if (status != SARRUS_OK)
        return status;
    sarrus_plan_tree_zeros(plan, &rows);
    status = sarrus_plan_tree_steps(context, plan);
    if (status == SARRUS_OK)
        status = choose_rows(context, absolute, &rows);
    if (status == SARRUS_OK)
        status = make_factor(context, plan, wanted);
    if (status == SARRUS_OK && plan->mech.m > 0)
        status = measure(plan, &rows);
    if (status == SARRUS_OK && plan->mech.is_single && !plan->mech.tree.in_own_frames) {
        sarrus_tree_rows_find(&rows, absolute->start.q);
        status = sarrus_tree_rows_loss(&rows, &plan->loss, &plan->loss_body);
    }
    sarrus_tree_rows_free(&rows);
    if (status != SARRUS_OK)
        return status;
    sarrus_plan_threshold_settle(plan);
    plan->hash = sarrus_plan_hash_make(plan);
    sarrus_plan_cost_count(plan);
    if (plan->cost.code_flops > SARRUS_PLAN_MOST_TREE_FLOPS && !sarrus_plan_tree_level(plan))
        return SARRUS_NO_MEMORY;
    return SARRUS_OK;
}

const char *sarrus_plan_relative_why_not(const sarrus_plan *plan) {
    return plan->mech.moves_ground    ? "a ground that moves is"
           : plan->mech.n_lacking > 0 ? "bodies that may lack mass or inertia are"
                                      : NULL;
}

sarrus_status sarrus_plan_relative_make(sarrus_context *context, sarrus_plan *plan, sarrus_order_kind wanted) {
    const char *why_not = sarrus_plan_relative_why_not(plan);
    const sarrus_location where = sarrus_plan_formulation_place(plan->model);
    if (why_not)
        return sarrus_report_at(context, SARRUS_ERROR, SARRUS_UNSUPPORTED, &where,
                                "%s not for relative coordinates; expected 'formulation: udwadia-kalaba'", why_not);
    plan->relative = calloc(1, sizeof *plan->relative);
    sarrus_status status = plan->relative ? make(context, plan, wanted) : SARRUS_NO_MEMORY;
    if (plan->relative)
        plan->relative->watch = NULL;
    if (status == SARRUS_OK)
        return status;
    sarrus_plan_destroy(plan->relative);
    plan->relative = NULL;
    return status == SARRUS_NO_MEMORY ? sarrus_report(context, status, "out of memory for the plan in relative coordinates")
                                      : status;
}
