#include "sink/merged_series.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sink/hdf5_object.h"
#include "sink/hdf5_visit.h"
#include "sink/merge.h"
#include "sink/retried_rows.h"

enum { MAX_DIMS = 3 };

/* A dataset of a part, opened; all negative when it is not there. */
typedef struct part_dataset {
    hid_t root, dataset, space;
    int n_dims;
    hsize_t dims[MAX_DIMS];
} part_dataset;

static void part_close(part_dataset *part) {
    if (part->space >= 0)
        H5Sclose(part->space);
    if (part->dataset >= 0)
        H5Dclose(part->dataset);
    if (part->root >= 0)
        H5Gclose(part->root);
}

static bool part_open(const sarrus_merged_group *group, int i_part, const char *path, part_dataset *out) {
    *out = (part_dataset){
        .root = sarrus_merge_root(group->merge, group->merge->parts[i_part].file, group->i_group), .dataset = -1, .space = -1};
    if (out->root >= 0 && sarrus_hdf5_has(out->root, path))
        out->dataset = H5Dopen2(out->root, path, H5P_DEFAULT);
    if (out->dataset >= 0)
        out->space = H5Dget_space(out->dataset);
    out->n_dims = out->space >= 0 ? H5Sget_simple_extent_ndims(out->space) : 0;
    return out->n_dims >= 2 && out->n_dims <= MAX_DIMS && H5Sget_simple_extent_dims(out->space, out->dims, NULL) >= 0;
}

/* Times of a chunk; 1 where it has none. */
static uint64_t chunk_times(hid_t dataset) {
    hsize_t chunk[MAX_DIMS] = {1, 1, 1};
    hid_t layout = H5Dget_create_plist(dataset);
    const bool is_chunked = layout >= 0 && H5Pget_layout(layout) == H5D_CHUNKED && H5Pget_chunk(layout, MAX_DIMS, chunk) >= 2;
    if (layout >= 0)
        H5Pclose(layout);
    return is_chunked ? chunk[1] : 1;
}

/* Whether every part has the rows of all its instances. */
static bool series_look(const sarrus_merged_group *group, const char *path, sarrus_merged_series *out) {
    const sarrus_merge *merge = group->merge;
    bool ok = true;
    *out = (sarrus_merged_series){.n_times = merge->parts[0].groups[group->i_group].n_times};
    snprintf(out->path, sizeof out->path, "%s", path);
    for (int i = 0; ok && i < merge->n_parts; ++i) {
        part_dataset part;
        ok = part_open(group, i, path, &part) && part.dims[0] == merge->parts[i].groups[group->i_group].n_instances &&
             part.dims[1] == out->n_times;
        const uint64_t width = ok && part.n_dims > 2 ? part.dims[2] : 1;
        ok = ok && (i == 0 || width == out->width);
        out->width = width;
        if (ok && i == 0)
            out->block_times = chunk_times(part.dataset);
        part_close(&part);
    }
    return ok;
}

/* A dataset of a part that has the times along the first of one or two axes; to be given to part_close. */
static bool times_open(const sarrus_merged_group *group, int i_part, const char *path, part_dataset *out) {
    (void)part_open(group, i_part, path, out);
    return out->space >= 0 && out->n_dims >= 1 && out->n_dims <= MAX_DIMS &&
           H5Sget_simple_extent_dims(out->space, out->dims, NULL) >= 0 &&
           out->dims[0] == group->merge->parts[i_part].groups[group->i_group].n_times;
}

/* Whether every part hands on sums of a series; its width is that of the means. */
static bool sums_look(const sarrus_merged_group *group, sarrus_merged_series *series) {
    char path[SARRUS_SERIES_PATH + 32];
    part_dataset part;
    snprintf(path, sizeof path, "statistics/%s/mean", series->path);
    bool ok = times_open(group, 0, path, &part);
    series->n_times = part.dims[0];
    series->width = ok && part.n_dims > 1 ? part.dims[1] : 1;
    part_close(&part);
    snprintf(path, sizeof path, "partial/%s/sums", series->path);
    for (int i = 0; ok && i < group->merge->n_parts; ++i) {
        ok = times_open(group, i, path, &part) && part.n_dims == 2;
        part_close(&part);
    }
    return ok;
}

/* Of the walk through the statistics of the first part. */
typedef struct looking {
    const sarrus_merged_group *group;
    sarrus_merged_series_list *list;
} looking;

static herr_t object_look(hid_t root, const char *name, const H5O_info_t *info, void *user) {
    static const char end[] = "/mean", quantities[] = "quantities/", parameters[] = "parameters/";
    looking *job = user;
    const size_t n = strlen(name), n_end = sizeof end - 1;
    char path[SARRUS_SERIES_PATH];
    (void)root;
    if (info->type != H5O_TYPE_DATASET || n <= n_end || n >= sizeof path || strcmp(name + n - n_end, end) != 0 ||
        strncmp(name, quantities, sizeof quantities - 1) == 0 || strncmp(name, parameters, sizeof parameters - 1) == 0)
        return 0;
    snprintf(path, sizeof path, "%.*s", (int)(n - n_end), name);
    sarrus_merged_series *more = realloc(job->list->series, (size_t)(job->list->n + 1) * sizeof *more);
    if (more == NULL)
        return -1;
    job->list->series = more;
    sarrus_merged_series *series = &more[job->list->n++];
    job->list->is_whole = series_look(job->group, path, series) && job->list->is_whole;
    job->list->is_handed_on = job->list->is_handed_on && sums_look(job->group, series);
    return 0;
}

