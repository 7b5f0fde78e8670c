#include "jit/cuda_object.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "jit/plan_text.h"

/* The most flops of a step's pieces of code. NVRTC takes 3.5 s of a processor for 650, 5 s for 1,300, more than 200 s for 16,000,
 * in space and over trees 10 s for 600, 18 s for 3,000 to 7,600, and cannot be called off. And what a thread holds, 32 doubles in
 * 255 registers for every 300 flops or so, has long left the registers. */
static const double MOST_FLOPS = 4000.0;

enum { MOST_REGISTERS = 255 }; /* that an instruction can name */

static const char UNIT[] = "kernels/cuda/specialized.cu";

/* An object of the cache begins with a line that says what the cubin needs, filled up with zeros: a cubin does not say itself. */
enum { HEADER = 128 };
static const char HEADER_FORMAT[] =
    "sarrus cubin 2: %d threads, %d blocks, %d registers, %d stack, %d spill stores, %d spill loads, "
    "%d shared, %d\n"; /* the last one: whether it has stretches */
enum { N_HEADER_NUMBERS = 8 };

bool sarrus_cuda_plan_fits(const sarrus_plan *plan, const char **why_not) {
    if (!sarrus_plan_text_gains(plan, why_not))
        return false;
    if (sarrus_plan_text_flops(plan) > MOST_FLOPS)
        *why_not = "the mechanism is too large for the registers of a thread";
    return *why_not == NULL;
}

static void key_make(const sarrus_nvrtc *nvrtc, const sarrus_cuda_request *request, char key[SARRUS_SHA256_TEXT]) {
    sarrus_sha256 hash;
    sarrus_sha256_begin(&hash);
    sarrus_sha256_add_part(&hash, "cuda", 4);
    sarrus_sha256_add_part(&hash, &request->architecture, sizeof request->architecture);
    sarrus_sha256_add_part(&hash, sarrus_cuda_bounds_tried, sizeof sarrus_cuda_bounds_tried);
    sarrus_nvrtc_identify(nvrtc, &hash);
    for (size_t i = 0; i < request->n_sources; ++i) {
        sarrus_sha256_add_part(&hash, request->sources[i].path, strlen(request->sources[i].path));
        sarrus_sha256_add_part(&hash, request->sources[i].text, request->sources[i].length);
    }
    sarrus_sha256_add_part(&hash, request->plan_text, strlen(request->plan_text));
    sarrus_sha256_end(&hash, key);
}

static bool object_unpack(const sarrus_object_bytes *stored, sarrus_cuda_object *out) {
    if (stored->n_bytes <= HEADER || stored->bytes[HEADER - 1] != '\0')
        return false;
    sarrus_cuda_report *r = &out->report;
    int has_stretches = 0;
    if (sscanf((const char *)stored->bytes, HEADER_FORMAT, &out->bounds.n_threads, &out->bounds.n_blocks, &r->n_registers,
               &r->n_stack_bytes, &r->n_spill_stores, &r->n_spill_loads, &r->n_shared_bytes, &has_stretches) != N_HEADER_NUMBERS)
        return false;
    r->has_stretches = has_stretches != 0;
    out->cubin.n_bytes = stored->n_bytes - HEADER;
    out->cubin.bytes = malloc(out->cubin.n_bytes);
    if (out->cubin.bytes == NULL)
        return false;
    memcpy(out->cubin.bytes, stored->bytes + HEADER, out->cubin.n_bytes);
    return true;
}

static bool object_find(const sarrus_object_cache *cache, const char *key, sarrus_cuda_object *out) {
    sarrus_object_bytes stored = {0};
    if (cache == NULL || !sarrus_object_cache_find(cache, key, &stored))
        return false;
    const bool good = object_unpack(&stored, out);
    free(stored.bytes);
    return good;
}

