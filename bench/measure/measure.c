#include "bench/measure/measure.h"

#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "edge/exit_code.h"

double sarrus_bench_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

bool sarrus_bench_help_is_asked(int argc, char **argv, const char *usage) {
    const bool is_asked = argc > 1 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0);
    if (is_asked) {
        fputs(usage, stdout);
    }
    return is_asked;
}

static int compare_doubles(const void *left, const void *right) {
    const double a = *(const double *)left;
    const double b = *(const double *)right;
    return (a > b) - (a < b);
}

double sarrus_bench_median(double *values, int n_values) {
    if (n_values <= 0) {
        return (double)NAN;
    }
    qsort(values, (size_t)n_values, sizeof *values, compare_doubles);
    return 0.5 * (values[(n_values - 1) / 2] + values[n_values / 2]);
}

int sarrus_bench_n_processors(void) {
    cpu_set_t usable;
    if (sched_getaffinity(0, sizeof usable, &usable) != 0) {
        return 1;
    }
    return CPU_COUNT(&usable);
}

void sarrus_bench_processor_name(char *name, size_t n_bytes) {
    snprintf(name, n_bytes, "unknown processor");
    FILE *file = fopen("/proc/cpuinfo", "r");
    if (file == NULL) {
        return;
    }
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
    if (wanted != NULL) {
        return wanted;
    }
    return access("scenarios/five_bar.yaml", R_OK) == 0 ? "scenarios" : sarrus_bench_source_path("scenarios", path);
}

int sarrus_bench_finish(const char *name, int n_failures, FILE *report) {
    if (n_failures > 0)
        fprintf(stderr, "sarrus bench %s: %d rows FAILED their gate\n", name, n_failures);
    const bool is_printed = fflush(stdout) == 0 && ferror(stdout) == 0;
    const bool is_written = report == NULL || (fflush(report) == 0 && ferror(report) == 0);
    if (!is_printed || !is_written)
        return SARRUS_EXIT_IO;
    return n_failures > 0 ? SARRUS_EXIT_SOME_FAILED : SARRUS_EXIT_DONE;
}
