/* Claim: S3's figures move by S3's equations. The arm prosthesis (5.2), a tree whose base moves as prescribed, follows equation
 * (5.97) in its six angles, and with a controlled elbow (5.101), with the motor's torque of (5.100). The walking figure with both
 * feet down (5.5) follows (5.204) in ten absolute angles with two constraints; its three redundant constraints change neither its
 * motion nor the reactions that are called unique. Both references are written in the book's coordinates and share nothing with
 * the program. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "tests/support/motion.h"
#include "tests/support/ode.h"
#include "tests/support/spatial_reference.h"

static const char tight[] = "method: verner65, rtol: 1e-12, atol: 1e-14";

/* The program's tolerance is 1e-12, at some 1000 steps. Rates here are below 40/s: the references' RK4 is off by
 * (40/s · 2e-4 s)⁴/120 = 3e-11 of a radian's way. */
static const double BOUND = 1e-9;

static void worse(double *worst, long double off) {
    *worst = fabsl(off) <= *worst ? *worst : (double)fabsl(off); /* NaN comes through */
}

static void within(const char *what, double found, double bound) {
    print_message("  %s: %.1e\n", what, found);
    if (!(found <= bound))
        fail_msg("%s: %.3e, not within %.1e", what, found, bound);
}

/* --- The arm: S3 (5.97) -------------------------------------------------------------------------------------------------- */

enum { N_ANGLES = 6, N_LINKS = 3, ELBOW = 3, ARM_TIME = 2 * N_ANGLES, N_ARM };

/* Bryant angles of the shoulder, the elbow's, and the wrist's about y of the forearm and x of the hand. */
static const int TURNS_ABOUT[N_ANGLES] = {0, 1, 2, 0, 1, 0};
static const int LAST_ANGLE[N_LINKS] = {2, 3, 5};
static const long double MASS[N_LINKS] = {2.0L, 1.2L, 0.5L};
static const long double INERTIA[N_LINKS][3] = {{0.016L, 0.015L, 0.003L}, {0.008L, 0.0075L, 0.0012L}, {0.0014L, 0.0012L, 0.0005L}};
static const long double CENTER[N_LINKS][3] = {{0, 0, -0.13L}, {0, 0, -0.11L}, {-0.01L, 0, -0.08L}};
static const long double RATES[N_ANGLES] = {-1.5L, -0.6L, 0.9L, 6.0L, -0.8L, 1.1L};

typedef struct arm {
    long double gait, k, d;
    int elbow_is_driven; /* by 3/π sin 2πt */
} arm;

/* Of one state: what each angle moves, and what moves besides. */
typedef struct arm_geometry {
    long double turn[N_LINKS][3][3], center[N_LINKS][3]; /* to the inertial frame; m */
    long double omega[N_LINKS][3], bias[N_LINKS][2][3];  /* rad/s; accelerations of center and turn without those of angles */
    long double axis[N_ANGLES][3],
        column[N_LINKS][N_ANGLES][3]; /* what a unit rate gives: angular velocity; velocity of a center */
    long double relative[3];          /* rad/s, of the upper arm to the shoulder */
} arm_geometry;

static void cross_add(const long double a[3], const long double b[3], long double out[3]) {
    for (int i = 0; i < 3; ++i)
        out[i] += a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3];
}

static long double dot(const long double a[3], const long double b[3]) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* r := r·(turn by `angle` about base vector `about`). */
static void turn_about(int about, long double angle, long double r[3][3]) {
    const int j = (about + 1) % 3, k = (about + 2) % 3;
    const long double c = cosl(angle), s = sinl(angle);
    for (int i = 0; i < 3; ++i) {
        const long double x = r[i][j], y = r[i][k];
        r[i][j] = x * c + y * s;
        r[i][k] = y * c - x * s;
    }
}

/* A frame on its way along the arm: where its origin is, how it turns, and their accelerations at constant rates. */
typedef struct frame {
    long double turn[3][3], at[3], omega[3], alpha[3], acceleration[3];
} frame;

