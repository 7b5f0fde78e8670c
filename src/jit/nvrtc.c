/* What is needed of the toolkit's nvrtc.h is declared here, so that no build depends on a toolkit. */
#include "jit/nvrtc.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "jit/cuda_library.h"

typedef struct nvrtc_program nvrtc_program;
typedef int nvrtc_result; /* 0: success */

struct sarrus_nvrtc {
    int32_t version;
    nvrtc_result (*get_version)(int *major, int *minor);
    const char *(*error_text)(nvrtc_result result);
    nvrtc_result (*create)(nvrtc_program **program, const char *text, const char *name, int n_headers, const char *const *headers,
                           const char *const *include_names);
    nvrtc_result (*destroy)(nvrtc_program **program);
    nvrtc_result (*compile)(nvrtc_program *program, int n_options, const char *const *options);
    nvrtc_result (*log_size)(nvrtc_program *program, size_t *size);
    nvrtc_result (*log)(nvrtc_program *program, char *log);
    nvrtc_result (*cubin_size)(nvrtc_program *program, size_t *size);
    nvrtc_result (*cubin)(nvrtc_program *program, char *cubin);
};

/* C++20 for the names of members in the plan's text; no contraction but what is written out; functions without a mark are
 * declarations of the host, which a device may know as well; unused functions are to be expected; the report is that of ptxas. */
static const char *const COMMON_OPTIONS[] = {"--std=c++20", "--fmad=false", "--device-as-default-execution-space",
                                             "--diag-suppress=177", "--ptxas-options=-v"};
enum { N_COMMON_OPTIONS = sizeof COMMON_OPTIONS / sizeof COMMON_OPTIONS[0], N_OPTIONS = N_COMMON_OPTIONS + 4, OPTION_LENGTH = 64 };

/* Releases from 12.9 on keep what they have compiled where there is a driver, and what comes from there has no report. Cubins have
 * a cache of their own here (cuda_object.c). */
static const char NO_CACHE[] = "--no-cache";
static const int32_t KNOWS_CACHE = 12090;

/* In place of the C library's headers, which the compiler does not bring along: what a device knows is built in. */
static const char *const STAND_INS[][2] = {
    {"math.h", ""},
    {"stddef.h", ""},
    {"stdint.h", "typedef int int32_t;\n"
                 "typedef unsigned uint32_t;\n"
                 "typedef long long int64_t;\n"
                 "typedef unsigned long long uint64_t;\n"
                 "#define INT32_MAX 2147483647\n"},
};
enum { N_STAND_INS = sizeof STAND_INS / sizeof STAND_INS[0] };

/* Of the release that a program is built with, and of those before it that know C++20. The compiler loads its built-in functions by
 * name, which finds nothing beside a library that was opened by its path. */
