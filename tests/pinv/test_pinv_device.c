/* Pseudoinverses on the devices of this machine: the only kernels with shared memory and barriers, and those of a thread a
 * matrix. compute-sanitizer's racecheck goes over it (scripts/gpu_check). Skipped without a device; with the argument `on-host` the
 * emulated one takes its place, so that the test itself is known to pass. */
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

#include "sarrus/sarrus.h"
#include "tests/backend/gpu_on_host.h"
#include "tests/backend/gpu_pinv_on_host.h"
#include "tests/support/pinv_problem.h"

/* The places of matrices that are no ordinary ones: the spoilt ones of pinv_problem_create, and one of zeros. */
enum { COUNT = 40, NOT_A_NUMBER = 5, ZERO = 6, SIDE_INFINITE = 7, INFINITE = 9 };

static pinv_problem problem_of(int m, int n, int n_rhs) {
    pinv_problem p = pinv_problem_create(m, n, n_rhs, COUNT, true);
    for (int i = 0; i < m * n; ++i)
        p.a[ZERO * m * n + i] = 0.0;
    return p;
}

static void compute(sarrus_pinv_method method, sarrus_backend backend, const pinv_problem *p, const pinv_result *r) {
    const sarrus_pinv_options options = {
        .method = method, .rank_tolerance = 1e-10, .isa = backend == SARRUS_BACKEND_CPU ? "avx2" : NULL, .backend = backend};
    const sarrus_pinv_batch batch = pinv_problem_batch(p, r);
    assert_int_equal(sarrus_pinv_compute(NULL, &options, &batch), SARRUS_OK);
}

static double length_of(const double *x, size_t count) {
    double sum = 0.0;
    for (size_t i = 0; i < count; ++i)
        sum += x[i] * x[i];
    return sqrt(sum);
}

/* A⁺ of two stable methods: each is off by 10 max(m, n) eps times the condition, which ‖A‖ over the smallest singular value that
 * counts bounds; with right sides their lengths come in too. */
static void check_accuracy(const pinv_problem *p, const pinv_result *expected, const pinv_result *got, uint64_t i) {
    const size_t n_x = pinv_problem_x_size(p), n_a = (size_t)(p->m * p->n), n_b = (size_t)(p->m * p->n_rhs);
    const double *x = expected->x + i * n_x, *y = got->x + i * n_x;
    const double condition = length_of(p->a + i * n_a, n_a) / expected->kept[i];
    const double scale = p->n_rhs > 0 ? length_of(p->b + i * n_b, n_b) / expected->kept[i] : length_of(x, n_x);
    double *off = pinv_zeroed(n_x, sizeof *off);
    for (size_t k = 0; k < n_x; ++k)
        off[k] = x[k] - y[k];
    const double bound = 20.0 * (p->m > p->n ? p->m : p->n) * DBL_EPSILON * condition * scale;
    if (expected->rank[i] != got->rank[i] || !(length_of(off, n_x) <= bound))
        fail_msg("%dx%d, %d right sides, matrix %d: rank %d, not %d; off by %.2e, not %.2e", p->m, p->n, p->n_rhs, (int)i,
                 (int)got->rank[i], (int)expected->rank[i], length_of(off, n_x), bound);
    free(off);
}

static void check_spoilt(const pinv_problem *p, const pinv_result *got) {
    const size_t n_x = pinv_problem_x_size(p);
    for (size_t k = 0; k < n_x; ++k) {
        assert_true(isnan(got->x[NOT_A_NUMBER * n_x + k]) && isnan(got->x[INFINITE * n_x + k]));
        assert_true(got->x[ZERO * n_x + k] == 0.0);
        assert_int_equal(isnan(got->x[SIDE_INFINITE * n_x + k]) != 0, p->n_rhs > 0);
    }
    assert_int_equal(got->rank[NOT_A_NUMBER], 0);
    assert_int_equal(got->rank[INFINITE], 0);
    assert_int_equal(got->rank[ZERO], 0);
}

static const int shapes[][2] = {{11, 12}, {12, 12}, {32, 32}, {64, 64}};
enum { N_SHAPES = sizeof shapes / sizeof shapes[0], N_SMALL_SHAPES = 2 };

/* Racecheck takes minutes for the large ones. */
static int shapes_asked(void) {
    return getenv("SARRUS_FEW_CASES") ? N_SMALL_SHAPES : N_SHAPES;
}

/* `svd` and `householder` take a group of threads a matrix at these sizes, whose order of operations is its own. */
static void groups_are_accurate(void **state) {
    (void)state;
    for (int i = 0; i < 2 * shapes_asked(); ++i) {
        const int *shape = shapes[i / 2];
        const sarrus_pinv_method method = i % 2 == 0 ? SARRUS_PINV_SVD : SARRUS_PINV_HOUSEHOLDER;
        for (int n_rhs = 0; n_rhs < 3; n_rhs += 2) {
            pinv_problem p = problem_of(shape[0], shape[1], n_rhs);
            pinv_result expected = pinv_result_create(&p), got = pinv_result_create(&p);
            compute(method, SARRUS_BACKEND_CPU, &p, &expected);
            compute(method, SARRUS_BACKEND_CUDA, &p, &got);
            for (uint64_t k = 0; k < COUNT; ++k)
                if (expected.rank[k] > 0 && !isnan(expected.x[k * pinv_problem_x_size(&p)]))
                    check_accuracy(&p, &expected, &got, k);
            check_spoilt(&p, &got);
            pinv_result_free(&expected);
            pinv_result_free(&got);
            pinv_problem_free(&p);
        }
    }
}

/* A thread a matrix gives the bits of the lanes for AVX2. */
static void threads_give_the_bits_of_the_lanes(void **state) {
    const sarrus_pinv_method methods[] = {SARRUS_PINV_MGS, SARRUS_PINV_GREVILLE, SARRUS_PINV_JACOBI};
    (void)state;
    for (int i = 0; i < shapes_asked(); ++i) {
        for (int n_rhs = 0; n_rhs < 3; n_rhs += 2) {
            for (size_t k = 0; k < (shapes[i][0] > 12 ? 1 : sizeof methods / sizeof methods[0]); ++k) {
                pinv_problem p = problem_of(shapes[i][0], shapes[i][1], n_rhs);
                pinv_result expected = pinv_result_create(&p), got = pinv_result_create(&p);
                compute(methods[k], SARRUS_BACKEND_CPU, &p, &expected);
                compute(methods[k], SARRUS_BACKEND_CUDA, &p, &got);
                assert_true(pinv_results_agree(&p, &expected, &got));
                check_spoilt(&p, &got);
                pinv_result_free(&expected);
                pinv_result_free(&got);
                pinv_problem_free(&p);
            }
        }
    }
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(groups_are_accurate),
        cmocka_unit_test(threads_give_the_bits_of_the_lanes),
    };
    sarrus_gpu table = gpu_on_host;
    if (argc > 1 && strcmp(argv[1], "on-host") == 0) {
        gpu_on_host_reset(&(gpu_on_host_settings){.n_devices = 1});
        table.pinv = &gpu_pinv_on_host;
        sarrus_gpu_replace(&table);
    }
    return sarrus_backend_n_devices(SARRUS_BACKEND_CUDA) > 0 ? cmocka_run_group_tests(tests, NULL, NULL) : 77;
}
