/* Programs that stay on the GPU, on an emulated one: steps, restarts and observations that are queued on a stream of the caller's
 * have the bits of calls that wait, and of fields that are written on the device; nothing is waited for, copied or allocated;
 * graphs go on from where the batch stands; what cannot be done so is refused in words, and a device that fails tells so in the
 * next call. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>

#include <stdlib.h>
#include <string.h>

#include "sarrus/device.h"
#include "tests/backend/gpu_on_host.h"
#include "tests/backend/gpu_trial.h"
#include "tests/support/stepping_cases.h"

enum { N = 101, N_TILES = 4, WIDTH = 32, N_ROUNDS = 5 };

/* A program of the device: a stream, and memory that it reads and writes itself. */
typedef struct program {
    void *stream, *other;
    double *pinned, *seen; /* [ROOM] */
    double *torque;        /* device [N_TILES][WIDTH] */
    uint8_t *mask;         /* device */
} program;

enum { ROOM = N_TILES * WIDTH * 64 };

static program program_open(void) {
    program p = {0};
    assert_int_equal(gpu_on_host.select(0), 0);
    assert_int_equal(gpu_on_host.stream_create(&p.stream), 0);
    assert_int_equal(gpu_on_host.stream_create(&p.other), 0);
    assert_int_equal(gpu_on_host.host_allocate((void **)(void *)&p.pinned, ROOM * sizeof(double)), 0);
    assert_int_equal(gpu_on_host.allocate((void **)(void *)&p.seen, ROOM * sizeof(double)), 0);
    assert_int_equal(gpu_on_host.allocate((void **)(void *)&p.torque, N_TILES * WIDTH * sizeof(double)), 0);
    assert_int_equal(gpu_on_host.allocate((void **)(void *)&p.mask, ROOM), 0);
    return p;
}

static void program_close(program *p) {
    assert_int_equal(gpu_on_host.stream_destroy(p->stream), 0);
    assert_int_equal(gpu_on_host.stream_destroy(p->other), 0);
    assert_int_equal(gpu_on_host.host_release(p->pinned), 0);
    assert_int_equal(gpu_on_host.release(p->seen), 0);
    assert_int_equal(gpu_on_host.release(p->torque), 0);
    assert_int_equal(gpu_on_host.release(p->mask), 0);
}

/* Queued on the stream, behind what is there; pinned memory is free again afterwards. */
static void bytes_move(program *p, void *to, const void *from, size_t n_bytes, sarrus_gpu_direction direction) {
    const sarrus_gpu_copy copy = {to, from, n_bytes, n_bytes, n_bytes, 1, direction};
    assert_int_equal(gpu_on_host.copy(&copy, p->stream), 0);
    assert_int_equal(gpu_on_host.synchronize(p->stream), 0);
}

static void mask_put(program *p, const uint8_t mask[N]) {
    memcpy(p->pinned, mask, N);
    bytes_move(p, p->mask, p->pinned, N, SARRUS_GPU_UPLOAD);
}

/* One component of all instances, by the view, as a program on the device would write it. */
static void component_put(program *p, const sarrus_device_view *view, int component, const double values[N]) {
    for (size_t i_tile = 0; i_tile < view->n_tiles; ++i_tile) {
        const size_t n = N - i_tile * WIDTH < WIDTH ? N - i_tile * WIDTH : WIDTH;
        memcpy(p->pinned, values + i_tile * WIDTH, n * sizeof *values);
        bytes_move(p, view->base + i_tile * view->stride + (size_t)component * WIDTH, p->pinned, n * sizeof *values,
                   SARRUS_GPU_UPLOAD);
    }
}

/* The same by a copy on the device, of a field of one component; padding has numbers too, which nobody sees. */
static void component_queue(program *p, sarrus_batch *batch, sarrus_field field, const double values[N]) {
    for (size_t i = 0; i < N_TILES * WIDTH; ++i)
        p->pinned[i] = i < N ? values[i] : 1e300;
    bytes_move(p, p->seen, p->pinned, N_TILES * WIDTH * sizeof *values, SARRUS_GPU_UPLOAD);
    assert_int_equal(sarrus_batch_copy_in_async(batch, field, p->seen, p->stream), SARRUS_OK);
}

