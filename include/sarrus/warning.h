/* What is allowed in a scenario, but may not be meant: found before a run, from the plan and the distributions. */
#ifndef SARRUS_WARNING_H
#define SARRUS_WARNING_H

#include <stdint.h>

#include "sarrus/plan.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Kinds, 0 … SARRUS_N_WARNING_KINDS − 1; warnings.def says what each is about. */
typedef enum sarrus_warning_kind {
#define SARRUS_WARNING_KIND(name, value, word, matters, title, values) SARRUS_WARNING_##name = (value),
#include "sarrus/warnings.def"
} sarrus_warning_kind;

#define SARRUS_N_WARNING_KINDS 20
#define SARRUS_WARNING_MAX_VALUES 12

/* One warning. The texts belong to the list. */
typedef struct sarrus_warning {
    sarrus_warning_kind kind;
    int matters;      /* 1: the result may not be what was meant; `sarrus run` repeats it. 0: worth knowing */
    const char *name; /* of the body, joint or parameter, or the path of the number; "" when it is about the whole */
    const char *text; /* a sentence, with the name and the numbers, without a line end */
    int n_values;
    double values[SARRUS_WARNING_MAX_VALUES]; /* as warnings.def says */
} sarrus_warning;

typedef struct sarrus_warnings sarrus_warnings;

/* Looks for them, for a batch of `n_instances`, as the scenario counts them (0: its number). Several alike are listed worst first;
 * behind the fourth of a kind one line with an empty name counts the others. `*out` is the caller's. NO_MEMORY. */
SARRUS_MUST_USE sarrus_status sarrus_warnings_create(sarrus_context *context, const sarrus_plan *plan, uint64_t n_instances,
                                                     sarrus_warnings **out);
void sarrus_warnings_destroy(sarrus_warnings *warnings);

/* Their number, and one of them, i = 0 … number − 1. */
int sarrus_warnings_count(const sarrus_warnings *warnings);
void sarrus_warnings_get(const sarrus_warnings *warnings, int i, sarrus_warning *out);

/* The word of a kind for programs ("no_freedom"), and its title for people ("nothing can move"); never NULL. */
const char *sarrus_warning_kind_word(sarrus_warning_kind kind);
const char *sarrus_warning_kind_title(sarrus_warning_kind kind);

#ifdef __cplusplus
}
#endif

#endif
