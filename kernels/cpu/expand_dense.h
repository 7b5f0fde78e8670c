/* Expands the dense formulations for one instruction set. The including file defines SARRUS_LANE_WIDTH, SARRUS_DENSE_KERNELS (the
 * table's name), SARRUS_DENSE_RUN_LINKED (the function that the steps call, kernels/formulation/dense/call.h) and the pseudoinverse
 * methods that are linked (kernels/pinv/call.h), and is compiled for that instruction set. */
#include "kernels/cpu/kernels.h"
#include "kernels/formulation/dense/formulations.h"

void SARRUS_DENSE_RUN_LINKED(const sarrus_dense_shape *shape, sarrus_dense_lanes *lanes);

void SARRUS_DENSE_RUN_LINKED(const sarrus_dense_shape *shape, sarrus_dense_lanes *lanes) {
    sarrus_dense_run(shape, lanes);
}

static sarrus_dense_shape shape_of(const sarrus_dense_call *call) {
    return (sarrus_dense_shape){
        .formulation = call->formulation,
        .m = call->m,
        .n = call->n,
        .block = call->block,
        .turn = call->turn,
        .method = call->method,
        .rule = {call->rank_method, call->rank_tolerance, 0},
        .pins = call->pins,
    };
}

static size_t kernel_dense_work(const sarrus_dense_call *call) {
    const sarrus_dense_shape shape = shape_of(call);
    sarrus_dense_lanes lanes = {.work = NULL};
    sarrus_dense_run(&shape, &lanes);
    return lanes.n_work;
}

static void kernel_dense_run(sarrus_dense_call *call) {
    const sarrus_dense_shape shape = shape_of(call);
    const real one = real_set(1.0), max_rank = *(const real *)call->max_rank;
    sarrus_dense_lanes lanes = {
        .mass = (const real *)call->mass,
        .force = (const real *)call->force,
        .jacobian = (const real *)call->jacobian,
        .gamma = (const real *)call->gamma,
        .limit = {max_rank, max_rank, *(const real *)call->violation, one, one},
        .active = real_eq(one, one),
        .work = (real *)call->work,
        .a = (real *)call->a,
        .lambda = (real *)call->lambda,
    };
    sarrus_dense_run(&shape, &lanes);
    *(real *)call->rank = lanes.found.rank;
    *(real *)call->unsolvable = real_select(lanes.is_unsolvable, one, real_set(0.0));
    call->flops = lanes.flops;
    call->n_taken = lanes.n_taken;
    for (int32_t k = 0; k < lanes.n_taken; ++k) {
        const sarrus_dense_taken *taken = &lanes.taken[k];
        call->taken[k] = (sarrus_pinv_call){
            .method = call->method,
            .m = taken->shape.m,
            .n = taken->shape.n,
            .n_rhs = taken->shape.n_rhs,
            .is_explicit = taken->shape.is_explicit,
            .rank_method = call->rank_method,
            .rank_tolerance = call->rank_tolerance,
        };
        ((real *)call->taken_rank)[k] = taken->rank;
        ((real *)call->taken_sweeps)[k] = taken->n_sweeps;
    }
}

const sarrus_dense_kernels SARRUS_DENSE_KERNELS = {
    .width = SARRUS_LANE_WIDTH,
    .work = kernel_dense_work,
    .run = kernel_dense_run,
};
