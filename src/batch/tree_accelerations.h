/* What steps see: `sarrus_batch_copy_observable` shows accelerations of absolute coordinates, whatever coordinates steps are made
 * in. */
#ifndef SARRUS_BATCH_TREE_ACCELERATIONS_H
#define SARRUS_BATCH_TREE_ACCELERATIONS_H

#include "sarrus/batch.h"

/* a [n_instances][n_v of the bodies]  m/s² | rad/s²: the accelerations that a step in relative coordinates sees at the present
 * states, of the bodies. BAD_ARGUMENT: the plan has no relative coordinates. Other errors as of sarrus_batch_copy_systems. */
SARRUS_MUST_USE sarrus_status sarrus_batch_copy_tree_accelerations(sarrus_batch *batch, double *a);

#endif
