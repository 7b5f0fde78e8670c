/* Claims: drives that no motion can follow are refused before a run, with the drives, the time and how far the loops stay open;
 * so are mechanisms that are told to move and cannot, and those that cannot be assembled, with the least that they stay open.
 * Drives that can be followed are not, however fast, redundant or close to singular positions they are, and looking at them leaves
 * the plan as it is. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>
#include <math.h>

#include "plan/plan.h"
#include "tests/support/mechanism.h"
#include "tests/support/place.h"

#define HEAD "sarrus: 1\nspace: planar\nbodies:\n"
#define TAIL "integrator: {dt: 1.0e-3, t_end: 2}\n"

/* Four-bar of two upright cranks of 1 m, 2 m apart: a parallelogram. */
#define PARALLELOGRAM                                                                                                              \
    HEAD "  - {name: crank, mass: 1, inertia: 0.1, position: [0, 0.5], orientation: 1.5707963267948966}\n"                         \
         "  - {name: coupler, mass: 1, inertia: 0.1, position: [1, 1]}\n"                                                          \
         "  - {name: rocker, mass: 1, inertia: 0.1, position: [2, 0.5], orientation: 1.5707963267948966}\n"                        \
         "joints:\n"                                                                                                               \
         "  - {name: A, type: revolute, bodies: [ground, crank], at: [0, 0]}\n"                                                    \
         "  - {name: B, type: revolute, bodies: [crank, coupler], at: [0, 1]}\n"                                                   \
         "  - {name: C, type: revolute, bodies: [coupler, rocker], at: [2, 1]}\n"                                                  \
         "  - {name: D, type: revolute, bodies: [ground, rocker], at: [2, 0]}\n" TAIL

/* Crank of 0.3 m, rod of 1 m, slider; the crank stands upright at t = 0. */
#define SLIDER_CRANK                                                                                                               \
    HEAD "  - {name: crank, mass: 1, inertia: 0.1, position: [0, 0.15], orientation: 1.5707963267948966}\n"                        \
         "  - {name: rod, mass: 1, inertia: 0.1, position: [\"=sqrt(0.91)/2\", 0.15], orientation: \"=-asin(0.3)\"}\n"             \
         "  - {name: slider, mass: 1, inertia: 0.1, position: [\"=sqrt(0.91)\", 0]}\n"                                             \
         "joints:\n"                                                                                                               \
         "  - {name: A, type: revolute, bodies: [ground, crank], at: [0, 0]}\n"                                                    \
         "  - {name: B, type: revolute, bodies: [crank, rod], at: [0, 0.3]}\n"                                                     \
         "  - {name: C, type: revolute, bodies: [rod, slider], at: [\"=sqrt(0.91)\", 0]}\n"                                        \
         "  - {name: G, type: prismatic, bodies: [ground, slider], at: [\"=sqrt(0.91)\", 0], axis: [1, 0]}\n" TAIL

/* Two sliders at right angles, pinned to one another by M: no freedom. */
#define GUIDED                                                                                                                     \
    HEAD "  - {name: a, mass: 1, inertia: 0.1, position: [0, 0]}\n"                                                                \
         "  - {name: b, mass: 1, inertia: 0.1, position: [0, 0]}\n"                                                                \
         "joints:\n"                                                                                                               \
         "  - {name: G, type: prismatic, bodies: [ground, a], at: [0, 0], axis: [1, 0]}\n"                                         \
         "  - {name: H, type: prismatic, bodies: [ground, b], at: [0, 0], axis: [0, 1]}\n"                                         \
         "  - {name: M, type: revolute, bodies: [a, b], at: [0, 0]}\n" TAIL

