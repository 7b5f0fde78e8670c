#include "plan/follow.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "plan/spectrum.h"

enum { MAX_NEWTON = 12, MAX_LEAST = 30, MAX_JUMPS = 3, N_TURNS = 6 };

/* A step may end this far from where the steps before point, as a share of its length; and it may not be longer than this. */
static const double straying = 0.1, longest = 0.25;
/* What may be spent on looking around where no step helps, beside the rest: some seconds in a mechanism of hundreds of coordinates.
 */
static const double work_to_look = 5e9;
/* Loops that are open by less may be closed a little later; by more they are open. */
static const double hardly_open = 1e-6;
/* Shortest step, relative to one that moves the drives by the pace and to the run. */
static const double shortest = 1e-6;

static bool track_create(sarrus_follow_track *track, int n) {
    bool good = true;
    for (int k = 0; k < 3; ++k) {
        track->q[k] = calloc((size_t)(n ? n : 1), sizeof(double));
        good = good && track->q[k];
    }
    return good;
}

static void track_push(sarrus_follow_track *track, double t, const double *q, int n) {
    double *oldest = track->q[2];
    for (int k = 2; k > 0; --k) {
        track->q[k] = track->q[k - 1];
        track->t[k] = track->t[k - 1];
    }
    track->q[0] = oldest;
    track->t[0] = t;
    memcpy(oldest, q, (size_t)n * sizeof *q);
    track->n = track->n < 3 ? track->n + 1 : 3;
}

/* Where the parabola through the track stands at t (with fewer than three points: line, or the point). */
static void track_expect(const sarrus_follow_track *track, double t, const sarrus_configuration *c, double *q) {
    double share[3] = {1.0, 0.0, 0.0};
    for (int k = 0; k < track->n; ++k) {
        share[k] = 1.0;
        for (int other = 0; other < track->n; ++other)
            share[k] *= other == k ? 1.0 : (t - track->t[other]) / (track->t[k] - track->t[other]);
    }
    for (int i = 0; i < c->n_q; ++i) {
        q[i] = 0.0;
        for (int k = 0; k < track->n; ++k)
            q[i] += share[k] * track->q[k][i];
    }
    for (int b = 0; b < c->plan->mech.n_bodies; ++b)
        sarrus_body_normalize(c->plan->mech.space, q + c->sizes->n_q * b);
}

/* A time within which no drive turns round unseen: a sixteenth of a sine's period, half the mean distance of a table's knots. */
static double ripple_of(const sarrus_configuration *c) {
    const sarrus_plan *plan = c->plan;
    const double t_end = plan->model->integrator.t_end;
    double ripple = t_end / 20.0;
    for (int i = 0; i < plan->mech.m; ++i) {
        if (!sarrus_plan_row_is_drive(plan, i))
            continue;
        const sarrus_mech_signal *signal = &plan->signal[sarrus_plan_row_signal(plan, i)];
        if (signal->kind == SARRUS_SIGNAL_SINE) {
            const double frequency = fabs(sarrus_configuration_parameter(c, signal->p + 1));
            ripple = frequency > 0.0 ? fmin(ripple, 1.0 / (16.0 * frequency)) : ripple;
        } else if (signal->kind == SARRUS_SIGNAL_TABLE && signal->n > 0) {
            const double *knot = plan->knots + signal->knots;
            ripple = fmin(ripple, 0.5 * (knot[signal->n] - knot[0]) / signal->n);
        }
    }
    return ripple;
}

/* Multiplications of the rows of all joints. */
static double rows_work(const sarrus_configuration *c) {
    return 1e3 * c->m;
}

/* Multiplications of one Newton step. */
static double newton_work(const sarrus_configuration *c) {
    return sarrus_fronts_flops(&c->fronts) + rows_work(c);
}

/* Some 0.2 s, and of large mechanisms a share of what the analysis of their constraints does anyway. */
static double work_allowed(const sarrus_configuration *c) {
    return 1e8 + 60.0 * newton_work(c);
}

void sarrus_follow_free(sarrus_follow *f) {
    for (int k = 0; k < 3; ++k) {
        free(f->fine.q[k]);
        free(f->coarse.q[k]);
    }
    free(f->expected);
    free(f->half);
    free(f->stood);
    memset(f, 0, sizeof *f);
}

