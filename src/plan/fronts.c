#include "plan/fronts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void sarrus_plan_rows_apply(const sarrus_plan_rows *rows, const double *x, double *y) {
    for (int i = 0; i < rows->n_rows; ++i) {
        y[i] = 0.0;
        for (int side = 0; side < rows->n_sides; ++side) {
            const double *a = sarrus_plan_row_side(rows, i, side), *part = x + rows->n_each * (ptrdiff_t)rows->body[i][side];
            double sum = 0.0;
            for (int k = 0; rows->body[i][side] >= 0 && k < rows->n_each; ++k)
                sum += a[k] * part[k];
            y[i] += sum;
        }
    }
}

void sarrus_plan_rows_apply_back(const sarrus_plan_rows *rows, const double *y, double *x) {
    memset(x, 0, (size_t)rows->n_each * (size_t)rows->n_bodies * sizeof *x);
    for (int i = 0; i < rows->n_rows; ++i) {
        for (int side = 0; side < rows->n_sides; ++side) {
            const double *a = sarrus_plan_row_side(rows, i, side);
            for (int k = 0; rows->body[i][side] >= 0 && k < rows->n_each; ++k)
                x[rows->n_each * rows->body[i][side] + k] += a[k] * y[i];
        }
    }
}

/* √(‖A‖₁ ‖A‖∞) */
double sarrus_plan_rows_scale(const sarrus_plan_rows *rows) {
    const int n_each = rows->n_each;
    const size_t n = (size_t)n_each * (size_t)rows->n_bodies;
    double *column = calloc(n + 1, sizeof *column), widest = 0.0, tallest = 0.0;
    for (int i = 0; i < rows->n_rows; ++i) {
        double sum = 0.0;
        for (int k = 0; k < rows->n_sides * n_each; ++k) {
            const double size = fabs(sarrus_plan_row_side(rows, i, 0)[k]);
            sum += size;
            if (column && rows->body[i][k / n_each] >= 0)
                column[n_each * rows->body[i][k / n_each] + k % n_each] += size;
        }
        widest = fmax(widest, sum);
    }
    for (size_t k = 0; column && k < n; ++k)
        tallest = fmax(tallest, column[k]);
    free(column);
    return tallest > 0.0 ? sqrt(widest * tallest) : widest;
}

void sarrus_fronts_free(sarrus_fronts *f) {
    for (int k = 0; f->front && k < f->n; ++k)
        free(f->front[k].left);
    free(f->front);
    free(f->place);
    free(f->later);
    free(f->row);
    free(f->slot);
    free(f->scratch);
    free(f->factor);
    free(f->work);
    memset(f, 0, sizeof *f);
}

static int ascending(const void *a, const void *b) {
    const int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return (x > y) - (x < y);
}

/* The later places of every front, from the filled graph of the bodies. */
static bool list_later(sarrus_fronts *f, const sarrus_order_trial *trial) {
    int32_t at = 0;
    f->later = malloc(((size_t)trial->facts.n_entries + 1) * sizeof *f->later);
    if (!f->later)
        return false;
    for (int k = 0; k < f->n; ++k)
        f->place[trial->order[k]] = k;
    for (int k = 0; k < f->n; ++k) {
        const sarrus_block_set *near = &trial->filled.near[trial->order[k]];
        sarrus_front *front = &f->front[k];
        *front = (sarrus_front){.body = trial->order[k], .parent = -1, .first_child = -1, .next_child = -1, .later = at};
        for (int i = 0; i < near->n; ++i) {
            if (f->place[near->block[i]] > k)
                f->later[at++] = f->place[near->block[i]];
        }
        front->n_later = at - front->later;
        qsort(f->later + front->later, (size_t)front->n_later, sizeof *f->later, ascending);
    }
    for (int k = f->n - 1; k >= 0; --k) {
        sarrus_front *front = &f->front[k];
        if (front->n_later == 0)
            continue;
        front->parent = f->later[front->later];
        front->next_child = f->front[front->parent].first_child;
        f->front[front->parent].first_child = k;
    }
    return true;
}

