/* Claim: mechanisms move on a ground that signals move as they must. On one that accelerates evenly they move as in gravity that is
 * tilted, redundant constraints or not; on one that shakes, or turns, a pendulum obeys its own equation; on one that goes evenly
 * nothing changes. On any, in the plane and in space, accelerations and reactions are those of a mechanism whose ground is a body
 * that drives move, for every kind of joint, spring, drive and constraint; the energy is that which ground's motion brings. */
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

enum { TEXT_SIZE = 8192 };

static void check(const char *what, size_t k, double value, double expected, double tolerance) {
    if (!(fabs(value - expected) <= tolerance))
        fail_msg("%s at output %zu: %.17g, expected %.17g, off by %.3e", what, k, value, expected, value - expected);
}

/* x and y of n bodies of `moved` are those of `still`, shifted by s t + ½ a t²; angles and reactions are the same. */
static void check_shifted(const motion *moved, const motion *still, const double s[2], const double a[2], double tolerance) {
    const size_t n = (size_t)still->sizes.n_coordinates, n_r = (size_t)still->n_reactions;
    double load = 1.0;
    for (size_t i = 0; i < still->n_times * n_r; ++i)
        load = fmax(load, fabs(still->reactions[i]));
    for (size_t k = 0; k < still->n_times; ++k) {
        const double t = still->interval * (double)k;
        for (size_t i = 0; i < n; ++i) {
            const double shift = i % 3 == 2 ? 0.0 : s[i % 3] * t + 0.5 * a[i % 3] * t * t;
            check("coordinate", k, moved->q[k * n + i] - shift, still->q[k * n + i], tolerance);
        }
        for (size_t i = 0; i < n_r; ++i)
            check("reaction", k, moved->reactions[k * n_r + i], still->reactions[k * n_r + i], 100.0 * tolerance * load);
    }
}

/* With and without redundant constraints, by steps of every kind. RK4 makes polynomials of the second degree exactly, so that with
 * fixed steps round-off alone is left, which the motions of 1 s amplify by less than a thousand. */
static void accelerated_ground_is_tilted_gravity(void **state) {
    (void)state;
    static const char *const files[] = {"pendulum.yaml",     "four_bar.yaml",     "five_bar.yaml",
                                        "n_four_bar_2.yaml", "slider_crank.yaml", "massless_coupler.yaml"};
    static const struct {
        const char *integrator;
        double tolerance;
    } methods[] = {{"method: rk4", 1e-10},
                   {"method: dopri5, rtol: 1e-11, atol: 1e-12", 1e-8},
                   {"method: adams-moulton, rtol: 1e-11, atol: 1e-12", 1e-7}};
    static const double none[2] = {0.0, 0.0}, a[2] = {2.5, -1.5};
    for (size_t f = 0; f < sizeof files / sizeof files[0]; ++f) {
        for (size_t i = 0; i < sizeof methods / sizeof methods[0]; ++i) {
            const motion_times times = {methods[i].integrator, 0.05, 21, 50, 0};
            const sarrus_override tilted[] = {{"gravity", "[-2.5, -8.31]"}, {NULL, NULL}};
            const sarrus_override moved[] = {{"gravity", "[0, -9.81]"},
                                             {"ground", "{motion: {x: {signal: {polynomial: [0, 0, 1.25]}}, "
                                                        "y: {signal: {polynomial: [0, 0, -0.75]}}}}"},
                                             {NULL, NULL}};
            motion still = motion_of_file(files[f], tilted, &times), m = motion_of_file(files[f], moved, &times);
            check_shifted(&m, &still, none, a, methods[i].tolerance);
            check("energy", 0, motion_imbalance(&m, 10.0), 0.0, 1e-6);
            motion_free(&still);
            motion_free(&m);
        }
    }
}

/* Galilei: the four-bar of the file on a ground that goes at (3, −2) m/s, its bodies with it. The pins of its cranks are rows here,
 * which they are not on a ground at rest. */
