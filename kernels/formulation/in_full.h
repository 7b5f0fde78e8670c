/* Formulations that are written out in full (kernels/formulation/dense/): the accelerations are theirs; what steps need besides,
 * the rank decision, projections, reactions, is Udwadia and Kalaba's, in the same coordinates. They are there to be compared,
 * and for that they need not be fast. With the automatic rank decision they see the independent rows, as the pseudoinverse
 * methods do (udwadia_kalaba.h), and all rows in the lanes whose rank is another. */
#ifndef SARRUS_FORMULATION_IN_FULL_H
#define SARRUS_FORMULATION_IN_FULL_H

#include "kernels/formulation/udwadia_kalaba.h"

#if defined(SARRUS_DENSE_RUN)

#include "kernels/formulation/dense/call.h"
#include "kernels/formulation/pin_tree.h"
#include "kernels/formulation/system.h"

/* Whether the plan's formulation is one of these. */
LANE_FUNCTION int sarrus_is_in_full(const sarrus_mechanism *mech) {
    return mech->m > 0 && mech->formulation != SARRUS_FORMULATION_UDWADIA_KALABA &&
           mech->formulation != SARRUS_FORMULATION_RELATIVE && mech->formulation != SARRUS_FORMULATION_RECURSIVE;
}

LANE_FUNCTION sarrus_dense_shape sarrus_in_full_shape(const sarrus_mechanism *mech, int32_t n_rows) {
    sarrus_dense_shape shape;
    shape.formulation = mech->formulation;
    shape.m = n_rows;
    shape.n = mech->n_v;
    shape.block = SPACE_NV;
    shape.turn = SPACE_TURN;
    shape.method = mech->method == SARRUS_PINV_AUTO ? SARRUS_PINV_HOUSEHOLDER : mech->method;
    shape.rule = mech->rank;
    shape.pins = (const int32_t *)0;
    return shape;
}

/* Lane arrays that hold the tree of pins, of a formulation that needs it. */
LANE_FUNCTION size_t sarrus_in_full_pins(const sarrus_mechanism *mech) {
    const size_t n_bytes = SARRUS_PIN_NUMBERS * (size_t)mech->n_bodies * sizeof(int32_t);
    return mech->formulation == SARRUS_FORMULATION_BARYCENTRIC ? (n_bytes + sizeof(real) - 1) / sizeof(real) : 0;
}

/* Lane arrays of scratch: the system, the rows that are taken of it, the result, and what the formulation takes. */
LANE_BODY size_t sarrus_in_full_work(const sarrus_mechanism *mech) {
    const size_t n = (size_t)mech->n_v, m = (size_t)mech->m;
    sarrus_dense_shape shape = sarrus_in_full_shape(mech, mech->m);
    sarrus_dense_lanes lanes;
    if (!sarrus_is_in_full(mech))
        return 0;
    const int32_t some = 0;
    shape.pins = &some; /* there will be a tree; where work is counted nobody looks at it */
    lanes.work = lanes.lambda = (real *)0;
    lanes.active = mask_none();
    sarrus_dense_run(&shape, &lanes);
    const size_t of_all = lanes.n_work; /* fewer rows may take more: of a square matrix methods copy less */
    shape.m = mech->factor.n_independent;
    sarrus_dense_run(&shape, &lanes);
    return sarrus_system_size(mech) + m * n + m + 2 * n + sarrus_in_full_pins(mech) +
           (of_all > lanes.n_work ? of_all : lanes.n_work);
}

