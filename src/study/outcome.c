#include "study/outcome.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/report.h"

const sarrus_sink_counter sarrus_outcome_counters[SARRUS_OUTCOME_COUNTERS] = {
    {"instance/steps", "steps taken"},
    {"instance/rejections", "steps tried in vain by an adaptive method"},
    {"instance/evaluations", "accelerations computed for steps"},
    {"instance/rank_changes", "changes of the rank decision from one step to the next"},
};
const sarrus_sink_column sarrus_outcome_columns[SARRUS_OUTCOME_COLUMNS] = {
    {"events/rank/time", "time of the step before which the rank changed", "s", SARRUS_SINK_F64},
    {"events/rank/instance", "number of the instance", "1", SARRUS_SINK_U64},
    {"events/rank/before", "rank of the constraint Jacobian before", "1", SARRUS_SINK_U16},
    {"events/rank/after", "rank of the constraint Jacobian from then on", "1", SARRUS_SINK_U16},
};
const char sarrus_outcome_columns_scale[] = "time";

sarrus_status sarrus_outcome_create(sarrus_context *context, const sarrus_model *model, uint64_t n_instances, bool has_events,
                                    sarrus_outcome *out) {
    *out = (sarrus_outcome){.model = model, .n_instances = n_instances, .has_events = has_events};
    out->status = calloc(n_instances, sizeof *out->status);
    out->failed_time = calloc(n_instances, sizeof *out->failed_time);
    bool is_done = out->status != NULL && out->failed_time != NULL;
    for (int c = 0; c < SARRUS_OUTCOME_COUNTERS; c++) {
        out->counters[c] = calloc(n_instances, sizeof *out->counters[c]);
        is_done = is_done && out->counters[c] != NULL;
    }
    return is_done ? SARRUS_OK
                   : sarrus_report(context, SARRUS_NO_MEMORY, "out of memory for the status of %llu instances",
                                   (unsigned long long)n_instances);
}

void sarrus_outcome_free(sarrus_outcome *outcome) {
    free(outcome->status);
    free(outcome->failed_time);
    for (int c = 0; c < SARRUS_OUTCOME_COUNTERS; c++)
        free(outcome->counters[c]);
    for (int c = 0; c < SARRUS_OUTCOME_COLUMNS; c++)
        free(outcome->rows[c]);
    *outcome = (sarrus_outcome){0};
}

void sarrus_outcome_update(sarrus_outcome *outcome, const sarrus_batch *batch) {
    const sarrus_model *model = outcome->model;
    for (uint64_t i = 0; i < outcome->n_instances; i++) {
        sarrus_instance_statistics counted = {0};
        const double time = (double)sarrus_batch_failed_step(batch, i) * model->integrator.grid;
        outcome->status[i] = (uint8_t)sarrus_batch_status(batch, i);
        outcome->failed_time[i] = outcome->status[i] == SARRUS_INSTANCE_OK ? (double)NAN : fmin(time, model->integrator.t_end);
        if (sarrus_batch_statistics(batch, i, &counted) != SARRUS_OK)
            continue;
        outcome->counters[0][i] = counted.n_steps;
        outcome->counters[1][i] = counted.n_rejected;
        outcome->counters[2][i] = counted.n_evaluations;
        outcome->counters[3][i] = counted.n_rank_changes;
    }
}

static bool rows_reserve(sarrus_outcome *outcome, uint64_t n) {
    if (n <= outcome->n_reserved)
        return true;
    outcome->n_reserved = 0;
    for (int c = 0; c < SARRUS_OUTCOME_COLUMNS; c++) {
        free(outcome->rows[c]);
        outcome->rows[c] = n <= SIZE_MAX / sizeof(double) ? malloc(n * sizeof(double)) : NULL;
        if (outcome->rows[c] == NULL)
            return false;
    }
    outcome->n_reserved = n;
    return true;
}

sarrus_status sarrus_outcome_events_take(sarrus_outcome *outcome, sarrus_context *context, sarrus_batch *batch, double t_limit) {
    const sarrus_rank_event *events = NULL;
    uint64_t n_events = 0;
    outcome->n_rows = 0;
    if (!outcome->has_events)
        return SARRUS_OK;
    const sarrus_status status = sarrus_batch_rank_events(batch, &events, &n_events);
    if (status != SARRUS_OK || !rows_reserve(outcome, n_events))
        return sarrus_report(context, SARRUS_NO_MEMORY, "out of memory for %llu changes of rank", (unsigned long long)n_events);
    for (uint64_t i = 0; i < n_events && events[i].time < t_limit; i++) {
        outcome->rows[0][i] = events[i].time;
        outcome->rows[1][i] = (double)events[i].instance;
        outcome->rows[2][i] = events[i].rank_before;
        outcome->rows[3][i] = events[i].rank_after;
        outcome->n_rows = i + 1;
    }
    sarrus_batch_rank_events_clear(batch);
    return SARRUS_OK;
}

sarrus_sink_outcome sarrus_outcome_view(const sarrus_outcome *outcome, bool is_complete) {
    return (sarrus_sink_outcome){.status = outcome->status,
                                 .failed_time = outcome->failed_time,
                                 .counters = (const uint64_t *const *)outcome->counters,
                                 .n_rows = outcome->n_rows,
                                 .rows = (const double *const *)outcome->rows,
                                 .complete = is_complete};
}

void sarrus_outcome_summarise(const sarrus_outcome *outcome, sarrus_run_summary *summary) {
    sarrus_run_count *const counts[SARRUS_OUTCOME_COUNTERS] = {&summary->steps, &summary->rejections, &summary->evaluations,
                                                               &summary->rank_changes};
    for (uint64_t i = 0; i < outcome->n_instances; i++) {
        const uint8_t status = outcome->status[i];
        summary->n_failed += status != SARRUS_INSTANCE_OK;
        if (status != SARRUS_INSTANCE_OK && status < SARRUS_N_INSTANCE_STATUS)
            summary->n_failed_by_status[status]++;
    }
    for (int c = 0; c < SARRUS_OUTCOME_COUNTERS; c++) {
        for (uint64_t i = 0; i < outcome->n_instances; i++) {
            const uint64_t n = outcome->counters[c][i];
            counts[c]->total += n;
            counts[c]->most = n > counts[c]->most ? n : counts[c]->most;
        }
        counts[c]->mean = (double)counts[c]->total / (double)outcome->n_instances;
    }
}
