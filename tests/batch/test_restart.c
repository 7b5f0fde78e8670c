/* Claim: an instance that begins anew - reset, drawn again, or assembled from what was written of it - goes to the bit as in a
 * fresh batch, whatever it has been through; and those beside it do not notice. By every integrator, in the plane and in space, in
 * absolute and in relative coordinates. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "batch/inside.h"
#include "plan/plan.h"
#include "tests/support/stepping_cases.h"

enum { N = 11, BEFORE = 13, AFTER = 52 }; /* instances; steps: together they lead beyond t_end */

static const uint8_t mask[N] = {0, 1, 1, 0, 0, 1, 0, 0, 0, 0, 1};

static sarrus_draws *draw(const mechanism *m, uint64_t seed) {
    sarrus_draws *draws = NULL;
    assert_int_equal(sarrus_draws_create(m->context, m->model, seed, N, &draws), SARRUS_OK);
    return draws;
}

/* Inputs that differ between instances and change with time since `begun`. */
static void push(sarrus_batch *batch, const uint64_t begun[N]) {
    double input[N];
    if (sarrus_batch_field_width(batch, SARRUS_FIELD_INPUT) == 0)
        return;
    for (int i = 0; i < N; ++i)
        input[i] = sin(0.3 * (double)(sarrus_batch_step(batch) - begun[i]) + (double)i);
    assert_int_equal(sarrus_batch_copy_in(batch, SARRUS_FIELD_INPUT, NULL, input), SARRUS_OK);
}

/* In pieces of two steps, each with inputs of its own. */
static void go(sarrus_batch *batch, const uint64_t begun[N], int n_steps) {
    for (int k = 0; k < n_steps; k += 2) {
        push(batch, begun);
        assert_int_equal(sarrus_batch_advance(batch, n_steps - k > 1 ? 2 : 1), SARRUS_OK);
    }
}

/* Beginning anew in some way, what a fresh batch is to be drawn by for that, and with which inputs. */
typedef struct way_to_begin {
    void (*begin)(const mechanism *m, sarrus_batch *batch);
    uint64_t seed; /* of the fresh batch */
} way_to_begin;

static void by_reset(const mechanism *m, sarrus_batch *batch) {
    (void)m;
    assert_int_equal(sarrus_batch_reset_some(batch, mask), SARRUS_OK);
}

static void by_redraw(const mechanism *m, sarrus_batch *batch) {
    (void)m;
    const uint64_t seeds[N] = {0, 77, 77, 0, 0, 77, 0, 0, 0, 0, 77}, episodes[N] = {0};
    const sarrus_redraw how = {.size = sizeof how, .mask = mask, .seeds = seeds, .episodes = episodes};
    assert_int_equal(sarrus_batch_redraw(batch, &how), SARRUS_OK);
}

/* The parameters alone, from which the scenario makes coordinates too. */
static void by_parameters(const mechanism *m, sarrus_batch *batch) {
    sarrus_draws *draws = draw(m, 77);
    const int n = sarrus_draws_n_parameters(draws);
    double *rows = calloc((size_t)(N * n), sizeof *rows), *back = calloc((size_t)(N * n), sizeof *back);
    assert_true(rows && back);
    for (int i = 0; i < N * n; ++i) {
        rows[i] = mask[i / n] ? sarrus_draws_values(draws, i % n)[i / n] : (double)NAN;
        back[i] = (double)NAN;
    }
    /* What expressions have made of numbers before leaves nothing behind. */
    assert_int_equal(sarrus_batch_copy_in(batch, SARRUS_FIELD_PARAMETER, mask, back), SARRUS_OK);
    assert_int_equal(sarrus_batch_status(batch, 1), SARRUS_INSTANCE_INVALID_PARAMETER);
    assert_int_equal(sarrus_batch_copy_in(batch, SARRUS_FIELD_PARAMETER, mask, rows), SARRUS_OK);
    assert_int_equal(sarrus_batch_status(batch, 1), SARRUS_INSTANCE_NOT_RUN);
    assert_int_equal(sarrus_batch_advance(batch, 0), SARRUS_OK);
    assert_int_equal(sarrus_batch_assemble(batch, mask), SARRUS_OK);
    assert_int_equal(sarrus_batch_copy_out(batch, SARRUS_FIELD_PARAMETER, back), SARRUS_OK);
    for (int i = 0; i < N * n; ++i)
        if (mask[i / n])
            assert_memory_equal(&back[i], &rows[i], sizeof *rows);
    free(rows);
    free(back);
    sarrus_draws_destroy(draws);
}

