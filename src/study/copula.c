#include "study/copula.h"

#include <math.h>

#include "study/distribution.h"

/* Φ(z), kept inside of (0, 1), where every distribution has a finite quantile. */
static double share_below(double z) {
    return fmin(fmax(0.5 * erfc(-z * M_SQRT1_2), 0x1p-53), 1.0 - 0x1p-53);
}

void sarrus_copula_apply(const double *factor, int n, double *scores, double *units, uint64_t stride) {
    for (int i = 0; i < n; ++i)
        scores[i] = sarrus_normal_quantile(units[(uint64_t)i * stride]);
    for (int i = 0; i < n; ++i) {
        const double *row = factor + (uint64_t)i * (uint64_t)n;
        double sum = 0.0;
        if (row[i] == 1.0)
            continue;
        for (int k = 0; k <= i; ++k)
            sum += row[k] * scores[k];
        units[(uint64_t)i * stride] = share_below(sum);
    }
}
