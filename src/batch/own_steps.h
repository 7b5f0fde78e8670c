/* A batch of one instance, whose method chooses its steps, followed step by step: between the grid's times too. Steps and what is
 * shown of them are those of sarrus_batch_advance and sarrus_batch_observe, bit for bit; the two kinds of calls may alternate. */
#ifndef SARRUS_BATCH_OWN_STEPS_H
#define SARRUS_BATCH_OWN_STEPS_H

#include "sarrus/batch.h"

/* Whether `batch` can be followed: one instance, a method that chooses its steps, and no inputs, at whose changes calls cut steps.
 */
int sarrus_batch_has_own_steps(const sarrus_batch *batch);

/* Whether calls end steps: a method that chooses its steps, with inputs. */
int sarrus_batch_cuts_steps(const sarrus_batch *batch);

/* s, where the last step has ended: ahead of what is shown. */
double sarrus_batch_own_time(const sarrus_batch *batch);

/* s: when an instance failed: the end of the step that failed; of a method that chooses its steps its beginning, the time from
 * which no step led on. 0 where it failed before its first step. */
double sarrus_batch_failed_time(const sarrus_batch *batch, uint64_t i_instance);

/* Makes one more step, with the trials in vain before it. The instance's status tells whether there was one. Errors as of
 * sarrus_batch_advance. */
SARRUS_MUST_USE sarrus_status sarrus_batch_own_step(sarrus_batch *batch);

/* One row (n_times = 1) at time t > 0 inside the last step or at its end, not before what was shown last. Errors as of
 * sarrus_batch_observe. */
SARRUS_MUST_USE sarrus_status sarrus_batch_own_observe(sarrus_batch *batch, double t, const sarrus_observation *observation);

#endif
