#include "plan/curve.h"

#include <math.h>
#include <stdlib.h>

#include "kernels/body/mechanism.h"
#include "plan/spline.h"

int sarrus_plan_curve_pieces(const sarrus_constraint *from) {
    return from->is_periodic ? from->n_points : from->n_points - 1;
}

/* Where the numbers of a curve stand. */
typedef struct curve_places {
    int dimension;
    int32_t length, pieces, n_each; /* of a piece */
} curve_places;

static curve_places places_of(sarrus_space space) {
    if (space == SARRUS_SPACE_SPATIAL)
        return (curve_places){3, SARRUS_SC_LENGTH, SARRUS_SC_PIECES, SARRUS_SPATIAL_PIECE_N};
    return (curve_places){2, SARRUS_PC_LENGTH, SARRUS_PC_PIECES, SARRUS_PIECE_N};
}

int32_t sarrus_plan_curve_size(sarrus_space space, int32_t n_pieces) {
    const curve_places at = places_of(space);
    return at.pieces + at.n_each * n_pieces;
}

/* s [n], at [dimension][n] of the points, the first one again at the end of a closed curve. */
static bool lay_chords(const sarrus_constraint *from, int dimension, const double *values, int n, double *s, double *const at[3]) {
    bool good = true;
    for (int i = 0; i < n; ++i) {
        for (int k = 0; k < dimension; ++k)
            at[k][i] = values[from->points[i % from->n_points][k]];
        double chord = i > 0 ? hypot(at[0][i] - at[0][i - 1], at[1][i] - at[1][i - 1]) : 0.0;
        chord = i > 0 && dimension == 3 ? hypot(chord, at[2][i] - at[2][i - 1]) : chord;
        s[i] = i > 0 ? s[i - 1] + chord : 0.0;
        good = good && (i == 0 || s[i] > s[i - 1]);
    }
    return good;
}

/* Places of each piece at which tangents are looked at, and directions that an axis may have. */
enum { N_LOOKS = 4, N_DIRECTIONS = 64 };

/* Direction i: those of the coordinates, then some spread evenly over half of a sphere (on a spiral by the golden angle). */
static void find_direction(int i, double out[3]) {
    const double height = (i - 2.5) / (N_DIRECTIONS - 3), across = sqrt(1.0 - height * height);
    const double angle = M_PI * (3.0 - sqrt(5.0)) * i;
    for (int k = 0; k < 3; ++k)
        out[k] = k == i;
    if (i < 3)
        return;
    out[0] = across * cos(angle);
    out[1] = across * sin(angle);
    out[2] = height;
}

/* The largest (cosine of the angle between a direction and a tangent)² along the curve of these pieces. */
static double nearness(const double direction[3], const double *pieces, int n_pieces, double length) {
    double most = 0.0;
    for (int i = 0; i <= N_LOOKS * n_pieces; ++i) {
        const int k = i < N_LOOKS * n_pieces ? i / N_LOOKS : n_pieces - 1;
        const double *piece = pieces + SARRUS_SPATIAL_PIECE_N * k;
        const double end = k + 1 < n_pieces ? piece[SARRUS_SPATIAL_PIECE_N + SARRUS_PIECE_START] : length;
        const double s = (end - piece[SARRUS_PIECE_START]) * (i - N_LOOKS * k) / N_LOOKS;
        double along = 0.0, size2 = 0.0;
        for (int x = 0; x < 3; ++x) {
            const double *c = piece + SARRUS_PIECE_X + 4 * x, slope = (3.0 * c[3] * s + 2.0 * c[2]) * s + c[1];
            along += direction[x] * slope;
            size2 += slope * slope;
        }
        most = size2 > 0.0 ? fmax(most, along * along / size2) : most;
    }
    return most;
}

/* The direction that tangents stay away from farthest. */
static void choose_axis(int n_pieces, double *p) {
    double least = 2.0;
    for (int i = 0; i < N_DIRECTIONS; ++i) {
        double direction[3];
        find_direction(i, direction);
        const double now = nearness(direction, p + SARRUS_SC_PIECES, n_pieces, p[SARRUS_SC_LENGTH]);
        for (int k = 0; now < least && k < 3; ++k)
            p[SARRUS_SC_AXIS + k] = direction[k];
        least = fmin(least, now);
    }
}

bool sarrus_plan_curve_fill(sarrus_space space, const sarrus_constraint *from, const double *values, double *p) {
    const curve_places to = places_of(space);
    const int n_pieces = sarrus_plan_curve_pieces(from), n = n_pieces + 1;
    double *s = malloc((4 * (size_t)n + 4 * (size_t)n_pieces) * sizeof *s);
    if (!s)
        return false;
    double *const at[3] = {s + n, s + 2 * n, s + 3 * n}, *c = s + 4 * n;
    bool good = lay_chords(from, to.dimension, values, n, s, at);
    for (int k = 0; k < to.dimension; ++k)
        p[k] = values[from->of[0].point[1][k]];
    p[to.length] = s[n_pieces];
    for (int i = 0; i < n_pieces; ++i)
        p[to.pieces + to.n_each * i + SARRUS_PIECE_START] = s[i];
    for (int k = 0; good && k < to.dimension; ++k) {
        good = (from->is_periodic ? sarrus_spline_periodic : sarrus_spline_natural)(n, s, at[k], c);
        for (int i = 0; good && i < 4 * n_pieces; ++i)
            p[to.pieces + to.n_each * (i / 4) + SARRUS_PIECE_X + 4 * k + i % 4] = c[i];
    }
    if (good && to.dimension == 3)
        choose_axis(n_pieces, p);
    free(s);
    return good;
}
