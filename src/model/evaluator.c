/* Which of an instance's values follow from its draws, and in which order they are computed: the nominal numbers first, then the
 * draws over them, then the formulas in the order of the values, named parameters before all else, so that whatever a formula names
 * is there already (the reader lets a parameter name those before it only). What no draw can change is computed once, when the
 * evaluator is made; equal texts share one formula, which is evaluated once per instance. The arithmetic of a formula is
 * expression.c's, over muParser (muparser.cpp). */
#include "model/evaluator.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/expression.h"
#include "model/names.h"

/* One distinct text, and the values that get its result: followers[i_first … i_first + n − 1]. */
struct formula {
    sarrus_expression *expression;
    int i_follower;
};

/* A value that gets the result of a formula, chained. */
struct follower {
    sarrus_value_index i_value;
    int i_next; /* −1: the last one */
};

struct sarrus_evaluator {
    const sarrus_model *model;
    double *nominal;   /* [n_values] */
    double *variables; /* [n_named] what the expressions see */
    int n_formulas, n_followers;
    struct formula *formulas;   /* in the order of evaluation */
    struct follower *followers; /* [n_values] at most */
};

/* What is needed only while the evaluator is being made. */
struct preparation {
    sarrus_evaluator *evaluator;
    sarrus_names named; /* name without "parameters." → index */
    sarrus_names texts; /* text → index of its formula */
    bool *is_drawn;     /* [n_values] */
    bool *is_varying;   /* [n_named] */
};

static const char *bare_name(const sarrus_value *named) {
    return named->path + sizeof "parameters." - 1;
}

/* True when the expression names a parameter that differs between instances. */
static bool depends_on_draws(const struct preparation *preparation, const char *text) {
    size_t length = 0;
    for (const char *word = sarrus_expression_next_word(text, &length); word != NULL;
         word = sarrus_expression_next_word(word + length, &length)) {
        const int32_t i_named = sarrus_names_find_part(&preparation->named, word, length);
        if (i_named >= 0 && preparation->is_varying[i_named]) {
            return true;
        }
    }
    return false;
}

/* Binds only the words that occur in `text`: binding all parameters to all expressions would be quadratic. */
static sarrus_status bind_words(struct preparation *preparation, sarrus_expression *expression, const char *text) {
    size_t length = 0;
    for (const char *word = sarrus_expression_next_word(text, &length); word != NULL;
         word = sarrus_expression_next_word(word + length, &length)) {
        const int32_t i_named = sarrus_names_find_part(&preparation->named, word, length);
        if (i_named < 0) {
            continue;
        }
        const sarrus_evaluator *evaluator = preparation->evaluator;
        const sarrus_status status =
            sarrus_expression_bind(expression, bare_name(&evaluator->model->values[i_named]), &evaluator->variables[i_named]);
        if (status != SARRUS_OK) {
            return status;
        }
    }
    return SARRUS_OK;
}

static sarrus_status formula_add(struct preparation *preparation, const char *text, int32_t *out) {
    sarrus_evaluator *evaluator = preparation->evaluator;
    struct formula *formula = &evaluator->formulas[evaluator->n_formulas];
    *formula = (struct formula){NULL, -1};
    sarrus_status status = sarrus_expression_create(&formula->expression);
    if (status != SARRUS_OK) {
        return status;
    }
    *out = evaluator->n_formulas++;
    status = bind_words(preparation, formula->expression, text);
    if (status != SARRUS_OK) {
        return status;
    }
    double value = 0;
    sarrus_expression_fault fault;
    status = sarrus_expression_compile(formula->expression, text, &value, &fault);
    return status != SARRUS_OK ? status : sarrus_names_add(&preparation->texts, text, *out);
}

/* Puts value `i_value` into the list of what is computed per instance, if a draw reaches it through its expression. */
static sarrus_status value_prepare(struct preparation *preparation, sarrus_value_index i_value) {
    sarrus_evaluator *evaluator = preparation->evaluator;
    const char *text = evaluator->model->values[i_value].expression;
    const bool follows = text != NULL && !preparation->is_drawn[i_value] && depends_on_draws(preparation, text);
    if (i_value < evaluator->model->n_named) {
        preparation->is_varying[i_value] = follows || preparation->is_drawn[i_value];
    }
    if (!follows) {
        return SARRUS_OK;
    }
    int32_t i_formula = sarrus_names_find(&preparation->texts, text);
    if (i_formula < 0) {
        const sarrus_status status = formula_add(preparation, text, &i_formula);
        if (status != SARRUS_OK) {
            return status;
        }
    }
    struct formula *formula = &evaluator->formulas[i_formula];
    evaluator->followers[evaluator->n_followers] = (struct follower){i_value, formula->i_follower};
    formula->i_follower = evaluator->n_followers++;
    return SARRUS_OK;
}

