/* Points of the unit cube: each sampling has its property for the numbers of instances at the edges, any part of a study has the
 * numbers of the whole, and designs have their rows in the order that they are known by. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/draws.h"
#include "model/grid.h"
#include "sarrus/study.h"
#include "study/permutation.h"
#include "study/sobol.h"

enum { D = 3, MOST = 4100 };

static char labels[D][4] = {"L", "m", "k"};

typedef struct study {
    sarrus_sampled sampled[D];
    sarrus_model model;
} study;

/* Uniform on [0, 1], so that values are the points themselves but for rounding. */
static void study_make(study *s, sarrus_sampling sampling, sarrus_design design) {
    *s = (study){0};
    for (int i = 0; i < D; ++i)
        s->sampled[i] = (sarrus_sampled){
            .label = labels[i], .kind = SARRUS_DISTRIBUTION_UNIFORM, .a = 0.0, .b = 1.0, .min = -INFINITY, .max = INFINITY};
    s->model.batch.n_sampled = D;
    s->model.batch.sampled = s->sampled;
    s->model.batch.n_instances = 1;
    s->model.batch.sampling = sampling;
    s->model.batch.is_scrambled = true;
    s->model.batch.design = design;
    s->model.batch.has_second_order = true;
    s->model.batch.n_levels = 4;
}

static sarrus_draws *drawn(const study *s, uint64_t seed, uint64_t n) {
    sarrus_draws *draws = NULL;
    assert_int_equal(sarrus_draws_create(NULL, &s->model, seed, n, &draws), SARRUS_OK);
    return draws;
}

/* Whether every cell of n equal ones holds one of the n numbers. */
static bool fills_cells(const double *units, uint64_t n) {
    static bool is_taken[MOST];
    assert_true(n <= MOST);
    memset(is_taken, 0, sizeof is_taken);
    for (uint64_t i = 0; i < n; ++i) {
        const uint64_t cell = (uint64_t)floor(units[i] * (double)n);
        if (!(units[i] > 0.0 && units[i] < 1.0) || is_taken[cell])
            return false;
        is_taken[cell] = true;
    }
    return true;
}

static void a_latin_hypercube_has_a_point_in_every_stratum(void **state) {
    (void)state;
    static const uint64_t sizes[] = {1, 2, 3, 5, 255, 256, 257, 1000, 4096, 4097};
    study s;
    study_make(&s, SARRUS_SAMPLING_LHS, SARRUS_DESIGN_PLAIN);
    for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; ++k) {
        sarrus_draws *draws = drawn(&s, k, sizes[k]);
        for (int i = 0; i < D; ++i)
            assert_true(fills_cells(sarrus_draws_units(draws, i), sizes[k]));
        sarrus_draws_destroy(draws);
    }
}

/* Of 600 seeds a permutation of 3 has each of its 6 forms 100 times; five standard deviations are 46. Of larger ones, entry 0 goes
 * to the lower half half of the times. */
static void permutations_are_equally_likely(void **state) {
    (void)state;
    int n_of[27] = {0}, n_low = 0;
    for (uint32_t seed = 0; seed < 600; ++seed) {
        sarrus_permutation three, many;
        const uint32_t key[2] = {seed, 0};
        sarrus_permutation_make(key, 7, 3, &three);
        sarrus_permutation_make(key, 7, 1000, &many);
        ++n_of[sarrus_permutation_at(&three, 0) * 9 + sarrus_permutation_at(&three, 1) * 3 + sarrus_permutation_at(&three, 2)];
        n_low += sarrus_permutation_at(&many, 0) < 500;
    }
    for (int i = 0; i < 27; ++i) {
        const bool is_one = i / 9 != i / 3 % 3 && i / 3 % 3 != i % 3 && i / 9 != i % 3;
        assert_true(is_one ? abs(n_of[i] - 100) <= 46 : n_of[i] == 0);
    }
    assert_true(abs(n_low - 300) <= 61);
}

/* Points 0, 1, 2, 3, 1000, 12345 and 2²⁰ + 7 in all 1,024 dimensions, as multiples of 2⁻³⁰, by FNV-1a over whole numbers. From
 * scipy.stats.qmc.Sobol(1024, scramble=False).fast_forward(i).random(1), SciPy 1.17.1; two of its numbers stand here too. */
