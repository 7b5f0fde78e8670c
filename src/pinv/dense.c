#include "pinv/dense.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "backend/isa.h"
#include "core/monotonic.h"
#include "core/report.h"
#include "core/stop.h"

/* Arrays of a tile. */
enum {
    PART_MASS,
    PART_FORCE,
    PART_JACOBIAN,
    PART_GAMMA,
    PART_MAX_RANK,
    PART_VIOLATION,
    PART_SPOILT,
    PART_A,
    PART_LAMBDA,
    PART_RANK,
    PART_UNSOLVABLE,
    PART_TAKEN_RANK,
    PART_TAKEN_SWEEPS,
    PART_WORK,
    N_PARTS
};

typedef struct dense_job {
    const sarrus_dense_systems *systems;
    const sarrus_dense_kernels *kernels;
    const sarrus_pinv_kernels *pinv;
    sarrus_dense_call call;
    size_t counts[N_PARTS]; /* lane arrays */
    double *part[N_PARTS];
    double seconds; /* a tile may be repeated for */
} dense_job;

/* The call without arrays, and how many lane arrays it has. */
static bool job_begin(const sarrus_dense_systems *systems, const sarrus_dense_choice *choice, dense_job *job) {
    const size_t m = (size_t)systems->m, n = (size_t)systems->n;
    const double tolerance = sarrus_rank_method_tolerance(choice->rank_method);
    *job =
        (dense_job){.systems = systems, .kernels = sarrus_isa_find_dense(choice->isa), .pinv = sarrus_isa_find_pinv(choice->isa)};
    job->call = (sarrus_dense_call){
        .formulation = (int32_t)choice->formulation,
        .m = systems->m,
        .n = systems->n,
        .block = systems->block,
        .turn = systems->turn,
        .pins = systems->pins,
        .method = (int32_t)(choice->method == SARRUS_PINV_AUTO ? SARRUS_PINV_HOUSEHOLDER : choice->method),
        .rank_method = (int32_t)choice->rank_method,
        .rank_tolerance = tolerance > 0 ? tolerance : 10.0 * (double)(m + n) * DBL_EPSILON,
    };
    if (!job->kernels || !job->pinv)
        return false;
    const size_t counts[N_PARTS] = {n * n, n, m * n, m, 1, 1, 1, n, m, 1, 1, 3, 3, job->kernels->work(&job->call)};
    memcpy(job->counts, counts, sizeof counts);
    return true;
}

static size_t job_doubles(const dense_job *job) {
    const size_t width = (size_t)job->kernels->width, line = 8;
    size_t sum = 0;
    for (int i = 0; i < N_PARTS; ++i)
        sum += (job->counts[i] * width + line - 1) / line * line;
    return sum;
}

static void job_cut(dense_job *job, double *block) {
    const size_t width = (size_t)job->kernels->width, line = 8;
    for (int i = 0; i < N_PARTS; ++i) {
        job->part[i] = block;
        block += (job->counts[i] * width + line - 1) / line * line;
    }
    sarrus_dense_call *call = &job->call;
    call->mass = job->part[PART_MASS];
    call->force = job->part[PART_FORCE];
    call->jacobian = job->part[PART_JACOBIAN];
    call->gamma = job->part[PART_GAMMA];
    call->max_rank = job->part[PART_MAX_RANK];
    call->violation = job->part[PART_VIOLATION];
    call->a = job->part[PART_A];
    call->lambda = job->part[PART_LAMBDA];
    call->rank = job->part[PART_RANK];
    call->unsolvable = job->part[PART_UNSOLVABLE];
    call->taken_rank = job->part[PART_TAKEN_RANK];
    call->taken_sweeps = job->part[PART_TAKEN_SWEEPS];
    call->work = job->part[PART_WORK];
}

