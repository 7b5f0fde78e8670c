/* Curve: a point of body B stays on a curve c(s) in the frame of body A, a cubic spline through given points whose parameter is the
 * length of the chords. With u the point in A's frame and s its foot, c′·(u − c) = 0, and n the normal to the left of c′,
 *
 *   Φ = n·(u − c),   ∂Φ/∂u = n,   γ = γ of the same row with n and c held in A + κ (t·u̇)²/(1 − κ Φ),
 *
 * exactly, on the curve and off it: n′ and c′ are along t, so what the foot does changes Φ in second order only. A closed curve
 * goes round, and s is less whole rounds. An open one goes on beyond its ends along its tangents. */
#ifndef SARRUS_BODY_CONSTRAINT_CURVE_H
#define SARRUS_BODY_CONSTRAINT_CURVE_H

#include "kernels/body/row_parts.h"
#include "kernels/lane/angle.h"

/* Newton's steps for a foot, at most; those that are none, far above round-off and far below what shows, and the longest one, in
 * parts of the curve's length. Places for each piece where the nearest foot is looked for. */
#define SARRUS_FOOT_STEPS 50
#define SARRUS_FOOT_NONE 1e-14
#define SARRUS_FOOT_LONGEST 0.125
#define SARRUS_FOOT_PLACES 4

/* c and its first two derivatives by s, in A's frame. */
typedef struct sarrus_curve_place {
    real x[3], y[3];
} sarrus_curve_place;

/* A cubic of a piece. */
LANE_FUNCTION real sarrus_curve_value(const real *c, real s) {
    return real_fma(real_fma(real_fma(lane_at(c, 3), s, lane_at(c, 2)), s, lane_at(c, 1)), s, lane_at(c, 0));
}

/* The same with two derivatives, of coefficients that are at hand. */
LANE_FUNCTION void sarrus_curve_cubic(const real c[4], real s, real out[3]) {
    out[0] = real_fma(real_fma(real_fma(c[3], s, c[2]), s, c[1]), s, c[0]);
    out[1] = real_fma(real_fma(real_set(3.0) * c[3], s, c[2] + c[2]), s, c[1]);
    out[2] = real_fma(real_set(6.0) * c[3], s, c[2] + c[2]);
}

/* s less whole rounds of a closed curve; rounding may leave it a little before 0 or behind the length. */
LANE_FUNCTION real sarrus_curve_within(real length, real s) {
    return real_fnma(real_nearest((s - real_set(0.5) * length) / length), length, s);
}

/* Every lane walks all pieces, so lanes at different places are no special case; of pieces without a lane only starts are read. */
LANE_BODY sarrus_curve_place sarrus_curve_at(const sarrus_mech_constraint *constraint, const real *p, real s) {
    const real length = lane_at(p, SARRUS_PC_LENGTH), *pieces = lane_from(p, SARRUS_PC_PIECES);
    real on = constraint->is_periodic ? sarrus_curve_within(length, s) : real_min(real_max(s, real_set(0.0)), length);
    const real past = constraint->is_periodic ? real_set(0.0) : s - on;
    sarrus_curve_place out;
    real piece[SARRUS_PIECE_N];
    for (int32_t j = 0; j < SARRUS_PIECE_N; ++j)
        piece[j] = real_set(0.0);
    mask has_come = mask_not(mask_none());
    for (int32_t k = 0; k < constraint->n_pieces && mask_any(has_come); ++k) {
        const real *here = lane_from(pieces, SARRUS_PIECE_N * k);
        mask goes_on = mask_none();
        if (k + 1 < constraint->n_pieces)
            goes_on = real_le(lane_at(here, SARRUS_PIECE_N + SARRUS_PIECE_START), on);
        const mask is_in = mask_and(has_come, mask_not(goes_on));
        for (int32_t j = 0; j < SARRUS_PIECE_N && mask_any(is_in); ++j)
            piece[j] = real_select(is_in, lane_at(here, j), piece[j]);
        has_come = goes_on;
    }
    on = on - piece[SARRUS_PIECE_START];
    sarrus_curve_cubic(piece + SARRUS_PIECE_X, on, out.x);
    sarrus_curve_cubic(piece + SARRUS_PIECE_Y, on, out.y);
    out.x[0] = real_fma(out.x[1], past, out.x[0]);
    out.y[0] = real_fma(out.y[1], past, out.y[0]);
    return out;
}

