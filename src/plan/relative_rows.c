/* Which rows over the tree's speeds are independent. The rank is that of the absolute rows without those of the tree's joints,
 * which depend on nothing. Where rows are redundant, those are left out one by one that can best be spared: with N the projector
 * onto the null space of Jᵀ, the rows that stay are as independent as all of them times the root of a determinant of N over those
 * left out, so it is always the row with the largest N_kk beside the ones before it, in the configuration where that is least. A
 * change point does not count against any row so, where all are lost together; one row standing still where the others move does.
 * Set of loops after set of loops (loop_sets.h), since no dependence reaches beyond one.
 *
 * What counts is the whole motion: configurations are those that the absolute plan has looked at, and those of a walk onward from
 * the assembled one. */
#include "plan/relative_rows.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "plan/loop_sets.h"
#include "plan/spectrum.h"
#include "plan/walk.h"

/* Moves of the walk: where one motion is free some 19 rad of what turns most. */
enum { N_WALKS = 48 };
/* Flops that the walk may take. */
static const double most_flops = 2e9;
/* Multiplications that one set may take in one configuration after another, beyond the first. */
static const double most_work = 2e9;
/* Rows of which as much can be spared but for this share are alike. */
static const double alike = 1e-6;

/* Configurations that are looked at. */
typedef struct places {
    int n;
    double *q; /* [n][n_q] of the absolute plan */
} places;

/* Rows of one set of loops in several configurations. */
typedef struct row_set {
    int n_rows, n_rank, n_columns, n_places;
    int *row;           /* [n_rows] of the plan, ascending */
    int32_t *column;    /* [n_v] of a speed among those of the set, −1 */
    double *left;       /* [n_columns][n_rows] scratch: columns, of which an orthonormal basis is made */
    double *null;       /* [n_places][n_rows][n_rows] N */
    bool *is_dependent; /* [m] of the plan */
} row_set;

static void set_free(row_set *set) {
    free(set->row);
    free(set->column);
    free(set->left);
    free(set->null);
}

/* Rows and rank of set number `wanted`, and the speeds that its rows meet. */
static bool set_create(row_set *set, const sarrus_plan *absolute, const int *loop, int wanted, bool *is_dependent) {
    const sarrus_plan *plan = absolute->relative;
    const sarrus_plan_independence *found = &absolute->independence;
    *set = (row_set){.is_dependent = is_dependent};
    set->row = calloc((size_t)plan->mech.m + 1, sizeof *set->row);
    set->column = malloc(((size_t)plan->mech.n_v + 1) * sizeof *set->column);
    if (!set->row || !set->column)
        return false;
    for (int k = 0; k < plan->mech.n_v; ++k)
        set->column[k] = -1;
    for (int i = 0; i < plan->mech.m; ++i) {
        if (loop[plan->row[i].joint] != wanted)
            continue;
        set->row[set->n_rows++] = i;
        for (int32_t e = plan->row_start[i]; e < plan->row_start[i + 1]; ++e) {
            int32_t *column = &set->column[plan->entry[e].speed];
            *column = *column < 0 ? set->n_columns++ : *column;
        }
    }
    set->n_rank = set->n_rows;
    for (int d = 0; d < absolute->mech.m - found->n_independent; ++d)
        set->n_rank -= loop[absolute->row[found->dependent[d]].joint] == wanted;
    return true;
}

static double square(const double *x, int n) {
    double sum = 0.0;
    for (int k = 0; k < n; ++k)
        sum += x[k] * x[k];
    return sum;
}

/* x ← x less its part along y, of length 1; y may have been taken from x before. */
static void take_away(const double *y, int n, double *x) {
    double along = 0.0;
    for (int k = 0; k < n; ++k)
        along += x[k] * y[k];
    for (int k = 0; k < n; ++k)
        x[k] -= along * y[k];
}

/* An orthonormal basis of what the columns of the rows span, the longest first, into the first n_rank columns. False: the rows have
 * lost a direction here, or as good as. */
static bool find_basis(row_set *set, sarrus_tree_rows *rows) {
    const sarrus_plan *plan = rows->plan;
    const int n = set->n_rows;
    double largest = 0.0;
    memset(set->left, 0, (size_t)set->n_columns * (size_t)n * sizeof *set->left);
    for (int k = 0; k < n; ++k) {
        const double size = sqrt(sarrus_tree_rows_whole(rows, set->row[k]));
        for (int32_t e = plan->row_start[set->row[k]]; e < plan->row_start[set->row[k] + 1]; ++e)
            set->left[(ptrdiff_t)set->column[plan->entry[e].speed] * n + k] = size > 0.0 ? rows->value[e] / size : 0.0;
    }
    for (int i = 0; i < set->n_rank; ++i) {
        double *at = set->left + (ptrdiff_t)i * n, *best = at;
        for (int c = i + 1; c < set->n_columns; ++c) {
            double *column = set->left + (ptrdiff_t)c * n;
            best = square(column, n) > square(best, n) ? column : best;
        }
        for (int k = 0; k < n; ++k) {
            const double x = at[k];
            at[k] = best[k];
            best[k] = x;
        }
        for (int before = 0; before < i; ++before)
            take_away(set->left + (ptrdiff_t)before * n, n, at);
        const double length = sqrt(square(at, n));
        largest = fmax(largest, length);
        if (!(length > SARRUS_RANK_TOLERANCE * largest))
            return false;
        for (int k = 0; k < n; ++k)
            at[k] /= length;
        for (int c = i + 1; c < set->n_columns; ++c)
            take_away(at, n, set->left + (ptrdiff_t)c * n);
    }
    return true;
}

