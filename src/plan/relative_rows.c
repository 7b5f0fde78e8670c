/* Which rows over the tree's speeds are independent. The rank is that of the absolute rows without those of the tree's joints,
 * which depend on nothing. Where rows are redundant, they are taken one by one: always the one of which most is left beside those
 * that were taken before, relative to itself, in the configuration where least is. Set of loops after set of loops (loop_sets.h),
 * since no dependence reaches beyond one. */
#include "plan/relative_rows.h"

#include <math.h>
#include <stdlib.h>

#include "plan/loop_sets.h"

/* Multiplications that one set may take in one configuration after another, beyond the first. */
static const double most_work = 2e9;
/* Rows of which as much is left but for this share are alike. */
static const double alike = 1e-6;

/* What is left of the rows of one set of loops, in several configurations. */
typedef struct row_set {
    int n_rows, n_rank, n_columns, n_asked;
    int *row;           /* [n_rows] of the plan, ascending */
    int32_t *column;    /* [n_v] of a speed among those of the set, −1 */
    double *left;       /* [n_asked][n_rows][n_columns] */
    double *own;        /* [n_asked][n_rows] squares of what they were */
    bool *is_taken;     /* [n_rows] */
    bool *is_dependent; /* [m] of the plan */
} row_set;

static void set_free(row_set *set) {
    free(set->row);
    free(set->column);
    free(set->left);
    free(set->own);
    free(set->is_taken);
}

static double *row_left(const row_set *set, int i_asked, int k) {
    return set->left + ((ptrdiff_t)i_asked * set->n_rows + k) * set->n_columns;
}

static double square(const double *x, int n) {
    double sum = 0.0;
    for (int k = 0; k < n; ++k)
        sum += x[k] * x[k];
    return sum;
}

