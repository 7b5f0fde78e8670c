/* Pseudoinverses of many matrices: packed into tiles, which threads take by turns, a work space per thread. A tile's result
 * depends on the tile alone and a lane's on its matrix alone, so neither the number of threads nor the place can change a bit. */
#include "sarrus/pinv.h"

#include <float.h>
#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "pinv/cuda_pinv.h"
#include "backend/isa.h"
#include "pinv/lapack_pinv.h"
#include "core/crew.h"
#include "core/report.h"

enum {
    largest_size = 4096,
    largest_lane_size = 64, /* above it a tile leaves the caches, and LAPACK's blocks are quicker */
    largest_n_threads = 1024,
    largest_turn = 16, /* tiles that a thread takes at once */
};

/* A call with its defaults filled in. */
typedef struct pinv_job {
    const sarrus_pinv_batch *batch;
    const sarrus_pinv_kernels *kernels;
    sarrus_pinv_call call; /* without arrays */
    size_t n_a, n_b, n_x;  /* numbers of one matrix, of its right sides, of its result */
    sarrus_crew *crew;
    int n_threads;
    atomic_uint_fast64_t next; /* the first turn, or matrix, that nobody has taken */
    uint64_t n_turns, turn;    /* of tiles: how many, of how many tiles each */
    double *block;             /* work spaces of the threads, n_doubles each */
    size_t n_doubles;
    sarrus_lapack_pinv *solvers; /* [n_threads] */
} pinv_job;

/* One thread's tile. */
typedef struct pinv_tile {
    sarrus_pinv_call call;
    double *max_rank, *violation; /* [width] */
    double *spoilt_a, *spoilt_b;  /* [width] NaN for lanes whose matrix, whose right sides are not finite; else 0 */
} pinv_tile;

static int larger(int a, int b) {
    return a > b ? a : b;
}
static int smaller(int a, int b) {
    return a < b ? a : b;
}

/* --- The call --------------------------------------------------------------------------------------------------------- */

/* Method, rule and shape as the kernels take them; auto is resolved. */
static sarrus_pinv_call call_of(const sarrus_pinv_options *options, int m, int n, int n_rhs) {
    sarrus_pinv_call call = {.method = (int32_t)options->method, .m = m, .n = n, .n_rhs = n_rhs, .is_explicit = n_rhs == 0};
    if (options->method == SARRUS_PINV_AUTO)
        call.method = larger(m, n) > largest_lane_size ? SARRUS_PINV_LAPACK : SARRUS_PINV_HOUSEHOLDER;
    call.rank_method = (int32_t)options->rank_method;
    call.rank_tolerance = options->rank_tolerance;
    if (!(call.rank_tolerance > 0.0))
        call.rank_tolerance = sarrus_rank_method_tolerance(options->rank_method);
    if (!(call.rank_tolerance > 0.0))
        call.rank_tolerance = 10.0 * larger(m, n) * DBL_EPSILON;
    return call;
}

/* A device has the lanes' methods, for lanes' sizes. */
static sarrus_status check_device(sarrus_context *context, const sarrus_pinv_options *options, const sarrus_pinv_batch *batch) {
    const int largest = larger(larger(batch->m, batch->n), batch->n_rhs);
    if (options->backend != SARRUS_BACKEND_CUDA || (options->method != SARRUS_PINV_LAPACK && largest <= largest_lane_size))
        return SARRUS_OK;
    return sarrus_report(context, SARRUS_UNSUPPORTED,
                         "the backend 'cuda' has no lapack and takes at most %d rows, columns and "
                         "right sides, not %s of %d",
                         largest_lane_size, sarrus_pinv_method_word(options->method), largest);
}

