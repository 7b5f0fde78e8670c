/* Workers at work: one thread each, so that what one copies goes on beside what another computes. */
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "backend/cuda/device.h"

/* One call of sarrus_cuda_run. */
typedef struct cuda_job {
    cuda_device *device;
    cuda_work *work;
    const void *how;
    const uint8_t *changes;
    atomic_uint_fast64_t next; /* the first tile that nobody has taken */
} cuda_job;

sarrus_status sarrus_cuda_fail(cuda_device *device, const cuda_part *part, int error) {
    char text[96];
    sarrus_cuda_staged_error_text(device->gpu, error, text, sizeof text);
    (void)snprintf(device->base.failure, sizeof device->base.failure, "CUDA device %d (%s): %s", part->device, part->described.name,
                   text);
    return SARRUS_DEVICE_FAILED;
}

/* Tiles that stay on the device: what is old there goes there first; what the user may look at in place comes back. */
static int held_run(cuda_worker *worker) {
    const cuda_job *job = worker->task.job;
    const cuda_device *device = job->device;
    int error = sarrus_cuda_tiles_upload(worker, device->device_is_old);
    if (error == SARRUS_GPU_OK)
        error = job->work(worker, job->how);
    if (error == SARRUS_GPU_OK)
        error = device->gpu->synchronize(worker->stream);
    if (error == SARRUS_GPU_OK && job->changes)
        error = sarrus_cuda_tiles_download(worker, device->is_shared);
    return error;
}

/* Chunks of the host's tiles, as long as there are any. */
static int chunks_run(cuda_worker *worker) {
    cuda_job *job = worker->task.job;
    const cuda_device *device = job->device;
    const uint64_t n_tiles = device->base.n_tiles;
    int error = SARRUS_GPU_OK;
    while (error == SARRUS_GPU_OK) {
        const uint64_t i_first = atomic_fetch_add(&job->next, worker->n_capacity);
        if (i_first >= n_tiles)
            break;
        worker->i_first = i_first;
        worker->n_held = n_tiles - i_first < worker->n_capacity ? n_tiles - i_first : worker->n_capacity;
        error = sarrus_cuda_tiles_upload(worker, device->device_is_old);
        if (error == SARRUS_GPU_OK)
            error = job->work(worker, job->how);
        if (error == SARRUS_GPU_OK)
            error = device->gpu->synchronize(worker->stream);
        if (error == SARRUS_GPU_OK && job->changes)
            error = sarrus_cuda_tiles_download(worker, job->changes);
    }
    worker->n_held = 0;
    return error;
}

static void *worker_run(void *user) {
    cuda_worker *worker = user;
    const cuda_device *device = worker->owner;
    int error = device->gpu->select(worker->part->device);
    if (error == SARRUS_GPU_OK)
        error = device->is_resident ? held_run(worker) : chunks_run(worker);
    worker->task.error = error;
    return NULL;
}

/* After the work: the kernels have changed these arrays, and shared ones have come back. */
static void marks_update(cuda_device *device, const uint8_t *changes) {
    if (!device->is_resident)
        return;
    const size_t n = (size_t)device->lowered.mech.layout.n_arrays;
    for (size_t i = 0; i < n; ++i) {
        device->device_is_old[i] = device->is_shared[i];
        if (changes && changes[i])
            device->host_is_old[i] = !device->is_shared[i];
    }
}

sarrus_status sarrus_cuda_run(cuda_device *device, cuda_work *work, const void *how, const uint8_t *changes) {
    cuda_job job = {.device = device, .work = work, .how = how, .changes = changes, .next = 0};
    cuda_worker *workers = device->workers;
    const int n = device->n_workers;
    if (device->base.failure[0] != '\0')
        return SARRUS_DEVICE_FAILED;
    for (int i = 0; i < n; ++i)
        workers[i].task = (cuda_task){.job = &job};
    for (int i = 1; i < n; ++i) /* the first is this thread's, and so are those for whom there is none */
        workers[i].task.has_thread = pthread_create(&workers[i].task.thread, NULL, worker_run, &workers[i]) == 0;
    for (int i = 0; i < n; ++i)
        if (!workers[i].task.has_thread)
            (void)worker_run(&workers[i]);
    for (int i = 1; i < n; ++i)
        if (workers[i].task.has_thread)
            (void)pthread_join(workers[i].task.thread, NULL);
    for (int i = 0; i < n; ++i)
        if (workers[i].task.error != SARRUS_GPU_OK)
            return sarrus_cuda_fail(device, workers[i].part, workers[i].task.error);
    marks_update(device, changes);
    return SARRUS_OK;
}

sarrus_status sarrus_cuda_move(cuda_device *device, int (*move)(cuda_worker *, const uint8_t *), const uint8_t *marks) {
    if (device->base.failure[0] != '\0')
        return SARRUS_DEVICE_FAILED;
    for (int i = 0; i < device->n_workers; ++i) {
        const cuda_part *part = device->workers[i].part;
        int error = device->gpu->select(part->device);
        if (error == SARRUS_GPU_OK)
            error = move(&device->workers[i], marks);
        if (error != SARRUS_GPU_OK)
            return sarrus_cuda_fail(device, part, error);
    }
    return SARRUS_OK;
}
