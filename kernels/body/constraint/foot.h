/* A curve c(s) in the frame of a body, a cubic spline through given points whose parameter is the length of the chords, and the
 * foot of a point u on it: c′·(u − c) = 0. A closed curve goes round, and s is less whole rounds. An open one goes on beyond its
 * ends along its tangents. */
#ifndef SARRUS_BODY_CONSTRAINT_FOOT_H
#define SARRUS_BODY_CONSTRAINT_FOOT_H

#include "kernels/body/plan_access.h"

/* Newton's steps for a foot, at most; those that are none, far above round-off and far below what shows, and the longest one, in
 * parts of the curve's length. What is left of a step that leads away. Places for each piece where the nearest foot is looked
 * for. */
#define SARRUS_FOOT_STEPS 50
#define SARRUS_FOOT_NONE 1e-14
#define SARRUS_FOOT_LONGEST 0.125
#define SARRUS_FOOT_SHORTENED 0.25
#define SARRUS_FOOT_PLACES 4
/* Distances that differ by less are the same one: in parts of their squares, and of the curve's size. Both are above round-off. */
#define SARRUS_FOOT_SAME_SQUARE 1e-6
#define SARRUS_FOOT_SAME 1e-12
/* Stretches of a piece in which a nearer foot is looked for, and Newton's steps in each. */
#define SARRUS_FOOT_STRETCHES 16
#define SARRUS_FOOT_STRETCH_STEPS 8

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

/* The length of piece k, round a closed curve; beyond the ends of an open one there is no other piece, m. */
LANE_FUNCTION real sarrus_curve_piece_length(const sarrus_mech_constraint *constraint, const real *p, int32_t k) {
    const int32_t n = constraint->n_pieces;
    const real length = lane_at(p, SARRUS_CURVE_LENGTH);
    if (!constraint->is_periodic && (k < 0 || k >= n))
        return length;
    const real *piece = lane_from(p, SARRUS_CURVE_PIECES + SARRUS_CURVE_PIECE_N * (k < 0 ? n - 1 : k < n ? k : 0));
    const int is_last = k == n - 1 || k < 0;
    return (is_last ? length : lane_at(piece, SARRUS_CURVE_PIECE_N + SARRUS_PIECE_START)) - lane_at(piece, SARRUS_PIECE_START);
}

/* The shortest of the piece that holds s and of those beside it, m. */
LANE_BODY real sarrus_curve_room(const sarrus_mech_constraint *constraint, const real *p, real s) {
    const real on = constraint->is_periodic ? sarrus_curve_within(lane_at(p, SARRUS_CURVE_LENGTH), s) : s;
    real room = real_set(0.0);
    for (int32_t k = 0; k < constraint->n_pieces; ++k) {
        const real *piece = lane_from(p, SARRUS_CURVE_PIECES + SARRUS_CURVE_PIECE_N * k);
        const real here = sarrus_curve_piece_length(constraint, p, k);
        const real before = sarrus_curve_piece_length(constraint, p, k - 1);
        const real after = sarrus_curve_piece_length(constraint, p, k + 1);
        const mask is_in = k == 0 ? mask_not(mask_none()) : real_le(lane_at(piece, SARRUS_PIECE_START), on);
        room = real_select(is_in, real_min(here, real_min(before, after)), room);
    }
    return room;
}

/* The time in which a point that runs along a curve at this speed passes half of that room, s: a step that is longer may see
 * nothing of a bend that lies between its stages, where the curve before and behind it is straight. */
LANE_FUNCTION real sarrus_curve_time(const sarrus_mech_constraint *constraint, const real *p, real s, real speed) {
    return real_set(0.5) * sarrus_curve_room(constraint, p, s) / real_max(speed, real_set(1e-300));
}

/* A foot s, the curve there, and the square of the distance. */
typedef struct sarrus_curve_foot {
    real s, apart2;
    sarrus_curve_place at;
} sarrus_curve_foot;

/* Lanes in which a distance is less than another one, both squared, and not by round-off. */
LANE_FUNCTION mask sarrus_foot_is_nearer(real apart2, real other2, real reach) {
    const real same = real_set(SARRUS_FOOT_SAME) * reach;
    return real_lt(real_fma(real_set(1.0 + SARRUS_FOOT_SAME_SQUARE), apart2, same * same), other2);
}

