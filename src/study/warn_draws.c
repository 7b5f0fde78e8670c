/* The share of the draws without a meaning: masses, inertias and lengths that are not positive, and tensors of inertia that no body
 * has, with which an instance does not run; stiffnesses, damping, rest lengths and gains that are negative, with which it does. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/draws.h"
#include "model/evaluator.h"
#include "plan/inertia.h"
#include "sarrus/study.h"
#include "study/distribution.h"
#include "study/draws.h"
#include "study/warning_list.h"

/* Shares below both of these are not told: one instance in ten thousand, and a twentieth of an instance in the batch. */
static const double least_share = 1e-4, least_number = 0.05;
/* Instances that are drawn on trial for numbers that depend on draws by an expression, and values of them that are computed at
 * most: some hundredths of a second. */
enum { MAX_TRIALS = 4096, MIN_TRIALS = 128 };
static const double max_values = 4e5;

typedef enum condition { POSITIVE, NOT_NEGATIVE, OF_A_BODY } condition;

/* What is said of draws that break a condition, and of the instances that have them. */
static const struct {
    const char *draws, *instances;
} broken[] = {
    [POSITIVE] = {"not positive", "end as invalid_parameter"},
    [NOT_NEGATIVE] = {"negative", "run with them"},
    [OF_A_BODY] = {"an inertia that no body has", "end as invalid_parameter"},
};

/* A number with a condition, or the six of a tensor, of which this is the first; and how often it is broken. */
typedef struct ruled {
    const sarrus_value_index *values;
    condition condition;
    double share;
} ruled;

typedef struct ruled_list {
    const sarrus_model *model;
    ruled *list;
    int n;
} ruled_list;

static void rule_add(ruled_list *to, const sarrus_value_index *values, condition is_good) {
    if (*values != SARRUS_NO_VALUE)
        to->list[to->n++] = (ruled){values, is_good, 0.0};
}

static bool rules_list(ruled_list *to) {
    const sarrus_model *model = to->model;
    const bool is_spatial = model->space == SARRUS_SPACE_SPATIAL;
    to->list = calloc(5 * (size_t)model->n_bodies + (1 + 2 * (size_t)SARRUS_MAX_FREEDOMS) * (size_t)model->n_joints +
                          3 * (size_t)model->n_forces + 2,
                      sizeof *to->list);
    if (to->list == NULL)
        return false;
    for (int b = 0; b < model->n_bodies; ++b) {
        rule_add(to, &model->bodies[b].mass, POSITIVE);
        for (int k = 0; k < (is_spatial ? 3 : 1); ++k)
            rule_add(to, &model->bodies[b].inertia[k], POSITIVE);
        if (is_spatial)
            rule_add(to, model->bodies[b].inertia, OF_A_BODY);
    }
    for (int i = 0; i < model->n_joints; ++i) {
        rule_add(to, &model->joints[i].length, POSITIVE);
        for (int k = 0; k < SARRUS_MAX_FREEDOMS; ++k) {
            rule_add(to, &model->joints[i].stiffness[k], NOT_NEGATIVE);
            rule_add(to, &model->joints[i].damping[k], NOT_NEGATIVE);
        }
    }
    for (int i = 0; i < model->n_forces; ++i) {
        if (model->forces[i].type != SARRUS_FORCE_SPRING)
            continue;
        rule_add(to, &model->forces[i].stiffness, NOT_NEGATIVE);
        rule_add(to, &model->forces[i].rest_length, NOT_NEGATIVE);
        rule_add(to, &model->forces[i].damping, NOT_NEGATIVE);
    }
    rule_add(to, &model->dynamics.alpha, NOT_NEGATIVE);
    rule_add(to, &model->dynamics.beta, NOT_NEGATIVE);
    return true;
}

