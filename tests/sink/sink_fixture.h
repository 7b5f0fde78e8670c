/* A small result file of known numbers, and reading it back through HDF5. Header only: each test program has its own copy. */
#ifndef TESTS_SINK_SINK_FIXTURE_H
#define TESTS_SINK_SINK_FIXTURE_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <hdf5.h>

#include "sink/sink.h"

enum { FIXTURE_FIELDS = 4 };

/* What the numbers of a field look like. */
typedef enum fixture_kind { KIND_SMOOTH, KIND_RANDOM, KIND_CONSTANT, KIND_NAN, KIND_RANK } fixture_kind;

typedef struct fixture {
    uint64_t n_instances, n_times;
    int width; /* of the fields with a third axis */
    uint64_t block_bytes;
    int n_threads;
    double *times, *parameter;
    const char **labels;
    uint8_t *status;
    double *failed_time;
    sarrus_sink_field fields[FIXTURE_FIELDS];
    sarrus_sink_parameter parameters[1];
    fixture_kind kinds[FIXTURE_FIELDS];
    char path[256];
    char partial[264]; /* what the file is called while it is written */
} fixture;

/* splitmix64 (Steele, Lea, Flood 2014): noise that depends on its argument only. */
static inline uint64_t fixture_noise(uint64_t x) {
    x += 0x9e3779b97f4a7c15u;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

/* Component k of instance i at time t; a NaN comes with a payload that must survive. */
static inline double fixture_value(fixture_kind kind, uint64_t i, uint64_t t, uint64_t k) {
    uint64_t bits = fixture_noise(i * 1000003 + t * 1009 + k);
    double value = 0;
    switch (kind) {
    case KIND_SMOOTH:
        return sin(0.01 * (double)t * (1.0 + 1e-3 * (double)i) + (double)k);
    case KIND_RANDOM:
        bits &= 0xbfffffffffffffffu; /* any bits but infinities and NaNs */
        break;
    case KIND_CONSTANT:
        return -0.0;
    case KIND_NAN:
        bits = 0x7ff8000000000000u | (bits & 0xff);
        break;
    case KIND_RANK:
        return (double)(5 + (i + t) % 3);
    }
    memcpy(&value, &bits, sizeof value);
    return value;
}

static inline void fixture_temporary_path(fixture *f, const char *leaf) {
    const char *folder = getenv("TMPDIR");
    snprintf(f->path, sizeof f->path, "%s/sarrus_sink_%ld_%s.h5", folder != NULL ? folder : "/tmp", (long)getpid(), leaf);
    snprintf(f->partial, sizeof f->partial, "%s.partial", f->path);
}

/* Fields: q [N,T,w] smooth, v [N,T,w] sharing its labels, energy [N,T], rank [N,T] u16. `kind` is that of v and energy. */
static inline fixture *fixture_create(const char *leaf, uint64_t n_instances, uint64_t n_times, int width, fixture_kind kind) {
    fixture *f = calloc(1, sizeof *f);
    if (f == NULL) {
        abort();
    }
    f->n_instances = n_instances;
    f->n_times = n_times;
    f->width = width;
    f->times = malloc(n_times * sizeof *f->times);
    f->parameter = malloc(n_instances * sizeof *f->parameter);
    f->labels = malloc(((size_t)width + 1) * sizeof *f->labels);
    f->status = calloc(n_instances, 1);
    f->failed_time = malloc(n_instances * sizeof *f->failed_time);
    if (f->times == NULL || f->parameter == NULL || f->labels == NULL || f->status == NULL || f->failed_time == NULL) {
        abort();
    }
    for (uint64_t t = 0; t < n_times; ++t) {
        f->times[t] = 0.01 * (double)t;
    }
    for (uint64_t i = 0; i < n_instances; ++i) {
        f->parameter[i] = fixture_value(KIND_RANDOM, i, 1, 2);
        f->failed_time[i] = NAN;
    }
    for (int k = 0; k < width; ++k) {
        f->labels[k] = k % 2 == 0 ? "crank_a.x" : "crank_a.θ";
    }
    static const char *const flag = "unique";
    static const int one = 1;
    f->fields[0] = (sarrus_sink_field){.path = "state/q",
                                       .long_name = "coordinates",
                                       .units = "m, rad",
                                       .width = width,
                                       .labels = f->labels,
                                       .labels_path = "coordinate"};
    f->fields[1] = f->fields[0];
    f->fields[1].path = "reactions/A";
    f->fields[1].n_flags = 1;
    f->fields[1].flag_names = &flag;
    f->fields[1].flag_values = &one;
    f->fields[2] = (sarrus_sink_field){.path = "diagnostics/energy", .long_name = "energy", .units = "J"};
    f->fields[3] = (sarrus_sink_field){.path = "diagnostics/rank", .long_name = "rank of J", .units = "1", .type = SARRUS_SINK_U16};
    f->kinds[0] = KIND_SMOOTH;
    f->kinds[1] = f->kinds[2] = kind;
    f->kinds[3] = KIND_RANK;
    f->parameters[0] = (sarrus_sink_parameter){.path = "bodies.crank_a.mass", .values = f->parameter, .counted_in = "kg"};
    fixture_temporary_path(f, leaf);
    return f;
}

/* Removes the file `before` + name + `after` beside the result. */
static inline void fixture_unlink(const fixture *f, const char *before, const char *after) {
    char name[300];
    const char *leaf = strrchr(f->path, '/') + 1;
    snprintf(name, sizeof name, "%.*s%s%s%s", (int)(leaf - f->path), f->path, before, leaf, after);
    unlink(name);
}

static inline void fixture_destroy(fixture *f) {
    fixture_unlink(f, "", "");
    fixture_unlink(f, "", ".partial");
    fixture_unlink(f, "", ".partial~");
    fixture_unlink(f, ".", ".new");
    fixture_unlink(f, ".", ".lock");
    free(f->times);
    free(f->parameter);
    free(f->labels);
    free(f->status);
    free(f->failed_time);
    free(f);
}

static inline void fixture_times(const void *user, uint64_t i_first, uint64_t n, double *out) {
    const fixture *f = (const fixture *)user;
    memcpy(out, f->times + i_first, n * sizeof *out);
}

static inline sarrus_sink_description fixture_description(const fixture *f) {
    return (sarrus_sink_description){.n_instances = f->n_instances,
                                     .n_times = f->n_times,
                                     .times = fixture_times,
                                     .times_user = f,
                                     .n_fields = FIXTURE_FIELDS,
                                     .fields = f->fields,
                                     .n_parameters = 1,
                                     .parameters = f->parameters,
                                     .scenario = "sarrus: 1\nname: é\n",
                                     .backend = "cpu",
                                     .device = "avx2, 2 threads",
                                     .seed = UINT64_MAX,
                                     .plan_hash = 0x0123456789abcdefu,
                                     .block_bytes = f->block_bytes,
                                     .n_compress_threads = f->n_threads};
}

static inline void fixture_fill(const fixture *f, const sarrus_sink_block *block) {
    for (int d = 0; d < FIXTURE_FIELDS; ++d) {
        uint64_t width = f->fields[d].width > 0 ? (uint64_t)f->fields[d].width : 1;
        double *at = block->data[d];
        for (uint64_t i = 0; i < f->n_instances; ++i) {
            for (uint64_t t = 0; t < block->n_times; ++t) {
                for (uint64_t k = 0; k < width; ++k) {
                    *at++ = fixture_value(f->kinds[d], i, block->i_time_first + t, k);
                }
            }
        }
    }
}

static inline sarrus_sink_outcome fixture_outcome(const fixture *f, bool complete) {
    return (sarrus_sink_outcome){.status = f->status, .failed_time = f->failed_time, .complete = complete};
}

/* Writes the next block of a group up to time n_stop − 1; the status of the first call that fails. *t ← the time behind it. */
static inline sarrus_status fixture_block_write(const fixture *f, sarrus_sink *sink, int i_group, uint64_t n_stop, uint64_t *t) {
    const sarrus_sink_outcome outcome = fixture_outcome(f, false);
    sarrus_sink_block block;
    const sarrus_status status = sarrus_sink_acquire(sink, i_group, &block);
    if (status != SARRUS_OK) {
        return status;
    }
    const uint64_t n_left = n_stop - block.i_time_first, n = n_left < block.n_times ? n_left : block.n_times;
    fixture_fill(f, &block);
    if (block.times != NULL) {
        memcpy(block.times, f->times + block.i_time_first, n * sizeof *block.times);
    }
    *t = block.i_time_first + n;
    return sarrus_sink_submit(sink, i_group, n, &outcome);
}

/* Writes times 0 … n_stop − 1 of a file of one group and stops there. */
static inline sarrus_status fixture_write(const fixture *f, sarrus_sink *sink, uint64_t n_stop) {
    sarrus_status status = SARRUS_OK;
    for (uint64_t t = 0; t < n_stop && status == SARRUS_OK;) {
        status = fixture_block_write(f, sink, 0, n_stop, &t);
    }
    return status;
}

/* Rows < n_exact must be the numbers written, later ones either that or the fill value. Returns the number of wrong numbers,
 * −1 when the dataset cannot be read (a checksum that does not match, for one). */
static inline int64_t fixture_check_field(const fixture *f, hid_t file, int d, uint64_t n_exact, bool rest_is_fill) {
    uint64_t width = f->fields[d].width > 0 ? (uint64_t)f->fields[d].width : 1;
    double *values = malloc(f->n_instances * f->n_times * width * sizeof *values);
    hid_t dataset = H5Dopen2(file, f->fields[d].path, H5P_DEFAULT);
    bool ok = values != NULL && dataset >= 0 && H5Dread(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0;
    int64_t n_wrong = ok ? 0 : -1;
    const double *at = values;
    for (uint64_t i = 0; ok && i < f->n_instances; ++i) {
        for (uint64_t t = 0; t < f->n_times; ++t) {
            for (uint64_t k = 0; k < width; ++k, ++at) {
                double wanted = fixture_value(f->kinds[d], i, t, k);
                bool same = memcmp(at, &wanted, sizeof wanted) == 0;
                bool fill = f->fields[d].type == SARRUS_SINK_U16 ? *at == 65535.0 : isnan(*at);
                n_wrong += t < n_exact ? !same : rest_is_fill ? !fill : !(same || fill);
            }
        }
    }
    if (dataset >= 0) {
        H5Dclose(dataset);
    }
    free(values);
    return n_wrong;
}

/* The same of all fields. */
static inline int64_t fixture_check(const fixture *f, hid_t file, uint64_t n_exact, bool rest_is_fill) {
    int64_t n_wrong = 0;
    for (int d = 0; d < FIXTURE_FIELDS && n_wrong >= 0; ++d) {
        const int64_t n = fixture_check_field(f, file, d, n_exact, rest_is_fill);
        n_wrong = n < 0 ? n : n_wrong + n;
    }
    return n_wrong;
}

static inline uint64_t fixture_n_times_written(hid_t file) {
    uint64_t n = UINT64_MAX;
    hid_t attribute = H5Aopen(file, "n_times_written", H5P_DEFAULT);
    if (attribute >= 0) {
        H5Aread(attribute, H5T_NATIVE_UINT64, &n);
        H5Aclose(attribute);
    }
    return n;
}

#endif
