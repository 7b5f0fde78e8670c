/* Where compiled kernels are kept, what compiles them, and where NVIDIA's libraries may be: from the environment, which the library
 * does not read. */
#ifndef SARRUS_EDGE_KERNEL_PLACES_H
#define SARRUS_EDGE_KERNEL_PLACES_H

#include <limits.h>

typedef struct sarrus_kernel_places {
    const char *cache;    /* NULL: the environment names no place */
    const char *compiler; /* path, or the name that was not found */
    const char *cuda;     /* as sarrus_batch_options.cuda_prefixes; NULL: the environment names none */
    char cache_text[PATH_MAX], compiler_text[PATH_MAX], cuda_text[2 * PATH_MAX];
} sarrus_kernel_places;

/* cache: SARRUS_CACHE_DIR, else XDG_CACHE_HOME/sarrus, else HOME/.cache/sarrus. compiler: SARRUS_CC, else cc, looked for on the
 * PATH. cuda: CUDA_HOME, CUDA_PATH, VIRTUAL_ENV, CONDA_PREFIX, HOME/.local. The result points into itself. */
void sarrus_kernel_places_find(sarrus_kernel_places *out);

#endif
