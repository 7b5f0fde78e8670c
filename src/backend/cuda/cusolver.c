#include "backend/cuda/cusolver.h"

#include <dlfcn.h>
#include <pthread.h>
#include <string.h>

#include "jit/cuda_library.h"

/* Of the releases that the table was held against, and whatever else there may be. cuSOLVER brings the cuBLAS that it needs. */
static const char *const SOLVER_NAMES[] = {"libcusolver.so.12", "libcusolver.so.11", "libcusolver.so"};
static const char *const PRODUCT_NAMES[] = {"libcublas.so.13", "libcublas.so.12", "libcublas.so"};
static const sarrus_cuda_library SOLVERS = {SOLVER_NAMES, sizeof SOLVER_NAMES / sizeof SOLVER_NAMES[0], NULL};
static const sarrus_cuda_library PRODUCTS = {PRODUCT_NAMES, sizeof PRODUCT_NAMES / sizeof PRODUCT_NAMES[0], NULL};

static const sarrus_cusolver *replacement;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static sarrus_cusolver loaded;
static bool is_loaded;

/* The library of this path or name, for good; without one, that which is found. */
static void *library_load(const char *name, const sarrus_cuda_library *library, const char *prefixes,
                          sarrus_fallback_reason *reason) {
    if (!name)
        return sarrus_cuda_library_open(library, prefixes, reason);
    void *handle = dlopen(name, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (!handle)
        (void)sarrus_fallback_reason_set(reason, "%s cannot be loaded: %s", name, dlerror());
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

bool sarrus_cusolver_load(const char *cusolver, const char *cublas, const char *prefixes, sarrus_cusolver *out,
                          sarrus_fallback_reason *reason) {
    memset(out, 0, sizeof *out);
    void *solver = library_load(cusolver, &SOLVERS, prefixes, reason);
    if (!solver)
        return false;
    void *products = library_load(cublas, &PRODUCTS, prefixes, reason);
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

const sarrus_cusolver *sarrus_cusolver_find(const char *prefixes, sarrus_fallback_reason *reason) {
    if (replacement)
        return replacement;
    (void)pthread_mutex_lock(&lock);
    if (!is_loaded)
        is_loaded = sarrus_cusolver_load(NULL, NULL, prefixes, &loaded, reason);
    const sarrus_cusolver *found = is_loaded ? &loaded : NULL;
    (void)pthread_mutex_unlock(&lock);
    return found;
}

void sarrus_cusolver_replace(const sarrus_cusolver *table) {
    replacement = table;
}
