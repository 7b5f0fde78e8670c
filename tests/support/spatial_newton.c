/* Newton's and Euler's equations of the reference in space. */
#include <math.h>
#include <string.h>

#include "tests/support/spatial_reference.h"
#include "tests/support/vectors.h"

enum { N = REFERENCE_MAX_N, M = REFERENCE_MAX_M };

/* --- Newton and Euler --------------------------------------------------------------------------------------------------- */

bool spatial_reference_eliminate(int n, long double *a, long double *b) {
    for (int k = 0; k < n; ++k) {
        int best = k;
        for (int i = k + 1; i < n; ++i) {
            best = fabsl(a[n * i + k]) > fabsl(a[n * best + k]) ? i : best;
        }
        if (a[n * best + k] == 0.0L) {
            return false;
        }
        for (int j = 0; j < n; ++j) {
            const long double held = a[n * k + j];
            a[n * k + j] = a[n * best + j];
            a[n * best + j] = held;
        }
        const long double held = b[k];
        b[k] = b[best];
        b[best] = held;
        for (int i = 0; i < n; ++i) {
            const long double f = i == k ? 0.0L : a[n * i + k] / a[n * k + k];
            for (int j = k; j < n; ++j) {
                a[n * i + j] -= f * a[n * k + j];
            }
            b[i] -= f * b[k];
        }
    }
    for (int k = 0; k < n; ++k) {
        b[k] /= a[n * k + k];
    }
    return true;
}

static void inertia_matrix(const spatial_reference_body *body, long double out[9]) {
    static const int at[9] = {0, 3, 4, 3, 1, 5, 4, 5, 2};
    for (int k = 0; k < 9; ++k) {
        out[k] = body->inertia[at[k]];
    }
}

/* M x */
static void times_mass(const spatial_reference *ref, const long double *x, long double *out) {
    for (int b = 0; b < ref->n_bodies; ++b) {
        const long double *of = x + REFERENCE_NV * b;
        long double *to = out + REFERENCE_NV * b, inertia[9];
        inertia_matrix(&ref->bodies[b], inertia);
        for (int k = 0; k < 3; ++k) {
            to[k] = ref->bodies[b].mass * of[k];
            to[3 + k] = inertia[3 * k] * of[3] + inertia[3 * k + 1] * of[4] + inertia[3 * k + 2] * of[5];
        }
    }
}

void spatial_reference_solve_mass(const spatial_reference *ref, const long double *y, long double *x) {
    for (int b = 0; b < ref->n_bodies; ++b) {
        long double inertia[9];
        inertia_matrix(&ref->bodies[b], inertia);
        for (int k = 0; k < 3; ++k) {
            x[REFERENCE_NV * b + k] = y[REFERENCE_NV * b + k] / ref->bodies[b].mass;
            x[REFERENCE_NV * b + 3 + k] = y[REFERENCE_NV * b + 3 + k];
        }
        (void)spatial_reference_eliminate(3, inertia, x + REFERENCE_NV * b + 3);
    }
}

/* w x (I w + h) of each body; 0 for the centres. */
static void gyroscopic(const spatial_reference *ref, const double *v, long double *out) {
    long double speed[N] = {0.0L}, momentum[N];
    for (int j = 0; j < REFERENCE_NV * ref->n_bodies; ++j) {
        speed[j] = v[j];
    }
    times_mass(ref, speed, momentum);
    for (int b = 0; b < ref->n_bodies; ++b) {
        const long double *w = speed + REFERENCE_NV * b + 3;
        long double *to = out + REFERENCE_NV * b, l[3];
        for (int k = 0; k < 3; ++k) {
            l[k] = momentum[REFERENCE_NV * b + 3 + k] + ref->bodies[b].rotor[k];
            to[k] = 0.0L;
        }
        to[3] = w[1] * l[2] - w[2] * l[1];
        to[4] = w[2] * l[0] - w[0] * l[2];
        to[5] = w[0] * l[1] - w[1] * l[0];
    }
}