static void even_motion_changes_nothing(void **state) {
    (void)state;
    static const double s[2] = {3.0, -2.0}, none[2] = {0.0, 0.0};
    const motion_times times = {"method: rk4", 0.02, 51, 20, 0};
    const sarrus_override moved[] = {
        {"ground", "{motion: {x: {signal: {polynomial: [0, 3]}}, y: {signal: {polynomial: [0, -2]}}}}"},
        {"bodies.crank.velocity", "[1.95, -2.0]"},
        {"bodies.coupler.velocity", "[1.05, -2.2]"},
        {"bodies.rocker.velocity", "[2.1, -2.2]"},
        {NULL, NULL}};
    motion still = motion_of_file("four_bar.yaml", NULL, &times), m = motion_of_file("four_bar.yaml", moved, &times);
    check_shifted(&m, &still, s, none, 1e-11);
    motion_free(&still);
    motion_free(&m);
}

/* A uniform rod of 1 m on a pin that goes up and down: φ̈ = −(3/2)(g + ÿ) sin φ, y = A cos ωt. y[2] is the time. */
static void kapitza_rates(const long double *y, const void *of, long double *dy) {
    const long double *shake = of, lift = -shake[0] * shake[1] * shake[1] * cosl(shake[1] * y[2]);
    dy[0] = y[1];
    dy[1] = -1.5L * (9.81L + lift) * sinl(y[0]);
    dy[2] = 1.0L;
}

/* Ground begins A above: `at` is a place in the inertial frame all the same. The rod begins 0.2 rad from where it would fall from,
 * and stays up, for (A ω)² = 88 > 2 g·(2/3). The method's error is that of 400 swings of ground. */
static void shaken_pendulum_stands_on_its_head(void **state) {
    (void)state;
    static const char *const integrators[] = {"method: rk4", "method: dopri5, rtol: 1e-11, atol: 1e-12",
                                              "method: verner65, rtol: 1e-11, atol: 1e-12"};
    const long double shake[2] = {0.05L, 60.0L * 3.14159265358979323846L};
    for (size_t i = 0; i < 3; ++i) {
        const motion_times times = {integrators[i], 0.02, 101, 200, 0};
        const sarrus_override overrides[] = {
            {"parameters.phi", "2.9415926535897931"},
            {"ground", "{motion: {y: {signal: {sine: {amplitude: 0.05, frequency: 30, phase: 1.5707963267948966}}}}}"},
            {NULL, NULL}};
        long double y[3] = {2.9415926535897931L, 0.0L, 0.0L};
        motion m = motion_of_file("pendulum.yaml", overrides, &times);
        for (size_t k = 0; k < m.n_times; ++k) {
            const double phi = (double)y[0], lift = 0.05 * (cos((double)shake[1] * 0.02 * (double)k) - 1.0);
            check("angle", k, m.q[3 * k + 2], phi, 1e-6);
            check("height", k, m.q[3 * k + 1], lift - 0.5 * cos(phi), 1e-6);
            assert_true(fabs(phi - M_PI) < 0.3);
            ode_advance(kapitza_rates, shake, 3, 1e-5L, 2000, y);
        }
        check("energy", 0, motion_imbalance(&m, 10.0), 0.0, 1e-6);
        motion_free(&m);
    }
}

/* A rod on a pin R from the axis about which ground turns at a rate w, without gravity: of the angle to the radius
 * φ̈ = −(m l R w²/(I + m l²)) sin φ. */
static void centrifugal_rates(const long double *y, const void *of, long double *dy) {
    dy[0] = y[1];
    dy[1] = -*(const long double *)of * sinl(y[0]);
}

