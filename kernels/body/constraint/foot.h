/* A curve c(s) in the frame of a body, a cubic spline through given points whose parameter is the length of the chords, and the
 * foot of a point u on it: c′·(u − c) = 0. A closed curve goes round, and s is less whole rounds. An open one goes on beyond its
 * ends along its tangents. */
#ifndef SARRUS_BODY_CONSTRAINT_FOOT_H
#define SARRUS_BODY_CONSTRAINT_FOOT_H

#include "kernels/body/plan_access.h"

/* Newton's steps for a foot, at most; those that are none, far above round-off and far below what shows, and the longest one, in
 * parts of the curve's length. Places for each piece where the nearest foot is looked for. */
#define SARRUS_FOOT_STEPS 50
#define SARRUS_FOOT_NONE 1e-14
#define SARRUS_FOOT_LONGEST 0.125
#define SARRUS_FOOT_PLACES 4

/* Where a curve's parameters stand in this space. */
enum {
    SARRUS_CURVE_LENGTH = SPACE_DIMENSION == 2 ? (int32_t)SARRUS_PC_LENGTH : (int32_t)SARRUS_SC_LENGTH,
    SARRUS_CURVE_PIECES = SPACE_DIMENSION == 2 ? (int32_t)SARRUS_PC_PIECES : (int32_t)SARRUS_SC_PIECES,
    SARRUS_CURVE_PIECE_N = SPACE_DIMENSION == 2 ? SARRUS_PIECE_N : SARRUS_SPATIAL_PIECE_N
};

/* c and its first two derivatives by s, coordinate by coordinate. */
typedef struct sarrus_curve_place {
    real x[SPACE_DIMENSION][3];
} sarrus_curve_place;

/* a·b of derivatives i and j of the place's coordinates, and of derivative i with a vector. */
LANE_FUNCTION real sarrus_curve_inner(const sarrus_curve_place *at, int32_t i, int32_t j) {
    real sum = at->x[SPACE_DIMENSION - 1][i] * at->x[SPACE_DIMENSION - 1][j];
    for (int32_t k = SPACE_DIMENSION - 2; k >= 0; --k)
        sum = real_fma(at->x[k][i], at->x[k][j], sum);
    return sum;
}
LANE_FUNCTION real sarrus_curve_along(const sarrus_curve_place *at, int32_t i, const real d[SPACE_DIMENSION]) {
    real sum = at->x[SPACE_DIMENSION - 1][i] * d[SPACE_DIMENSION - 1];
    for (int32_t k = SPACE_DIMENSION - 2; k >= 0; --k)
        sum = real_fma(at->x[k][i], d[k], sum);
    return sum;
}

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
    const real length = lane_at(p, SARRUS_CURVE_LENGTH), *pieces = lane_from(p, SARRUS_CURVE_PIECES);
    real on = constraint->is_periodic ? sarrus_curve_within(length, s) : real_min(real_max(s, real_set(0.0)), length);
    const real past = constraint->is_periodic ? real_set(0.0) : s - on;
    sarrus_curve_place out;
    real piece[SARRUS_CURVE_PIECE_N];
    for (int32_t j = 0; j < SARRUS_CURVE_PIECE_N; ++j)
        piece[j] = real_set(0.0);
    mask has_come = mask_not(mask_none());
    for (int32_t k = 0; k < constraint->n_pieces && mask_any(has_come); ++k) {
        const real *here = lane_from(pieces, SARRUS_CURVE_PIECE_N * k);
        mask goes_on = mask_none();
        if (k + 1 < constraint->n_pieces)
            goes_on = real_le(lane_at(here, SARRUS_CURVE_PIECE_N + SARRUS_PIECE_START), on);
        const mask is_in = mask_and(has_come, mask_not(goes_on));
        for (int32_t j = 0; j < SARRUS_CURVE_PIECE_N && mask_any(is_in); ++j)
            piece[j] = real_select(is_in, lane_at(here, j), piece[j]);
        has_come = goes_on;
    }
    on = on - piece[SARRUS_PIECE_START];
    for (int32_t k = 0; k < SPACE_DIMENSION; ++k) {
        sarrus_curve_cubic(piece + SARRUS_PIECE_X + 4 * k, on, out.x[k]);
        out.x[k][0] = real_fma(out.x[k][1], past, out.x[k][0]);
    }
    return out;
}

/* The place nearest to u among a few of every piece, and the ends. */
LANE_BODY real sarrus_curve_nearest(const sarrus_mech_constraint *constraint, const real *p, const real u[SPACE_DIMENSION]) {
    const real length = lane_at(p, SARRUS_CURVE_LENGTH);
    real best = real_set(0.0), least = real_set(1e300); /* farther than anything */
    for (int32_t k = 0; k < constraint->n_pieces; ++k) {
        const real *piece = lane_from(p, SARRUS_CURVE_PIECES + SARRUS_CURVE_PIECE_N * k),
                   start = lane_at(piece, SARRUS_PIECE_START);
        const real end = k + 1 < constraint->n_pieces ? lane_at(piece, SARRUS_CURVE_PIECE_N + SARRUS_PIECE_START) : length;
        for (int32_t i = 0; i <= SARRUS_FOOT_PLACES; ++i) {
            const real s = real_set(i / (real_scalar)SARRUS_FOOT_PLACES) * (end - start);
            real distance2 = real_set(0.0);
            for (int32_t x = SPACE_DIMENSION - 1; x >= 0; --x) {
                const real d = u[x] - sarrus_curve_value(lane_from(piece, SARRUS_PIECE_X + 4 * x), s);
                distance2 = x == SPACE_DIMENSION - 1 ? d * d : real_fma(d, d, distance2);
            }
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
LANE_BODY sarrus_curve_foot sarrus_curve_foot_find(const sarrus_mech_constraint *constraint, const real *p,
                                                   const real u[SPACE_DIMENSION], real seen) {
    const real length = lane_at(p, SARRUS_CURVE_LENGTH), longest = real_set(SARRUS_FOOT_LONGEST) * length;
    real reach = length;
    for (int32_t k = 0; k < SPACE_DIMENSION; ++k)
        reach = reach + real_abs(u[k]);
    const real none = real_set(SARRUS_FOOT_NONE) * reach;
    const mask is_new = mask_not(real_eq(seen, seen));
    sarrus_curve_foot foot;
    foot.s = seen;
    if (mask_any(is_new))
        foot.s = real_select(is_new, sarrus_curve_nearest(constraint, p, u), seen);
    for (int32_t i = 0;; ++i) {
        real d[SPACE_DIMENSION];
        foot.at = sarrus_curve_at(constraint, p, foot.s);
        for (int32_t k = 0; k < SPACE_DIMENSION; ++k)
            d[k] = u[k] - foot.at.x[k][0];
        const real along = sarrus_curve_along(&foot.at, 1, d), speed2 = sarrus_curve_inner(&foot.at, 1, 1);
        const real slope = speed2 - sarrus_curve_along(&foot.at, 2, d);
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

#endif
