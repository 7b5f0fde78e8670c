/* The CUDA kernels for one plan, compiled for the host by the system's C++ compiler, give the bits of the kernels for AVX2: where
 * every array of a thread lies, what the phases hand on, and the SVD that is part of the unit, are right before a device sees them.
 */
#include <dlfcn.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "backend/isa.h"
#include "kernels/cuda/kernels.h"
#include "jit/plan_text.h"
#include "plan/lower.h"
#include "tests/support/case_choice.h"
#include "tests/support/mechanism.h"
#include "tests/support/place.h"

typedef void advance_on_host(const sarrus_cuda_lanes *lanes, const sarrus_clock *clock, uint64_t n_steps);

/* The last tile is part full, and the warps have more than one tile. */
enum { N_INSTANCES = 70, N_TILES = (N_INSTANCES + SARRUS_CUDA_WIDTH - 1) / SARRUS_CUDA_WIDTH, N_WORKSPACES = 2 };

/* The unit for this plan, loaded; *library is to be closed. */
static advance_on_host *unit_load(const sarrus_plan *plan, void **library) {
    char folder[] = "/tmp/sarrus_cuda_XXXXXX", path[64], command[1024];
    assert_non_null(mkdtemp(folder));
    char *text = sarrus_plan_text(plan, SARRUS_PLAN_TEXT_STRAIGHT);
    (void)snprintf(path, sizeof path, "%s/sarrus_constant_plan.h", folder);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_non_null(text);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
    free(text);
    const char *root = place_of_source("");
    (void)snprintf(command, sizeof command,
                   "c++ -std=c++20 -O1 -w -mfma -ffp-contract=off -fno-math-errno -shared -fPIC -I'%s' -I'%s/include' -I%s "
                   "-o %s/unit.so '%s/tests/backend/cuda_on_host.cpp'",
                   root, root, folder, folder, root);
    assert_int_equal(system(command), 0);
    (void)snprintf(path, sizeof path, "%s/unit.so", folder);
    *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (*library == NULL)
        fail_msg("%s", dlerror());
    void *symbol = dlsym(*library, "advance_on_host");
    advance_on_host *advance;
    memcpy(&advance, &symbol, sizeof advance);
    assert_non_null(symbol);
    (void)snprintf(command, sizeof command, "rm -rf %s", folder);
    assert_int_equal(system(command), 0);
    return advance;
}

/* Element `array` of instance `i` in the tiles of a batch; width and stride as in its views. */
static double *element(const sarrus_view *tiles, uint64_t i, int32_t array) {
    return tiles->base + (i / tiles->width) * tiles->stride + (size_t)array * tiles->width + i % tiles->width;
}

/* The tiles of a batch, whatever its coordinates. */
static sarrus_view tiles_of(sarrus_batch *batch, const sarrus_mechanism *mech) {
    sarrus_view view;
    assert_int_equal(sarrus_batch_view(batch, SARRUS_FIELD_INPUT, &view), SARRUS_OK);
    view.base -= (size_t)mech->layout.input * view.width;
    return view;
}

/* Instances that differ: speeds, and so everything after the first step. */
static void speeds_spread(const sarrus_view *tiles, const sarrus_mechanism *mech) {
    for (uint64_t i = 0; i < N_INSTANCES; ++i)
        for (int32_t k = 0; k < mech->n_v; ++k)
            *element(tiles, i, mech->layout.v + k) *= 1.0 + 0.01 * (double)i;
}

/* All but the list of events, which the host of a batch takes away, and what is scratch: row_seen is written in all lanes of a tile
 * while one of them is in a passage, and tiles of a processor have others. */
static void compare(const char *what, const sarrus_mechanism *mech, const sarrus_view *batch, const sarrus_view *device) {
    const int32_t event = mech->layout.waiting_change, n_event = 3 * mech->rank_change_capacity;
    const int32_t seen = mech->layout.passage.row_seen, n_seen = 2 * mech->factor.n_blocks;
    for (uint64_t i = 0; i < N_INSTANCES; ++i) {
        for (int32_t k = 0; k < mech->layout.n_arrays; ++k) {
            const double expected = *element(batch, i, k), actual = *element(device, i, k);
            if ((k >= event && k < event + n_event) || k == mech->layout.n_waiting_changes || (k >= seen && k < seen + n_seen) ||
                memcmp(&expected, &actual, sizeof actual) == 0)
                continue;
            fail_msg("%s: instance %d, array %d (q %d, v %d): %.17g, not %.17g", what, (int)i, k, mech->layout.q, mech->layout.v,
                     actual, expected);
        }
    }
}

