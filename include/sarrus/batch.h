/* A batch: N instances of one plan, the only mutable object. One thread at a time per batch. */
#ifndef SARRUS_BATCH_H
#define SARRUS_BATCH_H

#include <stddef.h>
#include <stdint.h>

#include "sarrus/observable.h"
#include "sarrus/plan.h"
#include "sarrus/study.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct sarrus_batch sarrus_batch;

typedef enum sarrus_backend { SARRUS_BACKEND_AUTO = 0, SARRUS_BACKEND_CPU = 1, SARRUS_BACKEND_CUDA = 2 } sarrus_backend;

/* Devices of a backend that are usable here: 1 for CPU, the GPUs that are visible for CUDA; −1 when this build has no such backend.
 */
int sarrus_backend_n_devices(sarrus_backend backend);

/* Whether kernels are compiled for the plan, by the system's C compiler. They give the same bits as the generic ones, faster. */
typedef enum sarrus_specialize {
    SARRUS_SPECIALIZE_OFF = 0,  /* no */
    SARRUS_SPECIALIZE_AUTO = 1, /* taken from the cache; compiled beside the steps when the run is long enough to pay for it */
    SARRUS_SPECIALIZE_ON = 2    /* sarrus_batch_create waits for them */
} sarrus_specialize;

/* Zero-initialize; 0 and NULL mean the default. */
typedef struct sarrus_batch_options {
    sarrus_backend backend;
    const char *isa;      /* "avx512" | "avx2" | "baseline"; NULL: the widest that this processor has */
    int n_threads;        /* 0: all processors */
    int keep_rank_events; /* 1: changes of rank are kept for sarrus_batch_rank_events */
    sarrus_specialize specialize;
    const char *cache_dir; /* where compiled kernels are kept, made when missing; NULL: none are compiled */
    int n_devices;         /* GPUs that the instances are split between, of those that are visible; 0: all */
    const char *compiler;  /* a C compiler that takes gcc's options: a path, or a name that the standard path has; NULL: cc */
    /* The caller's flag, which outlives the batch; NULL: none. Once it is not zero, calls that make a batch or steps return
     * INTERRUPTED soon: sarrus_batch_create without a batch, those that make steps with one that can only be asked, reset and
     * destroyed (sarrus_batch_assemble and sarrus_batch_redraw say what they leave). It
     * may be set at any time, by another thread or in a handler of signals, and is to be cleared only between calls. */
    const volatile int32_t *stop;
    /* A batch may be a part of a study: its instance 0 is this one of the study, whose draws it takes. Everywhere else instances
     * are counted from 0. */
    uint64_t first_instance;
    uint64_t n_study; /* instances of the whole study, for which AUTO chooses the backend; 0: those of the batch */
    /* 1: smallest_kept and largest_dropped will be observed, for which the work space has to hold all rows. Else it may hold fewer
     * of a mechanism of thousands, where memory is short, which a warning says. */
    int needs_all_rows;
    /* Toolkits and environments of Python in which NVIDIA's libraries (NVRTC, cuSOLVER, cuBLAS) are looked for when the system's
     * loader knows none: whole paths, ':' between them. They come before the usual places; NULL: those alone. */
    const char *cuda_prefixes;
} sarrus_batch_options;

/* Fills the parameters of instances 0 … n_instances − 1 from the nominal values and the draws (NULL: none; else drawn for
 * options.first_instance and those after it), and assembles every instance: positions and velocities are projected (mass-weighted)
 * onto the constraints. An instance that cannot be assembled gets its status; that is not an error of the call. Errors: NO_BACKEND,
 * NO_MEMORY, BAD_ARGUMENT, INTERRUPTED. `*out` is the caller's; plan and model must outlive it, draws need not.
 */
SARRUS_MUST_USE sarrus_status sarrus_batch_create(sarrus_context *context, const sarrus_plan *plan,
                                                  const sarrus_batch_options *options, uint64_t n_instances,
                                                  const sarrus_draws *draws, sarrus_batch **out);
void sarrus_batch_destroy(sarrus_batch *batch);

