#include "core/fallback_reason.h"

#include <stdarg.h>
#include <stdio.h>

bool sarrus_fallback_reason_set(sarrus_fallback_reason *reason, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(reason->text, sizeof reason->text, format, arguments);
    va_end(arguments);
    for (char *c = reason->text; *c != '\0'; ++c)
        if ((unsigned char)*c < 0x20 || *c == 0x7F)
            *c = ' ';
    return false;
}
