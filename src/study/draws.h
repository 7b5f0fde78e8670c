/* Draws that can be called off, and single ones. */
#ifndef SARRUS_STUDY_DRAWS_H
#define SARRUS_STUDY_DRAWS_H

#include "model/model.h"
#include "sarrus/study.h"

/* As sarrus_draws_create_part; INTERRUPTED without draws once `stop` (as in sarrus_batch_options) is set. */
SARRUS_MUST_USE sarrus_status sarrus_draws_make(sarrus_context *context, const sarrus_model *model, uint64_t seed, uint64_t i_first,
                                                uint64_t n_instances, const volatile int32_t *stop, sarrus_draws **out);

/* The draw of one parameter, whose label has this hash (label_hash.h), for instance `number` of the study. */
double sarrus_sampled_draw(const sarrus_sampled *sampled, uint64_t label_hash, uint64_t seed, uint64_t number);

#endif