static sarrus_batch *batch_of(const mechanism *m) {
    const sarrus_batch_options options = {.backend = SARRUS_BACKEND_CUDA, .n_threads = 2};
    sarrus_batch *batch = NULL;
    assert_int_equal(sarrus_batch_create(m->context, m->plan, &options, N, NULL, &batch), SARRUS_OK);
    return batch;
}

/* Nothing is left behind on the emulated GPU. `other` may be NULL. */
static void trial_end(mechanism *m, program *p, sarrus_batch *batch, sarrus_batch *other) {
    sarrus_batch_destroy(batch);
    sarrus_batch_destroy(other);
    program_close(p);
    mechanism_close(m);
    gpu_assert_clean();
}

static void same(sarrus_batch *a, sarrus_batch *b) {
    stepping_look looks[2] = {stepping_see(a), stepping_see(b)};
    assert_int_equal(sarrus_batch_step(a), sarrus_batch_step(b));
    for (uint64_t i = 0; i < N; ++i) {
        sarrus_instance_statistics x, y;
        stepping_same(&looks[0], i, &looks[1], i);
        assert_int_equal(sarrus_batch_statistics(a, i, &x), SARRUS_OK);
        assert_int_equal(sarrus_batch_statistics(b, i, &y), SARRUS_OK);
        assert_memory_equal(&x, &y, sizeof x);
    }
    stepping_look_free(&looks[0]);
    stepping_look_free(&looks[1]);
}

static void inputs_make(double input[N], uint64_t *random, int i_round) {
    for (int i = 0; i < N; ++i)
        input[i] = i_round == 2 && i == 40 ? (double)NAN : mechanism_random(random);
}

static void mask_make(uint8_t mask[N], uint64_t *random) {
    for (int i = 0; i < N; ++i)
        mask[i] = mechanism_random(random) > 0.3;
}

/* Inputs, steps and restarts; `p` NULL: by calls that wait. */
static void course(sarrus_batch *batch, program *p) {
    uint64_t random = 7;
    sarrus_device_view inputs = {0};
    if (p)
        assert_int_equal(sarrus_batch_device_view(batch, SARRUS_FIELD_INPUT, &inputs), SARRUS_OK);
    for (int k = 0; k < N_ROUNDS; ++k) {
        double input[N];
        uint8_t mask[N];
        inputs_make(input, &random, k);
        mask_make(mask, &random);
        const int has_input = sarrus_batch_field_width(batch, SARRUS_FIELD_INPUT) > 0;
        if (p && has_input && k % 2 == 0)
            component_put(p, &inputs, 0, input);
        else if (p && has_input)
            component_queue(p, batch, SARRUS_FIELD_INPUT, input);
        else if (has_input)
            assert_int_equal(sarrus_batch_copy_in(batch, SARRUS_FIELD_INPUT, NULL, input), SARRUS_OK);
        if (p)
            mask_put(p, mask);
        assert_int_equal(p ? sarrus_batch_advance_async(batch, 2, p->other) : sarrus_batch_advance(batch, 2), SARRUS_OK);
        assert_int_equal(p ? sarrus_batch_advance_async(batch, 1, p->stream) : sarrus_batch_advance(batch, 1), SARRUS_OK);
        if (k % 2 == 1)
            assert_int_equal(p ? sarrus_batch_reset_some_async(batch, p->mask, p->stream) : sarrus_batch_reset_some(batch, mask),
                             SARRUS_OK);
    }
}

/* Both kinds of calls by turns: what either has done the other goes on from. */
static void calls_that_wait(sarrus_batch *batch, uint64_t *random, int i_round) {
    uint8_t mask[N];
    double values[N * 8];
    mask_make(mask, random);
    inputs_make(values, random, 0);
    switch (i_round) {
    case 0:
        assert_int_equal(sarrus_batch_reset_some(batch, mask), SARRUS_OK);
        break;
    case 1:
        assert_int_equal(sarrus_batch_assemble(batch, mask), SARRUS_OK);
        break;
    case 2:
        assert_int_equal(sarrus_batch_advance(batch, 2), SARRUS_OK);
        break;
    case 3:
        if (sarrus_batch_field_width(batch, SARRUS_FIELD_INPUT) > 0)
            assert_int_equal(sarrus_batch_copy_in(batch, SARRUS_FIELD_INPUT, mask, values), SARRUS_OK);
        break;
    default:
        assert_int_equal(sarrus_batch_reset(batch), SARRUS_OK);
    }
}

