/* z = D⁺ b of the rank path's one-sided Jacobi (kernels/pinv/rank_solve.h) against LAPACK's divide and conquer, lane by lane. */
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
#include "kernels/pinv/rank_solve.h"

enum { MAX_SIZE = 24, WIDTH = SARRUS_LANE_WIDTH };

/* One lane's problem, dense and row-major, and what is to come out. */
typedef struct problem {
    int m, n;
    double d[MAX_SIZE * MAX_SIZE], b[MAX_SIZE];
} problem;

typedef struct answer {
    double z[MAX_SIZE], sigma[MAX_SIZE]; /* sigma descending, those not kept as 0 */
    int rank;
} answer;

/* The same with all that the lanes leave behind. */
typedef struct lane_answer {
    answer answer;
    double all_sigma[MAX_SIZE]; /* before the decision, descending */
    double rows[MAX_SIZE * MAX_SIZE], u[MAX_SIZE * MAX_SIZE];
} lane_answer;

/* Uniform in [-1, 1]; a fixed sequence. */
static double next_number(uint64_t *state) {
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (double)(int64_t)*state / 9223372036854775808.0;
}

/* A product of two random matrices of rank r, rows scaled by powers of ten from 10^-decades to 10^decades; b random, so that in
 * general no solution satisfies all rows. */
static problem problem_make(int m, int n, int rank, double decades, uint64_t *state) {
    problem p = {.m = m, .n = n};
    double left[MAX_SIZE * MAX_SIZE], right[MAX_SIZE * MAX_SIZE];
    for (int i = 0; i < m * rank; ++i)
        left[i] = next_number(state);
    for (int i = 0; i < rank * n; ++i)
        right[i] = next_number(state);
    for (int i = 0; i < m; ++i) {
        double scale = pow(10.0, decades * next_number(state));
        for (int j = 0; j < n; ++j) {
            double sum = 0.0;
            for (int k = 0; k < rank; ++k)
                sum += left[i * rank + k] * right[k * n + j];
            p.d[i * n + j] = scale * sum;
        }
        p.b[i] = next_number(state);
    }
    return p;
}

/* z from the `rank` largest singular values. */
static answer reference_solve(const problem *p, int rank) {
    double d[MAX_SIZE * MAX_SIZE], u[MAX_SIZE * MAX_SIZE], vt[MAX_SIZE * MAX_SIZE];
    answer out = {.rank = rank};
    memcpy(d, p->d, sizeof d);
    assert_int_equal(LAPACKE_dgesdd(LAPACK_ROW_MAJOR, 'A', p->m, p->n, d, p->n, out.sigma, u, p->m, vt, p->n), 0);
    for (int k = 0; k < rank; ++k) {
        double along = 0.0;
        for (int i = 0; i < p->m; ++i)
            along += u[i * p->m + k] * p->b[i];
        for (int j = 0; j < p->n; ++j)
            out.z[j] += along / out.sigma[k] * vt[k * p->n + j];
    }
    return out;
}

static int descending(const void *left, const void *right) {
    double a = *(const double *)left, b = *(const double *)right;
    return a > b ? -1 : a < b;
}

static mask lane_mask(const bool *on) {
    real x = real_set(0.0);
    for (int lane = 0; lane < WIDTH; ++lane)
        x[lane] = on[lane] ? 1.0 : 0.0;
    return real_eq(x, real_set(1.0));
}

/* Solves both lanes' problems (of equal shape) at once. */
static void lanes_solve(const sarrus_rank_rule *rule, const problem *problems, double max_rank, const bool *on, lane_answer *out) {
    static real d[MAX_SIZE * MAX_SIZE], u[MAX_SIZE * MAX_SIZE], b[MAX_SIZE], norm2[MAX_SIZE], z[MAX_SIZE], sigma[MAX_SIZE];
    const int m = problems[0].m, n = problems[0].n;
    sarrus_rank_solve_problem svd = {m, n, d, b, norm2, sigma, u, NULL};
    memset(out, 0, WIDTH * sizeof *out);
    for (int lane = 0; lane < WIDTH; ++lane) {
        for (int i = 0; i < m * n; ++i)
            d[i][lane] = problems[lane].d[i];
        for (int i = 0; i < m; ++i)
            b[i][lane] = problems[lane].b[i];
    }
    sarrus_rank_solve_rotate(&svd, lane_mask(on));
    for (int lane = 0; lane < WIDTH; ++lane) {
        for (int i = 0; i < m; ++i)
            out[lane].all_sigma[i] = sqrt(norm2[i][lane]);
        qsort(out[lane].all_sigma, (size_t)m, sizeof(double), descending);
    }
    const sarrus_rank_limit limit = {real_set(max_rank), real_set(max_rank), real_set(0.0), real_set(1.0), real_set(1.0)};
    real rank = sarrus_rank_solve_keep(&svd, rule, &limit).rank;
    sarrus_rank_solve_apply(&svd, z);
    for (int lane = 0; lane < WIDTH; ++lane) {
        answer *decided = &out[lane].answer;
        decided->rank = (int)rank[lane];
        for (int i = 0; i < m; ++i)
            decided->sigma[i] = sqrt(norm2[i][lane]);
        qsort(decided->sigma, (size_t)m, sizeof(double), descending);
        for (int j = 0; j < n; ++j)
            decided->z[j] = z[j][lane];
        for (int i = 0; i < m * n; ++i)
            out[lane].rows[i] = d[i][lane];
        for (int i = 0; i < m * m; ++i)
            out[lane].u[i] = u[i][lane];
    }
}

