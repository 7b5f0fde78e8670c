/* Claim: single bodies in space follow their exact motions (S3 chapter 4) over ten periods: the torque-free body Jacobi's elliptic
 * functions, the heavy top, the rotor in a cardan suspension and the gyrostat their equations of few unknowns in long double.
 * Integrators have their order on a rotation, where a step is not a sum. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "tests/support/closed_form.h"
#include "tests/support/motion.h"
#include "tests/support/ode.h"
#include "tests/tolerances.h"

/* What is promised. The integrators run at 1e-13; they make some thousand steps, and phases are ten periods old. */
static const double BOUND = 1e-9;

static const char *const TIGHT[] = {"method: verner65, rtol: 1e-13, atol: 1e-15", "method: dopri5, rtol: 1e-13, atol: 1e-15"};
enum { N_TIGHT = sizeof TIGHT / sizeof TIGHT[0], N_ROWS = 401 };

static void worse(double *worst, long double off) {
    *worst = fabsl(off) <= *worst ? *worst : (double)fabsl(off); /* NaN comes through */
}

static void within(const char *what, double found, double bound) {
    print_message("%s: %.1e\n", what, found);
    if (!(found <= bound))
        fail_msg("%s: %.3e, not within %.1e", what, found, bound);
}

/* "[a, b, c]". */
static void list_write(const double *x, int n, char *out, size_t size) {
    size_t used = 0;
    for (int i = 0; i < n; ++i)
        used += (size_t)snprintf(out + used, size - used, "%s%.17g", i ? ", " : "[", x[i]);
    (void)snprintf(out + used, size - used, "]");
}

/* --- The torque-free body ------------------------------------------------------------------------------------------------ */

/* ω = (a cn, b sn, c dn) of `rate`·t + `start` about three axes: the body's, or with 1 and 3 exchanged and 2 reversed. */
typedef struct tumbler {
    long double moment[3], amplitude[3]; /* kg m², rad/s */
    long double k, rate, start;          /* modulus, 1/s, argument at t = 0 */
    int is_exchanged;
} tumbler;

static void exchange(long double x[3]) {
    const long double first = x[0];
    x[0] = x[2], x[1] = -x[1], x[2] = first;
}

/* F(φ, k) for any φ. */
static long double elliptic_f(long double phi, long double k) {
    const long double pi = acosl(-1.0L), half_turns = roundl(phi / pi);
    return 2.0L * half_turns * closed_form_elliptic_k(k) + closed_form_elliptic_f(phi - half_turns * pi, k);
}

/* Of moments in ascending order. The axis with dn is the one about which the angular momentum goes round; with b > 0, Euler's
 * equations want a and c of one sign, and a rate that is negative where the moments descend. */
static tumbler tumbler_create(const long double moments[3], const long double omega[3]) {
    tumbler b = {0};
    long double m[3], w[3], twice = 0.0L, square = 0.0L;
    memcpy(m, moments, sizeof m);
    memcpy(w, omega, sizeof w);
    for (int i = 0; i < 3; ++i) {
        twice += m[i] * w[i] * w[i];
        square += m[i] * w[i] * m[i] * w[i];
    }
    b.is_exchanged = square < twice * m[1];
    if (b.is_exchanged) {
        m[0] = moments[2], m[2] = moments[0];
        exchange(w);
    }
    const long double p = fabsl(twice * m[2] - square), r = fabsl(square - twice * m[0]);
    const long double ba = fabsl(m[1] - m[0]), cb = fabsl(m[2] - m[1]), ca = fabsl(m[2] - m[0]);
    b.amplitude[0] = copysignl(sqrtl(p / (m[0] * ca)), w[2]);
    b.amplitude[1] = sqrtl(p / (m[1] * cb));
    b.amplitude[2] = copysignl(sqrtl(r / (m[2] * ca)), w[2]);
    b.rate = (b.is_exchanged ? -1.0L : 1.0L) * sqrtl(cb * r / (m[0] * m[1] * m[2]));
    b.k = sqrtl(ba * p / (cb * r));
    b.start = elliptic_f(atan2l(w[1] / b.amplitude[1], w[0] / b.amplitude[0]), b.k);
    memcpy(b.moment, moments, sizeof b.moment);
    return b;
}

