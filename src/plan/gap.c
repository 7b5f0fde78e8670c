#include "plan/gap.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "plan/curve.h"

static double *doubles(size_t n) {
    return calloc(n ? n : 1, sizeof(double));
}

typedef struct box {
    double low[3], high[3];
    bool is_empty;
} box;

static void box_take(box *b, int dimension, const double *at) {
    for (int k = 0; k < dimension; ++k) {
        b->low[k] = b->is_empty ? at[k] : fmin(b->low[k], at[k]);
        b->high[k] = b->is_empty ? at[k] : fmax(b->high[k], at[k]);
    }
    b->is_empty = false;
}

/* The length of a vector of the space. */
static double length_of(int dimension, const double *x) {
    const double length = hypot(x[0], x[1]);
    return dimension == 3 ? hypot(length, x[2]) : length;
}

/* A point of a body's frame, or of ground's. */
static void box_take_point(box *all, const sarrus_configuration *c, int body, const double point[3]) {
    const sarrus_mechanism *mech = &c->plan->mech;
    double at[3] = {0.0};
    if (body >= 0 || mech->moves_ground)
        sarrus_body_point(mech->space, body < 0 ? c->ground : c->q + c->sizes->n_q * body, point, at);
    box_take(all, c->sizes->dimension, body < 0 && !mech->moves_ground ? point : at);
}

/* The points of curves, which are in the frame of a body. */
static void box_take_curves(box *all, const sarrus_configuration *c) {
    const sarrus_mechanism *mech = &c->plan->mech;
    const int dimension = c->sizes->dimension;
    for (int i = 0; i < mech->n_constraints; ++i) {
        const sarrus_mech_constraint *constraint = &c->plan->constraint[i];
        const int body = constraint->of[0].parent;
        for (int k = 0; k < constraint->n_pieces; ++k) {
            const int32_t piece = constraint->p + sarrus_plan_curve_size((sarrus_space)mech->space, k);
            double point[3] = {0.0};
            for (int x = 0; x < dimension; ++x)
                point[x] = sarrus_configuration_parameter(c, piece + SARRUS_PIECE_X + 4 * x);
            box_take_point(all, c, body, point);
        }
    }
}

/* The diagonal of the box that holds all mass centers, joint points and points of curves. */
static double size_of(const sarrus_configuration *c) {
    const sarrus_mechanism *mech = &c->plan->mech;
    const int n_q = c->sizes->n_q, dimension = c->sizes->dimension;
    double diagonal[3] = {0.0};
    box all = {.is_empty = true};
    for (int b = 0; b < mech->n_bodies; ++b)
        box_take(&all, dimension, c->q + n_q * b);
    for (int i = 0; i < mech->n_joints; ++i) {
        const sarrus_mech_joint *joint = &mech->joint[i];
        for (int side = 0; side < 2; ++side) {
            /* The child's point stands behind the parent's. */
            const int body = side ? joint->child : joint->parent;
            double point[3] = {0.0};
            for (int k = 0; k < dimension; ++k)
                point[k] = sarrus_configuration_parameter(c, joint->p + dimension * side + k);
            box_take_point(&all, c, body, point);
        }
    }
    box_take_curves(&all, c);
    for (int k = 0; k < dimension; ++k)
        diagonal[k] = all.is_empty ? 0.0 : all.high[k] - all.low[k];
    const double size = length_of(dimension, diagonal);
    return size > 0.0 ? size : 1.0;
}

sarrus_status sarrus_gap_create(sarrus_configuration *c, sarrus_gap *gap) {
    const size_t m = (size_t)c->m, n = (size_t)c->n;
    *gap = (sarrus_gap){.c = c, .size = size_of(c)};
    gap->row = doubles(m);
    gap->rows = c->rows;
    gap->rows.value = doubles((size_t)(c->rows.n_sides * c->sizes->n_v) * m);
    gap->right = doubles(m > n ? m : n);
    gap->best = doubles((size_t)c->n_q);
    if (!gap->row || !gap->rows.value || !gap->right || !gap->best) {
        sarrus_gap_free(gap);
        return SARRUS_NO_MEMORY;
    }
    for (int i = 0; i < c->m; ++i)
        gap->row[i] = sarrus_plan_row_is_angle(c->plan, i) ? 1.0 : 1.0 / gap->size;
    return SARRUS_OK;
}

void sarrus_gap_free(sarrus_gap *gap) {
    free(gap->row);
    free(gap->rows.value);
    free(gap->right);
    free(gap->best);
    memset(gap, 0, sizeof *gap);
}

double sarrus_gap_now(const sarrus_gap *gap) {
    double sum = 0.0;
    for (int i = 0; i < gap->c->m; ++i)
        sum += gap->row[i] * gap->row[i] * gap->c->phi[i] * gap->c->phi[i];
    return sqrt(sum);
}

