/* Claim: what a mechanism in space does depends neither on how it is written down nor on where it stands. Planar mechanisms move in
 * space as in the plane; a mechanism that is turned and shifted as a whole, whose bodies and joints come in another order, or whose
 * redundant constraints are left out by other joints, moves the same. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tests/support/motion.h"
#include "tests/support/text_writer.h"

enum { MAX_BODIES = 5, MAX_JOINTS = 6, MAX_TEXT = 8192, N_ROWS = 121, N_SUBSTEPS = 100 };

/* The same steps of RK4, of 1e-4 s. Its own error is not the same in two of these: in space the plan makes the steps in the
 * coordinates of joints, and which they are depends on the order of the bodies. With steps twice as long the four-bar is off by
 * 1.3e-12 instead of 1.1e-13, as a method of order 4 has it. */
static const char fixed[] = "method: rk4, substeps: off";
static const double SAME = 1e-12;

typedef struct body {
    double mass, inertia[3];                           /* kg, kg m² */
    double position[3], turn[4], velocity[3], rate[3]; /* m; Euler parameters; m/s; rad/s in the body's frame */
} body;

/* parent and child: −1 is ground. The second direction is of a universal joint. */
typedef struct joint {
    const char *type;
    int parent, child;
    double at[3], axis[3], second[3];
} joint;

typedef struct scene {
    int n_bodies, n_joints;
    double gravity[3];
    body bodies[MAX_BODIES];
    joint joints[MAX_JOINTS];
} scene;

static void worse(double *worst, double off) {
    *worst = fabs(off) <= *worst ? *worst : fabs(off); /* NaN comes through */
}

static void within(const char *what, double found, double bound) {
    print_message("  %s: %.1e\n", what, found);
    if (!(found <= bound))
        fail_msg("%s: %.3e, not within %.1e", what, found, bound);
}

/* --- Scenarios as text --------------------------------------------------------------------------------------------------- */

static void write_list(text_writer *w, const char *key, const double *x, int n) {
    text_put(w, ", %s: ", key);
    text_put_numbers(w, "", n, x);
}

static void write_names(text_writer *w, const joint *j) {
    text_put(w, ", bodies: [");
    for (int side = 0; side < 2; ++side) {
        const int i = side ? j->child : j->parent;
        if (i < 0)
            text_put(w, side ? "ground" : "ground, ");
        else
            text_put(w, side ? "b%d" : "b%d, ", i);
    }
    text_put(w, "]");
}

/* In space, or in the plane, whose numbers are the first two of each, angles and inertias about z. */
static void scene_write(const scene *s, int is_planar, text_writer *w) {
    const int n = is_planar ? 2 : 3;
    text_put(w, "{sarrus: 1, space: %s", is_planar ? "planar" : "spatial");
    write_list(w, "gravity", s->gravity, n);
    text_put(w, ", integrator: {t_end: 1}, bodies: [");
    for (int i = 0; i < s->n_bodies; ++i) {
        const body *b = &s->bodies[i];
        text_put(w, "%s{name: b%d, mass: %.17g", i ? ", " : "", i, b->mass);
        if (is_planar)
            text_put(w, ", inertia: %.17g, orientation: %.17g, angular_velocity: %.17g", b->inertia[2],
                     2.0 * atan2(b->turn[3], b->turn[0]), b->rate[2]);
        else {
            write_list(w, "inertia", b->inertia, 3);
            write_list(w, "orientation", b->turn, 4);
            write_list(w, "angular_velocity", b->rate, 3);
        }
        write_list(w, "position", b->position, n);
        write_list(w, "velocity", b->velocity, n);
        text_put(w, "}");
    }
    text_put(w, "], joints: [");
    for (int i = 0; i < s->n_joints; ++i) {
        const joint *j = &s->joints[i];
        const int is_slide = strcmp(j->type, "prismatic") == 0, is_cross = strcmp(j->type, "universal") == 0;
        text_put(w, "%s{name: j%d, type: %s", i ? ", " : "", i, j->type);
        write_names(w, j);
        write_list(w, "at", j->at, n);
        if (is_cross)
            text_put(w, ", axes: [[%.17g, %.17g, %.17g], [%.17g, %.17g, %.17g]]", j->axis[0], j->axis[1], j->axis[2], j->second[0],
                     j->second[1], j->second[2]);
        else if (strcmp(j->type, "spherical") != 0 && (is_slide || !is_planar))
            write_list(w, "axis", j->axis, n);
        text_put(w, "}");
    }
    text_put(w, "]}");
}

