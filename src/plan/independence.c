/* Which constraint rows are independent: the rank of J M^{-1/2} at several configurations along the constraint manifold, because
 * one configuration may be singular, or special in which row can be spared. On the manifold a redundant singular value is round-off
 * (1e-14), so the rank there is clear. Which rows are left out dependence.c decides. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/report.h"
#include "plan/body.h"
#include "plan/build.h"
#include "plan/constraints.h"
#include "plan/configuration.h"
#include "plan/dependence.h"
#include "plan/drives.h"
#include "plan/lacking.h"
#include "plan/spectrum.h"
#include "plan/start.h"
#include "plan/turns.h"
#include "plan/walk.h"

enum { N_WALKS = 10, FEWEST_WALKS = 3, OWNER_TEXT = 256 };
/* Flops that walks may take in all, unless they are the first few. */
static const double most_flops = 2e10;

/* What was seen. A σ below the one tolerance is not counted: on the manifold Newton leaves 1e-13 at most, and a configuration
 * within 1e-9 of a singular one is not met by chance. Below the other a counted σ is doubtful: next to a singular configuration
 * Newton is content with ‖Φ‖ ≈ δ² at a distance δ from the manifold, where redundant σ are of the order of δ and may be counted;
 * what such a configuration shows depends on the last bits, so it is not asked as long as there are others. */
typedef struct sightings {
    int n;
    int rank[N_WALKS + 1];
    int firm_rank[N_WALKS + 1];                     /* without doubtful σ: the directions left are those that a walk may take */
    double kept[N_WALKS + 1], dropped[N_WALKS + 1]; /* relative σ on either side of the cut */
    double largest[N_WALKS + 1];                    /* σ₁ */
    bool is_clear[N_WALKS + 1];
    double *q; /* [N_WALKS + 1][n_q] */
} sightings;

static sarrus_status see(sarrus_configuration *c, sightings *seen) {
    sarrus_spectrum spectrum;
    const sarrus_status status = sarrus_spectrum_find(&c->fronts, &c->rows, SARRUS_SPECTRUM_VALUES, &spectrum);
    if (status != SARRUS_OK)
        return status;
    const int i = seen->n;
    seen->rank[i] = spectrum.rank;
    seen->firm_rank[i] = spectrum.firm_rank;
    seen->kept[i] = spectrum.kept;
    seen->dropped[i] = spectrum.dropped;
    seen->largest[i] = spectrum.largest;
    memcpy(seen->q + (size_t)i * (size_t)c->n_q, c->q, (size_t)c->n_q * sizeof *c->q);
    ++seen->n;
    sarrus_spectrum_free(&spectrum);
    return SARRUS_OK;
}

/* Looks at configurations beside the assembled one, which has been seen; driven joints move on in time as well. */
static sarrus_status explore(sarrus_configuration *c, sightings *seen) {
    const sarrus_plan *plan = c->plan;
    sarrus_walk w;
    if (!sarrus_walk_begin(&w, c, false))
        return SARRUS_NO_MEMORY;
    sarrus_status status = SARRUS_OK;
    double t = 0.0;
    const double flops_before = c->fronts.flops;
    for (int i = 0; status == SARRUS_OK && i < N_WALKS; ++i) {
        int rank = seen->firm_rank[seen->n - 1];
        sarrus_plan_watch_share(plan->watch, (double)i / N_WALKS);
        if (plan->mech.n_drives == 0 && rank >= c->n)
            break;
        if (i >= FEWEST_WALKS && (c->fronts.flops - flops_before) * (i + 1) > most_flops * i)
            break;
        for (int k = 0; plan->mech.n_drives > 0 && k < 10; ++k) {
            t += plan->model->integrator.t_end / (10.0 * N_WALKS);
            (void)sarrus_configuration_assemble(c, t);
        }
        if (sarrus_walk_on(&w, c, rank, t))
            status = see(c, seen);
        if (!sarrus_plan_watch_goes_on(plan->watch))
            status = SARRUS_INTERRUPTED;
    }
    sarrus_walk_end(&w);
    return status;
}