static void rod_on_a_turntable(void **state) {
    (void)state;
    const double w = 5.0, arm = 0.7, l = 0.5, mass = 2.0, inertia = 0.1, about[2] = {0.4, -0.3}, phi = 1.0;
    const long double stiffness = (long double)(mass * l * arm * w * w / (inertia + mass * l * l));
    char text[TEXT_SIZE];
    /* the radius along x; the rod turned by φ from it, at rest on the table */
    const double pin[2] = {about[0] + arm, about[1]}, at[2] = {pin[0] + l * cos(phi), pin[1] + l * sin(phi)};
    (void)snprintf(text, sizeof text,
                   "sarrus: 1\nspace: planar\ngravity: [0, 0]\n"
                   "ground: {motion: {angle: {signal: {ramp: {slope: %.17g, offset: 0.3}}}, about: [%.17g, %.17g]}}\n"
                   "bodies: [{name: rod, mass: %.17g, inertia: %.17g, position: [%.17g, %.17g], orientation: %.17g,\n"
                   "  velocity: [%.17g, %.17g], angular_velocity: %.17g}]\n"
                   "joints: [{name: pin, type: revolute, bodies: [ground, rod], at: [%.17g, %.17g]}]\n"
                   "integrator: {t_end: 1}\n",
                   w, about[0], about[1], mass, inertia, at[0], at[1], phi, -w * (at[1] - about[1]), w * (at[0] - about[0]), w,
                   pin[0], pin[1]);
    motion m = motion_of_text(text, NULL, &(motion_times){"method: rk4", 0.02, 101, 40, 0});
    long double y[2] = {(long double)phi, 0.0L};
    for (size_t k = 0; k < m.n_times; ++k) {
        const double turn = w * 0.02 * (double)k, angle = turn + (double)y[0];
        check("angle", k, m.q[3 * k + 2], angle, 1e-8);
        check("x", k, m.q[3 * k], about[0] + arm * cos(turn) + l * cos(angle), 1e-8);
        ode_advance(centrifugal_rates, &stiffness, 2, 1e-4L, 200, y);
    }
    check("energy", 0, motion_imbalance(&m, 10.0), 0.0, 1e-8);
    motion_free(&m);
}

/* `form` with every '@' replaced by what ground is called. */
static void put_name(const char *form, const char *name, char text[TEXT_SIZE]) {
    size_t n = 0;
    for (const char *c = form; *c; ++c) {
        const char one[2] = {*c, '\0'}, *add = *c == '@' ? name : one;
        const size_t length = strlen(add);
        assert_true(n + length < TEXT_SIZE);
        memcpy(text + n, add, length);
        n += length;
    }
    text[n] = '\0';
}

/* A mechanism, and what moves its ground: as the key `ground`, and as bodies and joints with drives behind its own, of which the
 * last body, `plate`, is what ground is. */
typedef struct shaken {
    const char *space, *bodies, *joints, *rest, *motion, *movers, *drives;
} shaken;

static motion follow_ground(const shaken *of, int is_body, const motion_times *times, const sarrus_override *overrides) {
    static char form[TEXT_SIZE], text[TEXT_SIZE];
    const int n = snprintf(form, sizeof form, "sarrus: 1\nspace: %s\n%s%s\nbodies:\n%s%sjoints:\n%s%s%sintegrator: {t_end: 1}\n",
                           of->space, is_body ? "" : "ground: ", is_body ? "" : of->motion, of->bodies, is_body ? of->movers : "",
                           of->joints, is_body ? of->drives : "", of->rest);
    assert_true(n > 0 && (size_t)n < sizeof form);
    put_name(form, is_body ? "plate" : "ground", text);
    return motion_of_text(text, overrides, times);
}

/* Accelerations, coordinates and reactions of the mechanism's own bodies and joints, the first ones of both. */
static void check_same(const motion *m, const motion *by_body, double tolerance) {
    const size_t n = (size_t)m->sizes.n, n_q = (size_t)m->sizes.n_coordinates, n_r = (size_t)m->n_reactions;
    const size_t all = (size_t)by_body->sizes.n, all_q = (size_t)by_body->sizes.n_coordinates;
    double a = 1.0, load = 1.0;
    for (size_t i = 0; i < m->n_times * n; ++i)
        a = fmax(a, fabs(m->a[i]));
    for (size_t i = 0; i < m->n_times * n_r; ++i)
        load = fmax(load, fabs(m->reactions[i]));
    for (size_t k = 0; k < m->n_times; ++k) {
        const double much = k == 0 ? 1e-10 : tolerance; /* at the start both have the same state */
        for (size_t i = 0; i < n_q; ++i)
            check("coordinate", k, m->q[k * n_q + i], by_body->q[k * all_q + i], much);
        for (size_t i = 0; i < n; ++i)
            check("acceleration", k, m->a[k * n + i], by_body->a[k * all + i], a * much);
        for (size_t i = 0; i < n_r; ++i)
            check("reaction", k, m->reactions[k * n_r + i], by_body->reactions[k * (size_t)by_body->n_reactions + i], load * much);
    }
}

