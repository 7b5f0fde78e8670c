/* libfyaml 0.7.12 hangs, leaks or reads astray on some inputs that no scenario needs; refusing them here also gives better
 * messages than a parser could. The four bytes %"\xa6 hang it; five escaped quotes in a row leak its list of text chunks; and
 * brackets that open a document are scanned to the last before the first event comes out, at 350 bytes of memory each. */
#include "scenario/guard.h"

#include <stdint.h>

enum {
    max_guard_findings = 5,
    max_quotes_in_a_row = 3,
    max_open_brackets = 1000, /* quotes and comments not looked into: far above the depth that the reader allows */
};

/* Where the check stands: what the next character's verdict depends on. */
struct scan {
    sarrus_place place;
    int n_quotes; /* single quotes right before */
    int n_open;   /* brackets */
};

long sarrus_guard_character(const char *text, size_t n_bytes, size_t *n_used) {
    static const struct {
        unsigned mask, lead;
        size_t n;
        long least;
    } forms[] = {{0x80, 0x00, 1, 0}, {0xe0, 0xc0, 2, 0x80}, {0xf0, 0xe0, 3, 0x800}, {0xf8, 0xf0, 4, 0x10000}};
    const unsigned char *bytes = (const unsigned char *)text;
    *n_used = 1;
    for (size_t i_form = 0; i_form < sizeof forms / sizeof forms[0]; ++i_form) {
        if ((bytes[0] & forms[i_form].mask) != forms[i_form].lead) {
            continue;
        }
        const size_t n = forms[i_form].n;
        long character = (long)(bytes[0] & ~forms[i_form].mask);
        for (size_t i = 1; i < n; ++i) {
            if (i >= n_bytes || (bytes[i] & 0xc0U) != 0x80U) {
                return -1;
            }
            character = character << 6 | (long)(bytes[i] & 0x3fU);
        }
        if (character < forms[i_form].least || character > 0x10ffff || (character >= 0xd800 && character <= 0xdfff)) {
            return -1;
        }
        *n_used = n;
        return character;
    }
    return -1;
}

/* Why a run of ordinary characters is refused, or NULL. */
static const char *run_fault(struct scan *scan, long character) {
    scan->n_quotes = character == '\'' ? scan->n_quotes + 1 : 0;
    scan->n_open += (character == '[' || character == '{') - (character == ']' || character == '}');
    scan->n_open = scan->n_open < 0 ? 0 : scan->n_open;
    if (scan->n_quotes == max_quotes_in_a_row + 1) {
        return "four single quotes in a row; expected text in double quotes";
    }
    if (scan->n_open == max_open_brackets + 1) {
        scan->n_open = 0;
        return "more than 1000 brackets are open; expected lists and mappings at most 32 deep";
    }
    return NULL;
}

/* Why a character is refused, or NULL. */
static const char *character_fault(long character, bool is_first_of_line) {
    if (character == '%' && is_first_of_line) {
        return "a line begins with '%'; expected no YAML directives";
    }
    if ((character >= ' ' && character < 0x7f) || character == '\n') {
        return NULL;
    }
    if (character < 0) {
        return "a byte that is not UTF-8; expected UTF-8 text";
    }
    if (character == '\t') {
        return "a tab; expected spaces";
    }
    if (character == '\r') {
        return "a carriage return; expected line ends of one line feed";
    }
    if (character == 0xfeff) {
        return "a byte order mark; expected UTF-8 text without one";
    }
    if (character < 0xa0) {
        return "a control character; expected text";
    }
    if (character == 0x2028 || character == 0x2029 || (character & 0xfffe) == 0xfffe) {
        return "a Unicode line end or noncharacter; expected text";
    }
    return NULL;
}

bool sarrus_guard_refuses(long character) {
    return character_fault(character, false) != NULL;
}

bool sarrus_guard_check(sarrus_findings *findings, int i_source, char *text, size_t n_bytes) {
    if (n_bytes > SARRUS_SCENARIO_MAX_BYTES) {
        sarrus_findings_add(findings, SARRUS_BAD_INPUT, i_source, (sarrus_place){1, 1, 0},
                            "the file is too large; expected at most %d bytes", SARRUS_SCENARIO_MAX_BYTES);
        return false;
    }
    int n_found = 0;
    struct scan scan = {{1, 1, 0}, 0, 0};
    for (size_t i = 0; i < n_bytes;) {
        size_t n_used = 0;
        const long character = sarrus_guard_character(text + i, n_bytes - i, &n_used);
        const char *fault = character_fault(character, scan.place.column == 1);
        for (size_t k = 0; k < n_used && fault != NULL && character != '%'; ++k) {
            text[i + k] = '?';
        }
        fault = fault != NULL ? fault : run_fault(&scan, character);
        if (fault != NULL && n_found++ < max_guard_findings) {
            sarrus_findings_add(findings, SARRUS_BAD_INPUT, i_source, scan.place, "%s", fault);
        }
        i += n_used;
        scan.place.column += 1;
        if (character == '\n') {
            scan.place = (sarrus_place){scan.place.line + 1, 1, 0};
        }
    }
    return n_found == 0;
}
