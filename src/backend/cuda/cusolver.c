#include "backend/cuda/cusolver.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

/* Of the releases that the table was held against, and whatever else there may be. cuSOLVER brings the cuBLAS that it needs. */
static const char *const SOLVERS[] = {"libcusolver.so.12", "libcusolver.so.11", "libcusolver.so"};
static const char *const PRODUCTS[] = {"libcublas.so.13", "libcublas.so.12", "libcublas.so"};
enum { N_NAMES = 3 };

/* Where a toolkit is when the system's loader does not know of it. */
static const char TOOLKIT[] = "/usr/local/cuda/lib64/";

static const sarrus_cusolver *replacement;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static sarrus_cusolver loaded;
static bool is_loaded;

/* It stays for good: what it registers with the process does not come off. */
static void *open_library(const char *name) {
    return dlopen(name, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
}

/* Why `file` could not be opened: kept unless something is known already. A missing dependency says more than that the file itself
 * was missing. */
static void reason_keep(char *reason, size_t n_reason, const char *file) {
    const char *said = dlerror();
    if (said && (reason[0] == '\0' || strncmp(said, file, strlen(file)) != 0))
        (void)snprintf(reason, n_reason, "%s", said);
}

/* The library of this name, or of those names: the first that the system's loader finds, else the first beside the toolkit. */
static void *library_load(const char *name, const char *const names[N_NAMES], sarrus_fallback_reason *reason) {
    char first_error[128] = "", path[64];
    void *handle = name ? open_library(name) : NULL;
    if (name && !handle)
        sarrus_fallback_reason_set(reason, "%s cannot be loaded: %s", name, dlerror());
    if (name)
        return handle;
    for (int i = 0; i < 2 * N_NAMES && !handle; ++i) {
        (void)snprintf(path, sizeof path, "%s%s", i < N_NAMES ? "" : TOOLKIT, names[i % N_NAMES]);
        handle = open_library(path);
        if (!handle)
            reason_keep(first_error, sizeof first_error, path);
    }
    if (!handle)
        sarrus_fallback_reason_set(reason,
                                   "none of %s, %s, %s can be loaded, by the system's loader (LD_LIBRARY_PATH) or from %s: %s",
                                   names[0], names[1], names[2], TOOLKIT, first_error);
    return handle;
}

typedef struct table_entry {
    size_t member; /* where in the table */
    const char *symbol;
    bool is_optional;
} table_entry;

static const table_entry SOLVER_ENTRIES[] = {
#define SARRUS_CUSOLVER(member, symbol) {offsetof(sarrus_cusolver, member), #symbol, false},
#define SARRUS_CUSOLVER_OPTIONAL(member, symbol) {offsetof(sarrus_cusolver, member), #symbol, true},
#define SARRUS_CUBLAS(member, symbol)
#include "backend/cuda/cusolver.def"
};
static const table_entry PRODUCT_ENTRIES[] = {
#define SARRUS_CUSOLVER(member, symbol)
#define SARRUS_CUSOLVER_OPTIONAL(member, symbol)
#define SARRUS_CUBLAS(member, symbol) {offsetof(sarrus_cusolver, member), #symbol, false},
#include "backend/cuda/cusolver.def"
};
enum {
    N_SOLVER_ENTRIES = sizeof SOLVER_ENTRIES / sizeof SOLVER_ENTRIES[0],
    N_PRODUCT_ENTRIES = sizeof PRODUCT_ENTRIES / sizeof PRODUCT_ENTRIES[0]
};

/* Fills the members of `entries`. C has no conversion from what dlsym returns to a function. */
static bool members_find(void *handle, const table_entry *entries, size_t n_entries, sarrus_cusolver *out,
                         sarrus_fallback_reason *reason) {
    for (size_t i = 0; i < n_entries; ++i) {
        void *symbol = dlsym(handle, entries[i].symbol);
        if (!symbol && !entries[i].is_optional)
            return sarrus_fallback_reason_set(reason, "the library has no %s", entries[i].symbol);
        memcpy((char *)out + entries[i].member, &symbol, sizeof symbol);
    }
    return true;
}

bool sarrus_cusolver_load(const char *cusolver, const char *cublas, sarrus_cusolver *out, sarrus_fallback_reason *reason) {
    memset(out, 0, sizeof *out);
    void *solver = library_load(cusolver, SOLVERS, reason);
    if (!solver)
        return false;
    void *products = library_load(cublas, PRODUCTS, reason);
    if (!products) {
        (void)dlclose(solver);
        return false;
    }
    const bool is_good = members_find(solver, SOLVER_ENTRIES, N_SOLVER_ENTRIES, out, reason) &&
                         members_find(products, PRODUCT_ENTRIES, N_PRODUCT_ENTRIES, out, reason);
    (void)dlclose(products);
    (void)dlclose(solver);
    return is_good;
}

const sarrus_cusolver *sarrus_cusolver_find(sarrus_fallback_reason *reason) {
    if (replacement)
        return replacement;
    (void)pthread_mutex_lock(&lock);
    if (!is_loaded)
        is_loaded = sarrus_cusolver_load(NULL, NULL, &loaded, reason);
    const sarrus_cusolver *found = is_loaded ? &loaded : NULL;
    (void)pthread_mutex_unlock(&lock);
    return found;
}

void sarrus_cusolver_replace(const sarrus_cusolver *table) {
    replacement = table;
}