static void queued_calls_have_the_bits_of_those_that_wait(void **state) {
    (void)state;
    for (int i_case = 0; i_case < stepping_n_cases(); ++i_case) {
        mechanism m = stepping_open(i_case);
        program p = program_open();
        sarrus_batch *waiting = batch_of(&m), *queued = batch_of(&m);
        course(waiting, NULL);
        course(queued, &p);
        same(queued, waiting);
        uint64_t random[2] = {3, 3};
        for (int k = 0; k < N_ROUNDS; ++k) {
            calls_that_wait(waiting, &random[0], k);
            calls_that_wait(queued, &random[1], k);
            assert_int_equal(sarrus_batch_advance(waiting, 3), SARRUS_OK);
            assert_int_equal(sarrus_batch_advance_async(queued, 3, p.stream), SARRUS_OK);
            if (k % 2 == 0)
                same(queued, waiting);
        }
        same(queued, waiting);
        program_close(&p);
        sarrus_batch_destroy(waiting);
        sarrus_batch_destroy(queued);
        mechanism_close(&m);
        gpu_assert_clean();
    }
}

/* What is queued is done by who waits, and by nobody before. */
static void nothing_is_waited_for(void **state) {
    (void)state;
    mechanism m = stepping_open(0);
    program p = program_open();
    sarrus_batch *batch = batch_of(&m);
    sarrus_device_view q;
    memset(p.pinned, 0, N);
    bytes_move(&p, p.mask, p.pinned, N, SARRUS_GPU_UPLOAD);
    assert_int_equal(sarrus_batch_device_view(batch, SARRUS_FIELD_Q, &q), SARRUS_OK);
    const double before = q.base[q.width];
    const gpu_on_host_tally first = gpu_on_host_seen();
    for (int k = 0; k < 3; ++k) {
        assert_int_equal(sarrus_batch_advance_async(batch, 5, k == 1 ? p.other : p.stream), SARRUS_OK);
        assert_int_equal(sarrus_batch_reset_some_async(batch, p.mask, p.stream), SARRUS_OK);
        assert_int_equal(sarrus_batch_observe_async(batch, SARRUS_OBSERVE_ENERGY, p.seen, p.stream), SARRUS_OK);
    }
    const gpu_on_host_tally last = gpu_on_host_seen();
    assert_int_equal(last.n_waits, first.n_waits);
    assert_int_equal(last.n_uploaded, first.n_uploaded);
    assert_int_equal(last.n_downloaded, first.n_downloaded);
    assert_int_equal(last.n_bytes_allocated, first.n_bytes_allocated);
    assert_int_equal(last.n_pinned_allocated, first.n_pinned_allocated);
    assert_int_equal(last.n_launches, first.n_launches + 9);
    assert_true(q.base[q.width] == before);
    assert_int_equal(sarrus_batch_step(batch), 15);
    assert_true(q.base[q.width] != before);
    trial_end(&m, &p, batch, NULL);
}

