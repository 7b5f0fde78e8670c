#include "core/npy.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const unsigned char magic[SARRUS_NPY_MAGIC_BYTES] = {0x93, 'N', 'U', 'M', 'P', 'Y'};
static const bool is_machine_big_endian = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;

enum { VERSION_BYTES = 2, SHORT_LENGTH = 2, LONG_LENGTH = 4, ALIGNMENT = 64, QUOTED_BYTES = 40 };

/* --- The head's text: a dictionary as Python writes it ------------------------------------------------------------------ */

typedef struct cursor {
    const char *text; /* [n] */
    size_t n, at;
    char *message; /* [SARRUS_NPY_MESSAGE_BYTES] */
} cursor;

typedef struct span {
    const char *start;
    size_t n;
} span;

/* Which keys were seen. */
typedef struct keys {
    bool has_type, has_order, has_shape;
} keys;

SARRUS_PRINTF(2, 3) static bool refuse(const cursor *from, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(from->message, SARRUS_NPY_MESSAGE_BYTES, format, arguments);
    va_end(arguments);
    return false;
}

/* A part of the head, fit to be shown. */
static const char *shown(span part, char text[QUOTED_BYTES]) {
    const size_t n = part.n < QUOTED_BYTES - 1 ? part.n : QUOTED_BYTES - 1;
    for (size_t i = 0; i < n; ++i)
        text[i] = (char)(part.start[i] >= ' ' && part.start[i] <= '~' ? part.start[i] : '?');
    text[n] = '\0';
    return text;
}

static void space_skip(cursor *from) {
    while (from->at < from->n && strchr(" \t\n\r", from->text[from->at]) != NULL && from->text[from->at] != '\0')
        ++from->at;
}

/* Whether `c` comes next, which is then behind. */
static bool comes(cursor *from, char c) {
    space_skip(from);
    if (from->at >= from->n || from->text[from->at] != c)
        return false;
    ++from->at;
    return true;
}

static bool word_comes(cursor *from, const char *word) {
    const size_t n = strlen(word);
    space_skip(from);
    if (from->n - from->at < n || memcmp(from->text + from->at, word, n) != 0)
        return false;
    from->at += n;
    return true;
}

static bool damage(const cursor *from, const char *expected) {
    char text[QUOTED_BYTES];
    const span rest = {from->text + from->at, from->n - from->at};
    return refuse(from, "the head of this .npy file is damaged at byte %zu ('%s'); expected %s", from->at, shown(rest, text),
                  expected);
}

static bool string_read(cursor *from, const char *what, span *out) {
    const char quote = comes(from, '\'') ? '\'' : comes(from, '"') ? '"' : '\0';
    if (quote == '\0')
        return damage(from, what);
    const char *start = from->text + from->at, *end = memchr(start, quote, from->n - from->at);
    if (end == NULL)
        return damage(from, what);
    *out = (span){start, (size_t)(end - start)};
    from->at += out->n + 1;
    return true;
}

static bool is_span(span part, const char *word) {
    return part.n == strlen(word) && memcmp(part.start, word, part.n) == 0;
}

/* "<f8", ">i4", "|b1": byte order, kind, bytes. */
static bool type_read(cursor *from, sarrus_npy_header *out) {
    static const char *const known[] = {"f4", "f8", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "b1"};
    char text[QUOTED_BYTES];
    span type;
    space_skip(from);
    if (from->at < from->n && from->text[from->at] == '[')
        return refuse(from,
                      "this .npy file holds records of several fields; expected plain numbers (f8, f4, i1 to i8, u1 to u8, b1)");
    if (!string_read(from, "the type of the numbers, as '<f8'", &type))
        return false;
    const bool has_order = type.n > 0 && type.start[0] != '\0' && strchr("<>=|", type.start[0]) != NULL;
    const span plain = {type.start + has_order, type.n - has_order};
    out->is_big_endian = has_order && type.start[0] == '>'   ? true
                         : has_order && type.start[0] == '<' ? false
                                                             : is_machine_big_endian;
    for (size_t i = 0; i < sizeof known / sizeof known[0]; ++i) {
        if (is_span(plain, known[i])) {
            out->kind = known[i][0];
            out->n_item = known[i][1] - '0';
            return true;
        }
    }
    const char *what = plain.n > 0 && plain.start[0] == 'O'   ? " (Python objects)"
                       : plain.n > 0 && plain.start[0] == 'c' ? " (complex numbers)"
                                                              : "";
    return refuse(from, "the numbers of this .npy file are of type '%s'%s; expected f8, f4, i1 to i8, u1 to u8 or b1",
                  shown(type, text), what);
}

static bool order_read(cursor *from, sarrus_npy_header *out) {
    out->is_fortran = word_comes(from, "True");
    return out->is_fortran || word_comes(from, "False") || damage(from, "True or False for fortran_order");
}

