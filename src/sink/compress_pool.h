/* A few threads that make numbered jobs ready in a ring of slots, while one consumer takes them in order. */
#ifndef SARRUS_SINK_COMPRESS_POOL_H
#define SARRUS_SINK_COMPRESS_POOL_H

#include <stddef.h>
#include <stdint.h>

#include "sarrus/status.h"
#include "sink/chunk.h"

typedef struct sarrus_compress_pool sarrus_compress_pool;

/* Where a worker leaves one packed chunk. */
typedef struct sarrus_compress_slot {
    sarrus_packer *packer;
    uint8_t *staging; /* [n_bytes_max] for chunks that are not contiguous in the block */
    uint8_t *packed;  /* [sarrus_packer_bound(n_bytes_max)] */
    size_t n_packed;  /* bytes in `packed` */
    uint32_t filter_mask;
} sarrus_compress_slot;

/* Makes job `i_job` ready in `slot`; runs on any worker, so it may only read what `user` points to. */
typedef void (*sarrus_compress_function)(const void *user, uint64_t i_job, sarrus_compress_slot *slot);

/* Starts `n_threads` workers for chunks of up to `n_bytes_max` bytes. NO_MEMORY, FAILED when no thread can be started. */
SARRUS_MUST_USE sarrus_status sarrus_compress_pool_create(int n_threads, size_t n_bytes_max, sarrus_compress_pool **out);

/* Stops the workers; unfinished jobs are dropped. */
void sarrus_compress_pool_destroy(sarrus_compress_pool *pool);

/* Gives the workers jobs 0 … n_jobs − 1; the ones before must have been taken or canceled. */
void sarrus_compress_pool_begin(sarrus_compress_pool *pool, uint64_t n_jobs, sarrus_compress_function function, const void *user);

/* Waits for the next job in order; its slot stays the consumer's until sarrus_compress_pool_release. */
const sarrus_compress_slot *sarrus_compress_pool_take(sarrus_compress_pool *pool);
void sarrus_compress_pool_release(sarrus_compress_pool *pool);

/* Drops the jobs that were not taken; returns when no worker runs any more. */
void sarrus_compress_pool_cancel(sarrus_compress_pool *pool);

#endif
