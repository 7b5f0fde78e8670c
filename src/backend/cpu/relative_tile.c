#include "backend/cpu/relative_tile.h"

#include <string.h>

void sarrus_relative_tiles_make(const sarrus_mechanism *relative, const sarrus_mechanism *bodies, const sarrus_kernels *kernels,
                                sarrus_relative_tiles *out) {
    *out = (sarrus_relative_tiles){.relative = relative, .bodies = bodies, .kernels = kernels};
    out->n_moves = sarrus_relative_moves_make(relative, bodies, out->move);
}

static void arrays_copy(const double *from, int32_t i_from, double *to, int32_t i_to, int32_t n, int32_t width) {
    memcpy(to + (size_t)i_to * (size_t)width, from + (size_t)i_from * (size_t)width, (size_t)n * (size_t)width * sizeof *to);
}

void sarrus_relative_tile_take(const sarrus_relative_tiles *tiles, sarrus_kernel_call *call, const double *bodies) {
    const sarrus_tile_layout *from = &tiles->bodies->layout;
    const int32_t width = tiles->kernels->width;
    tiles->kernels->bodies_put(call, bodies + from->q * width, bodies + from->v * width);
}

void sarrus_relative_tile_begin(const sarrus_relative_tiles *tiles, sarrus_kernel_call *call, const double *bodies) {
    const sarrus_tile_layout *at = &tiles->relative->layout;
    const int32_t width = tiles->kernels->width, n_q = tiles->relative->n_q, n_v = tiles->relative->n_v;
    for (int k = 0; k < tiles->n_moves; ++k)
        arrays_copy(bodies, tiles->move[k].bodies, call->tile, tiles->move[k].relative, tiles->move[k].n, width);
    for (int32_t lane = 0; lane < width; ++lane)
        call->tile[at->rank * width + lane] -= (double)tiles->relative->tree.n_rows_within;
    sarrus_relative_tile_take(tiles, call, bodies);
    arrays_copy(call->tile, at->q, call->tile, at->q0, n_q, width);
    arrays_copy(call->tile, at->v, call->tile, at->v0, n_v, width);
}

void sarrus_relative_tile_place(const sarrus_relative_tiles *tiles, sarrus_kernel_call *call, double *bodies) {
    const sarrus_tile_layout *to = &tiles->bodies->layout;
    const int32_t width = tiles->kernels->width;
    tiles->kernels->bodies_get(call, bodies + to->q * width, bodies + to->v * width);
}

void sarrus_relative_tile_show(const sarrus_relative_tiles *tiles, const sarrus_kernel_call *call, double *bodies) {
    const sarrus_tile_layout *to = &tiles->bodies->layout;
    const int32_t width = tiles->kernels->width;
    const double n_within = (double)tiles->relative->tree.n_rows_within;
    for (int k = 0; k < tiles->n_moves; ++k)
        arrays_copy(call->tile, tiles->move[k].relative, bodies, tiles->move[k].bodies, tiles->move[k].n, width);
    for (int32_t lane = 0; lane < width; ++lane) {
        double *rank = bodies + to->rank * width + lane, *now = bodies + to->rank_now * width + lane;
        *rank += n_within;
        if (*now >= 0.0) /* −1: before the first step */
            *now += n_within;
    }
}

void sarrus_relative_tile_end_failed(const sarrus_relative_tiles *tiles, const double *bodies, sarrus_kernel_call *call) {
    const sarrus_tile_layout *at = &tiles->relative->layout, *from = &tiles->bodies->layout;
    arrays_copy(bodies, from->status, call->tile, at->status, 1, tiles->kernels->width);
    arrays_copy(bodies, from->failed_step, call->tile, at->failed_step, 1, tiles->kernels->width);
}

void sarrus_relative_tile_rank(const sarrus_relative_tiles *tiles, sarrus_kernel_call *call, const sarrus_observe_request *want,
                               double *observed) {
    const int32_t width = tiles->kernels->width, at = want->at[SARRUS_OBSERVE_RANK];
    sarrus_observe_request alone = *want;
    if (at < 0)
        return;
    for (int o = 0; o < SARRUS_N_OBSERVABLES; ++o)
        alone.at[o] = o == (int)SARRUS_OBSERVE_RANK ? at : -1;
    tiles->kernels->observe(call, &alone, observed);
    for (int32_t lane = 0; lane < width; ++lane)
        observed[at * width + lane] += (double)tiles->relative->tree.n_rows_within;
}
