#include "plan/open_motion.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/report.h"
#include "plan/inertia.h"

/* A motion of which rows see no more than this part of what they see of others is one that none holds. */
static const double free_tolerance = 1e-8;
/* Sets with more directions are left to the kernels, which find the instances; motions that are named, at most. */
enum { MOST_AXES = 600, MOST_NAMED = 8 };

/* The directions of one set of bodies: columns of J, by one-sided rotations, and what they make of the unit vectors. */
typedef struct columns {
    int n, n_rows;
    const sarrus_lacking_axis **axis; /* [n] */
    double *a;                        /* [n][n_rows] */
    double *v;                        /* [n][n] */
} columns;

static int root_of(int *set, int body) {
    while (set[body] != body)
        body = set[body] = set[set[body]];
    return body;
}

/* set[n_bodies] ← which bodies that lack something hang together. */
static int *find_sets(const sarrus_configuration *c, const sarrus_lacking_axis *axis, int n_axes) {
    const int n_bodies = c->plan->mech.n_bodies;
    int *set = malloc(((size_t)n_bodies + 1) * sizeof *set);
    bool *lacks = calloc((size_t)n_bodies + 1, sizeof *lacks);
    for (int b = 0; set && lacks && b < n_bodies; ++b)
        set[b] = b;
    for (int k = 0; set && lacks && k < n_axes; ++k)
        lacks[axis[k].body] = true;
    for (int i = 0; set && lacks && i < c->m; ++i) {
        int first = -1; /* of two coupled coordinates the bodies are four */
        for (int side = 0; side < c->rows.n_sides; ++side) {
            const int body = c->rows.body[i][side];
            if (body < 0 || !lacks[body])
                continue;
            if (first >= 0)
                set[root_of(set, first)] = root_of(set, body);
            first = body;
        }
    }
    free(lacks);
    return set;
}

static double dot(const double *a, const double *b, int n) {
    double sum = 0.0;
    for (int k = 0; k < n; ++k)
        sum += a[k] * b[k];
    return sum;
}

static void turn(double *x, double *y, int n, double c, double s) {
    for (int k = 0; k < n; ++k) {
        const double left = x[k], right = y[k];
        x[k] = c * left - s * right;
        y[k] = s * left + c * right;
    }
}

/* Hestenes' rotations: the columns of `a` at right angles to one another. */
static void rotate(columns *of) {
    enum { N_SWEEPS = 30 };
    bool goes_on = true;
    for (int sweep = 0; sweep < N_SWEEPS && goes_on; ++sweep) {
        goes_on = false;
        for (int p = 0; p < of->n; ++p) {
            for (int q = p + 1; q < of->n; ++q) {
                double *x = of->a + (ptrdiff_t)p * of->n_rows, *y = of->a + (ptrdiff_t)q * of->n_rows;
                const double xx = dot(x, x, of->n_rows), yy = dot(y, y, of->n_rows), xy = dot(x, y, of->n_rows);
                if (!(fabs(xy) > 1e-15 * sqrt(xx * yy)))
                    continue;
                const double half = (yy - xx) / (2.0 * xy);
                const double tangent = (half < 0.0 ? -1.0 : 1.0) / (fabs(half) + hypot(1.0, half)),
                             cosine = 1.0 / hypot(1.0, tangent);
                turn(x, y, of->n_rows, cosine, tangent * cosine);
                turn(of->v + (ptrdiff_t)p * of->n, of->v + (ptrdiff_t)q * of->n, of->n, cosine, tangent * cosine);
                goes_on = true;
            }
        }
    }
}

/* Rows that hold some body of the set, by those of the plan. */
static bool columns_create(const sarrus_configuration *c, columns *of) {
    for (int i = 0; i < c->m; ++i) {
        bool holds = false;
        for (int k = 0; k < of->n; ++k)
            for (int side = 0; side < c->rows.n_sides; ++side)
                holds = holds || of->axis[k]->body == c->rows.body[i][side];
        of->n_rows += holds;
    }
    of->a = calloc((size_t)of->n * (size_t)of->n_rows + 1, sizeof *of->a);
    of->v = calloc((size_t)of->n * (size_t)of->n + 1, sizeof *of->v);
    int at = 0;
    for (int i = 0; of->a && of->v && i < c->m; ++i) {
        bool holds = false;
        for (int k = 0; k < of->n; ++k) {
            for (int side = 0; side < c->rows.n_sides; ++side) {
                if (of->axis[k]->body != c->rows.body[i][side])
                    continue;
                holds = true;
                of->a[(ptrdiff_t)k * of->n_rows + at] +=
                    dot(sarrus_plan_row_side(&c->rows, i, side), of->axis[k]->weighted, c->rows.n_each);
            }
        }
        at += holds;
    }
    for (int k = 0; of->v && k < of->n; ++k)
        of->v[(ptrdiff_t)k * of->n + k] = 1.0;
    return of->a && of->v;
}