/* out: the offset, in the inertial frame, of a point of the frame; acceleration += its own. */
static void point_of(const frame *f, const long double local[3], long double out[3], long double acceleration[3]) {
    long double speed[3] = {0};
    for (int i = 0; i < 3; ++i)
        out[i] = dot(f->turn[i], local);
    cross_add(f->omega, out, speed);
    cross_add(f->alpha, out, acceleration);
    cross_add(f->omega, speed, acceleration);
}

/* Forward by y, up by z, about the vertical: A (1 - cos wt) each. */
static frame shoulder_at(const arm *b, long double t) {
    const long double w = 2.0L * acosl(-1.0L), g = b->gait;
    frame f = {.turn = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
    f.at[1] = g * 0.04L * (1.0L - cosl(w * t));
    f.at[2] = g * 0.02L * (1.0L - cosl(2.0L * w * t));
    f.acceleration[1] = g * 0.04L * w * w * cosl(w * t);
    f.acceleration[2] = g * 0.02L * 4.0L * w * w * cosl(2.0L * w * t);
    f.omega[2] = g * 0.10L * w * sinl(w * t);
    f.alpha[2] = g * 0.10L * w * w * cosl(w * t);
    turn_about(2, g * 0.10L * (1.0L - cosl(w * t)), f.turn);
    return f;
}

static void arm_find(const arm *b, const long double *y, arm_geometry *out) {
    static const long double to_elbow[3] = {0, 0, -0.30L}, to_wrist[3] = {0, 0, -0.26L};
    frame f = shoulder_at(b, y[ARM_TIME]);
    long double origin[N_ANGLES][3], step[3];
    const long double turning = f.omega[2];
    memset(out, 0, sizeof *out);
    for (int k = 0, link = 0; k < N_ANGLES; ++k) {
        if (k == ELBOW || k == ELBOW + 1) {
            point_of(&f, k == ELBOW ? to_elbow : to_wrist, step, f.acceleration);
            for (int i = 0; i < 3; ++i)
                f.at[i] += step[i];
        }
        long double rate[3];
        memcpy(origin[k], f.at, sizeof f.at);
        for (int i = 0; i < 3; ++i) {
            out->axis[k][i] = f.turn[i][TURNS_ABOUT[k]];
            rate[i] = out->axis[k][i] * y[N_ANGLES + k];
        }
        cross_add(f.omega, rate, f.alpha);
        for (int i = 0; i < 3; ++i)
            f.omega[i] += rate[i];
        turn_about(TURNS_ABOUT[k], y[k], f.turn);
        if (k != LAST_ANGLE[link])
            continue;
        memcpy(out->bias[link][0], f.acceleration, sizeof f.acceleration);
        memcpy(out->bias[link][1], f.alpha, sizeof f.alpha);
        memcpy(out->omega[link], f.omega, sizeof f.omega);
        memcpy(out->turn[link], f.turn, sizeof f.turn);
        point_of(&f, CENTER[link], step, out->bias[link][0]);
        for (int i = 0; i < 3; ++i)
            out->center[link][i] = f.at[i] + step[i];
        for (int j = 0; j <= k; ++j) {
            const long double way[3] = {out->center[link][0] - origin[j][0], out->center[link][1] - origin[j][1],
                                        out->center[link][2] - origin[j][2]};
            cross_add(out->axis[j], way, out->column[link][j]);
        }
        ++link;
    }
    memcpy(out->relative, out->omega[0], sizeof out->relative);
    out->relative[2] -= turning;
}

/* I·x of a link, x and the result in the inertial frame. */
static void inertia_times(const arm_geometry *g, int link, const long double x[3], long double out[3]) {
    long double own[3];
    for (int i = 0; i < 3; ++i)
        own[i] = INERTIA[link][i] * (g->turn[link][0][i] * x[0] + g->turn[link][1][i] * x[1] + g->turn[link][2][i] * x[2]);
    for (int i = 0; i < 3; ++i)
        out[i] = dot(g->turn[link][i], own);
}

/* A [6][6] and B [6] of A φ̈ = B, motors aside. */
static void arm_equations(const arm *b, const arm_geometry *g, const long double *y, long double *a, long double *right) {
    const long double stiffness[N_ANGLES] = {0, 0, 0, b->k, b->k / 4.0L, b->k / 4.0L};
    memset(a, 0, N_ANGLES * N_ANGLES * sizeof *a);
    for (int k = 0; k < N_ANGLES; ++k)
        right[k] = k < ELBOW ? -b->d * dot(g->axis[k], g->relative)
                             : -stiffness[k] * y[k] - (k == ELBOW ? b->d : b->d / 4.0L) * y[N_ANGLES + k];
    for (int link = 0; link < N_LINKS; ++link) {
        long double spin[3], torque[3], force[3];
        inertia_times(g, link, g->omega[link], spin);
        inertia_times(g, link, g->bias[link][1], torque);
        cross_add(g->omega[link], spin, torque);
        for (int i = 0; i < 3; ++i)
            force[i] = MASS[link] * (g->bias[link][0][i] + (i == 2 ? 9.81L : 0.0L));
        for (int k = 0; k <= LAST_ANGLE[link]; ++k) {
            long double turned[3];
            inertia_times(g, link, g->axis[k], turned);
            right[k] -= dot(g->column[link][k], force) + dot(g->axis[k], torque);
            for (int j = 0; j <= LAST_ANGLE[link]; ++j)
                a[N_ANGLES * k + j] += MASS[link] * dot(g->column[link][k], g->column[link][j]) + dot(g->axis[j], turned);
        }
    }
}

/* φ̈ [6]; the torque of the elbow's motor, (5.100), 0 without one. */
static long double arm_accelerate(const arm *b, const arm_geometry *g, const long double *y, long double *rates) {
    long double a[N_ANGLES * N_ANGLES], right[N_ANGLES], row[N_ANGLES], motor = 0.0L;
    arm_equations(b, g, y, a, right);
    const long double load = right[ELBOW];
    memcpy(row, a + N_ANGLES * ELBOW, sizeof row);
    if (b->elbow_is_driven) {
        for (int j = 0; j < N_ANGLES; ++j)
            a[N_ANGLES * ELBOW + j] = j == ELBOW;
        right[ELBOW] = -12.0L * acosl(-1.0L) * sinl(2.0L * acosl(-1.0L) * y[ARM_TIME]);
    }
    assert_true(spatial_reference_eliminate(N_ANGLES, a, right));
    for (int j = 0; j < N_ANGLES; ++j)
        motor += row[j] * right[j];
    memcpy(rates, right, sizeof right);
    return b->elbow_is_driven ? motor - load : 0.0L;
}

static void arm_rates(const long double *y, const void *of, long double *dy) {
    arm_geometry g;
    arm_find(of, y, &g);
    memcpy(dy, y + N_ANGLES, N_ANGLES * sizeof *dy);
    (void)arm_accelerate(of, &g, y, dy + N_ANGLES);
    dy[ARM_TIME] = 1.0L;
}

typedef struct arm_errors {
    double center, turn, motor, socket, moment;
} arm_errors;

/* Row k against the reference's state: bodies, the motor's torque, and the force (5.2.9) and moment of the socket. */
static void arm_compare(const motion *m, size_t k, const arm *b, const long double *y, arm_errors *worst) {
    arm_geometry g;
    long double rates[N_ANGLES], force[3] = {0};
    arm_find(b, y, &g);
    const long double motor = arm_accelerate(b, &g, y, rates);
    for (int link = 0; link < N_LINKS; ++link) {
        const double *q = motion_body(m, k, link + 1);
        double found[3][3];
        motion_matrix(q + 3, found);
        for (int i = 0; i < 3; ++i) {
            worse(&worst->center, q[i] - g.center[link][i]);
            force[i] += MASS[link] * (g.bias[link][0][i] + (i == 2 ? 9.81L : 0.0L));
            for (int j = 0; j < 3; ++j)
                worse(&worst->turn, found[i][j] - g.turn[link][i][j]);
            for (int j = 0; j <= LAST_ANGLE[link]; ++j)
                force[i] += MASS[link] * g.column[link][j][i] * rates[j];
        }
    }
    if (b->elbow_is_driven)
        worse(&worst->motor, m->loads[k * (size_t)m->n_loads + (size_t)m->n_loads - 1] - motor);
    for (int i = 0; i < 3; ++i) {
        worse(&worst->socket, m->reactions[k * (size_t)m->n_reactions + 6 + (size_t)i] - force[i]);
        worse(&worst->moment, m->reactions[k * (size_t)m->n_reactions + 9 + (size_t)i]);
    }
}

static void the_prosthesis_follows_the_books_equation(void **state) {
    (void)state;
    static const arm cases[] = {{1.0L, 1.0L, 0.02L, 0}, {0.0L, 1.0L, 0.0L, 0}, {1.0L, 1.0L, 0.0L, 1}};
    const motion_times times = {tight, 0.01, 201, 1, 0};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        const arm *b = &cases[i];
        const sarrus_override driven = {"joints.elbow.drive", "{signal: {sine: {amplitude: '=3/pi', frequency: 1}}}"},
                              none = {NULL, NULL};
        const sarrus_override overrides[] = {{"parameters.gait", b->gait > 0.0L ? "1" : "0"},
                                             {"parameters.d", b->d > 0.0L ? "0.02" : "0"},
                                             b->elbow_is_driven ? driven : none,
                                             none};
        motion m = motion_of_file("arm_prosthesis.yaml", overrides, &times);
        long double y[N_ARM] = {0};
        arm_errors worst = {0};
        double widest = 0.0;
        memcpy(y + N_ANGLES, RATES, sizeof RATES);
        print_message("arm prosthesis, gait %.0Lf, damping %.2Lf, elbow %s, %llu steps\n", b->gait, b->d,
                      b->elbow_is_driven ? "driven" : "free", (unsigned long long)m.n_steps);
        for (size_t k = 0; k < m.n_times; ++k) {
            if (k)
                ode_advance(arm_rates, b, N_ARM, 2e-4L, 50, y);
            arm_compare(&m, k, b, y, &worst);
            worse(&widest, y[ELBOW]);
        }
        assert_true(widest > 0.3); /* or nothing was tried */
        assert_int_equal(m.sizes.n_dof, b->elbow_is_driven ? 5 : 6);
        assert_int_equal(m.sizes.n_redundant, 0);
        assert_true(motion_spread(m.rank, m.n_times, m.sizes.m) == 0.0);
        within("centers of mass, m", worst.center, BOUND);
        within("direction cosines", worst.turn, BOUND);
        within("torque of the elbow's motor, N m", worst.motor, 10.0 * BOUND);
        within("force in the socket, N", worst.socket, 100.0 * BOUND); /* of some 40 N, at accelerations of 20 m/s² */
        within("moment in the socket, N m", worst.moment, 1e-12);
        within("E - E0 - W, J", motion_imbalance(&m, 1.0), BOUND);
        if (b->gait == 0.0L)
            assert_true(motion_spread(m.work, m.n_times, 0.0) == 0.0);
        motion_free(&m);
    }
}

