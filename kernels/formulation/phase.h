/* What a step asks of an evaluation, one function a phase: rows, corrections, accelerations.
 *
 * Generic kernels run the bodies on the arrays of the workspace. In specialised kernels a phase is one piece of code: on local
 * arrays when it runs straight through, on those of the workspace when it goes around runs of the plan's tables. */
#ifndef SARRUS_FORMULATION_PHASE_H
#define SARRUS_FORMULATION_PHASE_H

#include "kernels/formulation/step_operations.h"

#if defined(SARRUS_CONSTANT_PLAN)

/* Constant directions of mechanisms that have general rows as well; and how near no rows are to a change point, which no factor
 * would find. */
LANE_FUNCTION void sarrus_frame_directions(sarrus_workspace *ws) {
    const int32_t n_closeness = sarrus_constant_plan.m == 0 ? SARRUS_N_CLOSENESS : 0;
    for (int32_t k = 0; k < n_closeness; ++k)
        frame_at(ws->closeness, k) = real_set(0.0);
#if defined(SARRUS_KERNELS_RELATIVE)
    sarrus_constant_directions(&sarrus_constant_plan, ws); /* rows over a tree are made of all of them */
#else
    if (sarrus_constant_plan.n_general_rows > 0)
        sarrus_constant_directions(&sarrus_constant_plan, ws);
#endif
}

/* The workspace between the phases: who works on it there, as looks ahead do, finds the directions of all rows in it; in the plane
 * it goes by their kinds. */
LANE_FUNCTION void sarrus_outside_directions(sarrus_workspace *ws) {
    sarrus_frame_directions(ws);
    if (SPACE_DIMENSION == 3)
        sarrus_constant_directions(&sarrus_constant_plan, ws);
}

#if defined(SARRUS_PLAN_IN_RUNS)
#include "kernels/formulation/phase_in_runs.h"
#else
#include "kernels/formulation/phase_in_frames.h"
#endif

#else

/* Rows of the workspace have all that belongs to them, but in kernels whose phases work on arrays of their own. */
LANE_FUNCTION void sarrus_rows_complete(sarrus_workspace *ws) {
    (void)ws;
}

LANE_FUNCTION void sarrus_evaluate_rows(sarrus_evaluation *ev, real t, const real *q, const real *v) {
    sarrus_evaluate_rows_body(ev, t, q, v);
}

/* ws->rhs ← −J x at the rows of the workspace. */
LANE_BODY void sarrus_rows_oppose(sarrus_evaluation *ev, const real *x) {
    const sarrus_mechanism *mech = sarrus_plan_of(ev);
    for (int32_t i = 0; i < mech->m; ++i)
        frame_at(ev->ws->rhs, i) = real_set(0.0);
    sarrus_rows_subtract(mech, ev->ws, ev->ws->rhs, x, ev->ws->rhs);
}

LANE_FUNCTION void sarrus_correct_projection(sarrus_evaluation *ev, const real *rhs, mask active, real *out) {
    sarrus_correct_projection_swapping(ev, rhs, active, out);
}

LANE_FUNCTION void sarrus_accelerate(sarrus_evaluation *ev, real t, const real *q, const real *v, real *a) {
    sarrus_accelerate_swapping(ev, t, q, v, a);
}

/* T, V and, when it is wanted, ‖Φ‖ at (t, q, v) into ev->state and ev->state_violation; leaves rotations and signals. */
LANE_FUNCTION void sarrus_measure(sarrus_evaluation *ev, real t, const real *q, const real *v) {
    sarrus_measure_body(ev, t, q, v);
}

#endif

#endif
