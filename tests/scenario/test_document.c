/* A document of several scenarios: what each of them gets, and what is wrong with it, told of the file and the line that it is
 * about. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <sys/stat.h>

#include "scenario/scenario_fixture.h"
#include "tests/support/folder.h"

#define MECHANISM                                                                                                                  \
    "sarrus: 1\nname: rod\nspace: planar\nparameters: {T: 2.0}\n"                                                                  \
    "bodies:\n  - {name: rod, mass: 1, inertia: 0.1, position: [0.5, 0]}\n"                                                        \
    "joints: [{name: A, type: revolute, bodies: [ground, rod], at: [0, 0]}]\n"

static int enter(void **state) {
    if (folder_enter(state) != 0 || mkdir("parts", 0700) != 0)
        return -1;
    file_write("parts/a.yaml", MECHANISM "integrator: {dt: 0.1, t_end: 3}\noutput: {every: 7, channels: [work]}\n"
                                         "limits: {energy: 0.5}\nbatch: {instances: 5, seed: 8}\n");
    file_write("parts/b.yaml", MECHANISM "integrator: 17\n"); /* its own is not read */
    file_write("parts/wrong.yaml", MECHANISM "integrator: {dt: 0.1, t_end: 3}\nforce: []\nlimits: 3\n");
    file_write("parts/mixed.yaml", "sarrus: 1\nscenarios: [{file: a.yaml}]\nintegrator: {t_end: 1}\n");
    file_write("parts/word.yaml", "word\n");
    return 0;
}

#define ENTRIES "sarrus: 1\nname: all\nscenarios:\n"
#define COMMON "integrator: {method: rk4, dt: 0.5, t_end: 1}\noutput: {channels: [state]}\n"

static void each_scenario_gets_what_is_common_and_keeps_the_rest(void **state) {
    (void)state;
    struct reading r =
        read_document(ENTRIES "  - {file: parts/a.yaml, instances: 3}\n  - {file: parts/b.yaml, seed: \"=T*2\"}\n"
                              "  - file: parts/a.yaml\n    set: {bodies.rod.mass: 4, \"bodies.0.inertia\": \"=T\"}\n" COMMON,
                      NULL, 0);
    assert_int_equal(r.status, SARRUS_OK);
    assert_int_equal(sarrus_document_is_mixed(r.document), 1);
    assert_int_equal(sarrus_document_n_groups(r.document), 3);
    assert_string_equal(sarrus_document_name(r.document), "all");
    assert_string_equal(sarrus_document_file(r.document, 1), "parts/b.yaml");
    const uint64_t n_instances[] = {3, 1, 5}, seeds[] = {8, 4, 8};
    for (int g = 0; g < 3; ++g) {
        const sarrus_model *model = sarrus_document_model(r.document, g);
        assert_int_equal(sarrus_model_n_instances(model), n_instances[g]);
        assert_int_equal(sarrus_model_seed(model), seeds[g]);
        assert_true(model->integrator.dt == 0.5 && model->integrator.t_end == 1.0);
        assert_int_equal(model->output.every, 1);
        assert_int_equal(model->output.channels, SARRUS_CHANNEL_STATE);
        assert_non_null(strstr(sarrus_model_resolved(model), "dt: 0.5"));
        assert_true(nominal_at(model, "bodies.rod.mass") == (g == 2 ? 4.0 : 1.0));
        assert_true(nominal_at(model, "bodies.rod.inertia") == (g == 2 ? 2.0 : 0.1));
    }
    reading_end(&r);
}

static void without_output_the_defaults_are_common(void **state) {
    (void)state;
    struct reading r = read_document(ENTRIES "  - {file: parts/a.yaml}\nintegrator: {t_end: \"=T\"}\n", NULL, 0);
    assert_int_equal(r.status, SARRUS_OK);
    const sarrus_model *model = sarrus_document_model(r.document, 0);
    assert_int_equal(model->output.every, 1);
    assert_true((model->output.channels & SARRUS_CHANNEL_ENERGY) != 0 && (model->output.channels & SARRUS_CHANNEL_WORK) == 0);
    assert_true(model->integrator.t_end == 2.0);
    reading_end(&r);
}

