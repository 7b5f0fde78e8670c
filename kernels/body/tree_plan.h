/* The plan's tables of relative coordinates: bodies hang on one another as a tree, and the state is what the joints of the tree do
 * (S2 22-25, 61; S3 5.2). What closes loops are rows. */
#ifndef SARRUS_BODY_TREE_PLAN_H
#define SARRUS_BODY_TREE_PLAN_H

#include <stdint.h>

#include "kernels/body/plan_table.h"

/* SARRUS_LINK(NAME, value, plane_q, plane_v, space_q, space_v): how a body moves that hangs on another one; how many coordinates
 * and
 * speeds that is in the plane and in space, 0 where there is no such link. Slides come before turns. With the joint's axes fixed in
 * the inboard body (1, 2, 3) and in the outboard body (1', 2', 3'), which coincide where all coordinates are 0, and its points:
 *
 *   FIXED      nothing
 *   TURN       about 3 (in the plane: its normal)
 *   SLIDE      along 3 (in the plane: the axis, with the inboard body's angle)
 *   CYLINDER   along 3, about 3
 *   SCREW      about 3, and pitch times as far along it
 *   UNIVERSAL  about the first axis, then about the second: 1 and 2', or of a joint that is taken from its child 2 and 1'
 *   BALL       Euler parameters; speeds ω in the axes 1', 2', 3'
 *   PLANE      along 1, along 2, about 3
 *   FREE       as coordinates and speeds of a body in absolute coordinates, but ṙ too is an inertial vector */
#define SARRUS_LINKS(SARRUS_LINK)                                                                                                  \
    SARRUS_LINK(FIXED, 0, 0, 0, 0, 0)                                                                                              \
    SARRUS_LINK(TURN, 1, 1, 1, 1, 1)                                                                                               \
    SARRUS_LINK(SLIDE, 2, 1, 1, 1, 1)                                                                                              \
    SARRUS_LINK(CYLINDER, 3, 0, 0, 2, 2)                                                                                           \
    SARRUS_LINK(SCREW, 4, 0, 0, 1, 1)                                                                                              \
    SARRUS_LINK(UNIVERSAL, 5, 0, 0, 2, 2)                                                                                          \
    SARRUS_LINK(BALL, 6, 0, 0, 4, 3)                                                                                               \
    SARRUS_LINK(PLANE, 7, 0, 0, 3, 3)                                                                                              \
    SARRUS_LINK(FREE, 8, 3, 3, 7, 6)

typedef enum sarrus_link_form {
#define SARRUS_LINK(name, value, plane_q, plane_v, space_q, space_v) SARRUS_LINK_##name = value,
    SARRUS_LINKS(SARRUS_LINK)
#undef SARRUS_LINK
} sarrus_link_form;
enum { SARRUS_N_LINK_FORMS = 9 };

/* What becomes of a vector from the frame of an outboard body to that of the inboard one, where the joint's axes lie along those of
 * both: nothing; a turn about axis x, y or z, which is the same in both; a turn, of a slide by 0, between different axes. */
enum { SARRUS_OWN_STRAIGHT = 0, SARRUS_OWN_TURN_X = 1, SARRUS_OWN_ASKEW = 4 };

/* A body and what it hangs on; every inboard body comes before its outboard ones. */
typedef struct sarrus_mech_link {
    int32_t form; /* sarrus_link_form */
    int32_t body;
    int32_t inboard;     /* body, −1: ground */
    int32_t root;        /* the body on ground that it hangs on, itself perhaps: moments of its tree are about that one's centre */
    int32_t joint;       /* −1: it floats */
    int32_t p;           /* offset of the joint's parameters */
    int32_t origin;      /* of its tree's point on ground among the parameters; −1: its root floats */
    int32_t is_reversed; /* the joint has the inboard body as child */
    int32_t freedom;     /* in space: the joint's first free coordinate (mechanism.freedom), whose zeros its slides begin at */
    int32_t q, v;        /* its first coordinate and speed */
    int32_t n_v;         /* its speeds */
    int32_t is_pure;     /* it turns about the origin of its tree, and nothing else */
    int32_t is_on_pure;  /* the inboard body does */
    /* In space, of what holds in every instance; elsewhere 0. Components of the joint's points that are 0, bit k of each; ± (1 + k)
     * where an axis of the joint is axis k of the body or against it; whether the body has no products of inertia, and whether it
     * may have a rotor. */
    int32_t inboard_zeros, outboard_zeros;
    int32_t inboard_axis[3], outboard_axis[3];
    int32_t is_diagonal, has_rotor;
    int32_t axis, is_against; /* of a link in frames of its own: that of the body that the third axis is along, or against */
    int32_t way;              /* SARRUS_OWN_… */
    int32_t inboard_link;     /* of the inboard body, 0 on ground */
    int32_t span_zeros;       /* as inboard_zeros, of the way there from the joint's point of the inboard body's own link */
} sarrus_mech_link;

