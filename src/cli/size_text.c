#include "cli/size_text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

void sarrus_size_text(uint64_t n_bytes, char *text, size_t n_text) {
    static const char *const units[] = {"kB", "MB", "GB", "TB", "PB", "EB"};
    if (n_bytes < 1000) {
        snprintf(text, n_text, "%" PRIu64 " B", n_bytes);
        return;
    }
    double size = (double)n_bytes / 1000.0;
    int i_unit = 0;
    for (; size >= 999.5 && i_unit < 5; ++i_unit)
        size /= 1000.0;
    snprintf(text, n_text, "%.*f %s", size < 9.995 ? 2 : size < 99.95 ? 1 : 0, size, units[i_unit]);
}

void sarrus_count_text(uint64_t count, char *text, size_t n_text) {
    char digits[24], grouped[32];
    snprintf(digits, sizeof digits, "%" PRIu64, count);
    const size_t n_digits = strlen(digits);
    size_t n = 0;
    for (size_t i = 0; i < n_digits; ++i) {
        if (i > 0 && (n_digits - i) % 3 == 0)
            grouped[n++] = ',';
        grouped[n++] = digits[i];
    }
    grouped[n] = '\0';
    snprintf(text, n_text, "%s", grouped);
}
