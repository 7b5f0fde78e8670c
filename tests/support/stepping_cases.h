/* Scenarios for tests of batches whose instances begin anew: planar with an input and a load that follows the time, and spatial;
 * by every integrator, in absolute and in relative coordinates; and by fixed steps in single precision. */
#ifndef TESTS_SUPPORT_STEPPING_CASES_H
#define TESTS_SUPPORT_STEPPING_CASES_H

#include "tests/support/mechanism.h"

/* Cases 0 … stepping_n_cases() − 1; a build with sanitizers has fewer. */
int stepping_n_cases(void);
mechanism stepping_open(int i_case);

/* What a test looks at of all instances. */
typedef struct stepping_look {
    int n_numbers; /* of one instance */
    uint64_t n;
    double *numbers; /* [n][n_numbers] q, v, energy, work, accelerations, time, status, failed step */
} stepping_look;

/* The caller's (stepping_look_free). */
stepping_look stepping_see(sarrus_batch *batch);
void stepping_look_free(stepping_look *look);

/* Fails the test unless instance i of a is instance k of b, to the bit. */
void stepping_same(const stepping_look *a, uint64_t i, const stepping_look *b, uint64_t k);

#endif