static void tumbler_omega(const tumbler *b, long double t, long double omega[3]) {
    const long double phi = closed_form_amplitude(b->rate * t + b->start, b->k), s = sinl(phi);
    omega[0] = b->amplitude[0] * cosl(phi);
    omega[1] = b->amplitude[1] * s;
    omega[2] = b->amplitude[2] * sqrtl((1.0L - b->k * s) * (1.0L + b->k * s));
    if (b->is_exchanged)
        exchange(omega);
}

static long double tumbler_period(const tumbler *b) {
    return 4.0L * closed_form_elliptic_k(b->k) / fabsl(b->rate);
}

/* The angle by which axis 3 goes round the angular momentum from `from` to `to`: ψ̇ = L (A ω₁² + B ω₂²)/(A² ω₁² + B² ω₂²), by
 * Gauss's formula of five points in `n` parts. */
static long double tumbler_precession(const tumbler *b, long double from, long double to, int n) {
    static const long double node[5] = {-0.906179845938663992797626878299L, -0.538469310105683091036314420700L, 0.0L,
                                        0.538469310105683091036314420700L, 0.906179845938663992797626878299L};
    static const long double weight[5] = {0.236926885056189087514264040720L, 0.478628670499366468041291514836L,
                                          0.568888888888888888888888888889L, 0.478628670499366468041291514836L,
                                          0.236926885056189087514264040720L};
    const long double half = (to - from) / (2.0L * n);
    long double sum = 0.0L;
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < 5; ++j) {
            long double w[3], l[3];
            tumbler_omega(b, from + half * (2.0L * i + 1.0L + node[j]), w);
            for (int k = 0; k < 3; ++k)
                l[k] = b->moment[k] * w[k];
            const long double whole = sqrtl(l[0] * l[0] + l[1] * l[1] + l[2] * l[2]);
            sum += half * weight[j] * whole * (l[0] * w[0] + l[1] * w[1]) / (l[0] * l[0] + l[1] * l[1]);
        }
    return sum;
}

/* On either side of the separatrix, and turning either way. */
static const long double MOMENTS[3] = {0.3L, 0.5L, 0.7L};
static const double STARTS[][3] = {{0.3, 3.0, 0.1}, {0.1, 3.0, 0.4}, {-0.2, -2.0, 1.5}, {1.5, 1.0, -0.8}, {-2.0, 0.3, 0.4}};
enum { N_STARTS = sizeof STARTS / sizeof STARTS[0] };

static tumbler tumbler_of(int i_start) {
    const long double omega[3] = {STARTS[i_start][0], STARTS[i_start][1], STARTS[i_start][2]};
    return tumbler_create(MOMENTS, omega);
}

static void euler_rates(const long double *w, const void *of, long double *dw) {
    const tumbler *b = of;
    for (int i = 0; i < 3; ++i) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        dw[i] = (b->moment[j] - b->moment[k]) * w[j] * w[k] / b->moment[i];
    }
}

/* The oracle against Euler's equations themselves. RK4 of (λh)⁴/120·λt with λ = 3/s, h = 1e-3: 1e-12. */
static void elliptic_functions_solve_eulers_equations(void **state) {
    (void)state;
    for (int i = 0; i < N_STARTS; ++i) {
        const tumbler b = tumbler_of(i);
        long double w[3], found[3];
        double worst = 0.0;
        tumbler_omega(&b, 0.0L, w);
        for (int k = 0; k < 3; ++k)
            worse(&worst, w[k] - (long double)STARTS[i][k]);
        for (int step = 1; step <= 10; ++step) {
            ode_advance(euler_rates, &b, 3, 1e-4L, 10000, w);
            tumbler_omega(&b, (long double)step, found);
            for (int k = 0; k < 3; ++k)
                worse(&worst, w[k] - found[k]);
        }
        within("Jacobi against Euler", worst, 1e-13);
    }
}

