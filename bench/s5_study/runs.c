#include "bench/s5_study/runs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tests/support/closed_form.h"

#include "bench/s5_study/five_bar.h"
#include "bench/measure/measure.h"

enum { N = SARRUS_FIVE_BAR_N, M = SARRUS_FIVE_BAR_M, MAX_OVERRIDES = 9, TEXT = 96 };

/* Seconds between outputs: 1001 of them in 20 s, whatever the steps. */
static const double interval = 0.02;

/* Evaluations at most this share of the paper's. */
static const double largest_ratio = 0.01;

/* The overrides that make a scenario of a run; the texts live here. */
typedef struct settings {
    char rank[TEXT], baumgarte[TEXT], integrator[2 * TEXT], output[TEXT], phi[TEXT];
    sarrus_override overrides[MAX_OVERRIDES];
    size_t n_overrides;
} settings;

static void add_override(settings *s, const char *path, const char *value) {
    s->overrides[s->n_overrides++] = (sarrus_override){path, value};
}

static void settings_of(const sarrus_s5_study *study, const sarrus_s5_run *run, settings *s) {
    const sarrus_s5_paper_table *table = &sarrus_s5_paper_tables[run->i_table];
    const bool has_tolerance = strcmp(run->rank, "relative") == 0;
    s->n_overrides = 0;
    if (has_tolerance)
        snprintf(s->rank, sizeof s->rank, "{method: relative, tol: %.1e}", table->tolerance);
    else
        snprintf(s->rank, sizeof s->rank, "{method: %s}", run->rank);
    snprintf(s->baumgarte, sizeof s->baumgarte, "{alpha: %d, beta: %d}", table->has_baumgarte ? 1000 : 0,
             table->has_baumgarte ? 100 : 0);
    snprintf(s->integrator, sizeof s->integrator,
             "{method: %s, dt: 0.66e-2, rtol: %.1e, atol: %.1e, t_end: %.17g, max_steps: %llu}", run->integrator, table->tolerance,
             table->tolerance, run->seconds, (unsigned long long)study->max_steps);
    snprintf(s->output, sizeof s->output, "{interval: %g, channels: [state, constraint, rank]}", interval);
    snprintf(s->phi, sizeof s->phi, "%.17g", study->angle);
    add_override(s, "parameters.phi", s->phi);
    add_override(s, "dynamics.pinv", run->pinv);
    add_override(s, "dynamics.rank", s->rank);
    add_override(s, "dynamics.projection", "none");
    add_override(s, "dynamics.baumgarte", s->baumgarte);
    add_override(s, "integrator", s->integrator);
    add_override(s, "output", s->output);
}

/* What a run holds while it goes. */
typedef struct march {
    sarrus_model *model;
    sarrus_plan *plan;
    sarrus_batch *batch;
    size_t n_times;
    double *q, *violation; /* [n_times][N], [n_times] */
} march;

static void march_close(march *m) {
    free(m->q);
    free(m->violation);
    sarrus_batch_destroy(m->batch);
    sarrus_plan_destroy(m->plan);
    sarrus_model_destroy(m->model);
}

static sarrus_status march_open(sarrus_context *context, const sarrus_s5_study *study, const sarrus_s5_run *run, march *m) {
    settings s;
    settings_of(study, run, &s);
    *m = (march){.n_times = (size_t)lround(run->seconds / interval) + 1};
    sarrus_status status = sarrus_scenario_read_file(context, study->scenario, s.overrides, s.n_overrides, &m->model);
    if (status == SARRUS_OK)
        status = sarrus_plan_create(context, m->model, &m->plan);
    const sarrus_batch_options options = {.n_threads = 1, .keep_rank_events = 1};
    if (status == SARRUS_OK)
        status = sarrus_batch_create(context, m->plan, &options, 1, NULL, &m->batch);
    m->q = calloc(m->n_times * N, sizeof *m->q);
    m->violation = calloc(m->n_times, sizeof *m->violation);
    return status == SARRUS_OK && (m->q == NULL || m->violation == NULL) ? SARRUS_NO_MEMORY : status;
}

