/* Every formulation with every pseudoinverse and rank rule on one set of states. */
#include "sarrus/compare.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/formulation_kind.h"
#include "core/report.h"
#include "core/stop.h"
#include "study/compare_set.h"

/* A row is right where it differs by no more than this times the condition of the state. */
static const double tolerance = 1e-10;

enum {
    default_n_states = 64,
    lanes = 8, /* of a tile at most: rows that are slow are tried on as many states */
};

/* What all states, and the answers of all rows, may take, in doubles. */
static const double most_doubles = 256.0 * 1024 * 1024 / 8;

/* A row may take so many times the time that it is timed for before it is tried on fewer states. */
static const double slow = 50;

struct sarrus_comparison {
    sarrus_compare_states states;
    int n_rows, i_reference;
    sarrus_compare_row *rows;
    double **a, **lambda; /* [n_rows] answers: [n_all][n], [n_all][m]; NULL of a refused row */
    double *unsolvable;   /* [n_all] of the row at hand */
    bool has_unique;      /* some multiplier is unique in some state */
};

/* --- Rows ------------------------------------------------------------------------------------------------------------------- */

static void refuse(sarrus_compare_row *row, const char *reason) {
    row->verdict = SARRUS_COMPARE_REFUSED;
    (void)snprintf(row->reason, sizeof row->reason, "%s", reason);
}

/* Which kernels make the row; −1: none, it is a dense one. */
static int kernel_of(const sarrus_compare_row *row) {
    if (!sarrus_formulation_has_dense(row->formulation) && row->pinv == SARRUS_PINV_AUTO && row->rank == SARRUS_RANK_AUTO)
        return row->formulation == SARRUS_FORMULATION_RECURSIVE ? SARRUS_COMPARE_BY_RECURSION : SARRUS_COMPARE_BY_RELATIVE;
    if (row->formulation != SARRUS_FORMULATION_UDWADIA_KALABA || row->rank != SARRUS_RANK_AUTO)
        return -1;
    return row->pinv == SARRUS_PINV_AUTO ? SARRUS_COMPARE_BY_AUTO : row->pinv == SARRUS_PINV_LAPACK ? SARRUS_COMPARE_BY_LAPACK : -1;
}

/* Why the combination has no meaning; NULL: it has one. */
static const char *why_not(const sarrus_compare_row *row) {
    if (kernel_of(row) >= 0)
        return NULL;
    if ((int)row->pinv >= SARRUS_N_PINV_HOST_METHODS)
        return "a library on a GPU; the comparison runs on the CPU";
    if (!sarrus_formulation_has_dense(row->formulation))
        return "J over a tree is another matrix: compared with pinv and rank auto, by which it is made for steps";
    if (!sarrus_formulation_takes_pinv(row->formulation) && (row->pinv != SARRUS_PINV_AUTO || row->rank != SARRUS_RANK_AUTO))
        return "takes no pseudoinverse and decides no rank: compared with pinv and rank auto alone";
    if (row->pinv == SARRUS_PINV_LAPACK)
        return "LAPACK is asked one instance at a time, by udwadia-kalaba with rank auto alone";
    if (row->pinv == SARRUS_PINV_AUTO && row->formulation == SARRUS_FORMULATION_UDWADIA_KALABA)
        return "auto decides the rank by the rows that the plan has found independent: it goes with rank auto alone";
    return NULL;
}

static int rows_count(const sarrus_compare_options *options) {
    int n_formulations = 0;
#define SARRUS_FORMULATION(name, value, word, kernel, dense, text) ++n_formulations;
#include "sarrus/formulation.def"
    return n_formulations * SARRUS_N_PINV_METHODS * (options->rank_methods ? SARRUS_N_RANK_METHODS : 1);
}

