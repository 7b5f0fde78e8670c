/* Where the numbers of a group of threads lie in shared memory (pinv_group_qr.cuh), in doubles from the group's part on. Callable
 * from C: the host counts bytes with it. */
#ifndef SARRUS_CUDA_PINV_GROUP_LAYOUT_H
#define SARRUS_CUDA_PINV_GROUP_LAYOUT_H

#include "kernels/cuda/pinv_call.h"
#include "sarrus/method.h"

/* Scalars of a group: whether it has a matrix, a finite one, one that has something to do yet; and numbers of it: the largest σ
 * that does not count, or the rank. */
enum { PINV_THERE, PINV_ACTIVE, PINV_RUNNING, PINV_SCALE, PINV_NOISE, PINV_EDGE, PINV_N_SCALARS, PINV_RANK = PINV_EDGE };

typedef struct pinv_group_layout {
    int32_t count, length; /* columns and rows of T */
    int32_t is_turned;     /* T is Aᵀ */
    int32_t q, q_row;      /* [count][length] columns of T, then, of `svd`, of Q: the companions */
    int32_t d, d_row;      /* [count][count] rows of R Pᵀ; of `svd` alone */
    int32_t sides;         /* [count][n_rhs]; of `householder` [n_sides][max(m, n)] columns of B or of the unit matrix */
    int32_t n_sides, side_row;
    /* [count] each */
    int32_t norm2, next, head, beta, diagonal, place;
    int32_t sigma, sorted;  /* after the QR, where next and head were; of `householder` |R_kk| in the second */
    int32_t rotated, turns; /* [n_threads] rotations of a sweep and of all, where beta and place were */
    int32_t scalars;
    int32_t size; /* of all of it */
    int32_t n_threads, n_groups;
} pinv_group_layout;

#if defined(__CUDACC__)
#define PINV_LAYOUT_FUNCTION static __host__ __device__ __forceinline__
#else
#define PINV_LAYOUT_FUNCTION static inline
#endif

/* Threads that a warp has. */
enum { PINV_GROUP_WARP = 32 };

/* A warp reads 16 doubles at a time, one from each bank. With parts of 1 modulo 16 the groups of a warp meet least: 1.7 cycles
 * a read of 12×12 matrices in the mean over the rounds of a sweep, 2.2 without. */
PINV_LAYOUT_FUNCTION void pinv_group_layout_end(pinv_group_layout *lay) {
    lay->size = (lay->scalars + PINV_N_SCALARS + 14) / 16 * 16 + 1;
    lay->n_groups = PINV_GROUP_WARP / lay->n_threads;
}

/* Numbers of the columns, from `first` on. */
PINV_LAYOUT_FUNCTION void pinv_group_layout_columns(pinv_group_layout *lay, int32_t first) {
    lay->norm2 = first;
    lay->next = lay->sigma = lay->norm2 + lay->count;
    lay->head = lay->sorted = lay->next + lay->count;
    lay->beta = lay->head + lay->count;
    lay->place = lay->beta + lay->count;
    lay->diagonal = lay->place + lay->count;
}

/* Of `svd`. n_rhs 0: the explicit form. */
PINV_LAYOUT_FUNCTION pinv_group_layout pinv_group_svd_layout(int32_t m, int32_t n, int32_t n_rhs) {
    pinv_group_layout lay;
    lay.is_turned = m < n;
    lay.count = m < n ? m : n;
    lay.length = m < n ? n : m;
    lay.q_row = lay.length | 1;
    lay.d_row = lay.count | 1;
    lay.q = 0;
    lay.d = lay.count * lay.q_row;
    lay.sides = lay.d + lay.count * lay.d_row;
    lay.n_sides = lay.side_row = 0; /* none goes through the QR */
    pinv_group_layout_columns(&lay, lay.sides + lay.count * n_rhs);
    lay.rotated = lay.beta;
    lay.turns = lay.place;
    lay.scalars = lay.diagonal + lay.count;
    lay.n_threads = lay.count > 1 ? lay.count / 2 : 1;
    pinv_group_layout_end(&lay);
    return lay;
}

/* Of `householder`: two columns a thread. */
PINV_LAYOUT_FUNCTION pinv_group_layout pinv_group_householder_layout(int32_t m, int32_t n, int32_t n_rhs) {
    pinv_group_layout lay;
    const int32_t n_sides = n_rhs > 0 ? n_rhs : m, n_pairs = ((n_sides > n ? n_sides : n) + 1) / 2;
    lay.is_turned = 0;
    lay.count = n;
    lay.length = m;
    lay.q_row = m | 1;
    lay.q = 0;
    lay.d = lay.d_row = 0;
    lay.sides = n * lay.q_row;
    lay.n_sides = n_sides;
    lay.side_row = (m < n ? n : m) | 1;
    pinv_group_layout_columns(&lay, lay.sides + lay.n_sides * lay.side_row);
    lay.rotated = lay.turns = lay.diagonal + lay.count;
    lay.n_threads = n_pairs < PINV_GROUP_WARP ? n_pairs : PINV_GROUP_WARP;
    lay.scalars = lay.rotated + lay.n_threads;
    pinv_group_layout_end(&lay);
    return lay;
}

/* By the method. */
PINV_LAYOUT_FUNCTION pinv_group_layout pinv_group_layout_of(int32_t method, int32_t m, int32_t n, int32_t n_rhs) {
    return method == SARRUS_PINV_SVD ? pinv_group_svd_layout(m, n, n_rhs) : pinv_group_householder_layout(m, n, n_rhs);
}

#endif
