/* One arithmetic expression of named parameters, compiled by muParser.
 *
 * muParser is kept behind this header: it has assignment and comma operators that would let an expression change a parameter or
 * yield several numbers, and takes text of any length. All of that is refused or avoided here. One expression object is used by one
 * thread at a time. */
#ifndef SARRUS_MODEL_EXPRESSION_H
#define SARRUS_MODEL_EXPRESSION_H

#include <stdbool.h>
#include <stddef.h>

#include "sarrus/status.h"

enum {
    SARRUS_EXPRESSION_MAX_LENGTH = 1000, /* bytes */
    SARRUS_EXPRESSION_MAX_DEPTH = 64,    /* parentheses and conditionals open at a time */
};

typedef struct sarrus_expression sarrus_expression;

/* Why an expression was refused: `position` counts bytes from 0. */
typedef struct sarrus_expression_fault {
    size_t position;
    size_t n_token;      /* bytes of the offending word, 0 when there is none */
    const char *message; /* "what is wrong; what was expected", a constant */
    bool is_unknown_name;
} sarrus_expression_fault;

/* An expression object that knows the constants `pi`, `_pi`, `_e` and muParser's functions. NO_MEMORY. */
SARRUS_MUST_USE sarrus_status sarrus_expression_create(sarrus_expression **out);
void sarrus_expression_destroy(sarrus_expression *expression);

/* Binds `name` (a parameter name, see sarrus_expression_name_fault) to *address, which must outlive the object. NO_MEMORY. */
SARRUS_MUST_USE sarrus_status sarrus_expression_bind(sarrus_expression *expression, const char *name, double *address);

/* Compiles `text` (0-terminated, without the leading '=') and evaluates it once into *value, which may come out
 * infinite or NaN. BAD_INPUT with *fault filled when it is no expression of the bound names; NO_MEMORY. May be called again
 * with another text; the last one compiled is what sarrus_expression_evaluate runs. */
SARRUS_MUST_USE sarrus_status sarrus_expression_compile(sarrus_expression *expression, const char *text, double *value,
                                                        sarrus_expression_fault *fault);

/* The value for what the bound addresses hold now; NaN when muParser reports an error. Allocates nothing. */
double sarrus_expression_evaluate(sarrus_expression *expression);

/* Why `name` cannot name a parameter (a function or constant has that name, or the spelling is wrong); NULL if it can. */
const char *sarrus_expression_name_fault(const char *name);

/* The next word at or behind `text` that may be a parameter; NULL at the end. Numbers such as 1e5 are stepped over. */
const char *sarrus_expression_next_word(const char *text, size_t *length);

/* Word `i` that every expression knows (functions and constants), NULL past the last. */
const char *sarrus_expression_known_word(size_t i);

#endif