static void object_store(const sarrus_object_cache *cache, const char *key, const sarrus_cuda_object *object,
                         sarrus_fallback_reason *reason) {
    if (cache == NULL)
        return;
    const sarrus_cuda_report *r = &object->report;
    const sarrus_object_bytes stored = {calloc(HEADER + object->cubin.n_bytes, 1), HEADER + object->cubin.n_bytes};
    if (stored.bytes == NULL)
        return;
    const int n =
        snprintf((char *)stored.bytes, HEADER, HEADER_FORMAT, object->bounds.n_threads, object->bounds.n_blocks, r->n_registers,
                 r->n_stack_bytes, r->n_spill_stores, r->n_spill_loads, r->n_shared_bytes, (int)r->has_stretches);
    memcpy(stored.bytes + HEADER, object->cubin.bytes, object->cubin.n_bytes);
    if (n < HEADER)
        (void)sarrus_object_cache_store(cache, key, &stored, reason);
    free(stored.bytes);
}

static bool compile_within(const sarrus_nvrtc *nvrtc, const sarrus_cuda_request *request, const sarrus_cuda_bounds *bounds,
                           sarrus_cuda_object *out, sarrus_fallback_reason *reason) {
    const sarrus_nvrtc_unit unit = {request->sources, request->n_sources, UNIT, request->plan_text, request->architecture, *bounds};
    char *report = NULL;
    *out = (sarrus_cuda_object){.bounds = *bounds};
    if (!sarrus_nvrtc_compile(nvrtc, &unit, &out->cubin, &report, reason))
        return false;
    /* Without a report nothing is known of the registers: all of them, and other bounds do not promise more. */
    if (!sarrus_cuda_report_read(report, SARRUS_CUDA_KERNEL, &out->report)) {
        out->report.n_registers = MOST_REGISTERS;
        out->lacks_report = true;
        (void)sarrus_fallback_reason_set(reason,
                                         "CUDA's run-time compiler told nothing of registers: launch bounds were not compared");
    }
    free(report);
    return true;
}

/* The bounds are tried from the most registers to the fewest, as long as each leaves more warps and promises more. */
static bool compile_best(const sarrus_nvrtc *nvrtc, const sarrus_cuda_request *request, sarrus_cuda_object *out,
                         sarrus_fallback_reason *reason) {
    if (!compile_within(nvrtc, request, &sarrus_cuda_bounds_tried[0], out, reason))
        return false;
    out->n_compiled = 1;
    for (int i = 1; i < SARRUS_N_CUDA_BOUNDS && !out->lacks_report; ++i) {
        const sarrus_cuda_bounds *bounds = &sarrus_cuda_bounds_tried[i];
        sarrus_cuda_object other;
        if (!sarrus_cuda_bounds_would_bind(bounds, &out->report))
            continue;
        if (!compile_within(nvrtc, request, bounds, &other, reason))
            break;
        other.n_compiled = out->n_compiled + 1;
        const bool is_better = !other.lacks_report && sarrus_cuda_expected_use(&other.report, &other.bounds, request->n_flops) >
                                                          sarrus_cuda_expected_use(&out->report, &out->bounds, request->n_flops);
        if (!is_better) {
            out->n_compiled = other.n_compiled;
            sarrus_cuda_object_free(&other);
            break;
        }
        sarrus_cuda_object_free(out);
        *out = other;
    }
    return true;
}

bool sarrus_cuda_object_find(const sarrus_nvrtc *nvrtc, const sarrus_cuda_request *request, const sarrus_object_cache *cache,
                             sarrus_cuda_object *out) {
    char key[SARRUS_SHA256_TEXT];
    *out = (sarrus_cuda_object){0};
    key_make(nvrtc, request, key);
    return object_find(cache, key, out);
}

bool sarrus_cuda_object_make(const sarrus_nvrtc *nvrtc, const sarrus_cuda_request *request, const sarrus_object_cache *cache,
                             sarrus_cuda_object *out, sarrus_fallback_reason *reason) {
    char key[SARRUS_SHA256_TEXT];
    *out = (sarrus_cuda_object){0};
    reason->text[0] = '\0';
    key_make(nvrtc, request, key);
    if (object_find(cache, key, out))
        return true;
    if (!compile_best(nvrtc, request, out, reason))
        return false;
    object_store(cache, key, out, reason);
    return true;
}

void sarrus_cuda_object_free(sarrus_cuda_object *object) {
    free(object->cubin.bytes);
    object->cubin = (sarrus_object_bytes){0};
}