/* Coordinates and speeds as the scenario gives them, before any assembly, over a state that was something else. */
static void by_state(const mechanism *m, sarrus_batch *batch) {
    sarrus_draws *draws = draw(m, m->model->batch.seed);
    const size_t n_q = (size_t)m->plan->mech.n_q, n_v = (size_t)m->plan->mech.n_v;
    double *q = calloc(N * n_q, sizeof *q), *v = calloc(N * n_v, sizeof *v);
    double *parameters = calloc((size_t)m->plan->mech.n_parameters + 1, sizeof *parameters);
    assert_true(q && v && parameters);
    for (size_t i = 0; i < N; ++i) {
        double *values = mechanism_values(m, draws, i);
        assert_true(sarrus_plan_parameters(m->plan, values, parameters, q + i * n_q, v + i * n_v));
        free(values);
    }
    assert_int_equal(sarrus_batch_copy_in(batch, SARRUS_FIELD_Q, mask, q), SARRUS_OK);
    assert_int_equal(sarrus_batch_copy_in(batch, SARRUS_FIELD_V, mask, v), SARRUS_OK);
    assert_int_equal(sarrus_batch_assemble(batch, mask), SARRUS_OK);
    free(q);
    free(v);
    free(parameters);
    sarrus_draws_destroy(draws);
}

static void begins_as_fresh(const mechanism *m, const way_to_begin *way) {
    const uint64_t never[N] = {0};
    uint64_t begun[N] = {0};
    sarrus_draws *draws = draw(m, m->model->batch.seed), *other = draw(m, way->seed ? way->seed : m->model->batch.seed);
    sarrus_batch *batch = mechanism_batch(m, NULL, 2, N, draws), *alone = mechanism_batch(m, NULL, 1, N, draws);
    sarrus_batch *fresh = mechanism_batch(m, NULL, 1, N, other);
    go(batch, never, BEFORE);
    way->begin(m, batch);
    for (int i = 0; i < N; ++i)
        begun[i] = mask[i] ? BEFORE : 0;
    stepping_look a = stepping_see(batch), b = stepping_see(fresh);
    for (uint64_t i = 0; i < N; ++i)
        if (mask[i])
            stepping_same(&a, i, &b, i);
    stepping_look_free(&a);
    stepping_look_free(&b);
    go(batch, begun, AFTER);
    go(alone, never, BEFORE);
    go(alone, never, AFTER);
    go(fresh, never, AFTER);
    a = stepping_see(batch), b = stepping_see(fresh);
    stepping_look c = stepping_see(alone);
    for (uint64_t i = 0; i < N; ++i)
        stepping_same(&a, i, mask[i] ? &b : &c, i);
    stepping_look_free(&a);
    stepping_look_free(&b);
    stepping_look_free(&c);
    sarrus_batch_destroy(batch);
    sarrus_batch_destroy(alone);
    sarrus_batch_destroy(fresh);
    sarrus_draws_destroy(draws);
    sarrus_draws_destroy(other);
}

static void all_cases(const way_to_begin *way) {
    for (int i = 0; i < stepping_n_cases(); ++i) {
        mechanism m = stepping_open(i);
        begins_as_fresh(&m, way);
        mechanism_close(&m);
    }
}

static void a_reset_instance_is_fresh(void **state) {
    (void)state;
    all_cases(&(way_to_begin){by_reset, 0});
}

static void a_redrawn_instance_is_fresh(void **state) {
    (void)state;
    all_cases(&(way_to_begin){by_redraw, 77});
}

static void an_instance_with_other_parameters_is_fresh(void **state) {
    (void)state;
    all_cases(&(way_to_begin){by_parameters, 77});
}

static void an_instance_from_a_written_state_is_fresh(void **state) {
    (void)state;
    all_cases(&(way_to_begin){by_state, 0});
}

/* Instances count steps from where they begin: far behind the start of the batch, where a float would not tell one step of it
 * from the next, they go as in a fresh one. */
