#include "cli/run_arguments.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/command.h"

void sarrus_run_help_print(void) {
    printf("Usage: sarrus run FILE [options]\n\n"
           "Draws the parameters, assembles every instance, integrates to t_end and streams the results\n"
           "to an HDF5 file.\n\n"
           "  -o, --output OUT.h5         result file (default: the scenario's base name, in this folder); it is\n"
           "                              written as OUT.h5.partial, and replaces an older result at the end\n"
           "      --no-clobber            do not replace a complete result\n"
           "      --backend auto|cpu|cuda where to compute (default auto; cuda is never replaced silently)\n"
           "      --specialize auto|on|off compile kernels for this mechanism (default auto: when it pays)\n"
           "      --threads N             processor threads (default: all)\n"
           "      --devices N             GPUs to split the instances between (default: all that are visible)\n"
           "      --instances N           number of instances, instead of the scenario's\n"
           "      --instance I            replay instance I (from 0) of the study alone: the same bits, a row for\n"
           "                              every step, into NAME.instance_I.h5; G/I of several scenarios\n"
           "      --shard K/N             the K-th (from 0) of N equal parts of the instances, into NAME.shard_K_of_N.h5\n"
           "      --parts P               run the study in P parts, one after the other or by several processes, below\n"
           "                              OUT.h5.parts; mpirun and srun make them of themselves\n"
           "      --memory BYTES          take no more memory, as 800M or 4G, by running the study in parts\n"
           "      --samples FILE          an own sample instead of draws, a row for each instance: a .csv with a line of\n"
           "                              names, a .npy array, or HDF5, as a result of another run\n"
           "      --retry-failed OLD.h5   run the failed instances of a result again, as with another --set integrator.dt, and\n"
           "                              write a copy of it with their new rows into NAME.retried.h5\n"
           "      --seed S                seed of the draws, instead of the scenario's\n"
           "      --set PATH=VALUE        replace a number or a key of the scenario (may be repeated)\n"
           "      --resume                go on where an earlier run of the same has stood when it was stopped, killed\n"
           "                              or failed; without one begin anew, of a complete result do nothing\n"
           "      --checkpoint S|off      seconds between the checkpoints that --resume goes on from (default 5)\n"
           "      --quiet                 no progress bar, no summary\n"
           "      --json                  the summary as one JSON object on standard output\n"
           "  -h, --help                  this text\n\n"
           "Exit codes: 0 done, 1 done but some instances failed, 2 bad usage or input, 3 I/O failure,\n"
           "4 backend not usable, 129, 130, 138 or 143 stopped by SIGHUP, SIGINT, SIGUSR1 or SIGTERM (the file is valid,\n"
           "and --resume goes on with it).\n");
}

enum {
    OPTION_BACKEND = 256,
    OPTION_SPECIALIZE,
    OPTION_THREADS,
    OPTION_DEVICES,
    OPTION_INSTANCES,
    OPTION_INSTANCE,
    OPTION_SHARD,
    OPTION_PARTS,
    OPTION_MEMORY,
    OPTION_SAMPLES,
    OPTION_RETRY_FAILED,
    OPTION_SEED,
    OPTION_SET,
    OPTION_NO_CLOBBER,
    OPTION_RESUME,
    OPTION_CHECKPOINT,
    OPTION_QUIET,
    OPTION_JSON
};

static bool specialize_read(const char *command, const char *text, sarrus_specialize *out) {
    static const char *const names[] = {"off", "auto", "on"};
    for (int i = 0; i < 3; ++i) {
        if (strcmp(text, names[i]) == 0) {
            *out = (sarrus_specialize)i;
            return true;
        }
    }
    sarrus_option_refuse(command, "--specialize is auto, on or off; got '%s'", text);
    return false;
}

/* Seconds, or off. None between them: as often as there are slices. */
static bool checkpoint_read(const char *command, double *out) {
    char *end = NULL;
    const double seconds = strtod(optarg, &end);
    const bool is_off = strcmp(optarg, "off") == 0;
    const bool is_good = is_off || (end != optarg && *end == '\0' && seconds >= 0.0 && seconds <= 1e9);
    *out = is_off ? -1.0 : seconds > 0.0 ? seconds : DBL_MIN;
    if (!is_good)
        sarrus_option_refuse(command, "--checkpoint needs seconds, 0 or more, or off; got '%s'", optarg);
    return is_good;
}

