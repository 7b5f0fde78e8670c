/* The CPU backend: tiles in memory, a crew that takes them one by one, a workspace per thread. A tile's result depends on the tile
 * alone, so the number of threads and their schedule cannot change a bit. Of a plan with relative coordinates tiles are in these;
 * each thread has a tile in absolute ones besides, in which instances are filled, assembled and observed. */
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "backend/cpu/device.h"
#include "backend/cpu/work_space.h"
#include "backend/isa.h"
#include "backend/scatter.h"
#include "core/monotonic.h"
#include "core/report.h"
#include "core/stop.h"
#include "jit/specialize_plan.h"

static sarrus_cpu_device *cpu_of(sarrus_device *device) {
    return (sarrus_cpu_device *)(void *)device;
}

/* What makes steps, and what shows them. */
static const sarrus_cpu_side *stepping(const sarrus_cpu_device *device) {
    return &device->side[0];
}
static const sarrus_cpu_side *showing(const sarrus_cpu_device *device) {
    return &device->side[device->n_sides - 1];
}
static sarrus_kernel_call *stepping_call(sarrus_cpu_thread *thread) {
    return &thread->work[0].call;
}
static sarrus_kernel_call *showing_call(const sarrus_cpu_device *device, sarrus_cpu_thread *thread) {
    return &thread->work[device->n_sides - 1].call;
}

/* The kernels and the call that steps are made with, and the tiles that are stepped together. */
static const sarrus_kernels *steps_by(const sarrus_cpu_device *device) {
    return device->single.kernels ? device->single.kernels : stepping(device)->kernels;
}
static sarrus_kernel_call *steps_call(const sarrus_cpu_device *device, sarrus_cpu_thread *thread) {
    return device->single.kernels ? &thread->single.call : stepping_call(thread);
}
static uint64_t n_together(const sarrus_cpu_device *device) {
    return (uint64_t)(steps_by(device)->width / device->base.width);
}

static void cpu_destroy(sarrus_device *base) {
    sarrus_cpu_device *device = cpu_of(base);
    sarrus_specializer_destroy(device->specializer);
    for (int i = 0; device->threads && i < base->n_threads; ++i)
        sarrus_cpu_thread_free(&device->threads[i]);
    free(device->threads);
    sarrus_crew_destroy(base->crew);
    for (int i = 0; i < device->n_sides; ++i)
        sarrus_lowered_free(&device->side[i].lowered);
    sarrus_lowered_free(&device->single.lowered);
    free(base->tiles);
    free(device);
}

static int count_threads(const sarrus_batch_options *options, uint64_t n_tiles) {
    int n = options && options->n_threads > 0 ? options->n_threads : sarrus_processors();
    if (n > 1024)
        n = 1024;
    return (uint64_t)n > n_tiles ? (int)(n_tiles ? n_tiles : 1) : n;
}

/* The kernels of both sides; of an instruction set all that a plan needs are there, or none. */
static sarrus_status kernels_find(sarrus_context *context, const sarrus_plan *plan, const sarrus_batch_options *options,
                                  sarrus_cpu_device *device) {
    const char *isa = options ? options->isa : NULL;
    const sarrus_kernels *absolute = sarrus_isa_find(plan->mech.space, isa);
    const sarrus_kernels *relative = plan->relative ? sarrus_isa_find_relative(plan->mech.space, isa) : NULL;
    if (plan->relative)
        device->side[device->n_sides++] = (sarrus_cpu_side){.plan = plan->relative, .kernels = relative};
    device->side[device->n_sides++] = (sarrus_cpu_side){.plan = plan, .kernels = absolute};
    if (plan->mech.is_single)
        device->single.kernels = sarrus_isa_find_single(plan->mech.space, isa);
    if (absolute && (relative || !plan->relative))
        return SARRUS_OK;
    if (absolute)
        return sarrus_report(context, SARRUS_UNSUPPORTED, "this build has no kernels for relative coordinates");
    if (sarrus_isa_find(SARRUS_SPACE_PLANAR, isa))
        return sarrus_report(context, SARRUS_UNSUPPORTED, "this build has no kernels for spatial mechanisms");
    return sarrus_report(
        context, SARRUS_NO_BACKEND,
        "the instruction set '%s' is not usable here; expected avx512, avx2 or baseline, as this processor has them",
        isa ? isa : "");
}

