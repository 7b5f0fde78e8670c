#include "pinv/cuda_pinv.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "core/crew.h"
#include "core/report.h"
#include "kernels/cuda/pinv_group_layout.h"

enum {
    MOST_DEVICES = 64,
    N_SLOTS = 2,     /* pieces under way on a device */
    FEWEST = 32,     /* matrices of a piece that memory is tried for */
    GROUP_FROM = 5,  /* rows of R from which a group takes the matrix */
    GROUP_MOST = 64, /* a pair of rows for every thread of a warp */
};

/* Pinned bytes of one piece: some milliseconds of the bus, which hide what a launch costs. */
static const size_t piece_bytes = (size_t)32 << 20;

/* The arrays of a batch, inputs first. */
typedef enum part { PART_A, PART_B, PART_MAX_RANK, PART_VIOLATION, PART_X, PART_RANK, PART_KEPT, PART_DROPPED, PART_SWEEPS } part;
enum { N_PARTS = 9, N_INPUTS = 4 };

/* What all devices share. */
typedef struct job {
    const sarrus_gpu *gpu;
    const sarrus_pinv_batch *batch;
    const sarrus_pinv_call *call;
    size_t n_scratch;
    size_t n_bytes[N_PARTS];    /* of one matrix; 0: not wanted */
    const void *from[N_INPUTS]; /* NULL where the numbers are made (max_rank) or not given */
    void *to[N_PARTS];
} job;

/* A piece under way. */
typedef struct slot {
    void *stream;
    unsigned char *pinned, *device; /* [N_PARTS] parts of n_piece matrices each */
    uint64_t first, count;          /* matrices; count 0: nothing is under way */
} slot;

/* One device and its share of the matrices. */
typedef struct worker {
    const job *of;
    int device;
    int error;            /* of the table */
    uint64_t first, last; /* matrices */
    uint64_t n_piece;     /* most of them at a time */
    int32_t n_warps;
    int32_t variant;
    double *work[N_SLOTS];
    slot slots[N_SLOTS];
} worker;

static uint64_t smaller(uint64_t a, uint64_t b) {
    return a < b ? a : b;
}

/* --- What is to be done ----------------------------------------------------------------------------------------------- */

const sarrus_gpu *sarrus_cuda_pinv_find(sarrus_context *context) {
    const sarrus_gpu *gpu = sarrus_gpu_find();
    int n_devices = 0;
    if (!gpu || !gpu->pinv) {
        (void)sarrus_report(context, SARRUS_NO_BACKEND,
                            "the backend 'cuda' is not in this build: it was made without a CUDA toolkit");
        return NULL;
    }
    const int error = gpu->count(&n_devices);
    if (error != SARRUS_GPU_OK || n_devices < 1) {
        (void)sarrus_report(context, SARRUS_NO_BACKEND, "the backend 'cuda' has no usable device: %s",
                            error != SARRUS_GPU_OK ? gpu->error_text(error) : "none was found");
        return NULL;
    }
    return gpu;
}

/* A thread's scratch lies in memory, 32 matrices of a warp at a time, and eight warps are needed to hide what a multiprocessor
 * waits for: 256 kB of first cache leave 128 doubles a matrix, which a 5×5 exceeds. A group keeps all of it in shared memory. */
sarrus_cuda_pinv_variant sarrus_cuda_pinv_choose(const sarrus_pinv_call *call, size_t n_shared) {
    const int32_t count = call->m < call->n ? call->m : call->n, length = call->m < call->n ? call->n : call->m;
    const bool has_groups = call->method == SARRUS_PINV_SVD || call->method == SARRUS_PINV_HOUSEHOLDER;
    if (!has_groups || count < GROUP_FROM || length > GROUP_MOST || call->n_rhs > GROUP_MOST)
        return SARRUS_CUDA_PINV_THREAD;
    const pinv_group_layout lay = pinv_group_layout_of(call->method, call->m, call->n, call->n_rhs);
    const size_t n_bytes = sizeof(double) * (size_t)lay.size * (size_t)lay.n_groups;
    return n_bytes <= n_shared ? SARRUS_CUDA_PINV_GROUP : SARRUS_CUDA_PINV_THREAD;
}

