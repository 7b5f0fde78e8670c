#include "tests/backend/gpu_agreement.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "backend/cuda/cusolver.h"
#include "kernels/cuda/kernels.h"
#include "plan/plan.h"
#include "tests/backend/gpu_trial.h"
#include "tests/tolerances.h"

const gpu_agreement gpu_agreements[] = {
    {"pendulum.yaml", 1},
    {"double_pendulum.yaml", 1},
    {"driven_crank.yaml", 0},
    {"four_bar.yaml", 1},
    {"slider_crank.yaml", 1},
    {"five_bar.yaml", 1},
    {"five_bar_monte_carlo.yaml", 1},
    {"five_bar_singular.yaml", 1},
    {"n_four_bar_2.yaml", 1},
    {"n_four_bar_40.yaml", 1},
    {"andrews.yaml", 1},
};
const size_t gpu_n_agreements = sizeof gpu_agreements / sizeof gpu_agreements[0];

/* Singular values of D below this share of the largest do not count: the rank rule's own for regular positions. */
#define RANK_TOLERANCE 1e-10

/* A scenario's motion on the CPU, and what others are held against. */
typedef struct subject {
    const gpu_agreement *agreement;
    const gpu_agreement_wish *wish;
    mechanism m;
    sarrus_draws *draws; /* NULL: the scenario draws nothing */
    uint64_t n_times, every;
    gpu_record cpu;    /* [n_times], every so many steps from the start */
    double *condition; /* [n_times] of D = J M^-1/2, of the first instance */
} subject;

/* A motion of all instances: how, from where on, and when it is looked at. */
typedef struct motion {
    const char *pinv;
    int n_parts; /* that a step of the scenario is divided into */
    sarrus_backend backend;
    const char *isa; /* of the CPU; NULL: "avx2" where there is one */
    uint64_t n_times, every;
    const gpu_record *from; /* NULL: the scenario's start */
    uint64_t i_from;        /* time of that record */
} motion;

static bool is_large(const subject *s) {
    return s->m.n > SARRUS_GESVDJ_LARGEST;
}

/* What is looked at: of a large mechanism nothing that takes an SVD of all its rows, which lasts longer than all else together. */
static uint32_t observables_of(const subject *s) {
    const uint32_t costly = 1u << SARRUS_OBSERVE_RANK | 1u << SARRUS_OBSERVE_REACTIONS | 1u << SARRUS_OBSERVE_DRIVES |
                            1u << SARRUS_OBSERVE_KEPT | 1u << SARRUS_OBSERVE_DROPPED;
    return is_large(s) ? ~costly : UINT32_MAX;
}

static sarrus_batch *batch_open(const mechanism *m, const motion *how, uint64_t n_instances, const sarrus_draws *draws) {
    const char *isa = how->isa ? how->isa : mechanism_has_isa("avx2") ? "avx2" : NULL;
    const sarrus_batch_options options = {
        .backend = how->backend, .n_threads = 2, .isa = how->backend == SARRUS_BACKEND_CPU ? isa : NULL, .keep_rank_events = 1};
    sarrus_batch *batch = NULL;
    const sarrus_status status = sarrus_batch_create(m->context, m->plan, &options, n_instances, draws, &batch);
    if (status != SARRUS_OK && sarrus_context_n_diagnostics(m->context) > 0)
        fail_msg("batch: %s", sarrus_context_diagnostic(m->context, 0)->message);
    assert_int_equal(status, SARRUS_OK);
    return batch;
}

/* The subject's scenario with this method and step. */
static mechanism scenario_open(const subject *s, const char *pinv, int n_parts) {
    char step[32];
    const mechanism plain = s->m;
    (void)snprintf(step, sizeof step, "%.17g", plain.model->integrator.dt / n_parts);
    const sarrus_override settings[] = {{"dynamics.pinv", pinv}, {"integrator.dt", step}, {NULL, NULL}};
    return mechanism_open_file(s->agreement->file, settings);
}

