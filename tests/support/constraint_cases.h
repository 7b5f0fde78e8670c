/* Constraints beside joints of every type in one mechanism of the plane: between joints that turn and slide, on ground and on one
 * another, with points on curves that are fixed and that move. */
#ifndef TESTS_SUPPORT_CONSTRAINT_CASES_H
#define TESTS_SUPPORT_CONSTRAINT_CASES_H

#include "sarrus/constraint.h"
#include "tests/support/mechanism.h"

typedef struct constraint_case {
    sarrus_constraint_type type;
    const char *text; /* the keys of the constraint but for its name */
} constraint_case;

enum { CONSTRAINT_N_CASES = 13 };
extern const constraint_case constraint_cases[CONSTRAINT_N_CASES];

/* The mechanism with case i; `dynamics`: what stands in that section. */
mechanism constraint_case_open(int i, const char *dynamics);

#endif
