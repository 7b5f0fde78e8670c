/* The only file that talks to muParser. */
#include "model/expression.h"

#include <math.h>
#include <muParserDLL.h>
#include <stdlib.h>
#include <string.h>

struct sarrus_expression {
    muParserHandle_t parser;
};

static const char *const known_words[] = {"sin",   "cos",   "tan",   "asin", "acos",  "atan", "atan2", "sinh", "cosh", "tanh",
                                          "asinh", "acosh", "atanh", "log2", "log10", "log",  "ln",    "exp",  "sqrt", "sign",
                                          "rint",  "abs",   "sum",   "avg",  "min",   "max",  "pi",    "_pi",  "_e"};

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
    expression->parser = mupCreate(muBASETYPE_FLOAT);
    if (expression->parser == NULL) {
        free(expression);
        return SARRUS_NO_MEMORY;
    }
    /* muParser 2.3's own _pi ends after 13 digits. */
    mupClearConst(expression->parser);
    mupDefineConst(expression->parser, "pi", M_PI);
    mupDefineConst(expression->parser, "_pi", M_PI);
    mupDefineConst(expression->parser, "_e", M_E);
    *out = expression;
    return SARRUS_OK;
}

void sarrus_expression_destroy(sarrus_expression *expression) {
    if (expression != NULL) {
        mupRelease(expression->parser);
        free(expression);
    }
}

sarrus_status sarrus_expression_bind(sarrus_expression *expression, const char *name, double *address) {
    mupDefineVar(expression->parser, name, address);
    return mupError(expression->parser) ? SARRUS_BAD_ARGUMENT : SARRUS_OK;
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
            return refuse(fault, i, "the expression is nested too deep; expected at most 64 levels");
        }
        if (depth < 0) {
            depth = 0;
        }
    }
    return SARRUS_OK;
}

/* Turns the parser's pending error into a fault. The message text of muParser lives in a static buffer shared by all
 * threads, so only its code and position are taken. */
static sarrus_status parser_fault(sarrus_expression *expression, const char *text, sarrus_expression_fault *fault) {
    const int code = mupGetErrorCode(expression->parser);
    const int reported = mupGetErrorPos(expression->parser);
    const size_t length = strlen(text);
    size_t position = reported < 0 ? 0 : (size_t)reported;
    position = position > length ? length : position;
    (void)refuse(fault, position, "the expression does not parse; expected muParser's grammar");
    for (size_t i = 0; i < sizeof fault_texts / sizeof fault_texts[0]; ++i) {
        if (fault_texts[i].code == code) {
            fault->message = fault_texts[i].message;
        }
    }
    while (is_letter(text[position + fault->n_token]) || (fault->n_token > 0 && is_digit(text[position + fault->n_token]))) {
        fault->n_token += 1;
    }
    fault->is_unknown_name = code == 1 && fault->n_token > 0;
    return SARRUS_BAD_INPUT;
}

sarrus_status sarrus_expression_compile(sarrus_expression *expression, const char *text, double *value,
                                        sarrus_expression_fault *fault) {
    const sarrus_status status = guard(text, fault);
    if (status != SARRUS_OK) {
        return status;
    }
    mupErrorReset(expression->parser);
    mupSetExpr(expression->parser, text);
    if (mupError(expression->parser)) {
        return parser_fault(expression, text, fault);
    }
    int n_values = 0;
    const double *values = mupEvalMulti(expression->parser, &n_values);
    if (mupError(expression->parser) || values == NULL) {
        return parser_fault(expression, text, fault);
    }
    if (n_values != 1) {
        return refuse(fault, 0, "several values; expected one value (a ',' only separates the arguments of a function)");
    }
    *value = values[0];
    return SARRUS_OK;
}

double sarrus_expression_evaluate(sarrus_expression *expression) {
    const double value = mupEval(expression->parser);
    return mupError(expression->parser) ? (double)NAN : value;
}
