// The operation counts of src/plan/cost.c against the kernel bodies themselves, run with numbers that count (lane_counting.h). The
// bodies are the common subset of C11 and CUDA C++, so C++ can redefine their arithmetic. Counts are equal, not close.
#include <cmath>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#define SARRUS_LANE_HEADER "tests/kernels/lane_counting.h"
#include "kernels/step/observe.h"

extern "C" {
#include <cmocka.h>

#include "model/evaluator.h"
#include "plan/lower.h"
#include "tests/support/mechanism.h"
}

namespace {

/* Floating point operations of one real_sincos, as docs/plan.md states them. */
const int SINCOS_FLOPS = 41;

struct counts {
    double flops = 0, divisions = 0, sincos = 0;
};

/* One instance of a plan in counting lanes, assembled. */
struct subject {
    sarrus_lowered lowered;
    sarrus_mechanism mech;
    std::vector<real> memory; /* the tile, then the workspace */
    real *tile = nullptr;
    sarrus_workspace ws;
    sarrus_evaluation ev;
};

/* Forgets what made every number so far, and begins to count. */
void counting_begin(subject *at) {
    counting::record = counting::tape();
    counting::record.memory_begin = at->memory.data();
    counting::record.memory_end = at->memory.data() + at->memory.size();
    for (real &x : at->memory)
        x.made_by = -1;
    at->ev.max_rank.made_by = -1;
}

counts counting_end() {
    counts sum;
    counting::record.use_operands();
    for (const counting::operation &operation : counting::record.operations) {
        if (!operation.is_used)
            continue;
        sum.flops += operation.flops;
        sum.divisions += operation.divisions;
    }
    sum.sincos = (double)counting::record.n_angles;
    sum.flops -= SINCOS_FLOPS * sum.sincos;
    return sum;
}

void fill_tile(const mechanism *from, subject *at) {
    sarrus_evaluator *evaluator = nullptr;
    const sarrus_tile_layout *layout = &at->mech.layout;
    std::vector<double> values((size_t)from->model->n_values + 1), parameters((size_t)at->mech.n_parameters + 1);
    std::vector<double> q((size_t)at->mech.n_v + 1), v((size_t)at->mech.n_v + 1);
    assert_int_equal(sarrus_evaluator_create(from->model, &evaluator), SARRUS_OK);
    assert_true(sarrus_evaluator_run(evaluator, nullptr, 0, values.data()));
    sarrus_evaluator_destroy(evaluator);
    assert_true(sarrus_plan_parameters(from->plan, values.data(), parameters.data(), q.data(), v.data()));
    for (int32_t i = 0; i < at->mech.n_parameters; ++i)
        at->tile[layout->parameter + i] = real_set(parameters[(size_t)i]);
    for (int32_t i = 0; i < at->mech.n_v; ++i) {
        at->tile[layout->q + i] = real_set(q[(size_t)i]);
        at->tile[layout->v + i] = real_set(v[(size_t)i]);
    }
}

void subject_make(const mechanism *from, subject *at) {
    assert_true(sarrus_plan_lower(from->plan, LANE_WIDTH, &at->lowered));
    at->mech = at->lowered.mech;
    at->mech.solve = SARRUS_SOLVE_AUTO;
    size_t n_tile = (size_t)at->mech.layout.n_arrays;
    at->memory.resize(n_tile + sarrus_workspace_cut(&at->mech, nullptr, &at->ws));
    at->tile = at->memory.data();
    (void)sarrus_workspace_cut(&at->mech, at->tile + n_tile, &at->ws);
    fill_tile(from, at);
    at->ev.external = nullptr;
    at->ev.external_user = nullptr;
    sarrus_constant_directions(&at->mech, &at->ws);
    sarrus_evaluation_begin(&at->ev, &at->mech, &at->ws, at->tile);
    sarrus_assemble(&at->ev, at->tile);
    assert_int_equal((int)at->tile[at->mech.layout.status].value, SARRUS_INSTANCE_OK);
    at->ev.n_rank_revealing = 0;
}

void assert_counts(counts seen, double flops, double divisions, double sincos) {
    assert_int_equal((int64_t)seen.flops, (int64_t)flops);
    assert_int_equal((int64_t)seen.divisions, (int64_t)divisions);
    assert_int_equal((int64_t)seen.sincos, (int64_t)sincos);
}

void check(mechanism from) {
    const sarrus_plan_cost *cost = &from.plan->cost;
    subject at;
    subject_make(&from, &at);
    real *q = at.tile + at.mech.layout.q, *v = at.tile + at.mech.layout.v;
    const double dt = from.model->integrator.dt;

    at.ev.is_configured = at.ev.is_factored = 0;
    counting_begin(&at);
    sarrus_accelerate(&at.ev, real_set(0.0), q, v, at.ws.a);
    if (at.mech.has_work)
        at.ev.power.use();
    assert_counts(counting_end(), cost->flops_per_evaluation, cost->divisions_per_evaluation, cost->sincos_per_evaluation);

    sarrus_passage lanes;
    sarrus_passage_view(&at.ev, &lanes);
    sarrus_fixed_begin(&at.ev, real_set(0.0));
    for (int step = 0; step < 2; ++step) { /* the second one, which finds what the first has left */
        counting_begin(&at);
        sarrus_fixed_trial trial = sarrus_fixed_try(&at.ev, &lanes, real_set(step * dt), real_set(dt));
        at.ws.q[0].value += 1e-9; /* off the constraints by what exactly one Newton iteration mends */
        const real t_end = real_set((step + 1) * dt);
        assert_true(sarrus_fixed_end(&at.ev, t_end, (uint64_t)step + 1, trial.force_is_finite, trial.refused).moved);
    }
    assert_counts(counting_end(), cost->flops_per_step, cost->divisions_per_step, cost->sincos_per_step);

    assert_int_equal(at.ev.n_rank_revealing, 0); /* or it was not the fast path that was counted */
    assert_int_equal(cost->bytes_per_instance, sizeof(double) * (size_t)at.mech.layout.n_arrays);
    sarrus_lowered_free(&at.lowered);
    mechanism_close(&from);
}

void test_one_sincos_is_what_the_documentation_says(void **) {
    subject at;
    at.memory.resize(3);
    counting_begin(&at);
    at.memory[0] = real_set(1.0);
    real_sincos(at.memory[0], &at.memory[1], &at.memory[2]);
    counts seen = counting_end();
    assert_counts(seen, 0, 0, 1);
    assert_true(fabs(at.memory[1].value - sin(1.0)) < 1e-15);
}

void test_every_scenario(void **) {
    const char *const files[] = {"pendulum.yaml",     "double_pendulum.yaml",     "four_bar.yaml",     "five_bar.yaml",
                                 "driven_crank.yaml", "slider_crank.yaml",        "n_four_bar_2.yaml", "n_four_bar_40.yaml",
                                 "andrews.yaml",      "five_bar_monte_carlo.yaml"};
    for (const char *file : files)
        check(mechanism_open_file(file, nullptr));
}

void test_stabilized_five_bar(void **) {
    const sarrus_override baumgarte[] = {{"dynamics.baumgarte", "{alpha: 10, beta: 10}"}, {nullptr, nullptr}};
    check(mechanism_open_file("five_bar.yaml", baumgarte));
    const sarrus_override by_step[] = {{"dynamics.baumgarte", "{rule: step}"}, {nullptr, nullptr}};
    check(mechanism_open_file("five_bar.yaml", by_step));
    const sarrus_override every_step[] = {{"dynamics.projection", "every_step"}, {nullptr, nullptr}};
    check(mechanism_open_file("five_bar.yaml", every_step));
    const sarrus_override tolerance[] = {{"dynamics.projection", "{tolerance: 1e-3}"}, {nullptr, nullptr}};
    check(mechanism_open_file("five_bar.yaml", tolerance));
}

void test_semi_implicit(void **) {
    const sarrus_override none[] = {{"integrator.method", "semi-implicit"}, {"dynamics.projection", "none"}, {nullptr, nullptr}};
    check(mechanism_open_file("five_bar.yaml", none));
    const sarrus_override every_step[] = {{"integrator.method", "semi-implicit"}, {nullptr, nullptr}};
    check(mechanism_open_file("five_bar.yaml", every_step));
}

/* A step whose stages and order are chosen has no count, and does not pretend to one. */
void test_adaptive_steps_are_not_counted(void **) {
    const char *const methods[] = {"dopri5", "verner65", "adams-moulton"};
    for (const char *method : methods) {
        const sarrus_override adaptive[] = {{"integrator.method", method}, {nullptr, nullptr}};
        mechanism from = mechanism_open_file("five_bar.yaml", adaptive);
        assert_true(std::isnan(from.plan->cost.flops_per_step));
        assert_int_equal(from.plan->cost.bytes_per_instance, sizeof(double) * (size_t)from.plan->mech.layout.n_arrays);
        mechanism_close(&from);
    }
}

/* Every kind of joint, force, load and signal, on ground and on moving bodies. */
const char *const everything = R"(
sarrus: 1
space: planar
gravity: [0, -9.81]
bodies:
  - {name: a, mass: 1, inertia: 0.1, position: [0.5, 0]}
  - {name: b, mass: 2, inertia: 0.2, position: [1.5, 0]}
  - {name: c, mass: 1, inertia: 0.1, position: [2.5, 0]}
  - {name: d, mass: 1, inertia: 0.1, position: [3.5, 0.5]}
  - {name: e, mass: 1, inertia: 0.1, position: [4.5, 0.5]}
  - {name: f, mass: 1, inertia: 0.1, position: [9, 0]}
  - {name: g, mass: 1, inertia: 0.1, position: [10, 0]}
joints:
  - {name: A, type: revolute, bodies: [ground, a], at: [0, 0], stiffness: 2, damping: 0.1, rest: 0.1}
  - {name: B, type: prismatic, bodies: [a, b], at: [1, 0], axis: [1, 0.5], stiffness: 3, damping: 0.2, rest: 0.1}
  - {name: C, type: fixed, bodies: [b, c], at: [2, 0]}
  - {name: D, type: distance, bodies: [c, d], points: [[0.4, 0], [-0.3, 0.1]]}
  - {name: E, type: revolute, bodies: [d, e], at: [4, 0.5],
     drive: {signal: {sine: {amplitude: 0.2, frequency: 1, phase: 0, offset: 0}}}}
  - {name: G, type: prismatic, bodies: [f, ground], at: [9, 0], axis: [0, 1], drive: {signal: {polynomial: [0, 0.1, 0.2, 0.3]}}}
  - {name: H, type: slot, bodies: [a, e], at: [4.5, 0.5], axis: [1, 0.2], stiffness: 3, damping: 0.2, rest: 0.1}
  - {name: I, type: slot, bodies: [ground, g], at: [10, 0], axis: [0, 1], drive: {signal: {polynomial: [0, 0.1, 0.2, 0.3]}}}
forces:
  - {name: s1, type: spring, between: [[a, [0.1, 0]], [ground, [0, 2]]], stiffness: 10, rest_length: 1, damping: 1}
  - {name: s2, type: spring, between: [[b, [0.1, 0]], [e, [0, 0.2]]], stiffness: 10, rest_length: 1, damping: 1}
  - {name: t1, type: torque, body: a, value: 0.5}
  - {name: t2, type: torque, body: b, value: {signal: {ramp: {offset: 0, slope: 1, start: 0.5}}}}
  - {name: p1, type: force, body: c, at: [0.1, 0.2], value: [1, {signal: {constant: 2}}], frame: inertial}
  - {name: p2, type: force, body: d, at: [0.1, 0.2], frame: body,
     value: [{input: 0}, {signal: {table: {t: [0, 1, 2, 3], y: [0, 1, 0, 2], interpolation: cubic}}}]}
integrator: {method: rk4, dt: 1.0e-3, t_end: 1.0}
)";

