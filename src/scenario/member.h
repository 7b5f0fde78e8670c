/* A scenario that a document of several names: what the document puts into it before it is read. */
#ifndef SARRUS_SCENARIO_MEMBER_H
#define SARRUS_SCENARIO_MEMBER_H

#include <stddef.h>

#include "scenario/reader.h"

typedef struct sarrus_member {
    const sarrus_node *integrator, *output; /* those of the document; NULL: it has none */
    const sarrus_node *entry;               /* of its list of scenarios: instances, seed, set */
    int i_entry;
} sarrus_member;

/* The group whose number the path of an override begins with, as 1 in "1.bodies.crank.mass", and the bytes before the rest; −1:
 * none, it is one of the document. */
int sarrus_override_group(const char *path, size_t *n_prefix);

/* Whether the path, of a member, begins with what is common to all. */
bool sarrus_path_is_common(const char *path);

/* The mapping `name` in a mapping, made at the place of `from` when there is none; NULL when it is something else, of which the
 * reader will tell, or without memory. */
sarrus_node *sarrus_mapping_of(sarrus_reader *reader, sarrus_node *parent, const char *name, const sarrus_node *from);

/* Takes an override of one scenario, its path in that scenario as key, into the scenario's entry of the document's list: the number
 * of instances and the seed under keys of their own, all else under `set`. So the document says what is run. */
void sarrus_entry_override(sarrus_reader *reader, sarrus_node *entry, sarrus_node *value);

/* The key of an entry that stands for a path of its scenario: "seed" for "batch.seed"; NULL: none does. */
const char *sarrus_entry_key(const char *path);

/* Puts what the document says into the tree of the reader, whose root may be anything. */
void sarrus_member_put(sarrus_reader *reader, const sarrus_member *member);

#endif
