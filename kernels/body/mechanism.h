/* The plan as the kernels see it: sizes, tables and offsets, the same for every lane. Kernels may branch on anything here.
 * All tables are owned by the plan. Coordinates and speeds of a body lie side by side (kernels/space); ground is −1. */
#ifndef SARRUS_BODY_MECHANISM_H
#define SARRUS_BODY_MECHANISM_H

#include "kernels/body/constraint_plan.h"
#include <stddef.h>
#include <stdint.h>

#include "kernels/body/plan_table.h"
#include "kernels/body/tree_plan.h"
#include "kernels/pinv/rule.h"
#include "kernels/space/sizes.h"
#include "sarrus/constraint.h"
#include "sarrus/force.h"
#include "sarrus/joint.h"
#include "sarrus/method.h"
#include "sarrus/observable.h"
#include "sarrus/space.h"

/* What of the rows a caller of sarrus_rows looks at: Φ and Φ̇, or γ. And whether what multiplies speeds stands in the workspace
 * already, those of this very configuration: in space that is not made again. */
enum { SARRUS_WANT_ERRORS = 1, SARRUS_WANT_GAMMA = 2, SARRUS_HAVE_PARTS = 4 };

/* Parameters of a body, from mechanism.p_body + SARRUS_PB_N · body: those of the plane, and those of space. Mass and 1/m come first
 * in both. Of a body that may lack mass or inertia mass and inertia are its own, and 1/m, 1/I and L those of M + E
 * (kernels/formulation/semi_definite.h). */
enum {
    SARRUS_PB_MASS = 0,
    SARRUS_PB_MINV,
    SARRUS_PB_INERTIA,
    SARRUS_PB_IINV,
    SARRUS_PB_CRANK_IINV, /* 1/(kg m²), 1/(I + m|a|²) of a crank, a from its mass centre to its pin on ground; else 0 */
    SARRUS_PB_N
};
enum {
    SARRUS_SB_MASS = SARRUS_PB_MASS,
    SARRUS_SB_MINV = SARRUS_PB_MINV,
    SARRUS_SB_INERTIA,                      /* kg m², of I in the body's frame: xx, yy, zz, xy, xz, yz */
    SARRUS_SB_IINV = SARRUS_SB_INERTIA + 6, /* 1/(kg m²), of I⁻¹ likewise */
    SARRUS_SB_ROOT = SARRUS_SB_IINV + 6,    /* of the lower triangle L with I = L Lᵀ: xx, yy, zz, yx, zx, zy */
    SARRUS_SB_ROTOR = SARRUS_SB_ROOT + 6,   /* [3] kg m²/s, relative momentum in the body's frame */
    SARRUS_SB_N = SARRUS_SB_ROTOR + 3
};

/* Parameters of a joint, from joint.p. */
enum {
    SARRUS_PJ_PARENT_X = 0, /* m, joint point in the parent's frame */
    SARRUS_PJ_PARENT_Y,
    SARRUS_PJ_CHILD_X, /* m, joint point in the child's frame */
    SARRUS_PJ_CHILD_Y,
    SARRUS_PJ_ANGLE0, /* rad, θ_child − θ_parent of the given configuration */
    SARRUS_PJ_AXIS_X, /* prismatic: unit axis in the parent's frame */
    SARRUS_PJ_AXIS_Y,
    SARRUS_PJ_SHIFT0,    /* prismatic: m, free coordinate's zero; distance: m, the length */
    SARRUS_PJ_STIFFNESS, /* N m/rad | N/m */
    SARRUS_PJ_DAMPING,   /* N m s/rad | N s/m */
    SARRUS_PJ_REST,      /* rad | m */
    SARRUS_PJ_N
};

/* Parameters of a joint in space, from joint.p. Its axes are those of spatial_row.def. */
enum {
    SARRUS_SJ_PARENT = 0,                             /* [3] m, joint point in the parent's frame */
    SARRUS_SJ_CHILD = 3,                              /* [3] m, joint point in the child's frame */
    SARRUS_SJ_PARENT_AXES = 6,                        /* [3][3] p₁, p₂, p₃ in the parent's frame */
    SARRUS_SJ_CHILD_AXES = SARRUS_SJ_PARENT_AXES + 9, /* [3][3] c₁, c₂, c₃ in the child's frame */
    SARRUS_SJ_LENGTH = SARRUS_SJ_CHILD_AXES + 9,      /* m, of a distance joint; of a screw the zero of p₃·d */
    SARRUS_SJ_PITCH,                                  /* m/rad */
    SARRUS_SJ_N
};

