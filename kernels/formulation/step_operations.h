/* What steps ask of a formulation, by the table: a row that lacks an operation does not compile.
 *
 *   accelerate    a(t, q, v) into `a`; a_f and right side stay in the workspace, the rank decision in ev->found, the power of
 *                 dampers, loads and drives in ev->power
 *   project       out ← the smallest change, in the metric of M, that makes J out = rhs
 *
 * What is asked of it besides, of a state that is looked at, has state_operations.h. */
#ifndef SARRUS_FORMULATION_STEP_OPERATIONS_H
#define SARRUS_FORMULATION_STEP_OPERATIONS_H

#include "kernels/formulation/in_full.h"

PLAN_BODY void sarrus_accelerate_body(sarrus_evaluation *ev, real t, const real *q, const real *v, real *a) {
#define SARRUS_FORMULATION(name, value, word, kernel, dense, text)                                                                 \
    if (sarrus_plan_of(ev)->formulation == SARRUS_FORMULATION_##name)                                                              \
        sarrus_##kernel##_accelerate(ev, t, q, v, a);
#include "sarrus/formulation.def"
}

PLAN_BODY void sarrus_correct_projection_body(sarrus_evaluation *ev, const real *rhs, mask active, real *out) {
#define SARRUS_FORMULATION(name, value, word, kernel, dense, text)                                                                 \
    if (sarrus_plan_of(ev)->formulation == SARRUS_FORMULATION_##name)                                                              \
        sarrus_##kernel##_project(ev, rhs, active, out);
#include "sarrus/formulation.def"
}

/* The same where they do not run straight through: once more where closeness has asked for other rows. But for a look ahead,
 * closeness is that of a factor that is made here. One that is found in place was looked at where it was made: to look again where
 * some lane has rows in doubt, and only there, would give its neighbours other rows. */
PLAN_BODY void sarrus_accelerate_swapping(sarrus_evaluation *ev, real t, const real *q, const real *v, real *a) {
    const int32_t is_fresh = !ev->is_configured || !ev->is_factored, wants_closeness = ev->wants_closeness;
    ev->wants_closeness = (is_fresh || ev->is_looking) && wants_closeness;
    for (int again = 1; again; ev->wants_closeness = 0) {
        sarrus_accelerate_body(ev, t, q, v, a);
        again = is_fresh && sarrus_rows_are_swapped(ev);
    }
    ev->wants_closeness = wants_closeness;
}

PLAN_BODY void sarrus_correct_projection_swapping(sarrus_evaluation *ev, const real *rhs, mask active, real *out) {
    const int32_t is_fresh = !ev->is_factored, wants_closeness = ev->wants_closeness;
    ev->wants_closeness = (is_fresh || ev->is_looking) && wants_closeness;
    for (int again = 1; again; ev->wants_closeness = 0) {
        sarrus_correct_projection_body(ev, rhs, active, out);
        again = is_fresh && sarrus_rows_are_swapped(ev);
    }
    ev->wants_closeness = wants_closeness;
}

#endif