static bool length_read(cursor *from, uint64_t *out) {
    const size_t begin = from->at;
    *out = 0;
    for (; from->at < from->n && from->text[from->at] >= '0' && from->text[from->at] <= '9'; ++from->at) {
        if (__builtin_mul_overflow(*out, 10, out) || __builtin_add_overflow(*out, (uint64_t)(from->text[from->at] - '0'), out))
            return refuse(from, "a length in the shape of this .npy file has more than 64 bits");
    }
    if (from->at == begin)
        return damage(from, "a whole number in the shape");
    if (from->at < from->n && from->text[from->at] == 'L') /* as Python 2 wrote it */
        ++from->at;
    return true;
}

static bool shape_read(cursor *from, sarrus_npy_header *out) {
    bool has_comma = true;
    out->n_dims = 0;
    if (!comes(from, '('))
        return damage(from, "the shape, as (1000, 12, 12)");
    while (!comes(from, ')')) {
        if (!has_comma)
            return damage(from, "a comma in the shape");
        if (out->n_dims == SARRUS_NPY_MOST_DIMS)
            return refuse(from, "the array of this .npy file has more than %d dimensions", SARRUS_NPY_MOST_DIMS);
        if (!length_read(from, &out->dims[out->n_dims]))
            return false;
        ++out->n_dims;
        has_comma = comes(from, ',');
    }
    return out->n_dims != 1 || has_comma || damage(from, "a comma behind the one length of the shape");
}

static bool member_read(cursor *from, keys *seen, sarrus_npy_header *out) {
    char text[QUOTED_BYTES];
    span key;
    if (!string_read(from, "a key", &key))
        return false;
    bool *is_seen = is_span(key, "descr")           ? &seen->has_type
                    : is_span(key, "fortran_order") ? &seen->has_order
                    : is_span(key, "shape")         ? &seen->has_shape
                                                    : NULL;
    if (is_seen == NULL || *is_seen)
        return refuse(from, "the head of this .npy file %s the key '%s'; expected descr, fortran_order and shape",
                      is_seen == NULL ? "has" : "has twice", shown(key, text));
    *is_seen = true;
    if (!comes(from, ':'))
        return damage(from, "a colon behind the key");
    return is_seen == &seen->has_type    ? type_read(from, out)
           : is_seen == &seen->has_order ? order_read(from, out)
                                         : shape_read(from, out);
}

static bool dictionary_read(cursor *from, sarrus_npy_header *out) {
    keys seen = {false, false, false};
    bool has_comma = true;
    if (!comes(from, '{'))
        return damage(from, "{'descr': '<f8', 'fortran_order': False, 'shape': (...)}");
    while (!comes(from, '}')) {
        if (!has_comma)
            return damage(from, "a comma or }");
        if (!member_read(from, &seen, out))
            return false;
        has_comma = comes(from, ',');
    }
    space_skip(from);
    if (from->at != from->n)
        return damage(from, "nothing more");
    if (!seen.has_type || !seen.has_order || !seen.has_shape)
        return refuse(from, "the head of this .npy file has no '%s'",
                      !seen.has_type    ? "descr"
                      : !seen.has_order ? "fortran_order"
                                        : "shape");
    return true;
}

/* --- The head ----------------------------------------------------------------------------------------------------------- */

static bool sizes_find(const cursor *from, sarrus_npy_header *out) {
    bool is_empty = false, is_good = true;
    out->n_items = 1;
    for (int i = 0; i < out->n_dims; ++i)
        is_empty = is_empty || out->dims[i] == 0;
    for (int i = 0; i < out->n_dims && !is_empty; ++i)
        is_good = is_good && !__builtin_mul_overflow(out->n_items, out->dims[i], &out->n_items);
    out->n_items = is_empty ? 0 : out->n_items;
    is_good = is_good && !__builtin_mul_overflow(out->n_items, (uint64_t)out->n_item, &out->n_file) &&
              !__builtin_add_overflow(out->n_file, out->n_head, &out->n_file) && out->n_file <= INT64_MAX;
    return is_good || refuse(from, "the shape of this .npy file holds more numbers than any file");
}

bool sarrus_npy_is(const unsigned char *bytes, size_t n_bytes) {
    return n_bytes >= sizeof magic && memcmp(bytes, magic, sizeof magic) == 0;
}

