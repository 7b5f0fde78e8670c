/* Vectors of three numbers, in long double, for references in space. */
#ifndef TESTS_SUPPORT_VECTORS_H
#define TESTS_SUPPORT_VECTORS_H

#include <stdint.h>

/* out = a s, and aT s. */
void vector_rotate(long double a[3][3], const long double s[3], long double out[3]);
void vector_rotate_back(long double a[3][3], const long double s[3], long double out[3]);

void vector_cross(const long double a[3], const long double b[3], long double out[3]);

/* To the length 1. */
void vector_normalize(long double x[3]);

/* Each number in [-size, size]. */
void vector_random(double size, uint64_t *seed, double out[3]);

#endif