/* Tiles, threads and what they work with. False when memory runs out. */
static bool memory_take(sarrus_cpu_device *device) {
    sarrus_device *base = &device->base;
    base->tiles = sarrus_cpu_lane_arrays(device->tile_doubles * base->n_tiles, base->stop);
    device->threads = calloc((size_t)base->n_threads, sizeof *device->threads);
    bool good = base->tiles && device->threads;
    for (int i = 0; good && i < device->n_sides; ++i) {
        sarrus_cpu_side *side = &device->side[i];
        good = sarrus_plan_lower(side->plan, base->width, &side->lowered);
        side->lowered.mech.n_rows_short = side->n_rows_short;
    }
    if (good && device->single.kernels) {
        good = sarrus_plan_lower(stepping(device)->plan, device->single.kernels->width, &device->single.lowered);
        device->single.tiles = (sarrus_single_tiles){&stepping(device)->plan->mech, base->width};
    }
    if (good && device->n_sides > 1)
        sarrus_relative_tiles_make(&device->side[0].lowered.mech, &device->side[1].lowered.mech, device->side[0].kernels,
                                   &device->relative);
    for (int i = 0; good && i < base->n_threads; ++i)
        good = sarrus_cpu_thread_create(device, &device->threads[i]);
    return good;
}

static sarrus_status device_make(sarrus_context *context, sarrus_cpu_device *device, const sarrus_batch_options *options) {
    sarrus_device *base = &device->base;
    const sarrus_plan *plan = stepping(device)->plan;
    const sarrus_kernels *kernels = stepping(device)->kernels;
    const uint64_t width = (uint64_t)kernels->width;
    base->width = kernels->width;
    base->n_tiles = (base->n_instances + width - 1) / width;
    device->tile_doubles = (size_t)plan->mech.layout.n_arrays * (size_t)width;
    const sarrus_status crewed =
        sarrus_crew_create(context, count_threads(options, base->n_tiles), SARRUS_CREW_WRITERS, &base->crew);
    if (crewed != SARRUS_OK)
        return crewed;
    base->n_threads = sarrus_crew_size(base->crew);
    const sarrus_status fits = sarrus_cpu_memory_check(context, device, options && options->needs_all_rows);
    if (fits != SARRUS_OK)
        return fits;
    if (!memory_take(device))
        return sarrus_report(context, SARRUS_NO_MEMORY, "out of memory for a batch of %llu instances",
                             (unsigned long long)base->n_instances);
    device->specializer = sarrus_specializer_create_for(plan, options, steps_by(device));
    /* Half of the guess: it has to be clear to be acted upon. */
    device->pace.step_seconds = 0.5 * sarrus_plan_step_seconds(plan, base->n_instances, kernels->width, base->n_threads);
    (void)snprintf(base->description, sizeof base->description, "%s%s, %d thread%s", kernels->name,
                   device->single.kernels ? " in single precision" : "", base->n_threads, base->n_threads == 1 ? "" : "s");
    return SARRUS_OK;
}

static sarrus_status cpu_create(sarrus_context *context, const sarrus_plan *plan, const sarrus_batch_options *options,
                                uint64_t n_instances, sarrus_device **out) {
    if (plan->mech.method >= SARRUS_N_PINV_HOST_METHODS) {
        return sarrus_report(context, SARRUS_NO_BACKEND,
                             "'pinv: %s' is a library on a GPU; expected the backend cuda, or pinv auto, svd or lapack",
                             sarrus_pinv_method_word((sarrus_pinv_method)plan->mech.method));
    }
    sarrus_cpu_device *device = calloc(1, sizeof *device);
    if (!device)
        return sarrus_report(context, SARRUS_NO_MEMORY, "out of memory for the batch");
    device->base.ops = &sarrus_backend_cpu;
    device->base.plan = plan;
    device->base.n_instances = n_instances;
    device->base.keeps_rank_changes = options && options->keep_rank_events;
    device->base.stop = options ? options->stop : NULL;
    sarrus_status status = kernels_find(context, plan, options, device);
    if (status == SARRUS_OK)
        status = device_make(context, device, options);
    if (status != SARRUS_OK) {
        cpu_destroy(&device->base);
        return status;
    }
    *out = &device->base;
    return SARRUS_OK;
}

