/* Jacobians of planar linkages in closed form.
 *
 * A revolute joint between bodies i (parent) and j (child), whose point has the body-fixed arms s_i, s_j, says
 *
 *   Φ = r_j + R(θ_j) s_j − r_i − R(θ_i) s_i = 0,        R(θ) = [cos θ  −sin θ; sin θ  cos θ].
 *
 * With d/dθ R(θ) s = R(θ) [−s_y; s_x], and u = R(θ) s the arm in the inertial frame, its two rows have in the columns (x, y, θ)
 *
 *   of the child  [1 0 −u_y; 0 1 u_x],        of the parent  −[1 0 −u_y; 0 1 u_x],        and nothing for the ground.
 *
 * The arms follow from the assembled configuration, s = R(−θ)(p − r) with p the joint's point; displaced bodies keep them. A slider
 * on the x axis of the ground adds the rows y = 0 and θ = 0. Columns are divided by the roots of the masses: J M^{-1/2} is what
 * the simulator takes the pseudoinverse of. Numbers as in scenarios/five_bar.yaml, slider_crank.yaml and andrews.yaml. */
#include "bench/pinv/matrices.h"

#include <math.h>
#include <string.h>

enum { GROUND = -1, MAX_BODIES = 7, MAX_JOINTS = 10 };

typedef struct planar_body {
    double mass, inertia; /* kg, kg m² */
    double q[3];          /* x, y (m), θ (rad), assembled */
} planar_body;

typedef struct planar_joint {
    int parent, child;
    double at[2]; /* m, in the inertial frame, assembled */
} planar_joint;

typedef struct planar_linkage {
    int n_bodies, n_joints;
    int slider;    /* body on the x axis; GROUND: none */
    double length; /* m, what a displacement of 1 means */
    planar_body bodies[MAX_BODIES];
    planar_joint joints[MAX_JOINTS];
} planar_linkage;

/* Adds sign·[1 0 −u_y; 0 1 u_x] to two rows, body `i` now being at q. */
static void arm_add(const planar_linkage *linkage, int i, const double *at, const double *q, double sign, int n, double *rows) {
    const planar_body *body = &linkage->bodies[i];
    const double turn = q[2] - body->q[2], px = at[0] - body->q[0], py = at[1] - body->q[1];
    const double ux = cos(turn) * px - sin(turn) * py, uy = sin(turn) * px + cos(turn) * py;
    rows[3 * i] = sign;
    rows[3 * i + 2] = -sign * uy;
    rows[n + 3 * i + 1] = sign;
    rows[n + 3 * i + 2] = sign * ux;
}

/* J M^{-1/2} with every coordinate displaced by up to `displacement` (rad, or times the linkage's length). */
static void jacobian_fill(const planar_linkage *linkage, int m, int n, double displacement, uint64_t seed, double *a) {
    double q[MAX_BODIES][3];
    for (int i = 0; i < linkage->n_bodies; ++i) {
        for (int k = 0; k < 3; ++k) {
            const double part = 2.0 * sarrus_bench_uniform(seed, (uint64_t)(3 * i + k)) - 1.0;
            q[i][k] = linkage->bodies[i].q[k] + displacement * part * (k < 2 ? linkage->length : 1.0);
        }
    }
    memset(a, 0, (size_t)m * (size_t)n * sizeof *a);
    double *rows = a;
    for (int i = 0; i < linkage->n_joints; ++i, rows += 2 * n) {
        const planar_joint *joint = &linkage->joints[i];
        arm_add(linkage, joint->child, joint->at, q[joint->child], 1.0, n, rows);
        if (joint->parent != GROUND)
            arm_add(linkage, joint->parent, joint->at, q[joint->parent], -1.0, n, rows);
    }
    if (linkage->slider != GROUND) {
        rows[3 * linkage->slider + 1] = 1.0;
        rows[n + 3 * linkage->slider + 2] = 1.0;
    }
    for (int i = 0; i < m; ++i) {
        for (int k = 0; k < n; ++k) {
            const planar_body *body = &linkage->bodies[k / 3];
            a[i * n + k] /= sqrt(k % 3 < 2 ? body->mass : body->inertia);
        }
    }
}

/* Three parallel cranks (L = 1 m, hinges 1 m apart) at `angle` from the downward vertical, and their coupler. */
static void five_bar_place(double angle, planar_linkage *out) {
    const double s = sin(angle), c = cos(angle);
    *out = (planar_linkage){.n_bodies = 4, .n_joints = 6, .slider = GROUND, .length = 1.0};
    for (int i = 0; i < 3; ++i) {
        out->bodies[i] = (planar_body){1.0, 0.1, {i + 0.5 * s, -0.5 * c, angle}};
        out->joints[i] = (planar_joint){GROUND, i, {i, 0.0}};
        out->joints[3 + i] = (planar_joint){i, 3, {i + s, -c}};
    }
    out->bodies[3] = (planar_body){2.0, 0.2, {1.0 + s, -c, 0.0}};
}

