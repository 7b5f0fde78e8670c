/* Texts of files that others may have made, for a terminal. */
#ifndef SARRUS_CLI_PLAIN_TEXT_H
#define SARRUS_CLI_PLAIN_TEXT_H

#include <stddef.h>

enum { SARRUS_PLAIN_TEXT_BYTES = 512 };

/* `text` with '?' in the place of control characters, which a terminal would obey; cut where it is longer than `out`. Returns
 * `out`. */
const char *sarrus_plain_text(const char *text, char out[SARRUS_PLAIN_TEXT_BYTES]);

#endif