void spatial_reference_inertial(const spatial_reference *ref, const double *v, const long double *a, long double *out) {
    long double turning[N];
    times_mass(ref, a, out);
    gyroscopic(ref, v, turning);
    for (int j = 0; j < REFERENCE_NV * ref->n_bodies; ++j) {
        out[j] += turning[j];
    }
}

void spatial_reference_accelerate(const spatial_reference *ref, const double *v, const long double *force, long double *a) {
    long double rest[N];
    gyroscopic(ref, v, rest);
    for (int j = 0; j < REFERENCE_NV * ref->n_bodies; ++j) {
        rest[j] = force[j] - rest[j];
    }
    spatial_reference_solve_mass(ref, rest, a);
}

long double spatial_reference_kinetic(const spatial_reference *ref, const double *v) {
    long double speed[N] = {0.0L}, momentum[N], sum = 0.0L;
    for (int j = 0; j < REFERENCE_NV * ref->n_bodies; ++j) {
        speed[j] = v[j];
    }
    times_mass(ref, speed, momentum);
    for (int j = 0; j < REFERENCE_NV * ref->n_bodies; ++j) {
        sum += 0.5L * speed[j] * momentum[j];
    }
    return sum;
}

/* --- Motion with constraints -------------------------------------------------------------------------------------------- */

/* S = J M^-1 J^T [m][m]; returns its condition. */
static long double gram_of(const spatial_reference *ref, const long double *jacobian, long double *s) {
    const int n = REFERENCE_NV * ref->n_bodies, m = spatial_reference_m(ref);
    long double size2 = 0.0L, inverse2 = 0.0L, weighed[N];
    for (int i = 0; i < m; ++i) {
        spatial_reference_solve_mass(ref, jacobian + n * i, weighed);
        for (int k = 0; k < m; ++k) {
            s[m * k + i] = 0.0L;
            for (int j = 0; j < n; ++j) {
                s[m * k + i] += jacobian[n * k + j] * weighed[j];
            }
            size2 += s[m * k + i] * s[m * k + i];
        }
    }
    for (int i = 0; i < m; ++i) {
        long double copy[M * M], column[M] = {0.0L};
        memcpy(copy, s, (size_t)(m * m) * sizeof *s);
        column[i] = 1.0L;
        (void)spatial_reference_eliminate(m, copy, column);
        for (int k = 0; k < m; ++k) {
            inverse2 += column[k] * column[k];
        }
    }
    return m == 0 ? 1.0L : sqrtl(size2 * inverse2);
}

long double spatial_reference_motion(const spatial_reference *ref, double t, const double *q, const double *v, long double *a,
                                     long double *mu) {
    const int n = REFERENCE_NV * ref->n_bodies, m = spatial_reference_m(ref), size = n + m;
    long double jacobian[M * N], gamma[M], force[N], turning[N], gram[M * M], unit[N], column[N];
    long double matrix[(N + M) * (N + M)] = {0.0L}, right[N + M];
    spatial_reference_rows(ref, t, q, v, NULL, NULL, gamma, jacobian);
    (void)spatial_reference_forces(ref, q, v, force);
    gyroscopic(ref, v, turning);
    for (int j = 0; j < n; ++j) {
        memset(unit, 0, sizeof unit);
        unit[j] = 1.0L;
        times_mass(ref, unit, column);
        for (int i = 0; i < n; ++i) {
            matrix[size * i + j] = column[i];
        }
        for (int i = 0; i < m; ++i) {
            matrix[size * (n + i) + j] = jacobian[n * i + j];
            matrix[size * j + n + i] = -jacobian[n * i + j];
        }
        right[j] = force[j] - turning[j];
    }
    memcpy(right + n, gamma, (size_t)m * sizeof *gamma);
    (void)spatial_reference_eliminate(size, matrix, right);
    memcpy(a, right, (size_t)n * sizeof *a);
    memcpy(mu, right + n, (size_t)m * sizeof *mu);
    return gram_of(ref, jacobian, gram);
}