/* States that a program writes on the device are those of the batch for whoever asks; what the host writes stands there at once. */
static void both_sides_see_the_same(void **state) {
    (void)state;
    mechanism m = stepping_open(0);
    program p = program_open();
    sarrus_batch *batch = batch_of(&m);
    sarrus_device_view v, status;
    double values[N], all[N * 16] = {0};
    uint64_t random = 5;
    assert_int_equal(sarrus_batch_device_view(batch, SARRUS_FIELD_V, &v), SARRUS_OK);
    assert_int_equal(sarrus_batch_device_view(batch, SARRUS_FIELD_STATUS, &status), SARRUS_OK);
    assert_int_equal(v.n_components, sarrus_batch_field_width(batch, SARRUS_FIELD_V));
    assert_int_equal(v.n_tiles, N_TILES);
    assert_int_equal(v.n_instances, N);
    assert_int_equal(status.n_components, 1);
    const size_t n = (size_t)v.n_components;
    for (int k = 0; k < 2; ++k) { /* written twice: the host's copy of the first time is old */
        inputs_make(values, &random, 0);
        component_put(&p, &v, 1, values);
        assert_int_equal(sarrus_batch_copy_out(batch, SARRUS_FIELD_V, all), SARRUS_OK);
        for (size_t i = 0; i < N; ++i)
            assert_true(all[i * n + 1] == values[i]);
    }
    uint8_t mask[N] = {0};
    mask[70] = 1;
    all[70 * n + 1] = 0.25;
    assert_int_equal(sarrus_batch_copy_in(batch, SARRUS_FIELD_V, mask, all), SARRUS_OK);
    assert_true(v.base[70 / 32 * v.stride + v.width + 70 % 32] == 0.25);
    assert_true(v.base[71 / 32 * v.stride + v.width + 71 % 32] == values[71]);
    all[0] = (double)NAN;
    mask[0] = 1;
    assert_int_equal(sarrus_batch_copy_in(batch, SARRUS_FIELD_V, mask, all), SARRUS_OK);
    assert_int_equal(sarrus_batch_advance_async(batch, 3, p.stream), SARRUS_OK);
    assert_int_equal(gpu_on_host.synchronize(p.stream), 0);
    assert_true(status.base[0] != 0.0 && status.base[1] == 0.0);
    assert_int_equal((int)status.base[0], sarrus_batch_status(batch, 0));
    assert_int_equal(sarrus_batch_reset(batch), SARRUS_OK);
    assert_true(status.base[0] == 0.0);
    all[0] = v.base[1];
    assert_int_equal(sarrus_batch_advance(batch, 2), SARRUS_OK);
    assert_true(v.base[1] != all[0]);
    memset(mask, 1, N);
    assert_int_equal(sarrus_batch_reset_some(batch, mask), SARRUS_OK);
    assert_true(v.base[1] == all[0]);
    trial_end(&m, &p, batch, NULL);
}

/* Instance i of what was observed on the device is row i of what the host observes. */
static void seen_compare(program *p, sarrus_batch *batch, sarrus_observable observable) {
    const size_t n = (size_t)sarrus_batch_observable_width(batch, observable);
    double *rows = calloc(N * n + 1, sizeof *rows);
    assert_non_null(rows);
    assert_int_equal(gpu_on_host.synchronize(p->stream), 0);
    assert_int_equal(sarrus_batch_copy_observable(batch, observable, rows), SARRUS_OK);
    for (size_t i = 0; i < N; ++i)
        for (size_t k = 0; k < n; ++k)
            assert_memory_equal(&rows[i * n + k], &p->seen[i / WIDTH * n * WIDTH + k * WIDTH + i % WIDTH], sizeof *rows);
    free(rows);
}

static void observable_compare(program *p, sarrus_batch *batch, sarrus_observable observable) {
    assert_true(N_TILES * WIDTH * sarrus_batch_observable_width(batch, observable) <= ROOM);
    assert_int_equal(gpu_on_host.fill(p->seen, 0xff, ROOM * sizeof(double), p->stream), 0);
    assert_int_equal(sarrus_batch_observe_async(batch, observable, p->seen, p->stream), SARRUS_OK);
    seen_compare(p, batch, observable);
}

static void observables_are_those_of_the_host(void **state) {
    (void)state;
    const int n_cases = stepping_n_cases() < 8 ? stepping_n_cases() : 8;
    sarrus_gpu small = gpu_on_host;
    small.n_most_packed = 1; /* a tile of bodies at a time */
    for (int i_case = 0; i_case < n_cases; ++i_case) {
        sarrus_gpu_replace(i_case < 4 ? &small : &gpu_on_host);
        mechanism m = stepping_open(i_case);
        program p = program_open();
        sarrus_batch *batch = batch_of(&m);
        assert_int_equal(sarrus_batch_advance_async(batch, 4, p.stream), SARRUS_OK);
        for (int o = 0; o < SARRUS_N_OBSERVABLES; ++o)
            if (o != SARRUS_OBSERVE_KEPT && o != SARRUS_OBSERVE_DROPPED)
                observable_compare(&p, batch, (sarrus_observable)o);
        trial_end(&m, &p, batch, NULL);
    }
}

