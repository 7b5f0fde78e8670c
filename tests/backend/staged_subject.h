/* What tests of the staged path run, by LAPACK on the CPU and by cuSOLVER on a device. */
#ifndef TESTS_BACKEND_STAGED_SUBJECT_H
#define TESTS_BACKEND_STAGED_SUBJECT_H

#include "tests/support/mechanism.h"

/* A scenario with a method and up to five more settings: path, value, …, NULL. */
typedef struct subject {
    const char *file;
    const char *settings[11];
} subject;

static inline mechanism open_with(const subject *s, const char *pinv) {
    sarrus_override overrides[8] = {{"dynamics.pinv", pinv}};
    for (int i = 0; s->settings[2 * i]; ++i)
        overrides[i + 1] = (sarrus_override){s->settings[2 * i], s->settings[2 * i + 1]};
    return mechanism_open_file(s->file, overrides);
}

#endif