static void job_begin(const sarrus_gpu *gpu, const sarrus_pinv_batch *batch, const sarrus_pinv_call *call, size_t n_scratch,
                      job *out) {
    const size_t m = (size_t)batch->m, n = (size_t)batch->n, n_rhs = (size_t)batch->n_rhs, number = sizeof(double);
    const size_t counts[N_PARTS] = {m * n * number,
                                    m * n_rhs * number,
                                    batch->max_rank ? sizeof(int32_t) : 0,
                                    batch->violation ? number : 0,
                                    n * (n_rhs > 0 ? n_rhs : m) * number,
                                    batch->rank ? sizeof(int32_t) : 0,
                                    batch->kept ? number : 0,
                                    batch->dropped ? number : 0,
                                    batch->n_sweeps ? number : 0};
    *out = (job){.gpu = gpu,
                 .batch = batch,
                 .call = call,
                 .n_scratch = n_scratch,
                 .from = {batch->a, batch->b, batch->max_rank, batch->violation},
                 .to = {[PART_X] = batch->x,
                        [PART_RANK] = batch->rank,
                        [PART_KEPT] = batch->kept,
                        [PART_DROPPED] = batch->dropped,
                        [PART_SWEEPS] = batch->n_sweeps}};
    memcpy(out->n_bytes, counts, sizeof counts);
}

/* Where a part of a piece begins: parts are 256 bytes apart at least, as allocations are. */
static size_t part_begin(const worker *w, int i_part) {
    size_t at = 0;
    for (int i = 0; i < i_part; ++i)
        at += (w->of->n_bytes[i] * (size_t)w->n_piece + 255) / 256 * 256;
    return at;
}

static sarrus_cuda_pinv_call call_of(const worker *w, int i_slot) {
    const sarrus_pinv_call *call = w->of->call;
    const slot *s = &w->slots[i_slot];
    void *at[N_PARTS];
    for (int i = 0; i < N_PARTS; ++i)
        at[i] = s->device && w->of->n_bytes[i] > 0 ? s->device + part_begin(w, i) : NULL;
    sarrus_cuda_pinv_call out = {.method = call->method,
                                 .m = call->m,
                                 .n = call->n,
                                 .n_rhs = call->n_rhs,
                                 .is_explicit = call->is_explicit,
                                 .rank_method = call->rank_method,
                                 .rank_tolerance = call->rank_tolerance,
                                 .n_matrices = s->count,
                                 .a = at[PART_A],
                                 .b = at[PART_B],
                                 .x = at[PART_X],
                                 .max_rank = at[PART_MAX_RANK],
                                 .violation = at[PART_VIOLATION],
                                 .rank = at[PART_RANK],
                                 .kept = at[PART_KEPT],
                                 .dropped = at[PART_DROPPED],
                                 .n_sweeps = at[PART_SWEEPS],
                                 .work = w->work[i_slot],
                                 .n_slots = w->n_warps,
                                 .variant = w->variant,
                                 .stream = s->stream};
    out.n_work_arrays = sarrus_cuda_pinv_work_arrays(&out, w->of->n_scratch);
    return out;
}

/* --- Memory ----------------------------------------------------------------------------------------------------------- */

static void memory_release(worker *w) {
    const sarrus_gpu *gpu = w->of->gpu;
    for (int i = 0; i < N_SLOTS; ++i) {
        (void)gpu->release(w->work[i]);
        (void)gpu->release(w->slots[i].device);
        (void)gpu->host_release(w->slots[i].pinned);
        w->work[i] = NULL;
        w->slots[i].device = w->slots[i].pinned = NULL;
    }
}

static int memory_allocate(worker *w) {
    const sarrus_gpu *gpu = w->of->gpu;
    const sarrus_cuda_pinv_call call = call_of(w, 0);
    const size_t n_work = (size_t)w->n_warps * (size_t)call.n_work_arrays * SARRUS_CUDA_PINV_WIDTH * sizeof(double);
    int error = SARRUS_GPU_OK;
    for (int i = 0; i < N_SLOTS && error == SARRUS_GPU_OK; ++i) {
        void *pinned = NULL, *device = NULL, *work = NULL;
        error = gpu->host_allocate(&pinned, part_begin(w, N_PARTS));
        if (error == SARRUS_GPU_OK)
            error = gpu->allocate(&device, part_begin(w, N_PARTS));
        if (error == SARRUS_GPU_OK && w->variant == SARRUS_CUDA_PINV_THREAD)
            error = gpu->allocate(&work, n_work);
        w->slots[i].pinned = pinned;
        w->slots[i].device = device;
        w->work[i] = work;
    }
    if (error != SARRUS_GPU_OK)
        memory_release(w);
    return error;
}

