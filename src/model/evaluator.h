/* The values of one instance: nominal numbers, then the draws, then every expression (muParser).
 * One evaluator per thread; nothing is allocated in `run`. */
#ifndef SARRUS_MODEL_EVALUATOR_H
#define SARRUS_MODEL_EVALUATOR_H

#include "model/model.h"
#include "model/draws.h"

typedef struct sarrus_evaluator sarrus_evaluator;

/* Compiles the model's expressions. The model must outlive the evaluator. NO_MEMORY, BAD_INPUT (an expression that
 * does not parse; the reader has reported it already with its place). */
SARRUS_MUST_USE sarrus_status sarrus_evaluator_create(const sarrus_model *model, sarrus_evaluator **out);
void sarrus_evaluator_destroy(sarrus_evaluator *evaluator);

/* values[n_values] of instance `i_instance` (index into draws; draws may be NULL for the nominal instance). A draw
 * aimed at a value that has an expression replaces the expression. Returns true when every value is finite. */
bool sarrus_evaluator_run(sarrus_evaluator *evaluator, const sarrus_draws *draws, uint64_t i_instance, double *values);

#endif
