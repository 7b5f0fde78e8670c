#include "sink/retried.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <hdf5_hl.h>

#include "core/report.h"
#include "sarrus/version.h"
#include "sink/hdf5_error.h"
#include "sink/hdf5_object.h"
#include "sink/hdf5_visit.h"
#include "sink/merge.h"
#include "sink/merge_rank_changes.h"
#include "sink/merged_series.h"
#include "sink/placed_file.h"
#include "sink/result_group.h"
#include "sink/result_source.h"
#include "sink/retried_rows.h"
#include "sink/row_kind.h"

/* ---- who has failed ---- */

/* NULL, or why its failed instances cannot be run again. */
static const char *fault_of(const sarrus_result_info *info, hid_t file) {
    if (info->n_groups > 0 || info->is_of_group)
        return "of several scenarios";
    if (info->n_parts > 0)
        return "merged, its rows are in other files (h5repack makes one of them)";
    if (!info->complete)
        return "not complete (--resume goes on with it)";
    if (info->n_instances != info->n_study || H5Lexists(file, "replay", H5P_DEFAULT) > 0)
        return "of a part of its study";
    return NULL;
}

static sarrus_status failed_find(sarrus_retried *retried, sarrus_context *context, hid_t file) {
    const uint64_t n = retried->info.n_instances;
    uint8_t *status = malloc(n + 1);
    retried->failed = calloc(retried->info.n_failed + 1, sizeof *retried->failed);
    hid_t dataset = H5Dopen2(file, "instance/status", H5P_DEFAULT), type = dataset >= 0 ? H5Dget_type(dataset) : -1;
    const bool has_room = status != NULL && retried->failed != NULL;
    const bool ok = has_room && type >= 0 && sarrus_hdf5_read_rows(file, "instance/status", type, 0, n, status);
    for (uint64_t i = 0; ok && i < n && retried->n_failed < retried->info.n_failed; ++i)
        if (status[i] != SARRUS_INSTANCE_OK)
            retried->failed[retried->n_failed++] = i;
    if (type >= 0)
        H5Tclose(type);
    if (dataset >= 0)
        H5Dclose(dataset);
    free(status);
    if (!has_room)
        return sarrus_report(context, SARRUS_NO_MEMORY, "out of memory for the numbers of instances");
    return ok ? SARRUS_OK : sarrus_report(context, SARRUS_IO, "%s: /instance/status cannot be read", retried->path);
}

static sarrus_status trajectories_find(sarrus_retried *retried, sarrus_context *context, hid_t file) {
    const uint64_t n = retried->info.n_trajectories;
    retried->has_trajectories = n < retried->info.n_instances;
    retried->trajectories = calloc(retried->has_trajectories ? n + 1 : 1, sizeof *retried->trajectories);
    if (retried->trajectories == NULL)
        return sarrus_report(context, SARRUS_NO_MEMORY, "out of memory for the numbers of instances");
    retried->n_trajectories = retried->has_trajectories ? n : 0;
    if (retried->n_trajectories > 0 && !sarrus_hdf5_read_rows(file, "trajectory", H5T_NATIVE_UINT64, 0, n, retried->trajectories))
        return sarrus_report(context, SARRUS_IO, "%s: /trajectory cannot be read", retried->path);
    return SARRUS_OK;
}

static sarrus_status scenario_take(sarrus_retried *retried, sarrus_context *context, hid_t file) {
    char *text = sarrus_hdf5_read_text(file, "scenario", false);
    retried->scenario = text != NULL ? strdup(text) : NULL;
    if (text != NULL)
        H5free_memory(text);
    return retried->scenario != NULL ? SARRUS_OK : sarrus_report(context, SARRUS_IO, "%s: /scenario cannot be read", retried->path);
}

