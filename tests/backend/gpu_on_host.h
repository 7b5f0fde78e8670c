/* An emulated GPU, behind the table of src/backend/cuda/gpu.h. What is queued on a stream is done when somebody waits for
 * it, or at gpu_on_host_flush: who reads before waiting finds old numbers. Memory is filled with NaN when it is given out; copies
 * are held against the allocations, and what is misused is counted and said on standard error. Several devices, each with memory of
 * its own, and failures on request. */
#ifndef TESTS_BACKEND_GPU_ON_HOST_H
#define TESTS_BACKEND_GPU_ON_HOST_H

#include <stddef.h>

#include "tests/backend/gpu_launch_on_host.h"

typedef struct gpu_on_host_settings {
    int n_devices;           /* 0: there is none; 512 at most */
    size_t n_bytes;          /* of each device; 0: 1 GiB */
    size_t n_told_bytes;     /* that `memory` says are free; 0: what there is. More than that: allocations fail */
    int32_t n_resident;      /* tiles that a device works on at once; 0: 4 */
    int i_launch_refused;    /* the launch, counted from 1, that returns GPU_ON_HOST_BAD_LAUNCH; 0: none */
    int i_launch_lost;       /* the launch at which the device is lost, which shows when it is waited for; 0: none */
    int i_allocation_failed; /* the allocation of pinned memory, counted from 1, that fails; 0: none */
    int no_specialized;      /* 1: cubins cannot be loaded; 2: their kernels cannot be launched */
    size_t n_stack_bytes;    /* that the first launch takes of a device for the stacks of its threads */
} gpu_on_host_settings;

/* Begins anew with these settings: all that was allocated is gone. */
void gpu_on_host_reset(const gpu_on_host_settings *settings);

extern const sarrus_gpu gpu_on_host;

/* What was seen since the reset. */
typedef struct gpu_on_host_tally {
    int n_misuses;
    int n_launches;
    int n_devices_used;        /* that kernels were launched on */
    size_t n_bytes_allocated;  /* of all devices, now */
    size_t n_pinned_allocated; /* now */
    size_t n_uploaded, n_downloaded;
    int n_waits;   /* of the host for a stream, an event or a device */
    int n_objects; /* streams and events, now */
} gpu_on_host_tally;
gpu_on_host_tally gpu_on_host_seen(void);

/* What is queued on the stream from now on is not done but kept, to be queued as often as one likes, on any stream of its device.
 * */
typedef struct gpu_on_host_graph gpu_on_host_graph;
gpu_on_host_graph *gpu_on_host_capture(void *stream);
void gpu_on_host_capture_end(void *stream);
void gpu_on_host_replay(const gpu_on_host_graph *graph, void *stream);
void gpu_on_host_graph_free(gpu_on_host_graph *graph);

#endif
