/* Small dense matrices whose operations count what they execute: additions, multiplications, divisions and square roots, one
 * each (an FMA is two), as S5's assumptions do. */
#ifndef SARRUS_BENCH_S5_STUDY_DENSE_H
#define SARRUS_BENCH_S5_STUDY_DENSE_H

#include "sarrus/sarrus.h"

enum { SARRUS_DENSE_SIZE = 48 };

/* Row-major, element (i, k) at at[i·n_columns + k]. A vector has one column. */
typedef struct sarrus_dense {
    int n_rows, n_columns;
    double at[SARRUS_DENSE_SIZE * SARRUS_DENSE_SIZE];
} sarrus_dense;

/* All zero. */
void sarrus_dense_clear(sarrus_dense *a, int n_rows, int n_columns);
void sarrus_dense_transpose(const sarrus_dense *a, sarrus_dense *out);
/* [a; b], one over the other. */
void sarrus_dense_stack(const sarrus_dense *a, const sarrus_dense *b, sarrus_dense *out);

/* A B, 2mnp. `out` is neither of them; below it may be one of the operands. */
void sarrus_dense_product(const sarrus_dense *a, const sarrus_dense *b, sarrus_dense *out, double *flops);
void sarrus_dense_add(const sarrus_dense *a, const sarrus_dense *b, sarrus_dense *out, double *flops);
void sarrus_dense_subtract(const sarrus_dense *a, const sarrus_dense *b, sarrus_dense *out, double *flops);
/* I − A: n, a change of sign is none. */
void sarrus_dense_identity_minus(const sarrus_dense *a, sarrus_dense *out, double *flops);
/* diag(d) A and A diag(d), mn each; d is a vector. */
void sarrus_dense_scale_rows(const sarrus_dense *d, const sarrus_dense *a, sarrus_dense *out, double *flops);
void sarrus_dense_scale_columns(const sarrus_dense *a, const sarrus_dense *d, sarrus_dense *out, double *flops);
/* 1/x and √x of every element: n each. */
void sarrus_dense_reciprocal(const sarrus_dense *a, sarrus_dense *out, double *flops);
void sarrus_dense_root(const sarrus_dense *a, sarrus_dense *out, double *flops);
/* The square matrix with the vector d on its diagonal. */
void sarrus_dense_diagonal(const sarrus_dense *d, sarrus_dense *out);

/* Largest magnitude of an element; NaN when there is one. */
double sarrus_dense_largest(const sarrus_dense *a);

/* How a pseudoinverse is computed and what it counts. */
typedef struct sarrus_dense_pinv {
    sarrus_context *context;
    sarrus_pinv_method method;
    int counts_formula;   /* 1: 4m²n + 8mn² + 9n³ whatever was done (S5's assumption 2); 0: what the method takes */
    sarrus_status status; /* the first failure of a call */
} sarrus_dense_pinv;

/* 4m²n + 8mn² + 9n³. */
double sarrus_golub_reinsch_flops(int m, int n);

/* A⁺, of rank at most `rank`; with b ≠ NULL A⁺b without A⁺. */
void sarrus_dense_pseudoinverse(sarrus_dense_pinv *pinv, const sarrus_dense *a, int rank, const sarrus_dense *b, sarrus_dense *out,
                                double *flops);

/* Singular values of A. */
typedef struct sarrus_dense_spectrum {
    double largest, kept, dropped; /* the first, the rank-th and the one after that */
} sarrus_dense_spectrum;
void sarrus_dense_spectrum_find(sarrus_dense_pinv *pinv, const sarrus_dense *a, int rank, sarrus_dense_spectrum *out);

#endif
