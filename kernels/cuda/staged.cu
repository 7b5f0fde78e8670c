/* Launches the kernels of the staged path. */
#include "kernels/cuda/staged.cuh"

static cudaStream_t stream_of(const sarrus_staged_call *call) {
    return (cudaStream_t)call->base.stream;
}

int sarrus_staged_step(const sarrus_staged_call *call, const sarrus_clock *clock, int32_t stage) {
    staged_step_kernel<<<staged_blocks(call->n_members), STAGED_THREADS, 0, stream_of(call)>>>(staged_launch_of(call), *clock,
                                                                                               stage);
    return cudaGetLastError();
}

int sarrus_staged_resume(const sarrus_staged_call *call) {
    staged_resume_kernel<<<staged_blocks(call->n_members), STAGED_THREADS, 0, stream_of(call)>>>(staged_launch_of(call));
    return cudaGetLastError();
}

int sarrus_staged_observe(const sarrus_staged_call *call, const sarrus_observe_request *want, double *out) {
    staged_observe_kernel<<<staged_blocks(call->n_members), STAGED_THREADS, 0, stream_of(call)>>>(staged_launch_of(call), *want,
                                                                                                  out);
    return cudaGetLastError();
}

int sarrus_staged_weigh(const sarrus_staged_call *call) {
    staged_weigh_kernel<<<staged_blocks(call->n_slots), STAGED_THREADS, 0, stream_of(call)>>>(staged_launch_of(call));
    return cudaGetLastError();
}

int sarrus_staged_deliver(const sarrus_staged_call *call) {
    staged_deliver_kernel<<<staged_blocks(call->n_slots), STAGED_THREADS, 0, stream_of(call)>>>(staged_launch_of(call));
    return cudaGetLastError();
}