/* A number of a row of J over the tree's speeds, or of its products with the factor of M. */
typedef struct sarrus_mech_entry {
    int32_t speed;
    /* 2·row + (0 parent, 1 child), or of the row's part: the side that moves with the speed; −1: both do, J is 0 and only the
     * products are not */
    int32_t side;
    int32_t row;
    int32_t way; /* sarrus_entry_way */
} sarrus_mech_entry;

/* How J at an entry is found. Of pins in the plane the wrench is (± e, moment): with e along x or y, and s the speed's velocity at
 * the origin,
 *   NOTHING   0: both sides move alike             POWER    the power of a whole wrench
 *   MOMENT    moment                               TURN_X   moment ± s_x (first the child's, then the parent's), then TURN_Y
 *   ALONG_X   ± s_x, then ALONG_Y
 * A row with a part (sarrus_mech_constraint) may be moved at both of its lines:
 *   SUM       the power of the wrench of `side` and of that of the part's parent; then of its child */
typedef enum sarrus_entry_way {
    SARRUS_ENTRY_NOTHING = 0,
    SARRUS_ENTRY_POWER = 1,
    SARRUS_ENTRY_MOMENT = 2,
    SARRUS_ENTRY_TURN_X = 3,
    SARRUS_ENTRY_TURN_Y = 5,
    SARRUS_ENTRY_ALONG_X = 7,
    SARRUS_ENTRY_ALONG_Y = 9,
    SARRUS_ENTRY_SUM = 11
} sarrus_entry_way;

/* A speed of the tree: whose it is, and which of its link's. */
typedef struct sarrus_mech_speed {
    int32_t body;
    int32_t form; /* sarrus_link_form */
    int32_t index;
    int32_t is_pure;
} sarrus_mech_speed;

/* A spring and a damper along a coordinate of the tree, which is a free coordinate of a joint, or less it. */
typedef struct sarrus_mech_spring {
    int32_t q, speed;
    int32_t is_against; /* the joint's coordinate is −q */
    int32_t p;          /* its parameters: stiffness, damping, rest */
} sarrus_mech_spring;

/* reach[to] ← reach[to] − L[at]·reach[from]: of a row's entries, in order. */
typedef struct sarrus_mech_carry {
    int32_t to, from, at;
} sarrus_mech_carry;

/* The factorization of M, one after another:
 *   PIVOT    lightness[to] ← 1/mass[a]        SHARE   share[to] ← lightness[a]·mass[to]
 *   UPDATE   mass[to] ← mass[to] − share[a]·mass[b] */
enum { SARRUS_TREE_PIVOT = 0, SARRUS_TREE_SHARE = 1, SARRUS_TREE_UPDATE = 2 };
typedef struct sarrus_mech_tree_step {
    int32_t kind, to, a, b;
} sarrus_mech_tree_step;

/* Rows of one joint meet the same speeds. Up to MOST_IN_BLOCK of them that follow one another are a block: entries and carries of
 * each stand n_entries and n_carries behind those of the row before it. What kernels read of speeds, factor and tables serves all
 * rows of a block. */
enum { SARRUS_MOST_IN_BLOCK = 3 };
typedef struct sarrus_mech_row_block {
    int32_t row, n_rows;
    int32_t entry, n_entries; /* where those of the first row begin, and how many each has */
    int32_t carry, n_carries; /* the same */
} sarrus_mech_row_block;

/* Numbers of S between rows of two blocks: with i row r of the first and j row c of the second,
 *   factor[destination[r][c]] ← Σ over_i reach_j over the speeds that both meet. */
