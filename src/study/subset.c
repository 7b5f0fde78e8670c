#include "study/subset.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "study/distribution.h"
#include "study/philox.h"

enum { STATES = SARRUS_SUBSET_STATES };

/* The states of a level: state s of chain c is point s n_chains + c. */
typedef struct level {
    double *z; /* [n_parameters][n] normal scores */
    double *g; /* [n] */
} level;

typedef struct simulation {
    const sarrus_subset *subset;
    uint64_t n_chains;
    level now, next;
    double *units;              /* [n_parameters][n] of those that are evaluated */
    double *candidate;          /* [n_parameters][n_chains], then their g [n_chains] */
    double *spread;             /* [n_parameters] of the seeds */
    uint64_t *order;            /* [n] points by falling g; then those that go on, in a random order */
    uint64_t n_accepted;        /* candidates of the level */
    double scale;               /* of the chains' steps */
    double variation, variance; /* sums of the variations of the levels, and of their squares */
} simulation;

/* A standard normal number of (level, step, parameter, point). Word 3 of the counter, "subs", keeps them apart from draws. */
static double normal_of(const sarrus_subset *subset, int i_level, int i_step, int i_parameter, uint64_t i_point) {
    const uint32_t key[2] = {(uint32_t)subset->seed, (uint32_t)(subset->seed >> 32)};
    const uint32_t counter[4] = {(uint32_t)i_point, (uint32_t)i_parameter, (uint32_t)(i_level * STATES + i_step), 0x73756273u};
    uint32_t words[4];
    sarrus_philox4x32_run(counter, key, words);
    return sarrus_normal_quantile(sarrus_uniform_from_bits((uint64_t)words[1] << 32 | words[0]));
}

/* Φ(z), never 0 or 1. */
static double unit_of(double z) {
    return fmin(fmax(0.5 * erfc(-z * 0.70710678118654752), 0x1p-1022), 1.0 - 0x1p-53);
}

/* Evaluates points z [n_parameters][stride], n of each. */
static sarrus_status points_evaluate(const simulation *work, const double *z, uint64_t stride, uint64_t n, double *g) {
    for (int j = 0; j < work->subset->n_parameters; ++j)
        for (uint64_t i = 0; i < n; ++i)
            work->units[(uint64_t)j * n + i] = unit_of(z[(uint64_t)j * stride + i]);
    return work->subset->evaluate(work->subset->user, n, work->units, g);
}

static sarrus_status first_level(const simulation *work) {
    const sarrus_subset *subset = work->subset;
    for (int j = 0; j < subset->n_parameters; ++j)
        for (uint64_t i = 0; i < subset->n; ++i)
            work->now.z[(uint64_t)j * subset->n + i] = normal_of(subset, 0, 0, j, i);
    return points_evaluate(work, work->now.z, subset->n, subset->n, work->now.g);
}

/* A point and how near to failure it is; of equal ones the first comes first. */
typedef struct ranked {
    double g;
    uint64_t i;
} ranked;

static int ranked_compare(const void *a, const void *b) {
    const ranked *x = a, *y = b;
    if (x->g != y->g)
        return x->g > y->g ? -1 : 1;
    return (x->i > y->i) - (x->i < y->i);
}

static sarrus_status points_order(const simulation *work) {
    const uint64_t n = work->subset->n;
    ranked *all = malloc(n * sizeof *all);
    if (all == NULL)
        return SARRUS_NO_MEMORY;
    for (uint64_t i = 0; i < n; ++i)
        all[i] = (ranked){work->now.g[i], i};
    qsort(all, (size_t)n, sizeof *all, ranked_compare);
    for (uint64_t i = 0; i < n; ++i)
        work->order[i] = all[i].i;
    free(all);
    return SARRUS_OK;
}

/* Points at a limit or beyond it, in a random order: which of them go on must not depend on how far beyond they are, as it would
 * where many are alike. *n_at ← how many there are. */
