/* Texts of the status codes, expanded from status.def so that no code can be without one. */
#include "sarrus/status.h"

/* How many rows the instance table has, counted from the table itself. */
enum {
#define SARRUS_INSTANCE_STATUS(name, value, word, text) i_row_of_##name,
#include "sarrus/status.def"
    n_instance_rows
};

_Static_assert(n_instance_rows == SARRUS_N_INSTANCE_STATUS, "SARRUS_N_INSTANCE_STATUS must count the rows of status.def");

/* Result files store the value as an index into flag_meanings, so values must be 0 … n − 1 in the order of the table. */
#define SARRUS_INSTANCE_STATUS(name, value, word, text)                                                                            \
    _Static_assert((int)i_row_of_##name == (value), "instance status values must count up from 0");
#include "sarrus/status.def"

const char *sarrus_status_text(sarrus_status status) {
    switch (status) {
#define SARRUS_STATUS(name, value, text)                                                                                           \
    case SARRUS_##name:                                                                                                            \
        return text;
#include "sarrus/status.def"
    }
    return "unknown status code";
}

const char *sarrus_instance_status_word(sarrus_instance_status status) {
    switch (status) {
#define SARRUS_INSTANCE_STATUS(name, value, word, text)                                                                            \
    case SARRUS_INSTANCE_##name:                                                                                                   \
        return word;
#include "sarrus/status.def"
    }
    return "unknown";
}

const char *sarrus_instance_status_text(sarrus_instance_status status) {
    switch (status) {
#define SARRUS_INSTANCE_STATUS(name, value, word, text)                                                                            \
    case SARRUS_INSTANCE_##name:                                                                                                   \
        return text;
#include "sarrus/status.def"
    }
    return "unknown instance status";
}