/* Parameters of a free coordinate in space, from freedom.p. */
enum {
    SARRUS_SQ_STIFFNESS = 0, /* N m/rad | N/m */
    SARRUS_SQ_DAMPING,       /* N m s/rad | N s/m */
    SARRUS_SQ_REST,          /* rad | m */
    SARRUS_SQ_ZERO,          /* m, of SHIFT: p_k·d at t = 0 */
    SARRUS_SQ_N
};

/* Parameters of a force, from force.p. */
enum {
    SARRUS_PF_A_X = 0, /* m, point on body 0 */
    SARRUS_PF_A_Y,
    SARRUS_PF_B_X, /* m, point on body 1 */
    SARRUS_PF_B_Y,
    SARRUS_PF_STIFFNESS, /* N/m; torque: value N m; point force: x, N */
    SARRUS_PF_REST,      /* m; point force: y, N */
    SARRUS_PF_DAMPING,   /* N s/m */
    SARRUS_PF_N
};

/* The same in space. */
enum {
    SARRUS_SF_A = 0,    /* [3] m, point on body 0 */
    SARRUS_SF_B = 3,    /* [3] m, point on body 1 */
    SARRUS_SF_LOAD = 6, /* [3] N | N m, of force and torque */
    SARRUS_SF_STIFFNESS = SARRUS_SF_LOAD,
    SARRUS_SF_REST,
    SARRUS_SF_DAMPING,
    SARRUS_SF_N
};

/* Ground, where signals move it (sarrus_mechanism.moves_ground): the numbers of its motion among the parameters, from p_ground, and
 * what the workspace holds of it. Planar: a turn about the point `about`, then a shift. */
enum { SARRUS_PG_ABOUT_X = 0, /* m */ SARRUS_PG_ABOUT_Y, SARRUS_PG_N };
enum {
    SARRUS_GROUND_X = 0, /* m, rad: the pose, with the sine and the cosine of the angle */
    SARRUS_GROUND_Y,
    SARRUS_GROUND_ANGLE,
    SARRUS_GROUND_SINE,
    SARRUS_GROUND_COSINE,
    SARRUS_GROUND_SPEEDS, /* [3] m/s, m/s, rad/s */
    SARRUS_GROUND_ACCELERATIONS = SARRUS_GROUND_SPEEDS + 3,
    SARRUS_GROUND_POWER = SARRUS_GROUND_ACCELERATIONS + 3, /* W, of springs, dampers and loads on ground */
    SARRUS_GROUND_N
};
/* In space: a turn about an axis through the point `about`, then a shift. */
enum {
    SARRUS_SG_AXIS = 0,  /* [3] a unit vector, the same in ground's frame and in the inertial one */
    SARRUS_SG_ABOUT = 3, /* [3] m */
    SARRUS_SG_N = 6
};
enum {
    SARRUS_SPATIAL_GROUND_ROTATION = 0, /* [3][3] from ground's frame to the inertial one */
    SARRUS_SPATIAL_GROUND_AT = 9,       /* [3] m, its origin */
    SARRUS_SPATIAL_GROUND_SPEEDS = 12,  /* [6] velocity of the origin, angular velocity: along the axis */
    SARRUS_SPATIAL_GROUND_ACCELERATIONS = SARRUS_SPATIAL_GROUND_SPEEDS + 6, /* [6] their rates */
    SARRUS_SPATIAL_GROUND_POWER = SARRUS_SPATIAL_GROUND_ACCELERATIONS + 6,
    SARRUS_SPATIAL_GROUND_N
};
/* The signals that move it: shifts along the inertial axes, and the angle. */
enum { SARRUS_MOST_GROUND_SIGNALS = 4 };

/* A spring or a damper: none, one that loads bodies through a row, or one along a coordinate of the tree (sarrus_mech_spring). */
enum { SARRUS_ELASTIC_NOT = 0, SARRUS_ELASTIC_BY_BODIES = 1, SARRUS_ELASTIC_BY_SPEED = 2 };

typedef struct sarrus_mech_joint {
    int32_t kind;
    int32_t parent, child;
    int32_t row;     /* first row */
    int32_t n_rows;  /* the drive's row included, which comes last */
    int32_t p;       /* offset of its parameters */
    int32_t signal;  /* of the drive, −1 when free */
    int32_t elastic; /* has a spring or a damper along the free coordinate in some instance */
    /* Cranks (kernels/formulation/crank.h): bodies whose pin on ground is eliminated in closed form. */
    int32_t is_crank_pin; /* this joint is such a pin: its first two rows are not in the factor */
    /* Of a crank among the two bodies: 2·(x row of its pin) + (0 the pin has it as parent, 1 as child); −1: the body is none. */
    int32_t parent_crank, child_crank;
    int32_t is_in_loop; /* of a set of loops that hang together */
    int32_t is_within;  /* of the tree of relative coordinates: it has no rows but those of its drives; `row` is m without any */
    int32_t lap_rows;   /* in a lap (plan_runs.h): how far its rows lie behind those of lap 0, which are of their kinds; else 0 */
} sarrus_mech_joint;

