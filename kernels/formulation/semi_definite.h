/* Accelerations where bodies may lack mass or inertia: M is semi-definite, and a is determinate as long as M is definite on the
 * motions that the constraints leave (S1, result 3).
 *
 * The plan gives such bodies a fictitious inertia E, as much as they lack of a small one, and all corrections are made in the
 * metric of M + E, which can be inverted body by body. The motion is that of M alone: with
 *
 *   (M + E) a_{k+1} + Jᵀλ = F + E a_k,   J a_{k+1} = γ,   a_0 = g,
 *
 * a_{k+1} = a_k leaves M a + Jᵀλ = F. a_1 is the ordinary way to the acceleration, with 1/m and I⁻¹ of M + E; every further sweep
 * is a solution with the factor that is there already, in differences: with x = (M + E)⁻¹ E (a_k − a_{k−1}), where a sweep
 * begins,
 *
 *   a_{k+1} = a_k + x + (M + E)⁻¹ Jᵀμ,   J a_{k+1} = γ,
 *
 * which mends the round-off of the sweeps before as well. A sweep leaves e/(e + μ) of the error, e being what E and μ what M
 * feels of a motion; the plan has chosen E so that it is about 1e-3 where the mechanism is assembled. a_f of the workspace
 * becomes (M + E)⁻¹ (F + E a), with which a, multipliers, reactions and powers hang together as they do where M is definite.
 *
 * A lane sweeps until its acceleration stands, by itself. One that does not come to stand has none: the motion is open there.
 * Whether it is where the mechanism is assembled is tried besides. */
#ifndef SARRUS_FORMULATION_SEMI_DEFINITE_H
#define SARRUS_FORMULATION_SEMI_DEFINITE_H

#include "kernels/formulation/evaluation.h"
#include "kernels/formulation/gram.h"

/* Sweeps at most: a lane in which each leaves more than 0.7 of the error is not worth them. */
#define SARRUS_MOST_SWEEPS 64
/* The change by a sweep, relative to the acceleration, that is the last one; relative to a_f, from which a is a difference, one
 * that is round-off; and one with which the acceleration is determinate, if no sweep makes it smaller. */
#define SARRUS_SWEPT 1e-13
#define SARRUS_SWEPT_FORCE 4e-15
#define SARRUS_DETERMINATE 1e-9
/* Sweeps by which an assembled state is tried, and what the second half of them may leave: 0.7 each, as above. */
#define SARRUS_TRIAL_SWEEPS 32
#define SARRUS_TRIAL_LEFT 3e-3

/* The largest of x[n] and of x − less (NULL: of x), angles at the size of the mechanism. */
LANE_FUNCTION real sarrus_sweep_size(const sarrus_mechanism *mech, const real *x, const real *less) {
    real shift = real_set(0.0), turn = shift;
    PLAN_EACH (i, 0, mech->n_v) {
        const real size = real_abs(less ? frame_at(x, i) - frame_at(less, i) : frame_at(x, i));
        shift = space_is_turn(i) ? shift : real_max(size, shift);
        turn = space_is_turn(i) ? real_max(size, turn) : turn;
    }
    return real_max(real_set(mech->size) * turn, shift);
}

/* ws->before ← g, ahead of the first sweep. */
LANE_FUNCTION void sarrus_sweeps_begin(const sarrus_mechanism *mech, const real *parameter, sarrus_workspace *ws) {
    PLAN_EACH (i, 0, mech->n_v) {
        const int32_t k = i % SPACE_NV;
        frame_at(ws->before, i) = k < SPACE_TURN ? lane_at(parameter, mech->p_gravity + k) : real_set(0.0);
    }
}

/* In the lanes of `open` x = (M + E)⁻¹ E (a − before); ws->force ← a_f + x, ws->carried ← a + x, ws->before ← a. */
LANE_FUNCTION void sarrus_sweep_carry(const sarrus_mechanism *mech, const real *parameter, sarrus_workspace *ws, mask open,
                                      const real *a) {
    PLAN_EACH (b, 0, mech->n_bodies) {
        real change[SPACE_NV], x[SPACE_NV];
        for (int32_t k = 0; k < SPACE_NV; ++k)
            change[k] = real_select(open, frame_at(a, space_v(b) + k) - frame_at(ws->before, space_v(b) + k), real_set(0.0));
        sarrus_body_lack(sarrus_body_parameters(mech, parameter, b), change, x);
        for (int32_t k = 0; k < SPACE_NV; ++k) {
            const int32_t i = space_v(b) + k;
            frame_at(ws->force, i) = frame_at(ws->force, i) + x[k];
            frame_at(ws->carried, i) = frame_at(a, i) + x[k];
            frame_at(ws->before, i) = frame_at(a, i);
        }
    }
}

/* ws->carried ← (M + E)⁻¹ E y. */
LANE_FUNCTION void sarrus_sweep_shrink(const sarrus_mechanism *mech, const real *parameter, sarrus_workspace *ws, const real *y) {
    PLAN_EACH (b, 0, mech->n_bodies) {
        real from[SPACE_NV], x[SPACE_NV];
        for (int32_t k = 0; k < SPACE_NV; ++k)
            from[k] = frame_at(y, space_v(b) + k);
        sarrus_body_lack(sarrus_body_parameters(mech, parameter, b), from, x);
        for (int32_t k = 0; k < SPACE_NV; ++k)
            frame_at(ws->carried, space_v(b) + k) = x[k];
    }
}

/* Lanes of `open` that need another sweep after one that changed a by `change`, the one before by `before`. */
LANE_FUNCTION mask sarrus_sweep_goes_on(const sarrus_mechanism *mech, const sarrus_workspace *ws, mask open, const real *a,
                                        real change, real before) {
    const real size = sarrus_sweep_size(mech, a, (const real *)0), force = sarrus_sweep_size(mech, ws->force, (const real *)0);
    const real goal = real_fma(real_set(SARRUS_SWEPT), size, real_set(SARRUS_SWEPT_FORCE) * force);
    const mask is_round_off = real_le(change, real_set(SARRUS_DETERMINATE) * (size + force));
    const mask stands = mask_or(real_le(change, goal), mask_and(real_le(before, change), is_round_off));
    return mask_and(open, mask_and(mask_not(stands), real_lt(change, real_set(1e300))));
}

/* The lanes of `open` have no acceleration: NaN. */
LANE_FUNCTION void sarrus_sweeps_give_up(sarrus_evaluation *ev, mask open, real *a) {
    const real nothing = sarrus_nan_lanes();
    ev->is_indeterminate = mask_or(ev->is_indeterminate, open);
    PLAN_EACH (i, 0, sarrus_plan_of(ev)->n_v)
        frame_at(a, i) = real_select(open, nothing, frame_at(a, i));
}

#endif
