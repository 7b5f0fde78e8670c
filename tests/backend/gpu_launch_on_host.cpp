/* Which kernel a mechanism asks for, and kernels for one plan, over the emulated runtime. */
#include "tests/backend/cuda_shim.h"

#include "kernels/cuda/launch.cu"
#include "kernels/cuda/specialized_load.cu"

/* The arguments are read as the kernel would read them. */
cudaError_t cudaLaunchKernel(const void *, dim3 grid, dim3 block, void **arguments, size_t, cudaStream_t) {
    const sarrus_cuda_lanes *lanes = (const sarrus_cuda_lanes *)arguments[0];
    const uint64_t *n_steps = (const uint64_t *)arguments[2];
    return on_host_library_launch(lanes->n_tiles > 0 && *n_steps > 0 ? grid : dim3(0), block);
}
