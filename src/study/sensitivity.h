/* What `output.sensitivity` asks for: how much each sampled parameter has to do with a quantity, by the design of the study. Of a
 * Saltelli design Sobol' indices, of Morris' trajectories elementary effects, of any other sample rank correlations. It takes the
 * whole study, and is made once its quantities are known. */
#ifndef SARRUS_STUDY_SENSITIVITY_H
#define SARRUS_STUDY_SENSITIVITY_H

#include "core/crew.h"
#include "model/model.h"
#include "model/unit_rules.h"
#include "sarrus/context.h"
#include "sink/description.h"

typedef struct sarrus_sensitivity {
    const sarrus_model *model;
    sarrus_design design; /* of the instances: plain of an own sample */
    uint64_t n_instances; /* of the study */
    uint64_t n_blocks;    /* base points, trajectories, or instances */
    int n_members;
    int n_totals;
    sarrus_sink_total *totals; /* [n_totals] of each quantity */
    double **values;           /* [n_totals] of [1], [D] or [D][D] */
    char **texts;              /* [n_texts] owned: paths */
    int n_texts;
    sarrus_sink_labels labels;        /* of the axes of parameters */
    const char **names;               /* [D] */
    char (*units)[SARRUS_UNIT_BYTES]; /* [n_quantities] */
    struct sarrus_sensitivity_scratch *scratch;
} sarrus_sensitivity;

/* The design whose rows `n_instances` instances are; an own sample has none. For `n_members` threads. NO_MEMORY. `*out` is to be
 * given to sarrus_sensitivity_free, after an error too; without `output.sensitivity` it is empty. */
SARRUS_MUST_USE sarrus_status sarrus_sensitivity_create(sarrus_context *context, const sarrus_model *model, bool is_own_sample,
                                                        uint64_t n_instances, int n_members, sarrus_sensitivity *out);
void sarrus_sensitivity_free(sarrus_sensitivity *sensitivity);

/* The labels for a sink; NULL: there are none. */
const sarrus_sink_labels *sarrus_sensitivity_labels(const sarrus_sensitivity *sensitivity);

/* What the instances of the study have. */
typedef struct sarrus_sensitivity_sample {
    uint64_t seed;                /* of the study: it makes the resamples too */
    const double *const *values;  /* [D] of [n_instances] the parameters */
    const double *const *units;   /* [D] of [n_instances] their draws in the unit interval; of Morris' trajectories alone */
    const double *const *results; /* [n_quantities] of [n_instances] */
    const uint8_t *status;        /* [n_instances] 0: ok */
    sarrus_crew *crew;
} sarrus_sensitivity_sample;

/* Fills `values`. A block with an instance that has failed, or lacks the quantity, is left out, and counted. */
void sarrus_sensitivity_finish(sarrus_sensitivity *sensitivity, const sarrus_sensitivity_sample *sample);

#endif
