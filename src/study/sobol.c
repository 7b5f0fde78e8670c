#include "study/sobol.h"

#include "study/philox.h"

static const uint16_t initial_numbers[] = {
#include "study/sobol_directions.inc"
};

static int degree_of(unsigned polynomial) {
    int degree = -1;
    for (; polynomial != 0; polynomial >>= 1)
        ++degree;
    return degree;
}

void sarrus_sobol_make(int dimension, sarrus_sobol *out) {
    enum { N = SARRUS_SOBOL_BITS };
    const uint16_t *row = initial_numbers;
    out->shift = 0;
    if (dimension == 0) {
        for (int j = 0; j < N; ++j)
            out->directions[j] = UINT64_C(1) << (N - 1 - j);
        return;
    }
    for (int d = 1; d < dimension; ++d)
        row += degree_of(row[0]) + 1;
    const int degree = degree_of(row[0]);
    for (int j = 0; j < degree; ++j)
        out->directions[j] = (uint64_t)row[1 + j] << (N - 1 - j);
    for (int j = degree; j < N; ++j) {
        uint64_t next = out->directions[j - degree] ^ out->directions[j - degree] >> degree;
        for (int k = 1; k < degree; ++k)
            next ^= (row[0] >> (degree - k) & 1u) != 0 ? out->directions[j - k] : 0;
        out->directions[j] = next;
    }
}

static uint64_t random_bits(const uint32_t key[2], int dimension, int row) {
    const uint32_t counter[4] = {(uint32_t)row, (uint32_t)dimension, 0, 0};
    uint32_t words[4];
    sarrus_philox4x32_run(counter, key, words);
    return ((uint64_t)words[1] << 32 | words[0]) >> (64 - SARRUS_SOBOL_BITS);
}

void sarrus_sobol_scramble(sarrus_sobol *sobol, const uint32_t key[2], int dimension) {
    enum { N = SARRUS_SOBOL_BITS };
    uint64_t scrambled[N] = {0};
    for (int row = 0; row < N; ++row) {
        /* Row `row` of the matrix: random below the diagonal, which is 1; the first column belongs to the highest bit. */
        const uint64_t diagonal = UINT64_C(1) << (N - 1 - row);
        const uint64_t mask = (random_bits(key, dimension, row) & ~(2 * diagonal - 1)) | diagonal;
        for (int j = 0; j < N; ++j)
            scrambled[j] |= __builtin_parityll(sobol->directions[j] & mask) ? diagonal : 0;
    }
    for (int j = 0; j < N; ++j)
        sobol->directions[j] = scrambled[j];
    sobol->shift = random_bits(key, dimension, N);
}

uint64_t sarrus_sobol_bits(const sarrus_sobol *sobol, uint64_t i) {
    uint64_t bits = sobol->shift;
    for (uint64_t gray = i ^ i >> 1; gray != 0; gray &= gray - 1)
        bits ^= sobol->directions[__builtin_ctzll(gray)];
    return bits;
}
