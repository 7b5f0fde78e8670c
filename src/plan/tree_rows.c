/* A speed gives its link, and all that hangs on it, the same twist about one point of the tree, the centre of its root: so M is
 * made of composite inertias about that point, and a row of J of the absolute row's part on the body that moves.
 *
 * S does not depend on how the speeds of a link are chosen, only on the motions that they make together; here they are the joint's
 * axes as its parent has them. */
#include "plan/tree_rows.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "plan/rotation.h"

enum { N_TWIST = 6 };

static double *doubles(size_t n) {
    return calloc(n ? n : 1, sizeof(double));
}

sarrus_status sarrus_tree_rows_create(const sarrus_plan *absolute, sarrus_tree_rows *out) {
    const sarrus_plan *plan = absolute->relative;
    *out = (sarrus_tree_rows){.absolute = absolute, .plan = plan};
    const sarrus_status status = sarrus_configuration_create(absolute, &out->at);
    if (status != SARRUS_OK)
        return status;
    out->twist = doubles(N_TWIST * (size_t)plan->mech.n_v);
    out->inertia = doubles(N_TWIST * N_TWIST * (size_t)plan->mech.n_bodies);
    out->mass = doubles((size_t)plan->mech.tree.n_chain);
    out->value = doubles((size_t)plan->mech.tree.n_entries);
    if (out->twist && out->inertia && out->mass && out->value)
        return SARRUS_OK;
    sarrus_tree_rows_free(out);
    return SARRUS_NO_MEMORY;
}

void sarrus_tree_rows_free(sarrus_tree_rows *t) {
    sarrus_configuration_free(&t->at);
    free(t->twist);
    free(t->inertia);
    free(t->mass);
    free(t->value);
    *t = (sarrus_tree_rows){0};
}

/* Where a body is: its centre, and its frame in the inertial one; in the plane of z = 0. */
static void place_body(const sarrus_tree_rows *t, int32_t body, double centre[3], double frame[3][3]) {
    const sarrus_body_sizes *sizes = t->at.sizes;
    const double *q = t->at.q + (ptrdiff_t)sizes->n_q * body;
    for (int k = 0; k < 9; ++k)
        frame[k / 3][k % 3] = k % 4 == 0;
    centre[0] = centre[1] = centre[2] = 0.0;
    if (body < 0)
        return;
    memcpy(centre, q, (size_t)sizes->dimension * sizeof *q);
    if (t->plan->mech.space == SARRUS_SPACE_SPATIAL) {
        sarrus_rotation_of(q + SARRUS_SPATIAL_TURN, frame);
        return;
    }
    frame[0][0] = frame[1][1] = cos(q[SARRUS_PLANAR_TURN]);
    frame[1][0] = sin(q[SARRUS_PLANAR_TURN]);
    frame[0][1] = -frame[1][0];
}

/* The point and the axes 1, 2, 3 of a joint in the inertial frame: those of its parent, axis 2 of a universal joint its child's. In
 * the plane axis 3 is that of a slide, or the normal. */
