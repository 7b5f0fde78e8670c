/* Units of expressions: muParser's grammar with units in the place of numbers. Numbers that are written out take part in sums with
 * anything, and in products they have no unit. What is found of one named parameter whose unit is wanted is kept as its power, so
 * that an expression which is known to be in meters tells what it is in.
 *
 *   choice: either ['?' choice ':' choice]     sum: product {('+' | '-') product}
 *   either, both: by || and &&                 product: power {('*' | '/') power}
 *   comparison: sum {('<' | '>=' | …) sum}     power: sign ['^' power] */
#include "model/unit_rules.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sarrus/scenario.h"

enum { N_BASE = SARRUS_N_BASE_UNITS, NO_SYMBOL = -1 };

/* From which expressions the unit of a parameter is taken, the surest first: x and sums with it; 2 x; m x². In "inertia: =L^2/12" a
 * mass of 1 may have been left out, so that other numbers are asked before. */
enum { FROM_SUMS, FROM_MULTIPLES, FROM_ALL, N_BOLDNESS };

/* The unit of a part of an expression. */
typedef struct found {
    bool is_number; /* written out: it may have any unit */
    double number;
    sarrus_unit unit;
    int symbol; /* a named parameter whose unit is wanted, which the unit is to be multiplied by to `power`; NO_SYMBOL: none */
    double power;
    bool has_factor; /* a number that is written out, which may have hidden a unit */
} found;

typedef struct reading {
    const char *at, *end;
    const sarrus_model *model;
    const sarrus_unit *units; /* [n_values] */
    sarrus_unit *solved;      /* the same, where those that are found of named parameters go; NULL: none are wanted */
    int boldness;             /* what is taken for settled */
    bool is_quantity;         /* names are those of quantities, which have reductions */
} reading;

static found choice_read(reading *r);

static found unknown(void) {
    return (found){.symbol = NO_SYMBOL};
}

static found number(double value) {
    return (found){.is_number = true, .number = value, .unit = {.is_known = true}, .symbol = NO_SYMBOL};
}

static found of_unit(sarrus_unit unit) {
    return (found){.unit = unit, .symbol = NO_SYMBOL};
}

static found plain(void) {
    return of_unit((sarrus_unit){.is_known = true});
}

static found base(int i) {
    found x = plain();
    x.unit.power[i] = 1;
    return x;
}

/* ---- rules ---- */

static found product_of(found a, found b, double power) {
    if (a.is_number && b.is_number)
        return number(power > 0 ? a.number * b.number : a.number / b.number);
    if (!a.unit.is_known || !b.unit.is_known || (a.symbol != NO_SYMBOL && b.symbol != NO_SYMBOL && a.symbol != b.symbol))
        return unknown();
    found c = {.unit = a.unit, .symbol = a.symbol != NO_SYMBOL ? a.symbol : b.symbol, .power = a.power + power * b.power};
    for (int i = 0; i < N_BASE; ++i)
        c.unit.power[i] += power * b.unit.power[i];
    c.symbol = c.power != 0 ? c.symbol : NO_SYMBOL;
    c.has_factor = a.is_number || b.is_number || a.has_factor || b.has_factor;
    return c;
}

static found power_of(found a, double power) {
    if (a.is_number)
        return number(pow(a.number, power));
    if (!a.unit.is_known || !isfinite(power))
        return unknown();
    for (int i = 0; i < N_BASE; ++i)
        a.unit.power[i] *= power;
    a.power *= power;
    a.symbol = a.power != 0 ? a.symbol : NO_SYMBOL;
    return a;
}

static bool is_same(const found *a, const found *b) {
    bool is = a->unit.is_known && b->unit.is_known && a->symbol == b->symbol && (a->symbol == NO_SYMBOL || a->power == b->power);
    for (int i = 0; is && i < N_BASE; ++i)
        is = a->unit.power[i] == b->unit.power[i];
    return is;
}

/* Whether a unit is taken from such a part. */
static bool is_sure(const reading *r, const found *x) {
    bool is_bare = !x->has_factor;
    for (int i = 0; i < N_BASE; ++i)
        is_bare = is_bare && x->unit.power[i] == 0;
    return r->boldness == FROM_ALL || (x->power == 1 && (is_bare || r->boldness == FROM_MULTIPLES));
}

