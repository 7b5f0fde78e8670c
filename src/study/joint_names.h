/* What the numbers of a joint's free coordinates are called in a result. */
#ifndef SARRUS_STUDY_JOINT_NAMES_H
#define SARRUS_STUDY_JOINT_NAMES_H

#include <stdbool.h>

#include "model/model.h"

enum { SARRUS_MAX_JOINT_NUMBERS = 6 };

typedef struct sarrus_joint_names {
    int n;                                          /* numbers, 0: it has no free coordinate */
    const char *labels[SARRUS_MAX_JOINT_NUMBERS];   /* [n] "angle", "shift" of one; of several "x" … "rz", by their axes */
    const char *units[2][SARRUS_MAX_JOINT_NUMBERS]; /* [n] of the coordinates, of the speeds */
    bool is_mixed;                                  /* they differ */
    char scale[40];                                 /* the name of the dimension scale that has the labels: "free_z_rz" */
} sarrus_joint_names;

void sarrus_joint_names_find(sarrus_space space, const sarrus_joint *joint, sarrus_joint_names *out);

#endif