/* The place nearest to u among a few of every piece, and the ends. */
LANE_BODY real sarrus_curve_nearest(const sarrus_mech_constraint *constraint, const real *p, real ux, real uy) {
    const real length = lane_at(p, SARRUS_PC_LENGTH);
    real best = real_set(0.0), least = real_set(1e300); /* farther than anything */
    for (int32_t k = 0; k < constraint->n_pieces; ++k) {
        const real *piece = lane_from(p, SARRUS_PC_PIECES + SARRUS_PIECE_N * k), start = lane_at(piece, SARRUS_PIECE_START);
        const real end = k + 1 < constraint->n_pieces ? lane_at(piece, SARRUS_PIECE_N + SARRUS_PIECE_START) : length;
        for (int32_t i = 0; i <= SARRUS_FOOT_PLACES; ++i) {
            const real s = real_set(i / (real_scalar)SARRUS_FOOT_PLACES) * (end - start);
            const real dx = ux - sarrus_curve_value(lane_from(piece, SARRUS_PIECE_X), s);
            const real dy = uy - sarrus_curve_value(lane_from(piece, SARRUS_PIECE_Y), s);
            const real distance2 = real_fma(dx, dx, dy * dy);
            const mask is_nearer = real_lt(distance2, least);
            best = real_select(is_nearer, start + s, best);
            least = real_select(is_nearer, distance2, least);
        }
    }
    return best;
}

/* A foot s, and the curve there. */
typedef struct sarrus_curve_foot {
    real s;
    sarrus_curve_place at;
} sarrus_curve_foot;

/* The foot of u, from where it was seen; NaN: from the place that is nearest. Newton's method, to a smaller distance wherever it
 * begins. A step that is none is not made: from a foot that was found one comes to that very foot again, so that it does not matter
 * when it is seen. A lane that has arrived stays, whatever the others do. */
LANE_BODY sarrus_curve_foot sarrus_curve_foot_find(const sarrus_mech_constraint *constraint, const real *p, real ux, real uy,
                                                   real seen) {
    const real length = lane_at(p, SARRUS_PC_LENGTH), longest = real_set(SARRUS_FOOT_LONGEST) * length;
    const real none = real_set(SARRUS_FOOT_NONE) * (length + real_abs(ux) + real_abs(uy));
    const mask is_new = mask_not(real_eq(seen, seen));
    sarrus_curve_foot foot;
    foot.s = seen;
    if (mask_any(is_new))
        foot.s = real_select(is_new, sarrus_curve_nearest(constraint, p, ux, uy), seen);
    for (int32_t i = 0;; ++i) {
        foot.at = sarrus_curve_at(constraint, p, foot.s);
        const real *x = foot.at.x, *y = foot.at.y;
        const real dx = ux - x[0], dy = uy - y[0];
        const real along = real_fma(x[1], dx, y[1] * dy), speed2 = real_fma(x[1], x[1], y[1] * y[1]);
        const real slope = speed2 - real_fma(x[2], dx, y[2] * dy);
        real step = along * real_inverse_or_zero(real_max(slope, real_set(0.1) * speed2));
        step = real_max(real_min(step, longest), -longest);
        const mask goes_on = real_lt(none, real_abs(step));
        if (i == SARRUS_FOOT_STEPS || !mask_any(goes_on))
            break;
        foot.s = real_select(goes_on, foot.s + step, foot.s);
    }
    if (constraint->is_periodic)
        foot.s = sarrus_curve_within(length, foot.s);
    return foot;
}

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
    space_vector u = {at.point.x - origin.x, at.point.y - origin.y};
    if (a >= 0) {
        const space_rotation turned = {frame_at(ws->sine, a), frame_at(ws->cosine, a)};
        u = space_rotate_back(&turned, u);
    } else if (sarrus_ground_moves(ws)) {
        const space_rotation turned = {frame_at(ws->ground, SARRUS_GROUND_SINE), frame_at(ws->ground, SARRUS_GROUND_COSINE)};
        u = space_rotate_back(&turned, u);
    }
    const sarrus_curve_foot found = sarrus_curve_foot_find(constraint, p, u.x, u.y, lane_at(ws->seen, constraint->seen));
    const sarrus_curve_place place = found.at;
    at.foot = found.s;
    const real speed2 = real_fma(place.x[1], place.x[1], place.y[1] * place.y[1]);
    const real inverse = real_inverse_or_zero(real_sqrt(speed2));
    const real across = real_fnma(place.y[1], place.x[2], place.x[1] * place.y[2]);
    at.bend = across * (inverse * inverse * inverse);
    at.on = sarrus_point_of(ws, q, v, a, place.x[0], place.y[0]);
    sarrus_vector_of(ws, a, -(place.y[1] * inverse), place.x[1] * inverse, &at.wx, &at.wy);
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