/* A free coordinate of a joint in space. */
typedef struct sarrus_mech_freedom {
    int32_t form; /* sarrus_freedom */
    int32_t joint;
    int32_t p;       /* offset of its parameters */
    int32_t elastic; /* has a spring or a damper in some instance */
    int32_t signal;  /* of its drive, −1 when free */
    int32_t row;     /* of its drive, −1 */
    int32_t at;      /* of its first number among those of all free coordinates */
} sarrus_mech_freedom;

typedef struct sarrus_mech_force {
    int32_t type; /* sarrus_force_type */
    int32_t body[2];
    int32_t p;
    int32_t source[3]; /* sarrus_source_kind of each component */
    int32_t index[3];  /* of the signal or input */
    int32_t in_body_frame;
} sarrus_mech_force;

typedef struct sarrus_mech_signal {
    int32_t kind;  /* sarrus_signal_kind */
    int32_t n;     /* polynomial: coefficients; table: intervals, four coefficients each (ascending powers of t − knot) */
    int32_t p;     /* offset of its parameters */
    int32_t knots; /* offset into mechanism.knots */
} sarrus_mech_signal;

/* Φ = x_A − f(x_B) of the free coordinates of two joints. The row of J holds the bodies of both: those of A stand in row `row`,
 * those of B in `part`, a line of the same tables behind all rows. A curve has the body that it belongs to as of[0].parent, that of
 * the point as of[0].child, and no part. */
typedef struct sarrus_mech_constraint {
    int32_t type;            /* sarrus_constraint_type */
    int32_t row, part;       /* m ≤ part < m + n_parts; −1: two bodies are all that the row holds */
    int32_t p;               /* offset of its parameters */
    int32_t is_periodic;     /* of a table or a curve: it goes round */
    int32_t n_pieces;        /* of a curve */
    int32_t signal;          /* nonholonomic: of the speed at which it slips, m/s | rad/s; −1: it does not */
    int32_t rolls;           /* nonholonomic: a sarrus_roll */
    int32_t seen;            /* of a curve: place of its foot among what the tile has seen */
    sarrus_mech_joint of[2]; /* A, B; a kind with a length has the distance of its points for a coordinate */
    sarrus_mech_signal table;
} sarrus_mech_constraint;

typedef struct sarrus_mech_row {
    int32_t kind;
    int32_t parent, child;
    int32_t joint;   /* n_joints + i of constraint i: what plan and kernels ask of a joint is there too */
    int32_t form;    /* sarrus_spatial_row; 0 in the plane */
    int32_t freedom; /* of a drive in space: which is driven; else −1 */
} sarrus_mech_row;

/* One body's share of an entry of J M⁻¹ Jᵀ: destination += sign·(e_i·e_j)/m + t_i t_j/I; of a crank: l_i l_j/I_A. */
enum { SARRUS_SHARE_ROTATION = 0, SARRUS_SHARE_PLUS = 1, SARRUS_SHARE_MINUS = 2, SARRUS_SHARE_GENERAL = 3, SARRUS_SHARE_CRANK = 4 };
typedef struct sarrus_mech_share {
    int32_t destination;
    int32_t side_i, side_j; /* 2·row + (0 parent, 1 child) */
    int32_t body;
    int32_t kind;     /* what is known of e_i·e_j: 0, 1 with either sign, or nothing */
    int32_t opposite; /* general: the rows hold the body by opposite sides, so e_i·e_j counts negative */
} sarrus_mech_share;

/* The shares of one body in a 2×2 block of J M⁻¹ Jᵀ between the pin rows (x, y) of two joints: destination[r][c] +=
 * push_i[r] turn_j[c] + δ_rc (± 1/m); of a crank: destination[r][c] += push_i[r] lever_j[c]. */
typedef struct sarrus_mech_block_share {
    int32_t destination;    /* block */
    int32_t side_i, side_j; /* 2·(x row) + (0 parent, 1 child) */
    int32_t body;
    int32_t opposite; /* the joints hold the body by opposite sides: −1/m */
    int32_t is_crank;
} sarrus_mech_block_share;

/* A crank's 1/m, which S_kk would hold more at element `at` of vectors in elimination order if the crank were free: pivots are
 * judged relative to that. */
typedef struct sarrus_mech_scale {
    int32_t at, body;
} sarrus_mech_scale;

