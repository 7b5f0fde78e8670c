/* The rank decision (kernels/pinv/rank.h) on sizes made for each rule; the two lanes are given different ones throughout. */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define SARRUS_LANE_WIDTH 2
#include "kernels/pinv/rank.h"

enum { MAX_COUNT = 8, STRIDE = 3, WIDTH = SARRUS_LANE_WIDTH };

/* One lane's question and answer. */
typedef struct rank_case {
    double sizes[MAX_COUNT];
    int count;
    double max_rank, previous, violation, unit;
    double rank, kept, dropped; /* expected */
} rank_case;

static const rank_case other_lane = {{8.0, 4.0, 2.0, 1.0}, 4, 4, 4, 0, 1, 4, 1.0, 0.0};

/* Decides `mine` in each lane, with `other_lane` beside it; sizes stand STRIDE apart. */
static void assert_decided(const sarrus_rank_rule *rule, const rank_case *mine) {
    for (int lane = 0; lane < WIDTH; ++lane) {
        real x[MAX_COUNT * STRIDE];
        sarrus_rank_limit limit;
        for (int l = 0; l < WIDTH; ++l) {
            const rank_case *from = l == lane ? mine : &other_lane;
            for (int i = 0; i < MAX_COUNT * STRIDE; ++i)
                x[i][l] = i % STRIDE == 0 ? from->sizes[i / STRIDE] : (double)NAN;
            limit.max_rank[l] = from->max_rank;
            limit.previous[l] = from->previous;
            limit.violation[l] = from->violation;
            limit.unit[l] = from->unit;
            limit.share[l] = 1.0;
        }
        sarrus_rank_decision found = sarrus_rank_decide(rule, &limit, mine->count, mine->count, x, STRIDE, mine->count);
        if (found.rank[lane] != mine->rank || found.kept[lane] != mine->kept || found.dropped[lane] != mine->dropped) {
            fail_msg("lane %d: rank %g, kept %g, dropped %g; expected %g, %g, %g", lane, found.rank[lane], found.kept[lane],
                     found.dropped[lane], mine->rank, mine->kept, mine->dropped);
        }
    }
}

static void assert_all(sarrus_rank_method method, double tolerance, const rank_case *cases, size_t n_cases) {
    const sarrus_rank_rule rule = {(int32_t)method, tolerance, 0};
    for (size_t i = 0; i < n_cases; ++i)
        assert_decided(&rule, &cases[i]);
}

static void test_relative(void **state) {
    const rank_case cases[] = {
        {{100, 10, 1.5, 0.5}, 4, 4, 4, 0, 1, 3, 1.5, 0.5},
        {{100, 10, 1.0, 0.5}, 4, 4, 4, 0, 1, 2, 10, 1.0}, /* not above */
        {{100, 10, 2, 3}, 4, 4, 4, 0, 1, 4, 3, 0},        /* all */
        {{100, 10, 2, 3}, 4, 1, 1, 0, 1, 4, 3, 0},        /* max_rank is not its business */
        {{0, 0, 0, 0}, 4, 4, 4, 0, 1, 0, 0, 0},
        {{1e-300, 1e-301, 0, 0}, 4, 4, 4, 0, 1, 2, 1e-301, 0},
        {{1e300, 1e299, 1e200, 0}, 4, 4, 4, 0, 1, 2, 1e299, 1e200},
        {{100, 0.5, 50, 50}, 4, 4, 4, 0, 1, 1, 100, 0.5}, /* what follows a refused pivot does not count */
        {{5}, 1, 1, 1, 0, 1, 1, 5, 0},
        {{0}, 0, 0, 0, 0, 1, 0, 0, 0},
    };
    (void)state;
    assert_all(SARRUS_RANK_RELATIVE, 1e-2, cases, sizeof cases / sizeof *cases);
}

