#include "tests/support/steady_motion.h"

#include <math.h>
#include <string.h>

#include "tests/support/spatial_reference.h"

long double steady_dot(const long double a[3], const long double b[3]) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

void steady_cross(const long double a[3], const long double b[3], long double out[3]) {
    for (int k = 0; k < 3; ++k)
        out[k] = a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3];
}

void steady_pose(const double *q, const double *v, int body, long double t, long double r[3], long double a[3][3]) {
    memset(a, 0, 9 * sizeof(long double));
    for (int k = 0; k < 3; ++k) {
        r[k] = body < 0 ? 0.0L : q[7 * body + k] + t * v[6 * body + k];
        a[k][k] = 1.0L;
    }
    if (body < 0)
        return;
    long double own[3][3], turn[3];
    for (int k = 0; k < 3; ++k)
        turn[k] = t * v[6 * body + 3 + k];
    spatial_reference_rotation(q + 7 * body + 3, own);
    const long double angle2 = steady_dot(turn, turn), angle = sqrtl(angle2);
    const long double sine = angle > 0.0L ? sinl(angle) / angle : 1.0L;
    const long double versed = angle > 0.0L ? 2.0L * sinl(0.5L * angle) * sinl(0.5L * angle) / angle2 : 0.5L;
    for (int i = 0; i < 3; ++i) {
        for (int k = 0; k < 3; ++k) {
            long double unit[3] = {k == 0, k == 1, k == 2}, once[3], twice[3];
            steady_cross(turn, unit, once);
            steady_cross(turn, once, twice);
            a[i][k] = 0.0L;
            for (int j = 0; j < 3; ++j)
                a[i][k] += own[i][j] * (unit[j] + sine * once[j] + versed * twice[j]);
        }
    }
}
