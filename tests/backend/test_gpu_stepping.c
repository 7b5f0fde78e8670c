/* Stepping single instances on an emulated GPU: inputs, resets of some, copies of fields and saved batches, and instances that are
 * written, drawn and assembled again, have the bits of the CPU backend's kernels for AVX2, on one device, on two, and out of core;
 * what cannot be done there is refused in words. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "tests/backend/gpu_on_host.h"
#include "tests/backend/gpu_trial.h"
#include "tests/support/stepping_cases.h"

enum { N = 229, N_ROUNDS = 6, N_LOOKS = N_ROUNDS + 3 };

enum { ON_CPU, ON_DEVICE, ON_DEVICES, OUT_OF_CORE, N_KINDS };

/* The mechanism's batch on the CPU, on one device, on two, or on one with hardly any memory. */
static sarrus_batch *batch_on(const mechanism *m, int kind) {
    const sarrus_batch_options on_cpu = {.isa = "avx2", .n_threads = 2},
                               on_gpu = {.backend = SARRUS_BACKEND_CUDA, .keep_rank_events = 1};
    if (kind == ON_CPU)
        return gpu_batch(m, SARRUS_BACKEND_CPU, N, &on_cpu);
    if (kind != OUT_OF_CORE) {
        gpu_on_host_reset(&(gpu_on_host_settings){.n_devices = kind == ON_DEVICE ? 1 : 2});
        return gpu_batch(m, SARRUS_BACKEND_CUDA, N, NULL);
    }
    sarrus_batch *batch = NULL;
    for (size_t n_bytes = 100000; !batch && n_bytes < 100000000; n_bytes += n_bytes / 16) {
        gpu_on_host_reset(&(gpu_on_host_settings){.n_devices = 1, .n_bytes = n_bytes});
        const sarrus_status status = sarrus_batch_create(m->context, m->plan, &on_gpu, N, NULL, &batch);
        assert_int_equal(status == SARRUS_OK, batch != NULL);
    }
    assert_non_null(strstr(sarrus_batch_device_name(batch), "out of core"));
    return batch;
}

/* Random inputs of a random part, one of them no number, and steps; then a random part begins anew. */
static void round_go(sarrus_batch *batch, uint64_t *random, int i_round) {
    double input[N];
    uint8_t written[N], again[N];
    for (int i = 0; i < N; ++i) {
        input[i] = i_round == 2 && i == 40 ? (double)NAN : mechanism_random(random);
        written[i] = i == 40 || mechanism_random(random) > 0.0;
        again[i] = mechanism_random(random) > 0.4;
    }
    if (sarrus_batch_field_width(batch, SARRUS_FIELD_INPUT) > 0)
        assert_int_equal(sarrus_batch_copy_in(batch, SARRUS_FIELD_INPUT, written, input), SARRUS_OK);
    assert_int_equal(sarrus_batch_advance(batch, 3), SARRUS_OK);
    if (i_round % 2 == 1)
        assert_int_equal(sarrus_batch_reset_some(batch, again), SARRUS_OK);
}

static unsigned char *saved(sarrus_batch *batch, size_t *n_bytes) {
    *n_bytes = sarrus_batch_save_size(batch);
    unsigned char *bytes = malloc(*n_bytes);
    assert_non_null(bytes);
    assert_int_equal(sarrus_batch_save(batch, bytes, *n_bytes), SARRUS_OK);
    return bytes;
}

/* A course of rounds. What is saved on the way comes back after steps that count for nothing; bytes of the CPU's batch are taken by
 * the other: `given` is what it saved (NULL: this is it, and *out are its bytes). */
