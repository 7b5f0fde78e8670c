/* Claim: an instance's bits, and what is said of it, do not depend on the size of the batch, its place in it, the number of
 * threads, or how the steps are cut into calls. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/support/mechanism.h"

enum { MAX_N = 15, MAX_REACTIONS = 21, N_INSTANCES = 1000 };

static const char *const ISAS[] = {"avx512", "avx2", "baseline"};

/* What is run, for how many steps of the clock. */
typedef struct subject {
    const char *file;
    sarrus_override overrides[4];
    uint64_t n_steps;
    int n, n_reactions;
} subject;

static const subject five_bar = {.file = "five_bar_monte_carlo.yaml", .n_steps = 40, .n = 12, .n_reactions = 18};

/* Everything that can be observed of one instance at the end; rows as wide as the subject's. */
typedef struct outcome {
    double q[N_INSTANCES * MAX_N], v[N_INSTANCES * MAX_N], energy[N_INSTANCES], work[N_INSTANCES], rank[N_INSTANCES],
        reactions[N_INSTANCES * MAX_REACTIONS];
    sarrus_instance_verdict verdict[N_INSTANCES];
    sarrus_instance_statistics statistics[N_INSTANCES];
} outcome;

static void finish(sarrus_batch *batch, outcome *out) {
    sarrus_observation o = {.n_times = 1, .every_steps = 1, .observe_first = 1, .n_times_stride = 1};
    o.destination[SARRUS_OBSERVE_Q] = out->q;
    o.destination[SARRUS_OBSERVE_V] = out->v;
    o.destination[SARRUS_OBSERVE_ENERGY] = out->energy;
    o.destination[SARRUS_OBSERVE_WORK] = out->work;
    o.destination[SARRUS_OBSERVE_RANK] = out->rank;
    o.destination[SARRUS_OBSERVE_REACTIONS] = out->reactions;
    assert_int_equal(sarrus_batch_observe(batch, &o), SARRUS_OK);
    for (uint64_t i = 0; i < sarrus_batch_n_instances(batch); ++i) {
        assert_int_equal(sarrus_batch_verdict(batch, i, &out->verdict[i]), SARRUS_OK);
        assert_int_equal(sarrus_batch_statistics(batch, i, &out->statistics[i]), SARRUS_OK);
    }
    sarrus_batch_destroy(batch);
}

/* Rows i of a and j of b, of `width` numbers, hold the same bits. */
static bool are_same(const double *a, size_t i, const double *b, size_t j, int width) {
    return memcmp(a + i * (size_t)width, b + j * (size_t)width, (size_t)width * sizeof *a) == 0;
}

/* Instance i of `a` and j of `b` hold the same bits, and were judged and made with as many parts of steps. */
static void assert_same(const subject *what, const outcome *a, size_t i, const outcome *b, size_t j, const char *how,
                        const char *isa) {
    const bool is_same = are_same(a->q, i, b->q, j, what->n) && are_same(a->v, i, b->v, j, what->n) &&
                         are_same(a->energy, i, b->energy, j, 1) && are_same(a->work, i, b->work, j, 1) &&
                         are_same(a->rank, i, b->rank, j, 1) && are_same(a->reactions, i, b->reactions, j, what->n_reactions) &&
                         memcmp(&a->verdict[i], &b->verdict[j], sizeof a->verdict[i]) == 0 &&
                         memcmp(&a->statistics[i], &b->statistics[j], sizeof a->statistics[i]) == 0;
    if (!is_same) {
        fail_msg("%s, %s, %s: instance %zu differs", what->file, how, isa, i);
    }
    assert_true(isfinite(a->q[i * (size_t)what->n]));
}

/* The draws of instances order[0 … n − 1] of `from`. */
static sarrus_draws *rearrange(const mechanism *m, const sarrus_draws *from, const uint64_t *order, uint64_t n) {
    sarrus_draws *draws = mechanism_draws_by_hand(m, n);
    for (int k = 0; k < draws->n_sampled; ++k) {
        for (uint64_t i = 0; i < n; ++i) {
            draws->values[(uint64_t)k * n + i] = sarrus_draws_values(from, k)[order[i]];
        }
    }
    return draws;
}

