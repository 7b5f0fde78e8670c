/* Claims: a plan in relative coordinates has as many degrees of freedom as that in absolute ones, and its independent rows are
 * independent of one another and of the joints of its tree wherever the absolute plan looked; its chains, entries and carries are
 * those of a search body by body; its S is that of the absolute rows once the tree's rows are met, whichever joints the tree has;
 * its shares add up to it; it is the same every time, and right in any order of the joints; where there is none, the place at which
 * the scenario asks for it is told. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "plan/build.h"
#include "plan/constraints.h"
#include "plan/tree_rows.h"
#include "tests/support/mechanism.h"

/* Every form of link, most of them from either side, and a part that floats; the loops are closed by what no tree has. */
static const char all_links[] =
    "sarrus: 1\nspace: spatial\ngravity: [0, 0, -9.81]\nintegrator: {method: rk4, dt: 1.0e-3, t_end: 1}\nbodies:\n"
    "  - {name: a, mass: 1, inertia: [0.1, 0.2, 0.25], position: [40.1, 0.2, 0.3], orientation: {bryant: [0.2, 0.4, 1]}}\n"
    "  - {name: b, mass: 2, inertia: [0.3, 0.2, 0.25], position: [40.8, 0.1, 0.9], orientation: {bryant: [1.2, 0.4, 0]}}\n"
    "  - {name: c, mass: 3, inertia: [0.1, 0.2, 0.15], position: [39.5, 0.7, 0.2], orientation: {bryant: [0.1, 0.9, 0.3]}}\n"
    "  - {name: d, mass: 1, inertia: [0.4, 0.2, 0.35], position: [39.1, 1.2, 0.8], orientation: {bryant: [-1, 0.4, 2]}}\n"
    "  - {name: e, mass: 2, inertia: [0.1, 0.1, 0.15], position: [38.6, 0.9, 1.4], orientation: {bryant: [0.2, -0.6, 1]}}\n"
    "  - {name: f, mass: 1, inertia: [0.5, 0.4, 0.25], position: [38.2, 0.3, 1.9], orientation: {bryant: [0.7, 0.4, -1]}}\n"
    "  - {name: g, mass: 1, inertia: [0.1, 0.2, 0.25], position: [38.5, -0.5, 2.2], orientation: {bryant: [0.2, 0, 0.5]}}\n"
    "  - {name: h, mass: 4, inertia: [0.3, 0.2, 0.25], position: [39.0, -0.9, 1.7], orientation: {bryant: [2, 0.1, 0.1]}}\n"
    "  - {name: i, mass: 1, inertia: [0.1, 0.2, 0.25], position: [39.6, -1.1, 1.1], orientation: {bryant: [0.3, 1, 0.4]}}\n"
    "  - {name: j, mass: 2, inertia: [0.2, 0.2, 0.25], position: [37.5, 1.1, 0.3], orientation: {bryant: [0.3, 0.3, 0.3]}}\n"
    "  - {name: k, mass: 1, inertia: [0.1, 0.3, 0.25], position: [37.1, 0.6, 1.0], orientation: {bryant: [0.9, 0.1, 0]}}\n"
    "joints:\n"
    "  - {name: Q, type: planar, bodies: [h, g], at: [38.8, -0.6, 2.0], axis: [1, -0.3, 0.6]}\n"
    "  - {name: R, type: revolute, bodies: [ground, a], at: [40, 0, 0], axis: [0.3, 0.2, 1]}\n"
    "  - {name: P, type: prismatic, bodies: [b, a], at: [40.4, 0.1, 0.7], axis: [1, 0.4, 0.2]}\n"
    "  - {name: C, type: cylindrical, bodies: [a, c], at: [39.8, 0.4, 0.3], axis: [1, 1, 0], drive: [null, {signal: {ramp: {slope: "
    "0.1}}}]}\n"
    "  - {name: S, type: screw, bodies: [d, c], at: [39.3, 1, 0.4], axis: [0, 0.2, 1], pitch: 0.2}\n"
    "  - {name: U, type: universal, bodies: [d, e], at: [38.8, 1, 1.1], axes: [[1, 0, 0], [0, 1, 0]]}\n"
    "  - {name: V, type: universal, bodies: [f, e], at: [38.4, 0.6, 1.7], axes: [[0, 0, 1], [1, 1, 0]]}\n"
    "  - {name: B, type: spherical, bodies: [f, g], at: [38.3, 0, 2]}\n"
    "  - {name: F, type: fixed, bodies: [h, i], at: [39.3, -1, 1.4]}\n"
    "  - {name: K, type: revolute, bodies: [k, j], at: [37.3, 0.8, 0.6], axis: [0, 1, 0.5]}\n"
    "  - {name: L, type: distance, bodies: [b, i], points: [[0.1, 0, 0.2], [0, 0.3, 0.1]]}\n"
    "  - {name: M, type: distance, bodies: [i, k], points: [[0.2, 0.1, 0], [0.1, 0.1, 0.1]]}\n"
    "  - {name: N, type: distance, bodies: [j, d], points: [[0, 0.2, 0], [0.3, 0, 0]]}\n"
    "  - {name: O, type: distance, bodies: [ground, g], points: [[38, 0, 0], [0, 0, 0.2]]}\n"
    "  - {name: G, type: general, bodies: [e, j], at: [38, 1, 0.8], constrain: [x, ry]}\n"
    "  - {name: W, type: bushing, bodies: [ground, c], at: [39.5, 0.7, 0], stiffness: [9, 9, 9, 1, 1, 1]}\n";