/* Advances every healthy instance by `n_steps` steps of the scenario's dt (the last step before t_end may be shorter; behind t_end
 * times are multiples of dt again, so that the first step there is longer by as much as that one was shorter than dt). An adaptive
 * method takes as many steps as it needs to n_steps intervals of the output's grid (dt, or output.interval), where the state is
 * interpolated; with inputs its last step ends there. Instances that fail get their status
 * and freeze at their last good state: where their own last step or part of one led, whatever the calls. DEVICE_FAILED when a
 * GPU is lost, and the batch with it: of the queries that show instances each then tells what it told last. INTERRUPTED when
 * options.stop was set: instances then stand between their steps, some further on than others, while time and steps are those
 * before the call; until a reset every call that makes steps returns the same. Steps that had begun are dropped; on a GPU those
 * of the call are made. */
SARRUS_MUST_USE sarrus_status sarrus_batch_advance(sarrus_batch *batch, uint64_t n_steps);

/* Puts every instance back to its assembled state at t = 0 and clears the status words set since; inputs keep their values. An
 * interrupted batch can be used again then, once its flag is zero. */
SARRUS_MUST_USE sarrus_status sarrus_batch_reset(sarrus_batch *batch);

/* Some instances of a batch are told by a mask: [n_instances] bytes, those where it is not 0; NULL: all. */

/* Puts the masked instances back to their beginning: state, own time, counters, history of the integrator, verdict, changes of rank
 * kept, status; their inputs are 0. From here each goes as in a fresh batch, bit for bit, by a time of its own, and the others do
 * not notice. One that has failed lives again, unless it could not be assembled. Steps of the batch are counted on; the time of the
 * scenario, its t_end too, is that of each instance since it began. INTERRUPTED: the batch was, and has to be reset as a whole. */
SARRUS_MUST_USE sarrus_status sarrus_batch_reset_some(sarrus_batch *batch, const uint8_t *mask);

/* Lets the masked instances begin anew from the coordinates and speeds that were written (sarrus_batch_copy_in, or a view), or that
 * they have: both are projected onto the constraints at the instance's t = 0, as sarrus_batch_create does, and a later reset goes
 * back to that. Else as sarrus_batch_reset_some. An instance that cannot be assembled gets its status. INTERRUPTED: instances stand
 * as before, or have begun anew. NO_MEMORY, and nothing is done. DEVICE_FAILED. On a GPU all arrays of the batch go to the host
 * and back, however few instances are masked (docs/cuda.md). */
SARRUS_MUST_USE sarrus_status sarrus_batch_assemble(sarrus_batch *batch, const uint8_t *mask);

/* How parameters are drawn again. Zero-initialize and set `size`; NULL means the default. */
typedef struct sarrus_redraw {
    size_t size;              /* sizeof(sarrus_redraw) */
    const uint8_t *mask;      /* [n_instances]; NULL: all */
    const uint64_t *seeds;    /* [n_instances]; NULL: the scenario's */
    const uint64_t *episodes; /* [n_instances] 0 is what the study draws; NULL: one more than the instance's last */
    const uint64_t *numbers;  /* [n_instances] by which instances draw; NULL: the number of each in its study */
} sarrus_redraw;

/* Draws the sampled parameters of the masked instances anew and assembles these: each is as in a fresh batch with such draws. A
 * draw depends on (seed, number of the instance, episode, label of the parameter) only; with `numbers` it does not depend on the
 * instance's place. `how` may be NULL. Errors as of sarrus_batch_assemble; instances that were not reached then have the status
 * not_run. BAD_ARGUMENT: another size. */
SARRUS_MUST_USE sarrus_status sarrus_batch_redraw(sarrus_batch *batch, const sarrus_redraw *how);

/* A batch to bytes and back. What is loaded goes on with the bits of what was saved, on either backend and with any number of
 * threads: states, times, inputs, parameters, counters, histories and kept changes of rank. The bytes are those of this version of
 * the library and of the plan; they are in the byte order of the machine.
 * sarrus_batch_save fills n_bytes = sarrus_batch_save_size(batch) bytes. sarrus_batch_load puts them into a batch of the same plan
 * with the same number of instances; BAD_INPUT, and nothing is done: they are damaged, or not of such a batch. INTERRUPTED: the
 * batch was. NO_MEMORY. */
size_t sarrus_batch_save_size(sarrus_batch *batch);
SARRUS_MUST_USE sarrus_status sarrus_batch_save(sarrus_batch *batch, void *bytes, size_t n_bytes);
SARRUS_MUST_USE sarrus_status sarrus_batch_load(sarrus_batch *batch, const void *bytes, size_t n_bytes);