static void course(sarrus_batch *batch, stepping_look looks[N_LOOKS], const unsigned char *given, unsigned char **out,
                   size_t *n_out) {
    uint64_t random = 11;
    for (int k = 0; k < N_ROUNDS; ++k) {
        round_go(batch, &random, k);
        looks[k] = stepping_see(batch);
    }
    size_t n_bytes;
    unsigned char *own = saved(batch, &n_bytes);
    assert_int_equal(sarrus_batch_advance(batch, 5), SARRUS_OK);
    assert_int_equal(sarrus_batch_load(batch, own, n_bytes), SARRUS_OK);
    free(own);
    looks[N_ROUNDS] = stepping_see(batch);
    if (!given)
        *out = saved(batch, n_out);
    assert_int_equal(sarrus_batch_reset(batch), SARRUS_OK);
    looks[N_ROUNDS + 1] = stepping_see(batch);
    assert_int_equal(sarrus_batch_load(batch, given ? given : *out, *n_out), SARRUS_OK);
    round_go(batch, &random, N_ROUNDS);
    looks[N_ROUNDS + 2] = stepping_see(batch);
}

static void rows_are_the_whole(sarrus_batch *batch) {
    const int n_q = sarrus_batch_field_width(batch, SARRUS_FIELD_Q), n_v = sarrus_batch_field_width(batch, SARRUS_FIELD_V);
    const size_t n = (size_t)N * (size_t)(n_q + n_v);
    double *whole = calloc(n, sizeof *whole), *some = calloc(n, sizeof *some);
    uint8_t mask[N] = {0};
    assert_true(whole && some);
    mask[3] = mask[64] = mask[100] = 1;
    assert_int_equal(sarrus_batch_copy_state(batch, NULL, whole, whole + N * n_q), SARRUS_OK);
    assert_int_equal(sarrus_batch_copy_state(batch, mask, some, some + N * n_q), SARRUS_OK);
    for (int i = 0; i < N; ++i)
        for (int k = 0; k < n_q; ++k)
            assert_true(some[i * n_q + k] == (mask[i] ? whole[i * n_q + k] : 0.0));
    free(whole);
    free(some);
}

static void stepping_has_the_bits_of_the_cpu(void **state) {
    (void)state;
    for (int i_case = 0; i_case < stepping_n_cases(); ++i_case) {
        mechanism m = stepping_open(i_case);
        stepping_look expected[N_LOOKS], found[N_LOOKS];
        unsigned char *bytes = NULL;
        size_t n_bytes = 0;
        sarrus_batch *cpu = batch_on(&m, ON_CPU);
        course(cpu, expected, NULL, &bytes, &n_bytes);
        sarrus_batch_destroy(cpu);
        for (int kind = ON_DEVICE; kind < N_KINDS; ++kind) {
            sarrus_batch *batch = batch_on(&m, kind);
            course(batch, found, bytes, NULL, &n_bytes);
            rows_are_the_whole(batch);
            sarrus_batch_destroy(batch);
            for (int k = 0; k < N_LOOKS; ++k) {
                for (uint64_t i = 0; i < N; ++i)
                    stepping_same(&found[k], i, &expected[k], i);
                stepping_look_free(&found[k]);
            }
            gpu_assert_clean();
        }
        for (int k = 0; k < N_LOOKS; ++k)
            stepping_look_free(&expected[k]);
        free(bytes);
        mechanism_close(&m);
    }
}

/* A field with other numbers in the masked rows, the same on every backend: what instances have, moved by up to `share` of it. */
static void rows_write(sarrus_batch *batch, sarrus_field field, const uint8_t mask[N], uint64_t *random, double share) {
    const size_t n = (size_t)sarrus_batch_field_width(batch, field);
    double *numbers = calloc(N * n + 1, sizeof *numbers);
    assert_non_null(numbers);
    assert_int_equal(sarrus_batch_copy_out(batch, field, numbers), SARRUS_OK);
    for (size_t i = 0; i < N * n; ++i)
        numbers[i] = mask[i / n] ? numbers[i] * (1.0 + share * mechanism_random(random)) : (double)NAN;
    assert_int_equal(sarrus_batch_copy_in(batch, field, mask, numbers), SARRUS_OK);
    free(numbers);
}

static void parameters_write(sarrus_batch *batch, const uint8_t mask[N], uint64_t *random) {
    rows_write(batch, SARRUS_FIELD_PARAMETER, mask, random, 1e-3);
}

