/* One joint in space in long double. */
#include "tests/support/spatial_reference.h"

#include <math.h>
#include <string.h>

#include "tests/support/spatial_jet.h"

enum { N = REFERENCE_MAX_N, M = REFERENCE_MAX_M };

static const double two_pi = 6.283185307179586476925;

int spatial_reference_m(const spatial_reference *ref) {
    return ref->n_rows + (ref->driven >= 0);
}

void spatial_reference_rotation(const double p[4], long double a[3][3]) {
    const long double e0 = p[0], e[3] = {p[1], p[2], p[3]};
    const long double norm2 = e0 * e0 + e[0] * e[0] + e[1] * e[1] + e[2] * e[2];
    const long double tilde[3][3] = {{0.0L, -e[2], e[1]}, {e[2], 0.0L, -e[0]}, {-e[1], e[0], 0.0L}};
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            long double twice = e0 * tilde[i][j];
            for (int k = 0; k < 3; ++k) {
                twice += tilde[i][k] * tilde[k][j];
            }
            a[i][j] = (i == j) + 2.0L * twice / norm2;
        }
    }
}

/* --- Bodies on the way ------------------------------------------------------------------------------------------------- */

/* Where a body is and how that changes with constant speeds: r + s v, A exp(s w). */
typedef struct moving_body {
    vector_jet r;
    long_jet a[3][3];
} moving_body;

static void matrix_product(long double a[3][3], long double b[3][3], long double out[3][3]) {
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            out[i][j] = a[i][0] * b[0][j] + a[i][1] * b[1][j] + a[i][2] * b[2][j];
        }
    }
}

static moving_body body_moving(int body, const double *q, const long double *v) {
    moving_body out;
    static const double ground[REFERENCE_NQ] = {0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0};
    static const long double still[REFERENCE_NV] = {0.0L};
    const double *of = body == SARRUS_GROUND ? ground : q + REFERENCE_NQ * body;
    const long double *rate = body == SARRUS_GROUND ? still : v + REFERENCE_NV * body, *w = rate + 3;
    long double turning[3][3] = {{0.0L, -w[2], w[1]}, {w[2], 0.0L, -w[0]}, {-w[1], w[0], 0.0L}};
    long double a[3][3], once[3][3], twice[3][3];
    spatial_reference_rotation(of + 3, a);
    matrix_product(a, turning, once);
    matrix_product(once, turning, twice);
    for (int i = 0; i < 3; ++i) {
        out.r.x[i] = (long_jet){of[i], rate[i], 0.0L};
        for (int j = 0; j < 3; ++j) {
            out.a[i][j] = (long_jet){a[i][j], once[i][j], twice[i][j]};
        }
    }
    return out;
}

static vector_jet rotated(const moving_body *body, const long double s[3]) {
    vector_jet out = {{{0.0L, 0.0L, 0.0L}, {0.0L, 0.0L, 0.0L}, {0.0L, 0.0L, 0.0L}}};
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            out.x[i] = long_jet_add(out.x[i], s[j], body->a[i][j]);
        }
    }
    return out;
}

/* p_1 ... p_3, c_1 ... c_3 as p[1] ... c[3], and d. */
typedef struct moving_joint {
    vector_jet p[4], c[4], d;
} moving_joint;

static moving_joint joint_moving(const spatial_reference *ref, const double *q, const long double *v) {
    moving_joint out;
    const moving_body parent = body_moving(ref->body[0], q, v), child = body_moving(ref->body[1], q, v);
    for (int k = 0; k < 3; ++k) {
        out.p[k + 1] = rotated(&parent, ref->axis[0][k]);
        out.c[k + 1] = rotated(&child, ref->axis[1][k]);
    }
    const vector_jet from = vector_jet_add(parent.r, 1.0L, rotated(&parent, ref->point[0]));
    out.d = vector_jet_add(vector_jet_add(child.r, 1.0L, rotated(&child, ref->point[1])), -1.0L, from);
    return out;
}

/* --- Free coordinates and rows ------------------------------------------------------------------------------------------ */

