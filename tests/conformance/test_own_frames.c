/* Open trees in frames of the bodies' own (kernels/body/relative/own_frames.h) have the accelerations and energies of absolute
 * coordinates, whatever way the bodies' frames lie, and the same bits in kernels of one plan as in generic ones. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "batch/tree_accelerations.h"
#include "plan/plan.h"
#include "tests/support/mechanism.h"

/* Round-off of some dozen operations a body, by condition numbers of M up to some 1e4: 1e4 × 12 × 12 × 2e-16. Of the largest
 * acceleration, and of gravity where the springs of slides hold it up. */
#define TOLERANCE 4e-10
#define GRAVITY 9.0
enum { N_TEXT = 16384, MOST_BODIES = 12, N_Q = 7 * MOST_BODIES, N_V = 6 * MOST_BODIES, N_TREES = 60, N_STEPS = 200 };

/* Turns by right angles and half turns whose matrices are exact, and one by a right angle whose matrix is off by a rounding. */
static const char *const orientations[] = {"[1, 0, 0, 0]",          "[0.5, 0.5, 0.5, 0.5]",  "[0.5, -0.5, 0.5, 0.5]",
                                           "[0.5, 0.5, -0.5, 0.5]", "[0.5, 0.5, 0.5, -0.5]", "[0, 1, 0, 0]",
                                           "[0, 0, 1, 0]",          "[0, 0, 0, 1]",          "[1, 1, 0, 0]"};
static const char *const axes[] = {"[1, 0, 0]", "[0, 1, 0]", "[0, 0, 1]", "[-1, 0, 0]", "[0, -1, 0]", "[0, 0, -1]"};
static const char *const inertias[] = {"[0.02, 0.03, 0.04]", "[0.05, 0.03, 0.03]", "[0.02, 0.03, 0.04, 0.002, -0.001, 0.003]"};

static int any(uint64_t *random, int n) {
    return (int)(0.5 * (1.0 + mechanism_random(random)) * n) % n;
}

/* A place that is 0 along two axes, or along none. */
static void place_write(FILE *out, uint64_t *random, double x, double y, double z) {
    const int kind = any(random, 4);
    const double d[3] = {kind == 3 || kind == 0 ? 0.15 : 0.0, kind == 3 || kind == 1 ? -0.1 : 0.0,
                         kind == 3 || kind == 2 ? 0.12 : 0.0};
    fprintf(out, "[%.17g, %.17g, %.17g]", x + d[0], y + d[1], z + d[2]);
}

/* The text of a tree of n bodies; every joint is where its body's number says, so that their ways to one another have zeros too. */
static void tree_write(FILE *out, uint64_t *random, int n) {
    fprintf(out, "sarrus: 1\nspace: spatial\ngravity: [1, 2, -9]\nbodies:\n");
    for (int i = 0; i < n; ++i) {
        fprintf(out, "  - {name: b%d, mass: %.17g, inertia: %s, orientation: %s, position: ", i,
                1.0 + 0.5 * mechanism_random(random), inertias[any(random, 3)], orientations[any(random, 9)]);
        place_write(out, random, 0.25 * i, 0.0, 0.0);
        fprintf(out, "%s}\n", any(random, 4) == 0 ? ", rotor: [0.01, 0.02, -0.03]" : "");
    }
    fprintf(out, "joints:\n");
    for (int i = 0; i < n; ++i) {
        const int on = any(random, 5) == 0 ? any(random, i + 1) - 1 : i - 1, is_slide = any(random, 4) == 0;
        char inboard[16] = "ground", outboard[16];
        if (on >= 0)
            (void)snprintf(inboard, sizeof inboard, "b%d", on);
        (void)snprintf(outboard, sizeof outboard, "b%d", i);
        const int is_reversed = any(random, 3) == 0;
        fprintf(out, "  - {name: j%d, type: %s, axis: %s, damping: 0.2, stiffness: %d, bodies: [%s, %s], at: [%.17g, 0, 0]}\n", i,
                is_slide ? "prismatic" : "revolute", axes[any(random, 6)], is_slide ? 400 : 0, is_reversed ? outboard : inboard,
                is_reversed ? inboard : outboard, 0.25 * i);
    }
    fprintf(out, "forces:\n");
    for (int i = 0; i < n; i += 2)
        fprintf(out, "  - {name: f%d, type: torque, body: b%d, frame: body, value: [0.3, %d, 0.2]}\n", i, i, i % 3);
}

