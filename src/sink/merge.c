#include "sink/merge.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "core/report.h"
#include "sink/hdf5_error.h"
#include "sink/hdf5_object.h"
#include "sink/result_place.h"
#include "sink/result_source.h"

hid_t sarrus_merge_root(const sarrus_merge *merge, hid_t file, int i_group) {
    char name[16] = "/";
    if (merge->n_groups > 0)
        snprintf(name, sizeof name, "%d", i_group);
    return H5Gopen2(file, name, H5P_DEFAULT);
}

void sarrus_merge_close(sarrus_merge *merge) {
    for (int i = 0; merge->parts != NULL && i < merge->n_parts; ++i) {
        if (merge->parts[i].file >= 0)
            H5Fclose(merge->parts[i].file);
        free(merge->parts[i].shown);
        free(merge->parts[i].groups);
    }
    free(merge->parts);
    *merge = (sarrus_merge){0};
}

/* ---- the parts ---- */

/* NULL without memory, or where the file cannot be found. */
static char *shown_make(const char *path, const char *folder) {
    char *full = realpath(path, NULL), *base = realpath(folder, NULL), *shown = NULL;
    const size_t n = base != NULL ? strlen(base) : 0;
    const bool is_below = full != NULL && n > 0 && strncmp(full, base, n) == 0 && (base[n - 1] == '/' || full[n] == '/');
    if (is_below)
        shown = strdup(full + n + (base[n - 1] != '/'));
    else if (full != NULL)
        shown = strdup(full);
    free(full);
    free(base);
    return shown;
}

static sarrus_status part_open(sarrus_merge_part *part, sarrus_context *context, const char *folder) {
    sarrus_status status = sarrus_result_info_read(context, part->path, &part->whole);
    if (status != SARRUS_OK)
        return status;
    if (!part->whole.complete)
        return sarrus_report(context, SARRUS_BAD_INPUT,
                             "%s is not complete; expected the results of runs that are, --resume goes on with others", part->path);
    const int n = part->whole.n_groups > 0 ? part->whole.n_groups : 1;
    part->groups = calloc((size_t)n, sizeof *part->groups);
    part->shown = shown_make(part->path, folder);
    if (part->groups == NULL || part->shown == NULL)
        return sarrus_report(context, SARRUS_NO_MEMORY, "out of memory for the parts");
    part->groups[0] = part->whole;
    for (int g = 0; g < part->whole.n_groups && status == SARRUS_OK; ++g)
        status = sarrus_result_group_info_read(context, part->path, g, &part->groups[g]);
    if (status == SARRUS_OK)
        part->file = sarrus_result_source_open(part->path);
    return status != SARRUS_OK || part->file >= 0 ? status : sarrus_report(context, SARRUS_IO, "%s: cannot be read", part->path);
}

static int parts_compare(const void *a, const void *b) {
    const sarrus_merge_part *x = a, *y = b;
    const uint64_t i = x->groups[0].first_instance, j = y->groups[0].first_instance;
    return (i > j) - (i < j);
}

/* Whether two roots have a dataset of the same text, or an attribute. */
static bool is_same_text(hid_t a, hid_t b, const char *name, bool is_attribute) {
    char *texts[2] = {sarrus_hdf5_read_text(a, name, is_attribute), sarrus_hdf5_read_text(b, name, is_attribute)};
    const bool is_same = texts[0] != NULL && texts[1] != NULL && strcmp(texts[0], texts[1]) == 0;
    for (int i = 0; i < 2; ++i)
        if (texts[i] != NULL)
            H5free_memory(texts[i]);
    return is_same;
}

/* What of a group is another in this part than in the first; NULL: nothing. */
static const char *difference(const sarrus_merge *merge, const sarrus_merge_part *part, int i_group) {
    const sarrus_result_info *first = &merge->parts[0].groups[i_group], *own = &part->groups[i_group];
    hid_t a = sarrus_merge_root(merge, merge->parts[0].file, i_group), b = sarrus_merge_root(merge, part->file, i_group);
    const char *what = NULL;
    if (strcmp(first->version, own->version) != 0)
        what = "another version of the program";
    else if (!is_same_text(a, b, "scenario", false))
        what = "another scenario";
    else if (first->seed != own->seed || first->n_study != own->n_study)
        what = "another study";
    else if (!is_same_text(a, b, "plan_hash", true))
        what = "another plan";
    else if (first->n_times != own->n_times || first->t_last != own->t_last)
        what = "other output times";
    if (a >= 0)
        H5Gclose(a);
    if (b >= 0)
        H5Gclose(b);
    return what;
}

/* Whether the parts, in their order, are the instances of a group from 0 to the last, each once. */
static sarrus_status instances_check(const sarrus_merge *merge, sarrus_context *context, int i_group) {
    uint64_t n = 0;
    for (int i = 0; i < merge->n_parts; ++i) {
        const sarrus_result_info *info = &merge->parts[i].groups[i_group];
        if (info->first_instance < n)
            return sarrus_report(context, SARRUS_BAD_INPUT,
                                 "%s has instances from %" PRIu64 " on, which %s has too; expected each once", merge->parts[i].path,
                                 info->first_instance, merge->parts[i - 1].path);
        if (info->first_instance > n)
            return sarrus_report(context, SARRUS_BAD_INPUT,
                                 "instances %" PRIu64 " to %" PRIu64 " are in no part; expected the whole study", n,
                                 info->first_instance - 1);
        n += info->n_instances;
    }
    const uint64_t n_study = merge->parts[0].groups[i_group].n_study;
    return n == n_study
               ? SARRUS_OK
               : sarrus_report(context, SARRUS_BAD_INPUT,
                               "instances %" PRIu64 " to %" PRIu64 " are in no part; expected the whole study", n, n_study - 1);
}

