/* A result that is written as a whole on the caller's thread: under a hidden name, which becomes its own once it is all there. */
#ifndef SARRUS_SINK_PLACED_FILE_H
#define SARRUS_SINK_PLACED_FILE_H

#include <hdf5.h>

#include "sarrus/context.h"

/* Writes the file, which is open. When it fails it reports why, or leaves that to its caller: *status stays OK then, and HDF5
 * refused or memory is out. */
typedef bool sarrus_placed_write(void *user, hid_t file, sarrus_status *status);

/* Where it goes, and what it begins as. */
typedef struct sarrus_placed_file {
    const char *path;
    const char *copy_of; /* it begins as a copy of this file; NULL: empty */
    int no_clobber;
    sarrus_placed_write *write;
    void *user;
} sarrus_placed_file;

/* Errors of sarrus_result_path_check and of `write`; IO. What stood under the name stays until the file has it. */
SARRUS_MUST_USE sarrus_status sarrus_placed_file_make(const sarrus_placed_file *placed, sarrus_context *context);

#endif
