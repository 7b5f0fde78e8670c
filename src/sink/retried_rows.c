#include "sink/retried_rows.h"

#include <stdlib.h>
#include <string.h>

#include "sink/packed_chunks.h"

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
    ok = ok && sarrus_rows_write(to->dataset, to->type, 0, to->dims[0], old);
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

/* Of a dataset without packed chunks: row by row. */
static bool plain_arrays_put(const rows *to, const rows *from, const sarrus_row_map *map) {
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

/* Reads rows i_row … and times i_time … of a dataset, all else whole, to where the chunk that begins there has them. */
static bool region_read(const rows *of, const sarrus_packed_chunks *chunks, const hsize_t start[MAX_DIMS], hsize_t i_chunk_row,
                        hsize_t n_rows) {
    hsize_t count[MAX_DIMS] = {n_rows, 0, 0}, place[MAX_DIMS] = {i_chunk_row, 0, 0};
    for (int k = 1; k < of->n_dims; ++k) {
        const hsize_t n_left = of->dims[k] - start[k];
        count[k] = n_left < chunks->chunk[k] ? n_left : chunks->chunk[k];
    }
    hid_t memory = H5Screate_simple(of->n_dims, chunks->chunk, NULL);
    const bool ok = memory >= 0 && H5Sselect_hyperslab(memory, H5S_SELECT_SET, place, NULL, count, NULL) >= 0 &&
                    H5Sselect_hyperslab(of->space, H5S_SELECT_SET, start, NULL, count, NULL) >= 0 &&
                    H5Dread(of->dataset, of->type, memory, of->space, H5P_DEFAULT, chunks->elements) >= 0;
    if (memory >= 0)
        H5Sclose(memory);
    return ok;
}

/* The chunk at `offset` with rows i … i_end − 1 of the map in it. */
static bool chunk_put(const rows *to, const rows *from, const sarrus_row_map *map, sarrus_packed_chunks *chunks,
                      const hsize_t offset[MAX_DIMS], uint64_t i, uint64_t i_end) {
    const hsize_t n_left = to->dims[0] - offset[0];
    memset(chunks->elements, 0, chunks->n_elements * chunks->element_size);
    bool ok = region_read(to, chunks, offset, 0, n_left < chunks->chunk[0] ? n_left : chunks->chunk[0]);
    for (; ok && i < i_end; ++i) {
        const hsize_t start[MAX_DIMS] = {map->from[i], offset[1], offset[2]};
        ok = region_read(from, chunks, start, map->to[i] - offset[0], 1);
    }
    return ok && sarrus_packed_chunks_put(chunks, offset);
}

/* All chunks in which there are rows of the map; components are never cut. */
static bool packed_arrays_put(const rows *to, const rows *from, const sarrus_row_map *map, sarrus_packed_chunks *chunks) {
    bool ok = to->n_dims < 3 || chunks->chunk[2] == to->dims[2];
    for (uint64_t i = 0, i_end = 0; ok && i < map->n; i = i_end) {
        const hsize_t first = map->to[i] / chunks->chunk[0] * chunks->chunk[0];
        while (i_end < map->n && map->to[i_end] < first + chunks->chunk[0])
            ++i_end;
        for (hsize_t t = 0; ok && t < to->dims[1]; t += chunks->chunk[1])
            ok = chunk_put(to, from, map, chunks, (const hsize_t[MAX_DIMS]){first, t, 0}, i, i_end);
    }
    return ok;
}

static bool arrays_put(const rows *to, const rows *from, const sarrus_row_map *map) {
    sarrus_packed_chunks chunks;
    const bool ok = sarrus_packed_chunks_open(&chunks, to->dataset) &&
                    (chunks.is_packed ? packed_arrays_put(to, from, map, &chunks) : plain_arrays_put(to, from, map));
    sarrus_packed_chunks_close(&chunks);
    return ok;
}

bool sarrus_rows_write(hid_t dataset, hid_t type, hsize_t i_first, hsize_t n, const void *values) {
    sarrus_packed_chunks chunks;
    bool ok = sarrus_packed_chunks_open(&chunks, dataset);
    if (ok && chunks.is_packed) {
        ok = sarrus_packed_chunks_rows_put(&chunks, i_first, n, values);
    } else if (ok) {
        hsize_t start[SARRUS_PACKED_DIMS] = {i_first}, count[SARRUS_PACKED_DIMS] = {n}, n_all = n;
        for (int k = 1; k < chunks.n_dims; ++k)
            n_all *= count[k] = chunks.dims[k];
        hid_t memory = H5Screate_simple(1, &n_all, NULL), space = H5Dget_space(dataset);
        ok = memory >= 0 && space >= 0 && H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, count, NULL) >= 0 &&
             H5Dwrite(dataset, type, memory, space, H5P_DEFAULT, values) >= 0;
        if (memory >= 0)
            H5Sclose(memory);
        if (space >= 0)
            H5Sclose(space);
    }
    sarrus_packed_chunks_close(&chunks);
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
