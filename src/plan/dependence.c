/* Set of loops after set of loops, because no dependence reaches beyond one (loop_sets.h).
 *
 * Rows of speeds alone, of nonholonomic constraints, are left out before those that hold positions as well: a projection of
 * positions sees the rows that stay.
 *
 * A row d may be left out where its component in the null vector w of Jᵀ is not zero; the row is chosen whose smallest component
 * over all configurations is largest (for several null vectors: one row after another, each time deflating the vectors). A set in
 * which that would take long, because thousands of rows depend on one another, has its rows chosen by elimination instead. */
#include "plan/dependence.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "plan/loop_sets.h"
#include "plan/null_space.h"
#include "plan/spectrum.h"

/* Multiplications that choosing with null vectors may take in one set. */
static const double most_work = 5e8;
/* A row of speeds goes where its part in a null vector, by the sizes of rows, is at least this share of the largest. */
static const double part_of_speeds = 1e-3;
/* What rows of speeds are scaled by where larger rows are chosen first. */
static const double scale_of_speeds = 1e-4;
/* A row whose part in every null vector is smaller has a unique multiplier. */
static const double part_of_null = 1e-7;

/* One set: its rows, and its bodies numbered anew. */
typedef struct loop_set {
    int n_rows;
    const int *row;                 /* [n_rows] of the mechanism, ascending */
    sarrus_plan_rows rows;          /* of one configuration */
    int n_null;                     /* dependences in the generic case */
    double **null;                  /* [asked->n] each [n_rows][n_null], column-major */
    bool *is_dependent, *is_unique; /* [n_rows] */
    bool *is_of_speeds;             /* [n_rows] that hold no positions */
    double *size;                   /* [n_rows] of rows in one configuration */
} loop_set;

typedef struct analysis {
    sarrus_configuration *c;
    const sarrus_plan_asked *asked;
    int *new_body;  /* [n_bodies] −1: not of the set */
    double *values; /* [asked->n][m][n_sides][n_each] the rows of every configuration */
} analysis;

static void set_free(loop_set *set, int n_asked) {
    for (int i = 0; set->null && i < n_asked; ++i)
        free(set->null[i]);
    free(set->null);
    free(set->rows.body);
    free(set->rows.value);
    free(set->is_dependent);
    free(set->is_unique);
    free(set->is_of_speeds);
    free(set->size);
}

static bool set_create(loop_set *set, analysis *a, const int *row, int n_rows) {
    const sarrus_plan_rows *all = &a->c->rows;
    *set = (loop_set){.n_rows = n_rows, .row = row, .rows = {.n_rows = n_rows, .n_each = all->n_each, .n_sides = all->n_sides}};
    set->rows.body = calloc((size_t)n_rows + 1, sizeof *set->rows.body);
    set->rows.value = calloc((size_t)(all->n_sides * all->n_each) * (size_t)n_rows + 1, sizeof *set->rows.value);
    set->null = calloc((size_t)a->asked->n + 1, sizeof *set->null);
    set->is_dependent = calloc((size_t)n_rows + 1, sizeof *set->is_dependent);
    set->is_unique = calloc((size_t)n_rows + 1, sizeof *set->is_unique);
    set->is_of_speeds = calloc((size_t)n_rows + 1, sizeof *set->is_of_speeds);
    set->size = calloc((size_t)n_rows + 1, sizeof *set->size);
    if (!set->rows.body || !set->rows.value || !set->null || !set->is_dependent || !set->is_unique || !set->is_of_speeds ||
        !set->size)
        return false;
    for (int r = 0; r < n_rows; ++r)
        set->is_of_speeds[r] = sarrus_plan_row_is_of_speeds(a->c->plan, row[r]);
    for (int pass = 0; pass < 2; ++pass) {
        for (int k = 0; k < SARRUS_MOST_SIDES * n_rows; ++k) {
            const int r = k / SARRUS_MOST_SIDES, side = k % SARRUS_MOST_SIDES, body = all->body[row[r]][side];
            if (body >= 0 && pass == 0 && a->new_body[body] < 0)
                a->new_body[body] = set->rows.n_bodies++;
            if (pass == 0)
                set->rows.body[r][side] = body < 0 ? -1 : a->new_body[body];
            else if (body >= 0)
                a->new_body[body] = -1;
        }
    }
    return true;
}

