/* Scratch lane arrays of one evaluation. One block per thread, cut up by offsets that follow from the mechanism alone.
 * Nothing in it outlives a kernel call. */
#ifndef SARRUS_BODY_WORKSPACE_H
#define SARRUS_BODY_WORKSPACE_H

#include "kernels/body/mechanism.h"
#include "kernels/lane/lane.h"
#include "kernels/pinv/call.h"

typedef struct sarrus_workspace {
    real *sine, *cosine; /* [n_bodies] of θ */
    real *signal;        /* [n_signals][3] value and its first two derivatives in time */
    real *force;         /* [n] generalized forces without gravity, then a_f = M⁻¹F, m/s² | rad/s² */
    real *turn;          /* [m][2] t_parent, t_child of each row, m | 1 */
    real *push;          /* [m][2] turn / I, 1/(kg m) | 1/(kg m²) */
    real *direction;     /* [m][2] e of each row, filled only when there are general rows */
    real *phi, *phi_dot; /* [m] Φ and Φ̇ */
    real *gamma;         /* [m] γ, Baumgarte's terms included */
    real *rhs;           /* [m] γ − J a_f, or another right side */
    real *factor;        /* [n_blocks + n_entries][4] S, then D and L */
    real *diagonal;      /* [n_blocks][2] guard · S_kk */
    real *inverse;       /* [n_blocks][2] 1/D, 0 where the pivot was refused */
    real *refused;       /* [1] 1 where a pivot of the factor was refused */
    real *solution;      /* [2 n_blocks] right side and solution in elimination order */
    real *multiplier;    /* [m] S⁻¹ rhs by row, zero on dependent rows (λ = −multiplier) */
    real *null_vector;   /* [n_dependent][2 n_blocks + 1] of Jᵀ */
    real *null_gram;     /* [n_dependent][n_dependent + 1] */
    real *q, *v;         /* [n] stage state */
    real *sum_q, *sum_v; /* [n] weighted stage sums */
    real *a;             /* [n] acceleration */
    real *held;          /* [2m] Φ, Φ̇ where the step began, when the gains follow a fixed step */
    real *error;         /* [3][2n] error estimates of an adaptive step (Runge-Kutta: the first), in q and v */
    real *normal;        /* [n] their part across the constraints */
    real *stage;         /* Runge-Kutta: [n_stages][2n] v_s, a_s; adams-moulton: [max_order][2n] predicted differences */
    real *d;             /* [m][n] J M^{-1/2} for the rank-revealing path */
    real *d_rhs;         /* [m] */
    real *norm2;         /* [m] squared row norms (σ² once converged) */
    real *sigma;         /* [m] singular values, falling */
    real *z, *z_other;   /* [n] D⁺ b */
    real *u;             /* [m][m] left rotations, only for multipliers */
    real *u_rhs;         /* [m] */
    real *pinv;          /* scratch of the plan's pseudoinverse method */
} sarrus_workspace;

/* The problem z = D⁺ b of the plan's method over n_rows of the rows. */
LANE_FUNCTION sarrus_pinv_shape sarrus_method_shape(const sarrus_mechanism *mech, int32_t n_rows) {
    sarrus_pinv_shape shape;
    shape.method = mech->method;
    shape.m = n_rows;
    shape.n = mech->n;
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

LANE_FUNCTION real *sarrus_workspace_part(real *block, size_t *at, size_t n_arrays) {
    real *part = block ? lane_from(block, *at) : block;
    *at += n_arrays;
    return part;
}

/* Cuts `block` (NULL: only counts); returns the number of lane arrays that the workspace needs. */
LANE_BODY size_t sarrus_workspace_cut(const sarrus_mechanism *mech, real *block, sarrus_workspace *ws) {
    size_t n = (size_t)mech->n, m = (size_t)mech->m, n_bodies = (size_t)mech->n_bodies;
    size_t n_i = 2 * (size_t)mech->factor.n_blocks, n_d = (size_t)mech->factor.n_dependent;
    size_t at = 0;
    ws->sine = sarrus_workspace_part(block, &at, n_bodies);
    ws->cosine = sarrus_workspace_part(block, &at, n_bodies);
    ws->signal = sarrus_workspace_part(block, &at, 3 * (size_t)mech->n_signals);
    ws->force = sarrus_workspace_part(block, &at, n);
    ws->turn = sarrus_workspace_part(block, &at, 2 * m);
    ws->push = sarrus_workspace_part(block, &at, 2 * m);
    ws->phi = sarrus_workspace_part(block, &at, m);
    ws->phi_dot = sarrus_workspace_part(block, &at, m);
    ws->gamma = sarrus_workspace_part(block, &at, m);
    ws->rhs = sarrus_workspace_part(block, &at, m);
    ws->factor = sarrus_workspace_part(block, &at, 2 * n_i + 4 * (size_t)mech->factor.n_entries);
    ws->diagonal = sarrus_workspace_part(block, &at, n_i);
    ws->inverse = sarrus_workspace_part(block, &at, n_i);
    ws->refused = sarrus_workspace_part(block, &at, 1);
    ws->solution = sarrus_workspace_part(block, &at, n_i);
    ws->multiplier = sarrus_workspace_part(block, &at, m);
    ws->q = sarrus_workspace_part(block, &at, n);
    ws->v = sarrus_workspace_part(block, &at, n);
    ws->sum_q = sarrus_workspace_part(block, &at, n);
    ws->sum_v = sarrus_workspace_part(block, &at, n);
    ws->a = sarrus_workspace_part(block, &at, n);
    ws->held = sarrus_workspace_part(block, &at, mech->integrator.has_step_gains && !mech->integrator.is_adaptive ? 2 * m : 0);
    ws->error = sarrus_workspace_part(block, &at, mech->integrator.is_adaptive ? 6 * n : 0);
    ws->normal = sarrus_workspace_part(block, &at, mech->integrator.is_adaptive ? n : 0);
    ws->stage = sarrus_workspace_part(block, &at, 2 * n * (size_t)sarrus_stages_count(mech));
    ws->direction = sarrus_workspace_part(block, &at, 2 * m);
    ws->null_vector = sarrus_workspace_part(block, &at, n_d * (n_i + 1));
    ws->null_gram = sarrus_workspace_part(block, &at, n_d * (n_d + 1));
    ws->d_rhs = sarrus_workspace_part(block, &at, m);
    ws->norm2 = sarrus_workspace_part(block, &at, m);
    ws->sigma = sarrus_workspace_part(block, &at, m);
    ws->z = sarrus_workspace_part(block, &at, n);
    ws->z_other = sarrus_workspace_part(block, &at, n);
    ws->u_rhs = sarrus_workspace_part(block, &at, m);
    ws->d = sarrus_workspace_part(block, &at, m * n);
    ws->u = sarrus_workspace_part(block, &at, m * m);
    ws->pinv = sarrus_workspace_part(block, &at, sarrus_method_work(mech));
    return at;
}

#endif
