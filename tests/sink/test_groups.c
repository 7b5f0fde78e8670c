/* Claim: a file of several groups holds each below its number as a file of its own would hold it at the root, in whatever order
 * their blocks come, and says of each how far it is and whether it is complete. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "sarrus/run.h"
#include "sink_fixture.h"

enum { N_GROUPS = 3 };

static const char *const files[N_GROUPS] = {"a.yaml", "b/é.yaml", ""};
static const sarrus_sink_index index_of_all = {.scenario = "sarrus: 1\n", .files = files};

/* Groups of different sizes, of which only the first has the place of the file. */
static void groups_create(fixture *f[N_GROUPS], sarrus_sink_description descriptions[N_GROUPS]) {
    static const uint64_t n_instances[N_GROUPS] = {5, 300, 1}, n_times[N_GROUPS] = {101, 40, 7};
    for (int g = 0; g < N_GROUPS; ++g) {
        f[g] = fixture_create("groups", n_instances[g], n_times[g], g + 2, KIND_RANDOM);
        f[g]->block_bytes = 4000;
        descriptions[g] = fixture_description(f[g]);
    }
}

static bool group_write(fixture *f, sarrus_sink *sink, int g) {
    sarrus_sink_block block;
    if (sarrus_sink_acquire(sink, g, &block) != SARRUS_OK)
        return false;
    fixture_fill(f, &block);
    f->status[0] = SARRUS_INSTANCE_DIVERGED;
    f->failed_time[0] = 0.25;
    const sarrus_sink_outcome outcome = {.status = f->status, .failed_time = f->failed_time};
    assert_int_equal(sarrus_sink_submit(sink, g, block.n_times, &outcome), SARRUS_OK);
    return true;
}

/* One number of a dataset, NaN where it is not written. */
static double number_read(hid_t file, const char *path, const hsize_t at[3]) {
    const hsize_t count[3] = {1, 1, 1};
    double out = 0.0;
    const hid_t data = H5Dopen2(file, path, H5P_DEFAULT), space = H5Dget_space(data), one = H5Screate(H5S_SCALAR);
    assert_true(H5Sselect_hyperslab(space, H5S_SELECT_SET, at, NULL, count, NULL) >= 0);
    assert_true(H5Dread(data, H5T_NATIVE_DOUBLE, one, space, H5P_DEFAULT, &out) >= 0);
    H5Sclose(one);
    H5Sclose(space);
    H5Dclose(data);
    return out;
}

static void numbers_check(const fixture *f, hid_t file, int g, uint64_t n_times) {
    char path[32];
    snprintf(path, sizeof path, "%d/state/q", g);
    for (uint64_t i = 0; i < f->n_instances; i += 37)
        for (uint64_t t = 0; t < n_times; t += 3) {
            const hsize_t at[3] = {i, t, (hsize_t)g};
            assert_true(number_read(file, path, at) == fixture_value(KIND_SMOOTH, i, t, (uint64_t)g));
        }
}

static void blocks_come_in_any_order(void **state) {
    (void)state;
    fixture *f[N_GROUPS];
    sarrus_sink_description descriptions[N_GROUPS];
    sarrus_sink_outcome outcomes[N_GROUPS];
    sarrus_sink *sink = NULL;
    sarrus_result_info info, group;
    groups_create(f, descriptions);
    assert_int_equal(sarrus_sink_create_groups(NULL, f[0]->path, &index_of_all, descriptions, N_GROUPS, &sink), SARRUS_OK);
    bool is_more = true;
    for (unsigned turn = 0; is_more; ++turn) {
        is_more = false;
        for (int g = 0; g < N_GROUPS; ++g)
            for (unsigned k = 0; k <= (turn + (unsigned)g) % 3; ++k)
                is_more = group_write(f[g], sink, g) || is_more;
    }
    for (int g = 0; g < N_GROUPS; ++g)
        outcomes[g] = (sarrus_sink_outcome){.status = f[g]->status, .failed_time = f[g]->failed_time, .complete = true};
    assert_int_equal(sarrus_sink_close(sink, NULL, outcomes), SARRUS_OK);
    assert_int_equal(sarrus_result_info_read(NULL, f[0]->path, &info), SARRUS_OK);
    assert_int_equal(info.n_groups, N_GROUPS);
    assert_int_equal(info.complete, 1);
    assert_int_equal(info.n_instances, 306);
    for (int g = 0; g < N_GROUPS; ++g) {
        assert_int_equal(sarrus_result_group_info_read(NULL, f[0]->path, g, &group), SARRUS_OK);
        assert_string_equal(group.scenario_file, files[g]);
        assert_int_equal(group.complete, 1);
        assert_int_equal(group.n_times, f[g]->n_times);
        assert_int_equal(group.n_failed, 1);
    }
    const hid_t file = H5Fopen(f[0]->path, H5F_ACC_RDONLY, H5P_DEFAULT);
    for (int g = 0; g < N_GROUPS; ++g)
        numbers_check(f[g], file, g, f[g]->n_times);
    H5Fclose(file);
    sarrus_sink_destroy(sink);
    for (int g = N_GROUPS; g-- > 0;)
        fixture_destroy(f[g]);
}

