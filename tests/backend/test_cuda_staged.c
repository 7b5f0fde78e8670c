/* The staged path on the emulated GPU, cuSOLVER and cuBLAS emulated by LAPACK and plain loops: against `pinv: lapack` of
 * the CPU. What a device would compute, what is asked of the libraries and what comes of their failures is looked at without
 * either. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "backend/cuda/staged.h"
#include "backend/cuda/cusolver_svd.h"
#include "backend/isa.h"
#include "plan/lower.h"
#include "tests/backend/cusolver_on_host.h"
#include "tests/backend/gpu_on_host.h"
#include "tests/backend/staged_subject.h"

/* Both sides solve by the SVD of the same matrix, rounded differently: (m + n) ε κ of the accelerations, with κ up to some 20 on
 * these mechanisms. What is promised. */
#define TOLERANCE_EVALUATION 1e-12
/* By eigenvalues of D Dᵀ: the same with κ². */
#define TOLERANCE_GRAM 1e-10
/* Over n steps the difference of one evaluation, h² of it in a position, n times over; errors of these motions grow by less than a
 * hundredfold in the time looked at. Far below any integrator's own error. */
#define TOLERANCE_RUN 1e-10
/* By the squares of the singular values, whose last digits are those of the BLAS below: 0.7e-10 with OpenBLAS, 1.2e-10 with the
 * reference. */
#define TOLERANCE_SQUARED_RUN 3e-10

enum { N_TILES = 2, N_INSTANCES = 40 }; /* the last tile is part full */

typedef struct rig {
    mechanism cpu, device; /* the same mechanism by LAPACK and by cuSOLVER */
    sarrus_batch *batch;
    sarrus_lowered lowered;
    sarrus_gpu gpu;
    void *stream;
    sarrus_cuda_lanes lanes;
    sarrus_cuda_staged *staged;
    sarrus_clock clock;
} rig;

static void *device_memory(const rig *r, size_t n_bytes) {
    void *memory = NULL;
    assert_int_equal(r->gpu.allocate(&memory, n_bytes ? n_bytes : 8), 0);
    return memory;
}

/* Element `array` of instance `i` in tiles. */
static double *element(const sarrus_view *tiles, uint64_t i, int32_t array) {
    return tiles->base + (i / tiles->width) * tiles->stride + (size_t)array * tiles->width + i % tiles->width;
}

static sarrus_view tiles_of_batch(const rig *r) {
    sarrus_view view;
    assert_int_equal(sarrus_batch_view(r->batch, SARRUS_FIELD_Q, &view), SARRUS_OK);
    view.base -= (size_t)r->cpu.plan->mech.layout.q * view.width;
    return view;
}

static sarrus_view tiles_of_device(const rig *r) {
    return (sarrus_view){.base = r->lanes.tiles,
                         .width = SARRUS_CUDA_WIDTH,
                         .stride = (size_t)r->cpu.plan->mech.layout.n_arrays * SARRUS_CUDA_WIDTH};
}

/* The batch's instances to the device; further lanes repeat the last one. */
static void states_copy(const rig *r) {
    const sarrus_view from = tiles_of_batch(r), to = tiles_of_device(r);
    for (uint64_t i = 0; i < (uint64_t)N_TILES * SARRUS_CUDA_WIDTH; ++i)
        for (int32_t k = 0; k < r->cpu.plan->mech.layout.n_arrays; ++k)
            *element(&to, i, k) = *element(&from, i < N_INSTANCES ? i : N_INSTANCES - 1, k);
}

/* Instances that differ: speeds, and so everything after the first step. */
static void speeds_spread(const rig *r) {
    const sarrus_view tiles = tiles_of_batch(r);
    for (uint64_t i = 0; i < N_INSTANCES; ++i)
        for (int32_t k = 0; k < r->cpu.plan->mech.n_v; ++k)
            *element(&tiles, i, r->cpu.plan->mech.layout.v + k) *= 1.0 + 0.01 * (double)i;
}

