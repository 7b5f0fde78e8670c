/* A folder that a program of tests is in from its beginning to its end, and the files that it writes there. */
#ifndef TESTS_SUPPORT_FOLDER_H
#define TESTS_SUPPORT_FOLDER_H

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* A fresh folder that becomes the present one; the group's teardown leaves and removes it. */
static inline int folder_enter(void **state) {
    static char folder[] = "/tmp/sarrus_test_XXXXXX";
    *state = folder;
    return mkdtemp(folder) != NULL && chdir(folder) == 0 ? 0 : -1;
}

static inline int folder_leave(void **state) {
    char command[80];
    snprintf(command, sizeof command, "rm -rf '%s'", (const char *)*state);
    return chdir("/") == 0 && system(command) == 0 ? 0 : -1;
}

static inline void file_write(const char *path, const char *text) {
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

#endif
