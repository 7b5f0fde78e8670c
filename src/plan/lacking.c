#include "plan/lacking.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/report.h"
#include "model/draws.h"
#include "model/evaluator.h"
#include "plan/configuration.h"
#include "plan/inertia.h"
#include "plan/open_motion.h"
#include "plan/spectrum.h"

/* The share e/μ of the inertia of a motion that a fictitious one is to have where the mechanism is assembled; the least and the
 * most of a body's ordinary inertia that it may be for that. With less S would be known worse than the sweeps can mend, with more
 * none would be through in a few. */
static const double wanted_share = 0x1p-10, least_share = 0x1p-24, most_share = 0x1p-6;

static bool is_spatial(const sarrus_plan *plan) {
    return plan->mech.space == SARRUS_SPACE_SPATIAL;
}

/* Principal moments, in the plane one, and their axes; returns how many there are. One that is none is 0. */
static int moments_of(const sarrus_plan *plan, const sarrus_body *body, const double *values, double moment[3], double axis[3][3]) {
    double tensor[6], largest = 0.0;
    memset(axis, 0, 9 * sizeof axis[0][0]);
    if (!is_spatial(plan)) {
        moment[0] = values[body->inertia[0]];
        axis[0][2] = 1.0;
        return 1;
    }
    for (int k = 0; k < 6; ++k)
        tensor[k] = body->inertia[k] == SARRUS_NO_VALUE ? 0.0 : values[body->inertia[k]];
    sarrus_inertia_axes(tensor, moment, axis);
    for (int k = 0; k < 3; ++k)
        largest = fmax(largest, moment[k]);
    const bool is_computed = tensor[3] != 0.0 || tensor[4] != 0.0 || tensor[5] != 0.0;
    for (int k = 0; is_computed && k < 3; ++k)
        moment[k] = fabs(moment[k]) <= SARRUS_NO_MOMENT * largest ? 0.0 : moment[k];
    return 3;
}

/* Marks, by a 1, what the bodies lack in an instance with these values. */
static void mark(const sarrus_plan *plan, const double *values, sarrus_plan_lack *lack) {
    for (int b = 0; b < plan->model->n_bodies; ++b) {
        const sarrus_body *body = &plan->model->bodies[b];
        double moment[3], axis[3][3];
        const int n = moments_of(plan, body, values, moment, axis);
        lack[b].mass = values[body->mass] == 0.0 ? 1.0 : lack[b].mass;
        for (int k = 0; k < n; ++k)
            lack[b].inertia = moment[k] == 0.0 ? 1.0 : lack[b].inertia;
    }
}

/* The lower (0) or upper (1) end of what can be drawn; where there is none, as far out as draws come. */
static double end_of(const sarrus_sampled *sampled, int end) {
    const double far_out = end ? 9.0 : -9.0, bound = end ? sampled->max : sampled->min;
    double ends[2], x;
    sarrus_sampled_support(sampled, &ends[0], &ends[1]);
    x = ends[end];
    if (sampled->kind == SARRUS_DISTRIBUTION_NORMAL)
        x = sampled->a + far_out * sampled->b;
    else if (sampled->kind == SARRUS_DISTRIBUTION_LOGNORMAL)
        x = exp(sampled->a + far_out * sampled->b);
    else if (sampled->kind == SARRUS_DISTRIBUTION_WEIBULL) /* exp(−40) of the draws lie beyond */
        x = sampled->a * pow(end ? 40.0 : 4e-18, 1.0 / sampled->b);
    return end ? fmin(x, bound) : fmax(x, bound);
}

/* Instances at the ends of the distributions: one parameter at an end, the others nominal. */
static bool mark_ends(const sarrus_plan *plan, sarrus_evaluator *evaluator, double *values, sarrus_plan_lack *lack) {
    const sarrus_model *model = plan->model;
    const size_t n = (size_t)model->batch.n_sampled;
    sarrus_draws draws = {.model = model, .n_instances = 1, .n_sampled = model->batch.n_sampled};
    draws.values = malloc((n + 1) * sizeof *draws.values);
    for (size_t k = 0; draws.values && k < 2 * n; ++k) {
        for (size_t s = 0; s < n; ++s) {
            const sarrus_sampled *sampled = &model->batch.sampled[s];
            draws.values[s] = s == k / 2 ? end_of(sampled, k % 2 == 1) : model->values[sampled->targets[0]].nominal;
        }
        (void)sarrus_evaluator_run(evaluator, &draws, 0, values);
        mark(plan, values, lack);
    }
    free(draws.values);
    return draws.values != NULL;
}