static const char *const NAMES[] = {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so"};
static const sarrus_cuda_library LIBRARY = {NAMES, sizeof NAMES / sizeof NAMES[0], "libnvrtc-builtins.so.*"};

/* C has no conversion from what dlsym returns to a function. */
static bool symbol_find(void *handle, const char *name, void *function) {
    void *symbol = dlsym(handle, name);
    memcpy(function, &symbol, sizeof symbol);
    return symbol != NULL;
}

static bool symbols_find(void *handle, sarrus_nvrtc *out) {
    return symbol_find(handle, "nvrtcVersion", &out->get_version) && symbol_find(handle, "nvrtcGetErrorString", &out->error_text) &&
           symbol_find(handle, "nvrtcCreateProgram", &out->create) && symbol_find(handle, "nvrtcDestroyProgram", &out->destroy) &&
           symbol_find(handle, "nvrtcCompileProgram", &out->compile) &&
           symbol_find(handle, "nvrtcGetProgramLogSize", &out->log_size) && symbol_find(handle, "nvrtcGetProgramLog", &out->log) &&
           symbol_find(handle, "nvrtcGetCUBINSize", &out->cubin_size) && symbol_find(handle, "nvrtcGetCUBIN", &out->cubin);
}

/* It stays for good: what it registers with the process does not come off. */
static void *library_load(const char *library, const char *prefixes, sarrus_fallback_reason *reason) {
    if (library == NULL)
        return sarrus_cuda_library_open(&LIBRARY, prefixes, reason);
    void *handle = dlopen(library, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (handle == NULL)
        (void)sarrus_fallback_reason_set(reason, "%s", dlerror());
    return handle;
}

sarrus_nvrtc *sarrus_nvrtc_open(const char *library, const char *prefixes, sarrus_fallback_reason *reason) {
    int major = 0, minor = 0;
    sarrus_fallback_reason why_not = {""};
    void *handle = library_load(library, prefixes, &why_not);
    if (handle == NULL) {
        sarrus_fallback_reason_set(reason, "CUDA's run-time compiler cannot be loaded: %s", why_not.text);
        return NULL;
    }
    sarrus_nvrtc *nvrtc = calloc(1, sizeof *nvrtc);
    if (nvrtc == NULL) {
        sarrus_fallback_reason_set(reason, "out of memory for CUDA's run-time compiler");
    } else if (!symbols_find(handle, nvrtc) || nvrtc->get_version(&major, &minor) != 0 || major < 12) {
        sarrus_fallback_reason_set(reason, "CUDA's run-time compiler is not of release 12 or later");
        free(nvrtc);
        nvrtc = NULL;
    } else {
        nvrtc->version = 1000 * major + 10 * minor;
    }
    (void)dlclose(handle);
    return nvrtc;
}

void sarrus_nvrtc_close(sarrus_nvrtc *nvrtc) {
    free(nvrtc);
}

int32_t sarrus_nvrtc_version(const sarrus_nvrtc *nvrtc) {
    return nvrtc->version;
}

void sarrus_nvrtc_identify(const sarrus_nvrtc *nvrtc, sarrus_sha256 *hash) {
    sarrus_sha256_add_part(hash, &nvrtc->version, sizeof nvrtc->version);
    for (int i = 0; i < N_COMMON_OPTIONS; ++i)
        sarrus_sha256_add_part(hash, COMMON_OPTIONS[i], strlen(COMMON_OPTIONS[i]));
    for (int i = 0; i < N_STAND_INS; ++i)
        sarrus_sha256_add_part(hash, STAND_INS[i][1], strlen(STAND_INS[i][1]));
}

/* Texts as the compiler wants them: ended by 0, under the names that they are included by. */
typedef struct header_list {
    int n;
    const char **text, **name; /* [n] */
    char *storage;             /* copies of the sources, one after another */
    const char *unit;          /* among them */
} header_list;

static void header_add(header_list *list, const char *name, const char *text) {
    list->name[list->n] = name;
    list->text[list->n++] = text;
}

static void headers_free(header_list *list) {
    free(list->text);
    free(list->name);
    free(list->storage);
    *list = (header_list){0};
}

static bool headers_make(const sarrus_nvrtc_unit *unit, header_list *out) {
    static const char prefix[] = "include/"; /* sources have paths, includes have names */
    const size_t n_most = unit->n_sources + N_STAND_INS + 1;
    size_t n_bytes = 1;
    *out = (header_list){0};
    for (size_t i = 0; i < unit->n_sources; ++i)
        n_bytes += unit->sources[i].length + 1;
    out->text = malloc(n_most * sizeof *out->text);
    out->name = malloc(n_most * sizeof *out->name);
    char *at = out->storage = malloc(n_bytes);
    if (out->text == NULL || out->name == NULL || at == NULL) {
        headers_free(out);
        return false;
    }
    for (size_t i = 0; i < unit->n_sources; ++i) {
        const sarrus_source_text *source = &unit->sources[i];
        const bool has_prefix = strncmp(source->path, prefix, sizeof prefix - 1) == 0;
        memcpy(at, source->text, source->length);
        at[source->length] = '\0';
        header_add(out, has_prefix ? source->path + sizeof prefix - 1 : source->path, at);
        if (strcmp(source->path, unit->path) == 0)
            out->unit = at;
        at += source->length + 1;
    }
    for (int i = 0; i < N_STAND_INS; ++i)
        header_add(out, STAND_INS[i][0], STAND_INS[i][1]);
    header_add(out, "sarrus_constant_plan.h", unit->plan_text);
    return true;
}

/* What the compiler has said; NULL when memory runs out. */
static char *log_of(const sarrus_nvrtc *nvrtc, nvrtc_program *program) {
    size_t size = 0;
    if (nvrtc->log_size(program, &size) != 0)
        size = 0;
    char *log = calloc(size + 1, 1);
    if (log != NULL && size > 0 && nvrtc->log(program, log) != 0)
        log[0] = '\0';
    return log;
}

/* The line of the first error, or what there is. */
static bool failure_note(const sarrus_nvrtc *nvrtc, nvrtc_result result, const char *log, sarrus_fallback_reason *reason) {
    const char *line = log != NULL ? strstr(log, "error") : NULL;
    if (line == NULL)
        return sarrus_fallback_reason_set(reason, "CUDA's run-time compiler failed: %s", nvrtc->error_text(result));
    while (line > log && line[-1] != '\n')
        --line;
    return sarrus_fallback_reason_set(reason, "CUDA's run-time compiler failed: %.*s", (int)strcspn(line, "\n"), line);
}

static nvrtc_result program_compile(const sarrus_nvrtc *nvrtc, const sarrus_nvrtc_unit *unit, nvrtc_program *program) {
    char text[N_OPTIONS - N_COMMON_OPTIONS][OPTION_LENGTH];
    const char *options[N_OPTIONS];
    (void)snprintf(text[0], OPTION_LENGTH, "--gpu-architecture=sm_%d", unit->architecture);
    (void)snprintf(text[1], OPTION_LENGTH, "-DSARRUS_BLOCK_THREADS=%d", unit->bounds.n_threads);
    (void)snprintf(text[2], OPTION_LENGTH, "-DSARRUS_BLOCKS=%d", unit->bounds.n_blocks);
    (void)snprintf(text[3], OPTION_LENGTH, "%s", NO_CACHE);
    for (int i = 0; i < N_OPTIONS; ++i)
        options[i] = i < N_COMMON_OPTIONS ? COMMON_OPTIONS[i] : text[i - N_COMMON_OPTIONS];
    return nvrtc->compile(program, nvrtc->version >= KNOWS_CACHE ? N_OPTIONS : N_OPTIONS - 1, options);
}

static nvrtc_result cubin_take(const sarrus_nvrtc *nvrtc, nvrtc_program *program, sarrus_object_bytes *out) {
    const nvrtc_result out_of_memory = 1;
    nvrtc_result result = nvrtc->cubin_size(program, &out->n_bytes);
    if (result != 0)
        return result;
    out->bytes = malloc(out->n_bytes + 1);
    return out->bytes == NULL ? out_of_memory : nvrtc->cubin(program, (char *)out->bytes);
}

bool sarrus_nvrtc_compile(const sarrus_nvrtc *nvrtc, const sarrus_nvrtc_unit *unit, sarrus_object_bytes *cubin, char **report,
                          sarrus_fallback_reason *reason) {
    header_list headers;
    nvrtc_program *program = NULL;
    *cubin = (sarrus_object_bytes){0};
    *report = NULL;
    if (!headers_make(unit, &headers))
        return sarrus_fallback_reason_set(reason, "out of memory for the sources of the kernels");
    if (headers.unit == NULL) {
        headers_free(&headers);
        return sarrus_fallback_reason_set(reason, "there is no source '%s'", unit->path);
    }
    nvrtc_result result = nvrtc->create(&program, headers.unit, unit->path, headers.n, headers.text, headers.name);
    char *log = NULL;
    if (result == 0) {
        result = program_compile(nvrtc, unit, program);
        log = log_of(nvrtc, program);
    }
    if (result == 0)
        result = cubin_take(nvrtc, program, cubin);
    if (result != 0)
        (void)failure_note(nvrtc, result, log, reason);
    else if (log == NULL)
        (void)sarrus_fallback_reason_set(reason, "out of memory for the compiler's report");
    if (program != NULL)
        (void)nvrtc->destroy(&program);
    headers_free(&headers);
    if (result == 0 && log != NULL) {
        *report = log;
        return true;
    }
    free(log);
    free(cubin->bytes);
    *cubin = (sarrus_object_bytes){0};
    return false;
}
