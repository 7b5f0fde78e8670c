#include "sink/merged_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <hdf5_hl.h>

#include "core/report.h"
#include "sink/hdf5_error.h"
#include "sink/hdf5_object.h"
#include "sink/merge.h"
#include "sink/merged_series.h"
#include "sink/placed_file.h"
#include "sink/result_place.h"

static bool manifest_write(const sarrus_merge *merge, hid_t root, int i_group) {
    const int n = merge->n_parts;
    const char **names = calloc((size_t)n, sizeof *names);
    uint64_t *first = calloc((size_t)n, sizeof *first), *count = calloc((size_t)n, sizeof *count);
    bool ok = names != NULL && first != NULL && count != NULL;
    for (int i = 0; ok && i < n; ++i) {
        names[i] = merge->parts[i].shown;
        first[i] = merge->parts[i].groups[i_group].first_instance;
        count[i] = merge->parts[i].groups[i_group].n_instances;
    }
    const hid_t datasets[3] = {
        ok ? sarrus_hdf5_create_strings(root, "parts/file", names, (uint64_t)n) : -1,
        ok ? sarrus_hdf5_create_column(root, "parts/first_instance", H5T_NATIVE_UINT64, first, (uint64_t)n) : -1,
        ok ? sarrus_hdf5_create_column(root, "parts/n_instances", H5T_NATIVE_UINT64, count, (uint64_t)n) : -1};
    static const char *const about[3] = {"file that holds the instances", "number of its first instance",
                                         "instances that it holds"};
    ok = ok && datasets[1] >= 0 && H5DSset_scale(datasets[1], "first_instance") >= 0;
    for (int i = 0; i < 3; ++i)
        ok = sarrus_hdf5_describe(datasets[i], "1", about[i]) && ok &&
             (i == 1 || H5DSattach_scale(datasets[i], datasets[1], 0) >= 0);
    for (int i = 0; i < 3; ++i) {
        if (datasets[i] >= 0)
            H5Dclose(datasets[i]);
    }
    free(names);
    free(first);
    free(count);
    return ok;
}

/* What every root says of itself, whose rows are all there. */
static bool marks_write(const sarrus_merge *merge, hid_t root, int i_group, bool is_index) {
    const uint64_t n_times = merge->parts[0].groups[i_group].n_times;
    uint64_t n_trajectories = 0;
    const int yes = 1;
    for (int i = 0; i < merge->n_parts; ++i)
        n_trajectories += merge->parts[i].groups[i_group].n_trajectories;
    return sarrus_hdf5_put_created(root) && sarrus_hdf5_put_number(root, "complete", H5T_NATIVE_INT, &yes) &&
           (is_index || (sarrus_hdf5_put_number(root, "n_times_written", H5T_NATIVE_UINT64, &n_times) &&
                         sarrus_hdf5_put_number(root, "n_trajectories", H5T_NATIVE_UINT64, &n_trajectories)));
}

/* What of the file is being written, and what of it could not be made for a reason of its own. */
typedef struct merge_writing {
    const sarrus_merge *merge;
    sarrus_context *context;
    sarrus_merged_group_finish *finish;
    sarrus_status status; /* of `finish` */
} merge_writing;

static bool group_finish(merge_writing *work, int i_group, hid_t root) {
    const sarrus_merged_group group = {work->merge, i_group, root};
    work->status = work->finish(work->context, &group);
    return work->status == SARRUS_OK;
}

static bool groups_write(merge_writing *work, hid_t file) {
    const sarrus_merge *merge = work->merge;
    bool ok = true;
    if (merge->n_groups > 0)
        ok = sarrus_merge_index_write(merge, file) && marks_write(merge, file, 0, true);
    for (int g = 0; ok && (g == 0 || g < merge->n_groups); ++g) {
        char name[16];
        snprintf(name, sizeof name, "%d", g);
        hid_t root =
            merge->n_groups > 0 ? H5Gcreate2(file, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT) : H5Gopen2(file, "/", H5P_DEFAULT);
        ok = root >= 0 && sarrus_merge_group_write(merge, g, root) && manifest_write(merge, root, g) &&
             marks_write(merge, root, g, false) && group_finish(work, g, root);
        if (root >= 0)
            H5Gclose(root);
    }
    return ok;
}

static bool file_write(void *user, hid_t file, sarrus_status *status) {
    merge_writing *work = user;
    const bool ok = groups_write(work, file);
    *status = work->status;
    return ok;
}

/* Whether some statistics over time could not be made anew. */
static bool lacks_statistics(const sarrus_merge *merge) {
    bool lacks = false;
    for (int g = 0; g == 0 || g < merge->n_groups; ++g) {
        sarrus_merged_series_list list;
        lacks = !sarrus_merged_series_find(&(sarrus_merged_group){merge, g, -1}, &list) ||
                (merge->n_parts > 1 && list.n > 0 && !list.is_whole && !list.is_handed_on) || lacks;
        sarrus_merged_series_free(&list);
    }
    return lacks;
}

/* The merged file must not be one of its parts. */
static sarrus_status output_check(const sarrus_merge *merge, sarrus_context *context, const char *path) {
    struct stat out, part;
    for (int i = 0; stat(path, &out) == 0 && i < merge->n_parts; ++i)
        if (stat(merge->parts[i].path, &part) == 0 && part.st_dev == out.st_dev && part.st_ino == out.st_ino)
            return sarrus_report(context, SARRUS_BAD_ARGUMENT, "%s is one of the parts; expected another name", path);
    return SARRUS_OK;
}

sarrus_status sarrus_parts_merge(sarrus_context *context, const char *const *parts, int n_parts, const char *path, int no_clobber,
                                 sarrus_merged_group_finish *finish) {
    sarrus_status status = sarrus_result_path_check(context, path, no_clobber);
    char *folder = status == SARRUS_OK ? sarrus_result_place_name(path, "", "") : NULL;
    if (status != SARRUS_OK || folder == NULL)
        return status != SARRUS_OK ? status : sarrus_report(context, SARRUS_NO_MEMORY, "out of memory for the names");
    char *slash = strrchr(folder, '/');
    snprintf(slash != NULL ? slash + 1 : folder, slash != NULL ? 1 : 2, "%s", slash != NULL ? "" : ".");
    sarrus_merge merge;
    const sarrus_hdf5_silence silence = sarrus_hdf5_silence_begin();
    status = sarrus_merge_open(&merge, context, parts, n_parts, folder);
    merge_writing work = {&merge, context, finish, SARRUS_OK};
    const sarrus_placed_file placed = {.path = path, .no_clobber = no_clobber, .write = file_write, .user = &work};
    if (status == SARRUS_OK)
        status = output_check(&merge, context, path);
    if (status == SARRUS_OK)
        status = sarrus_placed_file_make(&placed, context);
    if (status == SARRUS_OK && lacks_statistics(&merge))
        (void)sarrus_report_at(
            context, SARRUS_NOTE, status, NULL,
            "%s: statistics over time are not in it: they take the trajectories of all instances, with the state", path);
    sarrus_merge_close(&merge);
    sarrus_hdf5_silence_end(silence);
    free(folder);
    return status;
}