static int rig_staged(rig *r) {
    const sarrus_cuda_staged_setup setup = {&r->gpu, &cusolver_on_host, &r->lowered.mech, N_TILES, r->stream};
    return sarrus_cuda_staged_create(&setup, &r->staged);
}

static void rig_open(rig *r, const subject *s, const char *pinv, const cusolver_on_host_settings *library) {
    const gpu_on_host_settings settings = {.n_devices = 1};
    const cusolver_on_host_settings plain = {0};
    memset(r, 0, sizeof *r);
    gpu_on_host_reset(&settings);
    cusolver_on_host_reset(library ? library : &plain);
    r->gpu = gpu_on_host;
    r->cpu = open_with(s, "lapack");
    r->device = open_with(s, pinv);
    r->batch = mechanism_batch(&r->cpu, NULL, 1, N_INSTANCES, NULL);
    assert_true(sarrus_plan_lower(r->device.plan, SARRUS_CUDA_WIDTH, &r->lowered));
    assert_int_equal(r->gpu.stream_create(&r->stream), 0);
    const size_t n_workspace = sarrus_isa_find(r->lowered.mech.space, "baseline")->workspace_arrays(&r->lowered.mech);
    const size_t tile = SARRUS_CUDA_WIDTH * sizeof(double);
    r->lanes.n_tiles = r->lanes.n_workspaces = N_TILES;
    r->lanes.n_workspace_arrays = n_workspace;
    r->lanes.tiles = device_memory(r, N_TILES * (size_t)r->cpu.plan->mech.layout.n_arrays * tile);
    r->lanes.workspace = device_memory(r, N_TILES * n_workspace * tile);
    r->clock = (sarrus_clock){0, r->cpu.plan->n_steps, r->cpu.model->integrator.grid, r->cpu.model->integrator.t_end};
    speeds_spread(r);
    states_copy(r);
    assert_int_equal(rig_staged(r), 0);
}

static void rig_close(rig *r) {
    sarrus_cuda_staged_destroy(r->staged);
    assert_int_equal(r->gpu.stream_destroy(r->stream), 0);
    assert_int_equal(gpu_on_host_seen().n_misuses, 0);
    assert_int_equal(cusolver_on_host_seen().n_misuses, 0);
    assert_int_equal(cusolver_on_host_seen().n_handles, 0);
    assert_int_equal(r->gpu.release(r->lanes.tiles), 0);
    assert_int_equal(r->gpu.release(r->lanes.workspace), 0);
    assert_int_equal((int)gpu_on_host_seen().n_bytes_allocated, 0);
    assert_int_equal((int)gpu_on_host_seen().n_pinned_allocated, 0);
    sarrus_lowered_free(&r->lowered);
    sarrus_batch_destroy(r->batch);
    mechanism_close(&r->cpu);
    mechanism_close(&r->device);
}

/* What the device observes, in lane arrays [N_TILES][n_arrays][32]; to be released. */
static const double *observe(const rig *r, const sarrus_observe_request *want) {
    double *out = device_memory(r, (size_t)N_TILES * (size_t)want->n_arrays * SARRUS_CUDA_WIDTH * sizeof *out);
    sarrus_observe_request here = *want;
    here.clock = r->clock;
    assert_int_equal(sarrus_cuda_staged_observe(r->staged, &r->lanes, &here, out), 0);
    assert_int_equal(r->gpu.synchronize(r->stream), 0);
    return out;
}

