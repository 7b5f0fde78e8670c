/* What `sarrus pinv` tells of its work: a line, a table, or JSON. */
#ifndef SARRUS_CLI_PINV_REPORT_H
#define SARRUS_CLI_PINV_REPORT_H

#include <stdbool.h>
#include <stdio.h>

#include "cli/pinv_residuals.h"

/* What was asked for. */
typedef struct sarrus_pinv_work {
    const char *input, *rhs, *output; /* rhs NULL: the explicit form */
    sarrus_pinv_options asked, taken; /* taken: sarrus_pinv_options_resolve */
    int max_rank;                     /* 0: not given */
    int m, n, n_rhs;
    uint64_t n_matrices;
    bool is_reported; /* residuals and flops are wanted */
} sarrus_pinv_work;

/* What came of it so far. */
typedef struct sarrus_pinv_tally {
    uint64_t n_not_finite;   /* matrices, or right sides, with a NaN or an infinity */
    uint64_t n_not_computed; /* others whose result is not finite */
    uint64_t i_failed;       /* the first of either */
    uint64_t *n_of_rank;     /* [min(m, n) + 1] of the others; the caller's */
    double kept, dropped;    /* smallest size that counted, largest that did not; NaN: there is none */
    double flops;            /* NaN: not counted */
    double seconds_computing, seconds;
    sarrus_pinv_residuals residuals;
} sarrus_pinv_tally;

/* Nothing yet. */
sarrus_pinv_tally sarrus_pinv_tally_begin(const sarrus_pinv_work *work, uint64_t *n_of_rank);

/* Takes in the results of one call, which has all outputs, on `n_threads`; the residuals too when they are wanted. NO_MEMORY. */
SARRUS_MUST_USE sarrus_status sarrus_pinv_tally_add(sarrus_context *context, const sarrus_pinv_work *work,
                                                    const sarrus_pinv_batch *batch, uint64_t i_first, int n_threads,
                                                    sarrus_pinv_tally *into);

uint64_t sarrus_pinv_tally_failed(const sarrus_pinv_tally *tally);

void sarrus_pinv_report_line(const sarrus_pinv_work *work, const sarrus_pinv_tally *tally, FILE *stream);
void sarrus_pinv_report_table(const sarrus_pinv_work *work, const sarrus_pinv_tally *tally, FILE *stream);
void sarrus_pinv_report_json(const sarrus_pinv_work *work, const sarrus_pinv_tally *tally, FILE *stream);

/* A warning when matrices failed. */
void sarrus_pinv_report_warn(const sarrus_pinv_work *work, const sarrus_pinv_tally *tally, FILE *stream);

#endif