static void stand_at(sarrus_follow *f, const double *q) {
    memcpy(f->gap->c->q, q, (size_t)f->gap->c->n_q * sizeof *q);
}

double sarrus_follow_drive_move(sarrus_follow *f, double t) {
    const sarrus_configuration *c = f->gap->c;
    const sarrus_plan *plan = c->plan;
    double largest = 0.0;
    stand_at(f, f->fine.q[0]);
    (void)sarrus_gap_at(f->gap, t);
    f->work_left -= rows_work(c);
    for (int i = 0; i < plan->mech.m; ++i) {
        if (sarrus_plan_row_is_drive(plan, i))
            largest = fmax(largest, fabs(c->phi_whole[i] - f->stood[i]) * f->gap->row[i]);
    }
    return largest;
}

/* Newton's method from where c->q stands; whether the loops close. */
static bool close_loops(sarrus_follow *f, double t) {
    sarrus_configuration *c = f->gap->c;
    double error = sarrus_gap_at(f->gap, t);
    for (int i = 0; i < MAX_NEWTON && error > 1e-14; ++i) {
        const double before = error;
        f->work_left -= newton_work(c);
        if (!sarrus_configuration_newton(c))
            return false;
        error = sarrus_gap_at(f->gap, t);
        if (!isfinite(error))
            return false;
        if (error <= SARRUS_FOLLOW_CLOSED && error > 0.1 * before)
            break;
    }
    /* Where they are hardly open the least gap decides: Newton's steps are the least in the metric of M instead. */
    if (error > SARRUS_FOLLOW_CLOSED && error < hardly_open)
        error = sarrus_gap_least(f->gap, t, MAX_NEWTON);
    return error <= SARRUS_FOLLOW_CLOSED;
}

/* The rows are those of the latest step. In the plane Φ is 0 there. */
static void stand_here(sarrus_follow *f) {
    const sarrus_configuration *c = f->gap->c;
    if (c->plan->mech.space == SARRUS_SPACE_SPATIAL)
        memcpy(f->stood, c->phi_whole, (size_t)c->m * sizeof *f->stood);
}

static void accept(sarrus_follow *f, double t, double moved) {
    const sarrus_configuration *c = f->gap->c;
    track_push(&f->fine, t, c->q, c->n_q);
    stand_here(f);
    f->since_coarse += moved;
    if (f->since_coarse > 0.3 * f->pace) {
        track_push(&f->coarse, t, c->q, c->n_q);
        f->since_coarse = 0.0;
    }
}

/* A time between the latest step and t at which a drive turns round, by the parabola through three of its places; NaN when none
 * does. The rows are left at t. */
static double turning_time(sarrus_follow *f, double t) {
    const sarrus_configuration *c = f->gap->c;
    const sarrus_plan *plan = c->plan;
    const double t0 = f->fine.t[0], h = t - t0;
    double turning = (double)NAN;
    (void)sarrus_follow_drive_move(f, t0 + 0.5 * h);
    memcpy(f->half, c->phi, (size_t)c->m * sizeof *f->half);
    (void)sarrus_follow_drive_move(f, t);
    for (int i = 0; i < plan->mech.m; ++i) {
        if (!sarrus_plan_row_is_drive(plan, i))
            continue;
        const double bend = 2.0 * c->phi[i] - 4.0 * f->half[i], slope = 4.0 * f->half[i] - c->phi[i];
        const double share = -0.5 * slope / bend; /* of (slope x + bend x²), x from 0 to 1 */
        if (share > 0.0 && share < 1.0)
            turning = t0 + share * h;
    }
    return turning;
}

/* Whether the loops close where a drive turns round on the way to t: a short time beyond the mechanism's reach shows there. */
static bool turns_within_reach(sarrus_follow *f, double t) {
    const double turning = turning_time(f, t);
    if (isnan(turning))
        return true;
    track_expect(&f->fine, turning, f->gap->c, f->expected);
    stand_at(f, f->expected);
    return close_loops(f, turning);
}

