/* The step benchmark's nouns: mechanisms, rows and the peak, as the measuring half fills them and the printing half shows them. */
#ifndef SARRUS_BENCH_STEP_H
#define SARRUS_BENCH_STEP_H

#include <stdbool.h>
#include <stdint.h>

#include "sarrus/sarrus.h"

#include "bench/measure/fma_peak.h"

enum {
    SARRUS_BENCH_N_PINVS = 3,
    SARRUS_BENCH_MAX_THREAD_COUNTS = 3,
    SARRUS_BENCH_MAX_REPETITIONS = 9,
    SARRUS_BENCH_MAX_ROWS = 32,
    SARRUS_BENCH_MAX_SIZES = 8,
    SARRUS_BENCH_MAX_MECHANISMS = 8,
    SARRUS_BENCH_MAX_NAME = 64,
    SARRUS_BENCH_N_REFERENCE = 8, /* instances compared with the reference */
};

/* "auto", "svd", "lapack": as dynamics.pinv takes them. */
extern const char *const sarrus_bench_pinvs[SARRUS_BENCH_N_PINVS];

/* What is asked for. */
typedef struct sarrus_bench_step_options {
    bool json, quick;
    bool on_device;   /* the backend cuda */
    uint64_t largest; /* largest batch of the flatness table, or on the device */
    const char *scenarios_folder;
    const char *files[SARRUS_BENCH_MAX_MECHANISMS];
    int n_files;
    int thread_counts[SARRUS_BENCH_MAX_THREAD_COUNTS];
    int n_thread_counts;
    int n_repetitions;
    double seconds; /* of one repetition of one row */
} sarrus_bench_step_options;

/* One line of a table: a batch, its timings, and its gate. */
typedef struct sarrus_bench_row {
    const sarrus_bench_isa *isa;
    int i_pinv;
    int n_threads;
    sarrus_batch_options batch_options; /* of the batch, beyond what the row itself says */
    uint64_t n_instances;
    uint64_t n_steps;        /* between resets */
    uint64_t n_gate_steps;   /* after which the gate looks */
    const double *reference; /* [SARRUS_BENCH_N_REFERENCE][n] q after n_gate_steps */
    sarrus_batch *batch;
    uint64_t n_blocks; /* of reset and advance, per repetition */
    int n_repetitions;
    double rates[SARRUS_BENCH_MAX_REPETITIONS]; /* instance-steps/s, in order of measurement */
    double rate;                                /* median */
    double deviation;                           /* largest |q − reference|, m | rad */
    double violation;                           /* largest ‖Φ‖₂ after n_gate_steps */
    double rank_revealing_share;                /* of tile evaluations */
    uint64_t n_failed;
    const char *failure; /* NULL: the gate was passed */
} sarrus_bench_row;

/* Where a mechanism comes from. */
typedef struct sarrus_bench_source {
    const char *file;       /* a scenario, */
    const char *text;       /* or not NULL: its text, and `file` its name */
    const char *projection; /* instead of the scenario's; NULL: that one */
} sarrus_bench_source;

/* One scenario, planned once per pseudoinverse choice. */
typedef struct sarrus_bench_mechanism {
    char name[SARRUS_BENCH_MAX_NAME];
    const char *file;
    sarrus_model *models[SARRUS_BENCH_N_PINVS];
    sarrus_plan *plans[SARRUS_BENCH_N_PINVS];
    sarrus_plan_sizes sizes; /* of the plan with pinv auto */
    double *reference;       /* owned; of the rows */
    double *size_reference;  /* owned; of the flatness rows */
    int n_rows;
    sarrus_bench_row rows[SARRUS_BENCH_MAX_ROWS];
    int n_sizes;
    sarrus_bench_row size_rows[SARRUS_BENCH_MAX_SIZES];
} sarrus_bench_mechanism;

/* Measured peak of one instruction set and thread count, flop/s. */
typedef struct sarrus_bench_peak {
    const sarrus_bench_isa *isa;
    int n_threads;
    int n_samples;
    double samples[SARRUS_BENCH_MAX_REPETITIONS * SARRUS_BENCH_MAX_MECHANISMS];
    double rate; /* median */
} sarrus_bench_peak;