/* The front at which a row enters, −1 for a row without bodies. */
static int front_of(const sarrus_fronts *f, const int32_t *body) {
    int first = -1;
    for (int side = 0; side < SARRUS_MOST_SIDES; ++side) {
        const int place = body[side] >= 0 ? f->place[body[side]] : -1;
        if (place >= 0 && (first < 0 || place < first))
            first = place;
    }
    return first;
}

static bool list_rows(sarrus_fronts *f, const sarrus_plan_rows *rows) {
    f->row = calloc((size_t)rows->n_rows + 1, sizeof *f->row);
    if (!f->row)
        return false;
    for (int i = 0; i < rows->n_rows; ++i) {
        const int k = front_of(f, rows->body[i]);
        if (k >= 0)
            ++f->front[k].n_rows;
    }
    for (int k = 0, at = 0; k < f->n; ++k) {
        f->front[k].row = at;
        at += f->front[k].n_rows;
        f->front[k].n_rows = 0;
    }
    for (int i = 0; i < rows->n_rows; ++i) {
        const int k = front_of(f, rows->body[i]);
        if (k >= 0)
            f->row[f->front[k].row + f->front[k].n_rows++] = i;
    }
    return true;
}

static bool make_factor(sarrus_fronts *f) {
    size_t n_factor = 0;
    for (int k = 0; k < f->n; ++k) {
        f->front[k].factor = n_factor;
        n_factor += (size_t)f->n_each * ((size_t)f->n_each * (1 + (size_t)f->front[k].n_later) + 1);
    }
    f->factor = malloc((n_factor + 1) * sizeof *f->factor);
    return f->factor != NULL;
}

static bool graph_of(const sarrus_plan_rows *rows, sarrus_block_graph *graph) {
    bool good = sarrus_block_graph_create(graph, rows->n_bodies);
    for (int i = 0; good && i < rows->n_rows; ++i) {
        const int32_t *body = rows->body[i];
        for (int a = 0; a < SARRUS_MOST_SIDES; ++a) {
            for (int b = a + 1; good && body[a] >= 0 && b < SARRUS_MOST_SIDES; ++b) {
                if (body[b] >= 0 && body[a] != body[b])
                    good = sarrus_block_graph_join(graph, body[a], body[b]);
            }
        }
    }
    return good;
}

sarrus_status sarrus_fronts_create(const sarrus_plan_rows *rows, sarrus_plan_watch *watch, sarrus_fronts *f) {
    sarrus_block_graph graph = {0};
    sarrus_order_trial trial = {0};
    const size_t n = (size_t)rows->n_bodies;
    memset(f, 0, sizeof *f);
    f->n_rows = rows->n_rows;
    f->n = rows->n_bodies;
    f->n_each = rows->n_each;
    f->watch = watch;
    f->front = calloc(n + 1, sizeof *f->front);
    f->place = calloc(n + 1, sizeof *f->place);
    f->slot = calloc(n + 1, sizeof *f->slot);
    f->scratch = calloc((size_t)rows->n_each * n + 1, sizeof *f->scratch);
    const bool good = f->front && f->place && f->slot && f->scratch && graph_of(rows, &graph) &&
                      sarrus_order_try(&graph, SARRUS_ORDER_DEGREE, &trial) && !isinf(trial.facts.flops) && list_later(f, &trial) &&
                      list_rows(f, rows) && make_factor(f);
    sarrus_block_graph_free(&graph);
    sarrus_order_trial_free(&trial);
    if (good)
        return SARRUS_OK;
    sarrus_fronts_free(f);
    return SARRUS_NO_MEMORY;
}

/* A front while it is eliminated: [n_rows][n_columns], the right side last. */
typedef struct dense_front {
    double *at, *sum;
    int n_own; /* the first columns, which are eliminated */
    int n_rows, n_columns;
} dense_front;

