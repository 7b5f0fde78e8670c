/* HDF5's error stack: not printed, but read. It belongs to the calling thread. */
#ifndef SARRUS_SINK_HDF5_ERROR_H
#define SARRUS_SINK_HDF5_ERROR_H

#include <stdbool.h>
#include <stddef.h>

#include <hdf5.h>

/* Starts HDF5 on this thread, for a program of one's own: without its handler at exit, which does not come through a failed
 * allocation; every file is closed before. False when it cannot be had. */
bool sarrus_hdf5_start(void);

/* What HDF5 would have done with its error stack. */
typedef struct sarrus_hdf5_silence {
    H5E_auto2_t function;
    void *data;
} sarrus_hdf5_silence;

/* Stops HDF5 from printing errors on this thread; the end call puts back what was. */
sarrus_hdf5_silence sarrus_hdf5_silence_begin(void);
void sarrus_hdf5_silence_end(sarrus_hdf5_silence silence);

/* The innermost message of the error stack, "" when there is none; of a call of the system what the system said. */
void sarrus_hdf5_message(char *out, size_t n_bytes);

/* Takes note of failures between the two calls, instead of printing them: what the system said first, or else HDF5 last. Objects
 * that are closed after a failure make HDF5 forget it. */
typedef struct sarrus_hdf5_listener {
    char message[512];
    bool is_of_system;
    sarrus_hdf5_silence before;
} sarrus_hdf5_listener;

void sarrus_hdf5_listen_begin(sarrus_hdf5_listener *listener);
void sarrus_hdf5_listen_end(sarrus_hdf5_listener *listener);

#endif