static void overrides_find_the_document_or_one_of_its_scenarios(void **state) {
    (void)state;
    const sarrus_override overrides[] = {{"integrator.dt", "0.25"},
                                         {"1.bodies.rod.mass", "7"},
                                         {"scenarios.0.instances", "9"},
                                         {"1.batch.seed", "6"},
                                         {"name", "other"}};
    struct reading r = read_document(ENTRIES "  - {file: parts/a.yaml}\n  - {file: parts/b.yaml}\n" COMMON, overrides, 5);
    assert_int_equal(r.status, SARRUS_OK);
    const sarrus_model *a = sarrus_document_model(r.document, 0), *b = sarrus_document_model(r.document, 1);
    assert_true(a->integrator.dt == 0.25 && b->integrator.dt == 0.25);
    assert_true(nominal_at(a, "bodies.rod.mass") == 1.0 && nominal_at(b, "bodies.rod.mass") == 7.0);
    assert_int_equal(sarrus_model_n_instances(a), 9);
    assert_int_equal(sarrus_model_seed(b), 6);
    assert_string_equal(sarrus_document_name(r.document), "other");
    assert_non_null(strstr(sarrus_document_resolved(r.document), "dt: 0.25"));
    reading_end(&r);
}

/* Read again without the overrides, what the document says of itself gives the same scenarios. */
static void a_document_says_what_was_run(void **state) {
    (void)state;
    const sarrus_override overrides[] = {{"1.bodies.rod.mass", "7"},  {"1.batch.seed", "6"},
                                         {"0.batch.instances", "11"}, {"0.bodies.0.inertia", "=T"},
                                         {"0.bodies.rod.mass", "8"},  {"2.batch", "{instances: 4, seed: 3}"},
                                         {"0.bodies.rod.mass", "9"}};
    struct reading r = read_document(ENTRIES "  - {file: parts/a.yaml, set: {bodies.rod.mass: 2}}\n  - {file: parts/b.yaml}\n"
                                             "  - {file: parts/b.yaml, instances: 6}\n" COMMON,
                                     overrides, sizeof overrides / sizeof overrides[0]);
    assert_int_equal(r.status, SARRUS_OK);
    struct reading again = read_document(sarrus_document_resolved(r.document), NULL, 0);
    assert_int_equal(again.status, SARRUS_OK);
    assert_string_equal(sarrus_document_resolved(again.document), sarrus_document_resolved(r.document));
    const double mass[] = {9.0, 7.0, 1.0};
    const uint64_t n_instances[] = {11, 1, 4}, seeds[] = {8, 6, 3};
    for (int g = 0; g < 3; ++g) {
        const sarrus_model *model = sarrus_document_model(again.document, g);
        assert_true(nominal_at(model, "bodies.rod.mass") == mass[g]);
        assert_int_equal(sarrus_model_n_instances(model), n_instances[g]);
        assert_int_equal(sarrus_model_seed(model), seeds[g]);
        assert_string_equal(sarrus_model_resolved(model), sarrus_model_resolved(sarrus_document_model(r.document, g)));
    }
    reading_end(&again);
    reading_end(&r);
}

static void a_scenario_is_a_document_of_one(void **state) {
    (void)state;
    const sarrus_override mass = {"bodies.rod.mass", "3"};
    struct reading r = read_document("# no scenarios: here\n" MECHANISM "integrator: {t_end: 1}\n", &mass, 1);
    assert_int_equal(r.status, SARRUS_OK);
    assert_int_equal(sarrus_document_is_mixed(r.document), 0);
    assert_int_equal(sarrus_document_n_groups(r.document), 1);
    assert_string_equal(sarrus_document_file(r.document, 0), "./all.yaml");
    assert_string_equal(sarrus_document_name(r.document), "rod");
    assert_ptr_equal(sarrus_document_resolved(r.document), sarrus_model_resolved(sarrus_document_model(r.document, 0)));
    assert_null(sarrus_document_model(r.document, 1));
    reading_end(&r);
}

