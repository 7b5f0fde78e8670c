/* Work on streams of the caller's, and tiles that the caller sees on the device. Nothing here is waited for, allocated or copied
 * once all stands ready: a call queues kernels, and the next call of the host's waits for them. Where the lanes stand is counted on
 * the device, so that a graph goes on from there whenever it is launched. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend/cuda/device.h"
#include "plan/fields.h"

static cuda_device *cuda_of(sarrus_device *base) {
    return (cuda_device *)(void *)base;
}

static bool any(const uint8_t *marks, size_t n) {
    return memchr(marks, 1, n) != NULL;
}

static size_t n_arrays_of(const cuda_device *device) {
    return (size_t)device->lowered.mech.layout.n_arrays;
}

/* Why its tiles cannot be the caller's; NULL: they can. */
static const char *place_lack(const cuda_device *device) {
    if (device->n_parts != 1)
        return "the batch lies on several GPUs; expected n_devices: 1, or one that is visible (CUDA_VISIBLE_DEVICES)";
    if (!device->is_resident)
        return "the batch does not fit into the GPU's memory and goes through it in pieces; expected fewer instances";
    if (any(device->is_shared, n_arrays_of(device)))
        return "a field is viewed on the host (sarrus_batch_view), where the GPU cannot follow it; expected sarrus_batch_copy_in";
    return NULL;
}

/* Why the host has to have a hand in what it does; NULL: it need not. */
static const char *queue_lack(const cuda_device *device) {
    if (device->library)
        return "steps through cuSOLVER are made with the host's help; expected another pinv";
    if (device->base.keeps_rank_changes && device->lowered.mech.rank_change_capacity > 0)
        return "the host takes over changes of rank between steps; expected a batch that does not keep them (keep_rank_events)";
    return place_lack(device);
}

static sarrus_status refuse(cuda_device *device, const char *why) {
    device->base.refusal = why;
    return SARRUS_UNSUPPORTED;
}

/* ---- what stands ready ---- */

static size_t n_lanes(const cuda_device *device) {
    return (size_t)device->base.n_tiles * SARRUS_CUDA_WIDTH;
}

static int resets_upload(cuda_device *device) {
    const sarrus_mechanism *mech = &device->lowered.mech;
    sarrus_tile_field fields[SARRUS_N_FIELDS];
    sarrus_cuda_reset resets[SARRUS_N_FIELDS + 1];
    cuda_queued *q = &device->queued;
    sarrus_plan_fields(mech, fields);
    q->n_resets = 0;
    for (int k = 0; k < SARRUS_N_FIELDS; ++k)
        if (fields[k].reset != SARRUS_RESET_KEPT && fields[k].n > 0)
            resets[q->n_resets++] = (sarrus_cuda_reset){
                fields[k].at, fields[k].n, fields[k].reset == SARRUS_RESET_FROM ? fields[k].from : -1, fields[k].value};
    resets[q->n_resets++] = (sarrus_cuda_reset){mech->layout.input, mech->n_inputs, -1, 0.0};
    return sarrus_cuda_list_upload(device->gpu, resets, (size_t)q->n_resets * sizeof *resets, &q->resets);
}

static void queued_free(cuda_device *device) {
    const sarrus_gpu *gpu = device->gpu;
    cuda_queued *q = &device->queued;
    (void)gpu->event_destroy(q->done);
    (void)gpu->release(q->step);
    (void)gpu->release(q->resets);
    (void)gpu->host_release(q->seen);
    *q = (cuda_queued){0};
}

static int queued_create(cuda_device *device) {
    const sarrus_gpu *gpu = device->gpu;
    cuda_queued *q = &device->queued;
    const size_t n_bytes = (n_lanes(device) + 1) * sizeof *q->step;
    int error = gpu->allocate((void **)(void *)&q->step, n_bytes);
    if (error == SARRUS_GPU_OK)
        error = gpu->host_allocate((void **)(void *)&q->seen, 2 * sizeof *q->seen);
    if (error == SARRUS_GPU_OK)
        error = gpu->event_create(&q->done);
    if (error == SARRUS_GPU_OK)
        error = resets_upload(device);
    if (error == SARRUS_GPU_OK)
        error = gpu->fill(q->step, 0, n_bytes, device->workers[0].stream);
    return error != SARRUS_GPU_OK ? error : gpu->synchronize(device->workers[0].stream);
}

