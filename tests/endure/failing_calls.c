/* Makes the n-th call of a kind fail, and all behind it when that is asked for: a library to be loaded before all others
 * (LD_PRELOAD). The sanitized build has its own allocator and is linked with this file instead, its calls wrapped (-Wl,--wrap),
 * where FAILING_CALLS_WRAPPED is defined.
 *
 *   SARRUS_FAIL_KIND    allocation | thread | library | file | hdf5
 *   SARRUS_FAIL_AT      n, from 1; 0 or none: only counts
 *   SARRUS_FAIL_LASTING 1: the calls behind the n-th fail too
 *   SARRUS_FAIL_REPORT  a file that gets the number of calls of the kind when the program ends */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <hdf5.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef enum call_kind { KIND_ALLOCATION = 0, KIND_THREAD, KIND_LIBRARY, KIND_FILE, KIND_HDF5, N_KINDS } call_kind;

static const char *const kind_words[N_KINDS] = {"allocation", "thread", "library", "file", "hdf5"};

static struct {
    atomic_int state; /* 0: the environment was not looked at yet, 1: somebody does, 2: done */
    int kind;         /* N_KINDS: none */
    long at;
    bool is_lasting;
    atomic_long n_calls;
} plan;

/* getenv needs no memory; what is called before the environment is there is counted too. */
static void plan_read(void) {
    int expected = 0;
    if (!atomic_compare_exchange_strong(&plan.state, &expected, 1))
        return;
    const char *kind = getenv("SARRUS_FAIL_KIND"), *at = getenv("SARRUS_FAIL_AT"), *lasting = getenv("SARRUS_FAIL_LASTING");
    plan.kind = N_KINDS;
    for (int i = 0; kind != NULL && i < N_KINDS; ++i)
        if (strcmp(kind, kind_words[i]) == 0)
            plan.kind = i;
    plan.at = at != NULL ? atol(at) : 0;
    plan.is_lasting = lasting != NULL && lasting[0] == '1';
    atomic_store(&plan.state, 2);
}

/* Whether this call is to fail. */
static bool fails(call_kind kind) {
    if (atomic_load(&plan.state) != 2)
        plan_read();
    if (plan.kind != (int)kind)
        return false;
    const long n = atomic_fetch_add(&plan.n_calls, 1) + 1;
    return plan.at > 0 && (n == plan.at || (plan.is_lasting && n > plan.at));
}

__attribute__((destructor)) static void report(void) {
    const char *path = getenv("SARRUS_FAIL_REPORT");
    char text[32];
    const long n_calls = atomic_load(&plan.n_calls);
    if (path == NULL)
        return;
    plan.kind = N_KINDS;
    const int n = snprintf(text, sizeof text, "%ld\n", n_calls), file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (file >= 0 && write(file, text, (size_t)n) != n)
        unlink(path);
    if (file >= 0)
        close(file);
}

/* The same function of the libraries behind; function pointers and data pointers are of one size here. */
static void next_find(const char *name, void *function) {
    void *found = dlsym(RTLD_NEXT, name);
    memcpy(function, &found, sizeof found);
}

#ifndef FAILING_CALLS_WRAPPED

/* Memory: those of glibc behind the names that it exports for this. */
extern void *__libc_malloc(size_t n);
extern void *__libc_calloc(size_t n, size_t size);
extern void *__libc_realloc(void *block, size_t n);
extern void *__libc_memalign(size_t alignment, size_t n);

static void *no_memory(void) {
    errno = ENOMEM;
    return NULL;
}

void *malloc(size_t n) {
    return fails(KIND_ALLOCATION) ? no_memory() : __libc_malloc(n);
}

void *calloc(size_t n, size_t size) {
    return fails(KIND_ALLOCATION) ? no_memory() : __libc_calloc(n, size);
}

void *realloc(void *block, size_t n) {
    return fails(KIND_ALLOCATION) ? no_memory() : __libc_realloc(block, n);
}

void *aligned_alloc(size_t alignment, size_t n) {
    return fails(KIND_ALLOCATION) ? no_memory() : __libc_memalign(alignment, n);
}

void *memalign(size_t alignment, size_t n);
void *memalign(size_t alignment, size_t n) {
    return fails(KIND_ALLOCATION) ? no_memory() : __libc_memalign(alignment, n);
}

