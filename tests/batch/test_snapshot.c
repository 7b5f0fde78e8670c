/* Claim: a batch that was saved goes on in another one, of other threads, with the same bits, whatever its instances have been
 * through; and bytes that are not those of such a batch are refused. And: thousands of random inputs, resets and redraws do not
 * touch an instance that none of them is about. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "tests/support/stepping_cases.h"

enum { N = 21 };

/* Inputs in place: those of lanes past the last instance are nobody's and stay what they were. */
static void inputs_write(sarrus_batch *batch, const double input[N]) {
    sarrus_view view;
    assert_int_equal(sarrus_batch_view(batch, SARRUS_FIELD_INPUT, &view), SARRUS_OK);
    for (size_t i = 0; i < N; ++i)
        view.base[i / (size_t)view.width * view.stride + i % (size_t)view.width] = input[i];
}

/* Random inputs of all instances, copied and in place in turns, and a step. */
static void go(sarrus_batch *batch, uint64_t *random, int n_steps) {
    double input[N];
    for (int k = 0; k < n_steps; ++k) {
        for (int i = 0; i < N; ++i)
            input[i] = mechanism_random(random);
        if (sarrus_batch_field_width(batch, SARRUS_FIELD_INPUT) > 0 && k % 2 == 0)
            assert_int_equal(sarrus_batch_copy_in(batch, SARRUS_FIELD_INPUT, NULL, input), SARRUS_OK);
        else if (sarrus_batch_field_width(batch, SARRUS_FIELD_INPUT) > 0)
            inputs_write(batch, input);
        assert_int_equal(sarrus_batch_advance(batch, 1), SARRUS_OK);
    }
}

static void same(sarrus_batch *a, sarrus_batch *b) {
    stepping_look left = stepping_see(a), right = stepping_see(b);
    for (uint64_t i = 0; i < N; ++i)
        stepping_same(&left, i, &right, i);
    stepping_look_free(&left);
    stepping_look_free(&right);
}

static void a_saved_batch_goes_on(void **state) {
    (void)state;
    for (int i_case = 0; i_case < stepping_n_cases(); ++i_case) {
        mechanism m = stepping_open(i_case);
        sarrus_batch *batch = mechanism_batch(&m, NULL, 2, N, NULL), *other = mechanism_batch(&m, NULL, 1, N, NULL);
        uint64_t random = 5, again = 0;
        const uint8_t mask[N] = {1, 0, 0, 1};
        go(batch, &random, 9);
        assert_int_equal(sarrus_batch_redraw(batch, &(sarrus_redraw){.size = sizeof(sarrus_redraw), .mask = mask}), SARRUS_OK);
        go(batch, &random, 9);
        const size_t n_bytes = sarrus_batch_save_size(batch);
        unsigned char *bytes = malloc(n_bytes);
        assert_non_null(bytes);
        assert_int_equal(sarrus_batch_save(batch, bytes, n_bytes), SARRUS_OK);
        go(other, &random, 4);
        bytes[n_bytes / 2] ^= 1;
        assert_int_equal(sarrus_batch_load(other, bytes, n_bytes), SARRUS_BAD_INPUT);
        assert_non_null(sarrus_batch_refusal(other));
        bytes[n_bytes / 2] ^= 1;
        assert_int_equal(sarrus_batch_load(other, bytes, n_bytes - 8), SARRUS_BAD_INPUT);
        assert_int_equal(sarrus_batch_load(other, bytes, n_bytes), SARRUS_OK);
        same(batch, other);
        again = random;
        go(batch, &random, 12);
        go(other, &again, 12);
        assert_int_equal(sarrus_batch_reset_some(batch, mask), SARRUS_OK);
        assert_int_equal(sarrus_batch_reset_some(other, mask), SARRUS_OK);
        assert_int_equal(sarrus_batch_redraw(batch, NULL), SARRUS_OK);
        assert_int_equal(sarrus_batch_redraw(other, NULL), SARRUS_OK);
        go(batch, &random, 2);
        go(other, &again, 2);
        same(batch, other);
        free(bytes);
        sarrus_batch_destroy(batch);
        sarrus_batch_destroy(other);
        mechanism_close(&m);
    }
}

/* Instance WATCHED goes its way for thousands of steps, with a batch of its own beside it; all others are thrown about. */
static void an_instance_is_left_alone(void **state) {
    (void)state;
    enum { WATCHED = 9, N_STEPS = 2000 };
    for (int i_case = 0; i_case < 2; ++i_case) { /* with an input, fixed steps, both formulations */
        mechanism m = stepping_open(i_case);
        sarrus_batch *batch = mechanism_batch(&m, NULL, 2, N, NULL), *alone = mechanism_batch(&m, NULL, 1, 1, NULL);
        uint64_t random = 77;
        for (int k = 0; k < N_STEPS; ++k) {
            uint8_t mask[N];
            double input[N];
            for (int i = 0; i < N; ++i) {
                mask[i] = i != WATCHED && mechanism_random(&random) > 0.9;
                input[i] = mechanism_random(&random) * (i != WATCHED && mask[i] ? 1e2 : 1.0);
            }
            if (k % 3 == 0)
                assert_int_equal(sarrus_batch_reset_some(batch, mask), SARRUS_OK);
            if (k % 3 == 1)
                assert_int_equal(sarrus_batch_redraw(batch, &(sarrus_redraw){.size = sizeof(sarrus_redraw), .mask = mask}),
                                 SARRUS_OK);
            assert_int_equal(sarrus_batch_copy_in(batch, SARRUS_FIELD_INPUT, NULL, input), SARRUS_OK);
            assert_int_equal(sarrus_batch_copy_in(alone, SARRUS_FIELD_INPUT, NULL, &input[WATCHED]), SARRUS_OK);
            assert_int_equal(sarrus_batch_advance(batch, 1), SARRUS_OK);
            assert_int_equal(sarrus_batch_advance(alone, 1), SARRUS_OK);
        }
        stepping_look a = stepping_see(batch), b = stepping_see(alone);
        stepping_same(&a, WATCHED, &b, 0);
        stepping_look_free(&a);
        stepping_look_free(&b);
        sarrus_batch_destroy(batch);
        sarrus_batch_destroy(alone);
        mechanism_close(&m);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_saved_batch_goes_on),
        cmocka_unit_test(an_instance_is_left_alone),
    };
    return cmocka_run_group_tests_name("batch.snapshot", tests, NULL, NULL);
}