static void rows_name(const sarrus_compare_options *options, sarrus_comparison *c) {
    const int n_ranks = options->rank_methods ? SARRUS_N_RANK_METHODS : 1;
    static const sarrus_formulation formulations[] = {
#define SARRUS_FORMULATION(name, value, word, kernel, dense, text) SARRUS_FORMULATION_##name,
#include "sarrus/formulation.def"
    };
    for (int i = 0; i < c->n_rows; ++i) {
        sarrus_compare_row *row = &c->rows[i];
        row->formulation = formulations[i / (SARRUS_N_PINV_METHODS * n_ranks)];
        row->pinv = (sarrus_pinv_method)(i / n_ranks % SARRUS_N_PINV_METHODS);
        row->rank = (sarrus_rank_method)(i % n_ranks);
        row->acceleration = row->force = row->reaction = row->inconsistent = row->flops = row->nanoseconds = (double)NAN;
        const char *why = why_not(row);
        if (why)
            refuse(row, why);
    }
}

/* --- Answers ---------------------------------------------------------------------------------------------------------------- */

static void kernel_row_take(const sarrus_compare_set *set, int kernel, int i, sarrus_comparison *c) {
    const sarrus_compare_kernel_row *from = &set->kernel[kernel];
    const size_t n = (size_t)set->n, m = (size_t)set->m;
    sarrus_compare_row *row = &c->rows[i];
    if (from->reason[0] != '\0') {
        refuse(row, from->reason);
        return;
    }
    row->nanoseconds = from->nanoseconds;
    row->flops = from->flops;
    memcpy(c->a[i], from->a, (size_t)set->n_all * n * sizeof(double));
    memcpy(c->lambda[i], from->lambda, (size_t)set->n_all * m * sizeof(double));
    for (size_t k = 0; k < (size_t)set->n_all * n; ++k) {
        if (!from->is_tried[k / n])
            c->a[i][k] = (double)INFINITY; /* as rows are tried on fewer states: not looked at */
    }
}

/* The answers of a dense row; a slow one is asked for the first tile of each kind alone. */
static sarrus_status dense_row_take(const sarrus_compare_call *call, const sarrus_compare_set *set, int i, sarrus_comparison *c) {
    sarrus_compare_row *row = &c->rows[i];
    const size_t n = (size_t)set->n, m = (size_t)set->m;
    double *rank = calloc((size_t)set->n_all, sizeof *rank);
    sarrus_dense_choice choice = {.formulation = row->formulation,
                                  .method = row->pinv,
                                  .rank_method = row->rank,
                                  .isa = call->options.isa,
                                  .stop = call->options.stop};
    const int firsts[] = {0, set->n_trajectory, set->n_trajectory + set->n_random},
              counts[] = {set->n_trajectory, set->n_random, set->n_all - firsts[2]};
    sarrus_status status = rank ? SARRUS_OK : SARRUS_NO_MEMORY;
    double nanoseconds = INFINITY, spent = 0;
    for (size_t k = 0; k < (size_t)set->n_all * n; ++k)
        c->a[i][k] = (double)INFINITY;
    for (int kind = 0; status == SARRUS_OK && kind < 3; ++kind) {
        const bool is_slow = spent > slow * call->options.seconds;
        const int count = is_slow && counts[kind] > lanes ? lanes : counts[kind];
        const sarrus_dense_systems systems = sarrus_compare_set_systems(set, firsts[kind], count);
        const size_t at = (size_t)firsts[kind];
        sarrus_dense_result result = {c->a[i] + at * n, c->lambda[i] + at * m, rank + at, c->unsolvable + at, 0, 0};
        choice.seconds = is_slow ? 0 : call->options.seconds / 2;
        status = count > 0 ? sarrus_dense_solve(call->context, &systems, &choice, &result) : SARRUS_OK;
        spent += 1e-9 * result.nanoseconds * count;
        if (count > 0 && kind < 2) {
            nanoseconds = fmin(result.nanoseconds, nanoseconds);
            row->flops = isnan(row->flops) ? result.flops : row->flops; /* of the motion: how many others are tried, time decides */
        }
    }
    row->nanoseconds = nanoseconds;
    free(rank);
    return status;
}

/* --- Differences ------------------------------------------------------------------------------------------------------------ */

/* What a row's answer in one state is held against. */
typedef struct answer {
    const double *a, *lambda;
} answer;