static void test_absolute(void **state) {
    const rank_case cases[] = {
        {{100, 1, 0.2, 0.05}, 4, 4, 4, 0, 1, 3, 0.2, 0.05},
        {{0.05, 0.04, 0, 0}, 4, 4, 4, 0, 1, 0, 0, 0.05},
        /* The sizes of 1024 A: decided, and reported, in units of A. */
        {{102400, 1024, 204.8, 51.2}, 4, 4, 4, 0, 1024, 3, 0.2, 0.05},
    };
    (void)state;
    assert_all(SARRUS_RANK_ABSOLUTE, 0.1, cases, sizeof cases / sizeof *cases);
}

/* Only the first fall by the given factor counts, and what lies at round-off (here 4 eps of the largest) never does. */
static void test_gap(void **state) {
    const rank_case cases[] = {
        {{1, 1e-2, 1e-4, 1e-8}, 4, 4, 4, 0, 1, 3, 1e-4, 1e-8},
        {{1, 1e-2, 1e-4, 1e-6}, 4, 4, 4, 0, 1, 4, 1e-6, 0},
        {{1, 1e-8, 1e-9, 1e-10}, 4, 4, 4, 0, 1, 1, 1, 1e-8},
        {{1e-2, 1e-4, 1e-16 * 1e-2, 0}, 4, 4, 4, 0, 1, 2, 1e-4, 1e-16 * 1e-2},
        {{1, 4e-16, 0, 0}, 2, 2, 2, 0, 1, 1, 1, 4e-16},
        {{0, 0, 0, 0}, 4, 4, 4, 0, 1, 0, 0, 0},
    };
    (void)state;
    assert_all(SARRUS_RANK_GAP, 1e-3, cases, sizeof cases / sizeof *cases);
}

/* Round-off is eps max(m, n) of the largest, however small the falls are that lead there. */
static void test_gap_ends_at_round_off(void **state) {
    const rank_case cases[] = {{{1, 1e-5, 1e-10, 1e-15}, 4, 4, 4, 0, 1, 4, 1e-15, 0},
                               {{1, 1e-5, 1e-10, 8e-16}, 4, 4, 4, 0, 1, 3, 1e-10, 8e-16}};
    (void)state;
    assert_all(SARRUS_RANK_GAP, 1e-6, cases, sizeof cases / sizeof *cases);
}

/* The third size crosses the band [tol, 10 tol] from both sides: it counts there only while it has counted before. */
static void test_tracked(void **state) {
    const rank_case cases[] = {
        {{1, 0.9, 0.05, 0}, 4, 4, 3, 0, 1, 3, 0.05, 0},     /* counted before, in the band */
        {{1, 0.9, 0.05, 0}, 4, 4, 2, 0, 1, 2, 0.9, 0.05},   /* lost before, in the band */
        {{1, 0.9, 0.11, 0}, 4, 4, 2, 0, 1, 3, 0.11, 0},     /* back above it */
        {{1, 0.9, 0.009, 0}, 4, 4, 3, 0, 1, 2, 0.9, 0.009}, /* lost below it */
        {{1, 0.9, 0.8, 0.7}, 4, 3, 3, 0, 1, 3, 0.8, 0.7},   /* never more than assembled */
        {{1, 0.9, 0.8, 0.05}, 4, 3, 4, 0, 1, 3, 0.8, 0.05},
        {{1, 0.05, 0.04, 0}, 4, 4, 1, 0, 1, 1, 1, 0.05}, /* two lost stay lost */
        {{1, 0.05, 0.04, 0}, 4, 4, 2, 0, 1, 2, 0.05, 0.04},
        {{0, 0, 0, 0}, 4, 4, 4, 0, 1, 0, 0, 0},
        {{1, 0.5, 0, 0}, 4, 4, 0, 0, 1, 2, 0.5, 0},
    };
    (void)state;
    assert_all(SARRUS_RANK_TRACKED, 1e-2, cases, sizeof cases / sizeof *cases);
}

