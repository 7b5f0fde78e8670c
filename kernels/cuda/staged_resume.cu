/* Launches the kernel that resumes. */
#include "kernels/cuda/staged_expansion.h"
#include "kernels/cuda/staged_resume.cuh"

int sarrus_staged_planar_resume(const sarrus_staged_call *call) {
    staged_resume_kernel<<<staged_blocks(call->n_members), STAGED_THREADS, 0, (cudaStream_t)call->base.stream>>>(
        staged_launch_of(call));
    return cudaGetLastError();
}
