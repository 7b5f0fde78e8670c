/* The pseudoinverses by singular values (kernels/pinv/svd.h, svd_weights.h): the weights against LAPACK's decomposition,
 * truncation, scaling, and that a lane is alone. Penrose's four conditions are those of all methods: tests/conformance/test_pinv.c.
 */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <lapacke.h>

#define SARRUS_LANE_WIDTH 2
#include "kernels/pinv/methods.h"

enum { MAX_SIZE = 64, WIDTH = SARRUS_LANE_WIDTH, N_RHS = 3, MAX_AREA = MAX_SIZE * MAX_SIZE };

typedef struct matrix {
    int m, n;
    double at[MAX_AREA];
} matrix;

/* What the lanes give for one matrix. */
typedef struct answer {
    matrix x;
    double rank, kept, dropped, n_sweeps;
} answer;

/* Uniform in [-1, 1]; a fixed sequence. */
static double next_number(uint64_t *state) {
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (double)(int64_t)*state / 9223372036854775808.0;
}

static void multiply(const matrix *a, const matrix *b, matrix *out) {
    out->m = a->m;
    out->n = b->n;
    for (int i = 0; i < a->m; ++i) {
        for (int j = 0; j < b->n; ++j) {
            long double sum = 0.0L;
            for (int k = 0; k < a->n; ++k)
                sum += (long double)a->at[i * a->n + k] * b->at[k * b->n + j];
            out->at[i * b->n + j] = (double)sum;
        }
    }
}

/* A product of two random matrices of rank r, column k of the left one times grade^k. */
static void random_matrix(int m, int n, int rank, double grade, uint64_t *state, matrix *out) {
    static matrix left, right;
    left.m = m;
    left.n = right.m = rank;
    right.n = n;
    for (int i = 0; i < m * rank; ++i)
        left.at[i] = next_number(state) * pow(grade, i % rank);
    for (int i = 0; i < rank * n; ++i)
        right.at[i] = next_number(state);
    multiply(&left, &right, out);
}

/* Both lanes' matrices (of one shape); B is the same random one for all when the form is `apply`. */
static void lanes_run(int method, int is_explicit, sarrus_rank_rule rule, double max_rank, const matrix *const *a, answer *out) {
    const int m = a[0]->m, n = a[0]->n;
    const sarrus_pinv_shape shape = {method, m, n, N_RHS, is_explicit, rule};
    const int n_columns = sarrus_pinv_columns(&shape);
    static real tile[MAX_AREA], b[MAX_SIZE * N_RHS], x[MAX_AREA];
    real *work = NULL;
    uint64_t random = 99;
    assert_int_equal(posix_memalign((void **)&work, sizeof(real), (sarrus_pinv_work(&shape) + 1) * sizeof(real)), 0);
    for (int i = 0; i < m * n; ++i) {
        for (int lane = 0; lane < WIDTH; ++lane)
            tile[i][lane] = a[lane]->at[i];
    }
    for (int i = 0; i < m * N_RHS; ++i)
        b[i] = real_set(next_number(&random));
    sarrus_pinv_lanes lanes = {.a = tile, .b = is_explicit ? NULL : b, .x = x, .work = work};
    lanes.active = real_eq(real_set(0.0), real_set(0.0));
    lanes.limit = (sarrus_rank_limit){real_set(max_rank), real_set(max_rank), real_set(0.0), real_set(1.0), real_set(1.0)};
    sarrus_pinv_run(&shape, &lanes);
    free(work);
    memset(out, 0, WIDTH * sizeof *out);
    for (int lane = 0; lane < WIDTH; ++lane) {
        out[lane].x.m = n;
        out[lane].x.n = n_columns;
        for (int i = 0; i < n * n_columns; ++i)
            out[lane].x.at[i] = x[i][lane];
        out[lane].rank = lanes.found.rank[lane];
        out[lane].kept = lanes.found.kept[lane];
        out[lane].dropped = lanes.found.dropped[lane];
        out[lane].n_sweeps = lanes.n_sweeps[lane];
    }
}

static const sarrus_rank_rule relative = {SARRUS_RANK_RELATIVE, 1e-10, 0};