/* The largest difference of an observable, relative to its largest value over all instances. */
static double difference(const rig *r, sarrus_observable what) {
    sarrus_observe_request want = {.clock = r->clock};
    const int width = sarrus_batch_observable_width(r->batch, what);
    double worst = 0.0, largest = 0.0;
    for (int i = 0; i < SARRUS_N_OBSERVABLES; ++i)
        want.at[i] = -1;
    if (width == 0)
        return 0.0;
    want.at[what] = 0;
    want.n_arrays = want.n_computed = width;
    double *expected = malloc((size_t)width * N_INSTANCES * sizeof *expected);
    assert_non_null(expected);
    mechanism_observe(r->batch, what, expected);
    double *seen = (double *)(uintptr_t)observe(r, &want);
    for (size_t i = 0; i < N_INSTANCES; ++i) {
        for (size_t k = 0; k < (size_t)width; ++k) {
            const double x = expected[i * (size_t)width + k];
            const double y = seen[((i / SARRUS_CUDA_WIDTH) * (size_t)width + k) * SARRUS_CUDA_WIDTH + i % SARRUS_CUDA_WIDTH];
            largest = fmax(largest, fabs(x));
            worst = fabs(x - y) <= worst ? worst : fabs(x - y); /* a NaN is the worst */
        }
    }
    free(expected);
    assert_int_equal(r->gpu.release(seen), 0);
    return worst / (largest > 0.0 ? largest : 1.0);
}

/* n_steps steps of both. */
static void steps(rig *r, uint64_t n_steps) {
    assert_int_equal(sarrus_batch_advance(r->batch, n_steps), SARRUS_OK);
    assert_int_equal(sarrus_cuda_staged_advance(r->staged, &r->lanes, &r->clock, n_steps), 0);
    assert_int_equal(r->gpu.synchronize(r->stream), 0);
    r->clock.step += n_steps;
}

/* The largest difference of the states, relative to the largest coordinate or speed. Status words and counts of changes agree. */
static double state_difference(const rig *r) {
    const sarrus_tile_layout *layout = &r->cpu.plan->mech.layout;
    const sarrus_view from = tiles_of_batch(r), to = tiles_of_device(r);
    const int32_t n_q = r->cpu.plan->mech.n_q, n = n_q + r->cpu.plan->mech.n_v;
    const int32_t counts[] = {layout->status, layout->failed_step, layout->n_steps, layout->n_evaluations};
    double worst = 0.0, largest[2] = {1.0, 1.0};
    for (int pass = 0; pass < 2; ++pass) {
        for (uint64_t i = 0; i < N_INSTANCES; ++i) {
            for (int32_t k = 0; k < n; ++k) {
                const int is_v = k >= n_q;
                const int32_t array = is_v ? layout->v + k - n_q : layout->q + k;
                const double x = *element(&from, i, array), d = fabs(*element(&to, i, array) - x) / largest[is_v];
                if (pass == 0)
                    largest[is_v] = fmax(largest[is_v], fabs(x));
                else if (!(d <= worst))
                    worst = d;
            }
        }
    }
    for (uint64_t i = 0; i < N_INSTANCES; ++i)
        for (size_t k = 0; k < sizeof counts / sizeof counts[0]; ++k)
            assert_true(*element(&from, i, counts[k]) == *element(&to, i, counts[k]));
    return worst;
}

static void assert_below(const char *what, const char *file, const char *pinv, double actual, double bound) {
    if (getenv("STAGED_PRINT"))
        print_message("%-14s %-24s %-14s %.1e\n", what, file, pinv, actual);
    if (!(actual <= bound))
        fail_msg("%s of %s by %s: off by %.3g, not %.3g", what, file, pinv, actual, bound);
}

/* The scenarios of space choose their steps; the staged path does not. */
#define FIXED_STEPS                                                                                                                \
    { "integrator", "{method: rk4, dt: 1.0e-3, t_end: 1.0}", NULL }

static const subject scenarios[] = {
    {"pendulum.yaml", {NULL}},
    {"slider_crank.yaml", {NULL}},
    {"driven_crank.yaml", {NULL}},
    {"four_bar.yaml", {NULL}},
    {"double_pendulum.yaml", {NULL}},
    {"five_bar.yaml", {NULL}},
    {"andrews.yaml", {NULL}},
    {"n_four_bar_2.yaml", {NULL}},
    {"heavy_top.yaml", FIXED_STEPS},
    {"gyrostat.yaml", FIXED_STEPS},
    {"cardan_suspension.yaml", FIXED_STEPS},
    {"spatial_four_bar.yaml", {NULL}},
    {"spatial_slider_crank.yaml", FIXED_STEPS},
    {"bennett.yaml", FIXED_STEPS},
};
enum { N_SCENARIOS = sizeof scenarios / sizeof scenarios[0] };