/* Largest |x|, with what turns weighted by `turn`. */
static double size_of(const sarrus_compare_set *set, const double *x, const double *less, double turn) {
    const int per = set->n_q == set->n ? 3 : 6, shifts = per == 3 ? 2 : 3;
    double largest = 0;
    for (int k = 0; k < set->n; ++k) {
        const double size = fabs(x[k] - (less ? less[k] : 0.0)) * (k % per < shifts ? 1.0 : turn);
        if (!(size <= largest))
            largest = size;
    }
    return largest;
}

/* ‖M⁻¹(F − M a)‖ is what the constraints add to a: M⁻¹ by the diagonal suffices for a size, and lacking masses add nothing. */
static double correction_of(const sarrus_compare_set *set, int i) {
    const size_t n = (size_t)set->n;
    const double *mass = set->mass + (size_t)i * n * n, *load = set->load + (size_t)i * n;
    const int per = set->n_q == set->n ? 3 : 6, shifts = per == 3 ? 2 : 3;
    double largest = 0;
    for (size_t k = 0; k < n; ++k) {
        const double share = mass[k * n + k] > 0 ? fabs(load[k]) / mass[k * n + k] : 0.0;
        largest = fmax(largest, share * ((int)(k % (size_t)per) < shifts ? 1.0 : set->size));
    }
    return largest;
}

/* kg, of the largest mass, or inertia over the square of the mechanism's size. */
static double heaviest(const sarrus_compare_set *set, int i) {
    const size_t n = (size_t)set->n;
    const double *mass = set->mass + (size_t)i * n * n;
    const int per = set->n_q == set->n ? 3 : 6, shifts = per == 3 ? 2 : 3;
    double most = 0;
    for (size_t k = 0; k < n; ++k)
        most = fmax(most, mass[k * n + k] / ((int)(k % (size_t)per) < shifts ? 1.0 : set->size * set->size));
    return most;
}

/* Accelerations and forces count as no less than this share of what speeds make of them: below it they are round-off. */
static const double at_rest = 1e-3;

typedef struct differences {
    double acceleration, force, reaction;
} differences;

/* Of a row's answer from another one, in state i. */
static differences differ(const sarrus_compare_set *set, int i, answer it, answer other) {
    const size_t n = (size_t)set->n, m = (size_t)set->m;
    const double *force = set->force + (size_t)i * n, *load = set->load + (size_t)i * n;
    const double *jacobian = set->jacobian + (size_t)i * m * n;
    const bool *unique = set->unique + (size_t)i * m;
    double moved = 0, largest = 0, reaction = 0;
    const int per = set->n_q == set->n ? 3 : 6, shifts = per == 3 ? 2 : 3;
    for (size_t k = 0; k < n; ++k) {
        double sum = 0;
        for (size_t l = 0; l < m; ++l)
            sum += jacobian[l * n + k] * (it.lambda[l] - other.lambda[l]);
        sum = fabs(sum) * ((int)(k % (size_t)per) < shifts ? 1.0 : 1.0 / set->size);
        if (!(sum <= moved))
            moved = sum;
    }
    for (size_t l = 0; l < m; ++l) {
        largest = fmax(largest, fabs(other.lambda[l]));
        const double d = unique[l] ? fabs(it.lambda[l] - other.lambda[l]) : 0.0;
        if (!(d <= reaction))
            reaction = d;
    }
    const double floor = at_rest * sarrus_compare_set_centripetal(set, i), least = 1e-300;
    const double forces = fmax(size_of(set, force, NULL, 1.0 / set->size), heaviest(set, i) * floor);
    const double accelerations = fmax(size_of(set, other.a, NULL, set->size) + correction_of(set, i), floor);
    return (differences){
        size_of(set, it.a, other.a, set->size) / (accelerations + least),
        moved / (size_of(set, load, NULL, 1.0 / set->size) + forces + least),
        reaction / (largest + forces + least),
    };
}

static answer answer_of(const sarrus_comparison *c, const sarrus_compare_set *set, int i_row, int i) {
    return (answer){c->a[i_row] + (size_t)i * (size_t)set->n, c->lambda[i_row] + (size_t)i * (size_t)set->m};
}

