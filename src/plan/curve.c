#include "plan/curve.h"

#include <math.h>
#include <stdlib.h>

#include "kernels/body/mechanism.h"
#include "plan/spline.h"

int sarrus_plan_curve_pieces(const sarrus_constraint *from) {
    return from->is_periodic ? from->n_points : from->n_points - 1;
}

/* s [n], x, y [n] of the points, the first one again at the end of a closed curve. */
static bool lay_chords(const sarrus_constraint *from, const double *values, int n, double *s, double *const at[2]) {
    bool good = true;
    for (int i = 0; i < n; ++i) {
        for (int k = 0; k < 2; ++k)
            at[k][i] = values[from->points[i % from->n_points][k]];
        const double chord = i > 0 ? hypot(at[0][i] - at[0][i - 1], at[1][i] - at[1][i - 1]) : 0.0;
        s[i] = i > 0 ? s[i - 1] + chord : 0.0;
        good = good && (i == 0 || s[i] > s[i - 1]);
    }
    return good;
}

bool sarrus_plan_curve_fill(const sarrus_constraint *from, const double *values, double *p) {
    const int n_pieces = sarrus_plan_curve_pieces(from), n = n_pieces + 1;
    double *s = malloc((3 * (size_t)n + 4 * (size_t)n_pieces) * sizeof *s);
    if (!s)
        return false;
    double *const at[2] = {s + n, s + 2 * n}, *c = s + 3 * n;
    bool good = lay_chords(from, values, n, s, at);
    p[SARRUS_PC_POINT_X] = values[from->of[0].point[1][0]];
    p[SARRUS_PC_POINT_Y] = values[from->of[0].point[1][1]];
    p[SARRUS_PC_LENGTH] = s[n_pieces];
    for (int i = 0; i < n_pieces; ++i)
        p[SARRUS_PC_PIECES + SARRUS_PIECE_N * i + SARRUS_PIECE_START] = s[i];
    for (int k = 0; good && k < 2; ++k) {
        good = (from->is_periodic ? sarrus_spline_periodic : sarrus_spline_natural)(n, s, at[k], c);
        for (int i = 0; good && i < 4 * n_pieces; ++i)
            p[SARRUS_PC_PIECES + SARRUS_PIECE_N * (i / 4) + (k == 0 ? SARRUS_PIECE_X : SARRUS_PIECE_Y) + i % 4] = c[i];
    }
    free(s);
    return good;
}
