/* The instruction sets of this build that this processor can run. */
#ifndef SARRUS_BACKEND_ISA_H
#define SARRUS_BACKEND_ISA_H

#include "kernels/cpu/kernels.h"

/* The kernels of a space called `name`, or the widest when NULL; NULL when there are none of that name here. */
const sarrus_kernels *sarrus_isa_find(int32_t space, const char *name);

/* The same for relative coordinates. */
const sarrus_kernels *sarrus_isa_find_relative(int32_t space, const char *name);

/* Steps of relative coordinates in single precision: `advance` alone, of tiles of floats with twice the lanes. */
const sarrus_kernels *sarrus_isa_find_single(int32_t space, const char *name);

/* The pseudoinverse methods of the same instruction set. */
const sarrus_pinv_kernels *sarrus_isa_find_pinv(const char *name);

/* The dense formulations of the same instruction set. */
const sarrus_dense_kernels *sarrus_isa_find_dense(const char *name);

#endif
