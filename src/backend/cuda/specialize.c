#include "backend/cuda/specialize.h"

#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/monotonic.h"
#include "jit/plan_text.h"

/* Of the time that the generic kernels would take, what the specialized ones save: on an H200 they take a 25th of it, those
 * without stretches a quarter (docs/cuda.md). */
static const double SAVED_SHARE = 0.75;
static const uint64_t CACHE_SIZE = UINT64_C(256) << 20; /* bytes */

struct sarrus_cuda_specializer {
    sarrus_cuda_request request;
    char *plan_text;
    sarrus_nvrtc *nvrtc;
    sarrus_object_cache cache;
    sarrus_cuda_object object;
    double began, expected_seconds;
    /* Between the thread that compiles and the others. */
    _Atomic(const sarrus_cuda_object *) ready;
    atomic_bool is_busy;
    pthread_t thread;
    bool has_thread;
    pthread_mutex_t lock;
    sarrus_specialization told; /* under the lock */
};

static void tell(sarrus_cuda_specializer *s, sarrus_specialization_state state, const char *reason) {
    (void)pthread_mutex_lock(&s->lock);
    s->told.state = state;
    (void)snprintf(s->told.note, sizeof s->told.note, "%s", reason);
    (void)pthread_mutex_unlock(&s->lock);
}

/* The object is there: whoever asks gets it from now on. */
static void object_offer(sarrus_cuda_specializer *s, bool is_from_cache, const char *reason) {
    (void)pthread_mutex_lock(&s->lock);
    s->told.is_from_cache = is_from_cache;
    s->told.ready_seconds = sarrus_monotonic_seconds() - s->began;
    (void)pthread_mutex_unlock(&s->lock);
    tell(s, SARRUS_SPECIALIZATION_READY, reason);
    atomic_store_explicit(&s->ready, &s->object, memory_order_release);
}

static void *build(void *user) {
    sarrus_cuda_specializer *s = user;
    sarrus_fallback_reason reason = {""};
    const double began = sarrus_monotonic_seconds();
    const bool good = sarrus_cuda_object_make(s->nvrtc, &s->request, &s->cache, &s->object, &reason);
    (void)pthread_mutex_lock(&s->lock);
    s->told.compile_seconds = sarrus_monotonic_seconds() - began;
    (void)pthread_mutex_unlock(&s->lock);
    if (good)
        object_offer(s, s->object.n_compiled == 0, reason.text);
    else
        tell(s, SARRUS_SPECIALIZATION_FAILED, reason.text);
    atomic_store_explicit(&s->is_busy, false, memory_order_release);
    return NULL;
}

/* Signals are for the threads of the application. */
static bool thread_start(sarrus_cuda_specializer *s) {
    sigset_t all, before;
    sigfillset(&all);
    if (pthread_sigmask(SIG_SETMASK, &all, &before) != 0)
        return false;
    s->has_thread = pthread_create(&s->thread, NULL, build, s) == 0;
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    return s->has_thread;
}

static void begin(sarrus_cuda_specializer *s, const sarrus_batch_options *options) {
    sarrus_fallback_reason reason = {""};
    s->nvrtc = sarrus_nvrtc_open(NULL, options->cuda_prefixes, &reason);
    if (!s->nvrtc || !sarrus_object_cache_open(&s->cache, options->cache_dir, CACHE_SIZE, &reason))
        tell(s, SARRUS_SPECIALIZATION_FAILED, reason.text);
    else if (sarrus_cuda_object_find(s->nvrtc, &s->request, &s->cache, &s->object))
        object_offer(s, true, "");
    else if (options->specialize == SARRUS_SPECIALIZE_ON)
        (void)build(s);
    else
        tell(s, SARRUS_SPECIALIZATION_WAITING, "");
}

/* Of an evaluation: in space and over trees, where nobody counts them, those of all the code. */
static double flops_of(const sarrus_plan *plan) {
    const double counted = plan->cost.flops_per_evaluation;
    return isnan(counted) ? sarrus_plan_text_flops(plan) : counted;
}

