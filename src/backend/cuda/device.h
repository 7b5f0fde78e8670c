/* The inside of the CUDA backend, shared by its files:
 *   cuda.c           the operations, and what is fresh on which side
 *   device_memory.c  devices, memory plan, what is allocated
 *   tables.c         the plan's tables in device memory
 *   tiles.c          arrays of tiles between host and device, through pinned memory
 *   workers.c        workers: streams with tiles of their own, each driven by a thread
 *   advance.c        assembly and steps of a worker's tiles, changes of rank
 *   observe.c        observations of a worker's tiles, packed on the device, copied beside the steps
 *   queued.c         what is queued on a stream of the caller's, and tiles that the caller sees on the device
 *   relative.c       tiles in the coordinates of bodies, beside those that steps are made in
 *   apart.c          other tiles than the batch's, in their place for the moment
 *   specialize.c     kernels for the plan
 * All is written against sarrus_gpu; functions that return an int return its error codes. */
#ifndef SARRUS_BACKEND_CUDA_DEVICE_H
#define SARRUS_BACKEND_CUDA_DEVICE_H

#include <pthread.h>

#include "backend/backend.h"
#include "backend/cuda/gpu.h"
#include "backend/cuda/specialize.h"
#include "backend/cuda/staged.h"
#include "backend/pace.h"
#include "backend/relative_moves.h"
#include "plan/lower.h"

typedef struct cuda_device cuda_device;

/* A mechanism whose tables lie in device memory. */
typedef struct cuda_tables {
    void *memory;
    sarrus_mechanism mech;
} cuda_tables;

/* One GPU. */
typedef struct cuda_part {
    int device;
    sarrus_gpu_description described;
    int32_t n_resident;  /* tiles that it works on at once */
    size_t n_usable;     /* bytes for the batch */
    cuda_tables stepped; /* by which steps are made */
    /* With relative coordinates, else nothing: by which instances are assembled and observed; and device->move. */
    cuda_tables bodies;
    void *move;
} cuda_part;

/* An observation on its way to the host. */
typedef struct cuda_packet {
    double *seen, *fetched; /* device, pinned: [n_tiles][n_arrays][32] */
    void *is_seen, *is_fetched;
    uint64_t i_tile, n_tiles; /* of the batch */
    uint64_t i_time;
} cuda_packet;

/* What a worker is doing in one call of sarrus_cuda_run. */
typedef struct cuda_task {
    struct cuda_job *job;
    pthread_t thread;
    bool has_thread;
    int error;
} cuda_task;

/* A stream with tiles: all that stay on the device, or, when the batch does not fit, one chunk after another. */
typedef struct cuda_worker {
    cuda_device *owner;
    cuda_part *part;
    int n_threads;            /* of the host, to move tiles and observations: */
    sarrus_crew *crew;        /* its own, because workers are at work at the same time */
    uint64_t i_first, n_held; /* tiles of the batch that are on the device */
    uint64_t n_capacity;      /* tiles */
    double *tiles, *workspace;
    double *bodies;    /* with relative coordinates: tiles in those of the bodies, for as many as are observed at once */
    uint64_t n_bodies; /* tiles */
    int32_t n_workspaces, n_warps;     /* allocated, used by the generic kernels */
    uint64_t *counts, *n_done;         /* n_done NULL: nothing stops a lane */
    int32_t *is_waiting, *was_waiting; /* device, pinned */
    void *stream, *copy_stream;
    double *pinned[2]; /* for tiles, n_pinned doubles each */
    size_t n_pinned;
    void *is_moved[2];
    cuda_packet packet[2];
    uint64_t n_seen; /* doubles of a packet */
    uint64_t n_packets_sent, n_packets_taken;
    const sarrus_device_observation *observation; /* that the packets belong to */
    sarrus_cuda_observation what;
    sarrus_rank_change_list events;
    uint64_t n_steps, n_special_steps; /* of tiles: all, and by the specialized kernels */
    sarrus_cuda_specialized specialized;
    int32_t n_special_warps;
    bool is_load_tried, is_specialized;
    sarrus_cuda_staged *staged; /* NULL: the fused kernels make the steps */
    uint8_t *marks;             /* [n_arrays] of the tiles, scratch */
    cuda_task task;
} cuda_worker;

/* What stands ready for work on streams of the caller's, of a batch that lies on one device. */
typedef struct cuda_queued {
    bool is_ready;
    bool has_work;    /* before the event `done` on `stream`, which nobody has waited for */
    bool is_captured; /* there is a graph, and who has it says when and how often its work is done */
    bool is_lent;     /* the caller reads and writes tiles on the device */
    void *done, *stream;
    uint64_t *step;              /* device [n_tiles][32], as sarrus_cuda_lanes.step, and the number of restarts */
    uint64_t *seen;              /* pinned [2]: a lane's step, the number of restarts */
    uint64_t n_restarts, i_step; /* of these, what the host knows */
    void *resets;                /* device [n_resets] of sarrus_cuda_reset */
    int32_t n_resets;
} cuda_queued;

struct cuda_device {
    sarrus_device base;
    const sarrus_gpu *gpu;
    sarrus_lowered lowered;    /* of the plan that makes the steps; tables in host memory */
    size_t n_workspace_arrays; /* for all kernels */
    bool is_relative;
    /* With relative coordinates: the mechanism in those of its bodies, what its tiles have in common with those that steps are made
     * in, the tiles that are being filled (NULL behind the assembly), and the one that was shown last. */
    sarrus_lowered bodies;
    sarrus_tile_move move[SARRUS_N_FIELDS];
    int n_moves;
    double *filled, *shown;
    int n_parts, n_workers;
    cuda_part *parts;     /* [n_parts] */
    cuda_worker *workers; /* [n_workers] */
    bool is_resident;     /* the tiles stay on the devices; else the host's are the truth */
    /* [n_arrays], when resident: which arrays of the tiles are old on one side, and which the user may read and write in place. */
    uint8_t *host_is_old, *device_is_old, *is_shared;
    uint8_t *changed; /* [n_arrays] that steps change */
    uint8_t *is_lent; /* [n_arrays] which the caller may write on the device between calls */
    cuda_queued queued;
    sarrus_cuda_specializer *specializer;
    const sarrus_cusolver *library; /* of the staged path; NULL: the plan goes the fused one */
    sarrus_pace pace;
};

