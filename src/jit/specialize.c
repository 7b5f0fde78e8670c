#include "jit/specialize.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "jit/compiler.h"
#include "jit/loaded_object.h"
#include "jit/object_cache.h"
#include "sarrus/version.h"
#include "core/monotonic.h"

static const char plan_name[] = "sarrus_constant_plan.h", object_name[] = "object.so";

/* Nobody would read their warnings. What else the code wants, the unit says itself. */
static const char *const common_options[] = {"-std=c11", "-D_GNU_SOURCE", "-w",        "-O2", "-shared",
                                             "-fPIC",    "-I.",           "-Iinclude", "-o",  "object.so"};
enum { N_COMMON_OPTIONS = sizeof common_options / sizeof common_options[0] };

struct sarrus_specializer {
    sarrus_specializer_request request;
    char *plan_text;
    char compiler[PATH_MAX];
    char key[SARRUS_SHA256_TEXT];
    sarrus_object_cache cache;
    sarrus_loaded_object object;
    double began, build_began; /* s of the monotonic clock: it was made, AUTO's compilation was started */
    /* Between the thread that compiles and the others. */
    _Atomic(sarrus_advance_function *) advance;
    atomic_bool is_busy, is_unwanted;
    pthread_t thread;
    bool has_thread;
    pthread_mutex_t lock;
    sarrus_specialization told; /* under the lock */
};

static void tell(sarrus_specializer *s, sarrus_specialization_state state, const sarrus_fallback_reason *reason) {
    (void)pthread_mutex_lock(&s->lock);
    s->told.state = state;
    (void)snprintf(s->told.note, sizeof s->told.note, "%s", reason != NULL ? reason->text : "");
    (void)pthread_mutex_unlock(&s->lock);
}

static const char *const *isa_options(const char *isa) {
    static const char *const none[] = {NULL};
    for (const sarrus_isa_options *o = sarrus_embedded_options; o->isa != NULL; ++o)
        if (strcmp(o->isa, isa) == 0)
            return o->options;
    return none;
}

/* What tells one object from another: all that goes into it, and who makes it. */
static void key_make(sarrus_specializer *s) {
    const sarrus_specializer_request *r = &s->request;
    const uint64_t numbers[] = {SARRUS_SPECIALIZED_ABI, (uint64_t)r->width};
    sarrus_sha256 hash;
    sarrus_sha256_begin(&hash);
    sarrus_sha256_add_part(&hash, SARRUS_VERSION, strlen(SARRUS_VERSION));
    sarrus_sha256_add(&hash, numbers, sizeof numbers);
    sarrus_sha256_add_part(&hash, r->isa, strlen(r->isa));
    for (size_t i = 0; i < N_COMMON_OPTIONS; ++i)
        sarrus_sha256_add_part(&hash, common_options[i], strlen(common_options[i]));
    for (const char *const *o = isa_options(r->isa); *o != NULL; ++o)
        sarrus_sha256_add_part(&hash, *o, strlen(*o));
    sarrus_compiler_identify(s->compiler, &hash);
    sarrus_sha256_add_part(&hash, r->unit, strlen(r->unit));
    for (size_t i = 0; i < r->n_sources; ++i) {
        sarrus_sha256_add_part(&hash, r->sources[i].path, strlen(r->sources[i].path));
        sarrus_sha256_add_part(&hash, r->sources[i].text, r->sources[i].length);
    }
    sarrus_sha256_add_part(&hash, s->plan_text, strlen(s->plan_text));
    sarrus_sha256_end(&hash, s->key);
}

/* Takes the object in; from now on the steps are made by it. */
static bool object_take(sarrus_specializer *s, const sarrus_object_bytes *bytes, sarrus_fallback_reason *reason) {
    if (!sarrus_object_load(bytes, s->key, s->request.width, &s->object, reason))
        return false;
    atomic_store_explicit(&s->advance, s->object.exports->advance, memory_order_release);
    (void)pthread_mutex_lock(&s->lock);
    s->told.ready_seconds = sarrus_monotonic_seconds() - s->began;
    (void)pthread_mutex_unlock(&s->lock);
    return true;
}

