/* What is asked of a formulation when a state is looked at, by the table: a row that lacks an operation does not compile.
 *
 *   multipliers   μ = −λ of least norm into ws->multiplier, the acceleration into ws->a, at the rows that accelerate has left
 *   rank          the rank decision at the rows of the workspace */
#ifndef SARRUS_FORMULATION_STATE_OPERATIONS_H
#define SARRUS_FORMULATION_STATE_OPERATIONS_H

#include "kernels/formulation/multipliers.h"

LANE_FUNCTION void sarrus_multipliers(sarrus_evaluation *ev) {
#define SARRUS_FORMULATION(name, value, word, kernel, dense, text)                                                                 \
    if (sarrus_plan_of(ev)->formulation == SARRUS_FORMULATION_##name)                                                              \
        sarrus_##kernel##_multipliers(ev);
#include "sarrus/formulation.def"
}

LANE_FUNCTION real sarrus_rank(sarrus_evaluation *ev) {
    real rank = sarrus_nan_lanes();
#define SARRUS_FORMULATION(name, value, word, kernel, dense, text)                                                                 \
    if (sarrus_plan_of(ev)->formulation == SARRUS_FORMULATION_##name)                                                              \
        rank = sarrus_##kernel##_rank(ev);
#include "sarrus/formulation.def"
    return rank;
}

#endif
