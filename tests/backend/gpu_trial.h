/* The same motion by the CPU backend and by the CUDA backend, on a device or on an emulated GPU: what to run, and everything
 * that can be seen of it. */
#ifndef TESTS_BACKEND_GPU_TRIAL_H
#define TESTS_BACKEND_GPU_TRIAL_H

#include "tests/support/mechanism.h"

typedef struct gpu_trial {
    const char *file;                /* in scenarios/ */
    const sarrus_override *settings; /* ended by a NULL path; NULL: none */
    uint64_t n_steps;                /* between observations */
    int is_alike;                    /* 1: all instances move alike; 0: speeds differ */
} gpu_trial;

/* Every scenario that fits a test, every integrator, projections, rank rules and pseudoinverses. */
extern const gpu_trial gpu_trials[];
extern const size_t gpu_n_trials;

/* All that a user sees of a batch. */
typedef struct gpu_record {
    uint64_t n_instances, n_times;
    size_t width[SARRUS_N_OBSERVABLES];
    double *seen[SARRUS_N_OBSERVABLES]; /* [n_instances][n_times][width] */
    sarrus_instance_status *status;     /* [n_instances] */
    uint64_t *failed_step;
    sarrus_instance_statistics *statistics;
    sarrus_instance_verdict *verdict;
    sarrus_rank_event *events; /* [n_events] */
    uint64_t n_events;
} gpu_record;

/* Speeds that differ from instance to instance; leaves the speeds viewed. */
void gpu_speeds_spread(sarrus_batch *batch);

/* Observes n_times times, the first at once, then every n_steps steps; all that there is, or only `wanted`, one bit for each
 * observable. */
gpu_record gpu_record_make(sarrus_batch *batch, uint64_t n_times, uint64_t n_steps);
gpu_record gpu_record_make_of(sarrus_batch *batch, uint64_t n_times, uint64_t n_steps, uint32_t wanted);
void gpu_record_free(gpu_record *record);

/* Fails the test where instance first + i of `all` is not instance i of `some`; relative tolerance, 0: all bits. */
void gpu_records_compare(const char *what, const gpu_record *all, uint64_t first, const gpu_record *some, double tolerance);

/* A batch of this backend, with the changes of rank kept. */
sarrus_batch *gpu_batch(const mechanism *m, sarrus_backend backend, uint64_t n_instances, const sarrus_batch_options *more);

/* One trial on both backends: a device gives the bits of the lanes for AVX2. */
void gpu_trial_run(const gpu_trial *trial, uint64_t n_instances, uint64_t n_times);

/* Before and after a test: an emulated GPU in the place of the real ones. */
int gpu_played(void **state);
int gpu_ended(void **state);

/* Fails the test when something was misused on the emulated GPU, or is left behind. */
void gpu_assert_clean(void);

#endif