/* A driven slide, a weld, a slot and a rod in the plane; a body that floats, and two pins between the same bodies. */
static const char plane_links[] =
    "sarrus: 1\nspace: planar\ngravity: [0, -9.81]\nintegrator: {method: rk4, dt: 1.0e-3, t_end: 1}\nbodies:\n"
    "  - {name: a, mass: 1, inertia: 0.1, position: [50.3, 0.1], orientation: 0.4}\n"
    "  - {name: b, mass: 2, inertia: 0.2, position: [50.9, 0.6], orientation: -0.7}\n"
    "  - {name: c, mass: 1, inertia: 0.3, position: [51.5, 0.2], orientation: 1.4}\n"
    "  - {name: d, mass: 3, inertia: 0.1, position: [52.1, 0.8], orientation: 2.4}\n"
    "  - {name: e, mass: 1, inertia: 0.2, position: [53.0, 1.8], orientation: 0.1}\n"
    "joints:\n"
    "  - {name: S, type: slot, bodies: [d, e], at: [52.6, 1.2], axis: [1, 2]}\n"
    "  - {name: R, type: revolute, bodies: [a, ground], at: [50, 0]}\n"
    "  - {name: P, type: prismatic, bodies: [a, b], at: [50.6, 0.3], axis: [1, 1], drive: {signal: {ramp: {slope: 0.1}}}}\n"
    "  - {name: F, type: fixed, bodies: [c, b], at: [51.2, 0.4]}\n"
    "  - {name: T, type: revolute, bodies: [c, d], at: [51.8, 0.5]}\n"
    "  - {name: L, type: distance, bodies: [d, ground], points: [[0.2, 0.1], [52, -1]]}\n"
    "  - {name: D, type: distance, bodies: [e, b], points: [[0.1, 0], [0, 0.3]]}\n";

/* Gears, racks, a cam and a curve between joints of the tree and cut ones, with bodies in common and without. */
static const char geared_links[] =
    "sarrus: 1\nspace: planar\ngravity: [0, -9.81]\nintegrator: {method: rk4, dt: 1.0e-3, t_end: 1}\nbodies:\n"
    "  - {name: a, mass: 1, inertia: 0.1, position: [50.3, 0.1], orientation: 0.4}\n"
    "  - {name: b, mass: 2, inertia: 0.2, position: [50.9, 0.6], orientation: -0.7}\n"
    "  - {name: c, mass: 1, inertia: 0.3, position: [51.5, 0.2], orientation: 1.4}\n"
    "  - {name: d, mass: 3, inertia: 0.1, position: [52.1, 0.8], orientation: 2.4}\n"
    "  - {name: e, mass: 1, inertia: 0.2, position: [53.0, 1.8], orientation: 0.1}\n"
    "joints:\n"
    "  - {name: R, type: revolute, bodies: [a, ground], at: [50, 0]}\n"
    "  - {name: P, type: prismatic, bodies: [a, b], at: [50.6, 0.3], axis: [1, 1]}\n"
    "  - {name: T, type: revolute, bodies: [c, b], at: [51.2, 0.4]}\n"
    "  - {name: U, type: revolute, bodies: [c, d], at: [51.8, 0.5]}\n"
    "  - {name: S, type: slot, bodies: [ground, e], at: [53, 1.8], axis: [1, 2]}\n"
    "  - {name: L, type: distance, bodies: [d, ground], points: [[0.2, 0.1], [52, -1]]}\n"
    "constraints:\n"
    "  - {name: G, type: gear, joints: [U, R], ratio: 0.7}\n"
    "  - {name: H, type: gear, joints: [S, T], ratio: -0.2}\n"
    "  - {name: K, type: cam, joints: [P, T], table: {angle: [-1, 0, 1, 2], y: [0, 0.01, 0.2, 0.1]}}\n"
    "  - {name: C, type: curve, bodies: [e, b], point: [0.1, 0.2], points: [[-3, -1], [-2, -1.2], [-1, -1]]}\n";

