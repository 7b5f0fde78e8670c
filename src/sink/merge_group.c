/* What the merged file holds of one group. Rows of instances are virtual: they stay in the parts, and are read from there. What is
 * small or of a kind that cannot be virtual (texts, scales, the table of changes of rank) is written anew. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <hdf5_hl.h>

#include "sink/hdf5_object.h"
#include "sink/hdf5_visit.h"
#include "sink/merge.h"
#include "sink/merge_rank_changes.h"
#include "sink/merged_series.h"
#include "sink/row_kind.h"

enum { MAX_DIMS = 4, MAX_SCALES = 64, MAX_NAME = 512 };

/* A dimension scale of the first part, and the same in the merged file. */
typedef struct merged_scale {
    uint64_t place;
    hid_t merged;
} merged_scale;

/* What is being written. */
typedef struct writing {
    const sarrus_merge *merge;
    int i_group;
    int i_from;                       /* the part that has every dataset: the first that keeps trajectories, if any does */
    hid_t from, to;                   /* the group in that part, and in the merged file */
    uint64_t instances, trajectories; /* of the scales of rows in that part; UINT64_MAX: none */
    int n_scales;
    merged_scale scales[MAX_SCALES];
    bool writes_scales; /* of the two walks this is the one for scales */
    bool has_series;    /* statistics over time can be made: they get their places */
} writing;

static uint64_t place_of_path(hid_t root, const char *path) {
    hid_t dataset = H5Lexists(root, path, H5P_DEFAULT) > 0 ? H5Dopen2(root, path, H5P_DEFAULT) : -1;
    const uint64_t place = sarrus_hdf5_place_of(dataset);
    if (dataset >= 0)
        H5Dclose(dataset);
    return place;
}

/* ---- attributes ---- */

static bool is_of_library(const char *name) {
    static const char *const names[] = {"DIMENSION_LIST", "REFERENCE_LIST", "CLASS",           "NAME",
                                        "complete",       "created",        "n_times_written", "n_trajectories"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; ++i)
        if (strcmp(name, names[i]) == 0)
            return true;
    return false;
}

static herr_t attribute_copy(hid_t from, const char *name, const H5A_info_t *info, void *user) {
    const hid_t to = *(const hid_t *)user;
    (void)info;
    if (is_of_library(name) || H5Aexists(to, name) > 0)
        return 0;
    hid_t attribute = H5Aopen(from, name, H5P_DEFAULT), type = H5Aget_type(attribute), space = H5Aget_space(attribute);
    const hssize_t n = H5Sget_simple_extent_npoints(space);
    const size_t n_bytes = H5Tget_size(type) * (size_t)(n > 0 ? n : 1);
    void *values = calloc(1, n_bytes);
    bool ok = values != NULL && H5Aread(attribute, type, values) >= 0;
    hid_t copy = ok ? H5Acreate2(to, name, type, space, H5P_DEFAULT, H5P_DEFAULT) : -1;
    ok = copy >= 0 && H5Awrite(copy, type, values) >= 0;
    if (H5Tdetect_class(type, H5T_STRING) > 0 && H5Tis_variable_str(type) > 0 && values != NULL)
        H5Dvlen_reclaim(type, space, H5P_DEFAULT, values);
    if (copy >= 0)
        H5Aclose(copy);
    H5Sclose(space);
    H5Tclose(type);
    H5Aclose(attribute);
    free(values);
    return ok ? 0 : -1;
}

static bool attributes_copy(hid_t from, hid_t to) {
    return H5Aiterate2(from, H5_INDEX_NAME, H5_ITER_INC, NULL, attribute_copy, &to) >= 0;
}

/* ---- scales ---- */

static bool scales_attach(const writing *work, hid_t from, hid_t to, int n_dims) {
    bool ok = true;
    for (int axis = 0; ok && axis < n_dims; ++axis) {
        const uint64_t place = sarrus_hdf5_scale_of(from, (unsigned)axis);
        for (int i = 0; ok && place != UINT64_MAX && i < work->n_scales; ++i)
            if (work->scales[i].place == place)
                ok = H5DSattach_scale(to, work->scales[i].merged, (unsigned)axis) >= 0;
    }
    return ok;
}

