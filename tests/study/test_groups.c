/* A run of several models: the numbers of each are those of a run of it alone, with a file and without, and the summary is that of
 * all. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <hdf5.h>

#include "sarrus/sarrus.h"
#include "study/group.h"

enum { N_GROUPS = 3, MOST = 200000 };

/* A rod on a spring that pushes in some instances until they diverge, a chain of two and a free body; with outputs of their own. */
static const char pushed[] =
    "sarrus: 1\nspace: planar\nparameters: {k: 0.0}\n"
    "bodies: [{name: rod, mass: 1, inertia: 0.1, position: [0.5, 0]}]\n"
    "joints: [{name: A, type: revolute, bodies: [ground, rod], at: [0, 0], stiffness: \"=k\"}]\n"
    "integrator: {method: rk4, dt: 1.0e-3, t_end: 0.3}\noutput: {every: 10}\n"
    "batch: {instances: 17, seed: 2, parameters: [{name: k, distribution: uniform, low: -2.0e+4, high: 1.0e+4}]}\n";
static const char chain[] =
    "sarrus: 1\nspace: planar\n"
    "bodies:\n  - {name: upper, mass: 1, inertia: 0.1, position: [0.5, 0]}\n"
    "  - {name: lower, mass: 1, inertia: 0.1, position: [1.5, 0]}\n"
    "joints:\n  - {name: A, type: revolute, bodies: [ground, upper], at: [0, 0]}\n"
    "  - {name: B, type: revolute, bodies: [upper, lower], at: [1, 0]}\n"
    "integrator: {method: dopri5, t_end: 0.2}\noutput: {interval: 0.003}\n"
    "batch: {instances: 9, parameters: [{path: bodies.lower.mass, distribution: normal, mean: 1, sd: 0.1, min: 0.5}]}\n";
static const char free_body[] =
    "sarrus: 1\nspace: planar\nbodies: [{name: free, mass: 1, inertia: 0.1, position: [0, 0]}]\njoints: []\n"
    "integrator: {method: rk4, dt: 0.01, t_end: 0.5}\n";
static const char *const scenarios[N_GROUPS] = {pushed, chain, free_body};

typedef struct groups {
    sarrus_context *context;
    sarrus_model *models[N_GROUPS];
    sarrus_run_group asked[N_GROUPS];
    char path[64], alone[64];
} groups;

static int setup(void **state) {
    groups *f = calloc(1, sizeof *f);
    *state = f;
    if (f == NULL || sarrus_context_create(&f->context) != SARRUS_OK)
        return -1;
    snprintf(f->path, sizeof f->path, "test_study_groups_%ld.h5", (long)getpid());
    snprintf(f->alone, sizeof f->alone, "test_study_groups_%ld_alone.h5", (long)getpid());
    for (int g = 0; g < N_GROUPS; ++g) {
        if (sarrus_scenario_read_text(f->context, "s", scenarios[g], strlen(scenarios[g]), NULL, 0, &f->models[g]) != SARRUS_OK)
            return -1;
        f->asked[g] = (sarrus_run_group){.model = f->models[g], .file = "s.yaml"};
    }
    return 0;
}

static int end(void **state) {
    groups *f = *state;
    remove(f->path);
    remove(f->alone);
    for (int g = 0; g < N_GROUPS; ++g)
        sarrus_model_destroy(f->models[g]);
    sarrus_context_destroy(f->context);
    free(f);
    return 0;
}

static size_t doubles_read(const char *path, const char *dataset, double out[MOST]) {
    const hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    const hid_t data = H5Dopen2(file, dataset, H5P_DEFAULT), space = H5Dget_space(data), type = H5Dget_type(data);
    const hssize_t n = H5Sget_simple_extent_npoints(space);
    const bool is_enum = H5Tget_class(type) == H5T_ENUM; /* one byte each, and nothing converts them */
    assert_true(n >= 0 && n <= MOST);
    assert_true(H5Dread(data, is_enum ? type : H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, out) >= 0);
    H5Tclose(type);
    H5Sclose(space);
    H5Dclose(data);
    H5Fclose(file);
    return is_enum ? (size_t)n / sizeof *out : (size_t)n;
}

static void datasets_equal(const groups *f, int group, const char *dataset) {
    static double one[MOST], other[MOST];
    char name[64];
    snprintf(name, sizeof name, "%d/%s", group, dataset);
    const size_t n = doubles_read(f->path, name, one);
    assert_int_equal(n, doubles_read(f->alone, dataset, other));
    assert_memory_equal(one, other, n * sizeof *one);
}

