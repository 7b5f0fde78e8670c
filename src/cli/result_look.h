/* A first look at result files that a command is going to read: where one is damaged the HDF5 library may crash, never end, or
 * want all memory, in a process that then cannot be stopped in time. */
#ifndef SARRUS_CLI_RESULT_LOOK_H
#define SARRUS_CLI_RESULT_LOOK_H

/* Reads everything that the file says of itself in a process of its own (cli/confined.h). An exit code; what is wrong is
 * printed. */
int sarrus_result_look(const char *path);

/* The same of a file that may be missing, or anything: only one that cannot be read to an end is told of. */
int sarrus_result_look_past(const char *path);

/* The same of all that an earlier run may have left under the name of its result. */
int sarrus_result_look_left(const char *output);

#endif