static void a_late_instance_is_fresh(void **state) {
    (void)state;
    const uint64_t never[N] = {0}, late = (UINT64_C(1) << 30) + 3;
    uint64_t begun[N];
    for (int i = 0; i < N; ++i)
        begun[i] = late;
    for (int i_case = 0; i_case < stepping_n_cases(); ++i_case) {
        mechanism m = stepping_open(i_case);
        sarrus_batch *batch = mechanism_batch(&m, NULL, 2, N, NULL), *fresh = mechanism_batch(&m, NULL, 1, N, NULL);
        batch->device->step = late;
        assert_int_equal(sarrus_batch_reset_some(batch, NULL), SARRUS_OK);
        go(batch, begun, BEFORE);
        go(fresh, never, BEFORE);
        stepping_look a = stepping_see(batch), b = stepping_see(fresh);
        for (uint64_t i = 0; i < N; ++i)
            stepping_same(&a, i, &b, i);
        stepping_look_free(&a);
        stepping_look_free(&b);
        sarrus_batch_destroy(batch);
        sarrus_batch_destroy(fresh);
        mechanism_close(&m);
    }
}

/* Streams of episodes, seeds and instances differ; the same ones come again. */
static void redraws_have_streams_of_their_own(void **state) {
    (void)state;
    enum { MOST = 8 };
    mechanism m = stepping_open(0);
    sarrus_draws *draws = draw(&m, m.model->batch.seed);
    sarrus_batch *batch = mechanism_batch(&m, NULL, 1, N, draws);
    const int n = sarrus_batch_field_width(batch, SARRUS_FIELD_PARAMETER);
    double seen[3][N * MOST], episode[N];
    assert_in_range(n, 1, MOST);
    assert_string_equal(sarrus_batch_parameter_label(batch, 0), sarrus_draws_label(draws, 0));
    assert_null(sarrus_batch_parameter_label(batch, n));
    const uint64_t first[N] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
    const sarrus_redraw again = {.size = sizeof again, .episodes = first};
    for (int k = 0; k < 3; ++k) {
        assert_int_equal(sarrus_batch_redraw(batch, k < 2 ? NULL : &again), SARRUS_OK);
        assert_int_equal(sarrus_batch_copy_out(batch, SARRUS_FIELD_PARAMETER, seen[k]), SARRUS_OK);
        assert_int_equal(sarrus_batch_copy_out(batch, SARRUS_FIELD_EPISODE, episode), SARRUS_OK);
        assert_true(episode[3] == (k == 1 ? 2.0 : 1.0));
    }
    assert_memory_equal(seen[0], seen[2], (size_t)(N * n) * sizeof(double));
    for (int i = 0; i < N * n; ++i) {
        assert_true(seen[0][i] != seen[1][i]);
        assert_true(seen[0][i] != sarrus_draws_values(draws, i % n)[i / n]);
        assert_true(i < n || seen[0][i] != seen[0][i - n]);
    }
    sarrus_batch_destroy(batch);
    sarrus_draws_destroy(draws);
    mechanism_close(&m);
}

/* By numbers of one's own draws do not depend on the place: whoever has the number of another draws as that one would. */
static void redraws_follow_numbers(void **state) {
    (void)state;
    enum { MOST = 8 };
    mechanism m = stepping_open(0);
    sarrus_batch *batch = mechanism_batch(&m, NULL, 1, N, NULL);
    const int n = sarrus_batch_field_width(batch, SARRUS_FIELD_PARAMETER);
    double by_place[N * MOST], by_number[N * MOST], far[N * MOST];
    assert_in_range(n, 1, MOST);
    uint64_t episodes[N], numbers[N], large[N];
    for (uint64_t i = 0; i < N; ++i) {
        episodes[i] = 2;
        numbers[i] = N - 1 - i;
        large[i] = i < 2 ? UINT64_MAX : i == 2 ? UINT64_MAX - 1 : 5; /* 5 for itself too */
    }
    sarrus_redraw how = {.size = sizeof how, .episodes = episodes};
    assert_int_equal(sarrus_batch_redraw(batch, &how), SARRUS_OK);
    assert_int_equal(sarrus_batch_copy_out(batch, SARRUS_FIELD_PARAMETER, by_place), SARRUS_OK);
    how.numbers = numbers;
    how.mask = mask;
    assert_int_equal(sarrus_batch_redraw(batch, &how), SARRUS_OK);
    assert_int_equal(sarrus_batch_copy_out(batch, SARRUS_FIELD_PARAMETER, by_number), SARRUS_OK);
    how.numbers = large;
    how.mask = NULL;
    assert_int_equal(sarrus_batch_redraw(batch, &how), SARRUS_OK);
    assert_int_equal(sarrus_batch_copy_out(batch, SARRUS_FIELD_PARAMETER, far), SARRUS_OK);
    for (int i = 0; i < N; ++i)
        for (int k = 0; k < n; ++k) {
            assert_true(by_number[i * n + k] == by_place[(mask[i] ? N - 1 - i : i) * n + k]);
            assert_true(far[i * n + k] == (i < 2 ? far[k] : i == 2 ? far[2 * n + k] : by_place[5 * n + k]));
        }
    assert_true(far[0] != far[2 * n] && far[0] != by_place[5 * n]);
    sarrus_batch_destroy(batch);
    mechanism_close(&m);
}

