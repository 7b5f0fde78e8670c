/* The whole main job: draw, assemble, integrate, stream to HDF5. */
#ifndef SARRUS_RUN_H
#define SARRUS_RUN_H

#include <stdint.h>

#include "sarrus/batch.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Where a run stands; handed to the progress callback a few times a second. */
typedef struct sarrus_progress {
    double time, t_end;        /* s of motion */
    uint64_t instance_steps;   /* done so far */
    uint64_t n_instance_steps; /* in all */
    uint64_t n_resumed_steps;  /* of those that are done, the ones that an earlier run has made */
    uint64_t n_failed;         /* instances failed so far */
    double wall_seconds;       /* since the run began to integrate */
    int is_adaptive;           /* 1: every instance steps for itself; instance_steps then counts intervals between common times */
} sarrus_progress;

/* Return non-zero to stop the run (it flushes, closes the file and returns INTERRUPTED). */
typedef int (*sarrus_progress_function)(const sarrus_progress *progress, void *user);

/* Zero-initialize; 0 and NULL mean the scenario's own choice. */
typedef struct sarrus_run_options {
    const char *output_path; /* NULL: no file is written */
    sarrus_batch_options batch;
    uint64_t n_instances; /* of the study, with a design its points or trajectories; 0: the scenario's */
    /* The part of the study that is run: n_part instances from this one on; 0: all of them to the last. They have the same bits as
     * in the whole study. */
    uint64_t first_instance, n_part;
    /* 1: replay, of a part of one instance: the file has a row for every step beside those for the output times of the study, and
     * ends where the instance fails (docs/replay.md). */
    int shows_steps;
    /* Of one group of a run of several models that is run without the others, as in a replay: the file that its model is from
     * (NULL: it is of none) and its number there, which the result file says. */
    const char *study_group_file;
    int study_group;
    const uint64_t *seed; /* NULL: the scenario's */
    sarrus_progress_function progress;
    void *progress_user;
    const sarrus_plan *plan; /* of this model; NULL: the run makes its own */
    /* Of this model, as sarrus_draws_from_values makes them; NULL: the run draws. n_instances = 0 is then their number. */
    const sarrus_draws *draws;
    int no_clobber; /* 1: a complete result at output_path is not to be replaced */
    /* 1: goes on where an earlier run of the same to output_path has stood when it was stopped, killed, or failed, and ends with
     * the bytes of one that was not (docs/reliability.md). Without such a run it begins anew; of a complete result nothing is run.
     * Notes in the context say which of these it was. */
    int resumes;
    /* s between the checkpoints from which a run can be resumed, more where they would take above a fiftieth of the time; 0: 5;
     * negative: there are none. */
    double checkpoint_seconds;
    uint64_t memory; /* bytes that the run is to keep to with its blocks of output, of which it has four; 0: up to 64 MiB each */
    int n_ranks;     /* processes that share the study, which the file says; 0: 1 */
    /* Of a run of one model: where its quantities go at the end, in the order of the scenario, [n_quantities] of [n_instances], NaN
     * of instances that failed; NULL, or NULL in the place of one: nowhere but to the file. */
    double *const *quantities;
} sarrus_run_options;

/* One count over the instances, failed ones as far as they got. */
typedef struct sarrus_run_count {
    uint64_t total;
    uint64_t most; /* of one instance */
    double mean;
} sarrus_run_count;

/* An instance that failed. */
typedef struct sarrus_run_failure {
    uint64_t instance; /* its number in the study of its group */
    double time;       /* s */
    int group;         /* 0 in a run of one model */
} sarrus_run_failure;