/* A sparse LDLᵀ of S = J M⁻¹ Jᵀ over the independent rows I without those of crank pins, by 2×2 blocks in elimination order. A
 * block row holds two rows of one joint, or one and a pad (a row of the unit matrix). Block k of the diagonal is stored in block
 * place k as (00, 10, 11), the blocks of L below it, entries column[k] … column[k + 1] − 1, in block places n_blocks + p as (00,
 * 01, 10, 11); entry p stands in block row entry_row[p]. A block place is four lane arrays. update[] lists, for each column and
 * each pair (a ≥ b) of its entries in order, the block place that the product of entries a and b is subtracted from. Vectors in
 * elimination order have 2 n_blocks elements, those of pads are zero. */
typedef struct sarrus_mech_factor {
    int32_t n_independent; /* rows I: the generic rank */
    int32_t n_rows;        /* of these in the factor: the others are two for each crank */
    int32_t n_blocks;
    int32_t n_entries; /* blocks below the diagonal */
    int32_t n_updates;
    const int32_t *row_of;                             /* [n_rows] rows of the mechanism, in elimination order */
    const int32_t *at;                                 /* [n_rows] their elements in vectors of elimination order */
    PLAN_TABLE(int32_t, column, SARRUS_PLAN_N_COLUMN); /* [n_blocks + 1] */
    const int32_t *entry_row;                          /* [n_entries] block row */
    const int32_t *update;                             /* [n_updates] */
    int32_t n_block_shares, n_first_block_shares;      /* the first ones begin their destinations, the others add to them */
    const sarrus_mech_block_share *block_share;        /* [n_block_shares] blocks between pins */
    int32_t n_shares, n_first;                         /* the same for single entries */
    const sarrus_mech_share *share;                    /* [n_shares] destination: lane array of the factor */
    int32_t n_fill;
    const int32_t *fill; /* [n_fill] lane arrays of the factor that no share begins: zero */
    int32_t n_pads;
    const int32_t *pad; /* [n_pads] lane arrays of the factor that hold the diagonal of a pad: one */
    int32_t n_scales;
    const sarrus_mech_scale *scale; /* [n_scales] */
    int32_t n_dependent;
    PLAN_TABLE(int32_t, dependent, SARRUS_PLAN_N_DEPENDENT); /* [n_dependent] rows of the mechanism outside I */
    /* [2 n_blocks] the smallest pivot that each row may have, relative to its own S_kk: `guard` of its ordinary one. A row with a
     * smaller one is held apart, or, for the projection of a passage that is crossed exactly, left out for the moment. */
    PLAN_TABLE(double, guard, 2 * SARRUS_PLAN_N_BLOCKS); /* plan */
} sarrus_mech_factor;

/* A share with every operand as a place: destination += push_i·turn_j (+ or − 1/m, or (e_i·e_j)/m); of a crank: push_i·lever_j.
 * push and turn of a side are one lane array, in space three; e of a row two, in space three. */
typedef struct sarrus_lane_share {
    sarrus_lane_offset destination;
    sarrus_lane_offset push, turn;
    sarrus_lane_offset mass;                     /* the body's 1/m among the parameters */
    sarrus_lane_offset direction_i, direction_j; /* e_i, e_j; general shares only */
} sarrus_lane_share;

/* Kinds of lane shares: the general ones are split by sign so that no loop has to ask. */
enum {
    SARRUS_LANE_ROTATION = 0,
    SARRUS_LANE_PLUS = 1,
    SARRUS_LANE_MINUS = 2,
    SARRUS_LANE_GENERAL_PLUS = 3,
    SARRUS_LANE_GENERAL_MINUS = 4,
    SARRUS_LANE_CRANK = 5,
    SARRUS_N_LANE_KINDS = 6
};

/* A block share with every operand as a place. */
typedef struct sarrus_lane_block_share {
    sarrus_lane_offset destination;
    sarrus_lane_offset push, turn; /* of the x rows; those of the y rows are two lane arrays further */
    sarrus_lane_offset mass;
} sarrus_lane_block_share;

/* Kinds of block shares. On the diagonal both joints are one, so the block is symmetric and three entries do. */
enum {
    SARRUS_LANE_DIAGONAL = 0,
    SARRUS_LANE_SAME = 1,
    SARRUS_LANE_OPPOSITE = 2,
    SARRUS_LANE_CRANK_DIAGONAL = 3,
    SARRUS_LANE_CRANK_BLOCK = 4,
    SARRUS_N_LANE_BLOCK_KINDS = 5
};

/* A scale with both operands as places. */
typedef struct sarrus_lane_scale {
    sarrus_lane_offset at, mass;
} sarrus_lane_scale;

/* The factor's tables for tiles of one width (made by sarrus_plan_lower). The shares stand in segments: first those that begin
 * their destination, kind by kind, then those that add to it, kind by kind. */
