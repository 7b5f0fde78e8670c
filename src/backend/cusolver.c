#include "backend/cusolver.h"

#include <dlfcn.h>
#include <pthread.h>
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

static void *library_load(const char *name, const char *const names[N_NAMES], sarrus_note *note) {
    void *handle = name ? open_library(name) : NULL;
    for (int i = 0; i < N_NAMES && !handle && !name; ++i)
        handle = open_library(names[i]);
    if (!handle)
        sarrus_note_set(note, "%s cannot be loaded: %s", name ? name : names[0], dlerror());
    for (int i = 0; i < N_NAMES && !handle && !name; ++i) {
        char path[sizeof TOOLKIT + 32];
        memcpy(path, TOOLKIT, sizeof TOOLKIT);
        strncat(path, names[i], sizeof path - sizeof TOOLKIT);
        handle = open_library(path);
    }
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
#include "backend/cusolver.def"
};
static const table_entry PRODUCT_ENTRIES[] = {
#define SARRUS_CUSOLVER(member, symbol)
#define SARRUS_CUSOLVER_OPTIONAL(member, symbol)
#define SARRUS_CUBLAS(member, symbol) {offsetof(sarrus_cusolver, member), #symbol, false},
#include "backend/cusolver.def"
};
enum {
    N_SOLVER_ENTRIES = sizeof SOLVER_ENTRIES / sizeof SOLVER_ENTRIES[0],
    N_PRODUCT_ENTRIES = sizeof PRODUCT_ENTRIES / sizeof PRODUCT_ENTRIES[0]
};

/* Fills the members of `entries`. C has no conversion from what dlsym returns to a function. */
static bool members_find(void *handle, const table_entry *entries, size_t n_entries, sarrus_cusolver *out, sarrus_note *note) {
    for (size_t i = 0; i < n_entries; ++i) {
        void *symbol = dlsym(handle, entries[i].symbol);
        if (!symbol && !entries[i].is_optional)
            return sarrus_note_set(note, "the library has no %s", entries[i].symbol);
        memcpy((char *)out + entries[i].member, &symbol, sizeof symbol);
    }
    return true;
}

bool sarrus_cusolver_load(const char *cusolver, const char *cublas, sarrus_cusolver *out, sarrus_note *note) {
    memset(out, 0, sizeof *out);
    void *solver = library_load(cusolver, SOLVERS, note);
    if (!solver)
        return false;
    void *products = library_load(cublas, PRODUCTS, note);
    if (!products) {
        (void)dlclose(solver);
        return false;
    }
    const bool is_good = members_find(solver, SOLVER_ENTRIES, N_SOLVER_ENTRIES, out, note) &&
                         members_find(products, PRODUCT_ENTRIES, N_PRODUCT_ENTRIES, out, note);
    (void)dlclose(products);
    (void)dlclose(solver);
    return is_good;
}

const sarrus_cusolver *sarrus_cusolver_find(sarrus_note *note) {
    if (replacement)
        return replacement;
    (void)pthread_mutex_lock(&lock);
    if (!is_loaded)
        is_loaded = sarrus_cusolver_load(NULL, NULL, &loaded, note);
    const sarrus_cusolver *found = is_loaded ? &loaded : NULL;
    (void)pthread_mutex_unlock(&lock);
    return found;
}

void sarrus_cusolver_replace(const sarrus_cusolver *table) {
    replacement = table;
}
