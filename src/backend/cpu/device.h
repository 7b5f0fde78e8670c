/* The inside of a CPU device, for its parts. */
#ifndef SARRUS_BACKEND_CPU_DEVICE_H
#define SARRUS_BACKEND_CPU_DEVICE_H

#include "backend/backend.h"
#include "backend/cpu/lapack_solve.h"
#include "backend/cpu/relative_tile.h"
#include "backend/single_tile.h"
#include "backend/pace.h"
#include "jit/specialize.h"
#include "plan/lower.h"

/* A mechanism in some coordinates, and the kernels for them. */
typedef struct sarrus_cpu_side {
    const sarrus_plan *plan;
    const sarrus_kernels *kernels;
    sarrus_lowered lowered; /* the mechanism with tables for this width */
    int32_t n_rows_short;   /* of the work space (sarrus_mechanism) */
} sarrus_cpu_side;

/* What a thread calls the kernels of a side with. */
typedef struct sarrus_cpu_work {
    sarrus_kernel_call call;
    sarrus_lapack_solver lapack;
    void *workspace; /* what the call's stands in */
} sarrus_cpu_work;

/* Steps are made by the first side, instances are assembled and observed by the last one, that of the plan's own, absolute
 * coordinates. With a plan in absolute coordinates these are one. */
enum { SARRUS_CPU_SIDES = 2 };

/* Steps of the first side in single precision, where the plan asks for them. */
typedef struct sarrus_cpu_single {
    const sarrus_kernels *kernels; /* NULL: the first side makes its steps itself */
    sarrus_lowered lowered;        /* its mechanism with tables for their width */
    sarrus_single_tiles tiles;
} sarrus_cpu_single;

typedef struct sarrus_cpu_thread {
    sarrus_cpu_work work[SARRUS_CPU_SIDES]; /* [n_sides] */
    sarrus_cpu_work single;                 /* of steps in single precision */
    float *floats;                          /* and their tile; else NULL */
    double *bodies;                         /* a tile of the last side, when it is not the first; else NULL */
    double *observed;                       /* lane arrays of one observation */
    sarrus_rank_change_list events;
    sarrus_advance_function *advance_before; /* which kernels have advanced the tile last */
    uint64_t n_steps, n_special_steps;       /* of tiles: all, and by the specialized kernels */
} sarrus_cpu_thread;

typedef struct sarrus_cpu_device {
    sarrus_device base;
    sarrus_cpu_side side[SARRUS_CPU_SIDES];
    int n_sides;
    sarrus_cpu_single single;
    sarrus_relative_tiles relative;  /* between the tiles of two sides */
    size_t tile_doubles;             /* of the first side */
    sarrus_cpu_thread *threads;      /* [n_threads] */
    sarrus_specializer *specializer; /* NULL: the generic kernels alone */
    sarrus_pace pace;
} sarrus_cpu_device;

#endif
