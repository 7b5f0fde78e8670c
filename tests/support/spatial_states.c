/* States of a joint in space, on its constraints and off them. */
#include <math.h>
#include <string.h>

#include "tests/support/spatial_cases.h"
#include "tests/support/vectors.h"

/* --- States ---------------------------------------------------------------------------------------------------------------- */

/* The parameters of a rotation, by its largest diagonal sum. */
static void parameters_of(long double a[3][3], double p[4]) {
    const long double sum[4] = {a[0][0] + a[1][1] + a[2][2], a[0][0] - a[1][1] - a[2][2], a[1][1] - a[0][0] - a[2][2],
                                a[2][2] - a[0][0] - a[1][1]};
    long double x[4];
    int best = 0;
    for (int k = 1; k < 4; ++k) {
        best = sum[k] > sum[best] ? k : best;
    }
    const long double off[3] = {a[2][1] - a[1][2], a[0][2] - a[2][0], a[1][0] - a[0][1]};
    if (best == 0) {
        x[0] = 1.0L + sum[0];
        memcpy(x + 1, off, sizeof off);
    } else {
        const int i = best - 1, j = (i + 1) % 3, k = (i + 2) % 3;
        x[0] = off[i];
        x[1 + i] = 1.0L + sum[best];
        x[1 + j] = a[i][j] + a[j][i];
        x[1 + k] = a[i][k] + a[k][i];
    }
    const long double length = sqrtl(x[0] * x[0] + x[1] * x[1] + x[2] * x[2] + x[3] * x[3]);
    for (int k = 0; k < 4; ++k) {
        p[k] = (double)(x[k] / length);
    }
}

/* r <- r exp(turn) for a rotation vector in the axes that r ends in. */
static void turn_by(const long double turn[3], long double r[3][3]) {
    const long double angle = sqrtl(turn[0] * turn[0] + turn[1] * turn[1] + turn[2] * turn[2]);
    const long double part = angle > 0.0L ? sinl(0.5L * angle) / angle : 0.5L;
    const double p[4] = {(double)cosl(0.5L * angle), (double)(part * turn[0]), (double)(part * turn[1]), (double)(part * turn[2])};
    long double step[3][3], out[3][3];
    spatial_reference_rotation(p, step);
    for (int k = 0; k < 9; ++k) {
        out[k / 3][k % 3] = r[k / 3][0] * step[0][k % 3] + r[k / 3][1] * step[1][k % 3] + r[k / 3][2] * step[2][k % 3];
    }
    memcpy(r, out, sizeof out);
}

/* How the child stands seen from the parent's axes: turned by r, its point at d. */
typedef struct relative {
    long double r[3][3], d[3];
} relative;

/* The child's axes are the parent's turned by the coordinates, one after the other. */
static void place_by_coordinates(const spatial_reference *ref, double (*x)[3], relative *out) {
    for (int k = 0; k < ref->n_freedoms; ++k) {
        const sarrus_freedom form = ref->freedoms[k];
        long double turn[3] = {0.0L, 0.0L, 0.0L};
        if (form >= SARRUS_FREEDOM_SHIFT_1 && form <= SARRUS_FREEDOM_SHIFT_3) {
            out->d[form - SARRUS_FREEDOM_SHIFT_1] += x[k][0];
        } else if (form == SARRUS_FREEDOM_SCREW) {
            turn[2] = x[k][0];
            out->d[2] += ref->pitch * x[k][0];
        } else if (form == SARRUS_FREEDOM_BALL) {
            turn[0] = x[k][0], turn[1] = x[k][1], turn[2] = x[k][2];
        } else if (form == SARRUS_FREEDOM_VECTOR_1) {
            turn[0] = x[k][0], turn[1] = x[k + 1][0], turn[2] = x[k + 2][0];
        } else if (form < SARRUS_FREEDOM_SCREW) {
            turn[(form - SARRUS_FREEDOM_TURN_1) % 3] = x[k][0];
        }
        turn_by(turn, out->r);
    }
}

/* The pose of the body on `side` from the other one's, which is in q or ground. */
static void place_body(const spatial_reference *ref, int side, const relative *to, double *q) {
    static const double ground[REFERENCE_NQ] = {0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0};
    const double *other = ref->body[!side] == SARRUS_GROUND ? ground : q + REFERENCE_NQ * ref->body[!side];
    double *of = q + REFERENCE_NQ * ref->body[side];
    long double b[3][3], world[3][3], axes[3][3], a[3][3], arm[3], d[3], reach[3];
    spatial_reference_rotation(other + 3, b);
    for (int k = 0; k < 3; ++k) { /* axis k of the other in the inertial frame */
        vector_rotate(b, ref->axis[!side][k], world[k]);
    }
    for (int k = 0; k < 3; ++k) { /* those of the body: c_k = sum r_ik p_i, p_k = sum r_ki c_i */
        for (int i = 0; i < 3; ++i) {
            axes[k][i] = 0.0L;
            for (int j = 0; j < 3; ++j) {
                axes[k][i] += (side ? to->r[j][k] : to->r[k][j]) * world[j][i];
            }
        }
    }
    for (int i = 0; i < 9; ++i) { /* A takes its own axes to those */
        a[i / 3][i % 3] = 0.0L;
        for (int k = 0; k < 3; ++k) {
            a[i / 3][i % 3] += axes[k][i / 3] * ref->axis[side][k][i % 3];
        }
    }
    parameters_of(a, of + 3);
    spatial_reference_rotation(of + 3, a);
    vector_rotate(b, ref->point[!side], reach);
    vector_rotate(a, ref->point[side], arm);
    for (int i = 0; i < 3; ++i) {
        d[i] = 0.0L;
        for (int k = 0; k < 3; ++k) {
            d[i] += to->d[k] * (side ? world : axes)[k][i];
        }
        of[i] = (double)(other[i] + reach[i] + (side ? d[i] : -d[i]) - arm[i]);
    }
}

