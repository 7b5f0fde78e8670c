#include "study/compare_set.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "batch/tree_accelerations.h"
#include "core/monotonic.h"
#include "core/report.h"
#include "core/stop.h"
#include "pinv/system_reference.h"
#include "plan/pin_tree.h"
#include "sarrus/batch.h"
#include "sarrus/study.h"
#include "sarrus/system.h"
#include "study/philox.h"

/* Steps of the nominal motion at most, however long it is. */
enum { most_steps = 20000 };

/* By how much random states are moved before they are assembled, relative to the size of the mechanism and to a radian, and how
 * fast they are, per second; and by how much of both they are moved off the constraints. */
static const double moved_by = 0.05, turned_by = 0.1, fast = 1.0, off_by = 1e-6;

/* 1/s: what moves more slowly, by the size of the mechanism, counts as this fast. */
static const double slow = 1e-3;

/* A batch of one settings' kernels, and the states that it is put into. */
typedef struct compare_side {
    sarrus_model model; /* a copy with settings of its own */
    sarrus_plan *plan;
    sarrus_batch *batch;
} compare_side;

static double *numbers(int n_rows, int n) {
    return calloc((size_t)n_rows * (size_t)n + 1, sizeof(double));
}

/* --- The set ---------------------------------------------------------------------------------------------------------------- */

void sarrus_compare_set_free(sarrus_compare_set *set) {
    double *const all[] = {set->q,    set->v,         set->mass, set->force, set->jacobian, set->gamma,
                           set->rank, set->violation, set->a,    set->load,  set->lambda,   set->condition};
    for (size_t i = 0; i < sizeof all / sizeof *all; ++i)
        free(all[i]);
    for (int k = 0; k < SARRUS_COMPARE_N_KERNELS; ++k) {
        free(set->kernel[k].a);
        free(set->kernel[k].lambda);
        free(set->kernel[k].is_tried);
    }
    free(set->unique);
    free(set->is_determined);
    free(set->is_doubtful);
    free(set->is_good);
    free(set->pins);
    *set = (sarrus_compare_set){0};
}

static bool set_allocate(const sarrus_plan *plan, int n_room, sarrus_compare_set *set) {
    const int n = plan->mech.n_v, m = plan->mech.m, n_q = plan->mech.n_q;
    *set = (sarrus_compare_set){.n = n, .m = m, .n_q = n_q, .size = plan->start.size, .n_room = n_room};
    double **const all[] = {&set->q,    &set->v,         &set->mass, &set->force, &set->jacobian, &set->gamma,
                            &set->rank, &set->violation, &set->a,    &set->load,  &set->lambda,   &set->condition};
    const int counts[] = {n_q, n, n * n, n, m * n, m, 1, 1, n, n, m, 1};
    bool ok = true;
    for (size_t i = 0; i < sizeof all / sizeof *all; ++i) {
        *all[i] = numbers(n_room, counts[i]);
        ok = ok && *all[i];
    }
    for (int k = 0; k < SARRUS_COMPARE_N_KERNELS; ++k) {
        sarrus_compare_kernel_row *row = &set->kernel[k];
        *row = (sarrus_compare_kernel_row){numbers(n_room, n), numbers(n_room, m), calloc((size_t)n_room, sizeof(bool)),
                                           (double)NAN,        (double)NAN,        ""};
        ok = ok && row->a && row->lambda && row->is_tried;
    }
    set->unique = calloc((size_t)n_room * (size_t)m + 1, sizeof *set->unique);
    set->is_determined = calloc((size_t)n_room, sizeof *set->is_determined);
    set->is_good = calloc((size_t)n_room, sizeof *set->is_good);
    set->pins = calloc((size_t)plan->mech.n_bodies + 1, SARRUS_PLAN_PIN_NUMBERS * sizeof *set->pins);
    if (set->pins && !sarrus_plan_pin_tree(&plan->mech, set->pins)) {
        free(set->pins);
        set->pins = NULL;
    }
    set->is_doubtful = calloc((size_t)n_room, sizeof *set->is_doubtful);
    return ok && set->unique && set->is_determined && set->is_doubtful && set->is_good;
}