static void a_group_that_is_behind_makes_the_file_incomplete(void **state) {
    (void)state;
    fixture *f[N_GROUPS];
    sarrus_sink_description descriptions[N_GROUPS];
    sarrus_sink_outcome outcomes[N_GROUPS];
    sarrus_sink *sink = NULL;
    sarrus_result_info info, group;
    groups_create(f, descriptions);
    assert_int_equal(sarrus_sink_create_groups(NULL, f[0]->path, &index_of_all, descriptions, N_GROUPS, &sink), SARRUS_OK);
    while (group_write(f[0], sink, 0))
        ;
    assert_true(group_write(f[1], sink, 1));
    for (int g = 0; g < N_GROUPS; ++g)
        outcomes[g] = (sarrus_sink_outcome){.status = f[g]->status, .failed_time = f[g]->failed_time, .complete = g == 0};
    const uint64_t n_block = sarrus_sink_block_times(sink, 1);
    assert_int_equal(sarrus_sink_close(sink, NULL, outcomes), SARRUS_OK);
    assert_int_equal(sarrus_sink_times_written(sink, 0), f[0]->n_times);
    assert_int_equal(sarrus_sink_times_written(sink, 1), n_block);
    assert_int_equal(sarrus_sink_times_written(sink, 2), 0);
    assert_int_equal(sarrus_result_info_read(NULL, f[0]->path, &info), SARRUS_OK);
    assert_int_equal(info.complete, 0);
    const uint64_t n_times[N_GROUPS] = {f[0]->n_times, n_block, 0};
    for (int g = 0; g < N_GROUPS; ++g) {
        assert_int_equal(sarrus_result_group_info_read(NULL, f[0]->path, g, &group), SARRUS_OK);
        assert_int_equal(group.complete, g == 0);
        assert_int_equal(group.n_times, n_times[g]);
    }
    sarrus_sink_destroy(sink);
    for (int g = N_GROUPS; g-- > 0;)
        fixture_destroy(f[g]);
}

static void several_groups_need_an_index(void **state) {
    (void)state;
    fixture *f[N_GROUPS];
    sarrus_sink_description descriptions[N_GROUPS];
    sarrus_sink *sink = NULL;
    groups_create(f, descriptions);
    assert_int_equal(sarrus_sink_create_groups(NULL, f[0]->path, NULL, descriptions, 2, &sink), SARRUS_BAD_ARGUMENT);
    assert_int_equal(sarrus_sink_create_groups(NULL, f[0]->path, &index_of_all, descriptions, 0, &sink), SARRUS_BAD_ARGUMENT);
    descriptions[1].n_times = 0;
    assert_int_equal(sarrus_sink_create_groups(NULL, f[0]->path, &index_of_all, descriptions, 2, &sink), SARRUS_BAD_ARGUMENT);
    assert_null(sink);
    assert_true(access(f[0]->path, F_OK) != 0 && access(f[0]->partial, F_OK) != 0);
    for (int g = N_GROUPS; g-- > 0;)
        fixture_destroy(f[g]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_come_in_any_order),
        cmocka_unit_test(a_group_that_is_behind_makes_the_file_incomplete),
        cmocka_unit_test(several_groups_need_an_index),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