void sarrus_bench_five_bar(int m, int n, int i_matrix, double parameter, double *a) {
    planar_linkage linkage;
    /* Away from 90° and −90°, where the rank falls. */
    five_bar_place(1.2 * (2.0 * sarrus_bench_uniform(11, (uint64_t)i_matrix) - 1.0), &linkage);
    jacobian_fill(&linkage, m, n, parameter, 1000 + (uint64_t)i_matrix, a);
}

/* 10^-2, 10^-3, … 10^-8 for successive matrices. */
static double distance_of(int i_matrix) {
    return pow(10.0, -2.0 - i_matrix % 7);
}

static const double right_angle = 1.5707963267948966;

void sarrus_bench_five_bar_singular(int m, int n, int i_matrix, double parameter, double *a) {
    planar_linkage linkage;
    five_bar_place(right_angle - distance_of(i_matrix), &linkage);
    jacobian_fill(&linkage, m, n, parameter, 0, a);
}

/* Crank and rod of 1 m, the crank at `angle` from the x axis on which the slider runs. */
static void slider_crank_place(double angle, planar_linkage *out) {
    const double s = sin(angle), c = cos(angle);
    *out = (planar_linkage){.n_bodies = 3,
                            .n_joints = 3,
                            .slider = 2,
                            .length = 1.0,
                            .bodies = {{1.0, 1.0 / 12.0, {0.5 * c, 0.5 * s, angle}},
                                       {1.0, 1.0 / 12.0, {1.5 * c, 0.5 * s, -angle}},
                                       {0.5, 0.01, {2.0 * c, 0.0, 0.0}}},
                            .joints = {{GROUND, 0, {0.0, 0.0}}, {0, 1, {c, s}}, {1, 2, {2.0 * c, 0.0}}}};
}

void sarrus_bench_slider_crank(int m, int n, int i_matrix, double parameter, double *a) {
    planar_linkage linkage;
    slider_crank_place(1.2 * sarrus_bench_uniform(12, (uint64_t)i_matrix), &linkage);
    jacobian_fill(&linkage, m, n, i_matrix % 2 == 0 ? 0.0 : parameter, 2000 + (uint64_t)i_matrix, a);
}

void sarrus_bench_slider_crank_singular(int m, int n, int i_matrix, double parameter, double *a) {
    planar_linkage linkage;
    slider_crank_place(right_angle - distance_of(i_matrix), &linkage);
    jacobian_fill(&linkage, m, n, parameter, 0, a);
}

/* Bodies K1 … K7 and joints O F E23 E24 E26 B G A5 H A7 of Andrews' squeezing mechanism at t = 0. */
static const planar_linkage andrews = {
    .n_bodies = 7,
    .n_joints = 10,
    .slider = GROUND,
    .length = 0.03,
    .bodies = {{0.04325, 2.194e-06, {0.0009182485980307614, -5.674074562905483e-05, -0.06171389001427645}},
               {0.00365, 4.41e-07, {-0.0044914333599330725, 0.0002775362557942899, -0.06171389001427645}},
               {0.02373, 5.255e-06, {-0.018742186670315464, 0.020485106789073938, 0.45527981916307037}},
               {0.00706, 5.667e-07, {-0.030222939830158894, 0.012071182356663938, 0.7100333697097284}},
               {0.0705, 1.169e-05, {-0.053236828155704144, 0.016631847966616306, 0.48736497954384256}},
               {0.00706, 5.667e-07, {-0.028543268536783597, -0.010722254707252287, 1.0078790543839353}},
               {0.05498, 1.912e-05, {-0.059262402801791715, -0.010600698332712844, 1.2305474445498212}}},
    .joints = {{GROUND, 0, {0.0, 0.0}},
               {0, 1, {0.006986674115451445, -0.0004317230645688955}},
               {1, 2, {-0.020960022346354336, 0.0012951691937066864}},
               {1, 3, {-0.020960022346354336, 0.0012951691937066864}},
               {1, 5, {-0.020960022346354336, 0.0012951691937066864}},
               {GROUND, 2, {-0.03635, 0.03273}},
               {3, 4, {-0.03399720388583999, 0.01646197167499768}},
               {GROUND, 4, {-0.06934, -0.00227}},
               {5, 6, {-0.03163313450740889, -0.015618868668304536}},
               {GROUND, 6, {-0.06934, -0.00227}}}};

void sarrus_bench_andrews(int m, int n, int i_matrix, double parameter, double *a) {
    jacobian_fill(&andrews, m, n, i_matrix == 0 ? 0.0 : parameter, 3000 + (uint64_t)i_matrix, a);
}