static gpu_record motion_make(const subject *s, const motion *how) {
    const bool is_narrow = how->backend == SARRUS_BACKEND_CUDA && s->wish->lanes_set;
    mechanism m = scenario_open(s, how->pinv, how->n_parts);
    const size_t n = (size_t)m.n;
    if (is_narrow)
        s->wish->lanes_set((int32_t)s->wish->n_instances);
    sarrus_batch *batch = batch_open(&m, how, s->wish->n_instances, s->draws);
    if (!how->from)
        gpu_speeds_spread(batch);
    for (uint64_t i = 0; how->from && i < s->wish->n_instances; ++i) {
        const size_t at = (i * how->from->n_times + how->i_from) * n;
        mechanism_set_state(batch, i, how->from->seen[SARRUS_OBSERVE_Q] + at, how->from->seen[SARRUS_OBSERVE_V] + at);
    }
    const gpu_record record = gpu_record_make_of(batch, how->n_times, how->every * (uint64_t)how->n_parts, observables_of(s));
    sarrus_batch_destroy(batch);
    if (is_narrow)
        s->wish->lanes_set(SARRUS_CUDA_WIDTH);
    mechanism_close(&m);
    return record;
}

/* [n_times] of the first instance; the caller's. */
static double *conditions_of(const subject *s, const gpu_record *record) {
    double *condition = calloc(record->n_times, sizeof *condition);
    assert_non_null(condition);
    reference *first = mechanism_reference(&s->m, s->draws, 0);
    for (uint64_t k = 0; k < record->n_times; ++k)
        condition[k] = reference_condition(first, 0.0, record->seen[SARRUS_OBSERVE_Q] + k * (size_t)s->m.n, RANK_TOLERANCE);
    reference_destroy(first);
    return condition;
}

static void subject_open(subject *s, const gpu_agreement *agreement, const gpu_agreement_wish *wish) {
    *s = (subject){.agreement = agreement, .wish = wish, .m = mechanism_open_file(agreement->file, NULL)};
    if (s->m.model->batch.n_sampled > 0)
        assert_int_equal(sarrus_draws_create(s->m.context, s->m.model, 7, wish->n_instances, &s->draws), SARRUS_OK);
    const uint64_t n_most = is_large(s) ? wish->n_large_steps : wish->n_steps, n_all = s->m.plan->n_steps;
    const uint64_t n_steps = n_most > 0 && n_most < n_all ? n_most : n_all, n_intervals = n_steps < 1000 ? 10 : 100;
    s->every = n_steps > n_intervals ? n_steps / n_intervals : 1;
    s->n_times = n_steps / s->every + 1;
    s->cpu = motion_make(s, &(motion){"auto", 1, SARRUS_BACKEND_CPU, .n_times = s->n_times, .every = s->every});
    s->condition = conditions_of(s, &s->cpu);
}

static void subject_close(subject *s) {
    gpu_record_free(&s->cpu);
    free(s->condition);
    sarrus_draws_destroy(s->draws);
    mechanism_close(&s->m);
}

/* --- Evaluations ---------------------------------------------------------------------------------------------------------- */

/* All positions of the first instance side by side, as instances of one batch with its parameters. */
static sarrus_batch *positions_open(const subject *s, const mechanism *m, sarrus_backend backend) {
    sarrus_draws *alike = s->draws ? mechanism_draws_by_hand(m, s->n_times) : NULL;
    for (int k = 0; alike && k < alike->n_sampled; ++k)
        for (uint64_t i = 0; i < s->n_times; ++i)
            alike->values[(uint64_t)k * s->n_times + i] = sarrus_draws_values(s->draws, k)[0];
    sarrus_batch *batch = batch_open(m, &(motion){.backend = backend}, s->n_times, alike);
    for (uint64_t k = 0; k < s->n_times; ++k) {
        const size_t at = k * (size_t)s->m.n;
        mechanism_set_state(batch, k, s->cpu.seen[SARRUS_OBSERVE_Q] + at, s->cpu.seen[SARRUS_OBSERVE_V] + at);
    }
    if (alike)
        mechanism_draws_free(alike);
    return batch;
}

static gpu_record positions_look(const subject *s, const char *pinv, sarrus_backend backend) {
    mechanism m = scenario_open(s, pinv, 1);
    sarrus_batch *batch = positions_open(s, &m, backend);
    const gpu_record record = gpu_record_make_of(batch, 1, 1, observables_of(s));
    sarrus_batch_destroy(batch);
    mechanism_close(&m);
    return record;
}

static double apart_of(const double *a, const double *b, size_t n) {
    double apart = 0.0;
    for (size_t i = 0; i < n; ++i)
        apart = fabs(a[i] - b[i]) <= apart ? apart : fabs(a[i] - b[i]); /* a NaN is the worst */
    return apart;
}

