/* In which space a mechanism moves. */
#ifndef SARRUS_SPACE_H
#define SARRUS_SPACE_H

#ifdef __cplusplus
extern "C" {
#endif

typedef enum sarrus_space {
    SARRUS_SPACE_PLANAR = 0,  /* of a body: x, y, θ; its plane is the inertial x-y plane */
    SARRUS_SPACE_SPATIAL = 1, /* of a body: x, y, z, Euler parameters w, x, y, z; speeds ẋ, ẏ, ż and ω in its own frame */
} sarrus_space;

/* How an orientation in space is given. */
typedef enum sarrus_orientation {
    SARRUS_ORIENTATION_PARAMETERS = 0, /* Euler parameters w, x, y, z, a quaternion of any length but 0 */
    SARRUS_ORIENTATION_EULER = 1,      /* rad, intrinsic 3-1-3 */
    SARRUS_ORIENTATION_BRYANT = 2,     /* rad, intrinsic 1-2-3 */
    SARRUS_ORIENTATION_AXIS = 3,       /* a direction of any length but 0, and an angle in rad */
    SARRUS_ORIENTATION_COSINES = 4,    /* the matrix A by rows, from the body's frame to the inertial one */
} sarrus_orientation;
enum { SARRUS_MAX_ORIENTATION = 9 }; /* numbers of one */

#ifdef __cplusplus
}
#endif

#endif