sarrus_dense_systems sarrus_compare_set_systems(const sarrus_compare_set *set, int i_first, int n_states) {
    const size_t i = (size_t)i_first, n = (size_t)set->n, m = (size_t)set->m;
    const int block = set->n_q == set->n ? 3 : 6;
    return (sarrus_dense_systems){
        .n_systems = (uint64_t)n_states,
        .m = set->m,
        .n = set->n,
        .block = block,
        .turn = block == 3 ? 2 : 3,
        .pins = set->pins,
        .mass = set->mass + i * n * n,
        .force = set->force + i * n,
        .jacobian = set->jacobian + i * m * n,
        .gamma = set->gamma + i * m,
        .max_rank = set->rank + i,
        .violation = set->violation + i,
    };
}

double sarrus_compare_set_centripetal(const sarrus_compare_set *set, int i) {
    const int per = set->n_q == set->n ? 3 : 6, shifts = per == 3 ? 2 : 3;
    const double *v = set->v + (size_t)i * (size_t)set->n;
    double speed = slow * set->size;
    for (int k = 0; k < set->n; ++k)
        speed = fmax(speed, fabs(v[k]) * (k % per < shifts ? 1.0 : set->size));
    return set->size > 0 ? speed * speed / set->size : 0.0;
}

/* --- Sides ------------------------------------------------------------------------------------------------------------------ */

static void side_free(compare_side *side) {
    sarrus_batch_destroy(side->batch);
    sarrus_plan_destroy(side->plan);
    side->batch = NULL;
    side->plan = NULL;
}

/* The plan of a copy of the model with these settings. */
static sarrus_status side_plan(const sarrus_compare_call *call, sarrus_context *context, sarrus_formulation formulation,
                               sarrus_pinv_method pinv, compare_side *side) {
    *side = (compare_side){.model = *call->model};
    side->model.dynamics.formulation = formulation;
    side->model.dynamics.pinv = pinv;
    side->model.dynamics.rank_method = SARRUS_RANK_AUTO;
    const sarrus_plan_options options = {.stop = call->options.stop};
    return sarrus_plan_create_watched(context, &side->model, &options, &side->plan);
}

static sarrus_status side_batch(const sarrus_compare_call *call, sarrus_context *context, uint64_t n, const sarrus_draws *draws,
                                compare_side *side) {
    const sarrus_batch_options options = {
        .backend = SARRUS_BACKEND_CPU, .isa = call->options.isa, .n_threads = 1, .stop = call->options.stop, .needs_all_rows = 1};
    sarrus_batch_destroy(side->batch);
    side->batch = NULL;
    return sarrus_batch_create(context, side->plan, &options, n, draws, &side->batch);
}

/* ns of an acceleration of one instance. */
static sarrus_status side_time(const sarrus_compare_call *call, compare_side *side, double *a, double *nanoseconds) {
    double shortest = INFINITY;
    sarrus_status status = SARRUS_OK;
    for (double spent = 0; status == SARRUS_OK && (spent == 0 || spent < call->options.seconds);) {
        const double began = sarrus_monotonic_seconds();
        status = side->plan->relative ? sarrus_batch_copy_tree_accelerations(side->batch, a)
                                      : sarrus_batch_copy_observable(side->batch, SARRUS_OBSERVE_ACCELERATION, a);
        const double taken = sarrus_monotonic_seconds() - began;
        shortest = taken < shortest ? taken : shortest;
        spent += taken + 1e-9;
    }
    *nanoseconds = 1e9 * shortest / (double)sarrus_batch_n_instances(side->batch);
    return status;
}

/* --- States ----------------------------------------------------------------------------------------------------------------- */