static double norm(const double *x, int n) {
    double sum = 0.0;
    for (int i = 0; i < n; ++i)
        sum += x[i] * x[i];
    return sqrt(sum);
}

/* Both methods are backward stable: each solves a problem that is off by delta = c (m + n) eps sigma_1, c some units (8 for the
 * two of them). The minimum norm solution of least squares moves under that by at most
 *   |dz| <= delta/sigma_r (2 |z| + |b| / sigma_r)     (Wedin; sigma_r the smallest kept, |b| bounds the residual),
 * and no singular value by more than delta. */
static void assert_same(const problem *p, const lane_answer *got, const answer *expected) {
    const double sigma_1 = expected->sigma[0], delta = 8.0 * (p->m + p->n) * DBL_EPSILON * sigma_1;
    double difference[MAX_SIZE];
    int smaller = p->m < p->n ? p->m : p->n;
    assert_int_equal(got->answer.rank, expected->rank);
    for (int i = 0; i < p->m; ++i) {
        double sigma = i < smaller ? expected->sigma[i] : 0.0;
        assert_true(fabs(got->all_sigma[i] - sigma) <= delta);
        assert_true(fabs(got->answer.sigma[i] - (i < expected->rank ? sigma : 0.0)) <= delta);
    }
    for (int j = 0; j < p->n; ++j)
        difference[j] = got->answer.z[j] - expected->z[j];
    double sigma_r = expected->rank > 0 ? expected->sigma[expected->rank - 1] : 1.0;
    double allowed = delta / sigma_r * (2.0 * norm(expected->z, p->n) + norm(p->b, p->m) / sigma_r);
    if (!(norm(difference, p->n) <= allowed))
        fail_msg("%dx%d, rank %d: z is off by %.3g of %.3g; allowed %.3g", p->m, p->n, expected->rank, norm(difference, p->n),
                 norm(expected->z, p->n), allowed);
}

/* UᵀD is what the rows have become, they are orthogonal, and so are the columns of U. */
static void assert_decomposed(const problem *p, const lane_answer *got, double sigma_1) {
    const double allowed = 8.0 * (p->m + p->n) * DBL_EPSILON;
    for (int i = 0; i < p->m; ++i) {
        for (int j = 0; j < p->n; ++j) {
            double sum = 0.0;
            for (int k = 0; k < p->m; ++k)
                sum += got->u[i * p->m + k] * p->d[k * p->n + j];
            assert_true(fabs(sum - got->rows[i * p->n + j]) <= allowed * sigma_1);
        }
        for (int k = 0; k <= i; ++k) {
            double rows = 0.0, columns = 0.0;
            for (int j = 0; j < p->n; ++j)
                rows += got->rows[i * p->n + j] * got->rows[k * p->n + j];
            for (int j = 0; j < p->m; ++j)
                columns += got->u[i * p->m + j] * got->u[k * p->m + j];
            assert_true(i == k || fabs(rows) <= allowed * sigma_1 * sigma_1);
            assert_true(fabs(columns - (i == k ? 1.0 : 0.0)) <= allowed);
        }
    }
}

static const bool both_on[WIDTH] = {true, true};

static sarrus_rank_rule relative_rule(void) {
    return (sarrus_rank_rule){SARRUS_RANK_RELATIVE, 1e-10, 0};
}

static void test_shapes_and_ranks(void **state) {
    const struct {
        int m, n, rank;
        double decades;
    } cases[] = {{1, 1, 1, 0},    {1, 6, 1, 0},  {6, 1, 1, 0},  {2, 3, 2, 0},  {12, 12, 12, 0}, {12, 12, 11, 0}, {20, 21, 20, 0},
                 {20, 21, 17, 1}, {6, 24, 6, 1}, {6, 24, 3, 1}, {24, 6, 6, 1}, {24, 6, 4, 0},   {11, 12, 11, 2}, {24, 24, 1, 1}};
    const sarrus_rank_rule rule = relative_rule();
    uint64_t random = 1;
    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
        for (int repeat = 0; repeat < 10; ++repeat) {
            lane_answer got[WIDTH];
            problem p[WIDTH];
            for (int lane = 0; lane < WIDTH; ++lane)
                p[lane] = problem_make(cases[k].m, cases[k].n, cases[k].rank, cases[k].decades, &random);
            lanes_solve(&rule, p, cases[k].m, both_on, got);
            for (int lane = 0; lane < WIDTH; ++lane) {
                answer expected = reference_solve(&p[lane], cases[k].rank);
                assert_same(&p[lane], &got[lane], &expected);
                assert_decomposed(&p[lane], &got[lane], expected.sigma[0]);
            }
        }
    }
}

