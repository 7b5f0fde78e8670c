#include "plan/rotation.h"

#include <math.h>
#include <string.h>

/* How far from a rotation a matrix may be that is meant as one: what six digits leave. */
static const double cosines_tolerance = 1e-6;

double sarrus_vector_dot(const double a[3], const double b[3]) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

void sarrus_vector_cross(const double a[3], const double b[3], double out[3]) {
    const double c[3] = {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
    memcpy(out, c, sizeof c);
}

double sarrus_vector_length(const double a[3]) {
    return hypot(hypot(a[0], a[1]), a[2]);
}

void sarrus_rotate(const double a[3][3], const double s[3], double out[3]) {
    const double turned[3] = {sarrus_vector_dot(a[0], s), sarrus_vector_dot(a[1], s), sarrus_vector_dot(a[2], s)};
    memcpy(out, turned, sizeof turned);
}

void sarrus_rotate_back(const double a[3][3], const double s[3], double out[3]) {
    double turned[3];
    for (int k = 0; k < 3; ++k)
        turned[k] = a[0][k] * s[0] + a[1][k] * s[1] + a[2][k] * s[2];
    memcpy(out, turned, sizeof turned);
}

/* A = (2w² − 1) 1 + 2 (e eᵀ + w ẽ) */
void sarrus_rotation_of(const double p[4], double a[3][3]) {
    const double *e = p + 1;
    for (int i = 0; i < 3; ++i) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        a[i][i] = 2.0 * (p[0] * p[0] + e[i] * e[i]) - 1.0;
        a[i][j] = 2.0 * (e[i] * e[j] - p[0] * e[k]);
        a[i][k] = 2.0 * (e[i] * e[k] + p[0] * e[j]);
    }
}

/* From the largest of the four, which is ½ at least: 4 p_i p_j stand in the matrix. */
void sarrus_rotation_parameters(const double a[3][3], double p[4]) {
    const double trace = a[0][0] + a[1][1] + a[2][2];
    int largest = -1;
    double most = trace;
    for (int k = 0; k < 3; ++k) {
        largest = a[k][k] > most ? k : largest;
        most = fmax(a[k][k], most);
    }
    if (largest < 0) {
        p[0] = 0.5 * sqrt(1.0 + trace);
        for (int i = 0; i < 3; ++i)
            p[1 + i] = (a[(i + 2) % 3][(i + 1) % 3] - a[(i + 1) % 3][(i + 2) % 3]) / (4.0 * p[0]);
    } else {
        const int i = largest, j = (i + 1) % 3, k = (i + 2) % 3;
        const double e = 0.5 * sqrt(1.0 + a[i][i] - a[j][j] - a[k][k]);
        p[0] = (a[k][j] - a[j][k]) / (4.0 * e);
        p[1 + i] = e;
        p[1 + j] = (a[i][j] + a[j][i]) / (4.0 * e);
        p[1 + k] = (a[i][k] + a[k][i]) / (4.0 * e);
    }
    for (int i = 0; p[0] < 0.0 && i < 4; ++i)
        p[3 - i] = -p[3 - i];
}

void sarrus_rotation_compose(const double p[4], const double o[4], double out[4]) {
    double both[4], e[3];
    both[0] = p[0] * o[0] - sarrus_vector_dot(p + 1, o + 1);
    sarrus_vector_cross(p + 1, o + 1, e);
    for (int k = 0; k < 3; ++k)
        both[1 + k] = e[k] + p[0] * o[1 + k] + o[0] * p[1 + k];
    memcpy(out, both, sizeof both);
}

bool sarrus_rotation_normalize(double p[4]) {
    const double length = hypot(hypot(p[0], p[1]), hypot(p[2], p[3]));
    if (!(length > 0.0) || !isfinite(length))
        return false;
    for (int k = 0; k < 4; ++k)
        p[k] /= length;
    return true;
}

/* Three turns, each about an axis of the frame that the ones before have left. */
static void turns_read(const double angle[3], const int axis[3], double p[4]) {
    const double none[4] = {1.0, 0.0, 0.0, 0.0};
    memcpy(p, none, sizeof none);
    for (int k = 0; k < 3; ++k) {
        double turn[4] = {cos(0.5 * angle[k]), 0.0, 0.0, 0.0};
        turn[1 + axis[k]] = sin(0.5 * angle[k]);
        sarrus_rotation_compose(p, turn, p);
    }
}

static bool axis_read(const double *x, double p[4]) {
    const double length = sarrus_vector_length(x);
    if (!(length > 0.0) || !isfinite(length))
        return false;
    p[0] = cos(0.5 * x[3]);
    for (int k = 0; k < 3; ++k)
        p[1 + k] = sin(0.5 * x[3]) * x[k] / length;
    return true;
}

