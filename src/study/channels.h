/* Which datasets a run writes, and where each is found among the observables of a batch. */
#ifndef SARRUS_STUDY_CHANNELS_H
#define SARRUS_STUDY_CHANNELS_H

#include <stdbool.h>

#include "core/crew.h"
#include "model/draws.h"
#include "model/model.h"
#include "plan/plan.h"
#include "sarrus/batch.h"
#include "sarrus/space.h"
#include "sink/sink.h"
#include "study/instance_numbers.h"
#include "study/joint_names.h"
#include "study/joint_places.h"

/* Of a joint: where its point is that the parent, the child carries. */
enum { SARRUS_JOINT_PARENT_POINT, SARRUS_JOINT_POINT };

typedef struct sarrus_channels {
    int n_fields;
    sarrus_sink_field *fields;     /* [n_fields] */
    sarrus_observable *observable; /* [n_fields] the observable that a field is cut from */
    int *offset;                   /* [n_fields] its first component there */
    int *n_components;             /* [n_fields] its number of components, 1 for fields without third axis */
    sarrus_orientation *form;      /* [n_fields] PARAMETERS: as observed; else of the Euler parameters there */
    int *point;                    /* [n_fields] 0: none; 1 + the model's point that it shows, by the body's part of q, v, a */
    int *order;                    /* [n_fields] of a point: 0 position, 1 velocity, 2 acceleration; of a joint below */
    int *joint;                    /* [n_fields] 0: none; 1 + the joint of which it shows a point, by the order: */
    const sarrus_plan *plan;
    sarrus_joint_places places;      /* of the points of joints */
    sarrus_joint_names *joint_names; /* [n_joints] of their free coordinates */
    const sarrus_model *model;       /* of the points */
    bool has_kept;                   /* fields have rows of the instances `kept` alone */
    uint64_t n_kept;
    const uint64_t *kept;                 /* [n_kept] ascending, from 0 on; not owned */
    sarrus_instance_numbers at;           /* [n_points][dimension] where they are on their bodies */
    int width[SARRUS_N_OBSERVABLES];      /* doubles per instance and time; 0 when nothing in the file needs it */
    bool is_direct[SARRUS_N_OBSERVABLES]; /* one field is the whole observable: it is observed straight into the block */
    char **paths, **comments;             /* [n_fields] owned, NULL where they are constants */
    const char **coordinate_names;        /* [n], the strings belong to the plan */
    const char **speed_names;             /* [n] */
    int *uniqueness;                      /* [n_joints + n_constraints] 1: the reaction is unique */
} sarrus_channels;

/* Of what a scenario has there are to be datasets. */
typedef struct sarrus_channel_choice {
    unsigned channels;     /* SARRUS_CHANNEL_… */
    unsigned orientations; /* 1 << sarrus_orientation */
    bool has_drives, has_points;
} sarrus_channel_choice;

/* The scenario's output.channels, output.orientations, output.points and its driven joints. */
sarrus_channel_choice sarrus_channel_choice_of(const sarrus_model *model);

/* Model and plan must outlive the channels. NO_MEMORY. `*out` is to be given to sarrus_channels_free, after an error too. */
SARRUS_MUST_USE sarrus_status sarrus_channels_create(sarrus_context *context, const sarrus_plan *plan,
                                                     const sarrus_channel_choice *choice, sarrus_channels *out);

/* Leaves rows of these instances alone in the fields, none of which is direct any more. `kept` [n_kept] must outlive them. */
void sarrus_channels_keep(sarrus_channels *channels, const uint64_t *kept, uint64_t n_kept);

/* Where the points and the joints, if there are any among the fields, are in each of n_instances instances, whose draws (NULL:
 * none) begin with the first; without it they cannot be gathered. NO_MEMORY. */
SARRUS_MUST_USE sarrus_status sarrus_channels_points_place(sarrus_channels *channels, sarrus_context *context,
                                                           const sarrus_draws *draws, uint64_t n_instances);
void sarrus_channels_free(sarrus_channels *channels);

/* Whether field `i_field` is the whole of an observable that is observed straight into the block. */
bool sarrus_channels_field_is_direct(const sarrus_channels *channels, int i_field);

/* Whether it is a part of an observable as it is. */
bool sarrus_channels_field_is_plain(const sarrus_channels *channels, int i_field);

/* Which rows of arrays [n_instances][n_rows_stride][components], or [n_kept][…], to copy, and how many threads of whom do it. */
typedef struct sarrus_channels_rows {
    uint64_t n_instances, n_rows_stride, i_row, n_rows;
    sarrus_crew *crew;
    int n_threads;
} sarrus_channels_rows;

/* The numbers of field `i_field` of an instance in the row that is `i_row` of all of `source[observable]`, into `to`. */
void sarrus_channels_row(const sarrus_channels *channels, int i_field, uint64_t i_instance, uint64_t i_row,
                         double *const source[SARRUS_N_OBSERVABLES], double *to);

/* Copies, or converts, these rows of every field that is not direct from `source[observable]` to `data[field]`. */
void sarrus_channels_gather(const sarrus_channels *channels, const sarrus_channels_rows *rows,
                            double *const source[SARRUS_N_OBSERVABLES], double **data);

#endif
