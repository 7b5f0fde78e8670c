/* What steps and formulations ask of a state, in the coordinates of the translation unit: those of the bodies, or those of the
 * joints of a tree. */
#ifndef SARRUS_BODY_STATE_H
#define SARRUS_BODY_STATE_H

#if defined(SARRUS_KERNELS_RELATIVE)
#include "kernels/body/relative/state.h"
#else
#include "kernels/body/absolute.h"
#endif

/* The same of arrays of the tile or the workspace, whose numbers may lie further apart than those of an evaluation. */
#if FRAME_STRIDE != LANE_STRIDE
LANE_FUNCTION real sarrus_state_square(const sarrus_mechanism *mech, const real *parameter, sarrus_workspace *ws, const real *x,
                                       const real *less) {
    real x_here[SARRUS_PLAN_N_SPEEDS], less_here[SARRUS_PLAN_N_SPEEDS];
    sarrus_frame_take(x, mech->n_v, x_here);
    sarrus_frame_take(less, mech->n_v, less_here);
    return sarrus_state_square_here(mech, parameter, ws, x_here, less_here);
}
LANE_FUNCTION real sarrus_state_gain(const sarrus_mechanism *mech, const real *parameter, sarrus_workspace *ws, const real *v,
                                     const real *before) {
    real v_here[SARRUS_PLAN_N_SPEEDS], before_here[SARRUS_PLAN_N_SPEEDS];
    sarrus_frame_take(v, mech->n_v, v_here);
    sarrus_frame_take(before, mech->n_v, before_here);
    return sarrus_state_gain_here(mech, parameter, ws, v_here, before_here);
}
#else
LANE_FUNCTION real sarrus_state_square(const sarrus_mechanism *mech, const real *parameter, sarrus_workspace *ws, const real *x,
                                       const real *less) {
    return sarrus_state_square_here(mech, parameter, ws, x, less);
}
LANE_FUNCTION real sarrus_state_gain(const sarrus_mechanism *mech, const real *parameter, sarrus_workspace *ws, const real *v,
                                     const real *before) {
    return sarrus_state_gain_here(mech, parameter, ws, v, before);
}
#endif

#endif
