/* One JSON object on a stream, member by member, on one line. */
#ifndef SARRUS_EDGE_JSON_H
#define SARRUS_EDGE_JSON_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum { SARRUS_JSON_DEPTH = 8 };

typedef struct sarrus_json {
    FILE *stream;
    int depth;
    bool has_members[SARRUS_JSON_DEPTH];
} sarrus_json;

/* Opens the outermost object; the matching sarrus_json_close ends the line. `stream` NULL: all calls do nothing. */
void sarrus_json_begin(sarrus_json *json, FILE *stream);

/* Opens an object or a list; `name` is NULL inside a list. sarrus_json_close takes the closing bracket. */
void sarrus_json_open(sarrus_json *json, const char *name, char bracket);
void sarrus_json_close(sarrus_json *json, char bracket);

/* Members; `name` is NULL inside a list. Bytes of a text that are not UTF-8 become U+FFFD; a number that is not finite
 * becomes null, others read back as the same double. */
void sarrus_json_text(sarrus_json *json, const char *name, const char *value);
void sarrus_json_number(sarrus_json *json, const char *name, double value);
/* A list of `n` numbers. */
void sarrus_json_numbers(sarrus_json *json, const char *name, const double *values, int n);
void sarrus_json_count(sarrus_json *json, const char *name, uint64_t value);
void sarrus_json_flag(sarrus_json *json, const char *name, bool value);
void sarrus_json_null(sarrus_json *json, const char *name);

#endif