static sarrus_status mark_all(const sarrus_plan *plan, sarrus_plan_lack *lack) {
    sarrus_evaluator *evaluator = NULL;
    double *values = malloc(((size_t)plan->model->n_values + 1) * sizeof *values);
    sarrus_status status = values ? sarrus_evaluator_create(plan->model, &evaluator) : SARRUS_NO_MEMORY;
    if (status == SARRUS_OK) {
        (void)sarrus_evaluator_run(evaluator, NULL, 0, values);
        mark(plan, values, lack);
        status = mark_ends(plan, evaluator, values, lack) ? SARRUS_OK : SARRUS_NO_MEMORY;
        sarrus_evaluator_destroy(evaluator);
    }
    free(values);
    return status;
}

/* How far joints hold a body from its mass centre, m. */
static double reach_of(const sarrus_configuration *c, int body) {
    const sarrus_plan *plan = c->plan;
    const int parent = is_spatial(plan) ? (int)SARRUS_SJ_PARENT : (int)SARRUS_PJ_PARENT_X;
    const int child = is_spatial(plan) ? (int)SARRUS_SJ_CHILD : (int)SARRUS_PJ_CHILD_X;
    double reach = 0.0;
    for (int i = 0; i < plan->mech.n_joints; ++i) {
        for (int side = 0; side < 2; ++side) {
            double length2 = 0.0;
            if ((side ? plan->joint[i].child : plan->joint[i].parent) != body)
                continue;
            for (int k = 0; k < c->sizes->dimension; ++k)
                length2 += pow(sarrus_configuration_parameter(c, plan->joint[i].p + (side ? child : parent) + k), 2.0);
            reach = fmax(reach, sqrt(length2));
        }
    }
    return reach;
}

/* mass[n_bodies] ← a body's own; of those without it, ring by ring around those with it, the mean of the neighbours nearer to
 * one. */
static bool spread_masses(const sarrus_plan *plan, double *mass) {
    const int n_bodies = plan->mech.n_bodies;
    double *sum = malloc(((size_t)n_bodies + 1) * sizeof *sum);
    int *n = malloc(((size_t)n_bodies + 1) * sizeof *n);
    bool goes_on = true;
    for (int b = 0; b < n_bodies; ++b)
        mass[b] = fmax(plan->model->values[plan->model->bodies[b].mass].nominal, 0.0);
    while (sum && n && goes_on) {
        goes_on = false;
        memset(sum, 0, (size_t)n_bodies * sizeof *sum);
        memset(n, 0, (size_t)n_bodies * sizeof *n);
        for (int i = 0; i < 2 * plan->mech.n_joints; ++i) {
            const sarrus_mech_joint *joint = &plan->joint[i / 2];
            const int from = i % 2 ? joint->child : joint->parent, to = i % 2 ? joint->parent : joint->child;
            if (from < 0 || to < 0 || mass[to] > 0.0 || !(mass[from] > 0.0))
                continue;
            sum[to] += mass[from];
            ++n[to];
        }
        for (int b = 0; b < n_bodies; ++b) {
            mass[b] = n[b] > 0 ? sum[b] / n[b] : mass[b];
            goes_on = goes_on || n[b] > 0;
        }
    }
    const bool good = sum && n;
    free(sum);
    free(n);
    return good;
}

/* A power of two: what is added and taken away again is exact, and the last bits of a library do not decide it. */
static double power_near(double x) {
    return x > 0.0 && isfinite(x) ? exp2(rint(log2(x))) : 1.0;
}

/* The ordinary inertia of bodies that are marked, into their marks. */
static bool measure(const sarrus_configuration *c, sarrus_plan_lack *lack) {
    const sarrus_plan *plan = c->plan;
    double *mass = malloc(((size_t)plan->mech.n_bodies + 1) * sizeof *mass), size = 0.0;
    const bool good = mass && spread_masses(plan, mass);
    for (int b = 0; good && b < plan->mech.n_bodies; ++b)
        size = fmax(size, reach_of(c, b));
    for (int b = 0; good && b < plan->mech.n_bodies; ++b) {
        const double reach = reach_of(c, b), arm = reach > 0.0 ? reach : size > 0.0 ? size : 1.0;
        const double m = mass[b] > 0.0 ? mass[b] : 1.0;
        lack[b].mass *= power_near(m);
        lack[b].inertia *= power_near(m * arm * arm);
    }
    free(mass);
    return good;
}