static mechanism tree_open(uint64_t seed, int n, const char *formulation) {
    char text[N_TEXT] = "";
    uint64_t random = seed;
    FILE *out = fmemopen(text, sizeof text, "w");
    assert_non_null(out);
    tree_write(out, &random, n);
    fprintf(out, "dynamics: {formulation: %s}\nintegrator: {method: rk4, dt: 1e-3, t_end: 1}\n", formulation);
    assert_int_equal(fclose(out), 0);
    return mechanism_open_text(text, NULL);
}

/* What a batch shows. */
typedef struct outcome {
    double q[N_Q], v[N_V], a[N_V], energy[2];
} outcome;

static sarrus_batch *batch_of(const mechanism *m, sarrus_specialize specialize) {
    const sarrus_batch_options options = {
        .backend = SARRUS_BACKEND_CPU, .n_threads = 1, .specialize = specialize, .cache_dir = "own_frames_cache"};
    sarrus_batch *batch = NULL;
    assert_int_equal(sarrus_batch_create(m->context, m->plan, &options, 1, NULL, &batch), SARRUS_OK);
    return batch;
}

/* Accelerations before anything else: bodies have no places yet where steps do without. Those that a batch shows are of absolute
 * coordinates whatever steps are made in, so that those of its steps are asked for. */
static void look(sarrus_batch *batch, bool is_relative, outcome *out) {
    if (is_relative)
        assert_int_equal(sarrus_batch_copy_tree_accelerations(batch, out->a), SARRUS_OK);
    else
        mechanism_observe(batch, SARRUS_OBSERVE_ACCELERATION, out->a);
    mechanism_observe(batch, SARRUS_OBSERVE_ENERGY, out->energy);
    assert_int_equal(sarrus_batch_status(batch, 0), SARRUS_INSTANCE_OK);
    assert_int_equal(sarrus_batch_state(batch, 0, out->q, out->v), SARRUS_OK);
}

/* After some steps, in which slides swing and turns have come to angles of their own. */
static outcome tree_run(const mechanism *m, sarrus_specialize specialize) {
    outcome out = {.a = {0.0}};
    sarrus_batch *batch = batch_of(m, specialize);
    assert_int_equal(sarrus_batch_advance(batch, N_STEPS), SARRUS_OK);
    look(batch, true, &out);
    sarrus_batch_destroy(batch);
    return out;
}

static int n_bodies_of(uint64_t seed) {
    return 1 + (int)(seed % MOST_BODIES);
}

/* Seeds whose trees are of this kind: a right angle that is off by a rounding is one all the same. */
static void accelerations_are_those_of_absolute_coordinates(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= N_TREES; ++seed) {
        const int n = n_bodies_of(seed);
        mechanism relative = tree_open(seed, n, "relative"), absolute = tree_open(seed, n, "udwadia-kalaba");
        assert_int_equal(relative.plan->relative->mech.tree.in_own_frames, 1);
        const outcome r = tree_run(&relative, SARRUS_SPECIALIZE_OFF);
        outcome a = {.a = {0.0}};
        sarrus_batch *batch = batch_of(&absolute, SARRUS_SPECIALIZE_OFF);
        mechanism_set_state(batch, 0, r.q, r.v);
        look(batch, false, &a);
        const double of_a = mechanism_distance(r.a, a.a, N_V), size = GRAVITY + mechanism_size(a.a, N_V);
        const double of_energy = mechanism_distance(r.energy, a.energy, 1), scale = 1.0 + mechanism_size(a.energy, 1);
        if (!(of_a <= TOLERANCE * size) || !(of_energy <= 1e-12 * scale))
            fail_msg("tree %d of %d bodies: accelerations off by %g of %g, energy by %g of %g", (int)seed, n, of_a, size, of_energy,
                     scale);
        sarrus_batch_destroy(batch);
        mechanism_close(&relative);
        mechanism_close(&absolute);
    }
}

static void kernels_of_one_plan_have_the_same_bits(void **state) {
    (void)state;
    static const uint64_t seeds[] = {5, 16, 11}; /* 6, 5 and 12 bodies */
    const size_t n_trees = getenv("SARRUS_FEW_CASES") ? 1 : sizeof seeds / sizeof seeds[0];
    for (size_t k = 0; k < n_trees; ++k) {
        const uint64_t seed = seeds[k];
        mechanism m = tree_open(seed, n_bodies_of(seed), "relative");
        const outcome generic = tree_run(&m, SARRUS_SPECIALIZE_OFF), own = tree_run(&m, SARRUS_SPECIALIZE_ON);
        assert_memory_equal(&generic, &own, sizeof own);
        mechanism_close(&m);
    }
}