/* An input that is no number ends its instance; the others go on, and a reset brings it back. */
static void a_failed_instance_lives_again(void **state) {
    (void)state;
    const uint64_t never[N] = {0};
    const double nothing[N] = {0};
    double input[N] = {0}, statuses[N];
    uint8_t only[N] = {0};
    input[5] = (double)NAN;
    only[5] = 1;
    for (int i_case = 0; i_case < 2; ++i_case) { /* those with an input */
        mechanism m = stepping_open(i_case);
        sarrus_batch *batch = mechanism_batch(&m, NULL, 1, N, NULL), *well = mechanism_batch(&m, NULL, 1, N, NULL);
        assert_int_equal(sarrus_batch_copy_in(well, SARRUS_FIELD_INPUT, NULL, nothing), SARRUS_OK);
        assert_int_equal(sarrus_batch_advance(well, 2), SARRUS_OK);
        go(batch, never, 3);
        assert_int_equal(sarrus_batch_copy_in(batch, SARRUS_FIELD_INPUT, only, input), SARRUS_OK);
        assert_int_equal(sarrus_batch_advance(batch, 1), SARRUS_OK);
        assert_int_equal(sarrus_batch_copy_out(batch, SARRUS_FIELD_STATUS, statuses), SARRUS_OK);
        for (int i = 0; i < N; ++i)
            assert_int_equal((int)statuses[i], i == 5 ? SARRUS_INSTANCE_NONFINITE_FORCE : SARRUS_INSTANCE_OK);
        assert_int_equal(sarrus_batch_reset_some(batch, only), SARRUS_OK);
        assert_int_equal(sarrus_batch_advance(batch, 2), SARRUS_OK);
        stepping_look a = stepping_see(batch), b = stepping_see(well);
        stepping_same(&a, 5, &b, 5);
        stepping_look_free(&a);
        stepping_look_free(&b);
        sarrus_batch_destroy(batch);
        sarrus_batch_destroy(well);
        mechanism_close(&m);
    }
}

/* Numbers from which the scenario makes nothing end their instance until others are given. */
static void an_invalid_instance_lives_again(void **state) {
    (void)state;
    mechanism m = stepping_open(1);
    sarrus_draws *draws = draw(&m, 5);
    sarrus_batch *batch = mechanism_batch(&m, NULL, 1, N, draws);
    const int n = sarrus_batch_field_width(batch, SARRUS_FIELD_PARAMETER);
    double *rows = calloc((size_t)(N * n), sizeof *rows);
    assert_non_null(rows);
    assert_int_equal(sarrus_batch_copy_out(batch, SARRUS_FIELD_PARAMETER, rows), SARRUS_OK);
    const double mass = rows[2 * n];
    rows[2 * n] = -1.0;
    assert_int_equal(sarrus_batch_copy_in(batch, SARRUS_FIELD_PARAMETER, mask, rows), SARRUS_OK);
    assert_int_equal(sarrus_batch_assemble(batch, NULL), SARRUS_OK);
    assert_int_equal(sarrus_batch_status(batch, 2), SARRUS_INSTANCE_INVALID_PARAMETER);
    assert_int_equal(sarrus_batch_status(batch, 1), SARRUS_INSTANCE_OK);
    assert_int_equal(sarrus_batch_reset_some(batch, NULL), SARRUS_OK);
    assert_int_equal(sarrus_batch_status(batch, 2), SARRUS_INSTANCE_INVALID_PARAMETER);
    rows[2 * n] = mass;
    assert_int_equal(sarrus_batch_copy_in(batch, SARRUS_FIELD_PARAMETER, mask, rows), SARRUS_OK);
    assert_int_equal(sarrus_batch_assemble(batch, mask), SARRUS_OK);
    assert_int_equal(sarrus_batch_status(batch, 2), SARRUS_INSTANCE_OK);
    free(rows);
    sarrus_batch_destroy(batch);
    sarrus_draws_destroy(draws);
    mechanism_close(&m);
}

