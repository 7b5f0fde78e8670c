/* Warnings of what the plan found: parts, freedom, ranks, drives, the assembled start. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/report.h"
#include "plan/body.h"
#include "plan/plan.h"
#include "study/warning_list.h"

/* Nearer to a singular configuration than this share of the ordinary smallest singular value: a few tenths of a degree. */
static const double near_singular = 1e-2;
/* Bodies that are moved, and velocities that are changed, by less are so by the digits of the scenario's numbers. */
static const double moved_least = 1e-6;
/* Masses, of the largest, and inertias, of the largest mass on the mechanism's size, that double precision does not resolve beside
 * it: of a projection that divides by them a hundredth of a distance of 1 is left at best. */
static const double tiny_inertia = 1e-14;

static const char *plural(int n) {
    return n == 1 ? "" : "s";
}

static int n_bodies_of(const sarrus_plan *plan, int component) {
    int n = 0;
    for (int b = 0; b < plan->mech.n_bodies; ++b)
        n += plan->parts.of_body[b] == component;
    return n;
}

/* Whether one of two bodies is ground and the other one of the part. */
static bool is_between(const sarrus_plan *plan, const int end[2], int component) {
    return (end[0] == SARRUS_GROUND) != (end[1] == SARRUS_GROUND) &&
           plan->parts.of_body[end[0] == SARRUS_GROUND ? end[1] : end[0]] == component;
}

/* Whether a joint that holds nothing, a free one or a bushing, connects the part with ground: then it is meant to float; or a
 * constraint between bodies does. */
static bool part_is_said_to_float(const sarrus_plan *plan, int component) {
    const sarrus_model *model = plan->model;
    for (int i = 0; i < model->n_joints; ++i) {
        if (sarrus_joint_n_rows(model->space, &model->joints[i]) == 0 && is_between(plan, model->joints[i].body, component))
            return true;
    }
    for (int i = 0; i < model->n_constraints; ++i) {
        const sarrus_constraint *constraint = &model->constraints[i];
        if (!sarrus_constraint_couples(constraint->type) && is_between(plan, constraint->of[0].body, component))
            return true;
    }
    return false;
}

static void warn_of_parts(sarrus_warnings *warnings, const sarrus_plan *plan) {
    const sarrus_plan_parts *parts = &plan->parts;
    const sarrus_model *model = plan->model;
    for (int b = 0, part = 0; b < model->n_bodies; ++b) { /* its first body stands for a part */
        const char *name = model->bodies[b].name;
        const bool is_first = parts->of_body[b] == part;
        part += is_first;
        const int n = is_first && parts->is_floating[parts->of_body[b]] && !part_is_said_to_float(plan, parts->of_body[b])
                          ? n_bodies_of(plan, parts->of_body[b])
                          : 0;
        const double number = n;
        if (n == 1)
            sarrus_warnings_add(warnings, SARRUS_WARNING_BODY_WITHOUT_JOINT, name, NULL, 0,
                                "body '%s' has no joint: it moves freely", name);
        else if (n > 1)
            sarrus_warnings_add(warnings, SARRUS_WARNING_FLOATING_PART, name, &number, 1,
                                "body '%s' and %d more are connected, but no joint attaches them to ground", name, n - 1);
    }
    sarrus_warnings_add_rest(warnings, SARRUS_WARNING_BODY_WITHOUT_JOINT, "bodies without a joint");
    sarrus_warnings_add_rest(warnings, SARRUS_WARNING_FLOATING_PART, "parts that no joint attaches to ground");
    const int n_parts = parts->n - parts->n_floating;
    const double number = n_parts;
    if (n_parts > 1)
        sarrus_warnings_add(warnings, SARRUS_WARNING_SEPARATE_PARTS, "", &number, 1,
                            "%d parts are attached to ground separately: no joint connects them", n_parts);
}

static void warn_of_freedom(sarrus_warnings *warnings, const sarrus_plan *plan) {
    const int n_dof = plan->mech.n_v - plan->independence.n_independent, n_drives = plan->mech.n_drives;
    const double numbers[2] = {n_dof, n_drives};
    if (n_dof == 0 && n_drives == 0 && !plan->mech.moves_ground)
        sarrus_warnings_add(warnings, SARRUS_WARNING_NO_FREEDOM, "", numbers, 1,
                            "the mechanism has 0 degrees of freedom: nothing can move");
    if (n_dof > 0 && n_drives > 0)
        sarrus_warnings_add(warnings, SARRUS_WARNING_FREE_BESIDE_DRIVES, "", numbers, 2,
                            "%d degree%s of freedom %s left beside the %d drive%s", n_dof, plural(n_dof), n_dof == 1 ? "is" : "are",
                            n_drives, plural(n_drives));
}

