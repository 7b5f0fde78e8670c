/* Claim: where bodies have no mass or no inertia, and the accelerations are determinate all the same, motion, energy, reactions and
 * motor loads are those of the masses that are there (S1's saddle system with a semi-definite M), by every method, with draws that
 * come to 0 as well; and an instance whose masses leave a motion open ends as `indeterminate` and disturbs no other one. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/support/mechanism.h"
#include "tests/support/motion.h"

#define HEAD "sarrus: 1\nspace: planar\ngravity: [0, -9.81]\n"
#define SPACE_HEAD "sarrus: 1\nspace: spatial\ngravity: [0, 0, -9.81]\n"
#define TAIL "dynamics: {formulation: udwadia-kalaba, projection: every_step}\nintegrator: {method: rk4, dt: 1.0e-3, t_end: 2}\n"

/* Two point masses on rods of which each is one body with its mass: their inertia about the mass centre is 0. */
static const char two_points[] =
    HEAD "bodies:\n"
         "  - {name: a, mass: 1.0, inertia: 0, position: [0.6, -0.8], velocity: [0.8, 0.6], angular_velocity: 1}\n"
         "  - {name: b, mass: 0.5, inertia: 0, position: [1.6, -0.8], velocity: [0.8, 0.6]}\n"
         "joints:\n"
         "  - {name: A, type: revolute, bodies: [ground, a], at: [0, 0]}\n"
         "  - {name: B, type: revolute, bodies: [a, b], at: [0.6, -0.8]}\n" TAIL;
/* The same with discs that do not turn, held at their centres. */
static const char two_discs[] = HEAD "bodies:\n"
                                     "  - {name: a, mass: 1.0, inertia: 1, position: [0.6, -0.8], velocity: [0.8, 0.6]}\n"
                                     "  - {name: b, mass: 0.5, inertia: 1, position: [1.6, -0.8], velocity: [0.8, 0.6]}\n"
                                     "joints:\n"
                                     "  - {name: A, type: distance, bodies: [ground, a], points: [[0, 0], [0, 0]]}\n"
                                     "  - {name: B, type: distance, bodies: [a, b], points: [[0, 0], [0, 0]]}\n" TAIL;

#define CRANK "  - {name: crank, mass: 1.0, inertia: 0.1, position: [0, 0.25], velocity: [0.5, 0], angular_velocity: -2}\n"
#define ROCKER "  - {name: rocker, mass: 1.0, inertia: 0.1, position: [1.5, 0.5], velocity: [0.5, 0], angular_velocity: -1}\n"
#define PINS                                                                                                                       \
    "  - {name: A, type: revolute, bodies: [ground, crank], at: [0, 0]}\n"                                                         \
    "  - {name: D, type: revolute, bodies: [ground, rocker], at: [1.5, 0]}\n"
static const char four_bar[] =
    HEAD "bodies:\n" CRANK ROCKER "  - {name: coupler, mass: 0, inertia: 0, position: [0.75, 0.75], velocity: [1, 0]}\n"
         "joints:\n" PINS "  - {name: B, type: revolute, bodies: [crank, coupler], at: [0, 0.5]}\n"
         "  - {name: C, type: revolute, bodies: [coupler, rocker], at: [1.5, 1.0]}\n" TAIL;
static const char four_bar_by_distance[] =
    HEAD "bodies:\n" CRANK ROCKER "joints:\n" PINS
         "  - {name: B, type: distance, bodies: [crank, rocker], points: [[0, 0.25], [0, 0.5]]}\n" TAIL;

#define SLIDER_CRANK(crank, slider)                                                                                                \
    HEAD "bodies:\n"                                                                                                               \
         "  - {name: crank, " crank ", position: [0, 0.1]}\n"                                                                      \
         "  - {name: rod, mass: 0, inertia: 0, position: [0.3, 0.1]}\n"                                                            \
         "  - {name: slider, mass: 1.0, inertia: 0.1, position: [0.6, 0]" slider "}\n"                                             \
         "joints:\n"                                                                                                               \
         "  - {name: A, type: revolute, bodies: [ground, crank], at: [0, 0]}\n"                                                    \
         "  - {name: B, type: revolute, bodies: [crank, rod], at: [0, 0.2]}\n"                                                     \
         "  - {name: C, type: revolute, bodies: [rod, slider], at: [0.6, 0], damping: 0.05}\n"                                     \
         "  - {name: D, type: prismatic, bodies: [ground, slider], at: [0, 0], axis: [1, 0], stiffness: 20}\n"