/* States i_first … of the set ← those of all instances of the batch, and what its kernels make of them. */
static sarrus_status states_take(const compare_side *side, int i_first, sarrus_compare_set *set) {
    const size_t i = (size_t)i_first, n = (size_t)set->n, m = (size_t)set->m, count = (size_t)sarrus_batch_n_instances(side->batch);
    sarrus_compare_kernel_row *row = &set->kernel[SARRUS_COMPARE_BY_AUTO];
    const sarrus_systems systems = {sizeof systems, set->mass + i * n * n, set->force + i * n, set->jacobian + i * m * n,
                                    set->gamma + i * m};
    sarrus_status status = sarrus_batch_copy_state(side->batch, NULL, set->q + i * (size_t)set->n_q, set->v + i * n);
    if (status == SARRUS_OK)
        status = sarrus_batch_copy_systems(side->batch, &systems);
    if (status == SARRUS_OK)
        status = sarrus_batch_copy_observable(side->batch, SARRUS_OBSERVE_RANK, set->rank + i);
    if (status == SARRUS_OK)
        status = sarrus_batch_copy_observable(side->batch, SARRUS_OBSERVE_POSITION_ERROR, set->violation + i);
    if (status == SARRUS_OK)
        status = sarrus_batch_copy_observable(side->batch, SARRUS_OBSERVE_ACCELERATION, row->a + i * n);
    for (size_t k = 0; k < count; ++k) {
        row->is_tried[i + k] = true;
        set->is_good[i + k] = sarrus_batch_status(side->batch, k) == SARRUS_INSTANCE_OK;
    }
    return status;
}

/* Along the nominal motion, as far as it goes: at each of its times if there are no more. */
static sarrus_status trajectory_take(const sarrus_compare_call *call, compare_side *side, sarrus_compare_set *set) {
    const int n_wanted = call->options.n_states;
    const uint64_t n_steps = side->plan->n_steps < most_steps ? side->plan->n_steps : most_steps;
    const uint64_t share = n_steps / (uint64_t)(n_wanted > 1 ? n_wanted - 1 : 1), every = share > 0 ? share : 1;
    sarrus_status status = side_batch(call, call->context, 1, NULL, side);
    for (int k = 0; status == SARRUS_OK && k < n_wanted && (uint64_t)k * every <= n_steps; ++k) {
        status = k > 0 ? sarrus_batch_advance(side->batch, every) : SARRUS_OK;
        if (status != SARRUS_OK || sarrus_batch_status(side->batch, 0) != SARRUS_INSTANCE_OK)
            break;
        status = states_take(side, k, set);
        set->n_trajectory = k + 1;
    }
    set->n_all = set->n_trajectory;
    return status;
}

/* A number between −1 and 1: of the seed, the state, and the place in it. */
static double random_at(uint64_t seed, int i_state, int place) {
    const uint32_t counter[4] = {(uint32_t)i_state, (uint32_t)place, 0x636f6d70u, 0},
                   key[2] = {(uint32_t)seed, (uint32_t)(seed >> 32)};
    uint32_t out[4];
    sarrus_philox4x32_run(counter, key, out);
    return 2.0 * (((double)out[0] + 0.5) * 0x1p-32) - 1.0;
}

/* q and v of n_states states moved by `share` of what random states are moved by. Orientations in space stay of norm 1. */
static void states_move(const sarrus_compare_call *call, const sarrus_compare_set *set, int n_states, double share, bool is_fresh,
                        double *q, double *v) {
    const int n = set->n, n_q = set->n_q, shifts = n_q == n ? 2 : 3, per_q = n_q == n ? 3 : 7, per_v = n_q == n ? 3 : 6;
    for (int i = 0; i < n_states; ++i) {
        for (int k = 0; k < n_q; ++k)
            q[i * n_q + k] += share * random_at(call->options.seed, i, k) * (k % per_q < shifts ? moved_by * set->size : turned_by);
        for (int first = shifts; per_q == 7 && first < n_q; first += per_q) {
            double *e = q + i * n_q + first;
            const double norm = sqrt(e[0] * e[0] + e[1] * e[1] + e[2] * e[2] + e[3] * e[3]);
            for (int k = 0; k < 4; ++k)
                e[k] /= norm;
        }
        for (int k = 0; k < n; ++k) {
            const double speed = share * fast * random_at(call->options.seed, i, n_q + k) * (k % per_v < shifts ? set->size : 1.0);
            v[i * n + k] = (is_fresh ? 0.0 : v[i * n + k]) + speed;
        }
    }
}