static sarrus_status check_options(sarrus_context *context, const sarrus_pinv_options *options) {
    if ((unsigned)options->method >= SARRUS_N_PINV_METHODS) {
        return sarrus_report(context, SARRUS_BAD_ARGUMENT, "there is no pseudoinverse method %d; expected 0 to %d",
                             (int)options->method, SARRUS_N_PINV_METHODS - 1);
    }
    if ((unsigned)options->method >= SARRUS_N_PINV_HOST_METHODS) {
        return sarrus_report(context, SARRUS_UNSUPPORTED, "the method '%s' is for scenarios on the CUDA backend; expected another",
                             sarrus_pinv_method_word(options->method));
    }
    if ((unsigned)options->rank_method >= SARRUS_N_RANK_METHODS) {
        return sarrus_report(context, SARRUS_BAD_ARGUMENT, "there is no rank method %d; expected 0 to %d",
                             (int)options->rank_method, SARRUS_N_RANK_METHODS - 1);
    }
    if (!(options->rank_tolerance >= 0.0) || !isfinite(options->rank_tolerance)) {
        return sarrus_report(context, SARRUS_BAD_ARGUMENT, "the rank tolerance is %g; expected a finite number, at least 0",
                             options->rank_tolerance);
    }
    if ((unsigned)options->backend > SARRUS_BACKEND_CUDA) {
        return sarrus_report(context, SARRUS_BAD_ARGUMENT, "there is no backend %d; expected 0 to %d", (int)options->backend,
                             (int)SARRUS_BACKEND_CUDA);
    }
    if (options->n_threads < 0) {
        return sarrus_report(context, SARRUS_BAD_ARGUMENT, "n_threads is %d; expected 0 (all processors) or more",
                             options->n_threads);
    }
    if (options->backend == SARRUS_BACKEND_CUDA)
        return sarrus_cuda_pinv_find(context) ? SARRUS_OK : SARRUS_NO_BACKEND;
    if (!sarrus_isa_find_pinv(options->isa)) {
        return sarrus_report(context, SARRUS_NO_BACKEND,
                             "the instruction set '%s' is not usable here; expected avx512, avx2 or baseline, "
                             "as this processor has them",
                             options->isa ? options->isa : "");
    }
    return SARRUS_OK;
}

static sarrus_status check_batch(sarrus_context *context, const sarrus_pinv_options *options, const sarrus_pinv_batch *batch) {
    const int m = batch->m, n = batch->n, n_rhs = batch->n_rhs;
    if (m < 1 || n < 1 || n_rhs < 0) {
        return sarrus_report(context, SARRUS_BAD_ARGUMENT,
                             "matrices of %d rows, %d columns, %d right sides; expected 1, 1, 0 or more", m, n, n_rhs);
    }
    if (m > largest_size || n > largest_size || n_rhs > largest_size) {
        return sarrus_report(context, SARRUS_UNSUPPORTED, "matrices of %d rows, %d columns, %d right sides; at most %d each", m, n,
                             n_rhs, largest_size);
    }
    if (larger(m, n) > largest_lane_size && options->method != SARRUS_PINV_AUTO && options->method != SARRUS_PINV_LAPACK) {
        return sarrus_report(context, SARRUS_UNSUPPORTED, "%dx%d is too large for the method '%s'; above %d use auto or lapack", m,
                             n, sarrus_pinv_method_word(options->method), largest_lane_size);
    }
    if (batch->n_matrices > 0 && (!batch->a || !batch->x || (n_rhs > 0 && !batch->b)))
        return sarrus_report(context, SARRUS_BAD_ARGUMENT, "a, x or b is NULL; expected an array for each matrix");
    const size_t n_most = (size_t)larger(m, n) * (size_t)larger(larger(m, n), n_rhs);
    if (batch->n_matrices > SIZE_MAX / sizeof(double) / n_most)
        return sarrus_report(context, SARRUS_BAD_ARGUMENT, "%llu matrices of %dx%d are more than any memory holds",
                             (unsigned long long)batch->n_matrices, m, n);
    return SARRUS_OK;
}

/* tikhonov's s / (s² + t²) gives back a singular value that is round-off, some max(m, n) ε x₁, as max(m, n) ε x₁ / t²: as much as
 * what the largest one gives, 1 / x₁, where t is this share of x₁, and more below it. */
static double least_damping(const sarrus_pinv_batch *batch) {
    return sqrt(larger(batch->m, batch->n) * DBL_EPSILON);
}

