/* Starting the built program and keeping what it says. */
#ifndef SARRUS_TESTS_CLI_PROGRAM_H
#define SARRUS_TESTS_CLI_PROGRAM_H

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tests/support/folder.h"
#include "tests/support/place.h"

extern char **environ;

enum { MAX_SAID = 1 << 16, MAX_ARGUMENTS = 24 };

typedef struct said {
    int code; /* exit code; 128 + number after a signal that was not caught */
    char out[MAX_SAID];
    char err[MAX_SAID];
} said;

static inline void text_read(const char *path, char *text) {
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    const size_t n = fread(text, 1, MAX_SAID - 1, file);
    text[n] = '\0';
    fclose(file);
}

/* Starts the program with the arguments (ended by NULL); stdout and stderr go to the files `out` and `err`. */
static inline pid_t program_start(const char *const *arguments, const char *out, const char *err) {
    char *argv[MAX_ARGUMENTS + 2] = {strdup(place_of_program())};
    int n = 1;
    for (; n <= MAX_ARGUMENTS && arguments[n - 1] != NULL; ++n)
        argv[n] = strdup(arguments[n - 1]);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, out, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, err, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    pid_t child = -1;
    assert_int_equal(posix_spawn(&child, argv[0], &actions, NULL, argv, environ), 0);
    posix_spawn_file_actions_destroy(&actions);
    for (int i = 0; i < n; ++i)
        free(argv[i]);
    return child;
}

static inline int program_wait(pid_t child) {
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/* Runs the program to its end in the present folder. */
static inline said *program_run(const char *const *arguments) {
    static said s;
    s.code = program_wait(program_start(arguments, "stdout.txt", "stderr.txt"));
    text_read("stdout.txt", s.out);
    text_read("stderr.txt", s.err);
    return &s;
}

#define RUN(...) program_run((const char *const[]){__VA_ARGS__, NULL})

static inline bool file_exists(const char *path) {
    return access(path, F_OK) == 0;
}

#endif