static double dot(const double a[3], const double b[3]) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* Where the angular momentum stands in inertial space, and axis 3 of the body at that row. */
static void momentum_of(const motion *m, size_t k, double l[3], double axis[3]) {
    double a[3][3];
    motion_matrix(motion_body(m, k, 0) + 3, a);
    for (int i = 0; i < 3; ++i) {
        l[i] = 0.0;
        for (int j = 0; j < 3; ++j)
            l[i] += a[i][j] * (double)MOMENTS[j] * m->v[6 * k + 3 + (size_t)j];
        axis[i] = a[i][2];
    }
}

/* Largest errors of ω, of the direction of L, and of the angle of precession. */
static void tumbler_errors(const motion *m, const tumbler *b, double errors[3]) {
    double l[3], l0[3], axis[3], u[3], v[3];
    long double turned = 0.0L;
    momentum_of(m, 0, l0, axis);
    const double whole = sqrt(dot(l0, l0)), along = dot(axis, l0) / (whole * whole);
    for (int i = 0; i < 3; ++i)
        u[i] = axis[i] - along * l0[i];
    for (int i = 0; i < 3; ++i)
        v[i] = (l0[(i + 1) % 3] * u[(i + 2) % 3] - l0[(i + 2) % 3] * u[(i + 1) % 3]) / whole;
    for (size_t k = 0; k < m->n_times; ++k) {
        const long double t = (long double)m->interval * k;
        long double w[3];
        tumbler_omega(b, t, w);
        momentum_of(m, k, l, axis);
        for (int i = 0; i < 3; ++i) {
            worse(&errors[0], w[i] - (long double)m->v[6 * k + 3 + (size_t)i]);
            worse(&errors[1], (l[i] - l0[i]) / whole);
        }
        turned += k ? tumbler_precession(b, t - (long double)m->interval, t, 20) : 0.0L;
        worse(&errors[2], remainderl(turned - (long double)atan2(dot(axis, v), dot(axis, u)), 2.0L * acosl(-1.0L)));
    }
}

static void torque_free_body_follows_elliptic_functions(void **state) {
    (void)state;
    for (int i = 0; i < N_STARTS * N_TIGHT; ++i) {
        const tumbler b = tumbler_of(i / N_TIGHT);
        char omega[96];
        list_write(STARTS[i / N_TIGHT], 3, omega, sizeof omega);
        const sarrus_override overrides[] = {
            {"bodies.body.angular_velocity", omega}, {"bodies.body.orientation", "{bryant: [0.3, -1.1, 0.7]}"}, {NULL, NULL}};
        const motion_times times = {TIGHT[i % N_TIGHT], (double)(10.0L * tumbler_period(&b)) / (N_ROWS - 1), N_ROWS, 1, 0};
        motion m = motion_of_file("torque_free_body.yaml", overrides, &times);
        double errors[3] = {0};
        tumbler_errors(&m, &b, errors);
        print_message("%s, k' = %.1e, %.0f s, %llu steps\n", TIGHT[i % N_TIGHT], sqrt(1.0 - (double)(b.k * b.k)),
                      (double)(10.0L * tumbler_period(&b)), (unsigned long long)m.n_steps);
        within("  angular velocity, rad/s", errors[0], BOUND);
        within("  direction of the angular momentum", errors[1], BOUND);
        within("  precession, rad", errors[2], BOUND);
        motion_free(&m);
    }
}

/* Steps of h and h/2 against the closed form. The input, of 0, is why every method steps from row to row. */
static double error_in_steps(const char *integrator, int n_steps) {
    const tumbler b = tumbler_of(1);
    const sarrus_override overrides[] = {{"bodies.body.angular_velocity", "[0.1, 3.0, 0.4]"},
                                         {"forces", "[{name: t, type: torque, body: body, value: [{input: 0}, 0, 0]}]"},
                                         {"limits", "off"},
                                         {NULL, NULL}};
    const motion_times times = {integrator, 4.0 / n_steps, (size_t)n_steps + 1, 1, 1};
    motion m = motion_of_file("torque_free_body.yaml", overrides, &times);
    double errors[3] = {0};
    assert_int_equal(m.n_steps, n_steps);
    tumbler_errors(&m, &b, errors);
    motion_free(&m);
    return errors[0] + errors[1] + errors[2];
}