/* Newton's step towards the foot, to a smaller distance wherever it begins. */
LANE_FUNCTION real sarrus_foot_step(const sarrus_curve_place *at, const real d[SPACE_DIMENSION]) {
    const real along = sarrus_curve_along(at, 1, d), speed2 = sarrus_curve_inner(at, 1, 1);
    const real slope = speed2 - sarrus_curve_along(at, 2, d);
    return along * real_inverse_or_zero(real_max(slope, real_set(0.1) * speed2));
}

/* d = u − c, and its square. */
LANE_FUNCTION real sarrus_foot_apart(const sarrus_curve_place *at, const real u[SPACE_DIMENSION], real d[SPACE_DIMENSION]) {
    real apart2 = real_set(0.0);
    for (int32_t k = 0; k < SPACE_DIMENSION; ++k) {
        d[k] = u[k] - at->x[k][0];
        apart2 = real_fma(d[k], d[k], apart2);
    }
    return apart2;
}

/* The foot to which the distance falls from s in the lanes of `on`, in others s. A step that leads away is shortened. One that is
 * none is not made: from a foot that was found one comes to that very foot again, so that it does not matter when it is seen. A
 * lane that has arrived stays, whatever the others do. */
LANE_BODY sarrus_curve_foot sarrus_foot_descend(const sarrus_mech_constraint *constraint, const real *p,
                                                const real u[SPACE_DIMENSION], real reach, mask on, real s) {
    const real longest = real_set(SARRUS_FOOT_LONGEST) * lane_at(p, SARRUS_CURVE_LENGTH), none = real_set(SARRUS_FOOT_NONE) * reach;
    real from = s, least = real_set(1e300), made = real_set(0.0); /* farther than anything */
    sarrus_curve_foot foot;
    foot.s = s;
    for (int32_t i = 0;; ++i) {
        real d[SPACE_DIMENSION];
        foot.at = sarrus_curve_at(constraint, p, foot.s);
        foot.apart2 = sarrus_foot_apart(&foot.at, u, d);
        const mask leads_away = sarrus_foot_is_nearer(least, foot.apart2, reach);
        from = real_select(leads_away, from, foot.s);
        least = real_select(leads_away, least, foot.apart2);
        const real step = real_max(real_min(sarrus_foot_step(&foot.at, d), longest), -longest);
        made = real_select(leads_away, real_set(SARRUS_FOOT_SHORTENED) * made, step);
        const mask goes_on = mask_and(on, real_lt(none, real_abs(made)));
        if (i == SARRUS_FOOT_STEPS || !mask_any(goes_on))
            break;
        foot.s = real_select(goes_on, from + made, foot.s);
    }
    return foot;
}

/* Whether the stretch from … from + over of a piece may come nearer to u than `apart`: it is off its chord by over²/8 of its c″ at
 * most. s ← where the chord comes nearest. */
LANE_FUNCTION mask sarrus_stretch_is_near(const real *piece, real from, real over, const real u[SPACE_DIMENSION], real apart,
                                          real *s) {
    real d[SPACE_DIMENSION], chord[SPACE_DIMENSION];
    real along = real_set(0.0), size2 = real_set(0.0), bend2[2] = {real_set(0.0), real_set(0.0)}, gap2 = real_set(0.0);
    for (int32_t k = 0; k < SPACE_DIMENSION; ++k) {
        const real *c = lane_from(piece, SARRUS_PIECE_X + 4 * k);
        const real first = sarrus_curve_value(c, from), slope = real_set(6.0) * lane_at(c, 3), to = from + over;
        const real bend[2] = {real_fma(slope, from, lane_at(c, 2) + lane_at(c, 2)),
                              real_fma(slope, to, lane_at(c, 2) + lane_at(c, 2))};
        d[k] = u[k] - first;
        chord[k] = sarrus_curve_value(c, to) - first;
        along = real_fma(d[k], chord[k], along);
        size2 = real_fma(chord[k], chord[k], size2);
        for (int32_t end = 0; end < 2; ++end)
            bend2[end] = real_fma(bend[end], bend[end], bend2[end]);
    }
    const real part = real_max(real_set(0.0), real_min(real_set(1.0), along * real_inverse_or_zero(size2)));
    for (int32_t k = 0; k < SPACE_DIMENSION; ++k) {
        const real left = real_fnma(part, chord[k], d[k]);
        gap2 = real_fma(left, left, gap2);
    }
    *s = real_fma(part, over, from);
    const real within = real_fma(real_set(0.125) * over * over, real_sqrt(real_max(bend2[0], bend2[1])), apart);
    return real_lt(gap2, within * within);
}