/* The next tile: nothing in the workspace speaks of it. */
static void take_tile(const sarrus_cpu_device *device, sarrus_cpu_thread *thread, uint64_t i_tile) {
    thread->work[0].call.tile = device->base.tiles + (size_t)i_tile * device->tile_doubles;
    for (int i = 0; i < device->n_sides; ++i)
        thread->work[i].call.is_configured = thread->work[i].call.is_factored = 0;
}

/* What is done with one tile, or with those from it on that are stepped together; false when a stop has come between. */
typedef bool tile_work(sarrus_cpu_device *device, sarrus_cpu_thread *thread, uint64_t i_tile, const void *how);

static bool is_stopped(const sarrus_cpu_device *device) {
    return sarrus_stop_is_asked(device->base.stop);
}

/* All tiles, of which whoever is free takes the next ones. */
typedef struct tiles_job {
    sarrus_cpu_device *device;
    uint64_t n_together; /* tiles that the work begins with one of */
    tile_work *work;
    const void *how;
    atomic_uint_fast64_t next;
    atomic_bool is_cut;
} tiles_job;

/* Leaves its processor to the compiler, while that is worth it and tiles are left for the others. */
static void yield_to_compiler(const sarrus_cpu_device *device, const atomic_uint_fast64_t *next) {
    const struct timespec pause = {0, 1000000};
    while (sarrus_specializer_needs_processor(device->specializer) && !is_stopped(device) &&
           atomic_load_explicit(next, memory_order_relaxed) < device->base.n_tiles)
        (void)nanosleep(&pause, NULL);
}

/* With a thread on every processor a compiler would share one of them with us, and its kernels would be ready later. */
static void tiles_run(void *user, int i_member, int n_members) {
    tiles_job *job = user;
    sarrus_cpu_device *device = job->device;
    sarrus_cpu_thread *thread = &device->threads[i_member];
    if (n_members > 1 && i_member == n_members - 1 && n_members >= sarrus_processors())
        yield_to_compiler(device, &job->next);
    const uint64_t n = job->n_together;
    for (uint64_t i; (i = atomic_fetch_add_explicit(&job->next, n, memory_order_relaxed)) < device->base.n_tiles;) {
        take_tile(device, thread, i);
        if (is_stopped(device) || !job->work(device, thread, i, job->how)) {
            atomic_store_explicit(&job->is_cut, true, memory_order_relaxed);
            break;
        }
    }
}

static sarrus_status for_groups(sarrus_cpu_device *device, uint64_t n, tile_work *work, const void *how) {
    tiles_job job = {.device = device, .n_together = n, .work = work, .how = how};
    sarrus_crew_run(device->base.crew, device->base.n_threads, tiles_run, &job);
    return atomic_load_explicit(&job.is_cut, memory_order_relaxed) ? SARRUS_INTERRUPTED : SARRUS_OK;
}

static sarrus_status for_tiles(sarrus_cpu_device *device, tile_work *work, const void *how) {
    return for_groups(device, 1, work, how);
}

static bool assemble_tile(sarrus_cpu_device *device, sarrus_cpu_thread *thread, uint64_t i_tile, const void *how) {
    (void)i_tile;
    (void)how;
    stepping(device)->kernels->assemble(stepping_call(thread));
    return !is_stopped(device);
}

/* Tiles of two sides are assembled when they are closed. */
static sarrus_status cpu_assemble(sarrus_device *base) {
    return cpu_of(base)->n_sides > 1 ? SARRUS_OK : for_tiles(cpu_of(base), assemble_tile, NULL);
}

static double *cpu_tile_open(sarrus_device *base, int i_member, uint64_t i_tile) {
    sarrus_cpu_device *device = cpu_of(base);
    sarrus_cpu_thread *thread = &device->threads[i_member];
    take_tile(device, thread, i_tile);
    double *tile = showing_call(device, thread)->tile;
    if (device->n_sides > 1)
        memset(tile, 0, (size_t)base->plan->mech.layout.n_arrays * (size_t)base->width * sizeof *tile);
    return tile;
}

