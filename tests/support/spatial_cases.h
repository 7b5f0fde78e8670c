/* Scenarios with one joint of every row of joint.def's table for space, with its reference; states on its constraints and off them.
 */
#ifndef TESTS_SUPPORT_SPATIAL_CASES_H
#define TESTS_SUPPORT_SPATIAL_CASES_H

#include <stddef.h>

#include "tests/support/joint_cases.h"
#include "tests/support/spatial_reference.h"

/* All lists of a general joint among them. */
enum { SPATIAL_MAX_CASES = 600 };

/* Ways from the origin to where the mechanisms stand, m. */
#define SPATIAL_FAR 3000.0

typedef struct spatial_case {
    sarrus_joint_type type;
    unsigned held;   /* of a general joint */
    bool is_elastic; /* springs and dampers along all free coordinates */
    int driven;      /* the free coordinate that is, -1: none */
    joint_grounding grounding;
    bool is_far;       /* 3 km from the origin */
    bool is_by_points; /* by `points`, apart along the axes that are free; else `at` one point */
} spatial_case;

/* Every row of the table, and every list of a general joint, plain, elastic, and with a drive of each coordinate that may have one;
 * between bodies and near. Returns how many. */
int spatial_case_list(spatial_case out[SPATIAL_MAX_CASES]);

/* As "general {x, ry}, ground as child, elastic, drive 1, far". Overwritten by the next call. */
const char *spatial_case_name(const spatial_case *what);

/* Numbers for the case, as the reference and as text of a scenario with `dynamics` (a mapping, or empty) and `integrator`. */
void spatial_case_write(const spatial_case *what, uint64_t *seed, const char *dynamics, const char *integrator, size_t size,
                        char *text, spatial_reference *ref);

/* Free coordinates [number of parts] at random, that of a drive at its signal, and bodies that stand so, on the constraints: q and
 * v [n]. `turn`: the largest angle. `x` [SARRUS_MAX_FREEDOMS][3], may be NULL. */
void spatial_state_on(const spatial_reference *ref, double t, double turn, uint64_t *seed, double *q, double *v, double (*x)[3]);

/* Bodies anywhere near the joint, in no relation to one another, at orientations that all angles of the joint can be read at. */
void spatial_state_off(const spatial_reference *ref, uint64_t *seed, double *q, double *v);

#endif