typedef struct sarrus_run_summary {
    uint64_t n_instances, n_failed;
    uint64_t first_instance, n_study; /* number of the first instance in its study; instances of the whole study */
    uint64_t n_failed_by_status[SARRUS_N_INSTANCE_STATUS];
    sarrus_run_failure first_failure[SARRUS_N_INSTANCE_STATUS]; /* of each status that there is, the instance of lowest number */
    uint64_t
        n_over_error_limit;   /* of the unresolved: those whose steps' estimated errors have added up to more than limits.error */
    uint64_t n_steps;         /* per instance; of an adaptive method: intervals between common times */
    uint64_t n_output_times;  /* rows of the file, or of what was observed */
    double t_end;             /* s reached */
    int is_resumed;           /* 1: the run went on where an earlier one has stood */
    double resumed_time;      /* s of motion, there; NaN: it was none */
    int has_checkpoint;       /* 1: it has left one, from which it can be resumed */
    double wall_seconds;      /* integration and output */
    double integrate_seconds; /* of which: advancing and observing */
    double instance_steps_per_second;
    double max_position_error; /* largest ‖Φ‖ seen at an output, healthy instances */
    double max_velocity_error;
    /* Of every step, whatever is observed, over the healthy instances (sarrus_instance_verdict); NaN when there are none. */
    double max_violation;                                   /* ‖Φ‖ relative to the mechanism's size */
    double max_energy_error;                                /* |E − E0 − work| relative to the energies turned over */
    double nearest_change_point, nearest_change_point_time; /* the smallest distance, 1: ordinary; s */
    uint64_t nearest_change_point_instance;
    int nearest_change_point_group;
    uint64_t n_rank_changes; /* changes of rank between outputs */
    uint64_t output_bytes;   /* of the file that has its name; 0: there is none */
    char backend[32], device[96];
    int is_adaptive; /* 1: the integrator chooses its steps */
    sarrus_run_count steps, rejections, evaluations;
    sarrus_run_count rank_changes; /* of the rank decision from one step to the next */
    sarrus_specialization specialization;
    uint64_t n_library_matrices, n_library_refused; /* as sarrus_batch_library_counts */
} sarrus_run_summary;

/* Whether a run could write its result to `path`, as sarrus_run asks before it does anything else: to be asked before a plan is
 * made. Nothing is written. BAD_ARGUMENT when something stands there that is no result of Sarrus (an empty file is free to be
 * used), when another process is writing to it, or with no_clobber = 1 when it is a complete result; IO when it cannot be written;
 * NO_MEMORY. */
SARRUS_MUST_USE sarrus_status sarrus_result_path_check(sarrus_context *context, const char *path, int no_clobber);

/* Runs `model` to its t_end. The result is written to output_path + ".partial" and takes its name at the end; what stood there
 * before stays until then. Errors: those of sarrus_result_path_check, plan, batch and sink; SINK_FAILED (what was committed is
 * intact); INTERRUPTED when
 * options->batch.stop or the progress callback asked for it. The file then holds all output times that every instance has reached,
 * less what could not be written within a tenth of a second, is valid and has its name; there is none (output_bytes = 0) when
 * the run was still being prepared or no output time could be written. Of a run that fails the file, if it holds any output time,
 * keeps the partial name, and a note says so. The making of a plan is not interrupted.
 * `*summary` is filled as far as the run got. */
SARRUS_MUST_USE sarrus_status sarrus_run(sarrus_context *context, const sarrus_model *model, const sarrus_run_options *options,
                                         sarrus_run_summary *summary);

/* One of the groups of a run: instances of one model. Zero-initialize all but the model. */
typedef struct sarrus_run_group {
    const sarrus_model *model;
    const sarrus_plan *plan;         /* of this model; NULL: the run makes its own */
    uint64_t n_instances;            /* of the study, as in the options; 0: the scenario's */
    uint64_t first_instance, n_part; /* as in the options */
    const uint64_t *seed;            /* NULL: that of the options, and without one the scenario's */
    const char *file;                /* what the result file says that the model is from; NULL: "" */
} sarrus_run_group;

/* Runs several models at once, each with its own instances, into one file: what sarrus_run would write of group i stands below /i,
 * with the same bits; `scenario` is the text that stands at the root as the scenario (NULL: ""). The groups take turns, so that
 * their times come to the file side by side. Of the options plan, draws, n_instances, first_instance, n_part, shows_steps and
 * study_group_file are to be left at 0. Errors: those of sarrus_run; a stop and a failure are those of all. `*summary` is that of
 * all together: sums and extremes, and n_steps, n_output_times and t_end that all have reached; kernels are those of group 0.
 * `summaries` [n_groups], one each, with the wall time of all; NULL: not wanted. */
SARRUS_MUST_USE sarrus_status sarrus_run_groups(sarrus_context *context, const sarrus_run_group *groups, int n_groups,
                                                const char *scenario, const sarrus_run_options *options,
                                                sarrus_run_summary *summary, sarrus_run_summary *summaries);