static void put_children(sarrus_fronts *f, const sarrus_front *front, dense_front *d) {
    for (int child = front->first_child; child >= 0; child = f->front[child].next_child) {
        sarrus_front *from = &f->front[child];
        const int n_from = f->n_each * from->n_later + 1;
        for (int i = 0; i < from->n_left; ++i) {
            double *to = d->at + (size_t)d->n_rows++ * (size_t)d->n_columns;
            const double *row = from->left + (size_t)i * (size_t)n_from;
            for (int j = 0; j < from->n_later; ++j) {
                double *part = to + f->n_each * f->slot[f->later[from->later + j]];
                for (int k = 0; k < f->n_each; ++k)
                    part[k] = row[f->n_each * j + k];
            }
            to[d->n_columns - 1] = row[n_from - 1];
        }
        free(from->left);
        from->left = NULL;
    }
}

static bool make_room(sarrus_fronts *f, size_t n_work) {
    if (n_work <= f->n_work)
        return true;
    free(f->work);
    f->n_work = n_work + n_work / 4;
    f->work = malloc(f->n_work * sizeof *f->work);
    f->n_work = f->work ? f->n_work : 0;
    return f->work != NULL;
}

/* The front with its own rows, what its children have left, and μ on its diagonal. Nowhere (`at`): no memory. */
static dense_front assemble(sarrus_fronts *f, int k, const sarrus_plan_rows *rows, double mu, const double *b) {
    const sarrus_front *front = &f->front[k];
    const int n_each = f->n_each;
    dense_front d = {NULL, NULL, n_each, 0, n_each * (1 + front->n_later) + 1};
    size_t n_rows = (size_t)front->n_rows + (size_t)n_each;
    for (int child = front->first_child; child >= 0; child = f->front[child].next_child)
        n_rows += (size_t)f->front[child].n_left;
    if (!make_room(f, (n_rows + 1) * (size_t)d.n_columns))
        return d;
    d.at = f->work;
    d.sum = f->work + n_rows * (size_t)d.n_columns;
    memset(d.at, 0, n_rows * (size_t)d.n_columns * sizeof *d.at);
    f->slot[k] = 0;
    for (int j = 0; j < front->n_later; ++j)
        f->slot[f->later[front->later + j]] = j + 1;
    for (int r = 0; r < front->n_rows; ++r) {
        const int i = f->row[front->row + r];
        double *to = d.at + (size_t)d.n_rows++ * (size_t)d.n_columns;
        for (int side = 0; side < rows->n_sides; ++side) {
            const double *from = sarrus_plan_row_side(rows, i, side);
            for (int x = 0; rows->body[i][side] >= 0 && x < n_each; ++x)
                to[n_each * f->slot[f->place[rows->body[i][side]]] + x] = from[x];
        }
        to[d.n_columns - 1] = b ? b[i] : 0.0;
    }
    put_children(f, front, &d);
    for (int x = 0; mu > 0.0 && x < n_each; ++x)
        d.at[(size_t)d.n_rows++ * (size_t)d.n_columns + (size_t)x] = mu;
    return d;
}

/* sum ← sum + v row, from `begin` to `end`. */
static void add_scaled(double *sum, double v, const double *row, size_t begin, size_t end) {
    for (size_t j = begin; j < end; ++j)
        sum[j] += v * row[j];
}

/* Householder's reflection that leaves of column `column`, from row `first` on, only its first number. */
static void reflect(const dense_front *d, int first, int column) {
    const size_t n = (size_t)d->n_columns, next = (size_t)column + 1;
    double *top = d->at + (size_t)first * n, rest2 = 0.0;
    for (int i = first + 1; i < d->n_rows; ++i)
        rest2 += d->at[(size_t)i * n + (size_t)column] * d->at[(size_t)i * n + (size_t)column];
    if (!(rest2 > 0.0))
        return;
    const double norm2 = top[column] * top[column] + rest2;
    const double pivot = top[column] > 0.0 ? -sqrt(norm2) : sqrt(norm2), factor = 1.0 / (norm2 - top[column] * pivot);
    top[column] -= pivot;
    memset(d->sum, 0, n * sizeof *d->sum);
    for (int i = first; i < d->n_rows; ++i) {
        const double *row = d->at + (size_t)i * n;
        if (row[column] != 0.0)
            add_scaled(d->sum, row[column], row, next, n);
    }
    for (int i = first; i < d->n_rows; ++i) {
        double *row = d->at + (size_t)i * n;
        if (row[column] != 0.0)
            add_scaled(row, -factor * row[column], d->sum, next, n);
        row[column] = 0.0;
    }
    top[column] = pivot;
}

