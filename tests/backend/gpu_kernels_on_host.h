/* How the CUDA kernels run on the host. */
#ifndef TESTS_BACKEND_GPU_KERNELS_ON_HOST_H
#define TESTS_BACKEND_GPU_KERNELS_ON_HOST_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* From now on the kernels work on the first so many lanes of every tile alone: the others of a small batch nobody looks at. */
void lanes_set_on_host(int32_t n_lanes);
int32_t lanes_on_host(void);

#ifdef __cplusplus
}
#endif

#endif
