/* Scenarios with one joint of every row of joint.def. */
#include "tests/support/joint_cases.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

enum { MAX_KEYS = 512 };

bool joint_case_exists(const joint_case *what) {
    return what->properties == 0 || sarrus_joint_freedom(what->type) != SARRUS_FREE_NONE;
}

const char *joint_case_name(const joint_case *what) {
    static char name[256];
    static const char *const groundings[] = {"between bodies", "ground as parent", "ground as child"};
    (void)snprintf(name, sizeof name, "%s, %s%s%s%s%s%s%s", sarrus_joint_word(what->type), groundings[what->grounding],
                   what->properties & JOINT_WITH_SPRING ? ", spring" : "", what->properties & JOINT_WITH_DAMPER ? ", damper" : "",
                   what->properties & JOINT_WITH_DRIVE ? ", drive" : "", what->place & JOINT_IS_FAR ? ", far" : "",
                   what->place & JOINT_IS_TURNED ? ", turned" : "", what->place & JOINT_BY_POINTS ? ", by points" : "");
    return name;
}

/* Whether a body held to ground by such a joint is free to move in some way. */
static bool leaves_a_way(sarrus_joint_type type) {
    static const int n_rows[SARRUS_N_PLANAR_JOINT_TYPES] = {
#define SARRUS_JOINT(name, value, word, kernel, n_rows, row_0, row_1, row_2, label_0, label_1, label_2, free, needs, text)         \
    [value] = n_rows,
#include "sarrus/joint.def"
    };
    return n_rows[type] < 3;
}

/* A body at a random place near (x, y) in a random position, or ground. */
typedef struct placed_body {
    char name[16];
    double x, y, angle; /* m, rad */
} placed_body;

static double between(double low, double high, uint64_t *seed) {
    return low + (high - low) * 0.5 * (1.0 + mechanism_random(seed));
}

static placed_body place_body(const joint_case *what, bool is_ground, const char *name, const double at[2], uint64_t *seed) {
    placed_body body = {.name = "ground"};
    if (!is_ground) {
        const double turned = what->place & JOINT_IS_TURNED ? 100.0 : 2.0;
        (void)snprintf(body.name, sizeof body.name, "%s", name);
        body.x = at[0] + between(-0.7, 0.7, seed);
        body.y = at[1] + between(-0.7, 0.7, seed);
        body.angle = turned * mechanism_random(seed);
    }
    return body;
}

static void append(size_t size, char *text, const char *more) {
    const size_t length = strlen(text), added = strlen(more);
    assert_true(length + added < size);
    memcpy(text + length, more, added + 1);
}

static void append_body(const placed_body *body, bool can_move, uint64_t *seed, size_t size, char *bodies) {
    char text[MAX_KEYS];
    if (strcmp(body->name, "ground") == 0) {
        return;
    }
    const double mass = between(0.5, 3.0, seed), inertia = between(0.05, 0.5, seed), w = 2.0 * mechanism_random(seed);
    const double vx = mechanism_random(seed), vy = mechanism_random(seed);
    (void)snprintf(text, sizeof text, "  - {name: %s, mass: %.17g, inertia: %.17g, position: [%.17g, %.17g], orientation: %.17g",
                   body->name, mass, inertia, body->x, body->y, body->angle);
    append(size, bodies, text);
    (void)snprintf(text, sizeof text, ", velocity: [%.17g, %.17g], angular_velocity: %.17g", vx, vy, w);
    append(size, bodies, can_move ? text : "");
    append(size, bodies, "}\n");
}

/* (x, y) of the inertial frame in the body's. */
static void into_frame(const placed_body *body, const double at[2], double out[2]) {
    const double c = cos(body->angle), s = sin(body->angle), dx = at[0] - body->x, dy = at[1] - body->y;
    out[0] = c * dx + s * dy;
    out[1] = c * dy - s * dx;
}