typedef struct sarrus_lane_tables {
    int32_t width;
    int32_t block_segment[2 * SARRUS_N_LANE_BLOCK_KINDS + 1];
    int32_t segment[2 * SARRUS_N_LANE_KINDS + 1];
    PLAN_TABLE(sarrus_lane_block_share, block_share, SARRUS_PLAN_N_BLOCK_SHARES);
    PLAN_TABLE(sarrus_lane_share, share, SARRUS_PLAN_N_SHARES);
    PLAN_TABLE(sarrus_lane_offset, fill, SARRUS_PLAN_N_FILL);           /* [n_fill] */
    PLAN_TABLE(sarrus_lane_offset, pad, SARRUS_PLAN_N_PADS);            /* [n_pads] */
    PLAN_TABLE(sarrus_lane_scale, scale, SARRUS_PLAN_N_SCALES);         /* [n_scales] */
    PLAN_TABLE(sarrus_lane_offset, row, SARRUS_PLAN_N_FACTORED);        /* [n_rows] rows of the mechanism in elimination order */
    PLAN_TABLE(sarrus_lane_offset, at, SARRUS_PLAN_N_FACTORED);         /* [n_rows] their elements in elimination order */
    PLAN_TABLE(sarrus_lane_offset, dependent, SARRUS_PLAN_N_DEPENDENT); /* [n_dependent] */
    PLAN_TABLE(sarrus_lane_offset, entry_row, SARRUS_PLAN_N_ENTRIES);   /* [n_entries] first element of the block row */
    PLAN_TABLE(int32_t, first_update, SARRUS_PLAN_N_ENTRIES);           /* [n_entries] in update[]: that of the entry with itself */
    PLAN_TABLE(sarrus_lane_offset, update, SARRUS_PLAN_N_UPDATES);      /* [n_updates] first lane array of the block */
} sarrus_lane_tables;

/* A limit that is off: infinity cannot be written into a constant plan. */
#define SARRUS_NO_LIMIT 1e300

/* How accelerations are solved for. */
enum { SARRUS_SOLVE_AUTO = 0, SARRUS_SOLVE_METHOD = 1, SARRUS_SOLVE_EXTERNAL = 2 };

/* The highest order of adams-moulton, and the most stages of a Runge-Kutta method, the one at the step's end included. */
enum { SARRUS_MAX_ORDER = 12, SARRUS_MAX_STAGES = 9 };

/* Accelerations inside a step by which a Runge-Kutta pair shows what lies between its ends, and the weights that go with them
 * (kernels/step/dense.h): polynomials in the part x of the step, ascending powers, of v₁ − v₀, of a at the step's beginning, at the
 * nodes, and at its end. */
enum { SARRUS_DENSE_NODES = 3, SARRUS_DENSE_WEIGHTS = SARRUS_DENSE_NODES + 3, SARRUS_DENSE_DEGREE = 7 };
typedef struct sarrus_mech_dense {
    int32_t n_nodes;
    int32_t has_first;                                       /* one more, at half the step, makes those at the nodes good enough */
    double node[SARRUS_DENSE_NODES];                         /* plan */
    double q[SARRUS_DENSE_WEIGHTS][SARRUS_DENSE_DEGREE + 1]; /* plan */
    double v[SARRUS_DENSE_WEIGHTS][SARRUS_DENSE_DEGREE + 1]; /* plan */
} sarrus_mech_dense;

/* How steps are made. A Runge-Kutta method of n_stages takes its last stage at the end of the step, where the next one begins:
 *   f_s = f(t + c_s h, y + h Σ_j a_sj f_j),   y⁺ = y + h Σ_j a_{last,j} f_j,   error = h Σ_j e_j f_j ∝ h^error_order.
 * What depends on the order of adams-moulton is indexed by it; other methods use element 0. */
typedef struct sarrus_mech_integrator {
    int32_t method; /* sarrus_integrator */
    int32_t is_adaptive;
    int32_t is_tangential; /* errors across the constraints do not count: stabilisation makes and removes them */
    int32_t has_step_gains;
    int32_t max_order; /* of adams-moulton */
    int32_t n_stages, error_order;
    double dt; /* plan */                                                          /* s, the fixed step or the first one */
    double rtol, atol; /* plan */                                                  /* tolerance of component y: atol + rtol·|y| */
    double max_steps; /* plan */                                                   /* tried, per instance */
    double a[SARRUS_MAX_STAGES][SARRUS_MAX_STAGES - 1]; /* plan */                 /* row s: weights of the earlier stages */
    double c[SARRUS_MAX_STAGES], e[SARRUS_MAX_STAGES]; /* plan */                  /* times of the stages, weights of the error */
    double gamma_star[SARRUS_MAX_ORDER + 2]; /* plan */                            /* |γ*_k|, error constants of adams-moulton */
    double damped[SARRUS_MAX_ORDER + 1], ringing[SARRUS_MAX_ORDER + 1]; /* plan */ /* stability limits of h|λ|, see control.h */
    double gain[SARRUS_MAX_ORDER + 1]; /* plan */ /* α h = β h of the gains that follow the step */
    double across; /* plan */                     /* the place in a step that is farthest from all its stages */
    sarrus_mech_dense dense;
} sarrus_mech_integrator;