/* Every kind of joint on ground, as parent and as child, with springs, dampers and a drive; springs and loads; a gear, a cam and a
 * curve. Ground begins somewhere else than at the origin, and turned. */
static const shaken zoo = {
    "planar\ngravity: [1, -9.81]",
    "  - {name: crank, mass: 1.5, inertia: 0.05, position: [0.1, 0.2], velocity: [0.3, 0.1], angular_velocity: 1}\n"
    "  - {name: coupler, mass: 1, inertia: 0.08, position: [0.5, 0.5]}\n"
    "  - {name: rocker, mass: 0.9, inertia: 0.06, position: [0.9, 0.3], orientation: 0.2}\n"
    "  - {name: sled, mass: 2, inertia: 0.1, position: [-1, 0], orientation: 0.4}\n"
    "  - {name: arm, mass: 0.7, inertia: 0.03, position: [-0.7, 0.3]}\n"
    "  - {name: bob, mass: 0.4, inertia: 0.02, position: [2, 0.1]}\n"
    "  - {name: pin, mass: 0.6, inertia: 0.02, position: [2.5, 1], angular_velocity: -2}\n"
    "  - {name: wheel, mass: 0.8, inertia: 0.04, position: [-2, 1]}\n"
    "  - {name: bead, mass: 0.3, inertia: 0.01, position: [3, 0]}\n"
    "  - {name: lifter, mass: 0.5, inertia: 0.02, position: [-2.5, 1.5]}\n"
    "  - {name: weld, mass: 0.5, inertia: 0.02, position: [-3, 0.5]}\n",
    "  - {name: A, type: revolute, bodies: [@, crank], at: [0, 0], stiffness: 2, damping: 0.3, rest: 0.4}\n"
    "  - {name: B, type: revolute, bodies: [crank, coupler], at: [0.2, 0.4]}\n"
    "  - {name: C, type: revolute, bodies: [coupler, rocker], at: [0.8, 0.6]}\n"
    "  - {name: D, type: revolute, bodies: [rocker, @], at: [1, 0], damping: 0.2}\n"
    "  - {name: E, type: prismatic, bodies: [@, sled], at: [-1, 0.1], axis: [2, 1], stiffness: 30, damping: 1, rest: 0.1}\n"
    "  - {name: F, type: revolute, bodies: [sled, arm], at: [-0.8, 0.2]}\n"
    "  - {name: G, type: distance, bodies: [@, bob], at: [[2, 0.6], [2, 0.1]]}\n"
    "  - {name: H, type: slot, bodies: [pin, @], at: [2.5, 1.1], axis: [1, 3], stiffness: 5, damping: 0.1}\n"
    "  - {name: I, type: revolute, bodies: [@, wheel], at: [-2, 1.05], drive: {signal: {polynomial: [0, 2, -1]}}}\n"
    "  - {name: J, type: prismatic, bodies: [lifter, @], at: [-2.5, 1.4], axis: [0, 1], damping: 0.3}\n"
    "  - {name: K, type: fixed, bodies: [@, weld], at: [-3, 0.4]}\n",
    "constraints:\n"
    "  - {name: rack, type: gear, joints: [J, I], ratio: 0.05}\n"
    "  - {name: lobe, type: cam, joints: [E, D], table: {angle: [-6, -3, 0, 3, 6], y: [0.2, -0.1, 0, 0.3, 0.1]}}\n"
    "  - {name: track, type: curve, bodies: [@, bead], points: [[2, 0.5], [2.6, 0.1], [3, -0.02], [3.5, 0.2], [4, 0.7]]}\n"
    "forces:\n"
    "  - {name: s, type: spring, between: [[arm, [0.1, 0.2]], [@, [-0.2, 1]]], stiffness: 20, rest_length: 0.3, damping: 0.5}\n"
    "  - {name: u, type: spring, between: [[@, [2, 2]], [bob, [0, 0.1]]], stiffness: 9, rest_length: 0.5, damping: 0.2}\n"
    "  - {name: f, type: force, body: coupler, at: [0.1, 0], value: [2, {signal: {sine: {amplitude: 3, frequency: 1}}}]}\n",
    "{motion: {x: {signal: {sine: {amplitude: 0.2, frequency: 1.3, phase: 0.7}}}, y: {signal: {polynomial: [0.1, -0.3, 0.4]}},\n"
    "  angle: {signal: {sine: {amplitude: 0.5, frequency: 0.8, phase: -0.4, offset: 0.3}}}, about: [0.3, -0.2]}}",
    "  - {name: px, mass: 3, inertia: 1, position: [\"=0.3+dx\", -0.2]}\n"
    "  - {name: py, mass: 4, inertia: 1, position: [\"=0.3+dx\", -0.1]}\n"
    "  - {name: plate, mass: 50, inertia: 20, orientation: \"=th\",\n"
    "     position: [\"=0.3+dx-(0.3*cos(th)+0.2*sin(th))\", \"=-0.1-(0.3*sin(th)-0.2*cos(th))\"]}\n",
    "  - {name: X, type: prismatic, bodies: [ground, px], at: [0, 0], axis: [1, 0],\n"
    "     drive: {signal: {sine: {amplitude: 0.2, frequency: 1.3, phase: 0.7, offset: \"=-dx\"}}}}\n"
    "  - {name: Y, type: prismatic, bodies: [px, py], at: [0, 0], axis: [0, 1], drive: {signal: {polynomial: [0, -0.3, 0.4]}}}\n"
    "  - {name: W, type: revolute, bodies: [py, plate], points: [[0, 0], [0.3, -0.2]],\n"
    "     drive: {signal: {sine: {amplitude: 0.5, frequency: 0.8, phase: -0.4, offset: \"=0.3-th\"}}}}\n"};