static sarrus_status states_put(compare_side *side, const double *q, const double *v) {
    const sarrus_status status = sarrus_batch_copy_in(side->batch, SARRUS_FIELD_Q, NULL, q);
    return status == SARRUS_OK ? sarrus_batch_copy_in(side->batch, SARRUS_FIELD_V, NULL, v) : status;
}

/* Draws for n instances; NULL without an error: the scenario draws nothing. */
static sarrus_status draws_make(const sarrus_compare_call *call, int n, sarrus_draws **out) {
    const int n_sampled = call->model->batch.n_sampled;
    *out = NULL;
    if (n_sampled == 0)
        return SARRUS_OK;
    double *units = numbers(n_sampled, n);
    if (!units)
        return SARRUS_NO_MEMORY;
    for (int i = 0; i < n_sampled * n; ++i)
        units[i] = 0.5 + 0.499 * random_at(call->options.seed ^ UINT64_C(0x9e3779b97f4a7c15), i % n, i / n);
    const sarrus_status status = sarrus_draws_from_units(call->context, call->model, (uint64_t)n, units, out);
    free(units);
    return status;
}

/* Whether an instance of another side has come to stand where the state is: over a tree joints may be unable to. */
static bool is_there(const sarrus_compare_set *set, int i_state, const double *q, const double *v) {
    const double *q_is = set->q + (size_t)i_state * (size_t)set->n_q, *v_is = set->v + (size_t)i_state * (size_t)set->n;
    double gap = 0;
    for (int k = 0; k < set->n_q; ++k)
        gap = fmax(gap, fabs(q[k] - q_is[k]));
    for (int k = 0; k < set->n; ++k)
        gap = fmax(gap, fabs(v[k] - v_is[k]));
    return gap <= 1e-9 * (1.0 + set->size);
}

/* What the kernels of another side make of states i_first …, of which the batch holds one each. */
static sarrus_status kernels_try(const sarrus_compare_call *call, compare_side *side, int i_first, int n_states,
                                 sarrus_compare_kernel_row *row, sarrus_compare_set *set) {
    const size_t i = (size_t)i_first, n_q = (size_t)set->n_q, n = (size_t)set->n;
    double *q = numbers(n_states, set->n_q), *v = numbers(n_states, set->n);
    sarrus_status status = q && v ? states_put(side, set->q + i * n_q, set->v + i * n) : SARRUS_NO_MEMORY;
    if (status == SARRUS_OK)
        status = sarrus_batch_assemble(side->batch, NULL);
    if (status == SARRUS_OK)
        status = sarrus_batch_copy_state(side->batch, NULL, q, v);
    if (status == SARRUS_OK)
        status = side_time(call, side, row->a + i * n, &row->nanoseconds);
    for (size_t k = 0; status == SARRUS_OK && k < (size_t)n_states; ++k)
        row->is_tried[i + k] = is_there(set, i_first + (int)k, q + k * n_q, v + k * n);
    free(q);
    free(v);
    return status;
}

/* The kernels of other settings on all consistent states. Of a mechanism with signals those of t = 0 alone. What they cannot do is
 * no error of the comparison. */
