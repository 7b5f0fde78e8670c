/* What a lane remembers of its passage by a change point, and the distance that it measures (change_point.h). */
#ifndef SARRUS_STEP_PASSAGE_H
#define SARRUS_STEP_PASSAGE_H

#include "kernels/step/clock.h"
#include "kernels/step/project.h"

/* Where the fields of a lane's passage are. */
typedef struct sarrus_passage {
#define SARRUS_PASSAGE_FIELD(name, ...) real *name;
#define SARRUS_PASSAGE_ROW_FIELD(name, ...) real *name;
#include "sarrus/field.def"
} sarrus_passage;

LANE_FUNCTION void sarrus_passage_view(const sarrus_evaluation *ev, sarrus_passage *lanes) {
    const sarrus_passage_layout *at = &sarrus_plan_of(ev)->layout.passage;
#define SARRUS_PASSAGE_FIELD(name, ...) lanes->name = lane_from(ev->tile, at->name);
#define SARRUS_PASSAGE_ROW_FIELD(name, ...) lanes->name = lane_from(ev->tile, at->name);
#include "sarrus/field.def"
}

LANE_FUNCTION void sarrus_lane_set(real *to, mask on, real x) {
    lane_at(to, 0) = real_select(on, x, lane_at(to, 0));
}

/* The rows of the state that a lane of `on` has come to, for the step from there and the next call; and those of the state that it
 * stands at. */
LANE_FUNCTION void sarrus_swapped_keep(const sarrus_evaluation *ev, mask on) {
    real *swapped = lane_from(ev->tile, sarrus_plan_of(ev)->layout.passage.swapped);
    if (sarrus_plan_of(ev)->factor.n_dependent > 0)
        sarrus_lane_set(swapped, on, real_select(ev->is_swapped, real_set(1.0), real_set(0.0)));
}
LANE_FUNCTION mask sarrus_swapped_now(const sarrus_evaluation *ev) {
    return real_lt(real_set(0.0), lane_at(ev->tile, sarrus_plan_of(ev)->layout.passage.swapped));
}

/* to[n] ← from[n] where `on`. */
LANE_FUNCTION void sarrus_lanes_copy(mask on, const real *from, int32_t n, real *to) {
    for (int32_t i = 0; i < n; ++i)
        lane_at(to, i) = real_select(on, lane_at(from, i), lane_at(to, i));
}

/* 1/√closeness: 1 in ordinary configurations, 0 at a change point. */
LANE_FUNCTION real sarrus_distance(real closeness) {
    const mask is_known = real_lt(real_set(0.0), closeness);
    real x = real_set(1.0) / real_sqrt(real_select(is_known, closeness, real_set(1.0)));
    return real_select(is_known, x, real_set(1e30));
}

/* Says which rows the lanes cross, after their flags have changed. */
LANE_FUNCTION void sarrus_crossings_show(sarrus_evaluation *ev) {
    ev->crossed = lane_from(ev->tile, sarrus_plan_of(ev)->layout.passage.crossed);
    if (!mask_any(sarrus_is_crossing(ev)))
        ev->crossed = (const real *)0;
}

/* The passages of the lanes of `on` are over. */
LANE_BODY void sarrus_passage_end(sarrus_evaluation *ev, const sarrus_passage *lanes, mask on) {
    const real zero = real_set(0.0);
    sarrus_lane_set(lanes->is_on, on, zero);
    sarrus_lane_set(lanes->is_bend, on, zero);
    sarrus_lane_set(lanes->looked, on, zero);
    sarrus_lane_set(lanes->pace, on, zero);
    sarrus_lane_set(lanes->parked, on, zero);
    for (int32_t k = 0; k < 2 * sarrus_plan_of(ev)->factor.n_blocks; ++k) {
        sarrus_lane_set(lane_from(lanes->crossed, k), on, zero);
        sarrus_lane_set(lane_from(lanes->row, k), on, zero);
        sarrus_lane_set(lane_from(lanes->row_now, k), on, zero);
        sarrus_lane_set(lane_from(lanes->row_rate, k), on, zero);
    }
    sarrus_crossings_show(ev);
}

/* Lanes in which two closenesses were told in the same way: both by a pivot, which looks at the rows eliminated before, or both by
 * what all other rows leave (doubtful_rows.h). Where the factor begins to refuse, closeness makes a little leap, which is no
 * motion. */
LANE_FUNCTION mask sarrus_closeness_is_alike(const sarrus_mechanism *mech, real a, real b) {
    const real edge = real_set(1.0 / mech->guard);
    return mask_not(mask_xor(real_lt(a, edge), real_lt(b, edge)));
}

/* The largest speed of v [n], rad/s or parts of the mechanism's size a second. */
LANE_BODY real sarrus_speed_of(const sarrus_mechanism *mech, const real *v) {
    real speed = real_set(0.0);
    for (int32_t i = 0; i < mech->n_v; ++i)
        speed = real_max(real_abs(lane_at(v, i)) * real_set(sarrus_state_is_turn(mech, i) ? 1.0 : 1.0 / mech->size), speed);
    return speed;
}

#endif
