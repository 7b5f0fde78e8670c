/* Launches the kernels that work on slots. */
#include "kernels/cuda/staged_slots.cuh"

int sarrus_staged_weigh(const sarrus_staged_call *call) {
    staged_weigh_kernel<<<staged_blocks(call->n_slots), STAGED_THREADS, 0, (cudaStream_t)call->base.stream>>>(
        staged_launch_of(call));
    return cudaGetLastError();
}

int sarrus_staged_deliver(const sarrus_staged_call *call) {
    staged_deliver_kernel<<<staged_blocks(call->n_slots), STAGED_THREADS, 0, (cudaStream_t)call->base.stream>>>(
        staged_launch_of(call));
    return cudaGetLastError();
}
