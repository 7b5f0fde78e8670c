/* Claims: the warnings that follow from the numbers of a scenario alone know those of space. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "sarrus/warning.h"
#include "study/warning_list.h"
#include "tests/scenario/scenario_fixture.h"
#include "tests/support/mechanism.h"

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
    "    - {path: bodies.a.inertia.2, distribution: normal, mean: 1.5, sd: 1}\n"
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
    /* Izz above 2, 31 %; damping below 0, 16 %; Izz below 0, 7 %. */
    static const char *const names[] = {"bodies.a.inertia", "joints.loose.damping.3", "bodies.a.inertia.2"};
    check_names(warnings, SARRUS_WARNING_UNPHYSICAL_DRAWS, names, 3);
    sarrus_warnings_destroy(warnings);
    reading_end(&reading);
}

/* A tensor [1, 1, 1] of which something is drawn, and the share of the draws that no body has. */
static const struct {
    const char *draws;
    double share;
} tensors[] = {
    {"{path: bodies.a.inertia.2, distribution: uniform, low: 1.6, high: 2.6}", 0.6}, /* above 1 + 1 */
    {"{path: bodies.a.inertia.2, distribution: uniform, low: 1.6, high: 1.99}", 0.0},
    {"{path: bodies.a.inertia.3, distribution: uniform, low: -1, high: 1}", 0.5}, /* principal moments 1 + x, 1 - x, 1 */
    {"{name: m, distribution: uniform, low: 2.5, high: 4.5}", 0.5},               /* [1, 0.5, m - 2] of b, from 0.5 to 1.5 */
    {"{path: bodies.a.mass, distribution: uniform, low: 1, high: 2}", 0.0},
};

/* Counted in 4096 trials, and what is told of the draws is what becomes of the instances. */
static void tensors_of_no_body(void **state) {
    (void)state;
    enum { N = 1000 };
    for (size_t k = 0; k < sizeof tensors / sizeof tensors[0]; ++k) {
        char scenario[1024];
        (void)snprintf(scenario, sizeof scenario,
                       "sarrus: 1\nspace: spatial\nparameters: {m: 3}\nintegrator: {t_end: 1}\njoints: []\nbodies:\n"
                       "  - {name: a, mass: 1, inertia: [1, 1, 1], position: [0, 0, 0]}\n"
                       "  - {name: b, mass: 1, inertia: [1, 0.5, '=m - 2'], position: [0, 0, 1]}\n"
                       "batch: {instances: 1000, parameters: [%s]}\n",
                       tensors[k].draws);
        mechanism m = mechanism_open_text(scenario, NULL);
        sarrus_warnings *warnings = calloc(1, sizeof *warnings);
        assert_non_null(warnings);
        sarrus_warn_of_draws(warnings, m.model, N);
        const double share = tensors[k].share, sd = sqrt(share * (1.0 - share));
        assert_int_equal(sarrus_warnings_count(warnings), share > 0.0);
        if (share > 0.0) {
            sarrus_warning w;
            sarrus_warnings_get(warnings, 0, &w);
            assert_string_equal(w.name, k == 3 ? "bodies.b.inertia" : "bodies.a.inertia");
            assert_non_null(strstr(w.text, " % of the draws are an inertia that no body has (about "));
            assert_non_null(strstr(w.text, "; such instances end as invalid_parameter"));
            assert_true(fabs(w.values[0] - share) < 5.0 * sd / 64.0 && w.values[1] == N * w.values[0]);
        }
        sarrus_draws *draws = NULL;
        assert_int_equal(sarrus_draws_create(m.context, m.model, 5, N, &draws), SARRUS_OK);
        sarrus_batch *batch = mechanism_batch(&m, NULL, 1, N, draws);
        int n_invalid = 0;
        for (uint64_t i = 0; i < N; ++i)
            n_invalid += sarrus_batch_status(batch, i) == SARRUS_INSTANCE_INVALID_PARAMETER;
        assert_true(fabs(n_invalid - N * share) <= 5.0 * sd * sqrt(N)); /* five sd of a binomial number */
        sarrus_batch_destroy(batch);
        sarrus_draws_destroy(draws);
        sarrus_warnings_destroy(warnings);
        mechanism_close(&m);
    }
}

