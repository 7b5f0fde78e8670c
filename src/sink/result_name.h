/* What stands under the name that a result is to have, and whether a result may take its place. */
#ifndef SARRUS_SINK_RESULT_NAME_H
#define SARRUS_SINK_RESULT_NAME_H

#include <stdbool.h>
#include <stddef.h>

#include "sarrus/status.h"

/* The file that `path` names, symbolic links followed; there need be none yet. To be freed; NULL with errno (ELOOP, ENOMEM, …). */
char *sarrus_result_name_resolve(const char *path);

/* Whether a result may be written to `target` (resolved): nothing is there, or an empty file, or a Sarrus result. The file is told
 * by its first and last bytes, without HDF5, so a damaged result is replaced as well. With `keeps_complete` a complete
 * result is refused. BAD_ARGUMENT (a file that is no result, or one to be kept), IO (cannot be written), NO_MEMORY; the reason is
 * in message[n_bytes], without the name. */
SARRUS_MUST_USE sarrus_status sarrus_result_name_check(const char *target, bool keeps_complete, char *message, size_t n_bytes);

#endif
