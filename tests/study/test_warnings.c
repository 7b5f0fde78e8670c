/* Claims: what is allowed but may not be meant is told before a run, with names and numbers; the shipped scenarios are told nothing
 * that is not true of them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <math.h>

#include "plan/plan.h"
#include "sarrus/warning.h"
#include "tests/support/mechanism.h"

#define HEAD "sarrus: 1\nspace: planar\nintegrator: {dt: 1.0e-3, t_end: 1}\n"

/* A pendulum of 1 m, hanging to the right. */
#define PENDULUM                                                                                                                   \
    HEAD "bodies:\n  - {name: rod, mass: 1, inertia: 0.1, position: [0.5, 0]}\n"                                                   \
         "joints:\n  - {name: A, type: revolute, bodies: [ground, rod], points: [[0, 0], [-0.5, 0]]}\n"

typedef struct found {
    mechanism m;
    sarrus_warnings *list;
} found;

static found look(const char *text, const sarrus_override *overrides, uint64_t n_instances) {
    found f = {.m = mechanism_open_text(text, overrides)};
    assert_int_equal(sarrus_warnings_create(f.m.context, f.m.plan, n_instances, &f.list), SARRUS_OK);
    return f;
}

static void leave(found *f) {
    sarrus_warnings_destroy(f->list);
    mechanism_close(&f->m);
}

static int n_of(const found *f, sarrus_warning_kind kind) {
    int n = 0;
    for (int i = 0; i < sarrus_warnings_count(f->list); ++i) {
        sarrus_warning w;
        sarrus_warnings_get(f->list, i, &w);
        n += w.kind == kind;
    }
    return n;
}

/* The i-th warning of a kind; fails when there is none. */
static sarrus_warning nth(const found *f, sarrus_warning_kind kind, int i_wanted) {
    sarrus_warning w = {0};
    for (int i = 0; i < sarrus_warnings_count(f->list); ++i) {
        sarrus_warnings_get(f->list, i, &w);
        if (w.kind == kind && i_wanted-- == 0)
            return w;
    }
    fail_msg("no warning '%s'", sarrus_warning_kind_word(kind));
    return w;
}

/* The only warning of all. */
static sarrus_warning only(const found *f, sarrus_warning_kind kind) {
    assert_int_equal(sarrus_warnings_count(f->list), 1);
    return nth(f, kind, 0);
}

static void nothing_is_told_of_what_is_meant(void **state) {
    (void)state;
    static const char *const files[] = {"andrews.yaml",
                                        "double_pendulum.yaml",
                                        "driven_crank.yaml",
                                        "five_bar.yaml",
                                        "four_bar.yaml",
                                        "five_bar_monte_carlo.yaml",
                                        "n_four_bar_2.yaml",
                                        "n_four_bar_40.yaml",
                                        "slider_crank.yaml",
                                        "pendulum.yaml",
                                        NULL};
    for (int i = 0; files[i]; ++i) {
        found f = {.m = mechanism_open_file(files[i], NULL)};
        assert_int_equal(sarrus_warnings_create(f.m.context, f.m.plan, 0, &f.list), SARRUS_OK);
        if (sarrus_warnings_count(f.list) != 0)
            fail_msg("%s has a warning", files[i]);
        leave(&f);
    }
    found f = {.m = mechanism_open_file("five_bar_singular.yaml", NULL)};
    assert_int_equal(sarrus_warnings_create(f.m.context, f.m.plan, 0, &f.list), SARRUS_OK);
    const sarrus_warning w = only(&f, SARRUS_WARNING_SINGULAR_START);
    assert_string_equal(w.text, "the mechanism starts in a singular configuration: 1 more degree of freedom at t = 0 only");
    assert_true(w.matters == 1 && w.n_values == 1 && w.values[0] == 1.0);
    leave(&f);
}

