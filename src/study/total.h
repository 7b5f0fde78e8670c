/* The summary of a run of several groups, from those of its groups. */
#ifndef SARRUS_STUDY_TOTAL_H
#define SARRUS_STUDY_TOTAL_H

#include "sarrus/run.h"

/* Sums and extremes of summaries [n], n at least 1; what is of one group only is that of the first. */
sarrus_run_summary sarrus_total_of(const sarrus_run_summary *summaries, int n);

#endif
