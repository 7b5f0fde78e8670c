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

/* A copy of what `draws` has for instances i_first … i_first + n_instances − 1. BAD_ARGUMENT when these are not among them;
 * NO_MEMORY. */
SARRUS_MUST_USE sarrus_status sarrus_draws_part_copy(sarrus_context *context, const sarrus_draws *draws, uint64_t i_first,
                                                     uint64_t n_instances, sarrus_draws **out);

#endif