static motion scene_follow(const scene *s, int is_planar, size_t n_times, int n_substeps) {
    char text[MAX_TEXT];
    text_writer w = {text, sizeof text, 0};
    const motion_times times = {fixed, 0.01, n_times, n_substeps, 0};
    scene_write(s, is_planar, &w);
    return motion_of_text(text, NULL, &times);
}

/* --- Scenes -------------------------------------------------------------------------------------------------------------- */

/* A rod along its own x, from a to b, turned about z; rates are set by who wants them. */
static body rod(double mass, const double a[2], const double b[2]) {
    const double dx = b[0] - a[0], dy = b[1] - a[1], angle = atan2(dy, dx), inertia = mass * (dx * dx + dy * dy) / 12.0;
    return (body){.mass = mass,
                  .inertia = {1e-3 * mass, inertia, inertia},
                  .position = {0.5 * (a[0] + b[0]), 0.5 * (a[1] + b[1]), 0.0},
                  .turn = {cos(0.5 * angle), 0.0, 0.0, sin(0.5 * angle)}};
}

static joint pin(int parent, int child, double x, double y) {
    return (joint){"revolute", parent, child, {x, y, 0.0}, {0.0, 0.0, 1.0}, {0}};
}

static scene pendulum(void) {
    scene s = {1, 1, {0.0, -9.81, 0.0}, {rod(1.0, (const double[]){0, 0}, (const double[]){1, 0})}, {pin(-1, 0, 0, 0)}};
    return s;
}

static scene double_pendulum(void) {
    scene s = {2,
               2,
               {0.0, -9.81, 0.0},
               {rod(1.0, (const double[]){0, 0}, (const double[]){1, 0}), rod(1.0, (const double[]){1, 0}, (const double[]){2, 0})},
               {pin(-1, 0, 0, 0), pin(0, 1, 1, 0)}};
    return s;
}

static scene slider_crank(void) {
    const double end[2] = {0.15, 0.3}, far[2] = {1.1, 0.0};
    scene s = {3,
               4,
               {0.0, -9.81, 0.0},
               {rod(1.0, (const double[]){0, 0}, end), rod(1.2, end, far)},
               {pin(-1, 0, 0, 0), pin(0, 1, end[0], end[1]), pin(1, 2, far[0], far[1])}};
    s.bodies[2] = (body){.mass = 0.5, .inertia = {0.01, 0.01, 0.01}, .position = {far[0], far[1], 0.0}, .turn = {1, 0, 0, 0}};
    s.joints[3] = (joint){"prismatic", -1, 2, {far[0], far[1], 0.0}, {1.0, 0.0, 0.0}, {0}};
    return s;
}

/* Four pins, or pin, ball, cross, pin: 17 constraints that leave the same freedom. */
static scene four_bar(int is_redundant) {
    const double b[2] = {0, 0.3}, c[2] = {0.8, 0.9}, d[2] = {1, 0};
    scene s = {3,
               4,
               {0.0, -9.81, 0.0},
               {rod(3.0, (const double[]){0, 0}, b), rod(1.0, b, c), rod(0.9, d, c)},
               {pin(-1, 0, 0, 0), pin(0, 1, b[0], b[1]), pin(1, 2, c[0], c[1]), pin(-1, 2, d[0], d[1])}};
    if (!is_redundant) {
        s.joints[1].type = "spherical";
        s.joints[2].type = "universal";
        memcpy(s.joints[2].second, (const double[]){1, 0, 0}, sizeof s.joints[2].second);
    }
    return s;
}