/* The rotation next to the matrix, by Newton's iteration A ← ½ (A + A⁻ᵀ), whose cofactors are det A · A⁻ᵀ. */
static bool cosines_read(const double *x, double p[4]) {
    double a[3][3];
    memcpy(a, x, sizeof a);
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            if (!(fabs(sarrus_vector_dot(a[i], a[j]) - (i == j)) <= cosines_tolerance))
                return false;
        }
    }
    for (int pass = 0; pass < 3; ++pass) {
        double cofactor[3][3];
        for (int i = 0; i < 3; ++i)
            sarrus_vector_cross(a[(i + 1) % 3], a[(i + 2) % 3], cofactor[i]);
        const double determinant = sarrus_vector_dot(a[0], cofactor[0]);
        if (!(determinant > 0.0))
            return false;
        for (int i = 0; i < 9; ++i)
            a[i / 3][i % 3] = 0.5 * (a[i / 3][i % 3] + cofactor[i / 3][i % 3] / determinant);
    }
    sarrus_rotation_parameters((const double(*)[3])a, p);
    return true;
}

bool sarrus_orientation_read(sarrus_orientation form, const double *x, double p[4]) {
    static const int euler[3] = {2, 0, 2}, bryant[3] = {0, 1, 2};
    bool good = true;
    switch (form) {
    case SARRUS_ORIENTATION_PARAMETERS:
        memcpy(p, x, 4 * sizeof *p);
        break;
    case SARRUS_ORIENTATION_EULER:
        turns_read(x, euler, p);
        break;
    case SARRUS_ORIENTATION_BRYANT:
        turns_read(x, bryant, p);
        break;
    case SARRUS_ORIENTATION_AXIS:
        good = axis_read(x, p);
        break;
    case SARRUS_ORIENTATION_COSINES:
        good = cosines_read(x, p);
        break;
    }
    return good && sarrus_rotation_normalize(p);
}

/* An angle in (−π, π]. */
static double angle_wrap(double angle) {
    if (angle > M_PI)
        return angle - 2.0 * M_PI;
    return angle <= -M_PI ? angle + 2.0 * M_PI : angle;
}

/* The first and the third of three angles, from vectors along half their sum and half their difference, of lengths whose squares
 * add up to 1 or 2. */
static void outer_angles_write(const double sum[2], const double difference[2], double *first, double *third) {
    static const double none = 1e-14;
    double half_sum = atan2(sum[1], sum[0]), half_difference = atan2(difference[1], difference[0]);
    if (hypot(difference[0], difference[1]) <= none)
        half_difference = half_sum;
    if (hypot(sum[0], sum[1]) <= none)
        half_sum = half_difference;
    *first = angle_wrap(half_sum + half_difference);
    *third = angle_wrap(half_sum - half_difference);
}

/* p = (cos ½b cos ½(a + c), sin ½b cos ½(a − c), sin ½b sin ½(a − c), cos ½b sin ½(a + c)). */
static void euler_write(const double p[4], double *x) {
    const double sum[2] = {p[0], p[3]}, difference[2] = {p[1], p[2]};
    outer_angles_write(sum, difference, &x[0], &x[2]);
    x[1] = 2.0 * atan2(hypot(difference[0], difference[1]), hypot(sum[0], sum[1]));
}

/* (w + y, x + z) = √2 sin(½b + ¼π) (cos, sin)(½(a + c)), (w − y, x − z) = √2 cos(½b + ¼π) (cos, sin)(½(a − c)). */
static void bryant_write(const double p[4], double *x) {
    const double sum[2] = {p[0] + p[2], p[1] + p[3]}, difference[2] = {p[0] - p[2], p[1] - p[3]};
    outer_angles_write(sum, difference, &x[0], &x[2]);
    x[1] = 2.0 * (atan2(hypot(sum[0], sum[1]), hypot(difference[0], difference[1])) - 0.25 * M_PI);
}

static void axis_write(const double p[4], double *x) {
    const double length = sarrus_vector_length(p + 1);
    x[3] = 2.0 * atan2(length, p[0]);
    for (int k = 0; k < 3; ++k)
        x[k] = length > 0.0 ? p[1 + k] / length : k == 2;
}

void sarrus_orientation_write(sarrus_orientation form, const double p[4], double *x) {
    double unit[4], a[3][3];
    memcpy(unit, p, sizeof unit);
    if (!sarrus_rotation_normalize(unit)) {
        for (int k = 0; k < sarrus_orientation_count(form); ++k)
            x[k] = NAN;
        return;
    }
    for (int k = 0; p[0] < 0.0 && k < 4; ++k)
        unit[k] = -unit[k];
    switch (form) {
    case SARRUS_ORIENTATION_PARAMETERS:
        memcpy(x, unit, sizeof unit);
        break;
    case SARRUS_ORIENTATION_EULER:
        euler_write(unit, x);
        break;
    case SARRUS_ORIENTATION_BRYANT:
        bryant_write(unit, x);
        break;
    case SARRUS_ORIENTATION_AXIS:
        axis_write(unit, x);
        break;
    case SARRUS_ORIENTATION_COSINES:
        sarrus_rotation_of(unit, a);
        memcpy(x, a, sizeof a);
        break;
    }
}

int sarrus_orientation_count(sarrus_orientation form) {
    static const int counts[] = {
        [SARRUS_ORIENTATION_PARAMETERS] = 4, [SARRUS_ORIENTATION_EULER] = 3,   [SARRUS_ORIENTATION_BRYANT] = 3,
        [SARRUS_ORIENTATION_AXIS] = 4,       [SARRUS_ORIENTATION_COSINES] = 9,
    };
    return counts[form];
}
