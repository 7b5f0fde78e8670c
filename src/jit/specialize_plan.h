/* Whether and how a plan gets kernels of its own. */
#ifndef SARRUS_JIT_SPECIALIZE_PLAN_H
#define SARRUS_JIT_SPECIALIZE_PLAN_H

#include "jit/specialize.h"
#include "plan/plan.h"

/* For a plan and the generic kernels that would run it otherwise. NULL when the options do not ask for it or memory runs out. */
sarrus_specializer *sarrus_specializer_create_for(const sarrus_plan *plan, const sarrus_batch_options *options,
                                                  const sarrus_kernels *kernels);

/* s that the generic kernels will take for a step of all instances on so many threads, roughly, before anything was measured; NaN
 * for a method that chooses its steps. */
double sarrus_plan_step_seconds(const sarrus_plan *plan, uint64_t n_instances, int32_t width, int n_threads);

#endif