/* Where the host says that the batch stands: a block of pinned memory, as often as it takes. */
static int step_upload(cuda_device *device) {
    const sarrus_gpu *gpu = device->gpu;
    cuda_worker *worker = &device->workers[0];
    cuda_queued *q = &device->queued;
    uint64_t *pinned = (uint64_t *)(void *)worker->pinned[0];
    const size_t n_fitting = worker->n_pinned < n_lanes(device) ? worker->n_pinned : n_lanes(device);
    for (size_t i = 0; i < n_fitting; ++i)
        pinned[i] = device->base.step;
    int error = SARRUS_GPU_OK;
    for (size_t i = 0; i < n_lanes(device) && error == SARRUS_GPU_OK; i += n_fitting) {
        const size_t n_bytes = (n_lanes(device) - i < n_fitting ? n_lanes(device) - i : n_fitting) * sizeof *pinned;
        const sarrus_gpu_copy copy = {q->step + i, pinned, n_bytes, n_bytes, n_bytes, 1, SARRUS_GPU_UPLOAD};
        error = gpu->copy(&copy, worker->stream);
    }
    if (error == SARRUS_GPU_OK)
        error = gpu->synchronize(worker->stream);
    q->i_step = device->base.step;
    return error;
}

/* Whether what the host knows has to go to the device. */
static bool is_behind(const cuda_device *device) {
    return device->queued.i_step != device->base.step || any(device->device_is_old, n_arrays_of(device));
}

sarrus_status sarrus_cuda_refresh(sarrus_device *base) {
    cuda_device *device = cuda_of(base);
    if (!device->queued.is_ready || !is_behind(device))
        return SARRUS_OK;
    const sarrus_status status = sarrus_cuda_move(device, sarrus_cuda_tiles_upload, device->device_is_old);
    if (status != SARRUS_OK)
        return status;
    memset(device->device_is_old, 0, n_arrays_of(device));
    const int error = device->queued.i_step != base->step ? step_upload(device) : SARRUS_GPU_OK;
    return error != SARRUS_GPU_OK ? sarrus_cuda_fail(device, device->parts, error) : SARRUS_OK;
}

static sarrus_status get_ready(cuda_device *device) {
    if (device->base.failure[0] != '\0')
        return SARRUS_DEVICE_FAILED;
    int error = device->gpu->select(device->parts[0].device);
    if (error == SARRUS_GPU_OK && !device->queued.is_ready)
        error = queued_create(device);
    if (error != SARRUS_GPU_OK) {
        queued_free(device);
        device->base.refusal = "the GPU has no memory left";
        return error == SARRUS_GPU_NO_MEMORY ? SARRUS_NO_MEMORY : sarrus_cuda_fail(device, device->parts, error);
    }
    device->queued.is_ready = true;
    return sarrus_cuda_refresh(&device->base);
}

void sarrus_cuda_queued_destroy(cuda_device *device) {
    if (!device->queued.is_ready)
        return;
    (void)sarrus_cuda_meet(&device->base);
    (void)device->gpu->select(device->parts[0].device);
    queued_free(device);
}

/* ---- what the host finds ---- */

/* What a lane's step and the number of restarts have come to. */
static int seen_download(cuda_device *device) {
    const sarrus_gpu *gpu = device->gpu;
    cuda_queued *q = &device->queued;
    void *stream = device->workers[0].stream;
    const size_t n = sizeof *q->seen;
    const sarrus_gpu_copy step = {q->seen, q->step, n, n, n, 1, SARRUS_GPU_DOWNLOAD},
                          restarts = {q->seen + 1, q->step + n_lanes(device), n, n, n, 1, SARRUS_GPU_DOWNLOAD};
    int error = gpu->copy(&step, stream);
    if (error == SARRUS_GPU_OK)
        error = gpu->copy(&restarts, stream);
    return error != SARRUS_GPU_OK ? error : gpu->synchronize(stream);
}

/* Steps, observations and restarts have changed the tiles on the device. */
static void changes_mark(cuda_device *device) {
    const sarrus_tile_layout *layout = &device->lowered.mech.layout;
    for (size_t i = 0; i < n_arrays_of(device); ++i)
        device->host_is_old[i] |= device->changed[i];
    device->host_is_old[layout->begun] = 1;
    memset(device->host_is_old + layout->input, 1, (size_t)device->lowered.mech.n_inputs);
}

/* An event lies behind what was queued here; what the caller queues, a graph or what writes into tiles, nobody tells of, and the
 * whole device is waited for. */
