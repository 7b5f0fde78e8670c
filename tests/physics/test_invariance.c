/* Claim: an instance's bits do not depend on the size of the batch, its place in it, the number of threads, or how the steps
 * are cut into calls. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/support/mechanism.h"
#include "tests/tolerances.h"

enum { N = 12, N_INSTANCES = 1000, N_STEPS = 40 };

static const char *const ISAS[] = {"avx512", "avx2", "baseline"};

/* Everything that can be observed of one instance after N_STEPS. */
typedef struct outcome {
    double q[N_INSTANCES][N], v[N_INSTANCES][N], energy[N_INSTANCES], rank[N_INSTANCES], reactions[N_INSTANCES][18];
} outcome;

static void finish(sarrus_batch *batch, outcome *out) {
    sarrus_observation o = {.n_times = 1, .every_steps = 1, .observe_first = 1, .n_times_stride = 1};
    o.destination[SARRUS_OBSERVE_Q] = &out->q[0][0];
    o.destination[SARRUS_OBSERVE_V] = &out->v[0][0];
    o.destination[SARRUS_OBSERVE_ENERGY] = out->energy;
    o.destination[SARRUS_OBSERVE_RANK] = out->rank;
    o.destination[SARRUS_OBSERVE_REACTIONS] = &out->reactions[0][0];
    assert_int_equal(sarrus_batch_observe(batch, &o), SARRUS_OK);
    sarrus_batch_destroy(batch);
}

/* Instance i of `a` and j of `b` hold the same bits. */
static void assert_same(const outcome *a, size_t i, const outcome *b, size_t j, const char *what, const char *isa) {
    bool is_same = memcmp(a->q[i], b->q[j], sizeof a->q[i]) == 0 && memcmp(a->v[i], b->v[j], sizeof a->v[i]) == 0 &&
                   memcmp(&a->energy[i], &b->energy[j], sizeof(double)) == 0 &&
                   memcmp(&a->rank[i], &b->rank[j], sizeof(double)) == 0 &&
                   memcmp(a->reactions[i], b->reactions[j], sizeof a->reactions[i]) == 0;
    if (!is_same) {
        fail_msg("%s, %s: instance %zu differs", what, isa, i);
    }
    assert_true(isfinite(a->q[i][0]));
}

/* The draws of instances order[0 … n − 1] of `from`. */
static sarrus_draws *rearrange(const mechanism *m, const sarrus_draws *from, const uint64_t *order, uint64_t n) {
    sarrus_draws *draws = mechanism_draws_by_hand(m, n);
    for (int k = 0; k < draws->n_sampled; k++) {
        for (uint64_t i = 0; i < n; i++) {
            draws->values[(uint64_t)k * n + i] = sarrus_draws_values(from, k)[order[i]];
        }
    }
    return draws;
}

/* Runs all instances of `draws` at once into `out`. */
static void run_at_once(const mechanism *m, const char *isa, int n_threads, const sarrus_draws *draws, uint64_t n, outcome *out) {
    sarrus_batch *batch = mechanism_batch(m, isa, n_threads, n, draws);
    assert_int_equal(sarrus_batch_advance(batch, N_STEPS), SARRUS_OK);
    finish(batch, out);
}

/* The first 1, 7, 8, 9, … instances, two threads, steps in uneven pieces. */
static void check_sizes(const mechanism *m, const char *isa, const sarrus_draws *draws, uint64_t n, const outcome *whole) {
    static outcome part;
    const uint64_t sizes[] = {1, 7, 8, 9, n};
    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
        sarrus_batch *batch = mechanism_batch(m, isa, 2, sizes[s], draws);
        assert_int_equal(sarrus_batch_advance(batch, 1), SARRUS_OK);
        assert_int_equal(sarrus_batch_advance(batch, 6), SARRUS_OK);
        assert_int_equal(sarrus_batch_advance(batch, N_STEPS - 7), SARRUS_OK);
        finish(batch, &part);
        for (size_t i = 0; i < sizes[s]; i++) {
            assert_same(whole, i, &part, i, "size", isa);
        }
    }
}

/* All instances shuffled, and some of them alone. */
static void check_places(const mechanism *m, const char *isa, const sarrus_draws *draws, uint64_t n, const outcome *whole) {
    static outcome part;
    static uint64_t order[N_INSTANCES];
    for (uint64_t i = 0; i < n; i++) {
        order[i] = (i * 617 + 123) % n; /* 617 is prime and divides no n used here: a permutation */
    }
    sarrus_draws *moved = rearrange(m, draws, order, n);
    run_at_once(m, isa, 2, moved, n, &part);
    for (size_t i = 0; i < n; i++) {
        assert_same(whole, order[i], &part, i, "place", isa);
    }
    mechanism_draws_free(moved);
    for (uint64_t i = 0; i < 20; i++) {
        uint64_t one = (i * 53 + 7) % n;
        moved = rearrange(m, draws, &one, 1);
        run_at_once(m, isa, 1, moved, 1, &part);
        assert_same(whole, one, &part, 0, "alone", isa);
        mechanism_draws_free(moved);
    }
}

