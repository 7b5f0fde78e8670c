/* What a mechanism with constraints beside joints does over time, and what is said of it. */
#ifndef SARRUS_TESTS_SUPPORT_COURSE_H
#define SARRUS_TESTS_SUPPORT_COURSE_H

#include "tests/support/mechanism.h"

enum { COURSE_TIMES = 401, COURSE_N = 9, COURSE_LOADS = 2 };

typedef struct course {
    int n, n_times, n_loads;                                       /* n = n_q = n_v: of the plane */
    double q[COURSE_TIMES * COURSE_N], v[COURSE_TIMES * COURSE_N]; /* [n_times][n] */
    double load[COURSE_TIMES * COURSE_LOADS];                      /* [n_times][n_loads] of constraints */
    double energy[COURSE_TIMES], work[COURSE_TIMES];
} course;

/* Observes the nominal instance at its start and then after every `every` steps, n_times in all; it has to be ok. Closes the
 * mechanism. */
void course_follow(mechanism m, int n_times, uint64_t every, course *out);

/* Fails when a value at output k is off by more than the tolerance. */
void course_check(const char *what, int k, double value, double expected, double tolerance);

/* Energy less work stays what it was. */
void course_check_balance(const course *c, double tolerance);

#endif
