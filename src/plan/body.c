#include "plan/body.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "kernels/body/mechanism.h"
#include "plan/rotation.h"

const sarrus_body_sizes *sarrus_body_sizes_of(int32_t space) {
    static const sarrus_body_sizes sizes[] = {
        [SARRUS_SPACE_PLANAR] = {SARRUS_PLANAR_NQ, SARRUS_PLANAR_NV, SARRUS_PLANAR_TURN, SARRUS_PLANAR_DIMENSION,
                                 SARRUS_PLANAR_N_TURN, SARRUS_PB_N},
        [SARRUS_SPACE_SPATIAL] = {SARRUS_SPATIAL_NQ, SARRUS_SPATIAL_NV, SARRUS_SPATIAL_TURN, SARRUS_SPATIAL_DIMENSION,
                                  SARRUS_SPATIAL_N_TURN, SARRUS_SB_N},
    };
    return &sizes[space];
}

/* sin(½φ)/φ: the root of what is left out is below the round-off. */
static double half_sine(double angle) {
    return angle > 1e-8 ? sin(0.5 * angle) / angle : 0.5;
}

void sarrus_body_advance(int32_t space, double scale, const double *d, double *q) {
    const sarrus_body_sizes *sizes = sarrus_body_sizes_of(space);
    const int n = space == SARRUS_SPACE_PLANAR ? sizes->n_q : sizes->turn;
    for (int k = 0; k < n; ++k)
        q[k] += scale * d[k];
    if (space == SARRUS_SPACE_PLANAR)
        return;
    const double *turn = d + sizes->turn;
    const double angle = fabs(scale) * sarrus_vector_length(turn), share = scale * half_sine(angle);
    const double step[4] = {cos(0.5 * angle), share * turn[0], share * turn[1], share * turn[2]};
    if (angle == 0.0)
        return;
    sarrus_rotation_compose(q + sizes->turn, step, q + sizes->turn);
    /* Many steps do not add up their round-off. */
    (void)sarrus_rotation_normalize(q + sizes->turn);
}

void sarrus_body_difference(int32_t space, const double *a, const double *b, double *d) {
    const sarrus_body_sizes *sizes = sarrus_body_sizes_of(space);
    const int n = space == SARRUS_SPACE_PLANAR ? sizes->n_v : sizes->turn;
    for (int k = 0; k < n; ++k)
        d[k] = b[k] - a[k];
    if (space == SARRUS_SPACE_PLANAR)
        return;
    const double *p = a + sizes->turn, back[4] = {p[0], -p[1], -p[2], -p[3]};
    double turn[4];
    sarrus_rotation_compose(back, b + sizes->turn, turn);
    const double sine = sarrus_vector_length(turn + 1), angle = 2.0 * atan2(sine, fabs(turn[0]));
    for (int k = 0; k < 3; ++k)
        d[sizes->turn + k] = (sine > 0.0 ? copysign(angle, turn[0]) / sine : 0.0) * turn[1 + k];
}

void sarrus_body_normalize(int32_t space, double *q) {
    if (space == SARRUS_SPACE_SPATIAL)
        (void)sarrus_rotation_normalize(q + SARRUS_SPATIAL_TURN);
}

void sarrus_body_point(int32_t space, const double *q, const double *s, double *out) {
    if (space == SARRUS_SPACE_PLANAR) {
        out[0] = q[0] + cos(q[2]) * s[0] - sin(q[2]) * s[1];
        out[1] = q[1] + sin(q[2]) * s[0] + cos(q[2]) * s[1];
        return;
    }
    double a[3][3], arm[3];
    sarrus_rotation_of(q + SARRUS_SPATIAL_TURN, a);
    sarrus_rotate((const double(*)[3])a, s, arm);
    for (int k = 0; k < 3; ++k)
        out[k] = q[k] + arm[k];
}