static void list_rows(sarrus_plan_independence *found, const bool *is_dependent, int m) {
    int n_dependent = 0;
    for (int row = 0; row < m; ++row) {
        if (is_dependent[row])
            found->dependent[n_dependent++] = row;
        else
            found->independent[found->n_independent++] = row;
    }
}

/* Which rows are left out; none when there are as many as the rank. */
static sarrus_status choose(sarrus_plan_independence *found, sarrus_configuration *c, const sightings *seen, int generic, int m) {
    const double *q[N_WALKS + 1];
    double kept[N_WALKS + 1], largest[N_WALKS + 1];
    sarrus_plan_asked asked = {0, q, kept, largest};
    bool *is_dependent = calloc((size_t)m + 1, sizeof *is_dependent);
    found->independent = calloc((size_t)m + 1, sizeof *found->independent);
    found->dependent = calloc((size_t)m + 1, sizeof *found->dependent);
    found->row_is_unique = calloc((size_t)m + 1, sizeof *found->row_is_unique);
    if (!is_dependent || !found->independent || !found->dependent || !found->row_is_unique) {
        free(is_dependent);
        return SARRUS_NO_MEMORY;
    }
    for (int row = 0; row < m; ++row)
        found->row_is_unique[row] = true;
    sarrus_status status = SARRUS_OK;
    if (generic < m) {
        for (int i = 0; i < seen->n; ++i) {
            if (!found->is_asked[i])
                continue;
            q[asked.n] = found->configurations + (size_t)i * (size_t)c->n_q;
            kept[asked.n] = seen->kept[i];
            largest[asked.n++] = seen->largest[i];
        }
        double *here = c->scratch; /* [2 n], which is more than n_q */
        memcpy(here, c->q, (size_t)c->n_q * sizeof *here);
        status = sarrus_plan_dependence_find(c, &asked, is_dependent, found->row_is_unique);
        memcpy(c->q, here, (size_t)c->n_q * sizeof *here);
        (void)sarrus_configuration_rows(c, 0.0);
    }
    list_rows(found, is_dependent, m);
    free(is_dependent);
    return status;
}

/* How far the σ of a configuration keep away from the cut, on either side, as a factor. */
static double margin(const sightings *seen, int i) {
    const double above = seen->kept[i] / SARRUS_RANK_TOLERANCE;
    return seen->dropped[i] > 0.0 ? fmin(above, SARRUS_RANK_TOLERANCE / seen->dropped[i]) : above;
}

/* Which configurations are asked: those without doubtful σ, or, when walks have come to none, the most decided of their ends. The
 * assembled one does not count here, since it may be singular. */
static void ask_clear_ones(sightings *seen) {
    double most = 0.0, wanted = SARRUS_CLEAR_TOLERANCE / SARRUS_RANK_TOLERANCE;
    for (int i = 1; i < seen->n; ++i)
        most = fmax(most, margin(seen, i));
    if (seen->n > 1 && most < wanted)
        wanted = 0.1 * most;
    for (int i = 0; i < seen->n; ++i)
        seen->is_clear[i] = seen->n == 1 || margin(seen, i) >= wanted;
}

static sarrus_status judge(sarrus_plan_independence *found, sarrus_configuration *c, sightings *seen, int m) {
    int generic = 0;
    found->smallest_kept = 1.0;
    ask_clear_ones(seen);
    for (int i = 0; i < seen->n; ++i) {
        if (seen->is_clear[i])
            generic = seen->rank[i] > generic ? seen->rank[i] : generic;
    }
    for (int i = 0; i < seen->n; ++i) {
        if (seen->rank[i] != generic || !seen->is_clear[i])
            continue;
        found->smallest_kept = fmin(found->smallest_kept, seen->kept[i]);
        found->typical_kept = fmax(found->typical_kept, seen->kept[i]);
        found->largest_dropped = fmax(found->largest_dropped, seen->dropped[i]);
    }
    found->rank_at_t0 = seen->rank[0];
    found->n_configurations = seen->n;
    found->is_asked = calloc(seen->n > 0 ? (size_t)seen->n : 1, sizeof *found->is_asked);
    found->configurations = seen->q;
    seen->q = NULL;
    if (!found->is_asked)
        return SARRUS_NO_MEMORY;
    for (int i = 0; i < seen->n; ++i)
        found->is_asked[i] = seen->is_clear[i] && seen->rank[i] == generic;
    return choose(found, c, seen, generic, m);
}

