/* What the kernels on the emulated GPU ask of it. The device itself, gpu_on_host.c, has them. */
#ifndef TESTS_BACKEND_GPU_LAUNCH_ON_HOST_H
#define TESTS_BACKEND_GPU_LAUNCH_ON_HOST_H

#include <stddef.h>

#include "backend/cuda/gpu.h"

/* Error codes of this device, besides SARRUS_GPU_NO_MEMORY. */
enum { GPU_ON_HOST_NO_DEVICE = 100, GPU_ON_HOST_LOST = 700, GPU_ON_HOST_BAD_LAUNCH = 701, GPU_ON_HOST_MISUSE = 702 };

/* Queues `run(copy of argument)` on the stream, as a launch. */
int gpu_on_host_launch(void *stream, void (*run)(const void *argument), const void *argument, size_t n_bytes);

/* What the launch of something queued has come to when it ran: an error then is a misuse. */
void gpu_on_host_ran(int error);

/* What a launch of a kernel for one plan comes to, before it is queued. */
int gpu_on_host_special_launch(void);

/* Counts a misuse unless [memory, memory + n_bytes) lies within one allocation of a device. Returns whether it does. */
int gpu_on_host_check(const void *memory, size_t n_bytes);

#endif
