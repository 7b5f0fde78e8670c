/* sarrus pinv: pseudoinverses of a stack of matrices, from a .npy file into another, block by block. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/command.h"
#include "cli/npy_output.h"
#include "cli/pinv_report.h"
#include "cli/progress.h"
#include "cli/scenario_argument.h"
#include "cli/signals.h"
#include "core/crew.h"
#include "core/monotonic.h"
#include "core/report.h"
#include "edge/diagnostics.h"
#include "edge/exit_code.h"
#include "edge/options.h"

enum { LARGEST_SIZE = 4096 };

/* Arrays of one block: so much, and more where a matrix for each thread takes more, up to the other. */
static const uint64_t block_bytes = UINT64_C(64) << 20, most_block_bytes = UINT64_C(1) << 30;

typedef struct pinv_arguments {
    sarrus_pinv_options options;
    const char *output, *rhs;
    uint64_t max_rank, n_threads;
    bool has_rule, is_reported, is_json, is_quiet, is_help;
} pinv_arguments;

static void help_print(void) {
    printf("Usage: sarrus pinv A.npy -o X.npy [options]\n\n"
           "Computes the pseudoinverses of a stack of matrices A[..., m, n], any leading dimensions or none, and\n"
           "writes them as X[..., n, m]; with --rhs the least-squares solutions of least norm X = A+ B.\n\n"
           "  -o, --output X.npy          the result, doubles; a .npy file of that name is replaced at the end\n"
           "      --method M              one of 'sarrus list pinv' (default auto: householder, lapack above 64x64)\n"
           "      --rank RULE             one of 'sarrus list rank' but violation (default auto)\n"
           "      --tolerance T           of the rank rule, a share of the largest singular value in most;\n"
           "                              tikhonov damps by it and needs one, as 1e-5; without one the rule\n"
           "                              auto takes 10 max(m, n) 2^-52, of f4 max(m, n) 2^-23\n"
           "      --max-rank K            at most K singular values count; truncated counts K, and needs it\n"
           "      --rhs B.npy             right sides B[..., m, k]: leading dimensions as those of A, or none:\n"
           "                              one B for all matrices; X[..., n, k]\n"
           "      --backend auto|cpu|cuda where to compute (default auto: the processor)\n"
           "      --threads N             processor threads (default: all)\n"
           "      --report                a table: ranks, residuals, operations, time\n"
           "      --json                  the same as one JSON object on standard output\n"
           "      --quiet                 no progress bar, no line at the end\n"
           "  -h, --help                  this text\n\n"
           "Files of .npy format 1.0 to 3.0 are read, of f8, f4, i1 to i8, u1 to u8 or b1 in either byte and index\n"
           "order. A matrix with a NaN or an infinity gives NaN, is counted, and makes the exit code 1.\n\n"
           "Exit codes: 0 done, 1 done but some matrices failed, 2 bad usage or input, 3 I/O failure,\n"
           "4 backend not usable, 129, 130, 138 or 143 stopped by a signal (nothing was written).\n");
}

/* --- Options ------------------------------------------------------------------------------------------------------------ */

enum {
    OPTION_METHOD = 256,
    OPTION_RANK,
    OPTION_TOLERANCE,
    OPTION_MAX_RANK,
    OPTION_RHS,
    OPTION_BACKEND,
    OPTION_THREADS,
    OPTION_REPORT,
    OPTION_JSON,
    OPTION_QUIET
};

/* Says that `word` is none of words[n]. */
static void word_refuse(const char *option, const char *list, const char *word, const char *const *words, int n) {
    const char *closest = sarrus_option_closest(word, words, n);
    if (closest != NULL)
        sarrus_option_refuse("pinv", "--%s: unknown '%s'; did you mean '%s'?", option, word, closest);
    else
        sarrus_option_refuse("pinv", "--%s: unknown '%s'; 'sarrus list %s' names them", option, word, list);
}

