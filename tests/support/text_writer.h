/* Text of a scenario, put together piece by piece. A text that does not fit fails the test. */
#ifndef TESTS_SUPPORT_TEXT_WRITER_H
#define TESTS_SUPPORT_TEXT_WRITER_H

#include <stddef.h>

typedef struct text_writer {
    char *text;
    size_t size, used; /* bytes that there are, and those before the end mark */
} text_writer;

__attribute__((format(printf, 2, 3))) void text_put(text_writer *to, const char *format, ...);

/* `before`, then the list [x[0], x[1], …], each number with all its bits. */
void text_put_numbers(text_writer *to, const char *before, int n, const double *x);

#endif