/* A graph of steps, a restart and an observation, launched again and again, with other masks, and calls that wait in between. The
 * loads follow the time of each instance. */
static void graphs_go_on(void **state) {
    (void)state;
    mechanism m = stepping_open(0);
    program p = program_open();
    sarrus_batch *waiting = batch_of(&m), *batch = batch_of(&m);
    double torque[N];
    uint64_t random = 11;
    assert_int_equal(sarrus_batch_advance_async(batch, 0, p.stream), SARRUS_OK);
    assert_int_equal(gpu_on_host.fill(p.torque, 0, N_TILES * WIDTH * sizeof *p.torque, p.stream), 0);
    gpu_on_host_graph *graph = gpu_on_host_capture(p.stream);
    assert_int_equal(sarrus_batch_copy_in_async(batch, SARRUS_FIELD_INPUT, p.torque, p.stream), SARRUS_OK);
    assert_int_equal(sarrus_batch_advance_async(batch, 3, p.stream), SARRUS_OK);
    assert_int_equal(sarrus_batch_reset_some_async(batch, p.mask, p.stream), SARRUS_OK);
    assert_int_equal(sarrus_batch_observe_async(batch, SARRUS_OBSERVE_ACCELERATION, p.seen, p.stream), SARRUS_OK);
    gpu_on_host_capture_end(p.stream);
    assert_int_equal(sarrus_batch_step(batch), 0);
    for (int k = 0; k < 4; ++k) {
        uint8_t mask[N];
        mask_make(mask, &random);
        mask_put(&p, mask);
        inputs_make(torque, &random, 0);
        memcpy(p.pinned, torque, sizeof torque);
        bytes_move(&p, p.torque, p.pinned, sizeof torque, SARRUS_GPU_UPLOAD);
        gpu_on_host_replay(graph, p.stream);
        assert_int_equal(sarrus_batch_copy_in(waiting, SARRUS_FIELD_INPUT, NULL, torque), SARRUS_OK);
        assert_int_equal(sarrus_batch_advance(waiting, 3), SARRUS_OK);
        assert_int_equal(sarrus_batch_reset_some(waiting, mask), SARRUS_OK);
        seen_compare(&p, batch, SARRUS_OBSERVE_ACCELERATION);
        if (k % 2 == 0)
            same(batch, waiting);
        if (k == 1) {
            assert_int_equal(sarrus_batch_advance(batch, 1), SARRUS_OK);
            assert_int_equal(sarrus_batch_advance(waiting, 1), SARRUS_OK);
        }
    }
    same(batch, waiting);
    gpu_on_host_replay(graph, p.stream);
    assert_int_equal(sarrus_batch_step(batch), 16);
    observable_compare(&p, batch, SARRUS_OBSERVE_ACCELERATION);
    gpu_on_host_graph_free(graph);
    trial_end(&m, &p, batch, waiting);
}