/* A line-symmetric Bricard linkage (scenarios/bricard.yaml). */
static scene bricard(void) {
    static const double point[3][3] = {{0.40, -0.10, 0.05}, {0.25, 0.30, -0.20}, {-0.10, 0.35, 0.15}};
    static const double axis[3][3] = {{0.3, 1.0, 0.4}, {1.0, -0.2, 0.5}, {0.2, 0.4, -1.0}};
    scene s = {.n_bodies = 5, .n_joints = 6, .gravity = {0.0, 0.0, -9.81}};
    for (int i = 0; i < 6; ++i)
        for (int k = 0; k < 3; ++k) {
            const double sign = i >= 3 && k < 2 ? -1.0 : 1.0;
            s.joints[i].at[k] = sign * point[i % 3][k];
            s.joints[i].axis[k] = sign * axis[i % 3][k];
        }
    for (int i = 0; i < 6; ++i) {
        s.joints[i].type = "revolute";
        s.joints[i].parent = i - 1;
        s.joints[i].child = i < 5 ? i : -1;
    }
    for (int i = 0; i < 5; ++i) {
        s.bodies[i] = (body){.mass = 1.0 + 0.1 * i, .inertia = {0.020, 0.015, 0.018}, .turn = {1, 0, 0, 0}};
        for (int k = 0; k < 3; ++k)
            s.bodies[i].position[k] = 0.5 * (s.joints[i].at[k] + s.joints[i + 1].at[k]);
    }
    return s;
}

/* --- In the plane and in space ------------------------------------------------------------------------------------------- */

static void bodies_move_as_in_the_plane(void **state) {
    (void)state;
    const struct {
        const char *name;
        scene s;
        int n_redundant;
        double bound;
    } cases[] = {{"pendulum", pendulum(), 0, 1e-12},
                 {"double pendulum", double_pendulum(), 0, 1e-12},
                 {"slider-crank", slider_crank(), 3, 1e-12},
                 {"four-bar", four_bar(1), 3, 1e-12}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        motion plane = scene_follow(&cases[i].s, 1, N_ROWS, N_SUBSTEPS), space = scene_follow(&cases[i].s, 0, N_ROWS, N_SUBSTEPS);
        double in = 0.0, out = 0.0, moved = 0.0;
        print_message("%s\n", cases[i].name);
        assert_int_equal(space.sizes.n_redundant - plane.sizes.n_redundant, cases[i].n_redundant);
        assert_int_equal(space.sizes.n_dof, plane.sizes.n_dof);
        for (size_t k = 0; k < N_ROWS; ++k)
            for (int b = 0; b < cases[i].s.n_bodies; ++b) {
                const double *p = plane.q + k * (size_t)plane.sizes.n_coordinates + 3 * b, *q = motion_body(&space, k, b);
                worse(&in, q[0] - p[0]);
                worse(&in, q[1] - p[1]);
                worse(&in, remainder(2.0 * atan2(q[6], q[3]) - p[2], 2.0 * M_PI));
                worse(&out, q[2]);
                worse(&out, q[4]);
                worse(&out, q[5]);
                worse(&moved, p[2] - plane.q[3 * b + 2]);
            }
        assert_true(moved > 1.0);
        within("in the plane, m and rad", in, cases[i].bound);
        within("out of it", out, 1e-12);
        motion_free(&plane);
        motion_free(&space);
    }
}

