#include "sarrus/seen.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "backend/isa.h"
#include "batch/given.h"
#include "batch/lanes.h"

/* An angle whose sine and cosine are wanted: q_i − q_j. */
typedef struct angle {
    int32_t i, j;
} angle;

/* What the threads that look share. */
typedef struct looking {
    sarrus_batch *batch;
    const sarrus_seen *seen;
    const uint8_t *mask;
    double *out;
    const sarrus_kernels *kernels; /* for sines and cosines */
    angle *angle;                  /* [n_angles] */
    int32_t *angle_of;             /* [n_seen] */
    double *waves;                 /* [n_members][1 + 2 n_angles][width] */
    int32_t n_seen, n_angles, width;
    atomic_bool has_failed;
} looking;

/* A tile under the eyes of a thread: [..][width] each. */
typedef struct sight {
    const looking *job;
    const double *q, *v;
    const double *sine, *cosine; /* of the angles, [n_angles][width] */
    uint64_t i_first;            /* instance of lane 0 */
    int32_t n_lanes;             /* that hold instances */
} sight;

enum { SEEN_LANES = 64 }; /* no tile is wider */

/* --- of bodies in the plane and in space --- */

/* s of the lanes' instances, by axis. */
static void places_get(const sight *t, const sarrus_seen *what, double s[3][SEEN_LANES]) {
    const int n = t->job->batch->plan->mech.space == SARRUS_SPACE_SPATIAL ? 3 : 2;
    for (int k = 0; k < n; ++k)
        for (int32_t lane = 0; lane < t->n_lanes; ++lane)
            s[k][lane] = what->own ? what->own[(size_t)(t->i_first + (uint64_t)lane) * what->stride + (size_t)k] : what->at[k];
}

/* x + c s_x − n s_y, y + n s_x + c s_y; of the velocity ẋ − ω (n s_x + c s_y), ẏ + ω (c s_x − n s_y). */
static void planar_point(const sight *t, const sarrus_seen *what, int32_t i_angle, const double s[3][SEEN_LANES], double *to) {
    const size_t width = (size_t)t->job->width, at = (size_t)(3 * what->body) * width;
    const double *c = t->cosine + (size_t)i_angle * width, *n = t->sine + (size_t)i_angle * width;
    const double *r = (what->kind == SARRUS_SEEN_PLACE ? t->q : t->v) + at + (size_t)what->axis * width;
    const double *rate = t->v + at + 2 * width;
    const bool is_across = (what->axis == 0) == (what->kind == SARRUS_SEEN_PLACE);
    for (int32_t lane = 0; lane < t->n_lanes; ++lane) {
        const double along = c[lane] * s[0][lane] - n[lane] * s[1][lane], across = n[lane] * s[0][lane] + c[lane] * s[1][lane];
        const double arm = is_across ? along : across;
        if (what->kind == SARRUS_SEEN_PLACE)
            to[lane] = r[lane] + arm;
        else
            to[lane] = what->axis == 0 ? r[lane] - rate[lane] * arm : r[lane] + rate[lane] * arm;
    }
}

/* Row `axis` of A (Euler parameters w, x, y, z) times b. */
static double turned(const double p[4], int axis, const double b[3]) {
    const int j = (axis + 1) % 3, k = (axis + 2) % 3;
    const double w = p[0], x = p[1 + axis], y = p[1 + j], z = p[1 + k];
    return (1.0 - 2.0 * (y * y + z * z)) * b[axis] + 2.0 * (x * y - w * z) * b[j] + 2.0 * (x * z + w * y) * b[k];
}