static void test_zero_matrix(void **state) {
    const sarrus_rank_rule rule = relative_rule();
    uint64_t random = 2;
    (void)state;
    problem p[WIDTH] = {problem_make(5, 7, 4, 0, &random), {.m = 5, .n = 7, .b = {1, 2, 3, 4, 5}}};
    lane_answer got[WIDTH];
    lanes_solve(&rule, p, 5, both_on, got);
    assert_int_equal(got[0].answer.rank, 4);
    assert_int_equal(got[1].answer.rank, 0);
    for (int j = 0; j < 7; ++j)
        assert_true(got[1].answer.z[j] == 0.0);
    for (int i = 0; i < 5; ++i)
        assert_true(got[1].answer.sigma[i] == 0.0);
}

/* A zero row and two equal rows, exactly. */
static void test_exact_dependence(void **state) {
    const sarrus_rank_rule rule = relative_rule();
    uint64_t random = 3;
    (void)state;
    problem p[WIDTH];
    lane_answer got[WIDTH];
    for (int lane = 0; lane < WIDTH; ++lane) {
        p[lane] = problem_make(6, 9, 6, 0, &random);
        memset(p[lane].d + 2 * 9, 0, 9 * sizeof(double));
        memcpy(p[lane].d + 5 * 9, p[lane].d, 9 * sizeof(double));
    }
    lanes_solve(&rule, p, 6, both_on, got);
    for (int lane = 0; lane < WIDTH; ++lane) {
        answer expected = reference_solve(&p[lane], 4);
        assert_same(&p[lane], &got[lane], &expected);
    }
}

/* Off the constraint manifold a redundant singular value is as large as the violation: the bound on the count settles it, where a
 * threshold counts it. */
static void test_count_is_bounded(void **state) {
    sarrus_rank_rule rule = {SARRUS_RANK_AUTO, 1e-10, 0};
    uint64_t random = 4;
    (void)state;
    problem p[WIDTH];
    lane_answer got[WIDTH];
    for (int lane = 0; lane < WIDTH; ++lane) {
        p[lane] = problem_make(12, 12, 11, 0, &random);
        for (int i = 0; i < 144; ++i)
            p[lane].d[i] += 1e-6 * next_number(&random);
    }
    for (int rank = 9; rank <= 12; ++rank) {
        lanes_solve(&rule, p, rank, both_on, got);
        for (int lane = 0; lane < WIDTH; ++lane) {
            answer expected = reference_solve(&p[lane], rank);
            assert_same(&p[lane], &got[lane], &expected);
        }
    }
    rule.method = SARRUS_RANK_ABSOLUTE;
    rule.tolerance = 1e-4;
    lanes_solve(&rule, p, 12, both_on, got);
    assert_int_equal(got[0].answer.rank, 11);
    assert_int_equal(got[1].answer.rank, 11);
}

/* One lane's bits do not depend on the other: its problem, its NaN, whether it takes part. */
static void test_neighbors_do_not_matter(void **state) {
    const sarrus_rank_rule rule = relative_rule();
    uint64_t random = 5;
    (void)state;
    problem mine = problem_make(12, 12, 11, 1, &random), other[4];
    other[0] = mine;
    other[1] = problem_make(12, 12, 12, 2, &random);
    other[2] = (problem){.m = 12, .n = 12};
    other[3] = mine;
    other[3].d[7] = NAN;
    lane_answer alone[WIDTH], got[WIDTH];
    lanes_solve(&rule, (problem[WIDTH]){mine, mine}, 12, both_on, alone);
    for (int k = 0; k < 4; ++k) {
        for (int lane = 0; lane < WIDTH; ++lane) {
            for (int other_is_on = 0; other_is_on < 2; ++other_is_on) {
                problem p[WIDTH];
                bool on[WIDTH];
                p[lane] = mine;
                p[1 - lane] = other[k];
                on[lane] = true;
                on[1 - lane] = other_is_on;
                lanes_solve(&rule, p, 12, on, got);
                assert_memory_equal(&got[lane], &alone[0], sizeof got[lane]);
            }
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shapes_and_ranks),        cmocka_unit_test(test_zero_matrix),
        cmocka_unit_test(test_exact_dependence),        cmocka_unit_test(test_count_is_bounded),
        cmocka_unit_test(test_neighbors_do_not_matter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
