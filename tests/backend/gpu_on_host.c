#include "tests/backend/gpu_on_host.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/backend/gpu_fused_on_host.h"
#include "tests/backend/gpu_staged_on_host.h"

enum { MOST_DEVICES = 512 };

typedef struct block {
    struct block *next;
    unsigned char *memory;
    size_t n_bytes;
    int device; /* −1: pinned memory of the host */
} block;

typedef struct stream stream;

typedef struct event {
    stream *on; /* NULL: never recorded */
    uint64_t serial;
} event;

/* Something queued. */
typedef struct work {
    struct work *next;
    void (*run)(const void *argument);
    stream *wait_on; /* what is to be done first, up to wait_serial */
    uint64_t wait_serial, serial;
    bool is_losing;
    size_t n_bytes;
    max_align_t argument[];
} work;

struct stream {
    stream *next;
    int device;
    work *first, **last;
    uint64_t n_queued, n_done;
    gpu_on_host_graph *into; /* what is queued goes there; NULL: none is captured */
};

struct gpu_on_host_graph {
    work *first, **last;
};

static struct {
    gpu_on_host_settings settings;
    gpu_on_host_tally tally;
    block *blocks;
    stream *streams;
    size_t n_used[MOST_DEVICES];
    bool is_lost[MOST_DEVICES], is_used[MOST_DEVICES], has_stacks[MOST_DEVICES];
    int n_pinned_allocations;
} gpu;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static _Thread_local int selected;

static void enter(void) {
    (void)pthread_mutex_lock(&lock);
}

static int leave(int error) {
    (void)pthread_mutex_unlock(&lock);
    return error;
}

__attribute__((format(printf, 1, 2))) static int misuse(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    (void)fputs("gpu on host: ", stderr);
    (void)vfprintf(stderr, format, arguments);
    (void)fputc('\n', stderr);
    va_end(arguments);
    ++gpu.tally.n_misuses;
    return GPU_ON_HOST_MISUSE;
}

/* ---- what is queued ---- */

static void drain(stream *s, uint64_t until) {
    while (s->n_done < until && s->first) {
        work *w = s->first;
        if (w->wait_on)
            drain(w->wait_on, w->wait_serial);
        if (w->is_losing)
            gpu.is_lost[s->device] = true;
        if (w->run && !gpu.is_lost[s->device])
            w->run(w->argument);
        s->n_done = w->serial;
        s->first = w->next;
        if (!s->first)
            s->last = &s->first;
        free(w);
    }
}

static void drain_all(void) {
    for (stream *s = gpu.streams; s; s = s->next)
        drain(s, s->n_queued);
}

static stream *stream_find(void *handle) {
    for (stream *s = gpu.streams; s; s = s->next)
        if (s == handle)
            return s;
    return NULL;
}

/* The stream of this handle when work may be queued on it now; else *error says why not. */
static stream *stream_open(void *handle, int *error) {
    stream *s = stream_find(handle);
    *error = SARRUS_GPU_OK;
    if (!s)
        *error = misuse("no such stream");
    else if (s->device != selected)
        *error = misuse("stream of device %d, but %d is selected", s->device, selected);
    else if (gpu.is_lost[s->device])
        *error = GPU_ON_HOST_LOST;
    return *error == SARRUS_GPU_OK ? s : NULL;
}

static work *queue(stream *s, void (*run)(const void *), const void *argument, size_t n_bytes) {
    work *w = calloc(1, sizeof *w + n_bytes);
    if (!w)
        abort();
    if (n_bytes > 0)
        memcpy(w->argument, argument, n_bytes);
    w->run = run;
    w->n_bytes = n_bytes;
    if (s->into) {
        *s->into->last = w;
        s->into->last = &w->next;
        return w;
    }
    w->serial = ++s->n_queued;
    *s->last = w;
    s->last = &w->next;
    return w;
}

static void works_free(work *w) {
    for (work *after; w; w = after) {
        after = w->next;
        free(w);
    }
}

/* ---- graphs ---- */

