#include "backend/cpu/work_space.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "backend/scatter.h"
#include "core/memory.h"
#include "core/report.h"
#include "core/stop.h"

double *sarrus_cpu_lane_arrays(size_t n_doubles, const volatile int32_t *stop) {
    const size_t piece = (size_t)16 << 20, bytes = (n_doubles * sizeof(double) + 63) / 64 * 64 + 64;
    char *block = aligned_alloc(64, bytes);
    for (size_t at = 0; block && at < bytes && !sarrus_stop_is_asked(stop); at += piece)
        memset(block + at, 0, bytes - at < piece ? bytes - at : piece);
    return (double *)(void *)block;
}

/* The same, but pages are zero because nobody has touched them: work space for a large mechanism's rank-revealing path is gigabytes
 * that most runs never need. *block is what is to be freed. */
static double *untouched_lane_arrays(size_t n_doubles, void **block) {
    *block = calloc(1, n_doubles * sizeof(double) + 64);
    return *block ? (double *)(((uintptr_t)*block + 63) / 64 * 64) : NULL;
}

static bool work_create(const sarrus_cpu_device *device, const sarrus_cpu_side *side, sarrus_cpu_work *work) {
    const sarrus_mechanism *mech = &side->lowered.mech;
    work->call.mech = mech;
    work->call.rank_path = side->kernels->rank_path;
    work->call.stop = device->base.stop;
    work->call.workspace =
        untouched_lane_arrays(side->kernels->workspace_arrays(mech) * (size_t)device->base.width, &work->workspace);
    if (mech->solve == SARRUS_SOLVE_EXTERNAL) {
        if (!sarrus_lapack_solver_create(mech, &work->lapack))
            return false;
        work->call.external = sarrus_lapack_solve;
        work->lapack.stop = device->base.stop;
        work->call.external_user = &work->lapack;
    }
    if (!work->call.workspace)
        return false;
    side->kernels->prepare(&work->call);
    return true;
}

/* A tile of floats and what its steps need: half the bytes of as many doubles. */
static size_t single_doubles(const sarrus_cpu_device *device) {
    const sarrus_mechanism *mech = &device->side[0].plan->mech;
    const size_t n_arrays = device->single.kernels->workspace_arrays(mech) + sarrus_single_tile_arrays(mech);
    return n_arrays * (size_t)device->single.kernels->width / 2;
}

static bool single_create(const sarrus_cpu_device *device, sarrus_cpu_thread *thread) {
    const sarrus_mechanism *mech = &device->single.lowered.mech;
    const size_t n_tile = sarrus_single_tile_arrays(mech) * (size_t)device->single.kernels->width;
    double *block = sarrus_cpu_lane_arrays(single_doubles(device) + 8, NULL);
    sarrus_kernel_call *call = &thread->single.call;
    thread->single.workspace = block;
    if (!block)
        return false;
    thread->floats = (float *)(void *)block;
    call->mech = mech;
    call->stop = device->base.stop;
    call->tile = block;
    call->workspace = (double *)(void *)(thread->floats + (n_tile + 15) / 16 * 16);
    device->single.kernels->prepare(call);
    return true;
}

bool sarrus_cpu_thread_create(sarrus_cpu_device *device, sarrus_cpu_thread *thread) {
    const size_t width = (size_t)device->base.width;
    const sarrus_mechanism *shown = &device->base.plan->mech;
    bool good = true;
    for (int i = 0; good && i < device->n_sides; ++i)
        good = work_create(device, &device->side[i], &thread->work[i]);
    if (good && device->single.kernels)
        good = single_create(device, thread);
    thread->observed = sarrus_cpu_lane_arrays(sarrus_scatter_most(shown) * width, NULL);
    if (device->n_sides > 1) {
        thread->bodies = sarrus_cpu_lane_arrays((size_t)shown->layout.n_arrays * width, NULL);
        thread->work[1].call.tile = thread->bodies;
        good = good && thread->bodies;
    }
    return good && thread->observed;
}

void sarrus_cpu_thread_free(sarrus_cpu_thread *thread) {
    for (int i = 0; i < SARRUS_CPU_SIDES; ++i) {
        free(thread->work[i].workspace);
        sarrus_lapack_solver_free(&thread->work[i].lapack);
    }
    free(thread->single.workspace);
    free(thread->bodies);
    free(thread->observed);
    sarrus_rank_change_list_free(&thread->events);
}

