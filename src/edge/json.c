#include "edge/json.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* Length of the UTF-8 sequence at `c`, 0 when it is not one (overlong, surrogate, cut short, past U+10FFFF). */
static int sequence_length(const unsigned char *c) {
    static const uint32_t smallest[5] = {0, 0, 0x80, 0x800, 0x10000};
    const int n = c[0] < 0x80 ? 1 : c[0] >> 5 == 6 ? 2 : c[0] >> 4 == 14 ? 3 : c[0] >> 3 == 30 ? 4 : 0;
    if (n <= 1)
        return n;
    uint32_t code = c[0] & (0x7Fu >> n);
    for (int i = 1; i < n; ++i) {
        if (c[i] >> 6 != 2)
            return 0;
        code = code << 6 | (c[i] & 0x3Fu);
    }
    const bool is_surrogate = code >= 0xD800 && code <= 0xDFFF;
    return code >= smallest[n] && code <= 0x10FFFF && !is_surrogate ? n : 0;
}

static void string_write(FILE *stream, const char *text) {
    fputc('"', stream);
    for (const unsigned char *c = (const unsigned char *)text; *c != '\0';) {
        const int n = sequence_length(c);
        if (n == 0) {
            fputs("\\ufffd", stream);
            ++c;
        } else {
            if (*c == '"' || *c == '\\')
                fprintf(stream, "\\%c", *c);
            else if (*c == '\n')
                fputs("\\n", stream);
            else if (*c < 0x20 || *c == 0x7F)
                fprintf(stream, "\\u%04x", *c);
            else
                fwrite(c, 1, (size_t)n, stream);
            c += n;
        }
    }
    fputc('"', stream);
}

/* False: nobody reads it. */
static bool member_begin(sarrus_json *json, const char *name) {
    if (json->stream == NULL)
        return false;
    if (json->has_members[json->depth])
        fputs(", ", json->stream);
    json->has_members[json->depth] = true;
    if (name != NULL) {
        string_write(json->stream, name);
        fputs(": ", json->stream);
    }
    return true;
}

void sarrus_json_begin(sarrus_json *json, FILE *stream) {
    *json = (sarrus_json){.stream = stream};
    if (stream != NULL)
        fputc('{', stream);
}

void sarrus_json_open(sarrus_json *json, const char *name, char bracket) {
    if (!member_begin(json, name))
        return;
    fputc(bracket, json->stream);
    json->has_members[++json->depth] = false;
}

void sarrus_json_close(sarrus_json *json, char bracket) {
    if (json->stream == NULL)
        return;
    fputc(bracket, json->stream);
    if (json->depth-- == 0)
        fputc('\n', json->stream);
}

void sarrus_json_text(sarrus_json *json, const char *name, const char *value) {
    if (member_begin(json, name))
        string_write(json->stream, value);
}

void sarrus_json_number(sarrus_json *json, const char *name, double value) {
    if (!isfinite(value)) {
        sarrus_json_null(json, name);
        return;
    }
    if (member_begin(json, name))
        fprintf(json->stream, "%.17g", value);
}

void sarrus_json_numbers(sarrus_json *json, const char *name, const double *values, int n) {
    sarrus_json_open(json, name, '[');
    for (int i = 0; i < n; ++i)
        sarrus_json_number(json, NULL, values[i]);
    sarrus_json_close(json, ']');
}

void sarrus_json_count(sarrus_json *json, const char *name, uint64_t value) {
    if (member_begin(json, name))
        fprintf(json->stream, "%" PRIu64, value);
}

void sarrus_json_flag(sarrus_json *json, const char *name, bool value) {
    if (member_begin(json, name))
        fputs(value ? "true" : "false", json->stream);
}

void sarrus_json_null(sarrus_json *json, const char *name) {
    if (member_begin(json, name))
        fputs("null", json->stream);
}