static void integrators_have_their_order(void **state) {
    (void)state;
    static const struct order_case {
        const char *integrator;
        int n_steps;
        double order;
    } cases[] = {{"method: rk4, substeps: off", 800, 4.0},
                 {"method: dopri5, rtol: 0.5, atol: 1e6", 400, 5.0},
                 {"method: verner65, rtol: 0.5, atol: 1e6", 200, 6.0}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        const double coarse = error_in_steps(cases[i].integrator, cases[i].n_steps),
                     fine = error_in_steps(cases[i].integrator, 2 * cases[i].n_steps);
        print_message("%s: errors %.2e, %.2e: order %.3f\n", cases[i].integrator, coarse, fine, log2(coarse / fine));
        assert_true(fabs(log2(coarse / fine) - cases[i].order) <= TOLERANCE_ORDER);
    }
}

/* --- The heavy top and the cardan suspension ----------------------------------------------------------------------------- */

/* In Euler's angles ψ, θ, φ (3-1-3), θ from the vertical: V(θ) = (p_ψ − p_φ cos θ)²/2D + w cos θ, D = d0 + d1 sin² θ,
 * inertia ϑ of θ. */
typedef struct top {
    long double d0, d1, inertia, axial; /* kg m²; axial: of the body about its axis */
    long double p_psi, p_phi, weight;   /* kg m²/s, m g s in J */
} top;

enum { THETA, THETA_RATE, PSI, PHI, N_TOP };

static long double top_psi_rate(const top *b, long double theta) {
    const long double s = sinl(theta);
    return (b->p_psi - b->p_phi * cosl(theta)) / (b->d0 + b->d1 * s * s);
}

static void top_rates(const long double *y, const void *of, long double *dy) {
    const top *b = of;
    const long double s = sinl(y[THETA]), c = cosl(y[THETA]), rate = top_psi_rate(b, y[THETA]);
    dy[THETA] = y[THETA_RATE];
    dy[THETA_RATE] = (rate * rate * b->d1 * s * c - rate * b->p_phi * s + b->weight * s) / b->inertia;
    dy[PSI] = rate;
    dy[PHI] = b->p_phi / b->axial - rate * c;
}

static long double top_energy(const top *b, const long double *y) {
    const long double s = sinl(y[THETA]), rate = top_psi_rate(b, y[THETA]);
    return 0.5L * (b->inertia * y[THETA_RATE] * y[THETA_RATE] + (b->d0 + b->d1 * s * s) * rate * rate) + b->weight * cosl(y[THETA]);
}

/* Rz(ψ) Rx(θ) Rz(φ). */
static void euler_matrix(long double psi, long double theta, long double phi, long double out[3][3]) {
    const long double cs = cosl(psi), ss = sinl(psi), ct = cosl(theta), st = sinl(theta), cf = cosl(phi), sf = sinl(phi);
    const long double matrix[3][3] = {{cs * cf - ss * ct * sf, -cs * sf - ss * ct * cf, ss * st},
                                      {ss * cf + cs * ct * sf, -ss * sf + cs * ct * cf, -cs * st},
                                      {st * sf, st * cf, ct}};
    memcpy(out, matrix, sizeof matrix);
}

static double matrix_distance(const double p[4], long double expected[3][3]) {
    double found[3][3], worst = 0.0;
    motion_matrix(p, found);
    for (int i = 0; i < 9; ++i)
        worse(&worst, (long double)found[i / 3][i % 3] - expected[i / 3][i % 3]);
    return worst;
}

/* The largest errors of the matrices of bodies that turn by ψ alone, by ψ and θ, and by all three (−1: there is none), from an axis
 * that stands still. Steps of RK4 are below 1/500 of a radian: 1e-13 of the angle in ten periods. */
