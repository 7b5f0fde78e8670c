/* Observations of a worker's tiles. What is wanted of all tiles at one time is packed on the device, copied by a second stream
 * while the next steps are made, and taken to the user's arrays by the host, two packets by turns. */
#include <string.h>

#include "backend/cuda/device.h"
#include "backend/scatter.h"

uint64_t sarrus_cuda_most_observed(const sarrus_mechanism *mech) {
    return 1 + sarrus_scatter_most(mech); /* the status, and all others */
}

/* Where everything goes in a packet: what the kernel computes first, then coordinates and velocities, the status in the end. */
sarrus_cuda_observation sarrus_cuda_observation_of(const sarrus_mechanism *mech, const sarrus_observation *request) {
    static const sarrus_observable standing[] = {SARRUS_OBSERVE_Q, SARRUS_OBSERVE_V};
    sarrus_cuda_observation what = {.want = sarrus_scatter_request(mech, request)};
    what.is_computed = what.want.n_arrays > 0;
    for (int i = 0; i < 2; ++i) {
        if (!request->destination[standing[i]])
            continue;
        what.want.at[standing[i]] = what.want.n_arrays;
        what.want.n_arrays += sarrus_scatter_width(mech, standing[i]);
    }
    what.status = what.want.n_arrays++;
    return what;
}

/* What the threads that take a packet to the user's arrays share. */
typedef struct scattering {
    const cuda_worker *worker;
    const cuda_packet *packet;
} scattering;

static void packet_share(void *user, int i_member, int n_members) {
    const cuda_worker *worker = ((const scattering *)user)->worker;
    const cuda_packet *packet = ((const scattering *)user)->packet;
    const sarrus_mechanism *mech = sarrus_cuda_shown(worker->owner);
    const sarrus_cuda_observation *what = &worker->what;
    const size_t n_tile = (size_t)what->want.n_arrays * SARRUS_CUDA_WIDTH;
    const sarrus_crew_share share = sarrus_crew_share_of(packet->n_tiles, i_member, n_members);
    int32_t n_numbers[SARRUS_N_OBSERVABLES];
    sarrus_scatter_widths(mech, worker->observation->request, n_numbers);
    for (uint64_t i = share.i_first; i < share.i_end; ++i) {
        const double *fetched = packet->fetched + i * n_tile;
        sarrus_observed_tile tile = {
            .mech = mech,
            .width = SARRUS_CUDA_WIDTH,
            .q = fetched + (size_t)(what->want.at[SARRUS_OBSERVE_Q] > 0 ? what->want.at[SARRUS_OBSERVE_Q] : 0) * SARRUS_CUDA_WIDTH,
            .v = fetched + (size_t)(what->want.at[SARRUS_OBSERVE_V] > 0 ? what->want.at[SARRUS_OBSERVE_V] : 0) * SARRUS_CUDA_WIDTH,
            .status = fetched + (size_t)what->status * SARRUS_CUDA_WIDTH,
            .observed = fetched,
            .want = what->want,
            .i_tile = packet->i_tile + i,
        };
        memcpy(tile.n_numbers, n_numbers, sizeof n_numbers);
        sarrus_scatter(&tile, worker->observation->request, worker->observation->n_instances, packet->i_time);
    }
}

static void packet_scatter(const cuda_worker *worker, const cuda_packet *packet) {
    const size_t n_tile = (size_t)worker->what.want.n_arrays * SARRUS_CUDA_WIDTH;
    scattering job = {worker, packet};
    sarrus_crew_run(worker->crew, packet->n_tiles * n_tile > 65536 ? worker->n_threads : 1, packet_share, &job);
}

int sarrus_cuda_packets_take(cuda_worker *worker, uint64_t n_left) {
    while (worker->n_packets_sent - worker->n_packets_taken > n_left) {
        const cuda_packet *packet = &worker->packet[worker->n_packets_taken % 2];
        const int error = worker->owner->gpu->event_synchronize(packet->is_fetched);
        if (error != SARRUS_GPU_OK)
            return error;
        packet_scatter(worker, packet);
        ++worker->n_packets_taken;
    }
    return SARRUS_GPU_OK;
}

/* Through the libraries; what stands in the tiles is left. */
static int staged_look(cuda_worker *worker, const cuda_packet *packet, sarrus_cuda_call *call, sarrus_cuda_observation *what) {
    const uint64_t i_tile = packet->i_tile - worker->i_first;
    call->lanes.n_workspaces = call->lanes.n_tiles;
    call->lanes.workspace += i_tile * call->lanes.n_workspace_arrays * SARRUS_CUDA_WIDTH;
    const int error =
        what->is_computed ? sarrus_cuda_staged_observe(worker->staged, &call->lanes, &what->want, packet->seen) : SARRUS_GPU_OK;
    what->is_computed = 0;
    return error;
}

