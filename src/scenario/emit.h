/* A tree as YAML text again: the scenario as run. */
#ifndef SARRUS_SCENARIO_EMIT_H
#define SARRUS_SCENARIO_EMIT_H

#include "scenario/tree.h"

/* Block style, two spaces a level; lists that hold no mapping stay on one line. The same tree always gives the same text, and
 * reading the text gives the same tree, places aside. NULL: out of memory. To be freed by the caller. */
char *sarrus_tree_emit(const sarrus_tree *tree);

#endif
