/* Pseudoinverses on an emulated GPU: a thread a matrix gives the bits of the lanes for AVX2, a group of threads a matrix
 * is as accurate as a stable method has to be, and what is between the caller's arrays and the device loses and misplaces nothing,
 * whatever fails. */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "backend/isa.h"
#include "sarrus/sarrus.h"
#include "tests/backend/gpu_on_host.h"
#include "tests/backend/gpu_pinv_on_host.h"
#include "tests/support/matrices.h"
#include "tests/support/pinv_cases.h"
#include "tests/support/pinv_problem.h"

/* --- A thread a matrix ------------------------------------------------------------------------------------------------ */

static sarrus_cuda_pinv_call call_of(const sarrus_pinv_options *options, const pinv_problem *p, const pinv_result *r) {
    return (sarrus_cuda_pinv_call){.method = (int32_t)options->method,
                                   .m = p->m,
                                   .n = p->n,
                                   .n_rhs = p->n_rhs,
                                   .is_explicit = p->n_rhs == 0,
                                   .rank_method = (int32_t)options->rank_method,
                                   .rank_tolerance = options->rank_tolerance,
                                   .n_matrices = p->count,
                                   .a = p->a,
                                   .b = p->b,
                                   .x = r->x,
                                   .violation = p->violation,
                                   .rank = r->rank,
                                   .kept = r->kept,
                                   .dropped = r->dropped,
                                   .n_sweeps = r->n_sweeps};
}

/* The kernel itself on n_slots warps, against the lanes. */
static void check_thread(const sarrus_pinv_options *options, const pinv_problem *p, int32_t n_slots) {
    pinv_result expected = pinv_result_create(p), got = pinv_result_create(p);
    sarrus_pinv_batch batch = pinv_problem_batch(p, &expected);
    int32_t *all = pinv_zeroed(p->count, sizeof *all); /* truncated must be told; to the others it is what NULL is */
    for (uint64_t i = 0; i < p->count; ++i)
        all[i] = p->m < p->n ? p->m : p->n;
    batch.max_rank = all;
    assert_int_equal(sarrus_pinv_compute(NULL, options, &batch), SARRUS_OK);
    free(all);
    sarrus_cuda_pinv_call call = call_of(options, p, &got);
    const sarrus_pinv_call shape = {
        .method = call.method, .m = p->m, .n = p->n, .n_rhs = p->n_rhs, .is_explicit = call.is_explicit};
    call.n_slots = n_slots;
    call.n_work_arrays = sarrus_cuda_pinv_work_arrays(&call, sarrus_isa_find_pinv("avx2")->work(&shape));
    const size_t n_work = (size_t)n_slots * call.n_work_arrays * SARRUS_CUDA_PINV_WIDTH;
    call.work = pinv_zeroed(n_work, sizeof *call.work);
    memset(call.work, 0xff, n_work * sizeof *call.work);
    assert_int_equal(pinv_launch_on_host(&call), SARRUS_GPU_OK);
    if (!pinv_results_agree(p, &expected, &got))
        fail_msg("%s, %s, %dx%d, %d right sides, %d matrices: other bits than the lanes'", sarrus_pinv_method_word(options->method),
                 sarrus_rank_method_word(options->rank_method), p->m, p->n, p->n_rhs, (int)p->count);
    pinv_sweeps_agree(p, &expected, &got);
    free(call.work);
    pinv_result_free(&expected);
    pinv_result_free(&got);
}

static const int sizes[][2] = {{1, 1}, {1, 6}, {6, 1}, {2, 2}, {3, 4}, {4, 3}, {7, 7}, {11, 12}, {12, 11}, {12, 12}, {13, 12}};
enum { N_SIZES = sizeof sizes / sizeof sizes[0] };

static void test_thread_methods(void **state) {
    (void)state;
    for (int i = 0; i < N_SIZES; ++i) {
        for (int n_rhs = 0; n_rhs < 3; n_rhs += 2) {
            pinv_problem p = pinv_problem_create(sizes[i][0], sizes[i][1], n_rhs, 33, true);
            for (int method = 1; method < SARRUS_N_PINV_HOST_METHODS; ++method) {
                const sarrus_pinv_options options = {.method = (sarrus_pinv_method)method,
                                                     .isa = "avx2",
                                                     .n_threads = 1,
                                                     .rank_tolerance = method == SARRUS_PINV_TIKHONOV ? 1e-5 : 1e-10};
                if (method != SARRUS_PINV_LAPACK)
                    check_thread(&options, &p, 2);
            }
            pinv_problem_free(&p);
        }
    }
}

