#include "bench/measure/cuda_device.h"

#include <math.h>
#include <string.h>

#include "backend/cuda/gpu_yardstick.h"
#include "core/report.h"
#include "bench/measure/measure.h"

enum {
    N_PEAK_SAMPLES = 5,
    BLOCKS_PER_PROCESSOR = 8, /* of 256 threads: all that a multiprocessor holds */
    MOST_CALLS = 100000,
};

/* Far beyond any second cache, where there is that much. */
static const size_t most_copy_bytes = (size_t)512 << 20;

/* Pinned memory that numbers pass through. */
static const size_t piece_bytes = (size_t)16 << 20;

sarrus_status sarrus_bench_cuda_open(sarrus_context *context, sarrus_bench_cuda *out) {
    const sarrus_gpu *gpu = sarrus_gpu_find();
    int n_devices = 0;
    *out = (sarrus_bench_cuda){.gpu = gpu, .flops = (double)NAN, .bytes_per_second = (double)NAN};
    if (gpu == NULL) {
        return sarrus_report(context, SARRUS_NO_BACKEND,
                             "the backend 'cuda' is not in this build: it was made without a CUDA toolkit");
    }
    const int error = gpu->count(&n_devices);
    if (error != SARRUS_GPU_OK || n_devices < 1) {
        return sarrus_report(context, SARRUS_NO_BACKEND, "the backend 'cuda' has no usable device: %s",
                             error != SARRUS_GPU_OK ? gpu->error_text(error) : "none was found");
    }
    out->error = gpu->select(0);
    if (out->error == SARRUS_GPU_OK)
        out->error = gpu->describe(0, &out->about);
    if (out->error == SARRUS_GPU_OK)
        out->error = gpu->memory(&out->n_free, &out->n_bytes);
    if (out->error == SARRUS_GPU_OK)
        out->error = gpu->stream_create(&out->stream);
    return sarrus_bench_cuda_status(context, out);
}

void sarrus_bench_cuda_close(sarrus_bench_cuda *cuda) {
    if (cuda->stream != NULL)
        (void)cuda->gpu->stream_destroy(cuda->stream);
    cuda->stream = NULL;
}

sarrus_status sarrus_bench_cuda_status(sarrus_context *context, const sarrus_bench_cuda *cuda) {
    if (cuda->error == SARRUS_GPU_OK)
        return SARRUS_OK;
    const bool is_memory = cuda->error == SARRUS_GPU_NO_MEMORY;
    return sarrus_report(context, is_memory ? SARRUS_NO_MEMORY : SARRUS_NO_BACKEND, "the device failed: %s",
                         cuda->gpu->error_text(cuda->error));
}

/* --- Arrays ----------------------------------------------------------------------------------------------------------- */

/* Through pinned memory, piece by piece. */
static void move(sarrus_bench_cuda *cuda, void *device, void *host, size_t n_bytes, sarrus_gpu_direction direction) {
    const sarrus_gpu *gpu = cuda->gpu;
    void *pinned = NULL;
    if (cuda->error == SARRUS_GPU_OK)
        cuda->error = gpu->host_allocate(&pinned, piece_bytes);
    for (size_t at = 0; at < n_bytes && cuda->error == SARRUS_GPU_OK; at += piece_bytes) {
        const size_t n = n_bytes - at < piece_bytes ? n_bytes - at : piece_bytes;
        unsigned char *there = (unsigned char *)device + at, *here = (unsigned char *)host + at;
        const bool is_up = direction == SARRUS_GPU_UPLOAD;
        const sarrus_gpu_copy copy = {is_up ? there : pinned, is_up ? pinned : there, n, n, n, 1, direction};
        if (is_up)
            memcpy(pinned, here, n);
        cuda->error = gpu->copy(&copy, cuda->stream);
        if (cuda->error == SARRUS_GPU_OK)
            cuda->error = gpu->synchronize(cuda->stream);
        if (!is_up && cuda->error == SARRUS_GPU_OK)
            memcpy(here, pinned, n);
    }
    (void)gpu->host_release(pinned);
}

void *sarrus_bench_cuda_array(sarrus_bench_cuda *cuda, size_t n_bytes, const void *from) {
    void *array = NULL;
    if (cuda->error == SARRUS_GPU_OK)
        cuda->error = cuda->gpu->allocate(&array, n_bytes > 0 ? n_bytes : 1);
    if (cuda->error == SARRUS_GPU_OK && from != NULL) {
        union {
            const void *is_read;
            void *any;
        } host = {from};
        move(cuda, array, host.any, n_bytes, SARRUS_GPU_UPLOAD);
    }
    return array;
}

void sarrus_bench_cuda_free(sarrus_bench_cuda *cuda, void *array) {
    (void)cuda->gpu->release(array);
}

void sarrus_bench_cuda_download(sarrus_bench_cuda *cuda, const void *array, size_t n_bytes, void *to) {
    union {
        const void *is_read;
        void *any;
    } device = {array};
    move(cuda, device.any, to, n_bytes, SARRUS_GPU_DOWNLOAD);
}

