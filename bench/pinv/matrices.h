/* The matrices of `sarrus bench pinv`: classes with a known difficulty, the same ones in every run. Row-major. */
#ifndef SARRUS_BENCH_PINV_MATRICES_H
#define SARRUS_BENCH_PINV_MATRICES_H

#include <stdbool.h>
#include <stdint.h>

enum { SARRUS_BENCH_MAX_SHAPES = 4, SARRUS_BENCH_N_CLASSES = 22 };

typedef struct sarrus_bench_shape {
    int m, n;
} sarrus_bench_shape;

/* A class of matrices, and how their rank is to be decided. */
typedef struct sarrus_bench_class {
    const char *name;
    double tolerance;     /* of the relative rank rule; 0: the automatic one */
    int held_rank;        /* most that may count under the automatic rule, as in a mechanism whose rank is known; 0: no limit */
    bool rank_is_defined; /* no singular value is anywhere near the threshold: every method must find the rank */
    int n_shapes;
    sarrus_bench_shape shapes[SARRUS_BENCH_MAX_SHAPES];
    int n_matrices; /* of each shape; 0: as many as wanted */
    void (*fill)(int m, int n, int i_matrix, double parameter, double *a);
    double parameter; /* of `fill` */
    const char *text;
} sarrus_bench_class;

extern const sarrus_bench_class sarrus_bench_classes[SARRUS_BENCH_N_CLASSES];

/* a[m][n] = U diag(σ) Vᵀ of this rank with random orthogonal U and V, σ random between 1/condition and 1 (logarithmically). */
void sarrus_bench_matrix_random(int m, int n, int rank, double condition, uint64_t seed, double *a);

/* Numbers that depend on the seed and their place alone: uniform in (0, 1), and normal. */
double sarrus_bench_uniform(uint64_t seed, uint64_t place);
double sarrus_bench_normal(uint64_t seed, uint64_t place);

/* Jacobians of linkages, J M^{-1/2}, in closed form (linkages.c). `parameter` is the size of a random displacement off the
 * constraints (relative to the linkage), or the distance of the crank's angle from 90° for the singular ones. */
void sarrus_bench_five_bar(int m, int n, int i_matrix, double parameter, double *a);              /* 12×12 */
void sarrus_bench_five_bar_singular(int m, int n, int i_matrix, double parameter, double *a);     /* 12×12 */
void sarrus_bench_slider_crank(int m, int n, int i_matrix, double parameter, double *a);          /* 8×9 */
void sarrus_bench_slider_crank_singular(int m, int n, int i_matrix, double parameter, double *a); /* 8×9 */
void sarrus_bench_andrews(int m, int n, int i_matrix, double parameter, double *a);               /* 20×21 */

#endif