/* What an angle is the direction of. */
typedef struct pointer {
    long_jet x, y;
} pointer;

static pointer pointer_of(const moving_joint *at, int y_parent, int y_child, int x_parent, int x_child) {
    return (pointer){.x = vector_jet_dot(at->p[x_parent], at->c[x_child]), .y = vector_jet_dot(at->p[y_parent], at->c[y_child])};
}

static bool is_pointed(sarrus_freedom form) {
    return form >= SARRUS_FREEDOM_TURN_1 && form <= SARRUS_FREEDOM_SECOND_3;
}

/* (i, j, k) are cyclic, as in freedom.def. */
static pointer pointer_find(sarrus_freedom form, const moving_joint *at) {
    static const int next[] = {0, 2, 3, 1};
    if (form >= SARRUS_FREEDOM_SECOND_1) {
        const int j = (int)form - SARRUS_FREEDOM_SECOND_1 + 1, k = next[j], i = next[k];
        return pointer_of(at, i, k, i, i);
    }
    if (form >= SARRUS_FREEDOM_FIRST_1) {
        const int i = (int)form - SARRUS_FREEDOM_FIRST_1 + 1, j = next[i], k = next[j];
        return pointer_of(at, k, j, j, j);
    }
    const int k = (int)form - SARRUS_FREEDOM_TURN_1 + 1, i = next[k], j = next[i];
    return pointer_of(at, j, i, i, i);
}

/* theta = phi u by the skew part of R = (p_i . c_j), sin phi u, and its trace. */
static void rotation_vector(const moving_joint *at, long_jet theta[3]) {
    static const int next[] = {0, 2, 3, 1};
    long_jet u[3], trace = {-1.0L, 0.0L, 0.0L}, sine2 = {0.0L, 0.0L, 0.0L};
    for (int i = 1; i <= 3; ++i) {
        const int j = next[i], k = next[j];
        u[i - 1] = long_jet_add(vector_jet_dot(at->p[k], at->c[j]), -1.0L, vector_jet_dot(at->p[j], at->c[k]));
        sine2 = long_jet_add(sine2, 1.0L, long_jet_multiply(u[i - 1], u[i - 1]));
        trace = long_jet_add(trace, 1.0L, vector_jet_dot(at->p[i], at->c[i]));
    }
    const long_jet sine = long_jet_sqrt(sine2), scale = long_jet_multiply(long_jet_atan2(sine, trace), long_jet_inverse(sine));
    for (int k = 0; k < 3; ++k) {
        theta[k] = long_jet_multiply(scale, u[k]);
    }
}

/* The displacement of a screw, as the angle that it goes with. */
static long_jet lead(const spatial_reference *ref, const moving_joint *at) {
    long_jet x = vector_jet_dot(at->p[3], at->d);
    x.f -= ref->zero[2];
    return (long_jet){x.f / ref->pitch, x.d / ref->pitch, x.dd / ref->pitch};
}

/* Of a coordinate of one number x[0]; returns how many there are. A form that is not treated here does not compile. */
static int coordinate_find(const spatial_reference *ref, sarrus_freedom form, const moving_joint *at, long_jet x[3]) {
    long_jet theta[3];
    switch (form) {
    case SARRUS_FREEDOM_NONE:
        return 0;
    case SARRUS_FREEDOM_SHIFT_1:
    case SARRUS_FREEDOM_SHIFT_2:
    case SARRUS_FREEDOM_SHIFT_3:
        x[0] = vector_jet_dot(at->p[form - SARRUS_FREEDOM_SHIFT_1 + 1], at->d);
        x[0].f -= ref->zero[form - SARRUS_FREEDOM_SHIFT_1];
        return 1;
    case SARRUS_FREEDOM_TURN_1:
    case SARRUS_FREEDOM_TURN_2:
    case SARRUS_FREEDOM_TURN_3:
    case SARRUS_FREEDOM_FIRST_1:
    case SARRUS_FREEDOM_FIRST_2:
    case SARRUS_FREEDOM_FIRST_3:
    case SARRUS_FREEDOM_SECOND_1:
    case SARRUS_FREEDOM_SECOND_2:
    case SARRUS_FREEDOM_SECOND_3:
        x[0] = long_jet_atan2(pointer_find(form, at).y, pointer_find(form, at).x);
        return 1;
    case SARRUS_FREEDOM_SCREW:
        (void)coordinate_find(ref, SARRUS_FREEDOM_TURN_3, at, x);
        theta[0] = lead(ref, at);
        x[0].f = theta[0].f - remainderl(theta[0].f - x[0].f, 2.0L * acosl(-1.0L));
        return 1;
    case SARRUS_FREEDOM_BALL:
        rotation_vector(at, x);
        return 3;
    case SARRUS_FREEDOM_VECTOR_1:
    case SARRUS_FREEDOM_VECTOR_2:
    case SARRUS_FREEDOM_VECTOR_3:
        rotation_vector(at, theta);
        x[0] = theta[form - SARRUS_FREEDOM_VECTOR_1];
        return 1;
    }
    return 0;
}