static bool method_read(const char *word, sarrus_pinv_method *out) {
    const char *words[SARRUS_N_PINV_METHODS];
    for (int i = 0; i < SARRUS_N_PINV_METHODS; ++i) {
        words[i] = sarrus_pinv_method_word((sarrus_pinv_method)i);
        *out = (sarrus_pinv_method)i;
        if (strcmp(word, words[i]) == 0)
            return true;
    }
    word_refuse("method", "pinv", word, words, SARRUS_N_PINV_METHODS);
    return false;
}

static bool rule_read(const char *word, sarrus_rank_method *out) {
    const char *words[SARRUS_N_RANK_METHODS];
    for (int i = 0; i < SARRUS_N_RANK_METHODS; ++i) {
        words[i] = sarrus_rank_method_word((sarrus_rank_method)i);
        *out = (sarrus_rank_method)i;
        if (strcmp(word, words[i]) == 0)
            return true;
    }
    word_refuse("rank", "rank", word, words, SARRUS_N_RANK_METHODS);
    return false;
}

static bool path_read(const char *name, const char **out) {
    *out = optarg;
    if (*optarg == '\0')
        sarrus_option_refuse("pinv", "--%s needs the name of a file", name);
    return *optarg != '\0';
}

/* Takes one option in; false when it was refused (the message is out). */
static bool option_take(int option, pinv_arguments *out) {
    switch (option) {
    case 'h':
        out->is_help = true;
        return true;
    case 'o':
        return path_read("output", &out->output);
    case OPTION_RHS:
        return path_read("rhs", &out->rhs);
    case OPTION_METHOD:
        return method_read(optarg, &out->options.method);
    case OPTION_RANK:
        out->has_rule = true;
        return rule_read(optarg, &out->options.rank_method);
    case OPTION_TOLERANCE:
        return sarrus_option_positive("pinv", "tolerance", &out->options.rank_tolerance);
    case OPTION_MAX_RANK:
        return sarrus_option_count("pinv", "max-rank", 1, LARGEST_SIZE, &out->max_rank);
    case OPTION_BACKEND:
        return sarrus_option_backend("pinv", optarg, &out->options.backend);
    case OPTION_THREADS:
        return sarrus_option_count("pinv", "threads", 1, 4096, &out->n_threads);
    case OPTION_REPORT:
        out->is_reported = true;
        return true;
    case OPTION_JSON:
        out->is_json = true;
        return true;
    case OPTION_QUIET:
        out->is_quiet = true;
        return true;
    default:
        return false;
    }
}

/* Options that say nothing together, or too little. */
static int arguments_check(const pinv_arguments *arguments) {
    const sarrus_pinv_options *options = &arguments->options;
    const sarrus_rank_method rule = options->rank_method;
    const bool is_truncated = options->method == SARRUS_PINV_TRUNCATED, is_share = rule != SARRUS_RANK_ABSOLUTE;
    if (arguments->output == NULL)
        return sarrus_option_refuse("pinv", "no name for the result; expected -o X.npy");
    if (rule == SARRUS_RANK_VIOLATION)
        return sarrus_option_refuse("pinv",
                                    "--rank violation: matrices alone have no constraints to be violated; expected another rule");
    if (is_truncated && arguments->max_rank == 0)
        return sarrus_option_refuse("pinv", "--method truncated counts as many singular values as it is told, whatever their size; "
                                            "expected --max-rank K");
    if (is_truncated && (arguments->has_rule || options->rank_tolerance > 0.0))
        return sarrus_option_refuse("pinv", "--method truncated counts --max-rank singular values; expected neither --rank nor "
                                            "--tolerance with it");
    if (arguments->max_rank > 0 && !is_truncated && rule != SARRUS_RANK_AUTO && rule != SARRUS_RANK_TRACKED)
        return sarrus_option_refuse("pinv",
                                    "--max-rank goes with the rules auto and tracked, and with the method truncated, not with '%s'",
                                    sarrus_rank_method_word(rule));
    if (is_share && options->rank_tolerance >= 1.0)
        return sarrus_option_refuse("pinv", "--tolerance %g: nothing would count; with the rule '%s' a number below 1 was expected",
                                    options->rank_tolerance, sarrus_rank_method_word(rule));
    return SARRUS_EXIT_DONE;
}

