/* What the lanes of a processor have in common, whatever the numbers in them. */
#ifndef SARRUS_LANE_CPU_TARGET_H
#define SARRUS_LANE_CPU_TARGET_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>

#ifndef SARRUS_LANE_WIDTH
#error "define SARRUS_LANE_WIDTH before including the lane vocabulary"
#endif
#if defined(__SSE2__)
#include <immintrin.h>
#endif

#define LANE_FUNCTION static inline __attribute__((always_inline, unused))
#define LANE_BODY static inline __attribute__((unused))
#define LANE_RESTRICT restrict
/* Before a constant of the whole unit. */
#define LANE_CONSTANT static const
/* A piece of code of its own. */
#define LANE_PHASE static __attribute__((noinline, unused))
/* Before a loop whose bounds are constants: all of its iterations one after another; or none but as it stands. */
#if defined(__clang__)
#define LANE_UNROLL _Pragma("clang loop unroll(full)")
#define LANE_ROLLED _Pragma("clang loop unroll(disable)")
#else
#define LANE_UNROLL _Pragma("GCC unroll 65534")
#define LANE_ROLLED _Pragma("GCC unroll 1")
#endif
#define LANE_STRIDE 1
/* Whether lanes are threads of a device: code that never runs there holds registers all the same. */
#define LANE_IS_THREAD 0
#define LANE_WIDTH SARRUS_LANE_WIDTH

/* Whether the owner of a flag (NULL: there is none) has asked for an end. */
LANE_FUNCTION int lane_is_stopped(const volatile int32_t *stop) {
    return stop && __atomic_load_n(stop, __ATOMIC_RELAXED) != 0;
}

#endif
