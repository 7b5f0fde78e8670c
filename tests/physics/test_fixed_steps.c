/* Claim: rk4 makes steps in parts where they do not resolve a motion, whatever it is: orientations in space that no acceleration
 * tells of, and bodies that nothing constrains. And what a screw's spring does is a torque. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>

#include "tests/support/motion.h"
#include "tests/support/stepping_cases.h"

/* A body that turns about a fixed axis at 100 rad/s has no acceleration at all; a step of 0.05 s is 5 rad. The parts hold an error
 * of 1e-6 each, some 500 of them. */
static void a_turn_is_resolved_without_acceleration(void **state) {
    (void)state;
    static const char text[] = "sarrus: 1\nspace: spatial\ngravity: [0, 0, 0]\n"
                               "bodies: [{name: a, mass: 1, inertia: [0.2, 0.2, 0.3], position: [0, 0, 0], angular_velocity: [0, "
                               "0, 100]}]\n"
                               "joints: [{name: A, type: revolute, bodies: [ground, a], at: [0, 0, 0], axis: [0, 0, 1]}]\n"
                               "dynamics: {formulation: udwadia-kalaba}\nintegrator: {t_end: 1}\n";
    motion m =
        motion_of_text(text, NULL, &(motion_times){.integrator = "method: rk4", .interval = 0.05, .n_times = 21, .n_substeps = 1});
    const double *p = motion_body(&m, 20, 0) + 3;
    assert_true(fabs(p[0] - cos(50.0)) < 5e-4 && fabs(p[3] - sin(50.0)) < 5e-4);
    assert_true(m.n_steps > 100 && m.n_steps < 2000);
    motion_free(&m);
}

/* Without constraints nobody looks out for change points, and steps are made in parts all the same: not for ever. */
static void a_free_body_is_followed_in_parts(void **state) {
    (void)state;
    static const char *const texts[] = {
        "sarrus: 1\nspace: spatial\ngravity: [0, 0, 0]\n"
        "bodies: [{name: a, mass: 1, inertia: [0.2, 0.25, 0.4], position: [0, 0, 0], angular_velocity: [1, 2, 3]}]\n"
        "joints: []\nintegrator: {t_end: 1}\n",
        "sarrus: 1\nspace: planar\ngravity: [0, 0]\n"
        "bodies: [{name: a, mass: 1, inertia: 0.1, position: [1, 0]}]\njoints: []\n"
        "forces: [{name: s, type: spring, between: [[ground, [0, 0]], [a, [0, 0]]], stiffness: 100, rest_length: 0.5}]\n"
        "integrator: {t_end: 1}\n",
    };
    for (int i = 0; i < 2; ++i) {
        const motion_times times = {.integrator = "method: rk4", .interval = 0.2, .n_times = 11, .n_substeps = 1};
        motion m = motion_of_text(texts[i], NULL, &times);
        assert_true(m.n_steps > 10 && m.n_steps < 5000);
        assert_true(motion_imbalance(&m, 1.0) < 1e-3);
        if (i == 1) /* a pull through rest: x = ½ + ½ cos ωt until the spring's center, where the force turns */
            assert_true(fabs(m.q[3] - (0.5 + 0.5 * cos(2.0))) < 1e-4);
        motion_free(&m);
    }
}

/* A drive of 0.2 m/s against the weight m g = 10 N: the work is 10 N times the way. */
static void drives_in_space_do_their_work(void **state) {
    (void)state;
    static const char text[] = "sarrus: 1\nspace: spatial\ngravity: [0, -10, 0]\n"
                               "bodies: [{name: a, mass: 1, inertia: [0.1, 0.2, 0.25], position: [0, 0, 0]}]\n"
                               "joints: [{name: A, type: prismatic, bodies: [ground, a], at: [0, 0, 0], axis: [0, 1, 0],\n"
                               "  drive: {signal: {ramp: {slope: 0.2}}}}]\nintegrator: {t_end: 1}\n";
    const motion_times times = {.integrator = "method: rk4", .interval = 0.1, .n_times = 6, .n_substeps = 1};
    motion m = motion_of_text(text, NULL, &times);
    for (size_t k = 0; k < m.n_times; ++k)
        assert_true(fabs(m.work[k] - 0.2 * (double)k) < 1e-12);
    motion_free(&m);
}

/* Of a screw of pitch p with a spring k (x − rest) on its angle: (I + m p²) ẍ = −k (x − rest) − m p g. The spring is a torque, so
 * what carries the body along the axis is the thread alone: F = m (g + p ẍ), and its torque M = I ẍ + k (x − rest) = −p F. */