/* a [n_v] ← the acceleration over all rows of `system`, or the independent ones; returns the lanes whose rank is not max_rank. */
LANE_BODY mask sarrus_in_full_solve(sarrus_evaluation *ev, const sarrus_system_arrays *system, int is_independent, mask active,
                                    real *a) {
    const sarrus_mechanism *mech = sarrus_plan_of(ev);
    const int32_t n = mech->n_v, n_rows = sarrus_rows_count(mech, is_independent);
    sarrus_dense_shape shape = sarrus_in_full_shape(mech, n_rows);
    sarrus_dense_lanes lanes;
    real *jacobian = lane_from(ev->full, (int32_t)sarrus_system_size(mech)), *gamma = lane_from(jacobian, mech->m * n);
    for (int32_t k = 0; k < n_rows; ++k) {
        const int32_t i = sarrus_rows_at(mech, is_independent, k);
        lane_at(gamma, k) = lane_at(system->gamma, i);
        for (int32_t j = 0; j < n; ++j)
            lane_at(jacobian, k * n + j) = lane_at(system->jacobian, i * n + j);
    }
    lanes.mass = system->mass;
    lanes.force = system->force;
    lanes.jacobian = jacobian;
    lanes.gamma = gamma;
    lanes.limit = sarrus_rank_limits(ev, ev->max_rank);
    lanes.active = active;
    lanes.stop = ev->stop;
    lanes.a = a;
    lanes.lambda = (real *)0;
    lanes.work = lane_from(gamma, mech->m + 2 * n + (int32_t)sarrus_in_full_pins(mech));
    if (sarrus_in_full_pins(mech) > 0) {
        int32_t *pins = (int32_t *)(void *)lane_from(gamma, mech->m + 2 * n);
        (void)sarrus_pin_tree_find(mech, pins);
        shape.pins = pins;
    }
    sarrus_dense_run(&shape, &lanes);
    ev->is_indeterminate = mask_or(ev->is_indeterminate, lanes.is_unsolvable);
    return mask_and(active, mask_not(real_eq(lanes.found.rank, ev->max_rank)));
}

/* Accelerations keep the independent rows of J a = γ to this share of their terms. Along the direction v of the smallest singular
 * value an error δ leaves |J v| δ = σ_r δ, so that this asks for δ ≤ 1e-10 (σ₁/σ_r) |a|, of whatever inverts M or J. */
#define SARRUS_KEPT 1e-10
/* Where forces balance, or nothing is faster or slower, a and γ are themselves round-off of what they are made of, a_f = M⁻¹F and
 * products of speeds. Terms count as no less than this share of these, so that some 500 ε of them are let pass. */
#define SARRUS_KEPT_AT_REST 1e-3
/* And what is 0 in a row beside other accelerations has their round-off. */
#define SARRUS_KEPT_ROUND_OFF 1e-13

/* The fastest turn of the speeds v [n_v], rad/s. */
LANE_BODY real sarrus_in_full_turn(const sarrus_mechanism *mech, const real *v) {
    real most = real_set(0.0);
    for (int32_t j = 0; j < mech->n_v; ++j)
        most = sarrus_state_is_turn(mech, j) ? real_max(real_abs(lane_at(v, j)), most) : most;
    return most;
}

/* Lanes in which `a` does not keep the independent rows of `system`. */
LANE_BODY mask sarrus_in_full_breaks(const sarrus_evaluation *ev, const sarrus_system_arrays *system, const real *v,
                                     const real *a) {
    const sarrus_mechanism *mech = sarrus_plan_of(ev);
    const real turn = sarrus_in_full_turn(mech, v);
    real off = real_set(0.0), size = real_set(0.0), made_of = real_set(0.0), fastest = real_set(0.0), largest = real_set(0.0);
    for (int32_t j = 0; j < mech->n_v; ++j)
        fastest = real_max(real_abs(lane_at(a, j)), fastest);
    for (int32_t k = 0; k < mech->factor.n_independent; ++k) {
        const int32_t i = sarrus_rows_at(mech, 1, k);
        real rest = -lane_at(system->gamma, i), terms = real_abs(rest), parts = real_set(0.0);
        for (int32_t j = 0; j < mech->n_v; ++j) {
            const real entry = lane_at(system->jacobian, i * mech->n_v + j);
            rest = real_fma(entry, lane_at(a, j), rest);
            terms = real_fma(real_abs(entry), real_abs(lane_at(a, j)), terms);
            largest = real_max(real_abs(entry), largest);
            parts = real_fma(real_abs(entry), real_fma(turn, real_abs(lane_at(v, j)), real_abs(frame_at(ev->ws->force, j))), parts);
        }
        off = real_max(real_abs(rest), off);
        size = real_max(terms, size);
        made_of = real_max(parts, made_of);
    }
    const real let_pass = real_set(SARRUS_KEPT) * real_max(real_set(SARRUS_KEPT_AT_REST) * made_of, size);
    return real_lt(real_fma(real_set(SARRUS_KEPT_ROUND_OFF) * largest, fastest, let_pass), off);
}

/* Whether the formulation takes matrices in which singular values of J stand squared, or beside masses: near a singular
 * configuration, where the rank is still whole, they lose what D and J by themselves do not. */
