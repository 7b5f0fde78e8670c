/* A set of names, each with a number: found in constant time, so that reading a scenario stays linear in its size. */
#ifndef SARRUS_MODEL_NAMES_H
#define SARRUS_MODEL_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sarrus/status.h"

/* Names are borrowed: they must outlive the set. */
typedef struct sarrus_names {
    struct sarrus_names_slot *slots; /* [capacity] */
    size_t capacity;                 /* a power of two, or 0 */
    size_t n;
} sarrus_names;

/* The number of `name`, or −1 when it is not in the set. */
int32_t sarrus_names_find(const sarrus_names *names, const char *name);

/* The same for the first `length` bytes of `name`. */
int32_t sarrus_names_find_part(const sarrus_names *names, const char *name, size_t length);

/* Puts `name` in with `number` >= 0. BAD_ARGUMENT when it is there already (and keeps its number), NO_MEMORY. */
SARRUS_MUST_USE sarrus_status sarrus_names_add(sarrus_names *names, const char *name, int32_t number);

/* Forgets all names; the set is empty and usable afterwards. */
void sarrus_names_clear(sarrus_names *names);

#endif
