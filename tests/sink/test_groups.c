/* Claim: a file of several groups holds each below its number as a file of its own would hold it at the root, in whatever order
 * their blocks come, and says of each how far it is and whether it is complete. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include <hdf5_hl.h>

#include "sarrus/run.h"
#include "sink/hdf5_object.h"
#include "sink_fixture.h"

enum { N_GROUPS = 3 };

static const char *const files[N_GROUPS] = {"a.yaml", "b/é.yaml", ""};
static const sarrus_sink_index index_of_all = {.scenario = "sarrus: 1\n", .files = files};

typedef struct groups {
    fixture *f[N_GROUPS]; /* only the first has the place of the file */
    sarrus_sink_description descriptions[N_GROUPS];
} groups;

/* Groups of different sizes, each with an instance that fails. */
static int setup(void **state) {
    static const uint64_t n_instances[N_GROUPS] = {5, 300, 1}, n_times[N_GROUPS] = {101, 40, 7};
    groups *all = calloc(1, sizeof *all);
    *state = all;
    for (int g = 0; all != NULL && g < N_GROUPS; ++g) {
        fixture *f = all->f[g] = fixture_create("groups", n_instances[g], n_times[g], g + 2, KIND_RANDOM);
        f->block_bytes = 4000;
        f->status[0] = SARRUS_INSTANCE_DIVERGED;
        f->failed_time[0] = 0.25;
        all->descriptions[g] = fixture_description(f);
        all->descriptions[g].seed = 17 + (uint64_t)g;
        all->descriptions[g].plan_hash = 0xfedcba9876543210u - (uint64_t)g;
    }
    return all != NULL ? 0 : -1;
}

static int end(void **state) {
    groups *all = *state;
    for (int g = N_GROUPS; g-- > 0;)
        fixture_destroy(all->f[g]);
    free(all);
    return 0;
}

static sarrus_sink *sink_open(const groups *all) {
    sarrus_sink *sink = NULL;
    assert_int_equal(sarrus_sink_create_groups(NULL, all->f[0]->path, &index_of_all, all->descriptions, N_GROUPS, &sink),
                     SARRUS_OK);
    return sink;
}

/* False when the group has all its times. */
static bool block_write(const groups *all, sarrus_sink *sink, int g) {
    uint64_t t;
    const sarrus_status status = fixture_block_write(all->f[g], sink, g, all->f[g]->n_times, &t);
    assert_true(status == SARRUS_OK || status == SARRUS_BAD_ARGUMENT);
    return status == SARRUS_OK;
}

/* Closes, the first n_complete groups complete, and compares what the file says of each with the times that it was given. */
static sarrus_result_info close_and_check(const groups *all, sarrus_sink *sink, int n_complete, const uint64_t n_times[N_GROUPS]) {
    sarrus_sink_outcome outcomes[N_GROUPS];
    sarrus_result_info info, group;
    for (int g = 0; g < N_GROUPS; ++g)
        outcomes[g] = fixture_outcome(all->f[g], g < n_complete);
    assert_int_equal(sarrus_sink_close(sink, NULL, outcomes), SARRUS_OK);
    for (int g = 0; g < N_GROUPS; ++g) {
        const char name[] = {(char)('0' + g), '\0'};
        const hid_t file = H5Fopen(all->f[0]->path, H5F_ACC_RDONLY, H5P_DEFAULT), root = H5Gopen2(file, name, H5P_DEFAULT);
        assert_int_equal(fixture_check(all->f[g], root, n_times[g], true), 0);
        H5Gclose(root);
        H5Fclose(file);
        assert_int_equal(sarrus_sink_times_written(sink, g), n_times[g]);
        assert_int_equal(sarrus_result_group_info_read(NULL, all->f[0]->path, g, &group), SARRUS_OK);
        assert_string_equal(group.scenario_file, files[g]);
        assert_int_equal(group.complete, g < n_complete);
        assert_int_equal(group.n_times, n_times[g]);
        assert_int_equal(group.n_failed, 1);
    }
    sarrus_sink_destroy(sink);
    assert_int_equal(sarrus_result_info_read(NULL, all->f[0]->path, &info), SARRUS_OK);
    return info;
}