/* Why one of the calls with masks, fields or bytes, the last on this batch that was refused, was: a sentence; NULL: none was. */
const char *sarrus_batch_refusal(const sarrus_batch *batch);

/* Time in s, s of one step of sarrus_batch_advance (dt; of an adaptive method an interval of the output's grid), steps done, number
 * of instances. NaN and 0 of NULL. */
double sarrus_batch_time(const sarrus_batch *batch);
double sarrus_batch_interval(const sarrus_batch *batch);
uint64_t sarrus_batch_step(const sarrus_batch *batch);
uint64_t sarrus_batch_n_instances(const sarrus_batch *batch);

/* "cpu" or "cuda", and what runs it, as "avx512, 2 threads" or "2 x NVIDIA H200 (sm_90)"; owned by the batch. */
const char *sarrus_batch_backend_name(const sarrus_batch *batch);
const char *sarrus_batch_device_name(const sarrus_batch *batch);

/* After DEVICE_FAILED: what happened, as "CUDA device 0 (NVIDIA H200): unspecified launch failure"; owned by the batch. NULL while
 * all is well. */
const char *sarrus_batch_failure(const sarrus_batch *batch);

/* Fields of all instances. Q, V, INPUT and STATUS can be seen in place (sarrus_batch_view), all can be copied. */
typedef enum sarrus_field {
    SARRUS_FIELD_Q = 0,     /* [n_q]  m | rad, writable between calls: an adaptive method begins anew there */
    SARRUS_FIELD_V = 1,     /* [n]  m/s | rad/s, writable between calls */
    SARRUS_FIELD_INPUT = 2, /* [n_inputs]  N | N m, writable: the u_k of {input: k} */
    /* [sampled parameters]  in the units of the scenario's numbers, writable: sarrus_batch_parameter_label names them. What the
     * scenario makes of these numbers is written, its coordinates and speeds too; the instance has the status not_run, or
     * invalid_parameter, until it is assembled. */
    SARRUS_FIELD_PARAMETER = 3,
    SARRUS_FIELD_TIME = 4,        /* [1]  s, of the grid since the instance began; of one that has failed too */
    SARRUS_FIELD_STATUS = 5,      /* [1]  sarrus_instance_status */
    SARRUS_FIELD_FAILED_STEP = 6, /* [1]  the step since it began at which it failed; 0: it has not, or before the first */
    SARRUS_FIELD_EPISODE = 7,     /* [1]  of the last sarrus_batch_redraw, up to 2^53 (sarrus_batch_copy_episodes); 0: none */
} sarrus_field;

/* Numbers of a field an instance has; 0 of what is no field. */
int sarrus_batch_field_width(const sarrus_batch *batch, sarrus_field field);

/* The label of a component of SARRUS_FIELD_PARAMETER, owned by the model; NULL: there is none. */
const char *sarrus_batch_parameter_label(const sarrus_batch *batch, int i_parameter);

/* Copies a field of all instances to out[n_instances][width], by the threads of the batch. Coordinates and speeds are those of the
 * bodies, whatever the formulation. DEVICE_FAILED. */
SARRUS_MUST_USE sarrus_status sarrus_batch_copy_out(sarrus_batch *batch, sarrus_field field, double *out);

/* Likewise the rows of the masked instances (mask[n_instances], those that are not 0; NULL: all); other rows of out stay as they
 * are. Its cost is that of the masked. */
SARRUS_MUST_USE sarrus_status sarrus_batch_copy_out_some(sarrus_batch *batch, sarrus_field field, const uint8_t *mask, double *out);

/* Coordinates and speeds of the masked instances at once, q[n_instances][n_q] and v[n_instances][n_v], which takes half as long as
 * one after the other where they are brought from a tree to the bodies (`formulation: relative`). DEVICE_FAILED. */
SARRUS_MUST_USE sarrus_status sarrus_batch_copy_state(sarrus_batch *batch, const uint8_t *mask, double *q, double *v);

/* Copies the rows of the masked instances of values[n_instances][width] into a writable field. Any number is taken, NaN too; it
 * does no harm but to its instance. Coordinates and speeds are taken as they are; over a tree (`formulation: relative`) what
 * contradicts its joints shows only in sarrus_batch_assemble, which is to follow. UNSUPPORTED: the field cannot be written.
 * NO_MEMORY, and nothing is done. DEVICE_FAILED. */