sarrus_status sarrus_retried_open(sarrus_retried *retried, sarrus_context *context, const char *path) {
    *retried = (sarrus_retried){.path = path};
    sarrus_status status = sarrus_result_info_read(context, path, &retried->info);
    if (status != SARRUS_OK)
        return status;
    const sarrus_hdf5_silence silence = sarrus_hdf5_silence_begin();
    hid_t file = sarrus_result_source_open(path);
    const char *fault = file >= 0 ? fault_of(&retried->info, file) : NULL;
    if (file < 0)
        status = sarrus_report(context, SARRUS_IO, "%s: cannot be read", path);
    else if (fault != NULL)
        status =
            sarrus_report(context, SARRUS_BAD_INPUT, "%s is %s; expected the complete result of a study in one file", path, fault);
    if (status == SARRUS_OK)
        status = failed_find(retried, context, file);
    if (status == SARRUS_OK)
        status = trajectories_find(retried, context, file);
    if (status == SARRUS_OK)
        status = scenario_take(retried, context, file);
    if (file >= 0)
        H5Fclose(file);
    sarrus_hdf5_silence_end(silence);
    return status;
}

void sarrus_retried_close(sarrus_retried *retried) {
    free(retried->scenario);
    free(retried->failed);
    free(retried->trajectories);
    *retried = (sarrus_retried){.path = NULL};
}

sarrus_status sarrus_retried_numbers(const sarrus_retried *retried, sarrus_context *context, const char *dataset, double *out) {
    const uint64_t n = retried->info.n_instances;
    const sarrus_hdf5_silence silence = sarrus_hdf5_silence_begin();
    double *all = calloc(n + 1, sizeof *all);
    hid_t file = all != NULL ? sarrus_result_source_open(retried->path) : -1;
    const bool ok = file >= 0 && sarrus_hdf5_read_rows(file, dataset, H5T_NATIVE_DOUBLE, 0, n, all);
    for (uint64_t i = 0; ok && i < retried->n_failed; ++i)
        out[i] = all[retried->failed[i]];
    if (file >= 0)
        H5Fclose(file);
    sarrus_hdf5_silence_end(silence);
    const bool has_room = all != NULL;
    free(all);
    if (!has_room)
        return sarrus_report(context, SARRUS_NO_MEMORY, "out of memory for the parameters");
    return ok ? SARRUS_OK
              : sarrus_report(context, SARRUS_BAD_INPUT, "%s has no /%s that can be read; expected what the scenario draws",
                              retried->path, dataset);
}

/* ---- the new file ---- */

typedef struct writing {
    const sarrus_retried *retried;
    sarrus_context *context;
    const sarrus_retried_writing *asked;
    hid_t to, from;
    sarrus_row_map instances, trajectories;
    uint64_t *numbers;  /* [n_failed] 0, 1, … */
    uint64_t *kept;     /* [2][n_trajectories] rows in both files of those who failed and are kept */
    const char *misfit; /* a dataset of which the new rows do not fit */
} writing;

/* Rows of trajectories: all failed instances, or those of them that are kept, in the order of both files. */
static bool maps_make(writing *work) {
    const sarrus_retried *retried = work->retried;
    work->numbers = calloc(retried->n_failed + 1, sizeof *work->numbers);
    work->kept = calloc(2 * retried->n_trajectories + 1, sizeof *work->kept);
    if (work->numbers == NULL || work->kept == NULL)
        return false;
    for (uint64_t i = 0; i < retried->n_failed; ++i)
        work->numbers[i] = i;
    work->instances = (sarrus_row_map){retried->n_failed, retried->failed, work->numbers};
    work->trajectories = work->instances;
    if (!retried->has_trajectories)
        return true;
    uint64_t *to = work->kept, *from = work->kept + retried->n_trajectories, n = 0;
    for (uint64_t k = 0, i = 0; k < retried->n_trajectories; ++k) {
        while (i < retried->n_failed && retried->failed[i] < retried->trajectories[k])
            ++i;
        if (i < retried->n_failed && retried->failed[i] == retried->trajectories[k]) {
            to[n] = k;
            from[n] = n;
            ++n;
        }
    }
    work->trajectories = (sarrus_row_map){n, to, from};
    return true;
}

static bool is_below(const char *path, const char *folder) {
    return strncmp(path, folder, strlen(folder)) == 0;
}

