/* Small probabilities of failure. */
#ifndef SARRUS_RELIABILITY_H
#define SARRUS_RELIABILITY_H

#include "sarrus/batch.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Levels of a subset simulation at most: with a tenth of the instances going on from each, 1e-20. */
enum { SARRUS_RELIABILITY_LEVELS = 20 };

/* What became of a level, as it is told while the simulation goes on. */
typedef struct sarrus_reliability_level {
    int level;            /* 0: independent draws */
    double limit;         /* that a tenth of its instances are beyond; the limit itself at the last */
    double share;         /* of its instances that are beyond it */
    uint64_t n_instances; /* run so far, of all levels */
    uint64_t n_failed;    /* of them instances that failed, and count as not beyond */
} sarrus_reliability_level;

/* Called behind each level; not 0: stop. */
typedef int (*sarrus_reliability_function)(const sarrus_reliability_level *level, void *user);

/* Zero-initialize all but the quantity. */
typedef struct sarrus_reliability_options {
    sarrus_batch_options batch;
    const char *quantity; /* a name in output.quantities */
    double limit;         /* failure: the quantity is above it, or below */
    int is_below;
    uint64_t n_instances; /* of a level; 0: the scenario's. Rounded up to tens */
    const uint64_t *seed; /* NULL: the scenario's */
    sarrus_reliability_function told;
    void *told_user;
} sarrus_reliability_options;

typedef struct sarrus_reliability {
    double probability; /* of failure; when the limit was not reached, NaN */
    double low, high;   /* its 95 % interval; of one that was not reached `high` bounds it */
    double variation;   /* standard deviation relative to the probability */
    int n_levels, is_reached;
    uint64_t n_level; /* instances of a level: as many as were asked for, rounded up to tens */
    uint64_t n_instances, n_failed;
} sarrus_reliability;

/* The probability that a quantity is beyond a limit when the parameters of `model` are drawn, by subset simulation: a level of
 * instances that are drawn as the scenario says (independent, whatever its sampling and design), then levels that go on from the
 * tenth of the one before that is nearest to failure, by Markov chains of the normal scores. A probability of 1e-6 takes seven
 * levels. The numbers depend on the seed alone. Sources: Au, Beck, Probabilistic Engineering Mechanics 16 (2001) 263 (estimate
 * (19), variation (28), (29)); Papaioannou, Betz, Zwirglmaier, Straub, Probabilistic Engineering Mechanics 41 (2015) 89 (the
 * chains, their adaptation). BAD_ARGUMENT (no such quantity, no sampled parameters, a limit that is not finite), errors of
 * sarrus_plan_create and sarrus_run; INTERRUPTED when `told` or options->batch.stop asked for it. */
SARRUS_MUST_USE sarrus_status sarrus_reliability_find(sarrus_context *context, const sarrus_model *model,
                                                      const sarrus_reliability_options *options, sarrus_reliability *out);

#ifdef __cplusplus
}
#endif

#endif