static sarrus_status points_shuffle(const simulation *work, int i_level, double limit, uint64_t *n_at) {
    ranked *all = malloc(work->subset->n * sizeof *all);
    uint64_t n = 0;
    if (all == NULL)
        return SARRUS_NO_MEMORY;
    for (uint64_t i = 0; i < work->subset->n; ++i)
        if (work->now.g[i] >= limit)
            all[n++] = (ranked){normal_of(work->subset, i_level, 0, -1, i), i};
    qsort(all, (size_t)n, sizeof *all, ranked_compare);
    for (uint64_t i = 0; i < n; ++i)
        work->order[i] = all[i].i;
    free(all);
    *n_at = n;
    return SARRUS_OK;
}

/* The seeds of the next level become its first states, again from the first where there are fewer than chains; their spread is
 * that of the steps. */
static void seeds_take(simulation *work, uint64_t n_at) {
    const uint64_t n = work->subset->n, m = work->n_chains;
    for (int j = 0; j < work->subset->n_parameters; ++j) {
        double mean = 0, squares = 0;
        double *to = work->next.z + (uint64_t)j * n;
        for (uint64_t c = 0; c < m; ++c) {
            to[c] = work->now.z[(uint64_t)j * n + work->order[c % n_at]];
            mean += to[c] / (double)m;
        }
        for (uint64_t c = 0; c < m; ++c)
            squares += (to[c] - mean) * (to[c] - mean);
        work->spread[j] = m > 1 ? sqrt(squares / (double)(m - 1)) : 1.0;
    }
    for (uint64_t c = 0; c < m; ++c)
        work->next.g[c] = work->now.g[work->order[c % n_at]];
    work->n_accepted = 0;
}

/* One step of all chains: z' = ρ z + σ ξ, which keeps the normal distribution, where it stays beyond the limit; else z. */
static sarrus_status chains_step(simulation *work, int i_level, int i_step, double limit) {
    const sarrus_subset *subset = work->subset;
    const uint64_t n = subset->n, m = work->n_chains, first = (uint64_t)i_step * m, before = first - m;
    double *g = work->candidate + (uint64_t)subset->n_parameters * m;
    uint64_t n_accepted = 0;
    for (int j = 0; j < subset->n_parameters; ++j) {
        const double sigma = fmin(1.0, work->scale * work->spread[j]), rho = sqrt(1.0 - sigma * sigma);
        for (uint64_t c = 0; c < m; ++c)
            work->candidate[(uint64_t)j * m + c] =
                rho * work->next.z[(uint64_t)j * n + before + c] + sigma * normal_of(subset, i_level, i_step, j, c);
    }
    const sarrus_status status = points_evaluate(work, work->candidate, m, m, g);
    for (uint64_t c = 0; c < m && status == SARRUS_OK; ++c) {
        const bool is_accepted = g[c] >= limit;
        n_accepted += is_accepted ? 1 : 0;
        work->next.g[first + c] = is_accepted ? g[c] : work->next.g[before + c];
        for (int j = 0; j < subset->n_parameters; ++j)
            work->next.z[(uint64_t)j * n + first + c] =
                is_accepted ? work->candidate[(uint64_t)j * m + c] : work->next.z[(uint64_t)j * n + before + c];
    }
    work->n_accepted += n_accepted;
    /* 0.44 of the candidates accepted is the best of them (section 5.2 of the second source). */
    work->scale *= exp(((double)n_accepted / (double)m - 0.44) / sqrt((double)i_step));
    return status;
}

/* The variation of a level's share p of points beyond a limit, squared: (1 − p) / (p n) (1 + γ), γ from how states of a chain go
 * together; independent points have γ = 0. */