/* Runs all instances of `draws` at once into `out`. */
static void run_at_once(const subject *what, const mechanism *m, const char *isa, int n_threads, const sarrus_draws *draws,
                        uint64_t n, outcome *out) {
    sarrus_batch *batch = mechanism_batch(m, isa, n_threads, n, draws);
    assert_int_equal(sarrus_batch_advance(batch, what->n_steps), SARRUS_OK);
    finish(batch, out);
}

/* The first 1, 7, 8, 9, … instances, two threads, steps in uneven pieces. */
static void check_sizes(const subject *what, const mechanism *m, const char *isa, const sarrus_draws *draws, uint64_t n,
                        const outcome *whole) {
    static outcome part;
    const uint64_t sizes[] = {1, 7, 8, 9, n};
    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; ++s) {
        sarrus_batch *batch = mechanism_batch(m, isa, 2, sizes[s], draws);
        assert_int_equal(sarrus_batch_advance(batch, 1), SARRUS_OK);
        assert_int_equal(sarrus_batch_advance(batch, 6), SARRUS_OK);
        assert_int_equal(sarrus_batch_advance(batch, what->n_steps - 7), SARRUS_OK);
        finish(batch, &part);
        for (size_t i = 0; i < sizes[s]; ++i) {
            assert_same(what, whole, i, &part, i, "size", isa);
        }
    }
}

/* All instances shuffled, and some of them alone. */
static void check_places(const subject *what, const mechanism *m, const char *isa, const sarrus_draws *draws, uint64_t n,
                         const outcome *whole) {
    static outcome part;
    static uint64_t order[N_INSTANCES];
    for (uint64_t i = 0; i < n; ++i) {
        order[i] = (i * 617 + 123) % n; /* 617 is prime and divides no n used here: a permutation */
    }
    sarrus_draws *moved = rearrange(m, draws, order, n);
    run_at_once(what, m, isa, 2, moved, n, &part);
    for (size_t i = 0; i < n; ++i) {
        assert_same(what, whole, order[i], &part, i, "place", isa);
    }
    mechanism_draws_free(moved);
    for (uint64_t i = 0; i < 20; ++i) {
        uint64_t one = (i * 53 + 7) % n;
        moved = rearrange(m, draws, &one, 1);
        run_at_once(what, m, isa, 1, moved, 1, &part);
        assert_same(what, whole, one, &part, 0, "alone", isa);
        mechanism_draws_free(moved);
    }
}

static void check_isa(const subject *what, const char *isa, const char *pinv, uint64_t n, outcome *whole) {
    enum { N_OVERRIDES = 4 };
    sarrus_override overrides[N_OVERRIDES + 2] = {{"dynamics.pinv", pinv}};
    for (int i = 0; i < N_OVERRIDES; ++i) {
        overrides[1 + i] = what->overrides[i];
    }
    mechanism m = mechanism_open_file(what->file, overrides);
    assert_int_equal(m.n, what->n);
    sarrus_draws *draws = NULL;
    assert_int_equal(sarrus_draws_create(m.context, m.model, 3, n, &draws), SARRUS_OK);
    run_at_once(what, &m, isa, 1, draws, n, whole);
    check_sizes(what, &m, isa, draws, n, whole);
    check_places(what, &m, isa, draws, n, whole);
    sarrus_draws_destroy(draws);
    mechanism_close(&m);
}

static void auto_does_not_depend_on_its_neighbors(void **state) {
    (void)state;
    static outcome whole;
    for (size_t k = 0; k < sizeof ISAS / sizeof ISAS[0]; ++k) {
        if (mechanism_has_isa(ISAS[k])) {
            check_isa(&five_bar, ISAS[k], "auto", N_INSTANCES, &whole);
        }
    }
}

/* A lane's Jacobi sweeps go on until the slowest lane of its tile is done, pivots differ from lane to lane: lanes that are done, or
 * need no exchange, must stand still. The reference, one instance at a time, is left out. */
static void methods_do_not_depend_on_their_neighbors(void **state) {
    (void)state;
    static outcome whole;
    for (size_t k = 0; k < sizeof ISAS / sizeof ISAS[0]; ++k) {
        for (int p = 0; p < SARRUS_N_PINV_HOST_METHODS && mechanism_has_isa(ISAS[k]); ++p) {
            if (p != SARRUS_PINV_AUTO && p != SARRUS_PINV_LAPACK) {
                check_isa(&five_bar, ISAS[k], sarrus_pinv_method_word((sarrus_pinv_method)p), 50, &whole);
            }
        }
    }
}

