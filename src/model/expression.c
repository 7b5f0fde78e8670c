#include "model/expression.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/muparser.h"

struct sarrus_expression {
    sarrus_muparser *parser;
};

static const char *const known_words[] = {"sin",  "cos",  "tan",   "asin",  "acos",  "atan", "atan2", "sinh",
                                          "cosh", "tanh", "asinh", "acosh", "atanh", "log2", "log10", "log",
                                          "ln",   "exp",  "sqrt",  "sign",  "rint",  "abs",  "sum",   "avg",
                                          "min",  "max",  "hypot", "pi",    "_pi",   "_e",   "deg"};

/* muParser 2.3's own _pi ends after 13 digits. */
static const struct {
    const char *name;
    double value;
} constants[] = {{"pi", M_PI}, {"_pi", M_PI}, {"_e", M_E}, {"deg", M_PI / 180.0}};

/* muParser's error codes that have more to say than "does not parse", and the words for them. */
static const struct {
    int code;
    const char *message;
} fault_texts[] = {
    {0, "an operator where none can stand; expected a value"},
    {1, "an unknown name or character; expected a named parameter, a number, a function or an operator"},
    {2, "the expression ends too early; expected a value"},
    {3, "a ',' where none can stand; expected an operator"},
    {4, "several values; expected one value (a ',' only separates the arguments of a function)"},
    {5, "a number where none can stand; expected an operator"},
    {6, "a name where none can stand; expected an operator"},
    {7, "a parenthesis where none can stand; expected an operator, and as many '(' as ')'"},
    {8, "a function where none can stand; expected an operator"},
    {11, "a ')' is missing; expected as many '(' as ')'"},
    {14, "too many arguments for a function; expected fewer"},
    {15, "too few arguments for a function; expected more"},
    {25, "the expression is empty; expected a value"},
    {32, "a '?' where none can stand; expected 'condition ? value : value'"},
    {33, "a ':' is missing; expected 'condition ? value : value'"},
    {34, "a ':' where none can stand; expected 'condition ? value : value'"},
};

static bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

const char *sarrus_expression_known_word(size_t i) {
    return i < sizeof known_words / sizeof known_words[0] ? known_words[i] : NULL;
}

const char *sarrus_expression_name_fault(const char *name) {
    if (!is_letter(name[0])) {
        return "a parameter's name must begin with a letter or '_'; expected letters, digits and '_' only";
    }
    for (const char *c = name; *c != '\0'; ++c) {
        if (!is_letter(*c) && !is_digit(*c)) {
            return "a character that no parameter's name can hold; expected letters, digits and '_' only";
        }
    }
    for (size_t i = 0; i < sizeof known_words / sizeof known_words[0]; ++i) {
        if (strcmp(name, known_words[i]) == 0) {
            return "a function or constant of expressions has this name; expected another name";
        }
    }
    return NULL;
}

const char *sarrus_expression_next_word(const char *text, size_t *length) {
    while (*text != '\0') {
        if (is_digit(*text) || *text == '.') {
            while (is_digit(*text) || *text == '.') {
                ++text;
            }
            if (*text == 'e' || *text == 'E') {
                ++text;
            }
        } else if (is_letter(*text)) {
            size_t n = 1;
            while (is_letter(text[n]) || is_digit(text[n])) {
                ++n;
            }
            *length = n;
            return text;
        } else {
            ++text;
        }
    }
    return NULL;
}

sarrus_status sarrus_expression_create(sarrus_expression **out) {
    sarrus_expression *expression = calloc(1, sizeof *expression);
    if (expression == NULL) {
        return SARRUS_NO_MEMORY;
    }
    expression->parser = sarrus_muparser_create();
    bool is_made = expression->parser != NULL;
    for (size_t i = 0; is_made && i < sizeof constants / sizeof constants[0]; ++i) {
        is_made = sarrus_muparser_constant(expression->parser, constants[i].name, constants[i].value) == SARRUS_MUPARSER_DONE;
    }
    if (!is_made) {
        sarrus_expression_destroy(expression);
        return SARRUS_NO_MEMORY;
    }
    *out = expression;
    return SARRUS_OK;
}