static void place_joint(const sarrus_tree_rows *t, const sarrus_mech_link *link, double point[3], double axis[3][3]) {
    const sarrus_mech_joint *joint = &t->plan->joint[link->joint];
    double centre[3], frame[3][3], local[4][3] = {{0.0}, {1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}};
    const bool is_spatial = t->plan->mech.space == SARRUS_SPACE_SPATIAL;
    place_body(t, joint->parent, centre, frame);
    for (int k = 0; k < (is_spatial ? 12 : 2); ++k)
        local[k / 3][k % 3] = sarrus_configuration_parameter(
            &t->at, joint->p + (k < 3 ? (is_spatial ? SARRUS_SJ_PARENT : SARRUS_PJ_PARENT_X) + k : SARRUS_SJ_PARENT_AXES + k - 3));
    if (!is_spatial && link->form == SARRUS_LINK_SLIDE) {
        local[3][0] = sarrus_configuration_parameter(&t->at, joint->p + SARRUS_PJ_AXIS_X);
        local[3][1] = sarrus_configuration_parameter(&t->at, joint->p + SARRUS_PJ_AXIS_Y);
        local[3][2] = 0.0;
    }
    sarrus_rotate((const double(*)[3])frame, local[0], point);
    for (int k = 0; k < 3; ++k) {
        point[k] += centre[k];
        sarrus_rotate((const double(*)[3])frame, local[k + 1], axis[k]);
    }
    if (link->form != SARRUS_LINK_UNIVERSAL)
        return;
    place_body(t, joint->child, centre, frame);
    for (int k = 0; k < 3; ++k)
        local[0][k] = sarrus_configuration_parameter(&t->at, joint->p + SARRUS_SJ_CHILD_AXES + 3 + k);
    sarrus_rotate((const double(*)[3])frame, local[0], axis[1]);
}

/* The twist of a motion along an axis and, or, about it, by so much each. */
static void put_twist(const double axis[3], const double arm[3], double along, double about, double *twist) {
    double sweep[3];
    sarrus_vector_cross(axis, arm, sweep);
    for (int k = 0; k < 3; ++k) {
        twist[k] = along * axis[k] + about * sweep[k];
        twist[3 + k] = about * axis[k];
    }
}

/* The twists of a link's speeds. */
static void place_link(const sarrus_tree_rows *t, const sarrus_mech_link *link) {
    double *twist = t->twist + N_TWIST * (ptrdiff_t)link->v, point[3], axis[3][3], centre[3], frame[3][3], arm[3], pitch = 0.0;
    if (link->form == SARRUS_LINK_FREE) {
        memset(twist, 0, (size_t)(N_TWIST * link->n_v) * sizeof *twist);
        for (int k = 0; k < link->n_v; ++k)
            twist[N_TWIST * k + (link->n_v == N_TWIST || k < 2 ? k : N_TWIST - 1)] = 1.0;
        return;
    }
    place_joint(t, link, point, axis);
    place_body(t, link->root, centre, frame);
    for (int k = 0; k < 3; ++k)
        arm[k] = centre[k] - point[k];
    if (link->form == SARRUS_LINK_SCREW)
        pitch = sarrus_configuration_parameter(&t->at, t->plan->joint[link->joint].p + SARRUS_SJ_PITCH);
    static const struct {
        int8_t n_along, n_about, along[2], about[3]; /* axes from 0 */
    } motions[SARRUS_N_LINK_FORMS] = {
        [SARRUS_LINK_TURN] = {0, 1, {0}, {2}},         [SARRUS_LINK_SLIDE] = {1, 0, {2}, {0}},
        [SARRUS_LINK_CYLINDER] = {1, 1, {2}, {2}},     [SARRUS_LINK_SCREW] = {0, 1, {0}, {2}},
        [SARRUS_LINK_UNIVERSAL] = {0, 2, {0}, {0, 1}}, [SARRUS_LINK_BALL] = {0, 3, {0}, {0, 1, 2}},
        [SARRUS_LINK_PLANE] = {2, 1, {0, 1}, {2}},
    };
    for (int k = 0; k < motions[link->form].n_along; ++k, twist += N_TWIST)
        put_twist(axis[motions[link->form].along[k]], arm, 1.0, 0.0, twist);
    for (int k = 0; k < motions[link->form].n_about; ++k, twist += N_TWIST)
        put_twist(axis[motions[link->form].about[k]], arm, pitch, 1.0, twist);
}