/* The same in space, where ground turns about an axis askew, n = (1, 2, 2)/3: the place of the plate is o + d − A o. */
static const shaken spatial_zoo = {
    "spatial\ngravity: [1, -9.81, 2]",
    "  - {name: top, mass: 1.2, inertia: [0.05, 0.06, 0.02], position: [0.1, -0.4, 0.2], angular_velocity: [1, 3, -2]}\n"
    "  - {name: door, mass: 1, inertia: [0.08, 0.05, 0.1, 0.01, 0, -0.02], position: [1.3, 0.2, 0]}\n"
    "  - {name: link, mass: 0.6, inertia: [0.03, 0.02, 0.04], position: [1.7, 0.3, 0.3]}\n"
    "  - {name: sled, mass: 2, inertia: [0.1, 0.12, 0.2], position: [-1, 0, 0.5], orientation: {axis: [1, 1, 0], angle: 0.4}}\n"
    "  - {name: arm, mass: 0.7, inertia: [0.03, 0.02, 0.03], position: [-0.7, 0.3, 0.4]}\n"
    "  - {name: rod, mass: 0.9, inertia: [0.02, 0.05, 0.05], position: [2, 1, -1], rotor: [0.1, 0, 0.2]}\n"
    "  - {name: wheel, mass: 0.8, inertia: [0.04, 0.04, 0.06], position: [-2, 1, 0]}\n"
    "  - {name: nut, mass: 0.5, inertia: [0.02, 0.02, 0.03], position: [-2.5, 1.5, 1]}\n"
    "  - {name: block, mass: 1.5, inertia: [0.1, 0.1, 0.1], position: [3, 0, 0], velocity: [0, 0.5, 0]}\n"
    "  - {name: puck, mass: 0.4, inertia: [0.02, 0.02, 0.03], position: [0, 2, 2], velocity: [1, 0, 0]}\n"
    "  - {name: weld, mass: 0.5, inertia: [0.02, 0.02, 0.03], position: [0, -2, 1]}\n"
    "  - {name: cross, mass: 0.5, inertia: [0.02, 0.03, 0.04], position: [0, -3, 0.8], angular_velocity: [1, 0, 0]}\n"
    "  - {name: slide, mass: 0.5, inertia: [0.02, 0.03, 0.04], position: [1, -3, 0.8], angular_velocity: [0, 1, 0]}\n"
    "  - {name: bead, mass: 0.3, inertia: [0.01, 0.01, 0.01], position: [4, 0, 0.1]}\n",
    "  - {name: A, type: spherical, bodies: [@, top], at: [0, 0, 0], stiffness: 2, damping: 0.1}\n"
    "  - {name: B, type: revolute, bodies: [@, door], at: [1, 0, 0], axis: [0, 1, 1], stiffness: 4, damping: 0.3, rest: 0.2}\n"
    "  - {name: C, type: universal, bodies: [door, link], at: [1.5, 0.3, 0.1], axes: [[1, 0, 0], [0, 1, 0]]}\n"
    "  - {name: D, type: distance, bodies: [link, @], at: [[1.8, 0.3, 0.5], [2.2, 0, 0.5]]}\n"
    "  - {name: E, type: prismatic, bodies: [sled, @], at: [-1, 0.1, 0.4], axis: [2, 1, 1], stiffness: 30, damping: 1, rest: 0.1}\n"
    "  - {name: F, type: spherical, bodies: [sled, arm], at: [-0.8, 0.2, 0.4]}\n"
    "  - {name: G, type: cylindrical, bodies: [@, rod], at: [2, 1, -0.8], axis: [1, 0, 0.5], stiffness: [20, 3], damping: [1, "
    "0.1]}\n"
    "  - {name: H, type: revolute, bodies: [@, wheel], at: [-2, 1, 0.1], axis: [0, 0, 1],\n"
    "     drive: {signal: {polynomial: [0, 2, -1]}}}\n"
    "  - {name: I, type: screw, bodies: [@, nut], at: [-2.5, 1.5, 0.9], axis: [0, 1, 0], pitch: 0.1, damping: 0.05}\n"
    "  - {name: J, type: bushing, bodies: [@, block], at: [3, 0.1, 0], stiffness: [90, 80, 70, 5, 6, 7],\n"
    "     damping: [2, 1, 1, 0.2, 0.1, 0.1]}\n"
    "  - {name: K, type: planar, bodies: [@, puck], at: [0, 2, 2], axis: [0, 1, 0.2]}\n"
    "  - {name: L, type: fixed, bodies: [weld, @], at: [0, -2, 0.8]}\n"
    "  - {name: M, type: universal, bodies: [@, cross], at: [0, -3, 1], axes: [[1, 0, 0], [0, 1, 0]]}\n"
    "  - {name: N, type: general, constrain: [x, z, rx, rz], bodies: [slide, @], at: [1, -3, 0.9]}\n",
    "constraints:\n"
    "  - {name: track, type: curve, bodies: [@, bead], points: [[3.5, -0.5, 0.3], [4, 0, 0.1], [4.2, 0.6, -0.1], [4, 1.1, 0.2]]}\n"
    "forces:\n"
    "  - {name: s, type: spring, between: [[arm, [0.1, 0.2, 0]], [@, [-0.2, 1, 1]]], stiffness: 20, rest_length: 0.3,\n"
    "     damping: 0.5}\n"
    "  - {name: u, type: spring, between: [[@, [0, 2, 1]], [puck, [0, 0, 0.1]]], stiffness: 9, rest_length: 0.5, damping: 0.2}\n"
    "  - {name: f, type: force, body: rod, at: [0.1, 0, 0], value: [2, {signal: {sine: {amplitude: 3, frequency: 1}}}, 1]}\n",
    "{motion: {x: {signal: {sine: {amplitude: 0.2, frequency: 1.3, phase: 0.7}}}, y: {signal: {polynomial: [0.1, -0.3, 0.4]}},\n"
    "  z: {signal: {sine: {amplitude: 0.1, frequency: 0.9}}}, about: [0.3, -0.2, 0.1], axis: [1, 2, 2],\n"
    "  angle: {signal: {sine: {amplitude: 0.5, frequency: 0.8, phase: -0.4, offset: 0.3}}}}}",
    "  - {name: px, mass: 3, inertia: [1, 1, 1], position: [\"=0.3+dx\", -0.1, 0.1]}\n"
    "  - {name: plate, mass: 50, inertia: [20, 22, 25], orientation: {axis: [1, 2, 2], angle: \"=th\"},\n"
    "     position: [\"=0.3+dx-(0.3*cos(th)+0.1/9*(1-cos(th))+0.2*sin(th))\",\n"
    "       \"=-0.1-(-0.2*cos(th)+0.2/9*(1-cos(th))+0.5/3*sin(th))\", \"=0.1-(0.1*cos(th)+0.2/9*(1-cos(th))-0.8/3*sin(th))\"]}\n",
    "  - {name: X, type: general, constrain: [rx, ry, rz], bodies: [ground, px], at: [0, 0, 0], drive: [\n"
    "     {signal: {sine: {amplitude: 0.2, frequency: 1.3, phase: 0.7, offset: \"=-dx\"}}},\n"
    "     {signal: {polynomial: [0, -0.3, 0.4]}}, {signal: {sine: {amplitude: 0.1, frequency: 0.9}}}]}\n"
    "  - {name: W, type: revolute, bodies: [px, plate], points: [[0, 0, 0], [0.3, -0.2, 0.1]], axis: [1, 2, 2],\n"
    "     drive: {signal: {sine: {amplitude: 0.5, frequency: 0.8, phase: -0.4, offset: \"=0.3-th\"}}}}\n"};