/* What is_dense of a lane says of its last step. */
enum {
    SARRUS_DENSE_NONE = 0,  /* nobody has looked into it */
    SARRUS_DENSE_READY = 1, /* the accelerations are there */
    SARRUS_DENSE_FAILED = 2 /* some of them are no numbers: the quintic has to do */
};

/* How near to a change point a state is: of the rows that are not crossed, and of all. */
#define SARRUS_N_CLOSENESS 2

/* Where the fields of an instance stand in a tile: offsets in lane arrays from the tile's start. include/sarrus/field.def has their
 * sizes, units and meaning. A method that chooses its steps has a time and a state of its own, which run ahead of what q and v
 * show. */
typedef struct sarrus_adaptive_layout {
#define SARRUS_ADAPTIVE_FIELD(name, ...) int32_t name;
#define SARRUS_ADAMS_FIELD(name, ...) int32_t name;
#define SARRUS_RUNGE_KUTTA_FIELD(name, ...) int32_t name;
#include "sarrus/field.def"
} sarrus_adaptive_layout;

/* Those by which a lane passes change points (kernels/step/change_point.h). */
typedef struct sarrus_passage_layout {
#define SARRUS_PASSAGE_FIELD(name, ...) int32_t name;
#define SARRUS_PASSAGE_ROW_FIELD(name, ...) int32_t name;
#include "sarrus/field.def"
} sarrus_passage_layout;

/* Those by which a lane is judged (kernels/step/verdict.h). */
typedef struct sarrus_verdict_layout {
#define SARRUS_VERDICT_FIELD(name, ...) int32_t name;
#include "sarrus/field.def"
} sarrus_verdict_layout;

typedef struct sarrus_tile_layout {
#define SARRUS_TILE_FIELD(name, ...) int32_t name;
#include "sarrus/field.def"
    sarrus_verdict_layout verdict;
    sarrus_passage_layout passage;
    sarrus_adaptive_layout adaptive;
    int32_t n_arrays; /* length of a tile */
} sarrus_tile_layout;

/* What steps write, [first, last) in a tile laid out `at`: the fields of kind STEPPED of sarrus/field.def. */
#define SARRUS_STEPPED_RANGES(at)                                                                                                  \
    {                                                                                                                              \
        {(at)->q, (at)->parameter}, {(at)->status, (at)->status0}, {(at)->failed_step, (at)->rank}, {(at)->rank_now, (at)->q0}, {  \
            (at)->verdict.balance0, (at)->n_arrays                                                                                 \
        }                                                                                                                          \
    }
enum { SARRUS_N_STEPPED_RANGES = 5 };

/* When: steps are counted from t = 0; step n_total − 1 ends at t_end exactly. */
typedef struct sarrus_clock {
    uint64_t step;               /* steps done */
    uint64_t n_total;            /* steps to t_end */
    double dt, t_end; /* plan */ /* s */
} sarrus_clock;

/* Where the parts of one observation go: offsets in lane arrays, −1 for what is not wanted or stands in the state. */
typedef struct sarrus_observe_request {
    sarrus_clock clock; /* where the state is */
    int32_t at[SARRUS_N_OBSERVABLES];
    int32_t n_arrays;   /* length of one observation */
    int32_t n_computed; /* of which the first ones are computed; the others stand in the tile */
} sarrus_observe_request;

/* A reference solver outside the kernels: z = D⁺ b for every lane of a tile, and the rank decision (kernels/pinv/rank.h). */
typedef struct sarrus_external_problem {
    int32_t m, n, width;
    const void *d;                                       /* [m][n][width] */
    const void *b;                                       /* [m][width] */
    const void *max_rank, *previous, *violation, *share; /* [width] */
    const void *active;                                  /* [width] 1 in the lanes that are asked for, else 0 */
    void *z;                                             /* [n][width] out */
    void *rank, *kept, *dropped;                         /* [width] out */
} sarrus_external_problem;
typedef void (*sarrus_external_solve)(void *user, const sarrus_external_problem *problem);

/* The rank-revealing path of the generic kernels, for specialised ones: z = M^{-1/2} D⁺ rhs and the rank decision from rows that
 * were evaluated elsewhere. */