static void set_place(loop_set *set, const analysis *a, int i_asked) {
    const size_t n = (size_t)(set->rows.n_sides * set->rows.n_each);
    for (int r = 0; r < set->n_rows; ++r)
        memcpy(sarrus_plan_row_side(&set->rows, r, 0), a->values + n * ((size_t)i_asked * (size_t)a->c->m + (size_t)set->row[r]),
               n * sizeof(double));
}

static double tolerance_of(const analysis *a, int i_asked) {
    return SARRUS_RANK_TOLERANCE * a->asked->largest[i_asked];
}

static double row_norm(const loop_set *set, int i, int row) {
    double sum = 0.0;
    for (int k = 0; k < set->n_null; ++k)
        sum += set->null[i][row + k * set->n_rows] * set->null[i][row + k * set->n_rows];
    return sqrt(sum);
}

/* W ← W (I − ww⊤/‖w‖²), w the row of W: what is left does not use the row. */
static void deflate(const loop_set *set, int i, int row, double *w) {
    const int m = set->n_rows;
    double norm2 = 0.0;
    for (int k = 0; k < set->n_null; ++k) {
        w[k] = set->null[i][row + k * m];
        norm2 += w[k] * w[k];
    }
    if (!(norm2 > 0.0))
        return;
    for (int r = 0; r < m; ++r) {
        double along = 0.0;
        for (int k = 0; k < set->n_null; ++k)
            along += set->null[i][r + k * m] * w[k];
        for (int k = 0; k < set->n_null; ++k)
            set->null[i][r + k * m] -= along / norm2 * w[k];
    }
}

/* The smallest null component of a row over the generic configurations. */
static double smallest_part(const loop_set *set, const sarrus_plan_asked *asked, int row) {
    double smallest = INFINITY;
    for (int i = 0; i < asked->n; ++i)
        smallest = fmin(smallest, row_norm(set, i, row) / asked->kept[i]);
    return smallest;
}

/* The row whose smallest null component is largest; later rows win ties, so that the rows written first in the scenario stay.
 * Without a row the others have lost the rank where its component is 0. That does little harm next to a singular configuration,
 * where it is lost anyway, so a component is taken relative to the smallest σ that counts. Rows of speeds come before all
 * others. */
static int best_dependent(const loop_set *set, const sarrus_plan_asked *asked) {
    int best = -1, best_of_speeds = -1;
    double best_size = -1.0, of_speeds = 0.0, of_all = 0.0;
    for (int row = 0; row < set->n_rows; ++row) {
        if (set->is_dependent[row])
            continue;
        const double smallest = smallest_part(set, asked, row), part = smallest * set->size[row];
        of_all = fmax(of_all, part);
        if (smallest > best_size * (1.0 - 1e-9)) {
            best = row;
            best_size = fmax(best_size, smallest);
        }
        if (set->is_of_speeds[row] && part > of_speeds) {
            best_of_speeds = row;
            of_speeds = part;
        }
    }
    return best_of_speeds >= 0 && of_speeds > part_of_speeds * of_all ? best_of_speeds : best;
}

/* The configuration farthest from losing a rank. */
static int most_decided(const sarrus_plan_asked *asked) {
    int best = 0;
    for (int i = 1; i < asked->n; ++i)
        best = asked->kept[i] > asked->kept[best] ? i : best;
    return best;
}

static void sizes_find(loop_set *set, const analysis *a) {
    const int n = set->rows.n_sides * set->rows.n_each;
    set_place(set, a, most_decided(a->asked));
    for (int r = 0; r < set->n_rows; ++r) {
        const double *value = sarrus_plan_row_side(&set->rows, r, 0);
        double sum = 0.0;
        for (int k = 0; k < n; ++k)
            sum += value[k] * value[k];
        set->size[r] = sqrt(sum);
    }
}

