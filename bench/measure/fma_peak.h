/* The machine's peak of multiply-adds, measured: the yardstick for "fraction of peak". */
#ifndef SARRUS_BENCH_MEASURE_FMA_PEAK_H
#define SARRUS_BENCH_MEASURE_FMA_PEAK_H

#include <stdbool.h>
#include <stdint.h>

/* Instruction sets, widest first, with the names that sarrus_batch_options.isa takes. */
typedef struct sarrus_bench_isa {
    const char *name;
    int n_lanes; /* doubles of a vector */
    bool (*is_usable)(void);
    double (*burn)(uint64_t n_rounds, double factor, double addend);
} sarrus_bench_isa;

enum { SARRUS_BENCH_N_ISAS = 3 };
extern const sarrus_bench_isa sarrus_bench_isas[SARRUS_BENCH_N_ISAS];

/* The instruction set of that name, NULL: the widest; NULL when this processor has it not. */
const sarrus_bench_isa *sarrus_bench_isa_find(const char *name);

/* Independent chains of multiply-adds, and multiply-adds of each chain per round. Latency times ports is 8 to 10 on current
 * cores (4 cycles, 2 units); 12 chains with two constants still fit the 16 registers of AVX2 and SSE2. */
enum { SARRUS_BENCH_FMA_CHAINS = 12, SARRUS_BENCH_FMA_UNROLL = 8 };

/* Runs n_rounds rounds of x = x·factor + addend on every chain and returns the sum of all lanes, so that nothing can be left out.
 */
double sarrus_bench_burn_avx512(uint64_t n_rounds, double factor, double addend);
double sarrus_bench_burn_avx2(uint64_t n_rounds, double factor, double addend);
double sarrus_bench_burn_baseline(uint64_t n_rounds, double factor, double addend);

/* Additions and multiplications per second (an FMA is two) of n_threads threads over about `seconds`. Without FMA
 * instructions (baseline) each is a multiplication and an addition. NaN when a thread cannot be started. */
double sarrus_bench_fma_peak(const sarrus_bench_isa *isa, int n_threads, double seconds);

#endif
