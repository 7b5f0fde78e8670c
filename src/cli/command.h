/* The program's commands and what they share: exit codes and the table that main dispatches on. */
#ifndef SARRUS_CLI_COMMAND_H
#define SARRUS_CLI_COMMAND_H

#include "sarrus/status.h"

enum {
    SARRUS_EXIT_DONE = 0,
    SARRUS_EXIT_SOME_FAILED = 1, /* done, but some instances failed */
    SARRUS_EXIT_BAD_INPUT = 2,   /* bad usage or bad scenario */
    SARRUS_EXIT_IO = 3,          /* a file could not be read or written; also out of memory */
    SARRUS_EXIT_NO_BACKEND = 4,
    SARRUS_EXIT_SIGNAL = 128, /* plus the signal's number */
};

/* A command: argv[0] is its name; returns an exit code. */
typedef struct sarrus_command {
    const char *name;
    const char *arguments; /* for the usage line */
    const char *summary;
    int (*run)(int argc, char **argv);
} sarrus_command;

int sarrus_command_run(int argc, char **argv);
int sarrus_command_check(int argc, char **argv);
int sarrus_command_compare(int argc, char **argv);
int sarrus_command_bench(int argc, char **argv);
int sarrus_command_list(int argc, char **argv);
int sarrus_command_info(int argc, char **argv);

/* The exit code that a call's status leads to. */
int sarrus_exit_code(sarrus_status status);

#endif
