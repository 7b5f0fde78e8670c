/* The points of a study in the unit cube: where its sampling and its design put each instance before distributions look at it. Any
 * of them is found alone, from (seed, number, parameter) and, of what is said to depend on it, the size of the study. */
#ifndef SARRUS_STUDY_POINTS_H
#define SARRUS_STUDY_POINTS_H

#include "model/model.h"
#include "sarrus/context.h"

typedef struct sarrus_points {
    const sarrus_model *model;
    uint64_t seed;
    uint64_t n_study; /* instances of the whole study */
    bool is_plain;    /* independent points without a design, whatever the model asks for */
} sarrus_points;

/* Whether a study can have so many instances, and there are points for all of its parameters. BAD_ARGUMENT. */
SARRUS_MUST_USE sarrus_status sarrus_points_check(sarrus_context *context, const sarrus_points *points);

/* Coordinate of sampled parameter `i_sampled` of instances i_first … i_first + n − 1 to units[n]. Once `stop` (as in
 * sarrus_batch_options) is set, it returns at once, with some of them. */
void sarrus_points_fill(const sarrus_points *points, int i_sampled, uint64_t i_first, uint64_t n, const volatile int32_t *stop,
                        double *units);

/* An independent draw: of the parameter whose label has this hash (label_hash.h), for instance `number` of the study. */
double sarrus_point_random(uint64_t label_hash, uint64_t seed, uint64_t number);

#endif