/* A drive that begins more than a turn away from the given configuration, where that cannot be assembled: likely in degrees. */
static void note_far_drives(sarrus_context *context, const sarrus_configuration *c) {
    const sarrus_plan *plan = c->plan;
    const sarrus_model *model = plan->model;
    double *parameters = malloc(((size_t)plan->mech.n_parameters + 1) * sizeof *parameters);
    for (int32_t k = 0; parameters && k < plan->mech.n_parameters; ++k)
        parameters[k] = sarrus_configuration_parameter(c, k);
    for (int i = 0; parameters && i < c->m; ++i) {
        const int signal = sarrus_plan_row_signal(plan, i);
        const double begin = signal >= 0 ? fabs(sarrus_plan_signal_begin(plan, signal, parameters)) : 0.0;
        if (!sarrus_plan_row_is_angle(plan, i) || !(begin > 2.0 * M_PI))
            continue;
        const sarrus_place *place = &model->signals[signal].place;
        const sarrus_location at = sarrus_model_location(model, place);
        (void)sarrus_report_at(context, SARRUS_NOTE, SARRUS_BAD_INPUT, &at,
                               "the drive of joint '%s' begins at %.4g rad, but the coordinate is 0 in the given configuration; "
                               "angles are in radians: %.4g degrees are %.4g",
                               model->joints[plan->row[i].joint].name, begin, begin, begin * M_PI / 180.0);
    }
    free(parameters);
}

/* Says which joint or constraint keeps the nominal instance from closing: where the loops are least open, since Newton's method
 * runs anywhere from what cannot be closed. `closes`: a ‖Φ‖ that counts as none. */
static sarrus_status report_open(sarrus_context *context, sarrus_gap *gap, double error, double closes) {
    enum { MOST_STEPS = 200 };
    sarrus_configuration *c = gap->c;
    const sarrus_plan *plan = c->plan;
    double open = error, least = error;
    if (!isnan(error)) {
        memcpy(c->q, plan->start.q_given, (size_t)c->n_q * sizeof *c->q);
        (void)sarrus_gap_least(gap, 0.0, MOST_STEPS);
        least = sarrus_configuration_rows(c, 0.0);
    }
    const int worst = sarrus_configuration_open_owner(c, plan->model->n_joints + plan->model->n_constraints, &open);
    const char *what = worst < plan->model->n_joints ? "joint" : "constraint", *name = sarrus_plan_owner_name(plan, worst);
    const sarrus_location at = sarrus_model_location(plan->model, sarrus_plan_owner_place(plan, worst));
    if (isnan(error))
        return sarrus_report_at(
            context, SARRUS_ERROR, SARRUS_BAD_INPUT, &at,
            "the mechanism cannot be assembled: %s '%s' has no meaning in the given configuration (a disc that lies "
            "flat, points that are one); expected one in which it has",
            what, name);
    if (least <= closes)
        return sarrus_report_at(context, SARRUS_ERROR, SARRUS_BAD_INPUT, &at,
                                "the mechanism cannot be assembled from the given configuration, though all constraints can "
                                "close; expected bodies that are given closer to where they are to begin");
    return sarrus_report_at(context, SARRUS_ERROR, SARRUS_BAD_INPUT, &at,
                            "the mechanism cannot be assembled: %s '%s' stays open by %.3g, all constraints by %.3g; expected "
                            "lengths and points with which every joint can close",
                            what, name, open, least);
}

/* A mass or an inertia is 0, or can be divided by. */
static bool has_inverse(double x) {
    return x == 0.0 || (x > 0.0 && isfinite(x) && isfinite(1.0 / x));
}

