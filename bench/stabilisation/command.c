/* `sarrus bench stabilisation`: what holds the constraints, compared. Nothing, Baumgarte's terms with fixed gains and with gains
 * from the step, projection on a tolerance and in every step; by integrator; on the redundant five-bar and on a slider-crank that
 * passes its singular position twice a turn. Each row is judged against an exact motion. */
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "sarrus/sarrus.h"

#include "tests/support/closed_form.h"

#include "bench/benches.h"
#include "bench/measure/measure.h"
#include "bench/measure/options.h"
#include "bench/report/sheet.h"

enum {
    N_MECHANISMS = 2,
    N_INTEGRATORS = 4,
    N_STABILISATIONS = 6,
    N_ROWS = N_MECHANISMS * N_INTEGRATORS * N_STABILISATIONS,
    N_TIMED = 64, /* instances of the timed batch */
    MAX_PATH_BYTES = 1024,
    MAX_SPEEDS = 12,
};

static const double interval = 0.01; /* s between outputs */

typedef struct mechanism {
    const char *file, *name;
    /* Angle of the first body over `n_times` outputs, exact. */
    void (*angles)(size_t n_times, double *angle);
} mechanism;

typedef struct stabilisation {
    const char *name, *baumgarte, *projection;
} stabilisation;

typedef struct integrator {
    const char *name, *settings;
    bool is_adaptive;
} integrator;

/* One row of the table. */
typedef struct row {
    const mechanism *mechanism;
    const integrator *integrator;
    const stabilisation *stabilisation;
    double position_error, velocity_error; /* largest at an output */
    double energy_error;                   /* largest |E − E₀| / max(|E₀|, 1 J) */
    double angle_error;                    /* largest, rad */
    double evaluations;
    double seconds; /* of one thread for a second of motion of one instance, N_TIMED of them together */
    sarrus_instance_status status;
    const char *failure; /* of the gate */
} row;

/* --- The exact motions ------------------------------------------------------------------------------------------------------ */

static void pendulum_angles(size_t n_times, double *angle) {
    const closed_form_pendulum p = closed_form_pendulum_create(3.5L * 9.81L / 3.05L, 0.785398163397448309616L, 0.0L);
    for (size_t k = 0; k < n_times; ++k) {
        long double phi, speed;
        closed_form_pendulum_state(&p, (long double)k * 0.01L, &phi, &speed);
        angle[k] = (double)phi;
    }
}

/* θ̈ of the slider-crank on its branch (rod at −θ): ½(2/3 + 4 sin²θ)θ̇² + g sinθ = E for uniform links of 1 m, 1 kg and a slider of
 * half a kilogram. */
static long double crank_acceleration(long double theta, long double speed) {
    const long double s = sinl(theta), c = cosl(theta);
    return -(4.0L * s * c * speed * speed + 9.81L * c) / (2.0L / 3.0L + 4.0L * s * s);
}

/* By RK4 in long double, 100 steps an output: (ω h)⁴ ω t / 120 = 1e-12 rad at ω = 8/s after 20 s. */
static void crank_angles(size_t n_times, double *angle) {
    const long double h = 1e-4L;
    long double q = 0.785398163397448309616L, v = 4.0L / (2.0L * sinl(q));
    for (size_t k = 0; k < n_times; ++k) {
        angle[k] = (double)q;
        for (int i = 0; i < 100; ++i) {
            const long double a1 = crank_acceleration(q, v), v2 = v + 0.5L * h * a1;
            const long double a2 = crank_acceleration(q + 0.5L * h * v, v2), v3 = v + 0.5L * h * a2;
            const long double a3 = crank_acceleration(q + 0.5L * h * v2, v3), v4 = v + h * a3;
            const long double a4 = crank_acceleration(q + h * v3, v4);
            q += h / 6.0L * (v + 2.0L * v2 + 2.0L * v3 + v4);
            v += h / 6.0L * (a1 + 2.0L * a2 + 2.0L * a3 + a4);
        }
    }
}

