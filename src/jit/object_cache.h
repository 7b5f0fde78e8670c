/* A folder of compiled objects that nobody else can write to. Every object stands in a file of its own, named after its key and
 * ended by a line that repeats the key, the length and the SHA-256 of the object: what is read is complete and unaltered, or it is
 * not used. Any number of processes may work on one folder: files appear under their name at once and whole. */
#ifndef SARRUS_JIT_OBJECT_CACHE_H
#define SARRUS_JIT_OBJECT_CACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/fallback_reason.h"

typedef struct sarrus_object_cache {
    int folder;         /* descriptor; −1: not open */
    uint64_t max_bytes; /* of all objects together */
} sarrus_object_cache;

/* An object in memory; to be freed with free(bytes). */
typedef struct sarrus_object_bytes {
    unsigned char *bytes; /* [n_bytes] */
    size_t n_bytes;
} sarrus_object_bytes;

enum { SARRUS_CACHE_NAME = 40 };

/* Opens the folder `path` and creates it (0700, with what lies above it) where it is missing. Refused, with a reason: a symbolic
 * link, a folder that is not ours, one that others may write to. */
bool sarrus_object_cache_open(sarrus_object_cache *cache, const char *path, uint64_t max_bytes, sarrus_fallback_reason *reason);
void sarrus_object_cache_close(sarrus_object_cache *cache);

/* The object with this key (64 hexadecimal digits), checked; false when there is none that can be trusted. A file of ours that is
 * not what it should be is removed. */
bool sarrus_object_cache_find(const sarrus_object_cache *cache, const char *key, sarrus_object_bytes *out);

/* Stores an object, then removes the objects that were used longest ago until the rest fits, and what killed processes have left.
 */
bool sarrus_object_cache_store(const sarrus_object_cache *cache, const char *key, const sarrus_object_bytes *object,
                               sarrus_fallback_reason *reason);
void sarrus_object_cache_remove(const sarrus_object_cache *cache, const char *key);

/* Makes a private folder (0700) in the cache, for a compiler to work in: its name and descriptor (−1: failed, with a reason). */
int sarrus_object_cache_folder_make(const sarrus_object_cache *cache, char name[SARRUS_CACHE_NAME], sarrus_fallback_reason *reason);
void sarrus_object_cache_folder_remove(const sarrus_object_cache *cache, const char *name);

/* A file in an open folder, whole. False when it is not a regular file of ours that only we may write to, or is longer than objects
 * are. */
bool sarrus_object_read(int folder, const char *name, sarrus_object_bytes *out);

/* Writes a new file, which must not exist. False with errno set. */
bool sarrus_file_write(int folder, const char *name, const void *bytes, size_t n_bytes);

#endif
