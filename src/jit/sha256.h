/* SHA-256 (FIPS 180-4): names and checks the objects of the cache. */
#ifndef SARRUS_JIT_SHA256_H
#define SARRUS_JIT_SHA256_H

#include <stddef.h>
#include <stdint.h>

typedef struct sarrus_sha256 {
    uint32_t state[8];
    uint64_t n_bytes; /* taken in so far */
    unsigned char block[64];
} sarrus_sha256;

enum { SARRUS_SHA256_TEXT = 65 }; /* 64 hexadecimal digits and the end */

void sarrus_sha256_begin(sarrus_sha256 *hash);
void sarrus_sha256_add(sarrus_sha256 *hash, const void *bytes, size_t n_bytes);

/* A length, then the bytes: what is added one after another cannot be confused. */
void sarrus_sha256_add_part(sarrus_sha256 *hash, const void *bytes, size_t n_bytes);

/* The digest as text; `hash` is to begin anew after it. */
void sarrus_sha256_end(sarrus_sha256 *hash, char text[SARRUS_SHA256_TEXT]);

#endif
