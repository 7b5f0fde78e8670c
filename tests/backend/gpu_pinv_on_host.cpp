/* The pseudoinverse kernels with the host code that queues them, over the emulated runtime; and their table. */
#define SARRUS_WARP_HEADER "tests/backend/warp_on_host.h"
#include "tests/backend/cuda_shim.h"

#include "kernels/cuda/pinv.cu"
#include "tests/backend/gpu_pinv_on_host.h"

extern "C" {
#include "tests/backend/gpu_launch_on_host.h"
}

int warp_order_on_host = WARP_ASCENDING;

int pinv_launch_on_host(const sarrus_cuda_pinv_call *call) {
    return sarrus_cuda_pinv(call);
}

static void run_queued(const void *argument) {
    gpu_on_host_ran(sarrus_cuda_pinv((const sarrus_cuda_pinv_call *)argument));
}

/* Whether an array of `each` bytes a matrix is there; NULL where it may be left out. */
static bool is_there(const sarrus_cuda_pinv_call *call, const void *array, size_t each, bool is_wanted) {
    return array == nullptr ? !is_wanted : gpu_on_host_check(array, each * call->n_matrices) != 0;
}

static int run(const sarrus_cuda_pinv_call *call) {
    const size_t m = (size_t)call->m, n = (size_t)call->n, n_rhs = (size_t)call->n_rhs, number = sizeof(double);
    const size_t n_work = (size_t)call->n_slots * call->n_work_arrays * SARRUS_CUDA_PINV_WIDTH * number;
    bool good = is_there(call, call->a, m * n * number, true) && is_there(call, call->b, m * n_rhs * number, n_rhs > 0) &&
                is_there(call, call->x, n * (n_rhs > 0 ? n_rhs : m) * number, true) &&
                is_there(call, call->max_rank, sizeof(int32_t), false) && is_there(call, call->violation, number, false) &&
                is_there(call, call->rank, sizeof(int32_t), false) && is_there(call, call->kept, number, false) &&
                is_there(call, call->dropped, number, false) && is_there(call, call->n_sweeps, number, false);
    if (call->variant == SARRUS_CUDA_PINV_THREAD)
        good = good && gpu_on_host_check(call->work, n_work) != 0;
    return good ? gpu_on_host_launch(call->stream, run_queued, call, sizeof *call) : GPU_ON_HOST_MISUSE;
}

static int resources(int32_t *n_slots, size_t *n_shared) {
    *n_slots = 3;
    *n_shared = 227 * 1024;
    return SARRUS_GPU_OK;
}

extern const sarrus_gpu_pinv gpu_pinv_on_host = {run, resources};