#define FORCES                                                                                                                     \
    "forces:\n"                                                                                                                    \
    "  - {name: motor, type: torque, body: rod, value: 0.3}\n"                                                                     \
    "  - {name: pull, type: spring, between: [[rod, [0.1, 0.05]], [ground, [0.2, 0.9]]], stiffness: 30, rest_length: 0.4}\n"
static const char loaded_rod[] = SLIDER_CRANK("mass: 1.0, inertia: 0.1", "") FORCES TAIL;
static const char loaded_rod_by_svd[] = SLIDER_CRANK("mass: 1.0, inertia: 0.1", "") FORCES
    "dynamics: {projection: every_step, pinv: svd}\nintegrator: {method: rk4, dt: 1.0e-3, t_end: 2}\n";
static const char dead_centre[] = SLIDER_CRANK("mass: 0, inertia: 0", ", velocity: [1, 0]") TAIL;

/* A driven crank without mass, and a redundant guide besides. */
static const char driven[] = HEAD
    "bodies:\n"
    "  - {name: crank, mass: 0, inertia: 0, position: [0.1, 0]}\n"
    "  - {name: rod, mass: 0, inertia: 0.01, position: [0.5, 0]}\n"
    "  - {name: slider, mass: 1.5, inertia: 0, position: [0.8, 0]}\n"
    "joints:\n"
    "  - {name: A, type: revolute, bodies: [ground, crank], at: [0, 0], drive: {signal: {sine: {amplitude: 1, frequency: 0.5}}}}\n"
    "  - {name: B, type: revolute, bodies: [crank, rod], at: [0.2, 0]}\n"
    "  - {name: C, type: revolute, bodies: [rod, slider], at: [0.8, 0]}\n"
    "  - {name: D, type: prismatic, bodies: [ground, slider], at: [0.8, 0], axis: [1, 0]}\n"
    "  - {name: E, type: prismatic, bodies: [ground, slider], at: [0.8, 0.1], axis: [1, 0]}\n" TAIL;

/* Looks at accelerations, reactions and motor loads of a motion every 0.1 s, against the dense saddle system at the same states.
 * The rank is cut at 1e-10: S1's matrix has a condition of some 1e3 here, and redundant rows show at round-off. Its answer is
 * good to 1e-12 of the largest number, and so is ours: sweeps end where a change is 1e-13. */
static void assert_saddle(const char *text) {
    enum { MOST = 16, N_TIMES = 20 };
    mechanism m = mechanism_open_text(text, NULL);
    sarrus_batch *batch = mechanism_batch(&m, NULL, 1, 1, NULL);
    double q[MOST], v[MOST], a[MOST], reaction[3 * MOST], load[MOST], a_ref[MOST], lambda[MOST + 4], reaction_ref[3 * MOST],
        load_ref[MOST];
    for (int k = 0; k < N_TIMES; ++k) {
        mechanism_observe(batch, SARRUS_OBSERVE_Q, q);
        mechanism_observe(batch, SARRUS_OBSERVE_V, v);
        mechanism_observe(batch, SARRUS_OBSERVE_ACCELERATION, a);
        mechanism_observe(batch, SARRUS_OBSERVE_REACTIONS, reaction);
        assert_true(reference_accelerations(m.ref, 0.1 * k, q, v, 1e-10, a_ref, lambda, NULL));
        reference_reactions(m.ref, 0.1 * k, q, lambda, reaction_ref);
        const double size = 1.0 + mechanism_size(a_ref, (size_t)m.n), weight = 1.0 + mechanism_size(lambda, (size_t)m.m);
        assert_true(mechanism_distance(a, a_ref, (size_t)m.n) <= 1e-10 * size);
        assert_true(mechanism_distance(reaction, reaction_ref, 3 * (size_t)m.n_joints) <= 1e-10 * weight);
        if (m.n_drives > 0) {
            mechanism_observe(batch, SARRUS_OBSERVE_DRIVES, load);
            assert_int_equal(reference_drives(m.ref, lambda, load_ref), m.n_drives);
            assert_true(mechanism_distance(load, load_ref, (size_t)m.n_drives) <= 1e-10 * weight);
        }
        assert_int_equal(sarrus_batch_advance(batch, 100), SARRUS_OK);
        assert_int_equal(sarrus_batch_status(batch, 0), SARRUS_INSTANCE_OK);
    }
    sarrus_batch_destroy(batch);
    mechanism_close(&m);
}

