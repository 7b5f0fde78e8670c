#include "bench/pinv/matrices.h"

#include <math.h>
#include <string.h>

enum { MAX_SIDE = 64 };

/* SplitMix64 (Steele, Lea, Flood 2014): every bit of the result depends on every bit of z. */
static uint64_t mixed(uint64_t z) {
    z += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

double sarrus_bench_uniform(uint64_t seed, uint64_t place) {
    const uint64_t bits = mixed(mixed(seed) ^ place) >> 12;
    return ((double)bits + 0.5) * 0x1p-52;
}

double sarrus_bench_normal(uint64_t seed, uint64_t place) {
    const double u = sarrus_bench_uniform(seed, 2 * place), v = sarrus_bench_uniform(seed, 2 * place + 1);
    return sqrt(-2.0 * log(u)) * cos(6.283185307179586 * v);
}

/* Reflects the `count` numbers at x, `stride` apart, by I − 2 v vᵀ / vᵀv. */
static void reflect(const double *v, int count, double *x, int stride) {
    double product = 0.0, square = 0.0;
    for (int i = 0; i < count; ++i) {
        product += v[i] * x[i * stride];
        square += v[i] * v[i];
    }
    for (int i = 0; i < count; ++i)
        x[i * stride] -= 2.0 * product / square * v[i];
}

/* a ← U a Vᵀ with products of random reflections U and V: as many as give every direction its share. */
static void turn_at_random(int m, int n, uint64_t seed, double *a) {
    double v[MAX_SIDE];
    for (int k = 0; k < (m < 8 ? m : 8); ++k) {
        for (int i = 0; i < m; ++i)
            v[i] = sarrus_bench_normal(seed, (uint64_t)(k * m + i));
        for (int j = 0; j < n; ++j)
            reflect(v, m, a + j, n);
    }
    for (int k = 0; k < (n < 8 ? n : 8); ++k) {
        for (int j = 0; j < n; ++j)
            v[j] = sarrus_bench_normal(seed ^ 0x5eed, (uint64_t)(k * n + j));
        for (int i = 0; i < m; ++i)
            reflect(v, n, a + i * n, 1);
    }
}

void sarrus_bench_matrix_random(int m, int n, int rank, double condition, uint64_t seed, double *a) {
    memset(a, 0, (size_t)m * (size_t)n * sizeof *a);
    for (int i = 0; i < rank; ++i)
        a[i * n + i] = pow(condition, -sarrus_bench_uniform(seed ^ 0x516a, (uint64_t)i));
    turn_at_random(m, n, seed, a);
}

static uint64_t seed_of(int m, int n, int i_matrix) {
    return (uint64_t)i_matrix << 32 | (uint64_t)m << 16 | (uint64_t)n;
}

static void fill_normal(int m, int n, int i_matrix, double parameter, double *a) {
    (void)parameter;
    for (int i = 0; i < m * n; ++i)
        a[i] = sarrus_bench_normal(seed_of(m, n, i_matrix), (uint64_t)i);
}

/* A product of two matrices of whole numbers −3 … 3: no rounding, so the rank is exact. */
static void fill_deficient(int m, int n, int i_matrix, double parameter, double *a) {
    const int inner = (int)(parameter * (m < n ? m : n));
    const uint64_t seed = seed_of(m, n, i_matrix) ^ 0xdef;
    for (int i = 0; i < m; ++i) {
        for (int j = 0; j < n; ++j) {
            double sum = 0.0;
            for (int k = 0; k < inner; ++k) {
                sum += floor(7.0 * sarrus_bench_uniform(seed, (uint64_t)(i * inner + k)) - 3.0) *
                       floor(7.0 * sarrus_bench_uniform(~seed, (uint64_t)(k * n + j)) - 3.0);
            }
            a[i * n + j] = sum;
        }
    }
}

/* Singular values 1 … `parameter`, falling by equal factors. */
static void fill_graded(int m, int n, int i_matrix, double parameter, double *a) {
    const int count = m < n ? m : n;
    memset(a, 0, (size_t)m * (size_t)n * sizeof *a);
    for (int i = 0; i < count; ++i)
        a[i * n + i] = pow(parameter, i / (count - 1.0));
    turn_at_random(m, n, seed_of(m, n, i_matrix), a);
}

/* Row i is 10^-i times random numbers. */
static void fill_graded_rows(int m, int n, int i_matrix, double parameter, double *a) {
    fill_normal(m, n, i_matrix, parameter, a);
    for (int i = 0; i < m * n; ++i)
        a[i] *= pow(10.0, -(i / n));
}

/* Kahan's triangle: s^i on the diagonal, −c s^i to its right, c = parameter, s² = 1 − c². Column pivoting leaves it as it is, and
 * its last pivot is far larger than its smallest singular value. The diagonal falls a little faster so that rounding cannot turn
 * it. */
static void fill_kahan(int m, int n, int i_matrix, double parameter, double *a) {
    (void)i_matrix;
    const double s = sqrt(1.0 - parameter * parameter);
    for (int i = 0; i < m; ++i) {
        for (int j = 0; j < n; ++j) {
            const double row = pow(s, i);
            a[i * n + j] = j < i ? 0.0 : (j > i ? -parameter * row : row * (1.0 + 1e-13 * (n - i)));
        }
    }
}

static void fill_hilbert(int m, int n, int i_matrix, double parameter, double *a) {
    (void)i_matrix;
    (void)parameter;
    for (int i = 0; i < m; ++i) {
        for (int j = 0; j < n; ++j)
            a[i * n + j] = 1.0 / (i + j + 1);
    }
}

/* Läuchli: a row of ones over parameter·I, or its transpose when m < n. */
static void fill_lauchli(int m, int n, int i_matrix, double parameter, double *a) {
    (void)i_matrix;
    for (int i = 0; i < m; ++i) {
        for (int j = 0; j < n; ++j) {
            const int along = m > n ? i : j, across = m > n ? j : i;
            a[i * n + j] = along == 0 ? 1.0 : (along == across + 1 ? parameter : 0.0);
        }
    }
}

static void fill_zero(int m, int n, int i_matrix, double parameter, double *a) {
    (void)i_matrix;
    (void)parameter;
    memset(a, 0, (size_t)m * (size_t)n * sizeof *a);
}

/* The relative thresholds stand where no singular value is: between round-off (some 1e-15 of the largest) and the smallest one
 * that the class has by construction. */
const sarrus_bench_class sarrus_bench_classes[SARRUS_BENCH_N_CLASSES] = {
    /* clang-format off */
    {"random m < n",            1e-12, 0, true, 2, {{8, 12}, {20, 30}}, 0, fill_normal, 0.0, "normal random numbers"},
    {"random m = n",            1e-12, 0, true, 2, {{12, 12}, {24, 24}}, 0, fill_normal, 0.0, "normal random numbers"},
    {"random m > n",            1e-12, 0, true, 2, {{12, 8}, {30, 20}}, 0, fill_normal, 0.0, "normal random numbers"},
    {"rank deficient",          1e-12, 0, true, 3, {{8, 12}, {12, 12}, {12, 8}}, 0, fill_deficient, 0.67,
     "products of whole numbers, of two thirds of the full rank"},
    {"graded values",           1e-12, 0, true, 3, {{8, 12}, {8, 8}, {12, 8}}, 0, fill_graded, 1e-8,
     "singular values 1 to 1e-8, by equal factors"},
    {"graded rows",             1e-12, 0, true, 3, {{8, 12}, {8, 8}, {12, 8}}, 0, fill_graded_rows, 0.0,
     "row i is 10^-i times normal random numbers"},
    {"five-bar, assembled",     1e-12, 0, true, 1, {{12, 12}}, 0, sarrus_bench_five_bar, 0.0, "rank 11: one constraint too many"},
    {"five-bar, off by 1e-3",   1e-13, 0, true, 1, {{12, 12}}, 0, sarrus_bench_five_bar, 1e-3,
     "off the manifold: rank 12, the smallest singular value is as the violation"},
    {"five-bar, off by 1e-6",   1e-13, 0, true, 1, {{12, 12}}, 0, sarrus_bench_five_bar, 1e-6, "off the manifold: rank 12"},
    {"five-bar, off by 1e-9",   1e-13, 0, true, 1, {{12, 12}}, 0, sarrus_bench_five_bar, 1e-9, "off the manifold: rank 12"},
    {"five-bar, 1e-6, held 11", 0.0, 11, false, 1, {{12, 12}}, 0, sarrus_bench_five_bar, 1e-6,
     "off the manifold, rank held at 11: what methods leave out differs by the violation"},
    {"slider-crank",            1e-12, 0, true, 1, {{8, 9}}, 0, sarrus_bench_slider_crank, 1e-3, "assembled and off by 1e-3"},
    {"Andrews",                 1e-12, 0, true, 1, {{20, 21}}, 0, sarrus_bench_andrews, 1e-3, "assembled and off by 1e-3"},
    {"five-bar near 90 deg",    1e-12, 0, true, 1, {{12, 12}}, 7, sarrus_bench_five_bar_singular, 0.0,
     "rank 11, falling to 10 at 90 degrees; 1e-2 to 1e-8 away from it"},
    {"slider-crank near 90 deg", 1e-12, 0, true, 1, {{8, 9}}, 7, sarrus_bench_slider_crank_singular, 0.0,
     "rank 8, falling to 7 when folded; 1e-2 to 1e-8 away from it"},
    {"Kahan",                   1e-12, 0, true, 3, {{12, 12}, {32, 32}, {64, 64}}, 1, fill_kahan, 0.285,
     "the last pivot hides the smallest singular value"},
    {"Hilbert 8",               1e-12, 0, true, 1, {{8, 8}}, 1, fill_hilbert, 0.0, "condition 1.5e10"},
    {"Hilbert 12",              0.0, 0, false, 1, {{12, 12}}, 1, fill_hilbert, 0.0, "condition 1.7e16: no gap, no rank"},
    {"Lauchli 1e-5",            1e-12, 0, true, 2, {{9, 8}, {8, 9}}, 1, fill_lauchli, 1e-5, "a row of ones over 1e-5 I"},
    {"Lauchli 1e-8",            1e-12, 0, true, 2, {{9, 8}, {8, 9}}, 1, fill_lauchli, 1e-8,
     "a row of ones over 1e-8 I: its Gram matrix is singular in doubles"},
    {"zero",                    1e-12, 0, true, 2, {{12, 12}, {8, 12}}, 1, fill_zero, 0.0, "nothing but zeros"},
    {"rank one",                1e-12, 0, true, 2, {{12, 12}, {8, 12}}, 0, fill_deficient, 0.13, "products of whole numbers"},
    /* clang-format on */
};
