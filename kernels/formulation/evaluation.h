/* One evaluation of a mechanism at a state: what it carries along, and its constraint rows. */
#ifndef SARRUS_FORMULATION_EVALUATION_H
#define SARRUS_FORMULATION_EVALUATION_H

#include "kernels/body/state.h"
#include "kernels/body/signals.h"
#include "kernels/pinv/rank.h"

/* Of one state. */
typedef struct sarrus_state_energy {
    real kinetic;   /* J, ½ vᵀMv */
    real potential; /* J, −Σ m g·r + Σ ½k(l − l0)² + Σ ½k(x − rest)² */
} sarrus_state_energy;

/* What a kernel call carries along besides the plan. */
typedef struct sarrus_evaluation {
    const sarrus_mechanism *mech; /* of generic kernels; bodies ask sarrus_plan_of */
    sarrus_workspace *ws;
    const real *parameter; /* [n_parameters] */
    const real *input;     /* [n_inputs] */
    real *tile;
    real alpha, beta;           /* Baumgarte's gains, 1/s */
    const real *at_q, *at_v;    /* [n] the state that is being accelerated; NULL: none is */
    real stage_violation;       /* its ‖Φ‖, known to the rank-revealing path of methods that choose their steps */
    const real *held;           /* [2m] Φ, Φ̇ that they act on; NULL: the present ones */
    real max_rank;              /* of the rank decision */
    real rank_now;              /* the decision where this step began; the assembled rank before the first */
    sarrus_rank_decision found; /* by the last correction */
    mask healthy;               /* lanes that count: others may hold anything */
    mask is_swapped;            /* lanes whose sunk rows are held against the dependent ones (closeness_of_all.h) */
    mask asks_all;              /* lanes whose closeness near a change point is that of all rows, whatever the pivots tell */
    mask is_slow;               /* lanes that went the rank-revealing way in the last correction */
    mask is_blurred;            /* in single precision: lanes whose rows were in doubt since the step began (step/single.h) */
    mask is_indeterminate; /* lanes whose acceleration the masses have left open since somebody cleared it; plans that lack mass */
    real power;            /* W, of dampers, loads and drives at the last acceleration; when the plan has such */
    real state_violation;  /* ‖Φ‖ where positions were projected or measured last */
    sarrus_state_energy state; /* T and V that were measured last */
    const real *crossed;       /* [2 n_blocks] rows that are crossed exactly in this passage; NULL: none in any lane */
    sarrus_external_solve external;
    void *external_user;
    sarrus_external_rank_path rank_path; /* specialised kernels: the generic rank-revealing path */
    void *rank_path_user;
    const volatile int32_t *stop; /* non-zero: what is computed is good for nothing, no step may end; NULL: there is none */
#if defined(SARRUS_DENSE_RUN)
    real *full; /* scratch of formulations that are written out in full (in_full.h) */
#endif
    struct sarrus_evaluation *outside; /* specialised kernels: the evaluation that this one is a local copy of */
    int32_t wants_force;               /* somebody will look at ws->force after the next acceleration */
    int32_t wants_closeness;           /* ... at ws->closeness after the next factorisation */
    int32_t wants_violation;           /* ... at the ‖Φ‖ of the next state that is measured */
    int32_t is_looking;                /* accelerations of a look ahead: by the factor, whatever the plan's way is */
    int32_t sits_out;                  /* projections leave all rows out whose pivots are refused */
    int32_t sees_all_rows;             /* projections let dependent rows stand in for those of the plan that are refused */
    int32_t is_in_stretch;             /* specialised kernels: no lane is in a passage, and none will be followed (stretch.h) */
    int32_t is_strict;                 /* the factor refuses pivots that have sunk to SARRUS_SUNK of their ordinary ones */
    int32_t is_configured;             /* rotations and signals are those of the configuration that comes next */
    int32_t is_factored;               /* the factor is that of the present rows */
    int64_t n_evaluations;             /* corrections applied to this tile */
    int64_t n_rank_revealing;          /* of which some lane took the rank-revealing path */
} sarrus_evaluation;

/* The plan that an evaluation is of. */
LANE_FUNCTION const sarrus_mechanism *sarrus_plan_of(const sarrus_evaluation *ev) {
#if defined(SARRUS_CONSTANT_PLAN)
    (void)ev;
    return &sarrus_constant_plan;
#else
    return ev->mech;
#endif
}

