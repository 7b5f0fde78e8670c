/* Launches the kernels that work on slots. */
#include "kernels/cuda/staged_slots.cuh"

int sarrus_staged_weigh(const sarrus_staged_call *call) {
    return cuda_queue(staged_weigh_kernel, staged_grid(call, call->n_slots), staged_launch_of(call));
}

int sarrus_staged_deliver(const sarrus_staged_call *call) {
    return cuda_queue(staged_deliver_kernel, staged_grid(call, call->n_slots), staged_launch_of(call));
}
