/* The study of S5 for people and for programs. */
#ifndef SARRUS_BENCH_S5_STUDY_PRINT_H
#define SARRUS_BENCH_S5_STUDY_PRINT_H

#include "bench/s5_study/runs.h"

enum { SARRUS_S5_MAX_TRACES = 4 };

typedef struct sarrus_s5_report {
    bool has_flops, has_runs, has_traces;
    sarrus_s5_study study;
    sarrus_s5_flops flops;
    int n_runs;
    sarrus_s5_run runs[SARRUS_S5_MAX_RUNS];
    int n_traces; /* of the runs i_traced */
    int i_traced[SARRUS_S5_MAX_TRACES];
    sarrus_s5_trace traces[SARRUS_S5_MAX_TRACES];
} sarrus_s5_report;

/* The report on stdout. */
void sarrus_s5_show(const sarrus_s5_report *report, bool json);

#endif