gpu_on_host_graph *gpu_on_host_capture(void *handle) {
    gpu_on_host_graph *graph = calloc(1, sizeof *graph);
    enter();
    stream *s = stream_find(handle);
    if (!graph || !s)
        abort();
    graph->last = &graph->first;
    s->into = graph;
    (void)leave(SARRUS_GPU_OK);
    return graph;
}

void gpu_on_host_capture_end(void *handle) {
    stream_find(handle)->into = NULL; /* no other thread uses it */
}

void gpu_on_host_replay(const gpu_on_host_graph *graph, void *handle) {
    enter();
    for (const work *w = graph->first; w; w = w->next)
        (void)queue(stream_find(handle), w->run, w->argument, w->n_bytes);
    (void)leave(SARRUS_GPU_OK);
}

void gpu_on_host_graph_free(gpu_on_host_graph *graph) {
    works_free(graph->first);
    free(graph);
}

/* Nobody waits for a stream that is captured, and nothing that is not captured is waited for there. */
static bool is_captured(const stream *s) {
    return s->into && misuse("waited for on a stream that is captured");
}

static int is_capturing(void *handle, int *out) {
    enter();
    const stream *s = stream_find(handle);
    *out = s && s->into;
    return leave(s ? SARRUS_GPU_OK : misuse("no such stream to ask"));
}

static int device_synchronize(void) {
    enter();
    ++gpu.tally.n_waits;
    for (stream *s = gpu.streams; s; s = s->next)
        if (s->device == selected && !is_captured(s))
            drain(s, s->n_queued);
    return leave(gpu.is_lost[selected] ? GPU_ON_HOST_LOST : SARRUS_GPU_OK);
}

/* ---- devices and memory ---- */

static size_t bytes_of_device(void) {
    return gpu.settings.n_bytes ? gpu.settings.n_bytes : (size_t)1 << 30;
}

static int count(int *n_devices) {
    enter();
    *n_devices = gpu.settings.n_devices;
    return leave(gpu.settings.n_devices > 0 ? SARRUS_GPU_OK : GPU_ON_HOST_NO_DEVICE);
}

static int select_device(int device) {
    enter();
    if (device < 0 || device >= gpu.settings.n_devices)
        return leave(GPU_ON_HOST_NO_DEVICE);
    selected = device;
    return leave(SARRUS_GPU_OK);
}

static int describe(int device, sarrus_gpu_description *out) {
    *out = (sarrus_gpu_description){.name = "host", .architecture = 90, .n_processors = 1};
    return device < gpu.settings.n_devices ? SARRUS_GPU_OK : GPU_ON_HOST_NO_DEVICE;
}

static int memory(size_t *n_free, size_t *n_total) {
    enter();
    *n_total = bytes_of_device();
    *n_free = gpu.settings.n_told_bytes ? gpu.settings.n_told_bytes : *n_total - gpu.n_used[selected];
    return leave(gpu.is_lost[selected] ? GPU_ON_HOST_LOST : SARRUS_GPU_OK);
}

static void block_add(int device, size_t n_bytes, void **out) {
    block *b = malloc(sizeof *b);
    void *bytes = NULL;
    if (!b || posix_memalign(&bytes, 256, n_bytes ? n_bytes : 1) != 0)
        abort();
    memset(bytes, 0xff, n_bytes);
    *b = (block){gpu.blocks, bytes, n_bytes, device};
    gpu.blocks = b;
    *out = bytes;
}

static int allocate(void **out, size_t n_bytes) {
    enter();
    *out = NULL;
    if (gpu.is_lost[selected])
        return leave(GPU_ON_HOST_LOST);
    if (n_bytes > bytes_of_device() - gpu.n_used[selected])
        return leave(SARRUS_GPU_NO_MEMORY);
    gpu.n_used[selected] += n_bytes;
    gpu.tally.n_bytes_allocated += n_bytes;
    block_add(selected, n_bytes, out);
    return leave(SARRUS_GPU_OK);
}

static int host_allocate(void **out, size_t n_bytes) {
    enter();
    *out = NULL;
    if (++gpu.n_pinned_allocations == gpu.settings.i_allocation_failed)
        return leave(SARRUS_GPU_NO_MEMORY);
    gpu.tally.n_pinned_allocated += n_bytes;
    block_add(-1, n_bytes, out);
    return leave(SARRUS_GPU_OK);
}

