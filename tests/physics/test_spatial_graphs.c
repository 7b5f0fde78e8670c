/* Claim: mechanisms in space made at random, trees and closed graphs of up to 30 bodies with joints of every type, keep to what
 * mechanics says of all: energy changes by the work that is done, those that hang on nothing keep their momentum and spin,
 * reactions do no work, and neither the frame nor the order in which bodies and joints are written down matters. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "tests/support/mechanism.h"
#include "tests/support/motion.h"
#include "tests/support/spatial_graph.h"

static const graph_options cases[] = {
    {1, 0, 0, 0, 11},  {2, 0, 1, 0, 12},  {5, 2, 0, 1, 13},   {8, 0, 0, 0, 14},   {8, 3, 1, 0, 15},
    {12, 4, 0, 1, 16}, {12, 5, 1, 1, 17}, {18, 0, 1, 0, 18},  {18, 6, 0, 0, 19},  {24, 8, 1, 1, 20},
    {30, 0, 0, 1, 21}, {30, 6, 0, 0, 22}, {30, 10, 1, 0, 23}, {30, 12, 0, 1, 24},
};
enum { N_CASES = sizeof cases / sizeof cases[0] };

/* 0.3 s at a tolerance of 1e-12, of motions of some 1 m and 10 rad/s. */
static const motion_times times = {"method: verner65, rtol: 1e-12, atol: 1e-13", 0.02, 16, 1, 0};
static const double BOUND = 1e-9;

static void worse(double *worst, double off) {
    *worst = fabs(off) <= *worst ? *worst : fabs(off); /* NaN comes through */
}

static void within(const char *what, double found, double bound) {
    print_message("  %s: %.1e\n", what, found);
    if (!(found <= bound))
        fail_msg("%s: %.3e, not within %.1e", what, found, bound);
}

static motion follow(const spatial_graph *graph) {
    return motion_of_text(spatial_graph_text(graph), NULL, &times);
}

static const double *speeds_of(const motion *m, size_t k, int i_body) {
    static const double still[6] = {0};
    return i_body < 0 ? still : m->v + k * (size_t)m->sizes.n + 6 * (size_t)i_body;
}

/* --- Momentum ------------------------------------------------------------------------------------------------------------ */

/* The momentum less what gravity has given it, and the spin about the common center of mass. */
static void momenta(const spatial_graph *g, const motion *m, size_t k, double out[6]) {
    double mass = 0.0, center[3] = {0};
    memset(out, 0, 6 * sizeof *out);
    for (int b = 0; b < g->n_bodies; ++b) {
        mass += g->bodies[b].mass;
        for (int i = 0; i < 3; ++i) {
            center[i] += g->bodies[b].mass * motion_body(m, k, b)[i];
            out[i] += g->bodies[b].mass * (speeds_of(m, k, b)[i] - g->gravity[i] * m->interval * (double)k);
        }
    }
    for (int b = 0; b < g->n_bodies; ++b) {
        const graph_body *body = &g->bodies[b];
        const double *q = motion_body(m, k, b), *v = speeds_of(m, k, b), *w = v + 3, *in = body->inertia;
        const double own[3] = {in[0] * w[0] + in[3] * w[1] + in[4] * w[2] + body->rotor[0],
                               in[3] * w[0] + in[1] * w[1] + in[5] * w[2] + body->rotor[1],
                               in[4] * w[0] + in[5] * w[1] + in[2] * w[2] + body->rotor[2]};
        double a[3][3];
        motion_matrix(q + 3, a);
        for (int i = 0; i < 3; ++i) {
            const int x = (i + 1) % 3, y = (i + 2) % 3;
            out[3 + i] += body->mass * ((q[x] - center[x] / mass) * v[y] - (q[y] - center[y] / mass) * v[x]) + a[i][0] * own[0] +
                          a[i][1] * own[1] + a[i][2] * own[2];
        }
    }
}

static double momentum_spread(const spatial_graph *g, const motion *m) {
    double first[6], now[6], worst = 0.0;
    momenta(g, m, 0, first);
    for (size_t k = 1; k < m->n_times; ++k) {
        momenta(g, m, k, now);
        for (int i = 0; i < 6; ++i)
            worse(&worst, now[i] - first[i]);
    }
    return worst;
}