/* Rows and rank of set number `wanted`, and the speeds that its rows meet. */
static bool set_create(row_set *set, const sarrus_plan *absolute, const int *loop, int wanted, bool *is_dependent) {
    const sarrus_plan *plan = absolute->relative;
    const sarrus_plan_independence *found = &absolute->independence;
    *set = (row_set){.is_dependent = is_dependent};
    set->row = calloc((size_t)plan->mech.m + 1, sizeof *set->row);
    set->column = malloc(((size_t)plan->mech.n_v + 1) * sizeof *set->column);
    set->is_taken = calloc((size_t)plan->mech.m + 1, sizeof *set->is_taken);
    if (!set->row || !set->column || !set->is_taken)
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

/* How many configurations are looked at: those that are asked, as far as the work allows. */
static int count_asked(const row_set *set, const sarrus_plan_independence *seen) {
    const double each = (double)set->n_rank * set->n_rows * set->n_columns;
    int n = 0;
    for (int i = 0; i < seen->n_configurations; ++i)
        n += seen->is_asked[i] && (n == 0 || each * (n + 1) <= most_work);
    return n;
}

/* The rows of every configuration that is looked at. */
static bool set_fill(row_set *set, sarrus_tree_rows *rows) {
    const sarrus_plan_independence *seen = &rows->absolute->independence;
    set->n_asked = count_asked(set, seen);
    const size_t n_each = (size_t)set->n_rows * (size_t)set->n_columns;
    set->left = calloc((size_t)set->n_asked * n_each + 1, sizeof *set->left);
    set->own = calloc((size_t)set->n_asked * (size_t)set->n_rows + 1, sizeof *set->own);
    if (!set->left || !set->own)
        return false;
    for (int i = 0, i_asked = 0; i_asked < set->n_asked; ++i) {
        if (!seen->is_asked[i])
            continue;
        sarrus_tree_rows_find(rows, seen->configurations + (ptrdiff_t)i * rows->absolute->mech.n_q);
        for (int k = 0; k < set->n_rows; ++k) {
            double *left = row_left(set, i_asked, k);
            for (int32_t e = rows->plan->row_start[set->row[k]]; e < rows->plan->row_start[set->row[k] + 1]; ++e)
                left[set->column[rows->plan->entry[e].speed]] = rows->value[e];
            set->own[(ptrdiff_t)i_asked * set->n_rows + k] = sarrus_tree_rows_whole(rows, set->row[k]);
        }
        ++i_asked;
    }
    return true;
}

/* What is left of row k where least is, relative to itself; squared. */
static double least_left(const row_set *set, int k) {
    double least = 1.0;
    for (int i = 0; i < set->n_asked; ++i) {
        const double own = set->own[(ptrdiff_t)i * set->n_rows + k], left = square(row_left(set, i, k), set->n_columns);
        least = fmin(least, own > 0.0 ? left / own : 0.0);
    }
    return least;
}

/* The row to be taken next. Of rows that are alike another one of the joint of the last row comes first, so that the two make a
 * block, then the first. `least` [n_rows] is scratch. */
static int best_row(const row_set *set, const sarrus_plan *plan, int last, double *least) {
    double most = -1.0;
    int best = -1;
    for (int k = 0; k < set->n_rows; ++k) {
        least[k] = set->is_taken[k] ? -1.0 : least_left(set, k);
        most = fmax(most, least[k]);
    }
    for (int k = 0; k < set->n_rows; ++k) {
        const bool is_mate = last >= 0 && plan->row[set->row[k]].joint == plan->row[set->row[last]].joint;
        if (set->is_taken[k] || least[k] < most * (1.0 - alike))
            continue;
        if (is_mate)
            return k;
        best = best < 0 ? k : best;
    }
    return best;
}

/* Takes what lies along row `taken` away from the rows that are left. */
static void deflate(row_set *set, int taken) {
    for (int i = 0; i < set->n_asked; ++i) {
        const double *along = row_left(set, i, taken);
        const double size = square(along, set->n_columns);
        for (int k = 0; size > 0.0 && k < set->n_rows; ++k) {
            double *left = row_left(set, i, k), sum = 0.0;
            if (set->is_taken[k])
                continue;
            for (int c = 0; c < set->n_columns; ++c)
                sum += left[c] * along[c];
            for (int c = 0; c < set->n_columns; ++c)
                left[c] -= sum / size * along[c];
        }
    }
}

static sarrus_status set_choose(row_set *set, sarrus_tree_rows *rows) {
    if (set->n_rank == set->n_rows)
        return SARRUS_OK;
    double *least = malloc(((size_t)set->n_rows + 1) * sizeof *least);
    bool good = set_fill(set, rows) && least, goes_on = true;
    for (int taken = 0, last = -1; good && goes_on && taken < set->n_rank; ++taken) {
        last = best_row(set, rows->plan, last, least);
        set->is_taken[last] = true;
        deflate(set, last);
        goes_on = sarrus_plan_watch_goes_on(rows->absolute->watch);
    }
    for (int k = 0; k < set->n_rows; ++k)
        set->is_dependent[set->row[k]] = !set->is_taken[k];
    free(least);
    if (!good)
        return SARRUS_NO_MEMORY;
    return goes_on ? SARRUS_OK : SARRUS_INTERRUPTED;
}

static sarrus_status choose(sarrus_tree_rows *rows, bool *is_dependent) {
    const sarrus_plan *absolute = rows->absolute;
    int *loop = malloc(((size_t)absolute->mech.n_joints + 1) * sizeof *loop);
    const int n_sets = loop ? sarrus_plan_loop_sets_find(absolute, loop) : -1;
    sarrus_status status = n_sets < 0 ? SARRUS_NO_MEMORY : SARRUS_OK;
    for (int k = 0; status == SARRUS_OK && k < n_sets; ++k) {
        row_set set;
        bool has_choice = false;
        for (int d = 0; d < absolute->mech.m - absolute->independence.n_independent; ++d)
            has_choice = has_choice || loop[absolute->row[absolute->independence.dependent[d]].joint] == k;
        if (!has_choice)
            continue;
        status = set_create(&set, absolute, loop, k, is_dependent) ? set_choose(&set, rows) : SARRUS_NO_MEMORY;
        set_free(&set);
    }
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
