#include "model/grid.h"

uint64_t sarrus_grid_points(uint64_t k, int d) {
    uint64_t n = 1;
    for (int i = 0; i < d; ++i)
        if (__builtin_mul_overflow(n, k, &n))
            return UINT64_MAX;
    return n;
}

uint64_t sarrus_grid_levels(uint64_t n, int d) {
    uint64_t low = 1, beyond = n; /* low^d <= n; beyond + 1 is too many */
    while (low < beyond) {
        const uint64_t middle = beyond - (beyond - low) / 2;
        if (sarrus_grid_points(middle, d) <= n)
            low = middle;
        else
            beyond = middle - 1;
    }
    return low;
}
