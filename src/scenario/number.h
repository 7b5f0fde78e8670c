/* Numbers as YAML 1.2's core schema writes them. */
#ifndef SARRUS_SCENARIO_NUMBER_H
#define SARRUS_SCENARIO_NUMBER_H

#include <locale.h>
#include <stdint.h>

typedef enum sarrus_number_form {
    SARRUS_NUMBER_NONE = 0,     /* text */
    SARRUS_NUMBER_FINITE = 1,   /* integer or decimal number */
    SARRUS_NUMBER_INFINITE = 2, /* .inf, .nan, or a decimal number beyond the range of double */
} sarrus_number_form;

/* What `text` is; *out is set when FINITE. `c_locale` is a locale whose decimal sign is the dot. */
sarrus_number_form sarrus_number_parse(const char *text, locale_t c_locale, double *out);

/* An unsigned integer in [0, 2^64); decimal digits, or a number like 1e4 that is whole and at most 2^53. 0 when it is none. */
int sarrus_count_parse(const char *text, locale_t c_locale, uint64_t *out);

#endif
