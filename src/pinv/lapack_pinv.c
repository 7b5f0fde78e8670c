#include "pinv/lapack_pinv.h"

#include <lapacke.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The decision is that of the lanes, of which one is used. */
#define SARRUS_LANE_WIDTH 2
#include "kernels/pinv/rank.h"

/* Of the reference BLAS; the lengths of the two words come last. */
void dgemm_(const char *op_a, const char *op_b, const int *m, const int *n, const int *k, const double *alpha, const double *a,
            const int *a_rows, const double *b, const int *b_rows, const double *beta, double *c, const int *c_rows, size_t n_op_a,
            size_t n_op_b);

static int larger(int a, int b) {
    return a > b ? a : b;
}
static int smaller(int a, int b) {
    return a < b ? a : b;
}

static double *numbers(int rows, int columns) {
    return calloc((size_t)larger(rows, 1) * (size_t)larger(columns, 1), sizeof(double));
}

/* LAPACK works on columns, for which a row-major A is Aᵀ = P Σ Qᵀ (n×m); so  A⁺ = Q Σ⁻¹ Pᵀ  comes out row-major in turn. */
static bool decompose(sarrus_lapack_pinv *s) {
    const int k = smaller(s->m, s->n);
    return LAPACKE_dgesdd_work(LAPACK_COL_MAJOR, 'S', s->n, s->m, s->a, s->n, s->sigma, s->p, s->n, s->q, k, s->work, s->n_work,
                               s->i_work) == 0;
}

/* Doubles of work space that dgesdd and dgelsd ask for; 0 when they refuse. i_work: the same of integers. */
static int work_sizes(const sarrus_lapack_pinv *s, int *n_i_work) {
    const int m = s->m, n = s->n, k = smaller(m, n), n_rhs = larger(s->n_rhs, 1);
    double dummy = 0.0, gesdd = 0.0, gelsd = 0.0;
    int i_dummy = 0, i_gelsd = 0, rank = 0;
    if (LAPACKE_dgesdd_work(LAPACK_COL_MAJOR, 'S', n, m, &dummy, n, &dummy, &dummy, n, &dummy, k, &gesdd, -1, &i_dummy) != 0 ||
        LAPACKE_dgelsd_work(LAPACK_COL_MAJOR, m, n, n_rhs, &dummy, m, &dummy, larger(m, n), &dummy, -1.0, &rank, &gelsd, -1,
                            &i_gelsd) != 0) {
        return 0;
    }
    *n_i_work = larger(larger(8 * k, i_gelsd), 1);
    return larger((int)gesdd, larger((int)gelsd, 1));
}

bool sarrus_lapack_pinv_create(sarrus_lapack_pinv *out) {
    const int m = out->m, n = out->n, k = smaller(m, n);
    int n_i_work = 0;
    *out = (sarrus_lapack_pinv){.m = m, .n = n, .n_rhs = out->n_rhs, .rule = out->rule};
    out->n_work = work_sizes(out, &n_i_work);
    if (out->n_work == 0)
        return false;
    out->a = numbers(m, n);
    out->b = numbers(larger(m, n), out->n_rhs);
    out->sigma = numbers(k, 1);
    out->p = numbers(n, k);
    out->q = numbers(k, m);
    out->c = numbers(k, out->n_rhs);
    out->work = numbers(out->n_work, 1);
    out->i_work = calloc((size_t)n_i_work, sizeof *out->i_work);
    if (out->a && out->b && out->sigma && out->p && out->q && out->c && out->work && out->i_work)
        return true;
    sarrus_lapack_pinv_free(out);
    return false;
}

void sarrus_lapack_pinv_free(sarrus_lapack_pinv *solver) {
    free(solver->a);
    free(solver->b);
    free(solver->sigma);
    free(solver->p);
    free(solver->q);
    free(solver->c);
    free(solver->work);
    free(solver->i_work);
    memset(solver, 0, sizeof *solver);
}

/* The power of two that brings the largest of x[count] into [1, 2), as the lanes choose it. */
static double scale_of(const double *x, size_t count) {
    double largest = 0.0;
    for (size_t i = 0; i < count; ++i)
        largest = fmax(largest, fabs(x[i]));
    return largest > 0.0 ? ldexp(1.0, -smaller(larger(ilogb(largest), -1000), 1000)) : 1.0;
}

