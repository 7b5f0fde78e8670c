#define SARRUS_BURN sarrus_bench_burn_avx512
#define SARRUS_BURN_LANES 8
#include "bench/measure/fma_peak_body.h"
