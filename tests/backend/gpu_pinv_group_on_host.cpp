/* A group of threads a matrix, with the host code that queues it, over the emulated runtime. */
#define SARRUS_WARP_HEADER "tests/backend/warp_on_host.h"
#include "tests/backend/cuda_shim.h"

#include "kernels/cuda/pinv_group.cu"

/* As much as a block of a device may have. */
double pinv_group_shared[227 * 1024 / sizeof(double)];

/* Before the first launch. */
__attribute__((constructor)) static void shared_set() {
    on_host_shared = pinv_group_shared;
}