/* x less whole turns. */
static long_jet less_turns(long_jet x) {
    x.f = remainderl(x.f, 2.0L * acosl(-1.0L));
    return x;
}

void spatial_reference_signal(const spatial_reference *ref, double t, long double s[3]) {
    const long double omega = (long double)two_pi * ref->frequency;
    s[0] = ref->offset + ref->amplitude * sinl(omega * t);
    s[1] = ref->amplitude * omega * cosl(omega * t);
    s[2] = -ref->amplitude * omega * omega * sinl(omega * t);
}

static long_jet helix(const spatial_reference *ref, const moving_joint *at) {
    long_jet turn[3];
    (void)coordinate_find(ref, SARRUS_FREEDOM_TURN_3, at, turn);
    const long_jet apart = less_turns(long_jet_add(lead(ref, at), -1.0L, turn[0]));
    return (long_jet){ref->pitch * apart.f, ref->pitch * apart.d, ref->pitch * apart.dd};
}

static long_jet row_find(const spatial_reference *ref, sarrus_spatial_row form, const moving_joint *at) {
    long_jet phi = {0.0L, 0.0L, 0.0L};
    switch (form) {
    case SARRUS_SPATIAL_ROW_PIN_X:
    case SARRUS_SPATIAL_ROW_PIN_Y:
    case SARRUS_SPATIAL_ROW_PIN_Z:
        return at->d.x[form - SARRUS_SPATIAL_ROW_PIN_X];
    case SARRUS_SPATIAL_ROW_ALONG_1:
    case SARRUS_SPATIAL_ROW_ALONG_2:
    case SARRUS_SPATIAL_ROW_ALONG_3:
        return vector_jet_dot(at->p[form - SARRUS_SPATIAL_ROW_ALONG_1 + 1], at->d);
    case SARRUS_SPATIAL_ROW_ACROSS_12:
        return vector_jet_dot(at->p[1], at->c[2]);
    case SARRUS_SPATIAL_ROW_ACROSS_23:
        return vector_jet_dot(at->p[2], at->c[3]);
    case SARRUS_SPATIAL_ROW_ACROSS_31:
        return vector_jet_dot(at->p[3], at->c[1]);
    case SARRUS_SPATIAL_ROW_ACROSS_13:
        return vector_jet_dot(at->p[1], at->c[3]);
    case SARRUS_SPATIAL_ROW_ACROSS_21:
        return vector_jet_dot(at->p[2], at->c[1]);
    case SARRUS_SPATIAL_ROW_ACROSS_32:
        return vector_jet_dot(at->p[3], at->c[2]);
    case SARRUS_SPATIAL_ROW_LENGTH:
        phi = long_jet_sqrt(vector_jet_dot(at->d, at->d));
        phi.f -= ref->length;
        return phi;
    case SARRUS_SPATIAL_ROW_HELIX:
        return helix(ref, at);
    case SARRUS_SPATIAL_ROW_DRIVE:
    case SARRUS_SPATIAL_ROW_NONE:
        break;
    }
    return phi;
}