static void parts_and_free_bodies(void **state) {
    (void)state;
    found f = look(HEAD "gravity: [0, 0]\nbodies:\n"
                        "  - {name: rod, mass: 1, inertia: 0.1, position: [0.5, 0]}\n"
                        "  - {name: bar, mass: 1, inertia: 0.1, position: [2.5, 0]}\n"
                        "  - {name: puck, mass: 1, inertia: 0.1, position: [4, 0]}\n"
                        "  - {name: f1, mass: 1, inertia: 0.1, position: [6, 0]}\n"
                        "  - {name: f2, mass: 1, inertia: 0.1, position: [7, 0]}\n"
                        "joints:\n"
                        "  - {name: A, type: revolute, bodies: [ground, rod], at: [0, 0]}\n"
                        "  - {name: B, type: revolute, bodies: [ground, bar], at: [2, 0], drive: {signal: {ramp: {slope: 1}}}}\n"
                        "  - {name: F, type: revolute, bodies: [f1, f2], at: [6.5, 0]}\n",
                   NULL, 0);
    sarrus_warning w = nth(&f, SARRUS_WARNING_BODY_WITHOUT_JOINT, 0);
    assert_string_equal(w.name, "puck");
    assert_int_equal(w.matters, 0);
    w = nth(&f, SARRUS_WARNING_FLOATING_PART, 0);
    assert_string_equal(w.name, "f1");
    assert_true(w.matters == 1 && w.values[0] == 2.0);
    w = nth(&f, SARRUS_WARNING_SEPARATE_PARTS, 0);
    assert_true(w.matters == 0 && w.values[0] == 2.0);
    w = nth(&f, SARRUS_WARNING_FREE_BESIDE_DRIVES, 0); /* rod 1, bar 0, puck 3, the pair 4 */
    assert_true(w.matters == 0 && w.n_values == 2 && w.values[0] == 8.0 && w.values[1] == 1.0);
    assert_string_equal(w.text, "8 degrees of freedom are left beside the 1 drive");
    assert_int_equal(sarrus_warnings_count(f.list), 4);
    leave(&f);
}

/* A curve on ground holds a body that has no joint; one on a body that floats does not. */
static void bodies_on_curves_are_held(void **state) {
    (void)state;
    found f = look(HEAD "bodies:\n"
                        "  - {name: bead, mass: 1, inertia: 0.1, position: [0, 0]}\n"
                        "  - {name: ring, mass: 1, inertia: 0.1, position: [4, 0]}\n"
                        "  - {name: rider, mass: 1, inertia: 0.1, position: [5, 0]}\n"
                        "joints: []\n"
                        "constraints:\n"
                        "  - {name: wire, type: curve, bodies: [ground, bead], points: [[0, 0], [1, 0.2], [2, 0]]}\n"
                        "  - {name: on, type: curve, bodies: [ring, rider], points: [[1, 0], [0, 1], [-1, 0]], closed: true}\n",
                   NULL, 0);
    assert_string_equal(only(&f, SARRUS_WARNING_FLOATING_PART).name, "ring");
    leave(&f);
}

/* A joint to ground that holds nothing says that a part is meant to float; one between its bodies says nothing of that. */
static void parts_that_are_said_to_float(void **state) {
    (void)state;
    found f = look("sarrus: 1\nspace: spatial\nintegrator: {t_end: 1}\nbodies:\n"
                   "  - {name: free, mass: 1, inertia: [1, 1, 1], position: [0, 0, 0]}\n"
                   "  - {name: soft, mass: 1, inertia: [1, 1, 1], position: [1, 0, 0]}\n"
                   "  - {name: more, mass: 1, inertia: [1, 1, 1], position: [2, 0, 0]}\n"
                   "  - {name: puck, mass: 1, inertia: [1, 1, 1], position: [3, 0, 0]}\n"
                   "joints:\n"
                   "  - {name: F, type: free, bodies: [ground, free], at: [0, 0, 0]}\n"
                   "  - {name: B, type: bushing, bodies: [soft, ground], at: [1, 0, 0], stiffness: [1, 1, 1, 1, 1, 1]}\n"
                   "  - {name: S, type: spherical, bodies: [soft, more], at: [1.5, 0, 0]}\n"
                   "  - {name: P, type: free, bodies: [more, puck], at: [2, 0, 0]}\n",
                   NULL, 0);
    assert_string_equal(nth(&f, SARRUS_WARNING_BODY_WITHOUT_JOINT, 0).name, "puck");
    assert_int_equal(sarrus_warnings_count(f.list), 1);
    leave(&f);
}

/* Three parallel cranks rounded to four digits: 0 degrees of freedom where the exact ones have 1. */
static void what_rounding_has_locked(void **state) {
    (void)state;
    found f = look(HEAD "bodies:\n"
                        "  - {name: crank_a, mass: 1.0, inertia: 0.1, position: [0.3536, -0.3536]}\n"
                        "  - {name: crank_b, mass: 1.0, inertia: 0.1, position: [1.3535, -0.3536]}\n"
                        "  - {name: crank_c, mass: 1.0, inertia: 0.1, position: [2.3536, -0.3535]}\n"
                        "  - {name: coupler, mass: 2.0, inertia: 0.2, position: [1.7071, -0.7071]}\n"
                        "joints:\n"
                        "  - {name: A, type: revolute, bodies: [ground, crank_a], at: [0, 0]}\n"
                        "  - {name: B, type: revolute, bodies: [ground, crank_b], at: [1, 0]}\n"
                        "  - {name: C, type: revolute, bodies: [ground, crank_c], at: [2, 0]}\n"
                        "  - {name: D, type: revolute, bodies: [crank_a, coupler], at: [0.7071, -0.7071]}\n"
                        "  - {name: E, type: revolute, bodies: [crank_b, coupler], at: [1.7070, -0.7071]}\n"
                        "  - {name: F, type: revolute, bodies: [crank_c, coupler], at: [2.7071, -0.7070]}\n",
                   NULL, 0);
    assert_string_equal(nth(&f, SARRUS_WARNING_NO_FREEDOM, 0).text, "the mechanism has 0 degrees of freedom: nothing can move");
    const sarrus_warning w = nth(&f, SARRUS_WARNING_NEAR_OTHER_RANK, 0);
    assert_true(w.matters == 1 && w.n_values == 2);
    assert_true(w.values[0] > 1e-6 && w.values[0] < 1e-4); /* rounding of 1e-4 m, of which a part counts */
    assert_true(w.values[1] > 1e-5 && w.values[1] < 3e-4);
    assert_int_equal(sarrus_warnings_count(f.list), 2);
    leave(&f);
}