/* One step to t. What a first step ends near is where it began. */
static bool step_to(sarrus_follow *f, double t) {
    const sarrus_configuration *c = f->gap->c;
    const bool is_first = f->fine.n == 1;
    if (!turns_within_reach(f, t))
        return false;
    const double moved = sarrus_follow_drive_move(f, t);
    track_expect(&f->fine, t, c, f->expected);
    stand_at(f, f->expected);
    if (!close_loops(f, t))
        return false;
    const double length = sarrus_gap_between(f->gap, f->fine.q[0], f->expected);
    const double off = sarrus_gap_between(f->gap, f->expected, c->q);
    if (off > (is_first ? 0.5 : straying * length + 1e-5) || length > longest)
        return false;
    accept(f, t, moved);
    return true;
}

/* Tries to close the loops at t from where `q` is, not farther than `near` from where they were. Returns how far they stay open at
 * least; 0 when they close. */
static double regain(sarrus_follow *f, double t, double near, const double *q) {
    sarrus_configuration *c = f->gap->c;
    stand_at(f, q);
    f->work_left -= MAX_LEAST * newton_work(c);
    const double gap = sarrus_gap_least(f->gap, t, MAX_LEAST);
    if (gap > SARRUS_FOLLOW_CLOSED)
        return gap;
    if (sarrus_gap_between(f->gap, f->fine.q[0], c->q) > near) {
        f->has_strayed = true;
        return (double)INFINITY;
    }
    return 0.0;
}

/* x ← of the directions in which the loops give way most easily one: that of the smallest singular value, or what of a fixed vector
 * lies in the null space when there is one beside the freedoms. */
static bool weakest_direction(sarrus_configuration *c, double *x) {
    sarrus_spectrum spectrum;
    if (sarrus_spectrum_find(&c->fronts, &c->rows, SARRUS_SPECTRUM_VECTORS, &spectrum) != SARRUS_OK)
        return false;
    const bool has_vector = spectrum.rank == (c->m < c->n ? c->m : c->n) && spectrum.n_small > 0;
    if (has_vector)
        memcpy(x, spectrum.right, (size_t)c->n * sizeof *x);
    sarrus_spectrum_free(&spectrum);
    if (has_vector)
        return true;
    for (int i = 0; i < c->n; ++i)
        x[i] = 1.0 + 0.5 * sin(1.7 * i);
    return sarrus_configuration_free_part(c, SARRUS_CLEAR_TOLERANCE, x);
}

/* The direction in which the loops give way most easily, by units, its largest move 1; in `f->expected`. */
static bool easiest_direction(sarrus_follow *f) {
    sarrus_configuration *c = f->gap->c;
    stand_at(f, f->fine.q[0]);
    (void)sarrus_gap_at(f->gap, f->fine.t[0]);
    f->work_left -= 10.0 * newton_work(c);
    if (c->m == 0 || c->n == 0 || !weakest_direction(c, f->expected))
        return false;
    sarrus_configuration_weigh(c, 1.0, f->expected, f->expected);
    const double largest = sarrus_gap_largest(f->gap, f->expected);
    for (int i = 0; i < c->n && largest > 0.0; ++i)
        f->expected[i] /= largest;
    return largest > 0.0;
}

/* The same from all places around: where the steps before point, where the bodies are, and to both sides of that in the direction
 * in which the loops give way. */
static double regain_around(sarrus_follow *f, double t, double near, const double *direction, double *start) {
    static const double turns[N_TURNS] = {0.01, -0.01, 0.1, -0.1, 0.4, -0.4};
    sarrus_configuration *c = f->gap->c;
    track_expect(&f->coarse, t, c, start);
    double least = regain(f, t, near, start);
    least = least > 0.0 ? fmin(least, regain(f, t, near, f->fine.q[0])) : least;
    for (int k = 0; k < N_TURNS && least > 0.0; ++k) {
        sarrus_configuration_shift(c, f->fine.q[0], turns[k], direction);
        memcpy(start, c->q, (size_t)c->n_q * sizeof *start);
        least = fmin(least, regain(f, t, near, start));
    }
    return least;
}

/* Beyond a place where no step helps: looks for the motion where the drives have moved on a little, and a little more as long as
 * the loops are hardly open. A time, or NaN where there is none. */