static void warn_of_ranks(sarrus_warnings *warnings, const sarrus_plan *plan) {
    const sarrus_plan_independence *found = &plan->independence;
    const int more = found->n_independent - found->rank_at_t0, n_seen = found->n_configurations;
    const double near[2] = {found->typical_kept, plan->start.change}, many = more, share = plan->start.kept / found->typical_kept;
    if (isfinite(plan->start.change))
        sarrus_warnings_add(
            warnings, SARRUS_WARNING_NEAR_OTHER_RANK, "", near, 2,
            "the rank of the constraints depends on rounding: the smallest singular value that counts is at most %.1e "
            "of the largest in %s%d configuration%s looked at; lengths that differ by about %.1g m would leave one "
            "degree of freedom more",
            near[0], n_seen == 1 ? "the " : "all ", n_seen, plural(n_seen), near[1]);
    if (plan->mech.m == 0)
        return;
    if (more > 0)
        sarrus_warnings_add(warnings, SARRUS_WARNING_SINGULAR_START, "", &many, 1,
                            "the mechanism starts in a singular configuration: %d more degree%s of freedom at t = 0 only", more,
                            plural(more));
    else if (share < near_singular)
        sarrus_warnings_add(warnings, SARRUS_WARNING_NEAR_SINGULAR_START, "", &share, 1,
                            "the mechanism starts near a singular configuration: the smallest singular value is %.2g %% of its "
                            "ordinary size there",
                            100.0 * share);
}

static void warn_of_drives(sarrus_warnings *warnings, const sarrus_plan *plan) {
    const sarrus_plan_doubt *doubt = &plan->start.doubt;
    if (doubt->joint < 0)
        return;
    const char *name = plan->model->joints[doubt->joint].name;
    const double numbers[3] = {doubt->from, doubt->gap, doubt->time};
    sarrus_warnings_add(
        warnings, SARRUS_WARNING_DOUBTFUL_DRIVE, name, numbers, 3,
        "the drive of joint '%s' could not be followed beyond t = %.4g s: the loops stay open by %.2g at t = %.4g s, most "
        "at joint '%s'",
        name, doubt->from, doubt->gap, doubt->time, plan->model->joints[doubt->at].name);
}

/* Masses and inertias that are not 0 but that the others drown. */
static void warn_of_inertias(sarrus_warnings *warnings, const sarrus_plan *plan) {
    const sarrus_model *model = plan->model;
    double largest = 0.0;
    for (int b = 0; b < model->n_bodies; ++b)
        largest = fmax(largest, model->values[model->bodies[b].mass].nominal);
    for (int b = 0; b < model->n_bodies; ++b) {
        const sarrus_body *body = &model->bodies[b];
        for (int k = 0; k < (model->space == SARRUS_SPACE_SPATIAL ? 4 : 2); ++k) {
            const double x = model->values[k == 0 ? body->mass : body->inertia[k - 1]].nominal;
            const double of = k == 0 ? largest : largest * plan->start.size * plan->start.size, numbers[2] = {x, x / of};
            if (!(x > 0.0 && x < tiny_inertia * of))
                continue;
            sarrus_warnings_add(
                warnings, SARRUS_WARNING_TINY_INERTIA, body->name, numbers, 2,
                "the %s of body '%s' is %.3g %s, %.1g of the mechanism's: the others drown it, and what it weighs is "
                "not resolved; give 0 where it stands for none",
                k == 0 ? "mass" : "inertia", body->name, x, k == 0 ? "kg" : "kg m^2", numbers[1]);
            break;
        }
    }
    sarrus_warnings_add_rest(warnings, SARRUS_WARNING_TINY_INERTIA, "bodies with such numbers");
}

/* A body and how much of something happened to it. */
typedef struct ranked {
    int body;
    double much;
} ranked;

static int more_first(const void *left, const void *right) {
    const ranked *a = left, *b = right;
    return a->much != b->much ? (a->much < b->much) - (a->much > b->much) : (a->body > b->body) - (a->body < b->body);
}

static double length_of(const double *x, int n) {
    const double length = n > 1 ? hypot(x[0], x[1]) : fabs(x[0]);
    return n > 2 ? hypot(length, x[2]) : length;
}

/* How far assembly moved body b, relative to the size, or turned it. */
static double displacement(const sarrus_plan *plan, int b, double *distance, double *angle) {
    const sarrus_body_sizes *sizes = sarrus_body_sizes_of(plan->mech.space);
    double by[SARRUS_SPATIAL_NV];
    sarrus_body_difference(plan->mech.space, plan->start.q_given + sizes->n_q * b, plan->start.q + sizes->n_q * b, by);
    *distance = length_of(by, sizes->dimension);
    *angle = sizes->n_turn == 1 ? by[sizes->turn] : length_of(by + sizes->turn, sizes->n_turn);
    return fmax(*distance / plan->start.size, fabs(*angle));
}

static double speed(const sarrus_plan *plan, const double *v) {
    const sarrus_body_sizes *sizes = sarrus_body_sizes_of(plan->mech.space);
    return fmax(length_of(v, sizes->dimension) / plan->start.size, length_of(v + sizes->turn, sizes->n_turn));
}