sarrus_status sarrus_npy_header_read(const unsigned char *bytes, size_t n_bytes, sarrus_npy_header *out, char *message) {
    const size_t n_fixed = SARRUS_NPY_MAGIC_BYTES + VERSION_BYTES;
    cursor from = {.message = message};
    *out = (sarrus_npy_header){.kind = 'f'};
    if (!sarrus_npy_is(bytes, n_bytes)) {
        (void)refuse(&from, "this is not a .npy file%s; expected one as numpy.save writes it",
                     n_bytes >= 4 && memcmp(bytes, "PK\3\4", 4) == 0 ? " but a ZIP archive, such as a .npz"
                     : n_bytes == 0                                  ? ", it is empty"
                                                                     : "");
        return SARRUS_BAD_INPUT;
    }
    const unsigned major = n_bytes > SARRUS_NPY_MAGIC_BYTES ? bytes[SARRUS_NPY_MAGIC_BYTES] : 1;
    const size_t n_length = major == 1 ? SHORT_LENGTH : LONG_LENGTH;
    uint64_t n_text = 0;
    if (n_bytes >= n_fixed && (major < 1 || major > 3 || bytes[n_fixed - 1] != 0)) {
        (void)refuse(&from, "this .npy file is of version %u.%u; expected 1.0, 2.0 or 3.0", major, bytes[n_fixed - 1]);
        return SARRUS_BAD_INPUT;
    }
    for (size_t i = 0; i < n_length && n_bytes >= n_fixed + n_length; ++i)
        n_text |= (uint64_t)bytes[n_fixed + i] << 8 * i;
    out->n_head = n_fixed + n_length + n_text;
    if (out->n_head > SARRUS_NPY_HEAD_BYTES) {
        (void)refuse(&from, "the head of this .npy file is said to have %llu bytes; expected 65536 at most",
                     (unsigned long long)n_text);
        return SARRUS_BAD_INPUT;
    }
    if (n_bytes < n_fixed + n_length || n_bytes < out->n_head) {
        (void)refuse(&from, "this .npy file ends within its head: it is cut off");
        return SARRUS_IO;
    }
    from.text = (const char *)bytes + n_fixed + n_length;
    from.n = (size_t)n_text;
    return dictionary_read(&from, out) && sizes_find(&from, out) ? SARRUS_OK : SARRUS_BAD_INPUT;
}

size_t sarrus_npy_header_make(int n_dims, const uint64_t *dims, unsigned char *bytes) {
    char *text = (char *)bytes;
    const size_t n_fixed = SARRUS_NPY_MAGIC_BYTES + VERSION_BYTES + SHORT_LENGTH;
    memcpy(bytes, magic, sizeof magic);
    bytes[SARRUS_NPY_MAGIC_BYTES] = 1;
    bytes[SARRUS_NPY_MAGIC_BYTES + 1] = 0;
    size_t n =
        n_fixed + (size_t)snprintf(text + n_fixed, SARRUS_NPY_MADE_BYTES - n_fixed,
                                   "{'descr': '%cf8', 'fortran_order': False, 'shape': (", is_machine_big_endian ? '>' : '<');
    for (int i = 0; i < n_dims; ++i)
        n += (size_t)snprintf(text + n, SARRUS_NPY_MADE_BYTES - n, i > 0 ? ", %llu" : "%llu", (unsigned long long)dims[i]);
    n += (size_t)snprintf(text + n, SARRUS_NPY_MADE_BYTES - n, n_dims == 1 ? ",), }" : "), }");
    const size_t n_head = (n + 1 + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT, n_text = n_head - n_fixed;
    memset(bytes + n, ' ', n_head - n);
    bytes[n_head - 1] = '\n';
    bytes[n_fixed - 2] = (unsigned char)(n_text & 0xFF);
    bytes[n_fixed - 1] = (unsigned char)(n_text >> 8);
    return n_head;
}

/* --- Numbers ------------------------------------------------------------------------------------------------------------ */

bool sarrus_npy_is_native(const sarrus_npy_header *header) {
    return header->kind == 'f' && header->n_item == (int)sizeof(double) && header->is_big_endian == is_machine_big_endian;
}

static double number_of(const sarrus_npy_header *header, const unsigned char *bytes) {
    const int n = header->n_item;
    uint64_t bits = 0;
    uint32_t word;
    double number;
    float single;
    for (int i = 0; i < n; ++i)
        bits |= (uint64_t)bytes[header->is_big_endian ? n - 1 - i : i] << 8 * i;
    switch (header->kind) {
    case 'f':
        word = (uint32_t)bits;
        memcpy(&single, &word, sizeof single);
        memcpy(&number, &bits, sizeof number);
        return n == (int)sizeof single ? (double)single : number;
    case 'i':
        return (double)((int64_t)(bits << (64 - 8 * n)) >> (64 - 8 * n));
    case 'u':
        return (double)bits;
    default:
        return bits != 0 ? 1.0 : 0.0;
    }
}

void sarrus_npy_decode(const sarrus_npy_header *header, const unsigned char *bytes, size_t n_stride, size_t count, double *out) {
    if (sarrus_npy_is_native(header) && n_stride == sizeof *out) {
        memcpy(out, bytes, count * sizeof *out);
        return;
    }
    for (size_t i = 0; i < count; ++i)
        out[i] = number_of(header, bytes + i * n_stride);
}
