/* A batch to bytes and back. Instances lie there one after another, whatever the lanes of a tile: a device with other tiles takes
 * them too. */
#include <string.h>

#include "batch/episode.h"
#include "batch/given.h"
#include "batch/lanes.h"
#include "batch/restart.h"
#include "core/checksum.h"

/* What stands before the numbers; all of it is checked but the counts of what was kept. */
typedef struct snapshot_head {
    char magic[8];
    uint64_t n_bytes, checksum; /* of all; of what follows the checksum */
    uint64_t plan_hash, n_instances, n_arrays, n_sampled, n_grid_steps;
    double dt, t_end;
    uint64_t step, n_events, has_lost, has_episodes, has_given;
} snapshot_head;

static const char MAGIC[8] = {'S', 'A', 'R', 'R', 'U', 'S', 'B', '1'};

enum { HASHED_FROM = offsetof(snapshot_head, plan_hash) };

static snapshot_head head_of(const sarrus_batch *batch) {
    const sarrus_model *model = batch->plan->model;
    snapshot_head head = {.plan_hash = sarrus_plan_hash(batch->plan),
                          .n_instances = batch->n_instances,
                          .n_arrays = (uint64_t)sarrus_batch_stored(batch)->layout.n_arrays,
                          .n_sampled = (uint64_t)model->batch.n_sampled,
                          .n_grid_steps = batch->plan->n_steps,
                          .dt = model->integrator.grid,
                          .t_end = model->integrator.t_end,
                          .step = batch->device->step,
                          .n_events = batch->events.n_items,
                          .has_lost = batch->events.has_lost,
                          .has_episodes = batch->episode != NULL,
                          .has_given = batch->has_given};
    memcpy(head.magic, MAGIC, sizeof MAGIC);
    return head;
}

/* Where the parts of a snapshot begin. */
typedef struct snapshot_parts {
    size_t lanes, sampled, episodes, events, given, is_given, end;
} snapshot_parts;

static size_t given_row(const sarrus_batch *batch) {
    return (size_t)(batch->plan->mech.n_q + batch->plan->mech.n_v) * sizeof(double);
}

static snapshot_parts parts_of(const sarrus_batch *batch, const snapshot_head *head) {
    const size_t n = (size_t)head->n_instances;
    snapshot_parts at = {.lanes = sizeof *head};
    at.sampled = at.lanes + n * (size_t)head->n_arrays * sizeof(double);
    at.episodes = at.sampled + n * (size_t)head->n_sampled * sizeof(double);
    at.events = at.episodes + (head->has_episodes ? n * sizeof(uint64_t) : 0);
    at.given = at.events + (size_t)head->n_events * sizeof(sarrus_rank_event);
    at.is_given = at.given + (head->has_given ? n * given_row(batch) : 0);
    at.end = at.is_given + (head->has_given ? (n + 7) / 8 * 8 : 0);
    return at;
}

size_t sarrus_batch_save_size(sarrus_batch *batch) {
    if (!batch)
        return 0;
    (void)batch->device->ops->rank_changes_take(batch->device, &batch->events);
    const snapshot_head head = head_of(batch);
    return parts_of(batch, &head).end;
}

/* What the threads that save or load share. */
typedef struct moving {
    const sarrus_batch *batch;
    unsigned char *to; /* NULL: it is loaded */
    const unsigned char *from;
} moving;

static void tiles_move(void *user, int i_member, int n_members) {
    const moving *job = user;
    const sarrus_batch *batch = job->batch;
    const int32_t width = batch->device->width, n_arrays = sarrus_batch_stored(batch)->layout.n_arrays;
    const size_t row = (size_t)n_arrays * sizeof(double);
    const sarrus_crew_share share = sarrus_crew_share_of(batch->device->n_tiles, i_member, n_members);
    for (uint64_t i_tile = share.i_first; i_tile < share.i_end; ++i_tile) {
        double *tile = sarrus_batch_tile(batch, i_tile);
        for (int32_t lane = 0; lane < width; ++lane) {
            /* what lanes past the last instance hold is nobody's, but they go on from what is loaded as it does */
            if (job->to && i_tile * (uint64_t)width + (uint64_t)lane >= batch->n_instances)
                continue;
            const size_t at = (size_t)sarrus_lane_instance(i_tile, width, lane, batch->n_instances) * row;
            for (int32_t k = 0; k < n_arrays; ++k) {
                double *number = &tile[(size_t)k * (size_t)width + (size_t)lane];
                if (job->to)
                    memcpy(job->to + at + (size_t)k * sizeof *number, number, sizeof *number);
                else
                    memcpy(number, job->from + at + (size_t)k * sizeof *number, sizeof *number);
            }
        }
    }
}

