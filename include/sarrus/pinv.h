/* Pseudoinverses of many matrices at once: the methods of the simulator without a mechanism (S5, "Review of methods for computing
 * the Moore-Penrose pseudoinverse matrix"). */
#ifndef SARRUS_PINV_H
#define SARRUS_PINV_H

#include <stdint.h>

#include "sarrus/batch.h"
#include "sarrus/context.h"
#include "sarrus/method.h"

#ifdef __cplusplus
extern "C" {
#endif

/* How. Zero-initialize: auto method, auto rank, all processors, best instruction set. */
typedef struct sarrus_pinv_options {
    sarrus_pinv_method method;      /* AUTO: householder; LAPACK: dgelsd and dgesdd, one matrix at a time */
    sarrus_rank_method rank_method; /* AUTO: x > 10 max(m, n) ε x₁, at most max_rank */
    double rank_tolerance;          /* 0: the rank method's default; tikhonov must have one (below) */
    int n_threads;                  /* 0: all processors */
    const char *isa;                /* "avx512", "avx2", "baseline"; NULL: the best one */
    sarrus_backend backend;         /* AUTO: the CPU, where the matrices are; CUDA: all devices, n_threads and isa not used */
} sarrus_pinv_options;

/* The matrices and where the results go; the caller owns all arrays, none may overlap another. Row-major. */
typedef struct sarrus_pinv_batch {
    uint64_t n_matrices;
    int m, n;                /* 1 … 4096; above 64 every method but auto and lapack is refused, and auto is lapack */
    int n_rhs;               /* 0: the explicit form, x = A⁺; else x = A⁺ B; … 4096 */
    const double *a;         /* [n_matrices][m][n] */
    const double *b;         /* [n_matrices][m][n_rhs]; NULL with the explicit form */
    double *x;               /* [n_matrices][n][n_rhs] | [n_matrices][n][m] out */
    const int32_t *max_rank; /* [n_matrices] of the rank methods auto and tracked; NULL: min(m, n). truncated must have it */
    const double *violation; /* [n_matrices] ‖Φ‖ of the rank method violation; NULL: 0 */
    int32_t *rank;           /* [n_matrices] out; NULL: not wanted */
    double *kept,
        *dropped;     /* [n_matrices] out: smallest size (singular value, or pivot) that counts, largest that does not; NULL */
    double *n_sweeps; /* [n_matrices] out: sweeps of an iterative method; NULL */
} sarrus_pinv_batch;

/* Computes all of them. A matrix with a NaN or an infinity gives NaN and rank 0, a B with one gives NaN, and neither harms any
 * other; an A⁺ beyond the range of a double gives infinities. A matrix's bits depend on nothing but itself and the options; NULL
 * options are the defaults. Two methods would invert what is round-off, and are refused (BAD_ARGUMENT): truncated without
 * max_rank, and tikhonov with a threshold below √(max(m, n) ε) of the largest singular value (with the rule absolute: with no
 * tolerance; with gap: always; with violation: when it is below that for any matrix). Errors: BAD_ARGUMENT, UNSUPPORTED (size;
 * lapack on a device), NO_BACKEND (isa; no device), NO_MEMORY; then nothing was written. A device that fails under way is
 * NO_BACKEND too, and has left some results unwritten. */
SARRUS_MUST_USE sarrus_status sarrus_pinv_compute(sarrus_context *context, const sarrus_pinv_options *options,
                                                  const sarrus_pinv_batch *batch);

/* The options with what a call takes in place of `auto` and of a tolerance of 0, for m×n matrices; NULL are the defaults. Values of
 * method and rank_method that do not exist, and a tolerance that is none, stay as they are. */
sarrus_pinv_options sarrus_pinv_options_resolve(const sarrus_pinv_options *options, int m, int n);

/* Additions and multiplications that the method takes for one m×n matrix of this rank (an FMA is two), n_sweeps of an iterative
 * one; NaN for lapack, and for methods and sizes that there are not. */
double sarrus_pinv_count_flops(const sarrus_pinv_options *options, int m, int n, int n_rhs, int rank, double n_sweeps);

#ifdef __cplusplus
}
#endif

#endif