static void cpu_tile_close(sarrus_device *base, int i_member) {
    sarrus_cpu_device *device = cpu_of(base);
    sarrus_cpu_thread *thread = &device->threads[i_member];
    if (device->n_sides == 1)
        return;
    showing(device)->kernels->assemble(showing_call(device, thread));
    sarrus_relative_tile_begin(&device->relative, stepping_call(thread), thread->bodies);
}

static double *cpu_tile_show(sarrus_device *base, int i_member, uint64_t i_tile) {
    sarrus_cpu_device *device = cpu_of(base);
    sarrus_cpu_thread *thread = &device->threads[i_member];
    take_tile(device, thread, i_tile);
    if (device->n_sides > 1)
        sarrus_relative_tile_place(&device->relative, stepping_call(thread), thread->bodies);
    return showing_call(device, thread)->tile;
}

/* Of two sides closing has done it. */
static void cpu_tile_assemble(sarrus_device *base, int i_member) {
    sarrus_cpu_device *device = cpu_of(base);
    if (device->n_sides == 1)
        stepping(device)->kernels->assemble(stepping_call(&device->threads[i_member]));
}

static void cpu_tile_take(sarrus_device *base, int i_member) {
    sarrus_cpu_device *device = cpu_of(base);
    sarrus_cpu_thread *thread = &device->threads[i_member];
    if (device->n_sides > 1)
        sarrus_relative_tile_take(&device->relative, stepping_call(thread), thread->bodies);
}

/* The kernels for the next steps of the thread's tile, and how many these may be: kernels that are being compiled are waited for in
 * small portions. Both kinds give the same bits, so a tile may go from one to the other between any two steps; neither uses what
 * the other has left in the workspace. */
static sarrus_advance_function *kernels_choose(const sarrus_cpu_device *device, sarrus_cpu_thread *thread, uint64_t *n_steps) {
    enum { PORTION = 256 };
    sarrus_advance_function *special = sarrus_specializer_advance(device->specializer);
    sarrus_advance_function *advance = special ? special : steps_by(device)->advance;
    /* A method that chooses its steps may end one where a call ends, and such an end must not depend on a compiler. */
    const bool may_cut = !stepping(device)->lowered.mech.integrator.is_adaptive;
    if (!special && may_cut && *n_steps > PORTION && sarrus_specializer_is_busy(device->specializer))
        *n_steps = PORTION;
    if (advance != thread->advance_before)
        steps_call(device, thread)->is_configured = steps_call(device, thread)->is_factored = 0;
    thread->advance_before = advance;
    return advance;
}

/* Tiles from i_tile on that are stepped together, of which the last may lack its neighbour. */
static int32_t together_at(const sarrus_cpu_device *device, uint64_t i_tile) {
    const uint64_t n = n_together(device), left = device->base.n_tiles - i_tile;
    return (int32_t)(n < left ? n : left);
}

static double *tile_at(const sarrus_cpu_device *device, uint64_t i_tile) {
    return device->base.tiles + (size_t)i_tile * device->tile_doubles;
}

/* The tiles into the one that is stepped, and back, where these are not the same. Returns the step of the grid that it counts
 * from. */
static uint64_t tiles_take(const sarrus_cpu_device *device, sarrus_cpu_thread *thread, uint64_t i_tile, uint64_t step) {
    if (!device->single.kernels)
        return 0;
    thread->single.call.is_configured = thread->single.call.is_factored = 0;
    sarrus_single_tile_take(&device->single.tiles, tile_at(device, i_tile), together_at(device, i_tile), step, thread->floats);
    return step;
}
static void tiles_give(const sarrus_cpu_device *device, const sarrus_cpu_thread *thread, uint64_t i_tile) {
    if (device->single.kernels)
        sarrus_single_tile_give(&device->single.tiles, thread->floats, together_at(device, i_tile), tile_at(device, i_tile));
}

/* The changes of rank that the tiles hold. In single precision the rank is that of the assembly, so that there are none. */
static void rank_changes_fetch(sarrus_cpu_device *device, sarrus_cpu_thread *thread, uint64_t i_tile) {
    const sarrus_mechanism *mech = &stepping(device)->lowered.mech;
    sarrus_rank_change_list *events = device->base.keeps_rank_changes ? &thread->events : NULL;
    if (mech->rank_change_capacity > 0 && !device->single.kernels)
        sarrus_rank_change_list_fetch(events, mech, tile_at(device, i_tile), i_tile * (uint64_t)device->base.width,
                                      device->base.width, device->base.n_instances);
}

