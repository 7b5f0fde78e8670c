/* Claim: Andrews' squeezing mechanism ends where two independent runs of others end. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/support/mechanism.h"
#include "tests/tolerances.h"

static void angles_at_30_ms(void **state) {
    (void)state;
    mechanism m = mechanism_open_file("andrews.yaml", NULL);
    sarrus_plan_sizes sizes;
    sarrus_plan_sizes_get(m.plan, &sizes);
    assert_int_equal(sizes.n, 21);
    assert_int_equal(sizes.m, 20);
    assert_int_equal(sizes.rank, 20);
    sarrus_batch *batch = mechanism_batch(&m, NULL, 1, 1, NULL);
    double q[21], v[21], energy, start;
    mechanism_observe(batch, SARRUS_OBSERVE_ENERGY, &start);
    /* K1 starts at beta = -0.0617...; kinetic energy 0 */
    assert_true(fabs(start - 0.033 * -0.06171389001427645 - 1.437832957532140) <= 1e-14);
    assert_int_equal(sarrus_batch_advance(batch, 7500), SARRUS_OK);
    assert_true(sarrus_batch_time(batch) == 0.03);
    assert_int_equal(sarrus_batch_state(batch, 0, q, v), SARRUS_OK);
    mechanism_observe(batch, SARRUS_OBSERVE_ENERGY, &energy);
    const double expected[] = {15.810771195153, -15.756371058411, 0.0408222401196, 0.52440996587995, 1.04808074104194};
    const double found[] = {q[2], q[5] - q[2], q[8], q[14], q[20]};
    const char *name[] = {"beta", "Theta", "gamma", "delta", "epsilon"};
    for (int i = 0; i < 5; ++i) {
        print_message("%-8s %.13f off by %.2e rad\n", name[i], found[i], found[i] - expected[i]);
    }
    for (int i = 0; i < 5; ++i) {
        assert_true(fabs(found[i] - expected[i]) <= TOLERANCE_ANDREWS_ANGLE);
    }
    /* speeds: the same relative error as the angles, which turn 16 rad; 1e-8 / 16 * 1140 rad/s */
    print_message("beta_dot off by %.2e rad/s, invariant off by %.2e J\n", v[2] - 1139.920302259,
                  energy - 0.033 * q[2] - 1.43783295753214);
    assert_true(fabs(v[2] - 1139.920302259) <= 1e-6);
    /* the invariant feels the crank's speed error: I w dw = 1e-2 J per 1140 rad/s * 1e-6 rad/s, below 1e-8 J */
    assert_true(fabs(energy - 0.033 * q[2] - 1.437832957532140) <= 1e-8);
    sarrus_batch_destroy(batch);
    mechanism_close(&m);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(angles_at_30_ms)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
