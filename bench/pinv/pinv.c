/* `sarrus bench pinv`: every pseudoinverse method on matrices of known difficulty against 50-digit arithmetic, and its speed next
 * to LAPACK loops and NumPy. Classes on which the rank is well defined gate the methods that promise accuracy there. */
#include "bench/pinv/pinv.h"

#include <stdlib.h>
#include <string.h>

#include "edge/exit_code.h"
#include "edge/diagnostics.h"

#include "bench/benches.h"
#include "bench/measure/measure.h"
#include "bench/pinv/cuda.h"

const sarrus_pinv_method sarrus_bench_methods[SARRUS_BENCH_N_SHOWN] = {
    SARRUS_PINV_SVD, SARRUS_PINV_JACOBI, SARRUS_PINV_HOUSEHOLDER, SARRUS_PINV_VARGA,  SARRUS_PINV_TRUNCATED, SARRUS_PINV_GREVILLE,
    SARRUS_PINV_MGS, SARRUS_PINV_MGS2,   SARRUS_PINV_CHOLESKY,    SARRUS_PINV_NORMAL, SARRUS_PINV_TIKHONOV,  SARRUS_PINV_LAPACK,
};
const char *const sarrus_bench_peer_names[SARRUS_BENCH_N_PEERS] = {"dgesdd", "numpy", "numpy split", "dgelsd", "dgelsy"};
const char *const sarrus_bench_form_names[SARRUS_BENCH_N_FORMS] = {"explicit", "apply"};

static const char usage[] =
    "usage: sarrus bench pinv [--json] [-o FILE] [--quick] [--accuracy | --speed] [--threads N] [--largest N]\n"
    "                         [--backend NAME] [--python PROGRAM]\n"
    "  --json            machine-readable output\n"
    "  -o, --output FILE writes the machine-readable output to FILE, whatever is printed\n"
    "  --quick           fewer matrices and shapes, batches up to 10,000\n"
    "  --accuracy        only the accuracy\n"
    "  --speed           only the speed\n"
    "  --threads N       measure the speed with N threads and with 1 (default: all processors and 1)\n"
    "  --largest N       largest batch of 12x12 matrices (default 1000000)\n"
    "  --backend NAME    cpu (default) or cuda: speed on a CUDA device, with cuSOLVER, torch, CuPy and JAX beside it\n"
    "  --python PROGRAM  runs those of Python (default python3)\n";

static bool parse_number(const char *text, uint64_t *out) {
    char *end = NULL;
    *out = strtoull(text, &end, 10);
    return *text >= '0' && *text <= '9' && *end == '\0' && *out >= 1;
}

/* Takes the option at argv[*i_argument] and its value; false when it is not understood. */
static bool parse_option(int argc, char **argv, int *i_argument, sarrus_bench_pinv_options *options) {
    const char *option = argv[*i_argument];
    bool *flag = strcmp(option, "--json") == 0       ? &options->json
                 : strcmp(option, "--quick") == 0    ? &options->quick
                 : strcmp(option, "--accuracy") == 0 ? &options->with_accuracy
                 : strcmp(option, "--speed") == 0    ? &options->with_speed
                                                     : NULL;
    if (flag != NULL) {
        *flag = true;
        return true;
    }
    if (*i_argument + 1 >= argc) {
        return false;
    }
    const char *value = argv[++*i_argument];
    uint64_t number = 0;
    if (strcmp(option, "-o") == 0 || strcmp(option, "--output") == 0) {
        options->output = value;
        return true;
    }
    if (strcmp(option, "--backend") == 0 && (strcmp(value, "cpu") == 0 || strcmp(value, "cuda") == 0)) {
        options->on_device = strcmp(value, "cuda") == 0;
        return true;
    }
    if (strcmp(option, "--python") == 0) {
        options->python = value;
        return true;
    }
    if (strcmp(option, "--threads") == 0 && parse_number(value, &number) && number <= 256) {
        options->thread_counts[0] = (int)number;
        return true;
    }
    if (strcmp(option, "--largest") == 0 && parse_number(value, &number)) {
        options->largest = number;
        return true;
    }
    return false;
}

