/* Expands the pseudoinverse methods for one instruction set. The including file defines SARRUS_LANE_WIDTH, SARRUS_PINV_KERNELS (the
 * table's name), SARRUS_PINV_WORK_LINKED and SARRUS_PINV_RUN_LINKED (the functions that the formulations call,
 * kernels/pinv/call.h), and is compiled for that instruction set. */
#include "kernels/cpu/kernels.h"
#include "kernels/cpu/transpose.h"
#include "kernels/pinv/methods.h"

size_t SARRUS_PINV_WORK_LINKED(const sarrus_pinv_shape *shape);
void SARRUS_PINV_RUN_LINKED(const sarrus_pinv_shape *shape, sarrus_pinv_lanes *lanes);

size_t SARRUS_PINV_WORK_LINKED(const sarrus_pinv_shape *shape) {
    return sarrus_pinv_work(shape);
}

void SARRUS_PINV_RUN_LINKED(const sarrus_pinv_shape *shape, sarrus_pinv_lanes *lanes) {
    sarrus_pinv_run(shape, lanes);
}

static sarrus_pinv_shape shape_of(const sarrus_pinv_call *call) {
    return (sarrus_pinv_shape){
        .method = call->method,
        .m = call->m,
        .n = call->n,
        .n_rhs = call->n_rhs,
        .is_explicit = call->is_explicit,
        .rule = {call->rank_method, call->rank_tolerance, 0},
    };
}

static size_t kernel_pinv_work(const sarrus_pinv_call *call) {
    const sarrus_pinv_shape shape = shape_of(call);
    return sarrus_pinv_work(&shape);
}

static double kernel_pinv_flops(const sarrus_pinv_call *call, int32_t rank, double n_sweeps) {
    const sarrus_pinv_shape shape = shape_of(call);
    return sarrus_pinv_flops(&shape, rank, n_sweeps);
}

static void kernel_pinv_run(const sarrus_pinv_call *call) {
    const sarrus_pinv_shape shape = shape_of(call);
    sarrus_pinv_lanes lanes = {
        .a = (real *)call->a,
        .b = (real *)call->b,
        .x = (real *)call->x,
        .work = (real *)call->work,
        .active = real_eq(real_set(0.0), real_set(0.0)),
        .limit = {*(const real *)call->max_rank, *(const real *)call->max_rank, *(const real *)call->violation, real_set(1.0),
                  real_set(1.0)},
    };
    sarrus_pinv_run(&shape, &lanes);
    *(real *)call->rank = lanes.found.rank;
    *(real *)call->kept = lanes.found.kept;
    *(real *)call->dropped = lanes.found.dropped;
    *(real *)call->n_sweeps = lanes.n_sweeps;
}

const sarrus_pinv_kernels SARRUS_PINV_KERNELS = {
    .width = SARRUS_LANE_WIDTH,
    .work = kernel_pinv_work,
    .flops = kernel_pinv_flops,
    .run = kernel_pinv_run,
    .pack = kernel_pinv_pack,
    .unpack = kernel_pinv_unpack,
};
