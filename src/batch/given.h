/* Over a tree tiles hold the motion of joints, and coordinates of bodies that do not agree with these have no place in them. What
 * was written of an instance is kept beside the tiles until it is assembled or steps are made. */
#ifndef SARRUS_BATCH_GIVEN_H
#define SARRUS_BATCH_GIVEN_H

#include "batch/inside.h"

/* Of sarrus_batch.is_given: a state for the motion to go on from, or one that waits for the assembly. */
enum { SARRUS_GIVEN_STATE = 1, SARRUS_GIVEN_START = 2 };

/* Reserves the rows; false: no memory. */
bool sarrus_batch_given_reserve(sarrus_batch *batch);

/* The row of an instance, [n_q + n_v]; NULL: nothing of it was written. */
double *sarrus_batch_given_row(const sarrus_batch *batch, uint64_t i_instance);

/* Rows were taken or left: whether any is there still. */
void sarrus_batch_given_settle(sarrus_batch *batch);

/* Steps are about to be made: only what waits for the assembly stays. */
void sarrus_batch_given_pass(sarrus_batch *batch);

#endif
