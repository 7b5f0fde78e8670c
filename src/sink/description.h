/* What goes into a result file, as its caller says it: fields, columns, measures, blocks of numbers and the outcome of the
 * instances.
 */
#ifndef SARRUS_SINK_DESCRIPTION_H
#define SARRUS_SINK_DESCRIPTION_H

#include <stdbool.h>
#include <stdint.h>

typedef enum sarrus_sink_type {
    SARRUS_SINK_F64 = 0,
    SARRUS_SINK_U16 = 1,
    SARRUS_SINK_U64 = 2,
} sarrus_sink_type;

/* One dataset [n_trajectories][n_times] or [n_trajectories][n_times][width]; what is of all instances together has no first axis,
 * and may have one of levels behind the others. In blocks the numbers are doubles always, and converted on the way out (U16:
 * rounded and limited to 0 … 65534; NaN becomes 65535, which is also the fill value; U64: exact integers, the fill value is 0). */
typedef struct sarrus_sink_field {
    const char *path; /* "state/q", "reactions/A" */
    const char *long_name;
    const char *units;                  /* of all its numbers; NULL: components differ, or nobody knows */
    const char *const *component_units; /* [n_component_units] of the components in turn, from the first again behind the last */
    int n_component_units;
    const char *comment; /* what a reader should know; NULL: nothing */
    const char *method;  /* how the numbers were made; NULL: there is one way only */
    sarrus_sink_type type;
    int width;                 /* 0: no such axis */
    const char *const *labels; /* [width] names along it; NULL: numbers from 0 on */
    const char *labels_path;   /* dataset of the labels, a dimension scale ("coordinate"); shared by name. NULL: none */
    int n_flags;               /* extra integer attributes, as {"unique", 0} */
    const char *const *flag_names;
    const int *flag_values;
    int n_kept_bits; /* of F64: bits behind the leading one that are kept, the rest is rounded (sink/bit_round.h); 0: all */
    bool is_common;  /* of all instances together: [n_times] or [n_times][width] */
    bool has_levels; /* of these alone: the last axis is that of the description's levels */
} sarrus_sink_field;

/* An axis of numbers, as of quantiles: its dimension scale. */
typedef struct sarrus_sink_levels {
    const char *path;
    const char *long_name;
    const char *units;
    int n;
    const double *values; /* [n] */
} sarrus_sink_levels;

/* Names along axes of totals, and the one or two dimension scales that hold them. */
typedef struct sarrus_sink_labels {
    const char *path, *path_again; /* of the first axis, and of a second that has the same; NULL: there is none */
    const char *long_name;
    int n;
    const char *const *texts; /* [n]; NULL: numbers from 0 on */
} sarrus_sink_labels;

/* Of all instances together and of no time: a dataset (), [n levels], [n labels] or [n labels][n labels], written at the end; until
 * then it reads as NaN or 0. */
typedef struct sarrus_sink_total {
    const char *path;
    const char *long_name;
    const char *units;     /* NULL: nobody knows */
    sarrus_sink_type type; /* F64 or U64 */
    bool has_levels;
    int n_label_axes;                 /* 0, 1 or 2; of a total without levels */
    const sarrus_sink_labels *labels; /* of these; NULL: those of the description */
} sarrus_sink_total;

typedef struct sarrus_sink_parameter {
    const char *path;       /* under /instance/parameters/ */
    const double *values;   /* [n_instances] */
    const char *counted_in; /* units of the values; NULL: nobody knows */
    const char *label;      /* under /instance/unit/; NULL: it stands there by another path already */
    const double *units;    /* [n_instances] the draw in the unit interval; NULL: there is none */
} sarrus_sink_parameter;

/* One dataset [n_instances] that is written anew at every commit. */
typedef struct sarrus_sink_measure {
    const char *path;
    const char *long_name;
    const char *units;     /* NULL: nobody knows */
    sarrus_sink_type type; /* F64 or U64 */
} sarrus_sink_measure;

/* One column of a table that grows from commit to commit: a dataset [n_rows]. */
typedef struct sarrus_sink_column {
    const char *path;
    const char *long_name;
    const char *units;
    sarrus_sink_type type;
} sarrus_sink_column;

/* Output times i_first … i_first + n − 1 into `out`, s. */
typedef void (*sarrus_sink_times)(const void *user, uint64_t i_first, uint64_t n, double *out);

struct sarrus_sink_outcome;

/* Which file it was, and that nobody has written to it since. */
typedef struct sarrus_source_mark {
    uint64_t device, inode, n_bytes;
    int64_t seconds, nanoseconds; /* of the last change */
} sarrus_source_mark;