typedef struct sarrus_bench_step_report {
    const sarrus_bench_step_options *options;
    int n_mechanisms;
    sarrus_bench_mechanism mechanisms[SARRUS_BENCH_MAX_MECHANISMS];
    int n_peaks;
    sarrus_bench_peak peaks[SARRUS_BENCH_N_ISAS * SARRUS_BENCH_MAX_THREAD_COUNTS];
} sarrus_bench_step_report;

/* Largest differences that the gate lets through (derived in measure.c). */
extern const double sarrus_bench_deviation_bound; /* m | rad */
extern const double sarrus_bench_violation_bound; /* m | rad */

/* Reads and plans `source` three times. On failure the diagnostics are in `context`; `mechanism` is to be closed anyway. */
SARRUS_MUST_USE sarrus_status sarrus_bench_mechanism_open(sarrus_context *context, const sarrus_bench_source *source,
                                                          sarrus_bench_mechanism *mechanism);
void sarrus_bench_mechanism_close(sarrus_bench_mechanism *mechanism);

/* Measures all rows, repetition by repetition so that neighbours in a ratio are neighbours in time, then the batch sizes
 * when `with_sizes`. The peaks of `report` are sampled in between. */
SARRUS_MUST_USE sarrus_status sarrus_bench_mechanism_measure(sarrus_context *context, sarrus_bench_step_report *report,
                                                             sarrus_bench_mechanism *mechanism, bool with_sizes);

/* The parts of it, for benchmarks with rows of their own. In this order: the reference of mechanism->rows, made once; steps and
 * instances of a row (isa, i_pinv and n_threads are set), which takes the reference; its batch, with one untimed
 * block; then all rows are timed, gated and their batches freed. */
SARRUS_MUST_USE sarrus_status sarrus_bench_mechanism_refer(sarrus_context *context, sarrus_bench_mechanism *mechanism);
SARRUS_MUST_USE sarrus_status sarrus_bench_row_size(sarrus_context *context, const sarrus_bench_step_options *options,
                                                    const sarrus_bench_mechanism *mechanism, sarrus_bench_row *row);
SARRUS_MUST_USE sarrus_status sarrus_bench_row_prepare(sarrus_context *context, const sarrus_bench_step_options *options,
                                                       const sarrus_bench_mechanism *mechanism, sarrus_bench_row *row);
SARRUS_MUST_USE sarrus_status sarrus_bench_rows_measure(sarrus_bench_step_report *report, const sarrus_bench_mechanism *mechanism,
                                                        sarrus_bench_row *rows, int n_rows);

/* A batch as the row says. */
SARRUS_MUST_USE sarrus_status sarrus_bench_batch_create(sarrus_context *context, const sarrus_bench_mechanism *mechanism,
                                                        const sarrus_bench_row *row, sarrus_batch **out);

/* Median over the repetitions of rate(numerator) / rate(denominator); NaN when there is no denominator. */
double sarrus_bench_row_ratio(const sarrus_bench_row *numerator, const sarrus_bench_row *denominator);

/* The row of the same mechanism with these properties; NULL when there is none (isa NULL: any). */
const sarrus_bench_row *sarrus_bench_row_find(const sarrus_bench_mechanism *mechanism, const sarrus_bench_isa *isa, int i_pinv,
                                              int n_threads);

/* Measured peak, flop/s; NaN when it was not measured. */
double sarrus_bench_peak_find(const sarrus_bench_step_report *report, const sarrus_bench_isa *isa, int n_threads);

/* Fraction of the row's instruction set's peak, on the plan's counted flops; NaN for the pinv choices without a count. */
double sarrus_bench_row_peak_fraction(const sarrus_bench_step_report *report, const sarrus_bench_mechanism *mechanism,
                                      const sarrus_bench_row *row);

/* The report on stdout. */
void sarrus_bench_step_show(const sarrus_bench_step_report *report);

#endif