/* t of matrix i as a share of x₁; NaN where the rule has none that could be judged: an absolute one, in units of the caller's. */
static double damping_of(const sarrus_pinv_options *options, const sarrus_pinv_batch *batch, uint64_t i) {
    const double tolerance = options->rank_tolerance;
    switch (options->rank_method) {
    case SARRUS_RANK_ABSOLUTE:
        return tolerance > 0.0 ? (double)NAN : 0.0;
    case SARRUS_RANK_GAP:
        return 0.0;
    case SARRUS_RANK_VIOLATION:
        return (tolerance > 0.0 ? tolerance : sarrus_rank_method_tolerance(SARRUS_RANK_VIOLATION)) *
               (batch->violation && batch->violation[i] > 0.0 ? batch->violation[i] : 0.0);
    case SARRUS_RANK_AUTO:
    case SARRUS_RANK_RELATIVE:
    case SARRUS_RANK_TRACKED:
        break;
    }
    return tolerance;
}

static sarrus_status check_damping(sarrus_context *context, const sarrus_pinv_options *options, const sarrus_pinv_batch *batch) {
    const double least = least_damping(batch);
    const char *rule = sarrus_rank_method_word(options->rank_method);
    const uint64_t n = options->rank_method == SARRUS_RANK_VIOLATION && batch->n_matrices > 0 ? batch->n_matrices : 1;
    if (options->rank_method == SARRUS_RANK_GAP)
        return sarrus_report(context, SARRUS_BAD_ARGUMENT,
                             "the method 'tikhonov' damps by the threshold of the rank rule, and 'gap' has none; expected another "
                             "rule with a tolerance, as relative with 1e-5");
    for (uint64_t i = 0; i < n; ++i) {
        if (damping_of(options, batch, i) < least)
            return sarrus_report(context, SARRUS_BAD_ARGUMENT,
                                 "the method 'tikhonov' damps by the threshold of the rank rule, here '%s' with %g; expected a "
                                 "tolerance that makes it %.2g of the largest singular value or more (1e-5 is a good one), or "
                                 "round-off would come back larger than what counts",
                                 rule, damping_of(options, batch, i), least);
    }
    return SARRUS_OK;
}

/* Methods that would invert noise unless they are told more. */
static sarrus_status check_told(sarrus_context *context, const sarrus_pinv_options *options, const sarrus_pinv_batch *batch) {
    if (options->method == SARRUS_PINV_TRUNCATED && !batch->max_rank && batch->n_matrices > 0)
        return sarrus_report(context, SARRUS_BAD_ARGUMENT,
                             "the method 'truncated' counts as many singular values as it is told, whatever their size; expected "
                             "max_rank, a number for each matrix");
    return options->method == SARRUS_PINV_TIKHONOV ? check_damping(context, options, batch) : SARRUS_OK;
}

/* Threads for n_turns independent pieces of work. One that has less to do than some 100 µs is not worth starting. */
static int count_threads(const pinv_job *job, const sarrus_pinv_options *options, uint64_t n_turns) {
    const double worth_a_thread = 1e6, n_sweeps = 8.0; /* flops */
    int n = smaller(options->n_threads > 0 ? options->n_threads : sarrus_processors(), largest_n_threads);
    if (job->call.method != SARRUS_PINV_LAPACK) {
        const double flops = job->kernels->flops(&job->call, smaller(job->call.m, job->call.n), n_sweeps);
        const double n_worth = 1.0 + flops * (double)job->batch->n_matrices / worth_a_thread;
        n = n_worth < (double)n ? (int)n_worth : n;
    }
    return n_turns < (uint64_t)n ? (int)n_turns : n;
}

static double max_rank_of(const sarrus_pinv_batch *batch, uint64_t i) {
    const int most = smaller(batch->m, batch->n);
    return batch->max_rank ? (double)larger(smaller(batch->max_rank[i], most), 0) : (double)most;
}

static double violation_of(const sarrus_pinv_batch *batch, uint64_t i) {
    return batch->violation ? batch->violation[i] : 0.0;
}

static void write_decision(const sarrus_pinv_batch *batch, uint64_t i, double rank, double kept, double dropped) {
    if (batch->rank)
        batch->rank[i] = (int32_t)rank;
    if (batch->kept)
        batch->kept[i] = kept;
    if (batch->dropped)
        batch->dropped[i] = dropped;
}

static void write_nan(double *x, size_t count) {
    for (size_t i = 0; i < count; ++i)
        x[i] = (double)NAN;
}

