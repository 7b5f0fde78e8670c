/* Draws that can be called off, and single ones. */
#ifndef SARRUS_STUDY_DRAWS_H
#define SARRUS_STUDY_DRAWS_H

#include "model/model.h"
#include "sarrus/study.h"

/* Which draws: of instances i_first … i_first + n_instances − 1 of a study of n_study. */
typedef struct sarrus_draw_request {
    uint64_t seed, n_study, i_first, n_instances;
    bool is_plain;                /* independent draws without a design, whatever the model asks for */
    const volatile int32_t *stop; /* as in sarrus_batch_options */
} sarrus_draw_request;

/* As sarrus_draws_create_part; INTERRUPTED without draws once `stop` is set. */
SARRUS_MUST_USE sarrus_status sarrus_draws_make(sarrus_context *context, const sarrus_model *model,
                                                const sarrus_draw_request *request, sarrus_draws **out);

/* Independent draws of all sampled parameters, whose labels have these hashes [n_sampled] (label_hash.h), for instance `number`, to
 * values[n_sampled]; scores[n_sampled] is room. */
void sarrus_sampled_draw(const sarrus_model *model, const uint64_t *label_hashes, uint64_t seed, uint64_t number, double *scores,
                         double *values);

/* A copy of what `draws` has for instances i_first … i_first + n_instances − 1. BAD_ARGUMENT when these are not among them;
 * NO_MEMORY. */
SARRUS_MUST_USE sarrus_status sarrus_draws_part_copy(sarrus_context *context, const sarrus_draws *draws, uint64_t i_first,
                                                     uint64_t n_instances, sarrus_draws **out);

#endif
