/* The step benchmark on a CUDA device: the batch as a user has it, fused with kernels for the plan, fused with the generic ones,
 * and staged through cuSOLVER. */
#ifndef SARRUS_BENCH_STEP_CUDA_H
#define SARRUS_BENCH_STEP_CUDA_H

#include "edge/kernel_places.h"
#include "bench/measure/cuda_device.h"
#include "bench/step/step.h"

typedef enum sarrus_bench_path {
    SARRUS_BENCH_FUSED,   /* kernels for the plan */
    SARRUS_BENCH_GENERIC, /* those of every plan */
    SARRUS_BENCH_GESVDJ_STAGED,
    SARRUS_BENCH_SYEV_STAGED,
    SARRUS_BENCH_N_PATHS,
} sarrus_bench_path;

enum { SARRUS_BENCH_MAX_STEP_CUDA_ROWS = 128 };

typedef struct sarrus_bench_step_cuda_row {
    char mechanism[SARRUS_BENCH_MAX_NAME];
    sarrus_bench_path path;
    uint64_t n_instances, n_steps; /* of one timed call */
    int n_samples;
    double samples[SARRUS_BENCH_MAX_REPETITIONS]; /* instance-steps/s */
    double rate;                                  /* median */
    double flops_per_step;                        /* counted; NaN of the staged paths */
    double peak_share, memory_share; /* of the measured multiply-adds; of the measured copy: q and v in and out once a step */
    double energy_change;            /* largest |E − E₀| over n_steps, J */
    double violation, deviation;     /* largest ‖Φ‖; largest |q − q of svd on the CPU| after the gate's steps */
    uint64_t n_failed;
    char kernels[SARRUS_SPECIALIZATION_NOTE + 16]; /* what the batch says of kernels for its plan */
    const char *failure;                           /* NULL: the gate was passed */
} sarrus_bench_step_cuda_row;

typedef struct sarrus_bench_step_cuda_report {
    const sarrus_bench_step_options *options;
    sarrus_bench_cuda cuda;
    sarrus_kernel_places places; /* the user's: what kernels take to be compiled is not measured here */
    int n_rows;
    sarrus_bench_step_cuda_row rows[SARRUS_BENCH_MAX_STEP_CUDA_ROWS];
} sarrus_bench_step_cuda_report;

/* `sarrus bench step --backend cuda`: measures and reports. */
SARRUS_MUST_USE sarrus_status sarrus_bench_step_cuda(sarrus_context *context, const sarrus_bench_step_options *options,
                                                     int *n_failures);

void sarrus_bench_step_cuda_show(const sarrus_bench_step_cuda_report *report);
extern const char *const sarrus_bench_path_names[SARRUS_BENCH_N_PATHS];

#endif