static void check_top(const motion *m, const top *b, long double theta, const int i_bodies[3]) {
    enum { PER_ROW = 200 };
    static const char *const what[3] = {"  outer frame", "  inner frame", "  rotor"};
    long double y[N_TOP] = {theta, 0.0L, 0.0L, 0.0L}, matrix[3][3];
    const long double energy0 = top_energy(b, y);
    double worst[3] = {0.0}, balance = 0.0, nodding = 0.0;
    for (size_t k = 0; k < m->n_times; ++k) {
        if (k)
            ode_advance(top_rates, b, N_TOP, (long double)m->interval / PER_ROW, PER_ROW, y);
        for (int i = 0; i < 3; ++i) {
            euler_matrix(y[PSI], i >= 1 ? y[THETA] : 0.0L, i == 2 ? y[PHI] : 0.0L, matrix);
            if (i_bodies[i] >= 0)
                worse(&worst[i], matrix_distance(motion_body(m, k, i_bodies[i]) + 3, matrix));
        }
        worse(&balance, top_energy(b, y) / energy0 - 1.0L);
        worse(&nodding, y[THETA] - theta);
    }
    assert_true(nodding > 0.02); /* or nothing was tried */
    within("  the equation's own energy", balance, 1e-13);
    for (int i = 0; i < 3; ++i)
        if (i_bodies[i] >= 0)
            within(what[i], worst[i], BOUND);
}

/* Ten times from cusp to cusp, 0.4433 s each. */
static void heavy_top_follows_its_equation(void **state) {
    (void)state;
    const long double theta = 0.6L, inertia = 1.0e-3L + 0.5L * 0.1L * 0.1L, axial = 8.0e-4L, p_phi = axial * 150.0L;
    const top b = {0.0L, inertia, inertia, axial, p_phi * cosl(theta), p_phi, 0.5L * 9.81L * 0.1L};
    for (int i = 0; i < N_TIGHT; ++i) {
        const motion_times times = {TIGHT[i], 4.5 / (N_ROWS - 1), N_ROWS, 1, 0};
        motion m = motion_of_file("heavy_top.yaml", NULL, &times);
        print_message("heavy top, %s, %llu steps\n", TIGHT[i], (unsigned long long)m.n_steps);
        check_top(&m, &b, theta, (const int[]){-1, -1, 0});
        motion_free(&m);
    }
}

/* Ten periods of 0.3324 s. D = J_outer + C_inner cos² θ + (B_inner + A_rotor + m s²) sin² θ. */
static void cardan_suspension_follows_its_equation(void **state) {
    (void)state;
    const long double theta = 0.5L, turn = 0.8L, rotor = 1.1e-3L + 0.6L * 0.05L * 0.05L, axial = 2.0e-3L;
    top b = {.d0 = 1.2e-3L + 0.9e-3L, .d1 = 0.8e-3L + rotor - 0.9e-3L, .inertia = 1.0e-3L + rotor, .axial = axial};
    b.p_phi = axial * (60.0L + turn * cosl(theta));
    b.p_psi = (b.d0 + b.d1 * sinl(theta) * sinl(theta)) * turn + b.p_phi * cosl(theta);
    b.weight = 0.6L * 9.81L * 0.05L;
    for (int i = 0; i < N_TIGHT; ++i) {
        const motion_times times = {TIGHT[i], 3.4 / (N_ROWS - 1), N_ROWS, 1, 0};
        motion m = motion_of_file("cardan_suspension.yaml", NULL, &times);
        print_message("cardan suspension, %s, %llu steps\n", TIGHT[i], (unsigned long long)m.n_steps);
        check_top(&m, &b, theta, (const int[]){0, 1, 2});
        motion_free(&m);
    }
}

/* --- The gyrostat -------------------------------------------------------------------------------------------------------- */

/* I ω̇ = (I ω + h) × ω, ṗ = ½ p ω; y: ω, then p. */
static const long double ROTOR[3] = {0.0L, 1.5L, 0.0L};