static const mechanism mechanisms[N_MECHANISMS] = {
    {"five_bar.yaml", "five-bar", pendulum_angles},
    {"slider_crank.yaml", "slider-crank", crank_angles},
};

static const integrator integrators[N_INTEGRATORS] = {
    {"rk4", "dt: 1.0e-3", false},
    {"semi-implicit", "dt: 1.0e-3", false},
    {"dopri5", "dt: 1.0e-3, rtol: 1.0e-8, atol: 1.0e-8", true},
    {"adams-moulton", "dt: 1.0e-3, rtol: 1.0e-8, atol: 1.0e-8", true},
};

static const stabilisation stabilisations[N_STABILISATIONS] = {
    {"none", "{alpha: 0, beta: 0}", "none"},
    {"Baumgarte 10, 10", "{alpha: 10, beta: 10}", "none"},
    {"Baumgarte 1000, 100", "{alpha: 1000, beta: 100}", "none"},
    {"Baumgarte by the step", "{rule: step}", "none"},
    {"projection at 1e-8", "{alpha: 0, beta: 0}", "{tolerance: 1.0e-8}"},
    {"projection every step", "{alpha: 0, beta: 0}", "every_step"},
};

/* --- Measuring -------------------------------------------------------------------------------------------------------------- */

typedef struct options {
    bool json;
    const char *scenarios_folder;
    double seconds; /* of motion */
} options;

typedef struct setup {
    sarrus_model *model;
    sarrus_plan *plan;
    sarrus_batch *batch, *timed;
} setup;

static void setup_close(setup *s) {
    sarrus_batch_destroy(s->batch);
    sarrus_batch_destroy(s->timed);
    sarrus_plan_destroy(s->plan);
    sarrus_model_destroy(s->model);
}

static sarrus_status setup_open(sarrus_context *context, const options *o, const row *r, setup *s) {
    char path[MAX_PATH_BYTES], how[160];
    *s = (setup){.model = NULL};
    snprintf(path, sizeof path, "%s/%s", sarrus_bench_scenarios_folder(o->scenarios_folder), r->mechanism->file);
    snprintf(how, sizeof how, "{method: %s, %s, t_end: %g, max_steps: 1000000}", r->integrator->name, r->integrator->settings,
             o->seconds);
    const sarrus_override overrides[] = {
        {"integrator", how},
        {"dynamics.baumgarte", r->stabilisation->baumgarte},
        {"dynamics.projection", r->stabilisation->projection},
        {"output", "{interval: 0.01, channels: [state, energy, constraint]}"},
    };
    sarrus_status status = sarrus_scenario_read_file(context, path, overrides, sizeof overrides / sizeof overrides[0], &s->model);
    if (status == SARRUS_OK)
        status = sarrus_plan_create(context, s->model, &s->plan);
    const sarrus_batch_options one_thread = {.n_threads = 1};
    if (status == SARRUS_OK)
        status = sarrus_batch_create(context, s->plan, &one_thread, 1, NULL, &s->batch);
    if (status == SARRUS_OK)
        status = sarrus_batch_create(context, s->plan, &one_thread, N_TIMED, NULL, &s->timed);
    return status;
}

/* Largest |x − reference[k]| over the outputs; NaN when one is. */
static double largest_distance(const double *x, size_t stride, const double *reference, size_t reference_stride, size_t n) {
    double largest = 0.0;
    for (size_t k = 0; k < n; ++k) {
        const double distance = fabs(x[k * stride] - reference[k * reference_stride]);
        largest = distance <= largest ? largest : distance;
    }
    return largest;
}

/* Steps of the clock between outputs: those of dt, or one interval. */
static uint64_t steps_of_output(const row *r) {
    return r->integrator->is_adaptive ? 1 : 10;
}

