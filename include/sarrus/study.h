/* Random parameters: counter-based draws, one number per (seed, instance, parameter). */
#ifndef SARRUS_STUDY_H
#define SARRUS_STUDY_H

#include <stdint.h>

#include "sarrus/context.h"
#include "sarrus/scenario.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct sarrus_draws sarrus_draws;

/* Draws the sampled parameters of instances 0 … n_instances − 1, by the sampling and the design of the scenario. Random draws
 * depend on the seed, the instance's number and the parameter's label only (Philox 4x32-10, Salmon et al. 2011), points of a
 * Sobol' sequence on the parameter's place among them instead of its label, so a larger batch begins with the same instances;
 * Latin hypercubes and grids depend on n_instances too. `*out` is the caller's; the model must outlive it. BAD_ARGUMENT: a number
 * of instances that the grid or the design does not have; NO_MEMORY. */
SARRUS_MUST_USE sarrus_status sarrus_draws_create(sarrus_context *context, const sarrus_model *model, uint64_t seed,
                                                  uint64_t n_instances, sarrus_draws **out);

/* The same of instances i_first … i_first + n_instances − 1 of a study alone: the numbers that they have among all of it. Where
 * they depend on its size, it is that of the scenario (sarrus_model_n_instances), and others are BAD_ARGUMENT. */
SARRUS_MUST_USE sarrus_status sarrus_draws_create_part(sarrus_context *context, const sarrus_model *model, uint64_t seed,
                                                       uint64_t i_first, uint64_t n_instances, sarrus_draws **out);

/* An own sample instead: values [n_instances][n_parameters] in SI units, row i for instance i of the study, copied. The columns are
 * those of `labels` [n_parameters]: each sampled parameter of the model once, in any order (NULL: in the model's). Its distribution
 * is not looked at. `*out` is the caller's; the model must outlive it. BAD_ARGUMENT: a label that is missing, unknown or there
 * twice, a number that is not finite; NO_MEMORY. */
SARRUS_MUST_USE sarrus_status sarrus_draws_from_values(sarrus_context *context, const sarrus_model *model,
                                                       const char *const *labels, int n_parameters, uint64_t n_instances,
                                                       const double *values, sarrus_draws **out);

/* The parameters at points of one's own in the unit cube: units [n_parameters][n_instances], strictly between 0 and 1,
 * parameters in the model's order, copied; correlated where the scenario says so. `*out` is the caller's; the model must outlive
 * it. BAD_ARGUMENT: a number beyond the ends; NO_MEMORY. */
SARRUS_MUST_USE sarrus_status sarrus_draws_from_units(sarrus_context *context, const sarrus_model *model, uint64_t n_instances,
                                                      const double *units, sarrus_draws **out);
void sarrus_draws_destroy(sarrus_draws *draws);

/* Number of sampled parameters; the label of one; its values [n_instances], from the first instance drawn for
 * on, owned by `draws`. */
int sarrus_draws_n_parameters(const sarrus_draws *draws);
const char *sarrus_draws_label(const sarrus_draws *draws, int i_parameter);
const double *sarrus_draws_values(const sarrus_draws *draws, int i_parameter);

/* Likewise the draws in the unit interval [n_instances], after correlation, whose quantiles the values are; NULL: an own sample. */
const double *sarrus_draws_units(const sarrus_draws *draws, int i_parameter);

#ifdef __cplusplus
}
#endif

#endif