/* Four hundred bodies in a row: a small singular value, but no lengths make a rank of it. */
static void a_long_chain_has_one_rank(void **state) {
    (void)state;
    enum { N_LINKS = 400 };
    char *text = NULL;
    size_t n_bytes = 0;
    FILE *stream = open_memstream(&text, &n_bytes);
    fputs(HEAD "bodies:\n", stream);
    for (int i = 0; i < N_LINKS; ++i) {
        fprintf(stream, "  - {name: b%d, mass: 1, inertia: 0.1, position: [%d.5, 0]}\n", i, i);
    }
    fputs("joints:\n  - {name: j0, type: revolute, bodies: [ground, b0], at: [0, 0]}\n", stream);
    for (int i = 1; i < N_LINKS; ++i) {
        fprintf(stream, "  - {name: j%d, type: revolute, bodies: [b%d, b%d], at: [%d, 0]}\n", i, i - 1, i, i);
    }
    assert_int_equal(fclose(stream), 0);
    found f = look(text, NULL, 0);
    assert_int_equal(n_of(&f, SARRUS_WARNING_NEAR_OTHER_RANK), 0);
    leave(&f);
    free(text);
}

/* A parallelogram 1e-4 rad from its flat position. */
static void starts_next_to_a_change_point(void **state) {
    (void)state;
    found f = look("sarrus: 1\nspace: planar\nparameters: {a: 1.0e-4}\nintegrator: {dt: 1.0e-3, t_end: 1}\nbodies:\n"
                   "  - {name: crank, mass: 1, inertia: 0.1, position: [\"=cos(a)/2\", \"=sin(a)/2\"], orientation: \"=a\"}\n"
                   "  - {name: coupler, mass: 1, inertia: 0.1, position: [\"=cos(a)+1\", \"=sin(a)\"]}\n"
                   "  - {name: rocker, mass: 1, inertia: 0.1, position: [\"=2+cos(a)/2\", \"=sin(a)/2\"], orientation: \"=a\"}\n"
                   "joints:\n"
                   "  - {name: A, type: revolute, bodies: [ground, crank], at: [0, 0]}\n"
                   "  - {name: B, type: revolute, bodies: [crank, coupler], at: [\"=cos(a)\", \"=sin(a)\"]}\n"
                   "  - {name: C, type: revolute, bodies: [coupler, rocker], at: [\"=2+cos(a)\", \"=sin(a)\"]}\n"
                   "  - {name: D, type: revolute, bodies: [ground, rocker], at: [2, 0]}\n",
                   NULL, 0);
    const sarrus_warning w = only(&f, SARRUS_WARNING_NEAR_SINGULAR_START);
    assert_true(w.matters == 1 && w.values[0] > 1e-5 && w.values[0] < 1e-2); /* of the order of the angle */
    leave(&f);
}