typedef struct subject {
    const char *what; /* a file of scenarios, or the text of one */
    int n_q, n_v, m, rank;
} subject;

static const subject subjects[] = {
    {"andrews.yaml", 7, 7, 6, 6},
    {"arm_6r.yaml", 6, 6, 0, 0},
    {"arm_7r.yaml", 7, 7, 0, 0},
    {"bead_on_curve.yaml", 8, 7, 2, 2},
    {"bennett.yaml", 3, 3, 5, 2},
    {"bricard.yaml", 5, 5, 5, 4},
    {"cantilever.yaml", 10, 10, 0, 0},
    {"cardan_suspension.yaml", 3, 3, 0, 0},
    {"cam_follower.yaml", 2, 2, 2, 2},
    {"change_point.yaml", 5, 5, 4, 4},
    {"cube_linkage.yaml", 5, 5, 5, 4},
    {"delta_robot.yaml", 19, 18, 18, 18},
    {"double_pendulum.yaml", 2, 2, 0, 0},
    {"driven_crank.yaml", 3, 3, 3, 3},
    {"five_bar.yaml", 4, 4, 4, 3},
    {"five_bar_singular.yaml", 4, 4, 4, 3},
    {"four_bar.yaml", 3, 3, 2, 2},
    {"groove_cam.yaml", 2, 2, 2, 2},
    {"gyrostat.yaml", 7, 6, 0, 0},
    {"heavy_top.yaml", 4, 3, 0, 0},
    {"hoop_on_cylinder.yaml", 4, 4, 11, 3},
    {"n_four_bar_2.yaml", 5, 5, 4, 4},
    {"n_four_bar_40.yaml", 81, 81, 80, 80},
    {"pendulum.yaml", 1, 1, 0, 0},
    {"planetary_train.yaml", 3, 3, 4, 2},
    {"sarrus_linkage.yaml", 5, 5, 5, 4},
    {"scotch_yoke.yaml", 2, 2, 2, 2},
    {"slider_crank.yaml", 3, 3, 2, 2},
    {"spatial_four_bar.yaml", 3, 3, 5, 2},
    {"spatial_slider_crank.yaml", 4, 4, 3, 3},
    {"stewart_platform.yaml", 22, 21, 21, 21},
    {"torque_free_body.yaml", 7, 6, 0, 0},
    {all_links, 24, 22, 7, 7},
    {plane_links, 6, 6, 4, 4},
    {geared_links, 7, 7, 6, 6},
};
enum { N_SUBJECTS = sizeof subjects / sizeof subjects[0] };

static mechanism subject_open(const subject *of) {
    mechanism mech = strchr(of->what, '\n') ? mechanism_open_text(of->what, mechanism_in_bodies)
                                            : mechanism_open_file(of->what, mechanism_in_bodies);
    assert_null(mech.plan->relative);
    assert_int_equal(sarrus_plan_relative_make(mech.context, mech.plan, SARRUS_ORDER_BEST), SARRUS_OK);
    return mech;
}

/* Whether a speed moves a body: its link is on the way from the body to ground. */
static bool moves(const sarrus_plan *plan, int32_t speed, int32_t body) {
    for (; body >= 0; body = plan->link[plan->link_of[body]].inboard) {
        const sarrus_mech_link *link = &plan->link[plan->link_of[body]];
        if (speed >= link->v && speed < link->v + link->n_v)
            return true;
    }
    return false;
}

static int32_t body_of_speed(const sarrus_plan *plan, int32_t speed) {
    for (int32_t k = 0; k < plan->mech.n_bodies; ++k) {
        if (speed >= plan->link[k].v && speed < plan->link[k].v + plan->link[k].n_v)
            return plan->link[k].body;
    }
    return -1;
}