/* Three parallel cranks, rounded to four digits by hand: the redundant row of the exact mechanism holds this one. */
#define LOCKED                                                                                                                     \
    HEAD "  - {name: crank_a, mass: 1.0, inertia: 0.1, position: [0.3536, -0.3536]}\n"                                             \
         "  - {name: crank_b, mass: 1.0, inertia: 0.1, position: [1.3535, -0.3536]}\n"                                             \
         "  - {name: crank_c, mass: 1.0, inertia: 0.1, position: [2.3536, -0.3535]}\n"                                             \
         "  - {name: coupler, mass: 2.0, inertia: 0.2, position: [1.7071, -0.7071]}\n"                                             \
         "joints:\n"                                                                                                               \
         "  - {name: A, type: revolute, bodies: [ground, crank_a], at: [0, 0]}\n"                                                  \
         "  - {name: B, type: revolute, bodies: [ground, crank_b], at: [1, 0]}\n"                                                  \
         "  - {name: C, type: revolute, bodies: [ground, crank_c], at: [2, 0]}\n"                                                  \
         "  - {name: D, type: revolute, bodies: [crank_a, coupler], at: [0.7071, -0.7071]}\n"                                      \
         "  - {name: E, type: revolute, bodies: [crank_b, coupler], at: [1.7070, -0.7071]}\n"                                      \
         "  - {name: F, type: revolute, bodies: [crank_c, coupler], at: [2.7071, -0.7070]}\n" TAIL

/* A six-bar whose reach ends at a fold, beside which another branch runs: long steps would land on that. */
static const char *const SIX_BAR =
    "sarrus: 1\nspace: planar\n"
    "bodies:\n"
    "  - {name: crank, mass: 0.6403, inertia: 0.032, position: [-0.2663, 0.452], orientation: 2.1032}\n"
    "  - {name: coupler, mass: 0.9329, inertia: 0.0466, position: [-0.543, 0.237], orientation: -1.5864}\n"
    "  - {name: rocker, mass: 2.9753, inertia: 0.1488, position: [-0.0255, -0.215], orientation: -2.7548}\n"
    "  - {name: dyad1, mass: 0.3241, inertia: 0.0162, position: [-0.1544, 0.2231], orientation: -1.1211}\n"
    "  - {name: dyad2, mass: 3.9251, inertia: 0.1963, position: [0.6166, 0.0528], orientation: -2.8517}\n"
    "joints:\n"
    "  - {name: A, type: revolute, bodies: [ground, crank], points: [[0, 0], [-0.5247, 0]]}\n"
    "  - {name: B, type: revolute, bodies: [crank, coupler], points: [[0.5247, 0], [-0.6672, 0]]}\n"
    "  - {name: C, type: revolute, bodies: [coupler, rocker], points: [[0.6672, 0], [0.5701, 0]]}\n"
    "  - {name: D, type: revolute, bodies: [ground, rocker], points: [[0.5025, 0], [-0.5701, 0]]}\n"
    "  - {name: E, type: revolute, bodies: [coupler, dyad1], points: [[-0.3392, 0.2145], [-0.3884, 0]]}\n"
    "  - {name: F, type: revolute, bodies: [dyad1, dyad2], points: [[0.3884, 0], [0.6283, 0]], drive: {signal: {ramp: {slope: "
    "1.8553}}}}\n"
    "  - {name: H, type: revolute, bodies: [ground, dyad2], points: [[1.2186, 0.2324], [-0.6283, 0]]}\n"
    "integrator: {dt: 0.0053, t_end: 5.3225}\n";