static int arguments_read(int argc, char **argv, pinv_arguments *out) {
    static const struct option table[] = {
        {"output", required_argument, NULL, 'o'},
        {"method", required_argument, NULL, OPTION_METHOD},
        {"rank", required_argument, NULL, OPTION_RANK},
        {"tolerance", required_argument, NULL, OPTION_TOLERANCE},
        {"max-rank", required_argument, NULL, OPTION_MAX_RANK},
        {"rhs", required_argument, NULL, OPTION_RHS},
        {"backend", required_argument, NULL, OPTION_BACKEND},
        {"threads", required_argument, NULL, OPTION_THREADS},
        {"report", no_argument, NULL, OPTION_REPORT},
        {"json", no_argument, NULL, OPTION_JSON},
        {"quiet", no_argument, NULL, OPTION_QUIET},
        {"help", no_argument, NULL, 'h'},
        {0},
    };
    *out = (pinv_arguments){.options = {.isa = getenv("SARRUS_FORCE_ISA")}};
    for (int option; (option = sarrus_option_next(argc, argv, ":o:h", table)) != -1;)
        if (!option_take(option, out))
            return SARRUS_EXIT_BAD_INPUT;
    out->options.n_threads = (int)out->n_threads;
    return out->is_help ? SARRUS_EXIT_DONE : arguments_check(out);
}

/* --- Blocks ------------------------------------------------------------------------------------------------------------- */

/* The files, and the arrays of one block. */
typedef struct pinv_stream {
    sarrus_context *context;
    sarrus_npy_input a, b; /* b.path NULL: there is none */
    sarrus_npy_output x;
    sarrus_pinv_work work;
    sarrus_pinv_tally tally;
    uint64_t n_block; /* matrices of a block at most */
    int n_threads;
    double *doubles;   /* owned: all that the batch has of them */
    int32_t *integers; /* owned */
    uint64_t *n_of_rank;
    sarrus_pinv_batch batch;
} pinv_stream;

/* Cuts the arrays of n matrices from `doubles`, or only counts them when it is NULL. */
static uint64_t arrays_cut(const sarrus_pinv_work *work, uint64_t n, double *doubles, sarrus_pinv_batch *out) {
    const uint64_t m = (uint64_t)work->m, columns = (uint64_t)work->n, n_rhs = (uint64_t)work->n_rhs;
    const uint64_t counts[] = {m * columns, m * n_rhs, columns * (n_rhs > 0 ? n_rhs : m), 1, 1, 1};
    double *cut[6];
    uint64_t used = 0;
    for (size_t i = 0; i < sizeof counts / sizeof *counts; ++i) {
        cut[i] = doubles != NULL ? doubles + used : NULL;
        used += counts[i] * n;
    }
    out->a = cut[0];
    out->b = n_rhs > 0 ? cut[1] : NULL;
    out->x = cut[2];
    out->kept = cut[3];
    out->dropped = cut[4];
    out->n_sweeps = cut[5];
    return used;
}

/* Numbers of four bytes are rounded to 2⁻²³ of themselves, and what that makes of a rank is none. */
static void noise_mind(pinv_stream *s) {
    const sarrus_rank_method rule = s->work.asked.rank_method;
    const bool is_single = s->a.header.kind == 'f' && s->a.header.n_item == 4;
    const bool has_own = s->work.asked.method == SARRUS_PINV_TRUNCATED || s->work.asked.method == SARRUS_PINV_TIKHONOV;
    if (is_single && rule == SARRUS_RANK_AUTO && !has_own && !(s->work.asked.rank_tolerance > 0.0))
        s->work.asked.rank_tolerance = 0x1p-23 * fmax(s->work.m, s->work.n);
}

