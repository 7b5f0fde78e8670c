/* Claim: eliminating the pins of cranks in closed form hides no lost direction. Two cranks that are pinned to one another are a
 * triangle, which cannot move; flattened to the height ε, the pin's row across holds by levers of the size of ε alone, and the
 * whole of S is as near to singular as ε². A lane like that goes to the rank-revealing path, though nothing is left in the factor
 * that the row's pivot could be small against. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "plan/plan.h"
#include "tests/support/mechanism.h"
#include "tests/tolerances.h"

static const char *const TRIANGLE = "sarrus: 1\n"
                                    "space: planar\n"
                                    "gravity: [0, -9.81]\n"
                                    "bodies:\n"
                                    "  - {name: a, mass: 1, inertia: 0.04, position: [0.2, 0.1]}\n"
                                    "  - {name: b, mass: 2, inertia: 0.05, position: [0.8, 0.05]}\n"
                                    "joints:\n"
                                    "  - {name: A, type: revolute, bodies: [ground, a], at: [0, 0]}\n"
                                    "  - {name: B, type: revolute, bodies: [b, ground], at: [1, 0]}\n"
                                    "  - {name: C, type: revolute, bodies: [a, b], at: [0.5, %.17g]}\n"
                                    "integrator: {method: rk4, dt: 1.0e-3, t_end: 1.0}\n";

static const struct {
    double height;
    bool is_revealed; /* ε² against the guard of 1e-8 on pivots, an order of magnitude away from it at least */
} CASES[] = {{0.3, false}, {1e-2, false}, {1e-3, false}, {1e-5, true}, {1e-6, true}};

static void a_flat_triangle_is_seen(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; ++i) {
        char text[1024];
        double a[6];
        uint64_t n_evaluations, n_revealing;
        (void)snprintf(text, sizeof text, TRIANGLE, CASES[i].height);
        mechanism m = mechanism_open_text(text, NULL);
        sarrus_batch *batch = mechanism_batch(&m, NULL, 1, 1, NULL);
        assert_int_equal(m.plan->mech.n_cranks, 2);
        sarrus_batch_path_counts(batch, &n_evaluations, &n_revealing);
        const uint64_t n_before = n_revealing;
        mechanism_observe(batch, SARRUS_OBSERVE_ACCELERATION, a);
        sarrus_batch_path_counts(batch, &n_evaluations, &n_revealing);
        assert_int_equal(n_revealing > n_before, CASES[i].is_revealed);
        /* it stays where it is: the solve's round-off of 9.81 m/s² through ε⁻², or through ε⁻¹ by the SVD */
        const double condition = CASES[i].is_revealed ? 1.0 / CASES[i].height : pow(CASES[i].height, -2.0);
        assert_true(mechanism_size(a, 6) <= TOLERANCE_SOLVE(12, condition) * 9.81 * 10.0);
        sarrus_batch_destroy(batch);
        mechanism_close(&m);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_flat_triangle_is_seen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