/* The shipped scenario and that of the plane, with a method that chooses its steps. */
static void the_four_bar_has_three_redundant_rows(void **state) {
    (void)state;
    const motion_times times = {"method: dopri5, rtol: 1e-13, atol: 1e-15", 0.01, 501, 1, 0};
    motion plane = motion_of_file("four_bar.yaml", NULL, &times), space = motion_of_file("spatial_four_bar.yaml", NULL, &times);
    double apart = 0.0;
    for (size_t k = 0; k < times.n_times; ++k)
        for (int b = 0; b < 3; ++b) {
            const double *p = plane.q + 9 * k + 3 * b, *q = motion_body(&space, k, b);
            worse(&apart, q[0] - p[0]);
            worse(&apart, q[1] - p[1]);
            worse(&apart, remainder(2.0 * atan2(q[6], q[3]) - p[2], 2.0 * M_PI));
        }
    print_message("four-bar, scenarios of the plane and of space\n");
    within("apart, m and rad", apart, 1e-10);
    assert_int_equal(space.sizes.m, 20);
    assert_int_equal(space.sizes.rank, 17);
    assert_true(motion_spread(space.rank, space.n_times, 17.0) == 0.0);
    assert_non_null(strstr(space.card, "redundant constraints   3 = m - r"));
    assert_non_null(strstr(space.card, "redundant               joint C, axes 3-2, joint D, z, joint D, axes 3-1\n"));
    assert_non_null(strstr(space.card, "leave open            A, B, C, D\n"));
    motion_free(&plane);
    motion_free(&space);
}

/* --- Elsewhere, in another order, with other joints ---------------------------------------------------------------------- */

static void product(const double a[4], const double b[4], double out[4]) {
    const double conjugate[4] = {a[0], -a[1], -a[2], -a[3]};
    motion_relative(conjugate, b, out);
}

static void rotate(const double p[4], const double in[3], double out[3]) {
    double a[3][3], x[3];
    memcpy(x, in, sizeof x);
    motion_matrix(p, a);
    for (int i = 0; i < 3; ++i)
        out[i] = a[i][0] * x[0] + a[i][1] * x[1] + a[i][2] * x[2];
}

static void place(const double p[4], const double shift[3], const double in[3], double out[3]) {
    rotate(p, in, out);
    for (int i = 0; i < 3; ++i)
        out[i] += shift[i];
}

static const double SHIFT[3] = {0.7, -1.3, 0.4};

static scene scene_placed(const scene *s, const double p[4]) {
    scene out = *s;
    rotate(p, s->gravity, out.gravity);
    for (int i = 0; i < s->n_bodies; ++i) {
        place(p, SHIFT, s->bodies[i].position, out.bodies[i].position);
        rotate(p, s->bodies[i].velocity, out.bodies[i].velocity);
        product(p, s->bodies[i].turn, out.bodies[i].turn);
    }
    for (int i = 0; i < s->n_joints; ++i) {
        place(p, SHIFT, s->joints[i].at, out.joints[i].at);
        rotate(p, s->joints[i].axis, out.joints[i].axis);
        rotate(p, s->joints[i].second, out.joints[i].second);
    }
    return out;
}

/* Body i comes as `to[i]`, joints from the last to the first, every other one with its bodies exchanged (its axis reversed too, so
 * that nothing else changes). */
static scene scene_renumbered(const scene *s, const int *to) {
    scene out = *s;
    for (int i = 0; i < s->n_bodies; ++i)
        out.bodies[to[i]] = s->bodies[i];
    for (int i = 0; i < s->n_joints; ++i) {
        joint *j = &out.joints[s->n_joints - 1 - i];
        *j = s->joints[i];
        j->parent = j->parent < 0 ? -1 : to[j->parent];
        j->child = j->child < 0 ? -1 : to[j->child];
        if (i % 2) {
            const int parent = j->parent;
            j->parent = j->child;
            j->child = parent;
            for (int k = 0; k < 3; ++k)
                j->axis[k] = -j->axis[k];
        }
    }
    return out;
}

