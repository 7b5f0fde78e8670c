/* Kernels for one plan: the embedded sources and the plan as a constant go to the system's compiler, the object to the cache and
 * into this process. Whatever goes wrong on the way is a reason, and the generic kernels go on. */
#ifndef SARRUS_JIT_SPECIALIZE_H
#define SARRUS_JIT_SPECIALIZE_H

#include <stdbool.h>

#include "jit/embedded_sources.h"
#include "kernels/cpu/kernels.h"
#include "sarrus/batch.h"

typedef struct sarrus_specializer sarrus_specializer;

typedef uint64_t sarrus_advance_function(sarrus_kernel_call *call, const sarrus_clock *clock, uint64_t n_steps);

typedef struct sarrus_specializer_request {
    sarrus_specialize mode;            /* AUTO or ON */
    const char *cache_dir, *compiler;  /* as in sarrus_batch_options */
    const sarrus_source_text *sources; /* [n_sources] they outlive the specializer */
    size_t n_sources;
    const char *unit;          /* path of the source that is compiled */
    const char *plan_text;     /* what it includes as sarrus_constant_plan.h */
    const char *isa;           /* as in sarrus_embedded_options */
    int32_t width;             /* lanes */
    double expected_seconds;   /* that a compilation is thought to take */
    double saved_share;        /* of the time of a step that the kernels are thought to save */
    double max_seconds;        /* after which it is given up */
    uint64_t max_memory_bytes; /* of each process of the compiler */
    uint64_t max_cache_bytes;
    const volatile int32_t *stop; /* as in sarrus_batch_options */
} sarrus_specializer_request;

/* Looks into the cache; ON then compiles, when there is nothing, and waits. NULL when memory runs out. */
sarrus_specializer *sarrus_specializer_create(const sarrus_specializer_request *request);

/* One that has nothing to offer but the reason. */
sarrus_specializer *sarrus_specializer_create_without(sarrus_specialization_state state, const char *why);

/* Calls off and reaps a running compiler. The kernels must not be running, and are gone. */
void sarrus_specializer_destroy(sarrus_specializer *specializer);

/* The kernels, NULL as long as there are none. Any thread may ask at any time. */
sarrus_advance_function *sarrus_specializer_advance(const sarrus_specializer *specializer);

/* A compilation is under way. Any thread may ask at any time. */
bool sarrus_specializer_is_busy(const sarrus_specializer *specializer);

/* The same, but not for longer than it was thought to take: until then it is worth a processor of its own. */
bool sarrus_specializer_needs_processor(const sarrus_specializer *specializer);

/* AUTO: starts the compilation when the generic kernels would still take so long that it pays. */
void sarrus_specializer_consider(sarrus_specializer *specializer, double seconds_left);

/* How it stands; step_share is left to the caller. */
void sarrus_specializer_report(sarrus_specializer *specializer, sarrus_specialization *out);

#endif