/* The plate is integrated, and its drives are rows; what both leave is the methods' error. */
static void ground_is_as_a_body_that_drives_move(void **state) {
    (void)state;
    static const shaken *const mechanisms[] = {&zoo, &spatial_zoo};
    static const struct {
        const char *integrator, *dynamics;
        double tolerance;
    } ways[] = {{"method: dopri5, rtol: 1e-11, atol: 1e-12", "{}", 1e-8},
                {"method: rk4", "{}", 1e-6},
                {"method: adams-moulton, rtol: 1e-11, atol: 1e-12", "{projection: none}", 1e-7},
                {"method: dopri5, rtol: 1e-11, atol: 1e-12", "{baumgarte: {alpha: 4, beta: 6}}", 1e-7},
                {"method: dopri5, rtol: 1e-11, atol: 1e-12", "{pinv: svd}", 1e-7}};
    for (int z = 0; z < 2; ++z) {
        for (size_t i = 0; i < sizeof ways / sizeof ways[0]; ++i) {
            const motion_times times = {ways[i].integrator, 0.05, 21, 50, 0};
            const sarrus_override overrides[] = {
                {"dynamics", ways[i].dynamics}, {"parameters", "{th: \"=0.3-0.5*sin(0.4)\", dx: \"=0.2*sin(0.7)\"}"}, {NULL, NULL}};
            motion m = follow_ground(mechanisms[z], 0, &times, overrides);
            motion by_body = follow_ground(mechanisms[z], 1, &times, overrides);
            check_same(&m, &by_body, ways[i].tolerance);
            check("energy", i, motion_imbalance(&m, 10.0), 0.0, 1e-6);
            motion_free(&m);
            motion_free(&by_body);
        }
    }
}