/* N in every configuration in which the rows have their rank, as far as the work allows. */
static bool set_fill(row_set *set, sarrus_tree_rows *rows, const places *seen) {
    const size_t n = (size_t)set->n_rows;
    const double each = (double)set->n_rank * set->n_rows * (set->n_columns + set->n_rows);
    const int n_most = (int)fmin(seen->n, 1.0 + most_work / (each + 1.0));
    set->left = calloc((size_t)set->n_columns * n + 1, sizeof *set->left);
    set->null = calloc((size_t)n_most * n * n + 1, sizeof *set->null);
    if (!set->left || !set->null)
        return false;
    for (int i = 0; i < seen->n && set->n_places < n_most; ++i) {
        double *null = set->null + (size_t)set->n_places * n * n;
        sarrus_tree_rows_find(rows, seen->q + (ptrdiff_t)i * rows->absolute->mech.n_q);
        if (!find_basis(set, rows))
            continue;
        for (size_t at = 0; at < n * n; ++at) {
            double sum = at / n == at % n ? 1.0 : 0.0;
            for (int k = 0; k < set->n_rank; ++k)
                sum -= set->left[(size_t)k * n + at / n] * set->left[(size_t)k * n + at % n];
            null[at] = sum;
        }
        ++set->n_places;
    }
    return true;
}

/* N_kk of row k of the set where it is least. */
static double spared(const row_set *set, int k) {
    const size_t n = (size_t)set->n_rows;
    double least = 1.0;
    for (int i = 0; i < set->n_places; ++i)
        least = fmin(least, set->null[(size_t)i * n * n + (size_t)k * (n + 1)]);
    return least;
}

/* The row to be left out next. Of rows that are alike the last one of the joint of the row before, so that the others make blocks,
 * or the last one. `least` [n_rows] is scratch. */
static int next_row(const row_set *set, const sarrus_plan *plan, int before, double *least) {
    double most = -1.0;
    int best = -1;
    for (int k = 0; k < set->n_rows; ++k) {
        least[k] = set->is_dependent[set->row[k]] ? -1.0 : spared(set, k);
        most = fmax(most, least[k]);
    }
    for (int k = 0; k < set->n_rows; ++k) {
        const bool is_out = set->is_dependent[set->row[k]] || least[k] < most - alike;
        const bool is_mate = before >= 0 && plan->row[set->row[k]].joint == plan->row[set->row[before]].joint;
        const bool had_mate = best >= 0 && before >= 0 && plan->row[set->row[best]].joint == plan->row[set->row[before]].joint;
        if (!is_out && (is_mate || !had_mate))
            best = k;
    }
    return best;
}

/* N ← N without what row k has of it. */
static void leave_out(row_set *set, int k) {
    const size_t n = (size_t)set->n_rows;
    for (int i = 0; i < set->n_places; ++i) {
        double *null = set->null + (size_t)i * n * n, *of_row = null + (size_t)k * n;
        const double own = of_row[k];
        for (size_t r = 0; own > 0.0 && r < n; ++r) {
            const double part = null[r * n + (size_t)k] / own;
            for (size_t c = 0; r != (size_t)k && c < n; ++c)
                null[r * n + c] -= part * of_row[c];
        }
        memset(of_row, 0, n * sizeof *of_row);
    }
}

static sarrus_status set_choose(row_set *set, sarrus_tree_rows *rows, const places *seen) {
    if (set->n_rank == set->n_rows)
        return SARRUS_OK;
    double *least = malloc(((size_t)set->n_rows + 1) * sizeof *least);
    bool good = set_fill(set, rows, seen) && least, goes_on = true;
    for (int n_out = 0, last = -1; good && goes_on && n_out < set->n_rows - set->n_rank; ++n_out) {
        last = next_row(set, rows->plan, last, least);
        set->is_dependent[set->row[last]] = true;
        leave_out(set, last);
        goes_on = sarrus_plan_watch_goes_on(rows->absolute->watch);
    }
    free(least);
    if (!good)
        return SARRUS_NO_MEMORY;
    return goes_on ? SARRUS_OK : SARRUS_INTERRUPTED;
}

