/* The kernels on a CUDA device, as the host calls them. A tile is [n_arrays][SARRUS_CUDA_WIDTH] doubles and one thread is one
 * instance; the fields, their offsets and the arithmetic are those of the CPU kernels. Callable from C. */
#ifndef SARRUS_CUDA_KERNELS_H
#define SARRUS_CUDA_KERNELS_H

#include "kernels/body/relative/tile_move.h"
#include "kernels/cpu/kernels.h"
#include "kernels/cuda/lanes.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { SARRUS_CUDA_WIDTH = 32 };

/* Two warps a block: enough to fill a processor's warp slots, few enough to spread small batches over all processors. */
enum { SARRUS_CUDA_TILES_PER_BLOCK = 2 };

/* Bytes of parameters that a kernel may have by every release of CUDA; those from 12.1 on allow more. */
enum { SARRUS_CUDA_PARAMETERS = 4096 };

/* Kernels for one plan (specialized.cu, src/jit/cuda_object.h) in the device that was current when they were loaded. */
typedef struct sarrus_cuda_specialized {
    void *library;       /* cudaLibrary_t */
    const void *advance; /* cudaKernel_t */
    int32_t n_threads;   /* of a block */
} sarrus_cuda_specialized;

/* What a launch works on: arrays in device memory. */
typedef struct sarrus_cuda_call {
    const sarrus_mechanism *mech; /* in host memory, lowered for this width; the tables that it points to lie in device memory */
    sarrus_cuda_lanes lanes;
    void *stream;                               /* cudaStream_t; NULL: the default one */
    const sarrus_cuda_specialized *specialized; /* of this plan; NULL: the generic kernels */
} sarrus_cuda_call;

/* What is to be seen of every tile: coordinates and velocities go to want.at[SARRUS_OBSERVE_Q] and [SARRUS_OBSERVE_V] when these
 * are not negative. */
typedef struct sarrus_cuda_observation {
    sarrus_observe_request want;
    int32_t status;      /* where the word of the instance goes; negative: nowhere */
    int32_t is_computed; /* something besides coordinates, velocities and status is wanted */
} sarrus_cuda_observation;

/* Tiles in the coordinates of bodies beside the tiles of a call in relative ones: arrays in device memory, and where in a tile of
 * bodies stands what is asked for by name. */
typedef struct sarrus_cuda_bodies {
    double *tiles;                /* [n_tiles][n_arrays][32] */
    const sarrus_tile_move *move; /* [n_moves] */
    int32_t n_moves, n_arrays;
    int32_t q, v, rank, rank_now, status, failed_step;
} sarrus_cuda_bodies;

/* Lane arrays that are put back where an instance begins anew: to those from `from` on or, when that is negative, to a number. */
typedef struct sarrus_cuda_reset {
    int32_t at, n, from;
    double value;
} sarrus_cuda_reset;

/* Instances that begin anew: arrays in device memory. */
typedef struct sarrus_cuda_restart {
    const sarrus_cuda_reset *reset; /* [n_resets] */
    int32_t n_resets, n_arrays;     /* of a tile */
    int32_t begun;                  /* the lane array that takes the lane's step */
    const uint8_t *mask;            /* [n_instances] those where it is not 0; lanes behind the last repeat it */
    uint64_t n_instances;
} sarrus_cuda_restart;

/* A cubin whose advance kernel has the symbol `kernel` and was compiled for blocks of n_threads. Both return a cudaError_t. */
int sarrus_cuda_specialized_load(const void *cubin, const char *kernel, int32_t n_threads, sarrus_cuda_specialized *out);
int sarrus_cuda_specialized_unload(sarrus_cuda_specialized *specialized);

/* How many tiles the selected device works on at once with the kernels for this mechanism (specialized NULL: the generic ones): the
 * workspaces worth having. Returns a cudaError_t. */
int sarrus_cuda_resident_tiles(const sarrus_mechanism *mech, const sarrus_cuda_specialized *specialized, int32_t *n_tiles);

/* Bytes that the selected device takes for the stacks of all threads that it may hold, when the kernels for this mechanism run the
 * first time. Returns a cudaError_t. */
int sarrus_cuda_stack(const sarrus_mechanism *mech, size_t *n_bytes);

/* All queue one kernel and return its launch error as a cudaError_t (0: queued); they do not wait for it. */

/* Brings every tile onto the constraints, as sarrus_kernels.assemble. */
int sarrus_cuda_assemble(const sarrus_cuda_call *call);

/* n_steps steps from clock->step for every lane. With lanes.n_done: those of them that are still to be done; a lane that is full of
 * changes of rank stops before the next step, and is_waiting becomes 1: fetch them and call again. With lanes.step, and without
 * lanes.n_done: from where each lane stands; lanes that are full of changes of rank drop them. */
int sarrus_cuda_advance(const sarrus_cuda_call *call, const sarrus_clock *clock, uint64_t n_steps);

/* out (device) [n_tiles][what->want.n_arrays][SARRUS_CUDA_WIDTH] at the tiles' states and time t. */
int sarrus_cuda_observe(const sarrus_cuda_call *call, const sarrus_cuda_observation *what, double *out);

/* The masked instances begin anew, as sarrus_batch_reset_some; call->lanes.step is given, and has one number more: how often this
 * was done. */
int sarrus_cuda_restart_some(const sarrus_cuda_call *call, const sarrus_cuda_restart *what);

/* Calls in relative coordinates only step; assembly and observation are calls on tiles of bodies. Between the two, for every tile
 * of the call: it, all zero before, from a tile of bodies that was assembled; a tile of bodies that is to be observed, from it;
 * what the observation has left behind, and the rank into `out`, where it is wanted. */
int sarrus_cuda_bodies_take(const sarrus_cuda_call *call, const sarrus_cuda_bodies *bodies);
int sarrus_cuda_bodies_show(const sarrus_cuda_call *call, const sarrus_cuda_bodies *bodies);
int sarrus_cuda_bodies_settle(const sarrus_cuda_call *call, const sarrus_cuda_bodies *bodies, const sarrus_cuda_observation *what,
                              double *out);

#ifdef __cplusplus
}
#endif

#endif
