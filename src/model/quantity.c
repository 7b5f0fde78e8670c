#include "model/quantity.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/expression.h"
#include "model/quantity_term.h"

typedef enum reduction_kind {
#define SARRUS_REDUCTION(name, value, word, text) REDUCTION_##name = value,
#include "sarrus/reduction.def"
} reduction_kind;

static const char *const reduction_words[] = {
#define SARRUS_REDUCTION(name, value, word, text) [value] = word,
#include "sarrus/reduction.def"
};
enum { N_REDUCTION_WORDS = sizeof reduction_words / sizeof reduction_words[0] };

const char *sarrus_reduction_word(int i) {
    return i >= 0 && i < N_REDUCTION_WORDS ? reduction_words[i] : NULL;
}

typedef struct reduction {
    reduction_kind kind;
    sarrus_expression *inside;
} reduction;

/* muParser keeps addresses: all that it reads stays where it is. */
struct sarrus_quantities {
    const sarrus_model *model;
    int n_terms, n_reductions, n_outer, n_reserved;
    sarrus_term terms[SARRUS_MAX_TERMS];
    double values[SARRUS_MAX_TERMS];
    reduction reductions[SARRUS_MAX_REDUCTIONS];
    double reduced[SARRUS_MAX_REDUCTIONS];
    sarrus_expression **outer; /* [n_reserved] */
};

sarrus_quantities *sarrus_quantities_create(const sarrus_model *model) {
    sarrus_quantities *quantities = calloc(1, sizeof *quantities);
    if (quantities != NULL)
        quantities->model = model;
    return quantities;
}

void sarrus_quantities_destroy(sarrus_quantities *quantities) {
    if (quantities == NULL)
        return;
    for (int i = 0; i < quantities->n_reductions; ++i)
        sarrus_expression_destroy(quantities->reductions[i].inside);
    for (int i = 0; i < quantities->n_outer; ++i)
        sarrus_expression_destroy(quantities->outer[i]);
    free(quantities->outer);
    free(quantities);
}

static bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

/* Bytes of the word at text[i], with the dots in it; 0: there is none. */
static size_t word_length(const char *text, size_t i, size_t i_end) {
    size_t n = 0;
    if (!is_letter(text[i]))
        return 0;
    while (i + n < i_end &&
           (is_letter(text[i + n]) || is_digit(text[i + n]) ||
            (text[i + n] == '.' && i + n + 1 < i_end && (is_letter(text[i + n + 1]) || is_digit(text[i + n + 1])))))
        ++n;
    return n;
}

/* Behind a number at text[i], which is a digit or a dot. */
static size_t number_end(const char *text, size_t i, size_t i_end) {
    while (i < i_end && (is_digit(text[i]) || text[i] == '.'))
        ++i;
    if (i < i_end && (text[i] == 'e' || text[i] == 'E')) {
        ++i;
        i += i < i_end && (text[i] == '+' || text[i] == '-');
        while (i < i_end && is_digit(text[i]))
            ++i;
    }
    return i;
}

static bool is_known_word(const char *text, size_t n) {
    for (size_t i = 0; sarrus_expression_known_word(i) != NULL; ++i)
        if (strlen(sarrus_expression_known_word(i)) == n && memcmp(sarrus_expression_known_word(i), text, n) == 0)
            return true;
    return false;
}

enum { NO_REDUCTION = -1, REDUCTION_NOT_CLOSED = -2 };

/* The reduction that begins with the word text[i … i + n), or NO_REDUCTION: one of its words, called with one argument (max and min
 * of several are muParser's). Its argument is text[argument[0] … argument[1]); of one that is not closed it has no end. */
static int reduction_at(const char *text, size_t i, size_t n, size_t i_end, size_t argument[2]) {
    int kind = -1, depth = 0;
    size_t at = i + n;
    for (int k = 0; k < N_REDUCTION_WORDS; ++k)
        if (strlen(reduction_words[k]) == n && memcmp(reduction_words[k], text + i, n) == 0)
            kind = k;
    while (at < i_end && text[at] == ' ')
        ++at;
    if (kind < 0 || at >= i_end || text[at] != '(')
        return NO_REDUCTION;
    argument[0] = at + 1;
    for (size_t j = at; j < i_end; ++j) {
        depth += (text[j] == '(') - (text[j] == ')');
        if (depth == 1 && text[j] == ',' && (kind == REDUCTION_MAX || kind == REDUCTION_MIN))
            return NO_REDUCTION;
        if (depth > 0)
            continue;
        argument[1] = j;
        return kind;
    }
    return REDUCTION_NOT_CLOSED;
}

static sarrus_status refuse(sarrus_quantity_fault *fault, size_t position, size_t n_token, const char *message) {
    *fault = (sarrus_quantity_fault){.position = position, .n_token = n_token, .message = message};
    return SARRUS_BAD_INPUT;
}

/* Writes over `n` bytes a name of three, and spaces: positions in the text stay what they are. No name of the model begins so,
 * since words that begin with '_' are refused. */
