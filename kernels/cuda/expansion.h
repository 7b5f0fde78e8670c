/* The fused kernels are expanded as those of the CPU are: for a space, in the coordinates of bodies or of a tree. An expansion is a
 * table of launches; launch.cu takes the one that a mechanism asks for. Callable from C. */
#ifndef SARRUS_CUDA_EXPANSION_H
#define SARRUS_CUDA_EXPANSION_H

#include "kernels/cuda/kernels.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct sarrus_cuda_expansion {
    const void *(*advance_kernel)(void); /* to ask how many of it a device holds */
    int (*advance)(const sarrus_cuda_call *call, const sarrus_clock *clock, uint64_t n_steps);
    /* In the coordinates of bodies. */
    int (*assemble)(const sarrus_cuda_call *call);
    int (*observe)(const sarrus_cuda_call *call, const sarrus_cuda_observation *what, double *out);
    /* In those of a tree. */
    int (*bodies_take)(const sarrus_cuda_call *call, const sarrus_cuda_bodies *bodies);
    int (*bodies_show)(const sarrus_cuda_call *call, const sarrus_cuda_bodies *bodies);
    int (*bodies_settle)(const sarrus_cuda_call *call, const sarrus_cuda_bodies *bodies, const sarrus_cuda_observation *what,
                         double *out);
} sarrus_cuda_expansion;

extern const sarrus_cuda_expansion sarrus_cuda_spatial;
extern const sarrus_cuda_expansion sarrus_cuda_relative;
extern const sarrus_cuda_expansion sarrus_cuda_relative_spatial;
extern const sarrus_cuda_expansion sarrus_cuda_single; /* steps of `relative` in single precision */
extern const sarrus_cuda_expansion sarrus_cuda_single_spatial;

/* Of bodies in the plane: units of their own, which compile side by side. */
const void *sarrus_cuda_planar_advance_kernel(void);
int sarrus_cuda_planar_advance(const sarrus_cuda_call *call, const sarrus_clock *clock, uint64_t n_steps);
int sarrus_cuda_planar_assemble(const sarrus_cuda_call *call);
int sarrus_cuda_planar_observe(const sarrus_cuda_call *call, const sarrus_cuda_observation *what, double *out);

#ifdef __cplusplus
}
#endif

#endif