static int release_block(void *bytes, bool is_pinned) {
    if (!bytes)
        return SARRUS_GPU_OK;
    enter();
    drain_all();
    for (block **at = &gpu.blocks; *at; at = &(*at)->next) {
        block *b = *at;
        if (b->memory != bytes || (b->device < 0) != is_pinned)
            continue;
        *at = b->next;
        if (is_pinned)
            gpu.tally.n_pinned_allocated -= b->n_bytes;
        else
            gpu.tally.n_bytes_allocated -= b->n_bytes, gpu.n_used[b->device] -= b->n_bytes;
        free(b->memory);
        free(b);
        return leave(SARRUS_GPU_OK);
    }
    return leave(misuse("memory given back that was not given out"));
}

static int release(void *bytes) {
    return release_block(bytes, false);
}

static int host_release(void *bytes) {
    return release_block(bytes, true);
}

/* device −1: pinned memory. */
static bool lies_in(const void *bytes, size_t n_bytes, int device) {
    const unsigned char *from = bytes;
    for (const block *b = gpu.blocks; b; b = b->next)
        if (b->device == device && from >= b->memory && from + n_bytes <= b->memory + b->n_bytes)
            return true;
    return false;
}

/* ---- streams and events ---- */

static int stream_create(void **out) {
    enter();
    *out = NULL;
    if (gpu.is_lost[selected])
        return leave(GPU_ON_HOST_LOST);
    stream *s = calloc(1, sizeof *s);
    if (!s)
        abort();
    s->last = &s->first;
    s->device = selected;
    s->next = gpu.streams;
    gpu.streams = s;
    ++gpu.tally.n_objects;
    *out = s;
    return leave(SARRUS_GPU_OK);
}

static int stream_destroy(void *handle) {
    if (!handle)
        return SARRUS_GPU_OK;
    enter();
    drain_all(); /* so that no work waits for this stream */
    for (stream **at = &gpu.streams; *at; at = &(*at)->next) {
        if (*at != handle)
            continue;
        *at = (*at)->next;
        free(handle);
        --gpu.tally.n_objects;
        return leave(SARRUS_GPU_OK);
    }
    return leave(misuse("no such stream to destroy"));
}

static int synchronize(void *handle) {
    enter();
    stream *s = stream_find(handle);
    if (!s)
        return leave(misuse("no such stream to wait for"));
    if (is_captured(s))
        return leave(GPU_ON_HOST_MISUSE);
    ++gpu.tally.n_waits;
    drain(s, s->n_queued);
    return leave(gpu.is_lost[s->device] ? GPU_ON_HOST_LOST : SARRUS_GPU_OK);
}

static int event_create(void **out) {
    enter();
    *out = calloc(1, sizeof(event));
    if (!*out)
        abort();
    ++gpu.tally.n_objects;
    return leave(gpu.is_lost[selected] ? GPU_ON_HOST_LOST : SARRUS_GPU_OK);
}

static int event_destroy(void *handle) {
    if (!handle)
        return SARRUS_GPU_OK;
    enter();
    free(handle);
    --gpu.tally.n_objects;
    return leave(SARRUS_GPU_OK);
}

static int event_record(void *handle, void *on) {
    int error;
    enter();
    event *e = handle;
    stream *s = stream_open(on, &error);
    if (s && !is_captured(s))
        *e = (event){s, queue(s, NULL, NULL, 0)->serial};
    return leave(error);
}

static int event_synchronize(void *handle) {
    enter();
    const event *e = handle;
    if (!e->on)
        return leave(SARRUS_GPU_OK);
    if (!stream_find(e->on))
        return leave(misuse("an event of a stream that is gone"));
    ++gpu.tally.n_waits;
    drain(e->on, e->serial);
    return leave(gpu.is_lost[e->on->device] ? GPU_ON_HOST_LOST : SARRUS_GPU_OK);
}

