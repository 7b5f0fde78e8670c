/* What is seen of a batch (sarrus_batch_copy_seen) against what its coordinates and speeds say by the C library's sine and cosine:
 * in the plane and in space, over bodies and over trees, by every instruction set, of all instances and of some. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sarrus/seen.h"
#include "tests/support/mechanism.h"

enum { N = 37, N_STEPS = 60, N_SEEN = 14 };

static const struct {
    const char *file, *formulation;
} cases[] = {
    {"five_bar.yaml", "udwadia-kalaba"},
    {"five_bar.yaml", "relative"},
    {"spatial_four_bar.yaml", "udwadia-kalaba"},
    {"spatial_four_bar.yaml", "relative"},
};

static const double place[3] = {0.3, -0.2, 0.1};

/* Of the second and third bodies; own places of the instances for the last two numbers. */
static void seen_make(const mechanism *m, const double *own, sarrus_seen out[N_SEEN]) {
    const int32_t n_q = m->model->space == SARRUS_SPACE_SPATIAL ? 7 : 3, n_axes = n_q == 7 ? 3 : 2;
    const int32_t turn = n_q == 7 ? 5 : 2; /* of a body's coordinates, some angle or number */
    for (int32_t k = 0; k < N_SEEN; ++k) {
        const sarrus_seen_kind kind = k < 4   ? (sarrus_seen_kind)k
                                      : k < 8 ? (sarrus_seen_kind)(k - 4)
                                      : k % 2 ? SARRUS_SEEN_VELOCITY
                                              : SARRUS_SEEN_PLACE;
        out[k] =
            (sarrus_seen){.kind = kind, .j = -1, .i = n_q + turn - (kind == SARRUS_SEEN_V), .body = 1, .axis = (k / 2) % n_axes};
        if (k >= 4 && k < 8)
            out[k].j = turn - (kind == SARRUS_SEEN_V);
        if (k >= 12)
            out[k].own = own, out[k].stride = 4, out[k].body = 2;
        memcpy(out[k].at, place, sizeof place);
    }
}

static void cross(const double a[3], const double b[3], double out[3]) {
    for (int k = 0; k < 3; ++k)
        out[k] = a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3];
}

/* b turned by Euler parameters p: b + 2 w (p × b) + 2 p × (p × b). */
static void rotate(const double p[4], const double b[3], double out[3]) {
    double once[3], twice[3];
    cross(p + 1, b, once);
    cross(p + 1, once, twice);
    for (int k = 0; k < 3; ++k)
        out[k] = b[k] + 2.0 * (p[0] * once[k] + twice[k]);
}

static double point_expected(bool is_spatial, const sarrus_seen *what, const double *s, const double *q, const double *v) {
    const bool is_place = what->kind == SARRUS_SEEN_PLACE;
    if (is_spatial) {
        const double *body = q + 7 * what->body, *rate = v + 6 * what->body;
        double wanted[3], arm[3];
        cross(rate + 3, s, wanted);
        rotate(body + 3, is_place ? s : wanted, arm);
        return (is_place ? body : rate)[what->axis] + arm[what->axis];
    }
    const double *body = q + 3 * what->body, *rate = v + 3 * what->body;
    const double x = cos(body[2]) * s[0] - sin(body[2]) * s[1], y = sin(body[2]) * s[0] + cos(body[2]) * s[1];
    if (is_place)
        return body[what->axis] + (what->axis == 0 ? x : y);
    return rate[what->axis] + rate[2] * (what->axis == 0 ? -y : x);
}

static double expected(bool is_spatial, const sarrus_seen *what, uint64_t i, const double *q, const double *v) {
    const double *from = what->kind == SARRUS_SEEN_V ? v : q;
    if (what->kind >= SARRUS_SEEN_PLACE)
        return point_expected(is_spatial, what, what->own ? what->own + i * what->stride : what->at, q, v);
    const double x = from[what->i] - (what->j < 0 ? 0.0 : from[what->j]);
    return what->kind == SARRUS_SEEN_SINE ? sin(x) : what->kind == SARRUS_SEEN_COSINE ? cos(x) : x;
}