static sarrus_status memory_take(pinv_stream *s) {
    const sarrus_pinv_work *work = &s->work;
    const uint64_t n_doubles = arrays_cut(work, 1, NULL, &s->batch), n_bytes = n_doubles * sizeof(double);
    const int most = work->m < work->n ? work->m : work->n;
    uint64_t n = most_block_bytes / n_bytes;
    n = n < (uint64_t)s->n_threads ? n : (uint64_t)s->n_threads;
    n = n > block_bytes / n_bytes ? n : block_bytes / n_bytes;
    n = n < work->n_matrices ? n : work->n_matrices;
    s->n_block = n > 0 ? n : 1;
    s->doubles = malloc((size_t)(s->n_block * n_bytes));
    s->integers = malloc((size_t)s->n_block * 2 * sizeof *s->integers);
    s->n_of_rank = calloc((size_t)most + 1, sizeof *s->n_of_rank);
    if (s->doubles == NULL || s->integers == NULL || s->n_of_rank == NULL)
        return SARRUS_NO_MEMORY;
    (void)arrays_cut(work, s->n_block, s->doubles, &s->batch);
    s->batch.m = work->m;
    s->batch.n = work->n;
    s->batch.n_rhs = work->n_rhs;
    s->batch.rank = s->integers;
    for (uint64_t i = 0; i < s->n_block && work->max_rank > 0; ++i)
        s->integers[s->n_block + i] = work->max_rank;
    s->batch.max_rank = work->max_rank > 0 ? s->integers + s->n_block : NULL;
    s->tally = sarrus_pinv_tally_begin(work, s->n_of_rank);
    return SARRUS_OK;
}

/* The right sides of a block; one B stands for all. */
static sarrus_status right_sides_read(pinv_stream *s, uint64_t first, uint64_t count) {
    const size_t n_b = (size_t)s->work.m * (size_t)s->work.n_rhs;
    double *b = s->doubles + (s->batch.b - s->doubles);
    if (s->b.header.n_dims > 2)
        return sarrus_npy_input_read(s->context, &s->b, first, count, b);
    const sarrus_status status = first == 0 ? sarrus_npy_input_read(s->context, &s->b, 0, 1, b) : SARRUS_OK;
    for (uint64_t i = 1; i < count && status == SARRUS_OK && first == 0; ++i)
        memcpy(b + i * n_b, b, n_b * sizeof *b);
    return status;
}

static sarrus_status block_run(pinv_stream *s, uint64_t first, uint64_t count) {
    sarrus_status status = sarrus_npy_input_read(s->context, &s->a, first, count, s->doubles);
    if (status == SARRUS_OK && s->work.n_rhs > 0)
        status = right_sides_read(s, first, count);
    if (status != SARRUS_OK)
        return status;
    s->batch.n_matrices = count;
    const double begin = sarrus_monotonic_seconds();
    status = sarrus_pinv_compute(s->context, &s->work.asked, &s->batch);
    s->tally.seconds_computing += sarrus_monotonic_seconds() - begin;
    const uint64_t n_x = (uint64_t)s->work.n * (uint64_t)(s->work.n_rhs > 0 ? s->work.n_rhs : s->work.m);
    if (status == SARRUS_OK)
        status = sarrus_npy_output_write(s->context, &s->x, s->batch.x, count * n_x);
    if (status == SARRUS_OK)
        status = sarrus_pinv_tally_add(s->context, &s->work, &s->batch, first, s->n_threads, &s->tally);
    return status;
}