/* --- The walking figure: S3 (5.204) -------------------------------------------------------------------------------------- */

enum {
    N_PARTS = 10,
    N_MUSCLES = 9,
    N_FIGURE = 2 * N_PARTS,
    SHANK_R = 0,
    THIGH_R,
    THIGH_L,
    SHANK_L,
    TRUNK,
    HEAD,
    UPPER_R,
    FORE_R,
    UPPER_L,
    FORE_L
};

/* The center of body i stands at the sum over j of WAY[i][j] u(φj) from the foot behind, u = (-sin φ, cos φ). */
#define S 0.43L
static const long double WAY[N_PARTS][N_PARTS] = {
    [SHANK_R] = {[SHANK_R] = 0.24L},
    [THIGH_R] = {[SHANK_R] = S, [THIGH_R] = 0.24L},
    [THIGH_L] = {[SHANK_R] = S, [THIGH_R] = S, [THIGH_L] = 0.24L - S},
    [SHANK_L] = {[SHANK_R] = S, [THIGH_R] = S, [THIGH_L] = -S, [SHANK_L] = 0.24L - S},
    [TRUNK] = {[SHANK_R] = S, [THIGH_R] = S, [TRUNK] = 0.28L},
    [HEAD] = {[SHANK_R] = S, [THIGH_R] = S, [TRUNK] = 0.52L, [HEAD] = 0.12L},
    [UPPER_R] = {[SHANK_R] = S, [THIGH_R] = S, [TRUNK] = 0.46L, [UPPER_R] = -0.13L},
    [FORE_R] = {[SHANK_R] = S, [THIGH_R] = S, [TRUNK] = 0.46L, [UPPER_R] = -0.30L, [FORE_R] = -0.15L},
    [UPPER_L] = {[SHANK_R] = S, [THIGH_R] = S, [TRUNK] = 0.46L, [UPPER_L] = -0.13L},
    [FORE_L] = {[SHANK_R] = S, [THIGH_R] = S, [TRUNK] = 0.46L, [UPPER_L] = -0.30L, [FORE_L] = -0.15L},
};
static const long double TO_FOOT[4] = {S, S, -S, -S}; /* from the foot behind to that in front, the cut hinge */
static const long double WEIGHT[N_PARTS] = {3.5L, 7.5L, 7.5L, 3.5L, 37.0L, 5.0L, 2.1L, 1.7L, 2.1L, 1.7L};             /* kg */
static const long double SPIN[N_PARTS] = {0.050L, 0.14L, 0.14L, 0.050L, 1.2L, 0.03L, 0.016L, 0.015L, 0.016L, 0.015L}; /* kg m² */