/* The motions that no row holds come first in v; returns how many there are. */
static int gather_free(columns *of, double scale) {
    int n_free = 0;
    for (int k = 0; k < of->n; ++k) {
        const double *column = of->a + (ptrdiff_t)k * of->n_rows;
        if (sqrt(dot(column, column, of->n_rows)) > free_tolerance * scale)
            continue;
        memmove(of->v + (ptrdiff_t)n_free * of->n, of->v + (ptrdiff_t)k * of->n, (size_t)of->n * sizeof *of->v);
        ++n_free;
    }
    return n_free;
}

/* A direction of one body, and how much of it the free motions have. */
typedef struct named {
    int body;
    bool is_turn;
    double axis[3], share;
} named;

/* Of the body of axis `first`, and of its turns or not, the direction that the free motions have most of. */
static named name_here(const columns *of, int n_free, int first) {
    named here = {of->axis[first]->body, of->axis[first]->is_turn, {0.0, 0.0, 0.0}, 0.0};
    double g[6] = {0}, moment[3], axis[3][3];
    for (int f = 0; f < n_free; ++f) {
        double d[3] = {0.0, 0.0, 0.0};
        for (int k = first; k < of->n; ++k) {
            const bool is_here = of->axis[k]->body == here.body && of->axis[k]->is_turn == here.is_turn;
            for (int x = 0; is_here && x < 3; ++x)
                d[x] += of->v[(ptrdiff_t)f * of->n + k] * of->axis[k]->axis[x];
        }
        for (int x = 0; x < 3; ++x)
            g[x] += d[x] * d[x];
        g[3] += d[0] * d[1];
        g[4] += d[0] * d[2];
        g[5] += d[1] * d[2];
    }
    sarrus_inertia_axes(g, moment, axis);
    int most = 0;
    for (int x = 1; x < 3; ++x)
        most = moment[x] > moment[most] * (1.0 + 1e-9) ? x : most;
    int large = 0;
    for (int x = 1; x < 3; ++x)
        large = fabs(axis[most][x]) > fabs(axis[most][large]) + 1e-9 ? x : large;
    for (int x = 0; x < 3; ++x)
        here.axis[x] = copysign(1.0, axis[most][large]) * axis[most][x] + 0.0;
    here.share = moment[most];
    return here;
}

/* Takes the direction out of the free motions: one of them less. */
static void take_out(columns *of, int n_free, const named *which) {
    double *along = calloc((size_t)n_free + 1, sizeof *along), length2 = 0.0;
    int most = 0;
    for (int f = 0; along && f < n_free; ++f) {
        for (int k = 0; k < of->n; ++k) {
            if (of->axis[k]->body == which->body && of->axis[k]->is_turn == which->is_turn)
                along[f] += of->v[(ptrdiff_t)f * of->n + k] * dot(of->axis[k]->axis, which->axis, 3);
        }
        length2 += along[f] * along[f];
        most = fabs(along[f]) > fabs(along[most]) ? f : most;
    }
    /* Householder's reflection brings all of it into one motion, which is then the last. */
    if (along && length2 > 0.0) {
        along[most] += copysign(sqrt(length2), along[most]);
        const double norm2 = dot(along, along, n_free);
        for (int k = 0; k < of->n; ++k) {
            double sum = 0.0;
            for (int f = 0; f < n_free; ++f)
                sum += along[f] * of->v[(ptrdiff_t)f * of->n + k];
            for (int f = 0; f < n_free; ++f)
                of->v[(ptrdiff_t)f * of->n + k] -= 2.0 * sum * along[f] / norm2;
        }
    }
    memmove(of->v + (ptrdiff_t)most * of->n, of->v + (ptrdiff_t)(n_free - 1) * of->n, (size_t)of->n * sizeof *of->v);
    free(along);
}

