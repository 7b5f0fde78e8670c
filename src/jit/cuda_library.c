#include "jit/cuda_library.h"

#include <dlfcn.h>
#include <glob.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* The folders of a prefix, and the prefixes that are looked through behind those of the user: patterns. */
typedef struct place_kind {
    const char *const *folders, *const *prefixes; /* ended by NULL */
} place_kind;

static const place_kind KINDS[] = {
    {.folders = (const char *const[]){"lib64", NULL},
     .prefixes = (const char *const[]){"/usr/local/cuda", "/usr/local/cuda-[0-9]*", "/opt/cuda", "/usr/lib/cuda", NULL}},
    {.folders = (const char *const[]){"lib/python3*/*-packages/nvidia/*/lib", "lib/python3*/*-packages/torch/lib", NULL},
     .prefixes = (const char *const[]){"/usr/local", "/usr", NULL}},
};
enum { N_KINDS = sizeof KINDS / sizeof KINDS[0] };

typedef struct search {
    const sarrus_cuda_library *library;
    sarrus_fallback_reason why_not; /* of the first one that is there and does not load */
} search;

/* It stays: what such a library registers with the process does not come off. */
static void *library_open(const char *name) {
    return dlopen(name, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
}

/* As library_open, and keeps why a file that is there does not load: what it needs is missing, or it is broken. */
static void *candidate_open(search *s, const char *name) {
    void *handle = library_open(name);
    const char *said = handle ? NULL : dlerror();
    char nowhere[PATH_MAX];
    (void)snprintf(nowhere, sizeof nowhere, "%s: cannot open shared object file: No such file", name);
    if (said && s->why_not.text[0] == '\0' && strncmp(said, nowhere, strlen(nowhere)) != 0)
        (void)sarrus_fallback_reason_set(&s->why_not, "%s does not load: %s", name, said);
    return handle;
}

/* What the library will ask for by name, the loader then has already. */
static void companions_open(const sarrus_cuda_library *library, const char *folder) {
    char pattern[PATH_MAX];
    glob_t found;
    if (!library->companions || (size_t)snprintf(pattern, sizeof pattern, "%s/%s", folder, library->companions) >= sizeof pattern)
        return;
    if (glob(pattern, 0, NULL, &found) == 0) {
        for (size_t i = 0; i < found.gl_pathc; ++i) {
            void *companion = library_open(found.gl_pathv[i]);
            if (companion)
                (void)dlclose(companion);
        }
        globfree(&found);
    }
}

/* A pattern that means the path itself. False when it is too long, or no whole path. */
static bool path_escape(const char *path, size_t length, char out[PATH_MAX]) {
    size_t n = 0;
    for (size_t i = 0; i < length && n + 2 < PATH_MAX; ++i) {
        if (strchr("*?[\\", path[i]))
            out[n++] = '\\';
        out[n++] = path[i];
    }
    out[n] = '\0';
    return length > 0 && path[0] == '/' && n + 2 < PATH_MAX;
}

static void *folder_search(search *s, const char *folder) {
    char path[PATH_MAX], escaped[PATH_MAX];
    void *handle = NULL;
    for (size_t i = 0; i < s->library->n_names && !handle; ++i)
        if ((size_t)snprintf(path, sizeof path, "%s/%s", folder, s->library->names[i]) < sizeof path)
            handle = candidate_open(s, path);
    if (handle && path_escape(folder, strlen(folder), escaped))
        companions_open(s->library, escaped);
    return handle;
}

/* All folders of a prefix, the newest release (of the toolkit, of Python) first, which names sort to the end. */
static void *prefix_search(search *s, const char *prefix, const char *const *folders) {
    char pattern[PATH_MAX];
    void *handle = NULL;
    for (int i = 0; folders[i] && !handle; ++i) {
        glob_t found;
        if ((size_t)snprintf(pattern, sizeof pattern, "%s/%s", prefix, folders[i]) >= sizeof pattern ||
            glob(pattern, 0, NULL, &found) != 0)
            continue;
        for (size_t k = found.gl_pathc; k > 0 && !handle; --k)
            handle = folder_search(s, found.gl_pathv[k - 1]);
        globfree(&found);
    }
    return handle;
}

static void *kind_search(search *s, const char *prefixes, const place_kind *kind) {
    void *handle = NULL;
    while (prefixes && *prefixes != '\0' && !handle) {
        const size_t length = strcspn(prefixes, ":");
        char escaped[PATH_MAX];
        if (path_escape(prefixes, length, escaped))
            handle = prefix_search(s, escaped, kind->folders);
        prefixes += length + (prefixes[length] == ':');
    }
    for (int i = 0; kind->prefixes[i] && !handle; ++i)
        handle = prefix_search(s, kind->prefixes[i], kind->folders);
    return handle;
}

static void refuse(const search *s, const char *prefixes, sarrus_fallback_reason *reason) {
    char names[SARRUS_SPECIALIZATION_NOTE] = "";
    if (s->why_not.text[0] != '\0') {
        *reason = s->why_not;
        return;
    }
    for (size_t i = 0, n = 0; i < s->library->n_names && n < sizeof names; ++i)
        n += (size_t)snprintf(names + n, sizeof names - n, "%s%s", i > 0 ? ", " : "", s->library->names[i]);
    (void)sarrus_fallback_reason_set(
        reason,
        "no %s by the system's loader (LD_LIBRARY_PATH), nor in lib64 or Python's packages of %s%s/usr/local/cuda*, /opt/cuda, "
        "/usr/lib/cuda, /usr/local, /usr",
        names, prefixes ? prefixes : "", prefixes ? ", " : "");
}

void *sarrus_cuda_library_open(const sarrus_cuda_library *library, const char *prefixes, sarrus_fallback_reason *reason) {
    search s = {.library = library};
    void *handle = NULL;
    for (size_t i = 0; i < library->n_names && !handle; ++i)
        handle = candidate_open(&s, library->names[i]);
    for (int i = 0; i < N_KINDS && !handle; ++i)
        handle = kind_search(&s, prefixes, &KINDS[i]);
    if (!handle)
        refuse(&s, prefixes, reason);
    return handle;
}
