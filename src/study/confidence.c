#include "study/confidence.h"

#include <math.h>

#include "study/beta.h"

static const double tail = 0.025;

/* With ν degrees of freedom ν / (ν + t²) has the beta distribution of ν / 2 and 1 / 2. */
double sarrus_confidence_of_mean(uint64_t n) {
    if (n < 2)
        return (double)NAN;
    const double freedom = (double)(n - 1), rest = sarrus_beta_quantile(0.5, 0.5 * freedom, 0.0, 1.0, 1.0 - 2.0 * tail);
    return sqrt(freedom * rest / (1.0 - rest)) / sqrt((double)n);
}

/* Whether of n numbers, each below the quantile at `level` with that probability, at most k are so with at most `share`:
 * 1 − I_level(k + 1, n − k) <= share. */
static bool is_at_most(uint64_t n, double level, uint64_t k, double share) {
    return level >= sarrus_beta_quantile((double)(k + 1), (double)(n - k), 0.0, 1.0, 1.0 - share);
}

/* How many k from 0 to n − 1 are so: all of them up to some. */
static uint64_t count_at_most(uint64_t n, double level, double share) {
    uint64_t low = 0, high = n;
    while (low < high) {
        const uint64_t middle = low + (high - low) / 2;
        if (is_at_most(n, level, middle, share))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

sarrus_confidence_ranks sarrus_confidence_of_quantile(uint64_t n, double level) {
    if (n == 0 || !(level > 0.0 && level < 1.0))
        return (sarrus_confidence_ranks){.has_low = false};
    const uint64_t n_low = count_at_most(n, level, tail), n_high = count_at_most(n, level, 1.0 - tail);
    return (sarrus_confidence_ranks){.has_low = n_low > 0, .has_high = n_high<n, .low = n_low> 0 ? n_low - 1 : 0, .high = n_high};
}