/* All rows along one direction; `s` NULL: without the signal. */
static void rows_along(const spatial_reference *ref, const double *q, const long double *direction, const long double *s,
                       long_jet out[M]) {
    const moving_joint at = joint_moving(ref, q, direction);
    for (int i = 0; i < ref->n_rows; ++i) {
        out[i] = row_find(ref, ref->rows[i], &at);
    }
    if (ref->driven >= 0) {
        long_jet x[3];
        (void)coordinate_find(ref, ref->freedoms[ref->driven], &at, x);
        if (s) {
            x[0] = long_jet_add(x[0], -1.0L, (long_jet){s[0], s[1], s[2]});
        }
        out[ref->n_rows] = is_pointed(ref->freedoms[ref->driven]) ? less_turns(x[0]) : x[0];
    }
}

void spatial_reference_rows(const spatial_reference *ref, double t, const double *q, const double *v, long double *phi,
                            long double *phi_dot, long double *gamma, long double *jacobian) {
    const int n = REFERENCE_NV * ref->n_bodies, m = spatial_reference_m(ref);
    long double direction[N] = {0.0L}, s[3];
    long_jet row[M];
    for (int j = 0; j < n; ++j) {
        direction[j] = v[j];
    }
    spatial_reference_signal(ref, t, s);
    rows_along(ref, q, direction, s, row);
    for (int i = 0; i < m; ++i) {
        if (phi) {
            phi[i] = row[i].f;
        }
        if (phi_dot) {
            phi_dot[i] = row[i].d;
        }
        if (gamma) {
            gamma[i] = -row[i].dd;
        }
    }
    for (int j = 0; jacobian && j < n; ++j) {
        memset(direction, 0, sizeof direction);
        direction[j] = 1.0L;
        rows_along(ref, q, direction, NULL, row);
        for (int i = 0; i < m; ++i) {
            jacobian[n * i + j] = row[i].d;
        }
    }
}

void spatial_reference_coordinate(const spatial_reference *ref, int k, const double *q, long double x[3]) {
    static const long double still[N] = {0.0L};
    long_jet found[3] = {{0.0L, 0.0L, 0.0L}, {0.0L, 0.0L, 0.0L}, {0.0L, 0.0L, 0.0L}};
    const moving_joint at = joint_moving(ref, q, still);
    (void)coordinate_find(ref, ref->freedoms[k], &at, found);
    for (int i = 0; i < 3; ++i) {
        x[i] = found[i].f;
    }
}

static long double pointer_length(sarrus_freedom form, const moving_joint *at) {
    const pointer of = pointer_find(form, at);
    return hypotl(of.x.f, of.y.f);
}

spatial_reach spatial_reference_reach(const spatial_reference *ref, const double *q) {
    static const long double still[N] = {0.0L};
    const moving_joint at = joint_moving(ref, q, still);
    spatial_reach reach = {.radius = 1.0L, .gap = sqrtl(vector_jet_dot(at.d, at.d).f)};
    long_jet theta[3];
    rotation_vector(&at, theta);
    reach.turn = sqrtl(theta[0].f * theta[0].f + theta[1].f * theta[1].f + theta[2].f * theta[2].f);
    for (int k = 0; k < ref->n_freedoms; ++k) {
        const sarrus_freedom form = ref->freedoms[k] == SARRUS_FREEDOM_SCREW ? SARRUS_FREEDOM_TURN_3 : ref->freedoms[k];
        reach.radius = is_pointed(form) ? fminl(reach.radius, pointer_length(form, &at)) : reach.radius;
    }
    return reach;
}

/* --- Forces ------------------------------------------------------------------------------------------------------------- */

/* The springs' potential energy along one direction. */
static long_jet springs_along(const spatial_reference *ref, const moving_joint *at) {
    long_jet sum = {0.0L, 0.0L, 0.0L};
    for (int k = 0; k < ref->n_freedoms; ++k) {
        long_jet x[3];
        const int n = coordinate_find(ref, ref->freedoms[k], at, x);
        for (int i = 0; ref->stiffness[k] != 0.0 && i < n; ++i) {
            x[i].f -= ref->rest[k];
            sum = long_jet_add(sum, 0.5L * ref->stiffness[k], long_jet_multiply(x[i], x[i]));
        }
    }
    return sum;
}

