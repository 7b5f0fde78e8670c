/* What every benchmark needs: a clock, medians, and the name of the processor. */
#ifndef SARRUS_BENCH_MEASURE_H
#define SARRUS_BENCH_MEASURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Monotonic time, s. */
double sarrus_bench_now(void);

/* True when the first argument asks for help: `usage` is on stdout then. */
bool sarrus_bench_help_is_asked(int argc, char **argv, const char *usage);

/* The end of a benchmark that has printed its report: says on stderr how many rows failed, and returns the program's exit code
 * (edge/exit_code.h): some failed, or the report could not be written, or all is well. `report` may be NULL: stdout alone. */
int sarrus_bench_finish(const char *name, int n_failures, FILE *report);

/* Median of values[n_values], which are sorted in place; NaN when n_values is 0. */
double sarrus_bench_median(double *values, int n_values);

/* Processors that this process may use, at least 1. */
int sarrus_bench_n_processors(void);

/* Model name of the processor ("unknown processor" when the system does not say). */
void sarrus_bench_processor_name(char *name, size_t n_bytes);

enum { SARRUS_BENCH_MAX_PATH = 4096 };

/* Writes into `path`, and returns, where `leaf` of the source tree lies: below $SARRUS_SOURCE_DIR, which the launcher of a bundle
 * sets (scripts/bundle), else below the tree of this build. */
const char *sarrus_bench_source_path(const char *leaf, char path[SARRUS_BENCH_MAX_PATH]);

/* The folder with the shipped scenarios: `wanted` when it is not NULL, else "scenarios" below the current folder, else that of the
 * source tree. */
const char *sarrus_bench_scenarios_folder(const char *wanted);

#endif