static double variation_of(const simulation *work, int i_level, double limit, double share) {
    const uint64_t n = work->subset->n, m = work->n_chains;
    double gamma = 0.0;
    for (int lag = 1; i_level > 0 && lag < STATES; ++lag) {
        uint64_t n_both = 0;
        for (uint64_t i = 0; i + (uint64_t)lag * m < n; ++i)
            n_both += work->now.g[i] > limit && work->now.g[i + (uint64_t)lag * m] > limit ? 1 : 0;
        const double n_pairs = (double)(n - (uint64_t)lag * m);
        const double covariance = (double)n_both / n_pairs - share * share;
        gamma += 2.0 * (1.0 - (double)lag / STATES) * covariance / (share * (1.0 - share));
    }
    return share > 0.0 && share < 1.0 ? sqrt((1.0 - share) / (share * (double)n) * fmax(1.0 + gamma, 1.0)) : 0.0;
}

static void level_add(simulation *work, double variation) {
    work->variation += variation;
    work->variance += variation * variation;
}

/* Levels that were independent would add the squares of their variations ((29) of the first source), whose intervals held 91 to
 * 93 of 100 exact probabilities of sums; levels that depend entirely add the variations themselves, the bound (30), which held
 * 100 of 100 and is twice as wide. Three tenths of the way between them are taken: where chains move little, as in corners of
 * many parameters, levels depend on one another more than in sums. */
static double variance_of(const simulation *work) {
    return 0.7 * work->variance + 0.3 * work->variation * work->variation;
}

static bool simulation_make(simulation *work, const sarrus_subset *subset) {
    const size_t d = (size_t)subset->n_parameters, n = (size_t)subset->n, m = n / STATES;
    *work = (simulation){.subset = subset, .n_chains = m, .scale = 0.6};
    if (n > SIZE_MAX / sizeof(double) / (d + 1))
        return false;
    work->now.z = malloc(d * n * sizeof(double));
    work->next.z = malloc(d * n * sizeof(double));
    work->now.g = malloc(n * sizeof(double));
    work->next.g = malloc(n * sizeof(double));
    work->units = malloc(d * n * sizeof(double));
    work->candidate = malloc((d + 1) * m * sizeof(double));
    work->spread = malloc(d * sizeof(double));
    work->order = malloc(n * sizeof *work->order);
    return work->now.z != NULL && work->next.z != NULL && work->now.g != NULL && work->next.g != NULL && work->units != NULL &&
           work->candidate != NULL && work->spread != NULL && work->order != NULL;
}

static void simulation_free(simulation *work) {
    free(work->now.z);
    free(work->next.z);
    free(work->now.g);
    free(work->next.g);
    free(work->units);
    free(work->candidate);
    free(work->spread);
    free(work->order);
}

/* Points beyond a limit. */
static uint64_t beyond_count(const simulation *work, double limit) {
    uint64_t n = 0;
    for (uint64_t i = 0; i < work->subset->n; ++i)
        n += work->now.g[i] > limit ? 1 : 0;
    return n;
}

/* Of a level of independent draws: Wilson's interval, which is right at both ends. */
static void result_plain(const simulation *work, double share, sarrus_reliability *out) {
    const double z = 1.959963984540054, n = (double)work->subset->n; /* of 0.975 */
    const double middle = (share + z * z / (2.0 * n)) / (1.0 + z * z / n);
    const double half = z / (1.0 + z * z / n) * sqrt(share * (1.0 - share) / n + z * z / (4.0 * n * n));
    out->probability = share;
    out->variation = sqrt((1.0 - share) / (share * n));
    out->low = fmax(middle - half, 0.0);
    out->high = fmin(middle + half, 1.0);
    out->is_reached = 1;
}

/* Behind the last level: `before` is the probability of its being reached. */
static void result_make(const simulation *work, double before, double share, sarrus_reliability *out) {
    const double normal_quantile = 1.959963984540054; /* of 0.975 */
    out->variation = sqrt(variance_of(work));
    out->probability = before * share;
    const double spread = sqrt(log1p(variance_of(work)));
    out->low = out->probability * exp(-normal_quantile * spread);
    out->high = fmin(out->probability * exp(normal_quantile * spread), 1.0);
    out->is_reached = share > 0.0;
}

