/* The result file: one writer thread owns HDF5, whole chunks, compression by workers, commits by flush.
 * The sink knows arrays, names and units; nothing about mechanisms. */
#ifndef SARRUS_SINK_SINK_H
#define SARRUS_SINK_SINK_H

#include <stdbool.h>
#include <stdint.h>

#include "sarrus/context.h"

typedef struct sarrus_sink sarrus_sink;

typedef enum sarrus_sink_type {
    SARRUS_SINK_F64 = 0,
    SARRUS_SINK_U16 = 1,
    SARRUS_SINK_U64 = 2, /* of columns and measures only */
} sarrus_sink_type;

/* One dataset [n_instances][n_times] or [n_instances][n_times][width]; in blocks the numbers are doubles always, and
 * converted on the way out (U16: rounded and limited to 0 … 65534; NaN becomes 65535, which is also the fill value). */
typedef struct sarrus_sink_field {
    const char *path; /* "state/q", "reactions/A" */
    const char *long_name;
    const char *units; /* "m | rad" where components differ */
    sarrus_sink_type type;
    int width;                 /* 0: no third axis */
    const char *const *labels; /* [width] names of the third axis, NULL: none */
    const char *labels_path;   /* dataset of the labels, a dimension scale ("coordinate"); shared by name */
    int n_flags;               /* extra integer attributes, as {"unique", 0} */
    const char *const *flag_names;
    const int *flag_values;
} sarrus_sink_field;

typedef struct sarrus_sink_parameter {
    const char *path;     /* under /instance/parameters/ */
    const double *values; /* [n_instances] */
} sarrus_sink_parameter;

/* One dataset [n_instances] that is written anew at every commit. */
typedef struct sarrus_sink_measure {
    const char *path;
    const char *long_name;
    const char *units;
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

/* What one group of the file holds; of most files there is one, and its place is the root. What is of the file (n_compress_threads,
 * stop, stop_seconds, keeps_complete) is that of the first. */
typedef struct sarrus_sink_description {
    uint64_t n_instances;
    uint64_t first_instance; /* number of the first instance in its study */
    uint64_t n_study;        /* instances of the whole study; 0: those of the file */
    uint64_t n_times;
    sarrus_sink_times times; /* asked by the writer, as far as the file has come; with `times_user` it lives until the end */
    const void *times_user;
    /* The times are not known beforehand: n_times is the most that there may be, `times` is not asked, each block brings its own,
     * and the file has as many as were written, but one at least. */
    bool is_open_ended;
    int n_fields;
    const sarrus_sink_field *fields;
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
    uint64_t block_bytes;   /* memory for one block of all fields; 0: 64 MiB. At least one time always fits */
    int n_compress_threads; /* 0: 2 */
    /* NULL: none. Once it is set, the file is to be closed soon: what is written from then on is hardly compressed, and blocks that
     * are not written after stop_seconds (0: a tenth of a second) are dropped. */
    const volatile int32_t *stop;
    double stop_seconds;
    bool keeps_complete; /* a complete result of that name is not to be replaced */
} sarrus_sink_description;

/* The groups of a file that has several: each stands below its number, as /0. What stands beside them at the root: */
typedef struct sarrus_sink_index {
    const char *scenario;     /* the document that names them, YAML */
    const char *const *files; /* [n_groups] the files that it names */
} sarrus_sink_index;

/* A block: all instances × n_times times from i_time_first. data[f] is [n_instances][n_times][max(width, 1)] doubles,
 * owned by the sink; the caller fills it and submits. */
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
    bool complete;
} sarrus_sink_outcome;

/* Creates the file beside `path` (`path`.partial, links followed) with all metadata, scales and empty datasets, commits it, and
 * starts the writer. What stands at `path` stays until sarrus_sink_close. Errors: BAD_ARGUMENT (the description; `path` is not a
 * result, or one that is to be kept, or is being written), IO (with the system's reason), NO_MEMORY. The description is copied. A
 * note in `context` tells of an unfinished file of an earlier run that was put aside. */
SARRUS_MUST_USE sarrus_status sarrus_sink_create(sarrus_context *context, const char *path,
                                                 const sarrus_sink_description *description, sarrus_sink **out);

/* The same with groups: descriptions [n_groups], and what stands beside them. Without an index there is one, at the root. */
SARRUS_MUST_USE sarrus_status sarrus_sink_create_groups(sarrus_context *context, const char *path, const sarrus_sink_index *index,
                                                        const sarrus_sink_description *descriptions, int n_groups,
                                                        sarrus_sink **out);

/* Number of times in a full block of group `i_group` (the last may be shorter). */
uint64_t sarrus_sink_block_times(const sarrus_sink *sink, int i_group);

/* The next block of a group, in order of time; waits while both its buffers are being written. Each group may have a block lent.
 * SINK_FAILED after a write error. */
SARRUS_MUST_USE sarrus_status sarrus_sink_acquire(sarrus_sink *sink, int i_group, sarrus_sink_block *out);

/* Hands the acquired block of a group to the writer; n_times may be smaller than acquired only for the last block.
 * The writer takes blocks in the order in which they were handed over. It commits (flush) each block and writes instance/status,
 * the measures and the new rows as of then. NO_MEMORY when the rows cannot be kept; the block is then still the caller's. */
SARRUS_MUST_USE sarrus_status sarrus_sink_submit(sarrus_sink *sink, int i_group, uint64_t n_times,
                                                 const sarrus_sink_outcome *outcome);

/* Waits for the writer, writes the outcomes [n_groups], sets `complete` of a group when its outcome says so and every time was
 * written (of an open-ended one: every one that was submitted), and that of the file when all are, closes the file and gives it its
 * name, on the disk. With outcomes = NULL, of a run that has failed, it keeps the name of an unfinished one. A file without any
 * time in any group is removed. After a write error nothing more reaches the file, which stays as last committed and keeps its
 * unfinished name; the same when somebody has removed, replaced or shortened it: SINK_FAILED, with the cause in `context`. The sink
 * is still to be destroyed. */
SARRUS_MUST_USE sarrus_status sarrus_sink_close(sarrus_sink *sink, sarrus_context *context, const sarrus_sink_outcome *outcomes);

/* Output times of a group in the file, once it is closed: all that were submitted, unless a stop left no time to write them. */
uint64_t sarrus_sink_times_written(const sarrus_sink *sink, int i_group);

/* The name of an unfinished file that was left by a close; NULL: there is none. The sink's. */
const char *sarrus_sink_left(const sarrus_sink *sink);

/* Every state is allowed, NULL too. Without a close before, as after one without an outcome. */
void sarrus_sink_destroy(sarrus_sink *sink);

/* Seconds that the writer thread was busy (waiting for its compression threads included), size of the file so far in bytes. */
double sarrus_sink_busy_seconds(const sarrus_sink *sink);
uint64_t sarrus_sink_bytes(const sarrus_sink *sink);

#endif