static const struct muscle {
    int from, to;
    long double stiffness, damping;
} muscles[N_MUSCLES] = {
    {SHANK_R, THIGH_R, 400, 12}, {SHANK_L, THIGH_L, 400, 12}, {THIGH_R, TRUNK, 300, 10},
    {THIGH_L, TRUNK, 300, 10},   {TRUNK, HEAD, 40, 1.5L},     {TRUNK, UPPER_R, 15, 0.5L},
    {TRUNK, UPPER_L, 15, 0.5L},  {UPPER_R, FORE_R, 6, 0.2L},  {UPPER_L, FORE_L, 6, 0.2L},
};

typedef struct figure {
    long double damping, relaxed[N_PARTS]; /* factor of all dampers; angles at t = 0 */
} figure;

/* φ̈ [10], and the force on the foot in front. */
static void figure_accelerate(const figure *b, const long double *y, long double *rates, long double foot[2]) {
    enum { N = N_PARTS + 2 };
    const long double *speed = y + N_PARTS;
    long double a[N * N] = {0}, right[N] = {0};
    for (int i = 0; i < N_PARTS; ++i) {
        for (int j = 0; j < N_PARTS; ++j) {
            long double shared = 0.0L;
            for (int body = 0; body < N_PARTS; ++body)
                shared += WEIGHT[body] * WAY[body][i] * WAY[body][j];
            a[N * i + j] = shared * cosl(y[i] - y[j]) + (i == j ? SPIN[i] : 0.0L);
            right[i] -= shared * sinl(y[i] - y[j]) * speed[j] * speed[j];
        }
        for (int body = 0; body < N_PARTS; ++body)
            right[i] += WEIGHT[body] * 9.81L * WAY[body][i] * sinl(y[i]);
    }
    for (int k = 0; k < N_MUSCLES; ++k) {
        const int from = muscles[k].from, to = muscles[k].to;
        const long double torque = muscles[k].stiffness * (y[to] - y[from] - b->relaxed[to] + b->relaxed[from]) +
                                   b->damping * muscles[k].damping * (speed[to] - speed[from]);
        right[to] -= torque;
        right[from] += torque;
    }
    for (int k = 0; k < 4; ++k) {
        a[N * N_PARTS + k] = a[N * k + N_PARTS] = -TO_FOOT[k] * cosl(y[k]);
        a[N * (N_PARTS + 1) + k] = a[N * k + N_PARTS + 1] = -TO_FOOT[k] * sinl(y[k]);
        right[N_PARTS] -= TO_FOOT[k] * sinl(y[k]) * speed[k] * speed[k];
        right[N_PARTS + 1] += TO_FOOT[k] * cosl(y[k]) * speed[k] * speed[k];
    }
    assert_true(spatial_reference_eliminate(N, a, right));
    memcpy(rates, right, N_PARTS * sizeof *rates);
    foot[0] = -right[N_PARTS];
    foot[1] = -right[N_PARTS + 1];
}