static void links_are_a_tree(const sarrus_plan *plan) {
    const sarrus_mechanism *mech = &plan->mech;
    int32_t q = 0, v = 0;
    assert_int_equal(mech->tree.n_links, mech->n_bodies);
    for (int32_t k = 0; k < mech->n_bodies; ++k) {
        const sarrus_mech_link *link = &plan->link[k];
        assert_int_equal(plan->link_of[link->body], k);
        assert_true(link->inboard < 0 || plan->link_of[link->inboard] < k);
        assert_int_equal(link->root, link->inboard < 0 ? link->body : plan->link[plan->link_of[link->inboard]].root);
        assert_int_equal(link->q, q);
        assert_int_equal(link->v, v);
        assert_int_equal(link->form == SARRUS_LINK_FREE, link->joint < 0);
        q = k + 1 < mech->n_bodies ? plan->link[k + 1].q : mech->n_q;
        v += link->n_v;
        if (link->joint < 0) {
            assert_int_equal(link->inboard, -1);
            continue;
        }
        const sarrus_mech_joint *joint = &plan->joint[link->joint];
        assert_true(joint->is_within);
        assert_int_equal(link->is_reversed ? joint->child : joint->parent, link->inboard);
        assert_int_equal(link->is_reversed ? joint->parent : joint->child, link->body);
        assert_true(link->freedom < 0 || plan->freedom[link->freedom].joint == link->joint);
        assert_true(link->freedom < 1 || plan->freedom[link->freedom - 1].joint < link->joint);
    }
    assert_int_equal(v, mech->n_v);
}

static void chains_are_those_of_a_search(const sarrus_plan *plan) {
    int32_t at = 0;
    for (int32_t i = 0; i < plan->mech.n_v; ++i) {
        const int32_t body = body_of_speed(plan, i);
        assert_int_equal(plan->chain_start[i], at);
        for (int32_t k = i; k >= 0; --k) {
            if (moves(plan, k, body))
                assert_int_equal(plan->chain[at++], k);
        }
    }
    assert_int_equal(plan->chain_start[plan->mech.n_v], at);
    assert_int_equal(plan->mech.tree.n_chain, at);
}

/* The side of a line of a row that a speed moves, −1: both; NOT_MOVED: none, or there is no such line. */
enum { NOT_MOVED = -2 };
static int32_t line_moved(const sarrus_plan *plan, int32_t speed, int32_t line) {
    if (line < 0)
        return NOT_MOVED;
    const bool parent = moves(plan, speed, plan->row[line].parent), child = moves(plan, speed, plan->row[line].child);
    return parent && child ? -1 : parent || child ? 2 * line + child : NOT_MOVED;
}

static void entries_are_those_of_a_search(const sarrus_plan *plan) {
    int32_t at = 0;
    for (int32_t i = 0; i < plan->mech.m; ++i) {
        assert_int_equal(plan->row_start[i], at);
        for (int32_t k = plan->mech.n_v - 1; k >= 0; --k) {
            const int32_t own = line_moved(plan, k, i), other = line_moved(plan, k, sarrus_plan_row_part(plan, i));
            if (own == NOT_MOVED && other == NOT_MOVED)
                continue;
            assert_int_equal(plan->entry[at].speed, k);
            assert_int_equal(plan->entry[at].side, own >= 0 ? own : other >= 0 ? other : -1);
            assert_int_equal(plan->entry[at].way >= SARRUS_ENTRY_SUM, own >= 0 && other >= 0);
            assert_true(plan->entry[at].way < SARRUS_ENTRY_SUM || plan->entry[at].way == SARRUS_ENTRY_SUM + other % 2);
            ++at;
        }
    }
    assert_int_equal(plan->row_start[plan->mech.m], at);
    assert_int_equal(plan->mech.tree.n_entries, at);
}

static void carries_are_those_of_a_search(const sarrus_plan *plan) {
    const sarrus_mech_carry *carry = plan->carry;
    for (int32_t i = 0; i < plan->mech.m; ++i) {
        for (int32_t e = plan->row_start[i]; e < plan->row_start[i + 1]; ++e) {
            const int32_t speed = plan->entry[e].speed;
            for (int32_t at = plan->chain_start[speed] + 1; at < plan->chain_start[speed + 1]; ++at, ++carry) {
                assert_int_equal(carry->from, e);
                assert_int_equal(carry->at, at);
                assert_in_range(carry->to, e + 1, plan->row_start[i + 1] - 1);
                assert_int_equal(plan->entry[carry->to].speed, plan->chain[at]);
            }
        }
    }
    assert_int_equal(carry - plan->carry, plan->mech.tree.n_carries);
}

static void parts_are_the_same(const sarrus_plan *absolute, int row, int of) {
    const sarrus_plan *plan = absolute->relative;
    const int part = sarrus_plan_row_part(plan, row), part_of = sarrus_plan_row_part(absolute, of);
    assert_int_equal(part < 0, part_of < 0);
    if (part < 0)
        return;
    assert_in_range(part, plan->mech.m, plan->mech.m + plan->mech.n_parts - 1);
    assert_int_equal(plan->row[part].parent, absolute->row[part_of].parent);
    assert_int_equal(plan->row[part].child, absolute->row[part_of].child);
    assert_int_equal(plan->row[part].kind, absolute->row[part_of].kind);
}

