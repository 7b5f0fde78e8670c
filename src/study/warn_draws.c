/* The share of the draws without a meaning: masses, inertias and lengths that are not positive, with which an instance does not
 * run; stiffnesses, damping, rest lengths and gains that are negative, with which it does. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/draws.h"
#include "model/evaluator.h"
#include "sarrus/study.h"
#include "study/distribution.h"
#include "study/warning_list.h"

/* Shares below both of these are not told: one instance in ten thousand, and a twentieth of an instance in the batch. */
static const double least_share = 1e-4, least_number = 0.05;
/* Instances that are drawn on trial for numbers that depend on draws by an expression, and values of them that are computed at
 * most: some hundredths of a second. */
enum { MAX_TRIALS = 4096, MIN_TRIALS = 128 };
static const double max_values = 4e5;

/* A number with a condition, and how often it is broken. */
typedef struct ruled {
    sarrus_value_index value;
    bool may_be_zero;
    double share;
} ruled;

typedef struct ruled_list {
    const sarrus_model *model;
    ruled *list;
    int n;
} ruled_list;

static void rule_add(ruled_list *to, sarrus_value_index value, bool may_be_zero) {
    if (value != SARRUS_NO_VALUE)
        to->list[to->n++] = (ruled){value, may_be_zero, 0.0};
}

static bool rules_list(ruled_list *to) {
    const sarrus_model *model = to->model;
    to->list = calloc(4 * (size_t)model->n_bodies + (1 + 2 * (size_t)SARRUS_MAX_FREEDOMS) * (size_t)model->n_joints +
                          3 * (size_t)model->n_forces + 2,
                      sizeof *to->list);
    if (to->list == NULL)
        return false;
    for (int b = 0; b < model->n_bodies; ++b) {
        rule_add(to, model->bodies[b].mass, false);
        for (int k = 0; k < (model->space == SARRUS_SPACE_SPATIAL ? 3 : 1); ++k)
            rule_add(to, model->bodies[b].inertia[k], false);
    }
    for (int i = 0; i < model->n_joints; ++i) {
        rule_add(to, model->joints[i].length, false);
        for (int k = 0; k < SARRUS_MAX_FREEDOMS; ++k) {
            rule_add(to, model->joints[i].stiffness[k], true);
            rule_add(to, model->joints[i].damping[k], true);
        }
    }
    for (int i = 0; i < model->n_forces; ++i) {
        if (model->forces[i].type != SARRUS_FORCE_SPRING)
            continue;
        rule_add(to, model->forces[i].stiffness, true);
        rule_add(to, model->forces[i].rest_length, true);
        rule_add(to, model->forces[i].damping, true);
    }
    rule_add(to, model->dynamics.alpha, true);
    rule_add(to, model->dynamics.beta, true);
    return true;
}

static bool is_broken(const ruled *rule, double x) {
    return rule->may_be_zero ? x < 0.0 : !(x > 0.0);
}

/* The draw that is this very number, NULL when it is not one: drawn at its path, or the expression of a drawn name alone. */
static const sarrus_sampled *draw_that_is(const sarrus_model *model, sarrus_value_index i) {
    const sarrus_sampled *drawn = sarrus_model_draw_find(model, i);
    if (drawn != NULL)
        return drawn;
    for (int s = 0; s < model->batch.n_sampled && model->values[i].expression != NULL; ++s) {
        const sarrus_value_index target = model->batch.sampled[s].targets[0];
        if (target < model->n_named && strcmp(model->values[i].expression, model->batch.sampled[s].label) == 0)
            return &model->batch.sampled[s];
    }
    return NULL;
}

/* Counts in instances as the study draws them, from the first. */
static bool count_in_trials(ruled_list *rules, const bool *is_known) {
    const sarrus_model *model = rules->model;
    sarrus_draws *draws = NULL;
    sarrus_evaluator *evaluator = NULL;
    double *values = calloc((size_t)model->n_values + 1, sizeof *values);
    const uint64_t n_trials = (uint64_t)fmin(fmax(max_values / (model->n_values + 1.0), MIN_TRIALS), MAX_TRIALS);
    const bool good = values != NULL && sarrus_draws_create(NULL, model, model->batch.seed, n_trials, &draws) == SARRUS_OK &&
                      sarrus_evaluator_create(model, &evaluator) == SARRUS_OK;
    for (uint64_t i = 0; good && i < n_trials; ++i) {
        (void)sarrus_evaluator_run(evaluator, draws, i, values);
        for (int k = 0; k < rules->n; ++k)
            rules->list[k].share +=
                !is_known[k] && is_broken(&rules->list[k], values[rules->list[k].value]) ? 1.0 / (double)n_trials : 0.0;
    }
    sarrus_evaluator_destroy(evaluator);
    sarrus_draws_destroy(draws);
    free(values);
    return good;
}

static bool shares_find(ruled_list *rules) {
    const sarrus_model *model = rules->model;
    bool *is_known = calloc((size_t)rules->n + 1, sizeof *is_known);
    bool is_asked = false;
    if (is_known == NULL)
        return false;
    for (int k = 0; k < rules->n; ++k) {
        ruled *rule = &rules->list[k];
        const sarrus_sampled *draw = draw_that_is(model, rule->value);
        is_known[k] = draw != NULL || model->values[rule->value].expression == NULL;
        is_asked = is_asked || !is_known[k];
        if (draw != NULL)
            rule->share = rule->may_be_zero ? sarrus_sampled_share_below(draw, 0.0) : sarrus_sampled_share_to(draw, 0.0);
    }
    const bool good = !is_asked || count_in_trials(rules, is_known);
    free(is_known);
    return good;
}

static int larger_share_first(const void *left, const void *right) {
    const ruled *a = left, *b = right;
    return a->share != b->share ? (a->share < b->share) - (a->share > b->share) : (a->value > b->value) - (a->value < b->value);
}

void sarrus_warn_of_draws(sarrus_warnings *warnings, const sarrus_model *model, uint64_t n_instances) {
    ruled_list rules = {.model = model};
    if (model->batch.n_sampled == 0)
        return;
    if (!rules_list(&rules) || !shares_find(&rules)) {
        warnings->is_out_of_memory = true;
        free(rules.list);
        return;
    }
    qsort(rules.list, (size_t)rules.n, sizeof *rules.list, larger_share_first);
    for (int k = 0; k < rules.n; ++k) {
        const double share = rules.list[k].share, number = share * (double)n_instances, numbers[2] = {share, number};
        const char *path = model->values[rules.list[k].value].path;
        if (share < least_share && number < least_number)
            break;
        const bool may_be_zero = rules.list[k].may_be_zero;
        sarrus_warnings_add(warnings, SARRUS_WARNING_UNPHYSICAL_DRAWS, path, numbers, 2,
                            "%s: %.*g %% of the draws are %s (about %.3g of %llu instance%s); such instances %s", path,
                            share < 0.995 ? 2 : 3, 100.0 * share, may_be_zero ? "negative" : "not positive", number,
                            (unsigned long long)n_instances, n_instances == 1 ? "" : "s",
                            may_be_zero ? "run with them" : "end as invalid_parameter");
    }
    sarrus_warnings_add_rest(warnings, SARRUS_WARNING_UNPHYSICAL_DRAWS, "numbers with such draws");
    free(rules.list);
}