/* Lengths that are drawn leave axes what they are; axes that are drawn, loads on bodies and joints of other kinds do not. */
static void the_plan_decides(void **state) {
    (void)state;
    static const struct {
        const char *path, *with;
        int in_own_frames;
    } cases[] = {
        {"batch", "{instances: 2, parameters: [{path: joints.j1.at.1, distribution: uniform, low: 0.0, high: 0.1}]}", 1},
        {"batch", "{instances: 2, parameters: [{path: bodies.b1.mass, distribution: uniform, low: 1.0, high: 2.0}]}", 1},
        {"batch", "{instances: 2, parameters: [{path: joints.j1.axis.0, distribution: uniform, low: 0.0, high: 0.1}]}", 0},
        {"joints.j1.axis", "[1, 0.5, 0]", 0},
        {"joints.j1.axis", "[1, 1, 0]", 0},
        {"joints.j1.type", "cylindrical", 0},
        {"forces", "[{name: f, type: torque, body: b1, frame: body, value: [0, 1, 0]}]", 1},
        {"forces", "[{name: f, type: torque, body: b1, value: [0, 1, 0]}]", 0},
        {"forces", "[{name: f, type: force, body: b1, at: [0, 0, 0], value: [0, 1, 0]}]", 0},
    };
    static const char *const text =
        "sarrus: 1\nspace: spatial\ngravity: [0, 0, -9]\nbodies:\n"
        "  - {name: b0, mass: 1, inertia: [0.02, 0.03, 0.04], position: [0.1, 0, 0]}\n"
        "  - {name: b1, mass: 1, inertia: [0.02, 0.03, 0.04], position: [0.3, 0, 0]}\n"
        "joints:\n  - {name: j0, type: revolute, axis: [0, 0, 1], bodies: [ground, b0], at: [0, 0, 0]}\n"
        "  - {name: j1, type: revolute, axis: [0, 1, 0], bodies: [b0, b1], at: [0.2, 0, 0]}\n"
        "dynamics: {formulation: relative}\nintegrator: {method: rk4, dt: 1e-3, t_end: 1}\n";
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; ++k) {
        const sarrus_override overrides[] = {{cases[k].path, cases[k].with}, {NULL, NULL}};
        mechanism m = mechanism_open_text(text, overrides);
        if (m.plan->relative->mech.tree.in_own_frames != cases[k].in_own_frames)
            fail_msg("%s: %s", cases[k].path, cases[k].with);
        mechanism_close(&m);
    }
}

/* Up to twelve speeds in a row; `recursive` asks for articulated bodies whatever their number. */
static void the_length_of_chains_decides(void **state) {
    (void)state;
    static const struct {
        int n;
        const char *formulation;
        int in_own_frames, is_articulated;
    } cases[] = {
        {7, "relative", 1, 0}, {9, "relative", 1, 0}, {12, "relative", 1, 0}, {13, "relative", 0, 1}, {9, "recursive", 0, 1}};
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; ++k) {
        char text[N_TEXT] = "";
        FILE *out = fmemopen(text, sizeof text, "w");
        assert_non_null(out);
        fprintf(out, "sarrus: 1\nspace: spatial\nbodies:\n");
        for (int i = 0; i < cases[k].n; ++i)
            fprintf(out, "  - {name: b%d, mass: 1, inertia: [0.02, 0.03, 0.04], position: [%d, 0, 0]}\n", i, i);
        fprintf(out, "joints:\n  - {name: j0, type: revolute, axis: [0, 0, 1], bodies: [ground, b0], at: [0, 0, 0]}\n");
        for (int i = 1; i < cases[k].n; ++i)
            fprintf(out, "  - {name: j%d, type: revolute, axis: [0, 1, 0], bodies: [b%d, b%d], at: [%d, 0, 0]}\n", i, i - 1, i, i);
        fprintf(out, "dynamics: {formulation: %s}\nintegrator: {method: rk4, dt: 1e-3, t_end: 1}\n", cases[k].formulation);
        assert_int_equal(fclose(out), 0);
        mechanism m = mechanism_open_text(text, NULL);
        const sarrus_mech_tree *tree = &m.plan->relative->mech.tree;
        if (tree->in_own_frames != cases[k].in_own_frames || tree->is_articulated != cases[k].is_articulated)
            fail_msg("%d bodies, %s: %d, %d", cases[k].n, cases[k].formulation, tree->in_own_frames, tree->is_articulated);
        mechanism_close(&m);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(accelerations_are_those_of_absolute_coordinates),
        cmocka_unit_test(kernels_of_one_plan_have_the_same_bits),
        cmocka_unit_test(the_plan_decides),
        cmocka_unit_test(the_length_of_chains_decides),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
