/* The reference pseudoinverse of one matrix after another: LAPACK's dgelsd (apply) and dgesdd (explicit), with the rank decision
 * of the lanes. */
#ifndef SARRUS_PINV_LAPACK_PINV_H
#define SARRUS_PINV_LAPACK_PINV_H

#include <stdbool.h>

#include "kernels/pinv/rule.h"

/* What is asked for, and the work space of one thread for it. k = min(m, n). */
typedef struct sarrus_lapack_pinv {
    int m, n, n_rhs; /* n_rhs 0: the explicit form */
    sarrus_rank_rule rule;
    double *a;     /* [m·n] */
    double *b;     /* [max(m, n)·n_rhs] */
    double *sigma; /* [k] */
    double *p;     /* [n·k] right singular vectors */
    double *q;     /* [k·m] left singular vectors, transposed */
    double *c;     /* [k·n_rhs] */
    double *work;  /* [n_work] */
    int *i_work;
    int n_work;
} sarrus_lapack_pinv;

/* What may limit the rank of one matrix, and what was decided. */
typedef struct sarrus_lapack_rank {
    double max_rank, violation; /* in */
    int rank;                   /* out */
    double kept, dropped;       /* out */
} sarrus_lapack_rank;

/* `out` holds m, n, n_rhs and rule; allocates the rest. False when memory runs out (everything is freed then). */
bool sarrus_lapack_pinv_create(sarrus_lapack_pinv *out);
void sarrus_lapack_pinv_free(sarrus_lapack_pinv *solver);

/* x = A⁺ [n][m], or A⁺ B [n][n_rhs], of finite a [m][n] and b [m][n_rhs] (NULL with the explicit form), row-major. NaN and rank 0
 * when LAPACK does not converge. */
void sarrus_lapack_pinv_run(sarrus_lapack_pinv *solver, const double *a, const double *b, sarrus_lapack_rank *rank, double *x);

#endif