sarrus_cuda_specializer *sarrus_cuda_specializer_create(const sarrus_plan *plan, const sarrus_batch_options *options,
                                                        int32_t architecture) {
    if (!options || options->specialize == SARRUS_SPECIALIZE_OFF || !options->cache_dir)
        return NULL;
    sarrus_cuda_specializer *s = calloc(1, sizeof *s);
    if (!s || pthread_mutex_init(&s->lock, NULL) != 0) {
        free(s);
        return NULL;
    }
    const char *why_not = NULL;
    s->cache.folder = -1;
    s->began = sarrus_monotonic_seconds();
    /* NVRTC's time for two launch bounds: 19 s for the pendulum to 38 s for Andrews' mechanism (docs/cuda.md). */
    s->expected_seconds = 17.0 + 1.8e-2 * flops_of(plan);
    s->plan_text = sarrus_cuda_plan_fits(plan, &why_not) ? sarrus_plan_text(plan, SARRUS_PLAN_TEXT_STRAIGHT) : NULL;
    s->request = (sarrus_cuda_request){
        .sources = sarrus_embedded_sources,
        .n_sources = sarrus_n_embedded_sources,
        .plan_text = s->plan_text,
        .n_flops = flops_of(plan),
        .architecture = architecture,
    };
    if (why_not)
        tell(s, SARRUS_SPECIALIZATION_UNSUPPORTED, why_not);
    else if (!s->plan_text)
        tell(s, SARRUS_SPECIALIZATION_FAILED, "out of memory for the plan's text");
    else
        begin(s, options);
    return s;
}

void sarrus_cuda_specializer_destroy(sarrus_cuda_specializer *s) {
    if (!s)
        return;
    if (s->has_thread)
        (void)pthread_join(s->thread, NULL);
    sarrus_cuda_object_free(&s->object);
    sarrus_object_cache_close(&s->cache);
    sarrus_nvrtc_close(s->nvrtc);
    (void)pthread_mutex_destroy(&s->lock);
    free(s->plan_text);
    free(s);
}

const sarrus_cuda_object *sarrus_cuda_specializer_object(const sarrus_cuda_specializer *s, int32_t architecture) {
    if (!s || s->request.architecture != architecture)
        return NULL;
    return atomic_load_explicit(&s->ready, memory_order_acquire);
}

bool sarrus_cuda_specializer_is_busy(const sarrus_cuda_specializer *s) {
    return s && atomic_load_explicit(&s->is_busy, memory_order_acquire);
}

void sarrus_cuda_specializer_refuse(sarrus_cuda_specializer *s, const char *why) {
    sarrus_fallback_reason reason;
    (void)sarrus_fallback_reason_set(&reason, "the device does not take the kernels: %s", why);
    tell(s, SARRUS_SPECIALIZATION_FAILED, reason.text);
}

void sarrus_cuda_specializer_consider(sarrus_cuda_specializer *s, double seconds_left) {
    if (!s || s->has_thread || s->told.state != SARRUS_SPECIALIZATION_WAITING)
        return; /* while there is no thread, nobody else writes the state */
    if (!(SAVED_SHARE * seconds_left > s->expected_seconds))
        return;
    tell(s, SARRUS_SPECIALIZATION_COMPILING, "");
    atomic_store_explicit(&s->is_busy, true, memory_order_release);
    if (thread_start(s))
        return;
    atomic_store_explicit(&s->is_busy, false, memory_order_relaxed);
    tell(s, SARRUS_SPECIALIZATION_FAILED, "no thread for the compilation");
}

void sarrus_cuda_specializer_report(sarrus_cuda_specializer *s, sarrus_specialization *out) {
    *out = (sarrus_specialization){0};
    if (!s)
        return;
    (void)pthread_mutex_lock(&s->lock);
    *out = s->told;
    (void)pthread_mutex_unlock(&s->lock);
}
