#include "plan/drives.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/report.h"
#include "plan/follow.h"
#include "plan/length_change.h"

enum { N_LOOKS = 24, MAX_LIST = 200 };

/* The most that drives move in a step, rad or of the size. */
static const double pace = 0.15;
/* Loops that stay open by less (relative to the size) may be the work of numbers with four digits: two drives that agree but for
 * those, a stroke to the dead center. Where nothing can move, numbers with few digits are no excuse. */
static const double open_for_certain = 1e-4, open_if_locked = 1e-6;
/* Part of what drives ask for that no motion can meet. */
static const double unmet_tolerance = 1e-8;
/* Bodies move by this factor faster than before where a drive comes to the end of its reach. */
static const double rush = 5.0;

/* What is known of the place where the drives cannot be followed any more. */
typedef struct impasse {
    sarrus_gap *gap;
    sarrus_plan *plan;
    sarrus_follow *follow;
    double *cause;      /* [m] the combination of rows that cannot be met */
    double *elsewhere;  /* [m] it is put aside here while other places are looked at */
    double *speed;      /* [n] of the motion that meets the others best */
    double change;      /* of lengths (m) with which a locked mechanism could move */
    bool is_unmet;      /* the drives contradict other rows; else their reach ends */
    bool is_locked;     /* unmet, and nothing can move without drives either */
    bool is_end;        /* the end of a reach: a drive belongs to the cause, and bodies move much faster than before */
    bool is_idle;       /* an end all the same wherever the motions that are left free lead, as the spin of a rod in two balls */
    bool is_determined; /* what belongs to `cause` has no freedom left, or none that helps */
} impasse;

/* A fixed sequence in (−1, 1): what is refused is the same every time. */
static double next_number(uint64_t *state) {
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (double)(int64_t)*state / 9223372036854775808.0;
}

/* What the rows are off when the drives alone move on for a moment, split into what a motion can meet, at the speed of least
 * energy, and the rest. (Not by Φ_t: a drive may just be at rest.) The size of the rest, relative, goes to `share`. */
static bool split_demand(impasse *at, double moment, double *share) {
    sarrus_configuration *c = at->gap->c;
    double all = 0.0, rest = 0.0;
    if (!sarrus_configuration_least(c, SARRUS_RANK_TOLERANCE, c->phi, at->speed, at->cause))
        return false;
    sarrus_configuration_weigh(c, -1.0 / moment, at->speed, at->speed);
    for (int i = 0; i < c->m; ++i) {
        all += c->phi[i] * c->phi[i];
        rest += at->cause[i] * at->cause[i];
    }
    *share = all > 0.0 ? sqrt(rest / all) : 0.0;
    return true;
}

/* x [n] ← what of a fixed random vector lies in the motions that are left free. */
static bool free_motion(sarrus_configuration *c, uint64_t *state, double *x) {
    for (int i = 0; i < c->n; ++i)
        x[i] = next_number(state);
    return sarrus_configuration_free_part(c, SARRUS_RANK_TOLERANCE, x);
}

/* Whether no body that rows of the cause hold has a part in the motions left free. */
static bool find_determined(impasse *at) {
    sarrus_configuration *c = at->gap->c;
    const int n_each = c->sizes->n_v;
    uint64_t state = 20210907;
    double largest = 0.0, *moves = c->held;
    if (!free_motion(c, &state, moves))
        return false;
    at->is_determined = true;
    for (int i = 0; i < c->m; ++i)
        largest = fmax(largest, fabs(at->cause[i]));
    for (int i = 0; i < c->m; ++i) {
        for (int k = 0; fabs(at->cause[i]) > 1e-6 * largest && k < c->rows.n_sides * n_each; ++k) {
            const int body = c->rows.body[i][k / n_each];
            if (body >= 0 && fabs(moves[n_each * body + k % n_each]) > 1e-6)
                at->is_determined = false;
        }
    }
    return true;
}

/* cause ← the combination of rows that is lost first: a null vector where there is one. */
static bool find_weakest_rows(impasse *at) {
    sarrus_configuration *c = at->gap->c;
    sarrus_spectrum spectrum;
    if (sarrus_spectrum_find(&c->fronts, &c->rows, SARRUS_SPECTRUM_VECTORS, &spectrum) != SARRUS_OK)
        return false;
    const bool has_vector = spectrum.rank == (c->m < c->n ? c->m : c->n) && spectrum.n_small > 0;
    if (has_vector)
        memcpy(at->cause, spectrum.left, (size_t)c->m * sizeof *at->cause);
    sarrus_spectrum_free(&spectrum);
    if (has_vector)
        return true;
    uint64_t state = 20210907;
    for (int i = 0; i < c->m; ++i)
        at->cause[i] = next_number(&state);
    return sarrus_configuration_least(c, SARRUS_RANK_TOLERANCE, at->cause, c->held, at->cause);
}