static sarrus_status choose_by_null_vectors(loop_set *set, analysis *a) {
    double *w = malloc(((size_t)set->n_null + 1) * sizeof *w);
    if (!w)
        return SARRUS_NO_MEMORY;
    sizes_find(set, a);
    for (int row = 0; row < set->n_rows; ++row) {
        double largest = 0.0;
        for (int i = 0; i < a->asked->n; ++i)
            largest = fmax(largest, row_norm(set, i, row));
        set->is_unique[row] = largest < part_of_null;
    }
    for (int d = 0; d < set->n_null; ++d) {
        const int row = best_dependent(set, a->asked);
        set->is_dependent[row] = true;
        for (int i = 0; i < a->asked->n; ++i)
            deflate(set, i, row, w);
    }
    free(w);
    return SARRUS_OK;
}

/* The null vectors of every configuration. The generic number of them is the least: the others have lost rank for the moment. */
static sarrus_status find_null_vectors(loop_set *set, analysis *a) {
    int n_null = -1;
    for (int i = 0; i < a->asked->n; ++i) {
        int n = 0;
        set_place(set, a, i);
        if (!sarrus_plan_watch_goes_on(a->c->plan->watch))
            return SARRUS_INTERRUPTED;
        if (!sarrus_null_space_find(&set->rows, tolerance_of(a, i), &set->null[i], &n))
            return SARRUS_NO_MEMORY;
        n_null = n_null < 0 || n < n_null ? n : n_null;
        if (n_null == 0)
            break;
    }
    set->n_null = n_null;
    return SARRUS_OK;
}

/* Rows with a part in some null vector: what a random vector keeps of itself beside everything that the rows can do. */
static bool find_unique(loop_set *set, analysis *a, sarrus_fronts *fronts, double *x, double *y) {
    uint64_t state = 20210907;
    for (int r = 0; r < set->n_rows; ++r)
        set->is_unique[r] = true;
    for (int i = 0; i < a->asked->n; ++i) {
        set_place(set, a, i);
        double *random = y + set->n_rows;
        for (int r = 0; r < set->n_rows; ++r) {
            state = state * 6364136223846793005u + 1442695040888963407u;
            random[r] = (double)(int64_t)state / 9223372036854775808.0;
        }
        for (int pass = 0; pass < 2; ++pass) {
            if (!sarrus_fronts_factor(fronts, &set->rows, tolerance_of(a, i), random))
                return false;
            sarrus_fronts_least(fronts, x);
            sarrus_plan_rows_apply(&set->rows, x, y);
            for (int r = 0; r < set->n_rows; ++r)
                random[r] -= y[r];
        }
        for (int r = 0; r < set->n_rows; ++r)
            set->is_unique[r] = set->is_unique[r] && fabs(random[r]) < part_of_null;
    }
    return true;
}

static sarrus_status choose_by_elimination(loop_set *set, analysis *a) {
    const int best = most_decided(a->asked);
    sarrus_fronts fronts;
    const sarrus_status status = sarrus_fronts_create(&set->rows, a->c->plan->watch, &fronts);
    if (status != SARRUS_OK)
        return status;
    const ptrdiff_t n = (ptrdiff_t)set->rows.n_each * set->rows.n_bodies;
    double *x = malloc(((size_t)n + 2 * (size_t)set->n_rows + 1) * sizeof *x);
    set_place(set, a, best);
    for (int r = 0; r < set->n_rows; ++r) {
        double *value = sarrus_plan_row_side(&set->rows, r, 0);
        for (int k = 0; set->is_of_speeds[r] && k < set->rows.n_sides * set->rows.n_each; ++k)
            value[k] *= scale_of_speeds;
    }
    bool good = x && sarrus_fronts_choose(&fronts, &set->rows, tolerance_of(a, best), set->is_dependent);
    for (int r = 0; good && r < set->n_rows; ++r)
        set->is_dependent[r] = !set->is_dependent[r];
    good = good && find_unique(set, a, &fronts, x, x + n);
    free(x);
    sarrus_fronts_free(&fronts);
    return good ? SARRUS_OK : sarrus_configuration_failure(a->c);
}