/* The place of a stretch that Newton's method comes to from s, and what has been least on the way: *best on the curve, of least2.
 * In the lanes of `on`. */
LANE_BODY void sarrus_stretch_search(const real *piece, real from, real over, const real u[SPACE_DIMENSION], mask on, real s,
                                     real *best, real *least2) {
    for (int32_t i = 0; i < SARRUS_FOOT_STRETCH_STEPS; ++i) {
        sarrus_curve_place at;
        real d[SPACE_DIMENSION];
        for (int32_t k = 0; k < SPACE_DIMENSION; ++k) {
            real c[4];
            for (int32_t j = 0; j < 4; ++j)
                c[j] = lane_at(piece, SARRUS_PIECE_X + 4 * k + j);
            sarrus_curve_cubic(c, s, at.x[k]);
        }
        const real apart2 = sarrus_foot_apart(&at, u, d);
        const mask is_nearer = mask_and(on, real_lt(apart2, *least2));
        *best = real_select(is_nearer, lane_at(piece, SARRUS_PIECE_START) + s, *best);
        *least2 = real_select(is_nearer, apart2, *least2);
        s = real_max(from, real_min(from + over, s + sarrus_foot_step(&at, d)));
    }
}

/* The foot of u that is nearest, in the lanes of `on`, where `foot` is one: stretches that cannot come nearer are left out. */
LANE_BODY void sarrus_foot_look_nearer(const sarrus_mech_constraint *constraint, const real *p, const real u[SPACE_DIMENSION],
                                       real reach, mask on, sarrus_curve_foot *foot) {
    real best = foot->s, least2 = foot->apart2;
    for (int32_t k = 0; k < constraint->n_pieces; ++k) {
        const real *piece = lane_from(p, SARRUS_CURVE_PIECES + SARRUS_CURVE_PIECE_N * k),
                   start = lane_at(piece, SARRUS_PIECE_START);
        const real end = k + 1 < constraint->n_pieces ? lane_at(piece, SARRUS_CURVE_PIECE_N + SARRUS_PIECE_START)
                                                      : lane_at(p, SARRUS_CURVE_LENGTH);
        const real over = (end - start) * real_set(1.0 / SARRUS_FOOT_STRETCHES);
        real s;
        if (!mask_any(mask_and(on, sarrus_stretch_is_near(piece, real_set(0.0), end - start, u, real_sqrt(least2), &s))))
            continue;
        for (int32_t i = 0; i < SARRUS_FOOT_STRETCHES; ++i) {
            const real from = real_set((real_scalar)i) * over;
            const mask is_near = mask_and(on, sarrus_stretch_is_near(piece, from, over, u, real_sqrt(least2), &s));
            if (mask_any(is_near))
                sarrus_stretch_search(piece, from, over, u, is_near, s, &best, &least2);
        }
    }
    const mask is_nearer = mask_and(on, sarrus_foot_is_nearer(least2, foot->apart2, reach));
    if (mask_any(is_nearer))
        *foot = sarrus_foot_descend(constraint, p, u, reach, is_nearer, real_select(is_nearer, best, foot->s));
}

/* The foot of u, from where it was seen; NaN: the nearest one. */
LANE_BODY sarrus_curve_foot sarrus_curve_foot_find(const sarrus_mech_constraint *constraint, const real *p,
                                                   const real u[SPACE_DIMENSION], real seen) {
    const real length = lane_at(p, SARRUS_CURVE_LENGTH);
    real reach = length;
    for (int32_t k = 0; k < SPACE_DIMENSION; ++k)
        reach = reach + real_abs(u[k]);
    const mask is_new = mask_not(real_eq(seen, seen));
    real from = seen;
    if (mask_any(is_new))
        from = real_select(is_new, sarrus_curve_nearest(constraint, p, u), seen);
    sarrus_curve_foot foot = sarrus_foot_descend(constraint, p, u, reach, mask_not(mask_none()), from);
    if (mask_any(is_new))
        sarrus_foot_look_nearer(constraint, p, u, reach, is_new, &foot);
    if (constraint->is_periodic)
        foot.s = sarrus_curve_within(length, foot.s);
    return foot;
}

#endif
