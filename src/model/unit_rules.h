/* What expressions say of units. */
#ifndef SARRUS_MODEL_UNIT_RULES_H
#define SARRUS_MODEL_UNIT_RULES_H

#include "model/unit.h"

/* Units of all numbers of the model, units[n_values]: what its keys say and, of named parameters, what the expressions ask for that
 * they stand in. Those that no expression settles are not known. */
void sarrus_model_units_find(const sarrus_model *model, sarrus_unit *units);

/* What the quantities of the model are counted in, [n_quantities] texts as of sarrus_unit_write, "" where it is not known; to be
 * freed. NULL without memory. */
char (*sarrus_quantity_units_create(const sarrus_model *model))[SARRUS_UNIT_BYTES];

#endif