/* Whether the row was tried on a state that can tell. */
static bool is_held(const sarrus_comparison *c, const sarrus_compare_set *set, int i_row, int i) {
    return set->is_determined[i] && !set->is_doubtful[i] && !isinf(c->a[i_row][(size_t)i * (size_t)set->n]);
}

static double larger(double x, double y) {
    return isnan(x) || y <= x ? x : y;
}

/* The verdict on a row: by the solutions with extended precision. Returns its largest difference from these. */
static double judge(const sarrus_compare_set *set, int i_row, sarrus_comparison *c) {
    sarrus_compare_row *row = &c->rows[i_row];
    const int n_consistent = set->n_trajectory + set->n_random;
    double worst = 0, beyond = 0;
    int n_none = 0, n_singular = 0;
    row->n_states = 0;
    for (int i = 0; i < n_consistent; ++i) {
        if (!is_held(c, set, i_row, i))
            continue;
        const answer exact = {set->a + (size_t)i * (size_t)set->n, set->lambda + (size_t)i * (size_t)set->m};
        const differences d = differ(set, i, answer_of(c, set, i_row, i), exact);
        const double bound = tolerance * set->condition[i];
        ++row->n_states;
        worst = larger(worst, d.acceleration);
        n_singular += c->unsolvable[i] != 0.0;
        if (isnan(d.acceleration))
            ++n_none;
        else
            beyond = fmax(beyond, fmax(d.acceleration, d.force) / bound);
        row->n_wrong += !(d.acceleration <= bound) || !(d.force <= bound);
    }
    if (row->n_states == 0) {
        refuse(row, "no state could be judged: of all that the row was tried on the rank, or the acceleration, is in doubt");
        return (double)INFINITY;
    }
    if (row->n_wrong == 0)
        return worst;
    row->verdict = SARRUS_COMPARE_FAILED;
    if (n_none == row->n_wrong)
        (void)snprintf(row->reason, sizeof row->reason, "no answer in %d of %d states: %s", n_none, row->n_states,
                       n_singular < n_none                                 ? "a number that is none"
                       : sarrus_formulation_inverts_mass(row->formulation) ? "M is singular there, and it is inverted"
                       : sarrus_formulation_takes_pinv(row->formulation)   ? "the rank was decided too low there"
                                                                           : "rows depend on one another there");
    else
        (void)snprintf(row->reason, sizeof row->reason, "wrong in %d of %d states, by up to %.0e times the tolerance", row->n_wrong,
                       row->n_states, beyond);
    return n_none > 0 ? (double)INFINITY : worst;
}

/* The differences of a row from the most accurate one. */
static void row_compare(const sarrus_compare_set *set, int i_row, sarrus_comparison *c) {
    sarrus_compare_row *row = &c->rows[i_row];
    row->acceleration = row->force = 0;
    row->inconsistent = (double)NAN; /* of a row that was tried on no such state */
    row->reaction = c->has_unique ? 0 : (double)NAN;
    for (int i = 0; i < set->n_all; ++i) {
        if (!is_held(c, set, i_row, i) || !is_held(c, set, c->i_reference, i))
            continue;
        const differences d = differ(set, i, answer_of(c, set, i_row, i), answer_of(c, set, c->i_reference, i));
        if (i >= set->n_trajectory + set->n_random) {
            row->inconsistent = isnan(row->inconsistent) ? d.acceleration : larger(row->inconsistent, d.acceleration);
            continue;
        }
        row->acceleration = larger(row->acceleration, d.acceleration);
        row->force = larger(row->force, d.force);
        row->reaction = larger(row->reaction, d.reaction);
    }
}

/* A matrix that has to be inverted and cannot be in any state is no meaning rather than a failure. */
static void refuse_singular(const sarrus_compare_set *set, int i_row, sarrus_comparison *c) {
    const int n_consistent = set->n_trajectory + set->n_random;
    int n_held = 0;
    const bool inverts_mass = sarrus_formulation_inverts_mass(c->rows[i_row].formulation);
    if (!inverts_mass && sarrus_formulation_takes_pinv(c->rows[i_row].formulation))
        return;
    for (int i = 0; i < n_consistent; ++i) {
        const bool holds = is_held(c, set, i_row, i);
        n_held += holds;
        if (holds && c->unsolvable[i] == 0.0)
            return;
    }
    if (n_held > 0)
        refuse(&c->rows[i_row], inverts_mass ? "M is singular, and the formulation inverts it"
                                             : "rows depend on one another, and the formulation inverts the saddle matrix");
}

