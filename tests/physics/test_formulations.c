/* Claim: every formulation that is written out in full steps with every pseudoinverse method of the lanes on the independent rows
 * of a redundant mechanism, within the scratch that is taken for it (which the address sanitizer sees), as Udwadia and Kalaba's
 * does. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "plan/plan.h"
#include "tests/support/mechanism.h"

static const char *const formulations[] = {"pseudo-range", "range-space", "null-space", "udwadia-phohomsiri",
                                           "saddle",       "partial",     "barycentric"};
static const char *const methods[] = {"svd", "jacobi", "householder", "varga", "mgs2", "greville"};

enum { N_STEPS = 3, MOST = 40 };

/* q of the nominal instance after some steps of 1 ms. */
static void steps(const char *formulation, const char *method, double q[MOST]) {
    const sarrus_override settings[] = {{"dynamics.formulation", formulation}, {"dynamics.pinv", method}, {NULL, NULL}};
    mechanism m = mechanism_open_file("five_bar.yaml", settings);
    sarrus_batch *batch = mechanism_batch(&m, NULL, 1, 1, NULL);
    assert_true(m.plan->mech.factor.n_independent < m.m);
    assert_int_equal(sarrus_batch_advance(batch, N_STEPS), SARRUS_OK);
    assert_int_equal(sarrus_batch_status(batch, 0), SARRUS_INSTANCE_OK);
    mechanism_observe(batch, SARRUS_OBSERVE_Q, q);
    sarrus_batch_destroy(batch);
    mechanism_close(&m);
}

static void every_method_on_independent_rows(void **state) {
    (void)state;
    double expected[MOST] = {0}, q[MOST] = {0};
    steps("udwadia-kalaba", "auto", expected);
    for (size_t f = 0; f < sizeof formulations / sizeof formulations[0]; ++f) {
        for (size_t k = 0; k < sizeof methods / sizeof methods[0]; ++k) {
            steps(formulations[f], methods[k], q);
            /* Accelerations of some 10 m/s² agree to 1e-10 of the condition, 5 (docs/comparison.md): ½ a t² over 3 ms. */
            if (!(mechanism_distance(q, expected, MOST) <= 1e-10 * 5.0 * 10.0 * 0.5 * 9e-6 + 1e-15))
                fail_msg("%s, %s: off by %g", formulations[f], methods[k], mechanism_distance(q, expected, MOST));
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_method_on_independent_rows)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
