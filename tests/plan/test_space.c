/* Claims: plans of mechanisms in space have the rank, the freedom and the redundant rows that is known of them; their drives are
 * followed through many turns, and refused where no motion follows; coordinates have their names, and the card says that it is
 * space; what is not counted is left out; what the backends cannot do they refuse in words. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "plan/plan.h"
#include "sarrus/sarrus.h"

#define HEAD "sarrus: 1\nname: a test\nspace: spatial\ngravity: [0, 0, -9.81]\nintegrator: {method: rk4, dt: 1.0e-3, t_end: 3}\n"
#define BODY(name, x, y, z) "  - {name: " name ", mass: 1, inertia: [0.1, 0.2, 0.25], position: [" x ", " y ", " z "]}\n"
#define HINGE(name, bodies, at, axis) "  - {name: " name ", type: revolute, bodies: [" bodies "], at: [" at "], axis: [" axis "]}\n"

/* Two folding chains whose axes cross carry a platform straight up and down (Sarrus, 1853). */
static const char sarrus_linkage[] = HEAD "bodies:\n" BODY("low_a", "1.25", "0", "0.25") BODY("high_a", "1.25", "0", "0.75")
    BODY("low_b", "0", "1.25", "0.25") BODY("high_b", "0", "1.25", "0.75")
        BODY("platform", "0.5", "0.5", "1") "joints:\n" HINGE("A1", "ground, low_a", "1, 0, 0", "0, 1, 0")
            HINGE("A2", "low_a, high_a", "1.5, 0, 0.5", "0, 1, 0") HINGE("A3", "high_a, platform", "1, 0, 1", "0, 1, 0")
                HINGE("B1", "ground, low_b", "0, 1, 0", "1, 0, 0") HINGE("B2", "low_b, high_b", "0, 1.5, 0.5", "1, 0, 0")
                    HINGE("B3", "high_b, platform", "0, 1, 1", "1, 0, 0");

/* A four-bar linkage of the plane x-z: three of its twenty rows hold what others hold already. The keys behind the cranks' joints
 * make drives and springs. */
#define FOUR_BAR(crank_drive, rocker_drive)                                                                                        \
    HEAD "bodies:\n" BODY("crank", "0", "0", "0.15") BODY("coupler", "0.5", "0", "0.5")                                            \
        BODY("rocker", "1", "0",                                                                                                   \
             "0.35") "joints:\n"                                                                                                   \
                     "  - {name: A, type: revolute, bodies: [ground, crank], at: [0, 0, 0], axis: [0, 1, 0]" crank_drive "}\n"     \
                     "  - {name: D, type: revolute, bodies: [ground, rocker], at: [1, 0, 0], axis: [0, 1, 0]" rocker_drive         \
                     "}\n" HINGE("B", "crank, coupler", "0, 0, 0.3", "0, 1, 0")                                                    \
                         HINGE("C", "coupler, rocker", "1, 0, 0.7", "0, 1, 0")

typedef struct opened {
    sarrus_context *context;
    sarrus_model *model;
    sarrus_plan *plan;
    sarrus_status status;
} opened;

static opened open_text(const char *text) {
    opened o = {0};
    assert_int_equal(sarrus_context_create(&o.context), SARRUS_OK);
    if (sarrus_scenario_read_text(o.context, "test", text, strlen(text), NULL, 0, &o.model) != SARRUS_OK)
        fail_msg("not read: %s", sarrus_context_diagnostic(o.context, 0)->message);
    o.status = sarrus_plan_create(o.context, o.model, &o.plan);
    return o;
}

static void opened_close(opened *o) {
    sarrus_plan_destroy(o->plan);
    sarrus_model_destroy(o->model);
    sarrus_context_destroy(o->context);
}

static opened open_good(const char *text) {
    opened o = open_text(text);
    if (o.status != SARRUS_OK)
        fail_msg("no plan: %s", sarrus_context_diagnostic(o.context, 0)->message);
    return o;
}

