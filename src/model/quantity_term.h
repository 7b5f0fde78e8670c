/* The names that a quantity may use: t, energy, work, named parameters, and with dots bodies, points, joints and drives. */
#ifndef SARRUS_MODEL_QUANTITY_TERM_H
#define SARRUS_MODEL_QUANTITY_TERM_H

#include "model/model.h"
#include "sarrus/observable.h"

enum { SARRUS_QUANTITY_TEXT = 256 };

/* What a name in an expression stands for. */
typedef enum sarrus_term_kind {
    SARRUS_TERM_TIME,
    SARRUS_TERM_OBSERVED, /* a component of an observable */
    SARRUS_TERM_POINT,    /* a component of a point's position, velocity or acceleration */
    SARRUS_TERM_VALUE,    /* a number of the model: a named parameter */
} sarrus_term_kind;

typedef struct sarrus_term {
    sarrus_term_kind kind;
    sarrus_observable observable; /* observed */
    int component;                /* of the observable, or of the vector of the point */
    int point, order;             /* of model->output.points; 0: position, 1: velocity, 2: acceleration */
    sarrus_value_index value;
} sarrus_term;

/* Why a quantity was refused: `position` counts bytes from 0. Of an unknown name `expected` lists what may stand there ("":
 * anything known), and i_part is where the part begins that is unknown: 0, or behind a dot. */
typedef struct sarrus_quantity_fault {
    size_t position, n_token;
    const char *message; /* a constant */
    bool is_unknown_name;
    bool is_ambiguous; /* an unknown name that would be known twice: as a named parameter too */
    size_t i_part;
    char expected[SARRUS_QUANTITY_TEXT];
} sarrus_quantity_fault;

/* What `word` [n] stands for. False when it is unknown: i_part and expected of the fault then say which part is. */
bool sarrus_term_find(const sarrus_model *model, const char *word, size_t n, sarrus_term *out, sarrus_quantity_fault *fault);

#endif
