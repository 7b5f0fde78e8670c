#include "plan/drives.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/report.h"
#include "plan/follow.h"
#include "plan/start.h"

enum { N_LOOKS = 24, MAX_LIST = 200 };

/* The most that drives move in a step, rad or of the size. */
static const double pace = 0.15;
/* Loops that stay open by less (relative to the size) may be the work of numbers with four digits: two drives that agree but for
 * those, a stroke to the dead centre. Where nothing can move such an excuse is none. */
static const double open_for_certain = 1e-4, open_if_locked = 1e-6;
/* Relative size of σ that counts on the constraints; part of what drives ask for that no motion can meet. */
static const double rank_tolerance = 1e-9, unmet_tolerance = 1e-8;
/* Bodies move by this factor faster than before where a drive comes to the end of its reach. */
static const double rush = 5.0;

/* What is known of the place where the drives cannot be followed any more. */
typedef struct impasse {
    sarrus_gap *gap;
    sarrus_plan *plan;
    sarrus_follow *follow;
    sarrus_decomposition svd;
    double *cause;      /* [m] the combination of rows that cannot be met */
    double *elsewhere;  /* [m] it is put aside here while other places are looked at */
    double *speed;      /* [n] of the motion that meets the others best */
    double change;      /* of lengths (m) with which a locked mechanism could move */
    bool is_unmet;      /* the drives contradict other rows; else their reach ends */
    bool is_locked;     /* unmet, and nothing can move without drives either */
    bool is_end;        /* the end of a reach: a drive belongs to the cause, and bodies move much faster than before */
    bool is_determined; /* what belongs to `cause` has no freedom left, or none that helps */
} impasse;

static bool is_drive(const sarrus_plan *plan, int row) {
    const sarrus_mech_joint *joint = &plan->joint[plan->row[row].joint];
    return joint->signal >= 0 && row == joint->row + joint->n_rows - 1;
}

static int rank_of(const sarrus_decomposition *svd, int m, int n) {
    const int smaller = m < n ? m : n;
    int rank = 0;
    while (rank < smaller && svd->sigma[rank] > rank_tolerance * svd->sigma[0])
        ++rank;
    return rank;
}

int sarrus_plan_undriven_rank(sarrus_gap *gap, double t, double *change) {
    sarrus_configuration *c = gap->c;
    sarrus_decomposition svd = {0};
    int rank = -1;
    if (sarrus_decomposition_create(c, &svd) != SARRUS_OK)
        return rank;
    (void)sarrus_configuration_rows(c, t);
    for (int i = 0; i < c->m; ++i) {
        for (int k = 0; is_drive(c->plan, i) && k < c->n; ++k)
            c->jacobian[i + k * c->m] = 0.0;
    }
    if (sarrus_decomposition_make(c, &svd)) {
        rank = rank_of(&svd, c->m, c->n);
        if (change)
            *change = sarrus_plan_start_change(gap, &svd, rank, t);
    }
    (void)sarrus_configuration_rows(c, t);
    sarrus_decomposition_free(&svd);
    return rank;
}

/* What the rows are off when the drives alone move on for a moment, split into what a motion can meet, at the speed of least
 * energy, and the rest. (Not by Φ_t: a drive may just be at rest.) Returns the size of the rest, relative. */
static double split_demand(impasse *at, double moment, int rank) {
    sarrus_configuration *c = at->gap->c;
    const int m = c->m, n = c->n;
    double all = 0.0, rest = 0.0;
    memcpy(at->cause, c->phi, (size_t)m * sizeof *at->cause);
    memset(at->speed, 0, (size_t)n * sizeof *at->speed);
    for (int k = 0; k < rank; ++k) {
        double along = 0.0;
        for (int i = 0; i < m; ++i)
            along += at->svd.u[i + k * m] * c->phi[i];
        for (int i = 0; i < m; ++i)
            at->cause[i] -= at->svd.u[i + k * m] * along;
        for (int i = 0; i < n; ++i)
            at->speed[i] -= c->weight[i] * at->svd.vt[k + i * n] * along / at->svd.sigma[k] / moment;
    }
    for (int i = 0; i < m; ++i) {
        all += c->phi[i] * c->phi[i];
        rest += at->cause[i] * at->cause[i];
    }
    return all > 0.0 ? sqrt(rest / all) : 0.0;
}

