/* Keeping the folder of objects small: what is too much, and what killed processes have left. */
#ifndef SARRUS_JIT_CACHE_TRIM_H
#define SARRUS_JIT_CACHE_TRIM_H

#include <stdint.h>

/* How the files and folders of one compilation begin; the rest of their names is random. */
#define SARRUS_FRESH_PREFIX "new-"
#define SARRUS_BUILD_PREFIX "build-"

enum { SARRUS_OBJECT_NAME = 64 + 3 + 1 }; /* "<key>.so" and the end */

/* Removes the objects used longest ago until the others take at most max_bytes; `keep` (a file's name) stays whatever it takes.
 * Files and folders of compilations go when they are older than any compilation lasts. Files of other names are left alone. */
void sarrus_cache_trim(int folder, uint64_t max_bytes, const char *keep);

/* Removes a folder and all in it; links are not followed. */
void sarrus_cache_tree_remove(int parent, const char *name);

#endif