/* Makes one result of the parts of a study, results that sarrus_run has made of first_instance and n_part (`sarrus run
 * --shard`), in any order. Rows of instances stay where they are: the datasets of the merged file are virtual and read them from
 * the parts, whose names are in it, relative to its own folder where they lie there or below. Statistics and sensitivity are
 * made anew, of all instances; a note says when those over time are left out, because trajectories are not in the parts. The
 * file is written beside its name as that of a run is; no_clobber as there. BAD_INPUT when the parts are not the whole of one
 * study, each instance once, or not complete; BAD_ARGUMENT (no parts, or something stands at `path` that is no result), IO,
 * UNSUPPORTED, NO_MEMORY. */
SARRUS_MUST_USE sarrus_status sarrus_results_merge(sarrus_context *context, const char *const *parts, int n_parts, const char *path,
                                                   int no_clobber);

/* Runs the failed instances of the study in `before` again, with the integrator, formulation and limits of `model` and the
 * parameters that they had, and writes to options->output_path a copy of `before` with their new rows; the others keep their
 * bits. `model` is the same mechanism with the same output at the same times. /instance/retried says whose rows are new,
 * /retries/<k>/scenario with which scenario they were made; statistics and sensitivity are made anew. `before` is the complete
 * result of a study of one scenario in one file, and may be output_path. Of the options draws, plan, n_instances,
 * first_instance, n_part, shows_steps, seed and resumes are to be left at 0. `*summary` is that of the instances that were run
 * again (n_instances, n_failed among them), but for n_study and output_bytes. Errors: those of sarrus_run; BAD_INPUT when
 * `before` is no such result. After INTERRUPTED nothing is written. */
SARRUS_MUST_USE sarrus_status sarrus_run_retry(sarrus_context *context, const sarrus_model *model, const char *before,
                                               const sarrus_run_options *options, sarrus_run_summary *summary);

/* What a result file holds. */
typedef struct sarrus_result_info {
    int format;
    int complete;
    char version[32], created[40], backend[32], device[96];
    uint64_t seed, n_instances, n_times, n_failed;
    uint64_t first_instance, n_study; /* number of the first instance in its study; instances of the whole study */
    uint64_t n_trajectories;          /* instances of which the datasets over instances and times have rows */
    uint64_t n_failed_by_status[SARRUS_N_INSTANCE_STATUS];
    sarrus_run_failure first_failure[SARRUS_N_INSTANCE_STATUS]; /* of each status that there is, the instance of lowest number */
    double t_first, t_last;
    int n_coordinates;
    int n_datasets;
    uint64_t file_bytes;
    int has_rank_events;    /* 1: the file has the table of changes of rank */
    uint64_t n_rank_events; /* rows of it */
    /* Of a merged result, else 0; those that are not where they were: their rows read as NaN or 0, their status as 255. */
    int n_parts, n_parts_missing;
    /* Groups of a run of several models; 0: it was of one. Of the file as a whole counts are sums, times those that some group has,
     * and backend, device, seed, first instance and coordinates those of group 0. */
    int n_groups;
    int is_of_group, study_group; /* 1: a replay of one of several groups; its number among them */
    char scenario_file[256];      /* of such a group and of its replay: where its model is from, cut where it is longer; else "" */
} sarrus_result_info;

/* Errors of this and those below: IO (cannot be read, damaged), BAD_INPUT (not HDF5, or no result of Sarrus), UNSUPPORTED (a format
 * of another version). The HDF5 library can crash on a file that was damaged on purpose or by a disk: whoever reads such files does
 * it in a process of its own, as `sarrus info` does. */
SARRUS_MUST_USE sarrus_status sarrus_result_info_read(sarrus_context *context, const char *path, sarrus_result_info *out);

/* The same of group i_group alone (n_groups is 0 then); BAD_ARGUMENT when there is no such group, as in a run of one model. */
SARRUS_MUST_USE sarrus_status sarrus_result_group_info_read(sarrus_context *context, const char *path, int i_group,
                                                            sarrus_result_info *out);

/* Calls `visit` for every dataset: its path, shape, type name, storage bytes and units, the different ones of several with commas
 * between them; "": it has none. */
typedef void (*sarrus_dataset_visitor)(const char *path, int n_dims, const uint64_t *dims, const char *type, uint64_t stored_bytes,
                                       const char *units, void *user);
SARRUS_MUST_USE sarrus_status sarrus_result_visit(sarrus_context *context, const char *path, sarrus_dataset_visitor visit,
                                                  void *user);

#ifdef __cplusplus
}
#endif

#endif
