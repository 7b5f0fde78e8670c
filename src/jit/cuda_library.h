/* NVIDIA's libraries, found when they are asked for: neither a build nor a start of the program needs them. For all of them the
 * same places are looked through. scripts/launch/env.sh names these for the programs of a bundle: the two are to be kept alike. */
#ifndef SARRUS_JIT_CUDA_LIBRARY_H
#define SARRUS_JIT_CUDA_LIBRARY_H

#include <stddef.h>

#include "core/fallback_reason.h"

typedef struct sarrus_cuda_library {
    const char *const *names; /* [n_names] of files, the best release first */
    size_t n_names;
    const char *companions; /* pattern of files beside it that the library asks the loader for by name later; NULL: none */
} sarrus_cuda_library;

/* Opens it for good: by the system's loader (LD_LIBRARY_PATH counts), else from the first folder that has it: lib64 of toolkits,
 * then Python's packages (nvidia/<part>/lib, torch/lib), of `prefixes` (as in sarrus_batch_options.cuda_prefixes) and of the usual
 * places. For dlsym and dlclose. NULL with a reason: why the one that is there does not load, or where it was looked for. */
void *sarrus_cuda_library_open(const sarrus_cuda_library *library, const char *prefixes, sarrus_fallback_reason *reason);

#endif
