#include "sink/hdf5_error.h"

#include <stdio.h>

bool sarrus_hdf5_start(void) {
    (void)H5dont_atexit();
    return H5open() >= 0;
}

sarrus_hdf5_silence sarrus_hdf5_silence_begin(void) {
    sarrus_hdf5_silence silence = {0};
    H5Eget_auto2(H5E_DEFAULT, &silence.function, &silence.data);
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    return silence;
}

void sarrus_hdf5_silence_end(sarrus_hdf5_silence silence) {
    H5Eset_auto2(H5E_DEFAULT, silence.function, silence.data);
}

typedef struct message_text {
    char *out;
    size_t n_bytes;
} message_text;

static herr_t take_innermost(unsigned n, const H5E_error2_t *error, void *user) {
    const message_text *text = user;
    snprintf(text->out, text->n_bytes, "%s (in %s)", error->desc != NULL ? error->desc : "unknown error",
             error->func_name != NULL ? error->func_name : "HDF5");
    return n == 0 ? 1 : 0; /* a positive value ends the walk */
}

void sarrus_hdf5_message(char *out, size_t n_bytes) {
    message_text text = {.out = out, .n_bytes = n_bytes};
    if (n_bytes > 0) {
        out[0] = '\0';
        H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, take_innermost, &text);
    }
}
