/* A .npy file that takes its name when it is complete. */
#ifndef SARRUS_CLI_NPY_OUTPUT_H
#define SARRUS_CLI_NPY_OUTPUT_H

#include <sys/types.h>

#include "core/npy_input.h"

typedef struct sarrus_npy_output {
    const char *path; /* as it was given */
    char *target;     /* links followed; owned */
    char *fresh;      /* the file until it is complete, .NAME.new.XXXXXX beside it; owned; NULL: there is none */
    int descriptor;
    uint64_t n_bytes;                  /* written so far */
    const sarrus_npy_input *inputs[2]; /* what it must not replace; NULL: nothing */
} sarrus_npy_output;

/* Makes the file and writes its head: doubles in C order. `out` is to be given to sarrus_npy_output_close in any case; the inputs
 * outlive it. Reports BAD_ARGUMENT (the name is that of an input, or of a file that is no .npy file), IO, NO_MEMORY. */
SARRUS_MUST_USE sarrus_status sarrus_npy_output_create(sarrus_context *context, const char *path,
                                                       const sarrus_npy_input *const inputs[2], int n_dims, const uint64_t *dims,
                                                       sarrus_npy_output *out);

/* Appends numbers [count]. IO. */
SARRUS_MUST_USE sarrus_status sarrus_npy_output_write(sarrus_context *context, sarrus_npy_output *output, const double *numbers,
                                                      uint64_t count);

/* Puts the complete file onto the disk and under its name. IO, and what sarrus_npy_output_create says of the name. */
SARRUS_MUST_USE sarrus_status sarrus_npy_output_publish(sarrus_context *context, sarrus_npy_output *output);

/* Removes a file that was not published. */
void sarrus_npy_output_close(sarrus_npy_output *output);

#endif
