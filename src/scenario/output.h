/* The points and quantities of the mapping `output`, as key functions (object: the model). Quantities come behind points. */
#ifndef SARRUS_SCENARIO_OUTPUT_H
#define SARRUS_SCENARIO_OUTPUT_H

#include "scenario/reader.h"

void sarrus_points_read(sarrus_reader *reader, sarrus_node *node, void *object);
void sarrus_quantities_read(sarrus_reader *reader, sarrus_node *node, void *object);

#endif