/* Sums of a few products of numbers below 10, sines to 1 ulp: 20 ulp of 10. */
#define SEEN_TOLERANCE 5e-14

static void all_check(const mechanism *m, sarrus_batch *batch, const sarrus_seen *seen, const double *out) {
    const int n_q = sarrus_batch_field_width(batch, SARRUS_FIELD_Q), n_v = sarrus_batch_field_width(batch, SARRUS_FIELD_V);
    double *q = calloc((size_t)(N * n_q), sizeof *q), *v = calloc((size_t)(N * n_v), sizeof *v);
    assert_true(q && v);
    assert_int_equal(sarrus_batch_copy_state(batch, NULL, q, v), SARRUS_OK);
    for (int k = 0; k < N_SEEN; ++k)
        for (uint64_t i = 0; i < N; ++i) {
            const double x =
                expected(m->model->space == SARRUS_SPACE_SPATIAL, &seen[k], i, q + i * (size_t)n_q, v + i * (size_t)n_v);
            if (!(fabs(out[(size_t)k * N + i] - x) < SEEN_TOLERANCE))
                fail_msg("number %d of instance %d is %.17g, not %.17g", k, (int)i, out[(size_t)k * N + i], x);
        }
    free(q);
    free(v);
}

/* Each instance somewhere else: other speeds, by another number of steps. */
static void spread(sarrus_batch *batch) {
    for (int i = 0; i < 3; ++i) {
        uint8_t mask[N];
        for (int k = 0; k < N; ++k)
            mask[k] = (uint8_t)(k % 4 == i);
        assert_int_equal(sarrus_batch_advance(batch, N_STEPS), SARRUS_OK);
        assert_int_equal(sarrus_batch_reset_some(batch, mask), SARRUS_OK);
    }
    assert_int_equal(sarrus_batch_advance(batch, N_STEPS / 2), SARRUS_OK);
}

static void some_check(sarrus_batch *batch, const sarrus_seen *seen, const double *all) {
    static double out[N_SEEN * N];
    uint8_t mask[N];
    for (int i = 0; i < N; ++i)
        mask[i] = (uint8_t)(i % 5 == 3 ? 7 : 0);
    for (int k = 0; k < N_SEEN * N; ++k)
        out[k] = -77.0;
    assert_int_equal(sarrus_batch_copy_seen(batch, seen, N_SEEN, mask, out), SARRUS_OK);
    for (int k = 0; k < N_SEEN * N; ++k) {
        const double x = mask[k % N] ? all[k] : -77.0;
        assert_memory_equal(&out[k], &x, sizeof x);
    }
}

static void numbers_are_those_of_the_state(void **state) {
    (void)state;
    static const char *const isas[] = {"baseline", "avx2", "avx512"};
    static double own[N * 4], out[N_SEEN * N];
    for (int i = 0; i < N * 4; ++i)
        own[i] = 0.01 * i - 0.5;
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; ++c) {
        const sarrus_override overrides[] = {
            {"dynamics.formulation", cases[c].formulation}, {"integrator.dt", "0.001"}, {NULL, NULL}};
        mechanism m = mechanism_open_file(cases[c].file, overrides);
        sarrus_seen seen[N_SEEN];
        seen_make(&m, own, seen);
        for (int k = 0; k < 3; ++k) {
            if (!mechanism_has_isa(isas[k]))
                continue;
            sarrus_batch *batch = mechanism_batch(&m, isas[k], 2, N, NULL);
            spread(batch);
            assert_int_equal(sarrus_batch_copy_seen(batch, seen, N_SEEN, NULL, out), SARRUS_OK);
            all_check(&m, batch, seen, out);
            some_check(batch, seen, out);
            sarrus_batch_destroy(batch);
        }
        mechanism_close(&m);
    }
}

