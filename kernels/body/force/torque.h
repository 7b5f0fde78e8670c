/* A torque on a body. */
#ifndef SARRUS_BODY_FORCE_TORQUE_H
#define SARRUS_BODY_FORCE_TORQUE_H

#include "kernels/body/force/load.h"

/* A torque on a body; returns its power. */
LANE_FUNCTION real sarrus_force_torque(sarrus_workspace *ws, const sarrus_mech_force *force, const real *p, const real *input,
                                       const real *q, const real *v) {
    (void)q;
    const int32_t body = force->body[0];
    real torque = sarrus_source_load(ws, input, force->source[0], force->index[0], lane_at(p, SARRUS_PF_STIFFNESS));
    sarrus_torque_on(ws, body, torque);
    return body >= 0 ? torque * frame_at(v, space_v(body) + SPACE_TURN) : real_set(0.0);
}

#endif