/* Makes the plan; what is said when it is refused, NULL when it is not. To be freed. */
static char *refusal(const char *text, const sarrus_override *overrides) {
    sarrus_context *context = NULL;
    sarrus_model *model = NULL;
    sarrus_plan *plan = NULL;
    size_t n = 0;
    char *said = NULL;
    while (overrides && overrides[n].path)
        ++n;
    assert_int_equal(sarrus_context_create(&context), SARRUS_OK);
    assert_int_equal(sarrus_scenario_read_text(context, "s.yaml", text, strlen(text), overrides, n, &model), SARRUS_OK);
    const sarrus_status status = sarrus_plan_create(context, model, &plan);
    if (status != SARRUS_OK) {
        assert_int_equal(status, SARRUS_BAD_INPUT);
        assert_null(plan);
        assert_int_equal(sarrus_context_n_diagnostics(context), 1);
        const sarrus_diagnostic *d = sarrus_context_diagnostic(context, 0);
        assert_int_equal(d->severity, SARRUS_ERROR);
        assert_true(strcmp(d->file, "s.yaml") == 0 || (n > 0 && strcmp(d->file, "--set") == 0));
        assert_true(d->line > 0 && d->column > 0);
        assert_non_null(strstr(d->message, "; expected "));
        said = strdup(d->message);
    }
    sarrus_plan_destroy(plan);
    sarrus_model_destroy(model);
    sarrus_context_destroy(context);
    return said;
}

static void assert_refused(const char *text, const sarrus_override *overrides, const char *const *words) {
    char *said = refusal(text, overrides);
    if (!said)
        fail_msg("nothing is refused; expected '%s'", words[0]);
    for (int i = 0; words[i]; ++i) {
        if (!strstr(said, words[i]))
            fail_msg("no '%s' in '%s'", words[i], said);
    }
    free(said);
}

static void assert_followed(const char *text, const sarrus_override *overrides) {
    char *said = refusal(text, overrides);
    if (said)
        fail_msg("refused: %s", said);
    sarrus_override all[8] = {{NULL, NULL}};
    for (int i = 0; overrides && overrides[i].path; ++i)
        all[i] = overrides[i];
    mechanism m = mechanism_open_text(text, all);
    assert_int_equal(m.plan->start.doubt.joint, -1); /* nor doubted */
    mechanism_close(&m);
}

#define OVERRIDES(...)                                                                                                             \
    (const sarrus_override[]) {                                                                                                    \
        __VA_ARGS__, {                                                                                                             \
            NULL, NULL                                                                                                             \
        }                                                                                                                          \
    }
#define WORDS(...) ((const char *const[]){__VA_ARGS__, NULL})

static void contradictory_drives_are_refused(void **state) {
    (void)state;
    assert_refused(PARALLELOGRAM,
                   OVERRIDES({"joints.A.drive", "{signal: {sine: {amplitude: 0.5, frequency: 1}}}"},
                             {"joints.D.drive", "{signal: {sine: {amplitude: 0.3, frequency: 1}}}"}),
                   WORDS("drives of joints 'A' and 'D' contradict one another beyond t = 0 s", "the loops stay open by"));
    /* Alike at first: found on the way. The drives part by 0.1 t^8, which is 2e-8 (what may be told from nothing) at t = 0.15 s. */
    assert_refused(PARALLELOGRAM,
                   OVERRIDES({"joints.A.drive", "{signal: {polynomial: [0, 0, 0.2]}}"},
                             {"joints.D.drive", "{signal: {polynomial: [0, 0, 0.2, 0, 0, 0, 0, 0, 0.1]}}"}),
                   WORDS("drives of joints 'A' and 'D' contradict one another beyond t = 0.1"));
}

/* In a large mechanism the way is not followed far, but what contradicts itself from the beginning is found without. */
static void large_mechanisms_are_looked_at_too(void **state) {
    (void)state;
    sarrus_context *context = NULL;
    sarrus_model *model = NULL;
    sarrus_plan *plan = NULL;
    char path[1024];
    const sarrus_override overrides[] = {{"joints.A0.drive", "{signal: {sine: {amplitude: 0.3, frequency: 1}}}"},
                                         {"joints.A3.drive", "{signal: {sine: {amplitude: 0.2, frequency: 1}}}"}};
    snprintf(path, sizeof path, "%s", place_of_source("/scenarios/n_four_bar_40.yaml"));
    assert_int_equal(sarrus_context_create(&context), SARRUS_OK);
    assert_int_equal(sarrus_scenario_read_file(context, path, overrides, 2, &model), SARRUS_OK);
    assert_int_equal(sarrus_plan_create(context, model, &plan), SARRUS_BAD_INPUT);
    assert_non_null(strstr(sarrus_context_diagnostic(context, 0)->message,
                           "the drives of joints 'A0' and 'A3' contradict one another beyond t = 0 s"));
    sarrus_model_destroy(model);
    sarrus_context_destroy(context);
}

