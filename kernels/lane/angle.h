/* atan2 on lanes, by the intervals and minimax polynomials of fdlibm (Sun Microsystems, 1993): to 2 ulp. Written out for the reason
 * that real_sincos gives. */
#ifndef SARRUS_LANE_ANGLE_H
#define SARRUS_LANE_ANGLE_H

#include "kernels/lane/lane.h"

/* atan t for |t| ≤ 7/16, less t. */
LANE_FUNCTION real real_atan_rest(real t) {
    const real z = t * t, w = z * z;
    real even = real_fma(w, real_set(1.62858201153657823623e-02), real_set(4.97687799461593236017e-02));
    even = real_fma(w, even, real_set(6.66107313738753120669e-02));
    even = real_fma(w, even, real_set(9.09088713343650656196e-02));
    even = real_fma(w, even, real_set(1.42857142725034663711e-01));
    even = real_fma(w, even, real_set(3.33333333333329318027e-01));
    real odd = real_fma(w, real_set(-3.65315727442169155270e-02), real_set(-5.83357013379057348645e-02));
    odd = real_fma(w, odd, real_set(-7.69187620504482999495e-02));
    odd = real_fma(w, odd, real_set(-1.11111104054623557880e-01));
    odd = real_fma(w, odd, real_set(-1.99999999998764832476e-01));
    return -(t * real_fma(z, even, w * odd));
}

/* The angle of (x, y), −π … π; 0 of (0, 0). Zeros have no sign; neither number is above 1e307, nor are both below 1e-307. With
 * a = |y|, b = |x| and the nearest c of 0, ½, 1, 1½, ∞:
 *   atan(a/b) = atan c + atan t,   t = (a − c b)/(b + c a),   for c = ∞: −b/a. */
LANE_FUNCTION real real_atan2(real y, real x) {
    const real zero = real_set(0.0), a = real_abs(y), b = real_abs(x);
    real c = zero, high = zero, low = zero;
    mask beyond = real_le(real_set(0.4375) * b, a);
    c = real_select(beyond, real_set(0.5), c);
    high = real_select(beyond, real_set(4.63647609000806093515e-01), high);
    low = real_select(beyond, real_set(2.26987774529616870924e-17), low);
    beyond = real_le(real_set(0.6875) * b, a);
    c = real_select(beyond, real_set(1.0), c);
    high = real_select(beyond, real_set(7.85398163397448278999e-01), high);
    low = real_select(beyond, real_set(3.06161699786838301793e-17), low);
    beyond = real_le(real_set(1.1875) * b, a);
    c = real_select(beyond, real_set(1.5), c);
    high = real_select(beyond, real_set(9.82793723247329054082e-01), high);
    low = real_select(beyond, real_set(1.39033110312309984516e-17), low);
    beyond = real_le(real_set(2.4375) * b, a);
    high = real_select(beyond, real_set(1.57079632679489655800e+00), high);
    low = real_select(beyond, real_set(6.12323399573676603587e-17), low);
    const real above = real_select(beyond, -b, real_fnma(c, b, a)), below = real_select(beyond, a, real_fma(c, a, b));
    const real t = above * real_inverse_or_zero(below);
    real angle = high + (t + (low + real_atan_rest(t)));
    angle = real_select(real_eq(below, zero), zero, angle);
    const real behind = real_set(3.14159265358979311600e+00) - (angle - real_set(1.22464679914735317723e-16));
    angle = real_select(real_lt(x, zero), behind, angle);
    return real_select(real_lt(y, zero), -angle, angle);
}

/* The whole number nearest to x, |x| < 2⁵¹ (floats: 2²²). */
LANE_FUNCTION real real_nearest(real x) {
    const real magic = real_set(LANE_MAGIC);
    return (x + magic) - magic;
}

/* x less whole turns of 2π, −π … π. */
LANE_FUNCTION real real_less_turns(real x) {
    const real n = real_nearest(x * real_set(1.59154943091895335769e-01));
    x = real_fnma(n, real_set(6.28318530717958623200e+00), x);
    return real_fnma(n, real_set(2.44929359829470635445e-16), x);
}

#endif