static void sobol_points_are_those_of_scipy(void **state) {
    (void)state;
    static const uint64_t numbers[] = {0, 1, 2, 3, 1000, 12345, (1 << 20) + 7};
    sarrus_sobol sobol;
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (size_t k = 0; k < sizeof numbers / sizeof numbers[0]; ++k) {
        for (int d = 0; d < SARRUS_SOBOL_DIMENSIONS; ++d) {
            sarrus_sobol_make(d, &sobol);
            const uint64_t bits = sarrus_sobol_bits(&sobol, numbers[k]);
            assert_true(bits % (UINT64_C(1) << (SARRUS_SOBOL_BITS - 30)) == 0);
            hash = (hash ^ bits >> (SARRUS_SOBOL_BITS - 30)) * UINT64_C(0x100000001b3);
        }
    }
    assert_true(hash == UINT64_C(0x5ac39df996b4bf25));
    sarrus_sobol_make(1, &sobol);
    assert_int_equal(sarrus_sobol_bits(&sobol, 12345) >> 22, 873398272);
    sarrus_sobol_make(1023, &sobol);
    assert_int_equal(sarrus_sobol_bits(&sobol, (1 << 20) + 7) >> 22, 1073127936);
}

/* Scrambling keeps the net: 2^m points have one in each of 2^m cells of every coordinate and, of the first two, in each of those of
 * 2^k by 2^(m − k). Other seeds give other points. */
static void scrambled_sobol_points_are_a_net(void **state) {
    (void)state;
    enum { M = 10, N = 1 << M };
    study s;
    study_make(&s, SARRUS_SAMPLING_SOBOL, SARRUS_DESIGN_PLAIN);
    sarrus_draws *draws = drawn(&s, 4, N), *other = drawn(&s, 5, N);
    const double *x = sarrus_draws_units(draws, 0), *y = sarrus_draws_units(draws, 1);
    for (int i = 0; i < D; ++i)
        assert_true(fills_cells(sarrus_draws_units(draws, i), N));
    for (int k = 0; k <= M; ++k) {
        bool is_taken[N] = {false};
        for (int i = 0; i < N; ++i) {
            const int cell = (int)(x[i] * (1 << k)) * (1 << (M - k)) + (int)(y[i] * (1 << (M - k)));
            assert_false(is_taken[cell]);
            is_taken[cell] = true;
        }
    }
    for (int i = 0; i < D; ++i)
        assert_true(sarrus_draws_units(draws, i)[0] != sarrus_draws_units(other, i)[0]);
    sarrus_draws_destroy(other);
    sarrus_draws_destroy(draws);
}

/* Without scramble it begins at 0, and x is its quantile. */
static void a_bare_sobol_sequence_begins_at_nothing(void **state) {
    (void)state;
    static const double second[] = {0.0, 0.5, 0.25, 0.75, 0.375, 0.875, 0.125, 0.625};
    study s;
    study_make(&s, SARRUS_SAMPLING_SOBOL, SARRUS_DESIGN_PLAIN);
    s.model.batch.is_scrambled = false;
    s.sampled[1].a = 2.0;
    s.sampled[1].b = 4.0;
    sarrus_draws *draws = drawn(&s, 9, 8);
    for (int i = 0; i < 8; ++i) {
        assert_true(sarrus_draws_units(draws, 1)[i] == second[i]);
        assert_true(sarrus_draws_values(draws, 1)[i] == 2.0 + 2.0 * second[i]);
    }
    sarrus_draws_destroy(draws);
}

static void a_grid_has_midpoints_of_all_cells(void **state) {
    (void)state;
    int levels[D] = {2, 5, 3};
    study s;
    study_make(&s, SARRUS_SAMPLING_GRID, SARRUS_DESIGN_PLAIN);
    sarrus_draws *draws = drawn(&s, 1, 64);
    for (int i = 0; i < 64; ++i) {
        assert_true(sarrus_draws_units(draws, 0)[i] == (i / 16 + 0.5) / 4);
        assert_true(sarrus_draws_units(draws, 2)[i] == (i % 4 + 0.5) / 4);
    }
    sarrus_draws_destroy(draws);
    s.model.batch.levels = levels;
    draws = drawn(&s, 1, 30);
    for (int i = 0; i < 30; ++i) {
        assert_true(sarrus_draws_units(draws, 0)[i] == (i / 15 + 0.5) / 2);
        assert_true(sarrus_draws_units(draws, 1)[i] == (i / 3 % 5 + 0.5) / 5);
        assert_true(sarrus_draws_units(draws, 2)[i] == (i % 3 + 0.5) / 3);
    }
    sarrus_draws_destroy(draws);
    draws = NULL;
    assert_int_equal(sarrus_draws_create(NULL, &s.model, 1, 31, &draws), SARRUS_BAD_ARGUMENT);
    s.model.batch.levels = NULL;
    assert_int_equal(sarrus_draws_create(NULL, &s.model, 1, 63, &draws), SARRUS_BAD_ARGUMENT);
    assert_null(draws);
    assert_true(sarrus_grid_levels(UINT64_C(1) << 40, 1) == UINT64_C(1) << 40 && sarrus_grid_levels(1, 9) == 1);
    assert_true(sarrus_grid_levels(26, 3) == 2 && sarrus_grid_levels(27, 3) == 3 && sarrus_grid_levels(28, 3) == 3);
    assert_true(sarrus_grid_points(3, 60) == UINT64_MAX);
}

