#define SARRUS_BURN sarrus_bench_burn_baseline
#define SARRUS_BURN_LANES 2
#include "bench/measure/fma_peak_body.h"