/* Turns crank b about its pivot, which its tip leaves. */
static sarrus_status turn_crank(march *m, double offset) {
    sarrus_view view;
    const sarrus_status status = sarrus_batch_view(m->batch, SARRUS_FIELD_Q, &view);
    if (status != SARRUS_OK || offset == 0.0)
        return status;
    const int x = 3, y = 4, angle = 5;
    const double phi = view.base[(size_t)angle * view.width] + offset;
    view.base[(size_t)x * view.width] = 1.0 + 0.5 * sin(phi);
    view.base[(size_t)y * view.width] = -0.5 * cos(phi);
    view.base[(size_t)angle * view.width] = phi;
    return SARRUS_OK;
}

/* Processor time of this process, s. */
static double cpu_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static sarrus_status march_go(march *m, sarrus_s5_run *run) {
    sarrus_observation o = {.n_times = m->n_times, .every_steps = 1, .observe_first = 1, .n_times_stride = m->n_times};
    o.destination[SARRUS_OBSERVE_Q] = m->q;
    o.destination[SARRUS_OBSERVE_POSITION_ERROR] = m->violation;
    const double before = cpu_now();
    sarrus_status status = sarrus_batch_observe(m->batch, &o);
    run->cpu = cpu_now() - before;
    const sarrus_rank_event *events = NULL;
    uint64_t n_events = 0;
    if (status == SARRUS_OK)
        status = sarrus_batch_statistics(m->batch, 0, &run->work);
    if (status == SARRUS_OK)
        status = sarrus_batch_rank_events(m->batch, &events, &n_events);
    run->t_rank = n_events > 0 ? events[0].time : (double)NAN;
    run->status = sarrus_batch_status(m->batch, 0);
    return status;
}

/* Largest distance of the three cranks' angles from the pendulum at output k. */
static double angle_error(const march *m, const closed_form_pendulum *pendulum, size_t k) {
    long double phi, speed;
    double worst = 0.0;
    closed_form_pendulum_state(pendulum, (long double)k * (long double)interval, &phi, &speed);
    for (int crank = 0; crank < 3; ++crank) {
        const double error = fabs((double)(m->q[N * k + 3 * (size_t)crank + 2] - phi));
        worst = error <= worst ? worst : error;
    }
    return worst;
}

/* Singular values of D = J M^{-1/2}, and |ξ|, at output k. */
static void spectrum_at(const march *m, sarrus_dense_pinv *pinv, size_t k, sarrus_dense_spectrum *out, double *across) {
    double mass[N], phi[M], gamma[M], v[N] = {0.0};
    sarrus_dense d;
    sarrus_dense_clear(&d, M, N);
    sarrus_five_bar_mass(mass);
    sarrus_five_bar_rows(m->q + N * k, v, phi, d.at, gamma);
    *across = fabs(sarrus_five_bar_across(m->q + N * k, phi));
    for (int i = 0; i < M * N; ++i)
        d.at[i] /= sqrt(mass[i % N]);
    sarrus_dense_spectrum_find(pinv, &d, SARRUS_FIVE_BAR_RANK, out);
}

static void trace_add(sarrus_s5_trace *trace, double t, double violation, double across, const sarrus_dense_spectrum *sigma,
                      double error) {
    const double row[SARRUS_S5_N_TRACED] = {t, violation, across, sigma->largest, sigma->kept, sigma->dropped, error};
    if (trace == NULL || trace->n == SARRUS_S5_TRACE_TIMES)
        return;
    for (int i = 0; i < SARRUS_S5_N_TRACED; ++i)
        trace->at[i][trace->n] = row[i];
    trace->n++;
}

static void judge_angles(const march *m, const sarrus_s5_study *study, sarrus_s5_run *run) {
    const closed_form_pendulum pendulum = closed_form_pendulum_create(3.5L * 9.81L / 3.05L, (long double)study->angle, 0.0L);
    bool is_correct = true;
    for (size_t k = 0; k < m->n_times && isfinite(m->violation[k]); ++k) {
        run->error_end = angle_error(m, &pendulum, k);
        run->error_largest = fmax(run->error_largest, run->error_end);
        is_correct = is_correct && run->error_end <= run->bound;
        if (isnan(run->t_visible) && run->error_end > 1e-2)
            run->t_visible = (double)k * interval;
        run->t_reached = (double)k * interval;
        run->correct_until = is_correct ? run->t_reached : run->correct_until;
        run->sum_psi2 = m->violation[k] * m->violation[k];
    }
}