typedef struct sarrus_mech_meeting {
    int32_t block[2];
    int32_t first, n;                                                 /* its meets, one or more */
    int32_t destination[SARRUS_MOST_IN_BLOCK * SARRUS_MOST_IN_BLOCK]; /* [r][c] lane array of the factor; −1: not wanted */
} sarrus_mech_meeting;

/* Entries of one speed, of the first rows of two blocks. */
typedef struct sarrus_mech_meet {
    int32_t entry[2];
} sarrus_mech_meet;

#if !defined(SARRUS_CONSTANT_PLAN) || defined(SARRUS_KERNELS_RELATIVE)

/* The tree of a plan in relative coordinates; n_links is 0 in absolute ones. Lists are flat: loops within loops would not unroll in
 * kernels of one plan.
 *
 * Speed i has a chain of speeds that move what it moves: itself first, then those before it on the way to ground. M and its factor
 * M = Lᵀ D L, L unit lower triangular, have numbers only there: those of speed i stand at chain_start[i] … chain_start[i + 1] − 1.
 * The factor of S takes its shares, all of SARRUS_SHARE_ROTATION, from entries instead of sides: destination += over[side_i]
 * reach[side_j]. */
typedef struct sarrus_mech_tree {
    int32_t n_links;
    int32_t n_chain;   /* numbers of M */
    int32_t n_entries; /* of all rows */
    int32_t n_carries;
    int32_t n_steps;        /* of the factorization of M */
    int32_t most_speeds;    /* of a link */
    int32_t has_loads;      /* forces, torques or springs act on bodies */
    int32_t asks_bodies;    /* the speeds of bodies at their centres of mass are asked for: not for pins of the plane */
    int32_t is_articulated; /* accelerations by articulated bodies: no rows, and chains so long that it pays */
    int32_t in_own_frames;  /* accelerations in frames of the bodies' own (own_frames.h), without poses */
    int32_t is_recursive;   /* M is factored by articulated bodies, and rows go through the factor by them: no carries, no steps */
    int32_t n_springs;
    int32_t follows_turns;  /* angles of joints are followed that are no coordinates, or feet on curves */
    int32_t has_travellers; /* some root slides along ground */
    int32_t n_rows_within;  /* rows of the joints of the tree: they are met by the coordinates, and count for the rank */
    PLAN_TABLE(sarrus_mech_link, link, SARRUS_PLAN_N_LINKS);           /* [n_links] */
    PLAN_TABLE(int32_t, link_of, SARRUS_PLAN_N_LINKS);                 /* [n_links] the link of a body */
    PLAN_TABLE(sarrus_mech_speed, speed, SARRUS_PLAN_N_TREE_SPEEDS);   /* [n_v] */
    PLAN_TABLE(sarrus_mech_spring, spring, SARRUS_PLAN_N_SPRINGS);     /* [n_springs] */
    PLAN_TABLE(int32_t, chain, SARRUS_PLAN_N_CHAIN);                   /* [n_chain] speeds */
    PLAN_TABLE(int32_t, owner, SARRUS_PLAN_N_CHAIN);                   /* [n_chain] the speed whose chain it is */
    PLAN_TABLE(int32_t, chain_start, SARRUS_PLAN_N_TREE_SPEEDS + 1);   /* [n_v + 1] */
    PLAN_TABLE(sarrus_mech_entry, entry, SARRUS_PLAN_N_TREE_ENTRIES);  /* [n_entries] row by row, the speeds falling */
    PLAN_TABLE(int32_t, row_start, SARRUS_PLAN_N_ROWS + 1);            /* [m + 1] where a row's entries begin */
    PLAN_TABLE(sarrus_mech_carry, carry, SARRUS_PLAN_N_CARRIES);       /* [n_carries] */
    PLAN_TABLE(sarrus_mech_tree_step, step, SARRUS_PLAN_N_TREE_STEPS); /* [n_steps] */
#if !defined(SARRUS_CONSTANT_PLAN) /* straight code goes by entries, carries and shares one by one */
    int32_t n_row_blocks, n_meetings, n_meets;
    const sarrus_mech_row_block *row_block; /* [n_row_blocks] all rows, in order */
    const sarrus_mech_meeting *meeting;     /* [n_meetings] all shares of the factor */
    const sarrus_mech_meet *meet;           /* [n_meets] meeting by meeting, the speeds falling */
#endif
} sarrus_mech_tree;

#endif

#endif
