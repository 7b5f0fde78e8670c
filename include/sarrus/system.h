/* The equations of motion of every instance of a batch, written out in full: what formulations and pseudoinverses are compared on
 * (S1 10, 13; S5 22, 23). */
#ifndef SARRUS_SYSTEM_H
#define SARRUS_SYSTEM_H

#include "sarrus/batch.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Where the numbers go, row-major, N instances one after another:  M a + Jᵀλ = F,  J a = γ.  Zero-initialize and set `size`; NULL:
 * not wanted. Speeds v, and a, are those of the bodies (sarrus_plan_speed_name), rows those of `sarrus check`, whatever makes the
 * steps. M is that of the masses as the scenario has them, semi-definite where bodies lack some. F has the weights, springs,
 * dampers, loads and gyroscopic torques, γ the terms of drives, of a ground that moves and of Baumgarte. */
typedef struct sarrus_systems {
    size_t size;      /* sizeof(sarrus_systems) */
    double *mass;     /* [N][n][n] kg | kg m² | kg m */
    double *force;    /* [N][n]    N | N m */
    double *jacobian; /* [N][m][n] 1 | m */
    double *gamma;    /* [N][m]    m/s² | rad/s² */
} sarrus_systems;

/* Those of the present state. An instance that has failed has them where it stands. BAD_ARGUMENT; UNSUPPORTED: the batch is on a
 * GPU; NO_MEMORY. */
SARRUS_MUST_USE sarrus_status sarrus_batch_copy_systems(sarrus_batch *batch, const sarrus_systems *out);

#ifdef __cplusplus
}
#endif

#endif
