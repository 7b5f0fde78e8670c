/* What a state must keep to for its instance to be ok: closed loops, a balance of energy, and, with fixed steps, a motion that the
 * steps resolve. With W the work of dampers, drives, loads and inputs,
 *
 *   violation = ‖Φ‖ / unit,   mismatch = |E − W − (E − W)₀| / (max T + max V − min V),   error = Σ estimates of the steps.
 *
 * A lane that breaks a limit gets its status and is frozen: with the state before the step, but with the one that it has come to
 * where its steps do not tell the motion (`unresolved`).
 *
 * Who gives which status (status.def):
 *
 *   constraint_violated, energy_mismatch   here
 *   diverged, nonfinite_force              fixed.h, adaptive.h, adaptive_tile.h; nonfinite_force also observe.h, of a state that is
 *                                          looked at and that no step has judged
 *   unresolved, step_limit                 fixed.h, adaptive_tile.h; stages.h in the staged kernels
 *   step_underflow                         adaptive_tile.h
 *   assembly_failed                        assemble.h
 *   indeterminate                          assemble.h, and whoever gives nonfinite_force or diverged (finite.h)
 *   invalid_parameter, not_run             src/batch/batch.c */
#ifndef SARRUS_STEP_VERDICT_H
#define SARRUS_STEP_VERDICT_H

#include "kernels/step/project.h"
#include "sarrus/status.h"

/* Energies are known to this part of their size, whatever the motion adds to it. */
#define SARRUS_ENERGY_FLOOR LANE_PRECISE(1e-10, 64.0 * LANE_EPSILON)

/* The energy of speeds of a size a second, of that floor: of 1e-7 of it, or of floats' round-off of the weights. */
#define SARRUS_ENERGY_OF_SIZE LANE_PRECISE(1e14, 1e5)

/* Φ̇ that is round-off, relative to the speeds. */
#define SARRUS_SPEED_NOISE LANE_PRECISE(1e-7, 64.0 * LANE_EPSILON)

/* Where the fields are by which a lane is judged. */
typedef struct sarrus_verdict {
#define SARRUS_VERDICT_FIELD(name, ...) real *name;
#include "sarrus/field.def"
} sarrus_verdict;

LANE_FUNCTION void sarrus_verdict_view(const sarrus_evaluation *ev, sarrus_verdict *lanes) {
    const sarrus_verdict_layout *at = &sarrus_plan_of(ev)->layout.verdict;
#define SARRUS_VERDICT_FIELD(name, ...) lanes->name = lane_from(ev->tile, at->name);
#include "sarrus/field.def"
}

/* Energies seen so far: those of ev->state taken in by the lanes of `on`, as the first ones by those of `is_new`. */
LANE_FUNCTION void sarrus_verdict_widen(const sarrus_evaluation *ev, const sarrus_verdict *lanes, mask on, mask is_new) {
    const real kinetic = ev->state.kinetic, potential = ev->state.potential;
    const real most = real_select(is_new, kinetic, real_max(kinetic, lane_at(lanes->kinetic, 0)));
    const real low = real_select(is_new, potential, real_min(potential, lane_at(lanes->low, 0)));
    const real high = real_select(is_new, potential, real_max(potential, lane_at(lanes->high, 0)));
    lane_at(lanes->kinetic, 0) = real_select(on, most, lane_at(lanes->kinetic, 0));
    lane_at(lanes->low, 0) = real_select(on, low, lane_at(lanes->low, 0));
    lane_at(lanes->high, 0) = real_select(on, high, lane_at(lanes->high, 0));
}

/* Lanes whose speeds are not those of a motion: a projection will change them, and with them the energy. */
LANE_BODY mask sarrus_speeds_are_rough(sarrus_evaluation *ev, real t, const real *q, const real *v) {
    const sarrus_mechanism *mech = sarrus_plan_of(ev);
    real speed = real_set(0.0);
    if (mech->m == 0)
        return mask_none();
    sarrus_evaluate_rows(ev, t, q, v);
    for (int32_t i = 0; i < mech->n_v; ++i)
        speed = real_max(real_abs(lane_at(v, i)), speed);
    return mask_not(real_le(sarrus_rows_norm(mech, ev->ws->phi_dot), real_set(SARRUS_SPEED_NOISE) * speed));
}

/* Before steps from (t, q, v), with the work W so far: the lanes of `on` that have never been looked at, or whose state was changed
 * from outside, which shows in their energy. Their balance goes on from there; where the speeds are not those of a motion, from the
 * end of the next step. */
