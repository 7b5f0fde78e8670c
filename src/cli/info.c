#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "cli/command.h"
#include "edge/exit_code.h"
#include "cli/confined.h"
#include "cli/plain_text.h"
#include "edge/diagnostics.h"
#include "edge/json.h"
#include "cli/scenario_argument.h"
#include "cli/size_text.h"
#include "sarrus/run.h"
#include "sink/hdf5_error.h"

static void help_print(void) {
    printf("Usage: sarrus info OUT.h5 [--json]\n\n"
           "Prints what a result file holds: how it was made, whether it is complete, how the instances\n"
           "ended, and every dataset with its shape, type, units and stored size.\n");
}

static void dataset_print(const char *path, int n_dims, const uint64_t *dims, const char *type, uint64_t stored_bytes,
                          const char *units, void *user) {
    char shape[96] = "", bytes[32], name[SARRUS_PLAIN_TEXT_BYTES], unit[SARRUS_PLAIN_TEXT_BYTES];
    size_t n = 0;
    (void)user;
    for (int i = 0; i < n_dims && n < sizeof shape; ++i)
        n += (size_t)snprintf(shape + n, sizeof shape - n, "%s%" PRIu64, i > 0 ? " x " : "", dims[i]);
    sarrus_size_text(stored_bytes, bytes, sizeof bytes);
    printf("  %-34s %-22s %-8s %10s  %s\n", sarrus_plain_text(path, name), n_dims > 0 ? shape : "scalar", type, bytes,
           sarrus_plain_text(units != NULL ? units : "", unit));
}

static void dataset_print_json(const char *path, int n_dims, const uint64_t *dims, const char *type, uint64_t stored_bytes,
                               const char *units, void *user) {
    sarrus_json *json = user;
    sarrus_json_open(json, NULL, '{');
    sarrus_json_text(json, "path", path);
    sarrus_json_open(json, "shape", '[');
    for (int i = 0; i < n_dims; ++i)
        sarrus_json_count(json, NULL, dims[i]);
    sarrus_json_close(json, ']');
    sarrus_json_text(json, "type", type);
    sarrus_json_count(json, "stored_bytes", stored_bytes);
    if (units != NULL)
        sarrus_json_text(json, "units", units);
    else
        sarrus_json_null(json, "units");
    sarrus_json_close(json, '}');
}

/* Where it was computed, how the instances ended, and how far it came. */
static void group_print(const sarrus_result_info *info) {
    char backend[SARRUS_PLAIN_TEXT_BYTES], device[SARRUS_PLAIN_TEXT_BYTES], file[SARRUS_PLAIN_TEXT_BYTES];
    printf("  backend    %s (%s), seed %" PRIu64 "\n", sarrus_plain_text(info->backend, backend),
           sarrus_plain_text(info->device, device), info->seed);
    if (info->is_of_group)
        printf("  group      %d of the study: %s\n", info->study_group, sarrus_plain_text(info->scenario_file, file));
    printf("  instances  %" PRIu64, info->n_instances);
    if (info->n_study != info->n_instances)
        printf(" of %" PRIu64 ": from %" PRIu64 " on", info->n_study, info->first_instance);
    printf(", failed %" PRIu64 "\n", info->n_failed);
    for (int i = 1; i < SARRUS_N_INSTANCE_STATUS; ++i)
        if (info->n_failed_by_status[i] > 0)
            printf("             %" PRIu64 " %s: %s\n", info->n_failed_by_status[i],
                   sarrus_instance_status_word((sarrus_instance_status)i), sarrus_instance_status_text((sarrus_instance_status)i));
    if (info->n_trajectories != info->n_instances)
        printf("  kept       %" PRIu64 " %s\n", info->n_trajectories, info->n_trajectories == 1 ? "trajectory" : "trajectories");
    printf("  times      %" PRIu64 ", %g to %g s\n", info->n_times, info->t_first, info->t_last);
    printf("  state      %d coordinates\n", info->n_coordinates);
    if (info->n_parts > 0)
        printf("  parts      %d, %d of them missing%s\n", info->n_parts, info->n_parts_missing,
               info->n_parts_missing > 0 ? ": their instances read as NaN or 0, with the status 255" : "");
    if (info->has_rank_events)
        printf("  events     %" PRIu64 " change%s of rank\n", info->n_rank_events, info->n_rank_events == 1 ? "" : "s");
}

static void info_print(const char *path, const sarrus_result_info *info, const sarrus_result_info *groups) {
    char bytes[32], made[SARRUS_PLAIN_TEXT_BYTES], version[SARRUS_PLAIN_TEXT_BYTES], file[SARRUS_PLAIN_TEXT_BYTES];
    sarrus_size_text(info->file_bytes, bytes, sizeof bytes);
    printf("%s: %s, %s\n", path, info->complete ? "complete" : "NOT complete (the run was stopped or is still going on)", bytes);
    printf("  written    %s by sarrus %s, format %d\n", sarrus_plain_text(info->created, made),
           sarrus_plain_text(info->version, version), info->format);
    if (info->n_groups == 0)
        group_print(info);
    else
        printf("  groups     %d, with %" PRIu64 " instances, failed %" PRIu64 "\n", info->n_groups, info->n_instances,
               info->n_failed);
    for (int g = 0; g < info->n_groups; ++g) {
        printf("\ngroup /%d: %s%s\n", g, sarrus_plain_text(groups[g].scenario_file, file),
               groups[g].complete ? "" : ", NOT complete");
        group_print(&groups[g]);
    }
    printf("\n");
    printf("  %-34s %-22s %-8s %10s  %s\n", "dataset", "shape", "type", "stored", "units");
}