static void stand_in(char *text, size_t n, int number, char name[4]) {
    static const char digits[] = "0123456789abcdefghijklmnopqrstuvwxyz";
    name[0] = '_';
    name[1] = digits[number / 36];
    name[2] = digits[number % 36];
    name[3] = '\0';
    memset(text, ' ', n);
    memcpy(text, name, 3);
}

static bool is_same(const sarrus_term *a, const sarrus_term *b) {
    return a->kind == b->kind && a->observable == b->observable && a->component == b->component && a->point == b->point &&
           a->order == b->order && a->value == b->value;
}

/* The number of a term, which is added when it is new; −1: there are too many. */
static int term_number(sarrus_quantities *quantities, const sarrus_term *term) {
    int i = 0;
    while (i < quantities->n_terms && !is_same(&quantities->terms[i], term))
        ++i;
    if (i == SARRUS_MAX_TERMS)
        return -1;
    quantities->terms[i] = *term;
    quantities->n_terms = i == quantities->n_terms ? i + 1 : quantities->n_terms;
    return i;
}

/* Binds the word text[i … i + n) of an expression to its value. */
static sarrus_status word_bind(sarrus_quantities *quantities, sarrus_expression *expression, char *text, size_t i, size_t n,
                               bool is_inside, sarrus_quantity_fault *fault) {
    sarrus_term term;
    *fault = (sarrus_quantity_fault){.position = i, .n_token = n, .message = "", .is_unknown_name = true};
    if (text[i] == '_' || !sarrus_term_find(quantities->model, text + i, n, &term, fault))
        return SARRUS_BAD_INPUT;
    if (!is_inside && term.kind != SARRUS_TERM_VALUE)
        return refuse(fault, i, n,
                      "a number of every time outside of a reduction; expected max(...), mean(...), final(...) about it");
    const int number = term_number(quantities, &term);
    if (number < 0)
        return refuse(fault, i, n, "too many different names; expected at most 256 in all quantities");
    char name[SARRUS_QUANTITY_TEXT] = "";
    if (n >= 3)
        stand_in(text + i, n, number, name);
    else
        memcpy(name, text + i, n); /* a name of one or two letters is nobody's stand-in */
    const sarrus_status status = sarrus_expression_bind(expression, name, &quantities->values[number]);
    return status == SARRUS_BAD_ARGUMENT ? refuse(fault, i, n, "a word that is no name; expected another") : status;
}

static sarrus_status compile(sarrus_expression *expression, const char *text, size_t i_first, sarrus_quantity_fault *fault) {
    sarrus_expression_fault found;
    double value = 0.0;
    const sarrus_status status = sarrus_expression_compile(expression, text, &value, &found);
    return status == SARRUS_BAD_INPUT ? refuse(fault, i_first + found.position, found.n_token, found.message) : status;
}

/* The argument of a reduction: its names become variables. */
static sarrus_status inside_make(sarrus_quantities *quantities, const char *text, const size_t argument[2], reduction_kind kind,
                                 sarrus_quantity_fault *fault) {
    const size_t n_text = argument[1] - argument[0];
    if (quantities->n_reductions == SARRUS_MAX_REDUCTIONS)
        return refuse(fault, argument[0], 1, "too many reductions; expected at most 256 in all quantities");
    char *copy = strndup(text + argument[0], n_text);
    sarrus_expression *expression = NULL;
    sarrus_status status = copy != NULL ? sarrus_expression_create(&expression) : SARRUS_NO_MEMORY;
    if (status == SARRUS_OK)
        quantities->reductions[quantities->n_reductions++] = (reduction){kind, expression};
    for (size_t i = 0; status == SARRUS_OK && i < n_text;) {
        const size_t n = word_length(copy, i, n_text);
        size_t nested[2];
        if (n == 0) {
            i = is_digit(copy[i]) || copy[i] == '.' ? number_end(copy, i, n_text) : i + 1;
            continue;
        }
        if (reduction_at(copy, i, n, n_text, nested) >= 0)
            status = refuse(fault, i, n, "a reduction within a reduction; expected numbers of one time");
        else if (!is_known_word(copy + i, n))
            status = word_bind(quantities, expression, copy, i, n, true, fault);
        if (status == SARRUS_BAD_INPUT)
            fault->position += argument[0];
        i += n;
    }
    if (status == SARRUS_OK)
        status = compile(expression, copy, argument[0], fault);
    free(copy);
    return status;
}

/* Makes every reduction of `text` a variable, and binds named parameters. */
static sarrus_status outer_make(sarrus_quantities *quantities, sarrus_expression *expression, char *text,
                                sarrus_quantity_fault *fault) {
    const size_t n_text = strlen(text);
    sarrus_status status = SARRUS_OK;
    for (size_t i = 0; status == SARRUS_OK && i < n_text;) {
        const size_t n = word_length(text, i, n_text);
        size_t argument[2] = {0, 0};
        if (n == 0) {
            i = is_digit(text[i]) || text[i] == '.' ? number_end(text, i, n_text) : i + 1;
            continue;
        }
        const int kind = reduction_at(text, i, n, n_text, argument);
        if (kind >= 0) {
            char name[4];
            status = inside_make(quantities, text, argument, (reduction_kind)kind, fault);
            if (status != SARRUS_OK)
                return status;
            stand_in(text + i, argument[1] + 1 - i, SARRUS_MAX_TERMS + quantities->n_reductions - 1, name);
            status = sarrus_expression_bind(expression, name, &quantities->reduced[quantities->n_reductions - 1]);
            i = argument[1] + 1;
            continue;
        }
        if (kind == REDUCTION_NOT_CLOSED)
            status = refuse(fault, argument[0] - 1, 1, "this '(' is not closed; expected as many ')' as '('");
        else if (!is_known_word(text + i, n))
            status = word_bind(quantities, expression, text, i, n, false, fault);
        i += n;
    }
    return status == SARRUS_OK ? compile(expression, text, 0, fault) : status;
}

