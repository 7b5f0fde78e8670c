/* Where the numbers of a group of threads lie in shared memory (pinv_group.cuh), in doubles from the group's part on. Callable from
 * C: the host counts bytes with it. */
#ifndef SARRUS_CUDA_PINV_GROUP_LAYOUT_H
#define SARRUS_CUDA_PINV_GROUP_LAYOUT_H

#include "kernels/cuda/pinv_call.h"

/* Scalars of a group: whether it has a matrix, a finite one, one that has not converged yet; and numbers of it. */
enum { PINV_THERE, PINV_ACTIVE, PINV_RUNNING, PINV_SCALE, PINV_NOISE, PINV_EDGE, PINV_N_SCALARS };

typedef struct pinv_group_layout {
    int32_t count, length; /* rows of R, rows of T */
    int32_t is_turned;     /* T is Aᵀ */
    int32_t q, q_row;      /* [count][length] columns of T, then of Q: the companions */
    int32_t d, d_row;      /* [count][count] rows of R Pᵀ */
    int32_t sides;         /* [count][n_rhs] */
    /* [count] each */
    int32_t norm2, next, head, beta, diagonal, place;
    int32_t sigma, sorted;  /* after the QR, where next and head were */
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

/* n_rhs 0: the explicit form. */
PINV_LAYOUT_FUNCTION pinv_group_layout pinv_group_layout_of(int32_t m, int32_t n, int32_t n_rhs) {
    pinv_group_layout lay;
    lay.is_turned = m < n;
    lay.count = m < n ? m : n;
    lay.length = m < n ? n : m;
    lay.q_row = lay.length | 1;
    lay.d_row = lay.count | 1;
    lay.q = 0;
    lay.d = lay.count * lay.q_row;
    lay.sides = lay.d + lay.count * lay.d_row;
    lay.norm2 = lay.sides + lay.count * n_rhs;
    lay.next = lay.sigma = lay.norm2 + lay.count;
    lay.head = lay.sorted = lay.next + lay.count;
    lay.beta = lay.rotated = lay.head + lay.count;
    lay.place = lay.turns = lay.beta + lay.count;
    lay.diagonal = lay.place + lay.count;
    lay.scalars = lay.diagonal + lay.count;
    /* A warp reads 16 doubles at a time, one from each bank. With parts of 1 modulo 16 the groups of a warp meet least: 1.7 cycles
     * a read of 12×12 matrices in the mean over the rounds, 2.2 without. */
    lay.size = (lay.scalars + PINV_N_SCALARS + 14) / 16 * 16 + 1;
    lay.n_threads = lay.count > 1 ? lay.count / 2 : 1;
    lay.n_groups = PINV_GROUP_WARP / lay.n_threads;
    return lay;
}

#endif