/* speed [n_v of a body] ← that of a body's coordinates when its tree has this twist. */
static void find_speed(const sarrus_tree_rows *t, const sarrus_mech_link *link, const double *twist, double *speed) {
    double centre[3], root[3], frame[3][3], arm[3], sweep[3], turn[3];
    place_body(t, link->root, root, frame);
    place_body(t, link->body, centre, frame);
    for (int k = 0; k < 3; ++k)
        arm[k] = centre[k] - root[k];
    sarrus_vector_cross(twist + 3, arm, sweep);
    for (int k = 0; k < t->at.sizes->turn; ++k)
        speed[k] = twist[k] + sweep[k];
    sarrus_rotate_back((const double(*)[3])frame, twist + 3, turn); /* in the plane about z, before and after */
    for (int k = 0; k < t->at.sizes->n_turn; ++k)
        speed[t->at.sizes->turn + k] = turn[t->at.sizes->n_turn == 1 ? 2 : k];
}

/* The inertia of one body over the twists of its tree. */
static void place_inertia(const sarrus_tree_rows *t, int32_t i_link, double *inertia) {
    const sarrus_mech_link *link = &t->plan->link[i_link];
    const int n_each = t->at.sizes->n_v;
    double x[N_TWIST][SARRUS_MOST_EACH];
    for (int k = 0; k < N_TWIST; ++k) {
        double unit[N_TWIST] = {0.0};
        unit[k] = 1.0;
        find_speed(t, link, unit, x[k]);
        sarrus_body_unweigh_speed(t->plan->mech.space, &t->at.weight[link->body], x[k]);
    }
    for (int k = 0; k < N_TWIST * N_TWIST; ++k) {
        double sum = 0.0;
        for (int at = 0; at < n_each; ++at)
            sum += x[k / N_TWIST][at] * x[k % N_TWIST][at];
        inertia[k] = sum;
    }
}

static double dot(const double *a, const double *b) {
    double sum = 0.0;
    for (int k = 0; k < N_TWIST; ++k)
        sum += a[k] * b[k];
    return sum;
}

static void fill_mass(sarrus_tree_rows *t) {
    const sarrus_plan *plan = t->plan;
    const int32_t n_links = plan->mech.n_bodies;
    const size_t n_each = N_TWIST * N_TWIST;
    for (int32_t k = 0; k < n_links; ++k) {
        place_link(t, &plan->link[k]);
        place_inertia(t, k, t->inertia + n_each * (size_t)k);
    }
    for (int32_t k = n_links - 1; k >= 0; --k) {
        const sarrus_mech_link *link = &plan->link[k];
        const double *own = t->inertia + n_each * (size_t)k;
        for (size_t at = 0; link->inboard >= 0 && at < n_each; ++at)
            t->inertia[n_each * (size_t)plan->link_of[link->inboard] + at] += own[at];
        for (int32_t i = link->v; i < link->v + link->n_v; ++i) {
            double momentum[N_TWIST];
            for (int at = 0; at < N_TWIST; ++at)
                momentum[at] = dot(own + (ptrdiff_t)N_TWIST * at, t->twist + (ptrdiff_t)N_TWIST * i);
            for (int32_t at = plan->chain_start[i]; at < plan->chain_start[i + 1]; ++at)
                t->mass[at] = dot(momentum, t->twist + (ptrdiff_t)N_TWIST * plan->chain[at]);
        }
    }
}

/* M = Lᵀ D L in place: what is left of a chain behind one of its speeds is that speed's own chain. */
static void factor_mass(sarrus_tree_rows *t) {
    const sarrus_plan *plan = t->plan;
    for (int32_t i = plan->mech.n_v - 1; i >= 0; --i) {
        const int32_t begin = plan->chain_start[i], n = plan->chain_start[i + 1] - begin;
        double *row = t->mass + begin;
        for (int32_t r = 1; r < n; ++r) {
            const double l = row[r] / row[0];
            double *to = t->mass + plan->chain_start[plan->chain[begin + r]];
            for (int32_t s = r; s < n; ++s)
                to[s - r] -= l * row[s];
        }
        for (int32_t r = 1; r < n; ++r)
            row[r] /= row[0];
    }
}