sarrus_status sarrus_batch_save(sarrus_batch *batch, void *bytes, size_t n_bytes) {
    if (!batch || !bytes)
        return SARRUS_BAD_ARGUMENT;
    if (batch->is_interrupted)
        return sarrus_batch_refuse(batch, SARRUS_INTERRUPTED, "the batch was interrupted; expected sarrus_batch_reset first");
    if (n_bytes != sarrus_batch_save_size(batch))
        return sarrus_batch_refuse(batch, SARRUS_BAD_ARGUMENT, "expected as many bytes as sarrus_batch_save_size tells");
    const sarrus_status status = sarrus_batch_host_read(batch, 0, sarrus_batch_stored(batch)->layout.n_arrays);
    if (status != SARRUS_OK)
        return status;
    unsigned char *to = bytes;
    snapshot_head head = head_of(batch);
    const snapshot_parts at = parts_of(batch, &head);
    const size_t n = (size_t)batch->n_instances;
    moving job = {.batch = batch, .to = to + at.lanes};
    sarrus_crew_run(batch->device->crew, sarrus_batch_members(batch, batch->n_instances), tiles_move, &job);
    memcpy(to + at.sampled, batch->sampled, at.episodes - at.sampled);
    if (head.has_episodes)
        memcpy(to + at.episodes, batch->episode, n * sizeof *batch->episode);
    if (head.n_events > 0)
        memcpy(to + at.events, batch->events.items, at.given - at.events);
    if (head.has_given) {
        memcpy(to + at.given, batch->given, at.is_given - at.given);
        memset(to + at.is_given, 0, at.end - at.is_given);
        memcpy(to + at.is_given, batch->is_given, n);
    }
    head.n_bytes = n_bytes;
    memcpy(to, &head, sizeof head);
    head.checksum = sarrus_checksum(to + HASHED_FROM, n_bytes - HASHED_FROM);
    memcpy(to, &head, sizeof head);
    return SARRUS_OK;
}

/* Who knows the checksum's method can make it right: what counts places is looked at besides. */
static bool events_are_possible(const sarrus_batch *batch, const unsigned char *from, const snapshot_head *head) {
    const unsigned char *at = from + parts_of(batch, head).events;
    for (uint64_t i = 0; i < head->n_events; ++i) {
        sarrus_rank_event event;
        memcpy(&event, at + i * sizeof event, sizeof event);
        if (event.instance >= batch->n_instances)
            return false;
    }
    return true;
}

/* Why bytes are not those of such a batch; NULL: they are. */
static const char *loading_lack(const sarrus_batch *batch, const unsigned char *from, size_t n_bytes, snapshot_head *head) {
    const snapshot_head here = head_of(batch);
    if (n_bytes < sizeof *head)
        return "too few bytes for a batch";
    memcpy(head, from, sizeof *head);
    if (memcmp(head->magic, MAGIC, sizeof MAGIC) != 0 || head->n_bytes != n_bytes)
        return "the bytes are not those of a batch, or not all of them";
    if (sarrus_checksum(from + HASHED_FROM, n_bytes - HASHED_FROM) != head->checksum)
        return "the bytes are damaged";
    if (head->plan_hash != here.plan_hash || head->n_arrays != here.n_arrays || head->n_sampled != here.n_sampled ||
        head->n_grid_steps != here.n_grid_steps || head->dt != here.dt || head->t_end != here.t_end)
        return "the bytes are those of a batch of another plan; " SARRUS_ANOTHER_PLAN_NOTE
               ": expected the same scenario, with dynamics.formulation as it was then";
    if (head->n_instances != here.n_instances)
        return "the bytes are those of a batch with another number of instances";
    if (head->n_events > n_bytes / sizeof(sarrus_rank_event) || parts_of(batch, head).end != n_bytes ||
        head->step > SARRUS_MOST_STEPS || !events_are_possible(batch, from, head))
        return "the bytes are damaged";
    return NULL;
}

/* Reserves what the snapshot needs; false: no memory. */
static bool room_take(sarrus_batch *batch, const snapshot_head *head) {
    if (head->has_given && !sarrus_batch_given_reserve(batch))
        return false;
    return (!head->has_episodes || sarrus_batch_episodes_reserve(batch)) &&
           sarrus_rank_change_list_reserve(&batch->events, head->n_events);
}

sarrus_status sarrus_batch_load(sarrus_batch *batch, const void *bytes, size_t n_bytes) {
    if (!batch || !bytes)
        return SARRUS_BAD_ARGUMENT;
    if (batch->is_interrupted)
        return sarrus_batch_refuse(batch, SARRUS_INTERRUPTED, "the batch was interrupted; expected sarrus_batch_reset first");
    const unsigned char *from = bytes;
    snapshot_head head;
    const char *lack = loading_lack(batch, from, n_bytes, &head);
    if (lack)
        return sarrus_batch_refuse(batch, SARRUS_BAD_INPUT, lack);
    const sarrus_status met = sarrus_batch_meet(batch);
    if (met != SARRUS_OK)
        return met;
    if (!room_take(batch, &head))
        return sarrus_batch_refuse_memory(batch);
    const snapshot_parts at = parts_of(batch, &head);
    const size_t n = (size_t)batch->n_instances;
    sarrus_batch_forget(batch, NULL);
    moving job = {.batch = batch, .from = from + at.lanes};
    sarrus_crew_run(batch->device->crew, sarrus_batch_members(batch, batch->n_instances), tiles_move, &job);
    memcpy(batch->sampled, from + at.sampled, at.episodes - at.sampled);
    for (size_t i = 0; batch->episode && i < n; ++i)
        batch->episode[i] = 0;
    if (head.has_episodes)
        memcpy(batch->episode, from + at.episodes, n * sizeof *batch->episode);
    if (head.n_events > 0)
        memcpy(batch->events.items, from + at.events, at.given - at.events);
    batch->events.n_items = head.n_events;
    batch->events.has_lost = head.has_lost != 0;
    batch->has_given = head.has_given != 0;
    if (batch->has_given) {
        memcpy(batch->given, from + at.given, at.is_given - at.given);
        memcpy(batch->is_given, from + at.is_given, n);
    }
    batch->device->step = head.step;
    sarrus_batch_host_write(batch, 0, sarrus_batch_stored(batch)->layout.n_arrays);
    return sarrus_batch_refresh(batch, SARRUS_OK);
}
