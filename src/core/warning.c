/* Words and titles of the kinds of warnings, expanded from warnings.def. */
#include "sarrus/warning.h"

/* How many rows the table has, counted from the table itself. */
enum {
#define SARRUS_WARNING_KIND(name, value, word, matters, title, values) i_row_of_##name,
#include "sarrus/warnings.def"
    n_rows
};

_Static_assert((int)n_rows == SARRUS_N_WARNING_KINDS, "SARRUS_N_WARNING_KINDS must count the rows of warnings.def");

const char *sarrus_warning_kind_word(sarrus_warning_kind kind) {
    switch (kind) {
#define SARRUS_WARNING_KIND(name, value, word, matters, title, values)                                                             \
    case SARRUS_WARNING_##name:                                                                                                    \
        return word;
#include "sarrus/warnings.def"
    }
    return "unknown";
}

const char *sarrus_warning_kind_title(sarrus_warning_kind kind) {
    switch (kind) {
#define SARRUS_WARNING_KIND(name, value, word, matters, title, values)                                                             \
    case SARRUS_WARNING_##name:                                                                                                    \
        return title;
#include "sarrus/warnings.def"
    }
    return "unknown";
}
