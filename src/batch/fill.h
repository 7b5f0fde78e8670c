/* What the scenario makes of the numbers of an instance, into its lane of a tile. */
#ifndef SARRUS_BATCH_FILL_H
#define SARRUS_BATCH_FILL_H

#include "batch/inside.h"
#include "model/draws.h"
#include "model/evaluator.h"

/* Scratch of one thread. */
typedef struct sarrus_filler {
    const sarrus_plan *plan;
    sarrus_evaluator *evaluator;
    double *values;     /* [n_values] */
    double *parameters; /* [n_parameters] of the last instance */
    double *q, *v;      /* [n_q], [n_v] of the last instance */
    double *nominal;    /* [n_parameters + n_q + n_v] stands in for an instance whose numbers are invalid */
} sarrus_filler;

/* n fillers, which are the caller's; NULL: no memory. */
sarrus_filler *sarrus_fillers_create(const sarrus_plan *plan, int n);
void sarrus_fillers_destroy(sarrus_filler *fillers, int n);

/* The first n of the batch's own, which are made when so many are first needed and stay with it: what their expressions are
 * compiled from costs more than hundreds of instances. NULL: no memory. */
sarrus_filler *sarrus_batch_fillers(sarrus_batch *batch, int n);

/* Parameters, q and v of instance i of the draws (NULL: the nominal one). False: its numbers are invalid, and these are nominal. */
bool sarrus_filler_run(sarrus_filler *filler, const sarrus_draws *draws, uint64_t i);

/* numbers[n_sampled]: what the sampled parameters of the last instance were. */
void sarrus_filler_sampled(const sarrus_filler *filler, double *numbers);

/* Puts parameters, given state and status of the last instance into a lane of a tile of the plan's own mechanism. */
void sarrus_filler_put(const sarrus_filler *filler, bool is_good, int32_t width, int32_t lane, double *tile);

/* Fills all instances of a new batch, and batch->sampled, which it reserves. Reports; INTERRUPTED. */
SARRUS_MUST_USE sarrus_status sarrus_batch_fill(sarrus_context *context, sarrus_batch *batch, const sarrus_draws *draws);

#endif