void sarrus_body_speeds_text(int32_t space, const double *v, const char *joining, char text[SARRUS_SPEEDS_TEXT]) {
    const sarrus_body_sizes *sizes = sarrus_body_sizes_of(space);
    text[0] = '\0';
    for (int k = 0; k < sizes->n_v; ++k) {
        const bool is_turn = k >= sizes->turn;
        const int first = is_turn ? sizes->turn : 0, n = is_turn ? sizes->n_turn : sizes->turn;
        const char *before = n == 1 ? "" : k == first ? "(" : ", ", *after = n > 1 && k == first + n - 1 ? ")" : "";
        const size_t n_text = strlen(text);
        (void)snprintf(text + n_text, SARRUS_SPEEDS_TEXT - n_text, "%s%.4g%s%s%s", before, v[k], after,
                       k == sizes->turn - 1  ? " m/s"
                       : k == sizes->n_v - 1 ? " rad/s"
                                             : "",
                       k == sizes->turn - 1 ? joining : "");
    }
}

sarrus_body_weight sarrus_body_weight_of(int32_t space, const double *p) {
    if (space == SARRUS_SPACE_PLANAR)
        return (sarrus_body_weight){sqrt(p[SARRUS_PB_MINV]), {sqrt(p[SARRUS_PB_IINV])}};
    sarrus_body_weight weight = {.shift = sqrt(p[SARRUS_SB_MINV])};
    for (int k = 0; k < 6; ++k)
        weight.turn[k] = p[SARRUS_SB_ROOT + k];
    return weight;
}

void sarrus_body_weigh(int32_t space, const sarrus_body_weight *weight, double scale, const double *x, double *d) {
    const int turn = sarrus_body_sizes_of(space)->turn;
    for (int k = 0; k < turn; ++k)
        d[k] = scale * weight->shift * x[k];
    if (space == SARRUS_SPACE_PLANAR) {
        d[turn] = scale * weight->turn[0] * x[turn];
        return;
    }
    const double *l = weight->turn, *y = x + turn;
    double *z = d + turn;
    z[2] = scale * y[2] / l[2];
    z[1] = (scale * y[1] - l[5] * z[2]) / l[1];
    z[0] = (scale * y[0] - l[3] * z[1] - l[4] * z[2]) / l[0];
}

/* x ← Lᵀ d, in place too. */
static void apply_root(const double *l, const double *d, double *x) {
    x[0] = l[0] * d[0] + l[3] * d[1] + l[4] * d[2];
    x[1] = l[1] * d[1] + l[5] * d[2];
    x[2] = l[2] * d[2];
}

void sarrus_body_weigh_back(int32_t space, const sarrus_body_weight *weight, const double *d, double *x) {
    if (space == SARRUS_SPACE_PLANAR) {
        x[0] = copysign(1.0, d[0]);
        return;
    }
    apply_root(weight->turn, d, x);
    const double length = sarrus_vector_length(x);
    for (int k = 0; k < 3; ++k)
        x[k] /= length;
}

/* Shifts, and the turn in the plane, are divided by their weights whichever way L goes. */
static void divide(int32_t space, const sarrus_body_weight *weight, double *x) {
    const int turn = sarrus_body_sizes_of(space)->turn;
    for (int k = 0; k < turn; ++k)
        x[k] /= weight->shift;
    if (space == SARRUS_SPACE_PLANAR)
        x[turn] /= weight->turn[0];
}

void sarrus_body_unweigh_speed(int32_t space, const sarrus_body_weight *weight, double *v) {
    divide(space, weight, v);
    if (space == SARRUS_SPACE_SPATIAL)
        apply_root(weight->turn, v + SARRUS_SPATIAL_TURN, v + SARRUS_SPATIAL_TURN);
}

void sarrus_body_unweigh_row(int32_t space, const sarrus_body_weight *weight, double *row) {
    divide(space, weight, row);
    if (space == SARRUS_SPACE_PLANAR)
        return;
    const double *l = weight->turn;
    double *t = row + SARRUS_SPATIAL_TURN;
    t[2] = l[4] * t[0] + l[5] * t[1] + l[2] * t[2];
    t[1] = l[3] * t[0] + l[1] * t[1];
    t[0] = l[0] * t[0];
}