/* A four-bar linkage with a spring, in the plane and in space, where it has three redundant constraints. */
static void space_is_the_plane(void **state) {
    (void)state;
    static const char form[] =
        "sarrus: 1\nspace: %s\ngravity: [0.5, -9.81%s]\n"
        "ground: {motion: {x: {signal: {sine: {amplitude: 0.1, frequency: 1.5}}}, y: {signal: {polynomial: [0.1, 0.3, -0.2]}},\n"
        "  angle: {signal: {sine: {amplitude: 0.4, frequency: 1, phase: 0.5}}}, about: [0.2, 0.1%s]%s}}\n"
        "bodies:\n"
        "  - {name: crank, mass: 3, inertia: %s0.0225%s, position: [0, 0.15%s], angular_velocity: %s5%s}\n"
        "  - {name: coupler, mass: 1, inertia: %s0.083%s, position: [0.4, 0.6%s]}\n"
        "  - {name: rocker, mass: 0.9, inertia: %s0.064%s, position: [0.9, 0.45%s]}\n"
        "joints:\n"
        "  - {name: A, type: revolute, bodies: [ground, crank], at: [0, 0%s], axis: [0, 0, 1], damping: 0.1}\n"
        "  - {name: B, type: revolute, bodies: [crank, coupler], at: [0, 0.3%s], axis: [0, 0, 1]}\n"
        "  - {name: C, type: revolute, bodies: [coupler, rocker], at: [0.8, 0.9%s], axis: [0, 0, 1]}\n"
        "  - {name: D, type: revolute, bodies: [rocker, ground], at: [1, 0%s], axis: [0, 0, 1], stiffness: 3}\n"
        "forces: [{name: s, type: spring, between: [[coupler, [0, 0.1%s]], [ground, [0.5, -0.2%s]]], stiffness: 20,\n"
        "  rest_length: 0.4, damping: 0.5}]\n"
        "integrator: {t_end: 1}\n";
    static char text[2][TEXT_SIZE];
    const char *const z = ", 0", *const axis = ", axis: [0, 0, 2]", *const i = "[1, 1, ", *const w = "[0, 0, ", *const end = "]";
    (void)snprintf(text[0], TEXT_SIZE, form, "planar", "", "", "", "", "", "", "", "", "", "", "", "", "", "", "", "", "", "", "",
                   "");
    (void)snprintf(text[1], TEXT_SIZE, form, "spatial", z, z, axis, i, end, z, w, end, i, end, z, i, end, z, z, z, z, z, z, z);
    const motion_times times = {"method: rk4", 0.02, 11, 20, 0};
    motion plane = motion_of_text(text[0], NULL, &times), space = motion_of_text(text[1], NULL, &times);
    for (size_t k = 0; k < times.n_times; ++k) {
        for (int b = 0; b < 3; ++b) {
            const double *q = plane.q + 9 * k + 3 * b, *p = motion_body(&space, k, b);
            check("x", k, p[0], q[0], 1e-12);
            check("y", k, p[1], q[1], 1e-12);
            check("angle", k, remainder(2.0 * atan2(p[6], p[3]) - q[2], 2.0 * M_PI), 0.0, 1e-12);
        }
        check("energy", k, space.energy[k], plane.energy[k], 1e-10);
        check("work", k, space.work[k], plane.work[k], 1e-10);
    }
    motion_free(&plane);
    motion_free(&space);
}

