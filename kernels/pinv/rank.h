/* The rank decision: how many of the sizes x₁ ≥ x₂ ≥ … (singular values, or pivots of an ordered elimination) count.
 *
 *   relative   x > tol x₁            absolute   x > tol            violation   x > tol ‖Φ‖ x₁
 *   gap        up to the first i with x_{i+1} ≤ tol x_i
 *   tracked    x > tol x₁, at most max_rank; what was not counted before comes back only above 10 tol x₁
 *   auto       x > share tol x₁, at most max_rank; what share is the mechanism says (udwadia_kalaba.h)
 *
 * Off the constraint manifold a redundant singular value is as large as the violation (S5, "The problem of rank
 * computation"): no threshold on round-off can tell it. All methods of kernels/pinv decide here. */
#ifndef SARRUS_PINV_RANK_H
#define SARRUS_PINV_RANK_H

#include "kernels/lane/lane.h"
#include "kernels/pinv/rule.h"

/* What a decision may look at besides the sizes. */
typedef struct sarrus_rank_limit {
    real max_rank;  /* auto, tracked: most that may count (the assembled rank); min(m, n) when there is nothing to know */
    real previous;  /* tracked: the last decision; max_rank when there was none */
    real violation; /* violation: ‖Φ‖, m | rad */
    real unit;      /* the sizes are those of unit·A: a power of two, 1 unless a method has scaled its matrix */
    real share;     /* auto: the threshold is this share of tol x₁; 1 when there is nothing to know */
} sarrus_rank_limit;

typedef struct sarrus_rank_decision {
    real rank;
    real kept;    /* smallest size that counts, in units of A; 0 when none does */
    real dropped; /* largest size that does not, in units of A; 0 when all do */
} sarrus_rank_decision;

/* Sizes at or below this share of x₁ are round-off for the rules that look for more than a threshold. */
LANE_FUNCTION real sarrus_rank_floor(int32_t m, int32_t n) {
    return real_set(2.220446049250313e-16 * (m > n ? m : n));
}

/* The tolerance of the rule, or its square where the sizes are squares. */
LANE_FUNCTION real sarrus_rank_tolerance(const sarrus_rank_rule *rule) {
    return real_set(rule->is_squared ? rule->tolerance * rule->tolerance : rule->tolerance);
}

/* The threshold in the units of the sizes, x₁ being the largest: what is not above it does not count. For `gap` the floor. A
 * squared tolerance may lie below round-off: there the floor is taken. */
LANE_FUNCTION real sarrus_rank_threshold(const sarrus_rank_rule *rule, const sarrus_rank_limit *limit, int32_t m, int32_t n,
                                         real x1) {
    real tolerance = sarrus_rank_tolerance(rule), floor = sarrus_rank_floor(m, n) * x1;
    if (rule->method == SARRUS_RANK_ABSOLUTE)
        return tolerance * limit->unit;
    if (rule->method == SARRUS_RANK_GAP)
        return floor;
    if (rule->method == SARRUS_RANK_VIOLATION)
        return real_max(tolerance * (rule->is_squared ? limit->violation * limit->violation : limit->violation) * x1, floor);
    if (rule->is_squared && rule->method == SARRUS_RANK_AUTO)
        return real_max(limit->share * limit->share * tolerance * x1, floor);
    if (rule->is_squared)
        return real_max(tolerance * x1, floor);
    if (rule->method == SARRUS_RANK_AUTO)
        return real_max(limit->share * tolerance * x1, real_min(floor, tolerance * x1));
    return tolerance * x1;
}

/* Decides on x[0 … count − 1], element i at x[i·stride]. Sizes of an elimination need not fall strictly: each counts as at
 * most its predecessor. */
LANE_BODY sarrus_rank_decision sarrus_rank_decide(const sarrus_rank_rule *rule, const sarrus_rank_limit *limit, int32_t m,
                                                  int32_t n, const real *x, int32_t stride, int32_t count) {
    const real zero = real_set(0.0), one = real_set(1.0);
    sarrus_rank_decision out = {zero, zero, zero};
    real low = zero, high = zero;
    real x1 = count > 0 ? lane_at(x, 0) : zero;
    real threshold = sarrus_rank_threshold(rule, limit, m, n, x1), before = x1;
    mask open = real_eq(zero, zero);
    for (int32_t i = 0; i < count; ++i) {
        real xi = lane_at(x, i * stride);
        xi = real_min(before, xi);
        mask above = mask_and(real_lt(threshold, xi), real_lt(zero, xi));
        if (rule->method == SARRUS_RANK_GAP && i > 0)
            above = mask_and(above, real_lt(sarrus_rank_tolerance(rule) * before, xi));
        open = mask_and(open, above);
        low = low + real_select(open, one, zero);
        high = high + real_select(mask_and(open, real_lt(real_set(rule->is_squared ? 100.0 : 10.0) * threshold, xi)), one, zero);
        before = xi;
    }
    out.rank = low;
    if (rule->method == SARRUS_RANK_TRACKED) {
        real held = real_min(limit->previous, low);
        out.rank = real_max(held, high);
    }
    if (rule->method == SARRUS_RANK_TRACKED || rule->method == SARRUS_RANK_AUTO)
        out.rank = real_min(limit->max_rank, out.rank);
    real unit = one / limit->unit;
    for (int32_t i = 0; i < count; ++i) {
        real xi = lane_at(x, i * stride) * unit;
        out.kept = real_select(real_eq(out.rank, real_set((real_scalar)(i + 1))), xi, out.kept);
        out.dropped = real_select(real_eq(out.rank, real_set((real_scalar)i)), xi, out.dropped);
    }
    return out;
}

/* Sorts x[0 … count − 1] so that it falls, lane by lane (exchanges of neighbours: a fixed sequence). */
LANE_BODY void sarrus_rank_sort(real *x, int32_t count) {
    for (int32_t end = count - 1; end > 0; --end) {
        for (int32_t i = 0; i < end; ++i) {
            real a = lane_at(x, i), b = lane_at(x, i + 1);
            mask swap = real_lt(a, b);
            lane_at(x, i) = real_select(swap, b, a);
            lane_at(x, i + 1) = real_select(swap, a, b);
        }
    }
}

#endif