/* The slider may move out by 1.3 - sqrt(0.91) m = 0.346 m: sin(pi t/2) reaches that at t = 0.2250 s. */
static void a_reach_that_ends_is_refused(void **state) {
    (void)state;
    assert_refused(SLIDER_CRANK, OVERRIDES({"joints.G.drive", "{signal: {sine: {amplitude: 1, frequency: 0.25}}}"}),
                   WORDS("the drive of joint 'G' cannot be followed beyond t = 0.225 s, where the reach of the mechanism ends"));
    /* A short time beyond the dead center only, where the drive turns round: by 1/1000 of the stroke. */
    assert_refused(SLIDER_CRANK,
                   OVERRIDES({"joints.G.drive", "{signal: {sine: {amplitude: \"=1.001*(1.3-sqrt(0.91))\", frequency: 0.25}}}"}),
                   WORDS("the drive of joint 'G' cannot be followed beyond t = 0.9", "where the reach of the mechanism ends"));
}

static void steps_do_not_leave_their_branch(void **state) {
    (void)state;
    assert_refused(SIX_BAR, NULL, WORDS("the drive of joint 'F' cannot be followed beyond t = 0.9188 s, where the reach"));
}

static void what_other_joints_hold_is_refused(void **state) {
    (void)state;
    assert_refused(
        GUIDED, OVERRIDES({"joints.M.drive", "{signal: {ramp: {slope: 1}}}"}),
        WORDS("the drive of joint 'M' cannot be followed beyond t = 0 s", "without drives the mechanism has 0 degrees of freedom"));
    assert_refused(GUIDED, OVERRIDES({"joints.M.drive", "{signal: {polynomial: [0, 0, 1]}}"}), /* at rest at t = 0 */
                   WORDS("the drive of joint 'M' cannot be followed", "0 degrees of freedom"));
    /* Something else may move here: the second slider along the first. */
    assert_refused(GUIDED,
                   OVERRIDES({"joints.M.drive", "{signal: {ramp: {slope: 1}}}"},
                             {"joints.H", "{name: H, type: prismatic, bodies: [ground, b], at: [0, 0], axis: [1, 0]}"}),
                   WORDS("the drive of joint 'M' cannot be followed beyond t = 0 s: the other joints hold what it moves"));
}

static void a_locked_mechanism_that_is_to_move_is_refused(void **state) {
    (void)state;
    assert_null(refusal(LOCKED, NULL));
    assert_refused(LOCKED, OVERRIDES({"joints.A.drive", "{signal: {ramp: {slope: 1}}}"}),
                   WORDS("the drive of joint 'A' cannot be followed", "0 degrees of freedom (lengths that differ by about"));
    assert_refused(LOCKED, OVERRIDES({"bodies.crank_b.velocity", "[0, 0.1]"}),
                   WORDS("body 'crank_b' is to start with (0, 0.1) m/s and 0 rad/s, but nothing can move",
                         "0 degrees of freedom (lengths that differ by about"));
    assert_refused(GUIDED, OVERRIDES({"bodies.a.angular_velocity", "2"}),
                   WORDS("body 'a' is to start with (0, 0) m/s and 2 rad/s"));
    assert_null(refusal(GUIDED, NULL));
    assert_null(refusal(LOCKED, OVERRIDES({"joints.A.drive", "{signal: 0}"}))); /* a drive that holds still asks for nothing */
}

