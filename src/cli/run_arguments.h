/* What `sarrus run` is asked for. */
#ifndef SARRUS_CLI_RUN_ARGUMENTS_H
#define SARRUS_CLI_RUN_ARGUMENTS_H

#include "cli/scenario_argument.h"
#include "sarrus/run.h"

enum { SARRUS_MOST_PARTS = 65536 };

/* The options of `sarrus run`, as they were given. */
typedef struct sarrus_run_arguments {
    sarrus_settings settings;
    size_t n_settings;   /* of them the user's */
    const char *output;  /* NULL: made from the scenario's name */
    const char *samples; /* NULL: the run draws */
    const char *before;  /* a result whose failed instances are run again; NULL: a study is run */
    sarrus_backend backend;
    sarrus_specialize specialize;
    uint64_t n_threads, n_devices, n_instances, seed, instance, group;
    uint64_t shard, n_shards; /* n_shards 0: the whole study */
    uint64_t n_parts, memory; /* in which it is run, 0: as it comes; bytes that it may take, 0: all there is */
    bool has_seed, has_instance, has_group, is_quiet, is_json, is_help, no_clobber, resumes;
    double checkpoint_seconds; /* as in sarrus_run_options */
} sarrus_run_arguments;

/* Takes the options in; false when one was refused (the message is out). settings are to be given to sarrus_settings_free in any
 * case. */
bool sarrus_run_arguments_read(int argc, char **argv, sarrus_run_arguments *out);

/* The text of --help, to standard output. */
void sarrus_run_help_print(void);

#endif