/* Captured work that makes no step: the host finds what it has done all the same. */
static void graphs_without_steps_are_noticed(void **state) {
    (void)state;
    mechanism m = stepping_open(0);
    program p = program_open();
    sarrus_batch *batch = batch_of(&m);
    double begun[N * 16] = {0}, q[N * 16] = {0}, torque[N];
    uint8_t mask[N];
    uint64_t random = 2;
    memset(mask, 1, N);
    assert_int_equal(sarrus_batch_copy_out(batch, SARRUS_FIELD_Q, begun), SARRUS_OK);
    assert_int_equal(sarrus_batch_advance_async(batch, 5, p.stream), SARRUS_OK);
    gpu_on_host_graph *restart = gpu_on_host_capture(p.stream);
    assert_int_equal(sarrus_batch_reset_some_async(batch, p.mask, p.stream), SARRUS_OK);
    gpu_on_host_capture_end(p.stream);
    mask_put(&p, mask);
    assert_int_equal(sarrus_batch_copy_out(batch, SARRUS_FIELD_Q, q), SARRUS_OK);
    assert_true(memcmp(q, begun, sizeof q) != 0);
    gpu_on_host_replay(restart, p.stream);
    assert_int_equal(sarrus_batch_copy_out(batch, SARRUS_FIELD_Q, q), SARRUS_OK);
    assert_memory_equal(q, begun, sizeof q);
    gpu_on_host_graph *write = gpu_on_host_capture(p.stream);
    assert_int_equal(sarrus_batch_copy_in_async(batch, SARRUS_FIELD_INPUT, p.torque, p.stream), SARRUS_OK);
    gpu_on_host_capture_end(p.stream);
    for (int k = 0; k < 2; ++k) {
        inputs_make(torque, &random, 0);
        memcpy(p.pinned, torque, sizeof torque);
        bytes_move(&p, p.torque, p.pinned, sizeof torque, SARRUS_GPU_UPLOAD);
        gpu_on_host_replay(write, p.stream);
        assert_int_equal(sarrus_batch_copy_out(batch, SARRUS_FIELD_INPUT, q), SARRUS_OK);
        assert_memory_equal(q, torque, sizeof torque);
    }
    gpu_on_host_graph_free(restart);
    gpu_on_host_graph_free(write);
    trial_end(&m, &p, batch, NULL);
}

/* More changes of rank within a call than a tile holds: who keeps none drops them on the way. */
static void changes_of_rank_stop_nobody(void **state) {
    (void)state;
    const char *const methods[] = {"rk4", "dopri5"};
    for (int k = 0; k < 2; ++k) {
        const sarrus_override settings[] = {{"dynamics.pinv", "svd"},
                                            {"dynamics.rank", "{method: relative, tol: 0.3}"},
                                            {"integrator", "{method: rk4, dt: 0.01, t_end: 6}"},
                                            {"integrator.method", methods[k]},
                                            {"integrator.substeps", "off"},
                                            {"limits", "{violation: off, energy: off, error: off}"},
                                            {NULL, NULL}};
        mechanism m = mechanism_open_file("four_bar.yaml", settings);
        program p = program_open();
        sarrus_batch *waiting = batch_of(&m), *queued = batch_of(&m);
        sarrus_instance_statistics counts;
        assert_int_equal(sarrus_batch_advance(waiting, 250), SARRUS_OK);
        assert_int_equal(sarrus_batch_advance_async(queued, 250, p.stream), SARRUS_OK);
        same(queued, waiting);
        assert_int_equal(sarrus_batch_statistics(queued, 0, &counts), SARRUS_OK);
        assert_true(counts.n_rank_changes > 4);
        trial_end(&m, &p, queued, waiting);
    }
}

/* What has to be made ready first, or is behind, does not go into a graph. */
static void captures_are_refused_until_all_is_ready(void **state) {
    (void)state;
    mechanism m = stepping_open(0);
    program p = program_open();
    sarrus_batch *batch = batch_of(&m);
    gpu_on_host_graph *graph = gpu_on_host_capture(p.stream);
    assert_int_equal(sarrus_batch_advance_async(batch, 3, p.stream), SARRUS_UNSUPPORTED);
    assert_non_null(strstr(sarrus_batch_refusal(batch), "cannot be captured"));
    gpu_on_host_capture_end(p.stream);
    gpu_on_host_graph_free(graph);
    assert_int_equal(sarrus_batch_advance_async(batch, 3, p.stream), SARRUS_OK);
    graph = gpu_on_host_capture(p.stream);
    assert_int_equal(sarrus_batch_advance_async(batch, 3, p.stream), SARRUS_OK);
    gpu_on_host_capture_end(p.stream);
    assert_int_equal(sarrus_batch_step(batch), 3);
    gpu_on_host_graph_free(graph);
    trial_end(&m, &p, batch, NULL);
}

static void refused(sarrus_batch *batch, const char *words) {
    sarrus_device_view view;
    assert_int_equal(sarrus_batch_device_view(batch, SARRUS_FIELD_STATUS, &view), SARRUS_UNSUPPORTED);
    assert_non_null(strstr(sarrus_batch_refusal(batch), words));
    assert_int_equal(sarrus_batch_advance_async(batch, 1, NULL), SARRUS_UNSUPPORTED);
    assert_non_null(strstr(sarrus_batch_refusal(batch), words));
    assert_int_equal(sarrus_batch_step(batch), 0);
    sarrus_batch_destroy(batch);
}

