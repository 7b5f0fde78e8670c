/* Reading a file that may be damaged so that the library that reads it crashes, or never ends, or wants all memory. */
#ifndef SARRUS_CLI_CONFINED_H
#define SARRUS_CLI_CONFINED_H

/* Prints to stdout and stderr, returns an exit code. */
typedef int (*sarrus_confined_work)(const void *user);

/* Does the work in a process of its own with limits of time and memory. What it printed to stdout is passed on when it ended well,
 * so that nobody takes half of it for the whole; after a crash a message tells about the file `path`. Returns the work's exit code,
 * or the one of an I/O failure. To be called while the program has one thread. */
int sarrus_confined_run(sarrus_confined_work work, const void *user, const char *path);

#endif
