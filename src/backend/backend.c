#include "backend/backend.h"

#include "backend/cuda/staged.h"
#include "backend/cuda/gpu.h"
#include "core/formulation_kind.h"
#include "core/report.h"

/* AUTO leaves smaller batches to the CPU: a device steps 1,000 instances in no less time than a processor does, for they are 32
 * warps on more than a hundred multiprocessors, each as slow as one thread. */
static const uint64_t WORTH_A_DEVICE = 1024;

int sarrus_backend_n_devices(sarrus_backend backend) {
    const sarrus_gpu *gpu = sarrus_gpu_find();
    int n_devices = 0;
    if (backend == SARRUS_BACKEND_CPU)
        return 1;
    if (backend != SARRUS_BACKEND_CUDA || !gpu)
        return -1;
    return gpu->count(&n_devices) == SARRUS_GPU_OK ? n_devices : 0;
}

/* Why a plan has no kernels for a device; NULL: it has some. */
static const char *gpu_lack(const sarrus_plan *plan) {
    if (plan->mech.n_constraints > 0)
        return "constraints beside joints run on the processor only; expected backend 'cpu' or 'auto'";
    if (sarrus_formulation_is_in_full((sarrus_formulation)plan->mech.formulation))
        return "a formulation that is written out in full runs on the processor only; expected backend 'cpu' or 'auto', or "
               "'formulation: udwadia-kalaba'";
    return NULL;
}

/* LAPACK is the CPU's, and cuSOLVER a device's, however small the batch. */
static bool gpu_is_worthwhile(const sarrus_plan *plan, uint64_t n_instances) {
    const bool is_staged = sarrus_cuda_staged_is_asked(plan);
    if (gpu_lack(plan))
        return false;
    if (plan->mech.solve == SARRUS_SOLVE_EXTERNAL ? !is_staged : n_instances < WORTH_A_DEVICE)
        return false;
    return sarrus_backend_n_devices(SARRUS_BACKEND_CUDA) > 0;
}

sarrus_status sarrus_backend_create(sarrus_context *context, const sarrus_plan *plan, const sarrus_batch_options *options,
                                    uint64_t n_instances, sarrus_device **out) {
    const sarrus_backend backend = options ? options->backend : SARRUS_BACKEND_AUTO;
    /* Of a part of a study the bits are those of the whole: it has to run where that would. */
    const uint64_t n_study = options && options->n_study > n_instances ? options->n_study : n_instances;
    switch (backend) {
    case SARRUS_BACKEND_CPU:
        return sarrus_backend_cpu.create(context, plan, options, n_instances, out);
    case SARRUS_BACKEND_CUDA:
        if (gpu_lack(plan))
            return sarrus_report(context, SARRUS_NO_BACKEND, "%s", gpu_lack(plan));
        return sarrus_backend_cuda.create(context, plan, options, n_instances, out);
    case SARRUS_BACKEND_AUTO:
        if (sarrus_cuda_staged_is_asked(plan) && gpu_is_worthwhile(plan, n_study)) /* what is wrong with it is to be known */
            return sarrus_backend_cuda.create(context, plan, options, n_instances, out);
        if (gpu_is_worthwhile(plan, n_study) && sarrus_backend_cuda.create(NULL, plan, options, n_instances, out) == SARRUS_OK)
            return SARRUS_OK;
        return sarrus_backend_cpu.create(context, plan, options, n_instances, out);
    default:
        return sarrus_report(context, SARRUS_BAD_ARGUMENT, "unknown backend %d; expected auto, cpu or cuda", (int)backend);
    }
}

uint64_t sarrus_observation_steps(const sarrus_observation *request) {
    const uint64_t n_intervals = request->n_times - (request->observe_first ? 1 : 0);
    const uint64_t last = request->last_steps ? request->last_steps : request->every_steps;
    return n_intervals > 0 ? (n_intervals - 1) * request->every_steps + last : 0;
}