/* Whether no body that rows of the cause hold has a part in the motions left free (right null vectors). */
static bool is_determined(const impasse *at, int rank) {
    const sarrus_configuration *c = at->gap->c;
    const int m = c->m, n = c->n;
    double largest = 0.0;
    for (int i = 0; i < m; ++i)
        largest = fmax(largest, fabs(at->cause[i]));
    for (int i = 0; i < m; ++i) {
        const int bodies[2] = {c->plan->row[i].parent, c->plan->row[i].child};
        for (int side = 0; fabs(at->cause[i]) > 1e-6 * largest && side < 2; ++side) {
            for (int x = 3 * bodies[side]; bodies[side] >= 0 && x < 3 * bodies[side] + 3; ++x) {
                for (int k = rank; k < n; ++k) {
                    if (fabs(at->svd.vt[k + x * n]) > 1e-6)
                        return false;
                }
            }
        }
    }
    return true;
}

/* Whether drives have a part in the cause. Where a mechanism branches they have none: what its other rows lose is enough. */
static bool is_of_drives(const impasse *at) {
    double all = 0.0, drives = 0.0;
    for (int i = 0; i < at->plan->mech.m; ++i) {
        all = fmax(all, fabs(at->cause[i]));
        drives = is_drive(at->plan, i) ? fmax(drives, fabs(at->cause[i])) : drives;
    }
    return drives > 1e-4 * all;
}

/* The speed at which the bodies moved before, per unit of what sarrus_gap_between gives. */
static double speed_before(const sarrus_follow *f) {
    const sarrus_follow_track *track = &f->coarse;
    if (track->n < 2)
        return 0.0;
    return sarrus_gap_between(f->gap, track->q[1], track->q[0]) / (track->t[0] - track->t[1]);
}

/* A fixed sequence in (−1, 1): what is refused is the same every time. */
static double next_number(uint64_t *state) {
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (double)(int64_t)*state / 9223372036854775808.0;
}

/* Whether the drives ask for what cannot be met wherever the motions that are left free lead: from three places along them. */
static bool is_unmet_all_around(impasse *at, double moment) {
    sarrus_configuration *c = at->gap->c;
    const double t = at->follow->fine.t[0];
    const int n = c->n;
    uint64_t state = 20210907;
    for (int walk = 0; walk < 3; ++walk) {
        const int rank = rank_of(&at->svd, c->m, n);
        double largest = 0.0;
        memset(at->speed, 0, (size_t)n * sizeof *at->speed);
        for (int k = rank; k < n; ++k) {
            const double share = next_number(&state);
            for (int i = 0; i < n; ++i)
                at->speed[i] += share * c->weight[i] * at->svd.vt[k + i * n];
        }
        for (int i = 0; i < n; ++i)
            largest = fmax(largest, fabs(at->speed[i]) / (i % 3 == 2 ? 1.0 : at->gap->size));
        for (int i = 0; i < n && largest > 0.0; ++i)
            c->q[i] += 0.4 / largest * at->speed[i];
        (void)sarrus_configuration_assemble(c, t);
        const bool is_closed = sarrus_gap_now(at->gap) <= SARRUS_FOLLOW_CLOSED;
        (void)sarrus_configuration_rows(c, t + moment);
        if (!is_closed || !sarrus_decomposition_make(c, &at->svd) ||
            !(split_demand(at, moment, rank_of(&at->svd, c->m, n)) > unmet_tolerance))
            return false;
    }
    return true;
}

