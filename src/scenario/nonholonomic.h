/* Keys of nonholonomic constraints, beside those that all have (object: the constraint). */
#ifndef SARRUS_SCENARIO_NONHOLONOMIC_H
#define SARRUS_SCENARIO_NONHOLONOMIC_H

#include "scenario/reader.h"

/* No numbers yet. */
void sarrus_slip_begin(sarrus_slip_numbers *slip);

void sarrus_slip_kind_read(sarrus_reader *reader, sarrus_node *node, void *object);
void sarrus_slip_across_read(sarrus_reader *reader, sarrus_node *node, void *object);
void sarrus_slip_along_read(sarrus_reader *reader, sarrus_node *node, void *object);
void sarrus_slip_about_read(sarrus_reader *reader, sarrus_node *node, void *object);
void sarrus_slip_speed_read(sarrus_reader *reader, sarrus_node *node, void *object);
void sarrus_slip_plane_read(sarrus_reader *reader, sarrus_node *node, void *object);
void sarrus_slip_radius_read(sarrus_reader *reader, sarrus_node *node, void *object);
void sarrus_slip_axis_read(sarrus_reader *reader, sarrus_node *node, void *object);

/* Whether the keys of the mapping `node` are those of its kind. */
void sarrus_slip_check(sarrus_reader *reader, const sarrus_node *node, const sarrus_constraint *constraint);

#endif