/* `points` in the frames of both; the child's end of a distance stands off the parent's. */
static void write_points(const placed_body body[2], const double at[2], const double off[2], size_t size, char *key) {
    double parent[2], child[2];
    into_frame(&body[0], at, parent);
    into_frame(&body[1], (const double[]){at[0] + off[0], at[1] + off[1]}, child);
    (void)snprintf(key, size, "points: [[%.17g, %.17g], [%.17g, %.17g]]", parent[0], parent[1], child[0], child[1]);
}

/* `at`, or `points` where asked for, and what else the type needs. */
static void write_geometry(sarrus_joint_type type, bool by_points, const placed_body body[2], const double at[2],
                           const double off[2], size_t size, char *key) {
    static const double same[2] = {0.0, 0.0};
    char axis[MAX_KEYS];
    switch ((sarrus_planar_joint_type)type) {
    case SARRUS_PLANAR_JOINT_REVOLUTE:
    case SARRUS_PLANAR_JOINT_PRISMATIC:
    case SARRUS_PLANAR_JOINT_FIXED:
    case SARRUS_PLANAR_JOINT_SLOT:
        if (by_points) {
            write_points(body, at, same, size, key);
        } else {
            (void)snprintf(key, size, "at: [%.17g, %.17g]", at[0], at[1]);
        }
        break;
    case SARRUS_PLANAR_JOINT_DISTANCE: /* its `at` are two such points */
        if (by_points) {
            write_points(body, at, off, size, key);
        } else {
            (void)snprintf(key, size, "at: [[%.17g, %.17g], [%.17g, %.17g]]", at[0], at[1], at[0] + off[0], at[1] + off[1]);
        }
        break;
    }
    if (SARRUS_JOINT_AMONG(SARRUS_JOINTS_WITH_AXIS, type)) {
        (void)snprintf(axis, sizeof axis, ", axis: [%.17g, %.17g]", off[0], off[1]);
        append(size, key, axis);
    }
}

void joint_geometry_write(sarrus_joint_type type, double x, double y, double apart, size_t size, char *key) {
    const placed_body body[2] = {{.name = "ground"}, {.name = "ground"}};
    write_geometry(type, false, body, (const double[]){x, y}, (const double[]){0.8 * apart, 0.6 * apart}, size, key);
}

static void append_properties(const joint_case *what, uint64_t *seed, size_t size, char *joints) {
    char text[MAX_KEYS];
    if (what->properties & JOINT_WITH_SPRING) {
        (void)snprintf(text, sizeof text, ", stiffness: %.17g, rest: %.17g", between(5.0, 20.0, seed),
                       0.3 * mechanism_random(seed));
        append(size, joints, text);
    }
    if (what->properties & JOINT_WITH_DAMPER) {
        (void)snprintf(text, sizeof text, ", damping: %.17g", between(0.3, 1.5, seed));
        append(size, joints, text);
    }
    if (what->properties & JOINT_WITH_DRIVE) {
        (void)snprintf(text, sizeof text,
                       ",\n     drive: {signal: {sine: {amplitude: %.17g, frequency: %.17g, phase: %.17g, offset: %.17g}}}",
                       between(0.2, 0.6, seed), between(0.3, 0.8, seed), mechanism_random(seed), 0.2 * mechanism_random(seed));
        append(size, joints, text);
    }
}

