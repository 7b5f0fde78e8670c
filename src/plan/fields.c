/* The table of an instance's fields at the sizes of one mechanism. */
#include "plan/fields.h"

#include <math.h>

/* How many numbers each field has; the names are those of the table. */
static void fields_count(const sarrus_mechanism *mech, int32_t out[SARRUS_N_FIELDS]) {
    const sarrus_mech_integrator *how = &mech->integrator;
    const int32_t n_q = mech->n_q, n_v = mech->n_v, m = mech->m, n_factored = 2 * mech->factor.n_blocks;
    const int32_t n_hands = mech->tree.n_links > 0 && mech->space == SARRUS_SPACE_SPATIAL ? mech->n_bodies : 0;
    const int32_t n_free = mech->n_free, n_curves = mech->n_curves, is_curved = mech->space == SARRUS_SPACE_SPATIAL;
    const int32_t n_parameters = mech->n_parameters, n_inputs = mech->n_inputs, n_waiting = mech->rank_change_capacity;
    const int32_t n_nodes = how->dense.n_nodes, max_order = how->max_order, has_step_gains = how->has_step_gains;
    const int32_t is_adaptive = how->is_adaptive, is_adams = how->method == SARRUS_INTEGRATOR_ADAMS_MOULTON;
    const int32_t is_runge_kutta = is_adaptive && !is_adams;
    const int32_t counts[SARRUS_N_FIELDS] = {
#define SARRUS_TILE_FIELD(name, count, ...) count,
#define SARRUS_VERDICT_FIELD(name, count, ...) count,
#define SARRUS_PASSAGE_FIELD(name, count, ...) count,
#define SARRUS_PASSAGE_ROW_FIELD(name, count, ...) count,
#define SARRUS_ADAPTIVE_FIELD(name, count, ...) count,
#define SARRUS_ADAMS_FIELD(name, count, ...) count,
#define SARRUS_RUNGE_KUTTA_FIELD(name, count, ...) count,
#include "sarrus/field.def"
    };
    for (int k = 0; k < SARRUS_N_FIELDS; ++k)
        out[k] = counts[k];
}

void sarrus_plan_layout(sarrus_mechanism *mech) {
    sarrus_tile_layout *layout = &mech->layout;
    int32_t counts[SARRUS_N_FIELDS], at[SARRUS_N_FIELDS + 1] = {0};
    fields_count(mech, counts);
    for (int k = 0; k < SARRUS_N_FIELDS; ++k)
        at[k + 1] = at[k] + counts[k];
#define SARRUS_TILE_FIELD(name, ...) layout->name = at[SARRUS_FIELD_OF_TILE_##name];
#define SARRUS_VERDICT_FIELD(name, ...) layout->verdict.name = at[SARRUS_FIELD_OF_VERDICT_##name];
#define SARRUS_PASSAGE_FIELD(name, ...) layout->passage.name = at[SARRUS_FIELD_OF_PASSAGE_##name];
#define SARRUS_PASSAGE_ROW_FIELD(name, ...) layout->passage.name = at[SARRUS_FIELD_OF_PASSAGE_##name];
#define SARRUS_ADAPTIVE_FIELD(name, ...) layout->adaptive.name = at[SARRUS_FIELD_OF_ADAPTIVE_##name];
#define SARRUS_ADAMS_FIELD(name, ...) layout->adaptive.name = at[SARRUS_FIELD_OF_ADAPTIVE_##name];
#define SARRUS_RUNGE_KUTTA_FIELD(name, ...) layout->adaptive.name = at[SARRUS_FIELD_OF_ADAPTIVE_##name];
#include "sarrus/field.def"
    layout->n_arrays = at[SARRUS_N_FIELDS];
    /* Fixed steps end where they were looked at last. */
    if (!mech->integrator.is_adaptive)
        layout->passage.row_now = layout->passage.row_seen;
}

/* What a row of the table says under `reset`. */
#define KEPT .reset = SARRUS_RESET_KEPT
#define TO(number) .reset = SARRUS_RESET_TO, .value = (double)(number)
#define FROM(field) .reset = SARRUS_RESET_FROM, .from = layout->field

void sarrus_plan_fields(const sarrus_mechanism *mech, sarrus_tile_field out[SARRUS_N_FIELDS]) {
    const sarrus_tile_layout *layout = &mech->layout;
    int32_t counts[SARRUS_N_FIELDS], at = 0;
    const sarrus_tile_field fields[SARRUS_N_FIELDS] = {
#define SARRUS_TILE_FIELD(name, count, who, what, ...) {.kind = SARRUS_FIELD_##who, what},
#define SARRUS_VERDICT_FIELD(name, count, who, what, ...) {.kind = SARRUS_FIELD_##who, what},
#define SARRUS_PASSAGE_FIELD(name, count, who, what, ...) {.kind = SARRUS_FIELD_##who, what},
#define SARRUS_PASSAGE_ROW_FIELD(name, count, who, what, ...) {.kind = SARRUS_FIELD_##who, what},
#define SARRUS_ADAPTIVE_FIELD(name, count, who, what, ...) {.kind = SARRUS_FIELD_##who, what},
#define SARRUS_ADAMS_FIELD(name, count, who, what, ...) {.kind = SARRUS_FIELD_##who, what},
#define SARRUS_RUNGE_KUTTA_FIELD(name, count, who, what, ...) {.kind = SARRUS_FIELD_##who, what},
#include "sarrus/field.def"
    };
    fields_count(mech, counts);
    for (int k = 0; k < SARRUS_N_FIELDS; ++k) {
        out[k] = fields[k];
        out[k].at = at;
        out[k].n = counts[k];
        at += counts[k];
    }
}