/* What is promised is 1e-12 of the largest acceleration. Two backward stable solutions of z = D⁺ b by QR or SVD of D differ by
 * size ε κ, those that go through D Dᵀ by size ε κ²; multipliers, and with them reactions, have one factor κ
 * more. Where that is more it is all that can be asked: near a singular position. `powers` of κ: of accelerations, of reactions (0:
 * not looked at). */
static void evaluations_compare(const subject *s, const char *what, const gpu_record *cpu, const gpu_record *device,
                                const int *powers) {
    static const sarrus_observable observables[] = {SARRUS_OBSERVE_ACCELERATION, SARRUS_OBSERVE_REACTIONS, SARRUS_OBSERVE_DRIVES};
    const double promised = 1e-12;
    double worst = 0.0;
    for (int o = 0; o < 3; ++o) {
        const size_t width = cpu->width[observables[o]];
        const double *expected = cpu->seen[observables[o]], *actual = device->seen[observables[o]];
        const double largest = mechanism_size(expected, s->n_times * width);
        const int power = powers[o > 0];
        for (uint64_t k = 0; k < s->n_times && power > 0; ++k) {
            const double attainable = TOLERANCE_SOLVE(s->m.n + s->m.m, pow(s->condition[k], power));
            const double apart = apart_of(expected + k * width, actual + k * width, width);
            worst = fmax(worst, apart / (largest > 0.0 ? largest : 1.0));
            if (!(apart <= fmax(promised, attainable) * largest))
                fail_msg("%s, %s: observable %d at time %d (condition %.2g) is off by %.3g of %.3g", s->agreement->file, what,
                         (int)observables[o], (int)k, s->condition[k], apart, largest);
        }
    }
    for (uint64_t k = 0; k < s->n_times && cpu->width[SARRUS_OBSERVE_RANK] > 0; ++k)
        if (cpu->seen[SARRUS_OBSERVE_RANK][k] != device->seen[SARRUS_OBSERVE_RANK][k])
            fail_msg("%s, %s: rank %g at time %d, not %g", s->agreement->file, what, device->seen[SARRUS_OBSERVE_RANK][k], (int)k,
                     cpu->seen[SARRUS_OBSERVE_RANK][k]);
    print_message("%-26s %-14s %3d evaluations, off by %.1e\n", s->agreement->file, what, (int)s->n_times, worst);
}

/* By `pinv` on the device against its counterpart on the CPU; powers NULL: all bits. */
static void evaluations_check(const subject *s, const char *pinv, const char *counterpart, const int *powers) {
    gpu_record cpu = positions_look(s, counterpart, SARRUS_BACKEND_CPU), device = positions_look(s, pinv, SARRUS_BACKEND_CUDA);
    if (powers == NULL)
        gpu_records_compare(s->agreement->file, &cpu, 0, &device, 0.0);
    else
        evaluations_compare(s, pinv, &cpu, &device, powers);
    gpu_record_free(&cpu);
    gpu_record_free(&device);
}

/* --- Motions -------------------------------------------------------------------------------------------------------------- */

/* A motion on a device against the CPU's. It must be as near as the integrator's own error (that of RK4 with half the step is a
 * sixteenth), or, where that is next to nothing, as what round-off comes to in this very motion: the distance to one whose
 * accelerations are solved for in another way on the CPU, by QR instead of a block LDLᵀ, or, of large mechanisms, without fused
 * multiply-adds. Two such distances have no fixed ratio; a hundred is beyond any seen. */
