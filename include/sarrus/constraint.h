/* Constraints beside joints, from the table in constraint.def. */
#ifndef SARRUS_CONSTRAINT_H
#define SARRUS_CONSTRAINT_H

#ifdef __cplusplus
extern "C" {
#endif

typedef enum sarrus_constraint_type {
#define SARRUS_CONSTRAINT(name, value, word, kernel, label, text) SARRUS_CONSTRAINT_##name = (value),
#include "sarrus/constraint.def"
} sarrus_constraint_type;
enum {
    SARRUS_N_CONSTRAINT_TYPES = 0
#define SARRUS_CONSTRAINT(name, value, word, kernel, label, text) +1
#include "sarrus/constraint.def"
};

#ifdef __cplusplus
}
#endif

#endif