/* I, or G/I of a document of several scenarios. */
static bool instance_read(const char *command, sarrus_run_arguments *out) {
    const uint64_t most = (UINT64_C(1) << 40) - 1;
    char group[24];
    const char *slash = strchr(optarg, '/'), *number = slash != NULL ? slash + 1 : optarg;
    const size_t n_group = slash != NULL ? (size_t)(slash - optarg) : 0;
    bool is_good = sarrus_option_number(number, most, &out->instance) && n_group < sizeof group;
    if (is_good && slash != NULL) {
        snprintf(group, sizeof group, "%.*s", (int)n_group, optarg);
        is_good = sarrus_option_number(group, most, &out->group);
    }
    out->has_instance = true;
    out->has_group = slash != NULL;
    if (!is_good)
        sarrus_option_refuse(command,
                             "--instance needs a whole number from 0 to %llu, or two, as 0/17, of several scenarios; got '%s'",
                             (unsigned long long)most, optarg);
    return is_good;
}

/* K/N, of N parts the K-th, from 0. */
static bool shard_read(const char *command, sarrus_run_arguments *out) {
    const uint64_t most = UINT64_C(1) << 20;
    char text[24];
    const char *slash = strchr(optarg, '/');
    const size_t n = slash != NULL ? (size_t)(slash - optarg) : sizeof text;
    bool is_good = n < sizeof text && sarrus_option_number(slash + 1, most, &out->n_shards);
    if (is_good) {
        snprintf(text, sizeof text, "%.*s", (int)n, optarg);
        is_good = sarrus_option_number(text, most, &out->shard) && out->shard < out->n_shards;
    }
    if (!is_good)
        sarrus_option_refuse(command, "--shard needs K/N, as 0/4 to 3/4 for four parts; got '%s'", optarg);
    return is_good;
}

/* A number of bytes, also of k, M, G, T or Ki, Mi, Gi, Ti. Digits and a point: no sign, no blank, no exponent. */
static bool memory_read(const char *command, uint64_t *out) {
    static const char prefixes[] = "kMGT";
    char *end = NULL;
    const double number = strtod(optarg, &end);
    const char *prefix = *end != '\0' ? strchr(prefixes, *end == 'K' ? 'k' : *end) : NULL;
    const bool is_binary = prefix != NULL && end[1] == 'i';
    const int n_unit = prefix == NULL ? 0 : is_binary ? 2 : 1;
    const double unit = prefix == NULL ? 1.0 : pow(is_binary ? 1024.0 : 1000.0, (double)(prefix - prefixes + 1));
    const bool is_good = end != optarg && end == optarg + strspn(optarg, "0123456789.") &&
                         (end[n_unit] == '\0' || strcmp(end + n_unit, "B") == 0) && number * unit >= 1.0 && number * unit < 0x1p62;
    *out = is_good ? (uint64_t)(number * unit) : 0;
    if (!is_good)
        sarrus_option_refuse(command, "--memory needs a number of bytes, as 800M or 4G; got '%s'", optarg);
    return is_good;
}

/* The name of a file, which is not empty. */
static bool name_take(const char *command, const char *option, const char **out) {
    *out = optarg;
    if (*optarg == '\0')
        sarrus_option_refuse(command, "--%s needs the name of a file", option);
    return *optarg != '\0';
}

/* Takes one option in; false when it was refused (the message is out). */
static bool option_take(const char *command, int option, sarrus_run_arguments *out) {
    switch (option) {
    case 'h':
        out->is_help = true;
        return true;
    case 'o':
        return name_take(command, "output", &out->output);
    case OPTION_BACKEND:
        return sarrus_option_backend(command, optarg, &out->backend);
    case OPTION_SPECIALIZE:
        return specialize_read(command, optarg, &out->specialize);
    case OPTION_THREADS:
        return sarrus_option_count(command, "threads", 1, 4096, &out->n_threads);
    case OPTION_DEVICES:
        return sarrus_option_count(command, "devices", 1, 64, &out->n_devices);
    case OPTION_INSTANCES:
        return sarrus_option_count(command, "instances", 1, UINT64_C(1) << 40, &out->n_instances);
    case OPTION_INSTANCE:
        return instance_read(command, out);
    case OPTION_SHARD:
        return shard_read(command, out);
    case OPTION_PARTS:
        return sarrus_option_count(command, "parts", 1, SARRUS_MOST_PARTS, &out->n_parts);
    case OPTION_MEMORY:
        return memory_read(command, &out->memory);
    case OPTION_SAMPLES:
        return name_take(command, "samples", &out->samples);
    case OPTION_RETRY_FAILED:
        return name_take(command, "retry-failed", &out->before);
    case OPTION_SEED:
        out->has_seed = true;
        return sarrus_option_count(command, "seed", 0, UINT64_MAX, &out->seed);
    case OPTION_SET:
        return sarrus_settings_add(&out->settings, command, optarg);
    case OPTION_NO_CLOBBER:
        out->no_clobber = true;
        return true;
    case OPTION_QUIET:
        out->is_quiet = true;
        return true;
    case OPTION_JSON:
        out->is_json = true;
        return true;
    case OPTION_RESUME:
        out->resumes = true;
        return true;
    case OPTION_CHECKPOINT:
        return checkpoint_read(command, &out->checkpoint_seconds);
    default:
        return false;
    }
}

