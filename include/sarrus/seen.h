/* What is seen of a batch: numbers of the bodies' present motion that a policy or a reward asks for, all of them in one pass. */
#ifndef SARRUS_SEEN_H
#define SARRUS_SEEN_H

#include <stddef.h>
#include <stdint.h>

#include "sarrus/batch.h"
#include "sarrus/status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum sarrus_seen_kind {
    SARRUS_SEEN_Q = 0,        /* q_i − q_j  m | rad */
    SARRUS_SEEN_V = 1,        /* v_i − v_j  m/s | rad/s */
    SARRUS_SEEN_SINE = 2,     /* sin(q_i − q_j) */
    SARRUS_SEEN_COSINE = 3,   /* cos(q_i − q_j) */
    SARRUS_SEEN_PLACE = 4,    /* (r + A s)·e  m, of a point s of a body, in the inertial frame */
    SARRUS_SEEN_VELOCITY = 5, /* (ṙ + A (ω × s))·e  m/s */
} sarrus_seen_kind;

/* One number of an instance. Coordinates and speeds are those of the bodies, whatever the formulation. */
typedef struct sarrus_seen {
    sarrus_seen_kind kind;
    int32_t i, j;      /* of q or v; j = −1: nothing is subtracted */
    int32_t body;      /* PLACE, VELOCITY: number of the body in the scenario */
    int32_t axis;      /* and along x (0), y (1) or z (2), e */
    double at[3];      /* and where the point is in the body's frame, s, m; in the plane at[2] is not read */
    const double *own; /* instead of `at`: own + k·stride of instance k; NULL: all have `at` */
    size_t stride;     /* doubles */
} sarrus_seen;

/* Copies n_seen numbers of the masked instances (as of sarrus_batch_copy_out_some) to out[n_seen][n_instances], in the units
 * above, by the threads of the batch; what is not masked stays as it is. Sines and cosines are those of the kernels: the bits of an
 * instance depend on its own numbers alone. Of an instance that has failed: its last good state. BAD_ARGUMENT: NULL, a column, body
 * or axis that there is none of. NO_MEMORY, DEVICE_FAILED. */
SARRUS_MUST_USE sarrus_status sarrus_batch_copy_seen(sarrus_batch *batch, const sarrus_seen *seen, int n_seen, const uint8_t *mask,
                                                     double *out);

#ifdef __cplusplus
}
#endif

#endif
