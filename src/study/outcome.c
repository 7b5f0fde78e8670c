#include "study/outcome.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "batch/own_steps.h"
#include "core/report.h"

const sarrus_sink_measure sarrus_outcome_measures[SARRUS_OUTCOME_MEASURES] = {
    [SARRUS_MEASURE_STEPS] = {"instance/steps", "steps taken, and parts of steps", "1", SARRUS_SINK_U64},
    [SARRUS_MEASURE_REJECTIONS] = {"instance/rejections", "steps, and parts of steps, tried in vain", "1", SARRUS_SINK_U64},
    [SARRUS_MEASURE_EVALUATIONS] = {"instance/evaluations", "accelerations computed for steps", "1", SARRUS_SINK_U64},
    [SARRUS_MEASURE_RANK_CHANGES] = {"instance/rank_changes", "changes of the rank decision from one step to the next", "1",
                                     SARRUS_SINK_U64},
    [SARRUS_MEASURE_VIOLATION] = {"instance/max_violation", "largest norm of the constraints, relative to the mechanism's size",
                                  "1", SARRUS_SINK_F64},
    [SARRUS_MEASURE_MISMATCH] = {"instance/energy_mismatch",
                                 "largest |E - E0 - work|, relative to the energies that were turned over", "1", SARRUS_SINK_F64},
    [SARRUS_MEASURE_ERROR] = {"instance/step_error", "sum of the estimated errors of fixed steps, relative to the motion", "1",
                              SARRUS_SINK_F64},
    [SARRUS_MEASURE_NEAREST] = {"instance/nearest_change_point",
                                "smallest distance to a change point, relative to that of ordinary configurations", "1",
                                SARRUS_SINK_F64},
    [SARRUS_MEASURE_NEAREST_TIME] = {"instance/nearest_change_point_time", "when the distance was the smallest", "s",
                                     SARRUS_SINK_F64},
};
const sarrus_sink_column sarrus_outcome_columns[SARRUS_OUTCOME_COLUMNS] = {
    {"events/rank/event_time", "time of the step before which the rank changed", "s", SARRUS_SINK_F64},
    {"events/rank/instance", "number of the instance", "1", SARRUS_SINK_U64},
    {"events/rank/before", "rank of the constraint Jacobian before", "1", SARRUS_SINK_U16},
    {"events/rank/after", "rank of the constraint Jacobian from then on", "1", SARRUS_SINK_U16},
};
const char sarrus_outcome_columns_scale[] = "event_time";

sarrus_status sarrus_outcome_create(sarrus_context *context, const sarrus_model *model, uint64_t i_first, uint64_t n_instances,
                                    bool has_events, sarrus_study_quantities *quantities, sarrus_outcome *out) {
    *out = (sarrus_outcome){
        .model = model, .i_first = i_first, .n_instances = n_instances, .has_events = has_events, .quantities = quantities};
    out->status = calloc(n_instances, sizeof *out->status);
    out->failed_time = calloc(n_instances, sizeof *out->failed_time);
    out->shown = calloc((size_t)(SARRUS_OUTCOME_MEASURES + quantities->n), sizeof *out->shown);
    bool is_done = out->status != NULL && out->failed_time != NULL && out->shown != NULL;
    for (int c = 0; c < SARRUS_OUTCOME_MEASURES; ++c) {
        out->measures[c] = calloc(n_instances, sizeof *out->measures[c]);
        is_done = is_done && out->measures[c] != NULL;
    }
    for (int c = 0; is_done && c < SARRUS_OUTCOME_MEASURES + quantities->n; ++c)
        out->shown[c] = c < SARRUS_OUTCOME_MEASURES ? out->measures[c] : quantities->results[c - SARRUS_OUTCOME_MEASURES];
    return is_done ? SARRUS_OK
                   : sarrus_report(context, SARRUS_NO_MEMORY, "out of memory for the status of %llu instances",
                                   (unsigned long long)n_instances);
}

void sarrus_outcome_free(sarrus_outcome *outcome) {
    free(outcome->status);
    free(outcome->failed_time);
    free(outcome->shown);
    for (int c = 0; c < SARRUS_OUTCOME_MEASURES; ++c)
        free(outcome->measures[c]);
    for (int c = 0; c < SARRUS_OUTCOME_COLUMNS; ++c)
        free(outcome->rows[c]);
    *outcome = (sarrus_outcome){0};
}

void sarrus_outcome_update(sarrus_outcome *outcome, const sarrus_batch *batch) {
    const sarrus_model *model = outcome->model;
    for (uint64_t i = 0; i < outcome->n_instances; ++i) {
        sarrus_instance_statistics counted = {0};
        sarrus_instance_verdict found = {0};
        const double time = sarrus_batch_failed_time(batch, i);
        outcome->status[i] = (uint8_t)sarrus_batch_status(batch, i);
        outcome->failed_time[i] = outcome->status[i] == SARRUS_INSTANCE_OK ? (double)NAN : fmin(time, model->integrator.t_end);
        if (sarrus_batch_statistics(batch, i, &counted) != SARRUS_OK || sarrus_batch_verdict(batch, i, &found) != SARRUS_OK)
            continue;
        const double values[SARRUS_OUTCOME_MEASURES] = {
            [SARRUS_MEASURE_STEPS] = (double)counted.n_steps,
            [SARRUS_MEASURE_REJECTIONS] = (double)counted.n_rejected,
            [SARRUS_MEASURE_EVALUATIONS] = (double)counted.n_evaluations,
            [SARRUS_MEASURE_RANK_CHANGES] = (double)counted.n_rank_changes,
            [SARRUS_MEASURE_VIOLATION] = found.violation,
            [SARRUS_MEASURE_MISMATCH] = found.energy_mismatch,
            [SARRUS_MEASURE_ERROR] = found.error,
            [SARRUS_MEASURE_NEAREST] = found.nearest_change_point,
            [SARRUS_MEASURE_NEAREST_TIME] = found.nearest_change_point_time,
        };
        for (int c = 0; c < SARRUS_OUTCOME_MEASURES; ++c)
            outcome->measures[c][i] = values[c];
    }
    sarrus_study_quantities_finish(outcome->quantities, outcome->status);
}

