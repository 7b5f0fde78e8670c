/* Reading the command line: strict numbers, unknown options with the closest known one. */
#ifndef SARRUS_EDGE_OPTIONS_H
#define SARRUS_EDGE_OPTIONS_H

#include <getopt.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sarrus/batch.h"
#include "sarrus/scenario.h"

/* Decimal digits only (no sign, no space, nothing after) up to `max`; false otherwise. */
bool sarrus_option_number(const char *text, uint64_t max, uint64_t *out);

/* optarg as such a number from `min` to `max`, the value of --NAME; false, with a message, when it is none. */
bool sarrus_option_count(const char *command, const char *name, uint64_t min, uint64_t max, uint64_t *out);

/* optarg as a positive finite decimal number, the value of --NAME; false, with a message, when it is none. */
bool sarrus_option_positive(const char *command, const char *name, double *out);

/* auto, cpu or cuda; false, with a message, when it is none of them. */
bool sarrus_option_backend(const char *command, const char *text, sarrus_backend *out);

/* The candidate that is closest to `word` in spelling, NULL when none is close enough to be meant. */
const char *sarrus_option_closest(const char *word, const char *const *candidates, int n_candidates);

/* Prints "sarrus COMMAND: error: …" and a hint at --help to stderr; returns the exit code for bad usage. */
SARRUS_PRINTF(2, 3) int sarrus_option_refuse(const char *command, const char *format, ...);

/* The next option of argv as getopt_long gives it, −1 after the last. An unknown, ambiguous or incomplete option is
 * refused with a message and gives '?'. Options and files may be mixed. `table` ends with a zero entry. */
int sarrus_option_next(int argc, char **argv, const char *shorts, const struct option *table);

/* The --set PATH=VALUE of one command line. Zero-initialize. */
typedef struct sarrus_settings {
    sarrus_override *overrides; /* [n_overrides], the strings belong to argv */
    char **paths;               /* [n_overrides] owned */
    const char **texts;         /* [n_overrides] PATH=VALUE as it was given */
    size_t n_overrides;
} sarrus_settings;

/* Adds "PATH=VALUE"; false (with a message) when it is not of that form or memory is out. */
bool sarrus_settings_add(sarrus_settings *settings, const char *command, const char *text);

/* Takes the last one back; there must be one. */
void sarrus_settings_take_back(sarrus_settings *settings);
void sarrus_settings_free(sarrus_settings *settings);

#endif
