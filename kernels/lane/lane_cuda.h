/* CUDA lanes: one thread is one lane; arrays keep the tile layout, so neighbouring threads read neighbouring numbers. */
#ifndef SARRUS_LANE_LANE_CUDA_H
#define SARRUS_LANE_LANE_CUDA_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>

#define LANE_FUNCTION static __device__ __forceinline__
/* Bodies stay functions: one copy of each keeps the compiler quick and the instruction cache warm. */
#define LANE_BODY static __device__ __noinline__ __attribute__((unused))
#define LANE_RESTRICT __restrict__
/* Before a constant of the whole unit, which device code reads. */
#define LANE_CONSTANT static __device__ const
/* A piece of code of its own. */
#define LANE_PHASE static __device__ __noinline__ __attribute__((unused))
/* Before a loop whose bounds are constants: all of its iterations one after another; or none but as it stands. */
#define LANE_UNROLL _Pragma("unroll")
#define LANE_ROLLED _Pragma("unroll 1")
#define LANE_WIDTH 32
/* Whether lanes are threads of a device: code that never runs there holds registers all the same. */
#define LANE_IS_THREAD 1
/* Before an array that the threads of a block have in common. */
#define LANE_SHARED __shared__
LANE_FUNCTION int lane_thread(void) {
    return (int)threadIdx.x;
}
/* 1 in units whose arrays are one thread's, or one matrix's, alone. */
#if !defined(LANE_STRIDE)
#define LANE_STRIDE LANE_WIDTH
#endif

#if defined(SARRUS_LANE_SINGLE)
typedef float real;
#define LANE_IS_SINGLE 1
#else
typedef double real;
#endif
typedef double real_scalar; /* a plain number of the plan on its way into a lane */
typedef bool mask;

/* Element at a place (index × LANE_WIDTH) of a lane array: an lvalue. */
#define lane_at_offset(array, place) ((array)[place])

/* A kernel on a device is not stopped: it is given few steps at a time. */
LANE_FUNCTION int lane_is_stopped(const volatile int32_t *stop) {
    (void)stop;
    return 0;
}

LANE_FUNCTION real real_set(double x) {
    return (real)x;
}
LANE_FUNCTION real real_fma(real a, real b, real c) {
    return fma(a, b, c);
}
LANE_FUNCTION real real_fnma(real a, real b, real c) {
    return fma(-a, b, c);
}
LANE_FUNCTION real real_sqrt(real a) {
    return sqrt(a);
}
/* Two roundings, as with AVX2: a device gives the bits of a processor with FMA. Its own rsqrt rounds in another way. */
LANE_FUNCTION real real_rsqrt(real a) {
    return real_set(1.0) / sqrt(a);
}
#if defined(SARRUS_LANE_SINGLE)
LANE_FUNCTION real real_exponent_part(real a) {
    return __int_as_float(__float_as_int(a) & (0xff << 23));
}
LANE_FUNCTION bool real_bit_of_magic(real shifted, int bit) {
    return ((__float_as_int(shifted) >> bit) & 1) != 0;
}
#else
LANE_FUNCTION real real_exponent_part(real a) {
    return __longlong_as_double(__double_as_longlong(a) & (0x7ffLL << 52));
}
LANE_FUNCTION bool real_bit_of_magic(real shifted, int bit) {
    return ((__double_as_longlong(shifted) >> bit) & 1LL) != 0;
}
#endif
LANE_FUNCTION real real_abs(real a) {
    return fabs(a);
}
LANE_FUNCTION real real_select(mask m, real a, real b) {
    return m ? a : b;
}
LANE_FUNCTION void real_put(mask m, real a, real *at) {
    if (m)
        *at = a;
}
LANE_FUNCTION mask real_lt(real a, real b) {
    return a < b;
}
LANE_FUNCTION mask real_le(real a, real b) {
    return a <= b;
}
LANE_FUNCTION mask real_eq(real a, real b) {
    return a == b;
}
LANE_FUNCTION mask mask_and(mask a, mask b) {
    return a && b;
}
LANE_FUNCTION mask mask_or(mask a, mask b) {
    return a || b;
}
LANE_FUNCTION mask mask_xor(mask a, mask b) {
    return a != b;
}
LANE_FUNCTION mask mask_not(mask a) {
    return !a;
}
LANE_FUNCTION mask mask_none(void) {
    return false;
}
LANE_FUNCTION int mask_any(mask a) {
    return a ? 1 : 0;
}
LANE_FUNCTION int mask_all(mask a) {
    return a ? 1 : 0;
}
LANE_FUNCTION real real_max(real a, real b) {
    return b < a ? a : b;
}

#endif