/* How much assembly changed the velocity of body b, relative to the fastest; 0 of bodies for which none is given. */
static double change(const sarrus_plan *plan, int b, double fastest) {
    const int n_v = sarrus_body_sizes_of(plan->mech.space)->n_v;
    const double *from = plan->start.v_given + n_v * b, *to = plan->start.v + n_v * b;
    double by[SARRUS_SPATIAL_NV];
    for (int k = 0; k < n_v; ++k)
        by[k] = to[k] - from[k];
    return speed(plan, from) > 0.0 ? speed(plan, by) / fastest : 0.0;
}

static void warn_of_change(sarrus_warnings *warnings, const sarrus_plan *plan, int b) {
    const int n_v = sarrus_body_sizes_of(plan->mech.space)->n_v;
    double v[2 * SARRUS_SPATIAL_NV];
    char text[2][SARRUS_SPEEDS_TEXT];
    const char *name = plan->model->bodies[b].name;
    memcpy(v, plan->start.v_given + n_v * b, (size_t)n_v * sizeof *v);
    memcpy(v + n_v, plan->start.v + n_v * b, (size_t)n_v * sizeof *v);
    for (int k = 0; k < 2; ++k)
        sarrus_body_speeds_text(plan->mech.space, v + n_v * k, ", ", text[k]);
    sarrus_warnings_add(warnings, SARRUS_WARNING_VELOCITY_CHANGED, name, v, 2 * n_v,
                        "assembly changed the initial velocity of body '%s' from %s to %s", name, text[0], text[1]);
}

static void warn_of_start(sarrus_warnings *warnings, const sarrus_plan *plan) {
    const sarrus_model *model = plan->model;
    const int n = model->n_bodies, n_v = sarrus_body_sizes_of(plan->mech.space)->n_v;
    ranked *moved = calloc((size_t)n + 1, sizeof *moved), *changed = calloc((size_t)n + 1, sizeof *changed);
    warnings->is_out_of_memory = warnings->is_out_of_memory || !moved || !changed;
    double fastest = 0.0, number[2];
    for (int b = 0; b < n; ++b)
        fastest = fmax(fastest, speed(plan, plan->start.v_given + n_v * b));
    for (int b = 0; moved && changed && b < n; ++b) {
        moved[b] = (ranked){b, displacement(plan, b, &number[0], &number[1])};
        changed[b] = (ranked){b, change(plan, b, fastest)};
    }
    if (moved && changed) {
        qsort(moved, (size_t)n, sizeof *moved, more_first);
        qsort(changed, (size_t)n, sizeof *changed, more_first);
    }
    for (int k = 0; moved && k < n && moved[k].much > moved_least; ++k) {
        const char *name = model->bodies[moved[k].body].name;
        (void)displacement(plan, moved[k].body, &number[0], &number[1]);
        sarrus_warnings_add(warnings, SARRUS_WARNING_DISPLACED, name, number, 2,
                            "assembly moved body '%s' by %.3g m and turned it by %.3g rad", name, number[0], number[1]);
    }
    sarrus_warnings_add_rest(warnings, SARRUS_WARNING_DISPLACED, "bodies that assembly moved");
    for (int k = 0; changed && k < n && changed[k].much > moved_least; ++k)
        warn_of_change(warnings, plan, changed[k].body);
    sarrus_warnings_add_rest(warnings, SARRUS_WARNING_VELOCITY_CHANGED, "bodies with a velocity that assembly changed");
    free(moved);
    free(changed);
}

sarrus_status sarrus_warnings_create(sarrus_context *context, const sarrus_plan *plan, uint64_t n_instances,
                                     sarrus_warnings **out) {
    if (plan == NULL || out == NULL)
        return sarrus_report(context, SARRUS_BAD_ARGUMENT, "sarrus_warnings_create needs a plan and a place for the warnings");
    sarrus_warnings *warnings = calloc(1, sizeof *warnings);
    if (warnings == NULL)
        return sarrus_report(context, SARRUS_NO_MEMORY, "out of memory for the warnings");
    warn_of_parts(warnings, plan);
    warn_of_freedom(warnings, plan);
    warn_of_ranks(warnings, plan);
    warn_of_drives(warnings, plan);
    warn_of_inertias(warnings, plan);
    sarrus_warn_of_angles(warnings, plan->model);
    sarrus_warn_of_coarse_steps(warnings, plan->model);
    warn_of_start(warnings, plan);
    sarrus_warn_of_parameters(warnings, plan->model);
    sarrus_warn_of_nominal_values(warnings, plan->model);
    const uint64_t n = n_instances > 0 ? n_instances : plan->model->batch.n_instances;
    sarrus_warn_of_draws(warnings, plan->model, sarrus_model_study_size(plan->model, n));
    sarrus_warn_of_locked_draws(warnings, plan);
    sarrus_warn_of_few_blocks(warnings, plan->model, n);
    if (warnings->is_out_of_memory) {
        sarrus_warnings_destroy(warnings);
        return sarrus_report(context, SARRUS_NO_MEMORY, "out of memory for the warnings");
    }
    *out = warnings;
    return SARRUS_OK;
}