void spatial_reference_project(const spatial_reference *ref, double t, const double *q, double *v) {
    const int n = REFERENCE_NV * ref->n_bodies, m = spatial_reference_m(ref);
    long double jacobian[M * N], off[M], s[M * M], push[N] = {0.0L}, change[N];
    spatial_reference_rows(ref, t, q, v, NULL, off, NULL, jacobian);
    (void)gram_of(ref, jacobian, s);
    (void)spatial_reference_eliminate(m, s, off);
    for (int k = 0; k < m * n; ++k) {
        push[k % n] += jacobian[k] * off[k / n];
    }
    spatial_reference_solve_mass(ref, push, change);
    for (int j = 0; j < n; ++j) {
        v[j] = (double)(v[j] - change[j]);
    }
}

/* --- Wrenches ----------------------------------------------------------------------------------------------------------- */

/* Where a body is: its centre and its rotation. */
static void place_of(const double *q, int body, long double r[3], long double a[3][3]) {
    static const double ground[REFERENCE_NQ] = {0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0};
    const double *of = body == SARRUS_GROUND ? ground : q + REFERENCE_NQ * body;
    spatial_reference_rotation(of + 3, a);
    for (int k = 0; k < 3; ++k) {
        r[k] = of[k];
    }
}

/* From the centre of a body to the child's point, and the body's rotation. */
static void arm_of(const spatial_reference *ref, const double *q, int body, long double arm[3], long double a[3][3]) {
    long double child[3], turned[3][3], r[3];
    place_of(q, ref->body[1], child, turned);
    place_of(q, body, r, a);
    for (int k = 0; k < 3; ++k) {
        arm[k] = child[k] - r[k];
        for (int i = 0; i < 3; ++i) {
            arm[k] += turned[k][i] * ref->point[1][i];
        }
    }
}

void spatial_reference_wrench(const spatial_reference *ref, double t, const double *q, const double *v, const long double *mu,
                              bool is_of_drive, long double wrench[6]) {
    const int n = REFERENCE_NV * ref->n_bodies, m = spatial_reference_m(ref);
    const int side = ref->body[1] == SARRUS_GROUND ? 0 : 1, body = ref->body[side];
    long double jacobian[M * N], load[6] = {0.0L}, arm[3], a[3][3], moment[3];
    spatial_reference_rows(ref, t, q, v, NULL, NULL, NULL, jacobian);
    for (int i = is_of_drive ? ref->n_rows : 0; i < (is_of_drive ? m : ref->n_rows); ++i) {
        for (int k = 0; k < 6; ++k) {
            load[k] += mu[i] * jacobian[n * i + REFERENCE_NV * body + k];
        }
    }
    arm_of(ref, q, body, arm, a);
    vector_cross(arm, load, moment);
    for (int i = 0; i < 3; ++i) {
        const long double torque = a[i][0] * load[3] + a[i][1] * load[4] + a[i][2] * load[5];
        wrench[i] = side ? load[i] : -load[i];
        wrench[3 + i] = side ? torque - moment[i] : moment[i] - torque;
    }
}

void spatial_reference_wrench_forces(const spatial_reference *ref, const double *q, const long double wrench[6], long double *out) {
    memset(out, 0, (size_t)(REFERENCE_NV * ref->n_bodies) * sizeof *out);
    for (int side = 0; side < 2; ++side) {
        const int body = ref->body[side];
        const long double sign = side ? 1.0L : -1.0L;
        long double arm[3], a[3][3], torque[3];
        if (body == SARRUS_GROUND) {
            continue;
        }
        arm_of(ref, q, body, arm, a);
        vector_cross(arm, wrench, torque);
        for (int k = 0; k < 3; ++k) {
            out[REFERENCE_NV * body + k] = sign * wrench[k];
            for (int i = 0; i < 3; ++i) {
                out[REFERENCE_NV * body + 3 + k] += sign * a[i][k] * (torque[i] + wrench[3 + i]);
            }
        }
    }
}

long double spatial_reference_power(const spatial_reference *ref, const double *v, const long double *force) {
    long double sum = 0.0L;
    for (int j = 0; j < REFERENCE_NV * ref->n_bodies; ++j) {
        sum += force[j] * v[j];
    }
    return sum;
}