static void places_that_cannot_be_seen(void **state) {
    (void)state;
    mechanism m = stepping_open(0);
    sarrus_view view;
    refused(gpu_batch(&m, SARRUS_BACKEND_CPU, N, NULL), "on the processor");
    gpu_on_host_reset(&(gpu_on_host_settings){.n_devices = 2});
    refused(batch_of(&m), "several GPUs");
    gpu_on_host_reset(&(gpu_on_host_settings){.n_devices = 1});
    sarrus_batch *viewed = batch_of(&m);
    assert_int_equal(sarrus_batch_view(viewed, SARRUS_FIELD_INPUT, &view), SARRUS_OK);
    refused(viewed, "viewed on the host");
    sarrus_batch *out_of_core = NULL;
    for (size_t n_bytes = 100000; !out_of_core && n_bytes < 100000000; n_bytes += n_bytes / 64) {
        const sarrus_batch_options options = {.backend = SARRUS_BACKEND_CUDA};
        gpu_on_host_reset(&(gpu_on_host_settings){.n_devices = 1, .n_bytes = n_bytes});
        const sarrus_status status = sarrus_batch_create(m.context, m.plan, &options, 4 * N, NULL, &out_of_core);
        assert_int_equal(status == SARRUS_OK, out_of_core != NULL);
    }
    assert_non_null(strstr(sarrus_batch_device_name(out_of_core), "out of core"));
    refused(out_of_core, "in pieces");
    mechanism_close(&m);
    gpu_assert_clean();
}

static void fields_and_scenarios_that_cannot(void **state) {
    (void)state;
    mechanism tree = stepping_open(1), bodies = stepping_open(0);
    program p = program_open();
    sarrus_device_view seen;
    sarrus_view view;
    double numbers[N * 64];
    for (int i = 0; i < N * 64; ++i)
        numbers[i] = 0.25; /* others than stand there, which would be nothing given */
    sarrus_batch *batch = batch_of(&tree);
    assert_int_equal(sarrus_batch_device_view(batch, SARRUS_FIELD_Q, &seen), SARRUS_UNSUPPORTED);
    assert_non_null(strstr(sarrus_batch_refusal(batch), "motion of joints"));
    assert_int_equal(sarrus_batch_copy_in(batch, SARRUS_FIELD_V, NULL, numbers), SARRUS_OK);
    assert_int_equal(sarrus_batch_reset_some_async(batch, p.mask, p.stream), SARRUS_UNSUPPORTED);
    assert_non_null(strstr(sarrus_batch_refusal(batch), "sarrus_batch_assemble"));
    assert_int_equal(sarrus_batch_assemble(batch, NULL), SARRUS_OK); /* as it says */
    assert_int_equal(sarrus_batch_reset_some_async(batch, p.mask, p.stream), SARRUS_OK);
    sarrus_batch_destroy(batch);
    batch = batch_of(&bodies);
    assert_int_equal(sarrus_batch_device_view(batch, SARRUS_FIELD_PARAMETER, &seen), SARRUS_UNSUPPORTED);
    assert_int_equal(sarrus_batch_device_view(batch, (sarrus_field)99, &seen), SARRUS_BAD_ARGUMENT);
    assert_int_equal(sarrus_batch_copy_in_async(batch, SARRUS_FIELD_STATUS, p.seen, p.stream), SARRUS_UNSUPPORTED);
    assert_non_null(strstr(sarrus_batch_refusal(batch), "cannot be written"));
    assert_int_equal(sarrus_batch_device_view(batch, SARRUS_FIELD_STATUS, &seen), SARRUS_OK);
    assert_int_equal(sarrus_batch_view(batch, SARRUS_FIELD_Q, &view), SARRUS_UNSUPPORTED);
    assert_non_null(strstr(sarrus_batch_refusal(batch), "seen on its device"));
    sarrus_batch_destroy(batch);
    batch = gpu_batch(&bodies, SARRUS_BACKEND_CUDA, N, NULL); /* which keeps them */
    assert_int_equal(sarrus_batch_device_view(batch, SARRUS_FIELD_Q, &seen), SARRUS_OK);
    assert_int_equal(sarrus_batch_advance_async(batch, 1, p.stream), SARRUS_UNSUPPORTED);
    assert_non_null(strstr(sarrus_batch_refusal(batch), "changes of rank"));
    sarrus_batch_destroy(batch);
    program_close(&p);
    mechanism_close(&tree);
    mechanism_close(&bodies);
    gpu_assert_clean();
}

