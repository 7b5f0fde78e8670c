#include "study/point_motion.h"

#include <math.h>

#include "plan/rotation.h"

static void planar_motion(const sarrus_point_on *point, int order, double *out) {
    const double c = cos(point->q[2]), n = sin(point->q[2]);
    const double x = c * point->s[0] - n * point->s[1], y = n * point->s[0] + c * point->s[1];
    if (order == 0) {
        out[0] = point->q[0] + x;
        out[1] = point->q[1] + y;
        return;
    }
    const double rate = point->v[2];
    if (order == 1) {
        out[0] = point->v[0] - rate * y;
        out[1] = point->v[1] + rate * x;
        return;
    }
    out[0] = point->a[0] - point->a[2] * y - rate * rate * x;
    out[1] = point->a[1] + point->a[2] * x - rate * rate * y;
}

static void cross(const double a[3], const double b[3], double out[3]) {
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

/* r + A s,  ṙ + A (ω × s),  r̈ + A (ω̇ × s + ω × (ω × s)), with ω in the body's frame. */
static void spatial_motion(const sarrus_point_on *point, int order, double *out) {
    const double *from = order == 0 ? point->q : order == 1 ? point->v : point->a;
    double matrix[3][3], arm[3] = {point->s[0], point->s[1], point->s[2]};
    sarrus_rotation_of(point->q + 3, matrix);
    if (order > 0)
        cross(point->v + 3, point->s, arm);
    if (order > 1) {
        double inward[3], sideways[3];
        cross(point->v + 3, arm, inward);
        cross(point->a + 3, point->s, sideways);
        for (int k = 0; k < 3; ++k)
            arm[k] = sideways[k] + inward[k];
    }
    for (int k = 0; k < 3; ++k)
        out[k] = from[k] + (matrix[k][0] * arm[0] + matrix[k][1] * arm[1] + matrix[k][2] * arm[2]);
}

void sarrus_point_motion(const sarrus_point_on *point, int order, double *out) {
    if (point->space == SARRUS_SPACE_SPATIAL)
        spatial_motion(point, order, out);
    else
        planar_motion(point, order, out);
}
