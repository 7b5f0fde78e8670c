/* One CUDA device for a benchmark: found or refused, what it can do at most, arrays in its memory, and work timed on it. */
#ifndef SARRUS_BENCH_MEASURE_CUDA_DEVICE_H
#define SARRUS_BENCH_MEASURE_CUDA_DEVICE_H

#include <stdbool.h>

#include "sarrus/sarrus.h"

#include "backend/cuda/gpu.h"
#include "bench/report/sheet.h"

typedef struct sarrus_bench_cuda {
    const sarrus_gpu *gpu;
    sarrus_gpu_description about;
    size_t n_bytes, n_free; /* of its memory */
    void *stream;
    double flops;            /* multiply-adds, measured, flop/s */
    double bytes_per_second; /* of a copy, read and written, measured */
    int error;               /* the first one of the table; nothing is done after it */
} sarrus_bench_cuda;

/* Device 0. NO_BACKEND with a diagnostic that says what is missing; nothing is to be closed then. */
SARRUS_MUST_USE sarrus_status sarrus_bench_cuda_open(sarrus_context *context, sarrus_bench_cuda *out);
void sarrus_bench_cuda_close(sarrus_bench_cuda *cuda);

/* SARRUS_OK, or the status that the table's first error amounts to, with a diagnostic. */
SARRUS_MUST_USE sarrus_status sarrus_bench_cuda_status(sarrus_context *context, const sarrus_bench_cuda *cuda);

/* Fills flops and bytes_per_second: the best of some samples of about `seconds`. */
void sarrus_bench_cuda_measure_peaks(sarrus_bench_cuda *cuda, double seconds);

/* Memory of the device, NULL after an error; `from` not NULL: its content. */
void *sarrus_bench_cuda_array(sarrus_bench_cuda *cuda, size_t n_bytes, const void *from);
void sarrus_bench_cuda_free(sarrus_bench_cuda *cuda, void *array);
void sarrus_bench_cuda_download(sarrus_bench_cuda *cuda, const void *array, size_t n_bytes, void *to);

/* Seconds of one call of `work`, which queues something on cuda->stream and returns its error: some are queued, then waited for, so
 * that what a launch costs the host is hidden as it is in use. As many as take about `seconds`. */
double sarrus_bench_cuda_time(sarrus_bench_cuda *cuda, double seconds, int (*work)(void *user), void *user);

/* The device and its peaks: a line, and members of the object that is open. */
void sarrus_bench_cuda_show(sarrus_sheet *sheet, const sarrus_bench_cuda *cuda);

#endif
