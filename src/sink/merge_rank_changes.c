#include "sink/merge_rank_changes.h"

#include <stdlib.h>

#include <hdf5_hl.h>

#include "sink/hdf5_object.h"

enum { TIME, INSTANCE, BEFORE, AFTER, N_COLUMNS };

/* In the order of the sorting, the first of which is the scale of the others. */
static const char *path_of(hid_t root, int c) {
    static const char *const others[N_COLUMNS] = {NULL, "events/rank/instance", "events/rank/before", "events/rank/after"};
    return c == 0 ? sarrus_hdf5_rank_change_times(root) : others[c];
}

/* One row; numbers are exact as doubles. */
typedef struct change {
    double of[N_COLUMNS];
    uint64_t place; /* where it stood: of one instance rows keep their order */
} change;

static int changes_compare(const void *a, const void *b) {
    const change *x = a, *y = b;
    for (int c = 0; c < 2; ++c)
        if (x->of[c] != y->of[c])
            return x->of[c] < y->of[c] ? -1 : 1;
    return (x->place > y->place) - (x->place < y->place);
}

static hsize_t length_of(hid_t dataset) {
    hid_t space = H5Dget_space(dataset);
    hsize_t n = 0;
    if (space < 0 || H5Sget_simple_extent_ndims(space) != 1 || H5Sget_simple_extent_dims(space, &n, NULL) < 0)
        n = 0;
    if (space >= 0)
        H5Sclose(space);
    return n;
}

/* Adds the rows of a part. */
static bool part_take(hid_t root, change **rows, uint64_t *n_rows) {
    hsize_t n = 0;
    bool ok = true;
    double *column = NULL;
    for (int c = 0; ok && c < N_COLUMNS; ++c) {
        hid_t dataset = H5Dopen2(root, path_of(root, c), H5P_DEFAULT);
        if (c == 0) {
            n = dataset >= 0 ? length_of(dataset) : 0;
            column = malloc((size_t)(n + 1) * sizeof *column);
            change *more = realloc(*rows, (size_t)(*n_rows + n + 1) * sizeof *more);
            *rows = more != NULL ? more : *rows;
            ok = more != NULL && column != NULL;
        }
        ok = ok && dataset >= 0 && length_of(dataset) == n &&
             (n == 0 || H5Dread(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, column) >= 0);
        for (hsize_t i = 0; ok && i < n; ++i) {
            (*rows)[*n_rows + i].of[c] = column[i];
            (*rows)[*n_rows + i].place = *n_rows + i;
        }
        if (dataset >= 0)
            H5Dclose(dataset);
    }
    free(column);
    *n_rows += n;
    return ok;
}

/* Fills a column that was made as that of the first part. */
static bool column_write(hid_t to, int c, const change *rows, uint64_t n_rows) {
    const hsize_t n = n_rows;
    hid_t dataset = H5Dopen2(to, path_of(to, c), H5P_DEFAULT);
    double *column = malloc((size_t)(n_rows + 1) * sizeof *column);
    bool ok = dataset >= 0 && column != NULL && H5Dset_extent(dataset, &n) >= 0;
    for (uint64_t i = 0; ok && i < n_rows; ++i)
        column[i] = rows[i].of[c];
    ok = ok && (n_rows == 0 || H5Dwrite(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, column) >= 0);
    if (dataset >= 0)
        H5Dclose(dataset);
    free(column);
    return ok;
}

/* Whether the group is in a file. */
static bool has_changes(hid_t root) {
    return H5Lexists(root, "events", H5P_DEFAULT) > 0 && H5Lexists(root, "events/rank", H5P_DEFAULT) > 0;
}

bool sarrus_merge_rank_changes_write(const sarrus_merge *merge, int i_group, hid_t to) {
    change *rows = NULL;
    uint64_t n_rows = 0;
    bool ok = true;
    if (!has_changes(to))
        return true;
    for (int i = 0; ok && i < merge->n_parts; ++i) {
        hid_t root = sarrus_merge_root(merge, merge->parts[i].file, i_group);
        ok = root >= 0 && part_take(root, &rows, &n_rows);
        if (root >= 0)
            H5Gclose(root);
    }
    if (ok && n_rows > 0)
        qsort(rows, n_rows, sizeof *rows, changes_compare);
    for (int c = 0; ok && c < N_COLUMNS; ++c)
        ok = column_write(to, c, rows, n_rows);
    free(rows);
    return ok;
}

static int numbers_compare(const void *a, const void *b) {
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

bool sarrus_rank_changes_replace(hid_t to, hid_t from, const uint64_t *numbers, uint64_t n) {
    change *rows = NULL;
    uint64_t n_rows = 0, n_kept = 0;
    if (!has_changes(to))
        return true;
    bool ok = has_changes(from) && part_take(to, &rows, &n_rows);
    for (uint64_t i = 0; ok && i < n_rows; ++i) {
        const uint64_t number = (uint64_t)rows[i].of[INSTANCE];
        if (bsearch(&number, numbers, n, sizeof *numbers, numbers_compare) == NULL)
            rows[n_kept++] = rows[i];
    }
    n_rows = n_kept;
    ok = ok && part_take(from, &rows, &n_rows);
    for (uint64_t i = n_kept; ok && i < n_rows; ++i) {
        const uint64_t k = (uint64_t)rows[i].of[INSTANCE];
        ok = k < n;
        rows[i].of[INSTANCE] = ok ? (double)numbers[k] : 0.0;
        rows[i].place = i;
    }
    if (ok && n_rows > 0)
        qsort(rows, n_rows, sizeof *rows, changes_compare);
    for (int c = 0; ok && c < N_COLUMNS; ++c)
        ok = column_write(to, c, rows, n_rows);
    free(rows);
    return ok;
}
