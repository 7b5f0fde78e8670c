/* The fields of an instance in a tile (sarrus/field.def), for the host. */
#ifndef SARRUS_PLAN_FIELDS_H
#define SARRUS_PLAN_FIELDS_H

#include "kernels/body/mechanism.h"

/* One of each field: SARRUS_FIELD_OF_TILE_q and so on; a word of the group stands before the name. */
enum {
#define SARRUS_TILE_FIELD(name, ...) SARRUS_FIELD_OF_TILE_##name,
#define SARRUS_VERDICT_FIELD(name, ...) SARRUS_FIELD_OF_VERDICT_##name,
#define SARRUS_PASSAGE_FIELD(name, ...) SARRUS_FIELD_OF_PASSAGE_##name,
#define SARRUS_PASSAGE_ROW_FIELD(name, ...) SARRUS_FIELD_OF_PASSAGE_##name,
#define SARRUS_ADAPTIVE_FIELD(name, ...) SARRUS_FIELD_OF_ADAPTIVE_##name,
#define SARRUS_ADAMS_FIELD(name, ...) SARRUS_FIELD_OF_ADAPTIVE_##name,
#define SARRUS_RUNGE_KUTTA_FIELD(name, ...) SARRUS_FIELD_OF_ADAPTIVE_##name,
#include "sarrus/field.def"
    SARRUS_N_FIELDS,
};

/* Who writes a field. */
typedef enum sarrus_field_kind {
    SARRUS_FIELD_GIVEN = 0,     /* the host */
    SARRUS_FIELD_ASSEMBLED = 1, /* the assembly */
    SARRUS_FIELD_STEPPED = 2,   /* every step */
} sarrus_field_kind;

/* What it is when an instance begins anew. */
typedef enum sarrus_field_reset {
    SARRUS_RESET_KEPT = 0,
    SARRUS_RESET_TO = 1,   /* a number */
    SARRUS_RESET_FROM = 2, /* another field */
} sarrus_field_reset;

typedef struct sarrus_tile_field {
    int32_t at, n; /* lane arrays: where it begins in a tile, and how many */
    sarrus_field_kind kind;
    sarrus_field_reset reset;
    double value; /* of SARRUS_RESET_TO */
    int32_t from; /* of SARRUS_RESET_FROM: where that field begins */
} sarrus_tile_field;

/* Gives every field its place in the tile: mech->layout. Once the sizes of the mechanism are known, and again when those of the
 * factor are: the fields of its rows come last. */
void sarrus_plan_layout(sarrus_mechanism *mech);

/* All fields in the order of the table, of a plan that has been laid out. */
void sarrus_plan_fields(const sarrus_mechanism *mech, sarrus_tile_field out[SARRUS_N_FIELDS]);

#endif