static void degrees_in_place_of_radians(void **state) {
    (void)state;
    const sarrus_override turned[] = {{"bodies.rod.orientation", "90"}, {"joints.A.rest", "45"}, {NULL, NULL}};
    found f = look(PENDULUM, turned, 0);
    sarrus_warning w = nth(&f, SARRUS_WARNING_LARGE_ANGLE, 0);
    assert_string_equal(w.name, "bodies.rod.orientation");
    assert_string_equal(w.text,
                        "bodies.rod.orientation is 90 rad, more than a whole turn; angles are in radians: 90 degrees are 1.5708");
    assert_true(w.values[0] == 90.0 && fabs(w.values[1] - M_PI / 2.0) < 1e-15);
    assert_string_equal(nth(&f, SARRUS_WARNING_LARGE_ANGLE, 1).name, "joints.A.rest");
    leave(&f);
    const sarrus_override swung[] = {{"joints.A.drive", "{signal: {sine: {amplitude: 30, frequency: 1, phase: 6.3}}}"},
                                     {NULL, NULL}};
    f = look(PENDULUM, swung, 0);
    assert_string_equal(nth(&f, SARRUS_WARNING_LARGE_ANGLE, 0).name, "joints.A.drive.signal.sine.phase");
    assert_string_equal(nth(&f, SARRUS_WARNING_LARGE_ANGLE, 1).name, "joints.A.drive.signal.sine.amplitude");
    leave(&f);
    const sarrus_override drawn[] = {
        {"batch", "{parameters: [{path: bodies.rod.orientation, distribution: normal, mean: 90, sd: 1}]}"}, {NULL, NULL}};
    f = look(PENDULUM, drawn, 0);
    assert_int_equal(n_of(&f, SARRUS_WARNING_LARGE_ANGLE), 1); /* its own value, 0, is not drawn: that is told too */
    w = nth(&f, SARRUS_WARNING_LARGE_ANGLE, 0);
    assert_true(fabs(w.values[0] - 90.0) < 1e-12);
    leave(&f);
    /* Meant: a turn and a half written with pi or deg, many turns of a ramp. */
    const sarrus_override meant[] = {{"bodies.rod.orientation", "\"=3*pi\""},
                                     {"bodies.rod.position", "[-0.5, 0]"},
                                     {"joints.A.drive", "{signal: {ramp: {slope: 300}}}"},
                                     {NULL, NULL}};
    f = look(PENDULUM, meant, 0);
    assert_int_equal(sarrus_warnings_count(f.list), 0);
    leave(&f);
    const sarrus_override turns[] = {
        {"bodies.rod.orientation", "\"=540*deg\""}, {"bodies.rod.position", "[-0.5, 0]"}, {NULL, NULL}};
    f = look(PENDULUM, turns, 0);
    assert_int_equal(sarrus_warnings_count(f.list), 0);
    leave(&f);
}

/* A slider on a guide along x that is given 0.05 m aside, and (3, 2) m/s, of which the guide leaves (3, 0). */
static void what_assembly_does(void **state) {
    (void)state;
    found f = look(HEAD "bodies:\n"
                        "  - {name: slider, mass: 1, inertia: 0.1, position: [1, 0.05], velocity: [3, 2]}\n"
                        "  - {name: rider, mass: 1, inertia: 0.1, position: [2, 0], velocity: [3, 0]}\n"
                        "joints:\n"
                        "  - {name: G, type: prismatic, bodies: [ground, slider], points: [[0, 0], [0, 0]], axis: [1, 0]}\n"
                        "  - {name: H, type: prismatic, bodies: [ground, rider], points: [[0, 0], [0, 0]], axis: [1, 0]}\n",
                   NULL, 0);
    sarrus_warning w = nth(&f, SARRUS_WARNING_DISPLACED, 0);
    assert_string_equal(w.name, "slider");
    assert_string_equal(w.text, "assembly moved body 'slider' by 0.05 m and turned it by 0 rad");
    assert_true(fabs(w.values[0] - 0.05) < 1e-12 && fabs(w.values[1]) < 1e-12);
    assert_int_equal(n_of(&f, SARRUS_WARNING_DISPLACED), 1);
    w = nth(&f, SARRUS_WARNING_VELOCITY_CHANGED, 0);
    assert_string_equal(w.name, "slider");
    const double expected[6] = {3, 2, 0, 3, 0, 0};
    for (int i = 0; i < 6; ++i)
        assert_true(fabs(w.values[i] - expected[i]) < 1e-12);
    assert_non_null(strstr(w.text, "of body 'slider' from (3, 2) m/s, 0 rad/s to (3, 0) m/s"));
    assert_int_equal(n_of(&f, SARRUS_WARNING_VELOCITY_CHANGED), 1);
    assert_int_equal(n_of(&f, SARRUS_WARNING_SEPARATE_PARTS), 1);
    assert_int_equal(sarrus_warnings_count(f.list), 3);
    leave(&f);
}

/* What the plan says of the assembled start is what a batch starts from. */
static void the_start_is_that_of_a_run(void **state) {
    (void)state;
    const sarrus_override overrides[] = {
        {"bodies.crank.velocity", "[1, 2]"}, {"bodies.coupler.position", "[0.1, 0.4]"}, {NULL, NULL}};
    mechanism m = mechanism_open_file("four_bar.yaml", overrides);
    double q[9], v[9];
    sarrus_batch *batch = mechanism_batch(&m, NULL, 1, 1, NULL);
    mechanism_observe(batch, SARRUS_OBSERVE_Q, q);
    mechanism_observe(batch, SARRUS_OBSERVE_V, v);
    assert_int_equal(m.n, 9);
    /* Both are Newton's method in the metric of M, with other factorizations: apart by round-off over sigma. */
    assert_true(mechanism_distance(q, m.plan->start.q, 9) < 1e-11);
    assert_true(mechanism_distance(v, m.plan->start.v, 9) < 1e-10);
    assert_true(mechanism_distance(v, m.plan->start.v_given, 9) > 0.1);
    sarrus_batch_destroy(batch);
    mechanism_close(&m);
}

