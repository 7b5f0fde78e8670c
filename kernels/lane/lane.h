/* The lane vocabulary: all that the arithmetic of an instance may use.
 *
 *   real    one double of each lane of a tile (CPU: a SIMD vector of W doubles; CUDA: the double of this thread)
 *   mask    one truth value of each lane
 *
 * Operators + − * / work on `real`. Fused multiply-adds are written out (real_fma, real_fnma), and the compilers are
 * told not to contract anything else, so the bits do not depend on the compiler's taste.
 * Choose the target before including: SARRUS_LANE_WIDTH for CPU vectors; nvcc takes the CUDA header; SARRUS_LANE_HEADER names any
 * other (the tests count operations with one). */
#ifndef SARRUS_LANE_LANE_H
#define SARRUS_LANE_LANE_H

#if defined(SARRUS_LANE_HEADER)
#include SARRUS_LANE_HEADER
#elif defined(__CUDACC__)
#include "kernels/lane/lane_cuda.h"
#else
#include "kernels/lane/lane_cpu.h"
#endif

/* Element i of a lane array: an lvalue. */
#define lane_at(array, i) ((array)[(size_t)(i)*LANE_STRIDE])

/* Places a sub-array that begins at element i. */
#define lane_from(array, i) (&(array)[(size_t)(i)*LANE_STRIDE])

/* A short loop, always written out: compilers leave some of them, with their arrays in memory. */
#define LANE_EACH(i, n) LANE_UNROLL for (int32_t i = 0; i < (n); ++i)

/* sin x and cos x to 1 ulp or so for |x| ≤ 1.6e6, and within an ulp of x beyond: x = r + k π/2 by three exact parts of
 * π/2 (Cody and Waite), then the minimax polynomials of fdlibm (Sun Microsystems, 1993) on |r| ≤ π/4.
 * The same operations run for every lane whatever the other lanes hold, which library vector functions do not promise:
 * their range reduction is chosen for a whole vector by its largest argument. */
LANE_FUNCTION void real_sincos(real x, real *sine, real *cosine) {
    const real magic = real_set(6755399441055744.0); /* 1.5 · 2^52: adding it rounds to an integer */
    real shifted = real_fma(x, real_set(6.36619772367581382433e-01), magic);
    real k = shifted - magic;
    real r = real_fnma(k, real_set(1.57079632673412561417e+00), x);
    r = real_fnma(k, real_set(6.07710050630396597660e-11), r);
    r = real_fnma(k, real_set(2.02226624879595063154e-21), r);
    real z = r * r;
    real ps = real_fma(z, real_set(1.58969099521155010221e-10), real_set(-2.50507602534068634195e-08));
    ps = real_fma(z, ps, real_set(2.75573137070700676789e-06));
    ps = real_fma(z, ps, real_set(-1.98412698298579493134e-04));
    ps = real_fma(z, ps, real_set(8.33333333332248946124e-03));
    ps = real_fma(z, ps, real_set(-1.66666666666666324348e-01));
    real s = real_fma(z * r, ps, r);
    real pc = real_fma(z, real_set(-1.13596475577881948265e-11), real_set(2.08757232129817482790e-09));
    pc = real_fma(z, pc, real_set(-2.75573143513906633035e-07));
    pc = real_fma(z, pc, real_set(2.48015872894767294178e-05));
    pc = real_fma(z, pc, real_set(-1.38888888888741095749e-03));
    pc = real_fma(z, pc, real_set(4.16666666666666019037e-02));
    real half_z = z * real_set(0.5);
    real w = real_set(1.0) - half_z;
    real c = w + real_fma(z * z, pc, (real_set(1.0) - w) - half_z);
    mask odd = real_bit_of_magic(shifted, 0);
    mask high = real_bit_of_magic(shifted, 1);
    real s_new = real_select(odd, c, s);
    real c_new = real_select(odd, s, c);
    *sine = real_select(high, -s_new, s_new);
    *cosine = real_select(mask_xor(odd, high), -c_new, c_new);
}

/* The smaller of a and b; a NaN in `a` is passed over. */
LANE_FUNCTION real real_min(real a, real b) {
    return real_select(real_lt(a, b), a, b);
}

/* x/‖x‖ helpers need no branch: 1/x where x ≠ 0, else 0. */
LANE_FUNCTION real real_inverse_or_zero(real x) {
    mask is_zero = real_eq(x, real_set(0.0));
    return real_select(is_zero, real_set(0.0), real_set(1.0) / real_select(is_zero, real_set(1.0), x));
}

#endif
