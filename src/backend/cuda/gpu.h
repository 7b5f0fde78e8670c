/* What the host asks of a GPU, as a table of functions: the CUDA runtime (gpu_cuda.c) or, in tests, an emulated GPU
 * (tests/backend/gpu_on_host.h). Everything above it is plain C and is built and tested without a toolkit or a device.
 *
 * Every function that returns an int returns an error code: 0 done, SARRUS_GPU_NO_MEMORY, or another number that error_text knows.
 * An error of work that was queued shows in a later call. A device whose work has failed is lost: all that follows fails too.
 * Calls act on the device that the calling thread has selected; any number of threads may call. */
#ifndef SARRUS_BACKEND_CUDA_GPU_H
#define SARRUS_BACKEND_CUDA_GPU_H

#include <stddef.h>
#include <stdint.h>

#include "kernels/cuda/kernels.h"

enum { SARRUS_GPU_OK = 0, SARRUS_GPU_NO_MEMORY = 2 };

typedef struct sarrus_gpu_description {
    char name[64];
    int32_t architecture; /* 90: sm_90 */
    int32_t n_processors;
} sarrus_gpu_description;

typedef enum sarrus_gpu_direction { SARRUS_GPU_UPLOAD, SARRUS_GPU_DOWNLOAD, SARRUS_GPU_ON_DEVICE } sarrus_gpu_direction;

/* n_rows rows of n_bytes each, *_pitch bytes from one to the next. Host memory must come from host_allocate. */
typedef struct sarrus_gpu_copy {
    void *to;
    const void *from;
    size_t to_pitch, from_pitch, n_bytes, n_rows;
    sarrus_gpu_direction direction;
} sarrus_gpu_copy;

struct sarrus_gpu_staged;    /* the library's batched factorizations between kernels of their own */
struct sarrus_gpu_pinv;      /* the pseudoinverse methods on matrices */
struct sarrus_gpu_yardstick; /* what benchmarks measure a device by */

typedef struct sarrus_gpu {
    const char *name;
    size_t n_most_packed, n_most_pinned; /* bytes of a buffer of observations, of tiles on their way: larger makes nothing faster */
    int (*count)(int *n_devices);
    int (*select)(int device);
    int (*describe)(int device, sarrus_gpu_description *out);
    int (*memory)(size_t *n_free, size_t *n_total); /* bytes of the selected device */
    const char *(*error_text)(int error);           /* never NULL; constant */

    int (*allocate)(void **out, size_t n_bytes);
    int (*release)(void *memory);                     /* NULL: nothing to do */
    int (*host_allocate)(void **out, size_t n_bytes); /* that the device reads and writes itself */
    int (*host_release)(void *memory);

    int (*stream_create)(void **out);
    int (*stream_destroy)(void *stream);
    int (*synchronize)(void *stream); /* waits for all that was queued, and tells its error */
    int (*event_create)(void **out);
    int (*event_destroy)(void *event);
    int (*event_record)(void *event, void *stream);
    int (*event_synchronize)(void *event);
    int (*stream_wait)(void *stream, void *event); /* what is queued from now on waits; an event never recorded is over */

    int (*device_synchronize)(void);             /* waits for all that was queued on the selected device, and tells its error */
    int (*is_capturing)(void *stream, int *out); /* what is queued goes into a graph for now, and is not done */

    /* Queued on the stream. */
    int (*copy)(const sarrus_gpu_copy *what, void *stream);
    int (*fill)(void *memory, int byte, size_t n_bytes, void *stream);

    /* Kernels (kernels/cuda/kernels.h), queued on the call's stream. */
    int (*assemble)(const sarrus_cuda_call *call);
    int (*advance)(const sarrus_cuda_call *call, const sarrus_clock *clock, uint64_t n_steps);
    int (*observe)(const sarrus_cuda_call *call, const sarrus_cuda_observation *what, double *out);
    int (*restart_some)(const sarrus_cuda_call *call, const sarrus_cuda_restart *what);
    int (*bodies_take)(const sarrus_cuda_call *call, const sarrus_cuda_bodies *bodies);
    int (*bodies_show)(const sarrus_cuda_call *call, const sarrus_cuda_bodies *bodies);
    int (*bodies_settle)(const sarrus_cuda_call *call, const sarrus_cuda_bodies *bodies, const sarrus_cuda_observation *what,
                         double *out);
    int (*resident_tiles)(const sarrus_mechanism *mech, const sarrus_cuda_specialized *specialized, int32_t *n_tiles);
    int (*stack)(const sarrus_mechanism *mech, size_t *n_bytes);
    int (*specialized_load)(const void *cubin, const char *kernel, int32_t n_threads, sarrus_cuda_specialized *out);
    int (*specialized_unload)(sarrus_cuda_specialized *specialized);

    const struct sarrus_gpu_staged *staged;       /* NULL: not built in */
    const struct sarrus_gpu_pinv *pinv;           /* NULL: not built in */
    const struct sarrus_gpu_yardstick *yardstick; /* NULL: not built in */
} sarrus_gpu;

/* The table in use: that of this build (NULL when it was made without a toolkit), or the one that a test has put in its place. */
const sarrus_gpu *sarrus_gpu_find(void);

/* For tests: takes the place of the build's own from now on; NULL gives it back. Not while a batch exists. */
void sarrus_gpu_replace(const sarrus_gpu *gpu);

/* The build's own (gpu_cuda.c), NULL without a toolkit (gpu_none.c). */
const sarrus_gpu *sarrus_gpu_built_in(void);

#endif