static void what_nothing_depends_on(void **state) {
    (void)state;
    found f =
        look("sarrus: 1\nspace: planar\n"
             "parameters: {m: 1, spare: 3, base: 2, twice: \"=2*base\", half: 0.5, r: \"=half\", step: 0.001, sd: 0.1, drawn: 1}\n"
             "bodies:\n  - {name: rod, mass: \"=m\", inertia: 1, position: [\"=r\", 0]}\n"
             "joints:\n  - {name: A, type: revolute, bodies: [ground, rod], at: [0, 0]}\n"
             "integrator: {dt: \"=step\", t_end: 1}\n"
             "batch: {parameters: [{name: drawn, distribution: uniform, low: 0, high: 1}, "
             "{path: bodies.rod.inertia, distribution: normal, mean: 1, sd: \"=sd\"}]}\n",
             NULL, 0);
    assert_int_equal(n_of(&f, SARRUS_WARNING_UNUSED_PARAMETER), 3);
    assert_string_equal(nth(&f, SARRUS_WARNING_UNUSED_PARAMETER, 0).name, "parameters.spare");
    assert_string_equal(nth(&f, SARRUS_WARNING_UNUSED_PARAMETER, 1).name, "parameters.base"); /* of what is not used itself */
    assert_string_equal(nth(&f, SARRUS_WARNING_UNUSED_PARAMETER, 2).name, "parameters.twice");
    assert_int_equal(nth(&f, SARRUS_WARNING_UNUSED_PARAMETER, 0).matters, 0);
    const sarrus_warning w = nth(&f, SARRUS_WARNING_UNUSED_DRAW, 0);
    assert_string_equal(w.text, "parameters.drawn is drawn for every instance, but nothing depends on it");
    assert_int_equal(w.matters, 1);
    assert_int_equal(sarrus_warnings_count(f.list), 4);
    leave(&f);
}

static found look_at_draws(const char *draws, uint64_t n_instances) {
    char batch[600];
    snprintf(batch, sizeof batch, "{instances: 1000, parameters: [%s]}", draws);
    const sarrus_override overrides[] = {{"parameters", "{m: 1}"},
                                         {"bodies.rod.inertia", "\"=m/12\""},
                                         {"bodies.rod.mass", "\"=m\""},
                                         {"joints.A.stiffness", "1"},
                                         {"batch", batch},
                                         {NULL, NULL}};
    return look(PENDULUM, overrides, n_instances);
}

static void draws_without_a_meaning(void **state) {
    (void)state;
    const double share = 0.5 * erfc(2.0 * M_SQRT1_2); /* below -2 sd: 2.275 % */
    found f = look_at_draws("{path: bodies.rod.mass, distribution: normal, mean: 1, sd: 0.5}", 0);
    sarrus_warning w = nth(&f, SARRUS_WARNING_UNPHYSICAL_DRAWS, 0);
    assert_string_equal(w.name, "bodies.rod.mass");
    assert_string_equal(
        w.text, "bodies.rod.mass: 2.3 % of the draws are not positive (about 22.8 of 1000 instances); such instances end as "
                "invalid_parameter");
    assert_true(fabs(w.values[0] - share) < 1e-14 && fabs(w.values[1] - 1000.0 * share) < 1e-11);
    leave(&f);
    f = look_at_draws("{path: joints.A.stiffness, distribution: normal, mean: 1, sd: 0.5}", 10);
    w = nth(&f, SARRUS_WARNING_UNPHYSICAL_DRAWS, 0);
    assert_non_null(strstr(w.text, "are negative (about 0.228 of 10 instances)"));
    assert_int_equal(n_of(&f, SARRUS_WARNING_UNPHYSICAL_DRAWS), 1);
    leave(&f);
    /* By a name: the mass is the draw itself, the inertia a twelfth of it, counted in 4096 trials (sd of the share 0.0023). */
    f = look_at_draws("{name: m, distribution: normal, mean: 1, sd: 0.5}", 0);
    assert_int_equal(n_of(&f, SARRUS_WARNING_UNPHYSICAL_DRAWS), 2);
    for (int i = 0; i < 2; ++i) {
        w = nth(&f, SARRUS_WARNING_UNPHYSICAL_DRAWS, i);
        assert_true(fabs(w.values[0] - share) < (strcmp(w.name, "bodies.rod.mass") == 0 ? 1e-14 : 0.0115));
    }
    leave(&f);
    static const char *const harmless[] = {
        "{path: bodies.rod.mass, distribution: normal, mean: 1, sd: 0.5, min: 0.01}",
        "{path: bodies.rod.mass, distribution: normal, mean: 1, sd: 0.1}", /* ten sd: 1e-23 */
        "{path: joints.A.stiffness, distribution: normal, mean: 1, sd: 0.5, min: 0}",
        "{path: bodies.rod.position.0, distribution: normal, mean: 0.5, sd: 0.5}",
        "{name: m, distribution: lognormal, mean: 1, sd: 1}",
    };
    for (size_t i = 0; i < sizeof harmless / sizeof harmless[0]; ++i) {
        f = look_at_draws(harmless[i], 0);
        assert_int_equal(n_of(&f, SARRUS_WARNING_UNPHYSICAL_DRAWS), 0);
        leave(&f);
    }
}