static void tile_pack(const dense_job *job, uint64_t first, int32_t n_lanes) {
    const sarrus_dense_systems *s = job->systems;
    const double *from[] = {s->mass, s->force, s->jacobian, s->gamma, s->max_rank, s->violation};
    for (int i = PART_MASS; i <= PART_VIOLATION; ++i)
        job->pinv->pack(from[i] + first * job->counts[i], job->counts[i], n_lanes, job->part[i], job->part[PART_SPOILT]);
}

/* Additions and multiplications of a lane. */
static double lane_flops(const dense_job *job, int32_t lane) {
    const int32_t width = job->kernels->width;
    double sum = job->call.flops;
    for (int32_t k = 0; k < job->call.n_taken; ++k) {
        const double rank = job->call.taken_rank[k * width + lane], sweeps = job->call.taken_sweeps[k * width + lane];
        sum += job->pinv->flops(&job->call.taken[k], (int32_t)rank, sweeps);
    }
    return sum;
}

/* Runs the tile until it has had its time, thrice at least; returns the shortest time. Once where nothing is timed. */
static double tile_run(dense_job *job) {
    double shortest = INFINITY, spent = 0;
    for (int n = 0; n == 0 || (job->seconds > 0 && (n < 3 || spent < job->seconds)); ++n) {
        const double began = sarrus_monotonic_seconds();
        job->kernels->run(&job->call);
        const double taken = sarrus_monotonic_seconds() - began;
        shortest = taken < shortest ? taken : shortest;
        spent += taken > 1e-9 ? taken : 1e-9;
    }
    return shortest;
}

static void tile_take(const dense_job *job, uint64_t first, int32_t n_lanes, sarrus_dense_result *out) {
    const size_t n = job->counts[PART_A], m = job->counts[PART_LAMBDA];
    job->pinv->unpack(job->part[PART_A], n, n_lanes, out->a + first * n);
    job->pinv->unpack(job->part[PART_LAMBDA], m, n_lanes, out->lambda + first * m);
    job->pinv->unpack(job->part[PART_RANK], 1, n_lanes, out->rank + first);
    job->pinv->unpack(job->part[PART_UNSOLVABLE], 1, n_lanes, out->unsolvable + first);
    for (int32_t lane = 0; lane < n_lanes; ++lane)
        out->flops += lane_flops(job, lane);
}

sarrus_status sarrus_dense_solve(sarrus_context *context, const sarrus_dense_systems *systems, const sarrus_dense_choice *choice,
                                 sarrus_dense_result *out) {
    dense_job job;
    if (!job_begin(systems, choice, &job))
        return sarrus_report(context, SARRUS_NO_BACKEND, "the instruction set '%s' is not usable here",
                             choice->isa ? choice->isa : "");
    const uint64_t width = (uint64_t)job.kernels->width, n_tiles = (systems->n_systems + width - 1) / width;
    double *block = aligned_alloc(64, job_doubles(&job) * sizeof *block);
    if (!block)
        return sarrus_report(context, SARRUS_NO_MEMORY, "out of memory for a tile of dense systems");
    memset(block, 0, job_doubles(&job) * sizeof *block);
    job_cut(&job, block);
    job.seconds = n_tiles > 0 ? choice->seconds / (double)n_tiles : 0.0;
    out->flops = out->nanoseconds = 0;
    sarrus_status status = SARRUS_OK;
    for (uint64_t i = 0; i < n_tiles && status == SARRUS_OK; ++i) {
        const uint64_t n_left = systems->n_systems - i * width;
        const int32_t n_lanes = (int32_t)(n_left < width ? n_left : width);
        tile_pack(&job, i * width, n_lanes);
        out->nanoseconds += 1e9 * tile_run(&job);
        tile_take(&job, i * width, n_lanes, out);
        status = sarrus_stop_is_asked(choice->stop) ? SARRUS_INTERRUPTED : SARRUS_OK;
    }
    out->flops /= systems->n_systems > 0 ? (double)systems->n_systems : 1.0;
    out->nanoseconds /= (double)(n_tiles > 0 ? n_tiles * width : 1);
    free(block);
    return status;
}
