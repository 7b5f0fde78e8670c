/* NVIDIA's run-time compiler, found when it is asked for: neither a build nor a start of the program needs it. It compiles for any
 * device without one being there. */
#ifndef SARRUS_JIT_NVRTC_H
#define SARRUS_JIT_NVRTC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "jit/cuda_report.h"
#include "jit/embedded_sources.h"
#include "core/fallback_reason.h"
#include "jit/object_cache.h"
#include "jit/sha256.h"

typedef struct sarrus_nvrtc sarrus_nvrtc;

/* Loads the compiler from a path or by a name of the system's loader (NULL: one of the releases that are known to do, from where
 * sarrus_cuda_library_open looks, `prefixes` included). NULL with a reason when there is none. Any number of threads may compile
 * with it. */
sarrus_nvrtc *sarrus_nvrtc_open(const char *library, const char *prefixes, sarrus_fallback_reason *reason);
void sarrus_nvrtc_close(sarrus_nvrtc *nvrtc);

/* 1000·major + 10·minor, as the toolkit counts. */
int32_t sarrus_nvrtc_version(const sarrus_nvrtc *nvrtc);

/* What is compiled: a unit of the sources, with a plan and for launches within bounds. */
typedef struct sarrus_nvrtc_unit {
    const sarrus_source_text *sources; /* [n_sources] */
    size_t n_sources;
    const char *path;      /* of the unit, one of the sources */
    const char *plan_text; /* what it includes as sarrus_constant_plan.h */
    int32_t architecture;  /* 90: sm_90 */
    sarrus_cuda_bounds bounds;
} sarrus_nvrtc_unit;

/* The cubin, and the compiler's report: text, both to be freed. False with the compiler's first error in the reason. */
bool sarrus_nvrtc_compile(const sarrus_nvrtc *nvrtc, const sarrus_nvrtc_unit *unit, sarrus_object_bytes *cubin, char **report,
                          sarrus_fallback_reason *reason);

/* Everything that decides what comes out, beside the unit: for the key of an object. */
void sarrus_nvrtc_identify(const sarrus_nvrtc *nvrtc, sarrus_sha256 *hash);

#endif
