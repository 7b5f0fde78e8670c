/* Packing of chunks. After the shuffle the low bytes of doubles are noise that no compressor shrinks and every compressor is slow
 * on: those leading planes go into the zlib stream as stored blocks, the rest as one deflate stream. Any zlib reads it. */
#include "sink/chunk.h"
#include "sink/run_length.h"

#include <libdeflate.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    STORED_MAX = 65535,    /* bytes of a stored block, RFC 1951 section 3.2.4 */
    ZLIB_OVERHEAD = 2 + 4, /* header and adler32, RFC 1950 */
    CHECKSUM_BYTES = 4,
    LEVEL = 1,
    N_SEGMENTS = 16, /* sample of a plane: segments spread evenly, so that frozen instances are seen too */
    SEGMENT_BYTES = 256,
    PLANE_BYTES_MIN = 1024, /* smaller planes are not worth a decision */
};

/* Order-0 entropy in bits per byte above which a plane is stored: deflate would gain little there and run at its slowest (between 6
 * and 7.5 bits it takes a third of its time on trajectories for a twentieth of the file). */
static const double STORED_ENTROPY = 6.0;
/* The same where there is no time: only runs are made shorter, and what is not in a run costs as much as deflating it. */
static const double STORED_ENTROPY_SOON = 2.0;

struct sarrus_packer {
    struct libdeflate_compressor *compressor;
    uint8_t *shuffled; /* [n_bytes_max] */
};

sarrus_status sarrus_packer_create(size_t n_bytes_max, sarrus_packer **out) {
    sarrus_packer *packer = calloc(1, sizeof *packer);
    if (packer == NULL) {
        return SARRUS_NO_MEMORY;
    }
    packer->compressor = libdeflate_alloc_compressor(LEVEL);
    packer->shuffled = malloc(n_bytes_max > 0 ? n_bytes_max : 1);
    if (packer->compressor == NULL || packer->shuffled == NULL) {
        sarrus_packer_destroy(packer);
        return SARRUS_NO_MEMORY;
    }
    *out = packer;
    return SARRUS_OK;
}

void sarrus_packer_destroy(sarrus_packer *packer) {
    if (packer == NULL) {
        return;
    }
    if (packer->compressor != NULL) {
        libdeflate_free_compressor(packer->compressor);
    }
    free(packer->shuffled);
    free(packer);
}

static size_t stored_size(size_t n_bytes) {
    return n_bytes + 5 * ((n_bytes + STORED_MAX - 1) / STORED_MAX);
}

size_t sarrus_packer_bound(size_t n_bytes) {
    return stored_size(n_bytes) + ZLIB_OVERHEAD + CHECKSUM_BYTES;
}

/* Order-0 entropy of a sample of the plane, bits per byte. */
static double plane_entropy(const uint8_t *plane, size_t n_bytes) {
    uint32_t count[256] = {0};
    size_t n = 0;
    size_t stride = n_bytes / N_SEGMENTS;
    size_t length = stride < SEGMENT_BYTES ? stride : SEGMENT_BYTES;
    for (size_t s = 0; s < N_SEGMENTS; ++s) {
        for (size_t i = 0; i < length; ++i) {
            ++count[plane[s * stride + i]];
        }
        n += length;
    }
    double sum = 0;
    for (int i = 0; i < 256; ++i) {
        sum += count[i] > 0 ? count[i] * log2(count[i]) : 0.0;
    }
    return log2((double)n) - sum / (double)n;
}

/* Number of leading planes that look like noise; the entropy of few samples is biased low by 255 / (2 n ln 2) bits. */
static size_t n_noisy_planes(const uint8_t *shuffled, size_t n_elements, size_t element_size, double entropy) {
    if (n_elements < PLANE_BYTES_MIN) {
        return 0;
    }
    size_t sample = n_elements < N_SEGMENTS * SEGMENT_BYTES ? n_elements : N_SEGMENTS * SEGMENT_BYTES;
    double limit = entropy - 255.0 / (2.0 * (double)sample * log(2.0));
    size_t n = 0;
    while (n < element_size && plane_entropy(shuffled + n * n_elements, n_elements) > limit) {
        ++n;
    }
    return n;
}

static uint8_t *put_stored(const uint8_t *bytes, size_t n_bytes, uint8_t *out) {
    while (n_bytes > 0) {
        size_t n = n_bytes < STORED_MAX ? n_bytes : STORED_MAX;
        out[0] = 0; /* not the last block, type 00, padding to the byte */
        out[1] = (uint8_t)(n & 0xff);
        out[2] = (uint8_t)(n >> 8);
        out[3] = (uint8_t)(~n & 0xff);
        out[4] = (uint8_t)(~n >> 8 & 0xff);
        memcpy(out + 5, bytes, n);
        out += 5 + n;
        bytes += n;
        n_bytes -= n;
    }
    return out;
}

/* The zlib stream of `n_bytes` shuffled bytes whose first `n_noise` are stored; 0 when it would not be smaller than them. */
static size_t put_zlib(const sarrus_packer *packer, size_t n_bytes, size_t n_noise, bool has_runs, uint8_t *out) {
    size_t fixed = stored_size(n_noise) + ZLIB_OVERHEAD;
    if (fixed >= n_bytes) {
        return 0;
    }
    uint8_t *at = out;
    *at++ = 0x78; /* deflate, 32 KiB window */
    *at++ = 0x01; /* fastest; makes the 16 bits a multiple of 31 */
    at = put_stored(packer->shuffled, n_noise, at);
    const uint8_t *rest = packer->shuffled + n_noise;
    size_t n = has_runs ? sarrus_run_length_deflate(rest, n_bytes - n_noise, at, n_bytes - fixed)
                        : libdeflate_deflate_compress(packer->compressor, rest, n_bytes - n_noise, at, n_bytes - fixed);
    if (n == 0) {
        return 0;
    }
    at += n;
    uint32_t adler = libdeflate_adler32(1, packer->shuffled, n_bytes);
    for (int shift = 24; shift >= 0; shift -= 8) {
        *at++ = (uint8_t)(adler >> shift & 0xff);
    }
    return (size_t)(at - out);
}

size_t sarrus_packer_pack(sarrus_packer *packer, const void *elements, size_t n_elements, size_t element_size, sarrus_packing how,
                          uint8_t *out, uint32_t *filter_mask) {
    size_t n_bytes = n_elements * element_size;
    sarrus_shuffle(elements, n_elements, element_size, packer->shuffled);
    const double entropy = how == SARRUS_PACK_SOON ? STORED_ENTROPY_SOON : STORED_ENTROPY;
    const size_t n_noisy = how == SARRUS_PACK_SPARSE ? 0 : n_noisy_planes(packer->shuffled, n_elements, element_size, entropy);
    size_t n = put_zlib(packer, n_bytes, n_noisy * n_elements, how != SARRUS_PACK_WELL, out);
    *filter_mask = 0;
    if (n == 0) {
        memcpy(out, packer->shuffled, n_bytes);
        n = n_bytes;
        *filter_mask = SARRUS_CHUNK_NOT_DEFLATED;
    }
    uint32_t checksum = sarrus_fletcher32(out, n);
    for (int shift = 0; shift < 32; shift += 8) {
        out[n++] = (uint8_t)(checksum >> shift & 0xff);
    }
    return n;
}
