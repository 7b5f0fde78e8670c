/* The memory of a CPU device: what it will need, and the work space of its threads. */
#ifndef SARRUS_BACKEND_CPU_WORK_SPACE_H
#define SARRUS_BACKEND_CPU_WORK_SPACE_H

#include "backend/cpu/device.h"

/* Zeroed lane arrays, aligned for any vector. Gigabytes take a while: a stop (NULL: there is none) leaves the rest as it is. To be
 * freed; NULL when memory runs out. */
double *sarrus_cpu_lane_arrays(size_t n_doubles, const volatile int32_t *stop);

/* Refuses a batch that does not fit, before anything is allocated: a machine that runs out of memory kills programs of its choice.
 * Rows are spared (sarrus_cpu_side.n_rows_short) before they take what the results may need. Reports. */
SARRUS_MUST_USE sarrus_status sarrus_cpu_memory_check(sarrus_context *context, sarrus_cpu_device *device, bool needs_all_rows);

/* False when memory runs out; what was made is freed with the thread. The sides have been lowered. */
bool sarrus_cpu_thread_create(sarrus_cpu_device *device, sarrus_cpu_thread *thread);
void sarrus_cpu_thread_free(sarrus_cpu_thread *thread);

#endif
