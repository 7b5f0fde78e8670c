/* A backend owns the tiles and runs kernels on them. All backends stand behind one table of operations; the batch calls them
 * and knows no target. */
#ifndef SARRUS_BACKEND_BACKEND_H
#define SARRUS_BACKEND_BACKEND_H

#include <stdbool.h>

#include "backend/rank_change_list.h"
#include "core/crew.h"
#include "kernels/cpu/kernels.h"
#include "plan/plan.h"
#include "sarrus/batch.h"
#include "sarrus/device.h"
#include "sarrus/system.h"

typedef struct sarrus_device sarrus_device;

/* One observation of all tiles at time t. Each destination is [n_instances][n_times_stride][width of the observable]. */
typedef struct sarrus_device_observation {
    sarrus_clock clock;
    const sarrus_observation *request;
    uint64_t n_instances;
} sarrus_device_observation;

/* Tiles in host memory that are none of the device's. */
typedef struct sarrus_tiles_apart {
    double *bodies; /* [n_tiles][n_arrays][width] by the layout of the plan's own mechanism */
    double *tiles; /* [n_tiles][n_arrays][width] by that of sarrus_plan_stepped; the same memory where this is the same mechanism */
    uint64_t n_tiles; /* as many as the device's, or fewer */
} sarrus_tiles_apart;

/* Work for a stream of the caller's: what is written, a restart, steps or an observation, whichever is given. */
typedef struct sarrus_device_order {
    void *stream;
    sarrus_clock clock;
    uint64_t n_steps;     /* 0: none */
    const uint8_t *mask;  /* device [n_instances] who begins anew; NULL: nobody */
    const double *values; /* device [n_tiles][n_arrays][width] for arrays i_array …; NULL: nothing is written */
    int32_t i_array, n_arrays;
    double *seen; /* device [n_tiles][width of the observable][width of a tile]; NULL: nothing is observed */
    sarrus_observable observable;
} sarrus_device_order;

