/* A backend owns the tiles and runs kernels on them. All backends stand behind one table of operations; the batch calls them
 * and knows no target. */
#ifndef SARRUS_BACKEND_BACKEND_H
#define SARRUS_BACKEND_BACKEND_H

#include "backend/event_list.h"
#include "kernels/cpu/kernels.h"
#include "plan/plan.h"
#include "sarrus/batch.h"

typedef struct sarrus_device sarrus_device;

/* One observation of all tiles at time t. Each destination is [n_instances][n_times_stride][width of the observable]. */
typedef struct sarrus_device_observation {
    sarrus_clock clock;
    const sarrus_observation *request;
    uint64_t n_instances;
} sarrus_device_observation;

typedef struct sarrus_backend_ops {
    const char *name;
    /* Reserves n_tiles tiles; `isa` and n_threads as in sarrus_batch_options. */
    sarrus_status (*create)(sarrus_context *context, const sarrus_plan *plan, const sarrus_batch_options *options,
                            uint64_t n_instances, sarrus_device **out);
    void (*destroy)(sarrus_device *device);
    void (*assemble)(sarrus_device *device);
    void (*advance)(sarrus_device *device, const sarrus_clock *clock, uint64_t n_steps);
    void (*observe)(sarrus_device *device, const sarrus_device_observation *observation);
    /* Appends the changes of rank seen since the last call. */
    void (*events_take)(sarrus_device *device, sarrus_event_list *to);
    void (*path_counts)(const sarrus_device *device, uint64_t *n_evaluations, uint64_t *n_rank_revealing);
    void (*specialization)(const sarrus_device *device, sarrus_specialization *out);
} sarrus_backend_ops;

/* What every device offers to the batch: tiles in host memory. */
struct sarrus_device {
    const sarrus_backend_ops *ops;
    const sarrus_plan *plan;
    int32_t width; /* lanes of a tile */
    uint64_t n_tiles;
    int n_threads;
    bool keeps_events;
    uint64_t n_instances;
    double *tiles; /* [n_tiles][n_arrays][width] */
    char description[96];
};

/* The operations of a backend that is usable here; NULL (and a diagnostic) when it is not. AUTO takes the CPU. */
const sarrus_backend_ops *sarrus_backend_find(sarrus_context *context, sarrus_backend backend);

extern const sarrus_backend_ops sarrus_backend_cpu;

#endif
