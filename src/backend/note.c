#include "backend/note.h"

#include <stdarg.h>
#include <stdio.h>

bool sarrus_note_set(sarrus_note *note, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(note->text, sizeof note->text, format, arguments);
    va_end(arguments);
    for (char *c = note->text; *c != '\0'; c++)
        if ((unsigned char)*c < 0x20 || *c == 0x7F)
            *c = ' ';
    return false;
}