typedef struct sarrus_rank_path_problem {
    const void *turn;      /* [m][2][width] */
    const void *direction; /* [m][2][width]; NULL when there are no general rows */
    /* Of relative coordinates, instead: as workspace.def has them. */
    const void *leg;                 /* [n_entries][width] */
    const void *whole;               /* [m][width] */
    const void *share, *lightness;   /* [n_chain][width], [n_v][width] */
    const void *hold, *motion;       /* [n_v][3 | 6][width] each, where rows go through the factor by bodies */
    const void *phi;                 /* [m][width] the violation, for the rule that asks; else NULL */
    const void *stage_violation;     /* [width] the ‖Φ‖ of the state that is accelerated */
    const void *rhs;                 /* [m][width] */
    const void *max_rank, *rank_now; /* [width] */
    int32_t has_crossed;             /* some lane has rows that are crossed exactly (the tile knows which) */
    int32_t how;                     /* SARRUS_DOUBT_… */
    int32_t wants_closeness;         /* closeness is that of the rows; otherwise it is as it was before, and rows in doubt join */
    int32_t is_looking;              /* of a look ahead: it takes the closeness of all rows as it is */
    const void *slow;                /* [width] 1 in the lanes that are asked for, else 0 */
    const void *healthy;             /* [width] 1 in the lanes that count, else 0 */
    void *swapped;                   /* [width] in and out, 1 in the lanes whose sunk rows are held against the dependent ones */
    const void *asks_all;            /* [width] 1 in the lanes whose closeness is that of all rows, else 0 */
    void *z;                         /* [n][width] out */
    void *closeness;                 /* [2][width] out */
    void *rank;                      /* [width] out */
} sarrus_rank_path_problem;
typedef void (*sarrus_external_rank_path)(void *user, const sarrus_rank_path_problem *problem);

/* has_swing: what the balance of the energy allows for, beside 0, nothing (kernels/step/verdict.h): what the motion of the method
 * is off by, or that and the work of its steps. Dampers do none that a step from rest could lack. */
enum { SARRUS_SWING_OF_MOTION = 1, SARRUS_SWING_OF_WORK = 2 };

typedef struct sarrus_mechanism {
    int32_t space;     /* sarrus_space */
    int32_t is_single; /* steps are made in single precision */
    int32_t n_bodies, n_joints, n_forces, n_signals, n_inputs, n_drives;
    int32_t n_freedoms, n_free; /* free coordinates in space, and the numbers that they are */
    int32_t n_joint_numbers;    /* those of the plane too */
    int32_t n_q;                /* coordinates */
    int32_t n_v;                /* speeds */
    int32_t m;                  /* rows */
    int32_t n_general_rows;
    int32_t n_constraints;
    int32_t n_parts;  /* of rows, which hold more than two bodies */
    int32_t n_curves; /* among the constraints */
    int32_t n_cranks;
    int32_t n_lacking;                       /* bodies that may lack mass or inertia (kernels/formulation/semi_definite.h) */
    int32_t n_of_kind[SARRUS_N_JOINT_TYPES]; /* joints of each kind */
    int32_t n_elastic;                       /* joints that are */
    int32_t max_joint_rows;                  /* rows of a joint, at most */
    int32_t n_parameters;
    int32_t p_gravity;   /* [2] m/s² */
    int32_t p_baumgarte; /* [2] α, β in 1/s */
    int32_t p_body;
    int32_t has_baumgarte;
    int32_t moves_ground;                              /* signals move ground */
    int32_t p_ground;                                  /* the numbers of its motion, where they do */
    int32_t ground_signal[SARRUS_MOST_GROUND_SIGNALS]; /* by dimension the shifts, then the angle; −1: that is 0 */
    PLAN_TABLE(sarrus_mech_joint, joint, SARRUS_PLAN_N_JOINTS);
    PLAN_TABLE(sarrus_mech_freedom, freedom, SARRUS_PLAN_N_FREEDOMS);
    PLAN_TABLE(sarrus_mech_force, force, SARRUS_PLAN_N_FORCES);
    PLAN_TABLE(sarrus_mech_signal, signal, SARRUS_PLAN_N_SIGNALS);
    PLAN_TABLE(sarrus_mech_row, row, SARRUS_PLAN_N_ROWS);
    const sarrus_mech_constraint *constraint;                  /* [n_constraints]; constant plans have none */
    PLAN_TABLE(double, knots, SARRUS_PLAN_N_KNOTS); /* plan */ /* s */
    sarrus_mech_factor factor;
#if !defined(SARRUS_CONSTANT_PLAN) || defined(SARRUS_KERNELS_RELATIVE)
    sarrus_mech_tree tree;
#endif
    sarrus_lane_tables lane;
    sarrus_tile_layout layout;
    sarrus_mech_integrator integrator;
    int32_t formulation; /* sarrus_formulation */
    int32_t solve;
    int32_t method; /* sarrus_pinv_method */
    int32_t project;
    sarrus_rank_rule rank;
    PLAN_TABLE(int32_t, independent, SARRUS_PLAN_N_INDEPENDENT); /* [factor.n_independent] rows I, ascending */
    const double *row_weight; /* [m] w² of multipliers that are not unique; NULL: 1, as of constant plans */ /* plan */
    int32_t rank_change_capacity; /* changes of rank that a tile can hold until they are fetched */
    double project_tolerance;     /* plan */
    /* Smallest pivot that the block LDLᵀ may use, relative to the row's ordinary pivot: that in ordinary configurations, by which
     * the distance of each row from a change point is measured. */
    double guard; /* plan */
    /* The smallest ordinary pivot of all rows, relative to its row's S_kk. */
    double ordinary; /* plan */
    /* Below this distance the dense method cannot follow a bend; 0: it can everywhere. */
    double weak_distance; /* plan */
    /* The same where a change point is crossed exactly. */
    double weak_crossing; /* plan */
    /* m, of the assembled mechanism: the diagonal of the box around its joints. */
    double size; /* plan */
    /* What an instance that is ok keeps to, SARRUS_NO_LIMIT: anything. ‖Φ‖ in m | rad; the others relative. */
    double limit_violation, limit_energy, limit_error; /* plan */
    /* m | rad, what ‖Φ‖ is relative to, and J, below which there is no motion. */
    double violation_unit, energy_floor; /* plan */
    int32_t has_work;                    /* something else than gravity and springs may do work on the mechanism */
    int32_t has_swing;                   /* not 0: the limit of energy is the plan's, SARRUS_SWING_… */
    int32_t is_judged;                   /* a motion that is not resolved is to end */
    int32_t wants_error;                 /* the steps of rk4 estimate their error */
    int32_t has_parts;                   /* a fixed step that does not resolve the motion is made in parts */
    int32_t is_watched;                  /* change points are looked out for */
    /* Rows less than m that the work space of the rank-revealing paths holds, where memory is short: lanes that need them get NaN
     * from there, and end. */
    int32_t n_rows_short;
} sarrus_mechanism;