static sarrus_status report_mass(sarrus_context *context, const sarrus_model *model, int b, sarrus_value_index i_value) {
    const sarrus_body *body = &model->bodies[b];
    const sarrus_value *value = &model->values[i_value];
    const char *what = i_value == body->mass ? "the mass" : "the inertia";
    const sarrus_location at = sarrus_model_location(model, value->place.line ? &value->place : &body->place);
    return sarrus_report_at(context, SARRUS_ERROR, SARRUS_BAD_INPUT, &at,
                            "%s of body '%s' is %g, which cannot be divided by; expected 0, or a number from 1e-300 to 1e300", what,
                            body->name, value->nominal);
}

/* What else is to be said of an inertia in space the reader of scenarios says. */
static sarrus_status check_masses(sarrus_context *context, const sarrus_plan *plan) {
    const sarrus_model *model = plan->model;
    const int n_numbers = model->space == SARRUS_SPACE_SPATIAL ? 4 : 2; /* the mass, and the diagonal of the inertia */
    sarrus_status worst = SARRUS_OK;
    for (int b = 0; b < model->n_bodies; ++b) {
        const sarrus_body *body = &model->bodies[b];
        int k = 0;
        while (k < n_numbers && has_inverse(model->values[k == 0 ? body->mass : body->inertia[k - 1]].nominal))
            ++k;
        if (k < n_numbers)
            worst = report_mass(context, model, b, k == 0 ? body->mass : body->inertia[k - 1]);
    }
    return worst;
}

/* Whether a table of the plan is a spline with coefficients that are numbers. */
static bool is_spline(const double *parameters, const sarrus_mech_signal *table) {
    bool good = true;
    for (int k = 0; table->kind == SARRUS_SIGNAL_TABLE && k < 4 * table->n; ++k)
        good = good && isfinite(parameters[table->p + k]);
    return good;
}

/* The first table that is no spline, a signal's or a cam's; NULL: all are. */
static const sarrus_signal *table_find(const sarrus_plan *plan, const double *parameters) {
    const sarrus_model *model = plan->model;
    for (int i = 0; i < model->n_signals; ++i) {
        if (!is_spline(parameters, &plan->signal[i]))
            return &model->signals[i];
    }
    for (int i = 0; i < model->n_constraints; ++i) {
        if (!is_spline(parameters, &plan->constraint[i].table))
            return &model->constraints[i].table;
    }
    return NULL;
}

static sarrus_status report_table(sarrus_context *context, const sarrus_model *model, const sarrus_signal *table) {
    const sarrus_location at = sarrus_model_location(model, &table->place);
    return sarrus_report_at(context, SARRUS_ERROR, SARRUS_BAD_INPUT, &at,
                            "the spline through the %d points of the table has coefficients that are not finite; expected smaller "
                            "numbers, or points that are not so close to one another",
                            table->n_values);
}

/* The first of n numbers that is not finite, n when all are. */
static int first_not_finite(const double *x, int n) {
    int i = 0;
    while (i < n && isfinite(x[i]))
        ++i;
    return i;
}

/* What has the parameter `i`, as "joint 'A'", and where it stands: of a body those in its block, else whose parameters begin last
 * before it. NULL when nobody is found. */
static const sarrus_place *owner_describe(const sarrus_plan *plan, int i, char *out, size_t n_bytes) {
    const sarrus_model *model = plan->model;
    const sarrus_mechanism *mech = &plan->mech;
    const int n_of_body = sarrus_body_sizes_of(mech->space)->n_parameters, b = (i - mech->p_body) / n_of_body;
    const sarrus_place *place = NULL;
    int begin = -1;
    if (i >= mech->p_body && b < mech->n_bodies) {
        (void)snprintf(out, n_bytes, "body '%s'", model->bodies[b].name);
        return &model->bodies[b].place;
    }
    for (int k = 0; k < model->n_joints; ++k)
        if (plan->joint[k].p <= i && plan->joint[k].p > begin) {
            begin = plan->joint[k].p;
            place = &model->joints[k].place;
            (void)snprintf(out, n_bytes, "joint '%s'", model->joints[k].name);
        }
    for (int k = 0; k < model->n_forces; ++k)
        if (plan->force[k].p <= i && plan->force[k].p > begin) {
            begin = plan->force[k].p;
            place = &model->forces[k].place;
            (void)snprintf(out, n_bytes, "force '%s'", model->forces[k].name);
        }
    for (int k = 0; k < model->n_constraints; ++k)
        if (plan->constraint[k].p <= i && plan->constraint[k].p > begin) {
            begin = plan->constraint[k].p;
            place = &model->constraints[k].place;
            (void)snprintf(out, n_bytes, "constraint '%s'", model->constraints[k].name);
        }
    return place;
}

