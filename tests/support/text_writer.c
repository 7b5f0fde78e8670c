#include "tests/support/text_writer.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

void text_put(text_writer *to, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    const int n = vsnprintf(to->text + to->used, to->size - to->used, format, arguments);
    va_end(arguments);
    assert_true(n >= 0 && (size_t)n < to->size - to->used);
    to->used += (size_t)n;
}

void text_put_numbers(text_writer *to, const char *before, int n, const double *x) {
    text_put(to, "%s[", before);
    for (int k = 0; k < n; ++k)
        text_put(to, "%s%.17g", k ? ", " : "", x[k]);
    text_put(to, "]");
}