static void what_turns_a_screw_is_a_torque(void **state) {
    (void)state;
    static const char text[] = "sarrus: 1\nspace: spatial\ngravity: [0, -10, 0]\n"
                               "bodies: [{name: a, mass: 1, inertia: [0.1, 0.2, 0.25], position: [0, 0, 0]}]\n"
                               "joints: [{name: A, type: screw, pitch: 0.1, bodies: [ground, a], at: [0, 0, 0], axis: [0, 1, 0],\n"
                               "  stiffness: 1, rest: 3}]\nintegrator: {t_end: 1}\n";
    const double turning = (3.0 - 0.1 * 10.0) / (0.2 + 0.01), force = 10.0 + 0.1 * turning;
    sarrus_context *context = NULL;
    sarrus_model *model = NULL;
    sarrus_plan *plan = NULL;
    sarrus_batch *batch = NULL;
    assert_int_equal(sarrus_context_create(&context), SARRUS_OK);
    assert_int_equal(sarrus_scenario_read_text(context, "screw", text, sizeof text - 1, NULL, 0, &model), SARRUS_OK);
    assert_int_equal(sarrus_plan_create(context, model, &plan), SARRUS_OK);
    assert_int_equal(sarrus_batch_create(context, plan, NULL, 1, NULL, &batch), SARRUS_OK);
    double reaction[6] = {0.0};
    sarrus_observation o = {.n_times = 1, .every_steps = 1, .observe_first = 1, .n_times_stride = 1};
    o.destination[SARRUS_OBSERVE_REACTIONS] = reaction;
    assert_int_equal(sarrus_batch_observe(batch, &o), SARRUS_OK);
    assert_true(fabs(reaction[1] - force) < 1e-12 && fabs(reaction[4] + 0.1 * force) < 1e-12);
    sarrus_batch_destroy(batch);
    sarrus_plan_destroy(plan);
    sarrus_model_destroy(model);
    sarrus_context_destroy(context);
}

enum { N_PUSHED = 11, PLACE = 5 };

/* A step with an input for the instance PLACE; the others have none. */
static sarrus_batch *step_pushed(const mechanism *m, double input) {
    double inputs[N_PUSHED] = {0};
    inputs[PLACE] = input;
    sarrus_batch *batch = mechanism_batch(m, NULL, 1, N_PUSHED, NULL);
    assert_int_equal(sarrus_batch_field_width(batch, SARRUS_FIELD_INPUT), 1);
    assert_int_equal(sarrus_batch_copy_in(batch, SARRUS_FIELD_INPUT, NULL, inputs), SARRUS_OK);
    assert_int_equal(sarrus_batch_advance(batch, 1), SARRUS_OK);
    return batch;
}

/* A load of no sense asks for steps in millions of parts. One step does not get as many: the instance ends, while the others have
 * what they have without it. A load that is only heavy goes on. */
static void one_step_has_so_many_parts(void **state) {
    (void)state;
    static const double loads[] = {1e6, 1e9, 1e10, 1e12};
    const sarrus_override over_bodies[] = {{"dynamics.formulation", "udwadia-kalaba"}, {NULL, NULL}};
    mechanism m = mechanism_open_file("../python/sarrus/gym/scenarios/parallel_pendulum.yaml", over_bodies);
    sarrus_batch *quiet = step_pushed(&m, 0.0);
    stepping_look wanted = stepping_see(quiet);
    for (size_t k = 0; k < sizeof loads / sizeof loads[0]; ++k) {
        sarrus_batch *batch = step_pushed(&m, loads[k]);
        sarrus_instance_statistics done;
        assert_int_equal(sarrus_batch_statistics(batch, PLACE, &done), SARRUS_OK);
        assert_int_equal(sarrus_batch_status(batch, PLACE), k == 0 ? SARRUS_INSTANCE_OK : SARRUS_INSTANCE_STEP_LIMIT);
        assert_true(k == 0 ? done.n_steps > 500 : done.n_steps + done.n_rejected == 10000);
        assert_int_equal(sarrus_batch_failed_step(batch, PLACE), k == 0 ? 0 : 1);
        stepping_look look = stepping_see(batch);
        for (uint64_t i = 0; i < N_PUSHED; ++i)
            if (i != PLACE)
                stepping_same(&look, i, &wanted, i);
        stepping_look_free(&look);
        sarrus_batch_destroy(batch);
    }
    stepping_look_free(&wanted);
    sarrus_batch_destroy(quiet);
    mechanism_close(&m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_turn_is_resolved_without_acceleration),
        cmocka_unit_test(a_free_body_is_followed_in_parts),
        cmocka_unit_test(drives_in_space_do_their_work),
        cmocka_unit_test(what_turns_a_screw_is_a_torque),
        cmocka_unit_test(one_step_has_so_many_parts),
    };
    return cmocka_run_group_tests_name("physics.fixed_steps", tests, NULL, NULL);
}
