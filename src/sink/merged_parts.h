/* Whether the parts of a merged result are where they were. */
#ifndef SARRUS_SINK_MERGED_PARTS_H
#define SARRUS_SINK_MERGED_PARTS_H

#include <stdbool.h>

#include <hdf5.h>

/* Parts of the group `root` of the file `path`, and those of them that cannot be read; 0 of a result that was not merged. False
 * when HDF5 refused or memory is out. */
bool sarrus_merged_parts_count(hid_t root, const char *path, int *n_parts, int *n_missing);

#endif