static sarrus_status impasse_look(impasse *at) {
    sarrus_configuration *c = at->gap->c;
    const sarrus_follow *f = at->follow;
    const int m = c->m, n = c->n;
    const double moment = 1e-2 * f->paced_step;
    memcpy(c->q, f->fine.q[0], (size_t)n * sizeof *c->q);
    (void)sarrus_configuration_rows(c, f->fine.t[0] + moment);
    if (!sarrus_decomposition_make(c, &at->svd))
        return SARRUS_FAILED;
    const int rank = rank_of(&at->svd, m, n), last = (m < n ? m : n) - 1;
    at->is_unmet = split_demand(at, moment, rank) > unmet_tolerance;
    if (!at->is_unmet) {
        memcpy(at->cause, at->svd.u + (size_t)last * (size_t)m, (size_t)m * sizeof *at->cause);
        double *moved = at->speed;
        for (int i = 0; i < n; ++i)
            moved[i] += c->q[i];
        at->is_end = is_of_drives(at) && sarrus_gap_between(at->gap, c->q, moved) > rush * speed_before(f);
    }
    at->is_determined = is_determined(at, rank);
    if (!at->is_unmet)
        return SARRUS_OK;
    const int undriven = sarrus_plan_undriven_rank(at->gap, f->fine.t[0], &at->change);
    at->is_locked = undriven == n;
    if (!at->is_determined) {
        memcpy(at->elsewhere, at->cause, (size_t)m * sizeof *at->cause);
        at->is_determined = is_unmet_all_around(at, moment);
        memcpy(at->cause, at->elsewhere, (size_t)m * sizeof *at->cause);
    }
    return undriven < 0 ? SARRUS_NO_MEMORY : SARRUS_OK;
}

/* The joint that stays open farthest. */
static int open_joint(const sarrus_configuration *c) {
    int worst = 0;
    double most = -1.0;
    for (int i = 0; i < c->plan->mech.n_joints; ++i) {
        const sarrus_mech_joint *joint = &c->plan->joint[i];
        double sum = 0.0;
        for (int k = joint->row; k < joint->row + joint->n_rows; ++k)
            sum += c->phi[k] * c->phi[k];
        if (sum > most) {
            most = sum;
            worst = i;
        }
    }
    return worst;
}

/* Goes on with loops as little open as can be, by short steps first, then to t_end, or to where a jump would close them elsewhere;
 * the most that they are open goes to the doubt. Returns it, relative. */
static double open_beyond(impasse *at) {
    sarrus_configuration *c = at->gap->c;
    sarrus_plan_doubt *doubt = &at->plan->start.doubt;
    static const double first[] = {0.05, 0.2, 1.0};
    enum { N_FIRST = sizeof first / sizeof first[0] };
    const double t_end = c->plan->model->integrator.t_end, from = at->follow->fine.t[0];
    double most = -1.0, gap = 1.0;
    memcpy(c->q, at->follow->fine.q[0], (size_t)c->n * sizeof *c->q);
    for (int i = 0; i < N_FIRST + N_LOOKS && (gap > SARRUS_FOLLOW_CLOSED || i < N_FIRST); ++i) {
        const double h = i < N_FIRST ? first[i] * at->follow->paced_step : (t_end - from) * (i + 1 - N_FIRST) / N_LOOKS;
        const double t = h < t_end - from ? from + h : t_end;
        gap = sarrus_gap_least(at->gap, t, 40);
        if (gap > most) {
            most = gap;
            doubt->at = open_joint(c);
            doubt->gap = sarrus_configuration_rows(c, t);
            doubt->time = t;
        }
    }
    return most;
}

/* The names of the driven joints that take part in the cause: "joint 'A'", "joints 'A' and 'B'". Returns their number, and which
 * joint is the first; −1 when there is none. */