/* Whether a speed moves a body. */
static bool moves(const sarrus_plan *plan, int32_t speed, int32_t body) {
    int32_t at = plan->link_of[body];
    while (speed < plan->link[at].v && plan->link[at].inboard >= 0)
        at = plan->link_of[plan->link[at].inboard];
    return speed >= plan->link[at].v && speed < plan->link[at].v + plan->link[at].n_v;
}

/* What row i does on the body of one of its sides when a speed is 1. */
static double row_times(const sarrus_tree_rows *t, int i, int side, int32_t speed) {
    const sarrus_plan *plan = t->plan;
    const int32_t body = t->at.rows.body[i][side];
    const double *part = sarrus_plan_row_side(&t->at.rows, i, side);
    double of_body[SARRUS_MOST_EACH], sum = 0.0;
    find_speed(t, &plan->link[plan->link_of[body]], t->twist + (ptrdiff_t)N_TWIST * speed, of_body);
    sarrus_body_unweigh_speed(plan->mech.space, &t->at.weight[body], of_body);
    for (int k = 0; k < t->at.sizes->n_v; ++k)
        sum += part[k] * of_body[k];
    return sum;
}

/* The rows of J: of each entry the parts of the absolute row on the bodies that move. */
static void fill_rows(sarrus_tree_rows *t) {
    const sarrus_plan *plan = t->plan;
    for (int32_t i = 0; i < plan->mech.m; ++i) {
        const int row = sarrus_plan_row_in_absolute(t->absolute, i);
        for (int32_t e = plan->row_start[i]; e < plan->row_start[i + 1]; ++e) {
            const int32_t speed = plan->entry[e].speed;
            t->value[e] = 0.0;
            for (int side = 0; plan->entry[e].side >= 0 && side < t->at.rows.n_sides; ++side) {
                const int32_t body = t->at.rows.body[row][side];
                t->value[e] += body >= 0 && moves(plan, speed, body) ? row_times(t, row, side, speed) : 0.0;
            }
        }
    }
}

void sarrus_tree_rows_find(sarrus_tree_rows *t, const double *q) {
    const sarrus_plan *plan = t->plan;
    memcpy(t->at.q, q, (size_t)t->at.n_q * sizeof *q);
    (void)sarrus_configuration_rows(&t->at, 0.0);
    fill_mass(t);
    factor_mass(t);
    fill_rows(t);
    for (int32_t k = 0; k < plan->mech.tree.n_carries; ++k)
        t->value[plan->carry[k].to] -= t->mass[plan->carry[k].at] * t->value[plan->carry[k].from];
    for (int32_t e = 0; e < plan->mech.tree.n_entries; ++e)
        t->value[e] /= sqrt(t->mass[plan->chain_start[plan->entry[e].speed]]);
}

double sarrus_tree_rows_product(const void *rows, int i, int j) {
    const sarrus_tree_rows *t = rows;
    const sarrus_plan *plan = t->plan;
    int32_t a = plan->row_start[i], b = plan->row_start[j];
    double sum = 0.0;
    while (a < plan->row_start[i + 1] && b < plan->row_start[j + 1]) {
        const int32_t x = plan->entry[a].speed, y = plan->entry[b].speed;
        sum += x == y ? t->value[a] * t->value[b] : 0.0;
        a += x >= y;
        b += y >= x;
    }
    return sum;
}

double sarrus_tree_rows_whole(const sarrus_tree_rows *t, int i) {
    if (t->plan->joint[t->plan->row[i].joint].is_within)
        return sarrus_tree_rows_product(t, i, i);
    const int row = sarrus_plan_row_in_absolute(t->absolute, i);
    double sum = 0.0;
    for (int side = 0; side < t->at.rows.n_sides; ++side) {
        const double *part = sarrus_plan_row_side(&t->at.rows, row, side);
        for (int k = 0; k < t->at.sizes->n_v; ++k)
            sum += part[k] * part[k];
    }
    return sum;
}

