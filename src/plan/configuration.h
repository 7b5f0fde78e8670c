/* The nominal instance at plan time: one configuration, its weighted Jacobian, and moves along the constraint manifold. */
#ifndef SARRUS_PLAN_CONFIGURATION_H
#define SARRUS_PLAN_CONFIGURATION_H

#include "kernels/cpu/kernels.h"
#include "plan/body.h"
#include "plan/fronts.h"
#include "plan/ground.h"
#include "plan/plan.h"

/* The kernels evaluate one joint at a time, as a mechanism of its own with the bodies that it holds, two at most, or one constraint
 * with four: their dense rows, and all that they keep for them, stay as small as a joint. */
typedef struct sarrus_configuration_piece {
    sarrus_mechanism mech;
    sarrus_mech_joint joint;
    sarrus_mech_constraint constraint;
    int n_bodies;                 /* 2, or 4 where there are constraints */
    int max_rows;                 /* of a joint or a constraint */
    sarrus_mech_row *row;         /* [max_rows + 1], that of a part included */
    sarrus_mech_freedom *freedom; /* [SARRUS_MAX_FREEDOMS] */
    sarrus_mech_signal *signal;   /* [SARRUS_MAX_FREEDOMS + SARRUS_MOST_GROUND_SIGNALS] of its drives, and of ground */
    int32_t p_held;               /* [SARRUS_MOST_GROUND_SIGNALS] among the parameters: those of ground at t = 0 */
    int *first_freedom;           /* [n_joints + 1] where those of every joint begin in the plan */
    double
        *lanes; /* what the kernel writes: jacobian [max_rows][n_bodies][n_v of a body], phi and phi_dot [max_rows], each [width] */
} sarrus_configuration_piece;

typedef struct sarrus_configuration {
    const sarrus_plan *plan;
    const sarrus_kernels *kernels;
    sarrus_configuration_piece *piece;
    sarrus_kernel_call call; /* of the piece; its tile holds the parameters of the whole mechanism */
    const sarrus_body_sizes *sizes;
    int m, n, n_q;                            /* rows, speeds, coordinates */
    sarrus_body_weight *weight;               /* [n_bodies] M^{-1/2} */
    double ground[SARRUS_GROUND_COORDINATES]; /* its pose at t = 0, as coordinates of a body */
    double *q;                                /* [n_q] */
    double *v;                                /* [n] */
    sarrus_plan_rows rows;                    /* J M^{-1/2} at q */
    sarrus_fronts fronts;                     /* of these rows */
    double *phi;       /* [m] Φ; of a driven angle in space, t > 0, without whole turns: no configuration has them */
    double *phi_whole; /* [m] Φ with them, the angle being one of −π … π */
    double *phi_dot;   /* [m] at v */
    double *scratch;   /* [2 n] */
    double *held;      /* [n] a direction in weighted coordinates */
} sarrus_configuration;

/* The given configuration of the nominal instance. NO_MEMORY; BAD_INPUT when a nominal number is not physical. */
SARRUS_MUST_USE sarrus_status sarrus_configuration_create(const sarrus_plan *plan, sarrus_configuration *out);
void sarrus_configuration_free(sarrus_configuration *configuration);

/* Rows at (q, v, t); ‖Φ‖ is returned. Behind t = 0 a ground that moves is held where it begins, drives go on: what the plan asks
 * of rank and reach is the same wherever ground is. */
double sarrus_configuration_rows(sarrus_configuration *configuration, double t);

/* Which of the first n_owners joints, then constraints, has rows that are off most as they were evaluated last; in *most how far,
 * NaN where it has no meaning. */
int sarrus_configuration_open_owner(const sarrus_configuration *configuration, int n_owners, double *most);

/* The nominal number `i` of the kernels' parameters. */
double sarrus_configuration_parameter(const sarrus_configuration *configuration, int32_t i);

/* c->q ← from [n_q] ⊞ scale·M^{-1/2} x, x [n] in weighted coordinates; `from` may be c->q. */
void sarrus_configuration_move(sarrus_configuration *configuration, const double *from, double scale, const double *x);

/* c->q ← from [n_q] ⊞ scale·d, d [n] as speeds. */
void sarrus_configuration_shift(sarrus_configuration *configuration, const double *from, double scale, const double *d);

/* d [n] ← scale·M^{-1/2} x, the speeds; they may be the same. */
void sarrus_configuration_weigh(const sarrus_configuration *configuration, double scale, const double *x, double *d);

/* One Newton step from the present rows, in the metric of M; q is moved, the rows are not evaluated anew. False when memory is out
 * or the plan is to stop. */
SARRUS_MUST_USE bool sarrus_configuration_newton(sarrus_configuration *configuration);

/* Newton's method in the metric of M until ‖Φ‖ stops shrinking; returns the final ‖Φ‖. Rows are those of the final q. */
double sarrus_configuration_assemble(sarrus_configuration *configuration, double t);

/* The same, but nothing is moved along `held`, a unit vector in weighted coordinates, unless the constraints cannot be met so. */
double sarrus_configuration_assemble_held(sarrus_configuration *configuration, double t);

/* x [n] ← of the weighted coordinates that leave ‖J M^{-1/2} x − b‖ least, the smallest ones; singular values below `tolerance` of
 * the largest do not count. rest [m] ← b − J M^{-1/2} x, NULL: not wanted. b and rest may be the same. */
SARRUS_MUST_USE bool sarrus_configuration_least(sarrus_configuration *configuration, double tolerance, const double *b, double *x,
                                                double *rest);

/* x [n] ← its part in the null space of J M^{-1/2}, singular values below `tolerance` of the largest taken for zero. */
SARRUS_MUST_USE bool sarrus_configuration_free_part(sarrus_configuration *configuration, double tolerance, double *x);

/* What went wrong where something above has returned false. */
sarrus_status sarrus_configuration_failure(const sarrus_configuration *configuration);

#endif
