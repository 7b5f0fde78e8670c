#define SARRUS_BURN sarrus_bench_burn_avx2
#define SARRUS_BURN_LANES 4
#include "bench/measure/fma_peak_body.h"
