/* Bytes of one chunk as HDF5's filters shuffle (2) + deflate (1) + fletcher32 (3) would make them, only faster. */
#ifndef SARRUS_SINK_CHUNK_H
#define SARRUS_SINK_CHUNK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sarrus/status.h"

/* Place of deflate in the filter pipeline, as a bit of a chunk's filter mask: set when a chunk was left uncompressed. */
#define SARRUS_CHUNK_NOT_DEFLATED 2u

/* What the result may cost. */
typedef enum sarrus_packing {
    SARRUS_PACK_WELL = 0,
    SARRUS_PACK_SOON = 1, /* only what shrinks at the speed of copying is made smaller */
} sarrus_packing;

/* The numbers of a chunk. */
typedef struct sarrus_chunk_numbers {
    const void *elements; /* [n_elements] of element_size bytes, 2 or 8 */
    size_t n_elements, element_size;
    size_t row; /* numbers of one instance and time, after which similar ones may come; 0: unknown */
} sarrus_chunk_numbers;

/* Scratch memory and compressor of one thread. */
typedef struct sarrus_packer sarrus_packer;

/* A packer for chunks of up to `n_bytes_max` bytes. NO_MEMORY. */
SARRUS_MUST_USE sarrus_status sarrus_packer_create(size_t n_bytes_max, sarrus_packer **out);
void sarrus_packer_destroy(sarrus_packer *packer);

/* Room that `out` of sarrus_packer_pack needs for a chunk of `n_bytes`. */
size_t sarrus_packer_bound(size_t n_bytes);

/* Packs the numbers into `out`, returns the packed size and sets `*filter_mask` (0, or SARRUS_CHUNK_NOT_DEFLATED when compression
 * gains nothing). The result depends on the numbers and on `how` only. */
size_t sarrus_packer_pack(sarrus_packer *packer, const sarrus_chunk_numbers *numbers, sarrus_packing how, uint8_t *out,
                          uint32_t *filter_mask);

/* HDF5's Fletcher checksum of `n_bytes` bytes (H5_checksum_fletcher32). */
uint32_t sarrus_fletcher32(const uint8_t *bytes, size_t n_bytes);

/* HDF5's byte shuffle: byte p of element i goes to planes[p][i]. */
void sarrus_shuffle(const uint8_t *elements, size_t n_elements, size_t element_size, uint8_t *const *planes);

#endif