SARRUS_MUST_USE sarrus_status sarrus_batch_copy_in(sarrus_batch *batch, sarrus_field field, const uint8_t *mask,
                                                   const double *values);

/* Copies an observable of the present state to out[n_instances][width]: sarrus_batch_observe for one time and one array. Instances
 * that have failed give NaN. */
SARRUS_MUST_USE sarrus_status sarrus_batch_copy_observable(sarrus_batch *batch, sarrus_observable observable, double *out);

/* Of all instances the number of the last sarrus_batch_redraw, out[n_instances], to its last bit; 0: none. SARRUS_FIELD_EPISODE
 * gives it as a double, which is the same up to 2^53. BAD_ARGUMENT. */
SARRUS_MUST_USE sarrus_status sarrus_batch_copy_episodes(const sarrus_batch *batch, uint64_t *out);

/* Where the joints are: out[n_instances][n_joints][2][2 | 3] m, the joint's point in the frame of its parent and in that of its
 * child (of ground the inertial frame, where it stands at t = 0), as the instance's parameters make them; NaN of numbers that are
 * invalid. BAD_ARGUMENT, NO_MEMORY. */
SARRUS_MUST_USE sarrus_status sarrus_batch_copy_joint_points(sarrus_batch *batch, double *out);

/* Component k of instance i is base[(i / width) * stride + (size_t)k * width + i % width]. */
typedef struct sarrus_view {
    double *base;
    size_t width;  /* lanes of a tile */
    size_t stride; /* doubles from a tile to the next */
    int n_components;
} sarrus_view;

/* The view stays valid until the batch is destroyed. On a GPU a field that was viewed once goes there before and back after every
 * call that makes steps. UNSUPPORTED: coordinates or speeds with `formulation: relative`, which `auto` mostly is, where tiles hold
 * those of joints (`udwadia-kalaba` has them), and fields that can be copied only (sarrus_batch_copy_out). STATUS is not to be
 * written. */
SARRUS_MUST_USE sarrus_status sarrus_batch_view(sarrus_batch *batch, sarrus_field field, sarrus_view *out);

/* Status of one instance (NOT_RUN of one that there is not), the step at which it failed (0 when healthy or failed before the first
 * step). */
sarrus_instance_status sarrus_batch_status(const sarrus_batch *batch, uint64_t i_instance);
uint64_t sarrus_batch_failed_step(const sarrus_batch *batch, uint64_t i_instance);

/* The work done for one instance since t = 0. Fixed steps: every step counts the accelerations of its stages. */
typedef struct sarrus_instance_statistics {
    uint64_t n_steps;        /* taken */
    uint64_t n_rejected;     /* tried in vain by an adaptive method */
    uint64_t n_evaluations;  /* accelerations computed for steps */
    uint64_t n_rank_changes; /* of the rank decision, from one step to the next */
} sarrus_instance_statistics;
SARRUS_MUST_USE sarrus_status sarrus_batch_statistics(const sarrus_batch *batch, uint64_t i_instance,
                                                      sarrus_instance_statistics *out);

/* The worst of what was seen of one instance since t = 0, at the ends of its steps, and how it was judged by
 * (docs/change_points.md). */
typedef struct sarrus_instance_verdict {
    double violation;            /* ‖Φ‖ relative to the mechanism's size */
    double energy_mismatch;      /* |E − E0 − work| relative to the largest kinetic energy plus the range of the potential */
    double error;                /* rk4: the sum of the steps' estimated errors, relative to the motion; else NaN */
    double work;                 /* J, done by dampers, drives, loads and inputs up to the state that q and v show */
    double nearest_change_point; /* the smallest singular value relative to the ordinary one, as the pivots tell it; NaN before the
                                    first step and without constraints */
    double nearest_change_point_time; /* s */
} sarrus_instance_verdict;
SARRUS_MUST_USE sarrus_status sarrus_batch_verdict(const sarrus_batch *batch, uint64_t i_instance, sarrus_instance_verdict *out);

/* A change of the rank decision of one instance, seen where a step begins. */
typedef struct sarrus_rank_event {
    uint64_t instance;
    double time; /* s */
    int32_t rank_before, rank_after;
} sarrus_rank_event;

/* The changes kept since the batch was made or they were last cleared, by time, then by instance. Needs keep_rank_events and a
 * scenario with the channel `rank`; otherwise there are none. The array is the batch's, valid until the next call on it. NO_MEMORY
 * when some could not be kept. */
