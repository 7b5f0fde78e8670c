/* What the program's exit code says. */
#ifndef SARRUS_EDGE_EXIT_CODE_H
#define SARRUS_EDGE_EXIT_CODE_H

#include "sarrus/status.h"

enum {
    SARRUS_EXIT_DONE = 0,
    SARRUS_EXIT_SOME_FAILED = 1, /* done, but some instances failed */
    SARRUS_EXIT_BAD_INPUT = 2,   /* bad usage or bad scenario */
    SARRUS_EXIT_IO = 3,          /* a file could not be read or written; also out of memory */
    SARRUS_EXIT_NO_BACKEND = 4,
    SARRUS_EXIT_SIGNAL = 128, /* plus the signal's number */
};

/* The exit code that a call's status leads to. */
int sarrus_exit_code(sarrus_status status);

#endif