bool sarrus_merged_series_find(const sarrus_merged_group *group, sarrus_merged_series_list *out) {
    looking job = {group, out};
    *out = (sarrus_merged_series_list){.is_whole = true, .is_handed_on = true};
    hid_t root = sarrus_merge_root(group->merge, group->merge->parts[0].file, group->i_group);
    hid_t folder = root >= 0 && sarrus_hdf5_has(root, "statistics") ? H5Gopen2(root, "statistics", H5P_DEFAULT) : -1;
    const bool ok = root >= 0 && (folder < 0 || sarrus_hdf5_visit(folder, object_look, &job) >= 0);
    out->is_whole = out->is_whole && out->n > 0 && series_look(group, "state/v", &out->speeds);
    out->is_handed_on = out->is_handed_on && out->n > 0;
    if (folder >= 0)
        H5Gclose(folder);
    if (root >= 0)
        H5Gclose(root);
    return ok;
}

void sarrus_merged_series_free(sarrus_merged_series_list *list) {
    free(list->series);
    *list = (sarrus_merged_series_list){.n = 0};
}

/* Selects times of a dataset, all of its other axes. */
static bool times_select(const part_dataset *of, unsigned axis, uint64_t i_time, uint64_t n) {
    hsize_t start[MAX_DIMS] = {0}, count[MAX_DIMS];
    for (int k = 0; k < of->n_dims; ++k)
        count[k] = of->dims[k];
    start[axis] = i_time;
    count[axis] = n;
    return i_time + n <= of->dims[axis] && H5Sselect_hyperslab(of->space, H5S_SELECT_SET, start, NULL, count, NULL) >= 0;
}

/* Integers of 16 bits have a value for no number. */
static bool has_no_number(hid_t dataset) {
    hid_t type = H5Dget_type(dataset);
    const bool has = type >= 0 && H5Tget_class(type) == H5T_INTEGER && H5Tget_size(type) == 2;
    if (type >= 0)
        H5Tclose(type);
    return has;
}

bool sarrus_merged_series_read(const sarrus_merged_group *group, const sarrus_merged_series *series, uint64_t i_time, uint64_t n,
                               double *out) {
    bool ok = true;
    for (int i = 0; ok && i < group->merge->n_parts; ++i) {
        part_dataset part;
        ok = part_open(group, i, series->path, &part);
        const hsize_t n_all = ok ? part.dims[0] * n * series->width : 0;
        hid_t memory = ok ? H5Screate_simple(1, &n_all, NULL) : -1;
        ok = memory >= 0 && times_select(&part, 1, i_time, n) &&
             H5Dread(part.dataset, H5T_NATIVE_DOUBLE, memory, part.space, H5P_DEFAULT, out) >= 0;
        const bool is_short = ok && has_no_number(part.dataset);
        for (hsize_t k = 0; is_short && k < n_all; ++k)
            out[k] = out[k] == (double)UINT16_MAX ? (double)NAN : out[k];
        out += n_all;
        if (memory >= 0)
            H5Sclose(memory);
        part_close(&part);
    }
    return ok;
}

bool sarrus_merged_times_read(const sarrus_merged_group *group, int i_part, const char *path, sarrus_merged_times times,
                              double *out) {
    part_dataset part;
    bool ok = times_open(group, i_part, path, &part);
    hsize_t n_each = 1;
    for (int k = 1; ok && k < part.n_dims; ++k)
        n_each *= part.dims[k];
    const hsize_t n_all = times.n * times.n_each;
    hid_t memory = ok && n_each == times.n_each ? H5Screate_simple(1, &n_all, NULL) : -1;
    ok = memory >= 0 && times_select(&part, 0, times.i_first, times.n) &&
         H5Dread(part.dataset, H5T_NATIVE_DOUBLE, memory, part.space, H5P_DEFAULT, out) >= 0;
    if (memory >= 0)
        H5Sclose(memory);
    part_close(&part);
    return ok;
}

bool sarrus_merged_series_write(const sarrus_merged_group *group, const char *path, uint64_t i_time, uint64_t n,
                                const double *values) {
    hid_t dataset = H5Dopen2(group->root, path, H5P_DEFAULT), type = dataset >= 0 ? H5Dget_type(dataset) : -1;
    hid_t space = dataset >= 0 ? H5Dget_space(dataset) : -1;
    hsize_t dims[MAX_DIMS] = {0};
    const int n_dims = space >= 0 ? H5Sget_simple_extent_ndims(space) : -1;
    bool ok = type >= 0 && n_dims >= 1 && n_dims <= MAX_DIMS && H5Sget_simple_extent_dims(space, dims, NULL) >= 0;
    hsize_t n_all = n;
    for (int k = 1; ok && k < n_dims; ++k)
        n_all *= dims[k];
    void *own = ok ? malloc((size_t)n_all * sizeof *values + 1) : NULL; /* all types are of eight bytes */
    ok = own != NULL && H5Tget_size(type) == sizeof *values;
    if (ok) {
        memcpy(own, values, (size_t)n_all * sizeof *values);
        ok = H5Tconvert(H5T_NATIVE_DOUBLE, type, (size_t)n_all, own, NULL, H5P_DEFAULT) >= 0 &&
             sarrus_rows_write(dataset, type, i_time, n, own);
    }
    free(own);
    if (space >= 0)
        H5Sclose(space);
    if (type >= 0)
        H5Tclose(type);
    if (dataset >= 0)
        H5Dclose(dataset);
    return ok;
}

bool sarrus_merged_series_method_put(const sarrus_merged_group *group, const char *path, const char *method) {
    hid_t dataset = H5Dopen2(group->root, path, H5P_DEFAULT);
    const bool ok = dataset >= 0 && (H5Aexists(dataset, "method") <= 0 || H5Adelete(dataset, "method") >= 0) &&
                    sarrus_hdf5_put_text(dataset, "method", method);
    if (dataset >= 0)
        H5Dclose(dataset);
    return ok;
}