static void groups_are_what_their_models_alone_are(void **state) {
    static const char *const datasets[] = {"state/q",         "state/v",        "time",        "diagnostics/energy",
                                           "instance/status", "instance/steps", "instance/id", "instance/failed_time",
                                           "diagnostics/rank"};
    groups *f = *state;
    for (int n_threads = 1; n_threads <= 3; n_threads += 2) {
        sarrus_run_summary total, summaries[N_GROUPS], alone;
        const sarrus_run_options options = {.output_path = f->path, .batch = {.n_threads = n_threads}};
        assert_int_equal(sarrus_run_groups(f->context, f->asked, N_GROUPS, "sarrus: 1\n", &options, &total, summaries), SARRUS_OK);
        const sarrus_run_options single = {.output_path = f->alone};
        uint64_t n_steps = 0;
        for (int g = 0; g < N_GROUPS; ++g) {
            assert_int_equal(sarrus_run(f->context, f->models[g], &single, &alone), SARRUS_OK);
            for (size_t d = 0; d < sizeof datasets / sizeof datasets[0]; ++d)
                datasets_equal(f, g, datasets[d]);
            assert_int_equal(summaries[g].n_failed, alone.n_failed);
            assert_int_equal(summaries[g].steps.total, alone.steps.total);
            assert_true(summaries[g].max_energy_error == alone.max_energy_error ||
                        (isnan(alone.max_energy_error) && isnan(summaries[g].max_energy_error)));
            n_steps += alone.steps.total;
        }
        assert_int_equal(total.n_instances, 17 + 9 + 1);
        assert_true(summaries[0].n_failed > 0);
        assert_int_equal(total.n_failed, summaries[0].n_failed);
        assert_int_equal(total.steps.total, n_steps);
        assert_int_equal(total.n_output_times, 31);
        assert_true(fabs(total.t_end - 0.2) < 1e-15);
        assert_true(total.output_bytes > 0 && total.is_adaptive);
        assert_true(total.max_energy_error >= summaries[1].max_energy_error);
    }
}

static void a_seed_of_all_is_that_of_groups_without_one(void **state) {
    groups *f = *state;
    const uint64_t all = 31, own = 2;
    sarrus_run_summary total, alone;
    f->asked[0].seed = &own;
    const sarrus_run_options options = {.output_path = f->path, .seed = &all};
    assert_int_equal(sarrus_run_groups(f->context, f->asked, 2, NULL, &options, &total, NULL), SARRUS_OK);
    for (int g = 0; g < 2; ++g) {
        const sarrus_run_options single = {.output_path = f->alone, .seed = g == 0 ? &own : &all};
        assert_int_equal(sarrus_run(f->context, f->models[g], &single, &alone), SARRUS_OK);
        datasets_equal(f, g, "state/q");
    }
}

static void nothing_needs_a_file(void **state) {
    groups *f = *state;
    sarrus_run_summary total, summaries[N_GROUPS];
    assert_int_equal(sarrus_run_groups(f->context, f->asked, N_GROUPS, NULL, NULL, &total, summaries), SARRUS_OK);
    assert_int_equal(total.n_instances, 27);
    assert_int_equal(total.output_bytes, 0);
    assert_int_equal(summaries[1].n_output_times, 68);
}

/* Stops as soon as every group has moved. */
static int stop_soon(const sarrus_progress *progress, void *user) {
    double *seen = user;
    assert_true(progress->n_instance_steps > 0 && progress->instance_steps <= progress->n_instance_steps);
    assert_true(progress->time >= *seen); /* that of the group that is farthest behind */
    *seen = progress->time;
    return progress->time > 0.0;
}

static void a_stop_leaves_the_times_of_all(void **state) {
    groups *f = *state;
    double seen = 0.0;
    sarrus_run_summary total, summaries[N_GROUPS];
    const sarrus_run_options options = {.output_path = f->path, .progress = stop_soon, .progress_user = &seen};
    f->asked[0].n_instances = 2000; /* some slices */
    assert_int_equal(sarrus_run_groups(f->context, f->asked, N_GROUPS, "x: 1\n", &options, &total, summaries), SARRUS_INTERRUPTED);
    sarrus_result_info info, group;
    assert_int_equal(sarrus_result_info_read(f->context, f->path, &info), SARRUS_OK);
    assert_int_equal(info.n_groups, N_GROUPS);
    assert_int_equal(info.complete, 0);
    assert_int_equal(info.n_instances, 2010);
    for (int g = 0; g < N_GROUPS; ++g) {
        assert_int_equal(sarrus_result_group_info_read(f->context, f->path, g, &group), SARRUS_OK);
        assert_int_equal(group.n_times, summaries[g].n_output_times);
        assert_true(group.n_times > 0);
        assert_string_equal(group.scenario_file, "s.yaml");
    }
    assert_int_equal(sarrus_result_group_info_read(f->context, f->path, N_GROUPS, &group), SARRUS_BAD_ARGUMENT);
}

/* The blocks of a group beside others, of n_others instances: how many its output takes. */
static double blocks_of(const groups *f, uint64_t n_instances, uint64_t n_others) {
    const sarrus_run_options options = {.output_path = f->path};
    const uint64_t n[2] = {n_instances, n_others};
    sarrus_group made[2];
    sarrus_sink_description description;
    for (int g = 0; g < 2; ++g) {
        const sarrus_run_group asked = {.model = f->models[2], .n_instances = n[g]};
        made[g] = sarrus_group_of(&asked, &options, g, 2);
        assert_int_equal(sarrus_group_plan(&made[g], f->context), SARRUS_OK);
        assert_int_equal(sarrus_group_make(&made[g], f->context), SARRUS_OK);
    }
    sarrus_groups_keep_pace(made, 2);
    assert_int_equal(sarrus_group_describe(&made[0], f->context, &description), SARRUS_OK);
    double n_numbers = 0.0;
    for (int i = 0; i < made[0].channels.n_fields; ++i)
        n_numbers += made[0].channels.n_components[i];
    n_numbers *= (double)n_instances * (double)made[0].schedule.n_times;
    for (int g = 0; g < 2; ++g)
        sarrus_group_free(&made[g]);
    return n_numbers * sizeof(double) / (double)description.block_bytes;
}

