/* Which rows of A to keep, for the methods that take rows as they come and cannot see a gap, or count to a rank, before they
 * have passed them all: a Gram-Schmidt with pivoting on a copy finds the sizes, the rank is decided on them, and the rows of
 * the pivots that count are kept. The rows kept span what all rows span, up to the size of the largest pivot dropped. */
#ifndef SARRUS_PINV_ROW_ORDER_H
#define SARRUS_PINV_ROW_ORDER_H

#include "kernels/pinv/orthogonalise.h"

/* The rules whose threshold is known before the rows are passed need none of this. */
LANE_FUNCTION int32_t sarrus_row_order_is_needed(const sarrus_rank_rule *rule) {
    return rule->method == SARRUS_RANK_GAP || rule->method == SARRUS_RANK_TRACKED || rule->method == SARRUS_RANK_AUTO;
}

/* Lane arrays of scratch for `count` vectors of `length` elements. */
LANE_BODY size_t sarrus_row_order_work(int32_t count, int32_t length) {
    size_t most = (size_t)(count < length ? count : length);
    return ((size_t)count + most) * (size_t)sarrus_apart(length) + (size_t)count + most;
}

/* keep[i] ← 1 or 0 for each vector i, the rows of v [count][row]; returns the decision. */
LANE_BODY sarrus_rank_decision sarrus_row_order(sarrus_orthogonal *o, const sarrus_pinv_shape *shape,
                                                const sarrus_pinv_lanes *lanes, real *work, real *keep) {
    const int32_t most = o->count < o->length ? o->count : o->length, row = sarrus_apart(o->length);
    const real *from = o->v;
    const int32_t from_row = o->row;
    o->is_twice = 0;
    o->row = o->q_row = row;
    o->v = work;
    o->q = lane_from(o->v, o->count * row);
    o->r = (real *)0;
    o->place = lane_from(o->q, most * row);
    o->size = lane_from(o->place, o->count);
    for (int32_t i = 0; i < o->count; ++i) {
        for (int32_t k = 0; k < o->length; ++k)
            lane_at(o->v, i * row + k) = lane_at(from, i * from_row + k);
    }
    sarrus_orthogonalise(o, &shape->rule, &lanes->limit, lanes->active);
    sarrus_rank_decision found = sarrus_rank_decide(&shape->rule, &lanes->limit, shape->m, shape->n, o->size, 1, most);
    for (int32_t i = 0; i < o->count; ++i) {
        real kept = real_set(0.0), own = real_set((real_scalar)i);
        for (int32_t k = 0; k < o->n_steps; ++k) {
            mask here = mask_and(real_eq(lane_at(o->place, k), own), real_lt(real_set((real_scalar)k), found.rank));
            kept = real_select(here, real_set(1.0), kept);
        }
        lane_at(keep, i) = kept;
    }
    return found;
}

/* Operations of the row order. */
LANE_BODY double sarrus_row_order_flops(int32_t count, int32_t length, const sarrus_rank_rule *rule, int32_t rank) { /* plan */
    sarrus_orthogonal o = {count, length, 0, length, length, 0, 0, 0, (real *)0, (real *)0, (real *)0, (real *)0, (real *)0};
    return sarrus_orthogonalise_flops(&o, rule, rank, 0) + sarrus_decide_flops(rule, count < length ? count : length);
}

#endif