/* Decides on sigma, that of unit·A. */
static void decide(const sarrus_lapack_pinv *s, double unit, sarrus_lapack_rank *rank) {
    const int k = smaller(s->m, s->n);
    const real max_rank = real_set(rank->max_rank);
    const sarrus_rank_limit limit = {max_rank, max_rank, real_set(rank->violation), real_set(unit), real_set(1.0)};
    real *sizes = (real *)(void *)s->work;
    for (int i = 0; i < k; ++i)
        sizes[i] = real_set(s->sigma[i]);
    sarrus_rank_decision found = sarrus_rank_decide(&s->rule, &limit, s->m, s->n, sizes, 1, k);
    rank->rank = (int)found.rank[0];
    rank->kept = found.kept[0];
    rank->dropped = found.dropped[0];
}

/* a ← unit·A, row by row. */
static void take_rows(sarrus_lapack_pinv *s, double unit, const double *a) {
    for (int i = 0; i < s->m * s->n; ++i)
        s->a[i] = unit * a[i];
}

/* c [size[0]][size[1]] ← op(a) op(b), all column-major, over size[2]; op by letter, of a and of b: N, or T for the transpose. */
static void multiply(const char *op, const int *size, const double *a, int a_rows, const double *b, int b_rows, double *c) {
    const double one = 1.0, zero = 0.0;
    dgemm_(op, op + 1, &size[0], &size[1], &size[2], &one, a, &a_rows, b, &b_rows, &zero, c, &size[0], 1, 1);
}

static void scale(int n, double factor, double *x) {
    for (int i = 0; i < n; ++i)
        x[i] *= factor;
}

/* By the singular value decomposition, which serves every rank decision; x may be A⁺ or A⁺ B. */
static bool run_svd(sarrus_lapack_pinv *s, double unit, const double *a, const double *b, sarrus_lapack_rank *rank, double *x) {
    const int m = s->m, n = s->n, k = smaller(m, n), n_rhs = s->n_rhs;
    take_rows(s, unit, a);
    if (!decompose(s))
        return false;
    decide(s, unit, rank);
    const int columns = n_rhs > 0 ? n_rhs : m;
    memset(x, 0, (size_t)n * (size_t)columns * sizeof *x);
    if (rank->rank == 0)
        return true;
    for (int i = 0; i < rank->rank; ++i)
        scale(n, 1.0 / s->sigma[i], s->p + i * n);
    if (n_rhs == 0) {
        multiply("TT", (const int[]){m, n, rank->rank}, s->q, k, s->p, n, x);
    } else {
        multiply("NT", (const int[]){n_rhs, rank->rank, m}, b, n_rhs, s->q, k, s->c);
        multiply("NT", (const int[]){n_rhs, n, rank->rank}, s->c, n_rhs, s->p, n, x);
    }
    /* At the end, because it may overflow, and infinities must not meet in a sum. */
    for (int i = 0; i < n * columns; ++i)
        x[i] *= unit;
    return true;
}

/* By dgelsd, whose own threshold is relative; false when it does not converge or the decision is another than its own. */
static bool run_least_squares(sarrus_lapack_pinv *s, double unit, const double *a, const double *b, sarrus_lapack_rank *rank,
                              double *x) {
    const int m = s->m, n = s->n, n_rhs = s->n_rhs, tall = larger(m, n);
    int own_rank = 0;
    for (int i = 0; i < m; ++i) {
        for (int j = 0; j < n; ++j)
            s->a[i + j * m] = unit * a[i * n + j];
        for (int j = 0; j < n_rhs; ++j)
            s->b[i + j * tall] = b[i * n_rhs + j];
    }
    for (int j = 0; j < n_rhs && m < n; ++j)
        memset(s->b + m + j * tall, 0, (size_t)(n - m) * sizeof *s->b);
    if (LAPACKE_dgelsd_work(LAPACK_COL_MAJOR, m, n, n_rhs, s->a, m, s->b, tall, s->sigma, s->rule.tolerance, &own_rank, s->work,
                            s->n_work, s->i_work) != 0) {
        return false;
    }
    decide(s, unit, rank);
    if (rank->rank != own_rank)
        return false;
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < n_rhs; ++j)
            x[i * n_rhs + j] = unit * s->b[i + j * tall];
    }
    return true;
}

void sarrus_lapack_pinv_run(sarrus_lapack_pinv *solver, const double *a, const double *b, sarrus_lapack_rank *rank, double *x) {
    const size_t n_out = (size_t)solver->n * (size_t)(solver->n_rhs > 0 ? solver->n_rhs : solver->m);
    const double unit = scale_of(a, (size_t)solver->m * (size_t)solver->n);
    if (solver->n_rhs > 0 && run_least_squares(solver, unit, a, b, rank, x))
        return;
    if (run_svd(solver, unit, a, b, rank, x))
        return;
    rank->rank = 0;
    rank->kept = rank->dropped = NAN;
    for (size_t i = 0; i < n_out; ++i)
        x[i] = NAN;
}