static void figure_rates(const long double *y, const void *of, long double *dy) {
    long double foot[2];
    memcpy(dy, y + N_PARTS, N_PARTS * sizeof *dy);
    figure_accelerate(of, y, dy + N_PARTS, foot);
}

static void figure_start(figure *b, long double y[N_FIGURE]) {
    static const long double angles[N_PARTS] = {-0.55L, -0.20L, 0, 0, -0.12L, -0.05L, -0.35L, 0.05L, 0.30L, 0.80L};
    const long double x = -S * (sinl(-0.55L) + sinl(-0.20L)), h = S * (cosl(-0.55L) + cosl(-0.20L)), l = 0.55L;
    const long double lean = atan2l(l - x, h), bend = acosl(hypotl(l - x, h) / 2.0L / S);
    memset(y, 0, N_FIGURE * sizeof *y);
    memcpy(y, angles, sizeof angles);
    y[THIGH_L] = lean + bend;
    y[SHANK_L] = lean - bend;
    memcpy(b->relaxed, y, sizeof b->relaxed);
}

enum { FOOT_R, FOOT_L, KNEE_R, KNEE_L, HIP_R, HIP_L, N_OF_THE_LOOP, N_JOINTS = 11 };

static const double *reaction_of(const motion *m, size_t k, int i_joint) {
    return m->reactions + k * (size_t)m->n_reactions + 6 * (size_t)i_joint;
}

