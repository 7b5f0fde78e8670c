/* The plan's numbers of constraints beside joints: where their parameters stand, and how bodies roll. */
#ifndef SARRUS_BODY_CONSTRAINT_PLAN_H
#define SARRUS_BODY_CONSTRAINT_PLAN_H

/* Nonholonomic constraints: a row along given directions, or in space three of a ball or a disc. */
enum sarrus_roll { SARRUS_ROLL_NONE, SARRUS_ROLL_BALL, SARRUS_ROLL_DISC };

/* Parameters of a constraint, from constraint.p: of a gear, of a cam, of a curve, and of one that does not slip. */
enum {
    SARRUS_PC_RATIO = 0, /* 1 | m/rad | rad/m */
    SARRUS_PC_OFFSET,    /* rad | m */
    SARRUS_PC_N_GEAR,
    SARRUS_PC_TABLE = 0,   /* four a piece, ascending powers of x − knot, m */
    SARRUS_PC_POINT_X = 0, /* m, the point in the frame of its body */
    SARRUS_PC_POINT_Y,
    SARRUS_PC_LENGTH,                          /* m, of all chords: the parameter s of the curve goes from 0 to it */
    SARRUS_PC_PIECES,                          /* [n_pieces][SARRUS_PIECE_N] */
    SARRUS_PC_ALONG_X = SARRUS_PC_POINT_Y + 1, /* 1, what the speed of the point is multiplied with, in its body's frame */
    SARRUS_PC_ALONG_Y,
    SARRUS_PC_ABOUT, /* m | 1, what the relative rate is multiplied with */
    SARRUS_PC_N_SLIP
};

/* Of a curve in space. */
enum {
    SARRUS_SC_POINT = 0, /* [3] m, the point in the frame of its body */
    SARRUS_SC_LENGTH = 3,
    SARRUS_SC_AXIS, /* [3] 1, in the frame of the curve's body: no tangent comes near to it; the first normal is its part across */
    SARRUS_SC_PIECES = SARRUS_SC_AXIS + 3
};

/* Of one that does not slip in space: of a knife edge or a linear relation, and of what rolls. B is the point's body. */
enum {
    SARRUS_SN_POINT = 0, /* [3] m, B's frame: the point, or the center of what rolls */
    SARRUS_SN_ALONG = 3, /* [3] 1, B's frame */
    SARRUS_SN_ABOUT = 6, /* [3] m | 1, B's frame */
    SARRUS_SN_N_SLIP = 9,
    SARRUS_SN_PLANE = 3,   /* [3] m, A's frame: a point of the plane */
    SARRUS_SN_NORMAL = 6,  /* [3][3] 1, A's frame: its normal, and two directions in it */
    SARRUS_SN_AXIS = 15,   /* [3] 1, B's frame: the axis of a disc */
    SARRUS_SN_RADIUS = 18, /* m */
    SARRUS_SN_N_ROLL
};

/* A piece of a curve, of four numbers for each coordinate. */
enum {
    SARRUS_PIECE_START = 0, /* m, s where it begins */
    SARRUS_PIECE_X,         /* [4] m, ascending powers of s − start, in the frame of the curve's body; then those of y and z */
    SARRUS_PIECE_N = SARRUS_PIECE_X + 8,
    SARRUS_SPATIAL_PIECE_N = SARRUS_PIECE_X + 12
};

#endif
