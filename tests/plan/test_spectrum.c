/* Claims: what sparse factors say of rows is what a singular value decomposition of the full matrix says: rank, largest and
 * smallest singular values with their vectors, least solutions, parts in the null space, null vectors of every set of rows, and
 * rows that can be chosen. Rows are random ones on random graphs, some of them combinations of others, on scales from 1 to 1e-5. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <lapacke.h>
#include <math.h>

#include "plan/null_space.h"
#include "plan/spectrum.h"

enum { MAX_BODIES = 24, MAX_N = SARRUS_MOST_EACH * MAX_BODIES, MAX_ROWS = 90, N_CASES = 60 };

typedef struct sample {
    sarrus_plan_rows rows;
    int32_t body[MAX_ROWS][SARRUS_MOST_SIDES];
    double value[MAX_ROWS * 2 * SARRUS_MOST_EACH];
    int m, n;
    double u[MAX_ROWS * MAX_ROWS], sigma[MAX_ROWS], vt[MAX_N * MAX_N]; /* column-major */
    int rank;
} sample;

static double next_number(uint64_t *state) {
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (double)(int64_t)*state / 9223372036854775808.0;
}

static int next_below(uint64_t *state, int n) {
    return (int)(0.5 * (next_number(state) + 1.0) * n) % n;
}

/* Rows on a path and some loops; every fourth a combination of two before it that hold the same bodies. One row is small by `weak`.
 */
static void sample_make(sample *s, int n_each, uint64_t seed, double weak) {
    uint64_t state = seed;
    memset(s, 0, sizeof *s);
    const int n_bodies = 2 + next_below(&state, MAX_BODIES - 1), n = 2 * n_each;
    s->n = n_each * n_bodies;
    s->rows = (sarrus_plan_rows){.n_bodies = n_bodies, .n_each = n_each, .n_sides = 2, .body = s->body, .value = s->value};
    for (int i = 0; i < n_bodies && s->m + 4 < MAX_ROWS; ++i) {
        const int from = i % 3 == 2 ? next_below(&state, i) : i - 1, n_rows = 1 + next_below(&state, 3);
        for (int r = 0; r < n_rows; ++r, ++s->m) {
            s->body[s->m][0] = from;
            s->body[s->m][1] = i;
            s->body[s->m][2] = s->body[s->m][3] = -1;
            for (int k = 0; k < n; ++k)
                s->value[n * s->m + k] = s->body[s->m][k / n_each] < 0 ? 0.0 : next_number(&state);
        }
        if (n_rows > 1 && next_below(&state, 4) == 0) {
            memcpy(s->body[s->m], s->body[s->m - 1], sizeof s->body[0]);
            for (int k = 0; k < n; ++k)
                s->value[n * s->m + k] = s->value[n * (s->m - 1) + k] - 0.5 * s->value[n * (s->m - 2) + k];
            ++s->m;
        }
    }
    for (int k = 0; k < n; ++k)
        s->value[k] *= weak;
    s->rows.n_rows = s->m;
    static double a[MAX_ROWS * MAX_N];
    memset(a, 0, sizeof a);
    for (int i = 0; i < s->m; ++i) {
        for (int k = 0; k < n; ++k) {
            if (s->body[i][k / n_each] >= 0)
                a[i + (n_each * s->body[i][k / n_each] + k % n_each) * s->m] = s->value[n * i + k];
        }
    }
    assert_int_equal(LAPACKE_dgesdd(LAPACK_COL_MAJOR, 'A', s->m, s->n, a, s->m, s->sigma, s->u, s->m, s->vt, s->n), 0);
    for (s->rank = 0; s->rank < (s->m < s->n ? s->m : s->n) && s->sigma[s->rank] > 1e-9 * s->sigma[0];)
        ++s->rank;
}

static double dot(const double *a, const double *b, int n) {
    double sum = 0.0;
    for (int i = 0; i < n; ++i)
        sum += a[i] * b[i];
    return sum;
}

static void check_values(const sample *s, sarrus_fronts *fronts) {
    sarrus_spectrum found;
    assert_int_equal(sarrus_spectrum_find(fronts, &s->rows, SARRUS_SPECTRUM_VECTORS, &found), SARRUS_OK);
    assert_int_equal(found.rank, s->rank);
    assert_int_equal(found.firm_rank, s->rank);
    assert_true(fabs(found.largest / s->sigma[0] - 1.0) < 1e-5);
    assert_true(fabs(found.sigma[0] / s->sigma[s->rank - 1] - 1.0) < 1e-6);
    assert_true(fabs(found.kept * found.largest / s->sigma[s->rank - 1] - 1.0) < 1e-6);
    assert_true(found.dropped < 1e-13);
    const bool is_alone = s->rank < 2 || s->sigma[s->rank - 2] > 1.01 * s->sigma[s->rank - 1];
    double right[MAX_N];
    for (int i = 0; i < s->n; ++i)
        right[i] = s->vt[s->rank - 1 + i * s->n];
    if (is_alone) {
        assert_true(fabs(fabs(dot(found.left, s->u + (s->rank - 1) * s->m, s->m)) - 1.0) < 1e-6);
        assert_true(fabs(fabs(dot(found.right, right, s->n)) - 1.0) < 1e-6);
    }
    sarrus_spectrum_free(&found);
    sarrus_fronts_rank counted;
    assert_true(sarrus_fronts_rank_find(fronts, &s->rows, 1e-9 * s->sigma[0], 1e-6 * s->sigma[0], &counted));
    assert_int_equal(counted.rank, s->rank);
    assert_int_equal(counted.n_small, 0);
}

