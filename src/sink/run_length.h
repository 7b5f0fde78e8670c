/* Deflate for bytes that hardly change: runs are written, everything else is taken as it is. */
#ifndef SARRUS_SINK_RUN_LENGTH_H
#define SARRUS_SINK_RUN_LENGTH_H

#include <stddef.h>
#include <stdint.h>

/* A deflate stream (RFC 1951) of `n_bytes` bytes into `out`; its size, or 0 when that would be above `n_out`. Of long runs it takes
 * a small part of the time of a compressor, which looks for something better at every byte of them. */
size_t sarrus_run_length_deflate(const uint8_t *bytes, size_t n_bytes, uint8_t *out, size_t n_out);

#endif
