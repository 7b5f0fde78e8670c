#include "cli/plain_text.h"

const char *sarrus_plain_text(const char *text, char out[SARRUS_PLAIN_TEXT_BYTES]) {
    size_t n = 0;
    for (size_t i = 0; text[i] != '\0' && n + 1 < SARRUS_PLAIN_TEXT_BYTES; ++i) {
        const unsigned char byte = (unsigned char)text[i], next = (unsigned char)text[i + 1];
        const int is_pair = byte == 0xc2 && next >= 0x80 && next < 0xa0; /* U+0080 to U+009F in UTF-8 */
        out[n++] = is_pair || byte < 0x20 || byte == 0x7f ? '?' : text[i];
        i += (size_t)is_pair;
    }
    out[n] = '\0';
    return out;
}
