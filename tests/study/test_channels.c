/* Fields that share an observable get their own components, in the right rows. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "study/channels.h"

enum { N_INSTANCES = 3, N_ROWS = 5, N_JOINTS = 2 };

/* A number that tells instance, row and component. */
static double mark(int i_instance, int i_row, int i_component) {
    return 10000.0 * i_instance + 100.0 * i_row + i_component;
}

static void gather_cuts_an_observable_into_fields(void **state) {
    (void)state;
    sarrus_observable observable[3] = {SARRUS_OBSERVE_ENERGY, SARRUS_OBSERVE_REACTIONS, SARRUS_OBSERVE_REACTIONS};
    int offset[3] = {0, 0, 3}, n_components[3] = {1, 3, 3};
    int point[3] = {0}, joint[3] = {0};
    sarrus_orientation form[3] = {SARRUS_ORIENTATION_PARAMETERS};
    sarrus_channels channels = {.n_fields = 3,
                                .observable = observable,
                                .offset = offset,
                                .n_components = n_components,
                                .form = form,
                                .point = point,
                                .joint = joint};
    channels.width[SARRUS_OBSERVE_ENERGY] = 1;
    channels.is_direct[SARRUS_OBSERVE_ENERGY] = true;
    channels.width[SARRUS_OBSERVE_REACTIONS] = 3 * N_JOINTS;
    static double reactions[N_INSTANCES][N_ROWS][3 * N_JOINTS], field[N_JOINTS][N_INSTANCES][N_ROWS][3];
    for (int i = 0; i < N_INSTANCES; ++i)
        for (int k = 0; k < N_ROWS; ++k)
            for (int c = 0; c < 3 * N_JOINTS; ++c)
                reactions[i][k][c] = mark(i, k, c);
    double *const source[SARRUS_N_OBSERVABLES] = {[SARRUS_OBSERVE_REACTIONS] = &reactions[0][0][0]};
    double *data[3] = {NULL, &field[0][0][0][0], &field[1][0][0][0]};
    sarrus_crew *crew = NULL;
    assert_int_equal(sarrus_crew_create(NULL, 2, 0, &crew), SARRUS_OK);
    const sarrus_channels_rows rows = {
        .n_instances = N_INSTANCES, .n_rows_stride = N_ROWS, .i_row = 1, .n_rows = 3, .crew = crew, .n_threads = 2};
    sarrus_channels_gather(&channels, &rows, source, data);
    sarrus_crew_destroy(crew);
    for (int i_joint = 0; i_joint < N_JOINTS; ++i_joint)
        for (int i = 0; i < N_INSTANCES; ++i)
            for (int k = 0; k < N_ROWS; ++k)
                for (int c = 0; c < 3; ++c) {
                    const double wanted = k >= 1 && k < 4 ? mark(i, k, 3 * i_joint + c) : 0.0;
                    assert_true(field[i_joint][i][k][c] == wanted);
                }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(gather_cuts_an_observable_into_fields)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
