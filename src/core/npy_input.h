/* A stack of matrices in a .npy file, read in blocks. */
#ifndef SARRUS_CORE_NPY_INPUT_H
#define SARRUS_CORE_NPY_INPUT_H

#include <sys/types.h>

#include "core/npy.h"
#include "sarrus/context.h"

typedef struct sarrus_npy_input {
    const char *path;
    int descriptor;
    dev_t device; /* device and node say which file it is */
    ino_t node;
    sarrus_npy_header header; /* of two dimensions or more */
    uint64_t n_matrices;      /* product of all dimensions but the last two; 1 without any */
    uint64_t n_rows, n_columns;
    const unsigned char *map; /* the whole file in Fortran order, where a matrix is scattered over it; else NULL */
    unsigned char *piece;     /* raw bytes of numbers that are not doubles; NULL when they are */
} sarrus_npy_input;

/* Opens `path`; `out` is to be given to sarrus_npy_input_close in any case. Reports BAD_INPUT (no .npy file, another type or fewer
 * than two dimensions, no rows or no columns), IO (cannot be read, no regular file, another length than its head says), NO_MEMORY.
 */
SARRUS_MUST_USE sarrus_status sarrus_npy_input_open(sarrus_context *context, const char *path, sarrus_npy_input *out);

/* out [count][n_rows][n_columns] ← matrices `first` … `first` + `count` − 1, counted in C order of the leading dimensions. IO. */
SARRUS_MUST_USE sarrus_status sarrus_npy_input_read(sarrus_context *context, const sarrus_npy_input *input, uint64_t first,
                                                    uint64_t count, double *out);

void sarrus_npy_input_close(sarrus_npy_input *input);

#endif
