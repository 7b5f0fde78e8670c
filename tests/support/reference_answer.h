/* What the dense reference says about one state, how far off a batch may be there, and a batch held against it. */
#ifndef TESTS_SUPPORT_REFERENCE_ANSWER_H
#define TESTS_SUPPORT_REFERENCE_ANSWER_H

#include "tests/support/mechanism.h"

enum { REFERENCE_MAX_N = 243, REFERENCE_MAX_M = 242, REFERENCE_MAX_STATES = 11 };

/* The redundant singular values of states `violation` off the constraints are of that size: the cut lies between them and the
 * smallest true one. */
#define REFERENCE_RANK_TOLERANCE 1e-6

typedef struct reference_answer {
    double q[REFERENCE_MAX_N], v[REFERENCE_MAX_N], a[REFERENCE_MAX_N];
    double lambda[REFERENCE_MAX_M + 1], reaction[3 * REFERENCE_MAX_M], drive[REFERENCE_MAX_M];
    double energy, energy_scale, position_error, velocity_error, condition;
    double largest, kept, dropped; /* singular values of J M^{-1/2}: the first, the last that counts, the first that does not */
    double acceleration_bound, reaction_bound;
    int rank;
    bool is_regular;
} reference_answer;

/* q and v of `out`: a random state within 0.1 rad * spread of the given one, brought onto the constraints at t = 0, then moved off
 * them by `violation`. */
void reference_answer_draw(const reference *ref, double spread, double violation, uint64_t *seed, reference_answer *out);

/* All the rest at the q and v that stand in `out`, t = 0. */
void reference_answer_find(const reference *ref, double violation, reference_answer *out);

/* All observables of a batch that stands at the answers' states, against them; fails the test with `name`, `isa` and `pinv`.
 * Returns the largest share of a bound that was used. */
double reference_answer_compare(const mechanism *m, const char *const name[3], sarrus_batch *batch, int n_states,
                                const reference_answer *answers);

#endif