static void accelerations_are_those_of_the_saddle_system(void **state) {
    (void)state;
    assert_saddle(two_points);
    assert_saddle(four_bar);
    assert_saddle(loaded_rod);
    assert_saddle(loaded_rod_by_svd);
    assert_saddle(driven);
}

/* All integrators with what their positions may be off by after 2 s, and their energies relative to 10 J: rk4 at 1e-3 has errors of
 * 1e-11 here; the adaptive methods keep some tolerances; of semi-implicit Euler, of order 1, both sides have the same error. */
static const struct {
    const char *integrator;
    double position, energy;
} methods[] = {
    {"method: rk4", 1e-10, 1e-10},
    {"method: dopri5, rtol: 1e-11, atol: 1e-12", 1e-8, 1e-9},
    {"method: verner65, rtol: 1e-11, atol: 1e-12", 1e-8, 1e-9},
    {"method: adams-moulton, rtol: 1e-11, atol: 1e-12", 1e-8, 1e-9},
    {"method: semi-implicit", 1e-2, 5e-2},
};

/* x[n_left][2] and y likewise: places of numbers that are to be the same in two motions. */
static void assert_same_motion(const char *left, const char *right, const int pairs[][2], int n_pairs) {
    for (size_t i = 0; i < sizeof methods / sizeof methods[0]; ++i) {
        const motion_times times = {.integrator = methods[i].integrator, .interval = 0.05, .n_times = 41, .n_substeps = 50};
        motion a = motion_of_text(left, NULL, &times), b = motion_of_text(right, NULL, &times);
        for (size_t k = 0; k < times.n_times; ++k) {
            for (int p = 0; p < n_pairs; ++p) {
                const double x = a.q[k * (size_t)a.sizes.n_coordinates + (size_t)pairs[p][0]];
                const double y = b.q[k * (size_t)b.sizes.n_coordinates + (size_t)pairs[p][1]];
                if (!(fabs(x - y) <= methods[i].position))
                    fail_msg("%s: %.3g apart at %.3g s", methods[i].integrator, fabs(x - y), 0.05 * (double)k);
            }
        }
        if (!(motion_imbalance(&a, 10.0) <= methods[i].energy))
            fail_msg("%s: energy off by %.3g", methods[i].integrator, motion_imbalance(&a, 10.0));
        motion_free(&a);
        motion_free(&b);
    }
}

static void point_masses_swing_as_on_distances(void **state) {
    (void)state;
    static const int pairs[][2] = {{0, 0}, {1, 1}, {3, 3}, {4, 4}};
    assert_same_motion(two_points, two_discs, pairs, 4);
}

static void a_coupler_without_mass_is_a_distance(void **state) {
    (void)state;
    static const int pairs[][2] = {{0, 0}, {1, 1}, {2, 2}, {3, 3}, {4, 4}, {5, 5}};
    assert_same_motion(four_bar, four_bar_by_distance, pairs, 6);
}

/* A coupler that is given no velocity takes none from its neighbours: M alone says which speeds are nearest. To 1e-12 of speeds
 * of 2, with sweeps to 1e-13. */
static void given_speeds_of_what_has_no_mass_do_not_count(void **state) {
    (void)state;
    const sarrus_override still[] = {{"bodies.coupler.velocity", "[0, 7]"}, {NULL, NULL}};
    mechanism m = mechanism_open_text(four_bar, still);
    sarrus_batch *batch = mechanism_batch(&m, NULL, 1, 1, NULL);
    const double expected[] = {0.5, 0.0, -2.0, 0.5, 0.0, -1.0, 1.0, 0.0, 0.0};
    double v[9];
    mechanism_observe(batch, SARRUS_OBSERVE_V, v);
    assert_true(mechanism_distance(v, expected, 9) <= 1e-12);
    assert_non_null(strstr(sarrus_plan_report(m.plan), "coupler (mass, inertia)"));
    sarrus_batch_destroy(batch);
    mechanism_close(&m);
}

/* A uniform rod of length 1 without inertia about itself swings as a point mass at 2/3 of its length, whatever holds its turn about
 * itself: its centre is 3/4 as far out. The other bodies are balls on distance joints, which do not turn. */
