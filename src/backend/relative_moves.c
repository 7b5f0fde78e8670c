#include "backend/relative_moves.h"

#include <stdbool.h>
#include <stddef.h>

/* Fields that do not depend on coordinates: those of the state do, and what steps keep of rows and states for the next one. The
 * gains that follow the step are those by which an acceleration is shown too. */
static const bool is_common[SARRUS_N_FIELDS] = {
#define SARRUS_TILE_FIELD(name, ...) [SARRUS_FIELD_OF_TILE_##name] = true,
#define SARRUS_VERDICT_FIELD(name, ...) [SARRUS_FIELD_OF_VERDICT_##name] = true,
#define SARRUS_PASSAGE_FIELD(name, ...) [SARRUS_FIELD_OF_PASSAGE_##name] = true,
#include "sarrus/field.def"
    [SARRUS_FIELD_OF_ADAPTIVE_gain] = true,
};

static bool is_state(int field) {
    return field == SARRUS_FIELD_OF_TILE_q || field == SARRUS_FIELD_OF_TILE_v || field == SARRUS_FIELD_OF_TILE_q0 ||
           field == SARRUS_FIELD_OF_TILE_v0;
}

int sarrus_relative_moves_make(const sarrus_mechanism *relative, const sarrus_mechanism *bodies,
                               sarrus_tile_move out[SARRUS_N_FIELDS]) {
    sarrus_tile_field from[SARRUS_N_FIELDS], to[SARRUS_N_FIELDS];
    int n_moves = 0;
    sarrus_plan_fields(relative, from);
    sarrus_plan_fields(bodies, to);
    sarrus_tile_move *last = NULL;
    for (int k = 0; k < SARRUS_N_FIELDS; ++k) {
        if (!is_common[k] || is_state(k) || from[k].n != to[k].n || from[k].n == 0)
            continue;
        if (last && from[k].at == last->relative + last->n && to[k].at == last->bodies + last->n) {
            last->n += from[k].n;
        } else {
            last = &out[n_moves++];
            *last = (sarrus_tile_move){from[k].at, to[k].at, from[k].n};
        }
    }
    return n_moves;
}
