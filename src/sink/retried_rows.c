#include "sink/retried_rows.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_DIMS = 3 };

/* A dataset that is open. */
typedef struct rows {
    hid_t dataset, space, type;
    int n_dims;
    hsize_t dims[MAX_DIMS];
    size_t row_bytes;
} rows;

static void rows_close(rows *of) {
    if (of->type >= 0)
        H5Tclose(of->type);
    if (of->space >= 0)
        H5Sclose(of->space);
    if (of->dataset >= 0)
        H5Dclose(of->dataset);
}

/* A row of a dataset lies in as many chunks as there are blocks of time, of about 1 MiB each: a cache for all of them keeps each
 * from being unpacked for every one of its rows. */
static bool rows_open(hid_t root, const char *path, rows *out) {
    const size_t n_slots = 4099, n_bytes = (size_t)64 << 20;
    hid_t access = H5Pcreate(H5P_DATASET_ACCESS);
    *out = (rows){.dataset = -1, .space = -1, .type = -1};
    if (access >= 0 && H5Pset_chunk_cache(access, n_slots, n_bytes, 1.0) >= 0)
        out->dataset = H5Dopen2(root, path, access);
    if (access >= 0)
        H5Pclose(access);
    if (out->dataset >= 0) {
        out->space = H5Dget_space(out->dataset);
        out->type = H5Dget_type(out->dataset);
    }
    out->n_dims = out->space >= 0 ? H5Sget_simple_extent_ndims(out->space) : 0;
    if (out->type < 0 || out->n_dims < 1 || out->n_dims > MAX_DIMS || H5Sget_simple_extent_dims(out->space, out->dims, NULL) < 0)
        return false;
    out->row_bytes = H5Tget_size(out->type);
    for (int k = 1; k < out->n_dims; ++k)
        out->row_bytes *= out->dims[k];
    return true;
}

static bool is_fitting(const rows *to, const rows *from) {
    bool fits = to->n_dims == from->n_dims && H5Tget_class(to->type) == H5Tget_class(from->type) &&
                H5Tget_size(to->type) == H5Tget_size(from->type);
    for (int k = 1; fits && k < to->n_dims; ++k)
        fits = to->dims[k] == from->dims[k];
    return fits;
}

bool sarrus_rows_fit(hid_t to_root, hid_t from_root, const char *path) {
    rows to, from = {.dataset = -1, .space = -1, .type = -1};
    const bool fits = rows_open(to_root, path, &to) && rows_open(from_root, path, &from) && is_fitting(&to, &from);
    rows_close(&to);
    rows_close(&from);
    return fits;
}

/* Of one axis: as a whole, which is small; texts are exchanged, so that each is still freed once. */
static bool column_put(const rows *to, const rows *from, const sarrus_row_map *map) {
    const size_t size = to->row_bytes;
    char *old = calloc(to->dims[0] + 1, size), *new = calloc(from->dims[0] + 1, size), *kept = malloc(size);
    bool ok = old != NULL && new != NULL &&kept != NULL &&H5Dread(to->dataset, to->type, H5S_ALL, H5S_ALL, H5P_DEFAULT, old) >= 0 &&
              H5Dread(from->dataset, to->type, H5S_ALL, H5S_ALL, H5P_DEFAULT, new) >= 0;
    for (uint64_t i = 0; ok && i < map->n; ++i) {
        char *there = old + map->to[i] * size, *here = new + map->from[i] * size;
        memcpy(kept, there, size);
        memcpy(there, here, size);
        memcpy(here, kept, size);
    }
    ok = ok && H5Dwrite(to->dataset, to->type, H5S_ALL, H5S_ALL, H5P_DEFAULT, old) >= 0;
    if (H5Tis_variable_str(to->type) > 0 && old != NULL && new != NULL) {
        H5Dvlen_reclaim(to->type, to->space, H5P_DEFAULT, old);
        H5Dvlen_reclaim(to->type, from->space, H5P_DEFAULT, new);
    }
    free(old);
    free(new);
    free(kept);
    return ok;
}

static bool row_select(const rows *of, uint64_t i_row) {
    const hsize_t start[MAX_DIMS] = {i_row, 0, 0}, count[MAX_DIMS] = {1, of->dims[1], of->dims[2]};
    return i_row < of->dims[0] && H5Sselect_hyperslab(of->space, H5S_SELECT_SET, start, NULL, count, NULL) >= 0;
}

static bool arrays_put(const rows *to, const rows *from, const sarrus_row_map *map) {
    const hsize_t n = to->row_bytes / H5Tget_size(to->type);
    char *row = malloc(to->row_bytes + 1);
    hid_t memory = H5Screate_simple(1, &n, NULL);
    bool ok = row != NULL && memory >= 0;
    for (uint64_t i = 0; ok && i < map->n; ++i)
        ok = row_select(from, map->from[i]) && row_select(to, map->to[i]) &&
             H5Dread(from->dataset, to->type, memory, from->space, H5P_DEFAULT, row) >= 0 &&
             H5Dwrite(to->dataset, to->type, memory, to->space, H5P_DEFAULT, row) >= 0;
    if (memory >= 0)
        H5Sclose(memory);
    free(row);
    return ok;
}

bool sarrus_rows_put(hid_t to_root, hid_t from_root, const char *path, const sarrus_row_map *map) {
    rows to, from = {.dataset = -1, .space = -1, .type = -1};
    bool ok = rows_open(to_root, path, &to) && rows_open(from_root, path, &from) && is_fitting(&to, &from);
    if (ok && map->n > 0)
        ok = to.n_dims == 1 ? column_put(&to, &from, map) : arrays_put(&to, &from, map);
    rows_close(&to);
    rows_close(&from);
    return ok;
}
