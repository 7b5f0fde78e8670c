/* Launches the kernels of the staged path. */
#include "kernels/cuda/staged.cuh"

static staged_launch staged_launch_of(const sarrus_staged_call *call) {
    staged_launch work = {*call->base.mech, call->base.lanes, call->arrays, call->n_members, call->is_gram,
                          call->has_all,   call->may_ask,    call->m,      call->n_slots};
    return work;
}

static unsigned n_blocks(int32_t n_threads) {
    return (unsigned)((n_threads + STAGED_THREADS - 1) / STAGED_THREADS);
}

static cudaStream_t stream_of(const sarrus_staged_call *call) {
    return (cudaStream_t)call->base.stream;
}

int sarrus_staged_step(const sarrus_staged_call *call, const sarrus_clock *clock, int32_t stage) {
    staged_step_kernel<<<n_blocks(call->n_members), STAGED_THREADS, 0, stream_of(call)>>>(staged_launch_of(call), *clock, stage);
    return cudaGetLastError();
}

int sarrus_staged_resume(const sarrus_staged_call *call) {
    staged_resume_kernel<<<n_blocks(call->n_members), STAGED_THREADS, 0, stream_of(call)>>>(staged_launch_of(call));
    return cudaGetLastError();
}

int sarrus_staged_observe(const sarrus_staged_call *call, double t, const sarrus_observe_request *want, double *out) {
    staged_observe_kernel<<<n_blocks(call->n_members), STAGED_THREADS, 0, stream_of(call)>>>(staged_launch_of(call), t, *want, out);
    return cudaGetLastError();
}

int sarrus_staged_weigh(const sarrus_staged_call *call) {
    staged_weigh_kernel<<<n_blocks(call->n_slots), STAGED_THREADS, 0, stream_of(call)>>>(staged_launch_of(call));
    return cudaGetLastError();
}

int sarrus_staged_deliver(const sarrus_staged_call *call) {
    staged_deliver_kernel<<<n_blocks(call->n_slots), STAGED_THREADS, 0, stream_of(call)>>>(staged_launch_of(call));
    return cudaGetLastError();
}