/* n_steps steps of the tiles that are stepped together. The changes of rank are fetched whenever a tile is full of them, and in the
 * end. False when a stop has come between. */
static bool tiles_advance(sarrus_cpu_device *device, sarrus_cpu_thread *thread, uint64_t i_tile, sarrus_clock clock,
                          uint64_t n_steps) {
    sarrus_kernel_call *call = steps_call(device, thread);
    bool is_cut = false;
    clock.step -= tiles_take(device, thread, i_tile, clock.step);
    for (uint64_t n_done = 0; n_done < n_steps && !is_cut;) {
        uint64_t n_wanted = n_steps - n_done;
        sarrus_advance_function *advance = kernels_choose(device, thread, &n_wanted);
        const uint64_t n_more = advance(call, &clock, n_wanted);
        n_done += n_more;
        clock.step += n_more;
        thread->n_steps += n_more;
        if (advance != steps_by(device)->advance)
            thread->n_special_steps += n_more;
        rank_changes_fetch(device, thread, i_tile);
        is_cut = n_done < n_steps && is_stopped(device);
    }
    tiles_give(device, thread, i_tile);
    return !is_cut;
}

/* n_steps steps of every tile. Before them it is decided whether compiling kernels pays now: from the steps that are left and the
 * time that steps have taken so far. */
static sarrus_status march_tiles(sarrus_cpu_device *device, tile_work *work, const void *how, const sarrus_clock *clock,
                                 uint64_t n_steps) {
    sarrus_specializer_consider(device->specializer, sarrus_pace_seconds_left(&device->pace, clock, n_steps));
    const double began = sarrus_monotonic_seconds();
    const sarrus_status status = for_groups(device, n_together(device), work, how);
    if (status == SARRUS_OK)
        sarrus_pace_note(&device->pace, n_steps, sarrus_monotonic_seconds() - began);
    return status;
}

typedef struct advance_order {
    sarrus_clock clock;
    uint64_t n_steps;
} advance_order;

static bool advance_work(sarrus_cpu_device *device, sarrus_cpu_thread *thread, uint64_t i_tile, const void *how) {
    const advance_order *order = how;
    return tiles_advance(device, thread, i_tile, order->clock, order->n_steps);
}

static sarrus_status cpu_advance(sarrus_device *base, const sarrus_clock *clock, uint64_t n_steps) {
    const advance_order order = {*clock, n_steps};
    return march_tiles(cpu_of(base), advance_work, &order, clock, n_steps);
}

/* What the request asks for at the tile's present state into thread->observed. False when a stop has come between. */
static bool state_observe(const sarrus_cpu_device *device, sarrus_cpu_thread *thread, const sarrus_observe_request *want) {
    sarrus_kernel_call *shown = showing_call(device, thread);
    const bool is_moved = device->n_sides > 1;
    if (is_moved)
        sarrus_relative_tile_place(&device->relative, stepping_call(thread), thread->bodies);
    if (want->n_arrays == 0)
        return true;
    if (is_moved) {
        sarrus_relative_tile_show(&device->relative, stepping_call(thread), thread->bodies);
        shown->is_configured = shown->is_factored = 0;
    }
    showing(device)->kernels->observe(shown, want, thread->observed);
    if (is_moved) {
        sarrus_relative_tile_end_failed(&device->relative, thread->bodies, stepping_call(thread));
        sarrus_relative_tile_rank(&device->relative, stepping_call(thread), want, thread->observed);
    }
    return !is_stopped(device);
}

/* The state of one tile at an observation's time k. */
static bool tile_observe(sarrus_cpu_device *device, sarrus_cpu_thread *thread, uint64_t i_tile,
                         const sarrus_device_observation *observation, const sarrus_observe_request *want, uint64_t k) {
    const sarrus_mechanism *mech = &device->base.plan->mech;
    const int32_t width = device->base.width;
    const double *tile = stepping_call(thread)->tile, *shown = showing_call(device, thread)->tile;
    sarrus_observed_tile observed = {
        .mech = mech,
        .width = width,
        .q = shown + mech->layout.q * width,
        .v = shown + mech->layout.v * width,
        .status = tile + stepping(device)->lowered.mech.layout.status * width,
        .observed = thread->observed,
        .want = *want,
        .i_tile = i_tile,
    };
    sarrus_scatter_widths(mech, observation->request, observed.n_numbers);
    if (!state_observe(device, thread, want))
        return false;
    sarrus_scatter(&observed, observation->request, observation->n_instances, k);
    return true;
}

