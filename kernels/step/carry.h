/* Sums of floats over many steps: q ← q + d loses half an ulp of q every step, which is ε of all that a coordinate has turned. What
 * is lost is carried to the next step (Kahan's sum, by Knuth's two-sum), so that a state is known to some 48 bits, and what errors
 * add up to is ε of the increments. The carry stands behind the tile's fields, and goes into the doubles between calls. Doubles
 * carry nothing. */
#ifndef SARRUS_STEP_CARRY_H
#define SARRUS_STEP_CARRY_H

#include "kernels/formulation/phase.h"

/* The carry of the tile's q and v, [n_q + n_v]. */
LANE_FUNCTION real *sarrus_carry_of(const sarrus_evaluation *ev) {
    return lane_from(ev->tile, sarrus_plan_of(ev)->layout.n_arrays);
}

/* scale · rate + x, and what x's `carry` makes of it; what is lost of the sum into *rest. */
LANE_FUNCTION real sarrus_carried_sum(real scale, real rate, real x, real carry, real *rest) {
    const real d = real_fma(scale, rate, carry), sum = x + d, part = sum - x;
    *rest = (x - (sum - part)) + (d - part);
    return sum;
}

/* The carry of x, where x may have been put elsewhere since: as a double holds it beside x, in 2⁻⁴⁶ of x's power of two, and
 * nothing where it would round x to another float. So a state that goes through doubles comes back as it was. */
LANE_FUNCTION real sarrus_carry_fit(real x, real rest) {
    const real grain = real_exponent_part(x) * real_set(0x1.8p-23); /* adding it rounds to its last place */
    const real fit = (rest + grain) - grain;
    return real_select(real_eq(x + fit, x), fit, real_set(0.0));
}

/* ws->q[i] ← q[i] + scale · rate of a step's end; likewise ws->v. */
LANE_FUNCTION void sarrus_carry_q(const sarrus_evaluation *ev, int32_t i, real scale, real rate, const real *q) {
    sarrus_workspace *ws = ev->ws;
    if (LANE_IS_SINGLE)
        lane_at(ws->q, i) = sarrus_carried_sum(scale, rate, lane_at(q, i), lane_at(sarrus_carry_of(ev), i), &lane_at(ws->rest, i));
    else
        lane_at(ws->q, i) = real_fma(scale, rate, lane_at(q, i));
}
LANE_FUNCTION void sarrus_carry_v(const sarrus_evaluation *ev, int32_t i, real scale, real rate, const real *v) {
    sarrus_workspace *ws = ev->ws;
    const int32_t k = sarrus_plan_of(ev)->n_q + i;
    if (LANE_IS_SINGLE)
        lane_at(ws->v, i) = sarrus_carried_sum(scale, rate, lane_at(v, i), lane_at(sarrus_carry_of(ev), k), &lane_at(ws->rest, k));
    else
        lane_at(ws->v, i) = real_fma(scale, rate, lane_at(v, i));
}

/* The lanes of `moved` stand where ws->q, ws->v were put. */
LANE_FUNCTION void sarrus_carry_keep(const sarrus_evaluation *ev, mask moved) {
    real *carry = sarrus_carry_of(ev);
    const sarrus_workspace *ws = ev->ws;
    const int32_t n_q = sarrus_plan_of(ev)->n_q;
    PLAN_EACH (i, 0, LANE_IS_SINGLE ? n_q : 0)
        lane_at(carry, i) = real_select(moved, sarrus_carry_fit(lane_at(ws->q, i), lane_at(ws->rest, i)), lane_at(carry, i));
    PLAN_EACH (i, 0, LANE_IS_SINGLE ? sarrus_plan_of(ev)->n_v : 0) {
        const real fit = sarrus_carry_fit(lane_at(ws->v, i), lane_at(ws->rest, n_q + i));
        lane_at(carry, n_q + i) = real_select(moved, fit, lane_at(carry, n_q + i));
    }
}

#endif
