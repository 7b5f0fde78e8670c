/* The peers of the pseudoinverse benchmark: loops of LAPACK calls over matrices, and NumPy in a process of its own. */
#ifndef SARRUS_BENCH_PINV_PEERS_H
#define SARRUS_BENCH_PINV_PEERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#include "bench/pinv/pinv.h"

/* A batch of square matrices and their right sides. Row-major. */
typedef struct sarrus_bench_matrices {
    int side, rank;
    uint64_t count;
    double *a; /* [count][side][side] */
    double *b; /* [count][side] */
    double *x; /* [count][side][side] of the explicit form, [count][side] of the other */
} sarrus_bench_matrices;

/* Works through the first n_matrices, matrices over threads, LAPACK itself on one thread each: a loop of dgesdd (A⁺ formed by
 * dgemm), dgelsd or dgelsy (one right side). False when memory ran out or LAPACK reported an error. */
bool sarrus_bench_lapack_run(sarrus_bench_peer peer, const sarrus_bench_matrices *matrices, uint64_t n_matrices, int n_threads);

/* A running bench/peers/numpy_pinv.py. */
typedef struct sarrus_bench_numpy {
    pid_t process; /* 0: not there */
    FILE *to, *from;
    char version[48];
} sarrus_bench_numpy;

/* Starts it with this many OpenBLAS threads; version says why when it is not there. */
void sarrus_bench_numpy_start(int n_threads, sarrus_bench_numpy *out);
void sarrus_bench_numpy_stop(sarrus_bench_numpy *numpy);

/* Hands over the first `count` matrices. False when that failed: NumPy is then left out. */
bool sarrus_bench_numpy_load(sarrus_bench_numpy *numpy, const sarrus_bench_matrices *matrices, uint64_t count);

/* Matrices/s over about `seconds`, the batch split over so many Python threads (1: one call); NaN on failure. *x, when not NULL,
 * gets the first n_kept pseudoinverses [n_kept][side][side]. */
double sarrus_bench_numpy_time(sarrus_bench_numpy *numpy, double seconds, int n_parts);
bool sarrus_bench_numpy_result(sarrus_bench_numpy *numpy, size_t n_values, double *x);

#endif
