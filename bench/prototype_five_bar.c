/* The batch around the prototype's arithmetic: tiles, threads, states in and out. */
#include "prototype_five_bar.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "prototype_five_bar_tile.h"

enum { MAX_THREADS = 256, ALIGNMENT = 64 };

struct sarrus_prototype {
    sarrus_prototype_advance_tile *advance_tile;
    size_t n_lanes;
    int n_threads;
    uint64_t n_tiles;
    double dt; /* s */
    sarrus_prototype_instance instance;
    double *tiles; /* [n_tiles][PROTOTYPE_N_PLACES][n_lanes] */
};

typedef struct expansion {
    const char *isa;
    size_t n_lanes;
    sarrus_prototype_advance_tile *advance_tile[2]; /* by kind */
} expansion;

static const expansion expansions[] = {
    {"avx512", 8, {sarrus_prototype_dense_avx512, sarrus_prototype_sparse_avx512}},
    {"avx2", 4, {sarrus_prototype_dense_avx2, sarrus_prototype_sparse_avx2}},
    {"baseline", 2, {sarrus_prototype_dense_baseline, sarrus_prototype_sparse_baseline}},
};

void sarrus_prototype_parallelogram(double angle, sarrus_prototype_instance *out) {
    const double length = 1.0, s = length * sin(angle), c = length * cos(angle);
    *out = (sarrus_prototype_instance){.gravity = {0.0, -9.81}, .mass = {1.0, 1.0, 1.0, 2.0}, .inertia = {0.1, 0.1, 0.1, 0.2}};
    for (int i = 0; i < 3; i++) {
        const double x = i * length;
        out->bearing[i][0] = x;
        out->point[i][1] = 0.5 * length;
        out->point[3 + i][1] = -0.5 * length;
        out->point[6 + i][0] = x - length;
        out->q[3 * i] = x + 0.5 * s;
        out->q[3 * i + 1] = -0.5 * c;
        out->q[3 * i + 2] = angle;
    }
    out->q[9] = length + s;
    out->q[10] = -c;
}

static void set_place(const sarrus_prototype *self, double *tile, int place, double value) {
    for (size_t i = 0; i < self->n_lanes; i++) {
        tile[(size_t)place * self->n_lanes + i] = value;
    }
}

static void fill_tile(const sarrus_prototype *self, double *tile) {
    const sarrus_prototype_instance *instance = &self->instance;
    for (int i = 0; i < SARRUS_PROTOTYPE_N; i++) {
        set_place(self, tile, PROTOTYPE_Q + i, instance->q[i]);
        set_place(self, tile, PROTOTYPE_V + i, instance->v[i]);
    }
    for (int b = 0; b < SARRUS_PROTOTYPE_N_BODIES; b++) {
        set_place(self, tile, PROTOTYPE_WEIGHT + 2 * b, 1.0 / instance->mass[b]);
        set_place(self, tile, PROTOTYPE_WEIGHT + 2 * b + 1, 1.0 / instance->inertia[b]);
    }
    for (int e = 0; e < SARRUS_PROTOTYPE_N_ENDS; e++) {
        set_place(self, tile, PROTOTYPE_POINT + 2 * e, instance->point[e][0]);
        set_place(self, tile, PROTOTYPE_POINT + 2 * e + 1, instance->point[e][1]);
    }
    set_place(self, tile, PROTOTYPE_GRAVITY, instance->gravity[0]);
    set_place(self, tile, PROTOTYPE_GRAVITY + 1, instance->gravity[1]);
}

static double *find_tile(const sarrus_prototype *self, uint64_t i_tile) {
    return self->tiles + (size_t)i_tile * PROTOTYPE_N_PLACES * self->n_lanes;
}

double sarrus_prototype_flops_per_step(sarrus_prototype_kind kind) {
    return kind == SARRUS_PROTOTYPE_DENSE ? 4448.0 : 2304.0;
}

void sarrus_prototype_reset(sarrus_prototype *self) {
    for (uint64_t i = 0; i < self->n_tiles; i++) {
        fill_tile(self, find_tile(self, i));
    }
}