sarrus_status sarrus_quantities_add(sarrus_quantities *quantities, const char *text, sarrus_quantity_fault *fault) {
    if (strlen(text) > SARRUS_EXPRESSION_MAX_LENGTH)
        return refuse(fault, SARRUS_EXPRESSION_MAX_LENGTH, 1, "the expression is too long; expected at most 1000 characters");
    if (quantities->n_outer == quantities->n_reserved) {
        const int n = 2 * quantities->n_reserved + 4;
        sarrus_expression **grown = realloc(quantities->outer, (size_t)n * sizeof *grown);
        if (grown == NULL)
            return SARRUS_NO_MEMORY;
        quantities->outer = grown;
        quantities->n_reserved = n;
    }
    sarrus_expression *expression = NULL;
    char *copy = strdup(text);
    sarrus_status status = copy != NULL ? sarrus_expression_create(&expression) : SARRUS_NO_MEMORY;
    if (status == SARRUS_OK) {
        quantities->outer[quantities->n_outer++] = expression;
        status = outer_make(quantities, expression, copy, fault);
    }
    free(copy);
    return status;
}

int sarrus_quantities_n_terms(const sarrus_quantities *quantities) {
    return quantities->n_terms;
}

const sarrus_term *sarrus_quantities_term(const sarrus_quantities *quantities, int i) {
    return &quantities->terms[i];
}

double *sarrus_quantities_values(sarrus_quantities *quantities) {
    return quantities->values;
}

int sarrus_quantities_n_reductions(const sarrus_quantities *quantities) {
    return quantities->n_reductions;
}

/* A number that is none stays: every comparison with it is false. */
static double larger(double a, double b) {
    return b > a || isnan(b) ? b : a;
}

static double smaller(double a, double b) {
    return b < a || isnan(b) ? b : a;
}

static void state_take(reduction_kind kind, double t, double x, sarrus_reduction_state *state) {
    const bool is_first = state->n++ == 0;
    switch (kind) {
    case REDUCTION_MAX:
        state->a = is_first ? x : larger(state->a, x);
        break;
    case REDUCTION_MIN:
        state->a = is_first ? x : smaller(state->a, x);
        break;
    case REDUCTION_RANGE:
        state->a = is_first ? x : larger(state->a, x);
        state->b = is_first ? x : smaller(state->b, x);
        break;
    case REDUCTION_MEAN:
        state->a += x;
        break;
    case REDUCTION_RMS:
        state->a += x * x;
        break;
    case REDUCTION_FINAL:
        state->a = x;
        break;
    case REDUCTION_INTEGRAL:
        state->a += is_first ? 0.0 : 0.5 * (t - state->b) * (x + state->c);
        state->b = t;
        state->c = x;
        break;
    case REDUCTION_FIRST:
        if (state->b == 0.0 && x != 0.0 && !isnan(x)) {
            state->a = t;
            state->b = 1.0;
        }
        break;
    }
}

static double state_result(reduction_kind kind, const sarrus_reduction_state *state) {
    const double n = (double)state->n;
    if (state->n == 0)
        return (double)NAN;
    switch (kind) {
    case REDUCTION_RANGE:
        return state->a - state->b;
    case REDUCTION_MEAN:
        return state->a / n;
    case REDUCTION_RMS:
        return sqrt(state->a / n);
    case REDUCTION_FIRST:
        return state->b != 0.0 ? state->a : (double)NAN;
    case REDUCTION_MAX:
    case REDUCTION_MIN:
    case REDUCTION_FINAL:
    case REDUCTION_INTEGRAL:
        break;
    }
    return state->a;
}

void sarrus_quantities_take(sarrus_quantities *quantities, double t, sarrus_reduction_state *states) {
    for (int i = 0; i < quantities->n_reductions; ++i) {
        const reduction *of = &quantities->reductions[i];
        state_take(of->kind, t, sarrus_expression_evaluate(of->inside), &states[i]);
    }
}

void sarrus_quantities_finish(sarrus_quantities *quantities, const sarrus_reduction_state *states, double *out) {
    for (int i = 0; i < quantities->n_reductions; ++i)
        quantities->reduced[i] = state_result(quantities->reductions[i].kind, &states[i]);
    for (int i = 0; i < quantities->n_outer; ++i)
        out[i] = sarrus_expression_evaluate(quantities->outer[i]);
}