/* A document that is refused, and the first thing that is said. */
static const struct refused {
    const char *text, *path, *value; /* path: of an override, NULL: none */
    const char *file, *words;
    int line, column;
} refused[] = {
    {ENTRIES "  []\n" COMMON, NULL, NULL, "./all.yaml", "'scenarios' has 0 entries; expected from 1 to 64", 4, 3},
    {ENTRIES "  {file: a}\n" COMMON, NULL, NULL, "./all.yaml", "'scenarios' is a mapping; expected a list of scenarios", 4, 3},
    {ENTRIES "  - 17\n" COMMON, NULL, NULL, "./all.yaml", "expected a mapping with the key 'file'", 4, 5},
    {ENTRIES "  - {instances: 3}\n" COMMON, NULL, NULL, "./all.yaml", "lacks the key 'file'", 4, 5},
    {ENTRIES "  - {file: [a]}\n" COMMON, NULL, NULL, "./all.yaml", "'scenarios.0.file' is a list; expected the name", 4, 12},
    {ENTRIES "  - {file: parts/a.yaml, instance: 3}\n" COMMON, NULL, NULL, "./all.yaml", "did you mean 'instances'?", 4, 26},
    {ENTRIES "  - {file: parts/a.yaml, set: [1]}\n" COMMON, NULL, NULL, "./all.yaml", "expected a mapping of paths", 4, 31},
    {ENTRIES "  - {file: parts/a.yaml, set: {output.every: 1}}\n" COMMON, NULL, NULL, "./all.yaml", "is common to all", 4, 32},
    {ENTRIES "  - {file: parts/a.yaml, set: {bodies.road.mass: 1}}\n" COMMON, NULL, NULL, "./all.yaml",
     "no item is called 'road' in the path 'bodies.road.mass'; did you mean 'bodies.rod.mass'?", 4, 39},
    {ENTRIES "  - {file: parts/a.yaml, set: {bodies.rod.mass: -1}}\n" COMMON, NULL, NULL, "./all.yaml", "bodies.rod.mass", 4, 49},
    {ENTRIES "  - {file: parts/a.yaml, instances: 3, set: {batch.instances: 7}}\n" COMMON, NULL, NULL, "./all.yaml",
     "'batch.instances' in 'set'; expected the key 'instances' beside 'file'", 4, 46},
    {ENTRIES "  - {file: ''}\n" COMMON, NULL, NULL, "./all.yaml", "'scenarios.0.file' is empty; expected the name", 4, 12},
    {ENTRIES "  - {file: parts/a.yaml}\n" COMMON, "0.batch.instances", "0", "--set", "'0.batch.instances' is 0", 1, 19},
    {ENTRIES "  - {file: parts/a.yaml}\n" COMMON, "0.batch", "{seed: -1}", "--set", "'batch.seed' is -1", 1, 16},
    {ENTRIES "  - {file: parts/a.yaml}\n" COMMON, "scenarios.0.seed", "-1", "--set", "'scenarios.0.seed' is -1", 1, 18},
    {ENTRIES "  - {file: parts/none.yaml}\n" COMMON, NULL, NULL, "./all.yaml",
     "cannot read './parts/none.yaml': No such file or directory; expected a scenario file", 4, 12},
    {ENTRIES "  - {file: parts}\n" COMMON, NULL, NULL, "./all.yaml", "cannot read './parts': Is a directory", 4, 12},
    {ENTRIES "  - {file: parts/a.yaml, instances: 0}\n" COMMON, NULL, NULL, "./all.yaml",
     "'scenarios.0.instances' is 0; expected a whole number from 1 to", 4, 37},
    {ENTRIES "  - {file: parts/b.yaml}\n  - {file: parts/b.yaml, seed: -1}\n" COMMON, NULL, NULL, "./all.yaml",
     "'scenarios.1.seed' is -1; expected a whole number from 0 to", 5, 32},
    {ENTRIES "  - {file: parts/a.yaml, seed: \"=1/0\"}\n" COMMON, NULL, NULL, "./all.yaml",
     "expected a finite number for 'scenarios.0.seed'", 4, 32},
    {ENTRIES "  - {file: parts/a.yaml, set: {batch: {instances: 0}}}\n" COMMON, NULL, NULL, "./all.yaml", "'batch.instances' is 0",
     4, 51},
    {ENTRIES "  - {file: parts/mixed.yaml}\n" COMMON, NULL, NULL, "./parts/mixed.yaml", "names several scenarios itself", 2, 1},
    {ENTRIES "  - {file: all.yaml}\n" COMMON, NULL, NULL, "./all.yaml", "cannot read './all.yaml'", 4, 12},
    {ENTRIES "  - {file: parts/wrong.yaml}\n" COMMON, NULL, NULL, "./parts/wrong.yaml", "unknown key 'force'", 9, 1},
    {ENTRIES "  - {file: parts/word.yaml}\n" COMMON, NULL, NULL, "./parts/word.yaml", "expected a mapping", 1, 1},
    {ENTRIES "  - {file: parts/a.yaml}\n", NULL, NULL, "./all.yaml", "the document lacks the key 'integrator'", 1, 1},
    {ENTRIES "  - {file: parts/a.yaml}\nintegrator: {t_end: 1, d: 3}\n", NULL, NULL, "./all.yaml", "unknown key 'd'", 5, 24},
    {ENTRIES "  - {file: parts/a.yaml}\n" COMMON "bodies: []\n", NULL, NULL, "./all.yaml",
     "'bodies' beside 'scenarios'; expected it in the files that these name", 7, 1},
    {ENTRIES "  - {file: parts/a.yaml}\n" COMMON "body: []\n", NULL, NULL, "./all.yaml",
     "unknown key 'body' in the document; expected one of sarrus, name, scenarios, integrator, output", 7, 1},
    {"scenarios: [{file: parts/a.yaml}]\n" COMMON, NULL, NULL, "./all.yaml", "lacks the key 'sarrus'", 1, 1},
    {ENTRIES "  - {file: parts/a.yaml\n" COMMON, NULL, NULL, "./all.yaml", "", 5, 11},
    {ENTRIES "  - {file: parts/a.yaml}\n" COMMON, "1.bodies.rod.mass", "2", "--set",
     "no scenario 1 in the path '1.bodies.rod.mass'; expected a number from 0 to 0", 1, 1},
    {ENTRIES "  - {file: parts/a.yaml}\n" COMMON, "0.integrator.dt", "2", "--set", "expected the path 'integrator.dt'", 1, 3},
    {ENTRIES "  - {file: parts/a.yaml}\n" COMMON, "0.bodies.road.mass", "2", "--set", "did you mean '0.bodies.rod.mass'?", 1, 10},
    {ENTRIES "  - {file: parts/a.yaml}\n" COMMON, "0", "2", "--set", "expected the number of a scenario, a dot and a path", 1, 1},
    {ENTRIES "  - {file: parts/a.yaml}\n" COMMON, "bodies.rod.mass", "2", "--set", "'bodies' beside 'scenarios'", 1, 1},
    {ENTRIES "  - {file: parts/a.yaml}\n" COMMON, "integrator.dt", "-2", "--set", "integrator.dt", 1, 15},
    {ENTRIES "  - {file: parts/a.yaml}\n" COMMON, "scenarios", "[]", "--set", "'scenarios' has 0 entries", 1, 11},
};