LANE_BODY mask sarrus_verdict_begin(sarrus_evaluation *ev, mask on, real t, const real *q, const real *v, real work) {
    sarrus_verdict lanes;
    sarrus_verdict_view(ev, &lanes);
    ev->wants_violation = 0;
    sarrus_measure(ev, t, q, v);
    const real balance = ev->state.kinetic + ev->state.potential - work;
    const real first = lane_at(lanes.balance0, 0);
    real before = lane_at(lanes.balance, 0);
    const mask is_new = mask_not(real_eq(first, first)); /* NaN */
    const mask is_moved = mask_and(on, mask_or(is_new, mask_not(real_eq(balance, before))));
    if (!mask_any(is_moved))
        return is_moved;
    const mask is_rough = sarrus_speeds_are_rough(ev, t, q, v);
    before = real_select(real_eq(before, real_set(SARRUS_NO_LIMIT)), real_set(0.0), before);
    const real here = real_select(is_rough, real_set(0.0), balance);
    const real shifted = real_select(is_new, here, first + (here - before));
    lane_at(lanes.balance0, 0) = real_select(is_moved, shifted, first);
    lane_at(lanes.balance, 0) = real_select(is_moved, real_select(is_rough, real_set(SARRUS_NO_LIMIT), balance), before);
    sarrus_verdict_widen(ev, &lanes, is_moved, is_new);
    return is_moved;
}

/* What a new state is found to be. */
typedef struct sarrus_judgement {
    mask is_open;       /* its loops are */
    mask is_unbalanced; /* its energy is */
    real balance;       /* J, E − W */
} sarrus_judgement;

/* A state that a step has come to. */
typedef struct sarrus_verdict_state {
    real t;
    const real *q, *v;
    real work;     /* J, W */
    real swing;    /* J, by which the energy of the method's own motion may be off in passing */
    size_t stride; /* between elements of q */
} sarrus_verdict_state;

/* m | rad, what ‖Φ‖ may be. Floats know an angle that has turned far to ε of all of it, and Φ of it to no more. */
LANE_FUNCTION real sarrus_judge_most_open(const sarrus_evaluation *ev, const sarrus_verdict_state *at) {
    const real most = real_set(sarrus_plan_of(ev)->limit_violation);
    return LANE_IS_SINGLE ? real_fma(real_set(8.0), sarrus_round_off(ev, at->q, at->stride), most) : most;
}

/* Lanes that slip where they should not, by more of the speeds that the motion has had than a loop may be open of the mechanism's
 * size: a rank decision that leaves out a row which asks for another speed than the others, say. Speeds are told by the largest
 * kinetic energy and the lightest body. */
LANE_BODY mask sarrus_judge_slips(const sarrus_evaluation *ev, const sarrus_verdict *lanes, const sarrus_verdict_state *at) {
    const sarrus_mechanism *mech = sarrus_plan_of(ev);
    const int32_t at_inverse = SPACE_DIMENSION == 2 ? (int32_t)SARRUS_PB_MINV : (int32_t)SARRUS_SB_MINV;
    const real_scalar share = mech->limit_violation / mech->size;
    real lightness = real_set(0.0);
    for (int32_t b = 0; b < mech->n_bodies; ++b)
        lightness = real_max(lane_at(sarrus_body_parameters(mech, ev->parameter, b), at_inverse), lightness);
    const real energy = lane_at(lanes->kinetic, 0) + real_set(mech->energy_floor);
    const real slips2 = sarrus_state_slips_squared(mech, ev->parameter, ev->ws, at->q, at->v);
    return mask_not(real_le(slips2, real_set(2.0 * share * share) * energy * lightness));
}

/* J, by which the balance may be off for what the method does in passing. The work of a step of semi-implicit Euler is that of its
 * forces along the speeds before it, while it goes the way of those behind it: h P⁺ is missing, which is what the step has changed
 * the energy by, and in the first steps from rest all that there is. Of speeds beyond a size a second more is not believed. */
LANE_FUNCTION real sarrus_judge_swing(const sarrus_mechanism *mech, const sarrus_verdict *lanes, const sarrus_verdict_state *at,
                                      real balance) {
    const real change = real_abs((balance - lane_at(lanes->balance, 0)) + (at->work - lane_at(lanes->work, 0)));
    const real most = real_set(SARRUS_ENERGY_OF_SIZE * mech->energy_floor);
    if (mech->has_swing < SARRUS_SWING_OF_WORK)
        return mech->has_swing ? at->swing : real_set(0.0);
    return at->swing + real_min(change + at->swing, most);
}