static sarrus_status blocks_run(pinv_stream *s, bool is_quiet) {
    sarrus_progress_bar bar = {.is_shown = !is_quiet && sarrus_progress_is_wanted()};
    const uint64_t n_all = s->work.n_matrices;
    const double begin = sarrus_monotonic_seconds();
    noise_mind(s);
    sarrus_status status = memory_take(s);
    for (uint64_t first = 0; first < n_all && status == SARRUS_OK;) {
        const uint64_t count = n_all - first < s->n_block ? n_all - first : s->n_block;
        status = block_run(s, first, count);
        if (status == SARRUS_OK) { /* every call that does with fewer threads says so; once is enough */
            if (first == 0)
                sarrus_diagnostics_print(s->context, stderr);
            sarrus_context_clear(s->context);
        }
        first += count;
        const sarrus_counted_work shown = {"matrices", first, n_all, sarrus_pinv_tally_failed(&s->tally),
                                           sarrus_monotonic_seconds() - begin};
        sarrus_progress_draw_count(&bar, &shown);
        if (status == SARRUS_OK && sarrus_signal_caught() != 0)
            status = SARRUS_INTERRUPTED;
    }
    if (status == SARRUS_OK)
        status = sarrus_npy_output_publish(s->context, &s->x);
    s->tally.seconds = sarrus_monotonic_seconds() - begin;
    sarrus_progress_erase(&bar);
    return status;
}

/* --- Files -------------------------------------------------------------------------------------------------------------- */

static sarrus_status sizes_check(sarrus_context *context, const sarrus_npy_input *input, const char *what) {
    if (input->n_rows <= LARGEST_SIZE && input->n_columns <= LARGEST_SIZE)
        return SARRUS_OK;
    return sarrus_report_at(context, SARRUS_ERROR, SARRUS_UNSUPPORTED, &(sarrus_location){.file = input->path},
                            "the %s are of %llux%llu; expected at most %d rows and columns", what,
                            (unsigned long long)input->n_rows, (unsigned long long)input->n_columns, LARGEST_SIZE);
}

/* Whether B goes with A. */
static sarrus_status right_sides_check(sarrus_context *context, const sarrus_npy_input *a, const sarrus_npy_input *b) {
    const sarrus_location location = {.file = b->path};
    bool is_alike = b->header.n_dims == a->header.n_dims;
    for (int i = 0; is_alike && i < a->header.n_dims - 2; ++i)
        is_alike = a->header.dims[i] == b->header.dims[i];
    if (!is_alike && b->header.n_dims != 2)
        return sarrus_report_at(context, SARRUS_ERROR, SARRUS_BAD_INPUT, &location,
                                "the right sides have other leading dimensions than the matrices; expected the same, or none: one "
                                "array (m, k) for all");
    if (b->n_rows != a->n_rows)
        return sarrus_report_at(context, SARRUS_ERROR, SARRUS_BAD_INPUT, &location,
                                "the right sides have %llu rows; expected %llu, as the matrices have",
                                (unsigned long long)b->n_rows, (unsigned long long)a->n_rows);
    return sizes_check(context, b, "right sides");
}

static sarrus_status inputs_open(pinv_stream *s, const char *path, const char *rhs) {
    sarrus_status status = sarrus_npy_input_open(s->context, path, &s->a);
    if (status == SARRUS_OK)
        status = sizes_check(s->context, &s->a, "matrices");
    if (status == SARRUS_OK && rhs != NULL)
        status = sarrus_npy_input_open(s->context, rhs, &s->b);
    return status == SARRUS_OK && rhs != NULL ? right_sides_check(s->context, &s->a, &s->b) : status;
}

/* What is to be done, and whether the library does it: asked of no matrices, before anything is written. */
static sarrus_status work_make(pinv_stream *s, const pinv_arguments *arguments) {
    sarrus_pinv_work *work = &s->work;
    work->m = (int)s->a.n_rows;
    work->n = (int)s->a.n_columns;
    work->n_rhs = arguments->rhs != NULL ? (int)s->b.n_columns : 0;
    work->n_matrices = s->a.n_matrices;
    work->input = s->a.path;
    work->rhs = arguments->rhs;
    work->output = arguments->output;
    work->asked = arguments->options;
    work->taken = sarrus_pinv_options_resolve(&work->asked, work->m, work->n);
    work->max_rank = (int)arguments->max_rank;
    work->is_reported = arguments->is_reported || arguments->is_json;
    s->n_threads = work->asked.n_threads > 0 ? work->asked.n_threads : sarrus_processors();
    const int most = work->m < work->n ? work->m : work->n;
    if (work->asked.method == SARRUS_PINV_TRUNCATED && work->max_rank > most)
        return sarrus_report_at(s->context, SARRUS_ERROR, SARRUS_BAD_ARGUMENT, &(sarrus_location){.file = work->input},
                                "--max-rank is %d; the matrices are of %dx%d, so %d at most was expected", work->max_rank, work->m,
                                work->n, most);
    const sarrus_pinv_batch none = {.m = work->m, .n = work->n, .n_rhs = work->n_rhs};
    return sarrus_pinv_compute(s->context, &work->asked, &none);
}

