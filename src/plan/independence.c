/* Which constraint rows are independent: the rank and the left null space of J M^{-1/2} at several configurations along the
 * constraint manifold, because one configuration may be singular, or special in which row can be spared.
 *
 * On the manifold a redundant singular value is round-off (1e-14), so the rank there is clear. A row d may be left out where
 * its component in the null vector w of Jᵀ is not zero; the row is chosen whose smallest component over all configurations is
 * largest (for several null vectors: one row after another, each time deflating the vectors). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/report.h"
#include "plan/configuration.h"
#include "plan/drives.h"
#include "plan/start.h"

enum { N_WALKS = 10 };
/* Relative size of σ that counts on the manifold. Newton leaves 1e-13 at most; a configuration within 1e-9 of a singular one
 * is not met by chance. */
static const double rank_tolerance = 1e-9;
/* Below this relative size a counted σ is doubtful. Next to a singular configuration Newton is content with ‖Φ‖ ≈ δ² at a distance
 * δ from the manifold, where redundant σ are of the order of δ and may be counted: what such a configuration shows depends on the
 * last bits, so it is not asked as long as there are others. */
static const double clear_tolerance = 1e-6;

/* The null spaces seen: w[c] is m × k column-major. */
typedef struct null_spaces {
    int n, k;
    double *w[N_WALKS + 1];
    int rank[N_WALKS + 1];
    int firm_rank[N_WALKS + 1];                     /* without doubtful σ: the directions left are those that a walk may take */
    double kept[N_WALKS + 1], dropped[N_WALKS + 1]; /* relative σ on either side of the cut */
    bool is_clear[N_WALKS + 1];
    double *q; /* [N_WALKS + 1][n] */
} null_spaces;

/* A fixed sequence in (−1, 1): a plan is the same every time. */
static double next_number(uint64_t *state) {
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (double)(int64_t)*state / 9223372036854775808.0;
}

static int rank_of(const double *sigma, int n, double tolerance) {
    int rank = 0;
    while (rank < n && sigma[rank] > tolerance * sigma[0] && sigma[rank] > 0.0)
        ++rank;
    return rank;
}

static sarrus_status see(sarrus_configuration *c, sarrus_decomposition *svd, null_spaces *seen) {
    int m = c->m, smaller = m < c->n ? m : c->n;
    if (!sarrus_decomposition_make(c, svd))
        return SARRUS_FAILED;
    int rank = rank_of(svd->sigma, smaller, rank_tolerance), i = seen->n;
    seen->w[i] = malloc((size_t)m * (size_t)(m - rank > 0 ? m - rank : 1) * sizeof(double));
    if (!seen->w[i])
        return SARRUS_NO_MEMORY;
    memcpy(seen->w[i], svd->u + (size_t)rank * (size_t)m, (size_t)m * (size_t)(m - rank) * sizeof(double));
    seen->rank[i] = rank;
    seen->firm_rank[i] = rank_of(svd->sigma, smaller, clear_tolerance);
    seen->kept[i] = rank > 0 ? svd->sigma[rank - 1] / svd->sigma[0] : 1.0;
    seen->dropped[i] = rank < smaller && svd->sigma[0] > 0.0 ? svd->sigma[rank] / svd->sigma[0] : 0.0;
    memcpy(seen->q + (size_t)i * (size_t)c->n, c->q, (size_t)c->n * sizeof *seen->q);
    ++seen->n;
    return SARRUS_OK;
}

/* A move along the manifold: a random vector's part in the tangent space (right null space, whatever its basis), then Newton. False
 * when it does not come back.
 *
 * The way along the move is held at first: next to a singular configuration where redundant rows bend apart at second order, Φ is
 * quadratic in the move and Newton alone halves it in every step, back to where it began. */