/* Who fails again has its number and its parameters. */
static bool retry_check(const char *command, const sarrus_run_arguments *arguments) {
    const char *other = arguments->has_instance      ? "--instance"
                        : arguments->n_shards > 0    ? "--shard"
                        : arguments->resumes         ? "--resume"
                        : arguments->samples != NULL ? "--samples"
                        : arguments->n_instances > 0 ? "--instances"
                        : arguments->has_seed        ? "--seed"
                                                     : NULL;
    if (arguments->before == NULL || other == NULL)
        return true;
    sarrus_option_refuse(command, "%s together with --retry-failed; failed instances are run as they were drawn", other);
    return false;
}

/* Options that do not go together. */
static bool conflicts_check(const char *command, const sarrus_run_arguments *out) {
    if (!retry_check(command, out))
        return false;
    if (out->has_instance && out->n_shards > 0) {
        sarrus_option_refuse(command, "--shard together with --instance; expected one of them");
        return false;
    }
    const char *whole = out->has_instance     ? "--instance"
                        : out->n_shards > 0   ? "--shard"
                        : out->before != NULL ? "--retry-failed"
                                              : NULL;
    if (whole != NULL && (out->n_parts > 0 || out->memory > 0)) {
        sarrus_option_refuse(command, "%s together with %s; expected one of them", out->n_parts > 0 ? "--parts" : "--memory",
                             whole);
        return false;
    }
    if (out->has_instance && out->resumes) {
        sarrus_option_refuse(command, "--resume together with --instance; a replay is run again as a whole");
        return false;
    }
    if (out->has_instance && out->n_devices > 1) {
        sarrus_option_refuse(command, "--devices %llu together with --instance; one instance runs on one device",
                             (unsigned long long)out->n_devices);
        return false;
    }
    return true;
}

bool sarrus_run_arguments_read(int argc, char **argv, sarrus_run_arguments *out) {
    static const struct option table[] = {
        {"output", required_argument, NULL, 'o'},
        {"backend", required_argument, NULL, OPTION_BACKEND},
        {"specialize", required_argument, NULL, OPTION_SPECIALIZE},
        {"threads", required_argument, NULL, OPTION_THREADS},
        {"devices", required_argument, NULL, OPTION_DEVICES},
        {"instances", required_argument, NULL, OPTION_INSTANCES},
        {"instance", required_argument, NULL, OPTION_INSTANCE},
        {"shard", required_argument, NULL, OPTION_SHARD},
        {"parts", required_argument, NULL, OPTION_PARTS},
        {"memory", required_argument, NULL, OPTION_MEMORY},
        {"samples", required_argument, NULL, OPTION_SAMPLES},
        {"retry-failed", required_argument, NULL, OPTION_RETRY_FAILED},
        {"seed", required_argument, NULL, OPTION_SEED},
        {"set", required_argument, NULL, OPTION_SET},
        {"no-clobber", no_argument, NULL, OPTION_NO_CLOBBER},
        {"resume", no_argument, NULL, OPTION_RESUME},
        {"checkpoint", required_argument, NULL, OPTION_CHECKPOINT},
        {"quiet", no_argument, NULL, OPTION_QUIET},
        {"json", no_argument, NULL, OPTION_JSON},
        {"help", no_argument, NULL, 'h'},
        {0},
    };
    *out = (sarrus_run_arguments){.specialize = SARRUS_SPECIALIZE_AUTO};
    for (int option; (option = sarrus_option_next(argc, argv, ":o:h", table)) != -1;)
        if (!option_take(argv[0], option, out))
            return false;
    return conflicts_check(argv[0], out);
}
