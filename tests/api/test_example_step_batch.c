/* Example: stepping a batch from a program of one's own, as a reinforcement-learning environment does.
 *
 * 100 parallelogram linkages, each with its own coupler mass, are held by a motor on the first crank. Each step reads the
 * crank's angle and speed in place, writes the motor torque in place, and advances all instances by one dt. Since the torque
 * is constant during a step, its work is torque times turn, exactly: the energy balance shows that nothing was lost.
 *
 * Build: cc example.c $(pkg-config --cflags --libs sarrus) -lm */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sarrus/sarrus.h"

enum { N_INSTANCES = 100, N_STEPS = 1000 };

/* A scenario usually is a file (sarrus_scenario_read_file); text in memory is read the same way. The joint points are given at
 * t = 0 in the inertial frame; `{input: 0}` is a number that the program sets for every instance. */
static const char scenario[] = "sarrus: 1\n"
                               "space: planar\n"
                               "gravity: [0, -9.81]\n"
                               "bodies:\n"
                               "  - {name: crank_a, mass: 1.0, inertia: 0.1, position: [0.0, -0.5]}\n"
                               "  - {name: crank_b, mass: 1.0, inertia: 0.1, position: [2.0, -0.5]}\n"
                               "  - {name: coupler, mass: 2.0, inertia: 0.2, position: [1.0, -1.0]}\n"
                               "joints:\n"
                               "  - {name: A, type: revolute, bodies: [ground, crank_a], at: [0, 0]}\n"
                               "  - {name: B, type: revolute, bodies: [ground, crank_b], at: [2, 0]}\n"
                               "  - {name: C, type: revolute, bodies: [crank_a, coupler], at: [0, -1]}\n"
                               "  - {name: D, type: revolute, bodies: [crank_b, coupler], at: [2, -1]}\n"
                               "forces:\n"
                               "  - {name: motor, type: torque, body: crank_a, value: {input: 0}}\n"
                               "dynamics: {formulation: udwadia-kalaba}\n" /* over a tree of joints there is no view of bodies */
                               "integrator: {method: rk4, dt: 1.0e-3, t_end: 1.0}\n"
                               "batch:\n"
                               "  seed: 7\n"
                               "  parameters:\n"
                               "    - {path: bodies.coupler.mass, distribution: uniform, low: 1.5, high: 2.5}\n";

/* Planar bodies have three coordinates each, in the order of the file: x, y, angle. crank_a is the first. */
enum { CRANK_ANGLE = 2 };

/* The motor: a spring and a damper towards 45 degrees, not strong enough to hold it there against gravity. */
static double policy(double angle, double speed) {
    return 60.0 * (0.785 - angle) - 8.0 * speed;
}

/* Component k of instance i, in place: instances stand side by side, `width` to a tile. */
static double *component(const sarrus_view *view, size_t i, int k) {
    return &view->base[(i / view->width) * view->stride + (size_t)k * view->width + i % view->width];
}

/* Energy of every instance as it stands, J. */
static sarrus_status read_energy(sarrus_batch *batch, double energy[N_INSTANCES]) {
    sarrus_observation now = {.n_times = 1, .every_steps = 1, .observe_first = 1, .n_times_stride = 1};
    now.destination[SARRUS_OBSERVE_ENERGY] = energy;
    return sarrus_batch_observe(batch, &now);
}

/* Steps the batch; work[i] is what the motor of instance i did, J. */
static sarrus_status control(sarrus_batch *batch, double work[N_INSTANCES]) {
    sarrus_view q, v, input;
    sarrus_status status = sarrus_batch_view(batch, SARRUS_FIELD_Q, &q);
    status = status == SARRUS_OK ? sarrus_batch_view(batch, SARRUS_FIELD_V, &v) : status;
    status = status == SARRUS_OK ? sarrus_batch_view(batch, SARRUS_FIELD_INPUT, &input) : status;
    for (int i_step = 0; status == SARRUS_OK && i_step < N_STEPS; ++i_step) {
        double before[N_INSTANCES];
        for (size_t i = 0; i < N_INSTANCES; ++i) {
            before[i] = *component(&q, i, CRANK_ANGLE);
            *component(&input, i, 0) = policy(before[i], *component(&v, i, CRANK_ANGLE));
        }
        status = sarrus_batch_advance(batch, 1);
        for (size_t i = 0; i < N_INSTANCES; ++i) {
            work[i] += *component(&input, i, 0) * (*component(&q, i, CRANK_ANGLE) - before[i]);
        }
    }
    return status;
}

/* Runs the batch and checks what came out; returns the number of instances that are not right. */
static int run(sarrus_batch *batch, sarrus_status *status) {
    double start[N_INSTANCES], end[N_INSTANCES], work[N_INSTANCES] = {0.0};
    *status = read_energy(batch, start);
    *status = *status == SARRUS_OK ? control(batch, work) : *status;
    *status = *status == SARRUS_OK ? read_energy(batch, end) : *status;
    int n_wrong = 0;
    for (size_t i = 0; *status == SARRUS_OK && i < N_INSTANCES; ++i) {
        /* RK4's own error: 1000 steps of (5 rad/s · 1e-3 s)^5/120 of some 100 J, about 3e-9 J; the work done is some 10 J. */
        const double gap = end[i] - start[i] - work[i];
        const int is_right = sarrus_batch_status(batch, i) == SARRUS_INSTANCE_OK && fabs(gap) <= 1e-8 && work[i] > 1.0;
        if (!is_right) {
            fprintf(stderr, "instance %zu: status %s, energy gap %g J, work %g J\n", i,
                    sarrus_instance_status_word(sarrus_batch_status(batch, i)), gap, work[i]);
            ++n_wrong;
        }
    }
    printf("t = %g s: work of instance 0 %.6f J, energy gap %.1e J\n", sarrus_batch_time(batch), work[0],
           end[0] - start[0] - work[0]);
    return n_wrong;
}

int main(void) {
    sarrus_context *context = NULL;
    sarrus_model *model = NULL;
    sarrus_plan *plan = NULL;
    sarrus_draws *draws = NULL;
    sarrus_batch *batch = NULL;
    int n_wrong = 1;

    /* Text → model → plan → batch; each arrow is one call, each object is destroyed after those made from it. */
    sarrus_status status = sarrus_context_create(&context);
    status = status == SARRUS_OK ? sarrus_scenario_read_text(context, "parallelogram", scenario, strlen(scenario), NULL, 0, &model)
                                 : status;
    status = status == SARRUS_OK ? sarrus_plan_create(context, model, &plan) : status;
    status = status == SARRUS_OK ? sarrus_draws_create(context, model, sarrus_model_seed(model), N_INSTANCES, &draws) : status;
    const sarrus_batch_options options = {.n_threads = 2};
    status = status == SARRUS_OK ? sarrus_batch_create(context, plan, &options, N_INSTANCES, draws, &batch) : status;
    if (status == SARRUS_OK) {
        n_wrong = run(batch, &status);
    }
    if (status != SARRUS_OK) {
        fprintf(stderr, "%s\n", sarrus_status_text(status));
        for (size_t i = 0; context != NULL && i < sarrus_context_n_diagnostics(context); ++i) {
            fprintf(stderr, "  %s\n", sarrus_context_diagnostic(context, i)->message);
        }
    }
    sarrus_batch_destroy(batch);
    sarrus_draws_destroy(draws);
    sarrus_plan_destroy(plan);
    sarrus_model_destroy(model);
    sarrus_context_destroy(context);
    return status == SARRUS_OK && n_wrong == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
