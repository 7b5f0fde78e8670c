#include "bench/measure/measure.h"

#include <ftw.h>
#include <math.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "edge/diagnostics.h"
#include "edge/exit_code.h"

double sarrus_bench_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

double sarrus_bench_core_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static int remove_entry(const char *path, const struct stat *status, int type, struct FTW *place) {
    (void)status;
    (void)type;
    (void)place;
    return remove(path);
}

void sarrus_bench_folder_remove(const char *folder) {
    (void)nftw(folder, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
}

void sarrus_bench_announce(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    if (isatty(STDERR_FILENO))
        vfprintf(stderr, format, arguments);
    va_end(arguments);
}

static int compare_doubles(const void *left, const void *right) {
    const double a = *(const double *)left;
    const double b = *(const double *)right;
    return (a > b) - (a < b);
}

double sarrus_bench_median(double *values, int n_values) {
    if (n_values <= 0)
        return (double)NAN;
    qsort(values, (size_t)n_values, sizeof *values, compare_doubles);
    return 0.5 * (values[(n_values - 1) / 2] + values[n_values / 2]);
}

int sarrus_bench_n_processors(void) {
    cpu_set_t usable;
    if (sched_getaffinity(0, sizeof usable, &usable) != 0)
        return 1;
    return CPU_COUNT(&usable);
}

void sarrus_bench_processor_name(char *name, size_t n_bytes) {
    snprintf(name, n_bytes, "unknown processor");
    FILE *file = fopen("/proc/cpuinfo", "r");
    if (file == NULL)
        return;
    char line[256];
    while (fgets(line, sizeof line, file) != NULL) {
        const char *colon = strchr(line, ':');
        if (strncmp(line, "model name", 10) == 0 && colon != NULL) {
            line[strcspn(line, "\n")] = '\0';
            snprintf(name, n_bytes, "%s", colon + 1 + strspn(colon + 1, " "));
            break;
        }
    }
    fclose(file);
}

const char *sarrus_bench_source_path(const char *leaf, char path[SARRUS_BENCH_MAX_PATH]) {
    const char *root = getenv("SARRUS_SOURCE_DIR");
    (void)snprintf(path, SARRUS_BENCH_MAX_PATH, "%s/%s", root != NULL ? root : SARRUS_SOURCE_DIR, leaf);
    return path;
}

const char *sarrus_bench_scenarios_folder(const char *wanted) {
    static char path[SARRUS_BENCH_MAX_PATH];
    if (wanted != NULL)
        return wanted;
    return access("scenarios/five_bar.yaml", R_OK) == 0 ? "scenarios" : sarrus_bench_source_path("scenarios", path);
}

static int fail(const char *name, const sarrus_context *context, sarrus_status status) {
    if (context != NULL)
        sarrus_diagnostics_print(context, stderr);
    fprintf(stderr, "sarrus bench %s: error: %s\n", name, sarrus_status_text(status));
    return sarrus_exit_code(status);
}

int sarrus_bench_carry_out(const char *name, FILE *report, sarrus_bench_work work, void *user) {
    sarrus_context *context = NULL;
    int n_failures = 0;
    if (sarrus_context_create(&context) != SARRUS_OK)
        return fail(name, NULL, SARRUS_NO_MEMORY);
    const sarrus_status status = work(context, user, &n_failures);
    const int code = status != SARRUS_OK ? fail(name, context, status)
                     : n_failures > 0    ? SARRUS_EXIT_SOME_FAILED
                                         : SARRUS_EXIT_DONE;
    sarrus_context_destroy(context);
    if (n_failures > 0)
        fprintf(stderr, "sarrus bench %s: %d rows FAILED their gate\n", name, n_failures);
    const bool is_printed = fflush(stdout) == 0 && ferror(stdout) == 0;
    const bool is_written = report == NULL || (fflush(report) == 0 && ferror(report) == 0);
    return status == SARRUS_OK && !(is_printed && is_written) ? SARRUS_EXIT_IO : code;
}
