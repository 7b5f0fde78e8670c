/* What is made of numbers in blocks against what is made of them at once, of more than a block. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "study/number_stream.h"

enum { N = 3 * SARRUS_STREAM_BLOCK + 4321, N_LEVELS = 5 };

typedef enum kind { UNIFORM, ALIKE, TIES, SIGNS, INFINITE, N_KINDS } kind;

typedef struct column {
    double *x;       /* [N] */
    uint8_t *status; /* [N] */
} column;

static double noise(uint64_t x) {
    x += 0x9e3779b97f4a7c15u;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return (double)((x ^ x >> 31) >> 11) * 0x1p-53;
}

static double number(kind what, uint64_t i) {
    const double x = noise(i * 7919 + (uint64_t)what);
    switch (what) {
    case UNIFORM:
        return 1.0 + x;
    case ALIKE: /* more than a block of one number, down to its last bit, and two others */
        return i == 5 ? 0.5 : i == 6 ? 7.0 : 1.0 + 0x1p-52;
    case TIES:
        return floor(5.0 * x) - 2.0;
    case SIGNS:
        return ldexp(x - 0.5, (int)(i % 600) - 300);
    case INFINITE:
        return i % 1000 == 0 ? (double)INFINITY : x;
    case N_KINDS:
        break;
    }
    return (double)NAN;
}

static void column_read(void *user, int i_column, uint64_t i_first, uint64_t n, double *x, uint8_t *status) {
    const column *from = user;
    assert_int_equal(i_column, 3);
    memcpy(status, from->status + i_first, (size_t)n);
    if (x != NULL)
        memcpy(x, from->x + i_first, (size_t)n * sizeof *x);
}

static int compare(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static bool is_same(double a, double b) {
    return a == b || (isnan(a) && isnan(b));
}

/* The numbers of one kind of instances, in their order, as a tree takes them. */
static sarrus_spread spread_at_once(const column *from, bool is_good, double *x, uint64_t *n) {
    sarrus_moment_tree tree;
    for (uint64_t i = 0; i < N; ++i)
        x[i] = (from->status[i] == 0) == is_good ? from->x[i] : (double)NAN;
    sarrus_moment_tree_begin(&tree, 0);
    *n = sarrus_moment_tree_column(&tree, x, N);
    const sarrus_moments total = sarrus_moment_tree_total(&tree);
    return sarrus_spread_with(&total, sarrus_extremes_of(x, *n));
}

static void blocks_make_what_all_make(void **state) {
    (void)state;
    const double levels[N_LEVELS] = {0.0, 0.05, 0.5, 0.95, 1.0};
    double *x = malloc(N * sizeof *x), *scratch = malloc(N * sizeof *scratch);
    column from = {malloc(N * sizeof *from.x), malloc(N)};
    sarrus_stream_room room;
    assert_true(x != NULL && scratch != NULL && from.x != NULL && from.status != NULL && sarrus_stream_room_make(&room, N));
    const sarrus_number_stream stream = {N, column_read, &from};
    for (int what = 0; what < N_KINDS; ++what) {
        for (uint64_t i = 0; i < N; ++i) {
            from.x[i] = i % 97 == 0 ? (double)NAN : number((kind)what, i);
            from.status[i] = (uint8_t)(noise(i) < 0.01 ? 1 + i % 3 : 0);
        }
        sarrus_streamed_spread found[2];
        sarrus_stream_spreads(&stream, 3, &room, found);
        for (int k = 1; k >= 0; --k) { /* the good ones last: x keeps them */
            uint64_t n = 0;
            const sarrus_spread wanted = spread_at_once(&from, k == 0, x, &n);
            assert_int_equal(found[k].n, n);
            assert_true(is_same(found[k].spread.mean, wanted.mean) && is_same(found[k].spread.sd, wanted.sd) &&
                        is_same(found[k].spread.skewness, wanted.skewness) && is_same(found[k].spread.min, wanted.min) &&
                        is_same(found[k].spread.max, wanted.max));
        }
        const uint64_t n = found[0].n, ranks[] = {0, 1, n / 3, n / 3 + 1, n / 2, n - 2, n - 1};
        double quantiles[N_LEVELS], wanted[N_LEVELS], numbers[7];
        sarrus_stream_quantiles(&stream, 3, &found[0], levels, N_LEVELS, &room, quantiles);
        sarrus_spread_quantiles(x, n, &found[0].spread, levels, N_LEVELS, scratch, wanted);
        sarrus_stream_ranks(&stream, 3, &found[0], ranks, 7, &room, numbers);
        qsort(x, (size_t)n, sizeof *x, compare);
        for (int i = 0; i < N_LEVELS; ++i)
            assert_true(is_same(quantiles[i], wanted[i]));
        for (int i = 0; i < 7; ++i)
            assert_true(numbers[i] == x[ranks[i]]);
    }
    sarrus_stream_room_free(&room);
    free(x);
    free(scratch);
    free(from.x);
    free(from.status);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_make_what_all_make),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
