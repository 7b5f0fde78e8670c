/* What an instance begins with when it is assembled again. */
#ifndef SARRUS_BATCH_START_H
#define SARRUS_BATCH_START_H

#include "batch/inside.h"

/* Numbers of the start of one instance: parameters, coordinates, speeds, status. */
size_t sarrus_start_size(const sarrus_batch *batch);

/* row[sarrus_start_size] of instance i. `shown`: the tile that shows its q and v, by the layout of the plan's own mechanism; NULL
 * where they were given (sarrus_batch_given_row). */
void sarrus_start_row(const sarrus_batch *batch, uint64_t i, const double *shown, double *row);

/* A row into a lane of a tile of the plan's own mechanism. */
void sarrus_start_put(const sarrus_batch *batch, const double *row, int32_t lane, double *tile);

#endif