/* --- Lanes ------------------------------------------------------------------------------------------------------------ */

/* Cuts one thread's arrays from `block`, or only counts their doubles when that is NULL. Each begins at a cache line. */
static size_t tile_cut(const pinv_job *job, double *block, pinv_tile *tile) {
    const size_t width = (size_t)job->kernels->width, line = 8;
    const size_t n_a = job->n_a > job->n_x ? job->n_a : job->n_x; /* the result passes through as well */
    const size_t counts[] = {n_a, job->n_b, job->n_x, job->kernels->work(&job->call), 1, 1, 1, 1, 1, 1, 1, 1};
    double **arrays[] = {&tile->call.a,    &tile->call.b,    &tile->call.x,       &tile->call.work,
                         &tile->max_rank,  &tile->violation, &tile->spoilt_a,     &tile->spoilt_b,
                         &tile->call.rank, &tile->call.kept, &tile->call.dropped, &tile->call.n_sweeps};
    size_t used = 0;
    tile->call = job->call;
    for (size_t i = 0; i < sizeof counts / sizeof *counts; ++i) {
        *arrays[i] = block ? block + used : NULL;
        used += (counts[i] * width + line - 1) / line * line;
    }
    tile->call.max_rank = tile->max_rank;
    tile->call.violation = tile->violation;
    return used + line; /* no two threads write to neighboring lines */
}

/* Lanes that are not finite are worked on as zeros. */
static void clear_spoilt(const double *spoilt, int32_t width, size_t count, double *array) {
    for (int32_t lane = 0; lane < width; ++lane) {
        for (size_t k = 0; spoilt[lane] != 0.0 && k < count; ++k)
            array[k * (size_t)width + (size_t)lane] = 0.0;
    }
}

/* Asks for what will be read next and written now while there is work in between: in the order of the lanes, as packing goes, no
 * processor would guess it. */
static void prefetch_tile(const pinv_job *job, uint64_t first, int32_t n_lanes) {
    const sarrus_pinv_batch *batch = job->batch;
    const uint64_t next = first + (uint64_t)job->kernels->width;
    const size_t line = 8, n_left = next < batch->n_matrices ? (size_t)(batch->n_matrices - next) : 0;
    const size_t n_read = job->n_a * (n_left < (size_t)n_lanes ? n_left : (size_t)n_lanes), n_written = job->n_x * (size_t)n_lanes;
    for (size_t k = 0; k < n_read; k += line)
        __builtin_prefetch(batch->a + next * job->n_a + k, 0, 2);
    for (size_t k = 0; k < n_written; k += line)
        __builtin_prefetch(batch->x + first * job->n_x + k, 1, 2);
}

static void tile_run(const pinv_job *job, const pinv_tile *tile, uint64_t i_tile) {
    const sarrus_pinv_batch *batch = job->batch;
    const int32_t width = job->kernels->width;
    const uint64_t first = i_tile * (uint64_t)width, left = batch->n_matrices - first;
    const int32_t n_lanes = left < (uint64_t)width ? (int32_t)left : width;
    job->kernels->pack(batch->a + first * job->n_a, job->n_a, n_lanes, tile->call.a, tile->spoilt_a);
    clear_spoilt(tile->spoilt_a, width, job->n_a, tile->call.a);
    if (job->n_b > 0) {
        job->kernels->pack(batch->b + first * job->n_b, job->n_b, n_lanes, tile->call.b, tile->spoilt_b);
        clear_spoilt(tile->spoilt_b, width, job->n_b, tile->call.b);
    }
    for (int32_t lane = 0; lane < width; ++lane) {
        const uint64_t i = first + (uint64_t)smaller(lane, n_lanes - 1);
        tile->max_rank[lane] = max_rank_of(batch, i);
        tile->violation[lane] = violation_of(batch, i);
    }
    prefetch_tile(job, first, n_lanes);
    job->kernels->run(&tile->call);
    /* In order through the first cache: stores that go to eight matrices in turn take twice the time outside it. */
    job->kernels->unpack(tile->call.x, job->n_x, n_lanes, tile->call.a);
    memcpy(batch->x + first * job->n_x, tile->call.a, job->n_x * (size_t)n_lanes * sizeof *batch->x);
    for (int32_t lane = 0; lane < n_lanes; ++lane) {
        const uint64_t i = first + (uint64_t)lane;
        if (tile->spoilt_a[lane] != 0.0)
            write_decision(batch, i, 0.0, (double)NAN, (double)NAN);
        else
            write_decision(batch, i, tile->call.rank[lane], tile->call.kept[lane], tile->call.dropped[lane]);
        if (tile->spoilt_a[lane] != 0.0 || tile->spoilt_b[lane] != 0.0)
            write_nan(batch->x + i * job->n_x, job->n_x);
        if (batch->n_sweeps)
            batch->n_sweeps[i] = tile->call.n_sweeps[lane];
    }
}

