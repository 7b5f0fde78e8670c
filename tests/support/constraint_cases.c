#include "tests/support/constraint_cases.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

enum { TEXT_SIZE = 4096 };

/* Joints that turn and slide, on ground and on one another; r1 and r2 share a body, r2 and s2 none. */
static const char *const scenario =
    "sarrus: 1\n"
    "space: planar\n"
    "bodies:\n"
    "  - {name: a, mass: 1.3, inertia: 0.4, position: [0.4, 0.1]}\n"
    "  - {name: b, mass: 0.7, inertia: 0.2, position: [1.3, 0.3], orientation: 0.4}\n"
    "  - {name: c, mass: 2.1, inertia: 0.5, position: [0.2, 1.1]}\n"
    "  - {name: d, mass: 0.9, inertia: 0.3, position: [0.6, 1.4], orientation: -0.3}\n"
    "  - {name: e, mass: 1.1, inertia: 0.6, position: [1.6, 0.6]}\n"
    "joints:\n"
    "  - {name: r1, type: revolute, bodies: [ground, a], at: [0, 0]}\n"
    "  - {name: r2, type: revolute, bodies: [a, b], at: [1, 0.2]}\n"
    "  - {name: s1, type: prismatic, bodies: [ground, c], at: [0, 1], axis: [1, 0.3], stiffness: 20, damping: 0.3}\n"
    "  - {name: s2, type: slot, bodies: [c, d], at: [0.5, 1.2], axis: [0.2, 1]}\n"
    "  - {name: s3, type: prismatic, bodies: [e, b], at: [1.5, 0.4], axis: [1, -0.5]}\n"
    "constraints:\n"
    "  - {name: one, %s}\n"
    "dynamics: {%s}\n"
    "integrator: {method: rk4, dt: 1.0e-3, t_end: 1}\n";

const constraint_case constraint_cases[CONSTRAINT_N_CASES] = {
    {SARRUS_CONSTRAINT_GEAR, "type: gear, joints: [r2, r1], ratio: -1.7"},
    {SARRUS_CONSTRAINT_GEAR, "type: gear, joints: [r1, r2], ratio: 0.6, offset: 0.05"},
    {SARRUS_CONSTRAINT_GEAR, "type: gear, joints: [s1, r1], ratio: 0.4"},
    {SARRUS_CONSTRAINT_GEAR, "type: gear, joints: [r2, s3], ratio: 2.5"},
    {SARRUS_CONSTRAINT_GEAR, "type: gear, joints: [s3, s2], ratio: -0.8, offset: -0.02"},
    {SARRUS_CONSTRAINT_CAM,
     "type: cam, joints: [s1, r2], table: {angle: [-0.2, 0.1, 0.7, 1.1, 1.4, 1.9], y: [0, 0.1, 0.3, 0.2, 0.1, 0]}"},
    {SARRUS_CONSTRAINT_CAM, "type: cam, joints: [s2, r1], table: {angle: [-2, -1, 0, 1.5], y: [0.3, 0.2, 0, -0.1]}"},
    {SARRUS_CONSTRAINT_CAM, "type: cam, between: [[a, [0.3, 0.1]], [d, [0.1, 0]]], joint: r2, "
                            "table: {angle: [0, 1, 2.2, 3.1, 4, 5.2, 6.28], y: [1.2, 1.3, 1.4, 1.5, 1.4, 1.3, 1.2]}"},
    {SARRUS_CONSTRAINT_CAM, "type: cam, between: [[e, [0.2, 0.1]], [ground, [0.1, 0]]], joint: r1, "
                            "table: {angle: [-9, -3, 3, 9], y: [2.0, 1.9, 1.6, 1.7]}"},
    /* Points are in front of the curves, or outside of them: nowhere near the centres of their circles. */
    {SARRUS_CONSTRAINT_CURVE, "type: curve, bodies: [ground, e], point: [0.1, -0.05], "
                              "points: [[-2, 0.4], [-1, 0.5], [0.5, 0.7], [1.2, 0.6], [2.5, 0.75], [5, 0.4]]"},
    {SARRUS_CONSTRAINT_CURVE, "type: curve, bodies: [a, d], point: [0.02, 0.01], closed: true, "
                              "points: [[0.2, 0], [0.15, 0.16], [0, 0.2], [-0.17, 0.13], [-0.2, -0.02], [0, -0.2], [0.15, -0.15]]"},
    {SARRUS_CONSTRAINT_CURVE, "type: curve, bodies: [e, ground], point: [3.5, -2.5], closed: true, "
                              "points: [[0.3, 0], [0, 0.25], [-0.3, 0.05]]"},
    {SARRUS_CONSTRAINT_CURVE, "type: curve, bodies: [c, b], point: [0.4, 0.1], points: [[0.1, -0.9], [2.3, 0.4]]"},
};

mechanism constraint_case_open(int i, const char *dynamics) {
    char text[TEXT_SIZE];
    const int length = snprintf(text, sizeof text, scenario, constraint_cases[i].text, dynamics);
    assert_true(length > 0 && (size_t)length < sizeof text);
    return mechanism_open_text(text, NULL);
}