/* --- Power of reactions -------------------------------------------------------------------------------------------------- */

/* Velocity of that point of a body which is at `at` now, and its angular velocity, both in the inertial frame. */
static void twist_of(const motion *m, size_t k, int i_body, const double at[3], double out[6]) {
    const double *v = speeds_of(m, k, i_body);
    double a[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, way[3] = {0};
    if (i_body >= 0) {
        motion_matrix(motion_body(m, k, i_body) + 3, a);
        for (int i = 0; i < 3; ++i)
            way[i] = at[i] - motion_body(m, k, i_body)[i];
    }
    for (int i = 0; i < 3; ++i)
        out[3 + i] = a[i][0] * v[3] + a[i][1] * v[4] + a[i][2] * v[5];
    for (int i = 0; i < 3; ++i)
        out[i] = v[i] + out[3 + (i + 1) % 3] * way[(i + 2) % 3] - out[3 + (i + 2) % 3] * way[(i + 1) % 3];
}

/* Where the child's point of a joint is at row k. */
static void child_point(const motion *m, size_t k, const graph_joint *j, double out[3]) {
    const double *q0 = motion_body(m, 0, j->child), *q = motion_body(m, k, j->child);
    double a0[3][3], a[3][3], local[3] = {0};
    motion_matrix(q0 + 3, a0);
    motion_matrix(q + 3, a);
    for (int i = 0; i < 3; ++i)
        for (int c = 0; c < 3; ++c)
            local[i] += a0[c][i] * (j->at[1][c] - q0[c]);
    for (int i = 0; i < 3; ++i)
        out[i] = q[i] + a[i][0] * local[0] + a[i][1] * local[1] + a[i][2] * local[2];
}

/* The largest power of the reaction of any one joint, and the largest part of it by itself: what it might have been. */
static void reaction_power(const spatial_graph *g, const motion *m, double *power, double *part) {
    for (size_t k = 0; k < m->n_times; ++k)
        for (int i = 0; i < g->n_joints; ++i) {
            const graph_joint *j = &g->joints[i];
            const double *wrench = m->reactions + k * (size_t)m->n_reactions + 6 * (size_t)i;
            double at[3], here[6], there[6], sum = 0.0;
            child_point(m, k, j, at);
            twist_of(m, k, j->parent, at, here);
            twist_of(m, k, j->child, at, there);
            for (int c = 0; c < 6; ++c) {
                sum += wrench[c] * (there[c] - here[c]);
                worse(part, wrench[c] * (there[c] - here[c]));
            }
            worse(power, sum);
        }
}

/* The farthest that any center of mass has come. */
static double way_of(const motion *m) {
    double worst = 0.0;
    for (int b = 0; b < m->sizes.n_bodies; ++b)
        for (int i = 0; i < 3; ++i)
            worse(&worst, motion_body(m, m->n_times - 1, b)[i] - motion_body(m, 0, b)[i]);
    return worst;
}

static void energy_and_momentum_are_balanced(void **state) {
    (void)state;
    static spatial_graph g;
    for (int i = 0; i < N_CASES; ++i) {
        double power = 0.0, part = 0.0;
        spatial_graph_create(&cases[i], &g);
        motion m = follow(&g);
        print_message("%d bodies, %d joints, %s%s: %d constraints, rank %d, %d freedoms; %llu steps\n", g.n_bodies, g.n_joints,
                      cases[i].is_floating ? "floating" : "on ground", cases[i].is_damped ? ", damped" : "", m.sizes.m,
                      m.sizes.rank, m.sizes.n_dof, (unsigned long long)m.n_steps);
        assert_true(m.sizes.n_dof > (cases[i].is_floating ? 6 : 0) || g.n_bodies == 1);
        assert_true(way_of(&m) > 0.1); /* or nothing was tried */
        reaction_power(&g, &m, &power, &part);
        within("E - E0 - W, relative to 10 J a body", motion_imbalance(&m, 10.0 * g.n_bodies), BOUND);
        assert_true(cases[i].is_damped ? m.work[m.n_times - 1] < -1e-3 : motion_spread(m.work, m.n_times, 0.0) == 0.0);
        within("open loops, m and 1", motion_spread(m.position_error, m.n_times, 0.0), 1e-11);
        if (cases[i].is_floating)
            within("momentum, kg m/s and kg m2/s", momentum_spread(&g, &m), BOUND * g.n_bodies);
        print_message("  parts of the power of reactions up to %.1e W\n", part);
        within("power of a reaction, W", power, BOUND);
        assert_true(part > 0.1 || g.n_bodies <= 2);
        motion_free(&m);
    }
}

/* --- Invariance ---------------------------------------------------------------------------------------------------------- */

/* The largest distance between body i of `a`, turned and shifted, and body to[i] of `b`, over positions and entries of matrices. */
static double distance(const motion *a, const motion *b, const double p[4], const double shift[3], const int *to) {
    const double back[4] = {p[0], -p[1], -p[2], -p[3]};
    double turn[3][3], worst = 0.0;
    motion_matrix(p, turn);
    for (size_t k = 0; k < a->n_times; ++k)
        for (int i = 0; i < a->sizes.n_bodies; ++i) {
            const double *q = motion_body(a, k, i), *found = motion_body(b, k, to[i]);
            double both[4], expected[3][3], matrix[3][3];
            motion_relative(back, q + 3, both);
            motion_matrix(both, expected);
            motion_matrix(found + 3, matrix);
            for (int c = 0; c < 3; ++c)
                worse(&worst, turn[c][0] * q[0] + turn[c][1] * q[1] + turn[c][2] * q[2] + shift[c] - found[c]);
            for (int c = 0; c < 9; ++c)
                worse(&worst, expected[c / 3][c % 3] - matrix[c / 3][c % 3]);
        }
    return worst;
}

/* A permutation of n. */
static void shuffle(int n, uint64_t seed, int *to) {
    for (int i = 0; i < n; ++i)
        to[i] = i;
    for (int i = n - 1; i > 0; --i) {
        const int j = (int)(0.4999999 * (1.0 + mechanism_random(&seed)) * (i + 1)), held = to[i];
        to[i] = to[j];
        to[j] = held;
    }
}

/* Steps are not the same, nor are the rows that are taken for independent: each motion is off by its own error. */
static void motions_depend_neither_on_frame_nor_on_order(void **state) {
    (void)state;
    static spatial_graph here, there, renumbered;
    static const double p[4] = {0.5, -0.1, 0.7, 0.5}, unturned[4] = {1, 0, 0, 0}, shift[3] = {0.7, -1.3, 0.4}, unmoved[3] = {0};
    for (int i = 0; i < N_CASES; ++i) {
        int same[GRAPH_MAX_BODIES], to[GRAPH_MAX_BODIES];
        spatial_graph_create(&cases[i], &here);
        for (int b = 0; b < here.n_bodies; ++b)
            same[b] = b;
        shuffle(here.n_bodies, cases[i].seed, to);
        spatial_graph_place(&here, p, shift, &there);
        spatial_graph_renumber(&here, to, &renumbered);
        motion one = follow(&here), elsewhere = follow(&there), other = follow(&renumbered);
        print_message("%d bodies, %d joints\n", here.n_bodies, here.n_joints);
        assert_int_equal(elsewhere.sizes.rank, one.sizes.rank);
        assert_int_equal(other.sizes.rank, one.sizes.rank);
        within("in another frame", distance(&one, &elsewhere, p, shift, same), BOUND);
        within("in another order", distance(&one, &other, unturned, unmoved, to), BOUND);
        motion_free(&one);
        motion_free(&elsewhere);
        motion_free(&other);
    }
}

static void all_joints_of_space_are_there(void **state) {
    (void)state;
    static spatial_graph g;
    for (int i = 0; i < N_CASES; ++i) {
        int n_of[SARRUS_JOINT_BUSHING + 1] = {0};
        spatial_graph_create(&cases[i], &g);
        for (int j = 0; j < g.n_joints; ++j)
            ++n_of[g.joints[j].type];
        for (int type = 0; g.n_bodies > 12 && type <= SARRUS_JOINT_BUSHING; ++type)
            assert_true(n_of[type] > 0 || type == SARRUS_JOINT_SLOT); /* a slot is of the plane */
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_joints_of_space_are_there),
        cmocka_unit_test(energy_and_momentum_are_balanced),
        cmocka_unit_test(motions_depend_neither_on_frame_nor_on_order),
    };
    return cmocka_run_group_tests_name("physics.spatial_graphs", tests, NULL, NULL);
}
