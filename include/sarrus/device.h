/* A batch on a GPU for programs that stay there: fields in the device's memory, and steps on the caller's stream. A stream is a
 * cudaStream_t; NULL is the default one. Only CUDA batches that lie on one device, all of them at once, can do this; else
 * UNSUPPORTED, and sarrus_batch_refusal says why (docs/cuda.md). The calls select the batch's device for the calling thread. */
#ifndef SARRUS_DEVICE_H
#define SARRUS_DEVICE_H

#include <stddef.h>
#include <stdint.h>

#include "sarrus/batch.h"
#include "sarrus/observable.h"
#include "sarrus/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A field in device memory: [n_tiles][n_components][width] with `stride` doubles from a tile to the next. Component k of instance i
 * is base[(i / width) * stride + (size_t)k * width + i % width]; lanes behind the last instance are padding. */
typedef struct sarrus_device_view {
    double *base; /* on the device; the batch's, until it is destroyed */
    int device;   /* ordinal, among those that are visible */
    uint64_t n_instances;
    size_t n_tiles, width, stride;
    int n_components;
} sarrus_device_view;

/* Shows Q, V, INPUT or STATUS where the steps are made, in the units of sarrus_field. Q, V and INPUT may be written there from now
 * on, by work that lies before the next sarrus_batch_..._async on the same stream; whatever a call of the host's reads or takes
 * along is what stands there then. What the host writes is there when its call returns. STATUS is not to be written. Every call
 * that is not ..._async waits for the whole device from now on, before it looks at the batch; and sarrus_batch_view is refused.
 * UNSUPPORTED: no GPU, several, a batch that does not fit into one, a field that is viewed on the host, coordinates or speeds with
 * `formulation: relative`, which `auto` mostly is (sarrus_batch_observe_async shows them), and fields that can be copied only.
 * NO_MEMORY, BAD_ARGUMENT, DEVICE_FAILED. */
SARRUS_MUST_USE sarrus_status sarrus_batch_device_view(sarrus_batch *batch, sarrus_field field, sarrus_device_view *out);

/* Queues what sarrus_batch_advance does on the caller's stream, and returns at once: the same bits, without waiting, copying or
 * allocating. The first such call, and one behind a call of the host's that could not finish, first makes ready what it needs,
 * waiting; where a graph is captured that is refused. A captured call is done whenever the graph is launched, each time from where
 * the batch then stands; launches of a graph, and calls on the batch, must follow one another, on one stream or by events. Calls on
 * several streams are done in the order of the calls. Any other call on the batch waits first. An error of the device shows there.
 * UNSUPPORTED, besides what sarrus_batch_device_view refuses: `pinv: cusolver-…`, changes of rank that are kept (keep_rank_events).
 * INTERRUPTED as of sarrus_batch_advance, before anything is queued; what is queued is not stopped. BAD_ARGUMENT, NO_MEMORY,
 * DEVICE_FAILED. */
SARRUS_MUST_USE sarrus_status sarrus_batch_advance_async(sarrus_batch *batch, uint64_t n_steps, void *stream);

/* Likewise sarrus_batch_copy_in of all instances: Q, V or INPUT from values[n_tiles][width of the field][32] in device memory, in
 * the units of sarrus_field, which are read when the stream gets there; n_tiles = ⌈n_instances / 32⌉. UNSUPPORTED too: other
 * fields, and over a tree coordinates and speeds. */
SARRUS_MUST_USE sarrus_status sarrus_batch_copy_in_async(sarrus_batch *batch, sarrus_field field, const double *values,
                                                         void *stream);

/* Likewise sarrus_batch_reset_some, by mask[n_instances] bytes in device memory (not NULL), which is read when the stream gets
 * there. UNSUPPORTED too: coordinates or speeds over a tree were written and not assembled. */
SARRUS_MUST_USE sarrus_status sarrus_batch_reset_some_async(sarrus_batch *batch, const uint8_t *mask, void *stream);

/* Likewise an observable of the present state, in its unit, to `out` in device memory: [n_tiles][width][32] doubles, width that of
 * sarrus_batch_observable_width and n_tiles = ⌈n_instances / 32⌉; nothing is queued where that is 0. An instance that has failed
 * gives what its last good state gives, not NaN. */
SARRUS_MUST_USE sarrus_status sarrus_batch_observe_async(sarrus_batch *batch, sarrus_observable observable, double *out,
                                                         void *stream);

#ifdef __cplusplus
}
#endif

#endif