/* What was written and waits for the assembly is seen as it is copied, over a tree too. */
static void what_was_written_is_seen(void **state) {
    (void)state;
    static double own[N * 4], out[N_SEEN * N];
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; ++c) {
        const sarrus_override overrides[] = {{"dynamics.formulation", cases[c].formulation}, {NULL, NULL}};
        mechanism m = mechanism_open_file(cases[c].file, overrides);
        sarrus_seen seen[N_SEEN];
        seen_make(&m, own, seen);
        sarrus_batch *batch = mechanism_batch(&m, NULL, 1, N, NULL);
        const int n_q = sarrus_batch_field_width(batch, SARRUS_FIELD_Q);
        double *q = calloc((size_t)(N * n_q), sizeof *q);
        assert_non_null(q);
        assert_int_equal(sarrus_batch_copy_out(batch, SARRUS_FIELD_Q, q), SARRUS_OK);
        for (int i = 0; i < N; ++i)
            q[i * n_q + (m.model->space == SARRUS_SPACE_SPATIAL ? 7 : 3)] += 0.001 * i; /* x of the second body: no tree has it */
        assert_int_equal(sarrus_batch_copy_in(batch, SARRUS_FIELD_Q, NULL, q), SARRUS_OK);
        assert_int_equal(sarrus_batch_copy_seen(batch, seen, N_SEEN, NULL, out), SARRUS_OK);
        all_check(&m, batch, seen, out);
        free(q);
        sarrus_batch_destroy(batch);
        mechanism_close(&m);
    }
}

static void misuse_is_refused(void **state) {
    (void)state;
    mechanism m = mechanism_open_file("five_bar.yaml", NULL);
    sarrus_batch *batch = mechanism_batch(&m, NULL, 1, 1, NULL);
    double out[1];
    const sarrus_seen good = {.kind = SARRUS_SEEN_Q, .i = 0, .j = -1};
    const sarrus_seen bad[] = {
        {.kind = (sarrus_seen_kind)6, .j = -1},      {.kind = (sarrus_seen_kind)-1, .j = -1},
        {.kind = SARRUS_SEEN_Q, .i = 12, .j = -1},   {.kind = SARRUS_SEEN_V, .i = -1, .j = -1},
        {.kind = SARRUS_SEEN_SINE, .i = 0, .j = 12}, {.kind = SARRUS_SEEN_COSINE, .i = 0, .j = -2},
        {.kind = SARRUS_SEEN_PLACE, .body = 4},      {.kind = SARRUS_SEEN_PLACE, .body = -1},
        {.kind = SARRUS_SEEN_VELOCITY, .axis = 2},   {.kind = SARRUS_SEEN_VELOCITY, .axis = -1},
    };
    for (size_t k = 0; k < sizeof bad / sizeof bad[0]; ++k) {
        assert_int_equal(sarrus_batch_copy_seen(batch, &bad[k], 1, NULL, out), SARRUS_BAD_ARGUMENT);
        assert_non_null(sarrus_batch_refusal(batch));
    }
    assert_int_equal(sarrus_batch_copy_seen(NULL, &good, 1, NULL, out), SARRUS_BAD_ARGUMENT);
    assert_int_equal(sarrus_batch_copy_seen(batch, NULL, 1, NULL, out), SARRUS_BAD_ARGUMENT);
    assert_int_equal(sarrus_batch_copy_seen(batch, &good, 1, NULL, NULL), SARRUS_BAD_ARGUMENT);
    assert_int_equal(sarrus_batch_copy_seen(batch, &good, -1, NULL, out), SARRUS_BAD_ARGUMENT);
    assert_int_equal(sarrus_batch_copy_seen(batch, NULL, 0, NULL, NULL), SARRUS_OK);
    assert_int_equal(sarrus_batch_copy_seen(batch, &good, 1, NULL, out), SARRUS_OK);
    sarrus_batch_destroy(batch);
    mechanism_close(&m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_are_those_of_the_state),
        cmocka_unit_test(what_was_written_is_seen),
        cmocka_unit_test(misuse_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
