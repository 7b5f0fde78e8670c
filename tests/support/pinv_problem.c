#include "tests/support/pinv_problem.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/support/matrices.h"

void *pinv_zeroed(size_t count, size_t size) {
    void *memory = calloc(count > 0 ? count : 1, size);
    assert_non_null(memory);
    return memory;
}

size_t pinv_problem_x_size(const pinv_problem *p) {
    return (size_t)p->n * (size_t)(p->n_rhs > 0 ? p->n_rhs : p->m);
}

pinv_problem pinv_problem_create(int m, int n, int n_rhs, uint64_t count, bool has_spoilt) {
    pinv_problem p = {m, n, n_rhs, count, NULL, NULL, NULL, NULL};
    const size_t n_a = (size_t)(m * n), n_b = (size_t)(m * n_rhs);
    const int most = m < n ? m : n;
    uint64_t random = (uint64_t)(100 * m + n);
    p.a = pinv_zeroed(count * n_a, sizeof *p.a);
    p.b = n_rhs > 0 ? pinv_zeroed(count * n_b, sizeof *p.b) : NULL;
    p.violation = pinv_zeroed(count, sizeof *p.violation);
    p.max_rank = pinv_zeroed(count, sizeof *p.max_rank);
    for (uint64_t i = 0; i < count; ++i) {
        matrix_product(m, n, i % 4 == 1 ? most - 1 : most, &random, p.a + i * n_a);
        p.max_rank[i] = i % 7 == 3 ? most - 1 : i % 11 == 5 ? most + 3 : most;
        p.violation[i] = 1e-9 * (double)(i % 3);
    }
    for (size_t i = 0; i < count * n_b; ++i)
        p.b[i] = matrix_number(&random);
    if (has_spoilt && count > 9) {
        p.a[5 * n_a + n_a / 2] = (double)NAN;
        p.a[9 * n_a] = -(double)INFINITY;
        if (n_rhs > 0)
            p.b[7 * n_b + n_b - 1] = (double)INFINITY;
    }
    return p;
}

void pinv_problem_free(pinv_problem *p) {
    free(p->a);
    free(p->b);
    free(p->violation);
    free(p->max_rank);
}

pinv_result pinv_result_create(const pinv_problem *p) {
    return (pinv_result){pinv_zeroed(p->count * pinv_problem_x_size(p), sizeof(double)), pinv_zeroed(p->count, sizeof(double)),
                         pinv_zeroed(p->count, sizeof(double)), pinv_zeroed(p->count, sizeof(double)),
                         pinv_zeroed(p->count, sizeof(int32_t))};
}

void pinv_result_free(pinv_result *r) {
    free(r->x);
    free(r->kept);
    free(r->dropped);
    free(r->n_sweeps);
    free(r->rank);
}

sarrus_pinv_batch pinv_problem_batch(const pinv_problem *p, const pinv_result *r) {
    return (sarrus_pinv_batch){p->count,    p->m,         p->n,    p->n_rhs, p->a,       p->b,       r->x,
                               p->max_rank, p->violation, r->rank, r->kept,  r->dropped, r->n_sweeps};
}

bool pinv_bits_agree(const double *left, const double *right, size_t count) {
    for (size_t i = 0; i < count; ++i) {
        if (memcmp(&left[i], &right[i], sizeof *left) != 0 && !(isnan(left[i]) && isnan(right[i])))
            return false;
    }
    return true;
}

bool pinv_results_agree(const pinv_problem *p, const pinv_result *left, const pinv_result *right) {
    return pinv_bits_agree(left->x, right->x, p->count * pinv_problem_x_size(p)) &&
           pinv_bits_agree(left->kept, right->kept, p->count) && pinv_bits_agree(left->dropped, right->dropped, p->count) &&
           memcmp(left->rank, right->rank, p->count * sizeof *left->rank) == 0;
}

void pinv_sweeps_agree(const pinv_problem *p, const pinv_result *left, const pinv_result *right) {
    for (uint64_t i = 0; i < p->count; ++i)
        assert_true(left->n_sweeps[i] == right->n_sweeps[i] || left->rank[i] == 0);
}