static int drives_name(const impasse *at, char text[MAX_LIST], int *first) {
    const sarrus_plan *plan = at->plan;
    double largest = 0.0;
    int n = 0, n_named = 0;
    for (int i = 0; i < plan->mech.m; ++i)
        largest = is_drive(plan, i) ? fmax(largest, fabs(at->cause[i])) : largest;
    *first = -1;
    text[0] = '\0';
    for (int i = 0; i < plan->mech.m; ++i)
        n += is_drive(plan, i) && fabs(at->cause[i]) > 1e-3 * largest;
    for (int i = 0; i < plan->mech.m; ++i) {
        if (!is_drive(plan, i) || !(fabs(at->cause[i]) > 1e-3 * largest))
            continue;
        const size_t n_text = strlen(text);
        const char *before = n_named == 0 ? (n > 1 ? "joints " : "joint ") : n_named < n - 1 ? ", " : " and ";
        *first = *first < 0 ? plan->row[i].joint : *first;
        ++n_named;
        if (n_named <= 4)
            (void)snprintf(text + n_text, MAX_LIST - n_text, "%s'%.30s'", before, plan->model->joints[plan->row[i].joint].name);
    }
    if (n > 4)
        (void)snprintf(text + strlen(text), MAX_LIST - strlen(text), " and %d more", n - 4);
    return n;
}

static sarrus_status refuse(sarrus_context *context, impasse *at) {
    const sarrus_plan *plan = at->plan;
    const sarrus_model *model = plan->model;
    const sarrus_plan_doubt *doubt = &plan->start.doubt;
    char names[MAX_LIST], open[160], freed[100];
    int first;
    const int n_drives = drives_name(at, names, &first);
    const char *s = n_drives == 1 ? "" : "s";
    const sarrus_joint *joint = &model->joints[first];
    const sarrus_place *place = model->signals[joint->drive].place.line > 0 ? &model->signals[joint->drive].place : &joint->place;
    const sarrus_location where = {model->file, model->text, place->line, place->column};
    (void)snprintf(open, sizeof open, "the loops stay open by %.2g at t = %.4g s, most at joint '%.40s'", doubt->gap, doubt->time,
                   model->joints[doubt->at].name);
    if (at->is_locked) {
        sarrus_plan_change_text(at->change, at->gap->size, freed);
        return sarrus_report_at(
            context, SARRUS_ERROR, SARRUS_BAD_INPUT, &where,
            "the drive%s of %s cannot be followed beyond t = %.4g s: without drives the mechanism has 0 degrees "
            "of freedom%s, and %s; expected a mechanism that can move, or no drive",
            s, names, doubt->from, freed, open);
    }
    if (at->is_unmet && n_drives > 1)
        return sarrus_report_at(context, SARRUS_ERROR, SARRUS_BAD_INPUT, &where,
                                "the drives of %s contradict one another beyond t = %.4g s: %s; expected motions that go together",
                                names, doubt->from, open);
    if (at->is_unmet)
        return sarrus_report_at(
            context, SARRUS_ERROR, SARRUS_BAD_INPUT, &where,
            "the drive of %s cannot be followed beyond t = %.4g s: the other joints hold what it moves, and %s; "
            "expected a motion that they leave free",
            names, doubt->from, open);
    return sarrus_report_at(context, SARRUS_ERROR, SARRUS_BAD_INPUT, &where,
                            "the drive%s of %s cannot be followed beyond t = %.4g s, where the reach of the mechanism ends: %s; "
                            "expected a motion within it",
                            s, names, doubt->from, open);
}

/* The same way with other steps: whether it ends at the same place. What depends on the steps is not certain. */
static sarrus_status follow_again(impasse *at, const double *q0, bool *is_same) {
    const sarrus_follow *f = at->follow;
    sarrus_follow again;
    memcpy(at->gap->c->q, q0, (size_t)at->gap->c->n * sizeof *q0);
    if (sarrus_follow_create(at->gap, 0.4 * f->pace, &again) != SARRUS_OK)
        return SARRUS_NO_MEMORY;
    again.work_left *= 4.0;
    const sarrus_follow_end end = sarrus_follow_run(&again);
    *is_same = end == SARRUS_FOLLOW_STUCK && again.n_jumps == 0 && !again.has_strayed && !again.is_unsure &&
               fabs(again.fine.t[0] - f->fine.t[0]) <= 0.1 * f->paced_step &&
               sarrus_gap_between(at->gap, again.fine.q[0], f->fine.q[0]) < 0.1;
    sarrus_follow_free(&again);
    return SARRUS_OK;
}

