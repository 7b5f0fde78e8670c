/* How many of a test's cases are wanted. Cases that take the same way through our code as others do, in another scenario or with
 * another instruction set, and cost a compilation of several seconds, are left to SARRUS_ALL_CASES; a sanitizer does with a few
 * of the rest (SARRUS_FEW_CASES). */
#ifndef SARRUS_TESTS_CASE_CHOICE_H
#define SARRUS_TESTS_CASE_CHOICE_H

#include <stdbool.h>
#include <stdlib.h>

static inline bool cases_are_few(void) {
    return getenv("SARRUS_FEW_CASES") != NULL;
}

/* Whether a case is taken; `is_more`: it is one of those that others stand for. */
static inline bool cases_take(bool is_more) {
    return !is_more || getenv("SARRUS_ALL_CASES") != NULL;
}

#endif
