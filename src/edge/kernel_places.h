/* Where compiled kernels are kept and what compiles them: from the environment, which the library does not read. */
#ifndef SARRUS_EDGE_KERNEL_PLACES_H
#define SARRUS_EDGE_KERNEL_PLACES_H

#include <limits.h>

typedef struct sarrus_kernel_places {
    const char *cache;    /* NULL: the environment names no place */
    const char *compiler; /* path, or the name that was not found */
    char cache_text[PATH_MAX], compiler_text[PATH_MAX];
} sarrus_kernel_places;

/* cache: SARRUS_CACHE_DIR, else XDG_CACHE_HOME/sarrus, else HOME/.cache/sarrus. compiler: SARRUS_CC, else cc, looked for on the
 * PATH. The result points into itself. */
void sarrus_kernel_places_find(sarrus_kernel_places *out);

#endif