/* Pieces as large as is worth it, and as memory allows: each failure halves them and the warps at work. */
static int memory_find(worker *w) {
    size_t n_shared = 0, n_bytes = 0;
    int error = w->of->gpu->pinv->resources(&w->n_warps, &n_shared);
    if (error != SARRUS_GPU_OK)
        return error;
    for (int i = 0; i < N_PARTS; ++i)
        n_bytes += w->of->n_bytes[i];
    w->variant = (int32_t)sarrus_cuda_pinv_choose(w->of->call, n_shared);
    w->n_piece = smaller(piece_bytes / n_bytes + FEWEST, w->last - w->first);
    for (;;) {
        const uint64_t n_tiles = (w->n_piece + SARRUS_CUDA_PINV_WIDTH - 1) / SARRUS_CUDA_PINV_WIDTH;
        w->n_warps = (int32_t)smaller(n_tiles, w->n_warps > 1 ? (uint64_t)w->n_warps : 1);
        error = memory_allocate(w);
        if (error != SARRUS_GPU_NO_MEMORY || (w->n_piece <= FEWEST && w->n_warps == 1))
            return error;
        w->n_piece = w->n_piece > FEWEST ? (w->n_piece + 1) / 2 : w->n_piece;
        w->n_warps /= 2;
    }
}

/* --- Pieces ----------------------------------------------------------------------------------------------------------- */

/* Ranks as the kernels take them: 0 … min(m, n). */
static void ranks_copy(const job *of, uint64_t first, uint64_t count, int32_t *to) {
    const int32_t most = of->batch->m < of->batch->n ? of->batch->m : of->batch->n;
    for (uint64_t i = 0; i < count; ++i) {
        const int32_t rank = of->batch->max_rank[first + i];
        to[i] = rank < 0 ? 0 : rank > most ? most : rank;
    }
}

static sarrus_gpu_copy copy_of(const worker *w, const slot *s, int i_part) {
    const size_t at = part_begin(w, i_part), n_bytes = w->of->n_bytes[i_part] * (size_t)s->count;
    const bool is_input = i_part < N_INPUTS;
    unsigned char *device = s->device + at, *pinned = s->pinned + at;
    return (sarrus_gpu_copy){.to = is_input ? device : pinned,
                             .from = is_input ? pinned : device,
                             .to_pitch = n_bytes,
                             .from_pitch = n_bytes,
                             .n_bytes = n_bytes,
                             .n_rows = 1,
                             .direction = is_input ? SARRUS_GPU_UPLOAD : SARRUS_GPU_DOWNLOAD};
}

/* Copies in, kernel, copies out, all queued. */
static int piece_queue(worker *w, int i_slot) {
    const sarrus_gpu *gpu = w->of->gpu;
    slot *s = &w->slots[i_slot];
    int error = SARRUS_GPU_OK;
    for (int i = 0; i < N_PARTS && error == SARRUS_GPU_OK; ++i) {
        const size_t n_bytes = w->of->n_bytes[i];
        unsigned char *pinned = s->pinned + part_begin(w, i);
        if (i == N_INPUTS) {
            const sarrus_cuda_pinv_call call = call_of(w, i_slot);
            error = gpu->pinv->run(&call);
        }
        if (n_bytes == 0 || error != SARRUS_GPU_OK)
            continue;
        if (i == PART_MAX_RANK)
            ranks_copy(w->of, s->first, s->count, (int32_t *)(void *)pinned);
        else if (i < N_INPUTS)
            memcpy(pinned, (const unsigned char *)w->of->from[i] + n_bytes * s->first, n_bytes * s->count);
        const sarrus_gpu_copy copy = copy_of(w, s, i);
        error = gpu->copy(&copy, s->stream);
    }
    return error;
}

/* Waits for the slot's piece and hands its results over. */
static int piece_finish(worker *w, slot *s) {
    const int error = s->count > 0 ? w->of->gpu->synchronize(s->stream) : SARRUS_GPU_OK;
    for (int i = N_INPUTS; i < N_PARTS && error == SARRUS_GPU_OK && s->count > 0; ++i) {
        const size_t n_bytes = w->of->n_bytes[i];
        if (n_bytes > 0)
            memcpy((unsigned char *)w->of->to[i] + n_bytes * s->first, s->pinned + part_begin(w, i), n_bytes * s->count);
    }
    s->count = 0;
    return error;
}

