// The operation counts of the dense formulations against their bodies, run with numbers that count (lane_counting.h): what each
// says of its products and what its pseudoinverses say are what is executed, but for the roots of the masses, which are not
// counted.
#include <cmath>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#define SARRUS_LANE_HEADER "tests/kernels/lane_counting.h"
#include "kernels/formulation/dense/formulations.h"

extern "C" {
#include <cmocka.h>
}

namespace {

const sarrus_formulation formulations[] = {
    SARRUS_FORMULATION_UDWADIA_KALABA, SARRUS_FORMULATION_PSEUDO_RANGE,       SARRUS_FORMULATION_RANGE_SPACE,
    SARRUS_FORMULATION_NULL_SPACE,     SARRUS_FORMULATION_UDWADIA_PHOHOMSIRI, SARRUS_FORMULATION_SADDLE,
    SARRUS_FORMULATION_PARTIAL,        SARRUS_FORMULATION_BARYCENTRIC,
};

/* Numbers in [-1, 1), always the same ones. */
struct numbers {
    uint64_t state = 7;
    double next() {
        state = state * 6364136223846793005u + 1442695040888963407u;
        return (double)(int64_t)state / 9223372036854775808.0;
    }
};

/* Three bodies on a chain of pins, which the first rows are, and more rows, of which the last repeats the one before. */
struct system {
    int m, n, block, turn;
    std::vector<double> mass, force, jacobian, gamma;
    std::vector<int32_t> pins;
};

system system_make(int block, int n_more) {
    const int turn = block == 3 ? 2 : 3, n_bodies = 3, n = n_bodies * block, n_pins = n_bodies * turn;
    system s = {n_pins + n_more, n, block, turn, {}, {}, {}, {}, {}};
    numbers random;
    s.mass.assign((size_t)(n * n), 0.0);
    s.jacobian.assign((size_t)(s.m * n), 0.0);
    for (int b = 0; b < n_bodies; ++b) {
        for (int k = 0; k < block; ++k)
            s.mass[(size_t)((b * block + k) * (n + 1))] = k < turn ? 2.0 : 1.5 + 0.3 * k;
        for (int i = turn; block == 6 && i < block; ++i)
            for (int k = turn; k < block; ++k)
                s.mass[(size_t)((b * block + i) * n + b * block + k)] += 0.1;
        for (int axis = 0; axis < turn; ++axis) {
            double *row = &s.jacobian[(size_t)((b * turn + axis) * n)];
            row[b * block + axis] = 1.0;
            for (int k = turn; k < block; ++k)
                row[b * block + k] = random.next();
            if (b > 0) {
                row[(b - 1) * block + axis] = -1.0;
                for (int k = turn; k < block; ++k)
                    row[(b - 1) * block + k] = random.next();
            }
        }
        s.pins.insert(s.pins.end(), {b, b - 1, b * turn});
    }
    for (int i = n_pins; i < s.m; ++i)
        for (int k = 0; k < n; ++k)
            s.jacobian[(size_t)(i * n + k)] = i == s.m - 1 && n_more > 1 ? s.jacobian[(size_t)((i - 1) * n + k)] : random.next();
    for (int k = 0; k < n; ++k)
        s.force.push_back(random.next());
    for (int i = 0; i < s.m; ++i)
        s.gamma.push_back(i == s.m - 1 && n_more > 1 ? s.gamma.back() : random.next());
    return s;
}

void copy(const std::vector<double> &from, real *to) {
    for (size_t i = 0; i < from.size(); ++i)
        to[i] = real_set(from[i]);
}

double flops_used() {
    double flops = 0.0;
    counting::record.use_operands();
    for (const counting::operation &operation : counting::record.operations)
        flops += operation.is_used ? operation.flops : 0;
    return flops;
}

void tape_begin(const std::vector<real> &memory) {
    counting::record = counting::tape();
    counting::record.memory_begin = memory.data();
    counting::record.memory_end = memory.data() + memory.size();
}

/* What making the root takes alone. */
double root_flops(const sarrus_dense_shape *shape, sarrus_dense_lanes lanes) {
    std::vector<real> memory((size_t)(shape->n / shape->block * sarrus_dense_root_size(shape)));
    lanes.is_unsolvable = mask_none();
    tape_begin(memory);
    sarrus_dense_root_make(shape, &lanes, memory.data());
    return flops_used();
}

void check(const system &s, sarrus_formulation formulation, sarrus_pinv_method method, bool is_singular = false) {
    const sarrus_dense_shape shape = {formulation, s.m,    s.n, s.block, s.turn,
                                      method,      {SARRUS_RANK_RELATIVE, 1e-10, 0}, s.pins.data()};
    const size_t n = (size_t)s.n, m = (size_t)s.m;
    sarrus_dense_lanes lanes;
    lanes.work = lanes.lambda = nullptr;
    lanes.active = true;
    sarrus_dense_run(&shape, &lanes);
    std::vector<real> memory(n * n + n + m * n + m + n + m + lanes.n_work);
    real *mass = memory.data(), *force = mass + n * n, *jacobian = force + n, *gamma = jacobian + m * n, *a = gamma + m,
         *lambda = a + n;
    copy(s.mass, mass);
    copy(s.force, force);
    copy(s.jacobian, jacobian);
    copy(s.gamma, gamma);
    lanes.mass = mass;
    lanes.force = force;
    lanes.jacobian = jacobian;
    lanes.gamma = gamma;
    lanes.a = a;
    lanes.lambda = lambda;
    lanes.work = lambda + m;
    lanes.stop = nullptr;
    lanes.limit.max_rank = lanes.limit.previous = real_set(s.m - 1);
    lanes.limit.violation = real_set(0.0);
    lanes.limit.unit = lanes.limit.share = real_set(1.0);
    const bool has_root = formulation == SARRUS_FORMULATION_UDWADIA_KALABA || formulation == SARRUS_FORMULATION_PSEUDO_RANGE ||
                          formulation == SARRUS_FORMULATION_RANGE_SPACE;
    const double of_root = has_root ? root_flops(&shape, lanes) : 0.0;
    tape_begin(memory);
    sarrus_dense_run(&shape, &lanes);
    const double executed = flops_used() - of_root;
    double counted = lanes.flops;
    for (int k = 0; k < lanes.n_taken; ++k) {
        const sarrus_dense_taken *taken = &lanes.taken[k];
        counted += sarrus_pinv_flops(&taken->shape, (int32_t)taken->rank.value, taken->n_sweeps.value);
    }
    assert_int_equal((int)lanes.found.rank.value, formulation == SARRUS_FORMULATION_SADDLE_FACTORED ? s.m : s.m - 1);
    assert_int_equal(lanes.is_unsolvable, is_singular);
    /* A pseudoinverse whose rank is known beforehand leaves out what its count has for finding it: n or m operations. */
    if (!(std::fabs(counted - executed) <= 0.5 * (lanes.n_taken + 1) * (s.n + s.m)))
        fail_msg("formulation %d, method %d, block %d: counted %.0f, executed %.0f", formulation, method, s.block, counted,
                 executed);
}

void test_every_formulation(void **) {
    for (int block : {3, 6}) {
        const system s = system_make(block, block == 3 ? 2 : 4);
        for (sarrus_formulation formulation : formulations) {
            for (sarrus_pinv_method method : {SARRUS_PINV_HOUSEHOLDER, SARRUS_PINV_VARGA, SARRUS_PINV_MGS})
                check(s, formulation, method);
        }
    }
}

/* The factorization of the saddle matrix takes independent rows, and says where they are not. */
void test_factorization(void **) {
    for (int block : {3, 6}) {
        check(system_make(block, 1), SARRUS_FORMULATION_SADDLE_FACTORED, SARRUS_PINV_HOUSEHOLDER);
        check(system_make(block, 3), SARRUS_FORMULATION_SADDLE_FACTORED, SARRUS_PINV_HOUSEHOLDER, true);
    }
}

} // namespace

int main() {
    const CMUnitTest tests[] = {cmocka_unit_test(test_every_formulation), cmocka_unit_test(test_factorization)};
    return cmocka_run_group_tests(tests, nullptr, nullptr);
}