/* Every way of sampling, every design, from any instance on. */
static void a_part_has_the_numbers_of_the_whole(void **state) {
    (void)state;
    static const struct {
        sarrus_sampling sampling;
        sarrus_design design;
    } ways[] = {
        {SARRUS_SAMPLING_RANDOM, SARRUS_DESIGN_PLAIN},    {SARRUS_SAMPLING_LHS, SARRUS_DESIGN_PLAIN},
        {SARRUS_SAMPLING_SOBOL, SARRUS_DESIGN_PLAIN},     {SARRUS_SAMPLING_GRID, SARRUS_DESIGN_PLAIN},
        {SARRUS_SAMPLING_RANDOM, SARRUS_DESIGN_SALTELLI}, {SARRUS_SAMPLING_LHS, SARRUS_DESIGN_SALTELLI},
        {SARRUS_SAMPLING_SOBOL, SARRUS_DESIGN_SALTELLI},  {SARRUS_SAMPLING_RANDOM, SARRUS_DESIGN_MORRIS},
    };
    for (size_t w = 0; w < sizeof ways / sizeof ways[0]; ++w) {
        study s;
        sarrus_draws *part = NULL;
        study_make(&s, ways[w].sampling, ways[w].design);
        s.model.batch.n_instances = 64;
        const uint64_t n = sarrus_model_n_instances(&s.model), i_first = n / 3;
        sarrus_draws *all = drawn(&s, 3, n);
        assert_int_equal(sarrus_draws_create_part(NULL, &s.model, 3, i_first, 11, &part), SARRUS_OK);
        for (int i = 0; i < D; ++i) {
            assert_memory_equal(sarrus_draws_units(all, i) + i_first, sarrus_draws_units(part, i), 11 * sizeof(double));
            assert_memory_equal(sarrus_draws_values(all, i) + i_first, sarrus_draws_values(part, i), 11 * sizeof(double));
        }
        sarrus_draws_destroy(part);
        sarrus_draws_destroy(all);
        part = NULL;
        const bool has_size = ways[w].sampling == SARRUS_SAMPLING_LHS || ways[w].sampling == SARRUS_SAMPLING_GRID;
        assert_int_equal(sarrus_draws_create_part(NULL, &s.model, 3, n, 1, &part), has_size ? SARRUS_BAD_ARGUMENT : SARRUS_OK);
        sarrus_draws_destroy(part);
    }
}

/* A, AB_1 … AB_D, BA_1 … BA_D, B of every point, as SALib.sample.sobol has them; A and B are the first and the last D coordinates
 * of a sequence of 2 D. */
static void rows_of_saltelli_are_in_their_order(void **state) {
    (void)state;
    for (int has_second = 0; has_second < 2; ++has_second) {
        study s;
        study_make(&s, SARRUS_SAMPLING_SOBOL, SARRUS_DESIGN_SALTELLI);
        s.model.batch.is_scrambled = false;
        s.model.batch.has_second_order = has_second;
        const int n_rows = (has_second ? 2 * D : D) + 2, n_points = 4;
        assert_int_equal(sarrus_model_study_size(&s.model, 5), 5 * n_rows);
        sarrus_draws *draws = drawn(&s, 2, (uint64_t)(n_points * n_rows));
        for (int i = 0; i < D; ++i) {
            sarrus_sobol a, b;
            sarrus_sobol_make(i, &a);
            sarrus_sobol_make(D + i, &b);
            for (int row = 0; row < n_points * n_rows; ++row) {
                const uint64_t point = (uint64_t)(row / n_rows);
                const int r = row % n_rows;
                const bool is_b = r <= D ? r == i + 1 : r == n_rows - 1 || r != D + 1 + i;
                assert_true(sarrus_draws_units(draws, i)[row] == (double)sarrus_sobol_bits(is_b ? &b : &a, point) * 0x1p-52);
            }
        }
        sarrus_draws_destroy(draws);
        draws = NULL;
        assert_int_equal(sarrus_draws_create(NULL, &s.model, 2, (uint64_t)n_rows + 1, &draws), SARRUS_BAD_ARGUMENT);
    }
}