/* Steps of the batch and of the unit from the same state. Returns how often the batch took the rank-revealing path. */
static uint64_t run(const char *file, const sarrus_override *overrides, uint64_t n_steps) {
    mechanism m = mechanism_open_file(file, overrides);
    const sarrus_plan *plan = sarrus_plan_stepped(m.plan);
    const sarrus_mechanism *mech = &plan->mech;
    sarrus_batch *batch = mechanism_batch(&m, "avx2", 1, N_INSTANCES, NULL);
    const sarrus_view from = tiles_of(batch, mech);
    sarrus_view to = {.width = SARRUS_CUDA_WIDTH, .stride = (size_t)mech->layout.n_arrays * SARRUS_CUDA_WIDTH};
    uint64_t n_evaluations = 0, n_rank_revealing = 0;
    void *library = NULL;
    advance_on_host *advance = unit_load(plan, &library);
    speeds_spread(&from, mech);
    to.base = calloc(N_TILES * to.stride, sizeof *to.base);
    assert_non_null(to.base);
    for (uint64_t i = 0; i < (uint64_t)N_TILES * SARRUS_CUDA_WIDTH; ++i)
        for (int32_t k = 0; k < mech->layout.n_arrays; ++k)
            *element(&to, i, k) = *element(&from, i < N_INSTANCES ? i : N_INSTANCES - 1, k);

    sarrus_lowered lowered;
    assert_true(sarrus_plan_lower(plan, 4, &lowered));
    const sarrus_kernels *kernels =
        m.plan->relative ? sarrus_isa_find_relative(mech->space, "avx2") : sarrus_isa_find(mech->space, "avx2");
    const size_t n_workspace = kernels->workspace_arrays(&lowered.mech);
    uint64_t counts[N_WORKSPACES][2][SARRUS_CUDA_WIDTH] = {{{0}}};
    double *workspace = malloc(N_WORKSPACES * n_workspace * SARRUS_CUDA_WIDTH * sizeof *workspace);
    assert_non_null(workspace);
    for (size_t i = 0; i < N_WORKSPACES * n_workspace * SARRUS_CUDA_WIDTH; ++i)
        workspace[i] = NAN; /* nothing may be read that was not written */
    const sarrus_clock clock = {0, m.plan->n_steps, m.model->integrator.grid, m.model->integrator.t_end};
    sarrus_cuda_lanes lanes = {
        .tiles = to.base,
        .workspace = workspace,
        .n_workspace_arrays = n_workspace,
        .n_tiles = N_TILES,
        .n_workspaces = N_WORKSPACES,
        .counts = counts[0][0],
    };
    /* The last steps from where the lanes say that they stand, whatever the clock says. */
    uint64_t step[N_TILES * SARRUS_CUDA_WIDTH];
    const uint64_t n_first = n_steps - n_steps / 3;
    for (int i = 0; i < N_TILES * SARRUS_CUDA_WIDTH; ++i)
        step[i] = n_first;
    advance(&lanes, &clock, n_first);
    lanes.step = step;
    advance(&lanes, &clock, n_steps - n_first);
    for (int i = 0; i < N_TILES * SARRUS_CUDA_WIDTH; ++i)
        assert_int_equal(step[i], n_steps);
    assert_int_equal(sarrus_batch_advance(batch, n_first), SARRUS_OK);
    assert_int_equal(sarrus_batch_advance(batch, n_steps - n_first), SARRUS_OK);
    compare(overrides ? overrides->value : file, mech, &from, &to);
    sarrus_batch_path_counts(batch, &n_evaluations, &n_rank_revealing);

    sarrus_lowered_free(&lowered);
    free(workspace);
    free(to.base);
    sarrus_batch_destroy(batch);
    (void)dlclose(library);
    mechanism_close(&m);
    return n_rank_revealing;
}