/* What an earlier run of the same has left: a new file takes its first output times over instead of waiting for them. */
typedef struct sarrus_sink_source {
    const char *path;
    sarrus_source_mark mark;                    /* as it was when it was found to be of the same run */
    const uint64_t *n_times;                    /* [n_groups] output times: whole blocks, or all of them */
    const uint64_t *n_rows;                     /* [n_groups] rows of the table */
    const struct sarrus_sink_outcome *outcomes; /* [n_groups] how the instances stood then; no rows */
} sarrus_sink_source;

/* What one group of the file holds; of most files there is one, and its place is the root. What is of the file (n_compress_threads,
 * stop, stop_seconds, keeps_complete, source) is that of the first. */
typedef struct sarrus_sink_description {
    uint64_t n_instances;
    /* Fields have rows of these instances alone, whose numbers in the study are given, ascending; there may be none. */
    bool has_trajectories;
    uint64_t n_trajectories;
    const uint64_t *trajectories; /* [n_trajectories] */
    uint64_t first_instance;      /* number of the first instance in its study */
    uint64_t n_study;             /* instances of the whole study; 0: those of the file */
    int study_group;              /* of several in the study, one of which is in the file */
    const char *study_group_file; /* that it is from; NULL: the file is not of one of several */
    uint64_t n_times;
    sarrus_sink_times times; /* asked by the writer, as far as the file has come; with `times_user` it lives until the end */
    const void *times_user;
    /* The times are not known beforehand: n_times is the most that there may be, `times` is not asked, each block brings its own,
     * and the file has as many as were written, but one at least. */
    bool is_open_ended;
    int n_fields;
    const sarrus_sink_field *fields;
    const sarrus_sink_levels *levels; /* NULL: none */
    int n_totals;
    const sarrus_sink_total *totals;
    const sarrus_sink_labels *total_labels; /* NULL: none */
    int n_parameters;
    const sarrus_sink_parameter *parameters;
    int n_measures;
    const sarrus_sink_measure *measures;
    int n_columns; /* of the table; 0: none */
    const sarrus_sink_column *columns;
    const char *columns_scale; /* name of the dimension scale that the first column is for all of them */
    uint64_t rows_of_chunk;    /* of the table; 0: 4096 */
    const char *scenario;      /* resolved YAML */
    const char *backend, *device;
    uint64_t seed;
    uint64_t plan_hash;
    int n_ranks;            /* processes that share the study; 0: 1 */
    uint64_t block_bytes;   /* memory for one block of all fields; 0: 64 MiB. At least one time always fits */
    uint64_t beside_bytes;  /* that the caller needs for each time of a block beside it, and that count with it */
    int n_compress_threads; /* 0: 2 */
    /* NULL: none. Once it is set, the file is to be closed soon: what is written from then on is hardly compressed, and blocks that
     * are not written after stop_seconds (0: a tenth of a second; for each group, up to ten) are dropped. */
    const volatile int32_t *stop;
    double stop_seconds;
    bool keeps_complete;              /* a complete result of that name is not to be replaced */
    const sarrus_sink_source *source; /* of a description that agrees with this one; NULL: the file begins empty */
} sarrus_sink_description;

/* The groups of a file that has several: each stands below its number, as /0. What stands beside them at the root: */
typedef struct sarrus_sink_index {
    const char *scenario;     /* the document that names them, YAML */
    const char *const *files; /* [n_groups] the files that it names */
} sarrus_sink_index;

/* A block: all trajectories × n_times times from i_time_first. data[f] is [n_trajectories][n_times][max(width, 1)] doubles, of a
 * common field [n_times][max(width, 1)][levels or 1], owned by the sink; the caller fills it and submits. */
typedef struct sarrus_sink_block {
    uint64_t i_time_first;
    uint64_t n_times;
    double **data;
    double *times; /* [n_times] s, to be filled too when the file is open-ended; else NULL */
} sarrus_sink_block;

/* How each instance stands or ended, and what happened since the last outcome that was handed over. */
typedef struct sarrus_sink_outcome {
    const uint8_t *status;         /* [n_instances] sarrus_instance_status */
    const double *failed_time;     /* [n_instances] s, NaN when healthy */
    const double *const *measures; /* [n_measures] of [n_instances], exact integers in those of integers; NULL: as before */
    uint64_t n_rows;               /* to be added to the table */
    const double *const *rows;     /* [n_columns] of [n_rows], exact integers in columns of integers */
    const double *const *totals;   /* [n_totals] of [their numbers]; NULL: as before. Of the end alone, not of blocks */
    bool complete;
} sarrus_sink_outcome;

#endif