static void what_is_wrong_is_told_of_its_place(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; ++i) {
        const struct refused *wanted = &refused[i];
        const sarrus_override override = {wanted->path, wanted->value};
        struct reading r = read_document(wanted->text, &override, wanted->path != NULL);
        const sarrus_diagnostic *said = diagnostic_of(&r, 0);
        assert_int_equal(r.status, SARRUS_BAD_INPUT);
        assert_null(r.document);
        assert_non_null(said);
        if (strcmp(said->file, wanted->file) != 0 || said->line != wanted->line || said->column != wanted->column ||
            strstr(said->message, wanted->words) == NULL)
            fail_msg("%zu: %s:%d:%d: %s", i, said->file, said->line, said->column, said->message);
        assert_non_null(said->source_line);
        reading_end(&r);
    }
}

static void several_files_are_wrong_in_one_call_and_what_is_common_once(void **state) {
    (void)state;
    struct reading r = read_document(ENTRIES "  - {file: parts/wrong.yaml}\n  - {file: parts/none.yaml}\n  - {file: parts/a.yaml}\n"
                                             "  - {file: parts/wrong.yaml}\nintegrator: {t_end: -1}\n",
                                     NULL, 0);
    int n_common = 0, n_wrong = 0, n_none = 0;
    for (size_t i = 0; i < sarrus_context_n_diagnostics(r.context); ++i) {
        const sarrus_diagnostic *said = diagnostic_of(&r, i);
        n_common += strstr(said->message, "t_end") != NULL;
        n_none += strstr(said->message, "none.yaml") != NULL;
        n_wrong += strcmp(said->file, "./parts/wrong.yaml") == 0;
    }
    assert_int_equal(n_common, 1);
    assert_int_equal(n_none, 1);
    assert_int_equal(n_wrong, 2); /* its key and its limits */
    reading_end(&r);
}

static void a_list_that_is_too_long_is_refused(void **state) {
    (void)state;
    char text[8192] = ENTRIES;
    for (int i = 0; i <= SARRUS_MAX_GROUPS; ++i)
        strcat(text, "  - {file: parts/a.yaml}\n");
    strcat(text, COMMON);
    struct reading r = read_document(text, NULL, 0);
    assert_int_equal(r.status, SARRUS_BAD_INPUT);
    assert_non_null(strstr(diagnostic_of(&r, 0)->message, "has 65 entries; expected from 1 to 64"));
    reading_end(&r);
    *strstr(text, "  - {") = '#';
    r = read_document(text, NULL, 0);
    assert_int_equal(r.status, SARRUS_OK);
    assert_int_equal(sarrus_document_n_groups(r.document), SARRUS_MAX_GROUPS);
    reading_end(&r);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_scenario_gets_what_is_common_and_keeps_the_rest),
        cmocka_unit_test(without_output_the_defaults_are_common),
        cmocka_unit_test(overrides_find_the_document_or_one_of_its_scenarios),
        cmocka_unit_test(a_document_says_what_was_run),
        cmocka_unit_test(a_scenario_is_a_document_of_one),
        cmocka_unit_test(what_is_wrong_is_told_of_its_place),
        cmocka_unit_test(several_files_are_wrong_in_one_call_and_what_is_common_once),
        cmocka_unit_test(a_list_that_is_too_long_is_refused),
    };
    return cmocka_run_group_tests(tests, enter, folder_leave);
}
