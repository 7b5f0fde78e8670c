/* Scratch lane arrays of one evaluation. One block per thread, cut up by offsets that follow from the mechanism alone.
 * Nothing in it outlives a kernel call. */
#ifndef SARRUS_BODY_WORKSPACE_H
#define SARRUS_BODY_WORKSPACE_H

#include "kernels/body/plan_access.h"
#include "kernels/pinv/call.h"

typedef struct sarrus_workspace {
    /* The arrays of an evaluation. */
    FRAME_ARRAY(sine, SARRUS_PLAN_N_BODIES); /* [n_bodies] of θ */
    FRAME_ARRAY(cosine, SARRUS_PLAN_N_BODIES);
    FRAME_ARRAY(signal, 3 * SARRUS_PLAN_N_SIGNALS); /* [n_signals][3] value and its first two derivatives in time */
    FRAME_ARRAY(force, SARRUS_PLAN_N_SPEEDS);   /* [n_v] generalized forces without gravity, then a_f = M⁻¹F, m/s² | rad/s² */
    FRAME_ARRAY(turn, 2 * SARRUS_PLAN_N_ROWS);  /* [m][2] t_parent, t_child of each row, m | 1 */
    FRAME_ARRAY(push, 2 * SARRUS_PLAN_N_ROWS);  /* [m][2] turn / I, on cranks lever / I_A, 1/(kg m) | 1/(kg m²) */
    FRAME_ARRAY(lever, 2 * SARRUS_PLAN_N_ROWS); /* [m][2] of the sides on cranks (crank.h), m | 1 */
    FRAME_ARRAY(swing, SARRUS_PLAN_N_BODIES);   /* [n_bodies] of cranks: angular part of the correction, rad/s² | as asked */
    FRAME_ARRAY(direction, 2 * SARRUS_PLAN_N_ROWS);  /* [m][2] e of each row, filled only when there are general rows */
    FRAME_ARRAY(phi, SARRUS_PLAN_N_ROWS);            /* [m] Φ */
    FRAME_ARRAY(phi_dot, SARRUS_PLAN_N_ROWS);        /* [m] Φ̇ */
    FRAME_ARRAY(gamma, SARRUS_PLAN_N_ROWS);          /* [m] γ, Baumgarte's terms included */
    FRAME_ARRAY(rhs, SARRUS_PLAN_N_ROWS);            /* [m] γ − J a_f, or another right side */
    FRAME_ARRAY(factor, 4 * SARRUS_PLAN_N_PLACES);   /* [n_blocks + n_entries][4] S, then D and L */
    FRAME_ARRAY(diagonal, 2 * SARRUS_PLAN_N_BLOCKS); /* [n_blocks][2] guard · S_kk */
    FRAME_ARRAY(inverse, 2 * SARRUS_PLAN_N_BLOCKS);  /* [n_blocks][2] 1/D, 0 where the pivot was refused */
    FRAME_ARRAY(refused, 1);                         /* [1] 1 where a pivot of the factor was refused */
    /* [2] the largest S_kk/d_k: of the rows that are not crossed, of all */
    FRAME_ARRAY(closeness, SARRUS_N_CLOSENESS);
    FRAME_ARRAY(solution, 2 * SARRUS_PLAN_N_BLOCKS); /* [2 n_blocks] right side and solution in elimination order */
    FRAME_ARRAY(multiplier, SARRUS_PLAN_N_ROWS);     /* [m] S⁻¹ rhs by row, 0 on dependent rows, unset on crank pins; is −λ */
    FRAME_ARRAY(z, SARRUS_PLAN_N_SPEEDS);            /* [n_v] D⁺ b */
    FRAME_ARRAY(apart, SARRUS_PLAN_N_SPEEDS);        /* [n_v] of a row in doubt, what the standing rows leave of M⁻¹ J_kᵀ */
    FRAME_ARRAY(within, SARRUS_PLAN_N_SPEEDS);       /* [n_v] and what they take of it */
    FRAME_ARRAY(apart_rhs, SARRUS_PLAN_N_ROWS);      /* [m] J times it */
    /* What lives longer, or is walked at run time. */
    real *null_vector;   /* [n_dependent][m] of Jᵀ */
    real *null_gram;     /* [n_dependent][n_dependent + 1] */
    real *q, *v;         /* [n_q] [n_v] stage state */
    real *rate;          /* [n_q] q̇, in spaces where the speeds are not */
    real *sum_q, *sum_v; /* [n_q] [n_v] weighted stage sums */
    real *sum_w;         /* [3] the same of the power, W; the work at the end of the step, J; spread² of its middle stages, J */
    real *a;             /* [n_v] acceleration */
    real *a_middle;      /* [n_v] of the first stage in the middle of a step of rk4 */
    real *held;          /* [2m] Φ, Φ̇ where the step began, when the gains follow the step (not adams-moulton) */
    real *error;         /* [3][n_y] error estimates of an adaptive step (Runge-Kutta: the first), in q and v */
    real *normal;        /* [n_v] their part across the constraints */
    real *stage;         /* Runge-Kutta: [n_stages][n_y] q̇_s, a_s; adams-moulton: [max_order][n_y + 1] predicted differences */
    real *stage_power;   /* Runge-Kutta: [n_stages] W, derivatives of the work; adams-moulton: [3] as in `error` */
    real *d;             /* [m − n_rows_short][n_v] J M^{-1/2} for the rank-revealing path */
    real *d_rhs;         /* [m] */
    real *norm2;         /* [m] squared row norms (σ² once converged) */
    real *sigma;         /* [m] singular values, falling */
    real *z_other;       /* [n_v] D⁺ b */
    real *u;             /* [m][m] left rotations, only for multipliers; none when rows are short */
    real *u_rhs;         /* [m] */
    real *pinv;          /* scratch of the plan's pseudoinverse method */
} sarrus_workspace;

