#include "study/replay.h"

#include <math.h>

#include "batch/own_steps.h"

const sarrus_sink_field sarrus_replay_fields[SARRUS_REPLAY_FIELDS] = {
    [SARRUS_REPLAY_IS_OUTPUT] = {.path = "replay/is_output",
                                 .long_name = "1: an output time of the study",
                                 .units = "1",
                                 .type = SARRUS_SINK_U16},
    [SARRUS_REPLAY_IS_STEP] = {.path = "replay/is_step",
                               .long_name = "1: a step of the integrator ends here, or the first begins",
                               .units = "1",
                               .type = SARRUS_SINK_U16},
    [SARRUS_REPLAY_STEPS] = {.path = "replay/steps",
                             .long_name = "steps taken to get here, and parts of steps",
                             .units = "1",
                             .type = SARRUS_SINK_F64},
    [SARRUS_REPLAY_REJECTIONS] = {.path = "replay/rejections",
                                  .long_name = "steps, and parts of steps, tried in vain on the way here",
                                  .units = "1",
                                  .type = SARRUS_SINK_F64},
};

uint64_t sarrus_replay_most_rows(const sarrus_replay *replay, uint64_t max_steps) {
    if (sarrus_batch_has_own_steps(replay->batch))
        return replay->schedule->n_times + max_steps;
    return replay->schedule->n_steps + 1;
}

static bool is_well(const sarrus_replay *replay) {
    return sarrus_batch_status(replay->batch, 0) == SARRUS_INSTANCE_OK;
}

/* To the next multiple of dt or, of a method that ends its steps there, to the next output. */
static sarrus_status grid_row(sarrus_replay *replay, const sarrus_observation *where) {
    const sarrus_schedule *schedule = replay->schedule;
    const bool is_cut = sarrus_batch_cuts_steps(replay->batch);
    const uint64_t i_next = is_cut ? sarrus_schedule_step(schedule, replay->i_output) : sarrus_batch_step(replay->batch) + 1;
    sarrus_observation next = *where;
    next.n_times = 1;
    next.every_steps = i_next - sarrus_batch_step(replay->batch);
    next.observe_first = 0;
    const sarrus_status status = sarrus_batch_observe(replay->batch, &next);
    replay->time = sarrus_batch_time(replay->batch);
    return status;
}

/* To the end of the last step or to the next output, whichever comes first; by another step when both lie behind. */
static sarrus_status own_row(sarrus_replay *replay, const sarrus_observation *where) {
    const double t_output = sarrus_schedule_time(replay->schedule, replay->i_output);
    double t_step = sarrus_batch_own_time(replay->batch);
    if (t_step <= replay->time && t_step < t_output) {
        const sarrus_status status = sarrus_batch_own_step(replay->batch);
        if (status != SARRUS_OK || !is_well(replay))
            return status;
        t_step = sarrus_batch_own_time(replay->batch);
    }
    replay->time = fmin(t_step, t_output);
    return sarrus_batch_own_observe(replay->batch, replay->time, where);
}

static sarrus_status first_row(sarrus_replay *replay, const sarrus_observation *where) {
    sarrus_observation first = *where;
    first.n_times = 1;
    first.every_steps = 1;
    first.observe_first = 1;
    replay->is_begun = true;
    return sarrus_batch_observe(replay->batch, &first);
}

static sarrus_status row_describe(const sarrus_replay *replay, double said[SARRUS_REPLAY_FIELDS]) {
    const bool has_own_steps = sarrus_batch_has_own_steps(replay->batch);
    sarrus_instance_statistics counted = {0};
    const sarrus_status status = sarrus_batch_statistics(replay->batch, 0, &counted);
    said[SARRUS_REPLAY_IS_OUTPUT] = replay->time == sarrus_schedule_time(replay->schedule, replay->i_output);
    said[SARRUS_REPLAY_IS_STEP] = !has_own_steps || replay->time == sarrus_batch_own_time(replay->batch);
    said[SARRUS_REPLAY_STEPS] = (double)counted.n_steps;
    said[SARRUS_REPLAY_REJECTIONS] = (double)counted.n_rejected;
    return status;
}

sarrus_status sarrus_replay_row(sarrus_replay *replay, const sarrus_observation *where, bool *has_row,
                                double said[SARRUS_REPLAY_FIELDS]) {
    const bool is_first = !replay->is_begun;
    sarrus_status status = is_first                                    ? first_row(replay, where)
                           : sarrus_batch_has_own_steps(replay->batch) ? own_row(replay, where)
                                                                       : grid_row(replay, where);
    *has_row = false;
    if (status != SARRUS_OK)
        return status;
    *has_row = is_first || is_well(replay);
    if (*has_row) {
        status = row_describe(replay, said);
        replay->i_output += said[SARRUS_REPLAY_IS_OUTPUT] != 0.0;
    }
    replay->is_over = !is_well(replay) || replay->i_output == replay->schedule->n_times;
    return status;
}
