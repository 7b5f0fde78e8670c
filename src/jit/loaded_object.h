/* A compiled object in this process. */
#ifndef SARRUS_JIT_LOADED_OBJECT_H
#define SARRUS_JIT_LOADED_OBJECT_H

#include "core/fallback_reason.h"
#include "jit/object_cache.h"
#include "kernels/cpu/kernels.h"

typedef struct sarrus_loaded_object {
    void *handle;
    int memory; /* descriptor of the copy that was loaded */
    const sarrus_specialized *exports;
} sarrus_loaded_object;

/* Loads the object and checks that it exports what is expected: abi, key, width. False with a reason. */
bool sarrus_object_load(const sarrus_object_bytes *object, const char *key, int32_t width, sarrus_loaded_object *out,
                        sarrus_fallback_reason *reason);
void sarrus_object_unload(sarrus_loaded_object *object);

#endif
