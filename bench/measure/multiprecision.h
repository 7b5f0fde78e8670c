/* The yardstick of a computed pseudoinverse: A⁺ of one small matrix with 50 decimal digits or more (MPFR), and what a computed X
 * is off by, evaluated in the same arithmetic, so that neither the reference nor the evaluation adds anything to what is
 * measured. */
#ifndef SARRUS_BENCH_MEASURE_MULTIPRECISION_H
#define SARRUS_BENCH_MEASURE_MULTIPRECISION_H

/* A, its singular values and A⁺. Different ones may be used by different threads. */
typedef struct sarrus_multiprecision sarrus_multiprecision;

/* How far X is from A⁺, Frobenius norms. Rounding the entries of the exact A⁺ to doubles alone changes A X by ε ‖A‖‖X‖, so that is
 * what the residuals of the four Penrose conditions are divided by, times ‖A‖ or ‖X‖ for the two of third degree: a method that
 * is as good as its number format has residuals of some ε whatever the condition. The forward error of such a method may be
 * ε κ. A quotient 0/0 is 0; an X with NaN or an infinity gives NaN or an infinity. */
typedef struct sarrus_multiprecision_error {
    double axa;     /* ‖A X A − A‖ / (‖A‖² ‖X‖) */
    double xax;     /* ‖X A X − X‖ / (‖A‖ ‖X‖²) */
    double ax;      /* ‖(A X)ᵀ − A X‖ / (‖A‖ ‖X‖) */
    double xa;      /* ‖(X A)ᵀ − X A‖ / (‖A‖ ‖X‖) */
    double forward; /* ‖X − A⁺‖ / ‖A⁺‖ */
} sarrus_multiprecision_error;

/* Decomposes a [m][n] (row-major, finite; m, n ≥ 1). rank ≥ 0: that many singular values count (at most min(m, n)). rank < 0: those
 * above tolerance times the largest count; tolerance 0: those that are not 0 in this arithmetic (1e-60 of the largest, less when
 * the entries differ more in size). NULL when memory runs out. A 12×12 takes some milliseconds, a 64×64 about a second. */
sarrus_multiprecision *sarrus_multiprecision_create(const double *a, int m, int n, int rank, double tolerance);
void sarrus_multiprecision_destroy(sarrus_multiprecision *reference);

int sarrus_multiprecision_rank(const sarrus_multiprecision *reference);

/* All singular values [min(m, n)], falling, rounded to doubles; they belong to the reference. Those that are 0 in exact arithmetic
 * may come out as some 1e-70 of the largest. */
const double *sarrus_multiprecision_sigma(const sarrus_multiprecision *reference);

/* A⁺ [n][m] rounded to doubles; it belongs to the reference. */
const double *sarrus_multiprecision_x(const sarrus_multiprecision *reference);

/* Measures x [n][m]. Returns 0, or −1 when memory runs out (then all is NaN). */
int sarrus_multiprecision_measure(const sarrus_multiprecision *reference, const double *x, sarrus_multiprecision_error *out);

#endif