static double regain_later(sarrus_follow *f) {
    const sarrus_configuration *c = f->gap->c;
    const double rest = c->plan->model->integrator.t_end - f->fine.t[0];
    double *start = calloc((size_t)c->n_q + 1, sizeof *start);
    double found = (double)NAN, h = fmin(shortest * f->paced_step, rest), least = 0.0;
    const double work_before = f->work_left;
    f->work_left = work_to_look;
    if (!start || !easiest_direction(f))
        f->work_left = 0.0;
    for (double moved = 1e-4 * f->pace; isnan(found) && least < hardly_open && f->work_left > 0.0; moved *= 20.0) {
        while (h < rest && sarrus_follow_drive_move(f, f->fine.t[0] + h) < moved)
            h = fmin(2.0 * h, rest);
        const double t = h < rest ? f->fine.t[0] + h : c->plan->model->integrator.t_end;
        /* Where a motion branches, bodies move as the root of what drives do. */
        least = regain_around(f, t, fmin(10.0 * sqrt(moved), 0.5), f->expected, start);
        if (!(least > 0.0))
            found = t;
        else if (moved > f->pace)
            break;
    }
    f->is_unsure = f->is_unsure || !(f->work_left > 0.0);
    f->work_left = work_before;
    free(start);
    return found;
}

/* A new beginning where the loops close again. */
static void restart_at(sarrus_follow *f, double t) {
    const sarrus_configuration *c = f->gap->c;
    f->fine.n = f->coarse.n = 0;
    stand_here(f);
    track_push(&f->fine, t, c->q, c->n_q);
    track_push(&f->coarse, t, c->q, c->n_q);
    f->since_coarse = 0.0;
    f->step = 0.1 * f->paced_step;
    ++f->n_jumps;
}

/* The length of the next step: what is wanted, as long as no drive moves by more than the pace. */
static double paced(sarrus_follow *f, double rest) {
    double h = fmin(fmin(f->step, f->ripple), rest);
    while (sarrus_follow_drive_move(f, f->fine.t[0] + h) > f->pace && h > shortest * f->ripple && f->work_left > 0.0) {
        h *= 0.5;
        f->paced_step = h;
    }
    return h;
}

sarrus_status sarrus_follow_create(sarrus_gap *gap, double pace, sarrus_follow *f) {
    sarrus_configuration *c = gap->c;
    *f = (sarrus_follow){.gap = gap, .pace = pace, .work_left = work_allowed(c), .ripple = ripple_of(c)};
    f->step = f->paced_step = f->ripple;
    f->expected = calloc((size_t)c->n_q + 1, sizeof *f->expected);
    f->half = calloc((size_t)(c->m ? c->m : 1), sizeof *f->half);
    f->stood = calloc((size_t)(c->m ? c->m : 1), sizeof *f->stood);
    const bool has_tracks = track_create(&f->fine, c->n_q) && track_create(&f->coarse, c->n_q);
    if (!f->expected || !f->half || !f->stood || !has_tracks) {
        sarrus_follow_free(f);
        return SARRUS_NO_MEMORY;
    }
    track_push(&f->fine, 0.0, c->q, c->n_q);
    track_push(&f->coarse, 0.0, c->q, c->n_q);
    (void)sarrus_gap_at(gap, 0.0);
    stand_here(f);
    (void)paced(f, c->plan->model->integrator.t_end);
    return SARRUS_OK;
}

bool sarrus_follow_begins(sarrus_follow *f) {
    return !isnan(regain_later(f));
}

sarrus_follow_end sarrus_follow_run(sarrus_follow *f) {
    const double t_end = f->gap->c->plan->model->integrator.t_end;
    while (f->fine.t[0] < t_end) {
        const double rest = t_end - f->fine.t[0], h = paced(f, rest), least = shortest * fmin(f->paced_step, t_end);
        if (!(f->work_left > 0.0) || !sarrus_plan_watch_goes_on(f->gap->c->plan->watch))
            return SARRUS_FOLLOW_BOUNDS;
        if (step_to(f, h < rest ? f->fine.t[0] + h : t_end)) {
            f->step = 1.7 * h;
            continue;
        }
        f->step = 0.5 * h;
        if (f->step > least)
            continue;
        const double t = f->n_jumps < MAX_JUMPS ? regain_later(f) : (double)NAN;
        if (isnan(t))
            return SARRUS_FOLLOW_STUCK;
        restart_at(f, t);
    }
    return SARRUS_FOLLOW_DONE;
}