static sarrus_status observe(const setup *s, row *r, size_t n_times, double *numbers) {
    static const double zero = 0.0;
    const int n = sarrus_batch_observable_width(s->batch, SARRUS_OBSERVE_Q);
    double *q = numbers, *energy = q + n_times * MAX_SPEEDS, *phi = energy + n_times, *phi_dot = phi + n_times;
    double *exact = phi_dot + n_times;
    sarrus_observation o = {.n_times = n_times, .every_steps = steps_of_output(r), .observe_first = 1, .n_times_stride = n_times};
    o.destination[SARRUS_OBSERVE_Q] = q;
    o.destination[SARRUS_OBSERVE_ENERGY] = energy;
    o.destination[SARRUS_OBSERVE_POSITION_ERROR] = phi;
    o.destination[SARRUS_OBSERVE_VELOCITY_ERROR] = phi_dot;
    sarrus_status status = sarrus_batch_observe(s->batch, &o);
    sarrus_instance_statistics work = {0};
    if (status == SARRUS_OK)
        status = sarrus_batch_statistics(s->batch, 0, &work);
    r->mechanism->angles(n_times, exact);
    r->status = sarrus_batch_status(s->batch, 0);
    r->evaluations = (double)work.n_evaluations;
    r->position_error = largest_distance(phi, 1, &zero, 0, n_times);
    r->velocity_error = largest_distance(phi_dot, 1, &zero, 0, n_times);
    r->energy_error = largest_distance(energy, 1, energy, 0, n_times) / fmax(fabs(energy[0]), 1.0);
    r->angle_error = largest_distance(q + 2, (size_t)n, exact, 1, n_times);
    return status;
}

/* What a row must hold. Projection in every step leaves round-off, at the ends of steps: 1e-12 is some thousand times ε √m times
 * the largest coordinate; outputs of adaptive methods lie between the ends, where the dense output is good to the tolerance only,
 * and 1e-6 is a hundred times that. RK4 at 1e-3 is then good to 1e-8 rad on the five-bar, and to 1e-6 through singular passages at
 * up to 8 rad/s (tests/tolerances.h). */
static void judge(row *r) {
    const bool is_projected = strcmp(r->stabilisation->projection, "every_step") == 0;
    const bool is_rk4 = strcmp(r->integrator->name, "rk4") == 0;
    const double violation_bound = r->integrator->is_adaptive ? 1e-6 : 1e-12;
    const double angle_bound = r->mechanism == &mechanisms[0] ? 1e-8 : 1e-6;
    if (is_projected && r->status != SARRUS_INSTANCE_OK)
        r->failure = "the run did not reach its end";
    else if (is_projected && !(r->position_error <= violation_bound))
        r->failure = "the constraints are not held";
    else if (is_projected && is_rk4 && !(r->angle_error <= angle_bound))
        r->failure = "the angle is off";
}

static sarrus_status measure_row(sarrus_context *context, const options *o, row *r) {
    const size_t n_times = (size_t)lround(o->seconds / interval) + 1;
    setup s;
    double *numbers = calloc(n_times * (MAX_SPEEDS + 4), sizeof *numbers);
    sarrus_status status = setup_open(context, o, r, &s);
    if (status == SARRUS_OK && numbers == NULL)
        status = SARRUS_NO_MEMORY;
    if (status == SARRUS_OK)
        status = observe(&s, r, n_times, numbers);
    const double before = sarrus_bench_now();
    if (status == SARRUS_OK)
        status = sarrus_batch_advance(s.timed, (n_times - 1) * steps_of_output(r));
    r->seconds = (sarrus_bench_now() - before) / (N_TIMED * o->seconds);
    judge(r);
    setup_close(&s);
    free(numbers);
    return status;
}

static sarrus_status measure(sarrus_context *context, const options *o, row *rows) {
    sarrus_status status = SARRUS_OK;
    for (int i = 0; i < N_ROWS && status == SARRUS_OK; ++i) {
        rows[i].mechanism = &mechanisms[i / (N_INTEGRATORS * N_STABILISATIONS)];
        rows[i].integrator = &integrators[i / N_STABILISATIONS % N_INTEGRATORS];
        rows[i].stabilisation = &stabilisations[i % N_STABILISATIONS];
        sarrus_bench_announce("\rrow %d of %d", i + 1, (int)N_ROWS);
        status = measure_row(context, o, &rows[i]);
    }
    sarrus_bench_announce("\n");
    return status;
}