/* Where the drives are stuck, by steps of other lengths at the same place or not: refused when it is certain, kept as a doubt when
 * it is not, nothing when the loops hardly open. */
static sarrus_status judge(sarrus_context *context, impasse *at, bool is_same) {
    sarrus_plan_doubt *doubt = &at->plan->start.doubt;
    const sarrus_follow *f = at->follow;
    const sarrus_status status = impasse_look(at);
    if (status != SARRUS_OK)
        return status;
    doubt->from = f->fine.t[0];
    const double open = open_beyond(at);
    if (!(open > 10.0 * SARRUS_FOLLOW_CLOSED))
        return SARRUS_OK;
    const bool is_sure = is_same && f->n_jumps == 0 && !f->has_strayed && !f->is_unsure;
    if (is_sure && open > (at->is_locked ? open_if_locked : open_for_certain) && at->is_determined && (at->is_unmet || at->is_end))
        return refuse(context, at);
    /* Where motions are left free, the one that was followed is not the one that a run makes, and may end where that goes on. */
    if (!at->is_unmet && !(at->is_determined && at->is_end))
        return SARRUS_OK;
    char names[MAX_LIST];
    (void)drives_name(at, names, &doubt->joint);
    return SARRUS_OK;
}

static sarrus_status check(sarrus_context *context, impasse *at, const double *q0) {
    const sarrus_configuration *c = at->gap->c;
    at->cause = calloc((size_t)c->m, sizeof *at->cause);
    at->elsewhere = calloc((size_t)c->m, sizeof *at->elsewhere);
    at->speed = calloc((size_t)c->n, sizeof *at->speed);
    if (!at->cause || !at->elsewhere || !at->speed || sarrus_decomposition_create(c, &at->svd) != SARRUS_OK)
        return SARRUS_NO_MEMORY;
    /* What contradicts itself from the beginning needs no way, which would be long in a large mechanism. */
    const sarrus_status status = impasse_look(at);
    if (status != SARRUS_OK || (at->is_unmet && !sarrus_follow_begins(at->follow)))
        return status == SARRUS_OK ? judge(context, at, true) : status;
    if (sarrus_follow_run(at->follow) != SARRUS_FOLLOW_STUCK)
        return SARRUS_OK;
    bool is_same;
    const sarrus_status again = follow_again(at, q0, &is_same);
    return again == SARRUS_OK ? judge(context, at, is_same) : again;
}

sarrus_status sarrus_plan_drives_check(sarrus_context *context, sarrus_plan *plan, sarrus_gap *gap) {
    sarrus_configuration *c = gap->c;
    const size_t bytes = (size_t)c->n * sizeof(double);
    if (plan->mech.n_drives == 0 || !(plan->model->integrator.t_end > 0.0))
        return SARRUS_OK;
    sarrus_follow follow = {0};
    impasse at = {.gap = gap, .plan = plan, .follow = &follow};
    double *start = malloc(bytes);
    if (!start)
        return SARRUS_NO_MEMORY;
    memcpy(start, c->q, bytes);
    sarrus_status status = sarrus_follow_create(gap, pace, &follow);
    if (status == SARRUS_OK)
        status = check(context, &at, start);
    memcpy(c->q, start, bytes);
    (void)sarrus_configuration_rows(c, 0.0);
    sarrus_decomposition_free(&at.svd);
    sarrus_follow_free(&follow);
    free(at.cause);
    free(at.elsewhere);
    free(at.speed);
    free(start);
    return status;
}
