/* A group of threads a matrix: phase by phase, the threads of a warp one after another. */
#include "tests/backend/cuda_shim.h"

#include <stdlib.h>

#include "kernels/cuda/pinv_group.cuh"
#include "tests/backend/gpu_pinv_on_host.h"

/* Shared memory is filled with NaN: nothing may be read that was not written. */
void pinv_group_on_host(const sarrus_cuda_pinv_call *call) {
    const pinv_group_layout lay = pinv_group_layout_of(call->m, call->n, call->n_rhs);
    const size_t n_bytes = sizeof(double) * (size_t)lay.size * (size_t)lay.n_groups;
    double *shared = (double *)malloc(n_bytes);
    for (uint64_t first = 0, i_warp = 0; first < call->n_matrices; first += (uint64_t)lay.n_groups, ++i_warp) {
        memset(shared, 0xff, n_bytes);
        if (call->m == 12 && call->n == 12 && call->is_explicit) /* two of the sizes that pinv_group.cu knows */
            pinv_group_run<12, 12>(call, &lay, i_warp, shared);
        else if (call->m == 11 && call->n == 12 && call->is_explicit)
            pinv_group_run<11, 12>(call, &lay, i_warp, shared);
        else
            pinv_group_run<0, 0>(call, &lay, i_warp, shared);
    }
    free(shared);
}
