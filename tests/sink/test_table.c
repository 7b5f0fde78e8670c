/* Measures that change in place and a table that grows from commit to commit. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <hdf5_hl.h>

#include "sarrus/run.h"
#include "table_fixture.h"

enum { N_INSTANCES = 5, N_TIMES = 40 };

/* One block a time, with its rows; the last `n_left` are left for the closing call. */
static void write_file(const fixture *f, table_fixture *table, bool rows_at_close) {
    sarrus_context *context = NULL;
    sarrus_sink *sink = NULL;
    sarrus_sink_description description = table_description(f);
    const sarrus_sink_outcome outcome = fixture_outcome(f, true);
    assert_int_equal(sarrus_context_create(&context), SARRUS_OK);
    assert_int_equal(sarrus_sink_create(context, f->path, &description, &sink), SARRUS_OK);
    assert_int_equal(sarrus_sink_block_times(sink, 0), 1);
    for (uint64_t t = 0; t < f->n_times; ++t) {
        sarrus_sink_block block;
        assert_int_equal(sarrus_sink_acquire(sink, 0, &block), SARRUS_OK);
        fixture_fill(f, &block);
        const sarrus_sink_outcome now = table_outcome(table, t, outcome);
        assert_int_equal(sarrus_sink_submit(sink, 0, 1, &now), SARRUS_OK);
    }
    const sarrus_sink_outcome last = rows_at_close ? table_outcome(table, f->n_times, outcome) : outcome;
    assert_int_equal(sarrus_sink_close(sink, context, &last), SARRUS_OK);
    sarrus_sink_destroy(sink);
    sarrus_context_destroy(context);
}

static fixture *create(const char *leaf) {
    fixture *f = fixture_create(leaf, N_INSTANCES, N_TIMES, 2, KIND_RANDOM);
    f->block_bytes = 1;
    return f;
}

static void check_measures(const fixture *f, hid_t file, uint64_t k_last) {
    double values[N_INSTANCES];
    for (int c = 0; c < TABLE_MEASURES; ++c) {
        hid_t dataset = H5Dopen2(file, table_measures[c].path, H5P_DEFAULT);
        assert_true(dataset >= 0 && H5Aexists(dataset, "units") > 0 && H5Aexists(dataset, "long_name") > 0);
        hid_t type = H5Dget_type(dataset);
        assert_true(H5Tequal(type, c == 0 ? H5T_STD_U64LE : H5T_IEEE_F64LE) > 0);
        assert_true(H5Dread(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
        for (uint64_t i = 0; i < f->n_instances; ++i) {
            assert_true(values[i] == table_measure(c, i, k_last));
        }
        hid_t scale = H5Dopen2(file, "instance/id", H5P_DEFAULT);
        assert_int_equal(H5DSis_attached(dataset, scale, 0), 1);
        H5Dclose(scale);
        H5Tclose(type);
        H5Dclose(dataset);
    }
}

static void rows_of_all_commits_stand_in_order(void **state) {
    (void)state;
    for (int rows_at_close = 0; rows_at_close < 2; ++rows_at_close) {
        fixture *f = create("table");
        table_fixture table = table_create(f);
        write_file(f, &table, rows_at_close != 0);
        const uint64_t n_commits = N_TIMES + (uint64_t)rows_at_close;
        hid_t file = H5Fopen(f->path, H5F_ACC_RDONLY, H5P_DEFAULT);
        assert_true(table.n_rows == table_n_rows_before(n_commits) && table.n_rows > 5 * TABLE_CHUNK);
        for (int c = 0; c < TABLE_COLUMNS; ++c) {
            assert_int_equal(table_check_column(file, c), table.n_rows);
        }
        check_measures(f, file, n_commits - 1);
        H5Fclose(file);
        table_destroy(&table);
        fixture_destroy(f);
    }
}

/* The first column is the scale of all: netCDF readers then have a name for the axis. */
static void columns_share_a_scale(void **state) {
    (void)state;
    fixture *f = create("columns");
    table_fixture table = table_create(f);
    write_file(f, &table, false);
    hid_t file = H5Fopen(f->path, H5F_ACC_RDONLY, H5P_DEFAULT);
    hid_t scale = H5Dopen2(file, table_columns[0].path, H5P_DEFAULT);
    assert_int_equal(H5DSis_scale(scale), 1);
    for (int c = 1; c < TABLE_COLUMNS; ++c) {
        hid_t dataset = H5Dopen2(file, table_columns[c].path, H5P_DEFAULT);
        assert_int_equal(H5DSis_attached(dataset, scale, 0), 1);
        assert_true(H5Aexists(dataset, "units") > 0 && H5Aexists(dataset, "long_name") > 0);
        H5Dclose(dataset);
    }
    H5Dclose(scale);
    H5Fclose(file);
    table_destroy(&table);
    fixture_destroy(f);
}

static void a_file_without_rows_has_an_empty_table(void **state) {
    (void)state;
    fixture *f = create("no_rows");
    sarrus_context *context = NULL;
    sarrus_sink *sink = NULL;
    sarrus_sink_description description = table_description(f);
    assert_int_equal(sarrus_context_create(&context), SARRUS_OK);
    assert_int_equal(sarrus_sink_create(context, f->path, &description, &sink), SARRUS_OK);
    assert_int_equal(fixture_write(f, sink, f->n_times), SARRUS_OK);
    const sarrus_sink_outcome outcome = fixture_outcome(f, true);
    assert_int_equal(sarrus_sink_close(sink, context, &outcome), SARRUS_OK);
    sarrus_sink_destroy(sink);
    hid_t file = H5Fopen(f->path, H5F_ACC_RDONLY, H5P_DEFAULT);
    for (int c = 0; c < TABLE_COLUMNS; ++c) {
        assert_int_equal(table_check_column(file, c), 0);
    }
    H5Fclose(file);
    sarrus_context_destroy(context);
    fixture_destroy(f);
}

static void a_table_without_columns_is_refused(void **state) {
    (void)state;
    fixture *f = create("refused");
    sarrus_context *context = NULL;
    sarrus_sink *sink = NULL;
    assert_int_equal(sarrus_context_create(&context), SARRUS_OK);
    sarrus_sink_description description = table_description(f);
    description.columns_scale = NULL;
    assert_int_equal(sarrus_sink_create(context, f->path, &description, &sink), SARRUS_BAD_ARGUMENT);
    description = table_description(f);
    description.measures = NULL;
    assert_int_equal(sarrus_sink_create(context, f->path, &description, &sink), SARRUS_BAD_ARGUMENT);
    assert_null(sink);
    sarrus_context_destroy(context);
    fixture_destroy(f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_of_all_commits_stand_in_order),
        cmocka_unit_test(columns_share_a_scale),
        cmocka_unit_test(a_file_without_rows_has_an_empty_table),
        cmocka_unit_test(a_table_without_columns_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