/* x = A⁺ b, and what is left of a vector in the null space. */
static void check_solutions(const sample *s, sarrus_fronts *fronts, uint64_t seed) {
    double b[MAX_ROWS], x[MAX_N], exact[MAX_N] = {0.0}, part[MAX_N], mu = 1e-8 * s->sigma[0];
    uint64_t state = seed;
    for (int i = 0; i < s->m; ++i)
        b[i] = next_number(&state);
    for (int k = 0; k < s->rank; ++k) {
        const double along = dot(s->u + k * s->m, b, s->m) / s->sigma[k];
        for (int i = 0; i < s->n; ++i)
            exact[i] += along * s->vt[k + i * s->n];
    }
    assert_true(sarrus_fronts_factor(fronts, &s->rows, mu, b));
    sarrus_fronts_least(fronts, x);
    const double condition = s->sigma[0] / s->sigma[s->rank - 1], size = sqrt(dot(exact, exact, s->n));
    for (int i = 0; i < s->n; ++i)
        assert_true(fabs(x[i] - exact[i]) < (1e-7 + 4e-16 * condition * condition) * size);
    for (int i = 0; i < s->n; ++i)
        x[i] = part[i] = next_number(&state);
    for (int pass = 0; pass < 3; ++pass) {
        sarrus_fronts_solve(fronts, x);
        for (int i = 0; i < s->n; ++i)
            x[i] *= mu * mu;
    }
    for (int k = 0; k < s->rank; ++k) {
        double along = 0.0;
        for (int i = 0; i < s->n; ++i)
            along += part[i] * s->vt[k + i * s->n];
        for (int i = 0; i < s->n; ++i)
            part[i] -= along * s->vt[k + i * s->n];
    }
    for (int i = 0; i < s->n; ++i)
        assert_true(fabs(x[i] - part[i]) < 1e-6);
}

/* The null vectors span what the last columns of U span; the rows that are chosen are independent and as many as the rank. */
static void check_null_vectors(const sample *s, sarrus_fronts *fronts) {
    double *w = NULL;
    int n_null = -1;
    assert_true(sarrus_null_space_find(&s->rows, 1e-9 * s->sigma[0], &w, &n_null));
    assert_int_equal(n_null, s->m - s->rank);
    for (int k = 0; k < n_null; ++k) {
        double outside = 0.0;
        for (int j = 0; j < s->rank; ++j)
            outside = fmax(outside, fabs(dot(w + k * s->m, s->u + j * s->m, s->m)));
        assert_true(outside < 1e-9);
        for (int j = 0; j <= k; ++j)
            assert_true(fabs(dot(w + k * s->m, w + j * s->m, s->m) - (j == k)) < 1e-12);
    }
    free(w);
    bool is_chosen[MAX_ROWS];
    double chosen[MAX_N * MAX_ROWS] = {0.0}, sigma[MAX_ROWS], unused;
    int n = 0;
    const int n_each = s->rows.n_each;
    assert_true(sarrus_fronts_choose(fronts, &s->rows, 1e-9 * s->sigma[0], is_chosen));
    for (int i = 0; i < s->m; ++i) {
        for (int k = 0; is_chosen[i] && k < 2 * n_each; ++k) {
            if (s->body[i][k / n_each] >= 0)
                chosen[n_each * s->body[i][k / n_each] + k % n_each + n * s->n] = s->value[2 * n_each * i + k];
        }
        n += is_chosen[i];
    }
    assert_int_equal(n, s->rank);
    assert_int_equal(LAPACKE_dgesdd(LAPACK_COL_MAJOR, 'N', s->n, n, chosen, s->n, sigma, &unused, s->n, &unused, n), 0);
    assert_true(sigma[n - 1] > 1e-3 * s->sigma[s->rank - 1]);
}

static void factors_say_what_a_full_decomposition_says(void **state) {
    (void)state;
    static sample s;
    int n_redundant = 0;
    for (int i = 0; i < N_CASES; ++i) {
        sarrus_fronts fronts;
        sample_make(&s, i % 2 ? 3 : 6, 77u + (uint64_t)i, pow(10.0, -(double)(i / 2 % 6)));
        assert_int_equal(sarrus_fronts_create(&s.rows, NULL, &fronts), SARRUS_OK);
        if (s.sigma[s.rank - 1] > 1e-5 * s.sigma[0]) {
            check_values(&s, &fronts);
            check_solutions(&s, &fronts, 99u + (uint64_t)i);
            check_null_vectors(&s, &fronts);
        }
        n_redundant += s.rank < s.m;
        sarrus_fronts_free(&fronts);
    }
    assert_true(n_redundant > N_CASES / 4);
}

static void nothing_at_all_has_no_rank(void **state) {
    (void)state;
    int32_t body[1][SARRUS_MOST_SIDES] = {{-1, 0, -1, -1}};
    double value[6] = {0.0};
    const sarrus_plan_rows rows = {.n_rows = 1, .n_bodies = 1, .n_each = 3, .n_sides = 2, .body = body, .value = value};
    sarrus_fronts fronts;
    sarrus_spectrum found;
    assert_int_equal(sarrus_fronts_create(&rows, NULL, &fronts), SARRUS_OK);
    assert_int_equal(sarrus_spectrum_find(&fronts, &rows, SARRUS_SPECTRUM_VALUES, &found), SARRUS_OK);
    assert_int_equal(found.rank, 0);
    sarrus_spectrum_free(&found);
    sarrus_fronts_free(&fronts);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(factors_say_what_a_full_decomposition_says),
        cmocka_unit_test(nothing_at_all_has_no_rank),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
