/* CUDA kernels for the plan of a batch: a thread of its own has them made (cuda_object.h) while the generic ones go on. */
#ifndef SARRUS_BACKEND_CUDA_SPECIALIZE_H
#define SARRUS_BACKEND_CUDA_SPECIALIZE_H

#include "jit/cuda_object.h"

typedef struct sarrus_cuda_specializer sarrus_cuda_specializer;

/* For devices of one architecture. Looks into the cache; ON then compiles, when there is nothing, and waits. NULL when the options
 * do not ask for it or memory runs out. The plan must outlive it. */
sarrus_cuda_specializer *sarrus_cuda_specializer_create(const sarrus_plan *plan, const sarrus_batch_options *options,
                                                        int32_t architecture);

/* Waits for a compilation that is under way: it cannot be called off. The kernels must not be running. */
void sarrus_cuda_specializer_destroy(sarrus_cuda_specializer *specializer);

/* The kernels for devices of this architecture, NULL as long as there are none. Any thread may ask at any time, as below. */
const sarrus_cuda_object *sarrus_cuda_specializer_object(const sarrus_cuda_specializer *specializer, int32_t architecture);

bool sarrus_cuda_specializer_is_busy(const sarrus_cuda_specializer *specializer);

/* A device could not load them: `why` becomes the reason, and the generic kernels go on. */
void sarrus_cuda_specializer_refuse(sarrus_cuda_specializer *specializer, const char *why);

/* AUTO: starts the compilation when the generic kernels would still take so long that it pays. */
void sarrus_cuda_specializer_consider(sarrus_cuda_specializer *specializer, double seconds_left);

/* How it stands; step_share is left to the caller. */
void sarrus_cuda_specializer_report(sarrus_cuda_specializer *specializer, sarrus_specialization *out);

#endif
