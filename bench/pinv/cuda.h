/* The pseudoinverse benchmark on a CUDA device: rows of our own kernels, of cuSOLVER and of Python's libraries, on the same
 * matrices in the device's memory, in one run. */
#ifndef SARRUS_BENCH_PINV_CUDA_H
#define SARRUS_BENCH_PINV_CUDA_H

#include "bench/measure/cuda_device.h"
#include "bench/pinv/pinv.h"

enum {
    SARRUS_BENCH_CUDA_SAMPLES = 5,
    SARRUS_BENCH_CUDA_JUDGED = 32,     /* matrices whose results are looked at */
    SARRUS_BENCH_CUDA_DISTINCT = 4096, /* matrices that differ; larger batches repeat them */
    SARRUS_BENCH_CUDA_ROWS = 512,
};

typedef enum sarrus_bench_maker {
    SARRUS_BENCH_SARRUS,   /* a method, as the library chooses between threads and groups */
    SARRUS_BENCH_THREADS,  /* the same method with a thread a matrix where a group would be chosen */
    SARRUS_BENCH_CUSOLVER, /* gesvdjBatched or XsyevBatched, and what makes a pseudoinverse of it */
    SARRUS_BENCH_PYTHON,   /* torch, CuPy, JAX */
} sarrus_bench_maker;

/* The two of cuSOLVER. */
typedef enum sarrus_bench_library { SARRUS_BENCH_GESVDJ, SARRUS_BENCH_SYEV, SARRUS_BENCH_N_LIBRARY } sarrus_bench_library;

typedef struct sarrus_bench_cuda_row {
    sarrus_bench_maker maker;
    char name[32];
    sarrus_pinv_method method; /* of ours */
    sarrus_bench_form form;
    int side, rank, i_batch;
    uint64_t n_matrices;
    const char *variant; /* "group", "thread", "" */
    int n_samples;
    double samples[SARRUS_BENCH_CUDA_SAMPLES]; /* matrices/s */
    double rate;                               /* median */
    double n_sweeps, flops;                    /* mean; a matrix, NaN where they are not counted */
    double peak_share, memory_share;           /* of the measured multiply-adds; of the measured copy, A in and X out */
    double residual;                           /* explicit: largest of the Penrose residuals, in max(m, n) ε */
    double deviation;                          /* largest ‖X − X_lapack‖/‖X_lapack‖ */
    uint64_t n_not_converged;                  /* of the library, as it says */
    bool is_gated, fails;
} sarrus_bench_cuda_row;

typedef struct sarrus_bench_cuda_report {
    const sarrus_bench_pinv_options *options;
    sarrus_bench_cuda cuda;
    sarrus_bench_cuda_row rows[SARRUS_BENCH_CUDA_ROWS];
    int n_rows, n_batches;
    char library[256]; /* why cuSOLVER's rows are missing; "" when they are not */
    char peers[512];   /* what Python's libraries said of themselves, one after another */
} sarrus_bench_cuda_report;

/* One batch in the device's memory. */
typedef struct sarrus_bench_cuda_batch {
    sarrus_bench_cuda *cuda;
    int side, rank, i_batch; /* rows of one number are of the same batch */
    uint64_t n_matrices;
    double *host_a, *host_b; /* [n_distinct][side][side], [n_distinct][side] */
    uint64_t n_distinct;
    double *expected[SARRUS_BENCH_N_FORMS]; /* of the judged ones */
    double *a, *b, *x;                      /* device: [n_matrices][side][side], [n_matrices][side], as a */
    int32_t *max_rank;                      /* device: the rank */
    double *n_sweeps;                       /* device */
} sarrus_bench_cuda_batch;

/* `sarrus bench pinv --backend cuda`: measures and reports. `file` NULL: no JSON beside what is printed. */
SARRUS_MUST_USE sarrus_status sarrus_bench_pinv_cuda(sarrus_context *context, const sarrus_bench_pinv_options *options, FILE *file,
                                                     int *n_failures);

/* Adds a row; NULL when there is no room. */
sarrus_bench_cuda_row *sarrus_bench_cuda_row_add(sarrus_bench_cuda_report *report, const sarrus_bench_cuda_batch *batch,
                                                 sarrus_bench_maker maker, const char *name, sarrus_bench_form form);

/* Residual and deviation of x (host) [JUDGED][…], and the gate. */
void sarrus_bench_cuda_judge(const sarrus_bench_cuda_batch *batch, const double *x, sarrus_bench_cuda_row *row);

/* cuSOLVER's rows on this batch. */
void sarrus_bench_cuda_library(sarrus_bench_cuda_report *report, const sarrus_bench_cuda_batch *batch);

/* The rows of Python's libraries, of batches of these sizes of the distinct matrices in `batch`. */
void sarrus_bench_cuda_peers(sarrus_bench_cuda_report *report, const sarrus_bench_cuda_batch *batch);

void sarrus_bench_cuda_report_show(FILE *printed, FILE *written, const sarrus_bench_cuda_report *report);

#endif
