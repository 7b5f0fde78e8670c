/* How much memory is available. Libraries that run out of memory crash or retry for ever, so we look before we call them. */
#ifndef SARRUS_CORE_MEMORY_H
#define SARRUS_CORE_MEMORY_H

/* Bytes that this process may still take: the least that the limit on its address space, the limit on its control group and the
 * machine leave. INFINITY where none of them can be read. *limit (not NULL) ← which it is, in words. */
double sarrus_memory_left(const char **limit);

/* Of the control group (version 2) that the file `own` names, "0::/PATH", and of those that it is in, in folders below `root`;
 * INFINITY where none can be read. Of a process: "/sys/fs/cgroup", "/proc/self/cgroup". */
double sarrus_memory_left_of_group(const char *root, const char *own);

/* "3.2 GB" into text [16]. */
void sarrus_memory_text(double bytes, char text[16]);

#endif