/* A motion through a singular configuration, its decisions fed back: the rank changes twice, not at each crossing of one edge. */
static void test_tracked_over_a_motion(void **state) {
    const sarrus_rank_rule rule = {SARRUS_RANK_TRACKED, 1e-2, 0};
    const double last[] = {0.5, 0.02, 0.011, 0.009, 0.012, 0.008, 0.03, 0.09, 0.011, 0.2, 0.05, 0.5};
    const double expected[] = {2, 2, 2, 1, 1, 1, 1, 1, 1, 2, 2, 2};
    real previous = real_set(2.0);
    (void)state;
    for (size_t i = 0; i < sizeof last / sizeof *last; ++i) {
        const sarrus_rank_limit limit = {real_set(2.0), previous, real_set(0.0), real_set(1.0), real_set(1.0)};
        const real x[] = {real_set(1.0), real_set(last[i])};
        previous = sarrus_rank_decide(&rule, &limit, 2, 2, x, 1, 2).rank;
        for (int lane = 0; lane < WIDTH; ++lane)
            assert_true(previous[lane] == expected[i]);
    }
}

static void test_violation(void **state) {
    const rank_case cases[] = {
        {{2, 1, 1e-5, 1e-9}, 4, 4, 4, 1e-8, 1, 3, 1e-5, 1e-9}, /* the edge is 2e-7 */
        {{2, 1, 1e-5, 1e-9}, 4, 4, 4, 1e-6, 1, 2, 1, 1e-5},    /* 2e-5 */
        {{2, 1, 1e-5, 1e-9}, 4, 4, 4, 0, 1, 4, 1e-9, 0},
        {{2, 1, 1e-5, 1e-17}, 4, 4, 4, 0, 1, 3, 1e-5, 1e-17}, /* round-off is left */
        {{2, 1, 1e-5, 1e-9}, 4, 4, 4, 1, 1, 0, 0, 2},         /* farther off than anything can tell */
    };
    (void)state;
    assert_all(SARRUS_RANK_VIOLATION, 10.0, cases, sizeof cases / sizeof *cases);
}

static void test_auto(void **state) {
    const rank_case cases[] = {
        {{100, 10, 1.5, 0.5}, 4, 4, 4, 0, 1, 3, 1.5, 0.5},
        {{100, 10, 1.5, 0.5}, 4, 2, 2, 0, 1, 2, 10, 1.5},
        {{100, 10, 1.5, 0.5}, 4, 0, 0, 0, 1, 0, 0, 100},
        {{200, 20, 3, 1}, 4, 4, 0, 0, 2, 3, 1.5, 0.5}, /* 2 A */
    };
    (void)state;
    assert_all(SARRUS_RANK_AUTO, 1e-2, cases, sizeof cases / sizeof *cases);
}

/* Pivots of an ordered elimination may rise a little; each counts as at most its predecessor. */
static void test_sizes_count_as_falling(void **state) {
    const rank_case cases[] = {{{10, 1, 2, 0.05}, 4, 4, 4, 0, 1, 3, 2, 0.05}};
    const rank_case gap[] = {{{10, 1, 5, 4e-3}, 4, 4, 4, 0, 1, 4, 4e-3, 0}};
    (void)state;
    assert_all(SARRUS_RANK_RELATIVE, 1e-2, cases, sizeof cases / sizeof *cases);
    assert_all(SARRUS_RANK_GAP, 1e-3, gap, sizeof gap / sizeof *gap);
}

static void test_sort(void **state) {
    real x[] = {{3, 0}, {1, 5}, {4, 5}, {1, -1}, {5, 2}};
    const double expected[WIDTH][5] = {{5, 4, 3, 1, 1}, {5, 5, 2, 0, -1}};
    (void)state;
    sarrus_rank_sort(x, 5);
    for (int lane = 0; lane < WIDTH; ++lane) {
        for (int i = 0; i < 5; ++i)
            assert_true(x[i][lane] == expected[lane][i]);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_relative),
        cmocka_unit_test(test_absolute),
        cmocka_unit_test(test_gap),
        cmocka_unit_test(test_gap_ends_at_round_off),
        cmocka_unit_test(test_tracked),
        cmocka_unit_test(test_tracked_over_a_motion),
        cmocka_unit_test(test_violation),
        cmocka_unit_test(test_auto),
        cmocka_unit_test(test_sizes_count_as_falling),
        cmocka_unit_test(test_sort),
    };
    return cmocka_run_group_tests_name("kernels.rank", tests, NULL, NULL);
}