/* --- Showing ---------------------------------------------------------------------------------------------------------------- */

static void row_show(sarrus_sheet *sheet, const row *r) {
    static const char *const shown = "%.1e";
    sarrus_sheet_row(sheet);
    sarrus_sheet_text(sheet, NULL, 0, "mechanism", r->mechanism->name);
    sarrus_sheet_text(sheet, "integrator", -15, "integrator", r->integrator->name);
    sarrus_sheet_text(sheet, "stabilisation", -22, "stabilisation", r->stabilisation->name);
    sarrus_sheet_number(sheet, "||Phi||", 9, shown, "max_position_error", r->position_error);
    sarrus_sheet_number(sheet, "||Phi'||", 9, shown, "max_velocity_error", r->velocity_error);
    sarrus_sheet_number(sheet, "energy", 9, shown, "max_energy_error", r->energy_error);
    sarrus_sheet_number(sheet, "angle", 9, shown, "max_angle_error", r->angle_error);
    sarrus_sheet_number(sheet, "NFUNC", 10, "%.0f", "evaluations", r->evaluations);
    sarrus_sheet_number(sheet, "us/s", 10, "%.1f", NULL, 1e6 * r->seconds);
    sarrus_sheet_number(sheet, NULL, 0, NULL, "seconds_per_instance_second", r->seconds);
    sarrus_sheet_text(sheet, " status", -15, "status", sarrus_instance_status_word(r->status));
    sarrus_sheet_gate(sheet, r->failure);
    sarrus_sheet_row_end(sheet);
}

static void show(const options *o, const row *rows) {
    sarrus_sheet sheet;
    sarrus_sheet_begin(&sheet, o->json ? NULL : stdout, o->json ? stdout : NULL, "stabilisation");
    sarrus_json_number(&sheet.json, "seconds_of_motion", o->seconds);
    sarrus_sheet_table(&sheet, "rows");
    for (int i = 0; i < N_ROWS; ++i) {
        if (i % (N_INTEGRATORS * N_STABILISATIONS) == 0) {
            sarrus_sheet_note(&sheet, "\n%s, %g s\n", rows[i].mechanism->name, o->seconds);
            sheet.has_headings = false;
        }
        row_show(&sheet, &rows[i]);
    }
    sarrus_sheet_table_end(&sheet);
    sarrus_sheet_note(
        &sheet,
        "\nLargest values over outputs 0.01 s apart (a dash: the instance ended before). energy: relative to its start. "
        "angle: of the\nfirst body against the exact motion, rad. NFUNC: accelerations computed for steps, projections not "
        "counted. us/s: time of\none thread for a second of motion of one instance, %d of them together. Fixed steps 1e-3 s; "
        "rtol = atol = 1e-8.\n",
        (int)N_TIMED);
    sarrus_sheet_end(&sheet);
}

static sarrus_status work(sarrus_context *context, void *user, int *n_failures) {
    static row rows[N_ROWS];
    const sarrus_status status = measure(context, user, rows);
    if (status == SARRUS_OK)
        show(user, rows);
    for (int i = 0; i < N_ROWS && status == SARRUS_OK; ++i)
        *n_failures += rows[i].failure != NULL;
    return status;
}

int sarrus_bench_stabilisation(int argc, char **argv) {
    options o = {.json = false};
    bool is_quick = false;
    const sarrus_bench_option known[] = {
        {"json", NULL, "machine-readable output", .flag = &o.json},
        {"quick", NULL, "2 s of motion instead of 20", .flag = &is_quick},
        {"scenarios", "DIR", "where five_bar.yaml and slider_crank.yaml are", .text = &o.scenarios_folder},
    };
    const int code = sarrus_bench_options_read(argc, argv, known, sizeof known / sizeof known[0]);
    o.seconds = is_quick ? 2.0 : 20.0;
    return code >= 0 ? code : sarrus_bench_carry_out("stabilisation", NULL, work, &o);
}
