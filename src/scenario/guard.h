/* What is refused before the YAML parser sees a byte. */
#ifndef SARRUS_SCENARIO_GUARD_H
#define SARRUS_SCENARIO_GUARD_H

#include <stdbool.h>
#include <stddef.h>

#include "scenario/findings.h"

enum {
    SARRUS_SCENARIO_MAX_BYTES = 4 * 1024 * 1024,
    SARRUS_SCENARIO_MAX_DEPTH = 32,        /* lists and mappings inside one another */
    SARRUS_SCENARIO_MAX_ENTRIES = 1000000, /* scalars, lists and mappings in one file */
};

/* Checks text[n_bytes]: size, UTF-8, control characters, carriage returns, tabs, byte order marks, Unicode's own line ends,
 * lines that begin with '%', runs of four single quotes (libfyaml loses memory on them), heaps of open brackets. Adds at most a few
 * findings about source `i_source`; true when there are none. In `text`, every byte that is refused is replaced by '?', so that the
 * text can be shown on a terminal. */
bool sarrus_guard_check(sarrus_findings *findings, int i_source, char *text, size_t n_bytes);

/* Whether a character may not stand in a text as it is: an escape says it. */
bool sarrus_guard_refuses(long character);

/* The character at text[0 … n_bytes − 1] and its length in *n_used; −1 (and length 1) where it is not UTF-8. */
long sarrus_guard_character(const char *text, size_t n_bytes, size_t *n_used);

#endif