/* Of every distribution that has a negative part, by a name: the mass is the draw itself. The other warning is of the inertia,
 * counted in trials, as independent draws whatever the sampling is; the number of instances is that of the design. */
static void draws_of_all_distributions_without_a_meaning(void **state) {
    (void)state;
    static const struct {
        const char *batch;
        double share, n_instances;
    } cases[] = {
        {"{name: m, distribution: triangular, low: -1, mode: 0, high: 3}], sampling: lhs", 0.25, 1000},
        {"{name: m, distribution: beta, alpha: 1, beta: 1, low: -1, high: 3}], sampling: {method: grid, levels: [1000]}", 0.25,
         1000},
        {"{name: m, distribution: discrete, values: [2, -1], weights: [3, 1]}], sampling: sobol", 0.25, 1000},
        {"{name: m, distribution: empirical, values: [3, -1, 1, 2]}], design: saltelli", 1.0 / 6.0, 4000},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        char batch[300];
        snprintf(batch, sizeof batch, "{instances: 1000, parameters: [%s}", cases[i].batch);
        const sarrus_override overrides[] = {{"parameters", "{m: 1}"},
                                             {"bodies.rod.inertia", "\"=m/12\""},
                                             {"bodies.rod.mass", "\"=m\""},
                                             {"batch", batch},
                                             {NULL, NULL}};
        found f = look(PENDULUM, overrides, 0);
        assert_int_equal(n_of(&f, SARRUS_WARNING_UNPHYSICAL_DRAWS), 2);
        for (int k = 0; k < 2; ++k) {
            const sarrus_warning w = nth(&f, SARRUS_WARNING_UNPHYSICAL_DRAWS, k);
            const bool is_exact = strcmp(w.name, "bodies.rod.mass") == 0; /* 4096 trials: five sd of a share of 1/4 are 0.034 */
            assert_true(fabs(w.values[0] - cases[i].share) < (is_exact ? 1e-14 : 0.034));
            assert_true(fabs(w.values[1] - cases[i].n_instances * w.values[0]) < 1e-9);
        }
        leave(&f);
    }
}

/* What is told of the draws is what becomes of the instances. */
static void such_instances_are_invalid(void **state) {
    (void)state;
    enum { N = 1000 };
    static const struct {
        const char *draw;
        bool is_run;
    } cases[] = {{"{path: bodies.rod.mass, distribution: normal, mean: 1, sd: 1}", false},
                 {"{path: joints.A.stiffness, distribution: normal, mean: 1, sd: 1}", true}};
    for (int k = 0; k < 2; ++k) {
        found f = look_at_draws(cases[k].draw, N);
        const sarrus_warning w = nth(&f, SARRUS_WARNING_UNPHYSICAL_DRAWS, 0);
        const double expected = w.values[1];
        assert_non_null(
            strstr(w.text, cases[k].is_run ? "; such instances run with them" : "; such instances end as invalid_parameter"));
        sarrus_draws *draws = NULL;
        assert_int_equal(sarrus_draws_create(f.m.context, f.m.model, 5, N, &draws), SARRUS_OK);
        sarrus_batch *batch = mechanism_batch(&f.m, NULL, 1, N, draws);
        int n = 0, n_invalid = 0;
        for (uint64_t i = 0; i < N; ++i) {
            n += sarrus_draws_values(draws, 0)[i] < 0.0;
            n_invalid += sarrus_batch_status(batch, i) == SARRUS_INSTANCE_INVALID_PARAMETER;
        }
        assert_true(fabs(n - expected) < 5.0 * sqrt(expected)); /* five sd of a binomial number */
        assert_int_equal(n_invalid, cases[k].is_run ? 0 : n);
        sarrus_batch_destroy(batch);
        sarrus_draws_destroy(draws);
        leave(&f);
    }
}