static sarrus_status prepare(struct preparation *preparation) {
    const sarrus_model *model = preparation->evaluator->model;
    for (int i_sampled = 0; i_sampled < model->batch.n_sampled; ++i_sampled) {
        const sarrus_sampled *sampled = &model->batch.sampled[i_sampled];
        for (int i_target = 0; i_target < sampled->n_targets; ++i_target) {
            preparation->is_drawn[sampled->targets[i_target]] = true;
        }
    }
    for (int i_named = 0; i_named < model->n_named; ++i_named) {
        const sarrus_status status = sarrus_names_add(&preparation->named, bare_name(&model->values[i_named]), i_named);
        if (status != SARRUS_OK) {
            return status;
        }
    }
    for (int i_value = 0; i_value < model->n_values; ++i_value) {
        const sarrus_status status = value_prepare(preparation, i_value);
        if (status != SARRUS_OK) {
            return status;
        }
    }
    return SARRUS_OK;
}

static size_t at_least_one(int n) {
    return n > 0 ? (size_t)n : 1;
}

static sarrus_status evaluator_allocate(sarrus_evaluator *evaluator) {
    const sarrus_model *model = evaluator->model;
    const size_t n_values = at_least_one(model->n_values);
    evaluator->nominal = calloc(n_values, sizeof *evaluator->nominal);
    evaluator->variables = calloc(at_least_one(model->n_named), sizeof *evaluator->variables);
    evaluator->formulas = calloc(n_values, sizeof *evaluator->formulas);
    evaluator->followers = calloc(n_values, sizeof *evaluator->followers);
    if (evaluator->nominal == NULL || evaluator->variables == NULL || evaluator->formulas == NULL || evaluator->followers == NULL) {
        return SARRUS_NO_MEMORY;
    }
    for (int i_value = 0; i_value < model->n_values; ++i_value) {
        evaluator->nominal[i_value] = model->values[i_value].nominal;
    }
    if (model->n_named > 0) {
        memcpy(evaluator->variables, evaluator->nominal, (size_t)model->n_named * sizeof *evaluator->variables);
    }
    return SARRUS_OK;
}

sarrus_status sarrus_evaluator_create(const sarrus_model *model, sarrus_evaluator **out) {
    sarrus_evaluator *evaluator = calloc(1, sizeof *evaluator);
    if (evaluator == NULL) {
        return SARRUS_NO_MEMORY;
    }
    evaluator->model = model;
    sarrus_status status = evaluator_allocate(evaluator);
    struct preparation preparation = {.evaluator = evaluator,
                                      .is_drawn = calloc(at_least_one(model->n_values), sizeof(bool)),
                                      .is_varying = calloc(at_least_one(model->n_named), sizeof(bool))};
    if (preparation.is_drawn == NULL || preparation.is_varying == NULL) {
        status = SARRUS_NO_MEMORY;
    }
    if (status == SARRUS_OK) {
        status = prepare(&preparation);
    }
    free(preparation.is_drawn);
    free(preparation.is_varying);
    sarrus_names_clear(&preparation.named);
    sarrus_names_clear(&preparation.texts);
    if (status != SARRUS_OK) {
        sarrus_evaluator_destroy(evaluator);
        return status;
    }
    *out = evaluator;
    return SARRUS_OK;
}

void sarrus_evaluator_destroy(sarrus_evaluator *evaluator) {
    if (evaluator == NULL) {
        return;
    }
    for (int i_formula = 0; i_formula < evaluator->n_formulas; ++i_formula) {
        sarrus_expression_destroy(evaluator->formulas[i_formula].expression);
    }
    free(evaluator->nominal);
    free(evaluator->variables);
    free(evaluator->formulas);
    free(evaluator->followers);
    free(evaluator);
}

/* Writes a result where it belongs: into the values, and into the variable when the value is a named parameter. */
static void value_set(sarrus_evaluator *evaluator, sarrus_value_index i_value, double number, double *values) {
    values[i_value] = number;
    if (i_value < evaluator->model->n_named) {
        evaluator->variables[i_value] = number;
    }
}

bool sarrus_evaluator_run(sarrus_evaluator *evaluator, const sarrus_draws *draws, uint64_t i_instance, double *values) {
    const sarrus_model *model = evaluator->model;
    memcpy(values, evaluator->nominal, (size_t)model->n_values * sizeof *values);
    if (draws == NULL) {
        return true; /* the reader accepts finite numbers only */
    }
    bool is_finite = true;
    for (int i_sampled = 0; i_sampled < model->batch.n_sampled; ++i_sampled) {
        const sarrus_sampled *sampled = &model->batch.sampled[i_sampled];
        const double number = draws->values[(size_t)i_sampled * draws->n_instances + i_instance];
        is_finite = is_finite && isfinite(number);
        for (int i_target = 0; i_target < sampled->n_targets; ++i_target) {
            value_set(evaluator, sampled->targets[i_target], number, values);
        }
    }
    for (int i_formula = 0; i_formula < evaluator->n_formulas; ++i_formula) {
        const struct formula *formula = &evaluator->formulas[i_formula];
        const double number = sarrus_expression_evaluate(formula->expression);
        is_finite = is_finite && isfinite(number);
        for (int i = formula->i_follower; i >= 0; i = evaluator->followers[i].i_next) {
            value_set(evaluator, evaluator->followers[i].i_value, number, values);
        }
    }
    return is_finite;
}
