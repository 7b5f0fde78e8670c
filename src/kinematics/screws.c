/* Screws and poses of one instance: products of exponentials along the tree (S4 1.1 to 1.5). */
#include "kinematics/kinematics.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "plan/body.h"
#include "plan/plan.h"
#include "plan/rotation.h"

void sarrus_pose_of_body(const sarrus_plan *plan, const double *q, int body, double out[12]) {
    const bool is_spatial = plan->mech.space == SARRUS_SPACE_SPATIAL;
    const double *own = q + sarrus_body_sizes_of(plan->mech.space)->n_q * (ptrdiff_t)body;
    double a[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    if (is_spatial) {
        sarrus_rotation_of(own + 3, a);
    } else {
        a[0][0] = a[1][1] = cos(own[2]);
        a[1][0] = sin(own[2]);
        a[0][1] = -a[1][0];
    }
    memcpy(out, a, sizeof a);
    for (int i = 0; i < 3; ++i)
        out[9 + i] = i < 2 || is_spatial ? own[i] : 0.0;
}

void sarrus_pose_compose(const double by[12], const double of[12], double out[12]) {
    double made[12];
    for (int i = 0; i < 3; ++i) {
        for (int k = 0; k < 3; ++k)
            made[3 * i + k] = by[3 * i] * of[k] + by[3 * i + 1] * of[3 + k] + by[3 * i + 2] * of[6 + k];
        made[9 + i] = by[9 + i] + by[3 * i] * of[9] + by[3 * i + 1] * of[10] + by[3 * i + 2] * of[11];
    }
    memcpy(out, made, sizeof made);
}

void sarrus_pose_invert(const double of[12], double out[12]) {
    for (int i = 0; i < 3; ++i) {
        for (int k = 0; k < 3; ++k)
            out[3 * i + k] = of[3 * k + i];
        out[9 + i] = -(of[i] * of[9] + of[3 + i] * of[10] + of[6 + i] * of[11]);
    }
}

/* R = I + sin q W + (1 − cos q) W², p = (I − R) (w × v) + w (w·v) q; without a turn p = v q. */
void sarrus_pose_of_screw(const double screw[6], double q, double out[12]) {
    const double *v = screw, *w = screw + 3;
    const double s = sin(q), c = 2.0 * sin(0.5 * q) * sin(0.5 * q), along = sarrus_vector_dot(v, w);
    double arm[3];
    const double turn[9] = {0.0, -w[2], w[1], w[2], 0.0, -w[0], -w[1], w[0], 0.0};
    sarrus_vector_cross(w, v, arm);
    const bool turns = w[0] != 0.0 || w[1] != 0.0 || w[2] != 0.0;
    for (int i = 0; i < 3; ++i) {
        double moved = 0.0;
        for (int k = 0; k < 3; ++k) {
            const double square = w[i] * w[k] - (i == k && turns ? 1.0 : 0.0);
            const double beyond = s * turn[3 * i + k] + c * square;
            out[3 * i + k] = (i == k ? 1.0 : 0.0) + beyond;
            moved -= beyond * arm[k];
        }
        out[9 + i] = turns ? moved + w[i] * along * q : v[i] * q;
    }
}

/* The screw of a pair as what is before it has moved it: v ← R v + p × R w, w ← R w. */
static void screw_move(const double by[12], const double of[6], double out[6]) {
    double v[3], w[3], cross[3];
    for (int i = 0; i < 3; ++i) {
        v[i] = by[3 * i] * of[0] + by[3 * i + 1] * of[1] + by[3 * i + 2] * of[2];
        w[i] = by[3 * i] * of[3] + by[3 * i + 1] * of[4] + by[3 * i + 2] * of[5];
    }
    sarrus_vector_cross(by + 9, w, cross);
    for (int i = 0; i < 3; ++i) {
        out[i] = v[i] + cross[i];
        out[3 + i] = w[i];
    }
}

/* An inertial screw in the frame of a body: v ← Rᵀ (v + w × p), w ← Rᵀ w. */
static void screw_look(const double pose[12], const double of[6], double out[6]) {
    double cross[3];
    sarrus_vector_cross(of + 3, pose + 9, cross);
    for (int i = 0; i < 3; ++i) {
        out[i] = out[3 + i] = 0.0;
        for (int k = 0; k < 3; ++k) {
            out[i] += pose[3 * k + i] * (of[k] + cross[k]);
            out[3 + i] += pose[3 * k + i] * of[3 + k];
        }
    }
}

void sarrus_screw_derive(const double by[6], const double of[6], double out[6]) {
    double a[3], b[3], c[3];
    sarrus_vector_cross(by + 3, of, a);
    sarrus_vector_cross(by, of + 3, b);
    sarrus_vector_cross(by + 3, of + 3, c);
    for (int i = 0; i < 3; ++i) {
        out[i] = -(a[i] + b[i]);
        out[3 + i] = -c[i];
    }
}

void sarrus_screw_weigh(const double mass[KINEMATICS_MASS], const double s[6], double out[6]) {
    for (int i = 0; i < 3; ++i)
        out[i] = mass[0] * s[i];
    out[3] = mass[1] * s[3] + mass[4] * s[4] + mass[5] * s[5];
    out[4] = mass[4] * s[3] + mass[2] * s[4] + mass[6] * s[5];
    out[5] = mass[5] * s[3] + mass[6] * s[4] + mass[3] * s[5];
}

double sarrus_screw_product(const double a[6], const double b[6]) {
    double sum = 0.0;
    for (int i = 0; i < 6; ++i)
        sum += a[i] * b[i];
    return sum;
}

bool sarrus_kinematics_state_create(const sarrus_kinematics *kinematics, kinematics_state *out) {
    const size_t n = (size_t)kinematics->n + 1, n_bodies = (size_t)kinematics->n_bodies;
    *out = (kinematics_state){.screw = malloc(n * KINEMATICS_SCREW * sizeof(double)),
                              .moved = malloc(n * KINEMATICS_POSE * sizeof(double)),
                              .pose = malloc(n_bodies * KINEMATICS_POSE * sizeof(double)),
                              .within = malloc(n * KINEMATICS_SCREW * sizeof(double))};
    return out->screw && out->moved && out->pose && out->within;
}

void sarrus_kinematics_state_free(kinematics_state *state) {
    free(state->screw);
    free(state->moved);
    free(state->pose);
    free(state->within);
}

void sarrus_kinematics_place(const sarrus_kinematics *kinematics, size_t i, const double *q, kinematics_state *state) {
    static const double stays[12] = {1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0};
    const kinematics_instance own = sarrus_kinematics_instance(kinematics, i);
    for (int k = 0; k < kinematics->n; ++k) {
        const double *screw = own.screw + 6 * (ptrdiff_t)k;
        const int before = kinematics->pair[k].before;
        const double *moved = before < 0 ? stays : state->moved + 12 * (ptrdiff_t)before;
        double step[12];
        screw_move(moved, screw, state->screw + 6 * (ptrdiff_t)k);
        sarrus_pose_of_screw(screw, q[k], step);
        sarrus_pose_compose(moved, step, state->moved + 12 * (ptrdiff_t)k);
    }
    for (int b = 0; b < kinematics->n_bodies; ++b) {
        const int n_path = kinematics->start[b + 1] - kinematics->start[b];
        const double *moved = n_path > 0 ? state->moved + 12 * (ptrdiff_t)kinematics->path[kinematics->start[b + 1] - 1] : stays;
        sarrus_pose_compose(moved, own.pose + 12 * (ptrdiff_t)b, state->pose + 12 * (ptrdiff_t)b);
    }
}

int sarrus_kinematics_look(const sarrus_kinematics *kinematics, int body, kinematics_state *state) {
    const int first = kinematics->start[body], n_path = kinematics->start[body + 1] - first;
    for (int k = 0; k < n_path; ++k)
        screw_look(state->pose + 12 * (ptrdiff_t)body, state->screw + 6 * (ptrdiff_t)kinematics->path[first + k],
                   state->within + 6 * (ptrdiff_t)k);
    return n_path;
}