/* The root says of all groups what a file of one scenario says of its own. */
static void root_check(const groups *all) {
    const hid_t file = H5Fopen(all->f[0]->path, H5F_ACC_RDONLY, H5P_DEFAULT), hash = H5Aopen(file, "plan_hash", H5P_DEFAULT);
    const hid_t type = H5Aget_type(hash), space = H5Aget_space(hash);
    unsigned long long seeds[N_GROUPS];
    char *hashes[N_GROUPS], *backend = sarrus_hdf5_read_text(file, "backend", true);
    int n_ranks = 0;
    assert_int_equal(H5LTget_attribute_int(file, "/", "n_ranks", &n_ranks), 0);
    assert_int_equal(n_ranks, 1);
    assert_string_equal(backend, all->descriptions[0].backend);
    assert_int_equal(H5LTget_attribute(file, "/", "seed", H5T_NATIVE_ULLONG, seeds), 0);
    assert_int_equal(H5Sget_simple_extent_npoints(space), N_GROUPS);
    assert_int_equal(H5Aread(hash, type, hashes), 0);
    for (int g = 0; g < N_GROUPS; ++g) {
        assert_int_equal(seeds[g], all->descriptions[g].seed);
        assert_int_equal(strtoull(hashes[g], NULL, 16), all->descriptions[g].plan_hash);
    }
    H5free_memory(backend);
    H5Dvlen_reclaim(type, space, H5P_DEFAULT, hashes);
    H5Sclose(space);
    H5Tclose(type);
    H5Aclose(hash);
    H5Fclose(file);
}

static void blocks_come_in_any_order(void **state) {
    const groups *all = *state;
    const uint64_t n_times[N_GROUPS] = {all->f[0]->n_times, all->f[1]->n_times, all->f[2]->n_times};
    sarrus_sink *sink = sink_open(all);
    bool is_more = true;
    for (unsigned turn = 0; is_more; ++turn) {
        is_more = false;
        for (int g = 0; g < N_GROUPS; ++g)
            for (unsigned k = 0; k <= (turn + (unsigned)g) % 3; ++k)
                is_more = block_write(all, sink, g) || is_more;
    }
    const sarrus_result_info info = close_and_check(all, sink, N_GROUPS, n_times);
    assert_int_equal(info.n_groups, N_GROUPS);
    assert_int_equal(info.complete, 1);
    assert_int_equal(info.n_instances, 306);
    root_check(all);
}

static void a_group_that_is_behind_makes_the_file_incomplete(void **state) {
    const groups *all = *state;
    sarrus_sink *sink = sink_open(all);
    const uint64_t n_times[N_GROUPS] = {all->f[0]->n_times, sarrus_sink_block_times(sink, 1), 0};
    while (block_write(all, sink, 0))
        ;
    assert_true(block_write(all, sink, 1));
    assert_int_equal(close_and_check(all, sink, 1, n_times).complete, 0);
}

static void several_groups_need_an_index(void **state) {
    groups *all = *state;
    const fixture *f = all->f[0];
    sarrus_sink *sink = NULL;
    assert_int_equal(sarrus_sink_create_groups(NULL, f->path, NULL, all->descriptions, 2, &sink), SARRUS_BAD_ARGUMENT);
    assert_int_equal(sarrus_sink_create_groups(NULL, f->path, &index_of_all, all->descriptions, 0, &sink), SARRUS_BAD_ARGUMENT);
    all->descriptions[1].n_times = 0;
    assert_int_equal(sarrus_sink_create_groups(NULL, f->path, &index_of_all, all->descriptions, 2, &sink), SARRUS_BAD_ARGUMENT);
    assert_null(sink);
    assert_true(access(f->path, F_OK) != 0 && access(f->partial, F_OK) != 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(blocks_come_in_any_order, setup, end),
        cmocka_unit_test_setup_teardown(a_group_that_is_behind_makes_the_file_incomplete, setup, end),
        cmocka_unit_test_setup_teardown(several_groups_need_an_index, setup, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
