/* Draws for instances of a batch that begin anew: of each from a stream of its own, whose number is the episode. They are
 * independent, whatever the sampling and the design of the scenario: how many there will be nobody knows. */
#include <stdlib.h>

#include "batch/episode.h"
#include "batch/mask.h"
#include "study/draws.h"
#include "study/label_hash.h"
#include "study/philox.h"

/* The seed of an episode. The first is the study's own; words 2 and 3 of the counter, "episode" at its end, keep the others apart
 * from the draws, whose counters end with the hash of a label. */
static uint64_t episode_seed(uint64_t seed, uint64_t episode) {
    const uint32_t key[2] = {(uint32_t)seed, (uint32_t)(seed >> 32)};
    const uint32_t counter[4] = {(uint32_t)episode, (uint32_t)(episode >> 32), 0x65706973u, 0x6f646500u};
    uint32_t words[4];
    if (episode == 0)
        return seed;
    sarrus_philox4x32_run(counter, key, words);
    return (uint64_t)words[1] << 32 | words[0];
}

/* The episodes that masked instances come to, to episodes[n_instances], and their numbers to values[n_instances][n_sampled]. */
static void instances_draw(const sarrus_batch *batch, const sarrus_redraw *how, const uint64_t *hashes, double *scores,
                           uint64_t *episodes, double *values) {
    const sarrus_model *model = batch->plan->model;
    const uint64_t n = batch->n_instances;
    const int n_sampled = model->batch.n_sampled;
    for (uint64_t i = sarrus_mask_next(how->mask, 0, n); i < n; i = sarrus_mask_next(how->mask, i + 1, n)) {
        const uint64_t seed = how->seeds ? how->seeds[i] : model->batch.seed;
        episodes[i] = how->episodes ? how->episodes[i] : batch->episode[i] + 1;
        const uint64_t own = episode_seed(seed, episodes[i]), number = how->numbers ? how->numbers[i] : batch->i_first + i;
        sarrus_sampled_draw(model, hashes, own, number, scores, values + i * (uint64_t)n_sampled);
    }
}

/* What a redraw works with. */
typedef struct redraw_scratch {
    uint64_t *hashes;   /* [n_sampled] */
    uint64_t *episodes; /* [n_instances] */
    double *scores;     /* [n_sampled] */
    double *values;     /* [n_instances][n_sampled] */
} redraw_scratch;

static void scratch_free(redraw_scratch *scratch) {
    free(scratch->hashes);
    free(scratch->episodes);
    free(scratch->scores);
    free(scratch->values);
}

/* False: no memory. */
static bool scratch_take(const sarrus_batch *batch, redraw_scratch *scratch) {
    const int n_sampled = batch->plan->model->batch.n_sampled;
    const size_t n = (size_t)n_sampled + 1, n_instances = (size_t)batch->n_instances; /* calloc of nothing need not give anything */
    scratch->hashes = calloc(n, sizeof *scratch->hashes);
    scratch->scores = calloc(n, sizeof *scratch->scores);
    scratch->episodes = calloc(n_instances, sizeof *scratch->episodes);
    if (batch->n_instances <= SIZE_MAX / n / sizeof *scratch->values)
        scratch->values = malloc(n_instances * n * sizeof *scratch->values);
    for (int k = 0; scratch->hashes && k < n_sampled; ++k)
        scratch->hashes[k] = sarrus_label_hash(batch->plan->model->batch.sampled[k].label);
    return scratch->hashes && scratch->scores && scratch->episodes && scratch->values;
}

sarrus_status sarrus_batch_redraw(sarrus_batch *batch, const sarrus_redraw *how) {
    static const sarrus_redraw plain = {.size = sizeof(sarrus_redraw)};
    how = how ? how : &plain;
    if (!batch)
        return SARRUS_BAD_ARGUMENT;
    if (how->size != sizeof *how)
        return sarrus_batch_refuse(batch, SARRUS_BAD_ARGUMENT, "sarrus_redraw has another size; expected sizeof(sarrus_redraw)");
    if (batch->is_interrupted)
        return sarrus_batch_refuse(batch, SARRUS_INTERRUPTED, "the batch was interrupted; expected sarrus_batch_reset first");
    redraw_scratch scratch = {NULL, NULL, NULL, NULL};
    sarrus_status status = SARRUS_OK;
    if (!scratch_take(batch, &scratch) || !sarrus_batch_episodes_reserve(batch))
        status = sarrus_batch_refuse_memory(batch);
    if (status == SARRUS_OK) {
        instances_draw(batch, how, scratch.hashes, scratch.scores, scratch.episodes, scratch.values);
        status = sarrus_batch_copy_in(batch, SARRUS_FIELD_PARAMETER, how->mask, scratch.values);
    }
    const uint64_t n = batch->n_instances;
    for (uint64_t i = sarrus_mask_next(how->mask, 0, n); status == SARRUS_OK && i < n; i = sarrus_mask_next(how->mask, i + 1, n))
        batch->episode[i] = scratch.episodes[i]; /* only now: a second try draws the same */
    scratch_free(&scratch);
    return status == SARRUS_OK ? sarrus_batch_assemble(batch, how->mask) : status;
}