static uint64_t count_tiles(const pinv_job *job) {
    const uint64_t width = (uint64_t)job->kernels->width;
    return (job->batch->n_matrices + width - 1) / width;
}

static void turns_run(void *user, int i_member, int n_members) {
    pinv_job *job = user;
    const uint64_t n_tiles = count_tiles(job);
    pinv_tile tile;
    (void)n_members;
    (void)tile_cut(job, job->block + job->n_doubles * (size_t)i_member, &tile);
    for (uint64_t i_turn; (i_turn = atomic_fetch_add_explicit(&job->next, 1, memory_order_relaxed)) < job->n_turns;) {
        const uint64_t first = i_turn * job->turn, last = first + job->turn < n_tiles ? first + job->turn : n_tiles;
        for (uint64_t i = first; i < last; ++i)
            tile_run(job, &tile, i);
    }
}

static bool run_lanes(pinv_job *job) {
    const uint64_t n_tiles = count_tiles(job);
    pinv_tile counted;
    job->n_doubles = tile_cut(job, NULL, &counted);
    const size_t n_bytes = job->n_doubles * (size_t)job->n_threads * sizeof *job->block;
    job->block = aligned_alloc(64, n_bytes);
    if (!job->block)
        return false;
    memset(job->block, 0, n_bytes);
    /* Some turns for each thread, so that the last one to finish is not far behind. */
    job->turn = n_tiles / (8 * (uint64_t)job->n_threads);
    job->turn = job->turn < 1 ? 1 : job->turn > largest_turn ? largest_turn : job->turn;
    job->n_turns = (n_tiles + job->turn - 1) / job->turn;
    sarrus_crew_run(job->crew, job->n_threads, turns_run, job);
    free(job->block);
    return true;
}

/* --- LAPACK ----------------------------------------------------------------------------------------------------------- */

static bool is_finite(const double *x, size_t count) {
    bool good = true;
    for (size_t i = 0; i < count; ++i)
        good = good && isfinite(x[i]);
    return good;
}

static void lapack_run_one(const pinv_job *job, sarrus_lapack_pinv *solver, uint64_t i) {
    const sarrus_pinv_batch *batch = job->batch;
    const double *a = batch->a + i * job->n_a, *b = job->n_b > 0 ? batch->b + i * job->n_b : NULL;
    double *x = batch->x + i * job->n_x;
    sarrus_lapack_rank found = {max_rank_of(batch, i), violation_of(batch, i), 0, (double)NAN, (double)NAN};
    if (is_finite(a, job->n_a))
        sarrus_lapack_pinv_run(solver, a, b, &found, x);
    else
        write_nan(x, job->n_x);
    if (b && !is_finite(b, job->n_b))
        write_nan(x, job->n_x);
    write_decision(batch, i, (double)found.rank, found.kept, found.dropped);
    if (batch->n_sweeps)
        batch->n_sweeps[i] = 0.0;
}

static void matrices_run(void *user, int i_member, int n_members) {
    pinv_job *job = user;
    (void)n_members;
    for (uint64_t i; (i = atomic_fetch_add_explicit(&job->next, 1, memory_order_relaxed)) < job->batch->n_matrices;)
        lapack_run_one(job, &job->solvers[i_member], i);
}