/* Every way to hold a body that is pinned to ground. */
void test_cranks(void **) {
    check(mechanism_open_file("../tests/support/cranks.yaml", nullptr));
    const sarrus_override projected[] = {
        {"dynamics.baumgarte", "{alpha: 0, beta: 0}"}, {"dynamics.projection", "every_step"}, {nullptr, nullptr}};
    check(mechanism_open_file("../tests/support/cranks.yaml", projected));
}

void test_every_feature(void **) {
    check(mechanism_open_text(everything, nullptr));
    const sarrus_override stabilized[] = {
        {"dynamics.baumgarte", "{alpha: 5, beta: 5}"}, {"dynamics.projection", "every_step"}, {nullptr, nullptr}};
    check(mechanism_open_text(everything, stabilized));
}

/* No constraint at all: a body that flies. */
void test_free_body(void **) {
    check(mechanism_open_text("sarrus: 1\nspace: planar\nbodies: [{name: a, mass: 1, inertia: 0.1, position: [0, 0]}]\njoints: []\n"
                              "dynamics: {projection: every_step}\nintegrator: {method: rk4, dt: 1.0e-3, t_end: 1.0}\n",
                              nullptr));
}

} // namespace

int main() {
    const CMUnitTest tests[] = {
        cmocka_unit_test(test_one_sincos_is_what_the_documentation_says),
        cmocka_unit_test(test_every_scenario),
        cmocka_unit_test(test_stabilized_five_bar),
        cmocka_unit_test(test_semi_implicit),
        cmocka_unit_test(test_adaptive_steps_are_not_counted),
        cmocka_unit_test(test_cranks),
        cmocka_unit_test(test_every_feature),
        cmocka_unit_test(test_free_body),
    };
    return cmocka_run_group_tests(tests, nullptr, nullptr);
}