/* Each parameter takes one step of p/(2(p − 1)) in each trajectory, one a row, from levels k/(p − 1) within [0, 1]; orders,
 * directions and levels all occur. */
static void trajectories_of_morris_step_once_along_each_axis(void **state) {
    (void)state;
    enum { N_TRAJECTORIES = 600 };
    study s;
    study_make(&s, SARRUS_SAMPLING_RANDOM, SARRUS_DESIGN_MORRIS);
    sarrus_draws *draws = drawn(&s, 2, N_TRAJECTORIES * (D + 1));
    int n_up = 0, n_order[D * D * D] = {0}, n_level[4] = {0};
    for (int t = 0; t < N_TRAJECTORIES; ++t) {
        int order = 0, seen = 0;
        for (int row = t * (D + 1); row < t * (D + 1) + D; ++row) {
            int stepped = -1;
            for (int i = 0; i < D; ++i) {
                const double *u = sarrus_draws_units(draws, i), step = u[row + 1] - u[row], level = u[row] * 3.0;
                assert_true(fabs(level - round(level)) <= 1e-15 && level >= 0.0 && level <= 3.0);
                n_level[(int)round(level)] += 1;
                if (step == 0.0)
                    continue;
                assert_true(stepped < 0 && fabs(fabs(step) - 2.0 / 3.0) <= 1e-15);
                stepped = i;
                n_up += step > 0.0;
            }
            assert_true(stepped >= 0);
            seen |= 1 << stepped;
            order = order * D + stepped;
        }
        assert_int_equal(seen, (1 << D) - 1);
        n_order[order] += 1;
    }
    /* Five standard deviations of 600 with 1/6, of 1,800 with 1/2. */
    for (int i = 0; i < D * D * D; ++i)
        assert_true(n_order[i] == 0 || abs(n_order[i] - 100) <= 46);
    assert_true(abs(n_up - 900) <= 106);
    for (int k = 0; k < 4; ++k)
        assert_true(n_level[k] > 1000);
    sarrus_draws_destroy(draws);
}

/* Normal scores z have the correlation 0.6 to five standard deviations (1 − ρ²)/√N; the parameter beside them keeps its bits. */
static void a_copula_correlates_normal_scores(void **state) {
    (void)state;
    enum { N = 40000 };
    double factor[D * D] = {1, 0, 0, 0, 1, 0, 0.6, 0, 0.8};
    study s;
    study_make(&s, SARRUS_SAMPLING_RANDOM, SARRUS_DESIGN_PLAIN);
    for (int i = 0; i < D; ++i)
        s.sampled[i] = (sarrus_sampled){
            .label = labels[i], .kind = SARRUS_DISTRIBUTION_NORMAL, .a = 0.0, .b = 1.0, .min = -INFINITY, .max = INFINITY};
    sarrus_draws *plain = drawn(&s, 6, N);
    s.model.batch.correlation = factor;
    sarrus_draws *draws = drawn(&s, 6, N);
    const double *x = sarrus_draws_values(draws, 0), *y = sarrus_draws_values(draws, 2);
    double sum = 0.0, square = 0.0;
    for (int i = 0; i < N; ++i) {
        sum += x[i] * y[i] / N;
        square += y[i] * y[i] / N;
    }
    assert_memory_equal(x, sarrus_draws_values(plain, 0), N * sizeof *x);
    assert_memory_equal(sarrus_draws_values(draws, 1), sarrus_draws_values(plain, 1), N * sizeof *x);
    assert_true(fabs(sum - 0.6) <= 5.0 * sqrt(1.0 + 0.36) / sqrt(N));
    assert_true(fabs(square - 1.0) <= 5.0 * M_SQRT2 / sqrt(N));
    sarrus_draws_destroy(draws);
    sarrus_draws_destroy(plain);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_latin_hypercube_has_a_point_in_every_stratum),
        cmocka_unit_test(permutations_are_equally_likely),
        cmocka_unit_test(sobol_points_are_those_of_scipy),
        cmocka_unit_test(scrambled_sobol_points_are_a_net),
        cmocka_unit_test(a_bare_sobol_sequence_begins_at_nothing),
        cmocka_unit_test(a_grid_has_midpoints_of_all_cells),
        cmocka_unit_test(a_part_has_the_numbers_of_the_whole),
        cmocka_unit_test(rows_of_saltelli_are_in_their_order),
        cmocka_unit_test(trajectories_of_morris_step_once_along_each_axis),
        cmocka_unit_test(a_copula_correlates_normal_scores),
    };
    return cmocka_run_group_tests_name("study.points", tests, NULL, NULL);
}
