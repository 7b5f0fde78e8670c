/* Claims: the warnings that follow from the numbers of a scenario alone know those of space. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "sarrus/warning.h"
#include "study/warning_list.h"
#include "tests/scenario/scenario_fixture.h"

static const char text[] =
    "sarrus: 1\nspace: spatial\nintegrator: {t_end: 1}\n"
    "bodies:\n"
    "  - {name: a, mass: 1, inertia: [1, 1, 1], position: [90, 90, 90], orientation: {euler: [90, 0, 0]}}\n"
    "  - {name: b, mass: 1, inertia: [1, 1, 1], position: [0, 0, 0], orientation: {axis: [90, 0, 0], angle: 91}}\n"
    "  - {name: c, mass: 1, inertia: [1, 1, 1], position: [0, 0, 0], orientation: [90, 0, 0, 0]}\n"
    "joints:\n"
    "  - {name: sleeve, type: cylindrical, bodies: [a, b], at: [0, 0, 0], axis: [0, 0, 90], rest: [92, 93],\n"
    "     drive: [{signal: 94}, {signal: {sine: {amplitude: 1, frequency: 90, offset: 95}}}]}\n"
    "  - {name: loose, type: free, bodies: [a, c], at: [0, 0, 0], frame: {bryant: [0, 0, 96]}}\n"
    "batch:\n  parameters:\n"
    "    - {path: bodies.a.inertia.2, distribution: normal, mean: 1, sd: 1}\n"
    "    - {path: bodies.a.inertia.3, distribution: normal, mean: 0, sd: 0.1}\n" /* may be negative */
    "    - {path: joints.loose.damping.3, distribution: normal, mean: 1, sd: 1}\n";

static void check_names(const sarrus_warnings *warnings, sarrus_warning_kind kind, const char *const *names, int n) {
    assert_int_equal(sarrus_warnings_count(warnings), n);
    for (int i = 0; i < n; ++i) {
        sarrus_warning w;
        sarrus_warnings_get(warnings, i, &w);
        assert_int_equal(w.kind, kind);
        assert_string_equal(w.name, names[i]);
    }
}

static void angles_that_look_like_degrees(void **state) {
    (void)state;
    struct reading reading = read_text(text);
    print_diagnostics(&reading);
    sarrus_warnings *warnings = calloc(1, sizeof *warnings);
    assert_non_null(warnings);
    sarrus_warn_of_angles(warnings, reading.model);
    /* Neither lengths, axes, Euler parameters nor the rest and the drive of the displacement; after four the rest is counted. */
    static const char *const names[] = {"bodies.a.orientation.euler.0", "bodies.b.orientation.angle", "joints.sleeve.rest.1",
                                        "joints.loose.frame.bryant.2", ""};
    check_names(warnings, SARRUS_WARNING_LARGE_ANGLE, names, 5);
    sarrus_warning last;
    sarrus_warnings_get(warnings, 4, &last);
    assert_non_null(strstr(last.text, "and 1 more")); /* what the driven angle swings about */
    sarrus_warnings_destroy(warnings);
    reading_end(&reading);
}

static void draws_without_a_meaning(void **state) {
    (void)state;
    struct reading reading = read_text(text);
    sarrus_warnings *warnings = calloc(1, sizeof *warnings);
    assert_non_null(warnings);
    sarrus_warn_of_draws(warnings, reading.model, 1000);
    static const char *const names[] = {"bodies.a.inertia.2", "joints.loose.damping.3"};
    check_names(warnings, SARRUS_WARNING_UNPHYSICAL_DRAWS, names, 2);
    sarrus_warnings_destroy(warnings);
    reading_end(&reading);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(angles_that_look_like_degrees), cmocka_unit_test(draws_without_a_meaning)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
