// Kinematics by screws (S4): coefficients, effective inertia and their derivatives against nested jets of an independent forward
// kinematics on random trees, Christoffel terms against both and against Newton and Euler, and all of it against the mass matrix,
// the poses and the accelerations of the program's own runs.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string>

extern "C" {
#include <cmocka.h>

#include "tests/support/mechanism.h"
#include "tests/support/place.h"
}

#include "sarrus/kinematics.h"
#include "tests/kinematics/jets.h"

namespace {

/* A derivative of order p over a path of d pairs is a sum of 2^p products of p + 2 rotated vectors, each with a few d ε: for what
 * is tried here some 1e3 ε of the largest entry; ten times that is allowed. */
const double relative = 2e-12;

struct opened {
    sarrus_context *context = nullptr;
    sarrus_model *model = nullptr;
    sarrus_plan *plan = nullptr;
    sarrus_kinematics *kinematics = nullptr;
    size_t n = 0, n_bodies = 0;
};

opened open_text(const std::string &text) {
    opened o;
    assert_int_equal(sarrus_context_create(&o.context), SARRUS_OK);
    sarrus_status status = sarrus_scenario_read_text(o.context, "tree.yaml", text.c_str(), text.size(), nullptr, 0, &o.model);
    if (status == SARRUS_OK)
        status = sarrus_plan_create(o.context, o.model, &o.plan);
    if (status == SARRUS_OK)
        status = sarrus_kinematics_create(o.context, o.plan, nullptr, &o.kinematics);
    const sarrus_diagnostic *found = sarrus_context_diagnostic(o.context, 0);
    if (status != SARRUS_OK)
        fail_msg("%s\n%s", found ? found->message : "?", text.c_str());
    o.n = (size_t)sarrus_kinematics_n_pairs(o.kinematics);
    o.n_bodies = (size_t)sarrus_kinematics_n_bodies(o.kinematics);
    return o;
}

void close(opened *o) {
    sarrus_kinematics_destroy(o->kinematics);
    sarrus_plan_destroy(o->plan);
    sarrus_model_destroy(o->model);
    sarrus_context_destroy(o->context);
}

// --- Random trees ---------------------------------------------------------------------------------------------------------------

std::mt19937_64 source(20261126);

double random_number(double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(source);
}

jets::vector<double> random_direction() {
    jets::vector<double> x;
    double length = 0.0;
    do {
        for (double &one : x.x)
            one = random_number(-1.0, 1.0);
        length = std::sqrt(jets::dot(x, x));
    } while (length < 0.1 || length > 1.0);
    for (double &one : x.x)
        one /= length;
    return x;
}

std::string list(const jets::vector<double> &x) {
    char text[100];
    snprintf(text, sizeof text, "[%.17g, %.17g, %.17g]", x[0], x[1], x[2]);
    return text;
}

/* Bodies in random places on random pairs; `is_aligned`: all axes along z, so that A is nearly singular. */
std::vector<jets::body> random_tree(int n, bool is_aligned) {
    std::vector<jets::body> tree;
    for (int b = 0; b < n; ++b) {
        jets::body one = {};
        one.inboard = b == 0 ? -1 : (int)random_number(-0.3, b) - (random_number(0, 1) < 0.1 ? 1 : 0);
        one.inboard = one.inboard < -1 ? -1 : one.inboard;
        one.turns = random_number(0, 1) < 0.75;
        one.axis = is_aligned ? jets::vector<double>{0, 0, 1} : random_direction();
        for (int k = 0; k < 3; ++k) {
            one.at[k] = random_number(-1, 1);
            one.position[k] = random_number(-1, 1);
        }
        one.rotation = jets::turn(random_direction(), random_number(-3, 3));
        one.mass = random_number(0.2, 3);
        const double x = random_number(0.1, 1), y = random_number(0.1, 1), z = random_number(0.1, 1);
        one.inertia = {{{y + z, 0, 0}, {0, x + z, 0}, {0, 0, x + y}}};
        const jets::matrix<double> r = jets::turn(random_direction(), random_number(-3, 3));
        jets::matrix<double> back;
        for (int k = 0; k < 3; ++k)
            for (int l = 0; l < 3; ++l)
                back[k][l] = r[l][k];
        one.inertia = jets::times(jets::times(r, one.inertia), back);
        tree.push_back(one);
    }
    return tree;
}

std::string scenario_of(const std::vector<jets::body> &tree) {
    std::string bodies, joints;
    char text[700];
    for (size_t b = 0; b < tree.size(); ++b) {
        const jets::body &one = tree[b];
        const auto &i = one.inertia;
        snprintf(text, sizeof text,
                 "  - {name: b%zu, mass: %.17g, inertia: [%.17g, %.17g, %.17g, %.17g, %.17g, %.17g], position: %s, orientation: "
                 "{cosines: [",
                 b, one.mass, i[0][0], i[1][1], i[2][2], i[0][1], i[0][2], i[1][2], list(one.position).c_str());
        bodies += text;
        bodies += list(one.rotation[0]) + ", " + list(one.rotation[1]) + ", " + list(one.rotation[2]) + "]}}\n";
        const std::string parent = one.inboard < 0 ? "ground" : "b" + std::to_string(one.inboard);
        const std::string type = one.turns ? "revolute" : "prismatic", number = std::to_string(b);
        joints += "  - {name: j" + number + ", type: " + type + ", bodies: [" + parent + ", b" + number + "], at: " + list(one.at) +
                  ", axis: " + list(one.axis) + "}\n";
    }
    return "sarrus: 1\nspace: spatial\ngravity: [0.3, -0.4, -9.81]\nbodies:\n" + bodies + "joints:\n" + joints +
           "integrator: {method: rk4, dt: 1.0e-3, t_end: 0.1}\n";
}

/* The pair that moves body b, by its number here; every body has one. */
std::vector<int> pairs_of_bodies(const opened &o) {
    std::vector<int> of(o.n_bodies, -1);
    for (int i = 0; i < (int)o.n; ++i) {
        sarrus_kinematics_pair pair;
        assert_int_equal(sarrus_kinematics_pair_get(o.kinematics, i, &pair), SARRUS_OK);
        of[(size_t)pair.body] = i;
    }
    return of;
}

void compare(const char *what, const std::vector<double> &found, const std::vector<double> &expected) {
    double largest = 1.0, worst = 0.0;
    for (size_t i = 0; i < found.size(); ++i)
        largest = std::max(largest, std::fabs(expected[i]));
    for (size_t i = 0; i < found.size(); ++i)
        worst = std::fabs(found[i] - expected[i]) <= worst ? worst : std::fabs(found[i] - expected[i]);
    if (!(worst <= relative * largest))
        fail_msg("%s: off by %.3g of %.3g", what, worst, largest);
}

/* All coefficients and all of A, by `order` coordinates drawn at random, repeated ones among them. */
template <int order>
void check_order(const opened &o, const std::vector<jets::body> &tree, const std::vector<double> &q_of_bodies) {
    const std::vector<int> pair = pairs_of_bodies(o);
    const size_t n = o.n;
    int by_bodies[order + 1], by[order + 1];
    for (int t = 0; t < order; ++t) {
        by_bodies[t] = (int)(source() % n);
        if (t > 0 && source() % 3 == 0)
            by_bodies[t] = by_bodies[t - 1];
        by[t] = pair[(size_t)by_bodies[t]];
    }
    std::vector<double> q(n), screws(6 * o.n_bodies * n), inertia(n * n), expected_screws(screws.size()), expected(n * n);
    for (size_t b = 0; b < n; ++b)
        q[(size_t)pair[b]] = q_of_bodies[b];
    assert_int_equal(sarrus_kinematics_screws(o.kinematics, 1, q.data(), order, by, screws.data()), SARRUS_OK);
    assert_int_equal(sarrus_kinematics_inertia(o.kinematics, 1, q.data(), order, by, inertia.data()), SARRUS_OK);
    for (int i = 0; i < (int)n; ++i) {
        for (int b = 0; b < (int)o.n_bodies; ++b) {
            for (int k = 0; k < 6; ++k)
                expected_screws[6 * ((size_t)b * n + (size_t)pair[(size_t)i]) + (size_t)k] = jets::derive<order>(
                    [&](const auto &at) { return jets::screw(tree, b, i, at)[(size_t)k]; }, q_of_bodies, by_bodies);
        }
        for (int j = 0; j < (int)n; ++j)
            expected[(size_t)pair[(size_t)i] * n + (size_t)pair[(size_t)j]] =
                jets::derive<order>([&](const auto &at) { return jets::inertia(tree, i, j, at); }, q_of_bodies, by_bodies);
    }
    compare("coefficients", screws, expected_screws);
    compare("inertia", inertia, expected);
}

void test_random_trees(void **) {
    const int n_trees = getenv("SARRUS_FEW_CASES") ? 6 : 60;
    for (int i = 0; i < n_trees; ++i) {
        const std::vector<jets::body> tree = random_tree(1 + i % 6, i % 7 == 3);
        opened o = open_text(scenario_of(tree));
        std::vector<double> q;
        for (size_t b = 0; b < tree.size(); ++b)
            q.push_back(random_number(-3, 3));
        assert_int_equal(o.n, tree.size());
        check_order<0>(o, tree, q);
        check_order<1>(o, tree, q);
        check_order<2>(o, tree, q);
        check_order<3>(o, tree, q);
        if (tree.size() < 5)
            check_order<4>(o, tree, q);
        close(&o);
    }
}

/* Γ from central differences of A is as good as h² + ε/h; Ȧ − 2 C is skew, and c = Γ q̇ q̇ is what Newton and Euler find. */
void test_velocity_terms(void **) {
    for (int i = 0; i < 20; ++i) {
        const std::vector<jets::body> tree = random_tree(2 + i % 5, false);
        opened o = open_text(scenario_of(tree));
        const size_t n = o.n;
        std::vector<double> q(n), u(n), symbols(n * n * n), terms(n), slope(n * n), above(n * n), below(n * n);
        for (size_t k = 0; k < n; ++k) {
            q[k] = random_number(-3, 3);
            u[k] = random_number(-2, 2);
        }
        assert_int_equal(sarrus_kinematics_christoffel(o.kinematics, 1, q.data(), symbols.data()), SARRUS_OK);
        assert_int_equal(sarrus_kinematics_forces(o.kinematics, 1, q.data(), u.data(), terms.data(), nullptr), SARRUS_OK);
        std::vector<double> product(n, 0.0), skew(n * n, 0.0), zero(n * n, 0.0);
        for (size_t a = 0; a < n; ++a)
            for (size_t b = 0; b < n; ++b)
                for (size_t c = 0; c < n; ++c)
                    product[a] += symbols[(a * n + b) * n + c] * u[b] * u[c];
        compare("velocity terms", terms, product);
        for (int k = 0; k < (int)n; ++k) {
            assert_int_equal(sarrus_kinematics_inertia(o.kinematics, 1, q.data(), 1, &k, slope.data()), SARRUS_OK);
            for (size_t a = 0; a < n; ++a)
                for (size_t b = 0; b < n; ++b)
                    skew[a * n + b] += slope[a * n + b] * u[(size_t)k] - 2.0 * symbols[(a * n + b) * n + (size_t)k] * u[(size_t)k];
            const double h = 1e-5;
            std::vector<double> moved = q;
            moved[(size_t)k] = q[(size_t)k] + h;
            assert_int_equal(sarrus_kinematics_inertia(o.kinematics, 1, moved.data(), 0, nullptr, above.data()), SARRUS_OK);
            moved[(size_t)k] = q[(size_t)k] - h;
            assert_int_equal(sarrus_kinematics_inertia(o.kinematics, 1, moved.data(), 0, nullptr, below.data()), SARRUS_OK);
            for (size_t e = 0; e < n * n; ++e) /* h² A''' / 6 + ε A / h, A below 300 */
                assert_true(std::fabs((above[e] - below[e]) / (2.0 * h) - slope[e]) < 1e-7);
        }
        for (size_t a = 0; a < n; ++a)
            for (size_t b = 0; b < n; ++b)
                zero[a * n + b] = 0.5 * (skew[a * n + b] + skew[b * n + a]);
        compare("skew", zero, std::vector<double>(n * n, 0.0));
        close(&o);
    }
}

// --- The program's own runs -----------------------------------------------------------------------------------------------------

/* x ← B⁻¹ x by elimination with pivoting. */
void solve(std::vector<double> b, std::vector<double> *x) {
    const size_t n = x->size();
    for (size_t k = 0; k < n; ++k) {
        size_t p = k;
        for (size_t i = k + 1; i < n; ++i)
            p = std::fabs(b[i * n + k]) > std::fabs(b[p * n + k]) ? i : p;
        for (size_t j = 0; j < n; ++j)
            std::swap(b[k * n + j], b[p * n + j]);
        std::swap((*x)[k], (*x)[p]);
        for (size_t i = k + 1; i < n; ++i) {
            const double f = b[i * n + k] / b[k * n + k];
            for (size_t j = k; j < n; ++j)
                b[i * n + j] -= f * b[k * n + j];
            (*x)[i] -= f * (*x)[k];
        }
    }
    for (size_t k = n; k-- > 0;) {
        for (size_t j = k + 1; j < n; ++j)
            (*x)[k] -= b[k * n + j] * (*x)[j];
        (*x)[k] /= b[k * n + k];
    }
}

/* A body's speeds from its quasi-velocity, or accelerations from rates and velocities: shifts in the inertial frame, turns in its
 * own, in the plane two and one. */
void body_speeds(int n_v, const double *r, const double *v, const double *turned, double *out) {
    const int n_shifts = n_v == 3 ? 2 : 3;
    for (int i = 0; i < n_shifts; ++i) {
        out[i] = 0.0;
        for (int k = 0; k < 3; ++k)
            out[i] += r[3 * i + k] * (v[k] + turned[k]);
    }
    for (int i = 0; i < n_v - n_shifts; ++i)
        out[n_shifts + i] = v[n_v == 3 ? 5 : 3 + i];
}

/* What a run has come to. */
struct seen {
    size_t n_v, n_q, each; /* speeds, coordinates, speeds of a body */
    std::vector<double> bodies, v, a, mass;
};

seen run_take(const opened &o, int n_steps) {
    sarrus_plan_sizes sizes;
    sarrus_plan_sizes_get(o.plan, &sizes);
    seen s = {(size_t)sizes.n, (size_t)sizes.n_coordinates, (size_t)sizes.n / o.n_bodies, {}, {}, {}, {}};
    s.bodies.resize(s.n_q);
    s.v.resize(s.n_v);
    s.a.resize(s.n_v);
    s.mass.resize(s.n_v * s.n_v);
    sarrus_batch *batch = nullptr;
    sarrus_batch_options options = {};
    options.n_threads = 1;
    assert_int_equal(sarrus_batch_create(o.context, o.plan, &options, 1, nullptr, &batch), SARRUS_OK);
    assert_int_equal(sarrus_batch_advance(batch, (uint64_t)n_steps), SARRUS_OK);
    mechanism_observe(batch, SARRUS_OBSERVE_Q, s.bodies.data());
    mechanism_observe(batch, SARRUS_OBSERVE_V, s.v.data());
    mechanism_observe(batch, SARRUS_OBSERVE_ACCELERATION, s.a.data());
    sarrus_systems systems = {};
    systems.size = sizeof systems;
    systems.mass = s.mass.data();
    assert_int_equal(sarrus_batch_copy_systems(batch, &systems), SARRUS_OK);
    sarrus_batch_destroy(batch);
    return s;
}

/* What the screws make of its positions. */
struct placed {
    std::vector<double> q, rotations, screws, inertia;
};

placed place(const opened &o, const seen &s, const std::string &text) {
    const size_t per_q = s.n_q / o.n_bodies;
    std::vector<double> positions(3 * o.n_bodies);
    placed p = {std::vector<double>(o.n), std::vector<double>(9 * o.n_bodies), std::vector<double>(6 * o.n_bodies * o.n),
                std::vector<double>(o.n * o.n)};
    assert_int_equal(sarrus_kinematics_coordinates(o.kinematics, 1, s.bodies.data(), p.q.data()), SARRUS_OK);
    assert_int_equal(sarrus_kinematics_poses(o.kinematics, 1, p.q.data(), positions.data(), p.rotations.data()), SARRUS_OK);
    assert_int_equal(sarrus_kinematics_screws(o.kinematics, 1, p.q.data(), 0, nullptr, p.screws.data()), SARRUS_OK);
    assert_int_equal(sarrus_kinematics_inertia(o.kinematics, 1, p.q.data(), 0, nullptr, p.inertia.data()), SARRUS_OK);
    for (size_t b = 0; b < o.n_bodies; ++b) {
        for (size_t k = 0; k < (per_q == 3 ? 2u : 3u); ++k) {
            if (!(std::fabs(positions[3 * b + k] - s.bodies[b * per_q + k]) < 1e-10))
                fail_msg("body %zu is at %.17g for %.17g\n%s", b, positions[3 * b + k], s.bodies[b * per_q + k], text.c_str());
        }
    }
    return p;
}

const double none[3] = {0, 0, 0};

/* A = Bᵀ M B where B [n_v][n] are the bodies' speeds for q̇_i = 1; returns Bᵀ M v. */
std::vector<double> check_mass(const opened &o, const seen &s, const placed &p) {
    const size_t n = o.n;
    std::vector<double> motions(s.n_v * n), momenta(s.n_v * n, 0.0), expected(n * n, 0.0), right(n, 0.0);
    for (size_t b = 0; b < o.n_bodies; ++b) {
        for (size_t i = 0; i < n; ++i) {
            double speeds[6];
            body_speeds((int)s.each, &p.rotations[9 * b], &p.screws[6 * (b * n + i)], none, speeds);
            for (size_t k = 0; k < s.each; ++k)
                motions[(b * s.each + k) * n + i] = speeds[k];
        }
    }
    for (size_t r = 0; r < s.n_v; ++r)
        for (size_t c = 0; c < s.n_v; ++c)
            for (size_t i = 0; i < n; ++i)
                momenta[r * n + i] += s.mass[r * s.n_v + c] * motions[c * n + i];
    for (size_t i = 0; i < n; ++i) {
        for (size_t r = 0; r < s.n_v; ++r) {
            right[i] += momenta[r * n + i] * s.v[r];
            for (size_t j = 0; j < n; ++j)
                expected[i * n + j] += motions[r * n + i] * momenta[r * n + j];
        }
    }
    compare("mass matrix", p.inertia, expected);
    return right;
}

/* q̇ = A⁻¹ Bᵀ M v and q̈ = A⁻¹ (w − c) give the bodies' speeds and accelerations. */
void check_accelerations(const opened &o, const seen &s, const placed &p, std::vector<double> u, const std::string &text) {
    const size_t n = o.n;
    std::vector<double> terms(n), weights(n), rate(n), velocities(6 * o.n_bodies), rates(6 * o.n_bodies);
    solve(p.inertia, &u);
    assert_int_equal(sarrus_kinematics_forces(o.kinematics, 1, p.q.data(), u.data(), terms.data(), weights.data()), SARRUS_OK);
    for (size_t i = 0; i < n; ++i)
        rate[i] = weights[i] - terms[i];
    solve(p.inertia, &rate);
    assert_int_equal(
        sarrus_kinematics_motion(o.kinematics, 1, p.q.data(), u.data(), rate.data(), velocities.data(), rates.data()), SARRUS_OK);
    const double of_v = 1.0 + mechanism_size(s.v.data(), s.n_v), of_a = 1.0 + mechanism_size(s.a.data(), s.n_v);
    for (size_t b = 0; b < o.n_bodies; ++b) {
        const double *w = &velocities[6 * b + 3], *v = &velocities[6 * b];
        const double turned[3] = {w[1] * v[2] - w[2] * v[1], w[2] * v[0] - w[0] * v[2], w[0] * v[1] - w[1] * v[0]};
        double speeds[6], accelerations[6];
        body_speeds((int)s.each, &p.rotations[9 * b], v, none, speeds);
        body_speeds((int)s.each, &p.rotations[9 * b], &rates[6 * b], turned, accelerations);
        for (size_t k = 0; k < s.each; ++k) {
            const size_t at = b * s.each + k;
            if (!(std::fabs(speeds[k] - s.v[at]) < 1e-9 * of_v) || !(std::fabs(accelerations[k] - s.a[at]) < 1e-8 * of_a))
                fail_msg("body %zu, %zu: speed %.17g for %.17g, acceleration %.17g for %.17g\n%s", b, k, speeds[k], s.v[at],
                         accelerations[k], s.a[at], text.c_str());
        }
    }
}

/* After some steps the coordinates, the poses and the mass matrix of a run are those of the screws, and its accelerations where
 * it is an open tree that weights alone act on. The run is on its constraints to 1e-12. */
void check_run(const std::string &text, int n_steps, bool is_open) {
    opened o = open_text(text);
    const seen s = run_take(o, n_steps);
    const placed p = place(o, s, text);
    const std::vector<double> right = check_mass(o, s, p);
    if (is_open)
        check_accelerations(o, s, p, right, text);
    close(&o);
}

void test_runs_of_random_trees(void **) {
    for (int i = 0; i < 12; ++i)
        check_run(scenario_of(random_tree(1 + i % 5, false)), 60, true);
}

const std::string space = "sarrus: 1\nspace: spatial\ngravity: [0.2, 0.1, -9.81]\n";
const std::string tail = "integrator: {method: rk4, dt: 1.0e-3, t_end: 1}\n";

std::string chain_of(const std::string &type, const std::string &keys, bool is_reversed) {
    const std::string bodies = is_reversed ? "[b, a]" : "[a, b]";
    return space +
           "bodies:\n  - {name: a, mass: 1, inertia: [0.1, 0.2, 0.25], position: [0.5, 0.1, 0]}\n"
           "  - {name: b, mass: 2, inertia: [0.2, 0.1, 0.15], position: [1, 0.3, 0.2], orientation: {euler: [0.3, 0.4, 0.5]}}\n"
           "joints:\n  - {name: A, type: revolute, bodies: [ground, a], at: [0, 0, 0], axis: [0.2, 1, 0.1]}\n"
           "  - {name: B, type: " +
           type + ", bodies: " + bodies + ", at: [0.8, 0.2, 0.1]" + keys + "}\n" + tail;
}

void test_every_joint(void **) {
    const std::string axis = ", axis: [0.3, -0.2, 1]";
    for (bool is_reversed : {false, true}) {
        check_run(chain_of("revolute", axis, is_reversed), 200, true);
        check_run(chain_of("prismatic", axis, is_reversed), 200, true);
        check_run(chain_of("cylindrical", axis, is_reversed), 200, true);
        check_run(chain_of("planar", axis, is_reversed), 200, true);
        check_run(chain_of("screw", axis + ", pitch: 0.07", is_reversed), 200, true);
        check_run(chain_of("universal", ", axes: [[1, 0, 0], [0, 1, 0]]", is_reversed), 200, true);
        check_run(chain_of("spherical", "", is_reversed), 200, true);
        check_run(chain_of("fixed", "", is_reversed), 200, true);
    }
    check_run(space + "bodies:\n  - {name: a, mass: 1, inertia: [0.1, 0.2, 0.25], position: [0.5, 0.1, 0], angular_velocity: [0.3, "
                      "2, 0.1]}\njoints: []\n" + tail, 150, true);
    /* Points in the bodies' frames that the given configuration leaves open: the run is assembled by moving both bodies. */
    check_run(space + "bodies:\n  - {name: a, mass: 1, inertia: [0.1, 0.2, 0.25], position: [0.5, 0, 0]}\n"
                      "  - {name: b, mass: 1, inertia: [0.1, 0.2, 0.25], position: [1.5, 0.05, 0.02]}\n"
                      "joints:\n  - {name: A, type: spherical, bodies: [ground, a], at: [0, 0, 0]}\n"
                      "  - {name: B, type: spherical, bodies: [a, b], points: [[0.5, 0, 0], [-0.5, 0, 0]]}\n" + tail, 100, true);
}

void test_plane_and_loops(void **) {
    const std::string plane = "sarrus: 1\nspace: planar\ngravity: [0.5, -9.81]\n";
    check_run(plane + "bodies:\n  - {name: a, mass: 1, inertia: 0.1, position: [0.5, 0]}\n"
                      "  - {name: b, mass: 2, inertia: 0.2, position: [1.2, 0.3], orientation: 0.4}\n"
                      "  - {name: c, mass: 0.5, inertia: 0.05, position: [2, 0]}\n"
                      "  - {name: d, mass: 0.5, inertia: 0.05, position: [-1, 1], angular_velocity: 2}\n"
                      "joints:\n  - {name: A, type: revolute, bodies: [ground, a], at: [0, 0]}\n"
                      "  - {name: B, type: prismatic, bodies: [b, a], at: [1, 0], axis: [1, 0.3]}\n"
                      "  - {name: C, type: revolute, bodies: [b, c], at: [1.5, 0.4]}\n" + tail, 100, true);
    for (const char *file : {"five_bar.yaml", "slider_crank.yaml", "cube_linkage.yaml", "spatial_four_bar.yaml"}) {
        FILE *stream = fopen(place_of_source((std::string("/scenarios/") + file).c_str()), "r");
        std::string text;
        assert_non_null(stream);
        for (int c = fgetc(stream); c != EOF; c = fgetc(stream))
            text += (char)c;
        fclose(stream);
        check_run(text, 50, false);
    }
}

// --- Instances and misuse -------------------------------------------------------------------------------------------------------

const std::string drawn = space +
    "bodies:\n  - {name: a, mass: 1, inertia: [0.1, 0.2, 0.25], position: [0.5, 0, 0]}\n"
    "joints:\n  - {name: A, type: revolute, bodies: [ground, a], at: [0, 0, 0], axis: [0, 1, 0]}\n" + tail +
    "batch: {instances: 3, parameters: [{path: bodies.a.mass, distribution: uniform, low: 1, high: 2}]}\n";

/* A pendulum's A is m l² + I_yy with the mass of each instance; what is NaN stays where it is. */
void test_instances(void **) {
    opened o = open_text(drawn);
    sarrus_draws *draws = nullptr;
    sarrus_kinematics *own = nullptr;
    assert_int_equal(sarrus_draws_create(o.context, o.model, 3, 3, &draws), SARRUS_OK);
    assert_int_equal(sarrus_kinematics_create(o.context, o.plan, draws, &own), SARRUS_OK);
    const double q[3] = {0.3, NAN, -1.0}, u[3] = {1, 1, 1};
    double inertia[3], terms[3], weights[3], screws[18], symbols[3];
    assert_int_equal(sarrus_kinematics_inertia(own, 3, q, 0, nullptr, inertia), SARRUS_OK);
    assert_int_equal(sarrus_kinematics_forces(own, 3, q, u, terms, weights), SARRUS_OK);
    assert_int_equal(sarrus_kinematics_screws(own, 3, q, 0, nullptr, screws), SARRUS_OK);
    assert_int_equal(sarrus_kinematics_christoffel(own, 3, q, symbols), SARRUS_OK);
    for (int i = 0; i < 3; i += 2) {
        const double mass = sarrus_draws_values(draws, 0)[i];
        assert_true(std::fabs(inertia[i] - (0.25 * mass + 0.2)) < 1e-14);
        assert_true(std::fabs(weights[i] - 0.5 * mass * (9.81 * std::cos(q[i]) - 0.2 * std::sin(q[i]))) < 1e-13);
        assert_true(std::isfinite(terms[i]) && std::isfinite(screws[6 * i]) && symbols[i] == 0.0);
    }
    assert_true(std::isnan(inertia[1]) && std::isnan(terms[1]) && std::isnan(screws[6]) && std::isnan(symbols[1]));
    assert_int_equal(sarrus_kinematics_inertia(own, 2, q, 0, nullptr, inertia), SARRUS_BAD_ARGUMENT);
    sarrus_kinematics_destroy(own);
    sarrus_draws_destroy(draws);
    close(&o);
}

void test_refusals(void **) {
    opened o = open_text(drawn);
    sarrus_kinematics *k = o.kinematics, *other = nullptr;
    sarrus_kinematics_pair pair;
    const double q[1] = {0.1};
    double out[6];
    const int beyond[1] = {1}, before[1] = {-1}, many[9] = {0};
    assert_int_equal(sarrus_kinematics_create(o.context, nullptr, nullptr, &other), SARRUS_BAD_ARGUMENT);
    assert_int_equal(sarrus_kinematics_create(o.context, o.plan, nullptr, nullptr), SARRUS_BAD_ARGUMENT);
    assert_int_equal(sarrus_kinematics_pair_get(k, 1, &pair), SARRUS_BAD_ARGUMENT);
    assert_int_equal(sarrus_kinematics_pair_get(k, 0, nullptr), SARRUS_BAD_ARGUMENT);
    assert_int_equal(sarrus_kinematics_screws(k, 1, q, 1, beyond, out), SARRUS_BAD_ARGUMENT);
    assert_int_equal(sarrus_kinematics_screws(k, 1, q, 1, before, out), SARRUS_BAD_ARGUMENT);
    assert_int_equal(sarrus_kinematics_screws(k, 1, q, 9, many, out), SARRUS_BAD_ARGUMENT);
    assert_int_equal(sarrus_kinematics_screws(k, 1, q, 1, nullptr, out), SARRUS_BAD_ARGUMENT);
    assert_int_equal(sarrus_kinematics_screws(k, 0, q, 0, nullptr, out), SARRUS_BAD_ARGUMENT);
    assert_int_equal(sarrus_kinematics_inertia(nullptr, 1, q, 0, nullptr, out), SARRUS_BAD_ARGUMENT);
    assert_int_equal(sarrus_kinematics_inertia(k, 1, nullptr, 0, nullptr, out), SARRUS_BAD_ARGUMENT);
    assert_int_equal(sarrus_kinematics_christoffel(k, 1, q, nullptr), SARRUS_BAD_ARGUMENT);
    assert_int_equal(sarrus_kinematics_poses(k, 1, nullptr, nullptr, nullptr), SARRUS_BAD_ARGUMENT);
    assert_int_equal(sarrus_kinematics_poses(k, 1, q, nullptr, nullptr), SARRUS_OK);
    assert_int_equal(sarrus_kinematics_coordinates(k, 1, nullptr, out), SARRUS_BAD_ARGUMENT);
    assert_int_equal(sarrus_kinematics_motion(k, 1, q, nullptr, nullptr, out, nullptr), SARRUS_BAD_ARGUMENT);
    assert_int_equal(sarrus_kinematics_forces(k, 1, q, nullptr, out, nullptr), SARRUS_BAD_ARGUMENT);
    assert_int_equal(sarrus_kinematics_n_pairs(nullptr), 0);
    assert_int_equal(sarrus_kinematics_n_bodies(nullptr), 0);
    sarrus_kinematics_destroy(nullptr);
    close(&o);
    sarrus_context *context = nullptr;
    sarrus_model *model = nullptr;
    sarrus_plan *plan = nullptr;
    assert_int_equal(sarrus_context_create(&context), SARRUS_OK);
    const char *gyrostat = place_of_source("/scenarios/gyrostat.yaml");
    assert_int_equal(sarrus_scenario_read_file(context, gyrostat, nullptr, 0, &model), SARRUS_OK);
    assert_int_equal(sarrus_plan_create(context, model, &plan), SARRUS_OK);
    assert_int_equal(sarrus_kinematics_create(context, plan, nullptr, &other), SARRUS_UNSUPPORTED);
    sarrus_plan_destroy(plan);
    sarrus_model_destroy(model);
    sarrus_context_destroy(context);
}

} // namespace

int main() {
    const CMUnitTest tests[] = {cmocka_unit_test(test_random_trees),  cmocka_unit_test(test_velocity_terms),
                                cmocka_unit_test(test_runs_of_random_trees), cmocka_unit_test(test_every_joint),
                                cmocka_unit_test(test_plane_and_loops), cmocka_unit_test(test_instances),
                                cmocka_unit_test(test_refusals)};
    return cmocka_run_group_tests(tests, nullptr, nullptr);
}