/* Of the five-bar it is known which change of lengths it takes (docs/rank.md): with pin E set off by d across the cranks, its
 * twelfth singular value is that of lengths that differ by tau' Phi = 2 d / sqrt(12) from dependent ones. To first order in d, and
 * to the 1e-8 of the difference that dJ/ds is. */
static void rounding_is_told_as_a_length(void **state) {
    (void)state;
    for (double d = 1e-3; d > 1e-7; d *= 0.1) {
        char points[200];
        snprintf(points, sizeof points,
                 "{name: E, type: revolute, bodies: [crank_b, coupler], points: [[0, -0.5], [\"=%g*cos(phi)\", "
                 "\"=%g*sin(phi)\"]]}",
                 d, d);
        const sarrus_override overrides[] = {{"joints.E", points}, {NULL, NULL}};
        mechanism m = mechanism_open_file("five_bar.yaml", overrides);
        print_message("pin off by %.0e m: change %.6e m, of it expected %.6f\n", d, m.plan->start.change,
                      m.plan->start.change / (2.0 * d / sqrt(12.0)));
        assert_true(fabs(m.plan->start.change / (2.0 * d / sqrt(12.0)) - 1.0) < 5.0 * d + 1e-4);
        mechanism_close(&m);
    }
    mechanism exact = mechanism_open_file("n_four_bar_40.yaml", NULL); /* a small singular value, but of its length */
    assert_true(isinf(exact.plan->start.change));
    mechanism_close(&exact);
}

static void what_can_be_followed_is_not_refused(void **state) {
    (void)state;
    static const char *const fast = "{signal: {ramp: {slope: 31415.9}}}"; /* ten thousand turns */
    assert_followed(PARALLELOGRAM,
                    OVERRIDES({"joints.A.drive", "{signal: {polynomial: [0, 6]}}"})); /* through both flat positions */
    assert_followed(PARALLELOGRAM, OVERRIDES({"joints.A.drive", fast}));
    assert_followed(PARALLELOGRAM, OVERRIDES({"joints.A.drive", "{signal: {polynomial: [0, 6]}}"},
                                             {"joints.D.drive", "{signal: {polynomial: [0, 6]}}"})); /* redundant */
    assert_followed(SLIDER_CRANK, OVERRIDES({"joints.A.drive", fast}));
    /* To the dead center exactly and back, twice. */
    assert_followed(
        SLIDER_CRANK,
        OVERRIDES({"joints.G.drive", "{signal: {sine: {amplitude: \"=(1.3-sqrt(0.91))/2\", frequency: 1, phase: \"=-pi/2\", "
                                     "offset: \"=(1.3-sqrt(0.91))/2\"}}}"}));
    /* A freedom is left beside the drive. */
    assert_followed(PARALLELOGRAM,
                    OVERRIDES({"joints.A.drive", fast}, {"joints.C", "{name: C, type: distance, bodies: [coupler, rocker], "
                                                                     "at: [[1.5, 1], [2, 1]]}"}));
    assert_followed(PARALLELOGRAM, OVERRIDES({"joints.A.drive", "{signal: {polynomial: [0, 6]}}"}, {"integrator.t_end", "0"}));
}

/* Two drives that agree but for four digits, a stroke that is a little long: loops open by 1e-5 are no reason to refuse, but are
 * told. */
static void small_gaps_are_doubts(void **state) {
    (void)state;
    const sarrus_override *overrides = OVERRIDES({"joints.A.drive", "{signal: {sine: {amplitude: 0.5, frequency: 1}}}"},
                                                 {"joints.D.drive", "{signal: {sine: {amplitude: 0.50002, frequency: 1}}}"});
    assert_null(refusal(PARALLELOGRAM, overrides));
    mechanism m = mechanism_open_text(PARALLELOGRAM, overrides);
    const sarrus_plan_doubt *doubt = &m.plan->start.doubt;
    assert_true(doubt->joint >= 0);
    assert_true(doubt->gap > 1e-6 && doubt->gap < 2e-5); /* cranks of 1 m that are to differ by 2e-5 rad */
    mechanism_close(&m);
    overrides = OVERRIDES({"joints.G.drive", "{signal: {sine: {amplitude: \"=1.0001*(1.3-sqrt(0.91))\", frequency: 0.25}}}"});
    assert_null(refusal(SLIDER_CRANK, overrides));
    m = mechanism_open_text(SLIDER_CRANK, overrides);
    assert_true(m.plan->start.doubt.joint == 3 && m.plan->start.doubt.gap < 3.5e-5); /* what the stroke is too long by */
    mechanism_close(&m);
}