/* The mass of the rod is 1: where no draw comes near that, the plan stands for nobody. */
static void own_values_that_are_never_drawn(void **state) {
    (void)state;
    found f = look_at_draws("{path: bodies.rod.mass, distribution: normal, mean: 2, sd: 0.1}", 0);
    const sarrus_warning w = nth(&f, SARRUS_WARNING_NOMINAL_OUTSIDE_DRAWS, 0);
    assert_string_equal(w.name, "bodies.rod.mass");
    assert_string_equal(w.text,
                        "bodies.rod.mass is 1 in the scenario, but drawn between 1.40022 and 2.59978: the plan is made with "
                        "a value that no instance has");
    assert_int_equal(w.matters, 0);
    assert_int_equal(w.n_values, 3);
    assert_true(w.values[0] == 1.0 && fabs(w.values[1] - (2.0 - 0.59978070)) < 1e-6); /* 5.9978070 sd: 1e-9 */
    leave(&f);
    static const struct {
        const char *draw;
        int n;
    } cases[] = {
        {"{path: bodies.rod.mass, distribution: normal, mean: 1.5995, sd: 0.1}", 0}, /* 5.995 sd */
        {"{path: bodies.rod.mass, distribution: normal, mean: 1.6005, sd: 0.1}", 1},
        {"{path: bodies.rod.mass, distribution: normal, mean: 1.5, sd: 0.5, min: 1}", 0}, /* at the end of what is drawn */
        {"{path: bodies.rod.mass, distribution: normal, mean: 1.5, sd: 0.5, min: 1.01}", 1},
        {"{path: bodies.rod.mass, distribution: normal, mean: 0.5, sd: 0.5, max: 0.99}", 1},
        {"{path: bodies.rod.mass, distribution: uniform, low: 1, high: 2}", 0},
        {"{path: bodies.rod.mass, distribution: uniform, low: 0.5, high: 1}", 0},
        {"{path: bodies.rod.mass, distribution: uniform, low: 1.001, high: 2}", 1},
        {"{path: bodies.rod.mass, distribution: lognormal, mu: 0, sigma: 0.1}", 0},
        {"{path: bodies.rod.mass, distribution: lognormal, mu: 2, sigma: 0.1}", 1},
        {"{path: bodies.rod.mass, distribution: normal, mean: 1, sd: 0}", 0},
        {"{path: bodies.rod.mass, distribution: normal, mean: 1.1, sd: 0}", 1},
        {"{name: m, distribution: normal, mean: 2, sd: 0.1}", 1},
        {"{path: [bodies.rod.mass, joints.A.stiffness], distribution: uniform, low: 3, high: 4}", 2},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        f = look_at_draws(cases[i].draw, 0);
        assert_int_equal(n_of(&f, SARRUS_WARNING_NOMINAL_OUTSIDE_DRAWS), cases[i].n);
        leave(&f);
    }
}

/* Beyond the fourth of a kind one line counts. */
static void many_of_a_kind_are_counted(void **state) {
    (void)state;
    static const char text[] = "sarrus: 1\nspace: planar\nparameters: {a: 1, b: 1, c: 1, d: 1, e: 1, f: 1}\n"
                               "integrator: {dt: 1.0e-3, t_end: 1}\njoints: []\n"
                               "bodies:\n  - {name: puck, mass: 1, inertia: 0.1, position: [0, 0]}\n";
    found f = look(text, NULL, 0);
    assert_int_equal(n_of(&f, SARRUS_WARNING_UNUSED_PARAMETER), 5);
    const sarrus_warning w = nth(&f, SARRUS_WARNING_UNUSED_PARAMETER, 4);
    assert_string_equal(w.name, "");
    assert_string_equal(w.text, "… and 2 more named parameters on which nothing depends");
    leave(&f);
}