static sarrus_status output_make(pinv_stream *s) {
    uint64_t dims[SARRUS_NPY_MOST_DIMS];
    const int n_dims = s->a.header.n_dims;
    const sarrus_npy_input *const inputs[2] = {&s->a, s->work.n_rhs > 0 ? &s->b : NULL};
    memcpy(dims, s->a.header.dims, sizeof dims);
    dims[n_dims - 2] = (uint64_t)s->work.n;
    dims[n_dims - 1] = (uint64_t)(s->work.n_rhs > 0 ? s->work.n_rhs : s->work.m);
    return sarrus_npy_output_create(s->context, s->work.output, inputs, n_dims, dims, &s->x);
}

static int end_print(const pinv_stream *s, const pinv_arguments *arguments, sarrus_status status) {
    if (status == SARRUS_INTERRUPTED) {
        fprintf(stderr, "sarrus: warning: stopped; nothing was written\n");
        return SARRUS_EXIT_SIGNAL + sarrus_signal_caught();
    }
    if (status != SARRUS_OK) {
        sarrus_failure_print(s->context, status, stderr);
        return sarrus_exit_code(status);
    }
    if (arguments->is_json)
        sarrus_pinv_report_json(&s->work, &s->tally, stdout);
    else if (arguments->is_reported)
        sarrus_pinv_report_table(&s->work, &s->tally, stdout);
    else if (!arguments->is_quiet)
        sarrus_pinv_report_line(&s->work, &s->tally, stdout);
    fflush(stdout);
    sarrus_pinv_report_warn(&s->work, &s->tally, stderr);
    return sarrus_pinv_tally_failed(&s->tally) > 0 ? SARRUS_EXIT_SOME_FAILED : SARRUS_EXIT_DONE;
}

/* Until there is an output, nothing needs to be tidied up when a signal comes. */
static int file_run(const char *path, const pinv_arguments *arguments) {
    pinv_stream s = {.a = {.descriptor = -1}, .b = {.descriptor = -1}, .x = {.descriptor = -1}};
    sarrus_signals_leave();
    if (sarrus_context_create(&s.context) != SARRUS_OK) {
        fprintf(stderr, "sarrus: error: out of memory\n");
        return SARRUS_EXIT_IO;
    }
    sarrus_status status = inputs_open(&s, path, arguments->rhs);
    if (status == SARRUS_OK)
        status = work_make(&s, arguments);
    sarrus_signals_catch();
    if (status == SARRUS_OK)
        status = output_make(&s);
    if (status == SARRUS_OK)
        status = blocks_run(&s, arguments->is_quiet);
    const int code = end_print(&s, arguments, status);
    sarrus_npy_output_close(&s.x);
    sarrus_npy_input_close(&s.a);
    sarrus_npy_input_close(&s.b);
    free(s.doubles);
    free(s.integers);
    free(s.n_of_rank);
    sarrus_context_destroy(s.context);
    return code;
}

int sarrus_command_pinv(int argc, char **argv) {
    pinv_arguments arguments;
    const int code = arguments_read(argc, argv, &arguments);
    if (code != SARRUS_EXIT_DONE)
        return code;
    if (arguments.is_help) {
        help_print();
        return SARRUS_EXIT_DONE;
    }
    const char *path = sarrus_file_argument(argc, argv, "a .npy file of matrices");
    return path != NULL ? file_run(path, &arguments) : SARRUS_EXIT_BAD_INPUT;
}