/* Hands the rows from `first` on to the parent, no more of them than there are columns left. False: no memory. */
static bool leave(sarrus_front *front, dense_front *d, int first) {
    const int n_columns = d->n_columns - d->n_own;
    for (int column = 0; d->n_rows - first > n_columns - 1 && column < n_columns - 1; ++column)
        reflect(d, first + column, d->n_own + column);
    const int n_rows = d->n_rows - first;
    front->n_left = n_rows < n_columns - 1 ? n_rows : n_columns - 1;
    if (front->n_left == 0)
        return true;
    front->left = malloc((size_t)front->n_left * (size_t)n_columns * sizeof *front->left);
    for (int i = 0; front->left && i < front->n_left; ++i) {
        const double *row = d->at + (size_t)(first + i) * (size_t)d->n_columns;
        memcpy(front->left + (size_t)i * (size_t)n_columns, row + d->n_own, (size_t)n_columns * sizeof *row);
    }
    return front->left != NULL;
}

static void forget_left(sarrus_fronts *f) {
    for (int k = 0; k < f->n; ++k) {
        free(f->front[k].left);
        f->front[k].left = NULL;
    }
}

static double flops_of(const dense_front *d) {
    return 4.0 * d->n_own * d->n_rows * d->n_columns;
}

bool sarrus_fronts_factor(sarrus_fronts *f, const sarrus_plan_rows *rows, double mu, const double *b) {
    bool good = true;
    f->mu = mu;
    for (int k = 0; good && k < f->n; ++k) {
        sarrus_front *front = &f->front[k];
        dense_front d = assemble(f, k, rows, mu, b);
        for (int x = 0; d.at && x < d.n_own; ++x)
            reflect(&d, x, x);
        if (d.at)
            memcpy(f->factor + front->factor, d.at, (size_t)d.n_own * (size_t)d.n_columns * sizeof *d.at);
        good = d.at && leave(front, &d, d.n_own) && sarrus_plan_watch_goes_on(f->watch);
        f->flops += flops_of(&d);
    }
    if (!good)
        forget_left(f);
    return good;
}

/* x ← R⁻¹ y, y [n_each] of each front in `x` at its body. */
static void solve_back(const sarrus_fronts *f, double *x) {
    const int n_each = f->n_each;
    for (int k = f->n - 1; k >= 0; --k) {
        const sarrus_front *front = &f->front[k];
        const int n_columns = n_each * (1 + front->n_later) + 1;
        double *own = x + n_each * (ptrdiff_t)front->body;
        for (int i = n_each - 1; i >= 0; --i) {
            const double *r = f->factor + front->factor + (size_t)i * (size_t)n_columns;
            double sum = own[i];
            for (int j = 0; j < front->n_later; ++j) {
                const double *other = x + n_each * (ptrdiff_t)f->front[f->later[front->later + j]].body;
                double part = 0.0;
                for (int s = 0; s < n_each; ++s)
                    part += r[n_each * (1 + j) + s] * other[s];
                sum -= part;
            }
            for (int j = i + 1; j < n_each; ++j)
                sum -= r[j] * own[j];
            own[i] = sum / r[i];
        }
    }
}

/* x ← R⁻ᵀ x */
static void solve_forth(const sarrus_fronts *f, double *x) {
    const int n_each = f->n_each;
    for (int k = 0; k < f->n; ++k) {
        const sarrus_front *front = &f->front[k];
        const int n_columns = n_each * (1 + front->n_later) + 1;
        double *own = x + n_each * (ptrdiff_t)front->body;
        for (int i = 0; i < n_each; ++i) {
            const double *r = f->factor + front->factor + (size_t)i * (size_t)n_columns;
            own[i] /= r[i];
            for (int j = i + 1; j < n_each; ++j)
                own[j] -= r[j] * own[i];
            for (int j = 0; j < front->n_later; ++j) {
                double *other = x + n_each * (ptrdiff_t)f->front[f->later[front->later + j]].body;
                for (int s = 0; s < n_each; ++s)
                    other[s] -= r[n_each * (1 + j) + s] * own[i];
            }
        }
    }
}