/* What the nominal bodies lack. *out is the caller's. */
static bool list_axes(const sarrus_configuration *c, sarrus_lacking_axis **out, int *n_axes) {
    const sarrus_plan *plan = c->plan;
    const int turn = c->sizes->turn;
    sarrus_lacking_axis *list = *out = calloc((size_t)c->n + 1, sizeof *list);
    double *values = malloc(((size_t)plan->model->n_values + 1) * sizeof *values);
    for (int i = 0; values && i < plan->model->n_values; ++i)
        values[i] = plan->model->values[i].nominal;
    *n_axes = 0;
    for (int b = 0; list && values && b < plan->mech.n_bodies; ++b) {
        const sarrus_body *body = &plan->model->bodies[b];
        double moment[3], axis[3][3];
        for (int k = 0; values[body->mass] == 0.0 && k < turn; ++k) {
            sarrus_lacking_axis *next = &list[(*n_axes)++];
            next->body = b;
            next->axis[k] = next->weighted[k] = 1.0;
        }
        const int n = moments_of(plan, body, values, moment, axis);
        for (int k = 0; k < n; ++k) {
            if (moment[k] != 0.0)
                continue;
            sarrus_lacking_axis *next = &list[(*n_axes)++];
            next->body = b;
            next->is_turn = true;
            memcpy(next->axis, axis[k], sizeof next->axis);
            sarrus_body_weigh_back(plan->mech.space, &c->weight[b], n == 1 ? &axis[k][2] : axis[k], next->weighted + turn);
        }
    }
    free(values);
    return list && values;
}

/* The largest share of the inertia of a motion that is fictitious, e/(e + μ): of the projection of what the bodies lack onto the
 * motions that the constraints leave, the largest eigenvalue, by its power. Negative: no memory, or stopped. */
static double largest_share(sarrus_configuration *c, const sarrus_lacking_axis *axis, int n_axes) {
    enum { N_POWERS = 24 };
    const int n_each = c->sizes->n_v;
    double *y = malloc(((size_t)n_axes + 1) * sizeof *y), *x = malloc(((size_t)c->n + 1) * sizeof *x), share = x && y ? 0.0 : -1.0;
    for (int k = 0; y && k < n_axes; ++k)
        y[k] = 1.0 + 0.3 * sin(1.0 + 2.0 * k); /* like no motion in particular */
    for (int power = 0; share >= 0.0 && power < N_POWERS; ++power) {
        double length = 0.0;
        for (int k = 0; k < n_axes; ++k)
            length = hypot(length, y[k]);
        if (!(length > 0.0))
            break;
        memset(x, 0, (size_t)c->n * sizeof *x);
        for (int k = 0; k < n_axes; ++k) {
            for (int i = 0; i < n_each; ++i)
                x[n_each * axis[k].body + i] += y[k] / length * axis[k].weighted[i];
        }
        const bool good = sarrus_configuration_free_part(c, SARRUS_CLEAR_TOLERANCE, x);
        double along = 0.0;
        for (int k = 0; k < n_axes; ++k) {
            double sum = 0.0;
            for (int i = 0; i < n_each; ++i)
                sum += x[n_each * axis[k].body + i] * axis[k].weighted[i];
            along += sum * y[k] / length;
            y[k] = sum;
        }
        share = good ? fmax(share, along) : -1.0;
    }
    free(x);
    free(y);
    return share;
}

/* y [n] ← of x its part along the axes. */
static void along_axes(const sarrus_configuration *c, const sarrus_lacking_axis *axis, int n_axes, const double *x, double *y) {
    const int n_each = c->sizes->n_v;
    memset(y, 0, (size_t)c->n * sizeof *y);
    for (int k = 0; k < n_axes; ++k) {
        const ptrdiff_t at = (ptrdiff_t)n_each * axis[k].body;
        double sum = 0.0;
        for (int i = 0; i < n_each; ++i)
            sum += x[at + i] * axis[k].weighted[i];
        for (int i = 0; i < n_each; ++i)
            y[at + i] += sum * axis[k].weighted[i];
    }
}