static void figure_check(const motion *m, const figure *b, long double y[N_FIGURE]) {
    double center = 0.0, turn = 0.0, sideways = 0.0, force = 0.0, moved = 0.0;
    for (size_t k = 0; k < m->n_times; ++k) {
        long double rates[N_PARTS], foot[2];
        if (k)
            ode_advance(figure_rates, b, N_FIGURE, 2e-4L, 50, y);
        for (int i = 0; i < N_PARTS; ++i) {
            const double *q = motion_body(m, k, i);
            long double x = 0.0L, h = 0.0L;
            for (int j = 0; j < N_PARTS; ++j) {
                x -= WAY[i][j] * sinl(y[j]);
                h += WAY[i][j] * cosl(y[j]);
            }
            worse(&center, q[0] - x);
            worse(&center, q[1] - h);
            worse(&turn, remainderl(2.0L * atan2l(q[6], q[3]) - y[i], 2.0L * acosl(-1.0L)));
            worse(&sideways, q[2] - motion_body(m, 0, i)[2]);
            worse(&sideways, q[4]);
            worse(&sideways, q[5]);
            worse(&moved, y[i] - b->relaxed[i]);
        }
        figure_accelerate(b, y, rates, foot);
        worse(&force, reaction_of(m, k, FOOT_L)[0] - foot[0]);
        worse(&force, reaction_of(m, k, FOOT_L)[1] - foot[1]);
    }
    assert_true(moved > 0.3); /* or nothing was tried */
    within("centers of mass, m", center, BOUND);
    within("angles, rad", turn, BOUND);
    within("out of the plane", sideways, 1e-12);
    within("force under the foot in front, N", force, 1e3 * BOUND); /* of some 400 N */
}

static void the_figure_follows_the_books_equation(void **state) {
    (void)state;
    const motion_times times = {tight, 0.01, 151, 1, 0};
    for (int damped = 0; damped < 2; ++damped) {
        const sarrus_override overrides[] = {{"parameters.d", damped ? "1" : "0"}, {NULL, NULL}};
        motion m = motion_of_file("walking_figure.yaml", overrides, &times);
        figure b = {.damping = damped};
        long double y[N_FIGURE];
        figure_start(&b, y);
        print_message("walking figure, %s, %llu steps\n", damped ? "damped" : "not damped", (unsigned long long)m.n_steps);
        assert_int_equal(m.sizes.m, 55);
        assert_int_equal(m.sizes.n_dof, 8);
        assert_int_equal(m.sizes.n_redundant, 3);
        assert_true(motion_spread(m.rank, m.n_times, 52.0) == 0.0);
        figure_check(&m, &b, y);
        within("E - E0 - W, relative to 600 J", motion_imbalance(&m, 600.0), BOUND);
        if (!damped)
            assert_true(motion_spread(m.work, m.n_times, 0.0) == 0.0);
        motion_free(&m);
    }
}

