/* Whether the parts of a study have what their names say: looked at before anything is written, since a file may have been damaged,
 * or changed by other programs. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/report.h"
#include "sink/hdf5_object.h"
#include "sink/hdf5_visit.h"
#include "sink/merge.h"
#include "sink/row_kind.h"

enum { MAX_DIMS = 4, PIECE = 65536 };

typedef struct checking {
    const sarrus_merge *merge;
    sarrus_context *context;
    int i_group, i_first; /* the part that the others are held against: it has every dataset */
    hid_t first;          /* its group */
    sarrus_status status;
} checking;

static sarrus_status refuse(const checking *work, int i_part, const char *path, const char *what) {
    return sarrus_report(work->context, SARRUS_BAD_INPUT, "%s: /%s %s; expected the result of a run as it was written",
                         work->merge->parts[i_part].path, path, what);
}

/* The numbers of its instances, one after the other. */
static sarrus_status numbers_check(const checking *work, int i_part, hid_t root) {
    const sarrus_result_info *info = &work->merge->parts[i_part].groups[work->i_group];
    uint64_t *numbers = malloc(PIECE * sizeof *numbers);
    sarrus_status status =
        numbers != NULL ? SARRUS_OK : sarrus_report(work->context, SARRUS_NO_MEMORY, "out of memory for the parts");
    for (uint64_t i = 0; status == SARRUS_OK && i < info->n_instances; i += PIECE) {
        const uint64_t n_left = info->n_instances - i, n = n_left < PIECE ? n_left : PIECE;
        bool ok = sarrus_hdf5_read_rows(root, "instance/id", H5T_NATIVE_UINT64, i, n, numbers);
        for (uint64_t k = 0; ok && k < n; ++k)
            ok = numbers[k] == info->first_instance + i + k;
        if (!ok)
            status = refuse(work, i_part, "instance/id", "has other numbers than those of instances one after the other");
    }
    free(numbers);
    return status;
}

/* A dataset that is open. */
typedef struct shape {
    hid_t dataset, space, type;
    int n_dims;
    hsize_t dims[MAX_DIMS];
} shape;

static shape shape_open(hid_t root, const char *path) {
    shape out = {.dataset = sarrus_hdf5_has(root, path) ? H5Dopen2(root, path, H5P_DEFAULT) : -1, .space = -1, .type = -1};
    if (out.dataset >= 0) {
        out.space = H5Dget_space(out.dataset);
        out.type = H5Dget_type(out.dataset);
    }
    out.n_dims = out.space >= 0 ? H5Sget_simple_extent_ndims(out.space) : -1;
    if (out.n_dims > MAX_DIMS || (out.n_dims > 0 && H5Sget_simple_extent_dims(out.space, out.dims, NULL) < 0))
        out.n_dims = -1;
    return out;
}

static void shape_close(shape *of) {
    if (of->type >= 0)
        H5Tclose(of->type);
    if (of->space >= 0)
        H5Sclose(of->space);
    if (of->dataset >= 0)
        H5Dclose(of->dataset);
}

/* NULL, or what of a dataset is not as the first part and the number of its rows have it. */
static const char *difference(const shape *first, const shape *own, sarrus_row_kind kind, uint64_t n_rows) {
    const bool has_rows = kind != SARRUS_ROWS_NONE;
    if (own->dataset < 0)
        return "is missing";
    if (own->n_dims != first->n_dims || own->n_dims < (has_rows ? 1 : 0) || own->type < 0 || H5Tequal(own->type, first->type) <= 0)
        return "is of another type or shape than in the other parts";
    if (has_rows && own->dims[0] != n_rows)
        return "has another number of rows than there are instances";
    for (int k = has_rows ? 1 : 0; k < own->n_dims; ++k)
        if (own->dims[k] != first->dims[k])
            return "is of another shape than in the other parts";
    return NULL;
}

