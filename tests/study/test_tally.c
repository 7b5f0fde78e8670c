/* The summary's numbers are those of the healthy instances' rows. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>

#include "study/tally.h"

static void the_maxima_are_over_healthy_instances(void **state) {
    (void)state;
    sarrus_tally tally;
    sarrus_crew *crew = NULL;
    assert_int_equal(sarrus_crew_create(NULL, 2, 0, &crew), SARRUS_OK);
    assert_int_equal(sarrus_tally_create(NULL, 3, &tally), SARRUS_OK);
    /* Three instances, rows 1 and 2 of a stride of 4; instance 1 fails after its first row, and was far off by then. */
    const double position[3][4] = {{9, 1e-6, 2e-6, 9}, {9, 0.5, NAN, 9}, {9, 3e-6, 1e-6, 9}};
    const double velocity[3][4] = {{9, 1e-5, 2e-5, 9}, {9, 0.5, NAN, 9}, {9, 3e-5, 1e-5, 9}};
    const double rank[3][4] = {{0, 3, 3, 0}, {0, 3, NAN, 0}, {0, 3, 2, 0}};
    const sarrus_tally_rows rows = {.n_rows_stride = 4,
                                    .i_row = 1,
                                    .n_rows = 2,
                                    .crew = crew,
                                    .n_threads = 2,
                                    .position_error = &position[0][0],
                                    .velocity_error = &velocity[0][0],
                                    .rank = &rank[0][0]};
    sarrus_tally_add(&tally, &rows);
    const uint8_t status[3] = {SARRUS_INSTANCE_OK, SARRUS_INSTANCE_DIVERGED, SARRUS_INSTANCE_OK};
    sarrus_run_summary summary = {0};
    sarrus_tally_finish(&tally, status, &summary);
    assert_true(summary.max_position_error == 3e-6);
    assert_true(summary.max_velocity_error == 3e-5);
    assert_int_equal(summary.n_rank_changes, 1);
    sarrus_tally_free(&tally);
    sarrus_crew_destroy(crew);
}

/* Changes are counted across calls, and what is not observed stays NaN. */
static void slices_join(void **state) {
    (void)state;
    sarrus_tally tally;
    assert_int_equal(sarrus_tally_create(NULL, 1, &tally), SARRUS_OK);
    const double rank[4] = {3, 3, 2, 3};
    for (uint64_t i = 0; i < 4; ++i) {
        const sarrus_tally_rows rows = {.n_rows_stride = 4, .i_row = i, .n_rows = 1, .n_threads = 1, .rank = rank};
        sarrus_tally_add(&tally, &rows);
    }
    const uint8_t status[1] = {SARRUS_INSTANCE_OK};
    sarrus_run_summary summary = {0};
    sarrus_tally_finish(&tally, status, &summary);
    assert_int_equal(summary.n_rank_changes, 2);
    assert_true(isnan(summary.max_position_error) && isnan(summary.max_velocity_error));
    sarrus_tally_free(&tally);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_maxima_are_over_healthy_instances),
        cmocka_unit_test(slices_join),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
