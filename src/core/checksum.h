/* Whether bytes are those that were written. Not against somebody who means to deceive. */
#ifndef SARRUS_CORE_CHECKSUM_H
#define SARRUS_CORE_CHECKSUM_H

#include <stddef.h>
#include <stdint.h>

/* A number of `bytes` [n], as fast as they are copied. */
uint64_t sarrus_checksum(const void *bytes, size_t n);

#endif
