#include "plan/gap.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static double *doubles(size_t n) {
    return calloc(n ? n : 1, sizeof(double));
}

typedef struct box {
    double low[2], high[2];
    bool is_empty;
} box;

static void box_take(box *b, double x, double y) {
    const double at[2] = {x, y};
    for (int k = 0; k < 2; ++k) {
        b->low[k] = b->is_empty ? at[k] : fmin(b->low[k], at[k]);
        b->high[k] = b->is_empty ? at[k] : fmax(b->high[k], at[k]);
    }
    b->is_empty = false;
}

/* The diagonal of the box that holds all mass centers and joint points. */
static double size_of(const sarrus_configuration *c) {
    const sarrus_mechanism *mech = &c->plan->mech;
    box all = {.is_empty = true};
    for (int b = 0; b < mech->n_bodies; ++b)
        box_take(&all, c->q[3 * b], c->q[3 * b + 1]);
    for (int i = 0; i < mech->n_joints; ++i) {
        const sarrus_mech_joint *joint = &mech->joint[i];
        for (int side = 0; side < 2; ++side) {
            const int body = side ? joint->child : joint->parent, x = side ? SARRUS_PJ_CHILD_X : SARRUS_PJ_PARENT_X;
            const double *q = c->q + 3 * (body < 0 ? 0 : body);
            const double px = sarrus_configuration_parameter(c, joint->p + x),
                         py = sarrus_configuration_parameter(c, joint->p + x + 1);
            if (body < 0)
                box_take(&all, px, py);
            else
                box_take(&all, q[0] + cos(q[2]) * px - sin(q[2]) * py, q[1] + sin(q[2]) * px + cos(q[2]) * py);
        }
    }
    const double size = all.is_empty ? 0.0 : hypot(all.high[0] - all.low[0], all.high[1] - all.low[1]);
    return size > 0.0 ? size : 1.0;
}

sarrus_status sarrus_gap_create(sarrus_configuration *c, sarrus_gap *gap) {
    const size_t m = (size_t)c->m, n = (size_t)c->n;
    *gap = (sarrus_gap){.c = c, .size = size_of(c)};
    gap->row = doubles(m);
    gap->rows = c->rows;
    gap->rows.value = calloc(m + 1, sizeof *gap->rows.value);
    gap->right = doubles(m > n ? m : n);
    gap->best = doubles(n);
    if (!gap->row || !gap->rows.value || !gap->right || !gap->best) {
        sarrus_gap_free(gap);
        return SARRUS_NO_MEMORY;
    }
    for (int i = 0; i < c->m; ++i)
        gap->row[i] = c->plan->row[i].kind == SARRUS_ROW_ANGLE ? 1.0 : 1.0 / gap->size;
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

double sarrus_gap_between(const sarrus_gap *gap, const double *a, const double *b) {
    double largest = 0.0;
    for (int i = 0; i < gap->c->n; i += 3) {
        const double shift = hypot(b[i] - a[i], b[i + 1] - a[i + 1]) / gap->size;
        largest = fmax(largest, fmax(shift, fabs(b[i + 2] - a[i + 2])));
    }
    return largest;
}

/* The unit of coordinate i. */
static double unit_of(const sarrus_gap *gap, int i) {
    return i % 3 == 2 ? 1.0 : gap->size;
}

/* right [n] ← x of the least ‖Ax − RΦ‖² + damping ‖x‖², A = R J U: the rows and their violation without units. */
static bool solve_damped(sarrus_gap *gap, double damping) {
    sarrus_configuration *c = gap->c;
    for (int i = 0; i < c->m; ++i) {
        gap->right[i] = gap->row[i] * c->phi[i];
        for (int k = 0; k < 6; ++k) {
            const int body = c->rows.body[i][k / 3], x = 3 * body + k % 3;
            gap->rows.value[i][k] = body < 0 ? 0.0 : gap->row[i] * c->rows.value[i][k] / c->weight[x] * unit_of(gap, x);
        }
    }
    if (!sarrus_fronts_factor(&c->fronts, &gap->rows, sqrt(damping), gap->right))
        return false;
    sarrus_fronts_least(&c->fronts, gap->right);
    return true;
}

double sarrus_gap_least(sarrus_gap *gap, double t, int n_steps) {
    sarrus_configuration *c = gap->c;
    const size_t bytes = (size_t)c->n * sizeof *c->q;
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
            c->q[i] -= share * gap->right[i] * unit_of(gap, i);
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
