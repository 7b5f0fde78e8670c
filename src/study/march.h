/* Marching a batch through its output times in slices short enough to be stopped and watched. */
#ifndef SARRUS_STUDY_MARCH_H
#define SARRUS_STUDY_MARCH_H

#include "core/crew.h"
#include "sarrus/run.h"
#include "sink/sink.h"
#include "study/channels.h"
#include "study/replay.h"
#include "study/schedule.h"
#include "study/tally.h"

typedef struct sarrus_march {
    /* Set by the caller; none is owned. */
    sarrus_batch *batch;
    const sarrus_model *model;
    const sarrus_schedule *schedule;
    const sarrus_channels *channels;
    sarrus_tally *tally;
    sarrus_replay *replay;             /* NULL: output times of the schedule; else rows of this */
    sarrus_crew *crew;                 /* for gathering and tallying */
    uint64_t n_rows;                   /* output times of a full block; 0: no file, the march chooses */
    sarrus_progress_function progress; /* NULL: nobody watches */
    void *progress_user;
    /* Where it stands. */
    uint64_t i_time;          /* output times, or rows, done */
    uint64_t n_steps_done;    /* steps done */
    double integrate_seconds; /* advancing and observing */
    /* Private. */
    uint64_t n_slice_steps;                /* steps that fit between two looks at the progress callback */
    double *scratch[SARRUS_N_OBSERVABLES]; /* [n_instances][n_rows][width]; NULL when observed into the block or not at all */
    uint64_t n_failed;
    double began, last_look, last_count, count_seconds; /* s of the monotonic clock */
} sarrus_march;

/* Allocates the scratch arrays and starts the clock. NO_MEMORY. Give `march` to sarrus_march_end, after an error too. */
SARRUS_MUST_USE sarrus_status sarrus_march_begin(sarrus_march *march, sarrus_context *context);
void sarrus_march_end(sarrus_march *march);

/* Fills one block (NULL without a file: up to n_rows output times are observed for the summary only) and moves i_time on.
 * INTERRUPTED when the progress callback asked for it, or the batch was stopped; the rows up to i_time are complete then. */
SARRUS_MUST_USE sarrus_status sarrus_march_block(sarrus_march *march, sarrus_context *context, const sarrus_sink_block *block);

/* Whether there is nothing left to march through. */
bool sarrus_march_is_over(const sarrus_march *march);

/* s, time of the last row. */
double sarrus_march_time(const sarrus_march *march);

/* Seconds since sarrus_march_begin. */
double sarrus_march_seconds(const sarrus_march *march);

#endif
