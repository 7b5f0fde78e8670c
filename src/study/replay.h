/* One instance of a study step by step. Its rows are the output times of the study and the times to which its integrator has
 * stepped: with a fixed step every multiple of dt (parts of a step show in their number only), else the ends of all accepted steps.
 * A method with inputs ends its steps where the study looks, and is shown there alone. */
#ifndef SARRUS_STUDY_REPLAY_H
#define SARRUS_STUDY_REPLAY_H

#include <stdbool.h>
#include <stdint.h>

#include "sarrus/batch.h"
#include "sink/sink.h"
#include "study/schedule.h"

/* What is said of a row beside its observations; a dataset each. */
enum { SARRUS_REPLAY_IS_OUTPUT, SARRUS_REPLAY_IS_STEP, SARRUS_REPLAY_STEPS, SARRUS_REPLAY_REJECTIONS, SARRUS_REPLAY_FIELDS };
extern const sarrus_sink_field sarrus_replay_fields[SARRUS_REPLAY_FIELDS];

typedef struct sarrus_replay {
    sarrus_batch *batch;             /* of one instance; not owned */
    const sarrus_schedule *schedule; /* of the study; not owned */
    uint64_t i_output;               /* output times of the study that are behind */
    double time;                     /* s, of the last row */
    bool is_begun, is_over;
} sarrus_replay;

/* The most rows that there may be. */
uint64_t sarrus_replay_most_rows(const sarrus_replay *replay, uint64_t max_steps);

/* The next row, observed into row i_time_first of `where`, and what is said of it. Without one (the instance has failed, at t = 0
 * after a row that says so) is_over is set and *has_row false. Errors as of sarrus_batch_observe. */
SARRUS_MUST_USE sarrus_status sarrus_replay_row(sarrus_replay *replay, const sarrus_observation *where, bool *has_row,
                                                double said[SARRUS_REPLAY_FIELDS]);

#endif
