/* The phases of kernels that are specialised in runs: each a piece of code of its own on the arrays of the workspace, whose places
 * are cut anew from one pointer, so that the compiler knows how they lie to one another. Part of phase.h. */
#ifndef SARRUS_FORMULATION_PHASE_IN_RUNS_H
#define SARRUS_FORMULATION_PHASE_IN_RUNS_H

/* Puts `ws` in the place of the evaluation's workspace, which is returned, to be put back. */
LANE_FUNCTION sarrus_workspace *sarrus_runs_open(sarrus_evaluation *ev, sarrus_workspace *ws) {
    sarrus_workspace *outside = ev->ws;
    ev->ws = sarrus_workspace_here(outside, ws);
    return outside;
}

/* Rows stand in the arrays of the workspace, with all that belongs to them. */
LANE_FUNCTION void sarrus_rows_complete(sarrus_workspace *ws) {
    (void)ws;
}

/* Rotations, signals and rows at (t, q, v). */
LANE_PHASE void sarrus_evaluate_rows(sarrus_evaluation *ev, real t, const real *q, const real *v) {
    sarrus_workspace ws, *outside = sarrus_runs_open(ev, &ws);
    sarrus_evaluate_rows_body(ev, t, q, v);
    ev->ws = outside;
}

/* ws->rhs ← −J x at the rows of the workspace. */
LANE_PHASE void sarrus_rows_oppose(sarrus_evaluation *ev, const real *x) {
    sarrus_workspace ws, *outside = sarrus_runs_open(ev, &ws);
    PLAN_EACH (i, 0, sarrus_constant_plan.m)
        frame_at(ws.rhs, i) = real_set(0.0);
    sarrus_rows_subtract(&sarrus_constant_plan, &ws, ws.rhs, x, ws.rhs);
    ev->ws = outside;
}

LANE_PHASE void sarrus_correct_projection(sarrus_evaluation *ev, const real *rhs, mask active, real *out) {
    sarrus_workspace ws, *outside = sarrus_runs_open(ev, &ws);
    sarrus_correct_projection_swapping(ev, rhs, active, out);
    ev->ws = outside;
}

LANE_PHASE void sarrus_accelerate(sarrus_evaluation *ev, real t, const real *q, const real *v, real *a) {
    sarrus_workspace ws, *outside = sarrus_runs_open(ev, &ws);
    sarrus_accelerate_swapping(ev, t, q, v, a);
    ev->ws = outside;
}

/* T, V and, when it is wanted, ‖Φ‖ at (t, q, v) into ev->state and ev->state_violation; leaves rotations and signals. */
LANE_PHASE void sarrus_measure(sarrus_evaluation *ev, real t, const real *q, const real *v) {
    sarrus_workspace ws, *outside = sarrus_runs_open(ev, &ws);
    sarrus_measure_body(ev, t, q, v);
    ev->ws = outside;
}

#endif
