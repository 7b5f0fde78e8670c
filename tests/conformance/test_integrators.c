/* Claim: every row of integrators.def has the order that the table says, measured on a smooth motion with a known end. The
 * constants themselves, tolerances, stabilization and what lies between steps: tests/physics/test_integrators.c. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "tests/support/mechanism.h"
#include "tests/tolerances.h"

enum { N = 3 };

/* A mass on a spring of rest length 0, which pulls with k times the distance: x'' = -w² x in both directions, with w = 2/s. The
 * torque is an input of the scenario: no step then reaches beyond the end of a call. */
static const double rate = 2.0; /* 1/s */
static const char *const oscillator =
    "sarrus: 1\n"
    "space: planar\n"
    "gravity: [0, 0]\n"
    "bodies: [{name: a, mass: 0.5, inertia: 1, position: [1, 0], velocity: [0.3, 1.2]}]\n"
    "joints: []\n"
    "forces:\n"
    "  - {name: s, type: spring, between: [[a, [0, 0]], [ground, [0, 0]]], stiffness: 2, rest_length: 0}\n"
    "  - {name: t, type: torque, body: a, value: {input: 0}}\n"
    "integrator: {t_end: 1}\n"
    "limits: off\n";

typedef struct outcome {
    double error; /* m, at the end */
    sarrus_instance_statistics statistics;
} outcome;

/* To `seconds` in n_calls calls of one step of the grid each. `keys` of the integrator beside its method, step and end. */
static outcome run(const char *method, const char *keys, double seconds, int n_calls) {
    char integrator[160];
    (void)snprintf(integrator, sizeof integrator, "{method: %s, dt: %.17g, t_end: %g%s}", method, seconds / n_calls, seconds, keys);
    const sarrus_override overrides[] = {{"integrator", integrator}, {NULL, NULL}};
    mechanism m = mechanism_open_text(oscillator, overrides);
    sarrus_batch *batch = mechanism_batch(&m, NULL, 1, 1, NULL);
    double q[N], v[N];
    outcome out;
    for (int i = 0; i < n_calls; ++i) {
        assert_int_equal(sarrus_batch_advance(batch, 1), SARRUS_OK);
    }
    assert_int_equal(sarrus_batch_status(batch, 0), SARRUS_INSTANCE_OK);
    assert_int_equal(sarrus_batch_state(batch, 0, q, v), SARRUS_OK);
    assert_int_equal(sarrus_batch_statistics(batch, 0, &out.statistics), SARRUS_OK);
    const double c = cos(rate * seconds), s = sin(rate * seconds) / rate;
    out.error = hypot(q[0] - (1.0 * c + 0.3 * s), q[1] - 1.2 * s);
    sarrus_batch_destroy(batch);
    mechanism_close(&m);
    return out;
}

static void check_order(const char *what, double order, double wanted, double tolerance) {
    print_message("%s: order %.2f\n", what, order);
    if (!(fabs(order - wanted) <= tolerance)) {
        fail_msg("%s: order %.3f instead of %g", what, order, wanted);
    }
}

/* A one-step method at steps of h and h/2; each call must be one step, whoever chooses it. */
static void check_steps(const char *method, const char *keys, double wanted, int n) {
    const outcome coarse = run(method, keys, 4.0, n), fine = run(method, keys, 4.0, 2 * n);
    assert_int_equal(coarse.statistics.n_steps, n);
    assert_int_equal(fine.statistics.n_steps, 2 * n);
    assert_int_equal(coarse.statistics.n_rejected + fine.statistics.n_rejected, 0);
    check_order(method, log2(coarse.error / fine.error), wanted, TOLERANCE_ORDER);
}

/* Error over steps from one tolerance 10^-a to another. */
static double order_between(int max_order, int a, int b) {
    outcome out[2];
    for (int i = 0; i < 2; ++i) {
        char keys[96];
        const int digits = i == 0 ? a : b;
        (void)snprintf(keys, sizeof keys, ", max_order: %d, rtol: 1e-%d, atol: 1e-%d, max_steps: 1000000", max_order, digits,
                       digits);
        out[i] = run("adams-moulton", keys, 60.0, 1);
    }
    return log(out[0].error / out[1].error) / log((double)out[1].statistics.n_steps / (double)out[0].statistics.n_steps);
}

/* The step and the order change under way, so it is the error over the number of steps that tells. A formula of order k, corrected
 * by one of order k + 1, leaves h^(k+1). Held at k <= 8, at tolerances where the motion has that order most of the time, that is
 * what is seen, to a quarter. The higher ones are left again soon for their narrow stability; given them, the error has to fall as
 * steeply as with the highest all the same, which it does not with 8. */
static void check_adams(double highest) {
    static const int digits[][2] = {{4, 5}, {6, 7}, {6, 8}, {9, 11}, {8, 10}, {8, 9}, {9, 11}, {8, 10}};
    for (int k = 1; k <= (int)(sizeof digits / sizeof digits[0]); ++k) {
        char what[32];
        (void)snprintf(what, sizeof what, "adams-moulton up to %d", k);
        check_order(what, order_between(k, digits[k - 1][0], digits[k - 1][1]), k + 1.0, 0.25);
    }
    const double of_all = order_between((int)highest, 7, 12), of_eight = order_between(8, 7, 12);
    print_message("adams-moulton: order %.2f over five decades, %.2f up to 8\n", of_all, of_eight);
    assert_true(of_all >= highest && of_eight < highest);
}

/* Of a row of the table that is missing the compiler says so. The tolerances are met by any step. */
static void check_integrator(sarrus_integrator method, const char *word, double order) {
    switch (method) {
    case SARRUS_INTEGRATOR_RK4:
        check_steps(word, ", substeps: off", order, 80);
        break;
    case SARRUS_INTEGRATOR_SEMI_IMPLICIT:
        check_steps(word, ", substeps: off", order, 800);
        break;
    case SARRUS_INTEGRATOR_DOPRI5:
        check_steps(word, ", rtol: 0.5, atol: 1e6", order, 160);
        break;
    case SARRUS_INTEGRATOR_VERNER65:
        check_steps(word, ", rtol: 0.5, atol: 1e6", order, 40);
        break;
    case SARRUS_INTEGRATOR_ADAMS_MOULTON:
        check_adams(order);
        break;
    }
}

#define SARRUS_INTEGRATOR(name, value, word, order, is_adaptive, text)                                                             \
    static void has_its_order_##name(void **state) {                                                                               \
        (void)state;                                                                                                               \
        check_integrator(SARRUS_INTEGRATOR_##name, word, order);                                                                   \
    }
#include "sarrus/integrators.def"

int main(void) {
    const struct CMUnitTest tests[] = {
#define SARRUS_INTEGRATOR(name, value, word, order, is_adaptive, text) cmocka_unit_test(has_its_order_##name),
#include "sarrus/integrators.def"
    };
    return cmocka_run_group_tests_name("conformance.integrators", tests, NULL, NULL);
}
