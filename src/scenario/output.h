/* Parts of the mapping `output`, as key functions (object: the model). Quantities come behind points, statistics and
 * sensitivity behind both. */
#ifndef SARRUS_SCENARIO_OUTPUT_H
#define SARRUS_SCENARIO_OUTPUT_H

#include "scenario/reader.h"

void sarrus_points_read(sarrus_reader *reader, sarrus_node *node, void *object);
void sarrus_quantities_read(sarrus_reader *reader, sarrus_node *node, void *object);
/* Refuses a channel that this mechanism cannot have. */
void sarrus_channel_check(sarrus_reader *reader, const sarrus_node *item, unsigned channel);

void sarrus_kept_read(sarrus_reader *reader, sarrus_node *node, void *object);
void sarrus_statistics_read(sarrus_reader *reader, sarrus_node *node, void *object);
void sarrus_sensitivity_read(sarrus_reader *reader, sarrus_node *node, void *object);

/* Behind `batch`: whether the study has the instances that are kept; brings them into their order. */
void sarrus_kept_settle(sarrus_reader *reader);

/* Behind `batch`: whether statistics of the drawn parameters can stand under their names. */
void sarrus_drawn_names_settle(sarrus_reader *reader);

/* Behind `batch`: whether there are parameters that a quantity could depend on. */
void sarrus_sensitivity_settle(sarrus_reader *reader);

#endif