static void draw_speeds(const spatial_reference *ref, uint64_t *seed, double *v) {
    for (int j = 0; j < REFERENCE_NV * ref->n_bodies; ++j) {
        v[j] = (j % REFERENCE_NV < 3 ? 1.0 : 1.5) * mechanism_random(seed);
    }
}

/* Where the first body stands; near ground's point of the joint when it is the only one. */
static void draw_place(const spatial_reference *ref, int body, uint64_t *seed, double *q) {
    double by[3];
    vector_random(0.7, seed, by);
    for (int k = 0; k < 3; ++k) {
        const int side = ref->body[0] == SARRUS_GROUND ? 0 : 1;
        const double ground = (double)ref->point[side][k];
        q[REFERENCE_NQ * body + k] = by[k] + (ref->n_bodies == 1 ? ground : ref->origin[k]);
    }
    long double p[4], norm2 = 0.0L;
    while (norm2 < 0.1L) {
        norm2 = 0.0L;
        for (int k = 0; k < 4; ++k) {
            p[k] = mechanism_random(seed);
            norm2 += p[k] * p[k];
        }
    }
    for (int k = 0; k < 4; ++k) {
        q[REFERENCE_NQ * body + 3 + k] = (double)(p[k] / sqrtl(norm2));
    }
}

void spatial_state_on(const spatial_reference *ref, double t, double turn, uint64_t *seed, double *q, double *v, double (*x)[3]) {
    double drawn[SARRUS_MAX_FREEDOMS][3], by[3];
    relative to = {.r = {{1.0L, 0.0L, 0.0L}, {0.0L, 1.0L, 0.0L}, {0.0L, 0.0L, 1.0L}}};
    long double s[3];
    spatial_reference_signal(ref, t, s);
    for (int k = 0; k < ref->n_freedoms; ++k) {
        const bool is_shift = ref->freedoms[k] <= SARRUS_FREEDOM_SHIFT_3;
        vector_random(is_shift ? 0.8 : ref->freedoms[k] >= SARRUS_FREEDOM_BALL ? turn / sqrt(3.0) : turn, seed, drawn[k]);
        drawn[k][0] = k == ref->driven ? (double)s[0] : drawn[k][0];
        to.d[2] += ref->freedoms[k] == SARRUS_FREEDOM_SCREW ? ref->zero[2] : 0.0L;
        if (is_shift) {
            to.d[ref->freedoms[k] - SARRUS_FREEDOM_SHIFT_1] += ref->zero[ref->freedoms[k] - SARRUS_FREEDOM_SHIFT_1];
        }
    }
    if (ref->n_rows == 1 && ref->rows[0] == SARRUS_SPATIAL_ROW_LENGTH) { /* anywhere on the sphere, turned anyhow */
        long double way[3];
        vector_random(1.0, seed, by);
        for (int k = 0; k < 3; ++k) {
            way[k] = by[k] + (by[k] < 0.0 ? -0.1L : 0.1L);
        }
        vector_normalize(way);
        for (int k = 0; k < 3; ++k) {
            to.d[k] = ref->length * way[k];
        }
        turn_by(way, to.r);
    }
    place_by_coordinates(ref, drawn, &to);
    if (ref->n_bodies == 2) {
        draw_place(ref, 0, seed, q);
    }
    place_body(ref, ref->body[1] == SARRUS_GROUND ? 0 : 1, &to, q);
    draw_speeds(ref, seed, v);
    spatial_reference_project(ref, t, q, v);
    if (x) {
        memcpy(x, drawn, (size_t)ref->n_freedoms * sizeof drawn[0]);
    }
}

void spatial_state_off(const spatial_reference *ref, uint64_t *seed, double *q, double *v) {
    spatial_reach reach = {0.0L, 0.0L, 0.0L};
    while (!(reach.radius > 0.5L && reach.gap > 0.4L && reach.turn < 2.6L)) {
        for (int b = 0; b < ref->n_bodies; ++b) {
            draw_place(ref, b, seed, q);
        }
        reach = spatial_reference_reach(ref, q);
    }
    draw_speeds(ref, seed, v);
}