/* All observations of the tiles that are stepped together, one after another: their state stays in the first cache all the time. */
static bool observe_tiles(sarrus_cpu_device *device, sarrus_cpu_thread *thread, uint64_t i_tile, const void *how) {
    const sarrus_device_observation *observation = how;
    const sarrus_observation *request = observation->request;
    const int32_t n_tiles = together_at(device, i_tile);
    sarrus_observe_request want = sarrus_scatter_request(&device->base.plan->mech, request);
    sarrus_clock clock = observation->clock;
    for (uint64_t k = 0; k < request->n_times; ++k) {
        bool is_last = k + 1 == request->n_times;
        if (k > 0 || !request->observe_first) {
            uint64_t n_steps = is_last && request->last_steps ? request->last_steps : request->every_steps;
            if (!tiles_advance(device, thread, i_tile, clock, n_steps))
                return false;
            clock.step += n_steps;
        }
        want.clock = clock;
        for (int32_t i = 0; i < n_tiles; ++i) {
            if (n_tiles > 1)
                take_tile(device, thread, i_tile + (uint64_t)i);
            if (!tile_observe(device, thread, i_tile + (uint64_t)i, observation, &want, k))
                return false;
        }
    }
    return true;
}

static sarrus_status cpu_observe(sarrus_device *base, const sarrus_device_observation *observation) {
    double *const *wanted = observation->request->destination;
    if (showing(cpu_of(base))->n_rows_short > 0 && (wanted[SARRUS_OBSERVE_KEPT] || wanted[SARRUS_OBSERVE_DROPPED]))
        return SARRUS_NO_MEMORY;
    const uint64_t n_steps = sarrus_observation_steps(observation->request);
    return march_tiles(cpu_of(base), observe_tiles, observation, &observation->clock, n_steps);
}

/* The equations of all instances, and a tile's worth of them for each thread. */
typedef struct systems_order {
    sarrus_clock clock;
    const sarrus_systems *out;
    sarrus_system_tile *tiles; /* [n_threads] */
} systems_order;

/* Row i of `to` ← the numbers of lane `lane`; NULL: not wanted. */
static void system_part_copy(const double *tile, size_t count, const sarrus_device *base, uint64_t i_tile, double *to) {
    const size_t width = (size_t)base->width;
    for (size_t lane = 0; to && lane < width && i_tile * width + lane < base->n_instances; ++lane) {
        double *row = to + (i_tile * width + lane) * count;
        for (size_t k = 0; k < count; ++k)
            row[k] = tile[k * width + lane];
    }
}

static bool systems_work(sarrus_cpu_device *device, sarrus_cpu_thread *thread, uint64_t i_tile, const void *how) {
    const systems_order *order = how;
    const sarrus_mechanism *mech = &device->base.plan->mech;
    const size_t n = (size_t)mech->n_v, m = (size_t)mech->m;
    const sarrus_system_tile *tile = &order->tiles[thread - device->threads];
    sarrus_kernel_call *shown = showing_call(device, thread);
    if (device->n_sides > 1) {
        sarrus_relative_tile_place(&device->relative, stepping_call(thread), thread->bodies);
        sarrus_relative_tile_show(&device->relative, stepping_call(thread), thread->bodies);
    }
    showing(device)->kernels->system(shown, &order->clock, tile);
    system_part_copy(tile->mass, n * n, &device->base, i_tile, order->out->mass);
    system_part_copy(tile->force, n, &device->base, i_tile, order->out->force);
    system_part_copy(tile->jacobian, m * n, &device->base, i_tile, order->out->jacobian);
    system_part_copy(tile->gamma, m, &device->base, i_tile, order->out->gamma);
    return !is_stopped(device);
}