static void motion_check(const subject *s, const motion *how) {
    static const sarrus_observable observables[] = {SARRUS_OBSERVE_Q, SARRUS_OBSERVE_V};
    const double of_round_off = 100.0, of_step = 16.0 / 15.0, least = 1e-12;
    motion ways[4] = {*how, *how, *how, *how};
    gpu_record records[4];
    for (int i = 1; i < 4; ++i)
        ways[i].backend = SARRUS_BACKEND_CPU;
    ways[1].pinv = ways[3].pinv = "auto";
    ways[2].pinv = is_large(s) ? "auto" : "householder";
    ways[2].isa = is_large(s) ? "baseline" : NULL;
    ways[3].n_parts = 2;
    for (int i = 0; i < 4; ++i)
        records[i] = motion_make(s, &ways[i]);
    for (int o = 0; o < 2; ++o) {
        double apart[4] = {0};
        const size_t n = s->wish->n_instances * how->n_times * (size_t)s->m.n;
        const double *cpu = records[1].seen[observables[o]], largest = mechanism_size(cpu, n);
        for (int i = 0; i < 4; ++i)
            apart[i] = apart_of(records[i].seen[observables[o]], cpu, n);
        print_message("%-26s %-14s %s over %6d steps: off by %.1e of %.1e; round-off %.1e, step %.1e\n", s->agreement->file,
                      how->pinv, o == 0 ? "q" : "v", (int)((how->n_times - 1) * how->every), apart[0], largest, apart[2], apart[3]);
        const double bound = fmax(of_round_off * apart[2], of_step * apart[3]);
        if (!(apart[0] <= fmax(bound, least * largest)))
            fail_msg("%s by %s: off by %.3g, not %.3g", s->agreement->file, how->pinv, apart[0], bound);
    }
    assert_memory_equal(records[0].status, records[1].status, s->wish->n_instances * sizeof *records[0].status);
    for (int i = 0; i < 4; ++i)
        gpu_record_free(&records[i]);
}

void gpu_agreement_fused(const gpu_agreement *agreement, const gpu_agreement_wish *wish) {
    static const int as_on_the_cpu[] = {1, 2}; /* only QR and SVD, of D itself, take roots that a device rounds in another way */
    subject s;
    subject_open(&s, agreement, wish);
    motion whole = {"auto", 1, SARRUS_BACKEND_CUDA, .n_times = s.n_times, .every = s.every};
    evaluations_check(&s, "auto", "auto", wish->is_bitwise ? NULL : as_on_the_cpu);
    if (wish->is_bitwise) {
        gpu_record device = motion_make(&s, &whole);
        whole.backend = SARRUS_BACKEND_CPU;
        gpu_record cpu = motion_make(&s, &whole);
        gpu_records_compare(agreement->file, &cpu, 0, &device, 0.0);
        gpu_record_free(&cpu);
        gpu_record_free(&device);
    } else {
        motion_check(&s, &whole);
    }
    subject_close(&s);
}

static uint64_t largest_of(const double *x, uint64_t n) {
    uint64_t largest = 0;
    for (uint64_t k = 1; k < n; ++k)
        largest = x[k] > x[largest] ? k : largest;
    return largest;
}

/* The motion of so many steps that has the most singular position of the whole one in its middle. `fine`: of all steps around it,
 * to be freed when the motion is over. */
static motion most_singular(const subject *s, gpu_record *fine) {
    const uint64_t n_steps = s->wish->n_staged_steps, i_worst = largest_of(s->condition, s->n_times);
    motion m = {.n_parts = 1, .backend = SARRUS_BACKEND_CUDA, .n_times = 5, .every = n_steps / 4};
    if (!s->agreement->is_autonomous)
        return m;
    const uint64_t i_before = i_worst > 0 ? i_worst - 1 : 0;
    *fine = motion_make(s, &(motion){"auto", 1, SARRUS_BACKEND_CPU, NULL, 2 * s->every + 1, 1, &s->cpu, i_before});
    double *condition = conditions_of(s, fine);
    const uint64_t i_middle = largest_of(condition, fine->n_times);
    print_message("%-26s condition %.1e at t = %.3f s\n", s->agreement->file, condition[i_middle],
                  s->m.model->integrator.dt * (double)(i_before * s->every + i_middle));
    free(condition);
    m.from = fine;
    m.i_from = i_middle > n_steps / 2 ? i_middle - n_steps / 2 : 0;
    return m;
}

void gpu_agreement_staged(const gpu_agreement *agreement, const gpu_agreement_wish *wish) {
    static const int by_svd[] = {1, 2}, by_eigenvalues[] = {2, 0};
    subject s;
    subject_open(&s, agreement, wish);
    if (!is_large(&s))
        evaluations_check(&s, "cusolver-svd", "lapack", by_svd);
    evaluations_check(&s, "cusolver-syev", "lapack", by_eigenvalues);
    if (!is_large(&s)) {
        gpu_record fine = {0};
        motion how = {"", 1, SARRUS_BACKEND_CUDA, .n_times = s.n_times, .every = s.every};
        if (wish->n_staged_steps > 0)
            how = most_singular(&s, &fine);
        how.pinv = "cusolver-svd";
        motion_check(&s, &how);
        gpu_record_free(&fine);
    }
    subject_close(&s);
}