long double spatial_reference_potential(const spatial_reference *ref, const double *q) {
    static const long double still[N] = {0.0L};
    const moving_joint at = joint_moving(ref, q, still);
    long double sum = springs_along(ref, &at).f;
    for (int b = 0; b < ref->n_bodies; ++b) {
        for (int k = 0; k < 3; ++k) {
            sum -= (long double)ref->bodies[b].mass * ref->gravity[k] * q[REFERENCE_NQ * b + k];
        }
    }
    return sum;
}

/* How fast what the dampers act on changes along a direction: coordinates, of rotation vectors the relative turning in the parent's
 * axes. */
static void damped_rates(const spatial_reference *ref, const moving_joint *at, long double rate[SARRUS_MAX_FREEDOMS][3]) {
    static const int next[] = {0, 2, 3, 1};
    long double turning[3];
    /* R_dot R^T in the parent's axes, R = (p_i . c_j): its element (k, j) is the turning about i. */
    for (int i = 1; i <= 3; ++i) {
        const int j = next[i], k = next[j];
        turning[i - 1] = 0.0L;
        for (int l = 1; l <= 3; ++l) {
            turning[i - 1] += vector_jet_dot(at->p[k], at->c[l]).d * vector_jet_dot(at->p[j], at->c[l]).f;
        }
    }
    for (int k = 0; k < ref->n_freedoms; ++k) {
        long_jet x[3];
        const sarrus_freedom form = ref->freedoms[k];
        const int n = coordinate_find(ref, form, at, x);
        for (int i = 0; i < 3; ++i) {
            rate[k][i] = i < n ? x[i].d : 0.0L;
            if (form == SARRUS_FREEDOM_BALL) {
                rate[k][i] = turning[i];
            } else if (form >= SARRUS_FREEDOM_VECTOR_1) {
                rate[k][i] = i == 0 ? turning[form - SARRUS_FREEDOM_VECTOR_1] : 0.0L;
            }
        }
    }
}

void spatial_reference_rates(const spatial_reference *ref, const double *q, const double *v,
                             long double rate[SARRUS_MAX_FREEDOMS][3]) {
    long double direction[N];
    for (int j = 0; j < REFERENCE_NV * ref->n_bodies; ++j) {
        direction[j] = v[j];
    }
    const moving_joint at = joint_moving(ref, q, direction);
    damped_rates(ref, &at, rate);
}

long double spatial_reference_forces(const spatial_reference *ref, const double *q, const double *v, long double *force) {
    const int n = REFERENCE_NV * ref->n_bodies;
    long double direction[N] = {0.0L}, rate[SARRUS_MAX_FREEDOMS][3], share[SARRUS_MAX_FREEDOMS][3], power = 0.0L;
    for (int j = 0; j < n; ++j) {
        direction[j] = v[j];
    }
    moving_joint at = joint_moving(ref, q, direction);
    damped_rates(ref, &at, rate);
    for (int j = 0; j < n; ++j) {
        memset(direction, 0, sizeof direction);
        direction[j] = 1.0L;
        at = joint_moving(ref, q, direction);
        damped_rates(ref, &at, share);
        const int k = j % REFERENCE_NV;
        force[j] = k < 3 ? (long double)ref->bodies[j / REFERENCE_NV].mass * ref->gravity[k] : 0.0L;
        force[j] -= springs_along(ref, &at).d;
        for (int i = 0; i < 3 * ref->n_freedoms; ++i) {
            force[j] -= ref->damping[i / 3] * rate[i / 3][i % 3] * share[i / 3][i % 3];
        }
    }
    for (int i = 0; i < 3 * ref->n_freedoms; ++i) {
        power -= ref->damping[i / 3] * rate[i / 3][i % 3] * rate[i / 3][i % 3];
    }
    return power;
}
