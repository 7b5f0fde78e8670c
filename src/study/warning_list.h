/* A list of warnings while it is made. */
#ifndef SARRUS_STUDY_WARNING_LIST_H
#define SARRUS_STUDY_WARNING_LIST_H

#include <stdbool.h>
#include <stddef.h>

#include "model/model.h"
#include "sarrus/warning.h"

struct sarrus_warnings {
    struct sarrus_warning_entry *list; /* [n] */
    int n, capacity;
    int n_left_out[SARRUS_N_WARNING_KINDS]; /* beyond those that are listed one by one */
    int n_listed[SARRUS_N_WARNING_KINDS];
    bool is_out_of_memory; /* sticky */
};

/* Adds a warning; beyond a few of a kind they are only counted. */
SARRUS_PRINTF(6, 7)
void sarrus_warnings_add(sarrus_warnings *warnings, sarrus_warning_kind kind, const char *name, const double *values, int n_values,
                         const char *format, ...);

/* Adds the line that counts what was left out of `kind`: " …and 3 more <what>", nothing when there is none. */
void sarrus_warnings_add_rest(sarrus_warnings *warnings, sarrus_warning_kind kind, const char *what);

/* The parts of the list that need numbers of the scenario only: angles, steps beside the periods of sines, named parameters, values
 * that are drawn; draws of n_instances, sensitivities of n_blocks base points, trajectories or instances. */
void sarrus_warn_of_angles(sarrus_warnings *warnings, const sarrus_model *model);
void sarrus_warn_of_coarse_steps(sarrus_warnings *warnings, const sarrus_model *model);
void sarrus_warn_of_parameters(sarrus_warnings *warnings, const sarrus_model *model);
void sarrus_warn_of_nominal_values(sarrus_warnings *warnings, const sarrus_model *model);
void sarrus_warn_of_few_blocks(sarrus_warnings *warnings, const sarrus_model *model, uint64_t n_blocks);
void sarrus_warn_of_draws(sarrus_warnings *warnings, const sarrus_model *model, uint64_t n_instances);

/* And the one that assembles instances: those whose redundant constraints hold after all. */
void sarrus_warn_of_locked_draws(sarrus_warnings *warnings, const sarrus_plan *plan);

#endif
