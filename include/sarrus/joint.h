/* Joints, from the table in joint.def. */
#ifndef SARRUS_JOINT_H
#define SARRUS_JOINT_H

typedef enum sarrus_joint_type {
#define SARRUS_JOINT(name, value, word, kernel, n_rows, row_0, row_1, row_2, label_0, label_1, label_2, free, text)                \
    SARRUS_JOINT_##name = (value),
#include "sarrus/joint.def"
} sarrus_joint_type;
enum {
    SARRUS_N_JOINT_TYPES = 0
#define SARRUS_JOINT(name, value, word, kernel, n_rows, row_0, row_1, row_2, label_0, label_1, label_2, free, text) +1
#include "sarrus/joint.def"
};

/* What a joint leaves free. */
typedef enum sarrus_joint_free {
    SARRUS_FREE_NONE = 0,
    SARRUS_FREE_ANGLE = 1, /* rad */
    SARRUS_FREE_SHIFT = 2, /* m */
} sarrus_joint_free;

#endif
