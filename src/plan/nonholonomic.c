#include "plan/nonholonomic.h"

#include <math.h>

#include "kernels/body/mechanism.h"

int32_t sarrus_plan_slip_roll(const sarrus_constraint *from) {
    if (from->slip_kind != SARRUS_SLIP_ROLLING)
        return SARRUS_ROLL_NONE;
    return from->slip.axis[0] != SARRUS_NO_VALUE ? SARRUS_ROLL_DISC : SARRUS_ROLL_BALL;
}

int32_t sarrus_plan_slip_size(sarrus_space space, const sarrus_constraint *from) {
    if (space != SARRUS_SPACE_SPATIAL)
        return SARRUS_PC_N_SLIP;
    return from->slip_kind == SARRUS_SLIP_ROLLING ? SARRUS_SN_N_ROLL : SARRUS_SN_N_SLIP;
}

/* out [n] ← the numbers of these values, 0 where there is none. */
static void take(const sarrus_value_index *from, int n, const double *values, double *out) {
    for (int k = 0; k < n; ++k)
        out[k] = from[k] == SARRUS_NO_VALUE ? 0.0 : values[from[k]];
}

/* x [n] ← x/|x|; false where it has no direction. */
static bool make_unit(double *x, int n) {
    double length = 0.0;
    for (int k = 0; k < n; ++k)
        length = hypot(length, x[k]);
    for (int k = 0; k < n; ++k)
        x[k] = x[k] / length;
    return length > 0.0 && isfinite(length);
}

static void cross(const double a[3], const double b[3], double out[3]) {
    for (int k = 0; k < 3; ++k)
        out[k] = a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3];
}

/* n [3][3]: two directions at right angles to the first one. */
static bool complete(double *n) {
    int least = 0;
    for (int k = 1; k < 3; ++k)
        least = fabs(n[k]) < fabs(n[least]) ? k : least;
    const double axis[3] = {least == 0, least == 1, least == 2};
    cross(n, axis, n + 3);
    const bool good = make_unit(n + 3, 3);
    cross(n, n + 3, n + 6);
    return good;
}

static bool fill_roll(const sarrus_constraint *from, const double *values, double *p) {
    const sarrus_slip_numbers *slip = &from->slip;
    take(slip->plane, 3, values, p + SARRUS_SN_PLANE);
    take(slip->normal, 3, values, p + SARRUS_SN_NORMAL);
    take(slip->axis, 3, values, p + SARRUS_SN_AXIS);
    p[SARRUS_SN_RADIUS] = values[slip->radius];
    bool good = p[SARRUS_SN_RADIUS] > 0.0 && make_unit(p + SARRUS_SN_NORMAL, 3) && complete(p + SARRUS_SN_NORMAL);
    if (sarrus_plan_slip_roll(from) == SARRUS_ROLL_DISC)
        good = make_unit(p + SARRUS_SN_AXIS, 3) && good;
    return good;
}

bool sarrus_plan_slip_fill(sarrus_space space, const sarrus_constraint *from, const double *values, double *p) {
    const bool is_spatial = space == SARRUS_SPACE_SPATIAL;
    const int n = is_spatial ? 3 : 2;
    const int32_t along = is_spatial ? SARRUS_SN_ALONG : SARRUS_PC_ALONG_X, about = is_spatial ? SARRUS_SN_ABOUT : SARRUS_PC_ABOUT;
    take(from->of[0].point[1], n, values, p + (is_spatial ? SARRUS_SN_POINT : SARRUS_PC_POINT_X));
    if (from->slip_kind == SARRUS_SLIP_ROLLING)
        return fill_roll(from, values, p);
    take(from->slip.along, n, values, p + along);
    take(from->slip.about, is_spatial ? 3 : 1, values, p + about);
    if (from->slip_kind == SARRUS_SLIP_KNIFE_EDGE)
        return make_unit(p + along, n);
    double largest = 0.0;
    for (int k = 0; k < n; ++k)
        largest = fmax(largest, fmax(fabs(p[along + k]), k < (is_spatial ? 3 : 1) ? fabs(p[about + k]) : 0.0));
    return largest > 0.0;
}