/* Of one instance numbers that make no mechanism. */
static void bad_parameters_write(sarrus_batch *batch, const uint8_t mask[N], uint64_t *random) {
    uint8_t one[N] = {0};
    for (int i = 0; i < N; ++i)
        one[i] = mask[i] && memchr(mask, 1, (size_t)i) == NULL;
    rows_write(batch, SARRUS_FIELD_PARAMETER, mask, random, 1e-3);
    rows_write(batch, SARRUS_FIELD_PARAMETER, one, random, (double)NAN);
}

static void states_write(sarrus_batch *batch, const uint8_t mask[N], uint64_t *random) {
    rows_write(batch, SARRUS_FIELD_Q, mask, random, 1e-4);
    rows_write(batch, SARRUS_FIELD_V, mask, random, 1e-2);
}

static void speeds_write(sarrus_batch *batch, const uint8_t mask[N], uint64_t *random) {
    rows_write(batch, SARRUS_FIELD_V, mask, random, 1e-2);
}

static void nothing_write(sarrus_batch *batch, const uint8_t mask[N], uint64_t *random) {
    (void)batch;
    (void)mask;
    (void)random;
}

/* What is written before instances are assembled, and who they are. */
typedef void write_rows(sarrus_batch *batch, const uint8_t mask[N], uint64_t *random);
enum { SOME, ALL, THE_LAST, ONE, N_MASKS };
static write_rows *const writes[] = {parameters_write, states_write, bad_parameters_write, speeds_write, nothing_write, NULL};
enum { N_BEGINNINGS = sizeof writes / sizeof writes[0], N_BEGUN_LOOKS = 3 * N_BEGINNINGS + 2 };

static void mask_fill(uint8_t mask[N], int which, uint64_t *random) {
    for (int i = 0; i < N; ++i) {
        const bool is_random = mechanism_random(random) > 0.2;
        mask[i] = which == ALL || (which == SOME && is_random) || (which == THE_LAST && i == N - 1) || (which == ONE && i == 70);
    }
}

static void others_are_untouched(const uint8_t mask[N], const stepping_look *before, const stepping_look *after) {
    for (uint64_t i = 0; i < N; ++i)
        if (!mask[i])
            stepping_same(after, i, before, i);
}

/* Instances begin anew between steps, by each way; with NULL they are drawn. A state that is written goes on without an assembly
 * too. Nobody beside them notices. */
static void beginnings(sarrus_batch *batch, stepping_look looks[N_BEGUN_LOOKS]) {
    uint64_t random = 5;
    int at = 0;
    uint8_t mask[N];
    for (int k = 0; k < N_BEGINNINGS; ++k) {
        round_go(batch, &random, 0);
        mask_fill(mask, k % N_MASKS, &random);
        stepping_look before = stepping_see(batch);
        if (writes[k]) {
            writes[k](batch, mask, &random);
            looks[at] = stepping_see(batch);
            others_are_untouched(mask, &before, &looks[at++]);
            if (writes[k] == states_write) {
                assert_int_equal(sarrus_batch_advance(batch, 1), SARRUS_OK);
                stepping_look_free(&before);
                before = stepping_see(batch);
                states_write(batch, mask, &random);
            }
            assert_int_equal(sarrus_batch_assemble(batch, mask), SARRUS_OK);
        } else {
            assert_int_equal(sarrus_batch_redraw(batch, &(sarrus_redraw){.size = sizeof(sarrus_redraw), .mask = mask}), SARRUS_OK);
            looks[at++] = stepping_see(batch);
        }
        looks[at] = stepping_see(batch);
        others_are_untouched(mask, &before, &looks[at++]);
        stepping_look_free(&before);
        assert_int_equal(sarrus_batch_advance(batch, 4), SARRUS_OK);
        looks[at++] = stepping_see(batch);
    }
    assert_int_equal(sarrus_batch_assemble(batch, (const uint8_t[N]){0}), SARRUS_OK); /* nobody */
    assert_int_equal(sarrus_batch_reset(batch), SARRUS_OK);
    looks[at++] = stepping_see(batch);
    assert_int_equal(sarrus_batch_redraw(batch, NULL), SARRUS_OK);
    looks[at++] = stepping_see(batch);
    assert_int_equal(at, N_BEGUN_LOOKS);
}