int posix_memalign(void **block, size_t alignment, size_t n) {
    if (fails(KIND_ALLOCATION))
        return ENOMEM;
    *block = __libc_memalign(alignment, n);
    return *block != NULL ? 0 : ENOMEM;
}

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *), void *argument) {
    int (*next)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *) = NULL;
    if (fails(KIND_THREAD))
        return EAGAIN;
    next_find("pthread_create", &next);
    return next(thread, attributes, run, argument);
}

void *dlopen(const char *path, int flags) {
    void *(*next)(const char *, int) = NULL;
    if (fails(KIND_LIBRARY))
        return NULL;
    next_find("dlopen", &next);
    return next(path, flags);
}

/* Files: what writes, makes longer and synchronizes. */
static bool is_full(void) {
    if (!fails(KIND_FILE))
        return false;
    errno = ENOSPC;
    return true;
}

ssize_t write(int file, const void *bytes, size_t n) {
    ssize_t (*next)(int, const void *, size_t) = NULL;
    if (file > STDERR_FILENO && is_full())
        return -1;
    next_find("write", &next);
    return next(file, bytes, n);
}

ssize_t pwrite(int file, const void *bytes, size_t n, off_t at) {
    ssize_t (*next)(int, const void *, size_t, off_t) = NULL;
    if (is_full())
        return -1;
    next_find("pwrite", &next);
    return next(file, bytes, n, at);
}

int ftruncate(int file, off_t n) {
    int (*next)(int, off_t) = NULL;
    if (is_full())
        return -1;
    next_find("ftruncate", &next);
    return next(file, n);
}

int fsync(int file) {
    int (*next)(int) = NULL;
    if (is_full())
        return -1;
    next_find("fsync", &next);
    return next(file);
}

int fdatasync(int file) {
    int (*next)(int) = NULL;
    if (is_full())
        return -1;
    next_find("fdatasync", &next);
    return next(file);
}

int rename(const char *from, const char *to) {
    int (*next)(const char *, const char *) = NULL;
    if (is_full())
        return -1;
    next_find("rename", &next);
    return next(from, to);
}

/* HDF5: those that make, open, read and write. */
hid_t H5Fcreate(const char *name, unsigned flags, hid_t creation, hid_t access) {
    hid_t (*next)(const char *, unsigned, hid_t, hid_t) = NULL;
    if (fails(KIND_HDF5))
        return -1;
    next_find("H5Fcreate", &next);
    return next(name, flags, creation, access);
}

hid_t H5Fopen(const char *name, unsigned flags, hid_t access) {
    hid_t (*next)(const char *, unsigned, hid_t) = NULL;
    if (fails(KIND_HDF5))
        return -1;
    next_find("H5Fopen", &next);
    return next(name, flags, access);
}

herr_t H5Fflush(hid_t object, H5F_scope_t scope) {
    herr_t (*next)(hid_t, H5F_scope_t) = NULL;
    if (fails(KIND_HDF5))
        return -1;
    next_find("H5Fflush", &next);
    return next(object, scope);
}

hid_t H5Dcreate2(hid_t at, const char *name, hid_t type, hid_t space, hid_t link, hid_t creation, hid_t access) {
    hid_t (*next)(hid_t, const char *, hid_t, hid_t, hid_t, hid_t, hid_t) = NULL;
    if (fails(KIND_HDF5))
        return -1;
    next_find("H5Dcreate2", &next);
    return next(at, name, type, space, link, creation, access);
}

hid_t H5Dopen2(hid_t at, const char *name, hid_t access) {
    hid_t (*next)(hid_t, const char *, hid_t) = NULL;
    if (fails(KIND_HDF5))
        return -1;
    next_find("H5Dopen2", &next);
    return next(at, name, access);
}

herr_t H5Dset_extent(hid_t dataset, const hsize_t size[]) {
    herr_t (*next)(hid_t, const hsize_t *) = NULL;
    if (fails(KIND_HDF5))
        return -1;
    next_find("H5Dset_extent", &next);
    return next(dataset, size);
}

herr_t H5Dwrite(hid_t dataset, hid_t type, hid_t memory, hid_t space, hid_t transfer, const void *bytes) {
    herr_t (*next)(hid_t, hid_t, hid_t, hid_t, hid_t, const void *) = NULL;
    if (fails(KIND_HDF5))
        return -1;
    next_find("H5Dwrite", &next);
    return next(dataset, type, memory, space, transfer, bytes);
}

