#include "study/tally.h"

#include <math.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

#include "core/report.h"

sarrus_status sarrus_tally_create(sarrus_context *context, uint64_t n_instances, sarrus_tally *out) {
    *out = (sarrus_tally){.n_instances = n_instances};
    out->records = calloc(n_instances, sizeof *out->records);
    if (out->records == NULL)
        return sarrus_report(context, SARRUS_NO_MEMORY, "out of memory for the summary of %llu instances",
                             (unsigned long long)n_instances);
    const double nan = (double)NAN;
    for (uint64_t i = 0; i < n_instances; ++i)
        out->records[i] = (sarrus_tally_record){nan, nan, nan};
    return SARRUS_OK;
}

void sarrus_tally_free(sarrus_tally *tally) {
    free(tally->records);
    *tally = (sarrus_tally){0};
}

/* fmax takes the number when the other is NaN: failed rows and the unset record both fall out. Returns the changes of rank. */
static uint64_t record_add(sarrus_tally_record *record, const sarrus_tally_rows *rows, uint64_t i_row) {
    if (rows->position_error != NULL)
        record->position_error = fmax(record->position_error, rows->position_error[i_row]);
    if (rows->velocity_error != NULL)
        record->velocity_error = fmax(record->velocity_error, rows->velocity_error[i_row]);
    if (rows->rank == NULL || isnan(rows->rank[i_row]))
        return 0;
    const bool is_changed = !isnan(record->rank) && record->rank != rows->rank[i_row];
    record->rank = rows->rank[i_row];
    return is_changed;
}

/* What the threads that tally share. */
typedef struct tallying {
    sarrus_tally *tally;
    const sarrus_tally_rows *rows;
    atomic_uint_fast64_t n_rank_changes;
} tallying;

static void instances_tally(void *user, int i_member, int n_members) {
    tallying *job = user;
    const sarrus_tally_rows *rows = job->rows;
    const sarrus_crew_share share = sarrus_crew_share_of(job->tally->n_instances, i_member, n_members);
    uint64_t n_rank_changes = 0;
    for (uint64_t i = share.i_first; i < share.i_end; ++i) {
        const uint64_t i_first = i * rows->n_rows_stride + rows->i_row;
        for (uint64_t i_row = i_first; i_row < i_first + rows->n_rows; ++i_row)
            n_rank_changes += record_add(&job->tally->records[i], rows, i_row);
    }
    atomic_fetch_add_explicit(&job->n_rank_changes, n_rank_changes, memory_order_relaxed);
}

void sarrus_tally_add(sarrus_tally *tally, const sarrus_tally_rows *rows) {
    tallying job = {.tally = tally, .rows = rows};
    sarrus_crew_run(rows->crew, rows->n_threads, instances_tally, &job);
    tally->n_rank_changes += atomic_load_explicit(&job.n_rank_changes, memory_order_relaxed);
}

void sarrus_tally_finish(const sarrus_tally *tally, const uint8_t *status, sarrus_run_summary *summary) {
    double position = (double)NAN, velocity = (double)NAN;
    for (uint64_t i = 0; i < tally->n_instances; ++i) {
        const sarrus_tally_record *record = &tally->records[i];
        if (status[i] != SARRUS_INSTANCE_OK)
            continue;
        position = fmax(position, record->position_error);
        velocity = fmax(velocity, record->velocity_error);
    }
    summary->max_position_error = position;
    summary->max_velocity_error = velocity;
    summary->n_rank_changes = tally->n_rank_changes;
}