/* --- The call --------------------------------------------------------------------------------------------------------------- */

static void states_sum_up(const sarrus_compare_set *set, sarrus_compare_states *out) {
    const int n_consistent = set->n_trajectory + set->n_random;
    *out = (sarrus_compare_states){
        .n = set->n, .m = set->m, .rank_least = set->m, .tolerance = tolerance, .condition_least = INFINITY};
    for (int i = 0; i < set->n_all; ++i) {
        if (!set->is_good[i])
            continue;
        out->n_trajectory += i < set->n_trajectory;
        out->n_random += i >= set->n_trajectory && i < n_consistent;
        out->n_inconsistent += i >= n_consistent;
        if (i >= n_consistent)
            continue;
        const int rank = (int)set->rank[i];
        out->rank_least = rank < out->rank_least ? rank : out->rank_least;
        out->rank_most = rank > out->rank_most ? rank : out->rank_most;
        out->n_doubtful += set->is_doubtful[i];
        out->n_unique_a += set->is_determined[i];
        out->n_unique_lambda += set->is_determined[i] && rank == set->m;
        if (set->is_doubtful[i])
            continue;
        out->condition_least = fmin(out->condition_least, set->condition[i]);
        out->condition_most = fmax(out->condition_most, set->condition[i]);
    }
    for (int l = 0; l < set->m; ++l)
        out->n_unique_multipliers += set->unique[l];
}

static sarrus_status rows_fill(const sarrus_compare_call *call, const sarrus_compare_set *set, sarrus_comparison *c) {
    const size_t n_all = (size_t)set->n_all;
    double best = INFINITY;
    int n_held = 0;
    for (int i = 0; i < set->n_trajectory + set->n_random; ++i)
        n_held += set->is_determined[i] && !set->is_doubtful[i];
    c->i_reference = -1;
    for (int i = 0; i < c->n_rows; ++i) {
        sarrus_compare_row *row = &c->rows[i];
        const int kernel = kernel_of(row);
        if (call->options.progress)
            call->options.progress(call->options.user, i, c->n_rows);
        if (row->formulation == SARRUS_FORMULATION_BARYCENTRIC && !set->pins)
            refuse(row, "not every body hangs on ground by joints that hold a point");
        if (row->verdict == SARRUS_COMPARE_REFUSED)
            continue;
        c->a[i] = malloc((n_all * (size_t)set->n + 1) * sizeof(double));
        c->lambda[i] = malloc((n_all * (size_t)set->m + 1) * sizeof(double));
        if (!c->a[i] || !c->lambda[i])
            return sarrus_report(call->context, SARRUS_NO_MEMORY, "out of memory for the answers to compare");
        sarrus_status status = SARRUS_OK;
        memset(c->unsolvable, 0, n_all * sizeof *c->unsolvable);
        if (kernel >= 0)
            kernel_row_take(set, kernel, i, c);
        else
            status = dense_row_take(call, set, i, c);
        if (status != SARRUS_OK)
            return status;
        if (kernel < 0)
            refuse_singular(set, i, c);
        const double worst = row->verdict == SARRUS_COMPARE_REFUSED ? INFINITY : judge(set, i, c);
        const bool is_whole = row->n_states == n_held && row->pinv != SARRUS_PINV_TIKHONOV; /* which damps all it keeps */
        if (row->verdict == SARRUS_COMPARE_OK && worst < best && is_whole) {
            best = worst;
            c->i_reference = i;
        }
        if (sarrus_stop_is_asked(call->options.stop))
            return SARRUS_INTERRUPTED;
    }
    for (int i = 0; i < c->n_rows && c->i_reference >= 0; ++i) {
        if (c->rows[i].verdict != SARRUS_COMPARE_REFUSED)
            row_compare(set, i, c);
    }
    return SARRUS_OK;
}

