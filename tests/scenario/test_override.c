/* --set PATH=VALUE. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "scenario/scenario_fixture.h"

static struct reading read_with(const char *path, const char *value) {
    const sarrus_override override = {path, value};
    return read_bytes(SCENARIO, strlen(SCENARIO), &override, 1);
}

static void check_value(const char *path, const char *value, const char *value_path, double expected) {
    struct reading reading = read_with(path, value);
    print_diagnostics(&reading);
    assert_int_equal(reading.status, SARRUS_OK);
    assert_true(nominal_at(reading.model, value_path) == expected);
    reading_end(&reading);
}

static void overrides_reach_every_depth(void **state) {
    (void)state;
    check_value("bodies.a.mass", "3.5", "bodies.a.mass", 3.5);
    check_value("bodies.1.mass", "3.5", "bodies.b.mass", 3.5); /* by index */
    check_value("bodies.b.position.1", "-2", "bodies.b.position.1", -2);
    check_value("joints.j.at", "[7, 8]", "joints.j.at.1", 8);                    /* a whole list */
    check_value("joints.j.stiffness", "9", "joints.j.stiffness", 9);             /* a key that was not there */
    check_value("dynamics.baumgarte.alpha", "5", "dynamics.baumgarte.alpha", 5); /* nor its parents */
    check_value("parameters", "{L: 2}", "L", 2);
    check_value("bodies.a.mass", "\"=2*3\"", "bodies.a.mass", 6);
    check_value("bodies.a.mass", "=2*3", "bodies.a.mass", 6);
    check_value("bodies.a", "{name: a, mass: 4, inertia: 1, position: [0, 0]}", "bodies.a.mass", 4);
}

static void settings_and_order(void **state) {
    (void)state;
    const sarrus_override overrides[] = {{"batch.instances", "10"}, {"batch.seed", "7"}, {"batch.instances", "20"}};
    struct reading reading = read_bytes(SCENARIO, strlen(SCENARIO), overrides, 3);
    assert_int_equal(reading.status, SARRUS_OK);
    assert_int_equal(sarrus_model_n_instances(reading.model), 20); /* the last one wins */
    assert_int_equal(sarrus_model_seed(reading.model), 7);
    assert_non_null(strstr(sarrus_model_resolved(reading.model), "instances: 20\n"));
    assert_non_null(strstr(sarrus_model_resolved(reading.model), "seed: 7\n"));
    reading_end(&reading);
}

/* null takes a key away, for another in its place or for its default. */
static void keys_are_taken_away(void **state) {
    (void)state;
    const sarrus_override overrides[] = {{"output", "{every: 5}"},
                                         {"output.every", "null"},
                                         {"output.interval", "0.5"},
                                         {"batch", "{instances: 3, seed: 7}"},
                                         {"batch.seed", "~"}};
    struct reading reading = read_bytes(SCENARIO, strlen(SCENARIO), overrides, 5);
    print_diagnostics(&reading);
    assert_int_equal(reading.status, SARRUS_OK);
    assert_int_equal(sarrus_model_n_instances(reading.model), 3);
    assert_int_equal(sarrus_model_seed(reading.model), 0);
    assert_null(strstr(sarrus_model_resolved(reading.model), "every"));
    reading_end(&reading);
}

/* One override, its first finding. */
static void check_refused(const char *path, const char *value, int column, const char *part) {
    struct reading reading = read_with(path, value);
    const sarrus_diagnostic *found = diagnostic_of(&reading, 0);
    char shown[300];
    (void)snprintf(shown, sizeof shown, "%s=%s", path, value);
    assert_int_equal(reading.status, SARRUS_BAD_INPUT);
    assert_non_null(found);
    if (strstr(found->message, part) == NULL || found->column != column) {
        print_diagnostics(&reading);
        fail_msg("%s: expected column %d: %s", shown, column, part);
    }
    assert_string_equal(found->file, "--set");
    assert_int_equal(found->line, 1);
    assert_string_equal(found->source_line, shown);
    reading_end(&reading);
}

