/* Output times: t = 0, every `every` steps, and always t_end. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "study/schedule.h"

static sarrus_schedule schedule_of(double grid, double t_end, uint64_t every) {
    sarrus_model model = {0};
    sarrus_schedule schedule;
    model.integrator.grid = grid;
    model.integrator.t_end = t_end;
    model.output.every = every;
    assert_int_equal(sarrus_schedule_create(NULL, &model, &schedule), SARRUS_OK);
    return schedule;
}

static void a_whole_number_of_intervals(void **state) {
    (void)state;
    sarrus_schedule schedule = schedule_of(1e-3, 2.0, 10);
    assert_int_equal(schedule.n_steps, 2000);
    assert_int_equal(schedule.n_times, 201);
    assert_true(sarrus_schedule_time(&schedule, 0) == 0.0 && sarrus_schedule_time(&schedule, 200) == 2.0);
    assert_true(sarrus_schedule_time(&schedule, 7) == 70 * 1e-3);
    assert_int_equal(sarrus_schedule_step(&schedule, 7), 70);
    assert_int_equal(sarrus_schedule_step(&schedule, 200), 2000);
}

static void a_shorter_last_interval_and_step(void **state) {
    (void)state;
    sarrus_schedule schedule = schedule_of(0.1, 1.05, 4); /* steps at 0.1 … 1.0 and 1.05: 11 */
    assert_int_equal(schedule.n_steps, 11);
    assert_int_equal(schedule.n_times, 4);
    assert_int_equal(sarrus_schedule_step(&schedule, 2), 8);
    assert_int_equal(sarrus_schedule_step(&schedule, 3), 11);
    assert_true(sarrus_schedule_time(&schedule, 3) == 1.05);
}

/* 0.3/0.1 is 2.9999999999999996 and 20/1e-4 may be off either way: neither gets an extra step. */
static void rounding_makes_no_extra_step(void **state) {
    (void)state;
    sarrus_schedule schedule = schedule_of(0.1, 0.3, 1);
    assert_int_equal(schedule.n_steps, 3);
    schedule = schedule_of(0.1, 0.1 + 0.2, 1); /* 0.30000000000000004 */
    assert_int_equal(schedule.n_steps, 3);
}

static void one_interval_longer_than_the_run(void **state) {
    (void)state;
    sarrus_schedule schedule = schedule_of(0.1, 1.0, 1000);
    assert_int_equal(schedule.n_times, 2);
    assert_int_equal(sarrus_schedule_step(&schedule, 1), 10);
}

static void too_many_steps_are_refused(void **state) {
    (void)state;
    sarrus_model model = {0};
    sarrus_schedule schedule;
    model.integrator.grid = 1e-300;
    model.integrator.t_end = 1.0;
    assert_int_equal(sarrus_schedule_create(NULL, &model, &schedule), SARRUS_BAD_INPUT);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_whole_number_of_intervals),  cmocka_unit_test(a_shorter_last_interval_and_step),
        cmocka_unit_test(rounding_makes_no_extra_step), cmocka_unit_test(one_interval_longer_than_the_run),
        cmocka_unit_test(too_many_steps_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
