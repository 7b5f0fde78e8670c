/* The .npy format of NumPy, versions 1.0, 2.0 and 3.0: what the head of a file says, and its numbers as doubles. */
#ifndef SARRUS_CORE_NPY_H
#define SARRUS_CORE_NPY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sarrus/status.h"

enum {
    SARRUS_NPY_MOST_DIMS = 64,
    SARRUS_NPY_HEAD_BYTES = 65536 + 12, /* no longer head is read */
    SARRUS_NPY_MADE_BYTES = 2048,       /* no longer head is made */
    SARRUS_NPY_MESSAGE_BYTES = 320,
    SARRUS_NPY_MAGIC_BYTES = 6,
};

typedef struct sarrus_npy_header {
    char kind;  /* 'f' floating point, 'i' signed, 'u' unsigned, 'b' truth values */
    int n_item; /* bytes of a number: f 4, 8; i, u 1, 2, 4, 8; b 1 */
    bool is_big_endian;
    bool is_fortran; /* the first index runs fastest */
    int n_dims;
    uint64_t dims[SARRUS_NPY_MOST_DIMS]; /* [n_dims] */
    uint64_t n_items;                    /* their product, 1 without any */
    uint64_t n_head;                     /* bytes before the first number */
    uint64_t n_file;                     /* bytes of the whole file */
} sarrus_npy_header;

/* Whether bytes [n_bytes] begin as a .npy file does. */
bool sarrus_npy_is(const unsigned char *bytes, size_t n_bytes);

/* Reads the head from the first n_bytes of a file: all of it, or SARRUS_NPY_HEAD_BYTES at least. BAD_INPUT (no .npy file, or one
 * whose type or shape is not read), IO (it ends within its head); the reason is in message [SARRUS_NPY_MESSAGE_BYTES]. */
SARRUS_MUST_USE sarrus_status sarrus_npy_header_read(const unsigned char *bytes, size_t n_bytes, sarrus_npy_header *out,
                                                     char *message);

/* The head, version 1.0, of doubles as this machine has them, in C order: into bytes [SARRUS_NPY_MADE_BYTES]; its length. n_dims is
 * at most SARRUS_NPY_MOST_DIMS. */
size_t sarrus_npy_header_make(int n_dims, const uint64_t *dims, unsigned char *bytes);

/* Whether the numbers are doubles as this machine has them. */
bool sarrus_npy_is_native(const sarrus_npy_header *header);

/* out [count] ← the numbers at bytes, n_stride bytes from one to the next. Whole numbers above 2^53 are rounded. */
void sarrus_npy_decode(const sarrus_npy_header *header, const unsigned char *bytes, size_t n_stride, size_t count, double *out);

#endif