/* r + A s;  ṙ + A (ω × s), ω in the body's frame. */
static void spatial_point(const sight *t, const sarrus_seen *what, const double s[3][SEEN_LANES], double *to) {
    const size_t width = (size_t)t->job->width;
    const double *q = t->q + (size_t)(7 * what->body) * width, *v = t->v + (size_t)(6 * what->body) * width;
    const bool is_place = what->kind == SARRUS_SEEN_PLACE;
    for (int32_t lane = 0; lane < t->n_lanes; ++lane) {
        const double *own_q = q + lane, *own_v = v + lane;
        const double p[4] = {own_q[3 * width], own_q[4 * width], own_q[5 * width], own_q[6 * width]};
        const double o[3] = {own_v[3 * width], own_v[4 * width], own_v[5 * width]};
        const double at[3] = {s[0][lane], s[1][lane], s[2][lane]};
        const double rate[3] = {o[1] * at[2] - o[2] * at[1], o[2] * at[0] - o[0] * at[2], o[0] * at[1] - o[1] * at[0]};
        to[lane] = (is_place ? own_q : own_v)[(size_t)what->axis * width] + turned(p, what->axis, is_place ? at : rate);
    }
}

static void difference(const double *from, const sarrus_seen *what, int32_t width, int32_t n_lanes, double *to) {
    const double *first = from + (size_t)what->i * (size_t)width;
    const double *second = what->j < 0 ? NULL : from + (size_t)what->j * (size_t)width;
    for (int32_t lane = 0; lane < n_lanes; ++lane)
        to[lane] = second ? first[lane] - second[lane] : first[lane];
}

/* Number i_seen of the lanes that hold instances, to[n_lanes]. */
static void number_get(const sight *t, int32_t i_seen, double *to) {
    const sarrus_seen *what = &t->job->seen[i_seen];
    const int32_t width = t->job->width, i_angle = t->job->angle_of[i_seen];
    double s[3][SEEN_LANES];
    switch (what->kind) {
    case SARRUS_SEEN_Q:
    case SARRUS_SEEN_V:
        difference(what->kind == SARRUS_SEEN_Q ? t->q : t->v, what, width, t->n_lanes, to);
        break;
    case SARRUS_SEEN_SINE:
    case SARRUS_SEEN_COSINE:
        memcpy(to, (what->kind == SARRUS_SEEN_SINE ? t->sine : t->cosine) + (size_t)i_angle * (size_t)width,
               (size_t)t->n_lanes * sizeof *to);
        break;
    case SARRUS_SEEN_PLACE:
    case SARRUS_SEEN_VELOCITY:
        places_get(t, what, s);
        if (i_angle < 0)
            spatial_point(t, what, (const double(*)[SEEN_LANES])s, to);
        else
            planar_point(t, what, i_angle, (const double(*)[SEEN_LANES])s, to);
        break;
    }
}

/* --- tiles --- */

static void angles_find(const looking *job, const double *q, double *waves, sight *t) {
    const size_t width = (size_t)job->width, step = (size_t)job->kernels->width;
    double *phi = waves, *sine = waves + width, *cosine = sine + (size_t)job->n_angles * width;
    for (int32_t k = 0; k < job->n_angles; ++k) {
        const sarrus_seen what = {.i = job->angle[k].i, .j = job->angle[k].j};
        difference(q, &what, job->width, job->width, phi);
        for (size_t lane = 0; lane < width; lane += step)
            job->kernels->sincos(phi + lane, sine + (size_t)k * width + lane, cosine + (size_t)k * width + lane);
    }
    t->sine = sine;
    t->cosine = cosine;
}

/* How many lanes of a tile hold instances. */
static int32_t lanes_of(const looking *job, uint64_t i_tile) {
    const uint64_t left = job->batch->n_instances - i_tile * (uint64_t)job->width;
    return left < (uint64_t)job->width ? (int32_t)left : job->width;
}

/* What was written over a tree and not assembled stands beside the tiles. */
static void given_put(const sarrus_batch *batch, uint64_t i_first, int32_t n_lanes, double *shown) {
    const sarrus_mechanism *mech = &batch->plan->mech;
    for (int32_t lane = 0; batch->has_given && lane < n_lanes; ++lane) {
        const double *row = sarrus_batch_given_row(batch, i_first + (uint64_t)lane);
        if (!row)
            continue;
        sarrus_lane_put(shown, mech->layout.q, batch->device->width, lane, row, mech->n_q);
        sarrus_lane_put(shown, mech->layout.v, batch->device->width, lane, row + mech->n_q, mech->n_v);
    }
}