/* What has a symbol in it is in `unit`: the symbol's is what is missing, unless it had roots. */
static void solve(const reading *r, const found *x, const sarrus_unit *unit) {
    if (r->solved == NULL || x->symbol == NO_SYMBOL || x->is_number || !x->unit.is_known || !unit->is_known)
        return;
    sarrus_unit own = {.is_known = is_sure(r, x) && !r->solved[x->symbol].is_known};
    for (int i = 0; i < N_BASE; ++i) {
        own.power[i] = (unit->power[i] - x->unit.power[i]) / x->power;
        own.is_known = own.is_known && own.power[i] == rint(own.power[i]);
    }
    if (own.is_known)
        r->solved[x->symbol] = own;
}

/* Two numbers of the same unit, of which one may tell that of the other. */
static found alike(const reading *r, found a, found b) {
    if (a.is_number || b.is_number)
        return a.is_number && b.is_number ? number((double)NAN) : a.is_number ? b : a;
    if (is_same(&a, &b))
        return a;
    if (!a.unit.is_known || !b.unit.is_known)
        return unknown();
    if (a.symbol == NO_SYMBOL && b.symbol != NO_SYMBOL) {
        solve(r, &b, &a.unit);
        return a;
    }
    if (b.symbol == NO_SYMBOL && a.symbol != NO_SYMBOL) {
        solve(r, &a, &b.unit);
        return b;
    }
    return a.symbol != NO_SYMBOL ? a : unknown();
}

/* ---- reading ---- */

static void spaces_skip(reading *r) {
    while (r->at < r->end && (*r->at == ' ' || *r->at == '\t'))
        ++r->at;
}

static bool take(reading *r, const char *text) {
    const size_t n = strlen(text);
    spaces_skip(r);
    if ((size_t)(r->end - r->at) < n || memcmp(r->at, text, n) != 0)
        return false;
    r->at += n;
    return true;
}

static bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

static found literal_read(reading *r) {
    char text[64];
    size_t n = 0;
    while (r->at + n < r->end && n < sizeof text - 1 &&
           (is_digit(r->at[n]) || r->at[n] == '.' || ((r->at[n] == 'e' || r->at[n] == 'E') && n > 0) ||
            ((r->at[n] == '+' || r->at[n] == '-') && n > 0 && (r->at[n - 1] == 'e' || r->at[n - 1] == 'E'))))
        ++n;
    memcpy(text, r->at, n);
    text[n] = '\0';
    double value = 0, scale = 1;
    bool is_behind = false;
    size_t i = 0;
    for (; is_digit(text[i]) || text[i] == '.'; ++i) {
        is_behind = is_behind || text[i] == '.';
        scale *= is_behind && text[i] != '.' ? 10 : 1;
        value = text[i] == '.' ? value : 10 * value + (text[i] - '0');
    }
    r->at += n;
    return number(text[i] == '\0' ? value / scale : (double)NAN); /* as a power nobody writes another */
}

/* Functions by what they make of the unit of their arguments. */
typedef enum rule { RULE_PLAIN, RULE_OF_ANGLE, RULE_SIGN, RULE_ANGLE, RULE_ROOT, RULE_SAME } rule;
static const struct {
    const char *word;
    rule rule;
} functions[] = {
    {"sin", RULE_OF_ANGLE}, {"cos", RULE_OF_ANGLE}, {"tan", RULE_OF_ANGLE}, {"asin", RULE_ANGLE}, {"acos", RULE_ANGLE},
    {"atan", RULE_ANGLE},   {"atan2", RULE_ANGLE},  {"sinh", RULE_PLAIN},   {"cosh", RULE_PLAIN}, {"tanh", RULE_PLAIN},
    {"asinh", RULE_PLAIN},  {"acosh", RULE_PLAIN},  {"atanh", RULE_PLAIN},  {"log2", RULE_PLAIN}, {"log10", RULE_PLAIN},
    {"log", RULE_PLAIN},    {"ln", RULE_PLAIN},     {"exp", RULE_PLAIN},    {"sqrt", RULE_ROOT},  {"sign", RULE_SIGN},
    {"rint", RULE_SAME},    {"abs", RULE_SAME},     {"sum", RULE_SAME},     {"avg", RULE_SAME},   {"min", RULE_SAME},
    {"max", RULE_SAME},     {"hypot", RULE_SAME},
};
/* Those of reductions that are no functions. */
static const char *const same_reductions[] = {"mean", "rms", "final", "range"};