static bool walk(sarrus_configuration *c, const sarrus_decomposition *svd, int rank, double t, uint64_t *state, double *q_before) {
    int n = c->n;
    memcpy(q_before, c->q, (size_t)n * sizeof *q_before);
    double *move = c->held, *random = c->scratch, size = 0.0, length2 = 0.0;
    memset(move, 0, (size_t)n * sizeof *move);
    for (int i = 0; i < n; ++i)
        random[i] = next_number(state);
    for (int k = rank; k < n; ++k) {
        double along = 0.0;
        for (int i = 0; i < n; ++i)
            along += svd->vt[k + i * n] * random[i];
        for (int i = 0; i < n; ++i)
            move[i] += along * svd->vt[k + i * n];
    }
    for (int i = 0; i < n; ++i) {
        size = fmax(size, fabs(c->weight[i] * move[i]));
        length2 += move[i] * move[i];
    }
    double step = rank < n && size > 0.0 ? 0.4 / size : 0.0;
    for (int i = 0; i < n; ++i) {
        c->q[i] += step * c->weight[i] * move[i];
        move[i] = length2 > 0.0 ? move[i] / sqrt(length2) : 0.0;
    }
    double scale = 1.0;
    for (int i = 0; i < n; ++i)
        scale = fmax(scale, fabs(q_before[i]));
    if (sarrus_configuration_assemble_held(c, t) <= 1e-11 * scale)
        return true;
    if (sarrus_configuration_assemble(c, t) <= 1e-11 * scale)
        return true;
    memcpy(c->q, q_before, (size_t)n * sizeof *q_before);
    (void)sarrus_configuration_rows(c, t);
    return false;
}

/* Looks at configurations beside the assembled one, which has been seen; driven joints move on in time as well. */
static sarrus_status explore(sarrus_configuration *c, sarrus_decomposition *svd, null_spaces *seen) {
    const sarrus_plan *plan = c->plan;
    double *q_before = malloc((size_t)(c->n ? c->n : 1) * sizeof *q_before);
    uint64_t state = 20210907;
    if (!q_before)
        return SARRUS_NO_MEMORY;
    sarrus_status status = SARRUS_OK;
    double t = 0.0;
    for (int i = 0; status == SARRUS_OK && i < N_WALKS; ++i) {
        int rank = seen->firm_rank[seen->n - 1];
        if (plan->mech.n_drives == 0 && rank >= c->n)
            break;
        for (int k = 0; plan->mech.n_drives > 0 && k < 10; ++k) {
            t += plan->model->integrator.t_end / (10.0 * N_WALKS);
            (void)sarrus_configuration_assemble(c, t);
        }
        if (walk(c, svd, rank, t, &state, q_before))
            status = see(c, svd, seen);
    }
    free(q_before);
    return status;
}

static double row_norm(const null_spaces *seen, int i, int m, int row) {
    double sum = 0.0;
    for (int k = 0; k < seen->k; ++k)
        sum += seen->w[i][row + k * m] * seen->w[i][row + k * m];
    return sqrt(sum);
}

/* W ← W (I − ww⊤/‖w‖²), w the row of W: what is left does not use the row. */
static void deflate(const null_spaces *seen, int i, int m, int row, double *w) {
    double norm2 = 0.0;
    for (int k = 0; k < seen->k; ++k) {
        w[k] = seen->w[i][row + k * m];
        norm2 += w[k] * w[k];
    }
    if (!(norm2 > 0.0))
        return;
    for (int r = 0; r < m; ++r) {
        double along = 0.0;
        for (int k = 0; k < seen->k; ++k)
            along += seen->w[i][r + k * m] * w[k];
        for (int k = 0; k < seen->k; ++k)
            seen->w[i][r + k * m] -= along / norm2 * w[k];
    }
}

/* The row whose smallest null component over the generic configurations is largest; later rows win ties, so that the rows
 * written first in the scenario stay. Without a row the others have lost the rank where its component is 0. That does little harm
 * next to a singular configuration, where it is lost anyway, so a component is taken relative to the smallest σ that counts. */
static int best_dependent(const null_spaces *seen, int generic, int m, const bool *is_dependent) {
    int best = -1;
    double best_size = -1.0;
    for (int row = 0; row < m; ++row) {
        if (is_dependent[row])
            continue;
        double smallest = INFINITY;
        for (int i = 0; i < seen->n; ++i) {
            if (seen->rank[i] == generic && seen->is_clear[i])
                smallest = fmin(smallest, row_norm(seen, i, m, row) / seen->kept[i]);
        }
        if (smallest > best_size * (1.0 - 1e-9)) {
            best = row;
            best_size = fmax(best_size, smallest);
        }
    }
    return best;
}

