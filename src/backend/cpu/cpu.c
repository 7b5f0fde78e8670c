/* The CPU backend: tiles in memory, a crew that takes them one by one, a workspace per thread. A tile's result depends on the tile
 * alone, so the number of threads and their schedule cannot change a bit. */
#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "backend/backend.h"
#include "backend/isa.h"
#include "backend/cpu/lapack_solve.h"
#include "backend/pace.h"
#include "backend/scatter.h"
#include "jit/specialize_plan.h"
#include "core/memory.h"
#include "core/monotonic.h"
#include "core/report.h"
#include "core/stop.h"
#include "plan/lower.h"

typedef struct cpu_thread {
    sarrus_kernel_call call;
    sarrus_lapack_solver lapack;
    void *workspace;  /* what the call's stands in */
    double *observed; /* lane arrays of one observation */
    sarrus_rank_change_list events;
    sarrus_advance_function *advance_before; /* which kernels have advanced the tile last */
    uint64_t n_steps, n_special_steps;       /* of tiles: all, and by the specialized kernels */
} cpu_thread;

typedef struct cpu_device {
    sarrus_device base;
    const sarrus_kernels *kernels;
    sarrus_lowered lowered; /* the mechanism with tables for this width */
    size_t tile_doubles;
    int32_t n_rows_short;            /* of the work space (sarrus_mechanism) */
    cpu_thread *threads;             /* [n_threads] */
    sarrus_specializer *specializer; /* NULL: the generic kernels alone */
    sarrus_pace pace;
} cpu_device;

static cpu_device *cpu_of(sarrus_device *device) {
    return (cpu_device *)(void *)device;
}

