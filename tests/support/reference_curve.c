/* A point on a curve, of the reference: the spline by a dense solve for its second derivatives, the foot by looking everywhere, and
 * the foot's motion by Newton's method in jets. */
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include <lapacke.h>

#include "tests/support/reference_features.h"

enum { PLACES = 64, STEPS = 60 };

/* s, x, y and the second derivatives of x and y, each [n]; a closed curve comes back to its first point. */
typedef struct curve {
    int n;
    double *s, *at[2], *bend[2];
} curve;

static bool bends_find(const curve *of, bool is_closed, const double *y, double *bend) {
    const int n = of->n, m = is_closed ? n - 1 : n;
    double *a = calloc((size_t)m * (size_t)m, sizeof *a);
    lapack_int *pivot = calloc((size_t)m, sizeof *pivot);
    bool good = a && pivot;
    for (int i = 0; good && i < m; ++i) {
        if (!is_closed && (i == 0 || i == n - 1)) { /* an end that does not bend */
            a[i * m + i] = 1.0;
            bend[i] = 0.0;
            continue;
        }
        const int before = (i + m - 1) % m, after = (i + 1) % m;
        const double left = of->s[before + 1] - of->s[before], right = of->s[i + 1] - of->s[i];
        a[i * m + before] += left / 6.0;
        a[i * m + i] += (left + right) / 3.0;
        a[i * m + after] += right / 6.0;
        bend[i] = (y[after] - y[i]) / right - (y[i] - y[before]) / left;
    }
    good = good && LAPACKE_dgesv(LAPACK_ROW_MAJOR, m, 1, a, m, pivot, bend, 1) == 0;
    if (is_closed)
        bend[m] = bend[0];
    free(a);
    free(pivot);
    return good;
}

static bool curve_create(const reference *ref, const sarrus_constraint *from, curve *out) {
    const int n = from->is_periodic ? from->n_points + 1 : from->n_points;
    out->n = n;
    out->s = calloc(5 * (size_t)n, sizeof *out->s);
    if (!out->s)
        return false;
    for (int k = 0; k < 2; ++k) {
        out->at[k] = out->s + (1 + k) * n;
        out->bend[k] = out->s + (3 + k) * n;
        for (int i = 0; i < n; ++i)
            out->at[k][i] = ref->values[from->points[i % from->n_points][k]];
    }
    for (int i = 1; i < n; ++i)
        out->s[i] = out->s[i - 1] + hypot(out->at[0][i] - out->at[0][i - 1], out->at[1][i] - out->at[1][i - 1]);
    return bends_find(out, from->is_periodic, out->at[0], out->bend[0]) &&
           bends_find(out, from->is_periodic, out->at[1], out->bend[1]);
}

/* Coordinate k with three derivatives. */
static void curve_at(const curve *of, bool is_closed, int k, double s, double out[4]) {
    const double length = of->s[of->n - 1], *y = of->at[k];
    const double on = is_closed ? s - length * floor(s / length) : fmin(fmax(s, 0.0), length);
    int i = 0;
    while (i < of->n - 2 && on >= of->s[i + 1])
        ++i;
    const double h = of->s[i + 1] - of->s[i], b = (on - of->s[i]) / h, a = 1.0 - b;
    const double left = of->bend[k][i], right = of->bend[k][i + 1];
    out[0] = a * y[i] + b * y[i + 1] + ((a * a * a - a) * left + (b * b * b - b) * right) * h * h / 6.0;
    out[1] = (y[i + 1] - y[i]) / h + ((1.0 - 3.0 * a * a) * left + (3.0 * b * b - 1.0) * right) * h / 6.0;
    out[2] = a * left + b * right;
    out[3] = (right - left) / h;
    if (!is_closed && on != s) {
        out[0] += out[1] * (s - on);
        out[2] = out[3] = 0.0;
    }
}

static jet chain(const double f[3], jet s) {
    return (jet){f[0], f[1] * s.d, f[2] * s.d * s.d + f[1] * s.dd};
}

static jet inverse(jet a) {
    return chain((const double[]){1.0 / a.f, -1.0 / (a.f * a.f), 2.0 / (a.f * a.f * a.f)}, a);
}

/* c, c′ and the derivative of c′·(u − c) by s. */
static double place_at(const curve *of, bool is_closed, jet s, const jet u[2], jet c[2], jet tangent[2]) {
    double slope = 0.0;
    for (int k = 0; k < 2; ++k) {
        double f[4];
        curve_at(of, is_closed, k, s.f, f);
        c[k] = chain(f, s);
        tangent[k] = chain(f + 1, s);
        slope += f[2] * (u[k].f - f[0]) - f[1] * f[1];
    }
    return slope;
}

static double nearest(const curve *of, bool is_closed, const jet u[2]) {
    double best = 0.0, least = INFINITY;
    for (int i = 0; i <= PLACES * (of->n - 1); ++i) {
        const int piece = i / PLACES < of->n - 1 ? i / PLACES : of->n - 2;
        const double s = of->s[piece] + (of->s[piece + 1] - of->s[piece]) * (i - PLACES * piece) / PLACES;
        jet c[2], tangent[2];
        (void)place_at(of, is_closed, jet_constant(s), u, c, tangent);
        const double distance = hypot(u[0].f - c[0].f, u[1].f - c[1].f);
        best = distance < least ? s : best;
        least = fmin(distance, least);
    }
    return best;
}

/* Newton's method, with the slope of the last value: of the derivatives each step makes one more right. */
static jet foot_of(const curve *of, bool is_closed, const jet u[2]) {
    jet s = jet_constant(nearest(of, is_closed, u));
    for (int i = 0; i < STEPS; ++i) {
        jet c[2], tangent[2];
        const double slope = place_at(of, is_closed, s, u, c, tangent);
        const jet along =
            jet_add(jet_multiply(tangent[0], jet_subtract(u[0], c[0])), jet_multiply(tangent[1], jet_subtract(u[1], c[1])));
        s = jet_subtract(s, jet_scale(1.0 / slope, along));
    }
    return s;
}

jet reference_curve_row(const reference *ref, const reference_constraint *constraint, const reference_pose pose[2]) {
    const bool is_closed = constraint->from->is_periodic;
    const jet cosine = jet_cos(pose[0].theta), sine = jet_sin(pose[0].theta);
    jet point[2], u[2], c[2], tangent[2], phi = jet_constant(NAN);
    curve of;
    reference_point(&pose[1], constraint->of[0].point[1], point);
    const jet x = jet_subtract(point[0], pose[0].x), y = jet_subtract(point[1], pose[0].y);
    u[0] = jet_add(jet_multiply(cosine, x), jet_multiply(sine, y));
    u[1] = jet_subtract(jet_multiply(cosine, y), jet_multiply(sine, x));
    if (curve_create(ref, constraint->from, &of)) {
        (void)place_at(&of, is_closed, foot_of(&of, is_closed, u), u, c, tangent);
        const jet across =
            jet_subtract(jet_multiply(tangent[0], jet_subtract(u[1], c[1])), jet_multiply(tangent[1], jet_subtract(u[0], c[0])));
        const jet length2 = jet_add(jet_multiply(tangent[0], tangent[0]), jet_multiply(tangent[1], tangent[1]));
        phi = jet_multiply(across, inverse(jet_sqrt(length2)));
    }
    free(of.s);
    return phi;
}
