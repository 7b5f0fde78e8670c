/* What a force does to the bodies: ws->force of a body from a force at one of its points or a torque; and what a load is. */
#ifndef SARRUS_BODY_FORCE_LOAD_H
#define SARRUS_BODY_FORCE_LOAD_H

#include "kernels/body/kinematics.h"

/* The power of a force on a ground that moves: whoever moves it takes it up. */
LANE_FUNCTION void sarrus_ground_load(sarrus_workspace *ws, real power) {
    frame_at(ws->ground, SARRUS_GROUND_POWER) = frame_at(ws->ground, SARRUS_GROUND_POWER) + power;
}

LANE_FUNCTION void sarrus_force_at(sarrus_workspace *ws, int32_t body, const sarrus_point *p, real fx, real fy) {
    if (body < 0 && sarrus_ground_moves(ws))
        sarrus_ground_load(ws, real_fma(fx, p->vx, fy * p->vy));
    if (body < 0)
        return;
    frame_at(ws->force, space_v(body)) = frame_at(ws->force, space_v(body)) + fx;
    frame_at(ws->force, space_v(body) + 1) = frame_at(ws->force, space_v(body) + 1) + fy;
    const space_vector arm = {p->arm_x, p->arm_y}, force = {fx, fy};
    const real torque = space_moment(arm, force);
    frame_at(ws->force, space_v(body) + SPACE_TURN) = frame_at(ws->force, space_v(body) + SPACE_TURN) + torque;
}

LANE_FUNCTION void sarrus_torque_on(sarrus_workspace *ws, int32_t body, real torque) {
    if (body >= 0)
        frame_at(ws->force, space_v(body) + SPACE_TURN) = frame_at(ws->force, space_v(body) + SPACE_TURN) + torque;
    else if (sarrus_ground_moves(ws))
        sarrus_ground_load(ws, torque * sarrus_ground_rate(ws));
}

/* The load of a source: a parameter, a signal or an external input. */
LANE_FUNCTION real sarrus_source_load(sarrus_workspace *ws, const real *input, int32_t source, int32_t index, real value) {
    if (source == SARRUS_SOURCE_SIGNAL)
        return frame_at(ws->signal, 3 * index);
    if (source == SARRUS_SOURCE_INPUT)
        return lane_at(input, index);
    return value;
}

#endif
