#include "tests/support/pinv_cases.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/matrices.h"

static int smaller(int a, int b) {
    return a < b ? a : b;
}

const char *pinv_class_word(pinv_class class) {
    static const char *const words[N_PINV_CLASSES] = {"full",       "less-one",  "half",     "rank-one", "zero",
                                                      "zero-lines", "twins",     "integers", "diagonal", "spectrum",
                                                      "rows",       "subnormal", "tiny",     "extreme"};
    return words[class];
}

static void fill_spectrum(int m, int n, uint64_t *random, double *a) {
    const int k = smaller(m, n);
    double sigma[PINV_CASE_LARGEST];
    for (int i = 0; i < k; ++i)
        sigma[i] = k > 1 ? pow(10.0, -6.0 * i / (k - 1)) : 1.0;
    matrix_spectrum(m, n, sigma, k, random, a);
}

/* Rows times 10^-decades … 10^decades. */
static void scale_rows(int m, int n, double decades, uint64_t *random, double *a) {
    for (int i = 0; i < m; ++i) {
        const double factor = pow(10.0, decades * matrix_number(random));
        for (int j = 0; j < n; ++j)
            a[i * n + j] *= factor;
    }
}

static void repeat_line(int m, int n, double *a) {
    for (int j = 0; m <= n && j < n; ++j)
        a[(m - 1) * n + j] = a[j];
    for (int i = 0; m > n && i < m; ++i)
        a[i * n + n - 1] = a[i * n];
}

static void clear_lines(int m, int n, double *a) {
    for (int j = 0; j < n; ++j)
        a[m / 2 * n + j] = 0.0;
    for (int i = 0; i < m; ++i)
        a[i * n + n / 3] = 0.0;
}

static int rank_of_class(pinv_class class, int k) {
    switch (class) {
    case PINV_LESS_ONE:
        return k - 1;
    case PINV_HALF:
        return k / 2;
    case PINV_RANK_ONE:
        return 1;
    case PINV_ZERO:
        return 0;
    default:
        return k;
    }
}

static void fill(pinv_class class, int m, int n, uint64_t *random, double *a) {
    matrix_product(m, n, rank_of_class(class, smaller(m, n)), random, a);
    switch (class) {
    case PINV_ZERO_LINES:
        clear_lines(m, n, a);
        break;
    case PINV_TWINS:
        repeat_line(m, n, a);
        break;
    case PINV_INTEGERS:
        for (int i = 0; i < m * n; ++i)
            a[i] = matrix_number(random) < 0.0 ? 0.0 : trunc(2.999 * matrix_number(random));
        break;
    case PINV_DIAGONAL:
        for (int i = 0; i < m * n; ++i)
            a[i] = i / n == i % n ? trunc(8.0 * matrix_number(random)) : copysign(0.0, matrix_number(random));
        break;
    case PINV_SPECTRUM:
        fill_spectrum(m, n, random, a);
        break;
    case PINV_ROWS:
        scale_rows(m, n, 8.0, random, a);
        break;
    case PINV_EXTREME:
        scale_rows(m, n, 150.0, random, a);
        break;
    case PINV_SUBNORMAL:
    case PINV_TINY:
        for (int i = 0; i < m * n; ++i)
            a[i] *= class == PINV_TINY || i % 3 == 1 ? 1e-310 : 1.0;
        break;
    default:
        break;
    }
}

/* A pivot of an ordered QR may be smaller than the singular value that it stands for by a factor of the order of the size, and the
 * round-off in a matrix that is meant to be of lower rank is some tenths of eps: a margin of 300 above the threshold and of 20
 * below keeps clear of both. */
static bool is_clear(const double *sigma, int k, double threshold) {
    for (int i = 0; i < k; ++i) {
        if (sigma[i] > threshold / 20.0 && sigma[i] < 300.0 * threshold)
            return false;
    }
    return true;
}

void pinv_case_create(pinv_class class, int m, int n, uint64_t seed, pinv_case *out) {
    const size_t count = (size_t)m * (size_t)n;
    const double tolerance = 10.0 * (m > n ? m : n) * DBL_EPSILON;
    uint64_t random = seed * 1000003u + (uint64_t) class * 10007u + (uint64_t)(m * 101 + n);
    *out = (pinv_case){.class = class, .m = m, .n = n, .a = malloc(count * sizeof(double)), .x = malloc(count * sizeof(double))};
    if (!out->a || !out->x)
        abort();
    fill(class, m, n, &random, out->a);
    for (int i = 0; i < m; ++i)
        out->b[i] = matrix_number(&random);
    sarrus_multiprecision *reference = sarrus_multiprecision_create(out->a, m, n, -1, tolerance);
    if (!reference)
        abort();
    const double *sigma = sarrus_multiprecision_sigma(reference);
    out->rank = sarrus_multiprecision_rank(reference);
    out->is_clear = is_clear(sigma, smaller(m, n), tolerance * sigma[0]);
    out->kept = out->rank > 0 ? sigma[out->rank - 1] : 0.0;
    out->condition = out->rank > 0 ? sigma[0] / out->kept : 1.0;
    memcpy(out->x, sarrus_multiprecision_x(reference), count * sizeof *out->x);
    out->norm_x = matrix_norm(out->x, m * n);
    sarrus_multiprecision_destroy(reference);
}

void pinv_case_free(pinv_case *made) {
    free(made->a);
    free(made->x);
}