/* The caller's mistake is no failure of the device. */
static void streams_that_are_none(void **state) {
    (void)state;
    mechanism m = stepping_open(0);
    sarrus_batch *batch = batch_of(&m);
    int none;
    assert_int_equal(sarrus_batch_advance_async(batch, 1, &none), SARRUS_UNSUPPORTED);
    assert_non_null(strstr(sarrus_batch_refusal(batch), "no stream"));
    assert_int_equal(sarrus_batch_advance(batch, 1), SARRUS_OK);
    assert_null(sarrus_batch_failure(batch));
    sarrus_batch_destroy(batch);
    mechanism_close(&m);
    assert_int_equal(gpu_on_host_seen().n_misuses, 1);
}

/* What is lost shows when somebody waits; a launch that is refused shows at once. */
static void failures_are_told(void **state) {
    (void)state;
    mechanism m = stepping_open(0);
    for (int is_lost = 0; is_lost <= 1; ++is_lost) {
        gpu_on_host_reset(
            &(gpu_on_host_settings){.n_devices = 1, .i_launch_refused = is_lost ? 0 : 3, .i_launch_lost = is_lost ? 3 : 0});
        program p = program_open();
        sarrus_batch *batch = batch_of(&m);
        double q[N * 16];
        assert_int_equal(sarrus_batch_advance_async(batch, 1, p.stream), SARRUS_OK);
        assert_int_equal(sarrus_batch_advance_async(batch, 1, p.stream), is_lost ? SARRUS_OK : SARRUS_DEVICE_FAILED);
        assert_int_equal(sarrus_batch_copy_out(batch, SARRUS_FIELD_Q, q), SARRUS_DEVICE_FAILED);
        assert_non_null(strstr(sarrus_batch_failure(batch), is_lost ? "the device was lost" : "the launch was refused"));
        assert_int_equal(sarrus_batch_advance_async(batch, 1, p.stream), SARRUS_DEVICE_FAILED);
        assert_int_equal(sarrus_batch_advance(batch, 1), SARRUS_DEVICE_FAILED);
        sarrus_batch_destroy(batch);
        program_close(&p);
        gpu_assert_clean();
    }
    mechanism_close(&m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(queued_calls_have_the_bits_of_those_that_wait, gpu_played, gpu_ended),
        cmocka_unit_test_setup_teardown(nothing_is_waited_for, gpu_played, gpu_ended),
        cmocka_unit_test_setup_teardown(both_sides_see_the_same, gpu_played, gpu_ended),
        cmocka_unit_test_setup_teardown(observables_are_those_of_the_host, gpu_played, gpu_ended),
        cmocka_unit_test_setup_teardown(graphs_go_on, gpu_played, gpu_ended),
        cmocka_unit_test_setup_teardown(graphs_without_steps_are_noticed, gpu_played, gpu_ended),
        cmocka_unit_test_setup_teardown(changes_of_rank_stop_nobody, gpu_played, gpu_ended),
        cmocka_unit_test_setup_teardown(captures_are_refused_until_all_is_ready, gpu_played, gpu_ended),
        cmocka_unit_test_setup_teardown(places_that_cannot_be_seen, gpu_played, gpu_ended),
        cmocka_unit_test_setup_teardown(fields_and_scenarios_that_cannot, gpu_played, gpu_ended),
        cmocka_unit_test_setup_teardown(streams_that_are_none, gpu_played, gpu_ended),
        cmocka_unit_test_setup_teardown(failures_are_told, gpu_played, gpu_ended),
    };
    return cmocka_run_group_tests_name("backend.gpu_queued", tests, NULL, NULL);
}