/* Whether drives have a part in the cause. Where a mechanism branches they have none: what its other rows lose is enough. */
static bool is_of_drives(const impasse *at) {
    double all = 0.0, drives = 0.0;
    for (int i = 0; i < at->plan->mech.m; ++i) {
        all = fmax(all, fabs(at->cause[i]));
        drives = sarrus_plan_row_is_drive(at->plan, i) ? fmax(drives, fabs(at->cause[i])) : drives;
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

/* Whether bodies move much faster than before when the drives go on. */
static bool is_rush(const impasse *at) {
    return sarrus_gap_of_move(at->gap, at->speed) > rush * speed_before(at->follow);
}

/* Whether it is the same wherever the motions that are left free lead, from three places along them: the drives ask for what
 * cannot be met, or their reach ends. The cause is spoilt. */
static bool is_so_all_around(impasse *at, double moment) {
    sarrus_configuration *c = at->gap->c;
    const double t = at->follow->fine.t[0];
    uint64_t state = 20210907;
    for (int walk = 0; walk < 3; ++walk) {
        double share = 0.0;
        if (!free_motion(c, &state, at->speed))
            return false;
        sarrus_configuration_weigh(c, 1.0, at->speed, at->speed);
        const double largest = sarrus_gap_largest(at->gap, at->speed);
        sarrus_configuration_shift(c, c->q, largest > 0.0 ? 0.4 / largest : 0.0, at->speed);
        (void)sarrus_configuration_assemble(c, t);
        const bool is_closed = sarrus_gap_now(at->gap) <= SARRUS_FOLLOW_CLOSED;
        (void)sarrus_configuration_rows(c, t + moment);
        if (!is_closed || !split_demand(at, moment, &share) || !(at->is_unmet ? share > unmet_tolerance : is_rush(at)))
            return false;
    }
    return true;
}

/* The same, and the cause is kept. */
static bool is_around(impasse *at, double moment) {
    const size_t n_bytes = (size_t)at->gap->c->m * sizeof *at->cause;
    memcpy(at->elsewhere, at->cause, n_bytes);
    const bool is_so = is_so_all_around(at, moment);
    memcpy(at->cause, at->elsewhere, n_bytes);
    return is_so;
}

static sarrus_status impasse_look(impasse *at) {
    sarrus_configuration *c = at->gap->c;
    const sarrus_follow *f = at->follow;
    const int n = c->n;
    const double moment = 1e-2 * f->paced_step;
    double share = 0.0;
    memcpy(c->q, f->fine.q[0], (size_t)c->n_q * sizeof *c->q);
    (void)sarrus_configuration_rows(c, f->fine.t[0] + moment);
    if (!split_demand(at, moment, &share))
        return sarrus_configuration_failure(c);
    at->is_unmet = share > unmet_tolerance;
    if (!at->is_unmet) {
        if (!find_weakest_rows(at))
            return sarrus_configuration_failure(c);
        at->is_end = is_of_drives(at) && is_rush(at);
    }
    if (!find_determined(at))
        return sarrus_configuration_failure(c);
    if (!at->is_unmet) {
        at->is_idle = at->is_end && !at->is_determined && is_around(at, moment);
        return SARRUS_OK;
    }
    const int undriven = sarrus_plan_undriven_rank(at->gap, f->fine.t[0], &at->change);
    at->is_locked = undriven == n;
    at->is_determined = at->is_determined || is_around(at, moment);
    return undriven < 0 ? sarrus_configuration_failure(c) : SARRUS_OK;
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
    memcpy(c->q, at->follow->fine.q[0], (size_t)c->n_q * sizeof *c->q);
    for (int i = 0; i < N_FIRST + N_LOOKS && (gap > SARRUS_FOLLOW_CLOSED || i < N_FIRST); ++i) {
        const double h = i < N_FIRST ? first[i] * at->follow->paced_step : (t_end - from) * (i + 1 - N_FIRST) / N_LOOKS;
        const double t = h < t_end - from ? from + h : t_end;
        gap = sarrus_gap_least(at->gap, t, 40);
        if (gap > most) {
            most = gap;
            double open;
            doubt->at = sarrus_configuration_open_owner(c, c->plan->mech.n_joints, &open);
            doubt->gap = sarrus_configuration_rows(c, t);
            doubt->time = t;
        }
    }
    return most;
}

/* The rows of drives that take part in the cause, ascending; the next one behind `row`, m when there is none. */
static int next_drive(const impasse *at, int row) {
    const sarrus_plan *plan = at->plan;
    double largest = 0.0;
    for (int i = 0; i < plan->mech.m; ++i)
        largest = sarrus_plan_row_is_drive(plan, i) ? fmax(largest, fabs(at->cause[i])) : largest;
    for (++row; row < plan->mech.m; ++row) {
        if (sarrus_plan_row_is_drive(plan, row) && fabs(at->cause[row]) > 1e-3 * largest)
            break;
    }
    return row;
}

/* The names of the driven joints that take part in the cause: "joint 'A'", "joints 'A' and 'B'". Returns the number of drives, and
 * which row is the first; −1 when there is none. */
static int drives_name(const impasse *at, char text[MAX_LIST], int *first) {
    const sarrus_plan *plan = at->plan;
    const int m = plan->mech.m;
    int n_drives = 0, n = 0, n_named = 0;
    *first = next_drive(at, -1);
    for (int row = *first, last = -1; row < m; last = plan->row[row].joint, row = next_drive(at, row)) {
        ++n_drives;
        n += plan->row[row].joint != last;
    }
    text[0] = '\0';
    for (int row = *first, last = -1; row < m; last = plan->row[row].joint, row = next_drive(at, row)) {
        if (plan->row[row].joint == last)
            continue;
        const size_t n_text = strlen(text);
        const char *before = n_named == 0 ? (n > 1 ? "joints " : "joint ") : n_named < n - 1 ? ", " : " and ";
        ++n_named;
        if (n_named <= 4)
            (void)snprintf(text + n_text, MAX_LIST - n_text, "%s'%.30s'", before, plan->model->joints[plan->row[row].joint].name);
    }
    if (n > 4)
        (void)snprintf(text + strlen(text), MAX_LIST - strlen(text), " and %d more", n - 4);
    *first = *first < m ? *first : -1;
    return n_drives;
}

static sarrus_status refuse(sarrus_context *context, impasse *at) {
    const sarrus_plan *plan = at->plan;
    const sarrus_model *model = plan->model;
    const sarrus_plan_doubt *doubt = &plan->start.doubt;
    char names[MAX_LIST], open[160], freed[100];
    int first;
    const int n_drives = drives_name(at, names, &first);
    const char *s = n_drives == 1 ? "" : "s";
    const sarrus_place *of_signal = &model->signals[sarrus_plan_row_signal(plan, first)].place;
    const sarrus_place *place = of_signal->line > 0 ? of_signal : &model->joints[plan->row[first].joint].place;
    const sarrus_location where = sarrus_model_location(model, place);
    (void)snprintf(open, sizeof open, "the loops stay open by %.2g at t = %.4g s, most at joint '%.40s'", doubt->gap, doubt->time,
                   model->joints[doubt->at].name);
    if (at->is_locked) {
        sarrus_length_change_text(at->change, at->gap->size, freed);
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
    memcpy(at->gap->c->q, q0, (size_t)at->gap->c->n_q * sizeof *q0);
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
    /* Where motions are left free, the one that was followed is not the one that a run makes, and may end where that goes on; but
     * for those that change nothing of it. */
    if (!at->is_unmet && !(at->is_end && (at->is_determined || at->is_idle)))
        return SARRUS_OK;
    char names[MAX_LIST];
    int first;
    (void)drives_name(at, names, &first);
    doubt->joint = first < 0 ? -1 : at->plan->row[first].joint;
    return SARRUS_OK;
}

static sarrus_status check(sarrus_context *context, impasse *at, const double *q0) {
    const sarrus_configuration *c = at->gap->c;
    at->cause = calloc((size_t)c->m, sizeof *at->cause);
    at->elsewhere = calloc((size_t)c->m, sizeof *at->elsewhere);
    at->speed = calloc((size_t)c->n, sizeof *at->speed);
    if (!at->cause || !at->elsewhere || !at->speed)
        return SARRUS_NO_MEMORY;
    /* What contradicts itself at t = 0 need not be followed in time, which takes long in a large mechanism. */
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
    const size_t bytes = (size_t)c->n_q * sizeof(double);
    if (plan->mech.n_drives == 0 || !(plan->model->integrator.t_end > 0.0))
        return SARRUS_OK;
    sarrus_follow follow = {0};
    sarrus_plan_watch_phase(plan->watch, "following the drives");
    impasse at = {.gap = gap, .plan = plan, .follow = &follow};
    double *start = malloc(bytes);
    if (!start)
        return SARRUS_NO_MEMORY;
    memcpy(start, c->q, bytes);
    sarrus_status status = sarrus_follow_create(gap, pace, &follow);
    if (status == SARRUS_OK)
        status = check(context, &at, start);
    if (!sarrus_plan_watch_goes_on(plan->watch))
        status = SARRUS_INTERRUPTED;
    memcpy(c->q, start, bytes);
    (void)sarrus_configuration_rows(c, 0.0);
    sarrus_follow_free(&follow);
    free(at.cause);
    free(at.elsewhere);
    free(at.speed);
    free(start);
    return status;
}