/* A limit that no level comes to: all that is known is that it is rarer than the last one. */
static void result_bound(const simulation *work, double before, sarrus_reliability *out) {
    out->probability = out->variation = (double)NAN;
    out->low = 0.0;
    out->high = fmin(before * exp(1.959963984540054 * sqrt(log1p(variance_of(work)))), 1.0);
}

/* The limit that a tenth of the points are beyond. Where more than half are at it, as on a plateau, the next number above, which
 * fewer are at; infinite where there is none. */
static double limit_next(const simulation *work) {
    const uint64_t n = work->subset->n;
    const double limit = work->now.g[work->order[work->n_chains - 1]];
    uint64_t n_at = 0;
    double above = INFINITY;
    for (uint64_t i = 0; i < n; ++i) {
        n_at += work->now.g[i] >= limit ? 1 : 0;
        above = work->now.g[i] > limit ? fmin(above, work->now.g[i]) : above;
    }
    return 2 * n_at > n ? above : limit;
}

/* Behind the last level, where the limit is within a tenth. */
static sarrus_status last_level(simulation *work, int i_level, double before, uint64_t n_beyond, sarrus_reliability *out) {
    const sarrus_subset *subset = work->subset;
    const double share = (double)n_beyond / (double)subset->n;
    level_add(work, variation_of(work, i_level, subset->limit, share));
    if (i_level == 0)
        result_plain(work, share, out);
    else
        result_make(work, before, share, out);
    return subset->told(subset->user, i_level, subset->limit, share) != 0 ? SARRUS_INTERRUPTED : SARRUS_OK;
}

/* The chains of the next level; false: none of them moved, and it says nothing. */
static sarrus_status next_level(simulation *work, int i_level, double limit, uint64_t n_at, bool *has_moved) {
    sarrus_status status = SARRUS_OK;
    seeds_take(work, n_at);
    for (int s = 1; s < STATES && status == SARRUS_OK; ++s)
        status = chains_step(work, i_level, s, limit);
    const level done = work->now;
    work->now = work->next;
    work->next = done;
    *has_moved = work->n_accepted > 0;
    return status;
}

/* One level after the other until the limit is within a tenth. */
static sarrus_status levels_run(simulation *work, sarrus_reliability *out) {
    const sarrus_subset *subset = work->subset;
    double before = 1.0;
    bool has_moved = true;
    sarrus_status status = first_level(work);
    for (int l = 0; status == SARRUS_OK; ++l) {
        const uint64_t n_beyond = beyond_count(work, subset->limit);
        out->n_levels = l + 1;
        if (n_beyond >= work->n_chains)
            return last_level(work, l, before, n_beyond, out);
        status = points_order(work);
        const double limit = status == SARRUS_OK ? limit_next(work) : 0.0;
        uint64_t n_at = 0;
        if (status == SARRUS_OK)
            status = points_shuffle(work, l + 1, limit, &n_at);
        if (status != SARRUS_OK)
            return status;
        const double share = (double)n_at / (double)subset->n;
        if (limit > subset->limit && n_beyond > 0) /* a plateau just below the limit */
            return last_level(work, l, before, n_beyond, out);
        if (subset->told(subset->user, l, limit, share) != 0)
            return SARRUS_INTERRUPTED;
        if (isinf(limit) || !has_moved || l + 1 == SARRUS_RELIABILITY_LEVELS) {
            result_bound(work, before, out);
            return SARRUS_OK;
        }
        level_add(work, variation_of(work, l, nextafter(limit, -INFINITY), share));
        before *= share;
        status = next_level(work, l + 1, limit, n_at, &has_moved);
    }
    return status;
}

sarrus_status sarrus_subset_run(const sarrus_subset *subset, sarrus_reliability *out) {
    simulation work;
    const sarrus_status status = simulation_make(&work, subset) ? levels_run(&work, out) : SARRUS_NO_MEMORY;
    simulation_free(&work);
    return status;
}
