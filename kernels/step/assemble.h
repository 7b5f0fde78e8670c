/* From the given configuration to a state on the constraints (the "mass orthogonal projections" of S1), and the rank that the
 * instance has there. */
#ifndef SARRUS_STEP_ASSEMBLE_H
#define SARRUS_STEP_ASSEMBLE_H

#include "kernels/formulation/dependence.h"
#include "kernels/step/advance.h"
#if defined(SARRUS_KERNELS_SPATIAL)
#include "kernels/body/spatial/turned_over.h"
#endif

/* ‖Φ‖ relative to 1 + the largest coordinate that counts as assembled; Newton ends far below it or not at all. */
#define SARRUS_ASSEMBLED 1e-10
/* Share of a dependent row's own J_d M⁻¹ J_dᵀ outside the span of the independent rows, above which it is not dependent in
 * this instance. The square of a relative distance of 1e-6, far above what assembly leaves (1e-14) and round-off. */
#define SARRUS_DEPENDENT 1e-12

/* Lanes in which some dependent row has left the span of I. Uses the factor in the workspace. */
LANE_BODY mask sarrus_dependence_broken(sarrus_evaluation *ev) {
    mask broken = mask_none();
    for (int32_t d = 0; d < sarrus_plan_of(ev)->factor.n_dependent; ++d) {
        sarrus_dependence found = sarrus_dependence_find(ev, d, ev->ws->null_vector);
        broken = mask_or(broken, real_lt(real_set(SARRUS_DEPENDENT) * found.own, found.outside));
    }
    return broken;
}

/* The assembled rank of every lane: that of I when its pivots stand and the dependent rows are dependent; else the SVD
 * counts. An instance that starts in a singular configuration keeps the rank of I as its bound: it will leave it. */
LANE_BODY real sarrus_assembled_rank(sarrus_evaluation *ev, mask active) {
    const sarrus_mechanism *mech = sarrus_plan_of(ev);
    sarrus_workspace *ws = ev->ws;
    real generic = real_set((real_scalar)mech->factor.n_independent);
    if (mech->m == 0)
        return generic;
    ev->max_rank = generic;
    mask broken = sarrus_correct_fast(ev, ws->phi);
    broken = mask_and(active, mask_or(broken, sarrus_dependence_broken(ev)));
    if (!mask_any(broken))
        return generic;
    real rank = sarrus_correct_svd(ev, ws->phi, real_set((real_scalar)mech->m), broken, ws->z, (real *)0).rank;
    return real_select(mask_and(broken, real_lt(generic, rank)), rank, generic);
}

/* As sarrus_project_velocities, in the metric of the masses alone and by all rows: at a singular start a dependent row may hold the
 * direction that one of the plan's has lost, and given velocities may be far off it. */
LANE_BODY void sarrus_assemble_velocities(sarrus_evaluation *ev, mask active, real *v) {
    const sarrus_mechanism *mech = sarrus_plan_of(ev);
    real *change = ev->ws->a;
    ev->sees_all_rows = 1;
    if (mech->n_lacking == 0) {
        sarrus_project_velocities(ev, active, v);
        ev->sees_all_rows = 0;
        return;
    }
    sarrus_correct_projection(ev, ev->ws->phi_dot, active, change);
    ev->sees_all_rows = 0;
    sarrus_sweep_projection(ev, ev->ws->phi_dot, change);
    for (int32_t i = 0; i < mech->n_v; ++i)
        lane_at(v, i) = real_select(active, lane_at(v, i) - lane_at(change, i), lane_at(v, i));
}

/* What is left of Φ̇ by a projection that is right, as a share of the speeds. */
#define SARRUS_ASSEMBLED_SLIP 1e-6

/* Lanes in which constraints that hold speeds ask for speeds that do not go together: a projection leaves Φ̇. */
LANE_BODY mask sarrus_assembled_slips(sarrus_evaluation *ev, const real *q, const real *v) {
    const sarrus_mechanism *mech = sarrus_plan_of(ev);
    real unit = real_set(0.0);
    sarrus_evaluate_rows(ev, real_set(0.0), q, v);
    for (int32_t i = 0; i < mech->n_v; ++i)
        unit = real_max(real_abs(lane_at(v, i)), unit);
    for (int32_t i = 0; i < sarrus_constraints_count(mech); ++i) {
        const int32_t signal = mech->constraint[i].signal;
        if (signal >= 0)
            unit = real_max(real_abs(frame_at(ev->ws->signal, 3 * signal)), unit);
    }
    return mask_not(real_le(sarrus_rows_norm(mech, ev->ws->phi_dot), real_set(SARRUS_ASSEMBLED_SLIP) * unit));
}