static double largest_of(const double *x, int n) {
    double largest = 0.0;
    for (int i = 0; i < n; ++i)
        largest = fmax(largest, fabs(x[i]));
    return largest;
}

bool sarrus_plan_lacking_take_out(sarrus_configuration *c, double *x) {
    enum { MOST_SWEEPS = 64 };
    sarrus_lacking_axis *axis = NULL;
    int n_axes = 0;
    if (!c->plan->lack)
        return true;
    double *y = malloc(2 * ((size_t)c->n + 1) * sizeof *y), *change = y ? y + c->n : NULL;
    bool good = y && list_axes(c, &axis, &n_axes);
    if (good)
        memcpy(change, x, (size_t)c->n * sizeof *x);
    for (int k = 0; good && k < MOST_SWEEPS && largest_of(change, c->n) > 1e-14 * largest_of(x, c->n); ++k) {
        along_axes(c, axis, n_axes, change, y);
        good = sarrus_configuration_free_part(c, SARRUS_RANK_TOLERANCE, y);
        memcpy(change, y, (size_t)c->n * sizeof *y);
        for (int i = 0; i < c->n; ++i)
            x[i] += change[i];
    }
    free(axis);
    free(y);
    return good;
}

/* By how much the ordinary inertia is to be multiplied. */
static double scale_for(double share) {
    const double real = (1.0 - share) / share; /* μ/e */
    return share > 0.0 ? fmin(fmax(power_near(wanted_share * fmax(real, DBL_MIN)), least_share), most_share) : most_share;
}

/* Looks at the assembled mechanism with the ordinary inertia in the place of what is lacking. */
static sarrus_status settle(sarrus_context *context, sarrus_plan *plan) {
    sarrus_configuration c;
    sarrus_lacking_axis *axis = NULL;
    int n_axes = 0;
    double scale = wanted_share;
    sarrus_status status = sarrus_configuration_create(plan, &c);
    if (status != SARRUS_OK)
        return status == SARRUS_BAD_INPUT ? SARRUS_OK : status; /* what is wrong is said by whom it concerns */
    (void)sarrus_configuration_assemble(&c, 0.0);
    status = list_axes(&c, &axis, &n_axes) ? SARRUS_OK : SARRUS_NO_MEMORY;
    if (status == SARRUS_OK)
        status = sarrus_open_motions_report(context, &c, axis, n_axes);
    if (status == SARRUS_OK && n_axes > 0) {
        const double share = largest_share(&c, axis, n_axes);
        status = share < 0.0 ? sarrus_configuration_failure(&c) : SARRUS_OK;
        scale = scale_for(share);
    }
    for (int b = 0; b < plan->mech.n_bodies; ++b) {
        plan->lack[b].mass *= scale;
        plan->lack[b].inertia *= scale;
    }
    free(axis);
    sarrus_configuration_free(&c);
    return status;
}

static sarrus_status find(sarrus_context *context, sarrus_plan *plan) {
    sarrus_configuration c;
    sarrus_status status = mark_all(plan, plan->lack);
    for (int b = 0; status == SARRUS_OK && b < plan->mech.n_bodies; ++b)
        plan->mech.n_lacking += plan->lack[b].mass > 0.0 || plan->lack[b].inertia > 0.0;
    if (status != SARRUS_OK || plan->mech.n_lacking == 0)
        return status;
    status = sarrus_configuration_create(plan, &c);
    if (status != SARRUS_OK)
        return status == SARRUS_BAD_INPUT ? SARRUS_OK : status;
    status = measure(&c, plan->lack) ? SARRUS_OK : SARRUS_NO_MEMORY;
    sarrus_configuration_free(&c);
    return status == SARRUS_OK ? settle(context, plan) : status;
}

sarrus_status sarrus_plan_lacking_find(sarrus_context *context, sarrus_plan *plan) {
    plan->lack = calloc((size_t)plan->mech.n_bodies + 1, sizeof *plan->lack);
    sarrus_status status = plan->lack ? find(context, plan) : SARRUS_NO_MEMORY;
    if (plan->lack && plan->mech.n_lacking == 0) {
        free(plan->lack);
        plan->lack = NULL;
    }
    if (status == SARRUS_NO_MEMORY)
        return sarrus_report(context, status, "out of memory while the masses are looked at");
    return status;
}