/* What only a run of one scenario has; of several the groups have it. */
static void own_print_json(sarrus_json *json, const sarrus_result_info *info) {
    static const char *const names[] = {"seed", "n_times", "t_first", "t_last", "n_coordinates"};
    for (size_t i = 0; info->n_groups > 0 && i < sizeof names / sizeof names[0]; ++i)
        sarrus_json_null(json, names[i]);
    if (info->n_groups > 0)
        return;
    sarrus_json_count(json, "seed", info->seed);
    sarrus_json_count(json, "n_times", info->n_times);
    sarrus_json_number(json, "t_first", info->t_first);
    sarrus_json_number(json, "t_last", info->t_last);
    sarrus_json_count(json, "n_coordinates", (uint64_t)info->n_coordinates);
}

/* The same for programs, into an object that is open. */
static void group_print_json(sarrus_json *json, const sarrus_result_info *info) {
    sarrus_json_text(json, "backend", info->backend);
    sarrus_json_text(json, "device", info->device);
    own_print_json(json, info);
    sarrus_json_count(json, "n_instances", info->n_instances);
    sarrus_json_count(json, "first_instance", info->first_instance);
    sarrus_json_count(json, "n_study_instances", info->n_study);
    sarrus_json_count(json, "n_trajectories", info->n_trajectories);
    sarrus_json_count(json, "n_failed", info->n_failed);
    sarrus_json_open(json, "failed_by_status", '{');
    for (int i = 1; i < SARRUS_N_INSTANCE_STATUS; ++i)
        sarrus_json_count(json, sarrus_instance_status_word((sarrus_instance_status)i), info->n_failed_by_status[i]);
    sarrus_json_close(json, '}');
    sarrus_json_count(json, "n_parts", (uint64_t)info->n_parts);
    sarrus_json_count(json, "n_parts_missing", (uint64_t)info->n_parts_missing);
    if (info->has_rank_events)
        sarrus_json_count(json, "n_rank_events", info->n_rank_events);
    else
        sarrus_json_null(json, "n_rank_events");
}

static void info_print_json(sarrus_json *json, const char *path, const sarrus_result_info *info, const sarrus_result_info *groups) {
    sarrus_json_begin(json, stdout);
    sarrus_json_text(json, "file", path);
    sarrus_json_flag(json, "complete", info->complete != 0);
    sarrus_json_count(json, "format", (uint64_t)info->format);
    sarrus_json_text(json, "version", info->version);
    sarrus_json_text(json, "created", info->created);
    group_print_json(json, info);
    if (info->is_of_group) {
        sarrus_json_count(json, "study_group", (uint64_t)info->study_group);
        sarrus_json_text(json, "study_group_file", info->scenario_file);
    } else {
        sarrus_json_null(json, "study_group");
        sarrus_json_null(json, "study_group_file");
    }
    sarrus_json_count(json, "file_bytes", info->file_bytes);
    if (info->n_groups > 0) {
        sarrus_json_open(json, "groups", '[');
        for (int g = 0; g < info->n_groups; ++g) {
            sarrus_json_open(json, NULL, '{');
            sarrus_json_text(json, "scenario", groups[g].scenario_file);
            sarrus_json_flag(json, "complete", groups[g].complete != 0);
            group_print_json(json, &groups[g]);
            sarrus_json_close(json, '}');
        }
        sarrus_json_close(json, ']');
    }
    sarrus_json_open(json, "datasets", '[');
}

typedef struct file_argument {
    const char *path;
    bool is_json;
} file_argument;

static int file_show(const void *user) {
    const file_argument *argument = user;
    const char *path = argument->path;
    sarrus_context *context = NULL;
    sarrus_result_info info, groups[SARRUS_MAX_GROUPS];
    if (!sarrus_hdf5_start()) {
        fprintf(stderr, "sarrus: error: HDF5 cannot be started: out of memory\n");
        return SARRUS_EXIT_IO;
    }
    if (sarrus_context_create(&context) != SARRUS_OK) {
        fprintf(stderr, "sarrus: error: out of memory\n");
        return SARRUS_EXIT_IO;
    }
    sarrus_status status = sarrus_result_info_read(context, path, &info);
    for (int g = 0; status == SARRUS_OK && g < info.n_groups; ++g)
        status = sarrus_result_group_info_read(context, path, g, &groups[g]);
    if (status == SARRUS_OK && argument->is_json) {
        sarrus_json json;
        info_print_json(&json, path, &info, groups);
        status = sarrus_result_visit(context, path, dataset_print_json, &json);
        sarrus_json_close(&json, ']');
        sarrus_json_close(&json, '}');
    } else if (status == SARRUS_OK) {
        info_print(path, &info, groups);
        status = sarrus_result_visit(context, path, dataset_print, NULL);
    }
    sarrus_failure_print(context, status, stderr);
    sarrus_context_destroy(context);
    return sarrus_exit_code(status);
}

int sarrus_command_info(int argc, char **argv) {
    static const struct option table[] = {{"json", no_argument, NULL, 'j'}, {"help", no_argument, NULL, 'h'}, {0}};
    bool is_json = false;
    for (int option; (option = sarrus_option_next(argc, argv, ":h", table)) != -1;) {
        if (option == 'h') {
            help_print();
            return SARRUS_EXIT_DONE;
        }
        if (option != 'j')
            return SARRUS_EXIT_BAD_INPUT;
        is_json = true;
    }
    const char *path = sarrus_file_argument(argc, argv, "a result file");
    const file_argument argument = {.path = path, .is_json = is_json};
    return path != NULL ? sarrus_confined_run(file_show, &argument, path) : SARRUS_EXIT_BAD_INPUT;
}
