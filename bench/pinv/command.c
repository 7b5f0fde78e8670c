/* `sarrus bench pinv`: every pseudoinverse method on matrices of known difficulty against 50-digit arithmetic, and its speed next
 * to LAPACK loops and NumPy. Classes on which the rank is well defined gate the methods that promise accuracy there. */
#include "bench/pinv/pinv.h"

#include <stdlib.h>
#include <string.h>

#include "edge/exit_code.h"

#include "bench/benches.h"
#include "bench/measure/measure.h"
#include "bench/measure/options.h"
#include "bench/pinv/cuda.h"

const sarrus_pinv_method sarrus_bench_methods[SARRUS_BENCH_N_SHOWN] = {
    SARRUS_PINV_SVD, SARRUS_PINV_JACOBI, SARRUS_PINV_HOUSEHOLDER, SARRUS_PINV_VARGA,  SARRUS_PINV_TRUNCATED, SARRUS_PINV_GREVILLE,
    SARRUS_PINV_MGS, SARRUS_PINV_MGS2,   SARRUS_PINV_CHOLESKY,    SARRUS_PINV_NORMAL, SARRUS_PINV_TIKHONOV,  SARRUS_PINV_LAPACK,
};
const char *const sarrus_bench_peer_names[SARRUS_BENCH_N_PEERS] = {"dgesdd", "numpy", "numpy split", "dgelsd", "dgelsy"};
const char *const sarrus_bench_form_names[SARRUS_BENCH_N_FORMS] = {"explicit", "apply"};

/* What is asked for, and a file for the JSON beside what is printed; NULL: none. */
typedef struct request {
    sarrus_bench_pinv_options options;
    FILE *file;
} request;

/* What is not asked for. */
static void complete(sarrus_bench_pinv_options *options, uint64_t n_threads) {
    if (!options->with_accuracy && !options->with_speed)
        options->with_accuracy = options->with_speed = true;
    options->thread_counts[0] = n_threads > 0 ? (int)n_threads : sarrus_bench_n_processors();
    options->thread_counts[1] = 1;
    options->n_thread_counts = options->thread_counts[0] == 1 || options->quick ? 1 : 2;
    options->n_repetitions = options->quick ? 2 : SARRUS_BENCH_PINV_REPETITIONS;
    options->n_matrices = options->quick ? 1 : 8;
    options->seconds = options->quick ? 0.002 : 0.04;
    if (options->largest == 0)
        options->largest = options->quick ? 10000 : 1000000;
}

static int count_failures(const sarrus_bench_pinv_report *report) {
    int n_failures = 0;
    for (int i_class = 0; i_class < SARRUS_BENCH_N_CLASSES; ++i_class) {
        for (int i_method = 0; i_method < SARRUS_BENCH_N_SHOWN; ++i_method) {
            for (int form = 0; form < SARRUS_BENCH_N_FORMS; ++form)
                n_failures += report->accuracy[i_class][i_method][form].fails;
        }
    }
    for (int i = 0; i < report->n_rows; ++i)
        n_failures += report->rows[i].fails;
    return n_failures;
}

static sarrus_status work(sarrus_context *context, void *user, int *n_failures) {
    const request *wanted = user;
    const sarrus_bench_pinv_options *options = &wanted->options;
    if (options->on_device)
        return sarrus_bench_pinv_cuda(context, options, wanted->file, n_failures);
    sarrus_bench_pinv_report *report = calloc(1, sizeof *report);
    if (report == NULL)
        return SARRUS_NO_MEMORY;
    report->options = options;
    report->isa = sarrus_bench_isa_find(NULL);
    sarrus_status status = options->with_accuracy ? sarrus_bench_pinv_accuracy(context, report) : SARRUS_OK;
    if (options->with_speed && status == SARRUS_OK)
        status = sarrus_bench_pinv_speed(context, report);
    if (status == SARRUS_OK) {
        sarrus_bench_pinv_show(options->json ? NULL : stdout, options->json ? stdout : wanted->file, report);
        if (options->json && wanted->file != NULL)
            sarrus_bench_pinv_show(NULL, wanted->file, report);
        *n_failures = count_failures(report);
    }
    free(report);
    return status;
}

int sarrus_bench_pinv(int argc, char **argv) {
    request wanted = {.file = NULL};
    sarrus_bench_pinv_options *o = &wanted.options;
    const char *backend = "cpu", *output = NULL;
    uint64_t n_threads = 0;
    const sarrus_bench_option known[] = {
        {"json", NULL, "machine-readable output", .flag = &o->json},
        {"output", "FILE", "writes the machine-readable output to FILE, whatever is printed", .text = &output, .letter = 'o'},
        {"quick", NULL, "fewer matrices and shapes, batches up to 10,000", .flag = &o->quick},
        {"accuracy", NULL, "only the accuracy", .flag = &o->with_accuracy},
        {"speed", NULL, "only the speed", .flag = &o->with_speed},
        {"threads", "N", "measure the speed with N threads and with 1 (default: all processors and 1)", .count = &n_threads,
         .max_count = 256},
        {"largest", "N", "largest batch of 12x12 matrices (default 1000000)", .count = &o->largest},
        {"backend", "NAME", "cpu (default) or cuda: speed on a CUDA device, with cuSOLVER, torch, CuPy and JAX beside it",
         .text = &backend},
        {"python", "PROGRAM", "runs those of Python (default python3)", .text = &o->python},
    };
    const int refused = sarrus_bench_options_read(argc, argv, known, sizeof known / sizeof known[0]);
    if (refused >= 0)
        return refused;
    o->on_device = strcmp(backend, "cuda") == 0;
    if (!o->on_device && strcmp(backend, "cpu") != 0)
        return sarrus_bench_value_refuse("pinv", "backend", backend, "cpu or cuda");
    complete(o, n_threads);
    /* Opened before minutes are spent on what it is to hold; but an earlier one is not lost to a device that is not there. */
    const bool is_measurable = !o->on_device || sarrus_backend_n_devices(SARRUS_BACKEND_CUDA) > 0;
    if (output != NULL && is_measurable)
        wanted.file = fopen(output, "w");
    if (output != NULL && is_measurable && wanted.file == NULL) {
        perror(output);
        return SARRUS_EXIT_IO;
    }
    const int code = sarrus_bench_carry_out("pinv", wanted.file, work, &wanted);
    return wanted.file != NULL && fclose(wanted.file) != 0 ? SARRUS_EXIT_IO : code;
}