void sarrus_expression_destroy(sarrus_expression *expression) {
    if (expression != NULL) {
        sarrus_muparser_destroy(expression->parser);
        free(expression);
    }
}

sarrus_status sarrus_expression_bind(sarrus_expression *expression, const char *name, double *address) {
    const sarrus_muparser_outcome outcome = sarrus_muparser_variable(expression->parser, name, address);
    return outcome == SARRUS_MUPARSER_DONE        ? SARRUS_OK
           : outcome == SARRUS_MUPARSER_NO_MEMORY ? SARRUS_NO_MEMORY
                                                  : SARRUS_BAD_ARGUMENT;
}

static sarrus_status refuse(sarrus_expression_fault *fault, size_t position, const char *message) {
    *fault = (sarrus_expression_fault){position, 0, message, false};
    return SARRUS_BAD_INPUT;
}

/* True for the '=' of ==, !=, <= and >=. */
static bool is_comparison(const char *text, size_t i) {
    return text[i + 1] == '=' || (i > 0 && strchr("=!<>", text[i - 1]) != NULL);
}

/* What muParser would accept and must not see, or would take too long or too deep. */
static sarrus_status guard(const char *text, sarrus_expression_fault *fault) {
    int depth = 0;
    for (size_t i = 0; text[i] != '\0'; ++i) {
        const char c = text[i];
        if (i >= SARRUS_EXPRESSION_MAX_LENGTH) {
            return refuse(fault, i, "the expression is too long; expected at most 1000 characters");
        }
        if (c < ' ' || c > '~' || c == '"' || c == '\'' || c == '#' || c == ';' || c == '\\') {
            return refuse(fault, i, "a character that no expression can hold; expected muParser's grammar");
        }
        if (c == '=' && !is_comparison(text, i)) {
            return refuse(fault, i, "an assignment; expected '==' to compare, or no '='");
        }
        if (c == ',' && depth == 0) {
            return refuse(fault, i, "several values; expected one value (a ',' only separates the arguments of a function)");
        }
        depth += (c == '(' || c == '?') - (c == ')' || c == ':');
        if (depth > SARRUS_EXPRESSION_MAX_DEPTH) {
            return refuse(fault, i, "the expression is nested too deeply; expected at most 64 levels");
        }
        if (depth < 0) {
            depth = 0;
        }
    }
    return SARRUS_OK;
}

/* What the parser found, in our words. */
static sarrus_status parser_fault(const sarrus_muparser_fault *found, const char *text, sarrus_expression_fault *fault) {
    const size_t length = strlen(text);
    size_t position = found->position < 0 ? 0 : (size_t)found->position;
    position = position > length ? length : position;
    (void)refuse(fault, position, "the expression does not parse; expected muParser's grammar");
    for (size_t i = 0; i < sizeof fault_texts / sizeof fault_texts[0]; ++i) {
        if (fault_texts[i].code == found->code) {
            fault->message = fault_texts[i].message;
        }
    }
    while (is_letter(text[position + fault->n_token]) || (fault->n_token > 0 && is_digit(text[position + fault->n_token]))) {
        fault->n_token += 1;
    }
    fault->is_unknown_name = found->code == 1 && fault->n_token > 0;
    return SARRUS_BAD_INPUT;
}

sarrus_status sarrus_expression_compile(sarrus_expression *expression, const char *text, double *value,
                                        sarrus_expression_fault *fault) {
    const sarrus_status status = guard(text, fault);
    if (status != SARRUS_OK) {
        return status;
    }
    double last = 0.0;
    int n_values = 0;
    sarrus_muparser_fault found = {0, 0};
    const sarrus_muparser_outcome outcome = sarrus_muparser_compile(expression->parser, text, &last, &n_values, &found);
    if (outcome == SARRUS_MUPARSER_NO_MEMORY) {
        return SARRUS_NO_MEMORY;
    }
    if (outcome == SARRUS_MUPARSER_REFUSED) {
        return parser_fault(&found, text, fault);
    }
    if (n_values != 1) {
        return refuse(fault, 0, "several values; expected one value (a ',' only separates the arguments of a function)");
    }
    *value = last;
    return SARRUS_OK;
}

double sarrus_expression_evaluate(sarrus_expression *expression) {
    return sarrus_muparser_evaluate(expression->parser);
}