static sarrus_status cpu_systems(sarrus_device *base, const sarrus_clock *clock, const sarrus_systems *out) {
    sarrus_cpu_device *device = cpu_of(base);
    const size_t n = (size_t)base->plan->mech.n_v, m = (size_t)base->plan->mech.m, width = (size_t)base->width;
    const size_t counts[] = {n * n, n, m * n, m, n};
    systems_order order = {*clock, out, calloc((size_t)base->n_threads, sizeof *order.tiles)};
    double *block = sarrus_cpu_lane_arrays((n * n + 2 * n + m * n + m) * width * (size_t)base->n_threads, NULL);
    double *next = block;
    for (int i = 0; order.tiles && block && i < base->n_threads; ++i) {
        double **arrays[] = {&order.tiles[i].mass, &order.tiles[i].force, &order.tiles[i].jacobian, &order.tiles[i].gamma,
                             &order.tiles[i].scratch};
        for (int k = 0; k < 5; ++k) {
            *arrays[k] = next;
            next += counts[k] * width;
        }
    }
    const sarrus_status status = order.tiles && block ? for_tiles(device, systems_work, &order) : SARRUS_NO_MEMORY;
    free(order.tiles);
    free(block);
    return status;
}

typedef struct accelerations_order {
    sarrus_clock clock;
    double *out;   /* [n_instances][n_v] */
    double *tiles; /* [n_threads][n_v][width] */
} accelerations_order;

static bool accelerations_work(sarrus_cpu_device *device, sarrus_cpu_thread *thread, uint64_t i_tile, const void *how) {
    const accelerations_order *order = how;
    const size_t n = (size_t)device->base.plan->mech.n_v;
    double *tile = order->tiles + (size_t)(thread - device->threads) * n * (size_t)device->base.width;
    stepping(device)->kernels->bodies_accelerate(stepping_call(thread), &order->clock, tile);
    system_part_copy(tile, n, &device->base, i_tile, order->out);
    return !is_stopped(device);
}

static sarrus_status cpu_tree_accelerations(sarrus_device *base, const sarrus_clock *clock, double *a) {
    sarrus_cpu_device *device = cpu_of(base);
    const size_t n = (size_t)base->plan->mech.n_v * (size_t)base->width * (size_t)base->n_threads;
    const accelerations_order order = {*clock, a, sarrus_cpu_lane_arrays(n, NULL)};
    const sarrus_status status = order.tiles ? for_tiles(device, accelerations_work, &order) : SARRUS_NO_MEMORY;
    free(order.tiles);
    return status;
}

static sarrus_status cpu_rank_changes_take(sarrus_device *base, sarrus_rank_change_list *to) {
    sarrus_cpu_device *device = cpu_of(base);
    for (int i = 0; i < base->n_threads; ++i)
        sarrus_rank_change_list_move(&device->threads[i].events, to);
    return SARRUS_OK;
}

static void cpu_path_counts(sarrus_device *base, uint64_t *n_evaluations, uint64_t *n_rank_revealing) {
    const sarrus_cpu_device *device = cpu_of(base);
    *n_evaluations = *n_rank_revealing = 0;
    for (int i = 0; i < base->n_threads; ++i) {
        *n_evaluations += (uint64_t)device->threads[i].single.call.n_evaluations;
        for (int k = 0; k < device->n_sides; ++k) {
            *n_evaluations += (uint64_t)device->threads[i].work[k].call.n_evaluations;
            *n_rank_revealing += (uint64_t)device->threads[i].work[k].call.n_rank_revealing;
        }
    }
}

static void cpu_specialization(const sarrus_device *base, sarrus_specialization *out) {
    const sarrus_cpu_device *device = (const sarrus_cpu_device *)(const void *)base;
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
    .tile_open = cpu_tile_open,
    .tile_close = cpu_tile_close,
    .tile_show = cpu_tile_show,
    .tile_assemble = cpu_tile_assemble,
    .tile_take = cpu_tile_take,
    .assemble = cpu_assemble,
    .advance = cpu_advance,
    .observe = cpu_observe,
    .systems = cpu_systems,
    .tree_accelerations = cpu_tree_accelerations,
    .rank_changes_take = cpu_rank_changes_take,
    .path_counts = cpu_path_counts,
    .specialization = cpu_specialization,
};