static sarrus_status parts_check(const sarrus_merge *merge, sarrus_context *context) {
    const int n_groups = merge->n_groups > 0 ? merge->n_groups : 1;
    for (int i = 1; i < merge->n_parts; ++i) {
        const sarrus_merge_part *part = &merge->parts[i];
        const char *what = part->whole.n_groups != merge->n_groups ? "another number of scenarios" : NULL;
        for (int g = 0; g < n_groups && what == NULL; ++g)
            what = difference(merge, part, g);
        if (what != NULL)
            return sarrus_report(context, SARRUS_BAD_INPUT, "%s is of %s than %s; expected parts of one study", part->path, what,
                                 merge->parts[0].path);
    }
    sarrus_status status = SARRUS_OK;
    for (int g = 0; g < n_groups && status == SARRUS_OK; ++g)
        status = instances_check(merge, context, g);
    return status;
}

sarrus_status sarrus_merge_open(sarrus_merge *merge, sarrus_context *context, const char *const *paths, int n_parts,
                                const char *folder) {
    *merge = (sarrus_merge){.n_parts = n_parts, .parts = calloc((size_t)n_parts, sizeof *merge->parts)};
    if (merge->parts == NULL)
        return sarrus_report(context, SARRUS_NO_MEMORY, "out of memory for the parts");
    for (int i = 0; i < n_parts; ++i)
        merge->parts[i] = (sarrus_merge_part){.path = paths[i], .file = -1};
    sarrus_status status = SARRUS_OK;
    for (int i = 0; i < n_parts && status == SARRUS_OK; ++i)
        status = part_open(&merge->parts[i], context, folder);
    if (status != SARRUS_OK)
        return status;
    qsort(merge->parts, (size_t)n_parts, sizeof *merge->parts, parts_compare);
    merge->n_groups = merge->parts[0].whole.n_groups;
    return parts_check(merge, context);
}

/* ---- the merged file ---- */

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
    for (int i = 0; i < 3; ++i) {
        ok = sarrus_hdf5_describe(datasets[i], "1", about[i]) && ok;
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
    char created[32];
    const int yes = 1;
    const time_t now = time(NULL);
    struct tm utc;
    for (int i = 0; i < merge->n_parts; ++i)
        n_trajectories += merge->parts[i].groups[i_group].n_trajectories;
    return gmtime_r(&now, &utc) != NULL && strftime(created, sizeof created, "%Y-%m-%dT%H:%M:%SZ", &utc) > 0 &&
           sarrus_hdf5_put_text(root, "created", created) && sarrus_hdf5_put_number(root, "complete", H5T_NATIVE_INT, &yes) &&
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

static sarrus_status refuse(sarrus_context *context, sarrus_status status, const char *path, const char *why) {
    return sarrus_report(context, status, "%s: %s", path, why);
}

/* Writes the file that the place has opened. */
static sarrus_status file_write(merge_writing *work, const sarrus_result_place *place, const char *path) {
    char message[256];
    hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    hid_t file = access >= 0 && H5Pset_file_locking(access, false, true) >= 0
                     ? H5Fcreate(place->name, H5F_ACC_TRUNC, H5P_DEFAULT, access)
                     : -1;
    bool ok = file >= 0 && groups_write(work, file);
    sarrus_hdf5_message(message, sizeof message); /* the next call forgets it */
    ok = (file < 0 || H5Fclose(file) >= 0) && ok;
    if (access >= 0)
        H5Pclose(access);
    if (ok || work->status != SARRUS_OK)
        return work->status;
    return sarrus_report(work->context, SARRUS_IO, "%s: cannot be written: %s", path,
                         message[0] != '\0' ? message : "out of memory");
}

static sarrus_status place_write(merge_writing *work, const char *path, int no_clobber) {
    sarrus_context *context = work->context;
    sarrus_result_place place;
    struct stat about;
    sarrus_status status = sarrus_result_place_take(&place, path, no_clobber != 0);
    const bool is_taken = status == SARRUS_OK;
    if (is_taken)
        status = file_write(work, &place, path);
    else
        status = refuse(context, status, path, place.message);
    if (status == SARRUS_OK) {
        place.takes_partial = true; /* a merge leaves nothing that could be gone on with */
        status = sarrus_result_place_reveal(&place);
        if (status == SARRUS_OK && fstat(place.descriptor, &about) == 0)
            status = sarrus_result_place_publish(&place, (uint64_t)about.st_size);
        if (status != SARRUS_OK)
            status = refuse(context, status, path, place.message);
    }
    sarrus_result_place_leave(&place, false);
    sarrus_result_place_free(&place);
    return status;
}

/* Of each time: statistics of the parts at the end of their motions are made anew. */
static bool has_statistics(const sarrus_merge *merge) {
    bool has = false;
    for (int g = 0; g == 0 || g < merge->n_groups; ++g) {
        hid_t root = sarrus_merge_root(merge, merge->parts[0].file, g);
        has = has ||
              (root >= 0 && H5Lexists(root, "statistics", H5P_DEFAULT) > 0 && H5Lexists(root, "statistics/n", H5P_DEFAULT) > 0);
        if (root >= 0)
            H5Gclose(root);
    }
    return has;
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
    if (status == SARRUS_OK)
        status = output_check(&merge, context, path);
    if (status == SARRUS_OK)
        status = place_write(&(merge_writing){&merge, context, finish, SARRUS_OK}, path, no_clobber);
    if (status == SARRUS_OK && has_statistics(&merge))
        (void)sarrus_report_at(context, SARRUS_NOTE, status, NULL,
                               "%s: the statistics over time of the parts are those of each alone, and not in it", path);
    sarrus_merge_close(&merge);
    sarrus_hdf5_silence_end(silence);
    free(folder);
    return status;
}