/* Zeroed lane arrays, aligned for any vector. Gigabytes take a while: a stop leaves the rest as it is. */
static double *lane_arrays(size_t n_doubles, const volatile int32_t *stop) {
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

static void cpu_destroy(sarrus_device *base) {
    cpu_device *device = cpu_of(base);
    sarrus_specializer_destroy(device->specializer);
    for (int i = 0; device->threads && i < base->n_threads; ++i) {
        free(device->threads[i].workspace);
        free(device->threads[i].observed);
        sarrus_lapack_solver_free(&device->threads[i].lapack);
        sarrus_rank_change_list_free(&device->threads[i].events);
    }
    free(device->threads);
    sarrus_crew_destroy(base->crew);
    sarrus_lowered_free(&device->lowered);
    free(base->tiles);
    free(device);
}

static bool thread_create(cpu_device *device, cpu_thread *thread) {
    const sarrus_mechanism *mech = &device->lowered.mech;
    size_t width = (size_t)device->kernels->width;
    thread->call.mech = mech;
    thread->call.rank_path = device->kernels->rank_path;
    thread->call.stop = device->base.stop;
    thread->call.workspace = untouched_lane_arrays(device->kernels->workspace_arrays(mech) * width, &thread->workspace);
    thread->observed = lane_arrays(sarrus_scatter_most(mech) * width, NULL);
    if (mech->solve == SARRUS_SOLVE_EXTERNAL) {
        if (!sarrus_lapack_solver_create(mech, &thread->lapack))
            return false;
        thread->call.external = sarrus_lapack_solve;
        thread->lapack.stop = device->base.stop;
        thread->call.external_user = &thread->lapack;
    }
    if (!thread->call.workspace || !thread->observed)
        return false;
    device->kernels->prepare(&thread->call);
    return true;
}

static int count_threads(const sarrus_batch_options *options, uint64_t n_tiles) {
    int n = options && options->n_threads > 0 ? options->n_threads : sarrus_processors();
    if (n > 1024)
        n = 1024;
    return (uint64_t)n > n_tiles ? (int)(n_tiles ? n_tiles : 1) : n;
}

/* Doubles of one thread. */
static double thread_doubles(const cpu_device *device, const sarrus_plan *plan) {
    const double m = plan->mech.m, n = plan->mech.n_v, of_lapack = plan->mech.solve == SARRUS_SOLVE_EXTERNAL ? 8.0 * m * n : 0.0;
    sarrus_mechanism mech = plan->mech;
    mech.n_rows_short = device->n_rows_short;
    return (double)device->kernels->workspace_arrays(&mech) * device->base.width + of_lapack;
}

/* Bytes of work space of all threads. */
static double threads_bytes(const cpu_device *device, const sarrus_plan *plan) {
    return thread_doubles(device, plan) * device->base.n_threads * sizeof(double);
}

/* Lets the work space of the rank-revealing paths, which grows with m (m + n), hold fewer rows than there are: of many thousands
 * hardly any are in doubt at a time. They get the quarter of what is left then. Rank rules of their own and dense methods decide on
 * all rows. Returns whether the work space fits into `left` bytes. */
static bool rows_are_spared(cpu_device *device, const sarrus_plan *plan, double left) {
    const sarrus_mechanism *mech = &plan->mech;
    const double few = mech->factor.n_dependent + 64.0;
    const double of_row = (double)mech->n_v * device->base.width * sizeof(double) * device->base.n_threads;
    if (mech->solve != SARRUS_SOLVE_AUTO || mech->rank.method != SARRUS_RANK_AUTO || few >= mech->m)
        return false;
    device->n_rows_short = mech->m - (int32_t)few;
    left -= threads_bytes(device, plan);
    if (left < 0.0)
        return false;
    device->n_rows_short -= (int32_t)fmin(0.25 * left / of_row, device->n_rows_short - 1.0);
    return true;
}

/* Refuses a batch that does not fit, before anything is allocated: a machine that runs out of memory kills programs of its choice.
 * Rows are spared before they take what the results may need. */
static sarrus_status check_memory(sarrus_context *context, cpu_device *device, const sarrus_plan *plan, bool needs_all_rows) {
    const char *limit;
    const double of_tiles = (double)device->tile_doubles * (double)device->base.n_tiles * sizeof(double);
    const double of_all = threads_bytes(device, plan), left = sarrus_memory_left(&limit);
    char text[4][16];
    if (of_tiles + 2.0 * of_all <= left)
        return SARRUS_OK;
    if (!needs_all_rows && rows_are_spared(device, plan, left - of_tiles)) {
        (void)sarrus_report_at(context, SARRUS_WARNING, SARRUS_OK, NULL,
                               "there is memory for %d of the %d constraints to be in doubt at a time, where they depend on one "
                               "another for a moment; an instance with more of them ends as 'diverged'",
                               (int)(plan->mech.m - device->n_rows_short), (int)plan->mech.m);
        return SARRUS_OK;
    }
    const double of_threads = threads_bytes(device, plan);
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

static sarrus_status kernels_find(sarrus_context *context, const sarrus_plan *plan, const sarrus_batch_options *options,
                                  const sarrus_kernels **out) {
    const char *isa = options ? options->isa : NULL;
    *out = sarrus_isa_find(plan->mech.space, isa);
    if (*out)
        return SARRUS_OK;
    if (sarrus_isa_find(SARRUS_SPACE_PLANAR, isa))
        return sarrus_report(context, SARRUS_UNSUPPORTED, "this build has no kernels for spatial mechanisms");
    return sarrus_report(
        context, SARRUS_NO_BACKEND,
        "the instruction set '%s' is not usable here; expected avx512, avx2 or baseline, as this processor has them",
        isa ? isa : "");
}

static sarrus_status cpu_create(sarrus_context *context, const sarrus_plan *plan, const sarrus_batch_options *options,
                                uint64_t n_instances, sarrus_device **out) {
    const sarrus_kernels *kernels = NULL;
    const sarrus_status found = kernels_find(context, plan, options, &kernels);
    if (found != SARRUS_OK)
        return found;
    if (plan->mech.method >= SARRUS_N_PINV_HOST_METHODS) {
        return sarrus_report(context, SARRUS_NO_BACKEND,
                             "'pinv: %s' is a library on a GPU; expected the backend cuda, or pinv auto, svd or lapack",
                             sarrus_pinv_method_word((sarrus_pinv_method)plan->mech.method));
    }
    cpu_device *device = calloc(1, sizeof *device);
    if (!device)
        return sarrus_report(context, SARRUS_NO_MEMORY, "out of memory for the batch");
    uint64_t width = (uint64_t)kernels->width;
    device->base.ops = &sarrus_backend_cpu;
    device->base.plan = plan;
    device->base.width = kernels->width;
    device->base.n_tiles = (n_instances + width - 1) / width;
    device->base.n_instances = n_instances;
    device->base.keeps_rank_changes = options && options->keep_rank_events;
    device->base.stop = options ? options->stop : NULL;
    device->kernels = kernels;
    device->tile_doubles = (size_t)plan->mech.layout.n_arrays * (size_t)width;
    const sarrus_status crewed =
        sarrus_crew_create(context, count_threads(options, device->base.n_tiles), SARRUS_CREW_WRITERS, &device->base.crew);
    if (crewed != SARRUS_OK) {
        cpu_destroy(&device->base);
        return crewed;
    }
    device->base.n_threads = sarrus_crew_size(device->base.crew);
    const sarrus_status fits = check_memory(context, device, plan, options && options->needs_all_rows);
    if (fits != SARRUS_OK) {
        cpu_destroy(&device->base);
        return fits;
    }
    device->base.tiles = lane_arrays(device->tile_doubles * device->base.n_tiles, device->base.stop);
    device->threads = calloc((size_t)device->base.n_threads, sizeof *device->threads);
    bool good = device->base.tiles && device->threads && sarrus_plan_lower(plan, kernels->width, &device->lowered);
    device->lowered.mech.n_rows_short = device->n_rows_short;
    for (int i = 0; good && i < device->base.n_threads; ++i)
        good = thread_create(device, &device->threads[i]);
    if (!good) {
        cpu_destroy(&device->base);
        return sarrus_report(context, SARRUS_NO_MEMORY, "out of memory for a batch of %llu instances",
                             (unsigned long long)n_instances);
    }
    device->specializer = sarrus_specializer_create_for(plan, options, kernels);
    /* Half of the guess: it has to be clear to be acted upon. */
    device->pace.step_seconds = 0.5 * sarrus_plan_step_seconds(plan, n_instances, kernels->width, device->base.n_threads);
    (void)snprintf(device->base.description, sizeof device->base.description, "%s, %d thread%s", kernels->name,
                   device->base.n_threads, device->base.n_threads == 1 ? "" : "s");
    *out = &device->base;
    return SARRUS_OK;
}

/* The next tile: nothing in the workspace speaks of it. */
static void take_tile(const cpu_device *device, sarrus_kernel_call *call, int64_t i_tile) {
    call->tile = device->base.tiles + (size_t)i_tile * device->tile_doubles;
    call->is_configured = call->is_factored = 0;
}

/* What is done with one tile; false when a stop has come between. */
typedef bool tile_work(cpu_device *device, cpu_thread *thread, uint64_t i_tile, const void *how);

static bool is_stopped(const cpu_device *device) {
    return sarrus_stop_is_asked(device->base.stop);
}

/* All tiles, of which whoever is free takes the next one. */
typedef struct tiles_job {
    cpu_device *device;
    tile_work *work;
    const void *how;
    atomic_uint_fast64_t next;
    atomic_bool is_cut;
} tiles_job;

/* Leaves its processor to the compiler, while that is worth it and tiles are left for the others. */
static void yield_to_compiler(const cpu_device *device, const atomic_uint_fast64_t *next) {
    const struct timespec pause = {0, 1000000};
    while (sarrus_specializer_needs_processor(device->specializer) && !is_stopped(device) &&
           atomic_load_explicit(next, memory_order_relaxed) < device->base.n_tiles)
        (void)nanosleep(&pause, NULL);
}

/* With a thread on every processor a compiler would share one of them with us, and its kernels would be ready later. */
static void tiles_run(void *user, int i_member, int n_members) {
    tiles_job *job = user;
    cpu_device *device = job->device;
    cpu_thread *thread = &device->threads[i_member];
    if (n_members > 1 && i_member == n_members - 1 && n_members >= sarrus_processors())
        yield_to_compiler(device, &job->next);
    for (uint64_t i; (i = atomic_fetch_add_explicit(&job->next, 1, memory_order_relaxed)) < device->base.n_tiles;) {
        take_tile(device, &thread->call, (int64_t)i);
        if (is_stopped(device) || !job->work(device, thread, i, job->how)) {
            atomic_store_explicit(&job->is_cut, true, memory_order_relaxed);
            break;
        }
    }
}

static sarrus_status for_tiles(cpu_device *device, tile_work *work, const void *how) {
    tiles_job job = {.device = device, .work = work, .how = how};
    sarrus_crew_run(device->base.crew, device->base.n_threads, tiles_run, &job);
    return atomic_load_explicit(&job.is_cut, memory_order_relaxed) ? SARRUS_INTERRUPTED : SARRUS_OK;
}

static bool assemble_tile(cpu_device *device, cpu_thread *thread, uint64_t i_tile, const void *how) {
    (void)i_tile;
    (void)how;
    device->kernels->assemble(&thread->call);
    return !is_stopped(device);
}

static sarrus_status cpu_assemble(sarrus_device *base) {
    return for_tiles(cpu_of(base), assemble_tile, NULL);
}

/* The kernels for the next steps of the thread's tile, and how many these may be: kernels that are being compiled are waited for in
 * small portions. Both kinds give the same bits, so a tile may go from one to the other between any two steps; neither uses what
 * the other has left in the workspace. */
static sarrus_advance_function *kernels_choose(const cpu_device *device, cpu_thread *thread, uint64_t *n_steps) {
    enum { PORTION = 256 };
    sarrus_advance_function *special = sarrus_specializer_advance(device->specializer);
    sarrus_advance_function *advance = special ? special : device->kernels->advance;
    /* A method that chooses its steps may end one where a call ends, and such an end must not depend on a compiler. */
    const bool may_cut = !device->lowered.mech.integrator.is_adaptive;
    if (!special && may_cut && *n_steps > PORTION && sarrus_specializer_is_busy(device->specializer))
        *n_steps = PORTION;
    if (advance != thread->advance_before)
        thread->call.is_configured = thread->call.is_factored = 0;
    thread->advance_before = advance;
    return advance;
}

/* n_steps steps of the thread's tile. The changes of rank are fetched whenever the tile is full of them, and in the end. False when
 * a stop has come between. */
static bool advance_tile(cpu_device *device, cpu_thread *thread, uint64_t i_tile, sarrus_clock clock, uint64_t n_steps) {
    const sarrus_mechanism *mech = &device->lowered.mech;
    const uint64_t i_first = i_tile * (uint64_t)device->base.width;
    sarrus_rank_change_list *events = device->base.keeps_rank_changes ? &thread->events : NULL;
    for (uint64_t n_done = 0; n_done < n_steps;) {
        uint64_t n_wanted = n_steps - n_done;
        sarrus_advance_function *advance = kernels_choose(device, thread, &n_wanted);
        const uint64_t n_more = advance(&thread->call, &clock, n_wanted);
        n_done += n_more;
        clock.step += n_more;
        thread->n_steps += n_more;
        if (advance != device->kernels->advance)
            thread->n_special_steps += n_more;
        if (mech->rank_change_capacity > 0)
            sarrus_rank_change_list_fetch(events, mech, thread->call.tile, i_first, device->base.width, device->base.n_instances);
        if (n_done < n_steps && is_stopped(device))
            return false;
    }
    return true;
}

/* n_steps steps of every tile. Before them it is decided whether compiling kernels pays now: from the steps that are left and the
 * time that steps have taken so far. */
static sarrus_status march_tiles(cpu_device *device, tile_work *work, const void *how, const sarrus_clock *clock,
                                 uint64_t n_steps) {
    sarrus_specializer_consider(device->specializer, sarrus_pace_seconds_left(&device->pace, clock, n_steps));
    const double began = sarrus_monotonic_seconds();
    const sarrus_status status = for_tiles(device, work, how);
    if (status == SARRUS_OK)
        sarrus_pace_note(&device->pace, n_steps, sarrus_monotonic_seconds() - began);
    return status;
}

typedef struct advance_order {
    sarrus_clock clock;
    uint64_t n_steps;
} advance_order;

static bool advance_work(cpu_device *device, cpu_thread *thread, uint64_t i_tile, const void *how) {
    const advance_order *order = how;
    return advance_tile(device, thread, i_tile, order->clock, order->n_steps);
}

static sarrus_status cpu_advance(sarrus_device *base, const sarrus_clock *clock, uint64_t n_steps) {
    const advance_order order = {*clock, n_steps};
    return march_tiles(cpu_of(base), advance_work, &order, clock, n_steps);
}

/* All observations of one tile, one after another: its state stays in the first cache the whole time. */
static bool observe_tile(cpu_device *device, cpu_thread *thread, uint64_t i_tile, const void *how) {
    const sarrus_device_observation *observation = how;
    const sarrus_observation *request = observation->request;
    const sarrus_mechanism *mech = &device->base.plan->mech;
    sarrus_clock clock = observation->clock;
    sarrus_observe_request want = sarrus_scatter_request(mech, request);
    const double *tile = thread->call.tile;
    const int32_t width = device->base.width;
    const sarrus_observed_tile observed = {
        .mech = mech,
        .width = width,
        .q = tile + mech->layout.q * width,
        .v = tile + mech->layout.v * width,
        .status = tile + mech->layout.status * width,
        .observed = thread->observed,
        .want = want,
        .i_tile = i_tile,
    };
    for (uint64_t k = 0; k < request->n_times; ++k) {
        bool is_last = k + 1 == request->n_times;
        if (k > 0 || !request->observe_first) {
            uint64_t n_steps = is_last && request->last_steps ? request->last_steps : request->every_steps;
            if (!advance_tile(device, thread, i_tile, clock, n_steps))
                return false;
            clock.step += n_steps;
        }
        if (want.n_arrays > 0) {
            want.clock = clock;
            device->kernels->observe(&thread->call, &want, thread->observed);
            if (is_stopped(device))
                return false;
        }
        sarrus_scatter(&observed, request, observation->n_instances, k);
    }
    return true;
}

static sarrus_status cpu_observe(sarrus_device *base, const sarrus_device_observation *observation) {
    double *const *wanted = observation->request->destination;
    if (cpu_of(base)->n_rows_short > 0 && (wanted[SARRUS_OBSERVE_KEPT] || wanted[SARRUS_OBSERVE_DROPPED]))
        return SARRUS_NO_MEMORY;
    const uint64_t n_steps = sarrus_observation_steps(observation->request);
    return march_tiles(cpu_of(base), observe_tile, observation, &observation->clock, n_steps);
}

static sarrus_status cpu_rank_changes_take(sarrus_device *base, sarrus_rank_change_list *to) {
    cpu_device *device = cpu_of(base);
    for (int i = 0; i < base->n_threads; ++i)
        sarrus_rank_change_list_move(&device->threads[i].events, to);
    return SARRUS_OK;
}

static void cpu_path_counts(sarrus_device *base, uint64_t *n_evaluations, uint64_t *n_rank_revealing) {
    const cpu_device *device = cpu_of(base);
    *n_evaluations = *n_rank_revealing = 0;
    for (int i = 0; i < base->n_threads; ++i) {
        *n_evaluations += (uint64_t)device->threads[i].call.n_evaluations;
        *n_rank_revealing += (uint64_t)device->threads[i].call.n_rank_revealing;
    }
}

static void cpu_specialization(const sarrus_device *base, sarrus_specialization *out) {
    const cpu_device *device = (const cpu_device *)(const void *)base;
    uint64_t n_steps = 0, n_special_steps = 0;
    sarrus_specializer_report(device->specializer, out);
    for (int i = 0; i < base->n_threads; ++i) {
        n_steps += device->threads[i].n_steps;
        n_special_steps += device->threads[i].n_special_steps;
    }
    out->step_share = n_steps > 0 ? (double)n_special_steps / (double)n_steps : 0.0;
}

const sarrus_backend_ops sarrus_backend_cpu = {
    .name = "cpu",
    .create = cpu_create,
    .destroy = cpu_destroy,
    .assemble = cpu_assemble,
    .advance = cpu_advance,
    .observe = cpu_observe,
    .rank_changes_take = cpu_rank_changes_take,
    .path_counts = cpu_path_counts,
    .specialization = cpu_specialization,
};
