/* Curve: a point of body B stays on a curve c(s) in the frame of body A (foot.h). With u the point in A's frame and s its foot, and
 * n the normal to the left of c′,
 *
 *   Φ = n·(u − c),   ∂Φ/∂u = n,   γ = γ of the same row with n and c held in A + κ (t·u̇)²/(1 − κ Φ),
 *
 * exactly, on the curve and off it: n′ and c′ are along t, so what the foot does changes Φ in second order only. In space there are
 * two normals (kernels/body/spatial/curve.h). */
#ifndef SARRUS_BODY_CONSTRAINT_CURVE_H
#define SARRUS_BODY_CONSTRAINT_CURVE_H

#include "kernels/body/constraint/foot.h"
#include "kernels/body/row_parts.h"
#include "kernels/lane/angle.h"

/* The point and its curve at a state: the foot, and the point of A there; the point of B; the normal in the inertial frame, and the
 * curvature κ. */
typedef struct sarrus_curve_here {
    real foot, wx, wy, bend;
    sarrus_point on, point;
} sarrus_curve_here;

LANE_BODY sarrus_curve_here sarrus_curve_find(const real *parameter, const sarrus_mech_constraint *constraint, const real *q,
                                              const real *v, sarrus_workspace *ws) {
    const real *p = lane_from(parameter, constraint->p), zero = real_set(0.0);
    const int32_t a = constraint->of[0].parent, b = constraint->of[0].child;
    sarrus_curve_here at;
    at.point = sarrus_point_of(ws, q, v, b, lane_at(p, SARRUS_PC_POINT_X), lane_at(p, SARRUS_PC_POINT_Y));
    const sarrus_point origin = sarrus_point_of(ws, q, v, a, zero, zero);
    const space_vector apart = {at.point.x - origin.x, at.point.y - origin.y}, u = sarrus_into_frame(ws, a, apart);
    const real of_point[SPACE_DIMENSION] = {u.x, u.y};
    const sarrus_curve_foot found = sarrus_curve_foot_find(constraint, p, of_point, lane_at(ws->seen, constraint->seen));
    const real *x = found.at.x[0], *y = found.at.x[1];
    at.foot = found.s;
    const real inverse = real_inverse_or_zero(real_sqrt(sarrus_curve_inner(&found.at, 1, 1)));
    const real across = real_fnma(y[1], x[2], x[1] * y[2]);
    at.bend = across * (inverse * inverse * inverse);
    at.on = sarrus_point_of(ws, q, v, a, x[0], y[0]);
    sarrus_vector_of(ws, a, -(y[1] * inverse), x[1] * inverse, &at.wx, &at.wy);
    return at;
}

LANE_FUNCTION sarrus_row_value sarrus_row_curve(const sarrus_curve_here *at) {
    const sarrus_point *p = &at->on, *c = &at->point;
    sarrus_row_value row = sarrus_row_along(p, c, at->wx, at->wy);
    const real vx = real_fma(p->omega, c->y - p->y, c->vx - p->vx), vy = real_fnma(p->omega, c->x - p->x, c->vy - p->vy);
    const real along = real_fnma(at->wx, vy, at->wy * vx); /* t·u̇, t = (w_y, −w_x) */
    const real turn = at->bend * along * along;
    row.gamma = row.gamma + turn / real_fnma(at->bend, row.phi, real_set(1.0));
    return row;
}

#endif
