/* The bytes that were checked are those that are loaded: they are put into an anonymous file that no other process can open by a
 * name or cut short, and not read from the cache a second time. */
#include "jit/loaded_object.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Linux 6.3 and later want to be told that a file in memory is to be executed; earlier ones know no such flag. */
#ifndef MFD_EXEC
#define MFD_EXEC 0x0010U
#endif

static int memory_create(void) {
    const int memory = memfd_create("sarrus_specialized", MFD_CLOEXEC | MFD_EXEC);
    return memory >= 0 || errno != EINVAL ? memory : memfd_create("sarrus_specialized", MFD_CLOEXEC);
}

static bool memory_fill(int memory, const unsigned char *from, size_t n_bytes) {
    while (n_bytes > 0) {
        const ssize_t n = write(memory, from, n_bytes);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return false;
        from += n;
        n_bytes -= (size_t)n;
    }
    return true;
}

/* Whether the bytes hold all that their own head says: the loader maps the segments of a library as that says, and what lies behind
 * the end of the file would be a deadly signal. A compiler on a full disk may leave such a file and end well. */
static bool is_whole(const sarrus_object_bytes *object) {
    ElfW(Ehdr) head;
    if (object->n_bytes < sizeof head)
        return false;
    memcpy(&head, object->bytes, sizeof head);
    const size_t table = (size_t)head.e_phnum * sizeof(ElfW(Phdr));
    if (memcmp(head.e_ident, ELFMAG, SELFMAG) != 0 || head.e_phentsize != sizeof(ElfW(Phdr)) || head.e_phoff > object->n_bytes ||
        table > object->n_bytes - head.e_phoff)
        return false;
    for (size_t i = 0; i < head.e_phnum; ++i) {
        ElfW(Phdr) segment;
        memcpy(&segment, object->bytes + head.e_phoff + i * sizeof segment, sizeof segment);
        if (segment.p_offset > object->n_bytes || segment.p_filesz > object->n_bytes - segment.p_offset)
            return false;
    }
    return true;
}

static bool exports_check(const sarrus_specialized *exports, const char *key, int32_t width, sarrus_fallback_reason *reason) {
    if (exports == NULL)
        return sarrus_fallback_reason_set(reason, "the compiled object does not export its kernels");
    if (exports->abi != SARRUS_SPECIALIZED_ABI || exports->key == NULL || strcmp(exports->key, key) != 0 ||
        exports->width != width || exports->advance == NULL)
        return sarrus_fallback_reason_set(reason, "the compiled object holds other kernels than expected");
    return true;
}

bool sarrus_object_load(const sarrus_object_bytes *object, const char *key, int32_t width, sarrus_loaded_object *out,
                        sarrus_fallback_reason *reason) {
    char name[40];
    *out = (sarrus_loaded_object){.memory = -1};
    if (!is_whole(object))
        return sarrus_fallback_reason_set(reason, "the compiled object is no whole library");
    out->memory = memory_create();
    bool good = out->memory >= 0 && memory_fill(out->memory, object->bytes, object->n_bytes);
    if (!good)
        (void)sarrus_fallback_reason_set(reason, "the compiled object cannot be loaded: %s", strerror(errno));
    if (good) {
        (void)snprintf(name, sizeof name, "/proc/self/fd/%d", out->memory);
        out->handle = dlopen(name, RTLD_NOW | RTLD_LOCAL);
        if (out->handle == NULL)
            good = sarrus_fallback_reason_set(reason, "the compiled object cannot be loaded: %s", dlerror());
    }
    if (good) {
        out->exports = dlsym(out->handle, "sarrus_specialized_kernels");
        good = exports_check(out->exports, key, width, reason);
    }
    if (!good)
        sarrus_object_unload(out);
    return good;
}

/* The descriptor stays open as long as the object is loaded: the loader takes a name that it knows for the object that it knows,
 * and the number in the name would be used again. */
void sarrus_object_unload(sarrus_loaded_object *object) {
    if (object->handle != NULL)
        (void)dlclose(object->handle);
    if (object->memory >= 0)
        (void)close(object->memory);
    *object = (sarrus_loaded_object){.memory = -1};
}
