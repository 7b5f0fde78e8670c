/* A force at a point of a body. */
#ifndef SARRUS_BODY_FORCE_POINT_H
#define SARRUS_BODY_FORCE_POINT_H

#include "kernels/body/force/load.h"

/* Returns the power of the force. */
LANE_FUNCTION real sarrus_force_point(sarrus_workspace *ws, const sarrus_mech_force *force, const real *p, const real *input,
                                      const real *q, const real *v) {
    sarrus_point at = sarrus_point_of(ws, q, v, force->body[0], lane_at(p, SARRUS_PF_A_X), lane_at(p, SARRUS_PF_A_Y));
    real fx = sarrus_source_load(ws, input, force->source[0], force->index[0], lane_at(p, SARRUS_PF_STIFFNESS));
    real fy = sarrus_source_load(ws, input, force->source[1], force->index[1], lane_at(p, SARRUS_PF_REST));
    if (force->in_body_frame)
        sarrus_vector_of(ws, force->body[0], fx, fy, &fx, &fy);
    sarrus_force_at(ws, force->body[0], &at, fx, fy);
    return real_fma(fx, at.vx, fy * at.vy);
}

#endif