/* Who makes a number that is not finite, or has no meaning otherwise; OK when that is not known. */
static sarrus_status report_owner(sarrus_context *context, const sarrus_plan *plan, const double *values, double *parameters,
                                  const double *q) {
    const sarrus_body_sizes *sizes = sarrus_body_sizes_of(plan->mech.space);
    const int i = first_not_finite(parameters, plan->mech.n_parameters), k = first_not_finite(q, plan->mech.n_q);
    const int c = sarrus_plan_constraint_without_meaning(plan, values, parameters);
    char owner[OWNER_TEXT] = "";
    const sarrus_place *place = NULL;
    if (i < plan->mech.n_parameters)
        place = owner_describe(plan, i, owner, sizeof owner);
    else if (k < plan->mech.n_q)
        place = owner_describe(plan, plan->mech.p_body + sizes->n_parameters * (k / sizes->n_q), owner, sizeof owner);
    else if (c < plan->model->n_constraints)
        place = owner_describe(plan, plan->constraint[c].p, owner, sizeof owner);
    if (place == NULL)
        return SARRUS_OK;
    const sarrus_location at = sarrus_model_location(plan->model, place);
    return sarrus_report_at(context, SARRUS_ERROR, SARRUS_BAD_INPUT, &at,
                            "the numbers of %s have no meaning together: squares or quotients of them are not finite, or points "
                            "cannot be told apart; expected numbers of one magnitude",
                            owner);
}

/* Says which number of the nominal instance has no meaning, as far as that can be told. */
static sarrus_status report_nominal(sarrus_context *context, const sarrus_plan *plan) {
    const sarrus_model *model = plan->model;
    const sarrus_mechanism *mech = &plan->mech;
    const size_t n_values = (size_t)model->n_values, n_parameters = (size_t)mech->n_parameters, n_q = (size_t)mech->n_q;
    double *values = calloc(n_values + n_parameters + n_q + (size_t)mech->n_v + 1, sizeof *values);
    if (!values)
        return sarrus_report(context, SARRUS_NO_MEMORY, "out of memory while the constraints are analyzed");
    double *parameters = values + n_values, *q = parameters + n_parameters;
    for (int i = 0; i < model->n_values; ++i)
        values[i] = model->values[i].nominal;
    (void)sarrus_plan_parameters(plan, values, parameters, q, q + n_q);
    const int length = mech->space == SARRUS_SPACE_SPATIAL ? (int)SARRUS_SJ_LENGTH : (int)SARRUS_PJ_SHIFT0;
    int i = 0;
    while (i < model->n_joints && !(model->joints[i].type == SARRUS_JOINT_DISTANCE && parameters[plan->joint[i].p + length] == 0.0))
        ++i;
    const sarrus_signal *table = table_find(plan, parameters);
    const sarrus_status told =
        table == NULL && i == model->n_joints ? report_owner(context, plan, values, parameters, q) : SARRUS_OK;
    free(values);
    if (table)
        return report_table(context, model, table);
    if (told != SARRUS_OK)
        return told;
    if (i == model->n_joints)
        return sarrus_report(
            context, SARRUS_BAD_INPUT,
            "a number of the nominal instance is not physical; expected masses and inertias that are not negative, "
            "axes and lengths that are not zero, and finite results of all expressions");
    const sarrus_joint *joint = &model->joints[i];
    const sarrus_location at = sarrus_model_location(model, &joint->place);
    return sarrus_report_at(context, SARRUS_ERROR, SARRUS_BAD_INPUT, &at,
                            "joint '%s' has the length 0: its two points are one at t = 0; expected points that are apart",
                            joint->name);
}

