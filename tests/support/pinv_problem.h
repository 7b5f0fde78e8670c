/* Batches of matrices for the pseudoinverses, and what comes back for them. */
#ifndef TESTS_SUPPORT_PINV_PROBLEM_H
#define TESTS_SUPPORT_PINV_PROBLEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sarrus/sarrus.h"

/* Matrices, and all that comes back for them. */
typedef struct pinv_problem {
    int m, n, n_rhs;
    uint64_t count;
    double *a, *b, *violation; /* owned, as all arrays */
    int32_t *max_rank;
} pinv_problem;

typedef struct pinv_result {
    double *x, *kept, *dropped, *n_sweeps;
    int32_t *rank;
} pinv_result;

/* Zeros, at least one; fails the test without memory. */
void *pinv_zeroed(size_t count, size_t size);

/* Every fourth matrix lacks a direction; with has_spoilt one holds a NaN, one an infinity, one right side an infinity. */
pinv_problem pinv_problem_create(int m, int n, int n_rhs, uint64_t count, bool has_spoilt);
void pinv_problem_free(pinv_problem *p);

/* Numbers of one X. */
size_t pinv_problem_x_size(const pinv_problem *p);

pinv_result pinv_result_create(const pinv_problem *p);
void pinv_result_free(pinv_result *r);

/* A call on the problem that fills all of the result. */
sarrus_pinv_batch pinv_problem_batch(const pinv_problem *p, const pinv_result *r);

/* Bits, where any NaN is as good as another. */
bool pinv_bits_agree(const double *left, const double *right, size_t count);
bool pinv_results_agree(const pinv_problem *p, const pinv_result *left, const pinv_result *right);

/* Fails the test where they do not, but for matrices that are no numbers. */
void pinv_sweeps_agree(const pinv_problem *p, const pinv_result *left, const pinv_result *right);

#endif