/* Around whole warps and around the warps of a launch, which take the matrices in turn. */
static void test_thread_batch_sizes(void **state) {
    const uint64_t counts[] = {1, 31, 32, 63, 64, 65, 200};
    (void)state;
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; ++i) {
        pinv_problem p = pinv_problem_create(5, 4, 1, counts[i], false);
        const sarrus_pinv_options options = {
            .method = SARRUS_PINV_HOUSEHOLDER, .isa = "avx2", .n_threads = 1, .rank_tolerance = 1e-10};
        for (int32_t n_slots = 1; n_slots < 4; ++n_slots)
            check_thread(&options, &p, n_slots);
        pinv_problem_free(&p);
    }
}

static void test_thread_rank_rules(void **state) {
    const sarrus_pinv_method some[] = {SARRUS_PINV_SVD, SARRUS_PINV_HOUSEHOLDER, SARRUS_PINV_GREVILLE};
    pinv_problem p = pinv_problem_create(6, 7, 0, 40, false);
    (void)state;
    for (int rule = 0; rule < SARRUS_N_RANK_METHODS; ++rule) {
        for (size_t i = 0; i < sizeof some / sizeof some[0]; ++i) {
            const sarrus_pinv_options options = {.method = some[i],
                                                 .isa = "avx2",
                                                 .n_threads = 1,
                                                 .rank_method = (sarrus_rank_method)rule,
                                                 .rank_tolerance = rule == SARRUS_RANK_GAP ? 1e-6 : 1e-10};
            check_thread(&options, &p, 1);
        }
    }
    pinv_problem_free(&p);
}

/* --- A group of threads a matrix -------------------------------------------------------------------------------------- */

/* Methods that have groups. */
static const sarrus_pinv_method grouped[] = {SARRUS_PINV_SVD, SARRUS_PINV_HOUSEHOLDER};
enum { N_GROUPED = sizeof grouped / sizeof grouped[0] };

static void run_group(const sarrus_pinv_options *options, const pinv_problem *p, const pinv_result *r) {
    sarrus_cuda_pinv_call call = call_of(options, p, r);
    call.variant = SARRUS_CUDA_PINV_GROUP;
    assert_int_equal(pinv_launch_on_host(&call), SARRUS_GPU_OK);
}

/* As a backward stable method is held to in tests/kernels/test_pinv_methods.c: residuals of 10 max(m, n) eps; A⁺ and its smallest
 * singular value by that times the condition. `kept` is NaN where the method has no singular values. */
static void check_answer(const pinv_case *c, int scale, const double *x, int32_t rank, double kept) {
    const double bound = 10.0 * (c->m > c->n ? c->m : c->n) * DBL_EPSILON;
    const int n_x = c->m * c->n;
    double unscaled[PINV_CASE_LARGEST * PINV_CASE_LARGEST];
    sarrus_multiprecision_error e;
    for (int i = 0; i < n_x; ++i) {
        assert_true(fabs(x[i]) <= (c->norm_x < 1e290 ? 1e300 : (double)INFINITY) || scale < 0);
        unscaled[i] = ldexp(x[i], scale);
    }
    if (!c->is_clear || c->class == PINV_TINY)
        return;
    matrix_measure(c->m, c->n, c->a, unscaled, c->x, &e);
    const double off = isnan(kept) ? 0.0 : fabs(ldexp(kept, -scale) - c->kept);
    if (rank != c->rank || !(e.axa <= bound && e.xax <= bound && e.ax <= bound && e.xa <= bound) ||
        !(e.forward <= bound * c->condition) || !(off <= bound * c->condition * c->kept))
        fail_msg("%dx%d %s, scale 2^%d: rank %d (%d), residuals %.2e %.2e %.2e %.2e (%.2e), forward %.2e (%.2e), kept off %.2e",
                 c->m, c->n, pinv_class_word(c->class), scale, rank, c->rank, e.axa, e.xax, e.ax, e.xa, bound, e.forward,
                 bound * c->condition, off / c->kept);
}

