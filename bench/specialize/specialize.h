/* The nouns of the benchmark of specialised kernels: variants of one mechanism, growth with its size, compiling, the main job. */
#ifndef SARRUS_BENCH_SPECIALIZE_H
#define SARRUS_BENCH_SPECIALIZE_H

#include <stdbool.h>
#include <stdio.h>

#include "sarrus/sarrus.h"

#include "bench/step/step.h"

/* What solves the mechanism. */
typedef enum sarrus_bench_variant {
    SARRUS_BENCH_GENERIC,
    SARRUS_BENCH_SPECIALIZED,
    SARRUS_BENCH_LAPACK,
    SARRUS_BENCH_N_VARIANTS
} sarrus_bench_variant;

enum {
    SARRUS_BENCH_MAX_SUBJECTS = 16,
    SARRUS_BENCH_MAX_FOLDER = 512, /* bytes of a path */
};

/* How long it takes until the kernels are there, s. Medians. */
typedef struct sarrus_bench_start {
    double compile;      /* of the compiler alone */
    double first;        /* creating a small batch with an empty cache, waiting for its kernels */
    double from_cache;   /* the same when the cache has them, */
    double generic;      /* and without specialisation */
    bool is_unsupported; /* the plan is none to be specialised: said, and no failure of the gate */
    const char *failure;
    char note[SARRUS_SPECIALIZATION_NOTE];
} sarrus_bench_start;

/* One mechanism with its rows. */
typedef struct sarrus_bench_subject {
    char label[SARRUS_BENCH_MAX_NAME];
    int n_loops;      /* of N-four-bar; 0: another mechanism */
    bool is_in_table; /* of the rates; others are in the table of growth alone */
    sarrus_bench_mechanism mechanism;
    int i_rows[SARRUS_BENCH_N_VARIANTS];        /* into mechanism.rows; -1: there is none */
    double peaks[SARRUS_BENCH_MAX_REPETITIONS]; /* flop/s, measured at the beginning of each repetition */
    sarrus_bench_start start;
} sarrus_bench_subject;

enum { SARRUS_BENCH_N_JOBS = 5 };

/* The main job, once per way of running it. */
typedef struct sarrus_bench_job {
    const char *name;
    sarrus_specialize specialize;
    bool is_cached;                               /* the cache has the kernels */
    double seconds[SARRUS_BENCH_MAX_REPETITIONS]; /* wall, sarrus_run as a whole, by repetition */
    double median;                                /* s */
    double to_best;                               /* median over the repetitions of the time over the shorter of `off` and `on` */
    double step_share;                            /* of the last repetition: steps made by specialised kernels */
    sarrus_run_summary summary;
    const char *failure;
} sarrus_bench_job;

typedef struct sarrus_bench_specialize_options {
    bool json, is_quick, no_job;
    int n_threads;
    int n_compilations;   /* of each mechanism, each with an empty cache */
    uint64_t n_instances; /* of the main job */
    const char *scenarios_folder;
    const char *compiler; /* NULL: the library's choice */
} sarrus_bench_specialize_options;

typedef struct sarrus_bench_specialize_report {
    const sarrus_bench_specialize_options *options;
    sarrus_bench_step_options step_options; /* as the step benchmark takes them */
    sarrus_bench_step_report step;          /* of which only the peaks are used */
    char folder[SARRUS_BENCH_MAX_FOLDER];   /* private, of the caches and of the main job's file; removed in the end */
    int n_folders;                          /* made in it */
    int n_subjects;
    sarrus_bench_subject subjects[SARRUS_BENCH_MAX_SUBJECTS];
    int n_job_repetitions;
    sarrus_bench_job jobs[SARRUS_BENCH_N_JOBS];
} sarrus_bench_specialize_report;

extern const char *const sarrus_bench_variants[SARRUS_BENCH_N_VARIANTS];

/* The row of a variant; NULL when there is none. */
const sarrus_bench_row *sarrus_bench_variant_row(const sarrus_bench_subject *subject, sarrus_bench_variant variant);

/* Counted flops of a step by this variant, NaN when nobody counts them; and what they come to as a fraction of the peak measured in
 * the same repetition, the median over the repetitions. */
double sarrus_bench_variant_flops(const sarrus_bench_subject *subject, sarrus_bench_variant variant);
double sarrus_bench_variant_peak_fraction(const sarrus_bench_subject *subject, sarrus_bench_variant variant);

/* Slope of log(cost of an instance-step) over log(N) for the N-four-bars, by least squares: over all, or the two largest. */
double sarrus_bench_growth(const sarrus_bench_specialize_report *report, sarrus_bench_variant variant, bool only_largest);

/* A new empty private folder for a cache, into `out`. False when it cannot be made. */
bool sarrus_bench_folder_make(sarrus_bench_specialize_report *report, char out[SARRUS_BENCH_MAX_FOLDER]);

/* Opens, compiles and times one mechanism: subject's label and n_loops are set. The diagnostics are in `context`. */
SARRUS_MUST_USE sarrus_status sarrus_bench_subject_measure(sarrus_context *context, sarrus_bench_specialize_report *report,
                                                           const sarrus_bench_source *source, sarrus_bench_subject *subject);

SARRUS_MUST_USE sarrus_status sarrus_bench_jobs_measure(sarrus_context *context, sarrus_bench_specialize_report *report);

/* The report on stdout. */
void sarrus_bench_specialize_show(const sarrus_bench_specialize_report *report);

#endif
