/* The same physics on a CUDA device, or on an emulated GPU, as on the CPU: every shipped scenario, evaluation by evaluation
 * along its whole motion, and as a whole, by the fused kernels and through cuSOLVER, singular passages included. */
#ifndef TESTS_BACKEND_GPU_AGREEMENT_H
#define TESTS_BACKEND_GPU_AGREEMENT_H

#include <stddef.h>
#include <stdint.h>

typedef struct gpu_agreement {
    const char *file;  /* in scenarios/ */
    int is_autonomous; /* nothing in it depends on the time: a motion may begin in its middle */
} gpu_agreement;

/* All files of scenarios/. */
extern const gpu_agreement gpu_agreements[];
extern const size_t gpu_n_agreements;

typedef struct gpu_agreement_wish {
    int is_bitwise;                  /* the fused kernels have the bits of the CPU's */
    uint64_t n_instances;            /* speeds differ from one to the next */
    uint64_t n_steps, n_large_steps; /* of the motion at most, the second of mechanisms of more than 32 coordinates; 0: to t_end */
    uint64_t n_staged_steps;         /* around the most singular position of the motion; 0: all of it; of large ones none */
    void (*lanes_set)(int32_t n_lanes); /* of a tile that the fused kernels work on from now on; NULL: always all */
} gpu_agreement_wish;

/* Fails the test where they do not agree. The second takes the libraries of backend/cuda/cusolver.h, which must be there. */
void gpu_agreement_fused(const gpu_agreement *agreement, const gpu_agreement_wish *wish);
void gpu_agreement_staged(const gpu_agreement *agreement, const gpu_agreement_wish *wish);

#endif
