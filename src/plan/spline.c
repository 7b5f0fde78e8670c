#include "plan/spline.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Hermite form on an interval of length h with secant d and end slopes s0, s1. */
static void hermite(double y, double d, double s0, double s1, double h, double *c) {
    c[0] = y;
    c[1] = s0;
    c[2] = (3.0 * d - 2.0 * s0 - s1) / h;
    c[3] = (s0 + s1 - 2.0 * d) / (h * h);
}

/* The parabola through three points, as two Hermite pieces. */
static void parabola(const double *t, const double *y, double *c) {
    double h0 = t[1] - t[0], h1 = t[2] - t[1];
    double d0 = (y[1] - y[0]) / h0, d1 = (y[2] - y[1]) / h1;
    double bend = (d1 - d0) / (h0 + h1);
    double s0 = d0 - bend * h0, s1 = d0 + bend * h0, s2 = d1 + bend * h1;
    hermite(y[0], d0, s0, s1, h0, c);
    hermite(y[1], d1, s1, s2, h1, c + 4);
}

/* x [n] ← the solution of a tridiagonal system whose right side it holds, by Gaussian elimination with the larger of two rows as
 * the next pivot. lower, upper [n − 1], diagonal [n] are destroyed; `lower` ends as what exchanges of rows put above `upper`. */
static bool solve_tridiagonal(int n, double *lower, double *diagonal, double *upper, double *x) {
    for (int i = 0; i < n - 1; ++i) {
        if (fabs(diagonal[i]) >= fabs(lower[i])) {
            if (diagonal[i] == 0.0)
                return false;
            const double factor = lower[i] / diagonal[i];
            diagonal[i + 1] -= factor * upper[i];
            x[i + 1] -= factor * x[i];
            lower[i] = 0.0;
            continue;
        }
        const double factor = diagonal[i] / lower[i], below = diagonal[i + 1], right = x[i];
        diagonal[i] = lower[i];
        diagonal[i + 1] = upper[i] - factor * below;
        upper[i] = below;
        x[i] = x[i + 1];
        x[i + 1] = right - factor * x[i + 1];
        if (i < n - 2) {
            lower[i] = upper[i + 1];
            upper[i + 1] *= -factor;
        }
    }
    if (diagonal[n - 1] == 0.0)
        return false;
    x[n - 1] /= diagonal[n - 1];
    x[n - 2] = (x[n - 2] - upper[n - 2] * x[n - 1]) / diagonal[n - 2];
    for (int i = n - 3; i >= 0; --i)
        x[i] = (x[i] - upper[i] * x[i + 1] - lower[i] * x[i + 2]) / diagonal[i];
    return true;
}

/* Slopes s[n] of the not-a-knot spline, n ≥ 4: tridiagonal system of de Boor. */
static bool slopes(int n, const double *t, const double *y, double *work, double *s) {
    double *h = work, *d = h + n, *lower = d + n, *diagonal = lower + n, *upper = diagonal + n;
    for (int i = 0; i < n - 1; ++i) {
        h[i] = t[i + 1] - t[i];
        d[i] = (y[i + 1] - y[i]) / h[i];
    }
    double start = h[0] + h[1], end = h[n - 2] + h[n - 3];
    diagonal[0] = h[1];
    upper[0] = start;
    s[0] = ((h[0] + 2.0 * start) * h[1] * d[0] + h[0] * h[0] * d[1]) / start;
    for (int i = 1; i < n - 1; ++i) {
        lower[i - 1] = h[i];
        diagonal[i] = 2.0 * (h[i - 1] + h[i]);
        upper[i] = h[i - 1];
        s[i] = 3.0 * (h[i] * d[i - 1] + h[i - 1] * d[i]);
    }
    lower[n - 2] = end;
    diagonal[n - 1] = h[n - 3];
    s[n - 1] = (h[n - 2] * h[n - 2] * d[n - 3] + (2.0 * end + h[n - 2]) * h[n - 3] * d[n - 2]) / end;
    return solve_tridiagonal(n, lower, diagonal, upper, s);
}

/* x [n] ← the solution of a system whose matrix is tridiagonal with positive dominant diagonal. `over` [n] is scratch. */
static void solve_dominant(int n, const double *lower, const double *diagonal, const double *upper, double *over, double *x) {
    double pivot = diagonal[0];
    x[0] /= pivot;
    for (int i = 1; i < n; ++i) {
        over[i] = upper[i - 1] / pivot;
        pivot = diagonal[i] - lower[i] * over[i];
        x[i] = (x[i] - lower[i] * x[i - 1]) / pivot;
    }
    for (int i = n - 2; i >= 0; --i)
        x[i] -= over[i + 1] * x[i + 1];
}

