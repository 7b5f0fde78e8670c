/* Launches the kernel that resumes. */
#include "kernels/cuda/staged_expansion.h"
#include "kernels/cuda/staged_resume.cuh"

int sarrus_staged_planar_resume(const sarrus_staged_call *call) {
    return cuda_queue(staged_resume_kernel, staged_grid(call, call->n_members), staged_launch_of(call));
}