LANE_FUNCTION int sarrus_in_full_mixes(const sarrus_mechanism *mech) {
    return mech->formulation != SARRUS_FORMULATION_RANGE_SPACE && mech->formulation != SARRUS_FORMULATION_NULL_SPACE;
}

/* NaN where there is no answer: of a factorization without a rank decision where the independent rows have lost a direction,
 * whatever it made of round-off; and of formulations that see these rows alone where they have not, and the formulation has
 * dropped one all the same, or its answer does not keep them. */
LANE_BODY void sarrus_in_full_give_up(sarrus_evaluation *ev, const sarrus_system_arrays *system, int sees_independent, mask dropped,
                                      const real *v, real *a) {
    const sarrus_mechanism *mech = sarrus_plan_of(ev);
    const mask has_all = real_eq(ev->found.rank, real_set((real_scalar)mech->factor.n_independent));
    mask lost = mask_and(has_all, dropped);
    if (sees_independent && sarrus_in_full_mixes(mech))
        lost = mask_or(lost, mask_and(has_all, sarrus_in_full_breaks(ev, system, v, a)));
    if (mech->formulation == SARRUS_FORMULATION_SADDLE_FACTORED)
        lost = mask_or(lost, mask_not(has_all));
    lost = mask_and(ev->healthy, lost);
    if (!mask_any(lost))
        return;
    for (int32_t i = 0; i < mech->n_v; ++i)
        lane_at(a, i) = real_select(lost, sarrus_nan_lanes(), lane_at(a, i));
}

/* a(t, q, v) into `a`. */
LANE_PHASE void sarrus_in_full_accelerate(sarrus_evaluation *ev, real t, const real *q, const real *v, real *a) {
    const sarrus_mechanism *mech = sarrus_plan_of(ev);
    const sarrus_system_arrays system = sarrus_system_cut(mech, ev->full);
    const int sees_all = mech->formulation == SARRUS_FORMULATION_BARYCENTRIC; /* the rows of its pins among them */
    const int is_auto = mech->rank.method == SARRUS_RANK_AUTO && !sees_all,
              has_power = mech->has_baumgarte || sarrus_is_rheonomic(mech);
    real *found = lane_from(ev->full, (int32_t)sarrus_system_size(mech) + mech->m * mech->n_v + mech->m);
    sarrus_udwadia_kalaba_accelerate(ev, t, q, v, a);
    if (!sarrus_is_in_full(mech))
        return;
    sarrus_system_fill(ev, q, v, &system);
    mask other = mask_and(ev->healthy, mask_not(real_eq(ev->max_rank, real_set((real_scalar)mech->factor.n_independent))));
    const mask dropped = sarrus_in_full_solve(ev, &system, is_auto, ev->healthy, found);
    other = mask_or(other, dropped);
    if (is_auto && mask_any(other)) {
        real *again = lane_from(found, mech->n_v);
        (void)sarrus_in_full_solve(ev, &system, 0, other, again);
        for (int32_t i = 0; i < mech->n_v; ++i)
            lane_at(found, i) = real_select(other, lane_at(again, i), lane_at(found, i));
    }
    sarrus_in_full_give_up(ev, &system, is_auto || mech->m == mech->factor.n_independent, is_auto ? dropped : mask_none(), v,
                           found);
    const real before = has_power ? sarrus_constraints_power(ev, v, a) : real_set(0.0);
    for (int32_t i = 0; i < mech->n_v; ++i)
        frame_at(a, i) = real_select(ev->healthy, lane_at(found, i), frame_at(a, i));
    if (has_power)
        ev->power = ev->power + (sarrus_constraints_power(ev, v, a) - before);
}

LANE_PHASE void sarrus_in_full_project(sarrus_evaluation *ev, const real *rhs, mask active, real *out) {
    sarrus_udwadia_kalaba_project(ev, rhs, active, out);
}

#else

/* Of units whose plans have no such formulation. */
LANE_FUNCTION void sarrus_in_full_accelerate(sarrus_evaluation *ev, real t, const real *q, const real *v, real *a) {
    (void)ev;
    (void)t;
    (void)q;
    (void)v;
    (void)a;
}
LANE_FUNCTION void sarrus_in_full_project(sarrus_evaluation *ev, const real *rhs, mask active, real *out) {
    (void)ev;
    (void)rhs;
    (void)active;
    (void)out;
}

#endif

#endif
