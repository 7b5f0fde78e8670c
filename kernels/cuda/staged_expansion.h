/* The kernels of the staged path that evaluate are expanded for a space, as the fused ones are (expansion.h). Callable from C. */
#ifndef SARRUS_CUDA_STAGED_EXPANSION_H
#define SARRUS_CUDA_STAGED_EXPANSION_H

#include "kernels/cuda/staged.h"

#ifdef __cplusplus
extern "C" {
#endif

int sarrus_staged_planar_step(const sarrus_staged_call *call, const sarrus_clock *clock, int32_t stage);
int sarrus_staged_planar_resume(const sarrus_staged_call *call);
int sarrus_staged_planar_observe(const sarrus_staged_call *call, const sarrus_observe_request *want, double *out);

int sarrus_staged_spatial_step(const sarrus_staged_call *call, const sarrus_clock *clock, int32_t stage);
int sarrus_staged_spatial_resume(const sarrus_staged_call *call);
int sarrus_staged_spatial_observe(const sarrus_staged_call *call, const sarrus_observe_request *want, double *out);

#ifdef __cplusplus
}
#endif

#endif