/* Past change points every instance looks ahead when it has to, and makes its steps in as many parts as it needs, or chooses them:
 * in 0.3 s each of these passes one, some an inch from it. */
static void parts_of_steps_do_not_depend_on_neighbors(void **state) {
    (void)state;
    enum { N_CHAINS = 21 };
    static const struct {
        const char *integrator, *pinv;
    } ways[] = {{"{method: rk4, dt: 1e-3, t_end: 2}", "auto"},
                {"{method: rk4, dt: 1e-3, t_end: 2}", "householder"},
                {"{t_end: 2}", "auto"},
                {"{t_end: 2}", "householder"},
                {"{method: adams-moulton, t_end: 2}", "svd"},
                {"{method: adams-moulton, t_end: 2}", "auto"}};
    static outcome whole;
    for (size_t w = 0; w < sizeof ways / sizeof ways[0]; ++w) {
        const subject chain = {.file = "change_point.yaml",
                               .overrides = {{"integrator", ways[w].integrator}, {"output.interval", "1e-3"}},
                               .n_steps = 300,
                               .n = 15,
                               .n_reactions = 21};
        for (size_t k = 0; k < sizeof ISAS / sizeof ISAS[0]; ++k) {
            if (!mechanism_has_isa(ISAS[k])) {
                continue;
            }
            check_isa(&chain, ISAS[k], ways[w].pinv, N_CHAINS, &whole);
            for (int i = 0; i < N_CHAINS; ++i) {
                assert_true(whole.statistics[i].n_steps != chain.n_steps);
            }
        }
    }
}

/* From near-singular to regular starts in one tile: lanes on the rank-revealing path beside lanes that are not. */
static void neighbors_in_singular_positions_do_not_matter(void **state) {
    (void)state;
    static outcome whole, part;
    enum { N_MIXED = 64 };
    mechanism m = mechanism_open_file("five_bar_monte_carlo.yaml", NULL);
    sarrus_draws *draws = mechanism_draws_by_hand(&m, N_MIXED);
    for (uint64_t i = 0; i < N_MIXED; ++i) {
        double offset = i % 3 == 0 ? 0.0 : i % 3 == 1 ? pow(10.0, -(double)(i % 14)) : 0.7;
        const double row[] = {1.0, 1.0, 1.0, 2.0, 1.0, 1.5707963267948966 - offset};
        for (int k = 0; k < 6; ++k) {
            draws->values[(uint64_t)k * N_MIXED + i] = row[k];
        }
    }
    sarrus_batch *batch = mechanism_batch(&m, NULL, 2, N_MIXED, draws);
    assert_int_equal(sarrus_batch_advance(batch, five_bar.n_steps), SARRUS_OK);
    finish(batch, &whole);
    for (uint64_t i = 0; i < N_MIXED; ++i) {
        sarrus_draws *one = rearrange(&m, draws, &i, 1);
        batch = mechanism_batch(&m, NULL, 1, 1, one);
        assert_int_equal(sarrus_batch_advance(batch, five_bar.n_steps), SARRUS_OK);
        finish(batch, &part);
        assert_same(&five_bar, &whole, i, &part, 0, "singular neighbors", "widest");
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
    mechanism_observe(batch, SARRUS_OBSERVE_Q, first.q);
    assert_int_equal(sarrus_batch_reset(batch), SARRUS_OK);
    assert_true(sarrus_batch_time(batch) == 0.0);
    assert_int_equal(sarrus_batch_step(batch), 0);
    assert_int_equal(sarrus_batch_advance(batch, 500), SARRUS_OK);
    mechanism_observe(batch, SARRUS_OBSERVE_Q, second.q);
    assert_memory_equal(first.q, second.q, 3 * 9 * sizeof(double));
    sarrus_batch_destroy(batch);
    mechanism_close(&m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(auto_does_not_depend_on_its_neighbors),
        cmocka_unit_test(methods_do_not_depend_on_their_neighbors),
        cmocka_unit_test(parts_of_steps_do_not_depend_on_neighbors),
        cmocka_unit_test(neighbors_in_singular_positions_do_not_matter),
        cmocka_unit_test(reset_repeats_the_run),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
