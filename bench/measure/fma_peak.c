#include "bench/measure/fma_peak.h"

#include <math.h>
#include <pthread.h>
#include <stddef.h>
#include <string.h>

#include "bench/measure/measure.h"

static bool avx512_is_usable(void) {
#ifdef SARRUS_NO_AVX512 /* as src/backend/isa.c: the widest set is one that the build has kernels for */
    return false;
#else
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
#endif
}

static bool avx2_is_usable(void) {
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}

static bool baseline_is_usable(void) {
    return true;
}

const sarrus_bench_isa sarrus_bench_isas[SARRUS_BENCH_N_ISAS] = {
    {"avx512", 8, avx512_is_usable, sarrus_bench_burn_avx512},
    {"avx2", 4, avx2_is_usable, sarrus_bench_burn_avx2},
    {"baseline", 2, baseline_is_usable, sarrus_bench_burn_baseline},
};

const sarrus_bench_isa *sarrus_bench_isa_find(const char *name) {
    for (int i = 0; i < SARRUS_BENCH_N_ISAS; ++i) {
        const sarrus_bench_isa *isa = &sarrus_bench_isas[i];
        if (isa->is_usable() && (name == NULL || strcmp(isa->name, name) == 0))
            return isa;
    }
    return NULL;
}

enum { MAX_THREADS = 256 };

typedef struct burner {
    const sarrus_bench_isa *isa;
    double seconds;
    double rate; /* flop/s of this thread */
    double sum;
} burner;

static void *burn(void *argument) {
    burner *self = argument;
    const uint64_t n_rounds = 4096;
    const double flops = 2.0 * (double)n_rounds * SARRUS_BENCH_FMA_UNROLL * SARRUS_BENCH_FMA_CHAINS * self->isa->n_lanes;
    /* The factor is just below one: the chains stay finite and normal for ever. Warm-up outside the clock. */
    self->sum = self->isa->burn(n_rounds, 0.999999, 1e-6);
    const double t_start = sarrus_bench_now();
    double t_now = t_start;
    uint64_t n_calls = 0;
    while (t_now - t_start < self->seconds) {
        self->sum += self->isa->burn(n_rounds, 0.999999, 1e-6);
        n_calls++;
        t_now = sarrus_bench_now();
    }
    self->rate = (double)n_calls * flops / (t_now - t_start);
    return NULL;
}

double sarrus_bench_fma_peak(const sarrus_bench_isa *isa, int n_threads, double seconds) {
    burner burners[MAX_THREADS];
    pthread_t threads[MAX_THREADS];
    if (n_threads < 1 || n_threads > MAX_THREADS)
        return (double)NAN;
    for (int i = 0; i < n_threads; ++i)
        burners[i] = (burner){isa, seconds, 0.0, 0.0};
    /* Starting a thread takes some 50 µs, a thousandth of the measurement: no barrier is needed. */
    int n_started = 1;
    while (n_started < n_threads && pthread_create(&threads[n_started], NULL, burn, &burners[n_started]) == 0)
        n_started++;
    burn(&burners[0]);
    double rate = burners[0].rate;
    for (int i = 1; i < n_started; ++i) {
        pthread_join(threads[i], NULL);
        rate += burners[i].rate;
    }
    return n_started == n_threads ? rate : (double)NAN;
}