static bool run_lapack(pinv_job *job) {
    const sarrus_pinv_call *call = &job->call;
    const sarrus_rank_rule rule = {call->rank_method, call->rank_tolerance, 0};
    sarrus_lapack_pinv *solvers = calloc((size_t)job->n_threads, sizeof *solvers);
    bool good = solvers != NULL;
    for (int i = 0; good && i < job->n_threads; ++i) {
        solvers[i] = (sarrus_lapack_pinv){.m = call->m, .n = call->n, .n_rhs = call->n_rhs, .rule = rule};
        good = sarrus_lapack_pinv_create(&solvers[i]);
    }
    job->solvers = solvers;
    if (good)
        sarrus_crew_run(job->crew, job->n_threads, matrices_run, job);
    for (int i = 0; solvers && i < job->n_threads; ++i)
        sarrus_lapack_pinv_free(&solvers[i]);
    free(solvers);
    return good;
}

/* --- The public functions --------------------------------------------------------------------------------------------- */

sarrus_status sarrus_pinv_compute(sarrus_context *context, const sarrus_pinv_options *options, const sarrus_pinv_batch *batch) {
    const sarrus_pinv_options defaults = {.method = SARRUS_PINV_AUTO};
    if (!options)
        options = &defaults;
    if (!batch)
        return sarrus_report(context, SARRUS_BAD_ARGUMENT, "the batch is NULL; expected matrices");
    sarrus_status status = check_options(context, options);
    if (status == SARRUS_OK)
        status = check_batch(context, options, batch);
    if (status == SARRUS_OK)
        status = check_device(context, options, batch);
    if (status == SARRUS_OK)
        status = check_told(context, options, batch);
    if (status != SARRUS_OK || batch->n_matrices == 0)
        return status;
    pinv_job job = {.batch = batch, .kernels = sarrus_isa_find_pinv(options->isa)};
    job.call = call_of(options, batch->m, batch->n, batch->n_rhs);
    if (options->backend == SARRUS_BACKEND_CUDA) {
        const size_t n_scratch = sarrus_isa_find_pinv(NULL)->work(&job.call);
        return sarrus_cuda_pinv_compute(context, sarrus_gpu_find(), batch, &job.call, n_scratch);
    }
    job.n_a = (size_t)batch->m * (size_t)batch->n;
    job.n_b = (size_t)batch->m * (size_t)batch->n_rhs;
    job.n_x = (size_t)batch->n * (size_t)(batch->n_rhs > 0 ? batch->n_rhs : batch->m);
    const bool is_lapack = job.call.method == SARRUS_PINV_LAPACK;
    const int n_wanted = count_threads(&job, options, is_lapack ? batch->n_matrices : count_tiles(&job));
    status = sarrus_crew_create(context, n_wanted, 0, &job.crew);
    if (status != SARRUS_OK)
        return status;
    job.n_threads = sarrus_crew_size(job.crew);
    if (!(is_lapack ? run_lapack(&job) : run_lanes(&job)))
        status = sarrus_report(context, SARRUS_NO_MEMORY, "out of memory for the work space of %d threads", job.n_threads);
    sarrus_crew_destroy(job.crew);
    return status;
}

sarrus_pinv_options sarrus_pinv_options_resolve(const sarrus_pinv_options *options, int m, int n) {
    const sarrus_pinv_options defaults = {.method = SARRUS_PINV_AUTO};
    sarrus_pinv_options out = options ? *options : defaults;
    const sarrus_pinv_call call = call_of(&out, m, n, 0);
    out.method = (sarrus_pinv_method)call.method;
    if (out.rank_tolerance == 0.0 && m > 0 && n > 0)
        out.rank_tolerance = call.rank_tolerance;
    return out;
}

double sarrus_pinv_count_flops(const sarrus_pinv_options *options, int m, int n, int n_rhs, int rank, double n_sweeps) {
    const sarrus_pinv_options defaults = {.method = SARRUS_PINV_AUTO};
    const unsigned method = options ? (unsigned)options->method : 0, rank_method = options ? (unsigned)options->rank_method : 0;
    if (method >= SARRUS_N_PINV_HOST_METHODS || rank_method >= SARRUS_N_RANK_METHODS || smaller(m, n) < 1 || n_rhs < 0)
        return (double)NAN;
    const sarrus_pinv_call call = call_of(options ? options : &defaults, m, n, n_rhs);
    if (call.method == SARRUS_PINV_LAPACK)
        return (double)NAN;
    return sarrus_isa_find_pinv(NULL)->flops(&call, rank, n_sweeps);
}
