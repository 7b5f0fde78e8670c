/* Units of the numbers of a model, and of what it shows, by what the keys of a scenario mean. */
#ifndef SARRUS_MODEL_UNIT_H
#define SARRUS_MODEL_UNIT_H

#include "model/quantity_term.h"

enum { SARRUS_UNIT_KG, SARRUS_UNIT_M, SARRUS_UNIT_S, SARRUS_UNIT_RAD, SARRUS_N_BASE_UNITS, SARRUS_UNIT_BYTES = 48 };

/* A product of powers of kg, m, s and rad. */
typedef struct sarrus_unit {
    bool is_known;
    double power[SARRUS_N_BASE_UNITS];
} sarrus_unit;

/* As UDUNITS spells it, "N m s rad-1" or "1", into `out`, which is returned; NULL: it is not known, or has roots. */
const char *sarrus_unit_write(const sarrus_unit *unit, char out[SARRUS_UNIT_BYTES]);

/* Units of all numbers of the model but named parameters, whose are not known; units[n_values]. */
void sarrus_value_units_give(const sarrus_model *model, sarrus_unit *units);

/* Of the number of one time that a name in a quantity stands for; units[n_values]. */
sarrus_unit sarrus_term_unit(const sarrus_model *model, const sarrus_unit *units, const sarrus_term *term);

#endif
