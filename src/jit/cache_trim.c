#include "jit/cache_trim.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* s. A compilation is stopped after two minutes (specialize.c); clocks of file servers may be off by more. */
static const time_t stale_age = 3600;

typedef struct kept_object {
    char name[SARRUS_OBJECT_NAME];
    struct timespec used;
    uint64_t n_bytes;
} kept_object;

typedef struct kept_list {
    kept_object *items;
    size_t n_items, n_room;
    uint64_t n_bytes; /* of all */
} kept_list;

static DIR *folder_list(int parent, const char *name) {
    const int folder = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    DIR *listing = folder >= 0 ? fdopendir(folder) : NULL;
    if (folder >= 0 && listing == NULL)
        (void)close(folder);
    return listing;
}

/* Deeper than the sources lie; a compiler makes no folders. */
enum { DEEPEST = 8 };

static void tree_remove(int parent, const char *name, int depth) {
    DIR *listing = folder_list(parent, name);
    if (listing == NULL)
        return;
    for (const struct dirent *entry = readdir(listing); entry != NULL; entry = readdir(listing)) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        if (unlinkat(dirfd(listing), entry->d_name, 0) != 0 && depth < DEEPEST)
            tree_remove(dirfd(listing), entry->d_name, depth + 1);
    }
    (void)closedir(listing);
    (void)unlinkat(parent, name, AT_REMOVEDIR);
}

void sarrus_cache_tree_remove(int parent, const char *name) {
    tree_remove(parent, name, 0);
}

static bool is_object_name(const char *name) {
    return strlen(name) == SARRUS_OBJECT_NAME - 1 && strspn(name, "0123456789abcdef") == 64 && strcmp(name + 64, ".so") == 0;
}

static bool is_stale(const char *name, const struct stat *is) {
    const bool is_of_compilation = strncmp(name, SARRUS_FRESH_PREFIX, strlen(SARRUS_FRESH_PREFIX)) == 0 ||
                                   strncmp(name, SARRUS_BUILD_PREFIX, strlen(SARRUS_BUILD_PREFIX)) == 0;
    return is_of_compilation && is->st_uid == geteuid() && time(NULL) - is->st_mtime > stale_age;
}

/* Objects for which there is no memory are not counted: they stay until another trim. */
static void kept_add(kept_list *list, const char *name, const struct stat *is) {
    if (list->n_items == list->n_room) {
        const size_t n_room = 2 * list->n_room + 64;
        kept_object *items = realloc(list->items, n_room * sizeof *items);
        if (items == NULL)
            return;
        list->items = items;
        list->n_room = n_room;
    }
    kept_object *item = &list->items[list->n_items++];
    memcpy(item->name, name, sizeof item->name);
    item->used = is->st_mtim;
    item->n_bytes = (uint64_t)is->st_size;
    list->n_bytes += item->n_bytes;
}

static int by_use(const void *a, const void *b) {
    const struct timespec *x = &((const kept_object *)a)->used, *y = &((const kept_object *)b)->used;
    if (x->tv_sec != y->tv_sec)
        return x->tv_sec < y->tv_sec ? -1 : 1;
    return (x->tv_nsec > y->tv_nsec) - (x->tv_nsec < y->tv_nsec);
}

void sarrus_cache_trim(int folder, uint64_t max_bytes, const char *keep) {
    kept_list list = {0};
    DIR *listing = folder_list(folder, ".");
    if (listing == NULL)
        return;
    for (const struct dirent *entry = readdir(listing); entry != NULL; entry = readdir(listing)) {
        struct stat is;
        if (fstatat(folder, entry->d_name, &is, AT_SYMLINK_NOFOLLOW) != 0)
            continue;
        if (S_ISREG(is.st_mode) && is_object_name(entry->d_name))
            kept_add(&list, entry->d_name, &is);
        else if (is_stale(entry->d_name, &is) && S_ISDIR(is.st_mode))
            sarrus_cache_tree_remove(folder, entry->d_name);
        else if (is_stale(entry->d_name, &is))
            (void)unlinkat(folder, entry->d_name, 0);
    }
    (void)closedir(listing);
    if (list.n_items > 0)
        qsort(list.items, list.n_items, sizeof *list.items, by_use);
    for (size_t i = 0; i < list.n_items && list.n_bytes > max_bytes; ++i) {
        if (strcmp(list.items[i].name, keep) == 0 || unlinkat(folder, list.items[i].name, 0) != 0)
            continue;
        list.n_bytes -= list.items[i].n_bytes;
    }
    free(list.items);
}