static sarrus_status choose(sarrus_plan_independence *found, null_spaces *seen, int generic, int m) {
    bool *is_dependent = calloc((size_t)(m ? m : 1), sizeof *is_dependent);
    double *w = malloc((size_t)(seen->k ? seen->k : 1) * sizeof *w);
    found->independent = calloc((size_t)(m ? m : 1), sizeof *found->independent);
    found->dependent = calloc((size_t)(m ? m : 1), sizeof *found->dependent);
    found->row_is_unique = calloc((size_t)(m ? m : 1), sizeof *found->row_is_unique);
    bool good = is_dependent && w && found->independent && found->dependent && found->row_is_unique;
    for (int row = 0; good && row < m; ++row) {
        double largest = 0.0;
        for (int i = 0; i < seen->n; ++i) {
            if (seen->rank[i] == generic && seen->is_clear[i])
                largest = fmax(largest, row_norm(seen, i, m, row));
        }
        found->row_is_unique[row] = largest < 1e-7;
    }
    for (int d = 0; good && d < seen->k; ++d) {
        int row = best_dependent(seen, generic, m, is_dependent);
        is_dependent[row] = true;
        for (int i = 0; i < seen->n; ++i) {
            if (seen->rank[i] == generic)
                deflate(seen, i, m, row, w);
        }
    }
    int n_dependent = 0;
    for (int row = 0; good && row < m; ++row) {
        if (is_dependent[row])
            found->dependent[n_dependent++] = row;
        else
            found->independent[found->n_independent++] = row;
    }
    free(is_dependent);
    free(w);
    return good ? SARRUS_OK : SARRUS_NO_MEMORY;
}

/* How far the σ of a configuration keep away from the cut, on either side, as a factor. */
static double margin(const null_spaces *seen, int i) {
    const double above = seen->kept[i] / rank_tolerance;
    return seen->dropped[i] > 0.0 ? fmin(above, rank_tolerance / seen->dropped[i]) : above;
}

/* Which configurations are asked: those without doubtful σ, or, when walks have come to none, the most decided of their ends. The
 * assembled one does not count here, since it may be singular. */
static void ask_clear_ones(null_spaces *seen) {
    double most = 0.0, wanted = clear_tolerance / rank_tolerance;
    for (int i = 1; i < seen->n; ++i)
        most = fmax(most, margin(seen, i));
    if (seen->n > 1 && most < wanted)
        wanted = 0.1 * most;
    for (int i = 0; i < seen->n; ++i)
        seen->is_clear[i] = seen->n == 1 || margin(seen, i) >= wanted;
}

static sarrus_status judge(sarrus_plan_independence *found, null_spaces *seen, int m) {
    int generic = 0;
    found->smallest_kept = 1.0;
    ask_clear_ones(seen);
    for (int i = 0; i < seen->n; ++i) {
        if (seen->is_clear[i])
            generic = seen->rank[i] > generic ? seen->rank[i] : generic;
    }
    for (int i = 0; i < seen->n; ++i) {
        if (seen->rank[i] != generic || !seen->is_clear[i])
            continue;
        found->smallest_kept = fmin(found->smallest_kept, seen->kept[i]);
        found->typical_kept = fmax(found->typical_kept, seen->kept[i]);
        found->largest_dropped = fmax(found->largest_dropped, seen->dropped[i]);
    }
    seen->k = m - generic;
    found->rank_at_t0 = seen->rank[0];
    found->n_configurations = seen->n;
    found->is_asked = calloc((size_t)seen->n, sizeof *found->is_asked);
    found->configurations = seen->q;
    seen->q = NULL;
    if (!found->is_asked)
        return SARRUS_NO_MEMORY;
    for (int i = 0; i < seen->n; ++i)
        found->is_asked[i] = seen->is_clear[i] && seen->rank[i] == generic;
    return choose(found, seen, generic, m);
}

