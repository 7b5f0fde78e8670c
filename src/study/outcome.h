/* How every instance of a run stands: status, work done, changes of rank; in the form that the sink takes. */
#ifndef SARRUS_STUDY_OUTCOME_H
#define SARRUS_STUDY_OUTCOME_H

#include <stdbool.h>

#include "model/model.h"
#include "sarrus/batch.h"
#include "sarrus/run.h"
#include "sink/sink.h"
#include "study/quantities.h"

/* What is kept of an instance. The first four are counts. */
enum {
    SARRUS_MEASURE_STEPS,
    SARRUS_MEASURE_REJECTIONS,
    SARRUS_MEASURE_EVALUATIONS,
    SARRUS_MEASURE_RANK_CHANGES,
    SARRUS_MEASURE_VIOLATION,
    SARRUS_MEASURE_MISMATCH,
    SARRUS_MEASURE_ERROR,
    SARRUS_MEASURE_NEAREST,
    SARRUS_MEASURE_NEAREST_TIME,
    SARRUS_OUTCOME_MEASURES
};
enum { SARRUS_OUTCOME_COLUMNS = 4 };

/* The datasets: what was done and found per instance (quantities come behind it); the table of changes of rank, whose first
 * column is its scale. */
extern const sarrus_sink_measure sarrus_outcome_measures[SARRUS_OUTCOME_MEASURES];
extern const sarrus_sink_column sarrus_outcome_columns[SARRUS_OUTCOME_COLUMNS];
extern const char sarrus_outcome_columns_scale[];

typedef struct sarrus_outcome {
    const sarrus_model *model;
    uint64_t i_first, n_instances; /* number of the first instance in its study; instances */
    bool has_events;
    uint8_t *status;                           /* [n_instances] */
    double *failed_time;                       /* [n_instances] s; NaN when healthy */
    double *measures[SARRUS_OUTCOME_MEASURES]; /* [n_instances] */
    sarrus_study_quantities *quantities;       /* not owned */
    const double **shown;                      /* [SARRUS_OUTCOME_MEASURES + quantities] of [n_instances]: what the sink gets */
    double *rows[SARRUS_OUTCOME_COLUMNS];      /* [n_rows] */
    uint64_t n_rows, n_reserved;
} sarrus_outcome;

/* `has_events`: changes of rank are kept by the batch and wanted; the quantities must outlive it. NO_MEMORY. `*out` is to be
 * given to sarrus_outcome_free, after an error too. */
SARRUS_MUST_USE sarrus_status sarrus_outcome_create(sarrus_context *context, const sarrus_model *model, uint64_t i_first,
                                                    uint64_t n_instances, bool has_events, sarrus_study_quantities *quantities,
                                                    sarrus_outcome *out);
void sarrus_outcome_free(sarrus_outcome *outcome);

/* Reads status, failure time, work done and verdict of every instance. */
void sarrus_outcome_update(sarrus_outcome *outcome, const sarrus_batch *batch);

/* Takes the changes of rank out of the batch: those before t_limit become the rows, the others are dropped. NO_MEMORY. */
SARRUS_MUST_USE sarrus_status sarrus_outcome_rank_changes_take(sarrus_outcome *outcome, sarrus_context *context,
                                                               sarrus_batch *batch, double t_limit);

/* Steps of all instances together. */
uint64_t sarrus_outcome_steps(const sarrus_outcome *outcome);

/* For the sink; valid until the next change. */
sarrus_sink_outcome sarrus_outcome_view(const sarrus_outcome *outcome, bool is_complete);

/* Fills failures and work done of the summary. error_limit: what the errors of an instance's steps may add up to. */
void sarrus_outcome_summarize(const sarrus_outcome *outcome, double error_limit, sarrus_run_summary *summary);

#endif