/* An evaluation at the start and one some steps later, and the steps. */
static void check_subject(const subject *s, const char *pinv, double tolerance) {
    static const sarrus_observable observables[] = {SARRUS_OBSERVE_ACCELERATION, SARRUS_OBSERVE_REACTIONS, SARRUS_OBSERVE_DRIVES,
                                                    SARRUS_OBSERVE_RANK};
    rig r;
    rig_open(&r, s, pinv, NULL);
    for (int i = 0; i < 4; ++i)
        assert_below(sarrus_observable_text(observables[i]), s->file, pinv, difference(&r, observables[i]), tolerance);
    steps(&r, 10);
    assert_below("10 steps", s->file, pinv, state_difference(&r), 100.0 * tolerance);
    for (int i = 0; i < 4; ++i)
        assert_below(sarrus_observable_text(observables[i]), s->file, pinv, difference(&r, observables[i]), 100.0 * tolerance);
    rig_close(&r);
}

static void test_scenarios_svd(void **state) {
    (void)state;
    for (int i = 0; i < N_SCENARIOS; ++i)
        check_subject(&scenarios[i], "cusolver-svd", TOLERANCE_EVALUATION);
}

static void test_scenarios_syev(void **state) {
    (void)state;
    for (int i = 0; i < N_SCENARIOS; ++i)
        check_subject(&scenarios[i], "cusolver-syev", TOLERANCE_GRAM);
}

/* Everything that an evaluation of a step may hang on, each where it makes a difference. */
static void test_settings(void **state) {
    (void)state;
    static const subject subjects[] = {
        {"four_bar.yaml", {"integrator.method", "semi-implicit", NULL}},
        {"four_bar.yaml", {"dynamics.projection", "none", NULL}},
        {"four_bar.yaml", {"dynamics.projection", "{tolerance: 1e-12}", NULL}},
        {"four_bar.yaml", {"dynamics.projection", "none", "dynamics.baumgarte", "{alpha: 5, beta: 5}", NULL}},
        {"four_bar.yaml", {"dynamics.projection", "none", "dynamics.baumgarte", "{rule: step}", NULL}},
        {"five_bar.yaml", {"dynamics.rank", "{method: relative}", NULL}},
        {"five_bar.yaml", {"dynamics.rank", "{method: gap}", NULL}},
        {"five_bar.yaml", {"dynamics.rank", "{method: tracked}", "output.channels", "[state, rank]", NULL}},
        {"five_bar.yaml", {"dynamics.rank", "{method: violation}", NULL}},
    };
    for (size_t i = 0; i < sizeof subjects / sizeof subjects[0]; ++i)
        check_subject(&subjects[i], "cusolver-svd", TOLERANCE_EVALUATION);
}

/* The host waits once a stage where the automatic rule may ask for all rows, and once a call for rules that never do. */
static void test_waits(void **state) {
    enum { N_STEPS = 5, N_STAGES = 4 };
    static const subject subjects[] = {{"five_bar.yaml", {NULL}}, {"five_bar.yaml", {"dynamics.rank", "{method: relative}", NULL}}};
    (void)state;
    for (int i = 0; i < 2; ++i) {
        rig r;
        rig_open(&r, &subjects[i], "cusolver-svd", NULL);
        const int n_before = gpu_on_host_seen().n_waits;
        assert_int_equal(sarrus_cuda_staged_advance(r.staged, &r.lanes, &r.clock, N_STEPS), 0);
        assert_int_equal(gpu_on_host_seen().n_waits - n_before, i == 0 ? N_STEPS * N_STAGES : 1);
        rig_close(&r);
    }
}