/* The problem z = D⁺ b of the plan's method over n_rows of the rows. */
LANE_FUNCTION sarrus_pinv_shape sarrus_method_shape(const sarrus_mechanism *mech, int32_t n_rows) {
    sarrus_pinv_shape shape;
    shape.method = mech->method;
    shape.m = n_rows;
    shape.n = mech->n_v;
    shape.n_rhs = 1;
    shape.is_explicit = 0;
    shape.rule = mech->rank;
    return shape;
}

/* Lane arrays of scratch for the plan's method, over the independent rows or all of them. */
LANE_BODY size_t sarrus_method_work(const sarrus_mechanism *mech) {
    if (mech->solve != SARRUS_SOLVE_METHOD)
        return 0;
    sarrus_pinv_shape all = sarrus_method_shape(mech, mech->m), some = sarrus_method_shape(mech, mech->factor.n_independent);
    size_t of_all = sarrus_pinv_work(&all), of_some = sarrus_pinv_work(&some);
    return of_all > of_some ? of_all : of_some;
}

/* Derivatives that a trial step of an adaptive method keeps. */
LANE_FUNCTION int32_t sarrus_stages_count(const sarrus_mechanism *mech) {
    if (!mech->integrator.is_adaptive)
        return 0;
    return mech->integrator.method == SARRUS_INTEGRATOR_ADAMS_MOULTON ? mech->integrator.max_order : mech->integrator.n_stages;
}

/* Whether a step's gains act on the violation that it began with: those of adams-moulton act on the present one. */
LANE_FUNCTION int sarrus_violation_is_held(const sarrus_mechanism *mech) {
    return mech->integrator.has_step_gains && mech->integrator.method != SARRUS_INTEGRATOR_ADAMS_MOULTON;
}

LANE_FUNCTION real *sarrus_workspace_part(real *block, size_t *at, size_t n_arrays) {
    real *part = block ? lane_from(block, *at) : block;
    *at += n_arrays;
    return part;
}

/* The same for an array of an evaluation: specialised kernels keep it elsewhere, and leave its place to the generic ones. */
#if defined(SARRUS_CONSTANT_PLAN) && !defined(SARRUS_PLAN_IN_RUNS)
#define FRAME_PART(array, block, at, n_arrays) (void)sarrus_workspace_part(block, at, n_arrays)
#else
#define FRAME_PART(array, block, at, n_arrays) (array) = sarrus_workspace_part(block, at, n_arrays)
#endif