herr_t H5Dwrite_chunk(hid_t dataset, hid_t transfer, uint32_t filters, const hsize_t *at, size_t n_bytes, const void *bytes) {
    herr_t (*next)(hid_t, hid_t, uint32_t, const hsize_t *, size_t, const void *) = NULL;
    if (fails(KIND_HDF5))
        return -1;
    next_find("H5Dwrite_chunk", &next);
    return next(dataset, transfer, filters, at, n_bytes, bytes);
}

herr_t H5Dread(hid_t dataset, hid_t type, hid_t memory, hid_t space, hid_t transfer, void *bytes) {
    herr_t (*next)(hid_t, hid_t, hid_t, hid_t, hid_t, void *) = NULL;
    if (fails(KIND_HDF5))
        return -1;
    next_find("H5Dread", &next);
    return next(dataset, type, memory, space, transfer, bytes);
}

hid_t H5Acreate2(hid_t at, const char *name, hid_t type, hid_t space, hid_t creation, hid_t access) {
    hid_t (*next)(hid_t, const char *, hid_t, hid_t, hid_t, hid_t) = NULL;
    if (fails(KIND_HDF5))
        return -1;
    next_find("H5Acreate2", &next);
    return next(at, name, type, space, creation, access);
}

herr_t H5Awrite(hid_t attribute, hid_t type, const void *bytes) {
    herr_t (*next)(hid_t, hid_t, const void *) = NULL;
    if (fails(KIND_HDF5))
        return -1;
    next_find("H5Awrite", &next);
    return next(attribute, type, bytes);
}

hid_t H5Gcreate2(hid_t at, const char *name, hid_t link, hid_t creation, hid_t access) {
    hid_t (*next)(hid_t, const char *, hid_t, hid_t, hid_t) = NULL;
    if (fails(KIND_HDF5))
        return -1;
    next_find("H5Gcreate2", &next);
    return next(at, name, link, creation, access);
}

hid_t H5Screate_simple(int rank, const hsize_t size[], const hsize_t most[]) {
    hid_t (*next)(int, const hsize_t *, const hsize_t *) = NULL;
    if (fails(KIND_HDF5))
        return -1;
    next_find("H5Screate_simple", &next);
    return next(rank, size, most);
}

hid_t H5Pcreate(hid_t class) {
    hid_t (*next)(hid_t) = NULL;
    if (fails(KIND_HDF5))
        return -1;
    next_find("H5Pcreate", &next);
    return next(class);
}

#else

/* Calls of the program and of its library, as the linker hands them over. */
void *__real_malloc(size_t n);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *block, size_t n);
void *__real_aligned_alloc(size_t alignment, size_t n);
char *__real_strdup(const char *text);
char *__real_strndup(const char *text, size_t n);
int __real_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *), void *argument);
void *__wrap_malloc(size_t n);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *block, size_t n);
void *__wrap_aligned_alloc(size_t alignment, size_t n);
char *__wrap_strdup(const char *text);
char *__wrap_strndup(const char *text, size_t n);
int __wrap_vasprintf(char **text, const char *format, va_list arguments);
int __wrap_asprintf(char **text, const char *format, ...);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *), void *argument);

void *__wrap_malloc(size_t n) {
    return fails(KIND_ALLOCATION) ? NULL : __real_malloc(n);
}

void *__wrap_calloc(size_t n, size_t size) {
    return fails(KIND_ALLOCATION) ? NULL : __real_calloc(n, size);
}

void *__wrap_realloc(void *block, size_t n) {
    return fails(KIND_ALLOCATION) ? NULL : __real_realloc(block, n);
}

void *__wrap_aligned_alloc(size_t alignment, size_t n) {
    return fails(KIND_ALLOCATION) ? NULL : __real_aligned_alloc(alignment, n);
}

char *__wrap_strdup(const char *text) {
    return fails(KIND_ALLOCATION) ? NULL : __real_strdup(text);
}

char *__wrap_strndup(const char *text, size_t n) {
    return fails(KIND_ALLOCATION) ? NULL : __real_strndup(text, n);
}

int __wrap_vasprintf(char **text, const char *format, va_list arguments) {
    int (*next)(char **, const char *, va_list) = NULL;
    if (fails(KIND_ALLOCATION))
        return -1;
    next_find("vasprintf", &next);
    return next(text, format, arguments);
}

int __wrap_asprintf(char **text, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    const int n = __wrap_vasprintf(text, format, arguments);
    va_end(arguments);
    return n;
}

int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *), void *argument) {
    return fails(KIND_THREAD) ? EAGAIN : __real_pthread_create(thread, attributes, run, argument);
}

#endif
