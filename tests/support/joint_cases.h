/* Scenarios with one joint of every row of joint.def: every optional property, every body on ground, near the origin and far from
 * it, with small angles and large ones. A row of the table that has no geometry here does not compile. */
#ifndef TESTS_SUPPORT_JOINT_CASES_H
#define TESTS_SUPPORT_JOINT_CASES_H

#include <stddef.h>

#include "tests/support/mechanism.h"

/* What a joint with a free coordinate may have besides. */
enum { JOINT_WITH_SPRING = 1, JOINT_WITH_DAMPER = 2, JOINT_WITH_DRIVE = 4, N_JOINT_PROPERTIES = 8 };

typedef enum joint_grounding {
    JOINT_BETWEEN_BODIES,
    JOINT_PARENT_ON_GROUND,
    JOINT_CHILD_ON_GROUND,
    N_JOINT_GROUNDINGS
} joint_grounding;

/* Where: near the origin or JOINT_FAR m away from it, with angles of a few rad or of some hundred; the point given as one in the
 * inertial frame (`at`) or as two in the bodies' frames (`points`). */
enum { JOINT_IS_FAR = 1, JOINT_IS_TURNED = 2, JOINT_BY_POINTS = 4, N_JOINT_PLACES = 8 };
#define JOINT_FAR 300.0

typedef struct joint_case {
    sarrus_joint_type type;
    unsigned properties; /* JOINT_WITH_... */
    joint_grounding grounding;
    unsigned place; /* JOINT_IS_..., JOINT_BY_... */
} joint_case;

/* Whether the joint may have these properties: those without a free coordinate have none. */
bool joint_case_exists(const joint_case *what);

/* As "revolute, ground as parent, spring, drive". Overwritten by the next call. */
const char *joint_case_name(const joint_case *what);

/* The body or the two bodies, with random numbers of their own, and the joint J, `dynamics` (a mapping; empty: over the bodies) and
 * `integrator` as text of a scenario. `text` [size]. */
void joint_case_write(const joint_case *what, uint64_t *seed, const char *dynamics, const char *integrator, size_t size,
                      char *text);

/* Bodies and joints of several cases in one scenario: text of the bodies, then of the joints, of case i_case. Appends to `bodies`
 * and `joints` [size]. */
void joint_case_append(const joint_case *what, int i_case, uint64_t *seed, size_t size, char *bodies, char *joints);

/* The keys of a joint of this type at the inertial point (x, y), its bodies standing there at angle 0: `at`, `axis`, `points` ... A
 * distance has its two ends `apart` from one another. `key` [size]. */
void joint_geometry_write(sarrus_joint_type type, double x, double y, double apart, size_t size, char *key);

/* The free coordinate at q by hand, from the given configuration of the scenario; 0 of a joint that has none. */
double joint_coordinate_by_hand(const mechanism *m, int i_joint, const double *q);

/* Place of a point of a body (SARRUS_GROUND) and, where `velocity` is not NULL, how fast it moves. */
void joint_point_by_hand(const double *q, const double *v, int body, const double point[2], double position[2], double velocity[2]);

#endif
