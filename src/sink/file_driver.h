/* An HDF5 file driver for a file that may die at any moment. It differs from HDF5's own `sec2` driver in three ways:
 *
 * - Metadata is held back until a flush and then written in an order in which the file is readable after every single write:
 *   new blocks first, then the superblock, then changed B-tree nodes from the root down, then everything that points to them.
 *   A process killed in the midst of a commit leaves the state before it or after it, never a mixture that cannot be read.
 * - A failed write is remembered and everything after it is dropped, while HDF5 is told that all is well. The library can so be
 *   closed cleanly on a full disk, which it cannot with a driver that reports the error, and the file stays as last committed.
 * - It writes to a descriptor that is open already, whatever name the file has by then, and counts it as a failed write when
 * somebody else has made the file shorter: writing on would leave a hole that reads as zeros.
 *
 * The file format is the ordinary one. All functions on the thread that owns HDF5, except where said. */
#ifndef SARRUS_SINK_FILE_DRIVER_H
#define SARRUS_SINK_FILE_DRIVER_H

#include <stdbool.h>
#include <stdint.h>

#include <hdf5.h>

/* State of one file; outlives the HDF5 file. Zero-initialize, but for the descriptor. */
typedef struct sarrus_file_state {
    int descriptor;    /* of the file, open for reading and writing; the owner's, who closes it */
    int write_error;   /* errno of the first write that failed; 0: none */
    uint64_t n_bytes;  /* size of the file so far */
    bool is_abandoned; /* set by the owner: from now on nothing reaches the file, as after a write that failed */
    bool is_cut;       /* the file was shorter than what had been written; a write_error too */
} sarrus_file_state;

/* Registers the driver and puts it into the file access property list `fapl`, with `state` (kept by reference).
 * Returns the driver's id, to be given to H5FDunregister after the file was closed; negative on failure. */
hid_t sarrus_file_driver_set(hid_t fapl, sarrus_file_state *state);

#endif
