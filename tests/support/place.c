#include "tests/support/place.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

enum { N_TEXTS = 8, MAX_TEXT = 4096 };

const char *place_of_source(const char *leaf) {
    static char texts[N_TEXTS][MAX_TEXT];
    static unsigned next;
    char *text = texts[next++ % N_TEXTS];
    const char *root = getenv("SARRUS_SOURCE_DIR");
    const int n = snprintf(text, MAX_TEXT, "%s%s", root != NULL ? root : SARRUS_SOURCE_DIR, leaf);
    assert(n > 0 && n < MAX_TEXT);
    (void)n;
    return text;
}

const char *place_of_program(void) {
    const char *program = getenv("SARRUS_PROGRAM");
    return program != NULL ? program : SARRUS_PROGRAM;
}