/* The state that a step of the lanes of `on` has come to, after it was measured. `lanes`: those of the tile, or what stands for
 * them. */
LANE_FUNCTION sarrus_judgement sarrus_judge_measured(const sarrus_evaluation *ev, const sarrus_verdict *lanes, mask on,
                                                     const sarrus_verdict_state *at) {
    const sarrus_mechanism *mech = sarrus_plan_of(ev);
    sarrus_judgement found;
    sarrus_verdict_widen(ev, lanes, on, mask_none());
    found.balance = ev->state.kinetic + ev->state.potential - at->work;
    const mask is_first = mask_and(on, real_eq(lane_at(lanes->balance, 0), real_set(SARRUS_NO_LIMIT)));
    if (mask_any(is_first)) {
        lane_at(lanes->balance0, 0) = lane_at(lanes->balance0, 0) + real_select(is_first, found.balance, real_set(0.0));
        lane_at(lanes->balance, 0) = real_select(is_first, found.balance, lane_at(lanes->balance, 0));
    }
    const real kinetic = lane_at(lanes->kinetic, 0), low = lane_at(lanes->low, 0), high = lane_at(lanes->high, 0);
    const real mismatch = real_abs(found.balance - lane_at(lanes->balance0, 0));
    const real rounding = real_max(real_max(real_abs(low), real_abs(high)), kinetic) * real_set(SARRUS_ENERGY_FLOOR);
    const real floor = rounding + real_set(mech->energy_floor) + sarrus_judge_swing(mech, lanes, at, found.balance);
    found.is_unbalanced = mask_not(real_le(mismatch, real_fma(real_set(mech->limit_energy), kinetic + (high - low), floor)));
    found.is_open = mask_not(real_le(ev->state_violation, sarrus_judge_most_open(ev, at)));
    if (sarrus_holds_speeds(mech) && mech->limit_violation < SARRUS_NO_LIMIT)
        found.is_open = mask_or(found.is_open, sarrus_judge_slips(ev, lanes, at));
    const real violation = real_max(ev->state_violation, lane_at(lanes->violation, 0));
    const real most = real_max(mismatch, lane_at(lanes->mismatch, 0));
    lane_at(lanes->violation, 0) = real_select(on, violation, lane_at(lanes->violation, 0));
    lane_at(lanes->mismatch, 0) = real_select(on, most, lane_at(lanes->mismatch, 0));
    return found;
}

/* Whether ‖Φ‖ is measured with a state that is judged: where it was projected it is known. */
LANE_FUNCTION int sarrus_judge_wants_violation(const sarrus_mechanism *mech) {
    return mech->project == SARRUS_PROJECTION_NONE && mech->m > 0;
}

/* The same, and the measuring. */
LANE_FUNCTION sarrus_judgement sarrus_judge(sarrus_evaluation *ev, mask on, const sarrus_verdict_state *at) {
    sarrus_verdict lanes;
    sarrus_verdict_view(ev, &lanes);
    ev->wants_violation = sarrus_judge_wants_violation(sarrus_plan_of(ev));
    if (sarrus_plan_of(ev)->m == 0)
        ev->state_violation = real_set(0.0);
    sarrus_measure(ev, at->t, at->q, at->v);
    return sarrus_judge_measured(ev, &lanes, on, at);
}

/* The status of lanes that break a limit. */
LANE_FUNCTION real sarrus_judgement_status(const sarrus_judgement *found) {
    return real_select(found->is_open, real_set((real_scalar)SARRUS_INSTANCE_CONSTRAINT_VIOLATED),
                       real_set((real_scalar)SARRUS_INSTANCE_ENERGY_MISMATCH));
}

/* The lanes of `on` stand at time t, where the rows are as close to depending on one another as `now` says. */
LANE_FUNCTION void sarrus_nearest_note(const sarrus_verdict *lanes, mask on, real t, real now) {
    const mask is_nearer = mask_and(on, real_lt(lane_at(lanes->nearest, 0), now));
    lane_at(lanes->nearest, 0) = real_select(is_nearer, now, lane_at(lanes->nearest, 0));
    lane_at(lanes->nearest_time, 0) = real_select(is_nearer, t, lane_at(lanes->nearest_time, 0));
}
LANE_FUNCTION void sarrus_nearest_keep(const sarrus_evaluation *ev, mask on, real t, real now) {
    sarrus_verdict lanes;
    sarrus_verdict_view(ev, &lanes);
    sarrus_nearest_note(&lanes, on, t, now);
}

#endif