static void rows_are_those_that_are_left(const sarrus_plan *absolute) {
    const sarrus_plan *plan = absolute->relative;
    int32_t row = 0, n_drives = 0;
    for (int32_t i = 0; i < plan->mech.n_joints + plan->mech.n_constraints; ++i) {
        const sarrus_mech_joint *joint = &plan->joint[i];
        assert_false(joint->is_crank_pin || joint->parent_crank >= 0 || joint->child_crank >= 0);
        if (joint->is_within && joint->n_rows == 0)
            assert_int_equal(joint->row, plan->mech.m);
        else
            assert_int_equal(joint->row, row);
        for (; joint->n_rows > 0 && row < joint->row + joint->n_rows; ++row) {
            const int of = sarrus_plan_row_in_absolute(absolute, row);
            assert_int_equal(plan->row[row].joint, i);
            assert_int_equal(absolute->row[of].joint, i);
            assert_int_equal(plan->row[row].form, absolute->row[of].form);
            assert_int_equal(plan->row[row].kind, absolute->row[of].kind);
            parts_are_the_same(absolute, row, of);
            assert_int_equal(sarrus_plan_row_signal(plan, row), sarrus_plan_row_signal(absolute, of));
            assert_true(!joint->is_within || sarrus_plan_row_is_drive(plan, row));
            n_drives += sarrus_plan_row_is_drive(plan, row);
        }
    }
    assert_int_equal(row, plan->mech.m);
    assert_int_equal(n_drives, absolute->mech.n_drives);
    assert_int_equal(plan->mech.m + plan->mech.tree.n_rows_within, absolute->mech.m);
}

static void freedom_is_that_of_absolute_coordinates(const sarrus_plan *absolute) {
    const sarrus_plan *plan = absolute->relative;
    assert_int_equal(plan->mech.n_v - plan->independence.n_independent, absolute->mech.n_v - absolute->independence.n_independent);
    assert_int_equal(plan->independence.n_independent + plan->mech.tree.n_rows_within, absolute->independence.n_independent);
    assert_int_equal(plan->mech.factor.n_rows, plan->independence.n_independent);
    assert_int_equal(plan->mech.n_parameters, absolute->mech.n_parameters);
    assert_true(plan->mech.m == 0 || (plan->mech.ordinary > 0.0 && plan->mech.guard > 0.0));
    assert_true(plan->independence.n_independent == 0 ||
                (plan->independence.typical_kept > 1e-8 && plan->independence.typical_kept <= 1.0));
}

static void tables_hold(const sarrus_plan *absolute) {
    links_are_a_tree(absolute->relative);
    chains_are_those_of_a_search(absolute->relative);
    entries_are_those_of_a_search(absolute->relative);
    carries_are_those_of_a_search(absolute->relative);
    rows_are_those_that_are_left(absolute);
    freedom_is_that_of_absolute_coordinates(absolute);
}

/* The absolute rows as full ones, and what they leave of one another. */
typedef struct full_rows {
    int m, n;
    double *row;  /* [m][n] J M^{-1/2} */
    double *size; /* [m] of what they were */
} full_rows;

static double dot(const double *a, const double *b, int n) {
    double sum = 0.0;
    for (int k = 0; k < n; ++k)
        sum += a[k] * b[k];
    return sum;
}

static void full_rows_fill(full_rows *full, const sarrus_configuration *at) {
    const int n_each = at->sizes->n_v;
    memset(full->row, 0, (size_t)full->m * (size_t)full->n * sizeof *full->row);
    for (int i = 0; i < full->m; ++i) {
        for (int side = 0; side < at->rows.n_sides; ++side) {
            const int32_t body = at->rows.body[i][side];
            if (body >= 0)
                memcpy(full->row + (size_t)i * (size_t)full->n + (size_t)(n_each * body), sarrus_plan_row_side(&at->rows, i, side),
                       (size_t)n_each * sizeof *full->row);
        }
    }
    for (int i = 0; i < full->m; ++i)
        full->size[i] = sqrt(dot(full->row + (ptrdiff_t)i * full->n, full->row + (ptrdiff_t)i * full->n, full->n));
}

/* Takes row i out of the rows of `on`; returns what it is, relative to what it was. Twice is enough for what is left to be across
 * (Giraud et al. 2005). */
static double full_rows_take(full_rows *full, int i, const bool *on) {
    const double *of = full->row + (ptrdiff_t)i * full->n;
    const double own = dot(of, of, full->n);
    for (int pass = 0; pass < 2; ++pass) {
        for (int k = 0; k < full->m; ++k) {
            double *to = full->row + (ptrdiff_t)k * full->n;
            const double share = own > 0.0 ? dot(to, of, full->n) / own : 0.0;
            for (int at = 0; on[k] && k != i && at < full->n; ++at)
                to[at] -= share * of[at];
        }
    }
    return sqrt(own) / full->size[i];
}