/* Through the singular position at the start, links aligned: the independent rows lose a direction, and all rows are asked for.
 * Every other instance stands elsewhere, so that only some ask twice. */
static void singular_open(rig *r, const char *pinv) {
    static const subject s = {"five_bar_singular.yaml", {NULL}};
    double q[12], v[12];
    rig_open(r, &s, pinv, NULL);
    assert_int_equal(r->cpu.n, 12);
    assert_int_equal(sarrus_batch_advance(r->batch, 100), SARRUS_OK);
    assert_int_equal(sarrus_batch_state(r->batch, 0, q, v), SARRUS_OK);
    assert_int_equal(sarrus_batch_reset(r->batch), SARRUS_OK);
    for (uint64_t i = 1; i < N_INSTANCES; i += 2)
        mechanism_set_state(r->batch, i, q, v);
    states_copy(r);
}

static void test_singular(void **state) {
    (void)state;
    static const sarrus_observable observables[] = {SARRUS_OBSERVE_ACCELERATION, SARRUS_OBSERVE_REACTIONS, SARRUS_OBSERVE_RANK};
    static const char *const pinvs[] = {"cusolver-svd", "cusolver-syev"};
    for (int p = 0; p < 2; ++p) {
        rig r;
        singular_open(&r, pinvs[p]);
        for (int i = 0; i < 3; ++i) {
            const long n_before = cusolver_on_host_seen().n_members;
            assert_below("singular", "five_bar_singular.yaml", pinvs[p], difference(&r, observables[i]), TOLERANCE_EVALUATION);
            /* Lanes of all tiles once; the singular ones twice (of the last tile's repeated instance none is). */
            const long n_twice = N_INSTANCES / 2, n_once = N_TILES * SARRUS_CUDA_WIDTH;
            assert_int_equal(cusolver_on_host_seen().n_members - n_before, n_once + n_twice);
        }
        steps(&r, 20);
        assert_below("20 steps", "five_bar_singular.yaml", pinvs[p], state_difference(&r),
                     p ? TOLERANCE_SQUARED_RUN : TOLERANCE_RUN);
        rig_close(&r);
    }
}

/* Every member that the library has not solved, or not well, is in the counts. */
static void refusals_check(const rig *r) {
    const cusolver_on_host_tally seen = cusolver_on_host_seen();
    sarrus_cuda_staged_counts counts;
    sarrus_cuda_staged_count(r->staged, &counts);
    assert_true(seen.n_unconverged + seen.n_wrong >= seen.n_members / 5);
    assert_int_equal(counts.n_refused, seen.n_unconverged + seen.n_wrong);
    assert_int_equal(counts.n_matrices, seen.n_members);
}

/* What the library does not solve the native SVD does, member by member, and nobody else notices. */
static void test_library_gives_up(void **state) {
    (void)state;
    static const subject s = {"andrews.yaml", {NULL}};
    static const char *const pinvs[] = {"cusolver-svd", "cusolver-syev"};
    static const cusolver_on_host_settings faults[] = {{.every_unconverged = 3}, {.every_wrong = 5}, {.every_unconverged = 1}};
    for (int i = 0; i < 6; ++i) {
        rig r;
        sarrus_cuda_staged_counts counts;
        rig_open(&r, &s, pinvs[i % 2], &faults[i / 2]);
        assert_below("gives up", s.file, pinvs[i % 2], difference(&r, SARRUS_OBSERVE_ACCELERATION), TOLERANCE_EVALUATION);
        refusals_check(&r);
        steps(&r, 3);
        assert_below("gives up", s.file, pinvs[i % 2], state_difference(&r), TOLERANCE_RUN);
        refusals_check(&r);
        sarrus_cuda_staged_count(r.staged, &counts);
        assert_int_equal(counts.n_evaluations, 12 * N_TILES * SARRUS_CUDA_WIDTH);
        rig_close(&r);
    }
}