static const char thin_rod[] =
    SPACE_HEAD "bodies:\n"
               "  - {name: rod, mass: 3, inertia: [0.25, 0.25, 0], position: [0.3, 0, -0.4], velocity: [0, 0.6, 0],\n"
               "     orientation: {axis: [0, 1, 0], angle: -0.6435011087932844}, angular_velocity: [1.2, 0, 0]}\n"
               "joints:\n"
               "  - {name: A, type: universal, bodies: [ground, rod], at: [0, 0, 0], axes: [[0, 1, 0], [0.8, 0, 0.6]]}\n" TAIL;
static const char ball_on_a_distance[] =
    SPACE_HEAD "bodies:\n"
               "  - {name: ball, mass: 1, inertia: [1, 1, 1], position: [0.4, 0, -0.5333333333333333], velocity: [0, 0.8, 0]}\n"
               "joints:\n"
               "  - {name: A, type: distance, bodies: [ground, ball], points: [[0, 0, 0], [0, 0, 0]]}\n" TAIL;
/* A chain of two point masses whose turns universal joints hold. */
static const char chain[] = SPACE_HEAD
    "bodies:\n"
    "  - {name: a, mass: 1, inertia: [0, 0, 0], position: [0, 0, -1]}\n"
    "  - {name: b, mass: 0.5, inertia: [0, 0, 0], position: [0.6, 0, -1.8], velocity: [0, 1, 0], angular_velocity: [0.8, 0, 0.6]}\n"
    "joints:\n"
    "  - {name: A, type: universal, bodies: [ground, a], at: [0, 0, 0], axes: [[1, 0, 0], [0, 1, 0]]}\n"
    "  - {name: B, type: universal, bodies: [a, b], at: [0, 0, -1], axes: [[0, 1, 0], [0.8, 0, 0.6]]}\n" TAIL;
static const char chain_by_distance[] =
    SPACE_HEAD "bodies:\n"
               "  - {name: a, mass: 1, inertia: [1, 1, 1], position: [0, 0, -1]}\n"
               "  - {name: b, mass: 0.5, inertia: [1, 1, 1], position: [0.6, 0, -1.8], velocity: [0, 1, 0]}\n"
               "joints:\n"
               "  - {name: A, type: distance, bodies: [ground, a], points: [[0, 0, 0], [0, 0, 0]]}\n"
               "  - {name: B, type: distance, bodies: [a, b], points: [[0, 0, 0], [0, 0, 0]]}\n" TAIL;

static void a_thin_rod_is_a_spherical_pendulum(void **state) {
    (void)state;
    for (size_t i = 0; i + 1 < sizeof methods / sizeof methods[0]; ++i) {
        const motion_times times = {.integrator = methods[i].integrator, .interval = 0.05, .n_times = 41, .n_substeps = 50};
        motion rod = motion_of_text(thin_rod, NULL, &times), ball = motion_of_text(ball_on_a_distance, NULL, &times);
        for (size_t k = 0; k < times.n_times; ++k) {
            for (int x = 0; x < 3; ++x)
                assert_true(fabs(motion_body(&rod, k, 0)[x] - 0.75 * motion_body(&ball, k, 0)[x]) <= methods[i].position);
        }
        assert_true(motion_imbalance(&rod, 10.0) <= methods[i].energy);
        motion_free(&rod);
        motion_free(&ball);
    }
}

static void point_masses_make_a_chain_in_space(void **state) {
    (void)state;
    static const int pairs[][2] = {{0, 0}, {1, 1}, {2, 2}, {7, 7}, {8, 8}, {9, 9}};
    assert_same_motion(chain, chain_by_distance, pairs, 6);
}

/* The mass and the inertia of the coupler are drawn from 0 on; those of a disc that hangs on nothing, too. */
static const char drawn[] =
    HEAD "bodies:\n" CRANK ROCKER "  - {name: coupler, mass: 0.5, inertia: 0.1, position: [0.75, 0.75], velocity: [1, 0]}\n"
         "  - {name: disc, mass: 1, inertia: 0.1, position: [5, 0]}\n"
         "joints:\n" PINS "  - {name: B, type: revolute, bodies: [crank, coupler], at: [0, 0.5]}\n"
         "  - {name: C, type: revolute, bodies: [coupler, rocker], at: [1.5, 1.0]}\n"
         "batch:\n"
         "  instances: 8\n"
         "  parameters:\n"
         "    - {path: bodies.coupler.mass, distribution: uniform, low: 0, high: 1}\n"
         "    - {path: bodies.coupler.inertia, distribution: uniform, low: 0, high: 1}\n"
         "    - {path: bodies.disc.mass, distribution: uniform, low: 0, high: 1}\n" TAIL;