static bool is_word(const char *word, size_t n, const char *text) {
    return strlen(text) == n && memcmp(word, text, n) == 0;
}

/* The arguments behind an opening parenthesis, all of one unit. */
static found arguments_read(reading *r) {
    found x = choice_read(r);
    while (take(r, ","))
        x = alike(r, x, choice_read(r));
    return take(r, ")") ? x : unknown();
}

static found function_read(reading *r, const char *word, size_t n) {
    const found x = arguments_read(r);
    for (size_t i = 0; i < sizeof functions / sizeof functions[0]; ++i) {
        if (!is_word(word, n, functions[i].word))
            continue;
        const found of_argument = functions[i].rule == RULE_OF_ANGLE ? base(SARRUS_UNIT_RAD) : plain();
        switch (functions[i].rule) {
        case RULE_PLAIN:
        case RULE_OF_ANGLE:
            solve(r, &x, &of_argument.unit);
            return x.is_number ? number((double)NAN) : plain();
        case RULE_SIGN:
            return x.is_number ? number((double)NAN) : plain();
        case RULE_ANGLE:
            return x.is_number ? number((double)NAN) : base(SARRUS_UNIT_RAD);
        case RULE_ROOT:
            return power_of(x, 0.5);
        case RULE_SAME:
            return x;
        }
    }
    for (size_t i = 0; r->is_quantity && i < sizeof same_reductions / sizeof same_reductions[0]; ++i)
        if (is_word(word, n, same_reductions[i]))
            return x;
    if (r->is_quantity && is_word(word, n, "integral"))
        return x.is_number ? base(SARRUS_UNIT_S) : product_of(x, base(SARRUS_UNIT_S), 1);
    return r->is_quantity && is_word(word, n, "first") ? base(SARRUS_UNIT_S) : unknown();
}

static found name_of(const reading *r, const char *word, size_t n) {
    sarrus_quantity_fault fault;
    sarrus_term term = {.kind = SARRUS_TERM_VALUE};
    if (is_word(word, n, "pi") || is_word(word, n, "_pi") || is_word(word, n, "_e"))
        return number((double)NAN);
    if (is_word(word, n, "deg")) /* 30 of them are an angle */
        return base(SARRUS_UNIT_RAD);
    if (r->is_quantity && !sarrus_term_find(r->model, word, n, &term, &fault))
        return unknown();
    if (r->is_quantity && term.kind != SARRUS_TERM_VALUE)
        return of_unit(sarrus_term_unit(r->model, r->units, &term));
    while (!r->is_quantity && term.value < r->model->n_named &&
           !is_word(word, n, r->model->values[term.value].path + sizeof "parameters." - 1))
        ++term.value;
    if (term.value == r->model->n_named)
        return unknown();
    if (r->units[term.value].is_known)
        return of_unit(r->units[term.value]);
    return (found){.unit = {.is_known = true}, .symbol = term.value, .power = 1};
}

static found word_read(reading *r) {
    const char *word = r->at;
    size_t n = 0;
    while (word + n < r->end && (is_letter(word[n]) || is_digit(word[n]) || (r->is_quantity && word[n] == '.')))
        ++n;
    r->at += n;
    return take(r, "(") ? function_read(r, word, n) : name_of(r, word, n);
}

static found sign_read(reading *r) {
    spaces_skip(r);
    if (take(r, "-") || take(r, "+"))
        return sign_read(r);
    if (take(r, "(")) {
        const found x = choice_read(r);
        return take(r, ")") ? x : unknown();
    }
    if (r->at < r->end && (is_digit(*r->at) || *r->at == '.'))
        return literal_read(r);
    return r->at < r->end && is_letter(*r->at) ? word_read(r) : unknown();
}

