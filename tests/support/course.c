#include "tests/support/course.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

void course_follow(mechanism m, int n_times, uint64_t every, course *out) {
    sarrus_plan_sizes sizes;
    sarrus_plan_sizes_get(m.plan, &sizes);
    assert_true(m.n <= COURSE_N && n_times <= COURSE_TIMES && sizes.n_constraints <= COURSE_LOADS);
    out->n = m.n;
    out->n_times = n_times;
    out->n_loads = sizes.n_constraints;
    sarrus_batch *batch = mechanism_batch(&m, NULL, 1, 1, NULL);
    sarrus_observation o = {
        .n_times = (uint64_t)n_times, .every_steps = every, .observe_first = 1, .n_times_stride = (uint64_t)n_times};
    o.destination[SARRUS_OBSERVE_Q] = out->q;
    o.destination[SARRUS_OBSERVE_V] = out->v;
    o.destination[SARRUS_OBSERVE_CONSTRAINTS] = out->load;
    o.destination[SARRUS_OBSERVE_ENERGY] = out->energy;
    o.destination[SARRUS_OBSERVE_WORK] = out->work;
    assert_int_equal(sarrus_batch_observe(batch, &o), SARRUS_OK);
    assert_int_equal(sarrus_batch_status(batch, 0), SARRUS_INSTANCE_OK);
    sarrus_batch_destroy(batch);
    mechanism_close(&m);
}

void course_check(const char *what, int k, double value, double expected, double tolerance) {
    if (!(fabs(value - expected) <= tolerance))
        fail_msg("%s at output %d: %.15g instead of %.15g, off by %.2e > %.1e", what, k, value, expected, fabs(value - expected),
                 tolerance);
}

void course_check_balance(const course *c, double tolerance) {
    for (int k = 0; k < c->n_times; ++k)
        course_check("energy less work", k, c->energy[k] - c->work[k], c->energy[0], tolerance);
}
