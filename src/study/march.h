/* Marching a batch through its output times, block by block, in slices short enough to be stopped and watched: between two of them
 * other batches may have their turn. */
#ifndef SARRUS_STUDY_MARCH_H
#define SARRUS_STUDY_MARCH_H

#include <stdbool.h>

#include "core/crew.h"
#include "sarrus/run.h"
#include "sink/sink.h"
#include "study/channels.h"
#include "study/quantities.h"
#include "study/replay.h"
#include "study/schedule.h"
#include "study/statistics.h"
#include "study/tally.h"

typedef struct sarrus_march {
    /* Set by the caller; none is owned. */
    sarrus_batch *batch;
    const sarrus_model *model;
    const sarrus_schedule *schedule;
    const sarrus_channels *channels;
    sarrus_tally *tally;
    sarrus_study_quantities *quantities;
    const sarrus_study_statistics *statistics; /* their fields of a block stand behind those of the channels */
    sarrus_replay *replay;                     /* NULL: output times of the schedule; else rows of this */
    bool keeps_quantities;                     /* without a file too */
    sarrus_crew *crew;                         /* for gathering and tallying */
    uint64_t n_rows;                           /* output times of a full block; 0: no file, the march chooses */
    uint64_t scratch_bytes;                    /* for observations that no file asked to keep */
    /* Where it stands. */
    uint64_t i_time;          /* output times, or rows, done */
    uint64_t n_steps_done;    /* steps done */
    uint64_t n_steps_before;  /* of them, those that an earlier run has made */
    double integrate_seconds; /* advancing and observing */
    bool is_open;             /* within a block */
    /* Private. */
    uint64_t n_slice_steps;                /* steps that fit between two looks at the clock */
    double *scratch[SARRUS_N_OBSERVABLES]; /* [n_instances][n_rows][width]; NULL when observed into the block or not at all */
    double *times;                         /* [n_rows] s, of the rows of the open block, for quantities */
    sarrus_sink_block block;               /* the open one; its data are NULL without a file */
    sarrus_observation next;               /* into it */
    uint64_t n_block_rows, i_row;          /* rows that it takes, and has */
    uint64_t n_failed;
    double last_count, count_seconds; /* s of the monotonic clock, and what a count takes */
} sarrus_march;

/* A slice aims at so many seconds: about five looks at what goes on a second. */
extern const double sarrus_march_slice_seconds;

/* What wants observations: those that it takes. */
typedef struct sarrus_march_wants {
    const sarrus_model *model;
    const sarrus_channels *channels;
    const sarrus_study_quantities *quantities;
    const sarrus_study_statistics *statistics;
} sarrus_march_wants;

/* Doubles that each instance and time take beside the blocks of a file. */
uint64_t sarrus_march_scratch_width(const sarrus_march_wants *wants);

/* Allocates the scratch arrays. NO_MEMORY. Give `march` to sarrus_march_end, after an error too. */
SARRUS_MUST_USE sarrus_status sarrus_march_begin(sarrus_march *march, sarrus_context *context);
void sarrus_march_end(sarrus_march *march);

/* Begins a block (NULL without a file: up to n_rows output times are observed for the summary only), of a march that is not over.
 */
void sarrus_march_open(sarrus_march *march, const sarrus_sink_block *block);

/* Goes on in the open block, and moves i_time on by the rows that were added; there may be none. INTERRUPTED when the batch was
 * stopped: the rows up to i_time are complete then. */
SARRUS_MUST_USE sarrus_status sarrus_march_slice(sarrus_march *march, sarrus_context *context);

/* Doubles of an instance and output time that are observed. */
void sarrus_march_widths(const sarrus_march *march, uint64_t width[SARRUS_N_OBSERVABLES]);

/* The rows of the open block as they were observed, to bytes and, in a block that has just been opened, back (march_rows.c).
 * n_bytes is sarrus_march_rows_size, of march->i_row rows, which are counted by i_time already. */
size_t sarrus_march_rows_size(const sarrus_march *march);
void sarrus_march_rows_save(const sarrus_march *march, void *bytes);
void sarrus_march_rows_load(sarrus_march *march, const void *bytes);

/* Whether the open block takes no more rows. */
bool sarrus_march_is_full(const sarrus_march *march);

/* Ends the open block: gathers and tallies its rows. Returns how many there are. */
uint64_t sarrus_march_close(sarrus_march *march);

/* Whether there is nothing left to march through. */
bool sarrus_march_is_over(const sarrus_march *march);

/* s, time of the last row. */
double sarrus_march_time(const sarrus_march *march);

/* Adds how far it has come to `progress`: steps, failures, the earliest time and the latest end. */
void sarrus_march_progress_add(sarrus_march *march, sarrus_progress *progress);

#endif
