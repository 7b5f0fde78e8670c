#include "study/group_state.h"

#include <string.h>

static sarrus_group_state state_of(sarrus_group *group) {
    const sarrus_study_quantities *quantities = &group->quantities;
    const sarrus_march *march = &group->march;
    const uint64_t i_row = march->is_open ? march->i_row : 0;
    return (sarrus_group_state){.n_batch = sarrus_batch_save_size(group->batch),
                                .n_tally = group->tally.n_instances * sizeof *group->tally.records,
                                .n_reductions =
                                    quantities->n_instances * (uint64_t)quantities->n_reductions * sizeof *quantities->states,
                                .n_open = sarrus_march_rows_size(march),
                                .i_time = march->i_time - i_row,
                                .n_rows = group->n_rows_done,
                                .i_row = i_row,
                                .n_steps = march->n_steps_done,
                                .n_rank_changes = group->tally.n_rank_changes};
}

/* Bytes of a state in all. */
static size_t size_of(const sarrus_group_state *state) {
    return sizeof *state + state->n_batch + state->n_tally + state->n_reductions + state->n_open;
}

size_t sarrus_group_state_size(sarrus_group *group) {
    const sarrus_group_state state = state_of(group);
    return size_of(&state);
}

sarrus_status sarrus_group_state_save(sarrus_group *group, void *bytes, size_t n_bytes) {
    const sarrus_group_state state = state_of(group);
    unsigned char *to = bytes;
    if (n_bytes != size_of(&state))
        return SARRUS_BAD_ARGUMENT;
    memcpy(to, &state, sizeof state);
    to += sizeof state;
    const sarrus_status status = sarrus_batch_save(group->batch, to, state.n_batch);
    to += state.n_batch;
    memcpy(to, group->tally.records, state.n_tally);
    to += state.n_tally;
    if (state.n_reductions > 0)
        memcpy(to, group->quantities.states, state.n_reductions);
    sarrus_march_rows_save(&group->march, to + state.n_reductions);
    return status;
}

bool sarrus_group_state_look(const void *bytes, size_t n_bytes, sarrus_group_state *out) {
    if (n_bytes < sizeof *out)
        return false;
    memcpy(out, bytes, sizeof *out);
    const uint64_t most = UINT64_C(1) << 60; /* of each part: their sum cannot wrap around */
    return out->n_batch < most && out->n_tally < most && out->n_reductions < most && out->n_open < most && size_of(out) == n_bytes;
}

sarrus_status sarrus_group_state_load(sarrus_group *group, const void *bytes, size_t n_bytes) {
    sarrus_group_state state;
    const sarrus_group_state here = state_of(group);
    const unsigned char *from = bytes;
    if (!sarrus_group_state_look(bytes, n_bytes, &state) || state.n_tally != here.n_tally ||
        state.n_reductions != here.n_reductions || state.i_time > group->schedule.n_times ||
        state.i_row > group->schedule.n_times - state.i_time)
        return SARRUS_BAD_INPUT;
    from += sizeof state;
    const sarrus_status status = sarrus_batch_load(group->batch, from, state.n_batch);
    if (status != SARRUS_OK)
        return status;
    from += state.n_batch;
    memcpy(group->tally.records, from, state.n_tally);
    if (state.n_reductions > 0)
        memcpy(group->quantities.states, from + state.n_tally, state.n_reductions);
    group->tally.n_rank_changes = state.n_rank_changes;
    group->n_rows_done = state.n_rows;
    group->i_time_resumed = state.i_time;
    group->n_steps_resumed = state.n_steps;
    group->is_resumed = true;
    group->resumed_time = sarrus_batch_time(group->batch);
    sarrus_outcome_update(&group->outcome, group->batch);
    group->n_counted_resumed = sarrus_outcome_steps(&group->outcome);
    return SARRUS_OK;
}

sarrus_status sarrus_group_rows_load(sarrus_group *group, sarrus_sink *sink, const void *bytes) {
    sarrus_group_state state;
    sarrus_march *march = &group->march;
    memcpy(&state, bytes, sizeof state);
    if (sarrus_march_is_over(march))
        return SARRUS_OK;
    const sarrus_status status = sarrus_group_open(group, sink);
    if (status != SARRUS_OK)
        return status;
    if (state.i_row >= march->n_block_rows)
        return SARRUS_BAD_INPUT;
    march->i_row = state.i_row;
    if (sarrus_march_rows_size(march) != state.n_open)
        return SARRUS_BAD_INPUT;
    march->i_time += state.i_row;
    sarrus_march_rows_load(march, (const unsigned char *)bytes + size_of(&state) - state.n_open);
    return SARRUS_OK;
}
