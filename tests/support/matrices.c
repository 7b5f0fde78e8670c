#include "tests/support/matrices.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

double matrix_number(uint64_t *state) {
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (double)(int64_t)*state / 9223372036854775808.0;
}

static long double *wide_numbers(int count) {
    long double *x = calloc((size_t)(count > 0 ? count : 1), sizeof *x);
    if (!x)
        abort();
    return x;
}

/* out [m][n] ← left [m][inner] right [inner][n]. */
static void multiply(const long double *left, const long double *right, const int *size, long double *out) {
    const int m = size[0], inner = size[1], n = size[2];
    for (int i = 0; i < m; ++i) {
        for (int j = 0; j < n; ++j)
            out[i * n + j] = 0.0L;
        for (int k = 0; k < inner; ++k) {
            for (int j = 0; j < n; ++j)
                out[i * n + j] += left[i * inner + k] * right[k * n + j];
        }
    }
}

void matrix_product(int m, int n, int rank, uint64_t *state, double *a) {
    long double *left = wide_numbers(m * rank), *right = wide_numbers(rank * n), *product = wide_numbers(m * n);
    for (int i = 0; i < m * rank; ++i)
        left[i] = matrix_number(state);
    for (int i = 0; i < rank * n; ++i)
        right[i] = matrix_number(state);
    multiply(left, right, (int[]){m, rank, n}, product);
    for (int i = 0; i < m * n; ++i)
        a[i] = (double)product[i];
    free(left);
    free(right);
    free(product);
}

/* rows [count][n]: random and orthonormal (Gram-Schmidt, twice is enough). */
static long double *orthonormal_rows(int count, int n, uint64_t *state) {
    long double *rows = wide_numbers(count * n);
    for (int i = 0; i < count; ++i) {
        long double *x = rows + i * n, square = 0.0L;
        for (int k = 0; k < n; ++k)
            x[k] = matrix_number(state);
        for (int j = 0; j < 2 * i; ++j) {
            const long double *y = rows + j % i * n;
            long double product = 0.0L;
            for (int k = 0; k < n; ++k)
                product += x[k] * y[k];
            for (int k = 0; k < n; ++k)
                x[k] -= product * y[k];
        }
        for (int k = 0; k < n; ++k)
            square += x[k] * x[k];
        for (int k = 0; k < n; ++k)
            x[k] /= sqrtl(square);
    }
    return rows;
}

void matrix_spectrum(int m, int n, const double *sigma, int n_sigma, uint64_t *state, double *a) {
    long double *u = orthonormal_rows(n_sigma, m, state), *v = orthonormal_rows(n_sigma, n, state);
    for (int i = 0; i < m; ++i) {
        for (int j = 0; j < n; ++j) {
            long double sum = 0.0L;
            for (int k = 0; k < n_sigma; ++k)
                sum += u[k * m + i] * sigma[k] * v[k * n + j];
            a[i * n + j] = (double)sum;
        }
    }
    free(u);
    free(v);
}

/* ‖x − y‖. */
static long double distance(const long double *x, const long double *y, int count) {
    long double sum = 0.0L;
    for (int i = 0; i < count; ++i)
        sum += (x[i] - y[i]) * (x[i] - y[i]);
    return sqrtl(sum);
}

static long double asymmetry(const long double *x, int n) {
    long double sum = 0.0L;
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < n; ++j)
            sum += (x[i * n + j] - x[j * n + i]) * (x[i * n + j] - x[j * n + i]);
    }
    return sqrtl(sum);
}

static long double norm(const long double *x, int count) {
    long double sum = 0.0L;
    for (int i = 0; i < count; ++i)
        sum += x[i] * x[i];
    return sqrtl(sum);
}

double matrix_norm(const double *x, int count) {
    long double sum = 0.0L;
    for (int i = 0; i < count; ++i)
        sum += (long double)x[i] * x[i];
    return (double)sqrtl(sum);
}

static double quotient(long double value, long double divisor) {
    return value == 0.0L ? 0.0 : (double)(value / divisor);
}

void matrix_measure(int m, int n, const double *a, const double *x, const double *x_true, sarrus_multiprecision_error *out) {
    const int largest = m > n ? m : n;
    long double *wa = wide_numbers(m * n), *wx = wide_numbers(m * n), *wt = wide_numbers(m * n);
    long double *product = wide_numbers(largest * largest), *triple = wide_numbers(m * n);
    for (int i = 0; i < m * n; ++i) {
        wa[i] = a[i];
        wx[i] = x[i];
        wt[i] = x_true[i];
    }
    const long double norm_a = norm(wa, m * n), norm_x = norm(wx, m * n);
    multiply(wa, wx, (int[]){m, n, m}, product);
    out->ax = quotient(asymmetry(product, m), norm_a * norm_x);
    multiply(product, wa, (int[]){m, m, n}, triple);
    out->axa = quotient(distance(triple, wa, m * n), norm_a * norm_a * norm_x);
    multiply(wx, wa, (int[]){n, m, n}, product);
    out->xa = quotient(asymmetry(product, n), norm_a * norm_x);
    multiply(product, wx, (int[]){n, n, m}, triple);
    out->xax = quotient(distance(triple, wx, m * n), norm_a * norm_x * norm_x);
    out->forward = quotient(distance(wx, wt, m * n), norm(wt, m * n));
    free(wa);
    free(wx);
    free(wt);
    free(product);
    free(triple);
}
