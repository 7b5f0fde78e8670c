/* Blocks of deflate for bytes that often are what stood a fixed distance before: those of one byte plane of numbers that change
 * little from time to time, or of bodies that move alike. One distance for a block makes finding matches a comparison of the bytes
 * with themselves, moved; the codes are made for the block (RFC 1951, section 3.2.7). Any reader of deflate reads them. */
#ifndef SARRUS_SINK_REPEAT_CODE_H
#define SARRUS_SINK_REPEAT_CODE_H

#include <stddef.h>
#include <stdint.h>

#include "sink/bit_writer.h"
#include "sink/prefix_code.h"

/* What is known of bytes before they are written. */
typedef struct sarrus_repeat_block {
    const uint8_t *bytes;     /* [n_bytes] not owned */
    size_t n_bytes, distance; /* 0: no matches are made */
    uint64_t *is_match;       /* [sarrus_repeat_words(n_bytes)] the caller's: bit i of all: byte i is part of a match */
    sarrus_prefix_code code;
    uint64_t n_bits; /* of the block, at most */
} sarrus_repeat_block;

/* Words of is_match that n_bytes need. */
size_t sarrus_repeat_words(size_t n_bytes);

/* Marks the matches at `distance` (1 to 32768) in is_match: bytes that are those before, at least three in a row. */
void sarrus_repeat_mark(const uint8_t *bytes, size_t n_bytes, size_t distance, uint64_t *is_match);

/* How many bytes are in no match, and how many runs of matches there are. */
void sarrus_repeat_count(const uint64_t *is_match, size_t n_bytes, size_t *n_single, size_t *n_runs);

/* Finds matches and codes of block->bytes; sets code and n_bits. */
void sarrus_repeat_prepare(sarrus_repeat_block *block);

/* Writes the prepared block, which is not the last of its stream; n_bits / 8 + 1 bytes, and the writer's slack. */
void sarrus_repeat_put(const sarrus_repeat_block *block, sarrus_bit_writer *writer);

#endif