static void relative_coordinates_refuse_it(void **state) {
    (void)state;
    static const char text[] = "sarrus: 1\nspace: planar\n"
                               "ground: {motion: {x: {signal: {polynomial: [0, 1]}}}}\n"
                               "bodies: [{name: a, mass: 1, inertia: 1, position: [0, 0]}]\n"
                               "joints: [{name: A, type: revolute, bodies: [ground, a], at: [1, 0]}]\n"
                               "dynamics:\n  formulation: relative\n"
                               "integrator: {dt: 0.01, t_end: 1}\n";
    sarrus_context *context = NULL;
    sarrus_model *model = NULL;
    sarrus_plan *plan = NULL;
    assert_int_equal(sarrus_context_create(&context), SARRUS_OK);
    assert_int_equal(sarrus_scenario_read_text(context, "text", text, strlen(text), NULL, 0, &model), SARRUS_OK);
    assert_int_equal(sarrus_plan_create(context, model, &plan), SARRUS_UNSUPPORTED);
    const sarrus_diagnostic *found = sarrus_context_diagnostic(context, 0);
    assert_non_null(strstr(found->message, "a ground that moves is not for relative coordinates"));
    assert_int_equal(found->line, 7);
    assert_int_equal(found->column, 16);
    sarrus_model_destroy(model);
    sarrus_context_destroy(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(accelerated_ground_is_tilted_gravity), cmocka_unit_test(even_motion_changes_nothing),
        cmocka_unit_test(shaken_pendulum_stands_on_its_head),   cmocka_unit_test(rod_on_a_turntable),
        cmocka_unit_test(ground_is_as_a_body_that_drives_move), cmocka_unit_test(space_is_the_plane),
        cmocka_unit_test(relative_coordinates_refuse_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
