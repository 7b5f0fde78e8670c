/* Joints, from the tables in joint.def, spatial_row.def and freedom.def. */
#ifndef SARRUS_JOINT_H
#define SARRUS_JOINT_H

#ifdef __cplusplus
extern "C" {
#endif

typedef enum sarrus_joint_type {
#define SARRUS_JOINT_TYPE(name, value, word, place) SARRUS_JOINT_##name = (value),
#include "sarrus/joint.def"
} sarrus_joint_type;
enum {
    SARRUS_N_JOINT_TYPES = 0
#define SARRUS_JOINT_TYPE(name, value, word, place) +1
#include "sarrus/joint.def"
};

/* Those of the plane, for a switch that must know each of them. */
typedef enum sarrus_planar_joint_type {
#define SARRUS_JOINT(name, value, ...) SARRUS_PLANAR_JOINT_##name = (value),
#include "sarrus/joint.def"
} sarrus_planar_joint_type;
enum {
    SARRUS_N_PLANAR_JOINT_TYPES = 0 /* they come first */
#define SARRUS_JOINT(name, value, ...) +1
#include "sarrus/joint.def"
};

/* What a joint leaves free. */
typedef enum sarrus_joint_free {
    SARRUS_FREE_NONE = 0,
    SARRUS_FREE_ANGLE = 1, /* rad */
    SARRUS_FREE_SHIFT = 2, /* m */
} sarrus_joint_free;

/* What it has besides its two points. */
typedef enum sarrus_joint_need {
    SARRUS_NEEDS_NOTHING = 0,
    SARRUS_NEEDS_AXIS = 1,
    SARRUS_NEEDS_LENGTH = 2,
    SARRUS_NEEDS_AXES = 3,
    SARRUS_NEEDS_PITCH = 4,
    SARRUS_NEEDS_LIST = 5,
    SARRUS_NEEDS_FRAME = 6,
} sarrus_joint_need;

/* What a scalar constraint row looks like. Its derivative is e·(ṙ_child − ṙ_parent) + t_child·ω_child + t_parent·ω_parent. */
enum {
    SARRUS_ROW_X = 0,       /* e = (1, 0) or (1, 0, 0) */
    SARRUS_ROW_Y = 1,       /* e = (0, 1) or (0, 1, 0) */
    SARRUS_ROW_ANGLE = 2,   /* e = 0; in the plane t_child = 1, t_parent = −1 */
    SARRUS_ROW_GENERAL = 3, /* e depends on the state */
    SARRUS_ROW_Z = 4,       /* e = (0, 0, 1) */
};

/* The forms of rows and of free coordinates in space. */
typedef enum sarrus_spatial_row {
    SARRUS_SPATIAL_ROW_NONE = 0,
#define SARRUS_SPATIAL_ROW(name, value, kind, label) SARRUS_SPATIAL_ROW_##name = (value),
#include "sarrus/spatial_row.def"
} sarrus_spatial_row;
typedef enum sarrus_freedom {
    SARRUS_FREEDOM_NONE = 0,
#define SARRUS_FREEDOM(name, value, n, unit, text) SARRUS_FREEDOM_##name = (value),
#include "sarrus/freedom.def"
} sarrus_freedom;
enum { SARRUS_MAX_SPATIAL_ROWS = 6, SARRUS_MAX_FREEDOMS = 6 }; /* of a joint, drives not counted */

/* Where it may stand in the graph of a mechanism. */
enum { SARRUS_PLACE_CUT = 0, SARRUS_PLACE_TREE = 1 };

/* Sets of joint types, a bit each. */
enum {
    SARRUS_JOINTS_IN_TREES = 0 /* may be joints of the spanning tree */
#define SARRUS_JOINT_TYPE(name, value, word, place) | (SARRUS_PLACE_##place << (value))
#include "sarrus/joint.def"
    ,
    SARRUS_JOINTS_THAT_TURN = 0 /* free coordinate: an angle */
#define SARRUS_JOINT(name, value, word, kernel, n_rows, row_0, row_1, row_2, label_0, label_1, label_2, free, needs, text)         \
    | (SARRUS_FREE_##free == SARRUS_FREE_ANGLE ? 1 << (value) : 0)
#include "sarrus/joint.def"
    ,
    SARRUS_JOINTS_THAT_SLIDE = 0 /* free coordinate: a shift */
#define SARRUS_JOINT(name, value, word, kernel, n_rows, row_0, row_1, row_2, label_0, label_1, label_2, free, needs, text)         \
    | (SARRUS_FREE_##free == SARRUS_FREE_SHIFT ? 1 << (value) : 0)
#include "sarrus/joint.def"
    ,
    SARRUS_JOINTS_WITH_PIN = 0 /* the first two rows let the two points coincide */
#define SARRUS_JOINT(name, value, word, kernel, n_rows, row_0, row_1, row_2, label_0, label_1, label_2, free, needs, text)         \
    | (SARRUS_ROW_##row_0 == SARRUS_ROW_X && SARRUS_ROW_##row_1 == SARRUS_ROW_Y ? 1 << (value) : 0)
#include "sarrus/joint.def"
    ,
    SARRUS_JOINTS_THAT_HOLD_ANGLE = 0 /* a row is that of the angle between the bodies */
#define SARRUS_JOINT(name, value, word, kernel, n_rows, row_0, row_1, row_2, label_0, label_1, label_2, free, needs, text)         \
    | (((n_rows) > 0 && SARRUS_ROW_##row_0 == SARRUS_ROW_ANGLE) || ((n_rows) > 1 && SARRUS_ROW_##row_1 == SARRUS_ROW_ANGLE) ||     \
               ((n_rows) > 2 && SARRUS_ROW_##row_2 == SARRUS_ROW_ANGLE)                                                            \
           ? 1 << (value)                                                                                                          \
           : 0)
#include "sarrus/joint.def"
    ,
    SARRUS_JOINTS_WITH_AXIS = 0
#define SARRUS_JOINT(name, value, word, kernel, n_rows, row_0, row_1, row_2, label_0, label_1, label_2, free, needs, text)         \
    | (SARRUS_NEEDS_##needs == SARRUS_NEEDS_AXIS ? 1 << (value) : 0)
#include "sarrus/joint.def"
    ,
    SARRUS_JOINTS_WITH_LENGTH = 0
#define SARRUS_JOINT(name, value, word, kernel, n_rows, row_0, row_1, row_2, label_0, label_1, label_2, free, needs, text)         \
    | (SARRUS_NEEDS_##needs == SARRUS_NEEDS_LENGTH ? 1 << (value) : 0)
#include "sarrus/joint.def"
};

/* Whether a joint type is in a set. */
#define SARRUS_JOINT_AMONG(set, type) (((set) >> (type)) & 1)

#ifdef __cplusplus
}
#endif

#endif
