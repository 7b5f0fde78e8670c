/* What the closing summary says about a run, gathered from the observed numbers as they pass. */
#ifndef SARRUS_STUDY_TALLY_H
#define SARRUS_STUDY_TALLY_H

#include "model/model.h"
#include "sarrus/run.h"

/* Of one instance. Kept apart per instance because one that fails later is left out of the summary altogether. */
typedef struct sarrus_tally_record {
    double energy_first;   /* J, at t = 0; NaN before */
    double energy_change;  /* J, largest |E(t) − E(0)| */
    double kinetic;        /* J, largest kinetic energy with the nominal masses: a scale, where E(0) happens to be near 0 */
    double position_error; /* largest ‖Φ‖ */
    double velocity_error; /* largest ‖Φ̇‖ */
    double rank;           /* at the last output; NaN before */
} sarrus_tally_record;

typedef struct sarrus_tally {
    uint64_t n_instances;
    int n_bodies;
    double *mass;                 /* [n_bodies] kg, nominal */
    double *inertia;              /* [n_bodies] kg m² */
    sarrus_tally_record *records; /* [n_instances] */
    uint64_t n_rank_changes;
} sarrus_tally;

/* Rows i_row … i_row + n_rows − 1 of arrays [n_instances][n_rows_stride][width]; NULL where not observed. */
typedef struct sarrus_tally_rows {
    uint64_t n_rows_stride, i_row, n_rows;
    int n_threads;        /* that share the instances */
    const double *v;      /* [..][3·n_bodies] m/s | rad/s */
    const double *energy; /* J */
    const double *position_error;
    const double *velocity_error;
    const double *rank;
} sarrus_tally_rows;

/* NO_MEMORY. `*out` is to be given to sarrus_tally_free, after an error too. */
SARRUS_MUST_USE sarrus_status sarrus_tally_create(sarrus_context *context, const sarrus_model *model, uint64_t n_instances,
                                                  sarrus_tally *out);
void sarrus_tally_free(sarrus_tally *tally);

/* Takes in the next rows, in order of time. NaN (failed instances) is passed over. */
void sarrus_tally_add(sarrus_tally *tally, const sarrus_tally_rows *rows);

/* Fills the maxima and n_rank_changes of the summary over the instances with status[i] = 0; a quantity that was never
 * observed stays NaN. */
void sarrus_tally_finish(const sarrus_tally *tally, const uint8_t *status, sarrus_run_summary *summary);

/* Whether nothing in the model adds or removes energy: no damping, no drive, no torque, no point force. */
bool sarrus_energy_is_conserved(const sarrus_model *model);

#endif
