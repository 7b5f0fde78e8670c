/* Matrices for the tests of pseudoinverses, row-major, and how good a computed one is. */
#ifndef TESTS_SUPPORT_MATRICES_H
#define TESTS_SUPPORT_MATRICES_H

#include <stdint.h>

#include "bench/measure/multiprecision.h"

/* Uniform in [-1, 1]; a fixed sequence. */
double matrix_number(uint64_t *state);

/* a [m][n]: the product of two random matrices of `rank` columns and rows. */
void matrix_product(int m, int n, int rank, uint64_t *state, double *a);

/* a [m][n] = U diag(sigma) Vᵀ with random orthonormal columns, sigma [n_sigma], n_sigma ≤ min(m, n). */
void matrix_spectrum(int m, int n, const double *sigma, int n_sigma, uint64_t *state, double *a);

/* The residuals of sarrus_multiprecision_measure in long double, which is some hundred times quicker and off by max(m, n) 1e-19.
 * x_true [n][m] is A⁺. */
void matrix_measure(int m, int n, const double *a, const double *x, const double *x_true, sarrus_multiprecision_error *out);

/* ‖x‖ (Frobenius). */
double matrix_norm(const double *x, int count);

#endif
