/* What the closing summary says about a run, gathered from the observed numbers as they pass. */
#ifndef SARRUS_STUDY_TALLY_H
#define SARRUS_STUDY_TALLY_H

#include "core/crew.h"
#include "sarrus/run.h"

/* Of one instance. Kept apart per instance because one that fails later is left out of the summary altogether. */
typedef struct sarrus_tally_record {
    double position_error; /* largest ‖Φ‖ */
    double velocity_error; /* largest ‖Φ̇‖ */
    double rank;           /* at the last output; NaN before */
} sarrus_tally_record;

typedef struct sarrus_tally {
    uint64_t n_instances;
    sarrus_tally_record *records; /* [n_instances] */
    uint64_t n_rank_changes;
} sarrus_tally;

/* Rows i_row … i_row + n_rows − 1 of arrays [n_instances][n_rows_stride]; NULL where not observed. */
typedef struct sarrus_tally_rows {
    uint64_t n_rows_stride, i_row, n_rows;
    sarrus_crew *crew;
    int n_threads; /* of the crew, that share the instances */
    const double *position_error;
    const double *velocity_error;
    const double *rank;
} sarrus_tally_rows;

/* NO_MEMORY. `*out` is to be given to sarrus_tally_free, after an error too. */
SARRUS_MUST_USE sarrus_status sarrus_tally_create(sarrus_context *context, uint64_t n_instances, sarrus_tally *out);
void sarrus_tally_free(sarrus_tally *tally);

/* Takes in the next rows, in order of time. NaN (failed instances) is passed over. */
void sarrus_tally_add(sarrus_tally *tally, const sarrus_tally_rows *rows);

/* Fills the maxima and n_rank_changes of the summary over the instances with status[i] = 0; a quantity that was never
 * observed stays NaN. */
void sarrus_tally_finish(const sarrus_tally *tally, const uint8_t *status, sarrus_run_summary *summary);

#endif