static bool cached_take(sarrus_specializer *s) {
    sarrus_object_bytes bytes;
    sarrus_fallback_reason reason;
    if (!sarrus_object_cache_find(&s->cache, s->key, &bytes))
        return false;
    const bool good = object_take(s, &bytes, &reason);
    free(bytes.bytes);
    if (!good) {
        sarrus_object_cache_remove(&s->cache, s->key);
        return false;
    }
    s->told.is_from_cache = 1;
    tell(s, SARRUS_SPECIALIZATION_READY, NULL);
    return true;
}

static bool source_write(int folder, const sarrus_source_text *source) {
    char path[PATH_MAX];
    if ((size_t)snprintf(path, sizeof path, "%s", source->path) >= sizeof path)
        return false;
    for (char *slash = strchr(path, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        if (mkdirat(folder, path, 0700) != 0 && errno != EEXIST)
            return false;
        *slash = '/';
    }
    return sarrus_file_write(folder, path, source->text, source->length);
}

static bool sources_write(const sarrus_specializer *s, int folder, sarrus_fallback_reason *reason) {
    bool good = sarrus_file_write(folder, plan_name, s->plan_text, strlen(s->plan_text));
    for (size_t i = 0; good && i < s->request.n_sources; ++i)
        good = source_write(folder, &s->request.sources[i]);
    return good ? true
                : sarrus_fallback_reason_set(reason, "the sources cannot be written to the cache folder: %s", strerror(errno));
}

static bool compile(const sarrus_specializer *s, int folder, sarrus_fallback_reason *reason) {
    const char *arguments[N_COMMON_OPTIONS + SARRUS_MAX_ISA_OPTIONS + 5];
    char width[40], key[SARRUS_SHA256_TEXT + 40];
    int n = 0;
    (void)snprintf(width, sizeof width, "-DSARRUS_LANE_WIDTH=%d", s->request.width);
    (void)snprintf(key, sizeof key, "-DSARRUS_SPECIALIZED_KEY=\"%s\"", s->key);
    for (size_t i = 0; i < N_COMMON_OPTIONS; ++i)
        arguments[n++] = common_options[i];
    for (const char *const *o = isa_options(s->request.isa); *o != NULL; ++o)
        arguments[n++] = *o;
    arguments[n++] = width;
    arguments[n++] = key;
    arguments[n++] = s->request.unit;
    arguments[n++] = "-lm";
    arguments[n] = NULL;
    const sarrus_compilation compilation = {
        .program = s->compiler,
        .arguments = arguments,
        .folder = folder,
        .max_seconds = s->request.max_seconds,
        .max_bytes = s->request.max_memory_bytes,
        .is_unwanted = &s->is_unwanted,
        .stop = s->request.stop,
    };
    return sarrus_compiler_run(&compilation, reason);
}

/* Compiles, loads, and keeps what could be loaded. */
static void build(sarrus_specializer *s) {
    char name[SARRUS_CACHE_NAME];
    sarrus_fallback_reason reason = {""};
    sarrus_object_bytes bytes = {0};
    const double began = sarrus_monotonic_seconds();
    const int folder = sarrus_object_cache_folder_make(&s->cache, name, &reason);
    bool good = folder >= 0 && sources_write(s, folder, &reason) && compile(s, folder, &reason);
    const double seconds = sarrus_monotonic_seconds() - began;
    if (good && !sarrus_object_read(folder, object_name, &bytes))
        good = sarrus_fallback_reason_set(&reason, "the C compiler (%s) has made no object", s->compiler);
    good = good && object_take(s, &bytes, &reason);
    (void)pthread_mutex_lock(&s->lock);
    s->told.compile_seconds = seconds;
    (void)pthread_mutex_unlock(&s->lock);
    tell(s, good ? SARRUS_SPECIALIZATION_READY : SARRUS_SPECIALIZATION_FAILED, &reason);
    atomic_store_explicit(&s->is_busy, false, memory_order_release);
    if (good && !sarrus_object_cache_store(&s->cache, s->key, &bytes, &reason))
        tell(s, SARRUS_SPECIALIZATION_READY, &reason);
    free(bytes.bytes);
    if (folder >= 0) {
        (void)close(folder);
        sarrus_object_cache_folder_remove(&s->cache, name);
    }
}

static void *build_thread(void *specializer) {
    build(specializer);
    return NULL;
}

/* Signals are for the threads of the application. */
static bool thread_start(sarrus_specializer *s) {
    sigset_t all, before;
    sigfillset(&all);
    if (pthread_sigmask(SIG_SETMASK, &all, &before) != 0)
        return false;
    s->has_thread = pthread_create(&s->thread, NULL, build_thread, s) == 0;
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    return s->has_thread;
}

void sarrus_specializer_consider(sarrus_specializer *s, double seconds_left) {
    sarrus_fallback_reason reason;
    if (s == NULL || s->has_thread || s->told.state != SARRUS_SPECIALIZATION_WAITING)
        return; /* while there is no thread, nobody else writes the state */
    if (!(s->request.saved_share * seconds_left > s->request.expected_seconds))
        return;
    tell(s, SARRUS_SPECIALIZATION_COMPILING, NULL);
    s->build_began = sarrus_monotonic_seconds();
    atomic_store_explicit(&s->is_busy, true, memory_order_release);
    if (thread_start(s))
        return;
    atomic_store_explicit(&s->is_busy, false, memory_order_relaxed);
    (void)sarrus_fallback_reason_set(&reason, "no thread for the compilation");
    tell(s, SARRUS_SPECIALIZATION_FAILED, &reason);
}

static sarrus_specializer *allocate(const sarrus_specializer_request *request) {
    sarrus_specializer *s = calloc(1, sizeof *s);
    if (s == NULL)
        return NULL;
    s->request = *request;
    s->began = sarrus_monotonic_seconds();
    s->cache.folder = -1;
    s->object.memory = -1;
    if (pthread_mutex_init(&s->lock, NULL) == 0)
        return s;
    free(s);
    return NULL;
}

sarrus_specializer *sarrus_specializer_create_without(sarrus_specialization_state state, const char *why) {
    const sarrus_specializer_request nothing = {.mode = SARRUS_SPECIALIZE_OFF};
    sarrus_specializer *s = allocate(&nothing);
    sarrus_fallback_reason reason;
    (void)sarrus_fallback_reason_set(&reason, "%s", why);
    if (s != NULL)
        tell(s, state, &reason);
    return s;
}

sarrus_specializer *sarrus_specializer_create(const sarrus_specializer_request *request) {
    sarrus_fallback_reason reason = {""};
    sarrus_specializer *s = allocate(request);
    if (s == NULL)
        return NULL;
    s->plan_text = strdup(request->plan_text);
    if (s->plan_text == NULL) {
        sarrus_specializer_destroy(s);
        return NULL;
    }
    if (!sarrus_object_cache_open(&s->cache, request->cache_dir, request->max_cache_bytes, &reason) ||
        !sarrus_compiler_find(request->compiler, s->compiler, &reason)) {
        tell(s, SARRUS_SPECIALIZATION_FAILED, &reason);
        return s;
    }
    key_make(s);
    if (cached_take(s))
        return s;
    if (request->mode == SARRUS_SPECIALIZE_ON)
        build(s);
    else
        tell(s, SARRUS_SPECIALIZATION_WAITING, NULL);
    return s;
}

void sarrus_specializer_destroy(sarrus_specializer *s) {
    if (s == NULL)
        return;
    atomic_store_explicit(&s->is_unwanted, true, memory_order_relaxed);
    if (s->has_thread)
        (void)pthread_join(s->thread, NULL);
    sarrus_object_unload(&s->object);
    sarrus_object_cache_close(&s->cache);
    (void)pthread_mutex_destroy(&s->lock);
    free(s->plan_text);
    free(s);
}

sarrus_advance_function *sarrus_specializer_advance(const sarrus_specializer *s) {
    return s != NULL ? atomic_load_explicit(&s->advance, memory_order_acquire) : NULL;
}

bool sarrus_specializer_is_busy(const sarrus_specializer *s) {
    return s != NULL && atomic_load_explicit(&s->is_busy, memory_order_acquire);
}

bool sarrus_specializer_needs_processor(const sarrus_specializer *s) {
    return sarrus_specializer_is_busy(s) && sarrus_monotonic_seconds() - s->build_began < s->request.expected_seconds;
}

void sarrus_specializer_report(sarrus_specializer *s, sarrus_specialization *out) {
    *out = (sarrus_specialization){0};
    if (s == NULL)
        return;
    (void)pthread_mutex_lock(&s->lock);
    *out = s->told;
    (void)pthread_mutex_unlock(&s->lock);
}
