/* The study of S5 for people and for programs. */
#ifndef SARRUS_BENCH_DEFALCO_PRINT_H
#define SARRUS_BENCH_DEFALCO_PRINT_H

#include "defalco_runs.h"

enum { SARRUS_DEFALCO_MAX_TRACES = 4 };

typedef struct sarrus_defalco_report {
    bool has_flops, has_runs, has_traces;
    sarrus_defalco_study study;
    sarrus_defalco_flops flops;
    int n_runs;
    sarrus_defalco_run runs[SARRUS_DEFALCO_MAX_RUNS];
    int n_traces; /* of the runs i_traced */
    int i_traced[SARRUS_DEFALCO_MAX_TRACES];
    sarrus_defalco_trace traces[SARRUS_DEFALCO_MAX_TRACES];
} sarrus_defalco_report;

void sarrus_defalco_print_flops(FILE *stream, const sarrus_defalco_flops *flops);
void sarrus_defalco_print_runs(FILE *stream, const sarrus_defalco_report *report);
void sarrus_defalco_print_json(FILE *stream, const sarrus_defalco_report *report);

#endif
