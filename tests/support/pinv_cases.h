/* Classes of matrices on which every pseudoinverse method has to hold, with the truth about each. */
#ifndef TESTS_SUPPORT_PINV_CASES_H
#define TESTS_SUPPORT_PINV_CASES_H

#include <stdbool.h>
#include <stdint.h>

enum { PINV_CASE_LARGEST = 64 };

typedef enum pinv_class {
    PINV_FULL,       /* random, of rank min(m, n) */
    PINV_LESS_ONE,   /* one less */
    PINV_HALF,       /* half of it */
    PINV_RANK_ONE,   /* x yᵀ */
    PINV_ZERO,       /* rank 0 */
    PINV_ZERO_LINES, /* random with a zero row and a zero column */
    PINV_TWINS,      /* random, the last row (or column, of tall ones) again the first */
    PINV_INTEGERS,   /* −2 … 2, half of them zero: ties wherever sizes are compared */
    PINV_DIAGONAL,   /* nothing to do for any method; zeros of both signs beside the diagonal */
    PINV_SPECTRUM,   /* singular values from 1 to 1e-6, equally far apart */
    PINV_ROWS,       /* random, rows times 1e-8 … 1e8 */
    PINV_SUBNORMAL,  /* random, every third entry of the order 1e-310 */
    PINV_TINY,       /* all of the order 1e-310: A⁺ is beyond the range of a double */
    PINV_EXTREME,    /* random, rows times 1e-150 … 1e150 */
    N_PINV_CLASSES
} pinv_class;

typedef struct pinv_case {
    pinv_class class;
    int m, n;
    int rank;         /* singular values above 10 max(m, n) ε σ₁ */
    bool is_clear;    /* no singular value is near that threshold */
    double condition; /* σ₁ / σ_rank; 1 when the rank is 0 */
    double kept;      /* σ_rank, 0 when there is none */
    double *a, *x;    /* [m][n]; [n][m] A⁺ at that rank */
    double norm_x;    /* ‖x‖ */
    double b[PINV_CASE_LARGEST];
} pinv_case;

const char *pinv_class_word(pinv_class class);

/* Stops the program when memory runs out. The same seed gives the same matrix. */
void pinv_case_create(pinv_class class, int m, int n, uint64_t seed, pinv_case *out);
void pinv_case_free(pinv_case *made);

#endif
