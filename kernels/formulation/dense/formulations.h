/* All dense formulations behind one call, by the table. Branches on the shape only. */
#ifndef SARRUS_FORMULATION_DENSE_FORMULATIONS_H
#define SARRUS_FORMULATION_DENSE_FORMULATIONS_H

#include "sarrus/method.h"

#include "kernels/formulation/dense/barycentric.h"
#include "kernels/formulation/dense/null_space.h"
#include "kernels/formulation/dense/own_units.h"
#include "kernels/formulation/dense/partial.h"
#include "kernels/formulation/dense/pseudo_range.h"
#include "kernels/formulation/dense/range_space.h"
#include "kernels/formulation/dense/saddle.h"
#include "kernels/formulation/dense/saddle_factored.h"
#include "kernels/formulation/dense/udwadia_kalaba.h"
#include "kernels/formulation/dense/udwadia_phohomsiri.h"

/* Those that have no dense form are not asked for one. */
LANE_FUNCTION void sarrus_dense_none(const sarrus_dense_shape *shape, sarrus_dense_lanes *lanes) {
    (void)shape;
    lanes->is_unsolvable = lanes->active;
}

/* In the units that `lanes` are in. */
LANE_BODY void sarrus_dense_dispatch(const sarrus_dense_shape *shape, sarrus_dense_lanes *lanes) {
#define SARRUS_FORMULATION(name, value, word, kernel, dense, text)                                                                 \
    if (shape->formulation == SARRUS_FORMULATION_##name)                                                                           \
        sarrus_dense_##dense(shape, lanes);
#include "sarrus/formulation.def"
    if (lanes->work)
        sarrus_dense_give_up(shape, lanes);
}

/* a, λ and what is known of them; with lanes->work = NULL only lanes->n_work, the scratch that it takes. The rule `absolute` speaks
 * of sizes in m, kg and rad, which units of the equations' own would change. */
LANE_BODY void sarrus_dense_run(const sarrus_dense_shape *shape, sarrus_dense_lanes *lanes) {
    const real zero = real_set(0.0);
    const int32_t n = shape->n, m = shape->m;
    const real *mass = lanes->mass, *force = lanes->force, *jacobian = lanes->jacobian, *gamma = lanes->gamma;
    sarrus_dense_units units;
    lanes->n_work = 0;
    lanes->n_taken = 0;
    lanes->flops = 0.0; /* plan */
    lanes->is_unsolvable = mask_none();
    lanes->found.rank = lanes->found.kept = lanes->found.dropped = zero;
    if (shape->rule.method == SARRUS_RANK_ABSOLUTE) {
        sarrus_dense_dispatch(shape, lanes);
        return;
    }
    units.m = sarrus_dense_take(lanes, n * n);
    units.f = sarrus_dense_take(lanes, n);
    units.j = sarrus_dense_take(lanes, m * n);
    units.g = sarrus_dense_take(lanes, m);
    units.row = sarrus_dense_take(lanes, m);
    if (!lanes->work) {
        sarrus_dense_dispatch(shape, lanes);
        return;
    }
    sarrus_dense_units_enter(shape, lanes, &units);
    sarrus_dense_dispatch(shape, lanes);
    sarrus_dense_units_leave(shape, lanes, &units);
    lanes->mass = mass;
    lanes->force = force;
    lanes->jacobian = jacobian;
    lanes->gamma = gamma;
}

#endif