/* Looks at the assembled configuration and beside it. */
static sarrus_status look_around(sarrus_context *context, sarrus_plan *plan, sarrus_gap *gap, sightings *seen) {
    sarrus_configuration *c = gap->c;
    sarrus_plan_watch_phase(plan->watch, "looking around");
    sarrus_status status = see(c, seen);
    if (status == SARRUS_OK)
        status = sarrus_plan_start_take(context, plan, c);
    if (status == SARRUS_OK)
        status = explore(c, seen);
    sarrus_plan_watch_phase(plan->watch, "choosing independent rows");
    if (status == SARRUS_OK)
        status = judge(&plan->independence, c, seen, plan->mech.m);
    if (status == SARRUS_OK) {
        /* The σ that is the last to count generically, where the start is. */
        const int at_start = seen->rank[0], generic = plan->independence.n_independent;
        plan->start.kept = generic == 0 ? 1.0 : at_start < generic ? seen->dropped[0] : seen->kept[0];
        status = sarrus_plan_start_judge(context, plan, gap);
    }
    return status;
}

static sarrus_status assemble(sarrus_context *context, sarrus_plan *plan, sarrus_gap *gap) {
    sarrus_configuration *c = gap->c;
    double scale = 1.0;
    for (int i = 0; i < c->n_q; ++i)
        scale = fmax(scale, fabs(c->q[i]));
    const double error = sarrus_configuration_assemble(c, 0.0);
    sarrus_status status = sarrus_plan_watch_goes_on(plan->watch) ? SARRUS_OK : SARRUS_INTERRUPTED;
    if (status == SARRUS_OK && !(error <= 1e-10 * scale)) {
        status = report_open(context, gap, error, 1e-10 * scale);
        note_far_drives(context, c);
    }
    return status == SARRUS_OK ? sarrus_plan_drives_check(context, plan, gap) : status;
}

static sarrus_status analyze(sarrus_context *context, sarrus_plan *plan, sarrus_configuration *c) {
    sightings seen = {0};
    sarrus_gap gap = {0};
    sarrus_status status = sarrus_gap_create(c, &gap);
    if (status == SARRUS_OK) {
        sarrus_plan_watch_phase(plan->watch, "assembling");
        plan->start.size = gap.size;
        status = assemble(context, plan, &gap);
    }
    seen.q = malloc((N_WALKS + 1) * (size_t)c->n_q * sizeof *seen.q);
    if (status == SARRUS_OK && !seen.q)
        status = SARRUS_NO_MEMORY;
    if (status == SARRUS_OK)
        status = look_around(context, plan, &gap, &seen);
    sarrus_gap_free(&gap);
    free(seen.q);
    if (status == SARRUS_NO_MEMORY)
        return sarrus_report(context, status, "out of memory while the constraints are analyzed");
    return status;
}

sarrus_status sarrus_plan_independence_find(sarrus_context *context, sarrus_plan *plan) {
    sarrus_configuration c;
    sarrus_status status = check_masses(context, plan);
    if (status == SARRUS_OK)
        status = sarrus_plan_lacking_find(context, plan);
    if (status != SARRUS_OK && status != SARRUS_UNSUPPORTED)
        return status;
    if (status == SARRUS_OK)
        status = sarrus_configuration_create(plan, &c);
    if (status == SARRUS_UNSUPPORTED)
        return sarrus_report(context, status, "this build has no kernels for spatial mechanisms");
    if (status == SARRUS_NO_MEMORY)
        return sarrus_report(context, status, "out of memory while the constraints are analyzed");
    if (status != SARRUS_OK)
        return report_nominal(context, plan);
    status = sarrus_plan_start_give(plan, &c);
    if (status != SARRUS_OK) {
        (void)sarrus_report(context, status, "out of memory for the start");
    } else if (plan->mech.m > 0) {
        status = analyze(context, plan, &c);
    } else {
        sightings none = {0};
        status = choose(&plan->independence, &c, &none, 0, 0);
    }
    sarrus_configuration_free(&c);
    return status;
}
