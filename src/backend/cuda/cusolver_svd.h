/* The linear problems of one evaluation of the staged path, solved by cuSOLVER: the batched SVD of D, or the eigenvectors of D Dᵀ,
 * and cuBLAS's products around that. */
#ifndef SARRUS_BACKEND_CUDA_CUSOLVER_SVD_H
#define SARRUS_BACKEND_CUDA_CUSOLVER_SVD_H

#include "backend/cuda/cusolver.h"
#include "backend/cuda/gpu.h"
#include "kernels/cuda/staged.h"

/* Errors of the libraries, beside those of a sarrus_gpu: their status above one of the first two. */
enum { SARRUS_STAGED_CUSOLVER_ERROR = 100000, SARRUS_STAGED_CUBLAS_ERROR = 200000, SARRUS_STAGED_NO_KERNELS = 300000 };

/* Handles and work space of one stream. */
typedef struct sarrus_cusolver_svd {
    const sarrus_cusolver *table;
    const sarrus_gpu *gpu;
    void *solver, *products, *params;
    int is_gram;
    void *work, *host_work;
    size_t n_work, n_host_work; /* bytes */
} sarrus_cusolver_svd;

/* Zero the structure first; close it in any case. All return 0, an error of the gpu, or one of those above. */
int sarrus_cusolver_svd_open(sarrus_cusolver_svd *svd, void *stream);
void sarrus_cusolver_svd_close(sarrus_cusolver_svd *svd);

/* Work space for the batch of a call, m rows and n columns; what is there already is kept when it is enough. Waits for the stream
 * when it is not. */
int sarrus_cusolver_svd_reserve(sarrus_cusolver_svd *svd, const sarrus_staged_call *call);

/* D = U Σ Vᵀ or D Dᵀ = U Λ Uᵀ of the slots in use, and c = Uᵀ b. */
int sarrus_cusolver_svd_factor(const sarrus_cusolver_svd *svd, const sarrus_staged_call *call);

/* z = V c, or z = Dᵀ U c. */
int sarrus_cusolver_svd_combine(const sarrus_cusolver_svd *svd, const sarrus_staged_call *call);

#endif