static int stream_wait(void *on, void *handle) {
    int error;
    enter();
    const event *e = handle;
    stream *s = stream_open(on, &error);
    if (s && e->on && !is_captured(s)) {
        work *w = queue(s, NULL, NULL, 0);
        w->wait_on = e->on;
        w->wait_serial = e->serial;
    }
    return leave(error);
}

/* ---- work ---- */

static void copy_run(const void *argument) {
    const sarrus_gpu_copy *c = argument;
    for (size_t i = 0; i < c->n_rows; ++i)
        memcpy((unsigned char *)c->to + i * c->to_pitch, (const unsigned char *)c->from + i * c->from_pitch, c->n_bytes);
    const size_t n_bytes = c->n_rows * c->n_bytes;
    gpu.tally.n_uploaded += c->direction == SARRUS_GPU_UPLOAD ? n_bytes : 0;
    gpu.tally.n_downloaded += c->direction == SARRUS_GPU_DOWNLOAD ? n_bytes : 0;
}

static int copy(const sarrus_gpu_copy *c, void *on) {
    int error;
    enter();
    stream *s = stream_open(on, &error);
    if (!s || c->n_rows == 0)
        return leave(error);
    const size_t n_to = (c->n_rows - 1) * c->to_pitch + c->n_bytes, n_from = (c->n_rows - 1) * c->from_pitch + c->n_bytes;
    if (!lies_in(c->to, n_to, c->direction == SARRUS_GPU_DOWNLOAD ? -1 : selected))
        return leave(misuse("a copy of %zu bytes to memory of another kind or beyond its end", n_to));
    if (!lies_in(c->from, n_from, c->direction == SARRUS_GPU_UPLOAD ? -1 : selected))
        return leave(misuse("a copy of %zu bytes from memory of another kind or beyond its end", n_from));
    if (c->n_rows > 1 && (c->n_bytes > c->to_pitch || c->n_bytes > c->from_pitch))
        return leave(misuse("rows of a copy overlap"));
    (void)queue(s, copy_run, c, sizeof *c);
    return leave(SARRUS_GPU_OK);
}

typedef struct fill_argument {
    void *bytes;
    size_t n_bytes;
    int byte;
} fill_argument;

static void fill_run(const void *argument) {
    const fill_argument *f = argument;
    memset(f->bytes, f->byte, f->n_bytes);
}

static int fill(void *bytes, int byte, size_t n_bytes, void *on) {
    const fill_argument argument = {bytes, n_bytes, byte};
    int error;
    enter();
    stream *s = stream_open(on, &error);
    if (s && !lies_in(bytes, n_bytes, selected))
        error = misuse("%zu bytes filled beyond the end of memory", n_bytes);
    if (s && error == SARRUS_GPU_OK)
        (void)queue(s, fill_run, &argument, sizeof argument);
    return leave(error);
}

static int launch(void *on, void (*run)(const void *), const void *argument, size_t n_bytes) {
    int error;
    stream *s = stream_open(on, &error);
    if (!s)
        return error;
    const int i_launch = ++gpu.tally.n_launches;
    if (i_launch == gpu.settings.i_launch_refused)
        return GPU_ON_HOST_BAD_LAUNCH;
    if (!gpu.has_stacks[s->device] && gpu.settings.n_stack_bytes > bytes_of_device() - gpu.n_used[s->device])
        return SARRUS_GPU_NO_MEMORY;
    gpu.n_used[s->device] += gpu.has_stacks[s->device] ? 0 : gpu.settings.n_stack_bytes;
    gpu.has_stacks[s->device] = true;
    gpu.tally.n_devices_used += !gpu.is_used[s->device];
    gpu.is_used[s->device] = true;
    queue(s, run, argument, n_bytes)->is_losing = i_launch == gpu.settings.i_launch_lost;
    return SARRUS_GPU_OK;
}

int gpu_on_host_launch(void *on, void (*run)(const void *argument), const void *argument, size_t n_bytes) {
    enter();
    return leave(launch(on, run, argument, n_bytes));
}

static int device_memory_check(const void *bytes, size_t n_bytes, const char *what) {
    return lies_in(bytes, n_bytes, selected) ? SARRUS_GPU_OK : misuse("%s: %zu bytes are not there", what, n_bytes);
}

