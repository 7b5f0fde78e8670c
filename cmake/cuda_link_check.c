/* Linked with every CUDA kernel: that this program builds shows that device code, host stubs and runtime fit together.
 * It needs no device: the runtime's version is known without one. */
#include <cuda_runtime_api.h>
#include <stdio.h>

int main(void) {
    int version = 0;
    const cudaError_t error = cudaRuntimeGetVersion(&version);
    if (error != cudaSuccess || version < CUDART_VERSION) {
        fprintf(stderr, "CUDA runtime %d, headers %d: %s\n", version, CUDART_VERSION, cudaGetErrorString(error));
        return 1;
    }
    printf("CUDA runtime %d.%d\n", version / 1000, version % 1000 / 10);
    return 0;
}