SARRUS_MUST_USE sarrus_status sarrus_batch_rank_events(sarrus_batch *batch, const sarrus_rank_event **events, uint64_t *n_events);
void sarrus_batch_rank_events_clear(sarrus_batch *batch);

/* How much of the work went through the rank-revealing path: evaluations in all, and those that took it. On the CPU they are
 * counted by tiles, on a GPU by threads, which have an instance each (those that fill up the last tile included). */
void sarrus_batch_path_counts(const sarrus_batch *batch, uint64_t *n_evaluations, uint64_t *n_rank_revealing);

/* What a library of a GPU was asked (`pinv: cusolver-svd`, `cusolver-syev`): matrices that it was given, and those of them that it
 * did not factor, or not well enough, so that the native SVD did it again. Counted by threads, as above, observations included; 0
 * and 0 where no library is asked. Of a device that failed: as far as it was known. */
void sarrus_batch_library_counts(const sarrus_batch *batch, uint64_t *n_matrices, uint64_t *n_refused);

/* How it stands with the kernels for this plan. */
typedef enum sarrus_specialization_state {
    SARRUS_SPECIALIZATION_OFF = 0,         /* not asked for */
    SARRUS_SPECIALIZATION_WAITING = 1,     /* AUTO: what is left to do does not pay for a compilation, so far */
    SARRUS_SPECIALIZATION_COMPILING = 2,   /* the generic kernels go on meanwhile */
    SARRUS_SPECIALIZATION_READY = 3,       /* the steps are made by them */
    SARRUS_SPECIALIZATION_FAILED = 4,      /* the generic kernels go on; `note` says why */
    SARRUS_SPECIALIZATION_UNSUPPORTED = 5, /* not for this plan; `note` says why */
} sarrus_specialization_state;

enum { SARRUS_SPECIALIZATION_NOTE = 256 };

typedef struct sarrus_specialization {
    sarrus_specialization_state state;
    int is_from_cache;
    double compile_seconds; /* 0 when nothing was compiled */
    double ready_seconds;   /* from the creation of the batch until they were there */
    double step_share;      /* of the steps made so far, those made by them: 0 … 1 */
    char note[SARRUS_SPECIALIZATION_NOTE];
} sarrus_specialization;

/* Fills `out`. Kernels that could not be had are never an error. */
void sarrus_batch_specialization(const sarrus_batch *batch, sarrus_specialization *out);

/* The word for a state, as "ready"; never NULL. */
const char *sarrus_specialization_state_word(sarrus_specialization_state state);

/* Advances as sarrus_batch_advance and observes: n_times times { advance by n_steps; observe }, where the first advance is
 * left out when `observe_first` is set. destination[o] is NULL (not wanted) or the start of an array
 * [n_instances][n_times_stride][width of o]; row i_time_first + k receives observation k. Energy is kinetic, gravity's and that of
 * springs; reactions are fx, fy, mz of each joint on its child at the joint point; drives come in scenario order. Failed instances
 * give NaN. INTERRUPTED as for sarrus_batch_advance: none of the rows of this call is complete then. NO_MEMORY, and nothing is
 * done: smallest_kept or largest_dropped of a batch whose work space does not hold all rows (sarrus_batch_options.needs_all_rows).
 */
typedef struct sarrus_observation {
    uint64_t n_times;
    uint64_t every_steps;
    uint64_t last_steps;     /* steps of the last interval; 0 = every_steps */
    int observe_first;       /* the first row is the present state, before any step */
    uint64_t n_times_stride; /* rows per instance in the destination arrays */
    uint64_t i_time_first;
    double *destination[SARRUS_N_OBSERVABLES];
} sarrus_observation;
SARRUS_MUST_USE sarrus_status sarrus_batch_observe(sarrus_batch *batch, const sarrus_observation *observation);

/* Width of an observable for this batch (0 when there is nothing to observe, as drives without a driven joint). */
int sarrus_batch_observable_width(const sarrus_batch *batch, sarrus_observable observable);

/* Copies state components of one instance: q[n], v[n]. BAD_ARGUMENT when i_instance is out of range. */
SARRUS_MUST_USE sarrus_status sarrus_batch_state(const sarrus_batch *batch, uint64_t i_instance, double *q, double *v);

#ifdef __cplusplus
}
#endif

#endif
