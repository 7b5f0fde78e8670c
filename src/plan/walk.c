#include "plan/walk.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "plan/spectrum.h"

/* A fixed sequence in (−1, 1): a plan is the same every time. */
static double next_number(uint64_t *state) {
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (double)(int64_t)*state / 9223372036854775808.0;
}

bool sarrus_walk_begin(sarrus_walk *walk, const sarrus_configuration *c, bool goes_on) {
    *walk = (sarrus_walk){.random = 20210907, .share = 1.0};
    walk->q_before = malloc(((size_t)c->n_q + 1) * sizeof *walk->q_before);
    walk->onward = goes_on ? calloc((size_t)c->n + 1, sizeof *walk->onward) : NULL;
    if (walk->q_before && (walk->onward || !goes_on))
        return true;
    sarrus_walk_end(walk);
    return false;
}

void sarrus_walk_end(sarrus_walk *walk) {
    free(walk->q_before);
    free(walk->onward);
    *walk = (sarrus_walk){0};
}

/* Shares of the ordinary length that are tried, and the least. In a mechanism of thousands of bodies Newton's method does not come
 * back from where all of them have moved that far. */
static const double shorter = 1.0 / 16.0, shortest = 1.0 / 4096.0;

/* c->held ← a random vector's part in the directions that are left free, of length 1 (0 when there are none). Returns how far an
 * ordinary move goes along it; negative: no memory, or stopped. */
static double find_direction(sarrus_walk *w, sarrus_configuration *c, bool is_free) {
    double *move = c->held, size = 0.0, length2 = 0.0, along = 0.0;
    for (int i = 0; i < c->n; ++i)
        move[i] = next_number(&w->random);
    if (!sarrus_configuration_free_part(c, SARRUS_CLEAR_TOLERANCE, move))
        return -1.0;
    sarrus_configuration_weigh(c, 1.0, move, c->scratch);
    for (int i = 0; i < c->n; ++i) {
        size = fmax(size, fabs(c->scratch[i]));
        length2 += move[i] * move[i];
        along += w->onward ? move[i] * w->onward[i] : 0.0;
    }
    const bool can_move = is_free && size > 0.0;
    for (int i = 0; i < c->n; ++i) {
        move[i] = can_move ? (along < 0.0 ? -move[i] : move[i]) / sqrt(length2) : 0.0;
        if (w->onward)
            w->onward[i] = move[i];
    }
    return can_move ? 0.4 * sqrt(length2) / size : 0.0;
}

/* A move of this length, then Newton. False when it does not come back.
 *
 * The way along the move is held at first: next to a singular configuration where redundant rows bend apart at second order, Φ is
 * quadratic in the move and Newton alone halves it in every step, back to where it began. */
static bool move_by(sarrus_configuration *c, double length, double t, const double *q_before) {
    double scale = 1.0;
    sarrus_configuration_move(c, q_before, length, c->held);
    for (int i = 0; i < c->n_q; ++i)
        scale = fmax(scale, fabs(q_before[i]));
    return sarrus_configuration_assemble_held(c, t) <= 1e-11 * scale || sarrus_configuration_assemble(c, t) <= 1e-11 * scale;
}

bool sarrus_walk_on(sarrus_walk *w, sarrus_configuration *c, int rank, double t) {
    const double length = find_direction(w, c, rank < c->n);
    memcpy(w->q_before, c->q, (size_t)c->n_q * sizeof *c->q);
    for (double share = w->share; length >= 0.0 && share >= shortest; share *= shorter) {
        if (move_by(c, share * length, t, w->q_before)) {
            w->share = share;
            return true;
        }
    }
    memcpy(c->q, w->q_before, (size_t)c->n_q * sizeof *c->q);
    (void)sarrus_configuration_rows(c, t);
    return false;
}