static double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Four-bar of hinges of which one lies out of the plane of the others by a tenth of a millimetre: Newton's method runs anywhere.
 * What is told is the least that the loop can be open, some half of that, since all joints give way: 4.2e-5 by a search of its own
 * over the poses of all three bodies, of lengths and angles alike. */
static void what_cannot_be_assembled_is_told_where_it_is_least_open(void **state) {
    (void)state;
    static const char four_bar[] =
        "sarrus: 1\nspace: spatial\nbodies:\n"
        "  - {name: a, mass: 1, inertia: [0.1, 0.1, 0.1], position: [0.3, 0.3, 0]}\n"
        "  - {name: c, mass: 1, inertia: [0.1, 0.1, 0.1], position: [1, 0.6, 0]}\n"
        "  - {name: b, mass: 1, inertia: [0.1, 0.1, 0.1], position: [1.3, 0.3, 0]}\n"
        "joints:\n"
        "  - {name: A, type: revolute, bodies: [ground, a], at: [0, 0, 0], axis: [0, 0, 1]}\n"
        "  - {name: B, type: revolute, bodies: [a, c], at: [0.6, 0.6, 0], axis: [0, 0, 1]}\n"
        "  - {name: C, type: revolute, bodies: [c, b], at: [1.6, 0.6, 0], axis: [0, 0, 1]}\n"
        "  - {name: D, type: revolute, bodies: [ground, b], points: [[1, 0, 1.0e-4], [-0.3, -0.3, 0]], axis: [0, 0, 1]}\n" TAIL;
    char *said = refusal(four_bar, NULL);
    assert_non_null(said);
    const char *all = strstr(said, "all constraints by ");
    assert_non_null(all);
    const double open = strtod(all + strlen("all constraints by "), NULL);
    if (!(open > 4e-5 && open < 1e-4))
        fail_msg("%s", said);
    free(said);
}

/* A drive at rest and none at all give configurations that are looked at alike; the work on drives is bounded in long runs. */
static void looking_is_bounded(void **state) {
    (void)state;
    const double before = seconds();
    assert_followed(SLIDER_CRANK, OVERRIDES({"joints.A.drive", "{signal: {sine: {amplitude: 1, frequency: 1000}}}"},
                                            {"integrator.t_end", "1e6"}, {"integrator.dt", "1"}));
    const double taken = seconds() - before;
    print_message("a billion swings: planned twice in %.2f s\n", taken);
    assert_true(taken < 20.0); /* some tenths of a second each; sanitizers and a busy machine take more */
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(contradictory_drives_are_refused),
        cmocka_unit_test(large_mechanisms_are_looked_at_too),
        cmocka_unit_test(a_reach_that_ends_is_refused),
        cmocka_unit_test(steps_do_not_leave_their_branch),
        cmocka_unit_test(what_other_joints_hold_is_refused),
        cmocka_unit_test(a_locked_mechanism_that_is_to_move_is_refused),
        cmocka_unit_test(rounding_is_told_as_a_length),
        cmocka_unit_test(what_can_be_followed_is_not_refused),
        cmocka_unit_test(small_gaps_are_doubts),
        cmocka_unit_test(what_cannot_be_assembled_is_told_where_it_is_least_open),
        cmocka_unit_test(looking_is_bounded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