/* A drive that begins more than a turn away from the given configuration: likely in degrees, and too far for Newton's method. */
static void note_far_drives(sarrus_context *context, const sarrus_configuration *c, const double *first) {
    const sarrus_model *model = c->plan->model;
    for (int i = 0; i < model->n_joints; ++i) {
        const sarrus_mech_joint *joint = &c->plan->joint[i];
        const double from = joint->signal >= 0 ? fabs(first[joint->row + joint->n_rows - 1]) : 0.0;
        const sarrus_place *place = joint->signal >= 0 ? &model->signals[joint->signal].place : &model->joints[i].place;
        const sarrus_location at = {model->file, model->text, place->line, place->column};
        if (model->joints[i].type == SARRUS_JOINT_REVOLUTE && from > 2.0 * M_PI)
            (void)sarrus_report_at(
                context, SARRUS_NOTE, SARRUS_BAD_INPUT, &at,
                "the drive of joint '%s' begins at %.4g rad, but the coordinate is 0 in the given configuration; "
                "angles are in radians: %.4g degrees are %.4g",
                model->joints[i].name, from, from, from * M_PI / 180.0);
    }
}

/* Says which joint keeps the nominal instance from closing. */
static sarrus_status report_open(sarrus_context *context, const sarrus_configuration *c, double error) {
    const sarrus_plan *plan = c->plan;
    const sarrus_model *model = plan->model;
    int worst = 0;
    double largest = -1.0;
    for (int i = 0; i < model->n_joints; ++i) {
        double sum = 0.0;
        for (int k = 0; k < plan->joint[i].n_rows; ++k)
            sum += c->phi[plan->joint[i].row + k] * c->phi[plan->joint[i].row + k];
        if (sum > largest) {
            largest = sum;
            worst = i;
        }
    }
    const sarrus_joint *joint = &model->joints[worst];
    sarrus_location at = {model->file, model->text, joint->place.line, joint->place.column};
    return sarrus_report_at(context, SARRUS_ERROR, SARRUS_BAD_INPUT, &at,
                            "the mechanism cannot be assembled: joint '%s' stays open by %.3g, all constraints by %.3g; expected "
                            "lengths and points with which every joint can close",
                            joint->name, sqrt(largest), error);
}

static sarrus_status check_masses(sarrus_context *context, const sarrus_plan *plan) {
    const sarrus_model *model = plan->model;
    sarrus_status worst = SARRUS_OK;
    for (int b = 0; b < model->n_bodies; ++b) {
        const sarrus_body *body = &model->bodies[b];
        double mass = model->values[body->mass].nominal, inertia = model->values[body->inertia[0]].nominal;
        if (mass > 0.0 && inertia > 0.0)
            continue;
        bool is_held = false;
        for (int i = 0; i < model->n_joints; ++i)
            is_held = is_held || model->joints[i].body[0] == b || model->joints[i].body[1] == b;
        const sarrus_value *value = &model->values[mass > 0.0 ? body->inertia[0] : body->mass];
        sarrus_location at = {model->file, model->text, value->place.line ? value->place.line : body->place.line,
                              value->place.line ? value->place.column : body->place.column};
        worst = sarrus_report_at(context, SARRUS_ERROR, is_held ? SARRUS_UNSUPPORTED : SARRUS_BAD_INPUT, &at,
                                 is_held ? "%s of body '%s' is %g; expected a positive number: singular mass matrices come with a "
                                           "later version's formulations"
                                         : "%s of body '%s' is %g, which leaves an unconstrained direction without inertia; "
                                           "expected a positive number",
                                 mass > 0.0 ? "the inertia" : "the mass", body->name, mass > 0.0 ? inertia : mass);
    }
    return worst;
}

/* The singular value that is the last to count generically, where the start is, relative to the largest. */
static double kept_at_start(const sarrus_configuration *c, const double *sigma, int generic) {
    const int smaller = c->m < c->n ? c->m : c->n;
    return generic > 0 && generic <= smaller && sigma[0] > 0.0 ? sigma[generic - 1] / sigma[0] : 1.0;
}