/* Sensitivities of few base points, trajectories or instances, as many as the run is asked for. */
static void few_blocks_for_sensitivities(void **state) {
    (void)state;
    static const struct {
        const char *design;
        uint64_t least;
        const char *said;
    } cases[] = {
        {"plain", 30, "rank correlations of 29 instances: below 30 their intervals are wide, and in doubt themselves"},
        {"saltelli", 30, "Sobol' indices of 29 base points: below 30 their intervals are wide, and in doubt themselves"},
        {"morris", 10, "elementary effects of 9 trajectories: below 10 their intervals are wide, and in doubt themselves"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        char batch[160];
        (void)snprintf(batch, sizeof batch,
                       "{design: %s, parameters: [{path: bodies.rod.mass, distribution: uniform, low: 1, high: 2}]}",
                       cases[i].design);
        const sarrus_override asked[] = {
            {"batch", batch}, {"output", "{quantities: {low: min(rod.y)}, sensitivity: [low]}"}, {NULL, NULL}};
        found f = look(PENDULUM, asked, cases[i].least - 1);
        const sarrus_warning w = only(&f, SARRUS_WARNING_FEW_BLOCKS);
        assert_string_equal(w.text, cases[i].said);
        assert_true(w.matters == 1 && w.values[0] == (double)cases[i].least - 1 && w.values[1] == (double)cases[i].least);
        leave(&f);
        f = look(PENDULUM, asked, cases[i].least);
        assert_int_equal(n_of(&f, SARRUS_WARNING_FEW_BLOCKS), 0);
        leave(&f);
        const sarrus_override none[] = {{"batch", batch}, {NULL, NULL}};
        f = look(PENDULUM, none, 1);
        assert_int_equal(n_of(&f, SARRUS_WARNING_FEW_BLOCKS), 0);
        leave(&f);
    }
}

/* Of fixed steps beside sines that swing; methods that choose their steps see sines themselves. */
static void steps_beside_sines(void **state) {
    (void)state;
    static const struct {
        const char *integrator, *sine;
        double n_steps; /* in a period, as told; 0: nothing is */
    } cases[] = {
        {"{method: rk4, dt: 0.01, t_end: 1}", "{amplitude: 1, frequency: 100}", 1.0},
        {"{method: semi-implicit, dt: 0.01, t_end: 1}", "{amplitude: 1, frequency: -12.8}", 7.8125},
        {"{method: rk4, dt: 0.01, t_end: 1}", "{amplitude: 1, frequency: 12.5}", 0.0},
        {"{method: rk4, dt: 0.01, t_end: 1}", "{amplitude: 0, frequency: 100}", 0.0},
        {"{method: dopri5, rtol: 1e-8, t_end: 1}", "{amplitude: 1, frequency: 100}", 0.0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        char text[1024];
        (void)snprintf(text, sizeof text, PENDULUM "forces: [{type: torque, name: push, body: rod, value: {signal: {sine: %s}}}]\n",
                       cases[i].sine);
        const sarrus_override asked[] = {{"integrator", cases[i].integrator}, {NULL, NULL}};
        found f = look(text, asked, 1);
        assert_int_equal(sarrus_warnings_count(f.list), cases[i].n_steps > 0.0);
        if (cases[i].n_steps > 0.0) {
            const sarrus_warning w = only(&f, SARRUS_WARNING_COARSE_STEP);
            assert_true(w.matters == 1 && w.n_values == 2 && fabs(w.values[0] - cases[i].n_steps) < 1e-12);
            assert_true(fabs(w.values[1] - 0.01 * cases[i].n_steps) < 1e-12);
            assert_string_equal(w.name, "forces.push.value.signal.sine.frequency");
        }
        leave(&f);
    }
}

static void kinds_have_words(void **state) {
    (void)state;
    for (int i = 0; i < SARRUS_N_WARNING_KINDS; ++i) {
        assert_string_not_equal(sarrus_warning_kind_word((sarrus_warning_kind)i), "unknown");
        assert_true(strlen(sarrus_warning_kind_title((sarrus_warning_kind)i)) < 24); /* the card's labels */
    }
    assert_string_equal(sarrus_warning_kind_word((sarrus_warning_kind)99), "unknown");
    sarrus_warnings *list = NULL;
    assert_int_equal(sarrus_warnings_create(NULL, NULL, 0, &list), SARRUS_BAD_ARGUMENT);
    sarrus_warnings_destroy(NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_told_of_what_is_meant),
        cmocka_unit_test(parts_and_free_bodies),
        cmocka_unit_test(bodies_on_curves_are_held),
        cmocka_unit_test(parts_that_are_said_to_float),
        cmocka_unit_test(what_rounding_has_locked),
        cmocka_unit_test(a_long_chain_has_one_rank),
        cmocka_unit_test(starts_next_to_a_change_point),
        cmocka_unit_test(degrees_in_place_of_radians),
        cmocka_unit_test(what_assembly_does),
        cmocka_unit_test(few_blocks_for_sensitivities),
        cmocka_unit_test(steps_beside_sines),
        cmocka_unit_test(the_start_is_that_of_a_run),
        cmocka_unit_test(what_nothing_depends_on),
        cmocka_unit_test(draws_without_a_meaning),
        cmocka_unit_test(draws_of_all_distributions_without_a_meaning),
        cmocka_unit_test(such_instances_are_invalid),
        cmocka_unit_test(own_values_that_are_never_drawn),
        cmocka_unit_test(many_of_a_kind_are_counted),
        cmocka_unit_test(kinds_have_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