/* --- Time ------------------------------------------------------------------------------------------------------------- */

static double time_calls(sarrus_bench_cuda *cuda, uint64_t n_calls, int (*work)(void *user), void *user) {
    const double start = sarrus_bench_now();
    for (uint64_t i = 0; i < n_calls && cuda->error == SARRUS_GPU_OK; ++i)
        cuda->error = work(user);
    if (cuda->error == SARRUS_GPU_OK)
        cuda->error = cuda->gpu->synchronize(cuda->stream);
    return (sarrus_bench_now() - start) / (double)n_calls;
}

double sarrus_bench_cuda_time(sarrus_bench_cuda *cuda, double seconds, int (*work)(void *user), void *user) {
    (void)time_calls(cuda, 1, work, user); /* warm */
    const double one = time_calls(cuda, 1, work, user);
    const double wanted = ceil(seconds / fmax(one, 1e-9));
    return time_calls(cuda, (uint64_t)fmin(fmax(wanted, 1.0), (double)MOST_CALLS), work, user);
}

/* --- Peaks ------------------------------------------------------------------------------------------------------------ */

typedef struct peak_work {
    sarrus_bench_cuda *cuda;
    double *from, *to;
    int32_t n_blocks;
    uint64_t n_rounds, n_copied; /* numbers */
} peak_work;

static int multiply_adds(void *user) {
    const peak_work *w = user;
    return w->cuda->gpu->yardstick->multiply_adds(w->to, w->n_blocks, w->n_rounds, w->cuda->stream);
}

static int copy_numbers(void *user) {
    const peak_work *w = user;
    return w->cuda->gpu->yardstick->copy_numbers(w->from, w->to, w->n_copied, w->cuda->stream);
}

void sarrus_bench_cuda_measure_peaks(sarrus_bench_cuda *cuda, double seconds) {
    peak_work w = {.cuda = cuda, .n_blocks = cuda->about.n_processors * BLOCKS_PER_PROCESSOR, .n_rounds = 1000};
    if (cuda->gpu->yardstick == NULL)
        return;
    const double per_thread = 2.0 * SARRUS_YARDSTICK_CHAINS * SARRUS_YARDSTICK_LINKS * (double)w.n_rounds;
    /* Blocks of 256 threads: out [n_blocks][256] fits into what is copied. */
    const double n_flops = per_thread * SARRUS_YARDSTICK_THREADS * w.n_blocks;
    const size_t copy_bytes = cuda->n_free / 8 < most_copy_bytes ? cuda->n_free / 8 / 64 * 64 : most_copy_bytes;
    w.n_copied = copy_bytes / sizeof(double);
    w.from = sarrus_bench_cuda_array(cuda, copy_bytes, NULL);
    w.to = sarrus_bench_cuda_array(cuda, copy_bytes, NULL);
    if (cuda->error == SARRUS_GPU_OK)
        cuda->error = cuda->gpu->fill(w.from, 0, copy_bytes, cuda->stream);
    double quickest_flops = (double)INFINITY, quickest_copy = (double)INFINITY;
    for (int i = 0; i < N_PEAK_SAMPLES && cuda->error == SARRUS_GPU_OK; ++i) {
        quickest_flops = fmin(quickest_flops, sarrus_bench_cuda_time(cuda, seconds / N_PEAK_SAMPLES, multiply_adds, &w));
        quickest_copy = fmin(quickest_copy, sarrus_bench_cuda_time(cuda, seconds / N_PEAK_SAMPLES, copy_numbers, &w));
    }
    cuda->flops = n_flops / quickest_flops;
    cuda->bytes_per_second = 2.0 * (double)copy_bytes / quickest_copy;
    sarrus_bench_cuda_free(cuda, w.from);
    sarrus_bench_cuda_free(cuda, w.to);
}

/* --- Words ------------------------------------------------------------------------------------------------------------ */

void sarrus_bench_cuda_show(sarrus_sheet *sheet, const sarrus_bench_cuda *cuda) {
    sarrus_json *json = &sheet->json;
    sarrus_json_text(json, "backend", "cuda");
    sarrus_json_text(json, "device", cuda->about.name);
    sarrus_json_count(json, "compute_capability", (uint64_t)cuda->about.architecture);
    sarrus_json_count(json, "multiprocessors", (uint64_t)cuda->about.n_processors);
    sarrus_json_count(json, "memory_bytes", (uint64_t)cuda->n_bytes);
    sarrus_json_number(json, "peak_flops_per_second", cuda->flops);
    sarrus_json_number(json, "peak_bytes_per_second", cuda->bytes_per_second);
    sarrus_sheet_note(sheet,
                      "%s, sm_%d, %d multiprocessors, %.1f GiB; measured in this run: %.2f Tflop/s of FP64 multiply-adds, "
                      "%.0f GB/s of a copy\n\n",
                      cuda->about.name, cuda->about.architecture, cuda->about.n_processors, (double)cuda->n_bytes / 0x1p30,
                      1e-12 * cuda->flops, 1e-9 * cuda->bytes_per_second);
}