/* Queues the packet's observation of its tiles as they are now. */
static int packet_look(cuda_worker *worker, const cuda_packet *packet, const sarrus_clock *clock) {
    const sarrus_gpu *gpu = worker->owner->gpu;
    sarrus_cuda_call call = sarrus_cuda_call_from(worker, packet->i_tile - worker->i_first, packet->n_tiles);
    sarrus_cuda_observation what = worker->what;
    what.want.clock = *clock;
    if (!worker->owner->is_relative) {
        const int error = worker->staged ? staged_look(worker, packet, &call, &what) : SARRUS_GPU_OK;
        return error != SARRUS_GPU_OK ? error : gpu->observe(&call, &what, packet->seen);
    }
    const sarrus_cuda_bodies bodies = sarrus_cuda_bodies_of(worker);
    const sarrus_cuda_call shown = sarrus_cuda_bodies_call(worker, packet->n_tiles);
    int error = gpu->bodies_show(&call, &bodies);
    if (error == SARRUS_GPU_OK)
        error = gpu->observe(&shown, &what, packet->seen);
    if (error == SARRUS_GPU_OK && what.is_computed)
        error = gpu->bodies_settle(&call, &bodies, &what, packet->seen);
    return error;
}

/* Queues tiles i_tile … of the worker as they are now; the packet before the last must be taken. */
static int packet_send(cuda_worker *worker, const cuda_packet *where, const sarrus_clock *clock) {
    const sarrus_gpu *gpu = worker->owner->gpu;
    cuda_packet *packet = &worker->packet[worker->n_packets_sent % 2];
    const size_t n_arrays = (size_t)worker->what.want.n_arrays;
    const size_t n_bytes = where->n_tiles * n_arrays * SARRUS_CUDA_WIDTH * sizeof(double);
    const sarrus_gpu_copy copy = {packet->fetched, packet->seen, n_bytes, n_bytes, n_bytes, 1, SARRUS_GPU_DOWNLOAD};
    packet->i_tile = worker->i_first + where->i_tile;
    packet->n_tiles = where->n_tiles;
    packet->i_time = where->i_time;
    int error = packet_look(worker, packet, clock);
    if (error == SARRUS_GPU_OK)
        error = gpu->event_record(packet->is_seen, worker->stream);
    if (error == SARRUS_GPU_OK)
        error = gpu->stream_wait(worker->copy_stream, packet->is_seen);
    if (error == SARRUS_GPU_OK)
        error = gpu->copy(&copy, worker->copy_stream);
    if (error == SARRUS_GPU_OK)
        error = gpu->event_record(packet->is_fetched, worker->copy_stream);
    worker->n_packets_sent += error == SARRUS_GPU_OK;
    return error;
}

/* All tiles of the worker, as many at once as a packet holds. */
static int time_send(cuda_worker *worker, uint64_t i_time, const sarrus_clock *clock) {
    uint64_t n_fitting = worker->n_seen / ((uint64_t)worker->what.want.n_arrays * SARRUS_CUDA_WIDTH);
    if (worker->owner->is_relative && n_fitting > worker->n_bodies)
        n_fitting = worker->n_bodies;
    int error = SARRUS_GPU_OK;
    for (uint64_t i = 0; i < worker->n_held && error == SARRUS_GPU_OK; i += n_fitting) {
        const uint64_t n_tiles = worker->n_held - i < n_fitting ? worker->n_held - i : n_fitting;
        error = sarrus_cuda_packets_take(worker, 1);
        if (error == SARRUS_GPU_OK)
            error = packet_send(worker, &(cuda_packet){.i_tile = i, .n_tiles = n_tiles, .i_time = i_time}, clock);
    }
    return error;
}

int sarrus_cuda_observe_tiles(cuda_worker *worker, const void *how) {
    const sarrus_device_observation *observation = how;
    const sarrus_observation *request = observation->request;
    cuda_advance_order order = {observation->clock, 0};
    int error = SARRUS_GPU_OK;
    worker->observation = observation;
    worker->what = sarrus_cuda_observation_of(sarrus_cuda_shown(worker->owner), request);
    worker->n_packets_sent = worker->n_packets_taken = 0;
    for (uint64_t k = 0; k < request->n_times && error == SARRUS_GPU_OK; ++k) {
        if (k > 0 || !request->observe_first) {
            const bool is_last = k + 1 == request->n_times;
            order.n_steps = is_last && request->last_steps ? request->last_steps : request->every_steps;
            error = sarrus_cuda_advance_tiles(worker, &order);
            order.clock.step += order.n_steps;
        }
        if (error == SARRUS_GPU_OK)
            error = time_send(worker, k, &order.clock);
    }
    return error != SARRUS_GPU_OK ? error : sarrus_cuda_packets_take(worker, 0);
}