static bool parse_options(int argc, char **argv, sarrus_bench_pinv_options *options) {
    *options = (sarrus_bench_pinv_options){.largest = 0};
    for (int i = 1; i < argc; i++) {
        if (!parse_option(argc, argv, &i, options)) {
            fprintf(stderr, "sarrus bench pinv: '%s' is not understood\n%s", argv[i < argc ? i : argc - 1], usage);
            return false;
        }
    }
    if (!options->with_accuracy && !options->with_speed) {
        options->with_accuracy = options->with_speed = true;
    }
    if (options->thread_counts[0] == 0) {
        options->thread_counts[0] = sarrus_bench_n_processors();
    }
    options->thread_counts[1] = 1;
    options->n_thread_counts = options->thread_counts[0] == 1 || options->quick ? 1 : 2;
    options->n_repetitions = options->quick ? 2 : SARRUS_BENCH_PINV_REPETITIONS;
    options->n_matrices = options->quick ? 1 : 8;
    options->seconds = options->quick ? 0.002 : 0.04;
    if (options->largest == 0) {
        options->largest = options->quick ? 10000 : 1000000;
    }
    return true;
}

static int count_failures(const sarrus_bench_pinv_report *report) {
    int n_failures = 0;
    for (int i_class = 0; i_class < SARRUS_BENCH_N_CLASSES; i_class++) {
        for (int i_method = 0; i_method < SARRUS_BENCH_N_SHOWN; i_method++) {
            for (int form = 0; form < SARRUS_BENCH_N_FORMS; form++) {
                n_failures += report->accuracy[i_class][i_method][form].fails;
            }
        }
    }
    for (int i = 0; i < report->n_rows; i++) {
        n_failures += report->rows[i].fails;
    }
    return n_failures;
}

/* `file` gets the JSON; NULL: nobody does. */
static int run(sarrus_context *context, sarrus_bench_pinv_report *report, FILE *file) {
    sarrus_status status = SARRUS_OK;
    if (report->options->with_accuracy) {
        status = sarrus_bench_pinv_accuracy(context, report);
    }
    if (report->options->with_speed && status == SARRUS_OK) {
        status = sarrus_bench_pinv_speed(context, report);
    }
    if (status != SARRUS_OK) {
        sarrus_diagnostics_print(context, stderr);
        fprintf(stderr, "sarrus bench pinv: error: %s\n", sarrus_status_text(status));
        return sarrus_exit_code(status);
    }
    (report->options->json ? sarrus_bench_pinv_print_json : sarrus_bench_pinv_print_table)(stdout, report);
    if (file != NULL) {
        sarrus_bench_pinv_print_json(file, report);
    }
    return sarrus_bench_finish("pinv", count_failures(report), file);
}

int sarrus_bench_pinv(int argc, char **argv) {
    sarrus_bench_pinv_options options;
    if (sarrus_bench_help_is_asked(argc, argv, usage))
        return SARRUS_EXIT_DONE;
    if (!parse_options(argc, argv, &options)) {
        return SARRUS_EXIT_BAD_INPUT;
    }
    /* Opened before minutes are spent on what it is to hold; but an earlier one is not lost to a device that is not there. */
    const bool is_measurable = !options.on_device || sarrus_backend_n_devices(SARRUS_BACKEND_CUDA) > 0;
    FILE *file = options.output == NULL || !is_measurable ? NULL : fopen(options.output, "w");
    if (options.output != NULL && is_measurable && file == NULL) {
        perror(options.output);
        return SARRUS_EXIT_IO;
    }
    sarrus_context *context = NULL;
    sarrus_bench_pinv_report *report = calloc(1, sizeof *report);
    int exit_code = sarrus_exit_code(SARRUS_NO_MEMORY);
    if (report == NULL || sarrus_context_create(&context) != SARRUS_OK) {
        fprintf(stderr, "sarrus bench pinv: error: %s\n", sarrus_status_text(SARRUS_NO_MEMORY));
    } else {
        report->options = &options;
        report->isa = sarrus_bench_isa_find(NULL);
        exit_code = options.on_device ? sarrus_bench_pinv_cuda(context, &options, file) : run(context, report, file);
    }
    sarrus_context_destroy(context);
    free(report);
    if (file != NULL && fclose(file) != 0) {
        return SARRUS_EXIT_IO;
    }
    return exit_code;
}
