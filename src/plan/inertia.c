#include "plan/inertia.h"

#include <math.h>
#include <stdbool.h>

/* By how much principal moments may miss the triangle inequality, relative to their sum: rods and plates stand on its border. */
static const double border = 1e-12;

/* The lower triangle of a = L Lᵀ. False when a is not positive definite. */
static bool take_root(const double a[6], double l[6]) {
    l[0] = sqrt(a[0]);
    l[3] = a[3] / l[0];
    l[4] = a[4] / l[0];
    l[1] = sqrt(a[1] - l[3] * l[3]);
    l[5] = (a[5] - l[4] * l[3]) / l[1];
    l[2] = sqrt(a[2] - l[4] * l[4] - l[5] * l[5]);
    for (int k = 0; k < 6; ++k) {
        if (!isfinite(l[k]) || !isfinite(1.0 / l[k % 3]) || !(l[k % 3] > 0.0))
            return false;
    }
    return true;
}

/* I⁻¹ = L⁻ᵀ L⁻¹ */
static void invert(const double l[6], double inverse[6]) {
    const double x = 1.0 / l[0], y = 1.0 / l[1], z = 1.0 / l[2];
    const double yx = -l[3] * x * y, zy = -l[5] * y * z, zx = -(l[4] * x + l[5] * yx) * z;
    inverse[0] = x * x + yx * yx + zx * zx;
    inverse[1] = y * y + zy * zy;
    inverse[2] = z * z;
    inverse[3] = yx * y + zx * zy;
    inverse[4] = zx * z;
    inverse[5] = zy * z;
}

/* Zeroes entry (p, q) by a turn of the axes p and q. */
static void turn_axes(double a[3][3], int p, int q, double axis[3][3]) {
    if (a[p][q] == 0.0)
        return;
    const double half = (a[q][q] - a[p][p]) / (2.0 * a[p][q]);
    const double tangent = (half < 0.0 ? -1.0 : 1.0) / (fabs(half) + hypot(1.0, half));
    const double c = 1.0 / hypot(1.0, tangent), s = tangent * c;
    for (int k = 0; k < 3; ++k) {
        const double x = a[k][p], y = a[k][q];
        a[k][p] = c * x - s * y;
        a[k][q] = s * x + c * y;
    }
    for (int k = 0; k < 3; ++k) {
        const double x = a[p][k], y = a[q][k], u = axis[p][k], v = axis[q][k];
        a[p][k] = c * x - s * y;
        a[q][k] = s * x + c * y;
        axis[p][k] = c * u - s * v;
        axis[q][k] = s * u + c * v;
    }
    a[p][q] = a[q][p] = 0.0;
}

void sarrus_inertia_axes(const double t[6], double moment[3], double axis[3][3]) {
    enum { N_SWEEPS = 12 };
    double a[3][3] = {{t[0], t[3], t[4]}, {t[3], t[1], t[5]}, {t[4], t[5], t[2]}};
    for (int k = 0; k < 9; ++k)
        axis[k / 3][k % 3] = k / 3 == k % 3 ? 1.0 : 0.0;
    for (int sweep = 0; sweep < N_SWEEPS; ++sweep) {
        turn_axes(a, 0, 1, axis);
        turn_axes(a, 0, 2, axis);
        turn_axes(a, 1, 2, axis);
    }
    for (int k = 0; k < 3; ++k)
        moment[k] = a[k][k];
}

/* The moments of the masses themselves, ½ tr(I) 1 − I, cannot be negative: that is the triangle inequality of the principal moments
 * of inertia. */
sarrus_inertia sarrus_inertia_judge(const double tensor[6], double root[6], double inverse[6]) {
    const double trace = tensor[0] + tensor[1] + tensor[2], half = (0.5 + border) * trace;
    const double moments[6] = {half - tensor[0], half - tensor[1], half - tensor[2], -tensor[3], -tensor[4], -tensor[5]};
    double unused[6];
    if (!take_root(tensor, root))
        return SARRUS_INERTIA_NOT_DEFINITE;
    invert(root, inverse);
    return take_root(moments, unused) ? SARRUS_INERTIA_GOOD : SARRUS_INERTIA_OF_NO_BODY;
}

sarrus_inertia sarrus_inertia_fill(const double tensor[6], double least, double root[6], double inverse[6]) {
    double moment[3], axis[3][3], filled[6] = {0};
    sarrus_inertia_axes(tensor, moment, axis);
    const double largest = fmax(moment[0], fmax(moment[1], moment[2])), sum = moment[0] + moment[1] + moment[2];
    for (int k = 0; k < 3; ++k) {
        if (!(moment[k] >= -SARRUS_NO_MOMENT * largest))
            return SARRUS_INERTIA_NOT_DEFINITE;
    }
    for (int k = 0; k < 3; ++k) {
        if (sum - 2.0 * moment[k] < -2.0 * border * sum)
            return SARRUS_INERTIA_OF_NO_BODY;
    }
    for (int k = 0; k < 3; ++k) {
        const double here = fmax(moment[k], least), *u = axis[k];
        for (int i = 0; i < 3; ++i)
            filled[i] += here * u[i] * u[i];
        filled[3] += here * u[0] * u[1];
        filled[4] += here * u[0] * u[2];
        filled[5] += here * u[1] * u[2];
    }
    if (!take_root(filled, root))
        return SARRUS_INERTIA_NOT_DEFINITE;
    invert(root, inverse);
    return SARRUS_INERTIA_GOOD;
}