/* A crank, a coupler in two balls and a rocker, whose coupler spins idly. A crank of 0.2 m cannot be followed beyond 0.851 rad, the
 * first root of the discriminant of its equation in the rocker's angle; a crank of 0.1 m goes all around. */
static void idle_freedoms_do_not_hide_the_end_of_a_reach(void **state) {
    (void)state;
    static const char rssr[] =
        "sarrus: 1\nspace: spatial\n"
        "parameters: {r: 0.2, l: 0.4, s: 0.25, dx: 0.15, dy: 0.3, k: '=(l^2-s^2-(dx-r)^2-dy^2)/(2*s)', phi: '=acos(k/dy)'}\n"
        "bodies:\n"
        "  - {name: crank, mass: 0.5, inertia: [1e-5, 2e-3, 2e-3], position: ['=r/2', 0, 0]}\n"
        "  - {name: coupler, mass: 0.4, inertia: [1e-5, 5e-3, 5e-3],\n"
        "     position: ['=(r+dx)/2', '=(dy+s*cos(phi))/2', '=s*sin(phi)/2']}\n"
        "  - {name: rocker, mass: 0.6, inertia: [3e-3, 1e-5, 3e-3],\n"
        "     position: ['=dx', '=dy+s*cos(phi)/2', '=s*sin(phi)/2']}\n"
        "joints:\n"
        "  - {name: O, type: revolute, bodies: [ground, crank], at: [0, 0, 0], axis: [0, 0, 1],\n"
        "     drive: {signal: {polynomial: [0, 0, 4]}}}\n"
        "  - {name: A, type: spherical, bodies: [crank, coupler], at: ['=r', 0, 0]}\n"
        "  - {name: B, type: spherical, bodies: [coupler, rocker], at: ['=dx', '=dy+s*cos(phi)', '=s*sin(phi)']}\n"
        "  - {name: D, type: revolute, bodies: [ground, rocker], at: ['=dx', '=dy', 0], axis: [1, 0, 0]}\n"
        "integrator: {t_end: 1.5}\n";
    for (int k = 0; k < 2; ++k) {
        const sarrus_override shorter[] = {{"parameters.r", k ? "0.1" : "0.2"}, {NULL, NULL}};
        mechanism m = mechanism_open_text(rssr, shorter);
        sarrus_warnings *warnings = NULL;
        int n_doubts = 0;
        assert_int_equal(sarrus_warnings_create(m.context, m.plan, 1, &warnings), SARRUS_OK);
        for (int i = 0; i < sarrus_warnings_count(warnings); ++i) {
            sarrus_warning w;
            sarrus_warnings_get(warnings, i, &w);
            if (w.kind != SARRUS_WARNING_DOUBTFUL_DRIVE)
                continue;
            ++n_doubts;
            assert_string_equal(w.name, "O");
            assert_true(fabs(w.values[0] - sqrt(0.851 / 4.0)) < 2e-3);
        }
        assert_int_equal(n_doubts, 1 - k);
        sarrus_warnings_destroy(warnings);
        mechanism_close(&m);
    }
}

/* Four parallel revolutes have three rows too many. An axis that is drawn by itself makes one of them hold, and nothing moves; a
 * length fits whatever it is, and so does a pin that is drawn along its axis. */