static herr_t rows_replace(hid_t root, const char *name, const H5O_info_t *info, void *user) {
    writing *work = user;
    const sarrus_row_map *map = NULL;
    if (info->type != H5O_TYPE_DATASET || is_below(name, "instance/parameters/") || is_below(name, "instance/unit/") ||
        strcmp(name, "instance/retried") == 0)
        return 0;
    hid_t dataset = H5Dopen2(root, name, H5P_DEFAULT);
    const sarrus_row_kind kind = sarrus_row_kind_of(root, name, dataset);
    if (dataset >= 0)
        H5Dclose(dataset);
    if (kind != SARRUS_ROWS_NONE)
        map = kind == SARRUS_ROWS_INSTANCES ? &work->instances : &work->trajectories;
    if (map == NULL || map->n == 0)
        return 0;
    if (!sarrus_rows_fit(work->to, work->from, name)) {
        (void)sarrus_report(work->context, SARRUS_BAD_INPUT,
                            "/%s of %s is another than that of the instances run again; expected the same output", name,
                            work->retried->path);
        work->misfit = "";
        return -1;
    }
    return sarrus_rows_put(work->to, work->from, name, map) ? 0 : -1;
}

/* Output times may differ by the round-off of other steps. */
static bool has_same_times(const writing *work) {
    const uint64_t n = work->retried->info.n_times;
    const double largest = fabs(work->retried->info.t_last);
    double *times = calloc(2 * n + 1, sizeof *times), beyond = 0.0;
    bool same = times != NULL && sarrus_hdf5_read_rows(work->to, "time", H5T_NATIVE_DOUBLE, 0, n, times) &&
                sarrus_hdf5_read_rows(work->from, "time", H5T_NATIVE_DOUBLE, 0, n, times + n) &&
                !sarrus_hdf5_read_rows(work->from, "time", H5T_NATIVE_DOUBLE, n, 1, &beyond);
    for (uint64_t i = 0; same && i < n; ++i)
        same = fabs(times[i] - times[n + i]) <= 1e-9 * largest;
    free(times);
    return same;
}

static bool marks_create(const writing *work, const uint64_t *marks) {
    hid_t dataset =
        sarrus_hdf5_create_column(work->to, "instance/retried", H5T_NATIVE_UINT64, marks, work->retried->info.n_instances);
    hid_t scale = dataset >= 0 ? H5Dopen2(work->to, "instance/id", H5P_DEFAULT) : -1;
    const bool ok = sarrus_hdf5_describe(dataset, "1", "retry that the rows of the instance are of, 0: none") && scale >= 0 &&
                    H5DSattach_scale(dataset, scale, 0) >= 0;
    if (scale >= 0)
        H5Dclose(scale);
    if (dataset >= 0)
        H5Dclose(dataset);
    return ok;
}

/* Which of its retries an instance was in last, from 1 on; 0: it was in none. */
static bool marks_write(const writing *work, uint64_t number) {
    uint64_t *marks = calloc(work->retried->info.n_instances + 1, sizeof *marks);
    hid_t dataset = sarrus_hdf5_has(work->to, "instance/retried") ? H5Dopen2(work->to, "instance/retried", H5P_DEFAULT) : -1;
    bool ok = marks != NULL && (dataset < 0 || H5Dread(dataset, H5T_NATIVE_UINT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, marks) >= 0);
    for (uint64_t i = 0; ok && i < work->retried->n_failed; ++i)
        marks[work->retried->failed[i]] = number;
    ok = ok && (dataset < 0 ? marks_create(work, marks)
                            : sarrus_rows_write(dataset, H5T_NATIVE_UINT64, 0, work->retried->info.n_instances, marks));
    if (dataset >= 0)
        H5Dclose(dataset);
    free(marks);
    return ok;
}

