/* Quantities: one number of an instance, from what it shows at the output times. A quantity is an expression of reductions over
 * time, as "max(tip.x) - min(tip.x)"; what stands inside of a reduction is an expression of the numbers of one time. muParser
 * sees neither: reductions, and names with dots, are words of ours for variables that it gets.
 *
 * A set of them is used by one thread at a time; the states of the instances are the caller's. */
#ifndef SARRUS_MODEL_QUANTITY_H
#define SARRUS_MODEL_QUANTITY_H

#include "model/quantity_term.h"

enum {
    SARRUS_MAX_TERMS = 256,      /* different names in all quantities together */
    SARRUS_MAX_REDUCTIONS = 256, /* in all of them together */
};

/* Where a reduction of one instance stands. Zero is the beginning. */
typedef struct sarrus_reduction_state {
    uint64_t n; /* times seen */
    double a, b, c;
} sarrus_reduction_state;

typedef struct sarrus_quantities sarrus_quantities;

/* An empty set about a model, which must outlive it. NULL without memory. */
sarrus_quantities *sarrus_quantities_create(const sarrus_model *model);
void sarrus_quantities_destroy(sarrus_quantities *quantities);

/* Adds one. BAD_INPUT with *fault filled when the text is none; NO_MEMORY. Such a
 * set may be added to, to find more faults, but not be used. */
SARRUS_MUST_USE sarrus_status sarrus_quantities_add(sarrus_quantities *quantities, const char *text, sarrus_quantity_fault *fault);

/* What has to be known at each time: the names, and where their values are to be put. */
int sarrus_quantities_n_terms(const sarrus_quantities *quantities);
const sarrus_term *sarrus_quantities_term(const sarrus_quantities *quantities, int i);
double *sarrus_quantities_values(sarrus_quantities *quantities); /* [n_terms] */

/* Takes the values of time t, s, into the states [n_reductions] of an instance; times come in their order. */
int sarrus_quantities_n_reductions(const sarrus_quantities *quantities);
void sarrus_quantities_take(sarrus_quantities *quantities, double t, sarrus_reduction_state *states);

/* out [number of quantities] of an instance whose states these are; the values of the model's numbers are those that were put
 * last. NaN where no time was seen. */
void sarrus_quantities_finish(sarrus_quantities *quantities, const sarrus_reduction_state *states, double *out);

/* Word `i` of a reduction; NULL past the last. */
const char *sarrus_reduction_word(int i);

#endif
