#include "backend/backend.h"

#include "core/report.h"

const sarrus_backend_ops *sarrus_backend_find(sarrus_context *context, sarrus_backend backend) {
    if (backend == SARRUS_BACKEND_AUTO || backend == SARRUS_BACKEND_CPU)
        return &sarrus_backend_cpu;
    if (backend == SARRUS_BACKEND_CUDA) {
        (void)sarrus_report(context, SARRUS_NO_BACKEND,
                            "the CUDA backend is not part of this version; expected backend 'cpu' or 'auto'");
    } else {
        (void)sarrus_report(context, SARRUS_NO_BACKEND, "unknown backend %d; expected auto, cpu or cuda", (int)backend);
    }
    return NULL;
}