/* σ falling; u [m][m], vt [n][n]. */
static void reference_svd(const matrix *a, double *sigma, double *u, double *vt) {
    static double copy[MAX_AREA];
    memcpy(copy, a->at, sizeof copy);
    assert_int_equal(LAPACKE_dgesdd(LAPACK_ROW_MAJOR, 'A', a->m, a->n, copy, a->n, sigma, u, a->m, vt, a->n), 0);
}

static double difference(const matrix *a, const matrix *b, bool is_transposed) {
    double sum = 0.0;
    for (int i = 0; i < a->m; ++i) {
        for (int j = 0; j < a->n; ++j) {
            double d = a->at[i * a->n + j] - b->at[is_transposed ? j * b->n + i : i * b->n + j];
            sum += d * d;
        }
    }
    return sqrt(sum);
}

static const int methods[] = {SARRUS_PINV_SVD, SARRUS_PINV_JACOBI};

/* V f(σ) Uᵀ. */
static void assert_weighed(const matrix *a, const answer *got, const double *f, int count, double allowed) {
    static double sigma[MAX_SIZE], u[MAX_AREA], vt[MAX_AREA];
    static matrix expected;
    reference_svd(a, sigma, u, vt);
    expected.m = a->n;
    expected.n = a->m;
    for (int j = 0; j < a->n; ++j) {
        for (int i = 0; i < a->m; ++i) {
            double sum = 0.0;
            for (int k = 0; k < count; ++k)
                sum += f[k] * vt[k * a->n + j] * u[i * a->m + k];
            expected.at[j * a->m + i] = sum;
        }
    }
    assert_true(difference(&got->x, &expected, false) <= allowed);
}

static void test_filters(void **state) {
    static const sarrus_rank_rule absolute = {SARRUS_RANK_ABSOLUTE, 0.01, 0};
    static matrix a[WIDTH];
    static answer got[WIDTH];
    static double sigma[MAX_SIZE], u[MAX_AREA], vt[MAX_AREA], f[MAX_SIZE];
    const int cases[][2] = {{6, 9}, {9, 6}, {8, 8}};
    uint64_t random = 2;
    (void)state;
    for (int k = 0; k < 3; ++k) {
        const int m = cases[k][0], n = cases[k][1], count = m < n ? m : n;
        for (int lane = 0; lane < WIDTH; ++lane) {
            random_matrix(m, n, count, 0.3, &random, &a[lane]);
            for (int i = 0; i < m * n; ++i)
                a[lane].at[i] *= lane == 0 ? 1.0 : 100.0; /* the threshold is in A's units */
        }
        for (int method = SARRUS_PINV_TIKHONOV; method <= SARRUS_PINV_TRUNCATED; ++method) {
            lanes_run(method, 1, absolute, 4.0, (const matrix *const[]){&a[0], &a[1]}, got);
            for (int lane = 0; lane < WIDTH; ++lane) {
                reference_svd(&a[lane], sigma, u, vt);
                int n_above = 0;
                for (int i = 0; i < count; ++i) {
                    f[i] = method == SARRUS_PINV_TIKHONOV ? sigma[i] / (sigma[i] * sigma[i] + 1e-4) : i < 4 ? 1.0 / sigma[i] : 0.0;
                    n_above += sigma[i] > 0.01;
                }
                assert_true(got[lane].rank == (method == SARRUS_PINV_TIKHONOV ? n_above : 4));
                /* A change of A by 10 (m + n) eps sigma_1 moves f(A) by at most that times 1/tau² (Tikhonov), or by
                 * 1/(sigma_4 (sigma_4 − sigma_5)) (truncated); three times for Frobenius norms of rank 9. */
                double edge = method == SARRUS_PINV_TIKHONOV ? 1e-4 : sigma[3] * (sigma[3] - sigma[4]);
                assert_weighed(&a[lane], &got[lane], f, count, 30.0 * (m + n) * DBL_EPSILON * sigma[0] / edge);
            }
        }
    }
}

