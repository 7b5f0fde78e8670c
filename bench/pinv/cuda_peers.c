/* Python's libraries on the same matrices: they go to bench/peers/pinv_gpu.py in a file, and lines come back. */
#include "bench/pinv/cuda.h"

#include <errno.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench/measure/measure.h"

extern char **environ;

enum { MAX_LINE = 1024, MAX_PATH = 512 };

/* NumPy's format, version 1: a text of the shape, padded so that the numbers begin at 64 bytes. */
static bool matrices_write(const char *path, const sarrus_bench_cuda_batch *batch) {
    char head[118], text[118];
    const size_t n_numbers = (size_t)batch->n_distinct * (size_t)batch->side * (size_t)batch->side;
    memset(head, ' ', sizeof head);
    const int length = snprintf(text, sizeof text, "{'descr': '<f8', 'fortran_order': False, 'shape': (%d, %d, %d), }",
                                (int)batch->n_distinct, batch->side, batch->side);
    memcpy(head, text, (size_t)length);
    head[sizeof head - 1] = '\n';
    FILE *file = fopen(path, "wb");
    if (file == NULL)
        return false;
    const unsigned char begin[] = {0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0, sizeof head, 0};
    bool good = fwrite(begin, 1, sizeof begin, file) == sizeof begin && fwrite(head, 1, sizeof head, file) == sizeof head &&
                fwrite(batch->host_a, sizeof(double), n_numbers, file) == n_numbers;
    good = fclose(file) == 0 && good;
    return good;
}

/* `python script folder count rcond seconds repetitions`, its standard output in *from. */
static bool start(const char *folder, const sarrus_bench_cuda_batch *batch, const sarrus_bench_pinv_options *options,
                  pid_t *process, FILE **from) {
    char numbers[4][32], script[SARRUS_BENCH_MAX_PATH];
    int ends[2];
    sarrus_bench_source_path("bench/peers/pinv_gpu.py", script);
    snprintf(numbers[0], sizeof numbers[0], "%llu", (unsigned long long)batch->n_matrices);
    snprintf(numbers[1], sizeof numbers[1], "%.17g", sarrus_bench_speed_tolerance);
    snprintf(numbers[2], sizeof numbers[2], "%.17g", options->seconds);
    snprintf(numbers[3], sizeof numbers[3], "%d", options->n_repetitions);
    char *const argv[] = {(char[]){"python3"}, script, strdup(folder), numbers[0], numbers[1], numbers[2], numbers[3], NULL};
    if (argv[2] == NULL || pipe(ends) != 0) {
        free(argv[2]);
        return false;
    }
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    posix_spawn_file_actions_addclose(&actions, ends[0]);
    const char *python = options->python != NULL ? options->python : "python3";
    const bool is_started = posix_spawnp(process, python, &actions, NULL, argv, environ) == 0;
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    *from = fdopen(ends[0], "r");
    free(argv[2]);
    return is_started && *from != NULL;
}

/* Its first pseudoinverses, which the script has put beside the matrices. */
static void look(const char *folder, const sarrus_bench_cuda_batch *batch, sarrus_bench_cuda_row *row) {
    char path[MAX_PATH + 64];
    const size_t n_numbers = (size_t)SARRUS_BENCH_CUDA_JUDGED * (size_t)batch->side * (size_t)batch->side;
    double *x = calloc(n_numbers, sizeof *x);
    snprintf(path, sizeof path, "%s/%s.f64", folder, row->name);
    FILE *file = fopen(path, "rb");
    row->fails = true;
    if (x != NULL && file != NULL && fread(x, sizeof *x, n_numbers, file) > 0)
        sarrus_bench_cuda_judge(batch, x, row);
    if (file != NULL)
        fclose(file);
    (void)remove(path);
    free(x);
}

/* `row NAME RATE…`: matrices a second, sample by sample. */
static void row_take(sarrus_bench_cuda_report *report, const sarrus_bench_cuda_batch *batch, const char *folder, char *line) {
    char *rest = NULL;
    const char *name = strtok_r(line, " ", &rest);
    sarrus_bench_cuda_row *row =
        name == NULL ? NULL : sarrus_bench_cuda_row_add(report, batch, SARRUS_BENCH_PYTHON, name, SARRUS_BENCH_EXPLICIT);
    double sorted[SARRUS_BENCH_CUDA_SAMPLES];
    if (row == NULL)
        return;
    for (const char *word = strtok_r(NULL, " ", &rest); word != NULL && row->n_samples < SARRUS_BENCH_CUDA_SAMPLES;
         word = strtok_r(NULL, " ", &rest)) {
        row->samples[row->n_samples++] = strtod(word, NULL);
    }
    memcpy(sorted, row->samples, sizeof sorted);
    row->rate = sarrus_bench_median(sorted, row->n_samples);
    look(folder, batch, row);
}

/* `says TEXT`: once each, of versions and of what is missing. */
static void text_take(sarrus_bench_cuda_report *report, const char *text) {
    const size_t length = strlen(report->peers);
    if (strstr(report->peers, text) == NULL) {
        snprintf(report->peers + length, sizeof report->peers - length, "%s%s", length > 0 ? "; " : "", text);
    }
}

void sarrus_bench_cuda_peers(sarrus_bench_cuda_report *report, const sarrus_bench_cuda_batch *batch) {
    char folder[] = "/tmp/sarrus_peers_XXXXXX", path[MAX_PATH], line[MAX_LINE];
    pid_t process = 0;
    FILE *from = NULL;
    if (mkdtemp(folder) == NULL) {
        text_take(report, "no folder for the matrices");
        return;
    }
    snprintf(path, sizeof path, "%s/matrices.npy", folder);
    if (!matrices_write(path, batch) || !start(folder, batch, report->options, &process, &from))
        text_take(report, "python3 could not be started");
    while (from != NULL && fgets(line, sizeof line, from) != NULL) {
        line[strcspn(line, "\n")] = '\0';
        if (strncmp(line, "row ", 4) == 0) {
            row_take(report, batch, folder, line + 4);
        } else if (strncmp(line, "says ", 5) == 0) {
            text_take(report, line + 5);
        }
    }
    if (from != NULL)
        fclose(from);
    int ended = 0;
    if (process > 0 && (waitpid(process, &ended, 0) < 0 || ended != 0))
        text_take(report, "pinv_gpu.py ended with an error");
    (void)remove(path);
    (void)rmdir(folder);
}