static sarrus_status others_try(const sarrus_compare_call *call, sarrus_compare_kernel which, const sarrus_draws *draws,
                                sarrus_compare_set *set) {
    sarrus_compare_kernel_row *row = &set->kernel[which];
    sarrus_context *aside = NULL;
    compare_side side;
    sarrus_status status = sarrus_context_create(&aside);
    if (status != SARRUS_OK)
        return status;
    const sarrus_formulation formulation = which == SARRUS_COMPARE_BY_RELATIVE    ? SARRUS_FORMULATION_RELATIVE
                                           : which == SARRUS_COMPARE_BY_RECURSION ? SARRUS_FORMULATION_RECURSIVE
                                                                                  : SARRUS_FORMULATION_UDWADIA_KALABA;
    status = side_plan(call, aside, formulation, which == SARRUS_COMPARE_BY_LAPACK ? SARRUS_PINV_LAPACK : SARRUS_PINV_AUTO, &side);
    const bool is_autonomous = status == SARRUS_OK && side.plan->mech.n_signals == 0;
    if (status == SARRUS_OK && is_autonomous && set->n_trajectory > 0)
        status = side_batch(call, aside, (uint64_t)set->n_trajectory, NULL, &side);
    if (status == SARRUS_OK && is_autonomous && set->n_trajectory > 0)
        status = kernels_try(call, &side, 0, set->n_trajectory, row, set);
    if (status == SARRUS_OK && set->n_random > 0)
        status = side_batch(call, aside, (uint64_t)set->n_random, draws, &side);
    if (status == SARRUS_OK && set->n_random > 0)
        status = kernels_try(call, &side, set->n_trajectory, set->n_random, row, set);
    if (status != SARRUS_OK && status != SARRUS_INTERRUPTED) {
        const sarrus_diagnostic *first = sarrus_context_diagnostic(aside, 0);
        (void)snprintf(row->reason, sizeof row->reason, "%s", first ? first->message : "not for this mechanism");
        status = SARRUS_OK;
    }
    side_free(&side);
    sarrus_context_destroy(aside);
    return status;
}

/* Random states: assembled from the assembled one moved at random; then moved off the constraints. */
static sarrus_status random_take(const sarrus_compare_call *call, compare_side *side, sarrus_compare_set *set) {
    const int n = call->options.n_states, first = set->n_trajectory;
    double *q = numbers(n, set->n_q), *v = numbers(n, set->n);
    sarrus_draws *draws = NULL;
    sarrus_status status = q && v ? draws_make(call, n, &draws) : SARRUS_NO_MEMORY;
    if (status == SARRUS_OK)
        status = side_batch(call, call->context, (uint64_t)n, draws, side);
    if (status == SARRUS_OK)
        status = sarrus_batch_copy_state(side->batch, NULL, q, v);
    if (status == SARRUS_OK) {
        states_move(call, set, n, 1.0, true, q, v);
        status = states_put(side, q, v);
    }
    if (status == SARRUS_OK)
        status = sarrus_batch_assemble(side->batch, NULL);
    if (status == SARRUS_OK)
        status = states_take(side, first, set);
    set->n_random = n;
    if (status == SARRUS_OK)
        status = others_try(call, SARRUS_COMPARE_BY_RELATIVE, draws, set);
    if (status == SARRUS_OK)
        status = others_try(call, SARRUS_COMPARE_BY_RECURSION, draws, set);
    if (status == SARRUS_OK)
        status = others_try(call, SARRUS_COMPARE_BY_LAPACK, draws, set);
    if (status == SARRUS_OK)
        status = side_time(call, side, set->kernel[SARRUS_COMPARE_BY_AUTO].a + (size_t)first * (size_t)set->n,
                           &set->kernel[SARRUS_COMPARE_BY_AUTO].nanoseconds);
    if (status == SARRUS_OK) {
        memcpy(q, set->q + (size_t)first * (size_t)set->n_q, (size_t)n * (size_t)set->n_q * sizeof *q);
        memcpy(v, set->v + (size_t)first * (size_t)set->n, (size_t)n * (size_t)set->n * sizeof *v);
        states_move(call, set, n, off_by, false, q, v);
        status = states_put(side, q, v);
    }
    if (status == SARRUS_OK)
        status = states_take(side, first + n, set);
    for (int i = first; status == SARRUS_OK && i < first + n; ++i) /* the rank off the constraints is that of the state beside it */
        set->rank[n + i] = set->rank[i];
    set->n_all = first + 2 * n;
    sarrus_draws_destroy(draws);
    free(q);
    free(v);
    return status;
}

