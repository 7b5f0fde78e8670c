/* CPU lanes: W doubles in one SIMD vector. SARRUS_LANE_WIDTH is 8 (AVX-512), 4 (AVX2 + FMA) or 2 (x86-64 baseline, or any
 * other processor through the compiler's generic vectors). */
#ifndef SARRUS_LANE_LANE_CPU_H
#define SARRUS_LANE_LANE_CPU_H

#include "kernels/lane/cpu_target.h"

typedef double real __attribute__((vector_size(8 * SARRUS_LANE_WIDTH)));
typedef double real_scalar; /* a plain number of the plan on its way into a lane */
typedef int64_t lane_bits __attribute__((vector_size(8 * SARRUS_LANE_WIDTH)));

/* Element at a place (index × LANE_WIDTH) of a lane array: an lvalue. */
#define lane_at_offset(array, place) (*(real *)(void *)((char *)(array) + sizeof(double) * (size_t)(place)))

LANE_FUNCTION real real_set(double x) {
#if SARRUS_LANE_WIDTH == 8
    return (real)_mm512_set1_pd(x);
#elif SARRUS_LANE_WIDTH == 4
    return (real)_mm256_set1_pd(x);
#else
    return (real){x, x};
#endif
}

#if SARRUS_LANE_WIDTH == 8

typedef __mmask8 mask;
#define LANE_MASKS_ARE_BITS

LANE_FUNCTION real real_fma(real a, real b, real c) {
    return (real)_mm512_fmadd_pd((__m512d)a, (__m512d)b, (__m512d)c);
}
LANE_FUNCTION real real_fnma(real a, real b, real c) {
    return (real)_mm512_fnmadd_pd((__m512d)a, (__m512d)b, (__m512d)c);
}
LANE_FUNCTION real real_sqrt(real a) {
    return (real)_mm512_sqrt_pd((__m512d)a);
}
LANE_FUNCTION real real_abs(real a) {
    return (real)_mm512_abs_pd((__m512d)a);
}
LANE_FUNCTION real real_select(mask m, real a, real b) {
    return (real)_mm512_mask_blend_pd(m, (__m512d)b, (__m512d)a);
}
/* *at ← a in the lanes of m. */
LANE_FUNCTION void real_put(mask m, real a, real *at) {
    _mm512_mask_store_pd((double *)at, m, (__m512d)a);
}
LANE_FUNCTION mask real_lt(real a, real b) {
    return _mm512_cmp_pd_mask((__m512d)a, (__m512d)b, _CMP_LT_OQ);
}
LANE_FUNCTION mask real_le(real a, real b) {
    return _mm512_cmp_pd_mask((__m512d)a, (__m512d)b, _CMP_LE_OQ);
}
LANE_FUNCTION mask real_eq(real a, real b) {
    return _mm512_cmp_pd_mask((__m512d)a, (__m512d)b, _CMP_EQ_OQ);
}
/* About 1/√x to 2 ulp for normal x > 0: an estimate of 14 bits, and two Newton steps. */
LANE_FUNCTION real real_rsqrt(real a) {
    real y = (real)_mm512_rsqrt14_pd((__m512d)a), half = a * real_set(0.5);
    y = real_fma(y, real_fnma(half * y, y, real_set(0.5)), y);
    return real_fma(y, real_fnma(half * y, y, real_set(0.5)), y);
}
LANE_FUNCTION mask real_bit_of_magic(real shifted, int bit) {
    return _mm512_test_epi64_mask((__m512i)shifted, _mm512_set1_epi64(1LL << bit));
}

#else

typedef lane_bits mask;

LANE_FUNCTION real real_select(mask m, real a, real b) {
#if SARRUS_LANE_WIDTH == 2 && defined(__SSE2__)
    /* As instructions: from the operators gcc 12 makes comparisons of 64-bit integers, which SSE2 has not, and dies. */
    return (real)_mm_or_pd(_mm_and_pd((__m128d)m, (__m128d)a), _mm_andnot_pd((__m128d)m, (__m128d)b));
#else
    return (real)((m & (lane_bits)a) | (~m & (lane_bits)b));
#endif
}
LANE_FUNCTION mask real_bit_of_magic(real shifted, int bit) {
    return (mask)(((lane_bits)shifted << (63 - bit)) < 0); /* the bit becomes the sign */
}

#if SARRUS_LANE_WIDTH == 4
LANE_FUNCTION real real_fma(real a, real b, real c) {
    return (real)_mm256_fmadd_pd((__m256d)a, (__m256d)b, (__m256d)c);
}
LANE_FUNCTION real real_fnma(real a, real b, real c) {
    return (real)_mm256_fnmadd_pd((__m256d)a, (__m256d)b, (__m256d)c);
}
LANE_FUNCTION real real_sqrt(real a) {
    return (real)_mm256_sqrt_pd((__m256d)a);
}
LANE_FUNCTION real real_abs(real a) {
    return (real)_mm256_andnot_pd(_mm256_set1_pd(-0.0), (__m256d)a);
}
LANE_FUNCTION int mask_any(mask a) {
    return _mm256_movemask_pd((__m256d)a) != 0;
}
#else
LANE_FUNCTION real real_fma(real a, real b, real c) {
    return a * b + c;
}
LANE_FUNCTION real real_fnma(real a, real b, real c) {
    return c - a * b;
}
LANE_FUNCTION real real_sqrt(real a) {
    return (real){sqrt(a[0]), sqrt(a[1])};
}
LANE_FUNCTION real real_abs(real a) {
    return (real){fabs(a[0]), fabs(a[1])};
}
LANE_FUNCTION int mask_any(mask a) {
    return (a[0] | a[1]) != 0;
}
#endif

LANE_FUNCTION real real_rsqrt(real a) {
    return real_set(1.0) / real_sqrt(a);
}

#endif

#include "kernels/lane/cpu_masks.h"

/* The power of two not above |a|: 0 of subnormal numbers and 0, ∞ of ∞ and NaN. */
LANE_FUNCTION real real_exponent_part(real a) {
    return (real)((lane_bits)a & (0x7ffLL << 52));
}

/* The larger of a and b; a NaN in `a` is passed over. */
LANE_FUNCTION real real_max(real a, real b) {
#if SARRUS_LANE_WIDTH == 8
    return (real)_mm512_max_pd((__m512d)a, (__m512d)b);
#elif SARRUS_LANE_WIDTH == 4
    return (real)_mm256_max_pd((__m256d)a, (__m256d)b);
#else
    return real_select(real_lt(b, a), a, b);
#endif
}

#endif
