/* Numbers in long double that carry their first and second derivative along one direction, and vectors of them: what the reference
 * in space differentiates with. */
#ifndef TESTS_SUPPORT_SPATIAL_JET_H
#define TESTS_SUPPORT_SPATIAL_JET_H

#include <math.h>

typedef struct long_jet {
    long double f, d, dd;
} long_jet;

typedef struct vector_jet {
    long_jet x[3];
} vector_jet;

static inline long_jet long_jet_add(long_jet a, long double s, long_jet b) { /* a + s b */
    return (long_jet){a.f + s * b.f, a.d + s * b.d, a.dd + s * b.dd};
}

static inline long_jet long_jet_multiply(long_jet a, long_jet b) {
    return (long_jet){a.f * b.f, a.d * b.f + a.f * b.d, a.dd * b.f + 2.0L * a.d * b.d + a.f * b.dd};
}

/* g(a) with the derivatives g, g', g'' at a. */
static inline long_jet long_jet_chain(long_jet a, long double g, long double g1, long double g2) {
    return (long_jet){g, g1 * a.d, g1 * a.dd + g2 * a.d * a.d};
}

static inline long_jet long_jet_inverse(long_jet a) {
    return long_jet_chain(a, 1.0L / a.f, -1.0L / (a.f * a.f), 2.0L / (a.f * a.f * a.f));
}

static inline long_jet long_jet_sqrt(long_jet a) {
    const long double s = sqrtl(a.f);
    return long_jet_chain(a, s, 0.5L / s, -0.25L / (s * s * s));
}

/* The angle of (x, y): its rate is (x y' - y x')/r2. */
static inline long_jet long_jet_atan2(long_jet y, long_jet x) {
    const long double r2 = x.f * x.f + y.f * y.f, r2_rate = 2.0L * (x.f * x.d + y.f * y.d);
    const long double sweep = x.f * y.d - y.f * x.d, sweep_rate = x.f * y.dd - y.f * x.dd;
    return (long_jet){atan2l(y.f, x.f), sweep / r2, sweep_rate / r2 - sweep * r2_rate / (r2 * r2)};
}

static inline long_jet vector_jet_dot(vector_jet a, vector_jet b) {
    long_jet sum = long_jet_multiply(a.x[0], b.x[0]);
    sum = long_jet_add(sum, 1.0L, long_jet_multiply(a.x[1], b.x[1]));
    return long_jet_add(sum, 1.0L, long_jet_multiply(a.x[2], b.x[2]));
}

static inline vector_jet vector_jet_add(vector_jet a, long double s, vector_jet b) {
    vector_jet out;
    for (int k = 0; k < 3; ++k) {
        out.x[k] = long_jet_add(a.x[k], s, b.x[k]);
    }
    return out;
}

#endif