/* Of a tensor with a diagonal that is not positive its numbers tell. */
static bool is_broken(const ruled *rule, const double *values) {
    const double x = values[rule->values[0]];
    if (rule->condition != OF_A_BODY)
        return rule->condition == NOT_NEGATIVE ? x < 0.0 : !(x > 0.0);
    double tensor[6], root[6], inverse[6];
    for (int k = 0; k < 6; ++k)
        tensor[k] = rule->values[k] == SARRUS_NO_VALUE ? 0.0 : values[rule->values[k]];
    return tensor[0] > 0.0 && tensor[1] > 0.0 && tensor[2] > 0.0 &&
           sarrus_inertia_judge(tensor, root, inverse) != SARRUS_INERTIA_GOOD;
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
    /* As independent draws: designs and grids have other numbers of instances, and shares are those of the distributions. */
    const sarrus_draw_request request = {.seed = model->batch.seed, .n_study = n_trials, .n_instances = n_trials, .is_plain = true};
    const bool good = values != NULL && sarrus_draws_make(NULL, model, &request, &draws) == SARRUS_OK &&
                      sarrus_evaluator_create(model, &evaluator) == SARRUS_OK;
    for (uint64_t i = 0; good && i < n_trials; ++i) {
        (void)sarrus_evaluator_run(evaluator, draws, i, values);
        for (int k = 0; k < rules->n; ++k)
            rules->list[k].share += !is_known[k] && is_broken(&rules->list[k], values) ? 1.0 / (double)n_trials : 0.0;
    }
    sarrus_evaluator_destroy(evaluator);
    sarrus_draws_destroy(draws);
    free(values);
    return good;
}

/* Neither drawn nor computed. */
static bool is_plain(const sarrus_model *model, sarrus_value_index i) {
    return i == SARRUS_NO_VALUE || (model->values[i].expression == NULL && sarrus_model_draw_find(model, i) == NULL);
}

/* The share where one draw decides, or none does; false: it is to be counted. */
static bool share_is_known(const sarrus_model *model, ruled *rule) {
    if (rule->condition == OF_A_BODY) {
        bool is_fixed = true;
        for (int k = 0; k < 6; ++k)
            is_fixed = is_fixed && is_plain(model, rule->values[k]);
        return is_fixed;
    }
    const sarrus_sampled *draw = draw_that_is(model, rule->values[0]);
    if (draw != NULL)
        rule->share = rule->condition == NOT_NEGATIVE ? sarrus_sampled_share_below(draw, 0.0) : sarrus_sampled_share_to(draw, 0.0);
    return draw != NULL || model->values[rule->values[0]].expression == NULL;
}

static bool shares_find(ruled_list *rules) {
    const sarrus_model *model = rules->model;
    bool *is_known = calloc((size_t)rules->n + 1, sizeof *is_known);
    bool is_asked = false;
    if (is_known == NULL)
        return false;
    for (int k = 0; k < rules->n; ++k) {
        is_known[k] = share_is_known(model, &rules->list[k]);
        is_asked = is_asked || !is_known[k];
    }
    const bool good = !is_asked || count_in_trials(rules, is_known);
    free(is_known);
    return good;
}

static int larger_share_first(const void *left, const void *right) {
    const ruled *a = left, *b = right;
    const sarrus_value_index i = a->values[0], j = b->values[0];
    return a->share != b->share ? (a->share < b->share) - (a->share > b->share) : (i > j) - (i < j);
}

/* The path of a number; a tensor has that of its first number without the last word. */
static void rule_tell(sarrus_warnings *warnings, const sarrus_model *model, const ruled *rule, uint64_t n_instances) {
    const double share = rule->share, number = share * (double)n_instances, numbers[2] = {share, number};
    char *path = strdup(model->values[rule->values[0]].path);
    if (path == NULL) {
        warnings->is_out_of_memory = true;
        return;
    }
    if (rule->condition == OF_A_BODY)
        *strrchr(path, '.') = '\0';
    sarrus_warnings_add(warnings, SARRUS_WARNING_UNPHYSICAL_DRAWS, path, numbers, 2,
                        "%s: %.*g %% of the draws are %s (about %.3g of %llu instance%s); such instances %s", path,
                        share < 0.995 ? 2 : 3, 100.0 * share, broken[rule->condition].draws, number,
                        (unsigned long long)n_instances, n_instances == 1 ? "" : "s", broken[rule->condition].instances);
    free(path);
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
        const double share = rules.list[k].share;
        if (share < least_share && share * (double)n_instances < least_number)
            break;
        rule_tell(warnings, model, &rules.list[k], n_instances);
    }
    sarrus_warnings_add_rest(warnings, SARRUS_WARNING_UNPHYSICAL_DRAWS, "numbers with such draws");
    free(rules.list);
}