/* --- Solutions -------------------------------------------------------------------------------------------------------------- */

/* All states with extended precision, and the multipliers that follow from the kernels' accelerations. */
static sarrus_status states_solve(const sarrus_compare_call *call, sarrus_compare_set *set) {
    const size_t n = (size_t)set->n, m = (size_t)set->m;
    sarrus_system_reference *reference = sarrus_system_reference_create(set->m, set->n);
    if (!reference)
        return SARRUS_NO_MEMORY;
    for (size_t i = 0; i < (size_t)set->n_all && !sarrus_stop_is_asked(call->options.stop); ++i) {
        const sarrus_system_view system = {set->mass + i * n * n,
                                           set->force + i * n,
                                           set->jacobian + i * m * n,
                                           set->gamma + i * m,
                                           isfinite(set->rank[i]) ? (int)set->rank[i] : 0,
                                           sarrus_compare_set_centripetal(set, (int)i)};
        sarrus_system_solution out = {
            .a = set->a + i * n, .load = set->load + i * n, .lambda = set->lambda + i * m, .unique = set->unique + i * m};
        const bool is_solved = set->is_good[i] && sarrus_system_reference_solve(reference, &system, &out);
        set->is_good[i] = is_solved;
        set->is_determined[i] = is_solved && out.is_unique;
        set->is_doubtful[i] = is_solved && out.is_doubtful && i < (size_t)(set->n_trajectory + set->n_random);
        set->condition[i] = out.condition;
        for (int k = 0; is_solved && k < SARRUS_COMPARE_N_KERNELS; ++k)
            sarrus_system_reference_multipliers(reference, &system, set->kernel[k].a + i * n, set->kernel[k].lambda + i * m);
    }
    sarrus_system_reference_destroy(reference);
    return sarrus_stop_is_asked(call->options.stop) ? SARRUS_INTERRUPTED : SARRUS_OK;
}

sarrus_status sarrus_compare_set_make(const sarrus_compare_call *call, sarrus_compare_set *out) {
    compare_side side;
    *out = (sarrus_compare_set){0};
    sarrus_status status = side_plan(call, call->context, SARRUS_FORMULATION_UDWADIA_KALABA, SARRUS_PINV_AUTO, &side);
    if (status == SARRUS_OK && side.plan->mech.m == 0)
        status = sarrus_report(call->context, SARRUS_UNSUPPORTED,
                               "the mechanism has no constraints, so that all formulations are M a = F; expected some");
    const int n = status == SARRUS_OK ? side.plan->mech.n_v : 0, m = status == SARRUS_OK ? side.plan->mech.m : 0;
    if (n + m > SARRUS_COMPARE_LARGEST) /* before there is work and memory for it */
        status = sarrus_report(call->context, SARRUS_UNSUPPORTED,
                               "%d speeds and %d constraints; dense formulations are compared up to %d of both", n, m,
                               (int)SARRUS_COMPARE_LARGEST);
    if (status == SARRUS_OK && !set_allocate(side.plan, 3 * call->options.n_states, out))
        status = sarrus_report(call->context, SARRUS_NO_MEMORY, "out of memory for the states to compare on");
    if (status == SARRUS_OK)
        status = trajectory_take(call, &side, out);
    if (status == SARRUS_OK)
        status = random_take(call, &side, out);
    sarrus_plan_sizes sizes = {0};
    if (status == SARRUS_OK)
        sarrus_plan_sizes_get(side.plan, &sizes);
    out->kernel[SARRUS_COMPARE_BY_AUTO].flops = status == SARRUS_OK ? sizes.flops_per_evaluation : (double)NAN;
    if (status == SARRUS_OK)
        status = states_solve(call, out);
    side_free(&side);
    return status;
}