/* The case at three scales, as A⁺ and as A⁺ I. */
static void check_group(sarrus_pinv_method method, const pinv_case *c) {
    static const int scales[] = {0, 498, -498};
    for (int form = 0; form < 2; ++form) {
        pinv_problem p = pinv_problem_create(c->m, c->n, form == 0 ? 0 : c->m, 3, false);
        pinv_result r = pinv_result_create(&p);
        const size_t n_a = (size_t)(c->m * c->n), n_b = (size_t)(c->m * c->m);
        for (size_t s = 0; s < 3; ++s) {
            for (size_t i = 0; i < n_a; ++i)
                p.a[s * n_a + i] = ldexp(c->a[i], scales[s]);
            for (size_t i = 0; form == 1 && i < n_b; ++i)
                p.b[s * n_b + i] = i % ((size_t)c->m + 1) == 0 ? 1.0 : 0.0;
        }
        const sarrus_pinv_options options = {.method = method, .rank_tolerance = 10.0 * (c->m > c->n ? c->m : c->n) * DBL_EPSILON};
        run_group(&options, &p, &r);
        for (size_t s = 0; s < 3; ++s) {
            if (c->class != PINV_TINY || scales[s] >= 0)
                check_answer(c, scales[s], r.x + s * n_a, r.rank[s], method == SARRUS_PINV_SVD ? r.kept[s] : (double)NAN);
        }
        pinv_result_free(&r);
        pinv_problem_free(&p);
    }
}

static void test_group_is_accurate(void **state) {
    static const int shapes[][2] = {{1, 1}, {2, 2}, {3, 5}, {5, 3}, {8, 9}, {12, 12}, {11, 12}, {20, 13}, {33, 32}, {64, 64}};
    (void)state;
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; ++i) {
        for (int class = 0; class < N_PINV_CLASSES; class ++) {
            pinv_case c;
            if (shapes[i][0] > 30 && class != PINV_LESS_ONE) /* the truth takes its time there */
                continue;
            pinv_case_create((pinv_class) class, shapes[i][0], shapes[i][1], 5, &c);
            for (int k = 0; k < N_GROUPED; ++k)
                check_group(grouped[k], &c);
            pinv_case_free(&c);
        }
    }
}

/* The bits of a matrix are its own, wherever it stands and whoever is beside it; NaN stays where it is. */
static void test_group_isolates(void **state) {
    (void)state;
    for (int trial = 0; trial < 2 * N_GROUPED; ++trial) {
        const int n_rhs = trial % 2 * 2;
        pinv_problem p = pinv_problem_create(12, 12, n_rhs, 23, true);
        pinv_result whole = pinv_result_create(&p), one = pinv_result_create(&p);
        const sarrus_pinv_options options = {.method = grouped[trial / 2], .rank_tolerance = 1e-10};
        run_group(&options, &p, &whole);
        const size_t n_x = pinv_problem_x_size(&p);
        for (uint64_t i = 0; i < p.count; ++i) {
            const bool is_bad = i == 5 || i == 9;
            pinv_problem alone = p;
            alone.count = 1;
            alone.a += i * 144;
            alone.b = p.b ? p.b + i * 12 * (size_t)n_rhs : NULL;
            alone.violation += i;
            run_group(&options, &alone, &one);
            assert_true(pinv_bits_agree(one.x, whole.x + i * n_x, n_x));
            assert_int_equal(one.rank[0], whole.rank[i]);
            assert_int_equal(whole.rank[i], is_bad ? 0 : i % 4 == 1 ? 11 : 12);
            assert_true(is_bad ? isnan(whole.kept[i]) : one.kept[0] == whole.kept[i]);
            assert_true(is_bad || one.n_sweeps[0] == whole.n_sweeps[i]);
            for (size_t k = 0; k < n_x; ++k)
                assert_true(!isnan(whole.x[i * n_x + k]) == !(is_bad || (n_rhs > 0 && i == 7)));
        }
        pinv_result_free(&whole);
        pinv_result_free(&one);
        pinv_problem_free(&p);
    }
}

/* What a thread writes no other one reads or writes in the same phase: the order of turns changes nothing. */
static void test_group_has_no_order(void **state) {
    static const int shapes[][3] = {{1, 1, 0},  {5, 7, 1},   {11, 12, 0}, {12, 12, 2},
                                    {13, 9, 3}, {16, 16, 0}, {33, 40, 1}, {64, 64, 0}};
    (void)state;
    for (size_t i = 0; i < N_GROUPED * sizeof shapes / sizeof shapes[0]; ++i) {
        const sarrus_pinv_options options = {.method = grouped[i % N_GROUPED], .rank_tolerance = 1e-10};
        const int *shape = shapes[i / N_GROUPED];
        pinv_problem p = pinv_problem_create(shape[0], shape[1], shape[2], 12, true);
        pinv_result first = pinv_result_create(&p), other = pinv_result_create(&p);
        run_group(&options, &p, &first);
        for (warp_order_on_host = WARP_DESCENDING; warp_order_on_host <= WARP_PERMUTED; ++warp_order_on_host) {
            run_group(&options, &p, &other);
            assert_true(pinv_results_agree(&p, &first, &other));
            pinv_sweeps_agree(&p, &first, &other);
        }
        warp_order_on_host = WARP_ASCENDING;
        pinv_result_free(&first);
        pinv_result_free(&other);
        pinv_problem_free(&p);
    }
}

