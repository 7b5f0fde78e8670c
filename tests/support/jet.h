/* Numbers that carry their first and second derivative along one direction: what the reference differentiates with, so that
 * it needs nothing but the constraint functions themselves. */
#ifndef TESTS_SUPPORT_JET_H
#define TESTS_SUPPORT_JET_H

#include <math.h>

/* A function of one variable at a point: value, first derivative, second derivative. */
typedef struct jet {
    double f;
    double d;
    double dd;
} jet;

static inline jet jet_constant(double f) {
    return (jet){f, 0.0, 0.0};
}

static inline jet jet_add(jet a, jet b) {
    return (jet){a.f + b.f, a.d + b.d, a.dd + b.dd};
}

static inline jet jet_subtract(jet a, jet b) {
    return (jet){a.f - b.f, a.d - b.d, a.dd - b.dd};
}

static inline jet jet_scale(double k, jet a) {
    return (jet){k * a.f, k * a.d, k * a.dd};
}

static inline jet jet_multiply(jet a, jet b) {
    return (jet){a.f * b.f, a.d * b.f + a.f * b.d, a.dd * b.f + 2.0 * a.d * b.d + a.f * b.dd};
}

static inline jet jet_sin(jet a) {
    double s = sin(a.f), c = cos(a.f);
    return (jet){s, c * a.d, c * a.dd - s * a.d * a.d};
}

static inline jet jet_cos(jet a) {
    double s = sin(a.f), c = cos(a.f);
    return (jet){c, -s * a.d, -s * a.dd - c * a.d * a.d};
}

static inline jet jet_sqrt(jet a) {
    double s = sqrt(a.f);
    return (jet){s, a.d / (2.0 * s), a.dd / (2.0 * s) - a.d * a.d / (4.0 * s * s * s)};
}

#endif
