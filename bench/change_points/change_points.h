/* `sarrus bench change-points`: mechanisms near change points. Their exact motions (table.c), their scenarios, one
 * run and its judgement, the study of drawn lengths, and the printing of it all. docs/change_points.md is the page. */
#ifndef SARRUS_BENCH_CHANGE_POINTS_H
#define SARRUS_BENCH_CHANGE_POINTS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "sarrus/sarrus.h"

enum {
    SARRUS_CHANGE_POINT_N_TIMES = 4, /* 0.4, 0.8, 1.2 and 2.0 s */
    SARRUS_CHANGE_POINT_N_MECHANISMS = 6,
    SARRUS_CHANGE_POINT_N_DELTAS = 23,
    SARRUS_CHANGE_POINT_N_METHODS = 16,
    SARRUS_CHANGE_POINT_MAX_RUNS = SARRUS_CHANGE_POINT_N_MECHANISMS * SARRUS_CHANGE_POINT_N_DELTAS * SARRUS_CHANGE_POINT_N_METHODS,
    SARRUS_CHANGE_POINT_N_DRAWN = 24, /* instances of a study */
    SARRUS_CHANGE_POINT_N_STUDIES = 3,
    SARRUS_CHANGE_POINT_N_STUDY_METHODS = 3,
    SARRUS_CHANGE_POINT_MAX_OVERRIDES = 16,
    SARRUS_CHANGE_POINT_TEXT = 128,
};

/* --- The exact motions ------------------------------------------------------------------------------------------------------ */

/* Where the first and the last crank are at the four times, rad; of the slider-crank crank and slider, the latter in m. */
typedef struct sarrus_change_point_truth {
    const char *mechanism, *delta;
    double first[SARRUS_CHANGE_POINT_N_TIMES], last[SARRUS_CHANGE_POINT_N_TIMES];
} sarrus_change_point_truth;
extern const sarrus_change_point_truth sarrus_change_point_truths[];
extern const int sarrus_n_change_point_truths;

/* An instance of a study: what was drawn with standard deviation `sd`, and where its first and last crank are after 2 s. */
typedef struct sarrus_change_point_drawn {
    const char *sd;
    double lengths[3], ends[2];
} sarrus_change_point_drawn;
extern const sarrus_change_point_drawn sarrus_change_point_drawns[];
extern const int sarrus_n_change_point_drawns;

/* --- What is run ------------------------------------------------------------------------------------------------------------ */

typedef struct sarrus_change_point_mechanism {
    const char *name;
    const char *text;        /* the scenario; NULL: change_point.yaml of the scenarios folder */
    const char *length_path; /* the number that is longer by delta */
    double length;           /* that number without delta, m */
    int i_first, i_last;     /* coordinates that the truth is about */
    sarrus_override overrides[6];
    int n_overrides;
} sarrus_change_point_mechanism;
extern const sarrus_change_point_mechanism sarrus_change_point_mechanisms[SARRUS_CHANGE_POINT_N_MECHANISMS];

typedef struct sarrus_change_point_method {
    const char *integrator, *pinv, *settings;
    bool is_adaptive;
    double dt;    /* s */
    double bound; /* of the error of a right run, rad or m */
} sarrus_change_point_method;
extern const sarrus_change_point_method sarrus_change_point_methods[SARRUS_CHANGE_POINT_N_METHODS];

/* "0", "1e-12", "-1e-12", … "-1e-2". */
extern const char *const sarrus_change_point_deltas[SARRUS_CHANGE_POINT_N_DELTAS];

/* The scenario of a mechanism with `delta` and overrides behind its own. Errors are those of reading. */
SARRUS_MUST_USE sarrus_status sarrus_change_point_read(sarrus_context *context, const char *scenarios_folder,
                                                       const sarrus_change_point_mechanism *mechanism, const char *delta,
                                                       const sarrus_override *overrides, int n_overrides, sarrus_model **out);

/* --- One run ---------------------------------------------------------------------------------------------------------------- */

typedef enum sarrus_change_point_verdict {
    SARRUS_CHANGE_POINT_RIGHT,
    SARRUS_CHANGE_POINT_MARKED,  /* the instance has a status: it says itself that it did not get through */
    SARRUS_CHANGE_POINT_REFUSED, /* the mechanism cannot be assembled: what a locked one should meet */
    SARRUS_CHANGE_POINT_SILENT,  /* wrong, and nothing says so */
    SARRUS_CHANGE_POINT_HUNG,    /* not done in time, stopped by this program */
    SARRUS_CHANGE_POINT_N_VERDICTS
} sarrus_change_point_verdict;
extern const char *const sarrus_change_point_verdict_words[SARRUS_CHANGE_POINT_N_VERDICTS];

typedef struct sarrus_change_point_run {
    int i_mechanism, i_delta, i_method;
    double error;  /* largest at the four times, rad or m; NaN when the instance ended before */
    double energy; /* largest |E − E₀|/E₀ every 0.1 s, as far as the instance came */
    sarrus_instance_statistics work;
    double seconds; /* of wall time */
    sarrus_instance_status status;
    sarrus_change_point_verdict verdict;
} sarrus_change_point_run;

/* Fills the lower part. Errors are those of reading, planning and memory; a run that fails or is refused is none. */
SARRUS_MUST_USE sarrus_status sarrus_change_point_measure(sarrus_context *context, const char *scenarios_folder,
                                                          sarrus_change_point_run *run);

/* --- The study of drawn lengths --------------------------------------------------------------------------------------------- */

/* change_point.yaml with all cranks drawn about 1 m, undamped: the method that a scenario has by default, and others. */
typedef struct sarrus_change_point_study_row {
    const char *sd, *method;
    int n_wrong, n_marked; /* wrong: by more than 1e-2 rad at the end, and not marked */
    double largest;        /* error at the end of those not marked, rad */
    double largest_energy; /* |E − E₀|/E₀ at the end of those not marked */
    double seconds, ratio; /* of wall time, one thread, least of five; over that of the first method */
    uint64_t n_evaluations;
} sarrus_change_point_study_row;

/* --- The report ------------------------------------------------------------------------------------------------------------- */

typedef struct sarrus_change_point_report {
    bool is_quick;
    double seconds; /* wall time of everything */
    int n_runs;
    sarrus_change_point_run runs[SARRUS_CHANGE_POINT_MAX_RUNS];
    int n_drawn;   /* instances of each study */
    int n_foreign; /* those of them whose lengths are not in the table: nothing is known about them */
    sarrus_change_point_study_row study[SARRUS_CHANGE_POINT_N_STUDIES * SARRUS_CHANGE_POINT_N_STUDY_METHODS];
} sarrus_change_point_report;

/* Makes the studies of `n_drawn` instances and fills what follows it. */
SARRUS_MUST_USE sarrus_status sarrus_change_point_study(sarrus_context *context, const char *scenarios_folder,
                                                        sarrus_change_point_report *report);

/* The lengths of all studies as one JSON object, for reference.py. */
SARRUS_MUST_USE sarrus_status sarrus_change_point_print_lengths(sarrus_context *context, const char *scenarios_folder,
                                                                FILE *stream);

/* Runs of one method (−1: of all) by verdict. */
typedef struct sarrus_change_point_tally {
    int n_runs, n[SARRUS_CHANGE_POINT_N_VERDICTS];
    double seconds;
    uint64_t n_steps, n_evaluations;
} sarrus_change_point_tally;
void sarrus_change_point_count(const sarrus_change_point_report *report, int i_method, sarrus_change_point_tally *out);

/* The report on stdout. */
void sarrus_change_point_show(const sarrus_change_point_report *report, bool json);

#endif