void joint_case_append(const joint_case *what, int i_case, uint64_t *seed, size_t size, char *bodies, char *joints) {
    const double origin = what->place & JOINT_IS_FAR ? JOINT_FAR : 0.0;
    const double at[2] = {origin + mechanism_random(seed) + 3.0 * i_case, 0.7 * origin + mechanism_random(seed)};
    const double way = 3.2 * mechanism_random(seed), apart = between(0.5, 1.5, seed);
    const double off[2] = {apart * cos(way), apart * sin(way)};
    char names[2][16], text[2 * MAX_KEYS], key[MAX_KEYS];
    (void)snprintf(names[0], sizeof names[0], "a%d", i_case);
    (void)snprintf(names[1], sizeof names[1], "b%d", i_case);
    const placed_body body[2] = {place_body(what, what->grounding == JOINT_PARENT_ON_GROUND, names[0], at, seed),
                                 place_body(what, what->grounding == JOINT_CHILD_ON_GROUND, names[1], at, seed)};
    for (int side = 0; side < 2; ++side) {
        append_body(&body[side], what->grounding == JOINT_BETWEEN_BODIES || leaves_a_way(what->type), seed, size, bodies);
    }
    write_geometry(what->type, what->place & JOINT_BY_POINTS, body, at, off, sizeof key, key);
    (void)snprintf(text, sizeof text, "  - {name: J%d, type: %s, bodies: [%s, %s], %s", i_case, sarrus_joint_word(what->type),
                   body[0].name, body[1].name, key);
    append(size, joints, text);
    append_properties(what, seed, size, joints);
    append(size, joints, "}\n");
}

void joint_case_write(const joint_case *what, uint64_t *seed, const char *dynamics, const char *integrator, size_t size,
                      char *text) {
    char bodies[2048] = "", joints[2048] = "";
    joint_case_append(what, 0, seed, sizeof bodies, bodies, joints);
    const int length = snprintf(text, size, "sarrus: 1\nspace: planar\ngravity: [0.7, -9.81]\nbodies:\n%sjoints:\n%s%s%s\n", bodies,
                                joints, *dynamics ? dynamics : "dynamics: {formulation: udwadia-kalaba}\n", integrator);
    assert_true(length > 0 && (size_t)length < size);
}

/* --- By hand ------------------------------------------------------------------------------------------------------------ */

static void turn(double angle, const double in[2], double out[2]) {
    const double x = cos(angle) * in[0] - sin(angle) * in[1], y = sin(angle) * in[0] + cos(angle) * in[1];
    out[0] = x;
    out[1] = y;
}

void joint_point_by_hand(const double *q, const double *v, int body, const double point[2], double position[2],
                         double velocity[2]) {
    double arm[2] = {point[0], point[1]};
    if (body != SARRUS_GROUND) {
        turn(q[3 * body + 2], point, arm);
    }
    for (int k = 0; k < 2; ++k) {
        position[k] = arm[k] + (body == SARRUS_GROUND ? 0.0 : q[3 * body + k]);
    }
    if (velocity) {
        velocity[0] = body == SARRUS_GROUND ? 0.0 : v[3 * body] - v[3 * body + 2] * arm[1];
        velocity[1] = body == SARRUS_GROUND ? 0.0 : v[3 * body + 1] + v[3 * body + 2] * arm[0];
    }
}

static double angle_of(const double *q, int body) {
    return body == SARRUS_GROUND ? 0.0 : q[3 * body + 2];
}

double joint_coordinate_by_hand(const mechanism *m, int i_joint, const double *q) {
    const reference_joint *joint = &m->ref->joints[i_joint];
    double end[2][2], axis[2];
    switch (sarrus_joint_freedom(joint->type)) {
    case SARRUS_FREE_ANGLE:
        return angle_of(q, joint->body[1]) - angle_of(q, joint->body[0]) -
               (angle_of(m->ref->q0, joint->body[1]) - angle_of(m->ref->q0, joint->body[0]));
    case SARRUS_FREE_SHIFT: /* the points coincide in the given configuration */
        for (int side = 0; side < 2; ++side) {
            joint_point_by_hand(q, NULL, joint->body[side], joint->point[side], end[side], NULL);
        }
        turn(angle_of(q, joint->body[0]), joint->axis, axis);
        return axis[0] * (end[1][0] - end[0][0]) + axis[1] * (end[1][1] - end[0][1]);
    case SARRUS_FREE_NONE:
        break;
    }
    return 0.0;
}