/* Pins everywhere, or a ball under the foot in front and a universal joint in its hip: 52 constraints of the same rank. Round-off
 * of 1e-16 of 750 N and 100 N m, by the condition of 1e3, is what reactions may differ by beside the motions' 1e-9. */
static void redundant_constraints_change_what_is_not_unique(void **state) {
    (void)state;
    static const char foot[] = "{name: foot_l, type: spherical, bodies: [ground, shank_l], at: ['=L', 0, '=-zl']}";
    static const char hip[] = "{name: hip_l, type: universal, bodies: [thigh_l, trunk], at: ['=x2', '=y2', '=-zl'], "
                              "axes: [[0, 0, 1], [1, 0, 0]], stiffness: ['=300*k', 0], damping: ['=10*d', 0]}";
    const sarrus_override overrides[] = {{"joints.foot_l", foot}, {"joints.hip_l", hip}, {NULL, NULL}};
    const motion_times times = {tight, 0.01, 151, 1, 0};
    motion pins = motion_of_file("walking_figure.yaml", NULL, &times),
           plain = motion_of_file("walking_figure.yaml", overrides, &times);
    double apart = 0.0, unique = 0.0, in_plane = 0.0, open = 0.0, feet = 0.0;
    assert_int_equal(pins.sizes.n_redundant, 3);
    assert_int_equal(plain.sizes.n_redundant, 0);
    assert_int_equal(plain.sizes.n_dof, pins.sizes.n_dof);
    assert_int_equal(plain.sizes.rank, pins.sizes.rank);
    assert_non_null(strstr(pins.card, "leave open            foot_r, foot_l, knee_r, knee_l, hip_r, hip_l\n"));
    assert_non_null(strstr(pins.card, "unique in 5 of 11 joints"));
    assert_non_null(strstr(plain.card, "unique in 11 of 11 joints"));
    for (size_t k = 0; k < times.n_times; ++k) {
        for (int i = 0; i < 7 * N_PARTS; ++i)
            worse(&apart, motion_body(&pins, k, 0)[i] - motion_body(&plain, k, 0)[i]);
        for (int i = 0; i < 6 * N_JOINTS; ++i) {
            const double off = reaction_of(&pins, k, 0)[i] - reaction_of(&plain, k, 0)[i];
            const int is_in_plane = i % 6 < 2 || i % 6 == 5;
            worse(i / 6 >= N_OF_THE_LOOP ? &unique : is_in_plane ? &in_plane : &open, off);
        }
        for (int i = 0; i < 3; ++i)
            worse(&feet, reaction_of(&pins, k, FOOT_R)[i] + reaction_of(&pins, k, FOOT_L)[i] - reaction_of(&plain, k, FOOT_R)[i] -
                             reaction_of(&plain, k, FOOT_L)[i]);
    }
    print_message("walking figure, with pins alone and without redundant constraints\n");
    within("motions apart, m and 1", apart, BOUND);
    within("reactions called unique, N and N m", unique, 1e3 * BOUND);
    within("the others in the plane, N and N m", in_plane, 1e3 * BOUND);
    within("both feet together, N", feet, 1e3 * BOUND);
    print_message("  the others out of the plane: %.1e\n", open);
    assert_true(open > 1.0);
    motion_free(&pins);
    motion_free(&plain);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_prosthesis_follows_the_books_equation),
        cmocka_unit_test(the_figure_follows_the_books_equation),
        cmocka_unit_test(redundant_constraints_change_what_is_not_unique),
    };
    return cmocka_run_group_tests_name("physics.spatial_figures", tests, NULL, NULL);
}
