/* Claim: four wheels that a ring of gears locks, its ratios off by what closes within the tolerance, stand still under a torque
 * in both formulations, with the rank that says so: rows that all bodies of two joints share are one row over a tree. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/support/mechanism.h"

static const char ring[] = "sarrus: 1\nspace: planar\nbodies:\n"
                           "  - {name: w0, mass: 1, inertia: 0.1, position: [0, 0], angular_velocity: 1}\n"
                           "  - {name: w1, mass: 1, inertia: 0.15, position: [1, 0], angular_velocity: 1}\n"
                           "  - {name: w2, mass: 1, inertia: 0.2, position: [2, 0], angular_velocity: 1}\n"
                           "  - {name: w3, mass: 1, inertia: 0.25, position: [3, 0], angular_velocity: 1}\n"
                           "joints:\n"
                           "  - {name: j0, type: revolute, bodies: [ground, w0], at: [0, 0]}\n"
                           "  - {name: j1, type: revolute, bodies: [ground, w1], at: [1, 0]}\n"
                           "  - {name: j2, type: revolute, bodies: [ground, w2], at: [2, 0]}\n"
                           "  - {name: j3, type: revolute, bodies: [ground, w3], at: [3, 0]}\n"
                           "constraints:\n"
                           "  - {name: g0, type: gear, joints: [j0, j1], ratio: -2}\n"
                           "  - {name: g1, type: gear, joints: [j1, j2], ratio: -0.5}\n"
                           "  - {name: g2, type: gear, joints: [j2, j3], ratio: -1.5}\n"
                           "  - {name: g3, type: gear, joints: [j0, j3], ratio: -1.5000014999999998}\n"
                           "forces: [{name: T, type: torque, body: w0, value: 0.3}]\n"
                           "integrator: {t_end: 0.5, method: verner65, rtol: 1e-10, dt: 0.05, max_steps: 200}\n";
enum { N_TIMES = 6, N_Q = 12 };

static void a_locked_ring_stands_still(void **state) {
    (void)state;
    static const char *const formulations[] = {"udwadia-kalaba", "relative"};
    for (int k = 0; k < 2; ++k) {
        const sarrus_override settings[] = {{"dynamics.formulation", formulations[k]}, {NULL, NULL}};
        mechanism m = mechanism_open_text(ring, settings);
        sarrus_batch *batch = mechanism_batch(&m, NULL, 1, 1, NULL);
        double q[N_TIMES * N_Q], rank[N_TIMES];
        sarrus_observation o = {.n_times = N_TIMES, .every_steps = 1, .observe_first = 1, .n_times_stride = N_TIMES};
        o.destination[SARRUS_OBSERVE_Q] = q;
        o.destination[SARRUS_OBSERVE_RANK] = rank;
        assert_int_equal(sarrus_batch_observe(batch, &o), SARRUS_OK);
        assert_int_equal(sarrus_batch_status(batch, 0), SARRUS_INSTANCE_OK);
        for (int i = 0; i < N_TIMES; ++i) {
            if (rank[i] != 12.0)
                fail_msg("%s: rank %g at %d", formulations[k], rank[i], i);
            /* The loads are known to 1e-6 of the torque, as the ring closes, and so are speeds that projections hold at 0. */
            const double way = mechanism_distance(q + (ptrdiff_t)N_Q * i, q, N_Q);
            if (!(way < 1e-6))
                fail_msg("%s: %g rad at %d", formulations[k], way, i);
        }
        sarrus_batch_destroy(batch);
        mechanism_close(&m);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_locked_ring_stands_still),
    };
    return cmocka_run_group_tests_name("conformance.gear_ring", tests, NULL, NULL);
}
