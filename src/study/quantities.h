/* The quantities of a run: every block of observations is taken into them, time by time, instance by instance. An instance's
 * numbers depend on its own rows and their order alone. */
#ifndef SARRUS_STUDY_QUANTITIES_H
#define SARRUS_STUDY_QUANTITIES_H

#include "core/crew.h"
#include "model/quantity.h"
#include "plan/plan.h"
#include "sarrus/context.h"
#include "study/instance_numbers.h"

typedef struct sarrus_study_quantities {
    const sarrus_model *model;
    uint64_t n_instances;
    int n, n_members, n_reductions;
    sarrus_quantities **members;     /* [n_members] the same set for every thread */
    sarrus_reduction_state *states;  /* [n_instances][n_reductions] */
    double **results;                /* [n] of [n_instances] */
    double *scratch;                 /* [n] */
    sarrus_instance_numbers numbers; /* points [n_points][dimension], then named parameters */
    int *i_number;                   /* [n_terms] of a named parameter among these */
    int width[SARRUS_N_OBSERVABLES]; /* doubles of an instance and time that have to be observed; 0: not needed */
} sarrus_study_quantities;

/* Of the quantities of the plan's model, for `n_members` threads. NO_MEMORY. `*out` is to be given to
 * sarrus_study_quantities_free, after an error too. */
SARRUS_MUST_USE sarrus_status sarrus_study_quantities_create(sarrus_context *context, const sarrus_plan *plan,
                                                             const sarrus_draws *draws, uint64_t n_instances, int n_members,
                                                             sarrus_study_quantities *out);
void sarrus_study_quantities_free(sarrus_study_quantities *quantities);

/* Rows of the arrays source[observable] [n_instances][n_rows_stride][width], from the first on, and their times, s. */
typedef struct sarrus_quantity_rows {
    uint64_t n_rows_stride, n_rows;
    const double *times;      /* [n_rows] */
    const double *is_counted; /* [n_rows] 0: the row is no output time; NULL: all are */
    double *const *source;    /* [SARRUS_N_OBSERVABLES] */
    sarrus_crew *crew;
    int n_threads;
} sarrus_quantity_rows;

void sarrus_study_quantities_take(sarrus_study_quantities *quantities, const sarrus_quantity_rows *rows);

/* Fills the results from what was taken so far; NaN for instances whose status is not 0. */
void sarrus_study_quantities_finish(sarrus_study_quantities *quantities, const uint8_t *status);

#endif