/* With the rows of a front that its children leave taken for as many as it has columns. */
double sarrus_fronts_flops(const sarrus_fronts *f) {
    double flops = 0.0;
    for (int k = 0; k < f->n; ++k) {
        const double n_each = f->n_each, n_columns = n_each * (1.0 + f->front[k].n_later) + 1.0;
        flops += 4.0 * n_each * n_columns * (f->front[k].n_rows + n_each + (f->front[k].first_child < 0 ? 0.0 : n_columns));
    }
    return flops;
}

void sarrus_fronts_solve(const sarrus_fronts *f, double *x) {
    solve_forth(f, x);
    solve_back(f, x);
}

/* Round-off puts ε/μ² times what is left of b into the null space: that is taken off again, by what μ² (AᵀA + μ²)⁻¹ leaves of it.
 */
void sarrus_fronts_least(sarrus_fronts *f, double *x) {
    const size_t n_each = (size_t)f->n_each, n = n_each * (size_t)f->n;
    for (int k = 0; k < f->n; ++k) {
        const sarrus_front *front = &f->front[k];
        const size_t n_columns = n_each * (1 + (size_t)front->n_later) + 1;
        for (size_t i = 0; i < n_each; ++i)
            x[n_each * (size_t)front->body + i] = f->factor[front->factor + (i + 1) * n_columns - 1];
    }
    solve_back(f, x);
    memcpy(f->scratch, x, n * sizeof *x);
    for (int pass = 0; pass < 2; ++pass) {
        sarrus_fronts_solve(f, f->scratch);
        for (size_t i = 0; i < n; ++i)
            f->scratch[i] *= f->mu * f->mu;
    }
    double largest = 0.0;
    for (size_t i = 0; i < n; ++i) {
        x[i] -= f->scratch[i];
        largest = fmax(largest, fabs(x[i]));
    }
    /* What does not move is not to move by 1e-167. */
    for (size_t i = 0; i < n; ++i)
        x[i] = fabs(x[i]) > 1e-20 * largest ? x[i] : 0.0;
}

static double column_norm(const dense_front *d, int first, int column) {
    double sum = 0.0;
    for (int i = first; i < d->n_rows; ++i) {
        const double x = d->at[(size_t)i * (size_t)d->n_columns + (size_t)column];
        sum += x * x;
    }
    return sqrt(sum);
}

static void swap_columns(const dense_front *d, int a, int b) {
    for (int i = 0; a != b && i < d->n_rows; ++i) {
        double *row = d->at + (size_t)i * (size_t)d->n_columns, x = row[a];
        row[a] = row[b];
        row[b] = x;
    }
}

/* Of the front's own columns those that count, the largest first; returns how many. */
static int count_columns(const dense_front *d, double tolerance, double doubtful, sarrus_fronts_rank *out) {
    for (int found = 0; found < d->n_own; ++found) {
        int best = found;
        double largest = -1.0;
        for (int x = found; x < d->n_own; ++x) {
            const double norm = column_norm(d, found, x);
            best = norm > largest ? x : best;
            largest = fmax(largest, norm);
        }
        if (!(largest > tolerance)) {
            out->largest_dropped = fmax(out->largest_dropped, largest);
            return found;
        }
        out->n_small += largest < doubtful;
        out->smallest = fmin(out->smallest, largest);
        ++out->rank;
        swap_columns(d, found, best);
        reflect(d, found, found);
    }
    return d->n_own;
}

bool sarrus_fronts_rank_find(sarrus_fronts *f, const sarrus_plan_rows *rows, double tolerance, double doubtful,
                             sarrus_fronts_rank *out) {
    bool good = true;
    *out = (sarrus_fronts_rank){.smallest = INFINITY};
    for (int k = 0; good && k < f->n; ++k) {
        dense_front d = assemble(f, k, rows, 0.0, NULL);
        const int n_found = d.at ? count_columns(&d, tolerance, doubtful, out) : 0;
        good = d.at && leave(&f->front[k], &d, n_found) && sarrus_plan_watch_goes_on(f->watch);
        f->flops += flops_of(&d);
    }
    if (!good)
        forget_left(f);
    return good;
}