static void test_scenarios(void **state) {
    (void)state;
    const char *const files[] = {"pendulum.yaml", "slider_crank.yaml", "driven_crank.yaml", "andrews.yaml", "five_bar.yaml"};
    for (size_t i = 0; i < (cases_are_few() ? 1 : sizeof files / sizeof files[0]); ++i)
        (void)run(files[i], NULL, 50);
}

static void test_integrators(void **state) {
    (void)state;
    const char *const methods[] = {"semi-implicit", "dopri5", "adams-moulton"};
    for (size_t i = 0; i < (cases_are_few() ? 1 : sizeof methods / sizeof methods[0]); ++i) {
        const sarrus_override overrides[] = {{"integrator.method", methods[i]}, {NULL, NULL}};
        (void)run("four_bar.yaml", overrides, 50);
    }
}

static void test_ground_that_moves(void **state) {
    (void)state;
    (void)run("kapitza_pendulum.yaml", NULL, 50);
}

/* Steps in stretches, in the coordinates of bodies and over a tree: with states that are left as they come, projected or let be
 * within a tolerance; and what ends a stretch: steps that are to be made in parts, passages by change points, broken limits. */
static void test_stretches(void **state) {
    (void)state;
    static const struct {
        const char *file, *setting, *value;
        uint64_t n_steps;
        bool is_more; /* others stand for it (case_choice.h) */
    } cases[] = {{"five_bar_monte_carlo.yaml", "dynamics.projection", "none", 200, false},
                 {"five_bar_monte_carlo.yaml", "dynamics.projection", "every_step", 200, false},
                 {"four_bar.yaml", "dynamics.projection", "{tolerance: 1e-9}", 300, false},
                 {"four_bar.yaml", "integrator.dt", "1e-2", 100, true},
                 {"four_bar.yaml", "limits.energy", "1e-12", 100, false},
                 {"slider_crank.yaml", "dynamics.projection", "none", 300, true},
                 {"driven_crank.yaml", "dynamics.projection", "every_step", 200, true},
                 {"double_pendulum.yaml", "dynamics.projection", "none", 200, false},
                 {"change_point.yaml", "dynamics.projection", "every_step", 1200, false}};
    static const char *const formulations[] = {"udwadia-kalaba", "relative"};
    const size_t n_apart = cases_are_few() ? 8 : 1;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i += n_apart)
        for (size_t k = 0; cases_take(cases[i].is_more) && k < sizeof formulations / sizeof formulations[0]; ++k) {
            const sarrus_override overrides[] = {
                {cases[i].setting, cases[i].value}, {"dynamics.formulation", formulations[k]}, {NULL, NULL}};
            print_message("%s, %s: %s, %s\n", cases[i].file, cases[i].setting, cases[i].value, formulations[k]);
            (void)run(cases[i].file, overrides, cases[i].n_steps);
        }
}

/* The SVD within the unit. */
static void test_rank_revealing(void **state) {
    (void)state;
    assert_true(run("five_bar_singular.yaml", NULL, 1500) > 0);
}

static void test_space_and_trees(void **state) {
    (void)state;
    const sarrus_override in_space[] = {{"integrator.method", "dopri5"}, {NULL, NULL}};
    const sarrus_override over_a_tree[] = {{"dynamics.formulation", "relative"}, {NULL, NULL}};
    (void)run("heavy_top.yaml", in_space, 50);
    (void)run("spatial_four_bar.yaml", NULL, 20);
    (void)run("heavy_top.yaml", over_a_tree, 50);
}

/* Near a change point in space closeness is told by all rows of a joint, within the unit. */
static void test_joints_beside_change_points(void **state) {
    (void)state;
    const sarrus_override over_a_tree[] = {{"dynamics.formulation", "relative"}, {NULL, NULL}};
    (void)run("../tests/support/leaning_loop.yaml", NULL, 400);
    (void)run("../tests/support/leaning_loop.yaml", over_a_tree, 400);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_scenarios),
        cmocka_unit_test(test_integrators),
        cmocka_unit_test(test_ground_that_moves),
        cmocka_unit_test(test_stretches),
        cmocka_unit_test(test_rank_revealing),
        cmocka_unit_test(test_space_and_trees),
        cmocka_unit_test(test_joints_beside_change_points),
    };
    const bool has_compiler = system("c++ --version >/dev/null 2>&1") == 0;
    if (!has_compiler || !mechanism_has_isa("avx2"))
        return 77;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