typedef int cuda_work(cuda_worker *worker, const void *how);

/* device_memory.c. Reports. */
sarrus_status sarrus_cuda_plan_create(sarrus_context *context, cuda_device *device, int n_wanted);
void sarrus_cuda_plan_destroy(cuda_device *device);
/* Every worker of a resident device its share of the batch's tiles. */
void sarrus_cuda_shares_give(cuda_device *device);

/* tables.c: a mechanism with its tables, and a list of n_bytes, into device memory. */
int sarrus_cuda_tables_upload(const sarrus_gpu *gpu, const sarrus_mechanism *mech, cuda_tables *out);
int sarrus_cuda_list_upload(const sarrus_gpu *gpu, const void *list, size_t n_bytes, void **out);

/* tiles.c: the marked arrays of the worker's tiles, from or to the host's tiles; waits for the end. */
int sarrus_cuda_tiles_upload(cuda_worker *worker, const uint8_t *marks);
int sarrus_cuda_tiles_download(cuda_worker *worker, const uint8_t *marks);

/* workers.c: `work` for all tiles. What the kernels of `work` change is marked in `changes` (NULL: nothing). When the device
 * fails the reason stands in base.failure. */
sarrus_status sarrus_cuda_run(cuda_device *device, cuda_work *work, const void *how, const uint8_t *changes);
/* For all workers that hold tiles, one after another, when resident. */
sarrus_status sarrus_cuda_move(cuda_device *device, int (*move)(cuda_worker *, const uint8_t *), const uint8_t *marks);
sarrus_status sarrus_cuda_fail(cuda_device *device, const cuda_part *part, int error);

/* advance.c */
typedef struct cuda_advance_order {
    sarrus_clock clock;
    uint64_t n_steps;
} cuda_advance_order;
sarrus_cuda_call sarrus_cuda_call_of(cuda_worker *worker);
int sarrus_cuda_assemble_tiles(cuda_worker *worker, const void *how);
int sarrus_cuda_advance_tiles(cuda_worker *worker, const void *how); /* of a cuda_advance_order */
/* Queues the steps of a call that stops no lane; may_load: kernels for the plan may be loaded before. */
int sarrus_cuda_advance_queue(cuda_worker *worker, sarrus_cuda_call *call, const cuda_advance_order *order, bool may_load);

/* relative.c. The mechanism that instances are filled, assembled and observed by: that of the steps, or that of the bodies. */
const sarrus_mechanism *sarrus_cuda_shown(const cuda_device *device);
/* What is added to the host's side of a device; false when memory runs out. */
bool sarrus_cuda_relative_create(cuda_device *device);
void sarrus_cuda_relative_destroy(cuda_device *device);
/* Of tiles i_tile … of the worker: a call that steps, one on their tiles of bodies, and these. */
sarrus_cuda_call sarrus_cuda_call_from(cuda_worker *worker, uint64_t i_tile, uint64_t n_tiles);
sarrus_cuda_call sarrus_cuda_bodies_call(cuda_worker *worker, uint64_t n_tiles);
sarrus_cuda_bodies sarrus_cuda_bodies_of(const cuda_worker *worker);
/* What was filled, assembled and taken over. */
int sarrus_cuda_relative_assemble(cuda_worker *worker);
/* q and v of what was filled, taken over into tiles that stand. */
int sarrus_cuda_relative_take(cuda_worker *worker);
/* A tile of the host by the layout of sarrus_cuda_shown: q and v alone are those of now. NULL: the device has failed. */
double *sarrus_cuda_relative_show(cuda_device *device, uint64_t i_tile);

/* apart.c: sarrus_backend_ops.apart_assemble, .apart_take. */
sarrus_status sarrus_cuda_apart_assemble(sarrus_device *base, const sarrus_tiles_apart *apart);
sarrus_status sarrus_cuda_apart_take(sarrus_device *base, const sarrus_tiles_apart *apart);

/* queued.c: sarrus_backend_ops.meet, .refresh, .lend, .queue. */
sarrus_status sarrus_cuda_meet(sarrus_device *base);
sarrus_status sarrus_cuda_refresh(sarrus_device *base);
sarrus_status sarrus_cuda_lend(sarrus_device *base, int32_t i_first, int32_t n, bool is_writable, sarrus_device_view *out);
sarrus_status sarrus_cuda_queue(sarrus_device *base, const sarrus_device_order *order);
/* Before the device goes: waits, and gives back what stood ready. */
void sarrus_cuda_queued_destroy(cuda_device *device);

/* observe.c. Where everything goes in a packet of this observation. */
sarrus_cuda_observation sarrus_cuda_observation_of(const sarrus_mechanism *mech, const sarrus_observation *request);
int sarrus_cuda_observe_tiles(cuda_worker *worker, const void *how); /* of a sarrus_device_observation */
/* Takes all but the last n_left packets to the user's arrays. */
int sarrus_cuda_packets_take(cuda_worker *worker, uint64_t n_left);
/* Lane arrays of the widest observation. */
uint64_t sarrus_cuda_most_observed(const sarrus_mechanism *mech);

#endif