#if defined(SARRUS_PLAN_IN_RUNS)
#if defined(SARRUS_KERNELS_RELATIVE)
/* Of the tables of a tree; <table>_laps: of the number of an item. */
typedef struct sarrus_plan_tree_steps {
    sarrus_mech_link link[SARRUS_PLAN_N_LINKS];
    int32_t speed_body[SARRUS_PLAN_N_TREE_SPEEDS];
    int32_t speed_laps[SARRUS_PLAN_N_TREE_SPEEDS];
    int32_t chain[SARRUS_PLAN_N_CHAIN];
    int32_t owner[SARRUS_PLAN_N_CHAIN];
    int32_t chain_laps[SARRUS_PLAN_N_CHAIN];
    sarrus_mech_entry entry[SARRUS_PLAN_N_TREE_ENTRIES];
    int32_t entry_laps[SARRUS_PLAN_N_TREE_ENTRIES];
    sarrus_mech_carry carry[SARRUS_PLAN_N_CARRIES];
    sarrus_mech_tree_step step[SARRUS_PLAN_N_TREE_STEPS];
} sarrus_plan_tree_steps;
#endif

/* By how much the items of the plan's tables grow from lap to lap of their runs (plan_runs.h). */
typedef struct sarrus_plan_steps {
    sarrus_mech_joint joint[SARRUS_PLAN_N_JOINTS];
    sarrus_lane_block_share block_share[SARRUS_PLAN_N_BLOCK_SHARES];
    sarrus_lane_share share[SARRUS_PLAN_N_SHARES];
    sarrus_lane_offset fill[SARRUS_PLAN_N_FILL];
    sarrus_lane_offset pad[SARRUS_PLAN_N_PADS];
    sarrus_lane_scale scale[SARRUS_PLAN_N_SCALES];
    sarrus_lane_offset row[SARRUS_PLAN_N_FACTORED];
    sarrus_lane_offset at[SARRUS_PLAN_N_FACTORED];
    int32_t block[SARRUS_PLAN_N_BLOCKS];  /* of the number of a block column */
    int32_t column[SARRUS_PLAN_N_BLOCKS]; /* of its first entry */
    sarrus_lane_offset entry_row[SARRUS_PLAN_N_ENTRIES];
    sarrus_lane_offset update[SARRUS_PLAN_N_UPDATES];
#if defined(SARRUS_KERNELS_RELATIVE)
    sarrus_plan_tree_steps tree;
#endif
} sarrus_plan_steps;
#endif

#endif