/* Whether a stretch asks (kernels/step/stretch.h), which generic kernels have not. */
LANE_FUNCTION int sarrus_is_in_stretch(const sarrus_evaluation *ev) {
#if defined(SARRUS_CONSTANT_PLAN)
    return ev->is_in_stretch;
#else
    (void)ev;
    return 0;
#endif
}

/* q̇ [n_q] at (q, v); good until it is asked for again. */
LANE_FUNCTION const real *sarrus_rates(const sarrus_evaluation *ev, const real *q, const real *v) {
    return sarrus_state_rates(sarrus_plan_of(ev), q, v, ev->ws->rate);
}

/* Ground alone, for what is asked of a state that nobody has configured. */
LANE_FUNCTION void sarrus_ground_look(const sarrus_evaluation *ev, real t) {
    if (!sarrus_plan_of(ev)->moves_ground)
        return;
    sarrus_signals(sarrus_plan_of(ev), ev->parameter, t, ev->ws);
    sarrus_ground_find(sarrus_plan_of(ev), ev->parameter, ev->ws);
}

/* The state of the workspace at t is the one that lanes of `on` are in: turns and feet follow. */
LANE_FUNCTION void sarrus_turns_go_on(const sarrus_evaluation *ev, real t, mask on) {
    const sarrus_mechanism *mech = sarrus_plan_of(ev);
    sarrus_ground_look(ev, t);
    sarrus_state_see_turns(mech, ev->parameter, ev->ws, ev->ws->q, ev->ws->v, on, lane_from(ev->tile, mech->layout.seen));
}

/* Rotations and signals at (t, q). Whatever is evaluated next at the same place finds them there. */
PLAN_BODY void sarrus_configure(sarrus_evaluation *ev, real t, const real *q) {
    sarrus_state_pose(sarrus_plan_of(ev), ev->parameter, q, ev->ws);
    sarrus_signals(sarrus_plan_of(ev), ev->parameter, t, ev->ws);
    sarrus_ground_find(sarrus_plan_of(ev), ev->parameter, ev->ws);
    ev->is_configured = 1;
    ev->is_factored = 0;
}

/* The same for an acceleration or energies, which may do without poses. */
PLAN_BODY void sarrus_prepare(sarrus_evaluation *ev, real t, const real *q) {
    sarrus_state_prepare(sarrus_plan_of(ev), ev->parameter, q, ev->ws);
    sarrus_signals(sarrus_plan_of(ev), ev->parameter, t, ev->ws);
    sarrus_ground_find(sarrus_plan_of(ev), ev->parameter, ev->ws);
    ev->is_configured = 1;
    ev->is_factored = 0;
}

/* Rotations, signals and rows at (t, q, v). */
PLAN_BODY void sarrus_evaluate_rows_body(sarrus_evaluation *ev, real t, const real *q, const real *v) {
    sarrus_configure(ev, t, q);
    sarrus_state_rows(sarrus_plan_of(ev), ev->parameter, q, v, ev->ws, SARRUS_WANT_ERRORS);
}

/* T, V and, when it is wanted, ‖Φ‖ at (t, q, v) into ev->state and ev->state_violation. */
PLAN_BODY void sarrus_measure_body(sarrus_evaluation *ev, real t, const real *q, const real *v) {
    const sarrus_mechanism *mech = sarrus_plan_of(ev);
    if (!ev->is_configured)
        sarrus_prepare(ev, t, q);
    ev->state.kinetic = sarrus_state_kinetic(mech, ev->parameter, ev->ws, q, v);
    ev->state.potential = sarrus_state_potential(mech, ev->parameter, ev->ws, q, v);
    if (ev->wants_violation)
        ev->state_violation = real_sqrt(sarrus_state_violation_squared(mech, ev->parameter, ev->ws, q, v));
}

/* NaN in all lanes: a number that is not known. For compilers that have no <math.h> too. */
LANE_FUNCTION real sarrus_nan_lanes(void) {
    return real_sqrt(real_set(-1.0));
}

/* ‖x‖₂ of a row vector. */
LANE_FUNCTION real sarrus_rows_norm(const sarrus_mechanism *mech, const real *x) {
    real sum = real_set(0.0);
    PLAN_EACH (i, 0, mech->m)
        sum = real_fma(frame_at(x, i), frame_at(x, i), sum);
    return real_sqrt(sum);
}

