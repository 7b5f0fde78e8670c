#include "jit/sha256.h"

#include <string.h>

/* The first 32 bits of the fractional parts of the cube roots of the first 64 primes. */
static const uint32_t round_constant[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01,
    0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc,
    0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147,
    0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116, 0x1e376c08,
    0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208,
    0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

static uint32_t turn(uint32_t x, int n) {
    return x >> n | x << (32 - n);
}

static void block_take(uint32_t state[8], const unsigned char *block) {
    uint32_t w[64], s[8];
    for (int i = 0; i < 16; ++i, block += 4)
        w[i] = (uint32_t)block[0] << 24 | (uint32_t)block[1] << 16 | (uint32_t)block[2] << 8 | block[3];
    for (int i = 16; i < 64; ++i) {
        const uint32_t a = w[i - 15], b = w[i - 2];
        w[i] = w[i - 16] + w[i - 7] + (turn(a, 7) ^ turn(a, 18) ^ a >> 3) + (turn(b, 17) ^ turn(b, 19) ^ b >> 10);
    }
    memcpy(s, state, sizeof s);
    for (int i = 0; i < 64; ++i) {
        const uint32_t choice = (s[4] & s[5]) ^ (~s[4] & s[6]);
        const uint32_t majority = (s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]);
        const uint32_t first = s[7] + (turn(s[4], 6) ^ turn(s[4], 11) ^ turn(s[4], 25)) + choice + round_constant[i] + w[i];
        const uint32_t second = (turn(s[0], 2) ^ turn(s[0], 13) ^ turn(s[0], 22)) + majority;
        memmove(s + 1, s, 7 * sizeof *s);
        s[4] += first;
        s[0] = first + second;
    }
    for (int i = 0; i < 8; ++i)
        state[i] += s[i];
}

void sarrus_sha256_begin(sarrus_sha256 *hash) {
    *hash =
        (sarrus_sha256){.state = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19}};
}

void sarrus_sha256_add(sarrus_sha256 *hash, const void *bytes, size_t n_bytes) {
    const unsigned char *from = bytes;
    while (n_bytes > 0) {
        const size_t n_held = (size_t)(hash->n_bytes % 64);
        const size_t n = n_bytes < 64 - n_held ? n_bytes : 64 - n_held;
        memcpy(hash->block + n_held, from, n);
        hash->n_bytes += n;
        from += n;
        n_bytes -= n;
        if (n_held + n == 64)
            block_take(hash->state, hash->block);
    }
}

static void big_endian(uint64_t number, unsigned char out[8]) {
    for (int i = 0; i < 8; ++i)
        out[i] = (unsigned char)(number >> (56 - 8 * i));
}

void sarrus_sha256_add_part(sarrus_sha256 *hash, const void *bytes, size_t n_bytes) {
    unsigned char length[8];
    big_endian(n_bytes, length);
    sarrus_sha256_add(hash, length, sizeof length);
    sarrus_sha256_add(hash, bytes, n_bytes);
}

void sarrus_sha256_end(sarrus_sha256 *hash, char text[SARRUS_SHA256_TEXT]) {
    static const unsigned char pad[64] = {0x80};
    static const char digit[] = "0123456789abcdef";
    unsigned char n_bits[8];
    big_endian(hash->n_bytes * 8, n_bits);
    sarrus_sha256_add(hash, pad, 1 + (size_t)((119 - hash->n_bytes % 64) % 64));
    sarrus_sha256_add(hash, n_bits, sizeof n_bits);
    for (int i = 0; i < 64; ++i)
        text[i] = digit[hash->state[i / 8] >> (28 - 4 * (i % 8)) & 15];
    text[64] = '\0';
}