static void draws_may_come_to_nothing(void **state) {
    (void)state;
    enum { N = 8, N_V = 12 };
    static const double mass[N] = {0.0, 1e-12, 1e-5, 0.01, 0.5, 1.0, 0.0, 0.5},
                        inertia[N] = {0.0, 1e-13, 0.0, 1e-3, 0.0, 0.1, 0.2, 0.1};
    static const double disc[N] = {1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 0.0};
    static double q[N * N_V], a[N * N_V], v[N * N_V], alone[N_V], a_ref[N_V], lambda[N_V];
    mechanism m = mechanism_open_text(drawn, NULL);
    sarrus_draws *draws = mechanism_draws_by_hand(&m, N), *one = mechanism_draws_by_hand(&m, 1);
    for (int i = 0; i < N; ++i) {
        draws->values[i] = mass[i];
        draws->values[N + i] = inertia[i];
        draws->values[2 * N + i] = disc[i];
    }
    sarrus_batch *batch = mechanism_batch(&m, NULL, 1, N, draws);
    assert_int_equal(sarrus_batch_advance(batch, 500), SARRUS_OK);
    mechanism_observe(batch, SARRUS_OBSERVE_Q, q);
    mechanism_observe(batch, SARRUS_OBSERVE_V, v);
    mechanism_observe(batch, SARRUS_OBSERVE_ACCELERATION, a);
    for (int i = 0; i < N; ++i) {
        assert_int_equal(sarrus_batch_status(batch, (uint64_t)i),
                         disc[i] > 0.0 ? SARRUS_INSTANCE_OK : SARRUS_INSTANCE_INDETERMINATE);
        if (!(disc[i] > 0.0))
            continue;
        reference *ref = mechanism_reference(&m, draws, (uint64_t)i);
        assert_true(reference_accelerations(ref, 0.5, q + N_V * i, v + N_V * i, 1e-14, a_ref, lambda, NULL));
        assert_true(mechanism_distance(a + N_V * i, a_ref, N_V) <= 1e-9 * (1.0 + mechanism_size(a_ref, N_V)));
        reference_destroy(ref);
        for (int k = 0; k < 3; ++k)
            one->values[k] = draws->values[N * k + i];
        sarrus_batch *single = mechanism_batch(&m, NULL, 1, 1, one);
        assert_int_equal(sarrus_batch_advance(single, 500), SARRUS_OK);
        mechanism_observe(single, SARRUS_OBSERVE_Q, alone);
        assert_memory_equal(alone, q + N_V * i, sizeof alone);
        sarrus_batch_destroy(single);
    }
    sarrus_batch_destroy(batch);
    mechanism_draws_free(draws);
    mechanism_draws_free(one);
    mechanism_close(&m);
}

/* A crank and a rod without mass: at its dead centre the slider's mass feels nothing of the crank. Methods that choose their
 * steps end there; fixed ones, which jump, never end well. */
static void a_dead_centre_is_told(void **state) {
    (void)state;
    static const char *const words[] = {"rk4", "semi-implicit", "dopri5", "verner65", "adams-moulton"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; ++i) {
        const sarrus_override override[] = {{"integrator.method", words[i]}, {NULL, NULL}};
        mechanism m = mechanism_open_text(dead_centre, override);
        sarrus_batch *batch = mechanism_batch(&m, NULL, 1, 1, NULL);
        assert_int_equal(sarrus_batch_advance(batch, 2000), SARRUS_OK);
        const sarrus_instance_status found = sarrus_batch_status(batch, 0);
        if (i >= 2 ? found != SARRUS_INSTANCE_INDETERMINATE : found == SARRUS_INSTANCE_OK)
            fail_msg("%s: %s", words[i], sarrus_instance_status_word(found));
        sarrus_batch_destroy(batch);
        mechanism_close(&m);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(accelerations_are_those_of_the_saddle_system),
        cmocka_unit_test(point_masses_swing_as_on_distances),
        cmocka_unit_test(a_coupler_without_mass_is_a_distance),
        cmocka_unit_test(given_speeds_of_what_has_no_mass_do_not_count),
        cmocka_unit_test(a_thin_rod_is_a_spherical_pendulum),
        cmocka_unit_test(point_masses_make_a_chain_in_space),
        cmocka_unit_test(draws_may_come_to_nothing),
        cmocka_unit_test(a_dead_centre_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
