#include "scenario/number.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static size_t digits(const char *text) {
    return strspn(text, "0123456789");
}

static bool is_one_of(const char *text, const char *const *words, size_t n_words) {
    for (size_t i = 0; i < n_words; ++i) {
        if (strcmp(text, words[i]) == 0) {
            return true;
        }
    }
    return false;
}

static bool is_infinite_or_nan(const char *text) {
    static const char *const infinities[] = {".inf", ".Inf", ".INF"};
    static const char *const nans[] = {".nan", ".NaN", ".NAN"};
    if (is_one_of(text, nans, 3)) {
        return true;
    }
    return is_one_of(text + (*text == '-' || *text == '+'), infinities, 3);
}

/* [-+]? ( \. [0-9]+ | [0-9]+ ( \. [0-9]* )? ) ( [eE] [-+]? [0-9]+ )? */
static bool is_decimal(const char *text) {
    text += *text == '-' || *text == '+';
    const size_t n_whole = digits(text);
    text += n_whole;
    size_t n_fraction = 0;
    if (*text == '.') {
        n_fraction = digits(text + 1);
        text += 1 + n_fraction;
    }
    if (n_whole + n_fraction == 0) {
        return false;
    }
    if (*text == 'e' || *text == 'E') {
        ++text;
        text += *text == '-' || *text == '+';
        const size_t n_exponent = digits(text);
        text += n_exponent;
        if (n_exponent == 0) {
            return false;
        }
    }
    return *text == '\0';
}

/* 0o17 and 0x1f; at most 63 bits, of hexadecimal ones 60. */
static bool based_integer(const char *text, double *out) {
    const bool is_octal = strncmp(text, "0o", 2) == 0;
    const bool is_hexadecimal = strncmp(text, "0x", 2) == 0;
    const char *set = is_octal ? "01234567" : "0123456789abcdefABCDEF";
    const size_t n_digits = is_octal || is_hexadecimal ? strlen(text + 2) : 0;
    if (n_digits == 0 || n_digits > (is_octal ? 21U : 15U) || strspn(text + 2, set) != n_digits) {
        return false;
    }
    *out = (double)strtoull(text + 2, NULL, is_octal ? 8 : 16);
    return true;
}

sarrus_number_form sarrus_number_parse(const char *text, locale_t c_locale, double *out) {
    if (is_infinite_or_nan(text)) {
        return SARRUS_NUMBER_INFINITE;
    }
    if (based_integer(text, out)) {
        return SARRUS_NUMBER_FINITE;
    }
    if (!is_decimal(text)) {
        return SARRUS_NUMBER_NONE;
    }
    *out = strtod_l(text, NULL, c_locale);
    return isfinite(*out) ? SARRUS_NUMBER_FINITE : SARRUS_NUMBER_INFINITE;
}

int sarrus_count_parse(const char *text, locale_t c_locale, uint64_t *out) {
    const char *unsigned_text = text + (*text == '+');
    const size_t n_digits = digits(unsigned_text);
    if (n_digits > 0 && unsigned_text[n_digits] == '\0') {
        errno = 0;
        *out = strtoull(unsigned_text, NULL, 10);
        return errno == 0;
    }
    double number = 0;
    if (sarrus_number_parse(text, c_locale, &number) != SARRUS_NUMBER_FINITE || number < 0 || number > 0x1p53 ||
        number != floor(number)) {
        return 0;
    }
    *out = (uint64_t)number;
    return 1;
}