static void assert_refused(const char *text, const char *words) {
    opened o = open_text(text);
    assert_int_equal(o.status, SARRUS_BAD_INPUT);
    const char *said = sarrus_context_diagnostic(o.context, 0)->message;
    if (!strstr(said, words))
        fail_msg("no '%s' in '%s'", words, said);
    opened_close(&o);
}

static void assert_sizes(const char *text, int n, int m, int rank) {
    opened o = open_good(text);
    sarrus_plan_sizes sizes;
    sarrus_plan_sizes_get(o.plan, &sizes);
    assert_int_equal(sizes.n, n);
    assert_int_equal(sizes.n_coordinates, n / 6 * 7);
    assert_int_equal(sizes.m, m);
    assert_int_equal(sizes.rank, rank);
    opened_close(&o);
}

static void ranks_are_those_that_are_known(void **state) {
    (void)state;
    assert_sizes(sarrus_linkage, 30, 30, 29);
    assert_sizes(FOUR_BAR("", ""), 18, 20, 17);
    assert_sizes(FOUR_BAR(", drive: {signal: {ramp: {slope: 1}}}", ""), 18, 21, 18);
    assert_sizes(HEAD "bodies:\n" BODY("a", "0", "0", "0") "joints: []\n", 6, 0, 0);
}

/* A crank of 0.3 turns round in a four-bar linkage of 1, 0.7 and 1.08: 0.3 + 1.08 < 1 + 0.7 (Grashof). */
static void drives_are_followed_through_many_turns(void **state) {
    (void)state;
    opened o = open_good(FOUR_BAR(", drive: {signal: {ramp: {slope: 20}}}", ""));
    assert_int_equal(o.plan->start.doubt.joint, -1);
    opened_close(&o);
}

static void drives_that_nothing_follows_are_refused(void **state) {
    (void)state;
    assert_refused(FOUR_BAR(", drive: {signal: {ramp: {slope: 1}}}", ", drive: {signal: {ramp: {slope: 1}}}"), "contradict");
    assert_refused(FOUR_BAR("", ", drive: {signal: {ramp: {slope: 4}}}"), "reach");
}

static void a_velocity_that_nothing_allows_is_refused(void **state) {
    (void)state;
    assert_refused(HEAD "bodies:\n  - {name: a, mass: 1, inertia: [1, 1, 1], position: [0, 0, 0], angular_velocity: [0, 2, 0]}\n"
                        "joints:\n  - {name: J, type: fixed, bodies: [ground, a], at: [0, 0, 0]}\n",
                   "(0, 0, 0) m/s and (0, 2, 0) rad/s");
}

/* A rod between two points that are one at t = 0 has no direction: it is shown where it stands, in the plane too. */
static void rods_without_a_length_are_refused(void **state) {
    (void)state;
    static const char *const texts[] = {
        HEAD "bodies:\n" BODY("a", "1", "0", "0") BODY("b", "1", "2", "0") "joints:\n" HINGE(
            "A", "ground, a", "0, 0, 0",
            "0, 1, 0") "  - {name: rod, type: distance, bodies: [a, b], points: [[0, 2, 0], [0, 0, 0]]}\n",
        "sarrus: 1\nname: a test\nspace: planar\ngravity: [0, -9.81]\nintegrator: {method: rk4, dt: 1.0e-3, t_end: 3}\nbodies:\n"
        "  - {name: a, mass: 1, inertia: 0.1, position: [1, 0]}\n  - {name: b, mass: 1, inertia: 0.1, position: [1, 2]}\njoints:\n"
        "  - {name: A, type: revolute, bodies: [ground, a], at: [0, 0]}\n"
        "  - {name: rod, type: distance, bodies: [a, b], at: [[1, 2], [1, 2]]}\n",
    };
    for (int k = 0; k < 2; ++k) {
        assert_refused(texts[k], "joint 'rod' has the length 0: its two points are one at t = 0; expected points that are apart");
        opened o = open_text(texts[k]);
        const sarrus_diagnostic *said = sarrus_context_diagnostic(o.context, 0);
        assert_string_equal(said->file, "test");
        assert_int_equal(said->line, 11);
        assert_int_equal(said->column, 5);
        opened_close(&o);
    }
}