static void mistakes_name_the_override(void **state) {
    (void)state;
    check_refused("bodies.aa.mass", "1", 8, "no item is called 'aa' in the path 'bodies.aa.mass'; did you mean 'bodies.a.mass'?");
    check_refused("bodies.a.mas", "1", 10, "unknown key 'mas' in a body; did you mean 'mass'?");
    check_refused("bodie.a.mass", "1", 1, "unknown key 'bodie' in the scenario; did you mean 'bodies'?");
    check_refused("dynamics.pinvv", "svd", 10, "unknown key 'pinvv' in dynamics; did you mean 'pinv'?");
    check_refused("bodies.a.mass", "-1", 15, "'bodies.a.mass' is -1; expected a number >= 0");
    check_refused("bodies.a.mass", "heavy", 15, "'heavy' is not a number");
    check_refused("bodies.a.mass", "", 15, "there is nothing here");
    check_refused("bodies.a.mass", "[1", 17, "not YAML");
    check_refused("bodies.a.mass", "%x", 15, "the value begins with '%'");
    check_refused("bodies.a.mass", "*x", 15, "an alias");
    check_refused("bodies.a.mass", "\"=2*Q\"", 19, "unknown name 'Q'");
    check_refused("bodies.a.mass.x", "1", 15, "'bodies.a.mass' is a word or number and has no 'x'");
    check_refused("bodies.a.position.2", "1", 19, "no item '2' in the path 'bodies.a.position.2'; expected an index from 0 to 1");
    check_refused("gravity.1", "-1.6", 9,
                  "the file has no list 'gravity' to change an entry of; expected the whole list, as gravity=[...]");
    check_refused("bodies.b.velocity.0", "1", 19, "the file has no list 'bodies.b.velocity' to change an entry of");
    check_refused("output.evry", "null", 8, "unknown key 'evry' in output; did you mean 'every'?");
    check_refused("bodies.a", "null", 1, "'bodies.a' stands in a list, of which nothing is taken away");
    check_refused("", "1", 1, "'' is not a path");
    check_refused("bodies..mass", "1", 8, "'bodies..mass' is not a path");
    check_refused("bodies.a.", "1", 10, "'bodies.a.' is not a path");
}

static void one_bad_override_does_not_hide_the_next(void **state) {
    (void)state;
    const sarrus_override overrides[] = {{"bodies.x.mass", "1"}, {"bodies.a.mass", "-1"}, {"bodies.b.mass", "-2"}};
    struct reading reading = read_bytes(SCENARIO, strlen(SCENARIO), overrides, 3);
    assert_int_equal(sarrus_context_n_diagnostics(reading.context), 3);
    assert_string_equal(diagnostic_of(&reading, 2)->source_line, "bodies.b.mass=-2");
    reading_end(&reading);
}

static void depth_is_bounded_across_overrides(void **state) {
    (void)state;
    char value[100] = "";
    char path[200] = "name";
    for (int i = 0; i < 20; ++i) {
        strcat(path, ".x");
        strcat(value, "[");
    }
    for (int i = 0; i < 20; ++i) {
        strcat(value, "]");
    }
    const sarrus_override override = {path, value};
    struct reading reading = read_bytes(SCENARIO, strlen(SCENARIO), &override, 1);
    assert_int_equal(reading.status, SARRUS_BAD_INPUT);
    const sarrus_diagnostic *found = diagnostic_of(&reading, sarrus_context_n_diagnostics(reading.context) - 1);
    assert_non_null(strstr(found->message, "nested too deep"));
    assert_int_equal(found->column, strlen(path) + 2);
    reading_end(&reading);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(overrides_reach_every_depth),       cmocka_unit_test(settings_and_order),
        cmocka_unit_test(mistakes_name_the_override),        cmocka_unit_test(one_bad_override_does_not_hide_the_next),
        cmocka_unit_test(depth_is_bounded_across_overrides), cmocka_unit_test(keys_are_taken_away),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