/* The redundant singular value against the violation, over the outputs. */
static sarrus_status judge_spectrum(sarrus_context *context, const march *m, const sarrus_s5_study *study, sarrus_s5_run *run,
                                    sarrus_s5_trace *trace) {
    const closed_form_pendulum pendulum = closed_form_pendulum_create(3.5L * 9.81L / 3.05L, (long double)study->angle, 0.0L);
    const double tolerance = sarrus_s5_paper_tables[run->i_table].tolerance;
    sarrus_dense_pinv pinv = {.context = context, .method = SARRUS_PINV_LAPACK};
    double *shares = calloc(m->n_times, sizeof *shares);
    int n_shares = 0;
    if (shares == NULL)
        return SARRUS_NO_MEMORY;
    for (size_t k = 0; k < m->n_times && isfinite(m->violation[k]) && pinv.status == SARRUS_OK; ++k) {
        const double t = (double)k * interval, violation = m->violation[k];
        sarrus_dense_spectrum sigma = {0};
        double across = 0.0;
        spectrum_at(m, &pinv, k, &sigma, &across);
        if (isnan(run->t_threshold) && sigma.dropped > tolerance * sigma.largest)
            run->t_threshold = t;
        if (across > 1e-13 && across < 1e-3)
            shares[n_shares++] = sigma.dropped / across;
        if (violation > 1e-13 && violation < 1e-3)
            run->sigma_per_violation = fmax(run->sigma_per_violation, sigma.dropped / violation);
        trace_add(trace, t, violation, across, &sigma, angle_error(m, &pendulum, k));
    }
    run->sigma_per_across = sarrus_bench_median(shares, n_shares);
    free(shares);
    return pinv.status;
}

static void judge_gate(sarrus_s5_run *run) {
    const sarrus_s5_paper_row *row = &sarrus_s5_paper_tables[run->i_table].rows[run->i_method];
    run->ratio = (double)run->work.n_evaluations / row->n_evaluations; /* NaN where the paper has a dash */
    if (!run->is_gated)
        return;
    if (run->status != SARRUS_INSTANCE_OK)
        run->failure = "the run did not reach its end";
    else if (!(run->error_largest <= run->bound))
        run->failure = "the angle is off by more than the bound";
    else if (run->ratio > largest_ratio)
        run->failure = "more than 1/100 of the paper's evaluations";
}

sarrus_status sarrus_s5_run_measure(sarrus_context *context, const sarrus_s5_study *study, sarrus_s5_run *run,
                                    sarrus_s5_trace *trace) {
    march m;
    /* 1e-3 at 1e-6, 1e-5 at 1e-8, 1e-7 at 1e-10 */
    run->bound = 1e3 * sarrus_s5_paper_tables[run->i_table].tolerance;
    run->t_visible = run->t_threshold = run->sigma_per_across = run->sigma_per_violation = run->t_rank = (double)NAN;
    sarrus_status status = march_open(context, study, run, &m);
    if (status == SARRUS_OK)
        status = turn_crank(&m, run->offset);
    if (status == SARRUS_OK)
        status = march_go(&m, run);
    if (status == SARRUS_OK) {
        judge_angles(&m, study, run);
        if (trace != NULL || strcmp(run->rank, "auto") != 0)
            status = judge_spectrum(context, &m, study, run, trace);
        judge_gate(run);
    }
    march_close(&m);
    return status;
}

const char *sarrus_s5_run_result(const sarrus_s5_run *run, char *text) {
    if (run->status != SARRUS_INSTANCE_OK) {
        snprintf(text, SARRUS_S5_TEXT, "%s after %.2f s, correct to %.2f", sarrus_instance_status_word(run->status), run->t_reached,
                 run->correct_until);
    } else if (!(run->error_largest <= run->bound)) {
        snprintf(text, SARRUS_S5_TEXT, "correct up to %.2f s", run->correct_until);
    } else {
        snprintf(text, SARRUS_S5_TEXT, "correct");
    }
    return text;
}