/* What the rank decision may know: max_rank, the decision where the step began, and the violation, for the rule that asks. */
LANE_BODY sarrus_rank_limit sarrus_rank_limits(const sarrus_evaluation *ev, real max_rank) {
    sarrus_rank_limit limit;
    limit.max_rank = max_rank;
    limit.previous = ev->rank_now;
    limit.violation = real_set(0.0);
    if (sarrus_plan_of(ev)->rank.method == SARRUS_RANK_VIOLATION)
        limit.violation = sarrus_rows_norm(sarrus_plan_of(ev), ev->ws->phi);
    limit.unit = real_set(1.0);
    limit.share = real_set(1.0);
    return limit;
}

/* Of an acceleration: a direction that is crossed exactly is lost at SARRUS_LOST of its ordinary singular value; a step that is
 * chosen by its error would be cut to pieces where that happens, and such methods keep it for as long as ‖Φ‖ v²/σ, its noise off
 * the constraints, allows. Any other one is lost only where nothing but round-off is left of it (docs/change_points.md). */
#define SARRUS_LOST 1e-5
#define SARRUS_LOST_LEAST 1e-6
/* A projection leaves a direction that is crossed exactly out from here on; where another one bends meanwhile, from there. */
#define SARRUS_LEFT_OUT 1e-4
#define SARRUS_LEFT_OUT_IN_BEND 1e-5
#define SARRUS_NOISE 1e-7

/* What is known of the direction across the motion, relative: to ε S_kk/d_k by pivots of S, and to its root where rows are held
 * apart and by dense methods. */
LANE_FUNCTION real sarrus_direction_noise(const sarrus_mechanism *mech, real closeness) {
    const real unit = real_set(8.0 * LANE_EPSILON);
    const real pivot = closeness * real_set(1.0 / mech->ordinary); /* S_kk/d_k at most */
    const mask is_squared = mech->solve == SARRUS_SOLVE_AUTO ? real_lt(closeness, real_set(1.0 / mech->guard)) : mask_none();
    return unit * real_select(is_squared, pivot, real_sqrt(pivot));
}

/* The share of its ordinary singular value at which a direction that is crossed exactly is lost for an acceleration. */
LANE_BODY real sarrus_lost_share(const sarrus_evaluation *ev) {
    const sarrus_mechanism *mech = sarrus_plan_of(ev);
    if (!mech->integrator.is_adaptive)
        return real_set(SARRUS_LOST);
    const real open = ev->stage_violation * real_set(10.0 / mech->violation_unit);
    return real_min(real_max(open, real_set(SARRUS_LOST_LEAST)), real_set(SARRUS_LOST));
}

/* Lanes in which some row is crossed. */
LANE_BODY mask sarrus_is_crossing(const sarrus_evaluation *ev) {
    mask crossing = mask_none();
    for (int32_t k = 0; ev->crossed && k < 2 * sarrus_plan_of(ev)->factor.n_blocks; ++k)
        crossing = mask_or(crossing, real_lt(real_set(0.0), lane_at(ev->crossed, k)));
    return crossing;
}

/* held[2m] ← Φ, Φ̇ of the rows in the workspace, in the lanes of `on`. Gains that follow the step act, in all its stages, on the
 * violation that it began with: a stage lies off the constraints by h², which β² = (gain/h)² would turn into an acceleration that
 * no step size makes small. */
LANE_FUNCTION void sarrus_violation_hold(const sarrus_evaluation *ev, mask on, real *held) {
    const int32_t m = sarrus_plan_of(ev)->m;
    for (int32_t i = 0; i < m; ++i) {
        lane_at(held, i) = real_select(on, frame_at(ev->ws->phi, i), lane_at(held, i));
        lane_at(held, m + i) = real_select(on, frame_at(ev->ws->phi_dot, i), lane_at(held, m + i));
    }
}

/* The decision of `on` lanes replaced by another. */
LANE_FUNCTION void sarrus_found_replace(sarrus_evaluation *ev, mask on, const sarrus_rank_decision *found) {
    ev->found.rank = real_select(on, found->rank, ev->found.rank);
    ev->found.kept = real_select(on, found->kept, ev->found.kept);
    ev->found.dropped = real_select(on, found->dropped, ev->found.dropped);
}

#endif
