/* A scenario opened for a test: model, plan, values of the nominal instance and its dense reference. Fails the test, with the
 * diagnostics, when something cannot be made. */
#ifndef TESTS_SUPPORT_MECHANISM_H
#define TESTS_SUPPORT_MECHANISM_H

#include <stddef.h>

#include "model/draws.h"
#include "model/model.h"
#include "sarrus/sarrus.h"
#include "tests/support/reference.h"

typedef struct mechanism {
    sarrus_context *context;
    sarrus_model *model;
    sarrus_plan *plan;
    reference *ref; /* of the nominal instance; NULL in space */
    int n, m, n_joints, n_drives;
} mechanism;

/* `file` is a leaf in scenarios/; overrides as in sarrus_scenario_read_file, ended by a NULL path (NULL: none). */
mechanism mechanism_open_file(const char *file, const sarrus_override *overrides);
mechanism mechanism_open_text(const char *text, const sarrus_override *overrides);

/* Overrides for tests that put a state in place: only bodies have theirs in the tiles. */
extern const sarrus_override mechanism_in_bodies[2];
void mechanism_close(mechanism *mechanism);

/* The values of instance `i_instance` of `draws` (NULL: nominal), which the caller frees. */
double *mechanism_values(const mechanism *mechanism, const sarrus_draws *draws, uint64_t i_instance);

/* The reference of instance `i_instance` of `draws` (NULL: nominal); the caller's. */
reference *mechanism_reference(const mechanism *mechanism, const sarrus_draws *draws, uint64_t i_instance);

/* A batch; isa NULL: the widest; n_threads 0: one. */
sarrus_batch *mechanism_batch(const mechanism *mechanism, const char *isa, int n_threads, uint64_t n_instances,
                              const sarrus_draws *draws);

/* Observes the present state: out [n_instances][width]. */
void mechanism_observe(sarrus_batch *batch, sarrus_observable observable, double *out);

/* Puts q and v (either NULL: left alone) into instance `i_instance`. */
void mechanism_set_state(sarrus_batch *batch, uint64_t i_instance, const double *q, const double *v);

/* Sets the external inputs [n_inputs] of one instance; nothing when the model has none. */
void mechanism_set_inputs(sarrus_batch *batch, uint64_t i_instance, const double *inputs);

/* Draws made by hand, all NaN-free zeros at first: the model must have batch.parameters. The caller's (mechanism_draws_free). */
sarrus_draws *mechanism_draws_by_hand(const mechanism *mechanism, uint64_t n_instances);
void mechanism_draws_free(sarrus_draws *draws);

/* True when this processor runs "avx512", "avx2" or "baseline", and this build has it. */
bool mechanism_has_isa(const char *isa);

/* Uniform in [-1, 1], for the tests' own perturbations (xorshift64*; state != 0). */
double mechanism_random(uint64_t *state);

/* Largest |a - b| over n numbers; NaN when any is. */
double mechanism_distance(const double *a, const double *b, size_t n);

/* Largest |a|. */
double mechanism_size(const double *a, size_t n);

#endif