/* Looks at the assembled configuration and beside it. */
static sarrus_status look_around(sarrus_context *context, sarrus_plan *plan, sarrus_gap *gap, sarrus_decomposition *svd,
                                 null_spaces *seen) {
    sarrus_configuration *c = gap->c;
    sarrus_status status = see(c, svd, seen);
    double *sigma = calloc((size_t)(c->m < c->n ? c->m : c->n) + 1, sizeof *sigma);
    if (!sigma)
        return SARRUS_NO_MEMORY;
    if (status == SARRUS_OK) {
        memcpy(sigma, svd->sigma, (size_t)(c->m < c->n ? c->m : c->n) * sizeof *sigma);
        sarrus_plan_start_take(plan, c, svd, seen->rank[0]);
        status = explore(c, svd, seen);
    }
    if (status == SARRUS_OK)
        status = judge(&plan->independence, seen, plan->mech.m);
    if (status == SARRUS_OK) {
        plan->start.kept = kept_at_start(c, sigma, plan->independence.n_independent);
        status = sarrus_plan_start_judge(context, plan, gap, svd);
    }
    free(sigma);
    return status;
}

static sarrus_status assemble(sarrus_context *context, sarrus_plan *plan, sarrus_gap *gap) {
    sarrus_configuration *c = gap->c;
    double scale = 1.0;
    for (int i = 0; i < c->n; ++i)
        scale = fmax(scale, fabs(c->q[i]));
    double *first = malloc((size_t)c->m * sizeof *first);
    if (!first)
        return SARRUS_NO_MEMORY;
    (void)sarrus_configuration_rows(c, 0.0);
    memcpy(first, c->phi, (size_t)c->m * sizeof *first);
    const double error = sarrus_configuration_assemble(c, 0.0);
    sarrus_status status = SARRUS_OK;
    if (!(error <= 1e-10 * scale)) {
        status = report_open(context, c, error);
        note_far_drives(context, c, first);
    }
    free(first);
    return status == SARRUS_OK ? sarrus_plan_drives_check(context, plan, gap) : status;
}

static sarrus_status analyse(sarrus_context *context, sarrus_plan *plan, sarrus_configuration *c) {
    sarrus_decomposition svd = {0};
    null_spaces seen = {0};
    sarrus_gap gap = {0};
    sarrus_status status = sarrus_gap_create(c, &gap);
    if (status == SARRUS_OK) {
        plan->start.size = gap.size;
        status = assemble(context, plan, &gap);
    }
    if (status == SARRUS_OK)
        status = sarrus_decomposition_create(c, &svd);
    seen.q = malloc((N_WALKS + 1) * (size_t)c->n * sizeof *seen.q);
    if (status == SARRUS_OK && !seen.q)
        status = SARRUS_NO_MEMORY;
    if (status == SARRUS_OK)
        status = look_around(context, plan, &gap, &svd, &seen);
    sarrus_gap_free(&gap);
    for (int i = 0; i < seen.n; ++i)
        free(seen.w[i]);
    free(seen.q);
    sarrus_decomposition_free(&svd);
    if (status == SARRUS_NO_MEMORY)
        return sarrus_report(context, status, "out of memory while the constraints are analysed");
    if (status == SARRUS_FAILED)
        return sarrus_report(context, SARRUS_BAD_INPUT,
                             "the singular values of the constraints cannot be computed: numbers overflow; expected positions, "
                             "lengths and masses of ordinary size");
    return status;
}

sarrus_status sarrus_plan_independence_find(sarrus_context *context, sarrus_plan *plan) {
    sarrus_configuration c;
    sarrus_status status = check_masses(context, plan);
    if (status != SARRUS_OK)
        return status;
    status = sarrus_configuration_create(plan, &c);
    if (status == SARRUS_NO_MEMORY)
        return sarrus_report(context, status, "out of memory while the constraints are analysed");
    if (status != SARRUS_OK) {
        return sarrus_report(context, status,
                             "a number of the nominal instance is not physical; expected positive masses and inertias, "
                             "axes and lengths that are not zero, and finite results of all expressions");
    }
    status = sarrus_plan_start_give(plan, &c);
    if (status != SARRUS_OK) {
        (void)sarrus_report(context, status, "out of memory for the start");
    } else if (plan->mech.m > 0) {
        status = analyse(context, plan, &c);
    } else {
        null_spaces none = {0};
        status = choose(&plan->independence, &none, 0, 0);
    }
    sarrus_configuration_free(&c);
    return status;
}