/* Of the front's own columns from `found` on, in its rows from `found` on, the largest number; of equal ones that of the first row
 * of A, whose number stands last in every row. Returns its size. */
static double find_pivot(const dense_front *d, int found, int *at_row, int *at_column) {
    double largest = 0.0, first = 0.0;
    for (int i = found; i < d->n_rows; ++i) {
        const double *row = d->at + (size_t)i * (size_t)d->n_columns, number = row[d->n_columns - 1];
        for (int x = found; x < d->n_own; ++x) {
            const double size = fabs(row[x]);
            const bool is_alike = size > (1.0 - 1e-9) * largest;
            if (size > (1.0 + 1e-9) * largest || (is_alike && number < first)) {
                *at_row = i;
                *at_column = x;
                first = number;
                largest = fmax(size, largest);
            }
        }
    }
    return largest;
}

static void swap_rows(const dense_front *d, int a, int b) {
    double *x = d->at + (size_t)a * (size_t)d->n_columns, *y = d->at + (size_t)b * (size_t)d->n_columns;
    for (int j = 0; a != b && j < d->n_columns; ++j) {
        const double number = x[j];
        x[j] = y[j];
        y[j] = number;
    }
}

/* Gaussian elimination of the front's own columns; returns how many had a pivot. */
static int choose_rows(const dense_front *d, double tolerance, bool *is_chosen) {
    const size_t n = (size_t)d->n_columns;
    for (int found = 0; found < d->n_own; ++found) {
        int row = found, column = found;
        if (!(find_pivot(d, found, &row, &column) > tolerance))
            return found;
        swap_rows(d, found, row);
        swap_columns(d, found, column);
        const double *pivot = d->at + (size_t)found * n;
        is_chosen[(int)pivot[n - 1]] = true;
        for (int i = found + 1; i < d->n_rows; ++i) {
            double *other = d->at + (size_t)i * n;
            if (other[found] != 0.0)
                add_scaled(other, -other[found] / pivot[found], pivot, (size_t)found + 1, n - 1);
        }
    }
    return d->n_own;
}

/* Hands on the rows from `first` on of which something is left. False: no memory. */
static bool leave_rows(sarrus_front *front, const dense_front *d, int first, double tolerance) {
    const size_t n = (size_t)d->n_columns, n_left = n - (size_t)d->n_own;
    front->n_left = 0;
    front->left = malloc(((size_t)(d->n_rows - first) * n_left + 1) * sizeof *front->left);
    for (int i = first; front->left && i < d->n_rows; ++i) {
        const double *row = d->at + (size_t)i * n + (size_t)d->n_own;
        double largest = 0.0;
        for (size_t j = 0; j + 1 < n_left; ++j)
            largest = fmax(largest, fabs(row[j]));
        if (largest > tolerance)
            memcpy(front->left + (size_t)front->n_left++ * n_left, row, n_left * sizeof *row);
    }
    return front->left != NULL;
}

bool sarrus_fronts_choose(sarrus_fronts *f, const sarrus_plan_rows *rows, double tolerance, bool *is_chosen) {
    double *number = malloc(((size_t)rows->n_rows + 1) * sizeof *number);
    bool good = number != NULL;
    for (int i = 0; good && i < rows->n_rows; ++i) {
        number[i] = i;
        is_chosen[i] = false;
    }
    for (int k = 0; good && k < f->n; ++k) {
        const dense_front d = assemble(f, k, rows, 0.0, number);
        const int n_found = d.at ? choose_rows(&d, tolerance, is_chosen) : 0;
        good = d.at && leave_rows(&f->front[k], &d, n_found, tolerance) && sarrus_plan_watch_goes_on(f->watch);
        f->flops += flops_of(&d);
    }
    forget_left(f);
    free(number);
    return good;
}