/* Exactly as many as asked for, also of equal ones, and never a zero. */
static void test_truncation_of_equals(void **state) {
    static matrix a[WIDTH];
    static answer got[WIDTH];
    static matrix ax;
    (void)state;
    for (int lane = 0; lane < WIDTH; ++lane) {
        a[lane] = (matrix){.m = 5, .n = 6};
        for (int i = 0; i < (lane == 0 ? 5 : 2); ++i)
            a[lane].at[i * 6 + (i + 2) % 6] = 3.0;
    }
    lanes_run(SARRUS_PINV_TRUNCATED, 1, relative, 3.0, (const matrix *const[]){&a[0], &a[1]}, got);
    for (int lane = 0; lane < WIDTH; ++lane) {
        double trace = 0.0;
        multiply(&a[lane], &got[lane].x, &ax);
        for (int i = 0; i < 5; ++i)
            trace += ax.at[i * 5 + i];
        assert_true(got[lane].rank == (lane == 0 ? 3.0 : 2.0));
        assert_true(fabs(trace - got[lane].rank) <= 20 * DBL_EPSILON); /* of a projector: the rank */
    }
}

/* A power of two changes nothing but the exponents, as far as they go; subnormal entries are as good as others. */
static void test_scaling(void **state) {
    static matrix a[WIDTH];
    static answer got[WIDTH];
    uint64_t random = 3;
    (void)state;
    random_matrix(7, 5, 4, 1.0, &random, &a[0]);
    const double scales[] = {0x1p-990, 0x1p990, 0x1p-500, 0x1p500};
    for (int k = 0; k < 4; ++k) {
        a[1] = a[0];
        for (int i = 0; i < 35; ++i)
            a[1].at[i] *= scales[k];
        for (int q = 0; q < 2; ++q) {
            lanes_run(methods[q], 1, relative, 5.0, (const matrix *const[]){&a[0], &a[1]}, got);
            assert_true(got[0].rank == 4.0 && got[1].rank == 4.0);
            for (int i = 0; i < 35; ++i)
                assert_true(got[1].x.at[i] * scales[k] == got[0].x.at[i]);
        }
    }
    for (int i = 0; i < 35; ++i)
        a[1].at[i] = a[0].at[i] * 0x1p-1022; /* 52 bits less than all at worst, and an inverse just within range */
    lanes_run(SARRUS_PINV_SVD, 0, (sarrus_rank_rule){SARRUS_RANK_RELATIVE, 1e-3, 0}, 5.0, (const matrix *const[]){&a[0], &a[1]},
              got);
    assert_true(got[1].rank == got[0].rank);
    for (int i = 0; i < 5 * N_RHS; ++i)
        assert_true(!isnan(got[1].x.at[i]));
}

/* One lane's bits do not depend on the other's matrix, whatever that needs. */
static void test_neighbors_do_not_matter(void **state) {
    static matrix mine, other[5];
    static answer alone[WIDTH], got[WIDTH];
    const int cases[][2] = {{12, 12}, {6, 10}, {10, 6}, {48, 44}};
    const int all[] = {SARRUS_PINV_SVD, SARRUS_PINV_JACOBI, SARRUS_PINV_TIKHONOV, SARRUS_PINV_TRUNCATED};
    uint64_t random = 4;
    (void)state;
    for (int k = 0; k < 4; ++k) {
        const int m = cases[k][0], n = cases[k][1], area = m * n;
        random_matrix(m, n, 5, 1.0, &random, &mine);
        for (int i = 0; i < n; ++i)
            mine.at[2 * n + i] = -0.0;
        random_matrix(m, n, m < n ? m : n, 0.1, &random, &other[0]);
        random_matrix(m, n, 3, 1.0, &random, &other[1]);
        other[2] = (matrix){.m = m, .n = n};
        other[3] = other[4] = other[0];
        other[3].at[area - 1] = NAN;
        other[4].at[0] = INFINITY;
        for (int q = 0; q < 8; ++q) {
            lanes_run(all[q / 2], q % 2, relative, 4.0, (const matrix *const[]){&mine, &mine}, alone);
            for (int i = 0; i < 10; ++i) {
                const matrix *pair[WIDTH] = {&mine, &other[i / 2]};
                const int lane = i % 2;
                if (lane == 1) {
                    pair[0] = pair[1];
                    pair[1] = &mine;
                }
                lanes_run(all[q / 2], q % 2, relative, 4.0, pair, got);
                assert_memory_equal(&got[lane], &alone[0], sizeof got[lane]);
            }
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_filters),
        cmocka_unit_test(test_truncation_of_equals),
        cmocka_unit_test(test_scaling),
        cmocka_unit_test(test_neighbors_do_not_matter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
