#include "sink/hdf5_error.h"

#include <stdio.h>
#include <string.h>

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
    bool is_of_system; /* what is there is the system's own text */
} message_text;

/* A message about a call of the system holds the time, the file, addresses and line ends; what a reader wants of it is the system's
 * own text. False when it is about something else. */
static bool take_system_text(message_text *text, const char *message) {
    static const char before[] = "error message = '";
    const char *from = strstr(message, before), *to = from != NULL ? strchr(from + sizeof before - 1, '\'') : NULL;
    if (to == NULL)
        return false;
    from += sizeof before - 1;
    snprintf(text->out, text->n_bytes, "%.*s", (int)(to - from), from);
    return true;
}

static herr_t take_innermost(unsigned n, const H5E_error2_t *error, void *user) {
    message_text *text = user;
    const char *message = error->desc != NULL ? error->desc : "unknown error";
    text->is_of_system = take_system_text(text, message);
    if (!text->is_of_system)
        snprintf(text->out, text->n_bytes, "%s (in %s)", message, error->func_name != NULL ? error->func_name : "HDF5");
    return n == 0 ? 1 : 0; /* a positive value ends the walk */
}

static bool message_take(char *out, size_t n_bytes) {
    message_text text = {.out = out, .n_bytes = n_bytes};
    out[0] = '\0';
    H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, take_innermost, &text);
    return text.is_of_system;
}

void sarrus_hdf5_message(char *out, size_t n_bytes) {
    if (n_bytes > 0)
        (void)message_take(out, n_bytes);
}

/* What HDF5 does at every failure of a call while somebody listens. */
static herr_t hear(hid_t stack, void *user) {
    sarrus_hdf5_listener *listener = user;
    (void)stack;
    if (!listener->is_of_system)
        listener->is_of_system = message_take(listener->message, sizeof listener->message);
    return 0;
}

void sarrus_hdf5_listen_begin(sarrus_hdf5_listener *listener) {
    *listener = (sarrus_hdf5_listener){0};
    listener->before = sarrus_hdf5_silence_begin();
    H5Eset_auto2(H5E_DEFAULT, hear, listener);
}

void sarrus_hdf5_listen_end(sarrus_hdf5_listener *listener) {
    sarrus_hdf5_silence_end(listener->before);
}