static void gyrostat_rates(const long double *y, const void *of, long double *dy) {
    const long double *p = y + 3;
    (void)of;
    for (int i = 0; i < 3; ++i) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        dy[i] = ((MOMENTS[j] * y[j] + ROTOR[j]) * y[k] - (MOMENTS[k] * y[k] + ROTOR[k]) * y[j]) / MOMENTS[i];
        dy[4 + i] = 0.5L * (p[0] * y[i] + p[1 + j] * y[k] - p[1 + k] * y[j]);
    }
    dy[3] = -0.5L * (p[1] * y[0] + p[2] * y[1] + p[3] * y[2]);
}

/* Energy of the carrier; angular momentum in inertial space, the flywheel's included. */
static void gyrostat_integrals(const double p[4], const double *omega, long double out[4]) {
    double a[3][3];
    motion_matrix(p, a);
    memset(out, 0, 4 * sizeof *out);
    for (int j = 0; j < 3; ++j) {
        const long double w = omega[j];
        out[3] += 0.5L * MOMENTS[j] * w * w;
        for (int i = 0; i < 3; ++i)
            out[i] += (long double)a[i][j] * (MOMENTS[j] * w + ROTOR[j]);
    }
}

static void check_gyrostat(const motion *m) {
    enum { PER_ROW = 200 };
    long double y[7] = {0.4L, 3.0L, 0.2L}, integrals[4], first[4];
    double omega = 0.0, turn = 0.0, kept = 0.0;
    for (int i = 0; i < 4; ++i)
        y[3 + i] = motion_body(m, 0, 0)[3 + i];
    for (size_t k = 0; k < m->n_times; ++k) {
        const double *p = motion_body(m, k, 0) + 3, *w = m->v + 6 * k + 3;
        if (k)
            ode_advance(gyrostat_rates, NULL, 7, (long double)m->interval / PER_ROW, PER_ROW, y);
        gyrostat_integrals(p, w, integrals);
        memcpy(first, k ? first : integrals, sizeof first);
        long double sign = 0.0L; /* −p is the same rotation */
        for (int i = 0; i < 4; ++i)
            sign += y[3 + i] * p[i];
        for (int i = 0; i < 4; ++i)
            worse(&turn, copysignl(y[3 + i], sign * y[3 + i]) - p[i]);
        for (int i = 0; i < 3; ++i)
            worse(&omega, y[i] - w[i]);
        for (int i = 0; i < 4; ++i)
            worse(&kept, integrals[i] - first[i]);
    }
    within("  angular velocity, rad/s", omega, BOUND);
    within("  Euler parameters", turn, BOUND);
    within("  energy, J, and angular momentum, kg m2/s", kept, BOUND);
}

/* The carrier nutates at some 5 rad/s: more than ten times in 20 s. */
static void gyrostat_follows_its_equation(void **state) {
    (void)state;
    for (int i = 0; i < N_TIGHT; ++i) {
        const sarrus_override overrides[] = {{"bodies.carrier.orientation", "{euler: [0.4, 0.8, -0.5]}"}, {NULL, NULL}};
        const motion_times times = {TIGHT[i], 20.0 / (N_ROWS - 1), N_ROWS, 1, 0};
        motion m = motion_of_file("gyrostat.yaml", overrides, &times);
        print_message("gyrostat, %s, %llu steps\n", TIGHT[i], (unsigned long long)m.n_steps);
        check_gyrostat(&m);
        motion_free(&m);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(elliptic_functions_solve_eulers_equations),
        cmocka_unit_test(torque_free_body_follows_elliptic_functions),
        cmocka_unit_test(integrators_have_their_order),
        cmocka_unit_test(heavy_top_follows_its_equation),
        cmocka_unit_test(cardan_suspension_follows_its_equation),
        cmocka_unit_test(gyrostat_follows_its_equation),
    };
    return cmocka_run_group_tests_name("physics.spatial_bodies", tests, NULL, NULL);
}