static void coordinates_have_their_names(void **state) {
    (void)state;
    static const char *const coordinates[7] = {"crank.x", "crank.y", "crank.z", "crank.qw", "crank.qx", "crank.qy", "crank.qz"};
    static const char *const speeds[6] = {"crank.vx", "crank.vy", "crank.vz", "crank.wx", "crank.wy", "crank.wz"};
    opened o = open_good(FOUR_BAR("", ""));
    for (int k = 0; k < 7; ++k)
        assert_string_equal(sarrus_plan_coordinate_name(o.plan, k), coordinates[k]);
    for (int k = 0; k < 6; ++k)
        assert_string_equal(sarrus_plan_speed_name(o.plan, k), speeds[k]);
    assert_string_equal(sarrus_plan_coordinate_name(o.plan, 20), "rocker.qz");
    assert_null(sarrus_plan_coordinate_name(o.plan, 21));
    assert_null(sarrus_plan_speed_name(o.plan, 18));
    opened_close(&o);
}

static void the_card_says_that_it_is_space(void **state) {
    (void)state;
    opened o = open_good(FOUR_BAR(", drive: {signal: {ramp: {slope: 1}}}", ", stiffness: 3"));
    const char *card = sarrus_plan_report(o.plan);
    static const char *const words[] = {"ground; spatial\n",          "speeds n                18; 21 coordinates",
                                        "driven coordinates 1",       "driven angle about axis 3",
                                        "elastic angle about axis 3", "joint C, axes 3-2"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; ++i) {
        if (!strstr(card, words[i]))
            fail_msg("the card does not say '%s':\n%s", words[i], card);
    }
    assert_null(strstr(card, "nan"));
    assert_null(strstr(card, "one step"));
    assert_true(isnan(o.plan->cost.flops_per_step) && o.plan->cost.bytes_per_instance > 0);
    opened_close(&o);
}

/* A bushing and a free joint hold nothing: what they close is no loop. A free joint says where a body hangs all the same. */
static void joints_that_hold_nothing_close_no_loop(void **state) {
    (void)state;
    opened o = open_good(HEAD "bodies:\n  - {name: a, mass: 1, inertia: [1, 1, 1], position: [1, 0, 0]}\n"
                              "  - {name: b, mass: 1, inertia: [1, 1, 1], position: [2, 0, 0]}\n"
                              "joints:\n  - {name: A, type: revolute, bodies: [ground, a], at: [0, 0, 0], axis: [0, 0, 1]}\n"
                              "  - {name: B, type: bushing, bodies: [a, ground], at: [2, 0, 0], stiffness: [1, 1, 1, 1, 1, 1]}\n"
                              "  - {name: C, type: free, bodies: [a, b], at: [1, 0, 0]}\n");
    assert_int_equal(o.plan->graph.n_cuts, 0);
    assert_int_equal(o.plan->parts.n_loops, 0);
    assert_int_equal(o.plan->parts.n_floating, 1);
    assert_non_null(strstr(sarrus_plan_report(o.plan), "2 b by C (free)"));
    opened_close(&o);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ranks_are_those_that_are_known),          cmocka_unit_test(drives_are_followed_through_many_turns),
        cmocka_unit_test(drives_that_nothing_follows_are_refused), cmocka_unit_test(a_velocity_that_nothing_allows_is_refused),
        cmocka_unit_test(rods_without_a_length_are_refused),       cmocka_unit_test(coordinates_have_their_names),
        cmocka_unit_test(the_card_says_that_it_is_space),          cmocka_unit_test(joints_that_hold_nothing_close_no_loop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
