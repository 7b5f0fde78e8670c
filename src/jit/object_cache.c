#include "jit/object_cache.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "jit/cache_trim.h"
#include "jit/sha256.h"

enum { TRAILER = 1 + 16 + 64 + 1 + 16 + 1 + 64 + 1, LARGEST_OBJECT = 64 << 20 };

/* Creates the folders above `path` and itself, as far as they are missing. */
static void folders_create(char *path) {
    for (char *slash = strchr(path + 1, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        (void)mkdir(path, 0700);
        *slash = '/';
    }
    (void)mkdir(path, 0700);
}

bool sarrus_object_cache_open(sarrus_object_cache *cache, const char *path, uint64_t max_bytes, sarrus_fallback_reason *reason) {
    char whole[PATH_MAX];
    *cache = (sarrus_object_cache){.folder = -1, .max_bytes = max_bytes};
    if (path == NULL || *path == '\0')
        return sarrus_fallback_reason_set(reason, "no cache folder was given");
    size_t length = strlen(path);
    if (length >= sizeof whole)
        return sarrus_fallback_reason_set(reason, "the name of the cache folder is too long");
    memcpy(whole, path, length + 1);
    while (length > 1 && whole[length - 1] == '/') /* a link with a slash behind it would be followed */
        whole[--length] = '\0';
    folders_create(whole);
    struct stat is;
    cache->folder = open(whole, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (cache->folder < 0) {
        const int why = errno;
        const bool is_link = lstat(whole, &is) == 0 && S_ISLNK(is.st_mode);
        return sarrus_fallback_reason_set(reason, "the cache folder %s cannot be used: %s", whole,
                                          is_link ? "a symbolic link" : strerror(why));
    }
    const char *fault = fstat(cache->folder, &is) != 0       ? strerror(errno)
                        : is.st_uid != geteuid()             ? "it belongs to another user"
                        : (is.st_mode & (S_IWGRP | S_IWOTH)) ? "others may write to it"
                                                             : NULL;
    if (fault == NULL)
        return true;
    sarrus_object_cache_close(cache);
    return sarrus_fallback_reason_set(reason, "the cache folder %s cannot be used: %s", whole, fault);
}

void sarrus_object_cache_close(sarrus_object_cache *cache) {
    if (cache->folder >= 0)
        (void)close(cache->folder);
    cache->folder = -1;
}

static bool bytes_read(int file, unsigned char *to, size_t n_bytes) {
    while (n_bytes > 0) {
        const ssize_t n = read(file, to, n_bytes);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return false;
        to += n;
        n_bytes -= (size_t)n;
    }
    return true;
}

static bool is_private_file(const struct stat *is) {
    return S_ISREG(is->st_mode) && is->st_uid == geteuid() && (is->st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

/* As sarrus_object_read; the file stays open. */
static int object_open(int folder, const char *name, sarrus_object_bytes *out) {
    struct stat is;
    *out = (sarrus_object_bytes){0};
    const int file = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (file < 0)
        return -1;
    if (fstat(file, &is) == 0 && is_private_file(&is) && is.st_size > 0 && is.st_size <= LARGEST_OBJECT) {
        out->n_bytes = (size_t)is.st_size;
        out->bytes = malloc(out->n_bytes);
        if (out->bytes != NULL && bytes_read(file, out->bytes, out->n_bytes))
            return file;
    }
    free(out->bytes);
    *out = (sarrus_object_bytes){0};
    (void)close(file);
    return -1;
}

bool sarrus_object_read(int folder, const char *name, sarrus_object_bytes *out) {
    const int file = object_open(folder, name, out);
    if (file >= 0)
        (void)close(file);
    return file >= 0;
}

static void object_name(const char *key, char name[SARRUS_OBJECT_NAME]) {
    (void)snprintf(name, SARRUS_OBJECT_NAME, "%.64s.so", key);
}

static void trailer_make(const char *key, const unsigned char *bytes, size_t n_bytes, char text[TRAILER + 1]) {
    char digest[SARRUS_SHA256_TEXT];
    sarrus_sha256 hash;
    sarrus_sha256_begin(&hash);
    sarrus_sha256_add(&hash, bytes, n_bytes);
    sarrus_sha256_end(&hash, digest);
    (void)snprintf(text, TRAILER + 1, "\nsarrus object 1 %.64s %016zx %s\n", key, n_bytes, digest);
}

bool sarrus_object_cache_find(const sarrus_object_cache *cache, const char *key, sarrus_object_bytes *out) {
    char name[SARRUS_OBJECT_NAME], trailer[TRAILER + 1];
    object_name(key, name);
    const int file = object_open(cache->folder, name, out);
    bool is_good = file >= 0 && out->n_bytes > TRAILER;
    if (is_good) {
        out->n_bytes -= TRAILER;
        trailer_make(key, out->bytes, out->n_bytes, trailer);
        is_good = memcmp(out->bytes + out->n_bytes, trailer, TRAILER) == 0;
    }
    if (is_good)
        (void)futimens(file, NULL); /* used just now */
    else
        sarrus_object_cache_remove(cache, key);
    if (file >= 0)
        (void)close(file);
    if (is_good)
        return true;
    free(out->bytes);
    *out = (sarrus_object_bytes){0};
    return false;
}

/* What another user has put there is left alone; storing an object replaces it. */
void sarrus_object_cache_remove(const sarrus_object_cache *cache, const char *key) {
    char name[SARRUS_OBJECT_NAME];
    struct stat is;
    object_name(key, name);
    if (fstatat(cache->folder, name, &is, AT_SYMLINK_NOFOLLOW) == 0 && is.st_uid == geteuid())
        (void)unlinkat(cache->folder, name, 0);
}

static bool bytes_write(int file, const unsigned char *from, size_t n_bytes) {
    while (n_bytes > 0) {
        const ssize_t n = write(file, from, n_bytes);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return false;
        from += n;
        n_bytes -= (size_t)n;
    }
    return true;
}

static int file_create(int folder, const char *name) {
    return openat(folder, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
}

bool sarrus_file_write(int folder, const char *name, const void *bytes, size_t n_bytes) {
    const int file = file_create(folder, name);
    if (file < 0)
        return false;
    const bool is_written = bytes_write(file, bytes, n_bytes);
    const int why = errno;
    const bool is_closed = close(file) == 0;
    if (!is_written)
        errno = why;
    return is_written && is_closed;
}

/* A name that no other process, and no earlier one, has used. */
static bool name_make(const char *prefix, char name[SARRUS_CACHE_NAME]) {
    uint64_t number;
    if (getrandom(&number, sizeof number, 0) != (ssize_t)sizeof number)
        return false;
    (void)snprintf(name, SARRUS_CACHE_NAME, "%s%016llx", prefix, (unsigned long long)number);
    return true;
}

bool sarrus_object_cache_store(const sarrus_object_cache *cache, const char *key, const sarrus_object_bytes *object,
                               sarrus_fallback_reason *reason) {
    char fresh[SARRUS_CACHE_NAME], name[SARRUS_OBJECT_NAME], trailer[TRAILER + 1];
    trailer_make(key, object->bytes, object->n_bytes, trailer);
    object_name(key, name);
    if (!name_make(SARRUS_FRESH_PREFIX, fresh))
        return sarrus_fallback_reason_set(reason, "not kept in the cache: %s", strerror(errno));
    const int file = file_create(cache->folder, fresh);
    if (file < 0)
        return sarrus_fallback_reason_set(reason, "not kept in the cache: %s", strerror(errno));
    bool good = bytes_write(file, object->bytes, object->n_bytes) && bytes_write(file, (unsigned char *)trailer, TRAILER) &&
                fsync(file) == 0;
    int why = errno;
    if (close(file) != 0 && good) {
        why = errno;
        good = false;
    }
    if (good && renameat(cache->folder, fresh, cache->folder, name) != 0) {
        why = errno;
        good = false;
    }
    if (!good) {
        (void)unlinkat(cache->folder, fresh, 0);
        return sarrus_fallback_reason_set(reason, "not kept in the cache: %s", strerror(why));
    }
    sarrus_cache_trim(cache->folder, cache->max_bytes, name);
    return true;
}

int sarrus_object_cache_folder_make(const sarrus_object_cache *cache, char name[SARRUS_CACHE_NAME],
                                    sarrus_fallback_reason *reason) {
    if (name_make(SARRUS_BUILD_PREFIX, name) && mkdirat(cache->folder, name, 0700) == 0) {
        const int folder = openat(cache->folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        if (folder >= 0)
            return folder;
    }
    (void)sarrus_fallback_reason_set(reason, "the cache folder cannot be written to: %s", strerror(errno));
    return -1;
}

void sarrus_object_cache_folder_remove(const sarrus_object_cache *cache, const char *name) {
    sarrus_cache_tree_remove(cache->folder, name);
}