double sarrus_gap_at(sarrus_gap *gap, double t) {
    (void)sarrus_configuration_rows(gap->c, t);
    return sarrus_gap_now(gap);
}

/* The unit of speed i. */
static double unit_of(const sarrus_gap *gap, int i) {
    return i % gap->c->sizes->n_v >= gap->c->sizes->turn ? 1.0 : gap->size;
}

/* Of one body by d [n_v]. */
static double move_of_body(const sarrus_gap *gap, const double *d) {
    const sarrus_body_sizes *sizes = gap->c->sizes;
    const double *turn = d + sizes->turn;
    return fmax(length_of(sizes->dimension, d) / gap->size, sizes->n_turn == 1 ? fabs(turn[0]) : length_of(sizes->n_turn, turn));
}

double sarrus_gap_of_move(const sarrus_gap *gap, const double *d) {
    double largest = 0.0;
    for (int b = 0; b < gap->c->plan->mech.n_bodies; ++b)
        largest = fmax(largest, move_of_body(gap, d + gap->c->sizes->n_v * b));
    return largest;
}

double sarrus_gap_between(const sarrus_gap *gap, const double *a, const double *b) {
    const sarrus_configuration *c = gap->c;
    const sarrus_body_sizes *sizes = c->sizes;
    double largest = 0.0, d[SARRUS_MOST_EACH];
    for (int i = 0; i < c->plan->mech.n_bodies; ++i) {
        sarrus_body_difference(c->plan->mech.space, a + sizes->n_q * i, b + sizes->n_q * i, d);
        largest = fmax(largest, move_of_body(gap, d));
    }
    return largest;
}

double sarrus_gap_largest(const sarrus_gap *gap, const double *d) {
    double largest = 0.0;
    for (int i = 0; i < gap->c->n; ++i)
        largest = fmax(largest, fabs(d[i]) / unit_of(gap, i));
    return largest;
}

/* right [n] ← x of the least ‖Ax − RΦ‖² + damping ‖x‖², A = R J U: the rows and their violation without units. */
static bool solve_damped(sarrus_gap *gap, double damping) {
    sarrus_configuration *c = gap->c;
    for (int i = 0; i < c->m; ++i) {
        gap->right[i] = gap->row[i] * c->phi[i];
        for (int side = 0; side < c->rows.n_sides; ++side) {
            const double *from = sarrus_plan_row_side(&c->rows, i, side);
            double *to = sarrus_plan_row_side(&gap->rows, i, side);
            const int body = c->rows.body[i][side];
            for (int k = 0; k < c->sizes->n_v; ++k)
                to[k] = body < 0 ? 0.0 : gap->row[i] * from[k];
            if (body >= 0)
                sarrus_body_unweigh_row(c->plan->mech.space, &c->weight[body], to);
            for (int k = 0; k < c->sizes->n_v; ++k)
                to[k] *= unit_of(gap, k);
        }
    }
    if (!sarrus_fronts_factor(&c->fronts, &gap->rows, sqrt(damping), gap->right))
        return false;
    sarrus_fronts_least(&c->fronts, gap->right);
    return true;
}

double sarrus_gap_least(sarrus_gap *gap, double t, int n_steps) {
    sarrus_configuration *c = gap->c;
    const size_t bytes = (size_t)c->n_q * sizeof *c->q;
    double best = sarrus_gap_at(gap, t), damping = 1e-3;
    memcpy(gap->best, c->q, bytes);
    for (int step = 0; step < n_steps && best > 1e-14 && damping < 1e8; ++step) {
        double longest = 0.0;
        if (!solve_damped(gap, damping))
            break;
        for (int i = 0; i < c->n; ++i)
            longest = fmax(longest, fabs(gap->right[i]));
        const double share = longest > 0.5 ? 0.5 / longest : 1.0;
        for (int i = 0; i < c->n; ++i)
            gap->right[i] = share * gap->right[i] * unit_of(gap, i);
        sarrus_configuration_shift(c, c->q, -1.0, gap->right);
        const double error = sarrus_gap_at(gap, t);
        if (error < best) {
            const bool is_done = error > 0.9999999 * best && longest < 1e-7;
            best = error;
            memcpy(gap->best, c->q, bytes);
            damping = fmax(0.1 * damping, 1e-14);
            if (is_done)
                break;
        } else {
            memcpy(c->q, gap->best, bytes);
            (void)sarrus_configuration_rows(c, t);
            damping *= 8.0;
        }
    }
    memcpy(c->q, gap->best, bytes);
    return sarrus_gap_at(gap, t);
}