static void say_direction(const sarrus_configuration *c, const named *which, char *text, size_t n_text) {
    static const char *const words[] = {"x", "y", "z"};
    const double *e = which->axis;
    const bool is_planar = c->plan->mech.space == SARRUS_SPACE_PLANAR;
    if (which->is_turn && is_planar) {
        (void)snprintf(text, n_text, "its angle");
        return;
    }
    if (which->is_turn) {
        (void)snprintf(text, n_text, "its turn about its axis (%.4g, %.4g, %.4g)", e[0], e[1], e[2]);
        return;
    }
    for (int k = 0; k < 3; ++k) {
        if (fabs(e[k]) > 1.0 - 1e-6) {
            (void)snprintf(text, n_text, "%s", words[k]);
            return;
        }
    }
    if (is_planar)
        (void)snprintf(text, n_text, "along (%.4g, %.4g)", e[0], e[1]);
    else
        (void)snprintf(text, n_text, "along (%.4g, %.4g, %.4g)", e[0], e[1], e[2]);
}

static void report_direction(sarrus_context *context, const sarrus_configuration *c, const named *which) {
    const sarrus_model *model = c->plan->model;
    const sarrus_body *body = &model->bodies[which->body];
    const sarrus_value *value = &model->values[which->is_turn ? body->inertia[0] : body->mass];
    const sarrus_place *place = value->place.line ? &value->place : &body->place;
    const sarrus_location at = sarrus_model_location(model, place);
    char direction[120];
    say_direction(c, which, direction, sizeof direction);
    (void)sarrus_report_at(context, SARRUS_ERROR, SARRUS_BAD_INPUT, &at,
                           "the %s of body '%s' leaves an unconstrained direction without inertia: %s; expected a mass or an "
                           "inertia that this motion takes along, or joints that do not allow it",
                           which->is_turn ? "inertia" : "mass", body->name, direction);
}

/* The free motions of one set, named. Returns how many there are; −1: no memory. */
static int report_set(sarrus_context *context, const sarrus_configuration *c, columns *of) {
    if (!columns_create(c, of))
        return -1;
    rotate(of);
    const int n_free = gather_free(of, sarrus_plan_rows_scale(&c->rows));
    for (int left = n_free; left > 0; --left) {
        named most = {.share = -1.0};
        for (int k = 0; k < of->n; ++k) {
            const bool is_first =
                k == 0 || of->axis[k]->body != of->axis[k - 1]->body || of->axis[k]->is_turn != of->axis[k - 1]->is_turn;
            const named here = is_first ? name_here(of, left, k) : most;
            most = here.share > most.share * (1.0 + 1e-9) || most.share < 0.0 ? here : most;
        }
        if (n_free - left < MOST_NAMED)
            report_direction(context, c, &most);
        take_out(of, left, &most);
    }
    return n_free;
}

sarrus_status sarrus_open_motions_report(sarrus_context *context, const sarrus_configuration *c, const sarrus_lacking_axis *axis,
                                         int n_axes) {
    int *set = find_sets(c, axis, n_axes), n_found = 0;
    const sarrus_lacking_axis **list = malloc(((size_t)n_axes + 1) * sizeof *list);
    for (int b = 0; set && list && n_found >= 0 && b < c->plan->mech.n_bodies; ++b) {
        columns of = {.axis = list};
        for (int k = 0; root_of(set, b) == b && k < n_axes; ++k) {
            if (root_of(set, axis[k].body) == b)
                list[of.n++] = &axis[k];
        }
        const int n_here = of.n > 0 && of.n <= MOST_AXES ? report_set(context, c, &of) : 0;
        n_found = n_here < 0 ? -1 : n_found + n_here;
        free(of.a);
        free(of.v);
    }
    const bool good = set && list && n_found >= 0;
    free(set);
    free(list);
    if (!good)
        return sarrus_report(context, SARRUS_NO_MEMORY, "out of memory while the masses are looked at");
    return n_found > 0 ? SARRUS_BAD_INPUT : SARRUS_OK;
}
