#include "tests/support/vectors.h"

#include <math.h>

#include "tests/support/mechanism.h"

void vector_rotate(long double a[3][3], const long double s[3], long double out[3]) {
    for (int k = 0; k < 3; ++k) {
        out[k] = a[k][0] * s[0] + a[k][1] * s[1] + a[k][2] * s[2];
    }
}

void vector_rotate_back(long double a[3][3], const long double s[3], long double out[3]) {
    for (int k = 0; k < 3; ++k) {
        out[k] = a[0][k] * s[0] + a[1][k] * s[1] + a[2][k] * s[2];
    }
}

void vector_cross(const long double a[3], const long double b[3], long double out[3]) {
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

void vector_normalize(long double x[3]) {
    const long double length = sqrtl(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
    for (int k = 0; k < 3; ++k) {
        x[k] /= length;
    }
}

void vector_random(double size, uint64_t *seed, double out[3]) {
    for (int k = 0; k < 3; ++k) {
        out[k] = size * mechanism_random(seed);
    }
}