/* The largest distance between body i of `a`, placed, and body to[i] of `b`, over positions and entries of the matrices. */
static double distance(const motion *a, const motion *b, const double p[4], const double shift[3], const int *to) {
    double worst = 0.0;
    for (size_t k = 0; k < a->n_times; ++k)
        for (int i = 0; i < a->sizes.n_bodies; ++i) {
            const double *q = motion_body(a, k, i), *found = motion_body(b, k, to ? to[i] : i);
            double at[3], turn[4], expected[3][3], matrix[3][3];
            place(p, shift, q, at);
            product(p, q + 3, turn);
            motion_matrix(turn, expected);
            motion_matrix(found + 3, matrix);
            for (int c = 0; c < 3; ++c)
                worse(&worst, at[c] - found[c]);
            for (int c = 0; c < 9; ++c)
                worse(&worst, expected[c / 3][c % 3] - matrix[c / 3][c % 3]);
        }
    return worst;
}

static const double unturned[4] = {1, 0, 0, 0}, unmoved[3] = {0, 0, 0};

static void motions_do_not_depend_on_the_frame(void **state) {
    (void)state;
    const double p[4] = {0.5, -0.1, 0.7, 0.5}; /* of length 1 */
    const scene scenes[] = {double_pendulum(), four_bar(1), four_bar(0), bricard()};
    for (size_t i = 0; i < sizeof scenes / sizeof scenes[0]; ++i) {
        const scene elsewhere = scene_placed(&scenes[i], p);
        motion here = scene_follow(&scenes[i], 0, N_ROWS, N_SUBSTEPS), there = scene_follow(&elsewhere, 0, N_ROWS, N_SUBSTEPS);
        assert_int_equal(there.sizes.rank, here.sizes.rank);
        within("here and there", distance(&here, &there, p, SHIFT, NULL), SAME);
        motion_free(&here);
        motion_free(&there);
    }
}

static void motions_do_not_depend_on_the_order(void **state) {
    (void)state;
    static const int orders[][MAX_BODIES] = {{1, 0}, {2, 0, 1}, {1, 2, 0}, {3, 1, 4, 0, 2}};
    const scene scenes[] = {double_pendulum(), four_bar(1), slider_crank(), bricard()};
    for (size_t i = 0; i < sizeof scenes / sizeof scenes[0]; ++i) {
        const scene renumbered = scene_renumbered(&scenes[i], orders[i]);
        motion one = scene_follow(&scenes[i], 0, N_ROWS, N_SUBSTEPS), other = scene_follow(&renumbered, 0, N_ROWS, N_SUBSTEPS);
        assert_int_equal(other.sizes.rank, one.sizes.rank);
        within("in another order", distance(&one, &other, unturned, unmoved, orders[i]), SAME);
        motion_free(&one);
        motion_free(&other);
    }
}

static void redundant_rows_change_nothing(void **state) {
    (void)state;
    const scene redundant = four_bar(1), needed = four_bar(0);
    motion one = scene_follow(&redundant, 0, N_ROWS, N_SUBSTEPS), other = scene_follow(&needed, 0, N_ROWS, N_SUBSTEPS);
    assert_int_equal(one.sizes.m, 20);
    assert_int_equal(other.sizes.m, 17);
    assert_int_equal(one.sizes.rank, 17);
    assert_int_equal(other.sizes.rank, 17);
    within("four pins; pin, ball, cross, pin", distance(&one, &other, unturned, unmoved, NULL), SAME);
    motion_free(&one);
    motion_free(&other);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bodies_move_as_in_the_plane),        cmocka_unit_test(the_four_bar_has_three_redundant_rows),
        cmocka_unit_test(motions_do_not_depend_on_the_frame), cmocka_unit_test(motions_do_not_depend_on_the_order),
        cmocka_unit_test(redundant_rows_change_nothing),
    };
    return cmocka_run_group_tests_name("physics.spatial_invariance", tests, NULL, NULL);
}
