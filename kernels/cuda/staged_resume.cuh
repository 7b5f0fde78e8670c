/* The kernel that goes on when questions have been answered. */
#ifndef SARRUS_CUDA_STAGED_RESUME_CUH
#define SARRUS_CUDA_STAGED_RESUME_CUH

#include "kernels/cuda/staged_member.cuh"

static __global__ void staged_resume_kernel(const __grid_constant__ staged_launch work) {
    staged_member who;
    if (!staged_begin(&work, &who))
        return;
    sarrus_correct(&who.ev, who.ws.rhs, who.ws.force, who.ws.a);
    work.at.carry[work.n_members + who.index] = who.ev.found.rank;
    staged_end(&who);
}

#endif