static void tile_look(const looking *job, const double *tile, uint64_t i_tile, double *waves) {
    const sarrus_batch *batch = job->batch;
    const sarrus_tile_layout *layout = &batch->plan->mech.layout;
    const uint64_t i_first = i_tile * (uint64_t)job->width, n = batch->n_instances;
    sight t = {.job = job,
               .q = tile + (size_t)layout->q * (size_t)job->width,
               .v = tile + (size_t)layout->v * (size_t)job->width,
               .i_first = i_first,
               .n_lanes = lanes_of(job, i_tile)};
    angles_find(job, t.q, waves, &t);
    double found[SEEN_LANES];
    for (int32_t k = 0; k < job->n_seen; ++k) {
        double *to = job->out + (size_t)k * (size_t)n + (size_t)i_first;
        if (!job->mask) {
            number_get(&t, k, to);
            continue;
        }
        number_get(&t, k, found);
        for (int32_t lane = 0; lane < t.n_lanes; ++lane)
            if (sarrus_mask_has(job->mask, i_first + (uint64_t)lane))
                to[lane] = found[lane];
    }
}

static void tiles_look(void *user, int i_member, int n_members) {
    looking *job = user;
    sarrus_device *device = job->batch->device;
    const sarrus_crew_share share = sarrus_crew_share_of(device->n_tiles, i_member, n_members);
    const uint64_t n = job->batch->n_instances;
    const bool is_tree = job->batch->plan->relative != NULL;
    double *waves = job->waves + (size_t)i_member * (size_t)(1 + 2 * job->n_angles) * (size_t)job->width;
    for (uint64_t i_tile = sarrus_tile_next(job->mask, share.i_first, device->width, n); i_tile < share.i_end;
         i_tile = sarrus_tile_next(job->mask, i_tile + 1, device->width, n)) {
        double *shown = is_tree ? device->ops->tile_show(device, i_member, i_tile) : NULL;
        if (is_tree && !shown) {
            atomic_store(&job->has_failed, true);
            return;
        }
        if (shown)
            given_put(job->batch, i_tile * (uint64_t)job->width, lanes_of(job, i_tile), shown);
        tile_look(job, shown ? shown : sarrus_batch_tile(job->batch, i_tile), i_tile, waves);
    }
}

/* --- what is asked for --- */

static bool is_column(int32_t i, int32_t n) {
    return i >= 0 && i < n;
}

static const char *fault_of(const sarrus_batch *batch, const sarrus_seen *what) {
    const sarrus_mechanism *mech = &batch->plan->mech;
    const int32_t n = what->kind == SARRUS_SEEN_V ? mech->n_v : mech->n_q;
    if ((unsigned)what->kind > (unsigned)SARRUS_SEEN_VELOCITY)
        return "there is no such kind of what is seen";
    if (what->kind < SARRUS_SEEN_PLACE)
        return is_column(what->i, n) && (what->j == -1 || is_column(what->j, n)) ? NULL : "there is no such coordinate or speed";
    if (!is_column(what->body, mech->n_bodies))
        return "there is no such body";
    return is_column(what->axis, mech->space == SARRUS_SPACE_SPATIAL ? 3 : 2) ? NULL : "there is no such axis";
}

/* The angle that a number is made of; none: i = −1. */
static angle angle_for(const sarrus_batch *batch, const sarrus_seen *what) {
    if (what->kind == SARRUS_SEEN_SINE || what->kind == SARRUS_SEEN_COSINE)
        return (angle){what->i, what->j};
    if (what->kind >= SARRUS_SEEN_PLACE && batch->plan->mech.space == SARRUS_SPACE_PLANAR)
        return (angle){3 * what->body + 2, -1};
    return (angle){-1, -1};
}