/* 51 output times of 17 numbers: 10,000 instances are 69 MB, in 16 blocks of the 4 MiB or so that two groups leave each other; one
 * instance beside them is written as often, and two light groups, with nothing to lose, at once. */
static void a_light_group_writes_as_often_as_a_heavy_one(void **state) {
    const groups *f = *state;
    const double heavy = blocks_of(f, 10000, 1), light = blocks_of(f, 1, 10000);
    assert_true(heavy > 8.0);
    assert_true(light > 0.9 * heavy);
    assert_true(blocks_of(f, 1, 1) <= 1.0);
}

/* What a file says was run, run again, is the same: counts and seeds that a caller gave instead of the model's own are in it. */
static void the_scenario_is_that_which_was_run(void **state) {
    groups *f = *state;
    const uint64_t seed = 99;
    sarrus_run_summary total;
    const sarrus_run_options given = {.output_path = f->path, .seed = &seed}, own = {.output_path = f->path};
    f->asked[0].n_instances = 5;
    for (int k = 0; k < 2; ++k) {
        char *text[2] = {NULL, NULL};
        assert_int_equal(sarrus_run_groups(f->context, f->asked, 2,
                                           "sarrus: 1\nscenarios: [{file: a.yaml, seed: 3}, {file: b.yaml}]\n", k ? &own : &given,
                                           &total, NULL),
                         SARRUS_OK);
        const hid_t file = H5Fopen(f->path, H5F_ACC_RDONLY, H5P_DEFAULT);
        const char *const names[2] = {"scenario", "0/scenario"};
        for (int i = 0; i < 2; ++i) {
            const hid_t data = H5Dopen2(file, names[i], H5P_DEFAULT), type = H5Dget_type(data);
            assert_true(H5Dread(data, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, &text[i]) >= 0);
            H5Tclose(type);
            H5Dclose(data);
        }
        H5Fclose(file);
        assert_non_null(strstr(text[0], "instances: 5"));
        assert_non_null(strstr(text[1], "instances: 5"));
        assert_true((strstr(text[0], "seed: 99") != NULL) == !k && (strstr(text[1], "seed: 99") != NULL) == !k);
        assert_true((strstr(text[0], "seed: 3") != NULL) == k && strstr(text[1], "instances: 17") == NULL);
        H5free_memory(text[0]);
        H5free_memory(text[1]);
    }
}

/* Quantities go where they are asked for at the end of a run, and NULL stands for nowhere: all of them or one. */
static void a_quantity_may_go_nowhere(void **state) {
    static const char text[] = "sarrus: 1\nspace: planar\nbodies: [{name: free, mass: 1, inertia: 0.1, position: [0.5, 0]}]\n"
                               "joints: []\nintegrator: {method: rk4, dt: 0.01, t_end: 0.1}\n"
                               "batch: {instances: 3}\noutput: {quantities: {low: min(free.y), far: max(free.x)}}\n";
    groups *f = *state;
    sarrus_model *model = NULL;
    sarrus_run_summary summary;
    double low[3] = {NAN, NAN, NAN}, far[3] = {NAN, NAN, NAN};
    double *const both[2] = {low, far}, *const one[2] = {NULL, far};
    const sarrus_run_options options[3] = {{.quantities = both}, {.quantities = one}, {.quantities = NULL}};
    assert_int_equal(sarrus_scenario_read_text(f->context, "s", text, sizeof text - 1, NULL, 0, &model), SARRUS_OK);
    for (int k = 0; k < 3; ++k) {
        low[0] = far[2] = NAN;
        assert_int_equal(sarrus_run(f->context, model, &options[k], &summary), SARRUS_OK);
        assert_true(isnan(low[0]) == (k > 0) && isnan(far[2]) == (k > 1));
        assert_true(k > 1 || far[2] == 0.5);
    }
    sarrus_model_destroy(model);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(groups_are_what_their_models_alone_are, setup, end),
        cmocka_unit_test_setup_teardown(a_seed_of_all_is_that_of_groups_without_one, setup, end),
        cmocka_unit_test_setup_teardown(nothing_needs_a_file, setup, end),
        cmocka_unit_test_setup_teardown(a_stop_leaves_the_times_of_all, setup, end),
        cmocka_unit_test_setup_teardown(a_light_group_writes_as_often_as_a_heavy_one, setup, end),
        cmocka_unit_test_setup_teardown(the_scenario_is_that_which_was_run, setup, end),
        cmocka_unit_test_setup_teardown(a_quantity_may_go_nowhere, setup, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