/* What is left of row i once the tree's rows are met, whose products are S in relative coordinates: of `full` here. */
static void gram_is_that_of_full_rows(const sarrus_plan *absolute, const sarrus_tree_rows *rows, const full_rows *full) {
    const sarrus_plan *plan = absolute->relative;
    for (int i = 0; i < plan->mech.m; ++i) {
        for (int j = 0; j <= i; ++j) {
            const int a = sarrus_plan_row_in_absolute(absolute, i), b = sarrus_plan_row_in_absolute(absolute, j);
            const double expected = dot(full->row + (ptrdiff_t)a * full->n, full->row + (ptrdiff_t)b * full->n, full->n);
            const double found = sarrus_tree_rows_product(rows, i, j);
            /* What is left loses digits where the tree's rows are nearly parallel, and the configuration meets the constraints to
             * 1e-11 of its size, 50 at most. */
            if (!(fabs(found - expected) <= 1e-7 * full->size[a] * full->size[b]))
                fail_msg("rows %d and %d: %.12g instead of %.12g", i, j, found, expected);
        }
    }
}

/* The tree's rows are independent, and taken out of the others. */
static void tree_rows_take(const sarrus_plan *absolute, full_rows *full, bool *is_left) {
    const sarrus_plan *plan = absolute->relative;
    for (int i = 0; i < full->m; ++i)
        is_left[i] = true;
    for (int i = 0, kept = 0; i < full->m; ++i) {
        is_left[i] = kept < plan->mech.m && sarrus_plan_row_in_absolute(absolute, kept) == i;
        kept += is_left[i];
        if (!is_left[i])
            assert_true(full_rows_take(full, i, is_left) > 1e-7);
    }
}

/* Of the others the independent ones are so beside them, and no more. */
static void rank_is_that_of_full_rows(const sarrus_plan *absolute, full_rows *full, bool *is_left) {
    const sarrus_plan_independence *found = &absolute->relative->independence;
    for (int k = 0; k < found->n_independent; ++k) {
        const int i = sarrus_plan_row_in_absolute(absolute, found->independent[k]);
        is_left[i] = false;
        assert_true(full_rows_take(full, i, is_left) > 1e-7);
    }
    for (int d = 0; d < absolute->relative->mech.m - found->n_independent; ++d) {
        const int i = sarrus_plan_row_in_absolute(absolute, found->dependent[d]);
        const double left = sqrt(dot(full->row + (ptrdiff_t)i * full->n, full->row + (ptrdiff_t)i * full->n, full->n));
        assert_true(left <= 1e-7 * full->size[i]);
    }
}

/* Blocks of the factor that the shares add up to, against S. */
static void shares_add_up(const sarrus_plan *plan, const sarrus_tree_rows *rows) {
    const sarrus_mech_factor *f = &plan->mech.factor;
    const size_t n_places = 4 * ((size_t)f->n_blocks + (size_t)f->n_entries);
    double *sum = calloc(n_places + 1, sizeof *sum);
    int *of_block = malloc((2 * (size_t)f->n_blocks + 1) * sizeof *of_block);
    assert_true(sum && of_block);
    for (int k = 0; k < 2 * f->n_blocks; ++k)
        of_block[k] = -1;
    for (int i = 0; i < f->n_rows; ++i)
        of_block[f->at[i]] = f->row_of[i];
    for (int i = 0; i < f->n_shares; ++i) {
        const sarrus_mech_share *share = &f->share[i];
        assert_int_equal(share->kind, SARRUS_SHARE_ROTATION);
        assert_int_equal(plan->entry[share->side_i].speed, plan->entry[share->side_j].speed);
        sum[share->destination] += rows->value[share->side_i] * rows->value[share->side_j];
    }
    assert_int_equal(f->n_block_shares, 0);
    for (int k = 0; k < f->n_blocks; ++k) {
        for (int e = f->column[k] - 1; e < f->column[k + 1]; ++e) { /* the first time the block of the diagonal */
            const bool is_diagonal = e < f->column[k];
            const int block_row = is_diagonal ? k : f->entry_row[e], place = is_diagonal ? k : f->n_blocks + e;
            for (int at = 0; at < (is_diagonal ? 3 : 4); ++at) {
                const int r = is_diagonal ? (at + 1) / 2 : at / 2, c = is_diagonal ? at / 2 : at % 2;
                const int i = of_block[2 * block_row + r], j = of_block[2 * k + c];
                const double expected = i < 0 || j < 0 ? 0.0 : sarrus_tree_rows_product(rows, i, j);
                assert_true(fabs(sum[4 * place + at] - expected) <= 1e-12 * fabs(expected));
            }
        }
    }
    free(sum);
    free(of_block);
}

