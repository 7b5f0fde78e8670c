/* Open addressing with linear probing, at most half full; the hash is FNV-1a, 64 bits. */
#include "model/names.h"

#include <stdlib.h>
#include <string.h>

struct sarrus_names_slot {
    const char *name; /* NULL: empty */
    uint64_t hash;
    int32_t number;
};

static uint64_t hash_of(const char *name, size_t length) {
    uint64_t hash = 0xcbf29ce484222325U;
    for (size_t i = 0; i < length; ++i) {
        hash = (hash ^ (unsigned char)name[i]) * 0x100000001b3U;
    }
    return hash ^ (hash >> 32);
}

/* The slot that holds `name`, or the empty one where it belongs. */
static struct sarrus_names_slot *slot_of(const sarrus_names *names, const char *name, size_t length, uint64_t hash) {
    const size_t mask = names->capacity - 1;
    size_t i_slot = (size_t)hash & mask;
    for (;;) {
        struct sarrus_names_slot *slot = &names->slots[i_slot];
        if (slot->name == NULL) {
            return slot;
        }
        if (slot->hash == hash && strncmp(slot->name, name, length) == 0 && slot->name[length] == '\0') {
            return slot;
        }
        i_slot = (i_slot + 1) & mask;
    }
}

static sarrus_status grow(sarrus_names *names) {
    const size_t capacity = names->capacity == 0 ? 16 : 2 * names->capacity;
    struct sarrus_names_slot *slots = calloc(capacity, sizeof *slots);
    if (slots == NULL) {
        return SARRUS_NO_MEMORY;
    }
    const sarrus_names larger = {slots, capacity, names->n};
    for (size_t i_slot = 0; i_slot < names->capacity; ++i_slot) {
        const struct sarrus_names_slot *old = &names->slots[i_slot];
        if (old->name != NULL) {
            *slot_of(&larger, old->name, strlen(old->name), old->hash) = *old;
        }
    }
    free(names->slots);
    *names = larger;
    return SARRUS_OK;
}

int32_t sarrus_names_find_part(const sarrus_names *names, const char *name, size_t length) {
    if (names->n == 0) {
        return -1;
    }
    const struct sarrus_names_slot *slot = slot_of(names, name, length, hash_of(name, length));
    return slot->name == NULL ? -1 : slot->number;
}

int32_t sarrus_names_find(const sarrus_names *names, const char *name) {
    return sarrus_names_find_part(names, name, strlen(name));
}

sarrus_status sarrus_names_add(sarrus_names *names, const char *name, int32_t number) {
    if (2 * (names->n + 1) > names->capacity) {
        const sarrus_status status = grow(names);
        if (status != SARRUS_OK) {
            return status;
        }
    }
    const size_t length = strlen(name);
    const uint64_t hash = hash_of(name, length);
    struct sarrus_names_slot *slot = slot_of(names, name, length, hash);
    if (slot->name != NULL) {
        return SARRUS_BAD_ARGUMENT;
    }
    *slot = (struct sarrus_names_slot){name, hash, number};
    names->n += 1;
    return SARRUS_OK;
}

void sarrus_names_clear(sarrus_names *names) {
    free(names->slots);
    *names = (sarrus_names){NULL, 0, 0};
}