sarrus_status sarrus_cuda_meet(sarrus_device *base) {
    cuda_device *device = cuda_of(base);
    const sarrus_gpu *gpu = device->gpu;
    cuda_queued *q = &device->queued;
    if (!q->has_work && !q->is_captured && !q->is_lent)
        return SARRUS_OK;
    if (base->failure[0] != '\0')
        return SARRUS_DEVICE_FAILED;
    int error = gpu->select(device->parts[0].device);
    if (error == SARRUS_GPU_OK)
        error = q->is_captured || q->is_lent ? gpu->device_synchronize() : gpu->event_synchronize(q->done);
    if (error == SARRUS_GPU_OK && (q->has_work || q->is_captured)) {
        error = seen_download(device);
        if (error == SARRUS_GPU_OK && (q->has_work || q->seen[0] != q->i_step || q->seen[1] != q->n_restarts))
            changes_mark(device);
        if (error == SARRUS_GPU_OK)
            base->step = q->i_step = q->seen[0], q->n_restarts = q->seen[1];
    }
    q->has_work = false;
    return error != SARRUS_GPU_OK ? sarrus_cuda_fail(device, device->parts, error) : SARRUS_OK;
}

static void lent_mark(cuda_device *device, int32_t i_first, int32_t n) {
    memset(device->is_lent + i_first, 1, (size_t)n);
    device->queued.is_lent = device->queued.is_lent || n > 0;
}

sarrus_status sarrus_cuda_lend(sarrus_device *base, int32_t i_first, int32_t n, bool is_writable, sarrus_device_view *out) {
    cuda_device *device = cuda_of(base);
    const char *lack = place_lack(device);
    if (lack)
        return refuse(device, lack);
    const sarrus_status status = get_ready(device);
    if (status != SARRUS_OK)
        return status;
    if (is_writable)
        lent_mark(device, i_first, n);
    out->base = device->workers[0].tiles + (size_t)i_first * SARRUS_CUDA_WIDTH;
    out->device = device->parts[0].device;
    out->n_instances = base->n_instances;
    out->n_tiles = (size_t)base->n_tiles;
    out->width = SARRUS_CUDA_WIDTH;
    out->stride = n_arrays_of(device) * SARRUS_CUDA_WIDTH;
    out->n_components = n;
    return SARRUS_OK;
}

/* ---- what is queued ---- */

static sarrus_cuda_call call_on(const sarrus_cuda_call *own, cuda_device *device, void *stream, uint64_t i_tile) {
    sarrus_cuda_call call = *own;
    call.stream = stream;
    call.lanes.step = device->queued.step + i_tile * SARRUS_CUDA_WIDTH;
    return call;
}

static int values_queue(cuda_device *device, const sarrus_device_order *order) {
    const cuda_worker *worker = &device->workers[0];
    const size_t array = SARRUS_CUDA_WIDTH * sizeof(double), n_bytes = (size_t)order->n_arrays * array;
    const sarrus_gpu_copy copy = {.to = worker->tiles + (size_t)order->i_array * SARRUS_CUDA_WIDTH,
                                  .from = order->values,
                                  .to_pitch = n_arrays_of(device) * array,
                                  .from_pitch = n_bytes,
                                  .n_bytes = n_bytes,
                                  .n_rows = (size_t)worker->n_held,
                                  .direction = SARRUS_GPU_ON_DEVICE};
    return device->gpu->copy(&copy, order->stream);
}

static int restart_queue(cuda_device *device, const sarrus_cuda_call *call, const sarrus_device_order *order) {
    const sarrus_cuda_restart what = {
        .reset = device->queued.resets,
        .n_resets = device->queued.n_resets,
        .n_arrays = device->lowered.mech.layout.n_arrays,
        .begun = device->lowered.mech.layout.begun,
        .mask = order->mask,
        .n_instances = device->base.n_instances,
    };
    return device->gpu->restart_some(call, &what);
}

