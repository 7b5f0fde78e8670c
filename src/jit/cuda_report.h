/* What a CUDA kernel takes of a multiprocessor, as its compiler reports it, and the launch bounds that follow. */
#ifndef SARRUS_JIT_CUDA_REPORT_H
#define SARRUS_JIT_CUDA_REPORT_H

#include <stdbool.h>
#include <stdint.h>

typedef struct sarrus_cuda_report {
    int32_t n_registers;    /* of a thread, 4 bytes each */
    int32_t n_stack_bytes;  /* local memory of a thread, of all functions that may be active at once */
    int32_t n_spill_stores; /* bytes, of all functions but the SVD: code is straight, so it is what an evaluation stores at most */
    int32_t n_spill_loads;
    int32_t n_shared_bytes; /* of a block */
    bool has_stretches;     /* the spills are those of the function that ordinary steps are made in (kernels/step/stretch.h) */
} sarrus_cuda_report;

/* __launch_bounds__: threads of a block, and blocks that a multiprocessor is to hold at once. */
typedef struct sarrus_cuda_bounds {
    int32_t n_threads, n_blocks;
} sarrus_cuda_bounds;

/* The resources of `kernel` from the verbose report of ptxas; false when it is not there. */
bool sarrus_cuda_report_read(const char *text, const char *kernel, sarrus_cuda_report *out);

/* Bounds worth trying, from the most registers to the fewest. */
enum { SARRUS_N_CUDA_BOUNDS = 4 };
extern const sarrus_cuda_bounds sarrus_cuda_bounds_tried[SARRUS_N_CUDA_BOUNDS];

/* Warps that a multiprocessor holds at once. */
int32_t sarrus_cuda_warps(const sarrus_cuda_report *report, const sarrus_cuda_bounds *bounds);

/* What of a multiprocessor's arithmetic a kernel is expected to use: for comparing bounds, not for planning. n_flops: of an
 * evaluation. */
double sarrus_cuda_expected_use(const sarrus_cuda_report *report, const sarrus_cuda_bounds *bounds, double n_flops);

/* Whether the bounds would leave the compiler fewer registers than it took, and so more warps. */
bool sarrus_cuda_bounds_would_bind(const sarrus_cuda_bounds *bounds, const sarrus_cuda_report *report);

#endif