static void place_put(places *to, const double *q, int n_q) {
    memcpy(to->q + (ptrdiff_t)to->n++ * n_q, q, (size_t)n_q * sizeof *q);
}

/* Configurations that were asked before, then those of a walk onward from the assembled one; driven joints move on in time. */
static sarrus_status places_find(sarrus_tree_rows *rows, places *out) {
    const sarrus_plan *absolute = rows->absolute;
    const sarrus_plan_independence *seen = &absolute->independence;
    sarrus_configuration *c = &rows->at;
    const int n_q = c->n_q;
    sarrus_walk walk;
    *out = (places){.q = malloc(((size_t)(seen->n_configurations + N_WALKS) * (size_t)n_q + 1) * sizeof *out->q)};
    if (!out->q || !sarrus_walk_begin(&walk, c, true))
        return SARRUS_NO_MEMORY;
    for (int i = 0; i < seen->n_configurations; ++i) {
        if (seen->is_asked[i])
            place_put(out, seen->configurations + (ptrdiff_t)i * n_q, n_q);
    }
    memcpy(c->q, seen->configurations, (size_t)n_q * sizeof *c->q);
    (void)sarrus_configuration_rows(c, 0.0);
    const double flops_before = c->fronts.flops;
    bool goes_on = true;
    double t = 0.0;
    for (int i = 0; goes_on && i < N_WALKS && (c->fronts.flops - flops_before) * (i + 1) <= most_flops * fmax(i, 1.0); ++i) {
        t += absolute->mech.n_drives > 0 ? absolute->model->integrator.t_end / N_WALKS : 0.0;
        if (absolute->mech.n_drives > 0)
            (void)sarrus_configuration_assemble(c, t);
        if (!sarrus_walk_on(&walk, c, seen->n_independent, t))
            break;
        place_put(out, c->q, n_q);
        goes_on = sarrus_plan_watch_goes_on(absolute->watch);
    }
    sarrus_walk_end(&walk);
    return goes_on ? SARRUS_OK : SARRUS_INTERRUPTED;
}

static sarrus_status choose(sarrus_tree_rows *rows, bool *is_dependent) {
    const sarrus_plan *absolute = rows->absolute;
    int *loop = malloc(((size_t)(absolute->mech.n_joints + absolute->mech.n_constraints) + 1) * sizeof *loop);
    const int n_sets = loop ? sarrus_plan_loop_sets_find(absolute, loop) : -1;
    places seen = {0};
    sarrus_status status = n_sets < 0 ? SARRUS_NO_MEMORY : places_find(rows, &seen);
    for (int k = 0; status == SARRUS_OK && k < n_sets; ++k) {
        row_set set;
        bool has_choice = false;
        for (int d = 0; d < absolute->mech.m - absolute->independence.n_independent; ++d)
            has_choice = has_choice || loop[absolute->row[absolute->independence.dependent[d]].joint] == k;
        if (!has_choice)
            continue;
        status = !set_create(&set, absolute, loop, k, is_dependent) ? SARRUS_NO_MEMORY
                 : set.n_rank < 0                                   ? SARRUS_BAD_INPUT
                                                                    : set_choose(&set, rows, &seen);
        set_free(&set);
    }
    free(seen.q);
    free(loop);
    return status;
}

sarrus_status sarrus_plan_relative_rows(const sarrus_plan *absolute, sarrus_tree_rows *rows) {
    sarrus_plan *plan = absolute->relative;
    sarrus_plan_independence *found = &plan->independence;
    const size_t m = (size_t)plan->mech.m;
    found->independent = calloc(m + 1, sizeof *found->independent);
    found->dependent = calloc(m + 1, sizeof *found->dependent);
    found->row_is_unique = calloc(m + 1, sizeof *found->row_is_unique);
    bool *is_dependent = calloc(m + 1, sizeof *is_dependent);
    const bool good = found->independent && found->dependent && found->row_is_unique && is_dependent;
    sarrus_status status = good ? SARRUS_OK : SARRUS_NO_MEMORY;
    if (good && absolute->independence.n_independent < absolute->mech.m)
        status = choose(rows, is_dependent);
    for (int i = 0, n_dependent = 0; status == SARRUS_OK && i < plan->mech.m; ++i) {
        found->row_is_unique[i] = absolute->independence.row_is_unique[sarrus_plan_row_in_absolute(absolute, i)];
        if (is_dependent[i])
            found->dependent[n_dependent++] = i;
        else
            found->independent[found->n_independent++] = i;
    }
    found->rank_at_t0 = absolute->independence.rank_at_t0 - plan->mech.tree.n_rows_within;
    found->n_configurations = absolute->independence.n_configurations;
    free(is_dependent);
    return status;
}