/* Puts the speeds of healthy lanes onto the constraints. Where masses leave the range of numbers none come of it: such a lane was
 * not assembled. */
LANE_BODY void sarrus_assemble_speeds_checked(sarrus_evaluation *ev, const real *q, real *v, real *status) {
    const sarrus_mechanism *mech = sarrus_plan_of(ev);
    if (mech->m == 0)
        return;
    sarrus_assemble_velocities(ev, ev->healthy, v);
    mask lost = mask_and(ev->healthy, mask_not(sarrus_state_is_finite(mech, q, v)));
    if (sarrus_holds_speeds(mech))
        lost = mask_or(lost, mask_and(ev->healthy, sarrus_assembled_slips(ev, q, v)));
    sarrus_lane_set(status, lost, real_set((real_scalar)SARRUS_INSTANCE_ASSEMBLY_FAILED));
    ev->healthy = mask_and(ev->healthy, mask_not(lost));
}

/* Projects q0, v0 of the tile, sets rank, status, q and v, and the angles and feet that are followed. */
LANE_BODY void sarrus_assemble(sarrus_evaluation *ev, real *tile) {
    const sarrus_mechanism *mech = sarrus_plan_of(ev);
    real *q = lane_from(tile, mech->layout.q), *v = lane_from(tile, mech->layout.v);
    real *status = lane_from(tile, mech->layout.status), t = real_set(0.0);
    real scale = real_set(1.0);
    for (int32_t i = 0; i < mech->n_q; ++i)
        scale = real_max(real_abs(lane_at(q, i)), scale);
    mask healthy = ev->healthy;
    real bound = real_set(SARRUS_ASSEMBLED) * scale, goal = real_set(1e-15) * scale;
    ev->max_rank = real_set((real_scalar)mech->factor.n_independent);
    for (int32_t i = 0; i < mech->n_curves; ++i) /* no foot has been seen: the nearest one is looked for */
        lane_at(tile, mech->layout.seen + mech->n_free + i) = real_set((real_scalar)NAN);
    sarrus_project_positions(ev, t, goal, 25, healthy, q, v);
    mask open = mask_and(healthy, mask_not(real_le(sarrus_rows_norm(mech, ev->ws->phi), bound)));
    if (mask_any(open)) { /* more rows may count here than in the plan's nominal instance */
        ev->max_rank = real_select(open, real_set((real_scalar)mech->m), ev->max_rank);
        sarrus_project_positions(ev, t, goal, 25, open, q, v);
        open = mask_and(open, mask_not(real_le(sarrus_rows_norm(mech, ev->ws->phi), bound)));
    }
    mask good = mask_and(healthy, mask_and(mask_not(open), sarrus_state_is_finite(mech, q, v)));
#if defined(SARRUS_KERNELS_SPATIAL) && !defined(SARRUS_KERNELS_RELATIVE) /* instances are assembled in coordinates of the bodies */
    good = mask_and(good, mask_not(sarrus_joints_turned_over(mech, ev->parameter, ev->ws, q, v)));
#endif
    mask fail = mask_and(healthy, mask_not(good));
    lane_at(status, 0) = real_select(fail, real_set((real_scalar)SARRUS_INSTANCE_ASSEMBLY_FAILED), lane_at(status, 0));
    ev->healthy = good;
    ev->max_rank = sarrus_assembled_rank(ev, good);
    if (mech->n_lacking > 0) {
        const mask open_motion = sarrus_open_motions(ev, good);
        sarrus_lane_set(status, open_motion, real_set((real_scalar)SARRUS_INSTANCE_INDETERMINATE));
        ev->healthy = good = mask_and(good, mask_not(open_motion));
    }
    lane_at(tile, mech->layout.rank) = ev->max_rank;
    lane_at(tile, mech->layout.rank_now) = real_set(-1.0);
    sarrus_assemble_speeds_checked(ev, q, v, status);
    sarrus_turns_begin(mech, ev->parameter, ev->ws, q, v, lane_from(tile, mech->layout.seen));
    for (int32_t i = 0; i < mech->n_free + mech->n_curves; ++i)
        lane_at(tile, mech->layout.seen0 + i) = lane_at(tile, mech->layout.seen + i);
    for (int32_t i = 0; i < mech->n_q; ++i)
        lane_at(tile, mech->layout.q0 + i) = lane_at(q, i);
    for (int32_t i = 0; i < mech->n_v; ++i)
        lane_at(tile, mech->layout.v0 + i) = lane_at(v, i);
    lane_at(tile, mech->layout.status0) = lane_at(status, 0);
    lane_at(tile, mech->layout.verdict.balance0) = real_set((real_scalar)NAN); /* the motion has not begun */
}

#endif
