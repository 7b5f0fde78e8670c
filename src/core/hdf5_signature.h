/* By what an HDF5 file is known before the library opens it. */
#ifndef SARRUS_CORE_HDF5_SIGNATURE_H
#define SARRUS_CORE_HDF5_SIGNATURE_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

enum { SARRUS_HDF5_SIGNATURE_BYTES = 8 };

/* Whether the first n_bytes of a file are those of an HDF5 file; fewer than its signature has are not. */
static inline bool sarrus_is_hdf5(const void *head, size_t n_bytes) {
    return n_bytes >= SARRUS_HDF5_SIGNATURE_BYTES && memcmp(head, "\x89HDF\r\n\x1a\n", SARRUS_HDF5_SIGNATURE_BYTES) == 0;
}

#endif