/* A member whose state is no number spoils nothing but itself, and gets the status that it gets on the CPU. */
static void test_not_finite(void **state) {
    (void)state;
    static const subject s = {"five_bar.yaml", {"integrator.substeps", "off", NULL}};
    rig r;
    rig_open(&r, &s, "cusolver-svd", NULL);
    const double v[12] = {[5] = 1e200};
    mechanism_set_state(r.batch, 7, NULL, v);
    states_copy(&r);
    steps(&r, 5);
    const sarrus_view from = tiles_of_batch(&r), to = tiles_of_device(&r);
    const sarrus_tile_layout *layout = &r.cpu.plan->mech.layout;
    for (uint64_t i = 0; i < N_INSTANCES; ++i) {
        assert_true(*element(&to, i, layout->status) == *element(&from, i, layout->status));
        assert_true((*element(&to, i, layout->status) != 0.0) == (i == 7));
    }
    assert_below("others", s.file, "cusolver-svd", state_difference(&r), TOLERANCE_RUN);
    rig_close(&r);
}

/* Errors of the library, of memory and of the device come back as such, and everything is given back. */
static void test_errors(void **state) {
    (void)state;
    static const subject s = {"five_bar.yaml", {NULL}};
    char text[128];
    rig r;
    rig_open(&r, &s, "cusolver-svd", NULL);
    cusolver_on_host_settings fault = {.status = 6};
    const int n_handles = cusolver_on_host_seen().n_handles;
    cusolver_on_host_reset(&fault);
    int error = sarrus_cuda_staged_advance(r.staged, &r.lanes, &r.clock, 1);
    assert_int_equal(error, SARRUS_STAGED_CUSOLVER_ERROR + 6);
    sarrus_cuda_staged_error_text(&r.gpu, error, text, sizeof text);
    assert_string_equal(text, "cuSOLVER ended with status 6");
    sarrus_cuda_staged_error_text(&r.gpu, SARRUS_STAGED_CUBLAS_ERROR + 13, text, sizeof text);
    assert_string_equal(text, "cuBLAS ended with status 13");
    sarrus_cuda_staged_error_text(&r.gpu, GPU_ON_HOST_LOST, text, sizeof text);
    assert_string_equal(text, "the device was lost");
    fault = (cusolver_on_host_settings){.is_without_memory = 1};
    cusolver_on_host_reset(&fault);
    sarrus_cuda_staged *first = r.staged;
    assert_int_equal(rig_staged(&r), SARRUS_GPU_NO_MEMORY);
    assert_null(r.staged);
    assert_int_equal(cusolver_on_host_seen().n_handles, 0);
    r.staged = first;
    sarrus_cuda_staged_destroy(first);
    r.staged = NULL;
    assert_int_equal(cusolver_on_host_seen().n_handles, -n_handles); /* those made before the tally began anew */
    fault = (cusolver_on_host_settings){0};
    cusolver_on_host_reset(&fault);
    rig_close(&r);
}

/* A table that has no kernels for this path is no reason to call them. */
static void test_device_without_kernels(void **state) {
    (void)state;
    static const subject s = {"four_bar.yaml", {NULL}};
    char text[128];
    rig r;
    rig_open(&r, &s, "cusolver-svd", NULL);
    sarrus_cuda_staged *with_kernels = r.staged;
    r.gpu.staged = NULL;
    const int error = rig_staged(&r);
    assert_int_equal(error, SARRUS_STAGED_NO_KERNELS);
    assert_null(r.staged);
    sarrus_cuda_staged_error_text(&r.gpu, error, text, sizeof text);
    assert_string_equal(text, "the staged path is not built in");
    r.staged = with_kernels;
    rig_close(&r);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_scenarios_svd), cmocka_unit_test(test_scenarios_syev), cmocka_unit_test(test_settings),
        cmocka_unit_test(test_waits),         cmocka_unit_test(test_singular),       cmocka_unit_test(test_library_gives_up),
        cmocka_unit_test(test_not_finite),    cmocka_unit_test(test_errors),         cmocka_unit_test(test_device_without_kernels),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