uint64_t sarrus_outcome_steps(const sarrus_outcome *outcome) {
    uint64_t n_steps = 0;
    for (uint64_t i = 0; i < outcome->n_instances; ++i)
        n_steps += (uint64_t)outcome->measures[SARRUS_MEASURE_STEPS][i];
    return n_steps;
}

static bool rows_reserve(sarrus_outcome *outcome, uint64_t n) {
    if (n <= outcome->n_reserved)
        return true;
    outcome->n_reserved = 0;
    for (int c = 0; c < SARRUS_OUTCOME_COLUMNS; ++c) {
        free(outcome->rows[c]);
        outcome->rows[c] = n <= SIZE_MAX / sizeof(double) ? malloc(n * sizeof(double)) : NULL;
        if (outcome->rows[c] == NULL)
            return false;
    }
    outcome->n_reserved = n;
    return true;
}

sarrus_status sarrus_outcome_rank_changes_take(sarrus_outcome *outcome, sarrus_context *context, sarrus_batch *batch,
                                               double t_limit) {
    const sarrus_rank_event *events = NULL;
    uint64_t n_events = 0;
    outcome->n_rows = 0;
    if (!outcome->has_events)
        return SARRUS_OK;
    const sarrus_status status = sarrus_batch_rank_events(batch, &events, &n_events);
    if (status != SARRUS_OK)
        return sarrus_report(context, status, "the changes of rank cannot be read: %s", sarrus_status_text(status));
    if (!rows_reserve(outcome, n_events))
        return sarrus_report(context, SARRUS_NO_MEMORY, "out of memory for %llu changes of rank", (unsigned long long)n_events);
    for (uint64_t i = 0; i < n_events && events[i].time < t_limit; ++i) {
        outcome->rows[0][i] = events[i].time;
        outcome->rows[1][i] = (double)(outcome->i_first + events[i].instance);
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
                                 .measures = outcome->shown,
                                 .n_rows = outcome->n_rows,
                                 .rows = (const double *const *)outcome->rows,
                                 .complete = is_complete};
}

static void verdict_summarize(const sarrus_outcome *outcome, sarrus_run_summary *summary) {
    for (uint64_t i = 0; i < outcome->n_instances; ++i) {
        if (outcome->status[i] != SARRUS_INSTANCE_OK)
            continue;
        const double nearest = outcome->measures[SARRUS_MEASURE_NEAREST][i];
        summary->max_violation = fmax(summary->max_violation, outcome->measures[SARRUS_MEASURE_VIOLATION][i]);
        summary->max_energy_error = fmax(summary->max_energy_error, outcome->measures[SARRUS_MEASURE_MISMATCH][i]);
        if (isnan(nearest) || summary->nearest_change_point <= nearest)
            continue;
        summary->nearest_change_point = nearest;
        summary->nearest_change_point_time = outcome->measures[SARRUS_MEASURE_NEAREST_TIME][i];
        summary->nearest_change_point_instance = outcome->i_first + i;
    }
}

void sarrus_outcome_summarize(const sarrus_outcome *outcome, double error_limit, sarrus_run_summary *summary) {
    verdict_summarize(outcome, summary);
    sarrus_run_count *const counts[] = {&summary->steps, &summary->rejections, &summary->evaluations, &summary->rank_changes};
    for (uint64_t i = 0; i < outcome->n_instances; ++i) {
        const uint8_t status = outcome->status[i];
        summary->n_failed += status != SARRUS_INSTANCE_OK;
        if (status == SARRUS_INSTANCE_OK || status >= SARRUS_N_INSTANCE_STATUS)
            continue;
        if (status == SARRUS_INSTANCE_UNRESOLVED)
            summary->n_over_error_limit += outcome->measures[SARRUS_MEASURE_ERROR][i] > error_limit;
        if (summary->n_failed_by_status[status]++ == 0)
            summary->first_failure[status] =
                (sarrus_run_failure){.instance = outcome->i_first + i, .time = outcome->failed_time[i]};
    }
    for (size_t c = 0; c < sizeof counts / sizeof counts[0]; ++c) {
        for (uint64_t i = 0; i < outcome->n_instances; ++i) {
            const uint64_t n = (uint64_t)outcome->measures[c][i];
            counts[c]->total += n;
            counts[c]->most = n > counts[c]->most ? n : counts[c]->most;
        }
        counts[c]->mean = (double)counts[c]->total / (double)outcome->n_instances;
    }
}
