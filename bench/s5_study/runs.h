/* Tables 7 to 12 of S5: twenty seconds of the five-bar by method, tolerance, stabilisation and integrator, each run judged against
 * the closed-form pendulum. */
#ifndef SARRUS_BENCH_S5_STUDY_RUNS_H
#define SARRUS_BENCH_S5_STUDY_RUNS_H

#include <stdbool.h>
#include <stdint.h>

#include "sarrus/sarrus.h"

#include "bench/s5_study/s5_study.h"

enum {
    SARRUS_S5_N_PAPER_TABLES = 6,
    SARRUS_S5_MAX_RUNS = 256,
    SARRUS_S5_TEXT = 48,
};

/* svd, varga, greville, householder, mgs: the order of the paper's rows. */
extern const char *const sarrus_s5_methods[SARRUS_S5_N_METHODS];

/* One row of Tables 7 to 12; NaN where the paper prints a dash. */
typedef struct sarrus_s5_paper_row {
    const char *result;
    double correct_until; /* s */
    double sum_psi2, n_evaluations, n_steps, cpu;
} sarrus_s5_paper_row;

typedef struct sarrus_s5_paper_table {
    int number;
    double tolerance;
    bool has_baumgarte;
    sarrus_s5_paper_row rows[SARRUS_S5_N_METHODS];
    const char *footnotes[2];
} sarrus_s5_paper_table;

extern const sarrus_s5_paper_table sarrus_s5_paper_tables[SARRUS_S5_N_PAPER_TABLES];

/* One run: what was asked, and what came of it. */
typedef struct sarrus_s5_run {
    const char *pinv, *rank, *integrator; /* words of the scenario; rank "relative" has the tolerance TOL */
    int i_table;                          /* of sarrus_s5_paper_tables: TOL and stabilisation */
    int i_method;
    bool is_gated;
    double seconds; /* of motion asked for */
    double offset;  /* rad: crank b is turned by this about its pivot, off the constraints, before the start */

    double bound;                    /* of the angle error, rad */
    double error_end, error_largest; /* of the cranks' angles, rad, as far as the run came */
    double correct_until;            /* s: last output before the error passes the bound */
    double t_visible;                /* s: first output with an error above 1e-2 rad; NaN: none */
    double sum_psi2;                 /* at the last finite output */
    double t_reached;                /* s */
    double t_threshold;              /* s: σ₁₂ of J M^{-1/2} first seen above TOL σ₁; NaN: never */
    double sigma_per_across;         /* median of σ₁₂/|ξ| over outputs with 1e-13 < |ξ| < 1e-3; NaN: none */
    double sigma_per_violation;      /* largest σ₁₂/‖Φ‖ over outputs with 1e-13 < ‖Φ‖ < 1e-3; NaN: none */
    double t_rank;                   /* s: first change of the rank decision; NaN: none */
    sarrus_instance_statistics work;
    double cpu;   /* s */
    double ratio; /* evaluations over the paper's; NaN where the paper has no number */
    sarrus_instance_status status;
    const char *failure; /* of the gate; NULL: passed, or not gated */
} sarrus_s5_run;

/* What the runs have in common. */
typedef struct sarrus_s5_study {
    const char *scenario;
    double angle;       /* rad, initial */
    uint64_t max_steps; /* of one run */
} sarrus_s5_study;

/* A run at its outputs, for pictures: t, ‖Φ‖, |ξ| (s5_study/five_bar.h), the first, the eleventh and the twelfth singular value of
 * J M^{-1/2}, the angle error. */
enum {
    SARRUS_S5_TRACE_T,
    SARRUS_S5_TRACE_VIOLATION,
    SARRUS_S5_TRACE_ACROSS,
    SARRUS_S5_TRACE_LARGEST,
    SARRUS_S5_TRACE_KEPT,
    SARRUS_S5_TRACE_REDUNDANT,
    SARRUS_S5_TRACE_ERROR,
    SARRUS_S5_N_TRACED,
    SARRUS_S5_TRACE_TIMES = 1001,
};
typedef struct sarrus_s5_trace {
    int n;
    double at[SARRUS_S5_N_TRACED][SARRUS_S5_TRACE_TIMES];
} sarrus_s5_trace;

/* Fills the lower half of `run`. `trace` may be NULL. Errors are those of reading, planning and memory; a run that fails is none.
 */
SARRUS_MUST_USE sarrus_status sarrus_s5_run_measure(sarrus_context *context, const sarrus_s5_study *study, sarrus_s5_run *run,
                                                    sarrus_s5_trace *trace);

/* "correct", "error > bound after 7.31 s", "step_underflow at 9.10 s": into text[SARRUS_S5_TEXT]. */
const char *sarrus_s5_run_result(const sarrus_s5_run *run, char *text);

#endif