typedef struct sarrus_backend_ops {
    const char *name;
    /* Reserves n_tiles tiles; `isa` and n_threads as in sarrus_batch_options. */
    sarrus_status (*create)(sarrus_context *context, const sarrus_plan *plan, const sarrus_batch_options *options,
                            uint64_t n_instances, sarrus_device **out);
    void (*destroy)(sarrus_device *device);
    /* A tile of the host to be filled in, all zero, by the layout of the plan's own mechanism; and, when it is, taken over, as the
     * tile that the member opened last; for member i_member of the crew. And the present state likewise, q and v alone, good until
     * the member's next call. NULL where device->tiles are such tiles. */
    double *(*tile_open)(sarrus_device *device, int i_member, uint64_t i_tile);
    void (*tile_close)(sarrus_device *device, int i_member);
    double *(*tile_show)(sarrus_device *device, int i_member, uint64_t i_tile);
    /* Of a device that can work on single tiles (NULL: it cannot, and of tile_show one member may make use at a time). Assembles
     * what the member has closed, all lanes of it; and takes over the q and v that were written into what it was shown last. */
    void (*tile_assemble)(sarrus_device *device, int i_member);
    void (*tile_take)(sarrus_device *device, int i_member);
    /* Of a device that cannot, on tiles apart. All arrays of its own tiles must be fresh on the host, and count as written anew
     * afterwards. Assembles what bodies are filled with, into `tiles`, all zero before where these are others; and takes over q and
     * v of bodies, all zero but for these, into `tiles`, which hold instances as they stand (never where both are the same). */
    sarrus_status (*apart_assemble)(sarrus_device *device, const sarrus_tiles_apart *apart);
    sarrus_status (*apart_take)(sarrus_device *device, const sarrus_tiles_apart *apart);
    /* These run kernels. DEVICE_FAILED: the device is lost, and what it held; device->failure says why. INTERRUPTED: device->stop
     * was set; tiles are left between their steps, some further on than others. */
    sarrus_status (*assemble)(sarrus_device *device);
    sarrus_status (*advance)(sarrus_device *device, const sarrus_clock *clock, uint64_t n_steps);
    sarrus_status (*observe)(sarrus_device *device, const sarrus_device_observation *observation);
    /* The equations of all instances at their present states, written out in full; NULL: the device has none. */
    sarrus_status (*systems)(sarrus_device *device, const sarrus_clock *clock, const sarrus_systems *out);
    /* a [n_instances][n_v of the bodies]: the accelerations that steps see at the present states of a plan with relative
     * coordinates; NULL: the device shows none. What `observe` shows is of absolute ones, whatever steps are made in. */
    sarrus_status (*tree_accelerations)(sarrus_device *device, const sarrus_clock *clock, double *a);
    /* Appends the changes of rank seen since the last call. */
    sarrus_status (*rank_changes_take)(sarrus_device *device, sarrus_rank_change_list *to);
    void (*path_counts)(sarrus_device *device, uint64_t *n_evaluations, uint64_t *n_rank_revealing);
    void (*library_counts)(const sarrus_device *device, uint64_t *n_matrices, uint64_t *n_refused); /* NULL: it asks none */
    void (*specialization)(const sarrus_device *device, sarrus_specialization *out);
    /* Of a device with tiles elsewhere (NULL: it has none), for arrays i_first … i_first + n − 1 of all of the host's tiles: they
     * are about to be read; all of them have been written anew; from now on the user reads and writes them between calls. */
    sarrus_status (*host_read)(sarrus_device *device, int32_t i_first, int32_t n);
    void (*host_write)(sarrus_device *device, int32_t i_first, int32_t n);
    sarrus_status (*host_share)(sarrus_device *device, int32_t i_first, int32_t n);
    /* Of a device whose memory the caller may work on (NULL: it has none). The host waits for what was queued, and knows the step;
     * what the host has written, and the step, go to the device, if the caller may look at it there; arrays i_first … are the
     * caller's from now on, to be read and, where is_writable, written; something is queued. UNSUPPORTED: `refusal` says why. */
    sarrus_status (*meet)(sarrus_device *device);
    sarrus_status (*refresh)(sarrus_device *device);
    sarrus_status (*lend)(sarrus_device *device, int32_t i_first, int32_t n, bool is_writable, sarrus_device_view *out);
    sarrus_status (*queue)(sarrus_device *device, const sarrus_device_order *order);
} sarrus_backend_ops;

/* What every device offers to the batch: tiles in host memory. */
struct sarrus_device {
    const sarrus_backend_ops *ops;
    const sarrus_plan *plan;
    int32_t width; /* lanes of a tile */
    uint64_t n_tiles;
    int n_threads;     /* of the crew, and of work that is shared otherwise */
    sarrus_crew *crew; /* the device's */
    bool keeps_rank_changes;
    uint64_t n_instances;
    uint64_t step;                /* done; of what is queued by others, as far as it was met */
    const char *refusal;          /* static: of what it refused last */
    const volatile int32_t *stop; /* as in sarrus_batch_options */
    double *tiles;                /* [n_tiles][n_arrays][width], by the layout of sarrus_plan_stepped */
    char description[96];
    char failure[192]; /* "" while all is well */
};

/* Creates the device that the options ask for; CUDA is never replaced, AUTO takes it when a device is usable and the batch is large
 * enough to gain by it, else the CPU. Reports. */
SARRUS_MUST_USE sarrus_status sarrus_backend_create(sarrus_context *context, const sarrus_plan *plan,
                                                    const sarrus_batch_options *options, uint64_t n_instances, sarrus_device **out);

/* Steps that an observation makes. */
uint64_t sarrus_observation_steps(const sarrus_observation *request);

extern const sarrus_backend_ops sarrus_backend_cpu;
extern const sarrus_backend_ops sarrus_backend_cuda;

#endif
