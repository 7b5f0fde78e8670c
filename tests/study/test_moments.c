/* Sums over instances: the same bits however the study is cut, against sums in long double. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "study/moments.h"

enum { MOST = 5000 };

static double noise(uint64_t x) {
    x += 0x9e3779b97f4a7c15u;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return (double)((x ^ x >> 31) >> 11) * 0x1p-53;
}

/* Some are none, one leaf has none at all. */
static double number(uint64_t i) {
    if (noise(3 * i) < 0.1 || (i >= 320 && i < 352))
        return NAN;
    return 1e3 + exp(8.0 * noise(i));
}

static sarrus_moments whole_of(uint64_t n) {
    static double x[MOST];
    sarrus_moment_tree tree;
    for (uint64_t i = 0; i < n; ++i)
        x[i] = number(i);
    sarrus_moment_tree_begin(&tree, 0);
    (void)sarrus_moment_tree_column(&tree, x, n);
    return sarrus_moment_tree_total(&tree);
}

/* The study in parts that end at cuts[n_cuts], the last at n. */
static sarrus_moments of_parts(const uint64_t *cuts, int n_cuts) {
    static double x[MOST], sums[MOST + 5 * SARRUS_MOMENTS_NODES];
    sarrus_moment_tree tree;
    sarrus_moments own;
    uint64_t i_first = 0;
    sarrus_moment_tree_begin(&tree, 0);
    for (int k = 0; k < n_cuts; ++k) {
        const sarrus_moment_part part = sarrus_moment_part_of(i_first, cuts[k] - i_first);
        assert_true(sarrus_moment_part_size(&part) <= 62 + 5 * 2 * 12);
        uint64_t n_good = 0;
        for (uint64_t i = 0; i < part.n; ++i) {
            x[i] = number(i_first + i);
            n_good += isnan(x[i]) ? 0 : 1;
        }
        assert_int_equal(sarrus_moment_part_take(&part, x, sums, &own), n_good);
        assert_true(own.n == (double)n_good);
        for (uint64_t i = 0, to = 0; i < part.n; ++i)
            if (!isnan(number(i_first + i)))
                assert_true(x[to++] == number(i_first + i));
        sarrus_moment_part_add(&part, sums, &tree);
        i_first = cuts[k];
    }
    return sarrus_moment_tree_total(&tree);
}

static void any_cut_has_the_same_bits(void **state) {
    (void)state;
    static const uint64_t sizes[] = {1, 31, 32, 33, 64, 1000, 4096, MOST};
    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; ++s) {
        const uint64_t n = sizes[s];
        const sarrus_moments whole = whole_of(n);
        for (uint64_t trial = 0; trial < 60; ++trial) {
            uint64_t cuts[64], i = 0;
            int n_cuts = 0;
            const double longest = trial % 3 == 0 ? 40.0 : trial % 3 == 1 ? 400.0 : 3000.0;
            while (i < n) {
                const uint64_t more = 1 + (uint64_t)(longest * noise(1000 * trial + i));
                i = n_cuts == 63 || i + more > n ? n : i + more;
                cuts[n_cuts++] = i;
            }
            const sarrus_moments joined = of_parts(cuts, n_cuts);
            assert_memory_equal(&whole, &joined, sizeof whole);
        }
    }
}

/* A join of sets in another order is another sum: the test above would see a tree that depends on cuts. */
static void another_tree_has_other_bits(void **state) {
    (void)state;
    const sarrus_moments whole = whole_of(MOST);
    sarrus_moments all = {.n = 0.0};
    for (uint64_t i = 0; i < MOST; ++i) {
        const double x = number(i);
        const sarrus_moments one = sarrus_moments_of(&x, isnan(x) ? 0U : 1U);
        all = sarrus_moments_join(&all, &one);
    }
    assert_true(all.n == whole.n && memcmp(&all, &whole, sizeof all) != 0);
    assert_true(fabs(all.mean + all.mean_rest - whole.mean - whole.mean_rest) <= 1e-12 * whole.mean);
    assert_true(fabs(all.squares - whole.squares) <= 1e-12 * whole.squares);
    assert_true(fabs(all.cubes - whole.cubes) <= 1e-12 * whole.cubes);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_cut_has_the_same_bits),
        cmocka_unit_test(another_tree_has_other_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