int gpu_on_host_check(const void *bytes, size_t n_bytes) {
    enter();
    return leave(device_memory_check(bytes, n_bytes, "argument")) == SARRUS_GPU_OK;
}

/* ---- what is asked about kernels ---- */

static int resident_tiles(const sarrus_mechanism *mech, const sarrus_cuda_specialized *specialized, int32_t *n_tiles) {
    (void)mech;
    (void)specialized;
    *n_tiles = gpu.settings.n_resident ? gpu.settings.n_resident : 4;
    return SARRUS_GPU_OK;
}

static int stack(const sarrus_mechanism *mech, size_t *n_bytes) {
    (void)mech;
    *n_bytes = gpu.settings.n_stack_bytes;
    return SARRUS_GPU_OK;
}

void gpu_on_host_ran(int error) {
    if (error != SARRUS_GPU_OK)
        (void)misuse("a launch ended with error %d", error);
}

int gpu_on_host_special_launch(void) {
    return gpu.settings.no_specialized == 2 ? GPU_ON_HOST_BAD_LAUNCH : SARRUS_GPU_OK;
}

/* The generic kernels stand for those of a cubin: both give the same bits. */
static int specialized_load(const void *cubin, const char *kernel, int32_t n_threads, sarrus_cuda_specialized *out) {
    (void)kernel;
    *out = (sarrus_cuda_specialized){.n_threads = n_threads};
    enter();
    if (gpu.settings.no_specialized == 1 || !cubin)
        return leave(GPU_ON_HOST_BAD_LAUNCH);
    ++gpu.tally.n_objects;
    out->library = &gpu;
    return leave(SARRUS_GPU_OK);
}

static int specialized_unload(sarrus_cuda_specialized *specialized) {
    enter();
    gpu.tally.n_objects -= specialized->library != NULL;
    *specialized = (sarrus_cuda_specialized){0};
    return leave(SARRUS_GPU_OK);
}

void gpu_on_host_reset(const gpu_on_host_settings *settings) {
    enter();
    for (stream *s = gpu.streams; s;) {
        stream *next = s->next;
        works_free(s->first);
        free(s);
        s = next;
    }
    for (block *b = gpu.blocks; b;) {
        block *next = b->next;
        free(b->memory);
        free(b);
        b = next;
    }
    memset(&gpu, 0, sizeof gpu);
    gpu.settings = *settings;
    selected = 0;
    (void)leave(SARRUS_GPU_OK);
}

gpu_on_host_tally gpu_on_host_seen(void) {
    enter();
    const gpu_on_host_tally seen = gpu.tally;
    (void)leave(SARRUS_GPU_OK);
    return seen;
}

const sarrus_gpu gpu_on_host = {
    .name = "cuda",
    .n_most_packed = (size_t)256 << 20,
    .n_most_pinned = (size_t)16 << 20,
    .count = count,
    .select = select_device,
    .describe = describe,
    .memory = memory,
    .error_text = gpu_on_host_error_text,
    .allocate = allocate,
    .release = release,
    .host_allocate = host_allocate,
    .host_release = host_release,
    .stream_create = stream_create,
    .stream_destroy = stream_destroy,
    .synchronize = synchronize,
    .event_create = event_create,
    .event_destroy = event_destroy,
    .event_record = event_record,
    .event_synchronize = event_synchronize,
    .stream_wait = stream_wait,
    .device_synchronize = device_synchronize,
    .is_capturing = is_capturing,
    .copy = copy,
    .fill = fill,
    .assemble = gpu_on_host_assemble,
    .advance = gpu_on_host_advance,
    .observe = gpu_on_host_observe,
    .restart_some = gpu_on_host_restart_some,
    .bodies_take = gpu_on_host_bodies_take,
    .bodies_show = gpu_on_host_bodies_show,
    .bodies_settle = gpu_on_host_bodies_settle,
    .resident_tiles = resident_tiles,
    .stack = stack,
    .specialized_load = specialized_load,
    .specialized_unload = specialized_unload,
    .staged = &gpu_staged_on_host,
};