/* --- Between the caller and the device -------------------------------------------------------------------------------- */

static sarrus_gpu table; /* the emulated GPU with the pseudoinverse kernels */

static void device_begin(gpu_on_host_settings settings) {
    gpu_on_host_reset(&settings);
    table = gpu_on_host;
    table.pinv = &gpu_pinv_on_host;
    sarrus_gpu_replace(&table);
}

/* Nothing was misused, and everything was given back. */
static void device_end(void) {
    const gpu_on_host_tally seen = gpu_on_host_seen();
    assert_int_equal(seen.n_misuses, 0);
    assert_int_equal(seen.n_bytes_allocated, 0);
    assert_int_equal(seen.n_pinned_allocated, 0);
    assert_int_equal(seen.n_objects, 0);
    sarrus_gpu_replace(NULL);
}

static const sarrus_pinv_options on_device = {
    .method = SARRUS_PINV_MGS, .rank_tolerance = 1e-10, .isa = "avx2", .backend = SARRUS_BACKEND_CUDA};

/* The call on the device against the call on the CPU. */
static void check_call(const sarrus_pinv_options *options, const pinv_problem *p) {
    pinv_result expected = pinv_result_create(p), got = pinv_result_create(p);
    sarrus_pinv_options on_cpu = *options;
    on_cpu.backend = SARRUS_BACKEND_CPU;
    on_cpu.isa = "avx2";
    const sarrus_pinv_batch cpu = pinv_problem_batch(p, &expected), device = pinv_problem_batch(p, &got);
    assert_int_equal(sarrus_pinv_compute(NULL, &on_cpu, &cpu), SARRUS_OK);
    assert_int_equal(sarrus_pinv_compute(NULL, options, &device), SARRUS_OK);
    assert_true(pinv_results_agree(p, &expected, &got));
    pinv_sweeps_agree(p, &expected, &got);
    pinv_result_free(&expected);
    pinv_result_free(&got);
}

static void test_call(void **state) {
    (void)state;
    for (int n_devices = 1; n_devices < 4; ++n_devices) {
        for (int n_rhs = 0; n_rhs < 3; ++n_rhs) {
            device_begin((gpu_on_host_settings){.n_devices = n_devices});
            pinv_problem p = pinv_problem_create(5, 7, n_rhs, 203, true);
            check_call(&on_device, &p);
            const sarrus_pinv_options tracked = {.method = SARRUS_PINV_CHOLESKY,
                                                 .rank_method = SARRUS_RANK_VIOLATION,
                                                 .rank_tolerance = 1e-3,
                                                 .backend = SARRUS_BACKEND_CUDA};
            check_call(&tracked, &p);
            assert_int_equal(gpu_on_host_seen().n_devices_used, n_devices);
            pinv_problem_free(&p);
            device_end();
        }
    }
}

/* More devices than matrices, no arrays but x, and the methods that a group takes. */
static void test_call_corners(void **state) {
    double a[9 * 3], x[9 * 3];
    uint64_t random = 3;
    (void)state;
    device_begin((gpu_on_host_settings){.n_devices = 4});
    for (int i = 0; i < 27; ++i)
        a[i] = matrix_number(&random);
    const sarrus_pinv_batch few = {.n_matrices = 3, .m = 3, .n = 3, .a = a, .x = x};
    assert_int_equal(sarrus_pinv_compute(NULL, &on_device, &few), SARRUS_OK);
    assert_int_equal(gpu_on_host_seen().n_devices_used, 3);
    const sarrus_pinv_batch none = {.n_matrices = 0, .m = 3, .n = 3};
    assert_int_equal(sarrus_pinv_compute(NULL, &on_device, &none), SARRUS_OK);
    pinv_problem p = pinv_problem_create(12, 12, 0, 29, false);
    for (int k = 0; k < N_GROUPED; ++k) {
        pinv_result through = pinv_result_create(&p), direct = pinv_result_create(&p);
        sarrus_pinv_options options = on_device;
        options.method = grouped[k];
        sarrus_pinv_batch batch = pinv_problem_batch(&p, &through);
        batch.max_rank = NULL;
        assert_int_equal(sarrus_pinv_compute(NULL, &options, &batch), SARRUS_OK);
        run_group(&options, &p, &direct);
        assert_true(pinv_results_agree(&p, &through, &direct));
        pinv_result_free(&through);
        pinv_result_free(&direct);
    }
    pinv_problem_free(&p);
    device_end();
}