/* ---- rows ---- */

/* Rows of each part along the first axis of a dataset that is called so in all of them, but those that keep no trajectories. */
static bool part_shape(const writing *work, int i_part, const char *path, hsize_t dims[MAX_DIMS]) {
    hid_t root = sarrus_merge_root(work->merge, work->merge->parts[i_part].file, work->i_group);
    hid_t dataset = root >= 0 ? H5Dopen2(root, path, H5P_DEFAULT) : -1, space = dataset >= 0 ? H5Dget_space(dataset) : -1;
    const bool ok =
        space >= 0 && H5Sget_simple_extent_ndims(space) <= MAX_DIMS && H5Sget_simple_extent_dims(space, dims, NULL) >= 0;
    if (space >= 0)
        H5Sclose(space);
    if (dataset >= 0)
        H5Dclose(dataset);
    if (root >= 0)
        H5Gclose(root);
    const bool has_no_rows = dataset < 0 && work->merge->parts[i_part].groups[work->i_group].n_trajectories == 0;
    if (has_no_rows && i_part != work->i_from && part_shape(work, work->i_from, path, dims)) {
        dims[0] = 0;
        return true;
    }
    return ok;
}

/* Names of virtual datasets count blocks by %b: a sign of percent is written twice. To be freed; NULL without memory. */
static char *escaped_make(const char *name) {
    char *out = malloc(2 * strlen(name) + 1), *to = out;
    for (const char *c = name; out != NULL && *c != '\0'; ++c) {
        *to++ = *c;
        if (*c == '%')
            *to++ = '%';
    }
    if (out != NULL)
        *to = '\0';
    return out;
}

static bool source_set(hid_t layout, hid_t space, const char *file, const char *path, hid_t source) {
    char *escaped[2] = {escaped_make(file), escaped_make(path)};
    const bool ok = escaped[0] != NULL && escaped[1] != NULL && H5Pset_virtual(layout, space, escaped[0], escaped[1], source) >= 0;
    free(escaped[0]);
    free(escaped[1]);
    return ok;
}

/* The name of a dataset in the file of a part, from its top. */
static void full_name(const writing *work, const char *path, char out[MAX_NAME]) {
    if (work->merge->n_groups > 0)
        snprintf(out, MAX_NAME, "/%d/%s", work->i_group, path);
    else
        snprintf(out, MAX_NAME, "/%s", path);
}

/* A dataset whose rows are those of all parts. Negative when HDF5 refused. */
static hid_t rows_create(const writing *work, const char *path, hid_t type, int n_dims, const void *fill) {
    const sarrus_merge *merge = work->merge;
    hsize_t dims[MAX_DIMS] = {0}, all[MAX_DIMS] = {0}, start[MAX_DIMS] = {0};
    char name[MAX_NAME];
    bool ok = part_shape(work, work->i_from, path, all);
    for (int i = 0; ok && i < merge->n_parts; ++i) {
        ok = part_shape(work, i, path, dims);
        all[0] += i != work->i_from ? dims[0] : 0;
    }
    full_name(work, path, name);
    hid_t space = ok ? H5Screate_simple(n_dims, all, NULL) : -1, layout = H5Pcreate(H5P_DATASET_CREATE),
          links = H5Pcreate(H5P_LINK_CREATE);
    ok = space >= 0 && layout >= 0 && links >= 0 && H5Pset_create_intermediate_group(links, 1) >= 0 &&
         H5Pset_fill_value(layout, type, fill) >= 0;
    for (int i = 0; ok && i < merge->n_parts; ++i) {
        ok = part_shape(work, i, path, dims);
        if (!ok || dims[0] == 0)
            continue;
        hid_t source = H5Screate_simple(n_dims, dims, NULL);
        ok = source >= 0 && H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, dims, NULL) >= 0 &&
             source_set(layout, space, merge->parts[i].shown, name, source);
        start[0] += dims[0];
        if (source >= 0)
            H5Sclose(source);
    }
    hid_t dataset = ok && H5Sselect_all(space) >= 0 ? H5Dcreate2(work->to, path, type, space, links, layout, H5P_DEFAULT) : -1;
    if (space >= 0)
        H5Sclose(space);
    if (layout >= 0)
        H5Pclose(layout);
    if (links >= 0)
        H5Pclose(links);
    return dataset;
}

