/* The inertia tensor of a body in space: (xx, yy, zz, xy, xz, yz), kg m² about its centre of mass, in its own frame. */
#ifndef SARRUS_PLAN_INERTIA_H
#define SARRUS_PLAN_INERTIA_H

typedef enum sarrus_inertia {
    SARRUS_INERTIA_GOOD = 0,
    SARRUS_INERTIA_NOT_DEFINITE, /* not every turn has a positive energy */
    SARRUS_INERTIA_OF_NO_BODY,   /* a principal moment is larger than the two others together */
} sarrus_inertia;

/* What is to be said of the tensor; of a good one root ← the lower triangle L with I = L Lᵀ (xx, yy, zz, yx, zx, zy), and inverse ←
 * I⁻¹ as the tensor. */
sarrus_inertia sarrus_inertia_judge(const double tensor[6], double root[6], double inverse[6]);

/* The principal moments of a symmetric tensor and their axes, axis[k] that of moment[k], by Jacobi's rotations. */
void sarrus_inertia_axes(const double tensor[6], double moment[3], double axis[3][3]);

/* A principal moment that is computed from products of inertia is none below this part of the largest: round-off. */
#define SARRUS_NO_MOMENT 1e-14

/* The tensor of a body that may lack inertia about some axes, its principal moments filled up to `least`: root and inverse are
 * those of the filled one. The tensor itself may be zero about axes, or altogether. */
sarrus_inertia sarrus_inertia_fill(const double tensor[6], double least, double root[6], double inverse[6]);

#endif