/* Rows of the masked instances are those of the whole, the others what they were. */
static void masked_copies_leave_the_others(void **state) {
    (void)state;
    const sarrus_field fields[] = {SARRUS_FIELD_Q,    SARRUS_FIELD_V,      SARRUS_FIELD_INPUT,       SARRUS_FIELD_PARAMETER,
                                   SARRUS_FIELD_TIME, SARRUS_FIELD_STATUS, SARRUS_FIELD_FAILED_STEP, SARRUS_FIELD_EPISODE};
    for (int i_case = 0; i_case < stepping_n_cases(); ++i_case) {
        mechanism m = stepping_open(i_case);
        sarrus_draws *draws = draw(&m, 5);
        sarrus_batch *batch = mechanism_batch(&m, NULL, 2, N, draws);
        assert_int_equal(sarrus_batch_advance(batch, 3), SARRUS_OK);
        for (size_t k = 0; k < sizeof fields / sizeof *fields; ++k) {
            const size_t n = (size_t)sarrus_batch_field_width(batch, fields[k]);
            double *whole = calloc(N * n + 1, sizeof *whole), *some = calloc(N * n + 1, sizeof *some);
            assert_true(whole && some);
            for (size_t i = 0; i < N * n; ++i)
                some[i] = -77.0;
            assert_int_equal(sarrus_batch_copy_out(batch, fields[k], whole), SARRUS_OK);
            assert_int_equal(sarrus_batch_copy_out_some(batch, fields[k], mask, some), SARRUS_OK);
            for (size_t i = 0; i < N * n; ++i)
                assert_true(mask[i / n] ? memcmp(&some[i], &whole[i], sizeof *some) == 0 : some[i] == -77.0);
            free(whole);
            free(some);
        }
        sarrus_batch_destroy(batch);
        sarrus_draws_destroy(draws);
        mechanism_close(&m);
    }
}

/* Both at once are what each is alone, with a mask and without. */
static void a_copied_state_is_both_fields(void **state) {
    (void)state;
    for (int i_case = 0; i_case < stepping_n_cases(); ++i_case) {
        mechanism m = stepping_open(i_case);
        sarrus_batch *batch = mechanism_batch(&m, NULL, 2, N, NULL);
        assert_int_equal(sarrus_batch_advance(batch, 3), SARRUS_OK);
        const size_t n_q = (size_t)m.plan->mech.n_q, n_v = (size_t)m.plan->mech.n_v, n = N * (n_q + n_v);
        double *alone = calloc(n, sizeof *alone), *both = calloc(n, sizeof *both);
        assert_true(alone && both);
        for (int k = 0; k < 2; ++k) { /* first the masked rows beside zeros, then all */
            const uint8_t *own = k == 0 ? mask : NULL;
            assert_int_equal(sarrus_batch_copy_out_some(batch, SARRUS_FIELD_Q, own, alone), SARRUS_OK);
            assert_int_equal(sarrus_batch_copy_out_some(batch, SARRUS_FIELD_V, own, alone + N * n_q), SARRUS_OK);
            assert_int_equal(sarrus_batch_copy_state(batch, own, both, both + N * n_q), SARRUS_OK);
            assert_memory_equal(both, alone, n * sizeof *both);
        }
        free(alone);
        free(both);
        sarrus_batch_destroy(batch);
        mechanism_close(&m);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_reset_instance_is_fresh),
        cmocka_unit_test(a_redrawn_instance_is_fresh),
        cmocka_unit_test(a_late_instance_is_fresh),
        cmocka_unit_test(an_instance_with_other_parameters_is_fresh),
        cmocka_unit_test(an_instance_from_a_written_state_is_fresh),
        cmocka_unit_test(redraws_have_streams_of_their_own),
        cmocka_unit_test(redraws_follow_numbers),
        cmocka_unit_test(a_failed_instance_lives_again),
        cmocka_unit_test(an_invalid_instance_lives_again),
        cmocka_unit_test(masked_copies_leave_the_others),
        cmocka_unit_test(a_copied_state_is_both_fields),
    };
    return cmocka_run_group_tests_name("batch.restart", tests, NULL, NULL);
}