static int pieces_run(worker *w) {
    int error = SARRUS_GPU_OK, i_slot = 0;
    for (uint64_t first = w->first; first < w->last && error == SARRUS_GPU_OK; first += w->n_piece) {
        slot *s = &w->slots[i_slot];
        error = piece_finish(w, s);
        if (error != SARRUS_GPU_OK)
            break;
        s->first = first;
        s->count = smaller(w->n_piece, w->last - first);
        error = piece_queue(w, i_slot);
        if (error != SARRUS_GPU_OK) { /* nothing of it may be handed over */
            (void)w->of->gpu->synchronize(s->stream);
            s->count = 0;
        }
        i_slot = (i_slot + 1) % N_SLOTS;
    }
    for (int i = 0; i < N_SLOTS; ++i) {
        const int last = piece_finish(w, &w->slots[(i_slot + i) % N_SLOTS]);
        error = error == SARRUS_GPU_OK ? last : error;
    }
    return error;
}

/* One device's share. */
static void worker_run(worker *w) {
    const sarrus_gpu *gpu = w->of->gpu;
    w->error = w->last > w->first ? gpu->select(w->device) : SARRUS_GPU_OK;
    if (w->error != SARRUS_GPU_OK || w->last == w->first)
        return;
    for (int i = 0; i < N_SLOTS && w->error == SARRUS_GPU_OK; ++i)
        w->error = gpu->stream_create(&w->slots[i].stream);
    if (w->error == SARRUS_GPU_OK)
        w->error = memory_find(w);
    if (w->error == SARRUS_GPU_OK)
        w->error = pieces_run(w);
    for (int i = 0; i < N_SLOTS; ++i)
        (void)gpu->stream_destroy(w->slots[i].stream);
    memory_release(w);
}

/* A device for each thread, as far as there are threads. */
typedef struct workers_job {
    worker *workers; /* [n] */
    int n;
} workers_job;

static void workers_run(void *user, int i_member, int n_members) {
    const workers_job *shared = user;
    for (int i = i_member; i < shared->n; i += n_members)
        worker_run(&shared->workers[i]);
}

sarrus_status sarrus_cuda_pinv_compute(sarrus_context *context, const sarrus_gpu *gpu, const sarrus_pinv_batch *batch,
                                       const sarrus_pinv_call *call, size_t n_scratch) {
    worker workers[MOST_DEVICES];
    job of;
    int n_devices = 0;
    job_begin(gpu, batch, call, n_scratch, &of);
    (void)gpu->count(&n_devices);
    n_devices = n_devices > MOST_DEVICES ? MOST_DEVICES : n_devices < 1 ? 1 : n_devices;
    for (int i = 0; i < n_devices; ++i) {
        const uint64_t share = batch->n_matrices / (uint64_t)n_devices, rest = batch->n_matrices % (uint64_t)n_devices;
        const uint64_t first = share * (uint64_t)i + smaller((uint64_t)i, rest);
        workers[i] = (worker){.of = &of, .device = i, .first = first, .last = first + share + ((uint64_t)i < rest ? 1 : 0)};
    }
    sarrus_crew *crew = NULL;
    const sarrus_status crewed = sarrus_crew_create(context, n_devices, 0, &crew);
    if (crewed != SARRUS_OK)
        return crewed;
    workers_job of_all = {workers, n_devices};
    sarrus_crew_run(crew, n_devices, workers_run, &of_all);
    sarrus_crew_destroy(crew);
    for (int i = 0; i < n_devices; ++i) {
        if (workers[i].error == SARRUS_GPU_NO_MEMORY)
            return sarrus_report(context, SARRUS_NO_MEMORY, "out of memory on device %d for %d matrices of %dx%d", i, FEWEST,
                                 batch->m, batch->n);
        if (workers[i].error != SARRUS_GPU_OK)
            return sarrus_report(context, SARRUS_NO_BACKEND, "device %d failed: %s; the results are not complete", i,
                                 gpu->error_text(workers[i].error));
    }
    return SARRUS_OK;
}