/* Over a tree as many tiles at once as there are of bodies. */
static int tree_observe(cuda_device *device, const sarrus_device_order *order, const sarrus_cuda_observation *what) {
    const sarrus_gpu *gpu = device->gpu;
    cuda_worker *worker = &device->workers[0];
    const sarrus_cuda_bodies bodies = sarrus_cuda_bodies_of(worker);
    int error = SARRUS_GPU_OK;
    for (uint64_t i = 0; i < worker->n_held && error == SARRUS_GPU_OK; i += worker->n_bodies) {
        const uint64_t n = worker->n_held - i < worker->n_bodies ? worker->n_held - i : worker->n_bodies;
        const sarrus_cuda_call own = sarrus_cuda_call_from(worker, i, n), seen = sarrus_cuda_bodies_call(worker, n);
        const sarrus_cuda_call stepped = call_on(&own, device, order->stream, i), shown = call_on(&seen, device, order->stream, i);
        double *out = order->seen + i * (size_t)what->want.n_arrays * SARRUS_CUDA_WIDTH;
        error = gpu->bodies_show(&stepped, &bodies);
        if (error == SARRUS_GPU_OK)
            error = gpu->observe(&shown, what, out);
        if (error == SARRUS_GPU_OK && what->is_computed)
            error = gpu->bodies_settle(&stepped, &bodies, what, out);
    }
    return error;
}

/* Without the word of the instance, which is a field. */
static int observe_queue(cuda_device *device, const sarrus_cuda_call *call, const sarrus_device_order *order) {
    sarrus_observation request = {0};
    request.destination[order->observable] = order->seen;
    sarrus_cuda_observation what = sarrus_cuda_observation_of(sarrus_cuda_shown(device), &request);
    what.status = -1;
    --what.want.n_arrays;
    what.want.clock = order->clock;
    return device->is_relative ? tree_observe(device, order, &what) : device->gpu->observe(call, &what, order->seen);
}

static int order_queue(cuda_device *device, const sarrus_device_order *order, bool is_capturing) {
    cuda_worker *worker = &device->workers[0];
    const cuda_advance_order steps = {order->clock, order->n_steps};
    const sarrus_cuda_call own = sarrus_cuda_call_of(worker);
    sarrus_cuda_call call = call_on(&own, device, order->stream, 0);
    int error = SARRUS_GPU_OK;
    if (order->values)
        error = values_queue(device, order);
    if (error == SARRUS_GPU_OK && order->mask)
        error = restart_queue(device, &call, order);
    if (error == SARRUS_GPU_OK && order->n_steps > 0)
        error = sarrus_cuda_advance_queue(worker, &call, &steps, !is_capturing);
    if (error == SARRUS_GPU_OK && order->seen)
        error = observe_queue(device, &call, order);
    return error;
}

/* A graph cannot wait for what lies before it: whoever launches it sees to that. What it does not take harms no batch. */
static sarrus_status graph_queue(cuda_device *device, const sarrus_device_order *order) {
    if (!device->queued.is_ready || is_behind(device))
        return refuse(device,
                      "what stands ready first cannot be captured; expected one call like this, or sarrus_batch_device_view, "
                      "before the capture begins");
    device->queued.is_captured = true;
    lent_mark(device, order->i_array, order->n_arrays); /* which is written whenever the graph is launched */
    if (order_queue(device, order, true) != SARRUS_GPU_OK)
        return refuse(device, "the graph does not take the kernels; expected a capture that is still valid");
    return SARRUS_OK;
}

sarrus_status sarrus_cuda_queue(sarrus_device *base, const sarrus_device_order *order) {
    cuda_device *device = cuda_of(base);
    const sarrus_gpu *gpu = device->gpu;
    cuda_queued *q = &device->queued;
    const char *lack = queue_lack(device);
    int is_capturing = 0;
    if (base->failure[0] != '\0')
        return SARRUS_DEVICE_FAILED;
    if (lack)
        return refuse(device, lack);
    int error = gpu->select(device->parts[0].device);
    if (error == SARRUS_GPU_OK && gpu->is_capturing(order->stream, &is_capturing) != SARRUS_GPU_OK)
        return refuse(device, "this is no stream of the batch's GPU, or the default one while another is captured");
    if (error == SARRUS_GPU_OK && is_capturing)
        return graph_queue(device, order);
    const sarrus_status status = error == SARRUS_GPU_OK ? get_ready(device) : SARRUS_OK;
    if (status != SARRUS_OK)
        return status;
    if (error == SARRUS_GPU_OK && q->has_work && q->stream != order->stream)
        error = gpu->stream_wait(order->stream, q->done);
    q->has_work = true; /* of a call that fails half of it may have been queued */
    q->stream = order->stream;
    if (error == SARRUS_GPU_OK)
        error = order_queue(device, order, false);
    if (error == SARRUS_GPU_OK)
        error = gpu->event_record(q->done, order->stream);
    return error != SARRUS_GPU_OK ? sarrus_cuda_fail(device, device->parts, error) : SARRUS_OK;
}
