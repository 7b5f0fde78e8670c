/* What happens to an instance between observations: changes of the rank decision, and counts of the work done.
 * A tile holds rank_change_capacity changes of every lane until the host fetches them. */
#ifndef SARRUS_STEP_RANK_CHANGES_H
#define SARRUS_STEP_RANK_CHANGES_H

#include "kernels/formulation/phase.h"

/* Lanes of `on` stand at time t, where a step begins, and the decision there is ev->found.rank. */
LANE_BODY void sarrus_rank_note(sarrus_evaluation *ev, real t, mask on) {
    const sarrus_tile_layout *layout = &sarrus_plan_of(ev)->layout;
    const int32_t capacity = sarrus_plan_of(ev)->rank_change_capacity;
    real *now = lane_from(ev->tile, layout->rank_now), *n_events = lane_from(ev->tile, layout->n_waiting_changes);
    real before = lane_at(now, 0), rank = ev->found.rank, one = real_set(1.0);
    mask changed = mask_and(on, mask_not(real_eq(before, rank)));
    if (!mask_any(changed) || lane_is_stopped(ev->stop))
        return;
    lane_at(now, 0) = real_select(changed, rank, before);
    ev->rank_now = real_select(changed, rank, ev->rank_now);
    changed = mask_and(changed, real_le(real_set(0.0), before)); /* the first decision is no change */
    if (!mask_any(changed))
        return;
    real *n_changes = lane_from(ev->tile, layout->n_changes);
    lane_at(n_changes, 0) = real_select(changed, lane_at(n_changes, 0) + one, lane_at(n_changes, 0));
    for (int32_t k = 0; k < capacity; ++k) {
        mask here = mask_and(changed, real_eq(lane_at(n_events, 0), real_set((real_scalar)k)));
        real *event = lane_from(ev->tile, layout->waiting_change + 3 * k);
        lane_at(event, 0) = real_select(here, t, lane_at(event, 0));
        lane_at(event, 1) = real_select(here, before, lane_at(event, 1));
        lane_at(event, 2) = real_select(here, rank, lane_at(event, 2));
    }
    if (capacity > 0)
        lane_at(n_events, 0) = real_select(changed, lane_at(n_events, 0) + one, lane_at(n_events, 0));
}

/* Whether some lane has no place for another change: the host has to fetch them before the next step. */
LANE_FUNCTION int sarrus_rank_changes_are_full(const sarrus_evaluation *ev) {
    const int32_t capacity = sarrus_plan_of(ev)->rank_change_capacity;
    if (capacity == 0)
        return 0;
    return mask_any(real_le(real_set((real_scalar)capacity), lane_at(ev->tile, sarrus_plan_of(ev)->layout.n_waiting_changes)));
}

/* Adds to one of the counters of the lanes of `on`. */
LANE_FUNCTION void sarrus_count(const sarrus_evaluation *ev, int32_t counter, real_scalar amount, mask on) {
    real *count = lane_from(ev->tile, counter);
    lane_at(count, 0) = real_select(on, lane_at(count, 0) + real_set(amount), lane_at(count, 0));
}

#endif