static found power_read(reading *r) {
    const found x = sign_read(r);
    if (!take(r, "^"))
        return x;
    const bool is_negative = take(r, "-");
    const found exponent = power_read(r);
    return exponent.is_number ? power_of(x, is_negative ? -exponent.number : exponent.number) : unknown();
}

static found product_read(reading *r) {
    found x = power_read(r);
    for (;;) {
        if (take(r, "*"))
            x = product_of(x, power_read(r), 1);
        else if (take(r, "/"))
            x = product_of(x, power_read(r), -1);
        else
            return x;
    }
}

static found sum_read(reading *r) {
    found x = product_read(r);
    while (take(r, "+") || take(r, "-"))
        x = alike(r, x, product_read(r));
    return x;
}

/* 0 or 1, from what can be compared or joined by one of `words`. */
static found truth_read(reading *r, const char *const *words, found (*part_read)(reading *r)) {
    found x = part_read(r);
    for (int i = 0; words[i] != NULL; ++i) {
        if (!take(r, words[i]))
            continue;
        (void)alike(r, x, part_read(r));
        x = plain();
        i = -1;
    }
    return x;
}

static found comparison_read(reading *r) {
    static const char *const words[] = {"<=", ">=", "==", "!=", "<", ">", NULL};
    return truth_read(r, words, sum_read);
}

static found both_read(reading *r) {
    static const char *const words[] = {"&&", NULL};
    return truth_read(r, words, comparison_read);
}

static found either_read(reading *r) {
    static const char *const words[] = {"||", NULL};
    return truth_read(r, words, both_read);
}

static found choice_read(reading *r) {
    const found x = either_read(r);
    if (!take(r, "?"))
        return x;
    const found first = choice_read(r);
    return take(r, ":") ? alike(r, first, choice_read(r)) : unknown();
}

static found text_read(reading *r, const char *text) {
    r->at = text;
    r->end = text + strlen(text);
    const found x = choice_read(r);
    spaces_skip(r);
    return r->at == r->end ? x : unknown();
}

/* ---- what is asked ---- */

/* All expressions once. Returns how many named parameters have units then. */
static int round_make(reading *r) {
    const sarrus_model *model = r->model;
    int n_known = 0;
    for (int i = 0; i < model->n_values; ++i) {
        const char *text = model->values[i].expression;
        if (text == NULL)
            continue;
        const found x = text_read(r, text);
        solve(r, &x, &r->units[i]);
        if (!r->units[i].is_known && x.unit.is_known && !x.is_number && x.symbol == NO_SYMBOL)
            r->solved[i] = x.unit;
    }
    for (int i = 0; i < model->n_named; ++i)
        n_known += r->units[i].is_known;
    return n_known;
}

void sarrus_model_units_find(const sarrus_model *model, sarrus_unit *units) {
    reading r = {.model = model, .units = units, .solved = units};
    int n_known = 0;
    sarrus_value_units_give(model, units);
    while (r.boldness < N_BOLDNESS && n_known < model->n_named) {
        const int n_before = n_known;
        n_known = round_make(&r);
        r.boldness = n_known > n_before ? FROM_SUMS : r.boldness + 1;
    }
}

static sarrus_unit quantity_unit(const sarrus_model *model, const sarrus_unit *units, const char *text) {
    reading r = {.model = model, .units = units, .is_quantity = true};
    const found x = text_read(&r, text);
    return x.is_number || x.symbol != NO_SYMBOL ? (sarrus_unit){.is_known = x.is_number} : x.unit;
}

char (*sarrus_quantity_units_create(const sarrus_model *model))[SARRUS_UNIT_BYTES] {
    char(*out)[SARRUS_UNIT_BYTES] = calloc((size_t)model->output.n_quantities + 1, sizeof *out);
    sarrus_unit *units = calloc((size_t)model->n_values + 1, sizeof *units);
    if (units != NULL)
        sarrus_model_units_find(model, units);
    for (int i = 0; out != NULL && units != NULL && i < model->output.n_quantities; ++i) {
        const sarrus_unit unit = quantity_unit(model, units, model->output.quantities[i].text);
        if (sarrus_unit_write(&unit, out[i]) == NULL)
            out[i][0] = '\0';
    }
    if (units == NULL) {
        free(out);
        out = NULL;
    }
    free(units);
    return out;
}
