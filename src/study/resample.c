#include "study/resample.h"

#include <math.h>
#include <string.h>

#include "study/philox.h"
#include "study/spread.h"

/* Word 3 of the counter, "boot", keeps these numbers apart from those of draws. A number of 64 bits times n has its place above
 * these; how likely places are differs by less than one part in 2^32. */
void sarrus_resample(uint64_t seed, int i_resample, uint64_t n, uint32_t *weights) {
    const uint32_t key[2] = {(uint32_t)seed, (uint32_t)(seed >> 32)};
    memset(weights, 0, (size_t)n * sizeof *weights);
    for (uint64_t i = 0; i < n; i += 2) {
        const uint32_t counter[4] = {(uint32_t)i, (uint32_t)(i >> 32), (uint32_t)i_resample, 0x626f6f74u};
        uint32_t words[4];
        sarrus_philox4x32_run(counter, key, words);
        for (uint64_t k = 0; k < 2 && i + k < n; ++k) {
            weights[(words[2 * k + 1] * n + (words[2 * k] * n >> 32)) >> 32] += 1;
        }
    }
}

double sarrus_resample_half_width(const double *estimates, uint64_t stride) {
    const double normal_quantile = 1.959963984540054; /* of 0.975 */
    double column[SARRUS_RESAMPLES];
    uint64_t n = 0;
    for (int i = 0; i < SARRUS_RESAMPLES; ++i)
        if (isfinite(estimates[(uint64_t)i * stride]))
            column[n++] = estimates[(uint64_t)i * stride];
    return normal_quantile * sarrus_spread_of(column, n).sd;
}
