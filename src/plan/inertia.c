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
