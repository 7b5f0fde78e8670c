/* Signals of the reference, each with exact derivatives. */
#include <math.h>
#include <stdlib.h>

#include <lapacke.h>

#include "tests/support/reference.h"

/* Second derivatives [n] of the not-a-knot cubic spline through (t, y), by a dense solve. False when it cannot be. */
static bool spline_curvatures(int n, const double *t, const double *y, double *curvature) {
    double *a = calloc((size_t)n * (size_t)n, sizeof *a);
    lapack_int *pivot = calloc((size_t)n, sizeof *pivot);
    if (!a || !pivot) {
        free(a);
        free(pivot);
        return false;
    }
    for (int i = 1; i < n - 1; ++i) {
        double left = t[i] - t[i - 1], right = t[i + 1] - t[i];
        a[i * n + i - 1] = left / 6.0;
        a[i * n + i] = (left + right) / 3.0;
        a[i * n + i + 1] = right / 6.0;
        curvature[i] = (y[i + 1] - y[i]) / right - (y[i] - y[i - 1]) / left;
    }
    int last = n - 1;
    double h0 = t[1] - t[0], h1 = t[2] - t[1], g0 = t[last] - t[last - 1], g1 = t[last - 1] - t[last - 2];
    curvature[0] = curvature[last] = 0.0;
    if (n == 3) { /* one parabola: all curvatures equal */
        a[0] = a[last * n + last] = 1.0;
        a[1] = a[last * n + last - 1] = -1.0;
    } else { /* the third derivative does not jump at the second and the last but one knot */
        a[0] = 1.0 / h0;
        a[1] = -1.0 / h0 - 1.0 / h1;
        a[2] = 1.0 / h1;
        a[last * n + last] = 1.0 / g0;
        a[last * n + last - 1] = -1.0 / g0 - 1.0 / g1;
        a[last * n + last - 2] = 1.0 / g1;
    }
    lapack_int info = LAPACKE_dgesv(LAPACK_ROW_MAJOR, n, 1, a, n, pivot, curvature, 1);
    free(a);
    free(pivot);
    return info == 0;
}

/* The same of a spline that goes round: every knot is an inner one. */
static bool round_curvatures(int n, const double *t, const double *y, double *curvature) {
    const int m = n - 1;
    double *a = calloc((size_t)m * (size_t)m, sizeof *a);
    lapack_int *pivot = calloc((size_t)m, sizeof *pivot);
    bool good = a && pivot;
    for (int i = 0; good && i < m; ++i) {
        const int before = (i + m - 1) % m, after = (i + 1) % m;
        const double left = t[before + 1] - t[before], right = t[i + 1] - t[i];
        a[i * m + before] += left / 6.0;
        a[i * m + i] += (left + right) / 3.0;
        a[i * m + after] += right / 6.0;
        curvature[i] = (y[after] - y[i]) / right - (y[i] - y[before]) / left;
    }
    good = good && LAPACKE_dgesv(LAPACK_ROW_MAJOR, m, 1, a, m, pivot, curvature, 1) == 0;
    curvature[m] = curvature[0];
    free(a);
    free(pivot);
    return good;
}

void reference_table(const reference *ref, const sarrus_signal *signal, bool is_round, double t, double out[3]) {
    int n = signal->n_values;
    if (is_round) {
        const double first = signal->knots[0], period = signal->knots[n - 1] - first;
        t -= period * floor((t - first) / period);
    }
    double *y = calloc(2 * (size_t)n, sizeof *y);
    out[0] = out[1] = out[2] = NAN;
    if (!y) {
        return;
    }
    double *curvature = y + n;
    for (int k = 0; k < n; ++k) {
        y[k] = ref->values[signal->values[k]];
    }
    if (signal->is_linear || n < 3 || (is_round ? round_curvatures : spline_curvatures)(n, signal->knots, y, curvature)) {
        int k = 0;
        while (k < n - 2 && t >= signal->knots[k + 1]) {
            ++k;
        }
        double h = signal->knots[k + 1] - signal->knots[k];
        double b = (t - signal->knots[k]) / h, a = 1.0 - b;
        double left = curvature[k], right = curvature[k + 1];
        out[0] = a * y[k] + b * y[k + 1] + ((a * a * a - a) * left + (b * b * b - b) * right) * h * h / 6.0;
        out[1] = (y[k + 1] - y[k]) / h + ((1.0 - 3.0 * a * a) * left + (3.0 * b * b - 1.0) * right) * h / 6.0;
        out[2] = a * left + b * right;
    }
    free(y);
}

static void signal_polynomial(const reference *ref, const sarrus_signal *signal, double t, double out[3]) {
    out[0] = out[1] = out[2] = 0.0;
    for (int k = 0; k < signal->n_values; ++k) {
        double c = ref->values[signal->values[k]];
        out[0] += c * pow(t, k);
        out[1] += k < 1 ? 0.0 : c * k * pow(t, k - 1);
        out[2] += k < 2 ? 0.0 : c * k * (k - 1) * pow(t, k - 2);
    }
}

void reference_signal(const reference *ref, int i_signal, double t, double out[3]) {
    const sarrus_signal *signal = &ref->model->signals[i_signal];
    const sarrus_value_index *index = signal->values;
    const double *values = ref->values;
    switch (signal->kind) { /* of a row of signal.def that is missing the compiler says so */
    case SARRUS_SIGNAL_CONSTANT:
        out[0] = values[index[0]];
        out[1] = out[2] = 0.0;
        break;
    case SARRUS_SIGNAL_RAMP: {
        double since = t - values[index[2]];
        out[0] = values[index[0]] + (since > 0.0 ? values[index[1]] * since : 0.0);
        out[1] = since >= 0.0 ? values[index[1]] : 0.0;
        out[2] = 0.0;
        break;
    }
    case SARRUS_SIGNAL_SINE: {
        double amplitude = values[index[0]], omega = 2.0 * M_PI * values[index[1]], angle = omega * t + values[index[2]];
        out[0] = values[index[3]] + amplitude * sin(angle);
        out[1] = amplitude * omega * cos(angle);
        out[2] = -amplitude * omega * omega * sin(angle);
        break;
    }
    case SARRUS_SIGNAL_POLYNOMIAL:
        signal_polynomial(ref, signal, t, out);
        break;
    case SARRUS_SIGNAL_TABLE:
        reference_table(ref, signal, false, t, out);
        break;
    }
}
