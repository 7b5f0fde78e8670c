/* Truth values of the lanes of a processor, whatever the numbers in them; after `real`, `mask` and, where masks are vectors of
 * `lane_bits`, real_select. Part of the lane headers of processors. */
#ifndef SARRUS_LANE_CPU_MASKS_H
#define SARRUS_LANE_CPU_MASKS_H

LANE_FUNCTION mask mask_and(mask a, mask b) {
    return (mask)(a & b);
}
LANE_FUNCTION mask mask_or(mask a, mask b) {
    return (mask)(a | b);
}
LANE_FUNCTION mask mask_xor(mask a, mask b) {
    return (mask)(a ^ b);
}
LANE_FUNCTION mask mask_not(mask a) {
    return (mask)~a;
}

#if defined(LANE_MASKS_ARE_BITS)

LANE_FUNCTION mask mask_none(void) {
    return (mask)0;
}
LANE_FUNCTION int mask_any(mask a) {
    return a != 0;
}

#else

LANE_FUNCTION mask real_lt(real a, real b) {
    return (mask)(a < b);
}
LANE_FUNCTION mask real_le(real a, real b) {
    return (mask)(a <= b);
}
LANE_FUNCTION mask real_eq(real a, real b) {
    return (mask)(a == b);
}
LANE_FUNCTION mask mask_none(void) {
    return (mask)real_set(0.0);
}
LANE_FUNCTION void real_put(mask m, real a, real *at) {
    *at = real_select(m, a, *at);
}

#endif

LANE_FUNCTION int mask_all(mask a) {
    return !mask_any(mask_not(a));
}

#endif