/* At every configuration that the absolute plan asked. */
static void numbers_hold(const sarrus_plan *absolute) {
    const sarrus_plan_independence *seen = &absolute->independence;
    sarrus_tree_rows rows;
    full_rows full = {.m = absolute->mech.m, .n = absolute->mech.n_v};
    const size_t m = (size_t)full.m;
    full.row = calloc(m * (size_t)full.n + 1, sizeof *full.row);
    full.size = calloc(m + 1, sizeof *full.size);
    bool *is_left = malloc(m + 1);
    assert_true(full.row && full.size && is_left);
    assert_int_equal(sarrus_tree_rows_create(absolute, &rows), SARRUS_OK);
    for (int i = 0; i < seen->n_configurations; ++i) {
        if (!seen->is_asked[i])
            continue;
        sarrus_tree_rows_find(&rows, seen->configurations + (ptrdiff_t)i * absolute->mech.n_q);
        full_rows_fill(&full, &rows.at);
        tree_rows_take(absolute, &full, is_left);
        gram_is_that_of_full_rows(absolute, &rows, &full);
        rank_is_that_of_full_rows(absolute, &full, is_left);
        shares_add_up(absolute->relative, &rows);
    }
    sarrus_tree_rows_free(&rows);
    free(full.row);
    free(full.size);
    free(is_left);
}

static void every_subject_is_right(void **state) {
    (void)state;
    for (int s = 0; s < N_SUBJECTS; ++s) {
        mechanism mech = subject_open(&subjects[s]);
        const sarrus_plan *plan = mech.plan->relative;
        tables_hold(mech.plan);
        numbers_hold(mech.plan);
        if (plan->mech.n_q != subjects[s].n_q || plan->mech.n_v != subjects[s].n_v || plan->mech.m != subjects[s].m ||
            plan->independence.n_independent != subjects[s].rank)
            fail_msg("%.40s: %d coordinates, %d speeds, %d rows of rank %d", subjects[s].what, plan->mech.n_q, plan->mech.n_v,
                     plan->mech.m, plan->independence.n_independent);
        mechanism_close(&mech);
    }
}

static void it_is_the_same_every_time(void **state) {
    (void)state;
    for (int s = 0; s < N_SUBJECTS; ++s) {
        mechanism one = subject_open(&subjects[s]), other = subject_open(&subjects[s]);
        const uint64_t without = one.plan->hash;
        assert_true(one.plan->relative->hash == other.plan->relative->hash);
        assert_true(one.plan->relative->hash != without);
        assert_true(sarrus_plan_hash_make(one.plan) != without); /* a plan with it is another one */
        mechanism_close(&one);
        mechanism_close(&other);
    }
}

/* Constraints name joints by their numbers, of which two were exchanged. */
static void couplings_follow(sarrus_model *model, int i, int k) {
    for (int c = 0; c < model->n_constraints; ++c) {
        for (int of = 0; of < 2; ++of) {
            int *joint = &model->constraints[c].of[of].joint;
            *joint = *joint == i ? k : *joint == k ? i : *joint;
        }
    }
}

/* What is asked of it depends on the order of the joints only in which of them are cut. */
static void any_order_of_joints_is_right(void **state) {
    (void)state;
    uint64_t random = 5;
    for (int s = 0; s < N_SUBJECTS; ++s) {
        mechanism mech = subject_open(&subjects[s]);
        const int n_rows = mech.plan->relative->mech.m, rank = mech.plan->relative->independence.n_independent;
        sarrus_plan_destroy(mech.plan);
        for (int i = mech.model->n_joints - 1; i > 0; --i) {
            const int k = (int)(0.5 * (mechanism_random(&random) + 1.0) * i);
            const sarrus_joint joint = mech.model->joints[i];
            mech.model->joints[i] = mech.model->joints[k];
            mech.model->joints[k] = joint;
            couplings_follow(mech.model, i, k);
        }
        assert_int_equal(sarrus_plan_create(mech.context, mech.model, &mech.plan), SARRUS_OK);
        assert_int_equal(sarrus_plan_relative_make(mech.context, mech.plan, SARRUS_ORDER_BEST), SARRUS_OK);
        assert_int_equal(mech.plan->relative->mech.m, n_rows);
        assert_int_equal(mech.plan->relative->independence.n_independent, rank);
        tables_hold(mech.plan);
        numbers_hold(mech.plan);
        mechanism_close(&mech);
    }
}

