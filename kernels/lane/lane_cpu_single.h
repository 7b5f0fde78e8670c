/* CPU lanes of single precision: W floats in one SIMD vector. SARRUS_LANE_WIDTH is 16 (AVX-512), 8 (AVX2 + FMA) or 4 (x86-64
 * baseline, or any other processor through the compiler's generic vectors). */
#ifndef SARRUS_LANE_LANE_CPU_SINGLE_H
#define SARRUS_LANE_LANE_CPU_SINGLE_H

#include "kernels/lane/cpu_target.h"

typedef float real __attribute__((vector_size(4 * SARRUS_LANE_WIDTH)));
typedef double real_scalar; /* a plain number of the plan on its way into a lane */
#define LANE_IS_SINGLE 1
typedef int32_t lane_bits __attribute__((vector_size(4 * SARRUS_LANE_WIDTH)));

/* Element at a place (index × LANE_WIDTH) of a lane array: an lvalue. */
#define lane_at_offset(array, place) (*(real *)(void *)((char *)(array) + sizeof(float) * (size_t)(place)))

LANE_FUNCTION real real_set(double x) {
#if SARRUS_LANE_WIDTH == 16
    return (real)_mm512_set1_ps((float)x);
#elif SARRUS_LANE_WIDTH == 8
    return (real)_mm256_set1_ps((float)x);
#else
    const float y = (float)x;
    return (real){y, y, y, y};
#endif
}

#if SARRUS_LANE_WIDTH == 16

typedef __mmask16 mask;
#define LANE_MASKS_ARE_BITS

LANE_FUNCTION real real_fma(real a, real b, real c) {
    return (real)_mm512_fmadd_ps((__m512)a, (__m512)b, (__m512)c);
}
LANE_FUNCTION real real_fnma(real a, real b, real c) {
    return (real)_mm512_fnmadd_ps((__m512)a, (__m512)b, (__m512)c);
}
LANE_FUNCTION real real_sqrt(real a) {
    return (real)_mm512_sqrt_ps((__m512)a);
}
LANE_FUNCTION real real_abs(real a) {
    return (real)_mm512_abs_ps((__m512)a);
}
LANE_FUNCTION real real_select(mask m, real a, real b) {
    return (real)_mm512_mask_blend_ps(m, (__m512)b, (__m512)a);
}
/* *at ← a in the lanes of m. */
LANE_FUNCTION void real_put(mask m, real a, real *at) {
    _mm512_mask_store_ps((float *)at, m, (__m512)a);
}
LANE_FUNCTION mask real_lt(real a, real b) {
    return _mm512_cmp_ps_mask((__m512)a, (__m512)b, _CMP_LT_OQ);
}
LANE_FUNCTION mask real_le(real a, real b) {
    return _mm512_cmp_ps_mask((__m512)a, (__m512)b, _CMP_LE_OQ);
}
LANE_FUNCTION mask real_eq(real a, real b) {
    return _mm512_cmp_ps_mask((__m512)a, (__m512)b, _CMP_EQ_OQ);
}
LANE_FUNCTION mask real_bit_of_magic(real shifted, int bit) {
    return _mm512_test_epi32_mask((__m512i)shifted, _mm512_set1_epi32(1 << bit));
}

#else

typedef lane_bits mask;

LANE_FUNCTION real real_select(mask m, real a, real b) {
    return (real)((m & (lane_bits)a) | (~m & (lane_bits)b));
}
LANE_FUNCTION mask real_bit_of_magic(real shifted, int bit) {
    return (mask)(((lane_bits)shifted << (31 - bit)) < 0); /* the bit becomes the sign */
}

#if SARRUS_LANE_WIDTH == 8
LANE_FUNCTION real real_fma(real a, real b, real c) {
    return (real)_mm256_fmadd_ps((__m256)a, (__m256)b, (__m256)c);
}
LANE_FUNCTION real real_fnma(real a, real b, real c) {
    return (real)_mm256_fnmadd_ps((__m256)a, (__m256)b, (__m256)c);
}
LANE_FUNCTION real real_sqrt(real a) {
    return (real)_mm256_sqrt_ps((__m256)a);
}
LANE_FUNCTION real real_abs(real a) {
    return (real)_mm256_andnot_ps(_mm256_set1_ps(-0.0f), (__m256)a);
}
LANE_FUNCTION int mask_any(mask a) {
    return _mm256_movemask_ps((__m256)a) != 0;
}
#else
LANE_FUNCTION real real_fma(real a, real b, real c) {
    return a * b + c;
}
LANE_FUNCTION real real_fnma(real a, real b, real c) {
    return c - a * b;
}
LANE_FUNCTION real real_sqrt(real a) {
    return (real){sqrtf(a[0]), sqrtf(a[1]), sqrtf(a[2]), sqrtf(a[3])};
}
LANE_FUNCTION real real_abs(real a) {
    return (real)((lane_bits)a & 0x7fffffff);
}
LANE_FUNCTION int mask_any(mask a) {
    return (a[0] | a[1] | a[2] | a[3]) != 0;
}
#endif

#endif

LANE_FUNCTION real real_rsqrt(real a) {
    return real_set(1.0) / real_sqrt(a);
}

#include "kernels/lane/cpu_masks.h"

/* The power of two not above |a|: 0 of subnormal numbers and 0, ∞ of ∞ and NaN. */
LANE_FUNCTION real real_exponent_part(real a) {
    return (real)((lane_bits)a & (0xff << 23));
}

/* The larger of a and b; a NaN in `a` is passed over. */
LANE_FUNCTION real real_max(real a, real b) {
#if SARRUS_LANE_WIDTH == 16
    return (real)_mm512_max_ps((__m512)a, (__m512)b);
#elif SARRUS_LANE_WIDTH == 8
    return (real)_mm256_max_ps((__m256)a, (__m256)b);
#else
    return real_select(real_lt(b, a), a, b);
#endif
}

#endif
