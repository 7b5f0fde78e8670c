/* The pseudoinverse benchmark's nouns: what is asked for, accuracy by class and method, speed by shape and method, as the measuring
 * parts fill them and the printing part shows them. */
#ifndef SARRUS_BENCH_PINV_H
#define SARRUS_BENCH_PINV_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "sarrus/pinv.h"
#include "sarrus/sarrus.h"

#include "bench/measure/fma_peak.h"
#include "bench/pinv/matrices.h"

/* Both forms of a method; the apply form gets the unit matrix for the accuracy, so that X is A⁺, and one right side for the speed.
 */
typedef enum sarrus_bench_form { SARRUS_BENCH_EXPLICIT = 0, SARRUS_BENCH_APPLY = 1, SARRUS_BENCH_N_FORMS = 2 } sarrus_bench_form;

/* Programs for the same job. */
typedef enum sarrus_bench_peer {
    SARRUS_BENCH_PEER_DGESDD,      /* explicit: a loop of dgesdd and one dgemm */
    SARRUS_BENCH_PEER_NUMPY,       /* explicit: one call of numpy.linalg.pinv */
    SARRUS_BENCH_PEER_NUMPY_SPLIT, /* explicit: numpy.linalg.pinv on a part of the batch in each of as many Python threads */
    SARRUS_BENCH_PEER_DGELSD,      /* apply: a loop of dgelsd */
    SARRUS_BENCH_PEER_DGELSY,      /* apply: a loop of dgelsy */
    SARRUS_BENCH_N_PEERS,
} sarrus_bench_peer;

enum {
    SARRUS_BENCH_N_SHOWN = 12, /* all methods but auto, which is one of them */
    SARRUS_BENCH_PINV_REPETITIONS = 5,
    SARRUS_BENCH_PINV_THREAD_COUNTS = 2,
    SARRUS_BENCH_N_SPEED_SHAPES = 10,
    SARRUS_BENCH_MAX_SPEED_ROWS = 768,
};

/* In the order in which tables show them; the first four are gated. */
extern const sarrus_pinv_method sarrus_bench_methods[SARRUS_BENCH_N_SHOWN];
enum { SARRUS_BENCH_N_GATED = 4 };
extern const char *const sarrus_bench_peer_names[SARRUS_BENCH_N_PEERS];
extern const char *const sarrus_bench_form_names[SARRUS_BENCH_N_FORMS];

typedef struct sarrus_bench_pinv_options {
    bool json, quick, with_accuracy, with_speed;
    bool on_device;     /* the backend cuda */
    const char *python; /* of the peers on a device; NULL: python3 */
    uint64_t largest;   /* batch */
    int thread_counts[SARRUS_BENCH_PINV_THREAD_COUNTS];
    int n_thread_counts;
    int n_repetitions;
    int n_matrices; /* of each class and shape */
    double seconds; /* of one sample */
} sarrus_bench_pinv_options;

/* Worst over the matrices of a class. */
typedef struct sarrus_bench_accuracy {
    double residuals[4];   /* A X A, X A X, (A X)ᵀ, (X A)ᵀ in units of max(m, n) ε; scaled as in multiprecision.h */
    double residual;       /* the largest of them */
    double forward;        /* ‖X − A⁺‖ / ‖A⁺‖ */
    double forward_scaled; /* the same in units of ε κ, κ = σ₁/σ_r */
    int n_matrices, n_wrong_ranks;
    bool fails; /* the gate, where there is one */
} sarrus_bench_accuracy;

/* One line of a speed table: a method, or a peer (method is AUTO then), on one shape. */
typedef struct sarrus_bench_speed_row {
    bool is_peer, is_batch_size; /* a row of the table over batch sizes */
    sarrus_pinv_method method;
    sarrus_bench_peer peer;
    sarrus_bench_form form;
    int side, rank, n_threads;
    uint64_t n_matrices; /* of one call */
    int n_samples;
    double samples[SARRUS_BENCH_PINV_REPETITIONS];    /* matrices/s */
    double rate;                                      /* median */
    double n_sweeps;                                  /* mean, of an iterative method */
    double flops;                                     /* a matrix; NaN when they are not counted */
    double peak_share;                                /* of the measured peak of multiply-adds */
    double to_numpy, to_dgesdd, to_dgelsd, to_dgelsy; /* medians of ratios of neighbours in time; NaN: no such peer */
    double deviation;                                 /* largest ‖X − X_lapack‖/‖X_lapack‖ of the first matrices */
    bool fails;
} sarrus_bench_speed_row;

/* A method alone, on tiles in cache. */
typedef struct sarrus_bench_tile_rate {
    double rate;  /* matrices/s of one thread */
    double flops; /* a matrix */
} sarrus_bench_tile_rate;

typedef struct sarrus_bench_pinv_report {
    const sarrus_bench_pinv_options *options;
    sarrus_bench_accuracy accuracy[SARRUS_BENCH_N_CLASSES][SARRUS_BENCH_N_SHOWN][SARRUS_BENCH_N_FORMS];
    double condition[SARRUS_BENCH_N_CLASSES]; /* largest κ of a class */
    sarrus_bench_speed_row rows[SARRUS_BENCH_MAX_SPEED_ROWS];
    int n_rows;
    const sarrus_bench_isa *isa;
    double peaks[SARRUS_BENCH_PINV_THREAD_COUNTS];                               /* flop/s */
    sarrus_bench_tile_rate tiles[SARRUS_BENCH_N_SHOWN][SARRUS_BENCH_N_FORMS][2]; /* 12×12, rank 11; lanes differ, are alike */
    double tile_peak;                                                            /* flop/s, sampled in between */
    char numpy[64];                                                              /* version, or why it is left out */
} sarrus_bench_pinv_report;

extern const double sarrus_bench_residual_bound; /* max(m, n) ε */
extern const double sarrus_bench_pinv_deviation_bound;
extern const double sarrus_bench_speed_tolerance; /* of the relative rank rule, in peers and most rows */

/* Fill their parts of the report. On failure the diagnostics are in `context`. */
SARRUS_MUST_USE sarrus_status sarrus_bench_pinv_accuracy(sarrus_context *context, sarrus_bench_pinv_report *report);
SARRUS_MUST_USE sarrus_status sarrus_bench_pinv_speed(sarrus_context *context, sarrus_bench_pinv_report *report);

SARRUS_MUST_USE sarrus_status sarrus_bench_pinv_tiles(sarrus_bench_pinv_report *report);

/* The tolerance of the relative rank rule that a method gets in the speed rows. */
double sarrus_bench_speed_tolerance_of(sarrus_pinv_method method);

/* The row with these properties; NULL when there is none. */
const sarrus_bench_speed_row *sarrus_bench_speed_find(const sarrus_bench_pinv_report *report, const sarrus_bench_speed_row *like);

/* Tables on one stream, JSON on the other; either may be NULL. */
void sarrus_bench_pinv_show(FILE *printed, FILE *written, const sarrus_bench_pinv_report *report);

#endif
