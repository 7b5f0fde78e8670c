/* cuSOLVER and cuBLAS emulated by LAPACK and plain loops, on the emulated GPU (gpu_on_host.h): what is called is queued on
 * the handle's stream. Kept to what the documentation says: column-major, V and not Vᵀ, A destroyed, at most 32 rows and columns of
 * the batched SVD, falling singular values and rising eigenvalues, `info` for every member. */
#ifndef TESTS_BACKEND_CUSOLVER_ON_HOST_H
#define TESTS_BACKEND_CUSOLVER_ON_HOST_H

#include "backend/cuda/cusolver.h"

typedef struct cusolver_on_host_settings {
    int every_unconverged; /* every so many members do not converge: info says so, and there are no results; 0: none */
    int every_wrong;       /* every so many members come back wrong, with nothing said; 0: none */
    int status;            /* of every factorization: another than 0 fails it */
    int is_without_memory; /* handles cannot be had */
} cusolver_on_host_settings;

typedef struct cusolver_on_host_tally {
    int n_handles;              /* now, all kinds */
    int n_calls, n_misuses;     /* of factorizations; of anything against the documentation, said on standard error */
    int n_unconverged, n_wrong; /* of the members factored */
    long n_members;
} cusolver_on_host_tally;

void cusolver_on_host_reset(const cusolver_on_host_settings *settings);
cusolver_on_host_tally cusolver_on_host_seen(void);

extern const sarrus_cusolver cusolver_on_host;

#endif
