/* Spring and damper between two points. */
#ifndef SARRUS_BODY_FORCE_SPRING_H
#define SARRUS_BODY_FORCE_SPRING_H

#include "kernels/body/force/load.h"

/* Spring and damper between two points: f = −(k(|d| − l0) + c w·ḋ) w on the second, −f on the first; w = d/|d|. Returns
 * −c (w·ḋ)². */
LANE_FUNCTION real sarrus_force_spring(sarrus_workspace *ws, const sarrus_mech_force *force, const real *p, const real *input,
                                       const real *q, const real *v) {
    (void)input;
    sarrus_point a = sarrus_point_of(ws, q, v, force->body[0], lane_at(p, SARRUS_PF_A_X), lane_at(p, SARRUS_PF_A_Y));
    sarrus_point b = sarrus_point_of(ws, q, v, force->body[1], lane_at(p, SARRUS_PF_B_X), lane_at(p, SARRUS_PF_B_Y));
    real dx = b.x - a.x, dy = b.y - a.y;
    real length = real_sqrt(real_fma(dx, dx, dy * dy));
    real inverse = real_inverse_or_zero(length);
    real wx = dx * inverse, wy = dy * inverse;
    real rate = real_fma(wx, b.vx - a.vx, wy * (b.vy - a.vy));
    real drag = lane_at(p, SARRUS_PF_DAMPING) * rate;
    real pull = real_fma(lane_at(p, SARRUS_PF_STIFFNESS), length - lane_at(p, SARRUS_PF_REST), drag);
    sarrus_force_at(ws, force->body[0], &a, pull * wx, pull * wy);
    sarrus_force_at(ws, force->body[1], &b, -(pull * wx), -(pull * wy));
    return -(drag * rate);
}

#endif