/* The options with their defaults; the states of a large mechanism are fewer. */
static sarrus_compare_call call_of(sarrus_context *context, const sarrus_model *model, const sarrus_compare_options *options) {
    sarrus_compare_call call = {.context = context, .model = model};
    if (options)
        call.options = *options;
    if (call.options.n_states == 0) {
        const double n = 6.0 * model->n_bodies, m = 6.0 * (model->n_joints + model->n_constraints);
        const double each = 3 * (n * n + m * n + (double)rows_count(&call.options) * (n + m));
        const double fits = most_doubles / (each > 1 ? each : 1);
        call.options.n_states = fits < default_n_states ? (fits < lanes ? lanes : (int)fits) : default_n_states;
    }
    if (!(call.options.seconds > 0))
        call.options.seconds = 0.02;
    return call;
}

sarrus_status sarrus_compare(sarrus_context *context, const sarrus_model *model, const sarrus_compare_options *options,
                             sarrus_comparison **out) {
    if (!model || !out ||
        (options &&
         (options->size < sizeof *options || options->n_states < 0 || options->n_states > 100000 || !(options->seconds >= 0))))
        return sarrus_report(context, SARRUS_BAD_ARGUMENT, "a model, and options of this version with 0 to 100000 states");
    const sarrus_compare_call call = call_of(context, model, options);
    sarrus_compare_set set;
    sarrus_comparison *c = calloc(1, sizeof *c);
    sarrus_status status = c ? sarrus_compare_set_make(&call, &set) : SARRUS_NO_MEMORY;
    if (!c)
        return sarrus_report(context, status, "out of memory for a comparison");
    if (status == SARRUS_OK) {
        c->n_rows = rows_count(&call.options);
        c->rows = calloc((size_t)c->n_rows, sizeof *c->rows);
        c->a = calloc((size_t)c->n_rows, sizeof *c->a);
        c->lambda = calloc((size_t)c->n_rows, sizeof *c->lambda);
        c->unsolvable = calloc((size_t)set.n_all + 1, sizeof *c->unsolvable);
        status = c->rows && c->a && c->lambda && c->unsolvable
                     ? SARRUS_OK
                     : sarrus_report(context, SARRUS_NO_MEMORY, "out of memory for a comparison");
    }
    if (status == SARRUS_OK) {
        rows_name(&call.options, c);
        states_sum_up(&set, &c->states);
        for (size_t k = 0; k < (size_t)(set.n_trajectory + set.n_random) * (size_t)set.m; ++k)
            c->has_unique = c->has_unique || set.unique[k];
        status = rows_fill(&call, &set, c);
    }
    sarrus_compare_set_free(&set);
    if (status != SARRUS_OK) {
        sarrus_comparison_destroy(c);
        return status;
    }
    *out = c;
    return SARRUS_OK;
}

void sarrus_comparison_destroy(sarrus_comparison *c) {
    if (!c)
        return;
    for (int i = 0; i < c->n_rows; ++i) {
        free(c->a ? c->a[i] : NULL);
        free(c->lambda ? c->lambda[i] : NULL);
    }
    free(c->a);
    free(c->lambda);
    free(c->rows);
    free(c->unsolvable);
    free(c);
}

void sarrus_comparison_states(const sarrus_comparison *c, sarrus_compare_states *out) {
    if (out)
        *out = c ? c->states : (sarrus_compare_states){0};
}

int sarrus_comparison_n_rows(const sarrus_comparison *c) {
    return c ? c->n_rows : 0;
}

int sarrus_comparison_reference(const sarrus_comparison *c) {
    return c ? c->i_reference : -1;
}

sarrus_status sarrus_comparison_row(const sarrus_comparison *c, int i, sarrus_compare_row *out) {
    if (!c || !out || i < 0 || i >= c->n_rows)
        return SARRUS_BAD_ARGUMENT;
    *out = c->rows[i];
    return SARRUS_OK;
}

const char *sarrus_compare_verdict_word(sarrus_compare_verdict verdict) {
    static const char *const words[] = {"ok", "refused", "failed"};
    return (unsigned)verdict < 3 ? words[verdict] : "?";
}