/* The point that the screws of a root's tree are about in kernels, as far as its own arm matters not: sarrus_tree_origin. */
static void place_origin(const sarrus_tree_rows *t, const sarrus_mech_link *root, double origin[3]) {
    double axis[3][3], frame[3][3];
    const bool travels = root->form != SARRUS_LINK_TURN && root->form != SARRUS_LINK_UNIVERSAL && root->form != SARRUS_LINK_BALL &&
                         root->form != SARRUS_LINK_FIXED;
    if (travels)
        place_body(t, root->body, origin, frame);
    else
        place_joint(t, root, origin, axis);
}

static double square_between(const double a[3], const double b[3]) {
    double sum = 0.0;
    for (int k = 0; k < 3; ++k)
        sum += (a[k] - b[k]) * (a[k] - b[k]);
    return sum;
}

/* A body and what hangs on it: Σ m, and Σ m |c − O|². */
typedef struct hanging {
    double mass, spread;
} hanging;

/* all [n_bodies] by link, each body once: from the leaves. */
static void fill_hanging(const sarrus_tree_rows *t, hanging *all) {
    const sarrus_plan *plan = t->plan;
    for (int32_t k = plan->mech.n_bodies - 1; k >= 0; --k) {
        const sarrus_mech_link *link = &plan->link[k];
        double unit[SARRUS_MOST_EACH] = {1.0}, origin[3], centre[3], frame[3][3];
        place_origin(t, &plan->link[plan->link_of[link->root]], origin);
        place_body(t, link->body, centre, frame);
        sarrus_body_unweigh_speed(plan->mech.space, &t->at.weight[link->body], unit); /* √m */
        all[k].mass += unit[0] * unit[0];
        all[k].spread += unit[0] * unit[0] * square_between(centre, origin);
        if (link->inboard >= 0) {
            hanging *inboard = &all[plan->link_of[link->inboard]];
            inboard->mass += all[k].mass;
            inboard->spread += all[k].spread;
        }
    }
}

/* Σ m |c − O|² + m |P − O|² over what moves with a link's speeds, about its P: the terms that their resistance is left of. */
static double terms_of(const sarrus_tree_rows *t, const sarrus_mech_link *link, const hanging *on) {
    double origin[3], point[3], frame[3][3], axis[3][3];
    place_origin(t, &t->plan->link[t->plan->link_of[link->root]], origin);
    if (link->form == SARRUS_LINK_FREE)
        place_body(t, link->body, point, frame);
    else
        place_joint(t, link, point, axis);
    return on->spread + on->mass * square_between(point, origin);
}

sarrus_status sarrus_tree_rows_loss(const sarrus_tree_rows *t, double *loss, int *i_body) {
    const sarrus_plan *plan = t->plan;
    hanging *all = calloc((size_t)plan->mech.n_bodies + 1, sizeof *all);
    *loss = 0.0;
    if (!all)
        return SARRUS_NO_MEMORY;
    fill_hanging(t, all);
    for (int32_t k = 0; k < plan->mech.n_bodies; ++k) {
        const sarrus_mech_link *link = &plan->link[k];
        const bool is_driven = link->joint >= 0 && plan->joint[link->joint].n_rows >= link->n_v; /* what it meets matters not */
        const double terms = is_driven ? 0.0 : terms_of(t, link, &all[k]);
        for (int32_t i = link->v; i < link->v + link->n_v; ++i) {
            const double *s = t->twist + (ptrdiff_t)N_TWIST * i, left = t->mass[plan->chain_start[i]];
            const double own = (s[3] * s[3] + s[4] * s[4] + s[5] * s[5]) * terms / left;
            *i_body = own > *loss ? link->body : *i_body;
            *loss = fmax(*loss, own);
        }
    }
    free(all);
    return SARRUS_OK;
}