/* Slopes s[n] of the spline that goes round, s[n − 1] = s[0], n ≥ 4: a tridiagonal system but for its two corners, which
 * the formula of Sherman and Morrison takes out. */
static void slopes_periodic(int n, const double *t, const double *y, double *work, double *s) {
    const int m = n - 1;
    double *lower = work, *diagonal = work + n, *upper = work + 2 * n, *turn = work + 3 * n, *over = work + 4 * n;
    for (int i = 0; i < m; ++i) {
        const int before = i == 0 ? m - 1 : i - 1;
        const double h = t[i + 1] - t[i], h_before = t[before + 1] - t[before];
        const double after = (i == m - 1 ? y[0] : y[i + 1]) - y[i], since = y[i] - y[before];
        lower[i] = h;
        upper[i] = h_before;
        diagonal[i] = 2.0 * (h + h_before);
        s[i] = 3.0 * (h * since / h_before + h_before * after / h);
        turn[i] = 0.0;
    }
    const double first = lower[0], last = upper[m - 1], gamma = -diagonal[0];
    turn[0] = gamma;
    turn[m - 1] = last;
    diagonal[0] -= gamma;
    diagonal[m - 1] -= first * last / gamma;
    solve_dominant(m, lower, diagonal, upper, over, s);
    solve_dominant(m, lower, diagonal, upper, over, turn);
    const double share = (s[0] + first / gamma * s[m - 1]) / (1.0 + turn[0] + first / gamma * turn[m - 1]);
    for (int i = 0; i < m; ++i)
        s[i] -= share * turn[i];
    s[m] = s[0];
}

bool sarrus_spline_periodic(int n, const double *t, const double *y, double *c) {
    double *work = malloc(6 * (size_t)n * sizeof *work);
    if (!work)
        return false;
    double *s = work + 5 * n;
    slopes_periodic(n, t, y, work, s);
    for (int k = 0; k < n - 1; ++k) {
        const double h = t[k + 1] - t[k], after = k == n - 2 ? y[0] : y[k + 1];
        hermite(y[k], (after - y[k]) / h, s[k], s[k + 1], h, c + 4 * k);
    }
    free(work);
    return true;
}

bool sarrus_spline_natural(int n, const double *t, const double *y, double *c) {
    if (n == 2)
        return sarrus_spline(n, t, y, true, c);
    double *work = calloc(5 * (size_t)n, sizeof *work);
    if (!work)
        return false;
    double *lower = work, *diagonal = work + n, *upper = work + 2 * n, *over = work + 3 * n, *s = work + 4 * n;
    for (int i = 0; i < n; ++i) {
        const double h = i < n - 1 ? t[i + 1] - t[i] : 0.0, h_before = i > 0 ? t[i] - t[i - 1] : 0.0;
        const double after = i < n - 1 ? (y[i + 1] - y[i]) / h : 0.0, before = i > 0 ? (y[i] - y[i - 1]) / h_before : 0.0;
        const bool is_end = i == 0 || i == n - 1;
        lower[i] = is_end ? 1.0 : h;
        upper[i] = is_end ? 1.0 : h_before;
        diagonal[i] = is_end ? 2.0 : 2.0 * (h + h_before);
        s[i] = is_end ? 3.0 * (before + after) : 3.0 * (h * before + h_before * after);
    }
    solve_dominant(n, lower, diagonal, upper, over, s);
    for (int k = 0; k < n - 1; ++k) {
        const double h = t[k + 1] - t[k];
        hermite(y[k], (y[k + 1] - y[k]) / h, s[k], s[k + 1], h, c + 4 * k);
    }
    free(work);
    return true;
}

bool sarrus_spline(int n, const double *t, const double *y, bool is_linear, double *c) {
    if (is_linear || n == 2) {
        for (int k = 0; k < n - 1; ++k) { /* straight without a trace of round-off */
            c[4 * k] = y[k];
            c[4 * k + 1] = (y[k + 1] - y[k]) / (t[k + 1] - t[k]);
            c[4 * k + 2] = c[4 * k + 3] = 0.0;
        }
        return true;
    }
    if (n == 3) {
        parabola(t, y, c);
        return true;
    }
    double *work = malloc(6 * (size_t)n * sizeof *work);
    if (!work)
        return false;
    double *s = work + 5 * n;
    bool good = slopes(n, t, y, work, s);
    for (int k = 0; good && k < n - 1; ++k) {
        double h = t[k + 1] - t[k];
        hermite(y[k], (y[k + 1] - y[k]) / h, s[k], s[k + 1], h, c + 4 * k);
    }
    c[0] = good ? c[0] : NAN; /* whoever looks for what is wrong finds it here */
    free(work);
    return good;
}