static void draws_that_lock(void **state) {
    (void)state;
    static const char four_bar[] = "sarrus: 1\nspace: spatial\nintegrator: {dt: 1.0e-3, t_end: 1}\nparameters: {e: 0}\nbodies:\n"
                                   "  - {name: crank, mass: 1, inertia: [0.001, 0.003, 0.003], position: [0, 0.1, 0]}\n"
                                   "  - {name: link, mass: 1, inertia: [0.001, 0.03, 0.03], position: [0.25, 0.25, 0]}\n"
                                   "  - {name: rock, mass: 1, inertia: [0.003, 0.001, 0.003], position: [0.5, 0.15, 0]}\njoints:\n"
                                   "  - {name: A, type: revolute, bodies: [ground, crank], at: [0, 0, 0], axis: [0, 0, 1]}\n"
                                   "  - {name: B, type: revolute, bodies: [crank, link], at: [0, 0.2, 0], axis: [0, 0, 1]}\n"
                                   "  - {name: C, type: revolute, bodies: [link, rock], at: [0.5, 0.3, 0], axis: [0, 0, 1]}\n"
                                   "  - {name: D, type: revolute, bodies: [ground, rock], at: [0.5, 0, 0], axis: [0, 0, 1]}\n"
                                   "batch: {instances: 8, parameters: [{name: e, distribution: uniform, low: 1e-3, high: 2e-3}]}\n";
    static const struct {
        const char *where, *as;
        bool is_locked;
    } cases[] = {{"joints.A.axis", "[\"=e\", 0, 1]", true},
                 {"joints.A.at", "[\"=e\", 0, 0]", false},
                 {"joints.A.at", "[0, 0, \"=e\"]", false},
                 {"bodies.crank.mass", "\"=1 + e\"", false}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        const sarrus_override overrides[] = {{cases[i].where, cases[i].as}, {NULL, NULL}};
        mechanism m = mechanism_open_text(four_bar, overrides);
        sarrus_warnings *warnings = NULL;
        assert_int_equal(sarrus_warnings_create(m.context, m.plan, 0, &warnings), SARRUS_OK);
        int n_locked = 0;
        for (int k = 0; k < sarrus_warnings_count(warnings); ++k) {
            sarrus_warning w;
            sarrus_warnings_get(warnings, k, &w);
            if (w.kind != SARRUS_WARNING_LOCKED_DRAWS)
                continue;
            ++n_locked;
            assert_true(w.matters == 1 && w.values[0] == 1.0 && w.values[1] == 1.0 && w.values[2] == 0.0);
            assert_non_null(strstr(w.text, "nothing can move"));
        }
        assert_int_equal(n_locked, cases[i].is_locked);
        sarrus_warnings_destroy(warnings);
        mechanism_close(&m);
    }
}

/* Numbers that stand for 0 and are not: the sizes are 1 m, the masses 1 kg. */
static void inertias_that_others_drown(void **state) {
    (void)state;
    static const struct {
        const char *where, *as;
        int n;
    } cases[] = {{"bodies.b.inertia.2", "1.0e-18", 1},
                 {"bodies.b.mass", "1.0e-20", 1},
                 {"bodies.b.inertia.2", "1.0e-9", 0},
                 {"bodies.b.inertia", "[0, 0.1, 0.1]", 0}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        const sarrus_override overrides[] = {{cases[i].where, cases[i].as}, {NULL, NULL}};
        mechanism m = mechanism_open_text("sarrus: 1\nspace: spatial\nintegrator: {dt: 1.0e-3, t_end: 1}\nbodies:\n"
                                          "  - {name: a, mass: 1, inertia: [0.1, 0.1, 0.1], position: [0.5, 0, 0]}\n"
                                          "  - {name: b, mass: 1, inertia: [0.1, 0.1, 0.1], position: [1.5, 0, 0]}\njoints:\n"
                                          "  - {name: A, type: revolute, bodies: [ground, a], at: [0, 0, 0], axis: [0, 0, 1]}\n"
                                          "  - {name: B, type: revolute, bodies: [a, b], at: [1, 0, 0], axis: [0, 1, 0]}\n",
                                          overrides);
        sarrus_warnings *warnings = NULL;
        assert_int_equal(sarrus_warnings_create(m.context, m.plan, 0, &warnings), SARRUS_OK);
        assert_int_equal(sarrus_warnings_count(warnings), cases[i].n);
        for (int k = 0; k < cases[i].n; ++k) {
            sarrus_warning w;
            sarrus_warnings_get(warnings, k, &w);
            assert_true(w.kind == SARRUS_WARNING_TINY_INERTIA && w.values[0] < 1e-17 && w.values[1] < 1e-17);
            assert_string_equal(w.name, "b");
        }
        sarrus_warnings_destroy(warnings);
        mechanism_close(&m);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(angles_that_look_like_degrees),
                                       cmocka_unit_test(draws_without_a_meaning),
                                       cmocka_unit_test(idle_freedoms_do_not_hide_the_end_of_a_reach),
                                       cmocka_unit_test(tensors_of_no_body),
                                       cmocka_unit_test(draws_that_lock),
                                       cmocka_unit_test(inertias_that_others_drown)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