static void a_scenario_asks_for_it(void **state) {
    (void)state;
    const sarrus_override wish[] = {{"dynamics.formulation", "relative"}, {0}};
    mechanism mech = mechanism_open_file("sarrus_linkage.yaml", wish);
    assert_non_null(mech.plan->relative);
    assert_non_null(strstr(sarrus_plan_report(mech.plan), "Relative coordinates"));
    assert_non_null(strstr(sarrus_plan_report(mech.plan), "4; degrees of freedom 1, redundant 1"));
    mechanism_close(&mech);
    mech = mechanism_open_file("sarrus_linkage.yaml", NULL);
    assert_null(mech.plan->relative);
    assert_null(strstr(sarrus_plan_report(mech.plan), "Relative coordinates"));
    mechanism_close(&mech);
}

/* Makes no plan of `text`, because of what `said` is part of, at the word 'relative', which stands in the third line. */
static void is_refused_at_its_word(const char *text, const char *said) {
    sarrus_context *context = NULL;
    sarrus_model *model = NULL;
    sarrus_plan *plan = NULL;
    assert_int_equal(sarrus_context_create(&context), SARRUS_OK);
    assert_int_equal(sarrus_scenario_read_text(context, "text", text, strlen(text), NULL, 0, &model), SARRUS_OK);
    assert_true(sarrus_plan_create(context, model, &plan) > SARRUS_OK);
    assert_null(plan);
    assert_int_equal(sarrus_context_n_diagnostics(context), 1);
    const sarrus_diagnostic *found = sarrus_context_diagnostic(context, 0);
    assert_non_null(strstr(found->message, said));
    assert_non_null(strstr(found->message, "expected"));
    assert_string_equal(found->file, "text");
    assert_int_equal(found->line, 3);
    assert_int_equal(found->column, 26);
    sarrus_model_destroy(model);
    sarrus_context_destroy(context);
}

#define ASKED "sarrus: 1\nspace: planar\ndynamics: {formulation:  relative}\nintegrator: {method: rk4, dt: 0.01, t_end: 1}\n"

static void what_has_no_plan_is_refused_with_its_place(void **state) {
    (void)state;
    is_refused_at_its_word(ASKED "bodies:\n  - {name: a, mass: 1, inertia: 0, position: [1, 0]}\n"
                                 "joints:\n  - {name: A, type: revolute, bodies: [ground, a], at: [0, 0]}\n",
                           "may lack mass or inertia");
    /* A four-bar whose crank weighs next to nothing: ε of its masses hides the rows of a loop. */
    is_refused_at_its_word(ASKED "bodies:\n  - {name: a, mass: 1.0e-100, inertia: 1, position: [0, 0.5]}\n"
                                 "  - {name: b, mass: 2, inertia: 1, position: [1, 1]}\n"
                                 "  - {name: c, mass: 1, inertia: 1, position: [2, 0.5]}\n"
                                 "joints:\n  - {name: A, type: revolute, bodies: [ground, a], at: [0, 0]}\n"
                                 "  - {name: B, type: revolute, bodies: [a, b], at: [0, 1]}\n"
                                 "  - {name: C, type: revolute, bodies: [b, c], at: [2, 1.3]}\n"
                                 "  - {name: D, type: revolute, bodies: [ground, c], at: [2, 0]}\n",
                           "body 'a' has 5e-101 of the largest mass");
    /* The factor of M over a chain of n takes about n³/6 steps; without a row there would be none. */
    enum { N_LINKS = 600, N_LINE = 96 };
    char *text = malloc((2 * N_LINKS + 8) * N_LINE);
    assert_non_null(text);
    size_t n = (size_t)snprintf(text, sizeof ASKED, "%s", ASKED);
    n += (size_t)snprintf(text + n, N_LINE, "bodies:\n");
    for (int i = 0; i < N_LINKS; ++i)
        n += (size_t)snprintf(text + n, N_LINE, "  - {name: b%d, mass: 1, inertia: 1, position: [%d.5, 0]}\n", i, i);
    n += (size_t)snprintf(text + n, N_LINE,
                          "joints:\n  - {name: j0, type: revolute, bodies: [ground, b0], at: [0, 0], drive: {signal: 0}}\n");
    for (int i = 1; i < N_LINKS; ++i)
        n += (size_t)snprintf(text + n, N_LINE, "  - {name: j%d, type: revolute, bodies: [b%d, b%d], at: [%d, 0]}\n", i, i - 1, i,
                              i);
    is_refused_at_its_word(text, "too long for relative coordinates");
    free(text);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_subject_is_right),
        cmocka_unit_test(it_is_the_same_every_time),
        cmocka_unit_test(any_order_of_joints_is_right),
        cmocka_unit_test(a_scenario_asks_for_it),
        cmocka_unit_test(what_has_no_plan_is_refused_with_its_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