static void beginning_has_the_bits_of_the_cpu(void **state) {
    (void)state;
    enum { N_CASES = 8, N_FULL = 4 }; /* either formulation and space, by fixed steps everywhere, by chosen ones on two devices */
    for (int i_case = 0; i_case < N_CASES && i_case < stepping_n_cases(); ++i_case) {
        mechanism m = stepping_open(i_case);
        stepping_look expected[N_BEGUN_LOOKS], found[N_BEGUN_LOOKS];
        sarrus_batch *cpu = batch_on(&m, ON_CPU);
        beginnings(cpu, expected);
        sarrus_batch_destroy(cpu);
        for (int kind = ON_DEVICE; kind < N_KINDS; ++kind) {
            if (i_case >= N_FULL && kind != ON_DEVICES)
                continue;
            sarrus_batch *batch = batch_on(&m, kind);
            beginnings(batch, found);
            sarrus_batch_destroy(batch);
            for (int k = 0; k < N_BEGUN_LOOKS; ++k) {
                for (uint64_t i = 0; i < N; ++i)
                    stepping_same(&found[k], i, &expected[k], i);
                stepping_look_free(&found[k]);
            }
            gpu_assert_clean();
        }
        for (int k = 0; k < N_BEGUN_LOOKS; ++k)
            stepping_look_free(&expected[k]);
        mechanism_close(&m);
    }
}

/* Speeds that are seen in place are those of the assembly, and what is written there is what it begins with. */
static void views_follow(void **state) {
    (void)state;
    mechanism m = stepping_open(0);
    stepping_look looks[2];
    for (int kind = ON_CPU; kind <= ON_DEVICE; ++kind) {
        sarrus_batch *batch = batch_on(&m, kind);
        sarrus_view v;
        uint8_t mask[N] = {0};
        mask[3] = mask[90] = mask[N - 1] = 1;
        assert_int_equal(sarrus_batch_view(batch, SARRUS_FIELD_V, &v), SARRUS_OK);
        assert_int_equal(sarrus_batch_advance(batch, 2), SARRUS_OK);
        v.base[3 % v.width + (3 / v.width) * v.stride] += 0.1;
        assert_int_equal(sarrus_batch_assemble(batch, mask), SARRUS_OK);
        assert_int_equal(sarrus_batch_advance(batch, 1), SARRUS_OK);
        looks[kind] = stepping_see(batch);
        double *speeds = calloc((size_t)N * (size_t)v.n_components, sizeof *speeds);
        assert_non_null(speeds);
        assert_int_equal(sarrus_batch_copy_out(batch, SARRUS_FIELD_V, speeds), SARRUS_OK);
        assert_true(speeds[(size_t)3 * (size_t)v.n_components] == v.base[3 % v.width + (3 / v.width) * v.stride]);
        free(speeds);
        sarrus_batch_destroy(batch);
    }
    for (uint64_t i = 0; i < N; ++i)
        stepping_same(&looks[1], i, &looks[0], i);
    stepping_look_free(&looks[0]);
    stepping_look_free(&looks[1]);
    mechanism_close(&m);
    gpu_assert_clean();
}

static void what_cannot_be_written_is_said(void **state) {
    (void)state;
    mechanism m = stepping_open(0);
    sarrus_batch *batch = batch_on(&m, ON_DEVICE);
    const double numbers[N] = {0};
    assert_int_equal(sarrus_batch_copy_in(batch, SARRUS_FIELD_TIME, NULL, numbers), SARRUS_UNSUPPORTED);
    assert_non_null(strstr(sarrus_batch_refusal(batch), "cannot be written"));
    sarrus_batch_destroy(batch);
    mechanism_close(&m);
    gpu_assert_clean();
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(stepping_has_the_bits_of_the_cpu, gpu_played, gpu_ended),
        cmocka_unit_test_setup_teardown(beginning_has_the_bits_of_the_cpu, gpu_played, gpu_ended),
        cmocka_unit_test_setup_teardown(views_follow, gpu_played, gpu_ended),
        cmocka_unit_test_setup_teardown(what_cannot_be_written_is_said, gpu_played, gpu_ended),
    };
    return cmocka_run_group_tests_name("backend.gpu_stepping", tests, NULL, NULL);
}