/* A device with hardly any memory, and one that promises more than it has: smaller pieces, the same bits. */
static void test_little_memory(void **state) {
    (void)state;
    for (size_t n_bytes = (size_t)1 << 22; n_bytes >= (size_t)1 << 20; n_bytes /= 2) {
        device_begin((gpu_on_host_settings){.n_devices = 2, .n_bytes = n_bytes});
        pinv_problem p = pinv_problem_create(12, 12, 1, 3000, false);
        check_call(&on_device, &p);
        assert_true(gpu_on_host_seen().n_launches > 2);
        pinv_problem_free(&p);
        device_end();
    }
    device_begin((gpu_on_host_settings){.n_devices = 1, .i_allocation_failed = 2});
    pinv_problem p = pinv_problem_create(6, 6, 1, 300, false);
    check_call(&on_device, &p);
    pinv_problem_free(&p);
    device_end();
}

static void check_refused(sarrus_status expected, const sarrus_pinv_options *options, int m) {
    sarrus_context *context = NULL;
    pinv_problem p = pinv_problem_create(m, 6, 0, 100, false);
    pinv_result r = pinv_result_create(&p);
    const sarrus_pinv_batch batch = pinv_problem_batch(&p, &r);
    assert_int_equal(sarrus_context_create(&context), SARRUS_OK);
    assert_int_equal(sarrus_pinv_compute(context, options, &batch), expected);
    assert_int_equal(sarrus_context_n_diagnostics(context), 1);
    assert_int_equal(sarrus_context_diagnostic(context, 0)->status, expected);
    for (size_t i = 0; i < p.count * pinv_problem_x_size(&p); ++i)
        assert_true(r.x[i] == 0.0);
    sarrus_context_destroy(context);
    pinv_result_free(&r);
    pinv_problem_free(&p);
}

static void test_failures(void **state) {
    (void)state;
    device_begin((gpu_on_host_settings){.n_devices = 0});
    check_refused(SARRUS_NO_BACKEND, &on_device, 6);
    device_end();
    device_begin((gpu_on_host_settings){.n_devices = 1, .n_bytes = 4096});
    check_refused(SARRUS_NO_MEMORY, &on_device, 6);
    device_end();
    device_begin((gpu_on_host_settings){.n_devices = 1, .i_launch_refused = 1});
    check_refused(SARRUS_NO_BACKEND, &on_device, 6);
    device_end();
    device_begin((gpu_on_host_settings){.n_devices = 1, .i_launch_lost = 1});
    check_refused(SARRUS_NO_BACKEND, &on_device, 6);
    gpu_on_host_reset(&(gpu_on_host_settings){.n_devices = 1});
    device_begin((gpu_on_host_settings){.n_devices = 1});
    sarrus_pinv_options lapack = on_device;
    lapack.method = SARRUS_PINV_LAPACK;
    check_refused(SARRUS_UNSUPPORTED, &lapack, 6);
    check_refused(SARRUS_UNSUPPORTED, &(sarrus_pinv_options){.backend = SARRUS_BACKEND_CUDA}, 70);
    check_refused(SARRUS_BAD_ARGUMENT, &(sarrus_pinv_options){.backend = (sarrus_backend)7}, 6);
    table.pinv = NULL;
    check_refused(SARRUS_NO_BACKEND, &on_device, 6);
    device_end();
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_thread_methods),
        cmocka_unit_test(test_thread_batch_sizes),
        cmocka_unit_test(test_thread_rank_rules),
        cmocka_unit_test(test_group_is_accurate),
        cmocka_unit_test(test_group_isolates),
        cmocka_unit_test(test_group_has_no_order),
        cmocka_unit_test(test_call),
        cmocka_unit_test(test_call_corners),
        cmocka_unit_test(test_little_memory),
        cmocka_unit_test(test_failures),
    };
    if (!sarrus_isa_find_pinv("avx2"))
        return 77;
    return cmocka_run_group_tests_name("pinv.cuda_pinv", tests, NULL, NULL);
}
