/* Numbers for people. */
#ifndef SARRUS_CLI_SIZE_TEXT_H
#define SARRUS_CLI_SIZE_TEXT_H

#include <stddef.h>
#include <stdint.h>

/* "812 B", "12.3 kB", "1.05 GB" (powers of 1000). */
void sarrus_size_text(uint64_t n_bytes, char *text, size_t n_text);

/* "10,000,000". */
void sarrus_count_text(uint64_t count, char *text, size_t n_text);

#endif