static void angles_list(looking *job) {
    for (int32_t k = 0; k < job->n_seen; ++k) {
        const angle wanted = angle_for(job->batch, &job->seen[k]);
        int32_t i = 0;
        while (i < job->n_angles && (job->angle[i].i != wanted.i || job->angle[i].j != wanted.j))
            ++i;
        job->angle_of[k] = wanted.i < 0 ? -1 : i;
        if (wanted.i >= 0 && i == job->n_angles)
            job->angle[job->n_angles++] = wanted;
    }
}

/* Kernels that take no more lanes at once than a tile has. */
static const sarrus_kernels *kernels_for(const sarrus_batch *batch) {
    static const char *const names[] = {"avx512", "avx2", "baseline"};
    const sarrus_kernels *found = NULL;
    for (int i = 0; i < 3 && !found; ++i) {
        found = sarrus_isa_find(batch->plan->mech.space, names[i]);
        if (found && found->width > batch->device->width)
            found = NULL;
    }
    return found;
}

static sarrus_status look(looking *job) {
    sarrus_batch *batch = job->batch;
    sarrus_device *device = batch->device;
    const sarrus_mechanism *mech = &batch->plan->mech;
    const uint64_t n_numbers = sarrus_mask_count(job->mask, batch->n_instances) * (uint64_t)(job->n_seen + 4 * job->n_angles);
    const bool is_shared = !batch->plan->relative || device->ops->tile_take;
    const int n_members = is_shared && n_numbers > 16384 ? device->n_threads : 1;
    angles_list(job);
    const size_t n_waves = (size_t)n_members * (size_t)(1 + 2 * job->n_angles) * (size_t)job->width;
    job->waves = aligned_alloc(64, (n_waves + 7) / 8 * 64);
    if (!job->waves)
        return sarrus_batch_refuse(batch, SARRUS_NO_MEMORY, "out of memory");
    sarrus_status status = SARRUS_OK;
    if (!batch->plan->relative) {
        status = sarrus_batch_host_read(batch, mech->layout.q, mech->n_q);
        if (status == SARRUS_OK)
            status = sarrus_batch_host_read(batch, mech->layout.v, mech->n_v);
    }
    if (status == SARRUS_OK)
        sarrus_crew_run(device->crew, n_members, tiles_look, job);
    free(job->waves);
    return status == SARRUS_OK && atomic_load(&job->has_failed) ? SARRUS_DEVICE_FAILED : status;
}

sarrus_status sarrus_batch_copy_seen(sarrus_batch *batch, const sarrus_seen *seen, int n_seen, const uint8_t *mask, double *out) {
    if (!batch || n_seen < 0)
        return SARRUS_BAD_ARGUMENT;
    if (n_seen == 0)
        return SARRUS_OK;
    if (!seen || !out)
        return sarrus_batch_refuse(batch, SARRUS_BAD_ARGUMENT, "there is nothing to look at, or no array to copy to");
    for (int k = 0; k < n_seen; ++k) {
        const char *fault = fault_of(batch, &seen[k]);
        if (fault)
            return sarrus_batch_refuse(batch, SARRUS_BAD_ARGUMENT, fault);
    }
    looking job = {.batch = batch,
                   .seen = seen,
                   .mask = mask,
                   .out = out,
                   .n_seen = n_seen,
                   .width = batch->device->width,
                   .kernels = kernels_for(batch)};
    job.angle = calloc((size_t)n_seen, sizeof *job.angle);
    job.angle_of = calloc((size_t)n_seen, sizeof *job.angle_of);
    const sarrus_status status =
        job.angle && job.angle_of ? look(&job) : sarrus_batch_refuse(batch, SARRUS_NO_MEMORY, "out of memory");
    free(job.angle);
    free(job.angle_of);
    return status;
}