/* What this retry was made with, below /retries/<number>. */
static bool record_write(const writing *work, uint64_t *number) {
    char name[40];
    *number = 1;
    do
        snprintf(name, sizeof name, "retries/%" PRIu64, *number);
    while (sarrus_hdf5_has(work->to, name) && ++*number > 0);
    hid_t links = H5Pcreate(H5P_LINK_CREATE);
    hid_t group = links >= 0 && H5Pset_create_intermediate_group(links, 1) >= 0
                      ? H5Gcreate2(work->to, name, links, H5P_DEFAULT, H5P_DEFAULT)
                      : -1;
    const bool ok = group >= 0 && sarrus_result_scenario_write(group, work->asked->scenario) &&
                    sarrus_hdf5_put_text(group, "sarrus_version", SARRUS_VERSION) &&
                    sarrus_hdf5_put_number(group, "n_instances", H5T_NATIVE_UINT64, &work->retried->n_failed);
    if (group >= 0)
        H5Gclose(group);
    if (links >= 0)
        H5Pclose(links);
    return ok;
}

static bool date_write(hid_t root) {
    return H5Adelete(root, "created") >= 0 && sarrus_hdf5_put_created(root);
}

/* Statistics over time are made anew from the trajectories of all; without these they go, and so do the sums of a part. */
static bool statistics_check(const writing *work, const sarrus_merged_group *group) {
    sarrus_merged_series_list list;
    bool ok = sarrus_merged_series_find(group, &list);
    const bool loses = ok && list.n > 0 && !list.is_whole;
    sarrus_merged_series_free(&list);
    if (ok && sarrus_hdf5_has(work->to, "partial"))
        ok = H5Ldelete(work->to, "partial", H5P_DEFAULT) >= 0;
    if (loses) {
        ok = ok && H5Ldelete(work->to, "statistics", H5P_DEFAULT) >= 0;
        (void)sarrus_report_at(
            work->context, SARRUS_NOTE, SARRUS_OK, NULL,
            "%s: statistics over time are not in it: they take the trajectories of all instances, with the state",
            work->asked->path);
    }
    return ok;
}

static bool file_write(void *user, hid_t file, sarrus_status *status) {
    writing *work = user;
    sarrus_result_info info = work->retried->info;
    sarrus_merge_part part = {.path = work->asked->path, .file = file, .groups = &info};
    const sarrus_merge merge = {.n_parts = 1, .parts = &part};
    const sarrus_merged_group group = {&merge, 0, file};
    uint64_t number = 0;
    work->to = file;
    if (work->retried->n_failed > 0 && !has_same_times(work)) {
        *status = sarrus_report(work->context, SARRUS_BAD_INPUT,
                                "%s has other output times than the instances run again; expected the same (output.every goes with "
                                "integrator.dt)",
                                work->retried->path);
        return false;
    }
    if (work->retried->n_failed == 0)
        return date_write(file);
    bool ok = maps_make(work) && sarrus_hdf5_visit(file, rows_replace, work) >= 0;
    if (work->misfit != NULL)
        *status = SARRUS_BAD_INPUT;
    ok = ok && sarrus_rank_changes_replace(file, work->from, work->retried->failed, work->retried->n_failed) &&
         record_write(work, &number) && marks_write(work, number) && date_write(file) && statistics_check(work, &group);
    if (ok)
        *status = work->asked->finish(work->context, &group);
    return ok && *status == SARRUS_OK;
}

sarrus_status sarrus_retried_write(const sarrus_retried *retried, sarrus_context *context, const sarrus_retried_writing *asked) {
    const sarrus_hdf5_silence silence = sarrus_hdf5_silence_begin();
    writing work = {.retried = retried, .context = context, .asked = asked, .from = -1};
    const sarrus_placed_file placed = {
        .path = asked->path, .copy_of = retried->path, .no_clobber = asked->no_clobber, .write = file_write, .user = &work};
    if (retried->n_failed > 0)
        work.from = sarrus_result_source_open(asked->rows);
    const sarrus_status status = work.from >= 0 || retried->n_failed == 0
                                     ? sarrus_placed_file_make(&placed, context)
                                     : sarrus_report(context, SARRUS_IO, "%s: cannot be read", asked->rows);
    if (work.from >= 0)
        H5Fclose(work.from);
    free(work.numbers);
    free(work.kept);
    sarrus_hdf5_silence_end(silence);
    return status;
}