static bool is_small(const loop_set *set, const analysis *a) {
    const double m = set->n_rows, n = (double)set->rows.n_each * set->rows.n_bodies, most = fmax(m - n, 0.0);
    return a->asked->n * (2.0 * m * n * n + 4.0 * most * most * m) <= most_work;
}

static sarrus_status set_analyze(analysis *a, const int *row, int n_rows, bool *is_dependent, bool *is_unique) {
    loop_set set;
    sarrus_status status = set_create(&set, a, row, n_rows) ? SARRUS_OK : SARRUS_NO_MEMORY;
    if (status == SARRUS_OK && is_small(&set, a)) {
        status = find_null_vectors(&set, a);
        if (status == SARRUS_OK)
            status = choose_by_null_vectors(&set, a);
    } else if (status == SARRUS_OK) {
        status = choose_by_elimination(&set, a);
    }
    for (int r = 0; status == SARRUS_OK && r < n_rows; ++r) {
        is_dependent[row[r]] = set.is_dependent[r];
        is_unique[row[r]] = set.is_unique[r];
    }
    set_free(&set, a->asked->n);
    return status;
}

/* The rows of every set: those of set k are row[begin[k]] … row[begin[k + 1] − 1]. Returns the number of sets; −1: no memory. */
static int list_rows(const sarrus_plan *plan, int *loop, int *begin, int *row) {
    const int n_sets = sarrus_plan_loop_sets_find(plan, loop);
    for (int i = 0; n_sets >= 0 && i < plan->mech.m; ++i)
        ++begin[loop[plan->row[i].joint] + 2];
    for (int k = 0; k < n_sets; ++k)
        begin[k + 1] += begin[k];
    for (int i = 0; n_sets >= 0 && i < plan->mech.m; ++i)
        row[begin[loop[plan->row[i].joint] + 1]++] = i;
    return n_sets;
}

static bool analysis_begin(analysis *a) {
    sarrus_configuration *c = a->c;
    const size_t n_bodies = (size_t)c->plan->mech.n_bodies, n_numbers = (size_t)(c->rows.n_sides * c->rows.n_each) * (size_t)c->m;
    a->new_body = malloc((n_bodies + 1) * sizeof *a->new_body);
    a->values = malloc(((size_t)a->asked->n * n_numbers + 1) * sizeof *a->values);
    if (!a->new_body || !a->values)
        return false;
    for (size_t b = 0; b < n_bodies; ++b)
        a->new_body[b] = -1;
    for (int i = 0; i < a->asked->n; ++i) {
        memcpy(c->q, a->asked->q[i], (size_t)c->n_q * sizeof *c->q);
        (void)sarrus_configuration_rows(c, 0.0);
        memcpy(a->values + (size_t)i * n_numbers, c->rows.value, n_numbers * sizeof *c->rows.value);
    }
    return true;
}

sarrus_status sarrus_plan_dependence_find(sarrus_configuration *c, const sarrus_plan_asked *asked, bool *is_dependent,
                                          bool *is_unique) {
    const sarrus_plan *plan = c->plan;
    const size_t m = (size_t)c->m, n_owners = (size_t)(plan->mech.n_joints + plan->mech.n_constraints);
    analysis a = {.c = c, .asked = asked};
    int *loop = calloc(2 * n_owners + m + 3, sizeof *loop), *begin = loop ? loop + n_owners : NULL,
        *row = loop ? begin + n_owners + 3 : NULL;
    sarrus_status status = loop && analysis_begin(&a) ? SARRUS_OK : SARRUS_NO_MEMORY;
    const int n_sets = status == SARRUS_OK ? list_rows(plan, loop, begin, row) : -1;
    status = n_sets < 0 ? SARRUS_NO_MEMORY : status;
    for (int k = 0; status == SARRUS_OK && k < n_sets; ++k)
        status = set_analyze(&a, row + begin[k], begin[k + 1] - begin[k], is_dependent, is_unique);
    free(loop);
    free(a.new_body);
    free(a.values);
    return status;
}