/* The rows of a part from row i_first on of the merged dataset. */
static bool column_put(const writing *work, int i_part, const char *path, hid_t type, hid_t to, hsize_t i_first, hsize_t n) {
    hid_t root = sarrus_merge_root(work->merge, work->merge->parts[i_part].file, work->i_group);
    hid_t from = root >= 0 ? H5Dopen2(root, path, H5P_DEFAULT) : -1, space = H5Dget_space(to), rows = H5Screate_simple(1, &n, NULL);
    char *values = calloc((size_t)n, H5Tget_size(type));
    bool ok =
        from >= 0 && space >= 0 && rows >= 0 && values != NULL && H5Dread(from, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0;
    if (ok) {
        ok = H5Sselect_hyperslab(space, H5S_SELECT_SET, &i_first, NULL, &n, NULL) >= 0 &&
             H5Dwrite(to, type, rows, space, H5P_DEFAULT, values) >= 0;
        if (H5Tis_variable_str(type) > 0)
            H5Dvlen_reclaim(type, rows, H5P_DEFAULT, values);
    }
    free(values);
    if (rows >= 0)
        H5Sclose(rows);
    if (space >= 0)
        H5Sclose(space);
    if (from >= 0)
        H5Dclose(from);
    if (root >= 0)
        H5Gclose(root);
    return ok;
}

/* The same with the rows written anew, of one axis and part by part: texts, and numbers that are a scale. */
static hid_t column_create(const writing *work, const char *path, hid_t type) {
    hsize_t dims[MAX_DIMS] = {0}, n_all = 0, n_done = 0;
    bool ok = true;
    for (int i = 0; ok && i < work->merge->n_parts; ++i) {
        ok = part_shape(work, i, path, dims);
        n_all += dims[0];
    }
    hid_t dataset = ok ? sarrus_hdf5_create_dataset(work->to, path, type, &(sarrus_hdf5_shape){.n_dims = 1, .dims = &n_all}) : -1;
    for (int i = 0; dataset >= 0 && ok && i < work->merge->n_parts; ++i) {
        ok = part_shape(work, i, path, dims) && (dims[0] == 0 || column_put(work, i, path, type, dataset, n_done, dims[0]));
        n_done += dims[0];
    }
    if (dataset >= 0 && !ok) {
        H5Dclose(dataset);
        return -1;
    }
    return dataset;
}

/* What is the same in all parts: that of the first. */
static hid_t dataset_copy(const writing *work, const char *path, hid_t from, hid_t type) {
    hid_t space = H5Dget_space(from);
    hsize_t dims[MAX_DIMS] = {0};
    const int n_dims = H5Sget_simple_extent_ndims(space);
    const hssize_t n = H5Sget_simple_extent_npoints(space);
    bool ok = n_dims <= MAX_DIMS && H5Sget_simple_extent_dims(space, dims, NULL) >= 0 && n >= 0;
    void *values = ok ? calloc((size_t)n + 1, H5Tget_size(type)) : NULL;
    ok = values != NULL && H5Dread(from, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0;
    hid_t dataset =
        ok ? sarrus_hdf5_create_dataset(work->to, path, type, &(sarrus_hdf5_shape){.n_dims = n_dims, .dims = dims}) : -1;
    if (dataset >= 0 && H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) < 0) {
        H5Dclose(dataset);
        dataset = -1;
    }
    if (ok && H5Tis_variable_str(type) > 0)
        H5Dvlen_reclaim(type, space, H5P_DEFAULT, values);
    free(values);
    H5Sclose(space);
    return dataset;
}

/* ---- the walk ---- */

/* How a dataset comes into the merged file. */
typedef enum merged_kind { KIND_ROWS, KIND_COLUMN, KIND_TABLE, KIND_COPY } merged_kind;

static merged_kind kind_of(const writing *work, const char *path, hid_t dataset, hid_t type, bool is_scale) {
    const uint64_t own = sarrus_hdf5_place_of(dataset);
    if (strncmp(path, "events/rank/", sizeof "events/rank/" - 1) == 0)
        return KIND_TABLE;
    if (own == work->instances || own == work->trajectories)
        return KIND_COLUMN;
    if (!is_scale && sarrus_row_kind_of(work->from, path, dataset) != SARRUS_ROWS_NONE)
        return H5Tis_variable_str(type) > 0 ? KIND_COLUMN : KIND_ROWS;
    return KIND_COPY;
}

/* An empty column that grows, filled when all parts are known. */
static hid_t table_create(const writing *work, const char *path, hid_t type) {
    const hsize_t none = 0, unlimited = H5S_UNLIMITED, chunk = 4096;
    return sarrus_hdf5_create_dataset(
        work->to, path, type,
        &(sarrus_hdf5_shape){.n_dims = 1, .dims = &none, .dims_max = &unlimited, .chunk = &chunk, .is_plain = true});
}

/* What a row reads as whose part is missing: no number where that can be said, and no status that means all is well; else what the
 * parts have. */
static void fill_make(const char *path, hid_t type, char *fill) {
    const double none = NAN;
    if (H5Tget_class(type) == H5T_FLOAT && H5Tget_size(type) == sizeof none)
        memcpy(fill, &none, sizeof none);
    else if (strcmp(path, "instance/status") == 0)
        *(uint8_t *)fill = UINT8_MAX;
}

static hid_t rows_make(const writing *work, const char *path, hid_t from, hid_t type) {
    hid_t layout = H5Dget_create_plist(from), space = H5Dget_space(from);
    char fill[64] = {0};
    hid_t dataset = -1;
    const bool has_fill =
        layout >= 0 && space >= 0 && H5Tget_size(type) <= sizeof fill && H5Pget_fill_value(layout, type, fill) >= 0;
    fill_make(path, type, fill);
    if (has_fill)
        dataset = rows_create(work, path, type, H5Sget_simple_extent_ndims(space), fill);
    if (layout >= 0)
        H5Pclose(layout);
    if (space >= 0)
        H5Sclose(space);
    return dataset;
}

static int n_dims_of(hid_t dataset) {
    hid_t space = H5Dget_space(dataset);
    const int n = space >= 0 ? H5Sget_simple_extent_ndims(space) : 0;
    if (space >= 0)
        H5Sclose(space);
    return n;
}

/* Its name as a scale, and its place among those that others are attached to. */
static bool scale_set(writing *work, hid_t from, hid_t to) {
    char name[MAX_NAME] = "";
    if (work->n_scales == MAX_SCALES || H5DSget_scale_name(from, name, sizeof name) < 0 || H5DSset_scale(to, name) < 0)
        return false;
    work->scales[work->n_scales++] = (merged_scale){sarrus_hdf5_place_of(from), to};
    return true;
}

static bool is_below(const char *path, const char *folder) {
    const size_t n = strlen(folder);
    return strncmp(path, folder, n) == 0 && (path[n] == '/' || path[n] == '\0');
}

/* What is of all instances at the end. */
static bool is_total(const char *path) {
    static const char *const totals[] = {"statistics/quantities", "statistics/parameters",     "statistics/bin",
                                         "statistics/edge",       "statistics/status",         "statistics/status_count",
                                         "statistics/variable",   "statistics/other_variable", "statistics/covariance_n",
                                         "statistics/covariance", "statistics/correlation"};
    bool is = false;
    for (size_t i = 0; i < sizeof totals / sizeof totals[0]; ++i)
        is = is || is_below(path, totals[i]);
    return is;
}

/* Totals come later, statistics over time too where there is something to make them of. */
static bool is_left_out(const writing *work, const char *path) {
    return is_below(path, "partial") || (is_below(path, "statistics") && (!work->has_series || is_total(path)));
}

static bool dataset_write(writing *work, const char *path, hid_t from) {
    const bool is_scale = H5DSis_scale(from) > 0;
    if (is_scale != work->writes_scales || is_left_out(work, path))
        return true;
    hid_t type = H5Dget_type(from), to = -1;
    switch (kind_of(work, path, from, type, is_scale)) {
    case KIND_ROWS:
        to = rows_make(work, path, from, type);
        break;
    case KIND_COLUMN:
        to = column_create(work, path, type);
        break;
    case KIND_TABLE:
        to = table_create(work, path, type);
        break;
    case KIND_COPY:
        to = dataset_copy(work, path, from, type);
        break;
    }
    H5Tclose(type);
    const bool ok = to >= 0 && attributes_copy(from, to) &&
                    (is_scale ? scale_set(work, from, to) : scales_attach(work, from, to, n_dims_of(from)));
    if (to >= 0 && !(is_scale && ok))
        H5Dclose(to);
    return ok;
}

static herr_t object_write(hid_t root, const char *name, const H5O_info_t *info, void *user) {
    writing *work = user;
    (void)root;
    /* the scale of instances has a second name at the root, which is a link */
    const bool is_second = sarrus_hdf5_place(info) == work->instances && strcmp(name, "instance/id") != 0;
    if (info->type == H5O_TYPE_GROUP && !work->writes_scales && strcmp(name, ".") != 0 &&
        H5Lexists(work->to, name, H5P_DEFAULT) <= 0 && !is_left_out(work, name)) {
        hid_t group = H5Gcreate2(work->to, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
        return group >= 0 && H5Gclose(group) >= 0 ? 0 : -1;
    }
    if (info->type != H5O_TYPE_DATASET)
        return 0;
    hid_t dataset = H5Dopen2(work->from, is_second ? "instance/id" : name, H5P_DEFAULT);
    const bool ok = dataset >= 0 && dataset_write(work, is_second ? "instance/id" : name, dataset);
    if (dataset >= 0)
        H5Dclose(dataset);
    return ok ? 0 : -1;
}

bool sarrus_merge_group_write(const sarrus_merge *merge, int i_group, hid_t to) {
    writing work = {.merge = merge, .i_group = i_group, .i_from = sarrus_merge_first(merge, i_group), .to = to};
    work.from = sarrus_merge_root(merge, merge->parts[work.i_from].file, i_group);
    bool ok = work.from >= 0 && attributes_copy(work.from, to);
    work.instances = place_of_path(work.from, "instance/id");
    sarrus_merged_series_list list;
    ok = sarrus_merged_series_find(&(sarrus_merged_group){merge, i_group, to}, &list) && ok;
    const bool is_alone = merge->n_parts == 1; /* whose statistics are those of the study */
    work.has_series = list.is_whole || list.is_handed_on || is_alone;
    sarrus_merged_series_free(&list);
    work.trajectories = place_of_path(work.from, "trajectory");
    for (int walk = 0; ok && walk < 2; ++walk) {
        work.writes_scales = walk == 0;
        ok = sarrus_hdf5_visit(work.from, object_write, &work) >= 0;
    }
    ok = ok && H5Lcreate_hard(to, "instance/id", to, "id", H5P_DEFAULT, H5P_DEFAULT) >= 0 &&
         sarrus_merge_rank_changes_write(merge, i_group, to);
    for (int i = 0; i < work.n_scales; ++i)
        H5Dclose(work.scales[i].merged);
    if (work.from >= 0)
        H5Gclose(work.from);
    return ok;
}

bool sarrus_merge_index_write(const sarrus_merge *merge, hid_t file) {
    const writing work = {.merge = merge, .from = merge->parts[0].file, .to = file};
    hid_t scenario = H5Dopen2(work.from, "scenario", H5P_DEFAULT), type = scenario >= 0 ? H5Dget_type(scenario) : -1;
    hid_t copy = type >= 0 ? dataset_copy(&work, "scenario", scenario, type) : -1;
    const bool ok = copy >= 0 && attributes_copy(scenario, copy) && attributes_copy(work.from, file);
    if (copy >= 0)
        H5Dclose(copy);
    if (type >= 0)
        H5Tclose(type);
    if (scenario >= 0)
        H5Dclose(scenario);
    return ok;
}
