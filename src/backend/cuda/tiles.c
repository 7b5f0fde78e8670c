/* Arrays of tiles between host and device. The host's tiles are ordinary memory; what the device reads and writes itself are two
 * small blocks of pinned memory, one of which is on its way while the other is filled or emptied. */
#include <string.h>

#include "backend/cuda/device.h"

/* Arrays i_first … i_first + n − 1 of the worker's tiles. */
typedef struct stretch {
    size_t i_first, n;
} stretch;

/* Tiles i_tile … of the worker, in a block of pinned memory. */
typedef struct piece {
    uint64_t i_tile, n_tiles;
    double *pinned;
} piece;

static size_t n_arrays_of(const cuda_worker *worker) {
    return (size_t)worker->part->stepped.mech.layout.n_arrays;
}

static double *host_tile(const cuda_worker *worker, uint64_t i_tile) {
    return worker->owner->base.tiles + (worker->i_first + i_tile) * n_arrays_of(worker) * SARRUS_CUDA_WIDTH;
}

/* What the threads that copy share. */
typedef struct host_copying {
    const cuda_worker *worker;
    const stretch *s;
    const piece *p;
    bool is_upload;
} host_copying;

static void tiles_copy(void *user, int i_member, int n_members) {
    const host_copying *job = user;
    const size_t n = job->s->n * SARRUS_CUDA_WIDTH;
    const sarrus_crew_share share = sarrus_crew_share_of(job->p->n_tiles, i_member, n_members);
    for (uint64_t i = share.i_first; i < share.i_end; ++i) {
        double *tile = host_tile(job->worker, job->p->i_tile + i) + job->s->i_first * SARRUS_CUDA_WIDTH;
        double *pinned = job->p->pinned + i * n;
        memcpy(job->is_upload ? pinned : tile, job->is_upload ? tile : pinned, n * sizeof *tile);
    }
}

static void host_copy(const cuda_worker *worker, const stretch *s, const piece *p, bool is_upload) {
    const size_t n = s->n * SARRUS_CUDA_WIDTH;
    host_copying job = {worker, s, p, is_upload};
    /* a thread is not worth waking for less than half a MiB */
    sarrus_crew_run(worker->crew, p->n_tiles * n > 65536 ? worker->n_threads : 1, tiles_copy, &job);
}

static int device_copy(const cuda_worker *worker, const stretch *s, const piece *p, bool is_upload) {
    const size_t n_arrays = n_arrays_of(worker), array = SARRUS_CUDA_WIDTH * sizeof(double);
    double *tiles = worker->tiles + (p->i_tile * n_arrays + s->i_first) * SARRUS_CUDA_WIDTH;
    const sarrus_gpu_copy up = {tiles, p->pinned, n_arrays * array, s->n * array, s->n * array, p->n_tiles, SARRUS_GPU_UPLOAD};
    const sarrus_gpu_copy down = {p->pinned, tiles, s->n * array, n_arrays * array, s->n * array, p->n_tiles, SARRUS_GPU_DOWNLOAD};
    return worker->owner->gpu->copy(is_upload ? &up : &down, worker->stream);
}

/* One piece after another, the blocks by turns. An upload fills a block when its last copy is over; a download empties it then. */
static int stretch_move(cuda_worker *worker, const stretch *s, bool is_upload) {
    const sarrus_gpu *gpu = worker->owner->gpu;
    const uint64_t n_fitting = worker->n_pinned / (s->n * SARRUS_CUDA_WIDTH);
    piece pieces[2] = {{0}};
    int error = SARRUS_GPU_OK;
    uint64_t i_piece = 0;
    for (uint64_t i = 0; i < worker->n_held && error == SARRUS_GPU_OK; i += n_fitting, ++i_piece) {
        piece *p = &pieces[i_piece % 2];
        if (i_piece >= 2)
            error = gpu->event_synchronize(worker->is_moved[i_piece % 2]);
        if (error != SARRUS_GPU_OK)
            return error;
        if (i_piece >= 2 && !is_upload)
            host_copy(worker, s, p, false);
        *p = (piece){i, worker->n_held - i < n_fitting ? worker->n_held - i : n_fitting, worker->pinned[i_piece % 2]};
        if (is_upload)
            host_copy(worker, s, p, true);
        error = device_copy(worker, s, p, is_upload);
        if (error == SARRUS_GPU_OK)
            error = gpu->event_record(worker->is_moved[i_piece % 2], worker->stream);
    }
    if (error == SARRUS_GPU_OK)
        error = gpu->synchronize(worker->stream);
    for (uint64_t k = i_piece > 2 ? i_piece - 2 : 0; k < i_piece && !is_upload && error == SARRUS_GPU_OK; ++k)
        host_copy(worker, s, &pieces[k % 2], false);
    return error;
}

/* Marked arrays that stand side by side go together. A block of pinned memory holds one tile at least, whatever the stretch. */
static int tiles_move(cuda_worker *worker, const uint8_t *marks, bool is_upload) {
    const size_t n_arrays = n_arrays_of(worker);
    int error = SARRUS_GPU_OK;
    for (size_t i = 0; i < n_arrays && error == SARRUS_GPU_OK;) {
        stretch s = {i, 0};
        while (i + s.n < n_arrays && marks[i + s.n])
            ++s.n;
        if (s.n > 0)
            error = stretch_move(worker, &s, is_upload);
        i += s.n > 0 ? s.n : 1;
    }
    return error;
}

int sarrus_cuda_tiles_upload(cuda_worker *worker, const uint8_t *marks) {
    return tiles_move(worker, marks, true);
}

int sarrus_cuda_tiles_download(cuda_worker *worker, const uint8_t *marks) {
    return tiles_move(worker, marks, false);
}
