// The operation counts of the pseudoinverse methods (sarrus_pinv_flops) against their bodies, run with numbers that count
// (lane_counting.h). Counts are equal, not close, but for the methods that iterate.
#include <cmath>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#define SARRUS_LANE_HEADER "tests/kernels/lane_counting.h"
#include "kernels/pinv/methods.h"

extern "C" {
#include <cmocka.h>
}

namespace {

/* Methods whose formula needs no more than shape and rank, or the sweeps that the method itself reports. */
const sarrus_pinv_method methods[] = {SARRUS_PINV_HOUSEHOLDER, SARRUS_PINV_VARGA,  SARRUS_PINV_MGS,     SARRUS_PINV_MGS2,
                                      SARRUS_PINV_GREVILLE,    SARRUS_PINV_NORMAL, SARRUS_PINV_CHOLESKY};

/* Numbers in [-1, 1), always the same ones. */
struct numbers {
    uint64_t state = 1;
    double next() {
        state = state * 6364136223846793005u + 1442695040888963407u;
        return (double)(int64_t)state / 9223372036854775808.0;
    }
};

/* A random matrix [m][n] of that rank: a sum of dyads. */
void fill_matrix(numbers *from, int m, int n, int rank, real *a) {
    std::vector<double> sum((size_t)(m * n), 0.0), column((size_t)m), row((size_t)n);
    for (int r = 0; r < rank; ++r) {
        for (double &x : column)
            x = from->next();
        for (double &x : row)
            x = from->next();
        for (int i = 0; i < m * n; ++i)
            sum[(size_t)i] += column[(size_t)(i / n)] * row[(size_t)(i % n)];
    }
    for (int i = 0; i < m * n; ++i)
        a[i] = real_set(sum[(size_t)i]);
}

void check(const sarrus_pinv_shape *shape, int rank, double tolerance) {
    const size_t n_a = (size_t)(shape->m * shape->n), n_b = (size_t)(shape->m * shape->n_rhs);
    const size_t n_x = (size_t)(shape->n * sarrus_pinv_columns(shape));
    std::vector<real> memory(n_a + n_b + n_x + 3 + sarrus_pinv_work(shape));
    numbers random;
    sarrus_pinv_lanes lanes;
    lanes.a = memory.data();
    lanes.b = lanes.a + n_a;
    lanes.x = lanes.b + n_b;
    real *found = lanes.x + n_x;
    lanes.work = found + 3;
    lanes.active = true;
    fill_matrix(&random, shape->m, shape->n, rank, lanes.a);
    for (size_t i = 0; i < n_b; ++i)
        lanes.b[i] = real_set(random.next());
    lanes.limit.max_rank = lanes.limit.previous = real_set(shape->m < shape->n ? shape->m : shape->n);
    lanes.limit.violation = real_set(0.0);
    lanes.limit.unit = lanes.limit.share = real_set(1.0);

    counting::record = counting::tape();
    counting::record.memory_begin = memory.data();
    counting::record.memory_end = memory.data() + memory.size();
    sarrus_pinv_run(shape, &lanes);
    found[0] = lanes.found.rank;
    found[1] = lanes.found.kept;
    found[2] = lanes.found.dropped;
    counting::record.use_operands();
    double flops = 0.0;
    for (const counting::operation &operation : counting::record.operations)
        flops += operation.is_used ? operation.flops : 0;

    assert_int_equal((int)found[0].value, rank);
    const double counted = sarrus_pinv_flops(shape, rank, lanes.n_sweeps.value);
    if (!(std::fabs(counted - flops) <= tolerance * flops))
        fail_msg("method %d, %dx%d of rank %d: counted %.1f, executed %.0f", shape->method, shape->m, shape->n, rank, counted,
                 flops);
}

void test_every_method_shape_and_rank(void **) {
    const int sizes[][2] = {{1, 1}, {1, 4}, {4, 1}, {2, 3}, {5, 5}, {3, 9}, {9, 3}, {7, 12}, {12, 12}, {12, 10}, {17, 14}};
    for (sarrus_pinv_method method : methods) {
        for (const int *size : sizes) {
            const int least = size[0] < size[1] ? size[0] : size[1];
            for (int rank = 0; rank <= least; ++rank) {
                for (int n_rhs = 0; n_rhs <= 5; ++n_rhs) {
                    sarrus_pinv_shape shape = {method, size[0], size[1], n_rhs, n_rhs == 0, {SARRUS_RANK_RELATIVE, 1e-10, 0}};
                    check(&shape, rank, 0.0);
                }
            }
        }
    }
}

/* From 24 columns on reflections are made four at a time. */
void test_many_columns(void **) {
    const int cases[][3] = {{24, 24, 24}, {24, 24, 23}, {30, 26, 25}, {26, 30, 26}, {25, 25, 3}, {27, 25, 0}};
    for (sarrus_pinv_method method : {SARRUS_PINV_HOUSEHOLDER, SARRUS_PINV_VARGA}) {
        for (const int *one : cases) {
            for (int n_rhs = 0; n_rhs <= 1; ++n_rhs) {
                sarrus_pinv_shape shape = {method, one[0], one[1], n_rhs, n_rhs == 0, {SARRUS_RANK_RELATIVE, 1e-10, 0}};
                check(&shape, one[2], 0.0);
            }
        }
    }
    sarrus_pinv_shape shape = {SARRUS_PINV_SVD, 25, 26, 0, 1, {SARRUS_RANK_RELATIVE, 1e-10, 0}};
    check(&shape, 24, 1.0 / 6.0);
}

/* Rotations are counted as they are made, the products that look for them by the number of sweeps that this implies: one sweep more
 * or less of products is up to a sixth of a small matrix, and of three sweeps' work. */
void test_methods_that_iterate(void **) {
    const int sizes[][2] = {{5, 5}, {3, 9}, {9, 3}, {12, 12}, {12, 10}, {17, 14}};
    for (sarrus_pinv_method method : {SARRUS_PINV_SVD, SARRUS_PINV_JACOBI, SARRUS_PINV_TIKHONOV}) {
        for (const int *size : sizes) {
            const int rank = (size[0] < size[1] ? size[0] : size[1]) - 1;
            for (int n_rhs = 0; n_rhs <= 2; ++n_rhs) {
                sarrus_pinv_shape shape = {method, size[0], size[1], n_rhs, n_rhs == 0, {SARRUS_RANK_RELATIVE, 1e-10, 0}};
                check(&shape, rank, 1.0 / 6.0);
            }
        }
    }
}

} // namespace

int main() {
    const CMUnitTest tests[] = {cmocka_unit_test(test_every_method_shape_and_rank), cmocka_unit_test(test_methods_that_iterate),
                                cmocka_unit_test(test_many_columns)};
    return cmocka_run_group_tests(tests, nullptr, nullptr);
}