/* Bytes of work space of all threads, of one side. */
static double side_bytes(const sarrus_cpu_device *device, const sarrus_cpu_side *side) {
    sarrus_mechanism mech = side->plan->mech;
    const double m = mech.m, n = mech.n_v, of_lapack = mech.solve == SARRUS_SOLVE_EXTERNAL ? 8.0 * m * n : 0.0;
    mech.n_rows_short = side->n_rows_short;
    const double n_doubles = (double)side->kernels->workspace_arrays(&mech) * device->base.width + of_lapack;
    return n_doubles * device->base.n_threads * sizeof(double);
}

static double threads_bytes(const sarrus_cpu_device *device) {
    double bytes = 0.0;
    for (int i = 0; i < device->n_sides; ++i)
        bytes += side_bytes(device, &device->side[i]);
    if (device->single.kernels)
        bytes += (double)single_doubles(device) * device->base.n_threads * sizeof(double);
    if (device->n_sides > 1)
        bytes += (double)device->base.plan->mech.layout.n_arrays * device->base.width * device->base.n_threads * sizeof(double);
    return bytes;
}

/* Rows that a side has to hold whatever is spared, and whether that is fewer than there are. Rank rules of their own and dense
 * methods decide on all rows. */
static bool has_few_rows(const sarrus_mechanism *mech, double *few) {
    *few = mech->factor.n_dependent + 64.0;
    return mech->solve == SARRUS_SOLVE_AUTO && mech->rank.method == SARRUS_RANK_AUTO && *few < mech->m;
}

/* Lets the work space of the rank-revealing paths, which grows with m (m + n), hold fewer rows than there are: of many thousands
 * hardly any are in doubt at a time. They get the quarter of what is left then. Returns whether the work space fits into `left`
 * bytes. */
static bool rows_are_spared(sarrus_cpu_device *device, double left) {
    double few;
    int n_spared = 0;
    for (int i = 0; i < device->n_sides; ++i) {
        sarrus_cpu_side *side = &device->side[i];
        if (!has_few_rows(&side->plan->mech, &few))
            continue;
        side->n_rows_short = side->plan->mech.m - (int32_t)few;
        ++n_spared;
    }
    left -= threads_bytes(device);
    if (n_spared == 0 || left < 0.0)
        return false;
    for (int i = 0; i < device->n_sides; ++i) {
        sarrus_cpu_side *side = &device->side[i];
        const double of_row = (double)side->plan->mech.n_v * device->base.width * sizeof(double) * device->base.n_threads;
        if (side->n_rows_short > 0)
            side->n_rows_short -= (int32_t)fmin(0.25 * left / n_spared / of_row, side->n_rows_short - 1.0);
    }
    return true;
}

static void spared_rows_report(sarrus_context *context, const sarrus_cpu_device *device) {
    const sarrus_cpu_side *side = &device->side[device->side[0].n_rows_short > 0 ? 0 : 1];
    const int m = side->plan->mech.m;
    (void)sarrus_report_at(context, SARRUS_WARNING, SARRUS_OK, NULL,
                           "there is memory for %d of the %d constraints to be in doubt at a time, where they depend on one "
                           "another for a moment; an instance with more of them ends as 'diverged'",
                           m - (int)side->n_rows_short, m);
}

sarrus_status sarrus_cpu_memory_check(sarrus_context *context, sarrus_cpu_device *device, bool needs_all_rows) {
    const char *limit;
    const double of_tiles = (double)device->tile_doubles * (double)device->base.n_tiles * sizeof(double);
    const double of_all = threads_bytes(device), left = sarrus_memory_left(&limit);
    char text[4][16];
    if (of_tiles + 2.0 * of_all <= left)
        return SARRUS_OK;
    if (!needs_all_rows && rows_are_spared(device, left - of_tiles)) {
        spared_rows_report(context, device);
        return SARRUS_OK;
    }
    const double of_threads = threads_bytes(device);
    if (of_tiles + of_threads <= left)
        return SARRUS_OK;
    sarrus_memory_text(of_tiles + of_threads, text[0]);
    sarrus_memory_text(of_tiles, text[1]);
    sarrus_memory_text(of_threads, text[2]);
    sarrus_memory_text(left, text[3]);
    return sarrus_report(context, SARRUS_NO_MEMORY,
                         "the batch needs about %s (%s for %llu instances, %s of work space for %d thread%s), and %s leaves %s; "
                         "expected %sa smaller mechanism, or more memory",
                         text[0], text[1], (unsigned long long)device->base.n_instances, text[2], device->base.n_threads,
                         device->base.n_threads == 1 ? "" : "s", limit, text[3],
                         device->base.n_instances > 1 ? "fewer instances or threads, " : "");
}
