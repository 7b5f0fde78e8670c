/* The lane vocabulary: all that the arithmetic of an instance may use.
 *
 *   real    one number of each lane of a tile (CPU: a SIMD vector of W of them; CUDA: that of this thread), a double; a float in
 *           units that define SARRUS_LANE_SINGLE
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
#elif defined(SARRUS_LANE_SINGLE)
#include "kernels/lane/lane_cpu_single.h"
#else
#include "kernels/lane/lane_cpu.h"
#endif

#if !defined(LANE_IS_SINGLE)
#define LANE_IS_SINGLE 0
#endif
/* A number that is for the precision of the lanes: of doubles, of floats. */
#define LANE_PRECISE(of_double, of_single) (LANE_IS_SINGLE ? (of_single) : (of_double))
/* ε: 1 and the next number are so far apart. */
#define LANE_EPSILON LANE_PRECISE(0x1p-52, 0x1p-23)

/* Element i of a lane array: an lvalue. */
#define lane_at(array, i) ((array)[(size_t)(i)*LANE_STRIDE])

/* Places a sub-array that begins at element i. */
#define lane_from(array, i) (&(array)[(size_t)(i)*LANE_STRIDE])

/* A short loop, always written out: compilers leave some of them, with their arrays in memory. */
#define LANE_EACH(i, n) LANE_UNROLL for (int32_t i = 0; i < (n); ++i)

/* 1.5 · 2^52, for floats 1.5 · 2^23: adding it rounds to an integer. */
#define LANE_MAGIC LANE_PRECISE(6755399441055744.0, 12582912.0)

/* sin r and cos r for |r| ≤ π/4: fdlibm's minimax polynomials, or, for floats, those of Cephes (Moshier, 1989). */
#if LANE_IS_SINGLE
LANE_FUNCTION void real_sincos_near(real r, real *s, real *c) {
    const real z = r * r;
    real ps = real_fma(z, real_set(-1.9515295891e-4), real_set(8.3321608736e-3));
    ps = real_fma(z, ps, real_set(-1.6666654611e-1));
    *s = real_fma(z * r, ps, r);
    real pc = real_fma(z, real_set(2.443315711809948e-5), real_set(-1.388731625493765e-3));
    pc = real_fma(z, pc, real_set(4.166664568298827e-2));
    *c = real_fma(z * z, pc, real_fnma(real_set(0.5), z, real_set(1.0)));
}
#else
LANE_FUNCTION void real_sincos_near(real r, real *s, real *c) {
    real z = r * r;
    real ps = real_fma(z, real_set(1.58969099521155010221e-10), real_set(-2.50507602534068634195e-08));
    ps = real_fma(z, ps, real_set(2.75573137070700676789e-06));
    ps = real_fma(z, ps, real_set(-1.98412698298579493134e-04));
    ps = real_fma(z, ps, real_set(8.33333333332248946124e-03));
    ps = real_fma(z, ps, real_set(-1.66666666666666324348e-01));
    *s = real_fma(z * r, ps, r);
    real pc = real_fma(z, real_set(-1.13596475577881948265e-11), real_set(2.08757232129817482790e-09));
    pc = real_fma(z, pc, real_set(-2.75573143513906633035e-07));
    pc = real_fma(z, pc, real_set(2.48015872894767294178e-05));
    pc = real_fma(z, pc, real_set(-1.38888888888741095749e-03));
    pc = real_fma(z, pc, real_set(4.16666666666666019037e-02));
    real half_z = z * real_set(0.5);
    real w = real_set(1.0) - half_z;
    *c = w + real_fma(z * z, pc, (real_set(1.0) - w) - half_z);
}
#endif

/* sin x and cos x to 1 ulp or so for |x| ≤ 1.6e6 (floats: 1e4), and within an ulp of x beyond: x = r + k π/2 by three parts of
 * π/2 (Cody and Waite), exact times k, then polynomials on |r| ≤ π/4 (fdlibm, Sun Microsystems, 1993).
 * The same operations run for every lane whatever the other lanes hold, which library vector functions do not promise:
 * their range reduction is chosen for a whole vector by its largest argument. */
LANE_FUNCTION void real_sincos(real x, real *sine, real *cosine) {
    const real magic = real_set(LANE_MAGIC);
    real shifted = real_fma(x, real_set(6.36619772367581382433e-01), magic);
    real k = shifted - magic;
    real r = real_fnma(k, real_set(LANE_PRECISE(1.57079632673412561417e+00, 1.5703125)), x);
    r = real_fnma(k, real_set(LANE_PRECISE(6.07710050630396597660e-11, 4.837512969970703125e-04)), r);
    r = real_fnma(k, real_set(LANE_PRECISE(2.02226624879595063154e-21, 0x1.4442d20000000p-24)), r);
    real s, c;
    real_sincos_near(r, &s, &c);
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
