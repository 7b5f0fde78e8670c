/* All dense formulations behind one call, by the table. Branches on the shape only. */
#ifndef SARRUS_FORMULATION_DENSE_FORMULATIONS_H
#define SARRUS_FORMULATION_DENSE_FORMULATIONS_H

#include "sarrus/method.h"

#include "kernels/formulation/dense/barycentric.h"
#include "kernels/formulation/dense/null_space.h"
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

/* a, λ and what is known of them; with lanes->work = NULL only lanes->n_work, the scratch that it takes. */
LANE_BODY void sarrus_dense_run(const sarrus_dense_shape *shape, sarrus_dense_lanes *lanes) {
    const real zero = real_set(0.0);
    lanes->n_work = 0;
    lanes->n_taken = 0;
    lanes->flops = 0.0; /* plan */
    lanes->is_unsolvable = mask_none();
    lanes->found.rank = lanes->found.kept = lanes->found.dropped = zero;
#define SARRUS_FORMULATION(name, value, word, kernel, dense, text)                                                                 \
    if (shape->formulation == SARRUS_FORMULATION_##name)                                                                           \
        sarrus_dense_##dense(shape, lanes);
#include "sarrus/formulation.def"
    if (lanes->work)
        sarrus_dense_give_up(shape, lanes);
}

#endif