static bool is_compared(const char *path) {
    return strncmp(path, "events/", 7) != 0 && strncmp(path, "sensitivity/", 12) != 0 && strncmp(path, "partial/", 8) != 0 &&
           strcmp(path, "parameter") != 0 && strcmp(path, "other_parameter") != 0 && strcmp(path, "id") != 0 &&
           strcmp(path, "instance/id") != 0 && strcmp(path, "trajectory") != 0;
}

static herr_t object_check(hid_t root, const char *name, const H5O_info_t *info, void *user) {
    checking *work = user;
    if (info->type != H5O_TYPE_DATASET || !is_compared(name))
        return 0;
    shape first = shape_open(root, name);
    const sarrus_row_kind kind = sarrus_row_kind_of(root, name, first.dataset);
    for (int i = 0; i < work->merge->n_parts && work->status == SARRUS_OK; ++i) {
        const sarrus_result_info *about = &work->merge->parts[i].groups[work->i_group];
        const uint64_t n_rows = kind == SARRUS_ROWS_TRAJECTORIES ? about->n_trajectories : about->n_instances;
        hid_t own_root = sarrus_merge_root(work->merge, work->merge->parts[i].file, work->i_group);
        shape own = shape_open(own_root, name);
        const bool has_no_rows = own.dataset < 0 && about->n_trajectories == 0 && i != work->i_first;
        const char *what = has_no_rows ? NULL : difference(&first, &own, kind, n_rows);
        if (what != NULL)
            work->status = refuse(work, i, name, what);
        shape_close(&own);
        if (own_root >= 0)
            H5Gclose(own_root);
    }
    shape_close(&first);
    return work->status == SARRUS_OK ? 0 : -1;
}

/* Of those that keep trajectories all have as many datasets, and of those that keep none. */
static sarrus_status counts_check(const checking *work) {
    int n_expected[2] = {-1, -1}, i_expected[2] = {0, 0};
    for (int i = 0; i < work->merge->n_parts; ++i) {
        const sarrus_result_info *info = &work->merge->parts[i].groups[work->i_group];
        const int which = info->n_trajectories > 0 ? 1 : 0;
        if (n_expected[which] < 0) {
            n_expected[which] = info->n_datasets;
            i_expected[which] = i;
        }
        if (n_expected[which] != info->n_datasets)
            return sarrus_report(work->context, SARRUS_BAD_INPUT, "%s has %d datasets, %s has %d; expected the same in all parts",
                                 work->merge->parts[i].path, info->n_datasets, work->merge->parts[i_expected[which]].path,
                                 n_expected[which]);
    }
    return SARRUS_OK;
}

int sarrus_merge_first(const sarrus_merge *merge, int i_group) {
    int i = 0;
    while (i < merge->n_parts && merge->parts[i].groups[i_group].n_trajectories == 0)
        i += 1;
    return i < merge->n_parts ? i : 0;
}

sarrus_status sarrus_merge_check(const sarrus_merge *merge, sarrus_context *context, int i_group) {
    checking work = {.merge = merge, .context = context, .i_group = i_group, .i_first = sarrus_merge_first(merge, i_group)};
    work.first = sarrus_merge_root(merge, merge->parts[work.i_first].file, i_group);
    sarrus_status status = counts_check(&work);
    for (int i = 0; i < merge->n_parts && status == SARRUS_OK; ++i) {
        hid_t root = sarrus_merge_root(merge, merge->parts[i].file, i_group);
        status = numbers_check(&work, i, root);
        if (root >= 0)
            H5Gclose(root);
    }
    if (status == SARRUS_OK && sarrus_hdf5_visit(work.first, object_check, &work) < 0)
        status = work.status != SARRUS_OK
                     ? work.status
                     : sarrus_report(context, SARRUS_IO, "%s: the file is damaged", merge->parts[work.i_first].path);
    if (work.first >= 0)
        H5Gclose(work.first);
    return status;
}
