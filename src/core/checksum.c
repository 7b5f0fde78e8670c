#include "core/checksum.h"

#include <string.h>

static const uint64_t odd = UINT64_C(0x9e3779b97f4a7c15);

/* Four sums by turns: a word after another would take longer than the copying. */
uint64_t sarrus_checksum(const void *bytes, size_t n) {
    const unsigned char *from = bytes;
    uint64_t sum[4] = {1, 2, 3, 4}, word = 0;
    size_t i = 0;
    for (; i + sizeof word <= n; i += sizeof word) {
        memcpy(&word, from + i, sizeof word);
        uint64_t *s = &sum[i / sizeof word % 4];
        *s = (*s ^ word) * odd;
        *s ^= *s >> 29;
    }
    if (i < n) { /* what does not fill a word, and how much it is */
        word = (uint64_t)(n - i);
        memcpy((unsigned char *)&word + 1, from + i, n - i);
        sum[0] = (sum[0] ^ word) * odd;
    }
    for (int k = 1; k < 4; ++k)
        sum[0] = (sum[0] ^ sum[k]) * odd;
    return sum[0];
}
