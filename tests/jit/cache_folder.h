/* A folder for one test, and looks into it. */
#ifndef SARRUS_TESTS_JIT_CACHE_FOLDER_H
#define SARRUS_TESTS_JIT_CACHE_FOLDER_H

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A fresh folder, left and removed by folder_remove. */
static inline int folder_make(void **state) {
    char name[] = "/tmp/sarrus_cache_XXXXXX";
    *state = mkdtemp(name) != NULL ? strdup(name) : NULL;
    return *state != NULL && chmod(*state, 0755) == 0 ? 0 : -1;
}

static inline int folder_remove(void **state) {
    char command[PATH_MAX];
    snprintf(command, sizeof command, "rm -rf '%s'", (const char *)*state);
    free(*state);
    return system(command) == 0 ? 0 : -1;
}

/* folder/name. The result is overwritten by the fourth call after this one. */
static inline const char *path_in(const char *folder, const char *name) {
    static char paths[4][PATH_MAX];
    static int i = 0;
    i = (i + 1) % 4;
    snprintf(paths[i], sizeof paths[i], "%s/%s", folder, name);
    return paths[i];
}

static inline void text_write(const char *path, const char *text, mode_t mode) {
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
    assert_int_equal(chmod(path, mode), 0);
}

/* Entries whose names begin with `prefix`; −1 when the folder cannot be read. */
static inline int entries_count(const char *folder, const char *prefix) {
    DIR *listing = opendir(folder);
    int n = 0;
    if (listing == NULL)
        return -1;
    for (const struct dirent *entry = readdir(listing); entry != NULL; entry = readdir(listing))
        n += entry->d_name[0] != '.' && strncmp(entry->d_name, prefix, strlen(prefix)) == 0;
    closedir(listing);
    return n;
}

static inline bool path_exists(const char *path) {
    struct stat is;
    return lstat(path, &is) == 0;
}

#endif
