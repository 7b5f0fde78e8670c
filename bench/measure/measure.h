/* What every benchmark needs: a frame, a clock, medians, and the name of the processor. */
#ifndef SARRUS_BENCH_MEASURE_H
#define SARRUS_BENCH_MEASURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "sarrus/context.h"

/* Monotonic time, s. */
double sarrus_bench_now(void);

/* Processor time of all threads of this process so far, s. */
double sarrus_bench_core_now(void);

/* Removes a folder with all that is in it. */
void sarrus_bench_folder_remove(const char *folder);

/* Measures and reports; `n_failures` are the rows that failed their gates. On failure the diagnostics are in `context`. */
typedef sarrus_status (*sarrus_bench_work)(sarrus_context *context, void *user, int *n_failures);

/* The whole of a benchmark behind its options: a context, the work, and on stderr what went wrong or how many rows failed. Returns
 * the program's exit code (edge/exit_code.h), which also tells a report that could not be written. `report`: beside stdout; may be
 * NULL. */
int sarrus_bench_carry_out(const char *name, FILE *report, sarrus_bench_work work, void *user);

/* Says on stderr how far things are, where that is a terminal. */
SARRUS_PRINTF(1, 2) void sarrus_bench_announce(const char *format, ...);

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