/* Cuts `block` (NULL: only counts); returns the number of lane arrays that the workspace needs. */
LANE_FUNCTION size_t sarrus_workspace_cut(const sarrus_mechanism *mech, real *block, sarrus_workspace *ws) {
    size_t n_q = (size_t)mech->n_q, n_v = (size_t)mech->n_v, n_y = n_q + n_v, m = (size_t)mech->m,
           n_bodies = (size_t)mech->n_bodies;
    size_t n_i = 2 * (size_t)mech->factor.n_blocks, n_d = (size_t)mech->factor.n_dependent;
    size_t at = 0;
    FRAME_PART(ws->sine, block, &at, n_bodies);
    FRAME_PART(ws->cosine, block, &at, n_bodies);
    FRAME_PART(ws->signal, block, &at, 3 * (size_t)mech->n_signals);
    FRAME_PART(ws->force, block, &at, n_v);
    FRAME_PART(ws->turn, block, &at, 2 * m);
    FRAME_PART(ws->push, block, &at, 2 * m);
    FRAME_PART(ws->lever, block, &at, mech->n_cranks > 0 ? 2 * m : 0);
    FRAME_PART(ws->swing, block, &at, mech->n_cranks > 0 ? n_bodies : 0);
    FRAME_PART(ws->phi, block, &at, m);
    FRAME_PART(ws->phi_dot, block, &at, m);
    FRAME_PART(ws->gamma, block, &at, m);
    FRAME_PART(ws->rhs, block, &at, m);
    FRAME_PART(ws->factor, block, &at, 2 * n_i + 4 * (size_t)mech->factor.n_entries);
    FRAME_PART(ws->diagonal, block, &at, n_i);
    FRAME_PART(ws->inverse, block, &at, n_i);
    FRAME_PART(ws->refused, block, &at, 1);
    FRAME_PART(ws->closeness, block, &at, SARRUS_N_CLOSENESS);
    FRAME_PART(ws->solution, block, &at, n_i);
    FRAME_PART(ws->multiplier, block, &at, m);
    FRAME_PART(ws->direction, block, &at, 2 * m);
    FRAME_PART(ws->z, block, &at, n_v);
    FRAME_PART(ws->apart, block, &at, n_v);
    FRAME_PART(ws->within, block, &at, n_v);
    FRAME_PART(ws->apart_rhs, block, &at, m);
    ws->q = sarrus_workspace_part(block, &at, n_q);
    ws->v = sarrus_workspace_part(block, &at, n_v);
    ws->rate = sarrus_workspace_part(block, &at, SPACE_NQ == SPACE_NV ? 0 : n_q);
    ws->sum_q = sarrus_workspace_part(block, &at, n_q);
    ws->sum_v = sarrus_workspace_part(block, &at, n_v);
    ws->sum_w = sarrus_workspace_part(block, &at, 3);
    ws->a = sarrus_workspace_part(block, &at, n_v);
    ws->a_middle = sarrus_workspace_part(block, &at, n_v);
    ws->held = sarrus_workspace_part(block, &at, sarrus_violation_is_held(mech) ? 2 * m : 0);
    ws->error = sarrus_workspace_part(block, &at, mech->integrator.is_adaptive ? 3 * n_y : 0);
    ws->normal = sarrus_workspace_part(block, &at, mech->integrator.is_adaptive ? n_v : 0);
    ws->stage = sarrus_workspace_part(block, &at, (n_y + 1) * (size_t)sarrus_stages_count(mech));
    ws->stage_power = sarrus_workspace_part(block, &at, (size_t)sarrus_stages_count(mech) + 2);
    ws->null_vector = sarrus_workspace_part(block, &at, n_d * m);
    ws->null_gram = sarrus_workspace_part(block, &at, n_d * (n_d + 1));
    ws->d_rhs = sarrus_workspace_part(block, &at, m);
    ws->norm2 = sarrus_workspace_part(block, &at, m);
    ws->sigma = sarrus_workspace_part(block, &at, m);
    ws->z_other = sarrus_workspace_part(block, &at, n_v);
    ws->u_rhs = sarrus_workspace_part(block, &at, m);
    ws->d = sarrus_workspace_part(block, &at, (m - (size_t)mech->n_rows_short) * n_v);
    ws->u = sarrus_workspace_part(block, &at, mech->n_rows_short > 0 ? 0 : m * m);
    ws->pinv = sarrus_workspace_part(block, &at, sarrus_method_work(mech));
    return at;
}

#endif