sarrus_prototype *sarrus_prototype_create(sarrus_prototype_kind kind, const char *isa, int n_threads, uint64_t n_instances,
                                          double dt, const sarrus_prototype_instance *instance) {
    const expansion *found = NULL;
    for (size_t i = 0; i < sizeof expansions / sizeof expansions[0]; i++) {
        found = strcmp(expansions[i].isa, isa) == 0 ? &expansions[i] : found;
    }
    sarrus_prototype *self = calloc(1, sizeof *self);
    if (found == NULL || self == NULL || n_instances == 0) {
        free(self);
        return NULL;
    }
    *self =
        (sarrus_prototype){.advance_tile = found->advance_tile[kind], .n_lanes = found->n_lanes, .dt = dt, .instance = *instance};
    self->n_threads = n_threads < 1 ? 1 : n_threads > MAX_THREADS ? MAX_THREADS : n_threads;
    self->n_tiles = (n_instances + self->n_lanes - 1) / self->n_lanes;
    const size_t n_bytes = (size_t)self->n_tiles * PROTOTYPE_N_PLACES * self->n_lanes * sizeof(double);
    self->tiles = aligned_alloc(ALIGNMENT, (n_bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT);
    if (self->tiles == NULL) {
        free(self);
        return NULL;
    }
    sarrus_prototype_reset(self);
    return self;
}

void sarrus_prototype_destroy(sarrus_prototype *self) {
    if (self != NULL) {
        free(self->tiles);
        free(self);
    }
}

/* A run of tiles for one thread. */
typedef struct share {
    const sarrus_prototype *prototype;
    uint64_t i_first, i_end, n_steps;
} share;

static void *advance_share(void *argument) {
    const share *self = argument;
    for (uint64_t i = self->i_first; i < self->i_end; i++) {
        self->prototype->advance_tile(find_tile(self->prototype, i), self->n_steps, self->prototype->dt);
    }
    return NULL;
}

bool sarrus_prototype_advance(sarrus_prototype *self, uint64_t n_steps) {
    share shares[MAX_THREADS];
    pthread_t threads[MAX_THREADS];
    const uint64_t n = (uint64_t)self->n_threads;
    for (uint64_t i = 0; i < n; i++) {
        shares[i] = (share){self, self->n_tiles * i / n, self->n_tiles * (i + 1) / n, n_steps};
    }
    int n_started = 1;
    while (n_started < self->n_threads && pthread_create(&threads[n_started], NULL, advance_share, &shares[n_started]) == 0) {
        n_started++;
    }
    advance_share(&shares[0]);
    for (int i = 1; i < n_started; i++) {
        pthread_join(threads[i], NULL);
    }
    return n_started == self->n_threads;
}

void sarrus_prototype_state(const sarrus_prototype *self, uint64_t i_instance, double *q, double *v) {
    const double *lane = find_tile(self, i_instance / self->n_lanes) + i_instance % self->n_lanes;
    for (size_t i = 0; i < SARRUS_PROTOTYPE_N; i++) {
        q[i] = lane[(PROTOTYPE_Q + i) * self->n_lanes];
        v[i] = lane[(PROTOTYPE_V + i) * self->n_lanes];
    }
}

/* Where point `end` of a body is, m. */
static void find_point(const sarrus_prototype *self, const double *q, int body, int end, double out[2]) {
    const double *point = self->instance.point[end], c = cos(q[3 * body + 2]), s = sin(q[3 * body + 2]);
    out[0] = q[3 * body] + c * point[0] - s * point[1];
    out[1] = q[3 * body + 1] + s * point[0] + c * point[1];
}

double sarrus_prototype_position_error(const sarrus_prototype *self, uint64_t i_instance) {
    double q[SARRUS_PROTOTYPE_N], v[SARRUS_PROTOTYPE_N], sum = 0.0;
    sarrus_prototype_state(self, i_instance, q, v);
    for (int i = 0; i < 3; i++) {
        double low[2], high[2], coupler[2];
        find_point(self, q, i, i, low);
        find_point(self, q, i, 3 + i, high);
        find_point(self, q, 3, 6 + i, coupler);
        for (int k = 0; k < 2; k++) {
            const double at_ground = low[k] - self->instance.bearing[i][k], at_coupler = coupler[k] - high[k];
            sum += at_ground * at_ground + at_coupler * at_coupler;
        }
    }
    return sqrt(sum);
}
