#include "sink/merge.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/report.h"
#include "plan/plan.h"
#include "sink/hdf5_object.h"
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
    if (part->whole.n_parts > 0)
        return sarrus_report(context, SARRUS_BAD_INPUT, "%s is a merged result; expected its parts, with all the others at once",
                             part->path);
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
    if (part->file >= 0 && sarrus_hdf5_has(part->file, "replay"))
        return sarrus_report(context, SARRUS_BAD_INPUT, "%s is a replay; expected the results of runs", part->path);
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

static const char another_plan[] = "another plan";
#define MADE_ALIKE "; " SARRUS_ANOTHER_PLAN_NOTE ": make all parts by one"

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
        what = another_plan;
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
    if (n > n_study)
        return sarrus_report(context, SARRUS_BAD_INPUT, "the parts have %" PRIu64 " instances, the study %" PRIu64, n, n_study);
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
            return sarrus_report(context, SARRUS_BAD_INPUT, "%s is of %s than %s; expected parts of one study%s", part->path, what,
                                 merge->parts[0].path, what == another_plan ? MADE_ALIKE : "");
    }
    sarrus_status status = SARRUS_OK;
    for (int g = 0; g < n_groups && status == SARRUS_OK; ++g)
        status = instances_check(merge, context, g);
    for (int g = 0; g < n_groups && status == SARRUS_OK; ++g)
        status = sarrus_merge_check(merge, context, g);
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
