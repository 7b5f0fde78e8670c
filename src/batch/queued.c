/* What is queued on a GPU for programs that stay there, and fields that are seen there. */
#include "sarrus/device.h"

#include "backend/scatter.h"
#include "batch/copies.h"
#include "batch/given.h"
#include "batch/inside.h"
#include "core/stop.h"

static const char NO_DEVICE[] = "the batch is on the processor; expected the backend cuda";

/* What the device refuses is said as the batch's refusal. */
static sarrus_status told(sarrus_batch *batch, sarrus_status status) {
    if (status == SARRUS_UNSUPPORTED || status == SARRUS_NO_MEMORY)
        batch->refusal = batch->device->refusal;
    return status;
}

sarrus_status sarrus_batch_device_view(sarrus_batch *batch, sarrus_field field, sarrus_device_view *out) {
    if (!batch || !out)
        return SARRUS_BAD_ARGUMENT;
    sarrus_field_place place;
    const sarrus_status status = sarrus_batch_viewed(batch, field, &place);
    if (status != SARRUS_OK)
        return status;
    const sarrus_backend_ops *ops = batch->device->ops;
    if (!ops->lend)
        return sarrus_batch_refuse(batch, SARRUS_UNSUPPORTED, NO_DEVICE);
    const sarrus_status met = sarrus_batch_meet(batch);
    if (met != SARRUS_OK)
        return met;
    return told(batch, ops->lend(batch->device, place.array, place.n, field != SARRUS_FIELD_STATUS, out));
}

static sarrus_status queue(sarrus_batch *batch, sarrus_device_order *order) {
    const sarrus_backend_ops *ops = batch->device->ops;
    if (!ops->queue)
        return sarrus_batch_refuse(batch, SARRUS_UNSUPPORTED, NO_DEVICE);
    if (sarrus_batch_is_ended(batch))
        return SARRUS_INTERRUPTED;
    order->clock = sarrus_batch_clock(batch);
    return told(batch, ops->queue(batch->device, order));
}

sarrus_status sarrus_batch_advance_async(sarrus_batch *batch, uint64_t n_steps, void *stream) {
    if (!batch || n_steps > SARRUS_MOST_STEPS - batch->device->step)
        return SARRUS_BAD_ARGUMENT;
    sarrus_device_order order = {.stream = stream, .n_steps = n_steps};
    const sarrus_status status = queue(batch, &order);
    if (status == SARRUS_OK && n_steps > 0)
        sarrus_batch_given_pass(batch);
    return status;
}

sarrus_status sarrus_batch_copy_in_async(sarrus_batch *batch, sarrus_field field, const double *values, void *stream) {
    if (!batch || !values)
        return SARRUS_BAD_ARGUMENT;
    sarrus_field_place place;
    const sarrus_status status = sarrus_batch_viewed(batch, field, &place);
    if (status != SARRUS_OK)
        return status;
    if (field == SARRUS_FIELD_STATUS)
        return sarrus_batch_refuse(batch, SARRUS_UNSUPPORTED,
                                   "the field cannot be written; expected coordinates, speeds or inputs");
    sarrus_device_order order = {.stream = stream, .values = values, .i_array = place.array, .n_arrays = place.n};
    return place.n > 0 ? queue(batch, &order) : SARRUS_OK;
}

sarrus_status sarrus_batch_reset_some_async(sarrus_batch *batch, const uint8_t *mask, void *stream) {
    if (!batch || !mask)
        return SARRUS_BAD_ARGUMENT;
    if (batch->has_given)
        return sarrus_batch_refuse(batch, SARRUS_UNSUPPORTED,
                                   "states or parameters over a tree were written; expected sarrus_batch_assemble before");
    sarrus_device_order order = {.stream = stream, .mask = mask};
    return queue(batch, &order);
}

sarrus_status sarrus_batch_observe_async(sarrus_batch *batch, sarrus_observable observable, double *out, void *stream) {
    if (!batch || !out || (unsigned)observable >= SARRUS_N_OBSERVABLES)
        return SARRUS_BAD_ARGUMENT;
    if (sarrus_batch_observable_width(batch, observable) == 0)
        return SARRUS_OK;
    sarrus_device_order order = {.stream = stream, .seen = out, .observable = observable};
    return queue(batch, &order);
}