static void check_isa(const char *isa, const char *pinv, uint64_t n) {
    static outcome whole;
    sarrus_override overrides[] = {{"dynamics.pinv", pinv}, {NULL, NULL}};
    mechanism m = mechanism_open_file("five_bar_monte_carlo.yaml", overrides);
    sarrus_draws *draws = NULL;
    assert_int_equal(sarrus_draws_create(m.context, m.model, 3, n, &draws), SARRUS_OK);
    run_at_once(&m, isa, 1, draws, n, &whole);
    check_sizes(&m, isa, draws, n, &whole);
    check_places(&m, isa, draws, n, &whole);
    sarrus_draws_destroy(draws);
    mechanism_close(&m);
}

static void auto_does_not_depend_on_its_neighbours(void **state) {
    (void)state;
    for (size_t k = 0; k < sizeof ISAS / sizeof ISAS[0]; k++) {
        if (mechanism_has_isa(ISAS[k])) {
            check_isa(ISAS[k], "auto", N_INSTANCES);
        }
    }
}

/* A lane's Jacobi sweeps go on until the slowest lane of its tile is done, pivots differ from lane to lane: lanes that are done, or
 * need no exchange, must stand still. The reference, one instance at a time, is left out. */
static void methods_do_not_depend_on_their_neighbours(void **state) {
    (void)state;
    for (size_t k = 0; k < sizeof ISAS / sizeof ISAS[0]; k++) {
        for (int p = 0; p < SARRUS_N_PINV_HOST_METHODS && mechanism_has_isa(ISAS[k]); p++) {
            if (p != SARRUS_PINV_AUTO && p != SARRUS_PINV_LAPACK) {
                check_isa(ISAS[k], sarrus_pinv_method_word((sarrus_pinv_method)p), 50);
            }
        }
    }
}

/* From near-singular to regular starts in one tile: lanes on the rank-revealing path beside lanes that are not. */
static void neighbours_in_singular_positions_do_not_matter(void **state) {
    (void)state;
    static outcome whole, part;
    enum { N_MIXED = 64 };
    mechanism m = mechanism_open_file("five_bar_monte_carlo.yaml", NULL);
    sarrus_draws *draws = mechanism_draws_by_hand(&m, N_MIXED);
    for (uint64_t i = 0; i < N_MIXED; i++) {
        double offset = i % 3 == 0 ? 0.0 : i % 3 == 1 ? pow(10.0, -(double)(i % 14)) : 0.7;
        const double row[] = {1.0, 1.0, 1.0, 2.0, 1.0, 1.5707963267948966 - offset};
        for (int k = 0; k < 6; k++) {
            draws->values[(uint64_t)k * N_MIXED + i] = row[k];
        }
    }
    sarrus_batch *batch = mechanism_batch(&m, NULL, 2, N_MIXED, draws);
    assert_int_equal(sarrus_batch_advance(batch, N_STEPS), SARRUS_OK);
    finish(batch, &whole);
    for (uint64_t i = 0; i < N_MIXED; i++) {
        sarrus_draws *one = rearrange(&m, draws, &i, 1);
        batch = mechanism_batch(&m, NULL, 1, 1, one);
        assert_int_equal(sarrus_batch_advance(batch, N_STEPS), SARRUS_OK);
        finish(batch, &part);
        assert_same(&whole, i, &part, 0, "singular neighbours", "widest");
        mechanism_draws_free(one);
    }
    mechanism_draws_free(draws);
    mechanism_close(&m);
}

static void reset_repeats_the_run(void **state) {
    (void)state;
    static outcome first, second;
    mechanism m = mechanism_open_file("slider_crank.yaml", NULL);
    sarrus_batch *batch = mechanism_batch(&m, NULL, 1, 3, NULL);
    assert_int_equal(sarrus_batch_advance(batch, 500), SARRUS_OK);
    mechanism_observe(batch, SARRUS_OBSERVE_Q, &first.q[0][0]);
    assert_int_equal(sarrus_batch_reset(batch), SARRUS_OK);
    assert_true(sarrus_batch_time(batch) == 0.0);
    assert_int_equal(sarrus_batch_step(batch), 0);
    assert_int_equal(sarrus_batch_advance(batch, 500), SARRUS_OK);
    mechanism_observe(batch, SARRUS_OBSERVE_Q, &second.q[0][0]);
    assert_memory_equal(first.q, second.q, 3 * 9 * sizeof(double));
    sarrus_batch_destroy(batch);
    mechanism_close(&m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(auto_does_not_depend_on_its_neighbours),
        cmocka_unit_test(methods_do_not_depend_on_their_neighbours),
        cmocka_unit_test(neighbours_in_singular_positions_do_not_matter),
        cmocka_unit_test(reset_repeats_the_run),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
