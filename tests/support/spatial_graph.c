/* Mechanisms in space at random. */
#include "tests/support/spatial_graph.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "tests/support/mechanism.h"
#include "tests/support/motion.h"
#include "tests/support/text_writer.h"

/* Lists of general joints, and the numbers of free coordinates that have a spring. */
static const struct general_list {
    const char *held;
    int n_free;
} lists[] = {{"x", 3}, {"y, rx", 4}, {"x, z, ry, rz", 2}, {"rx, ry, rz", 3}, {"x, y, z, rz", 2}};
enum { N_LISTS = sizeof lists / sizeof lists[0] };

/* What trees are made of; loops are closed by types with few rows, so that freedoms are left. */
static const sarrus_joint_type of_trees[] = {
    SARRUS_JOINT_REVOLUTE, SARRUS_JOINT_SPHERICAL, SARRUS_JOINT_UNIVERSAL,   SARRUS_JOINT_PRISMATIC,
    SARRUS_JOINT_GENERAL,  SARRUS_JOINT_FIXED,     SARRUS_JOINT_CYLINDRICAL, SARRUS_JOINT_SCREW,
    SARRUS_JOINT_PLANAR,   SARRUS_JOINT_DISTANCE,  SARRUS_JOINT_BUSHING,     SARRUS_JOINT_FREE,
};
static const sarrus_joint_type of_loops[] = {SARRUS_JOINT_DISTANCE, SARRUS_JOINT_SPHERICAL, SARRUS_JOINT_GENERAL,
                                             SARRUS_JOINT_BUSHING,  SARRUS_JOINT_PLANAR,    SARRUS_JOINT_UNIVERSAL};
enum { N_OF_TREES = sizeof of_trees / sizeof of_trees[0], N_OF_LOOPS = sizeof of_loops / sizeof of_loops[0] };

/* --- Numbers ------------------------------------------------------------------------------------------------------------- */

static double between(double low, double high, uint64_t *seed) {
    return low + (high - low) * 0.5 * (1.0 + mechanism_random(seed));
}

static int choose(int n, uint64_t *seed) {
    const int i = (int)between(0.0, n, seed);
    return i < n ? i : n - 1;
}

static void draw_vector(double size, uint64_t *seed, double out[3]) {
    for (int k = 0; k < 3; ++k)
        out[k] = size * mechanism_random(seed);
}

/* n numbers of length 1. */
static void draw_direction(int n, uint64_t *seed, double *out) {
    double norm = 0.0;
    while (norm < 0.3) {
        norm = 0.0;
        for (int k = 0; k < n; ++k) {
            out[k] = mechanism_random(seed);
            norm += out[k] * out[k];
        }
        norm = sqrt(norm);
    }
    for (int k = 0; k < n; ++k)
        out[k] /= norm;
}

/* The inertia of some point masses, which any body could have. */
static void draw_body(uint64_t *seed, graph_body *body) {
    memset(body, 0, sizeof *body);
    body->mass = between(0.5, 2.0, seed);
    for (int i = 0; i < 4; ++i) {
        const double m = between(0.1, 0.3, seed);
        double s[3];
        draw_vector(0.5, seed, s);
        for (int k = 0; k < 3; ++k) {
            body->inertia[k] += m * (0.1 + s[(k + 1) % 3] * s[(k + 1) % 3] + s[(k + 2) % 3] * s[(k + 2) % 3]);
            body->inertia[3 + k] -= m * s[k == 2 ? 1 : 0] * s[k == 0 ? 1 : 2];
        }
    }
    if (choose(3, seed) == 0)
        draw_vector(0.3, seed, body->rotor);
    draw_direction(4, seed, body->turn);
    draw_vector(0.5, seed, body->velocity);
    draw_vector(1.0, seed, body->rate);
}

/* Half way between the bodies, more or less; ground is below its child. */
static void draw_joint(const spatial_graph *g, sarrus_joint_type type, int parent, int child, int is_damped, uint64_t *seed,
                       graph_joint *j) {
    *j = (graph_joint){.type = type, .parent = parent, .child = child, .i_list = choose(N_LISTS, seed)};
    double off[3];
    draw_vector(0.2, seed, off);
    for (int k = 0; k < 3; ++k) {
        const double there = g->bodies[child].position[k], here = parent < 0 ? there - 0.6 : g->bodies[parent].position[k];
        j->at[0][k] = 0.5 * (here + there) + off[k];
        j->at[1][k] = j->at[0][k];
        if (type == SARRUS_JOINT_DISTANCE) {
            j->at[0][k] = here + 0.5 * off[k];
            j->at[1][k] = there - 0.5 * off[k];
        }
    }
    draw_direction(3, seed, j->axis[0]);
    draw_direction(4, seed, j->frame);
    double second[3], along = 0.0;
    draw_direction(3, seed, second);
    for (int k = 0; k < 3; ++k) /* across the first */
        j->axis[1][k] = j->axis[0][(k + 1) % 3] * second[(k + 2) % 3] - j->axis[0][(k + 2) % 3] * second[(k + 1) % 3];
    for (int k = 0; k < 3; ++k)
        along += j->axis[1][k] * j->axis[1][k];
    assert_true(along > 1e-3);
    j->pitch = between(0.05, 0.1, seed);
    j->stiffness = between(5.0, 20.0, seed);
    j->damping = is_damped ? between(0.1, 0.5, seed) : 0.0;
}

void spatial_graph_create(const graph_options *options, spatial_graph *out) {
    uint64_t seed = options->seed;
    memset(out, 0, sizeof *out);
    assert_true(options->n_bodies <= GRAPH_MAX_BODIES && options->n_bodies + options->n_loops <= GRAPH_MAX_JOINTS);
    out->n_bodies = options->n_bodies;
    out->gravity[0] = 1.0;
    out->gravity[2] = -9.0;
    for (int i = 0; i < options->n_bodies; ++i) {
        const int parent = i == 0 ? -1 : choose(i, &seed);
        double way[3];
        draw_body(&seed, &out->bodies[i]);
        draw_direction(3, &seed, way);
        for (int k = 0; k < 3; ++k)
            out->bodies[i].position[k] = (parent < 0 ? 0.0 : out->bodies[parent].position[k]) + 0.9 * way[k];
        if (parent >= 0 || !options->is_floating)
            draw_joint(out, of_trees[(i + (int)(options->seed % N_OF_TREES)) % N_OF_TREES], parent, i, options->is_damped, &seed,
                       &out->joints[out->n_joints++]);
    }
    for (int i = 0; i < options->n_loops; ++i) {
        const int child = 1 + choose(options->n_bodies - 1, &seed), parent = choose(child, &seed);
        draw_joint(out, of_loops[i % N_OF_LOOPS], parent, child, options->is_damped, &seed, &out->joints[out->n_joints++]);
    }
    out->n_springs = options->n_bodies > 1 ? 1 + options->n_bodies / 6 : 0;
    for (int i = 0; i < out->n_springs; ++i) {
        graph_spring *s = &out->springs[i];
        s->body[1] = 1 + choose(options->n_bodies - 1, &seed);
        s->body[0] = choose(s->body[1], &seed);
        draw_vector(0.3, &seed, s->at[0]);
        draw_vector(0.3, &seed, s->at[1]);
        s->stiffness = between(5.0, 20.0, &seed);
        s->rest = between(0.5, 1.0, &seed);
        s->damping = options->is_damped ? between(0.1, 0.5, &seed) : 0.0;
    }
}

/* --- Elsewhere, and in another order ------------------------------------------------------------------------------------- */

static void rotate(const double p[4], double x[3]) {
    double a[3][3], y[3];
    motion_matrix(p, a);
    for (int i = 0; i < 3; ++i)
        y[i] = a[i][0] * x[0] + a[i][1] * x[1] + a[i][2] * x[2];
    memcpy(x, y, sizeof y);
}

static void place(const double p[4], const double shift[3], double x[3]) {
    rotate(p, x);
    for (int i = 0; i < 3; ++i)
        x[i] += shift[i];
}

static void turn(const double p[4], double q[4]) {
    const double back[4] = {p[0], -p[1], -p[2], -p[3]};
    double product[4];
    motion_relative(back, q, product);
    memcpy(q, product, sizeof product);
}

void spatial_graph_place(const spatial_graph *graph, const double p[4], const double shift[3], spatial_graph *out) {
    *out = *graph;
    rotate(p, out->gravity);
    for (int i = 0; i < out->n_bodies; ++i) {
        place(p, shift, out->bodies[i].position);
        rotate(p, out->bodies[i].velocity);
        turn(p, out->bodies[i].turn);
    }
    for (int i = 0; i < out->n_joints; ++i) {
        graph_joint *j = &out->joints[i];
        for (int side = 0; side < 2; ++side) {
            place(p, shift, j->at[side]);
            rotate(p, j->axis[side]);
        }
        turn(p, j->frame);
    }
}

/* Not where displacements, or with a planar joint their rates, are measured along axes that the parent alone carries. */
static int is_symmetric(const graph_joint *j) {
    return j->type != SARRUS_JOINT_GENERAL && j->type != SARRUS_JOINT_BUSHING && j->type != SARRUS_JOINT_FREE &&
           (j->type != SARRUS_JOINT_PLANAR || j->damping == 0.0);
}

void spatial_graph_renumber(const spatial_graph *graph, const int *to, spatial_graph *out) {
    *out = *graph;
    for (int i = 0; i < graph->n_bodies; ++i)
        out->bodies[to[i]] = graph->bodies[i];
    for (int i = 0; i < graph->n_joints; ++i) {
        graph_joint *j = &out->joints[graph->n_joints - 1 - i];
        const graph_joint *was = &graph->joints[i];
        const int flipped = is_symmetric(was), parent = was->parent < 0 ? -1 : to[was->parent], child = to[was->child];
        *j = *was;
        j->parent = flipped ? child : parent;
        j->child = flipped ? parent : child;
        if (flipped)
            memcpy(
                j->at,
                (const double[2][3]){{was->at[1][0], was->at[1][1], was->at[1][2]}, {was->at[0][0], was->at[0][1], was->at[0][2]}},
                sizeof j->at);
        if (was->type == SARRUS_JOINT_UNIVERSAL)
            for (int k = 0; k < 3; ++k) {
                j->axis[0][k] = was->axis[1][k];
                j->axis[1][k] = was->axis[0][k];
            }
    }
    for (int i = 0; i < graph->n_springs; ++i)
        for (int side = 0; side < 2; ++side)
            out->springs[i].body[side] = to[graph->springs[i].body[side]];
}

/* --- Text ---------------------------------------------------------------------------------------------------------------- */

static void put_key(text_writer *w, const char *key, const double *x, int n) {
    text_put(w, ", %s: ", key);
    text_put_numbers(w, "", n, x);
}

static void put_name(text_writer *w, int i_body) {
    if (i_body < 0)
        text_put(w, "ground");
    else
        text_put(w, "b%d", i_body);
}

/* The same number for each free coordinate. */
static void put_repeated(text_writer *w, const char *key, double x, int n) {
    double list[6];
    for (int i = 0; i < n; ++i)
        list[i] = x;
    if (n == 1)
        text_put(w, ", %s: %.17g", key, x);
    else if (n > 1)
        put_key(w, key, list, n);
}

static int n_free_of(const graph_joint *j) {
    switch (j->type) {
    case SARRUS_JOINT_REVOLUTE:
    case SARRUS_JOINT_PRISMATIC:
    case SARRUS_JOINT_SCREW:
    case SARRUS_JOINT_SPHERICAL:
        return 1;
    case SARRUS_JOINT_CYLINDRICAL:
    case SARRUS_JOINT_UNIVERSAL:
        return 2;
    case SARRUS_JOINT_PLANAR:
        return 3;
    case SARRUS_JOINT_FREE:
        return 4;
    case SARRUS_JOINT_BUSHING:
        return 6;
    case SARRUS_JOINT_GENERAL:
        return lists[j->i_list].n_free;
    case SARRUS_JOINT_FIXED:
    case SARRUS_JOINT_DISTANCE:
    case SARRUS_JOINT_SLOT:
        break;
    }
    return 0;
}

static void put_joint(text_writer *w, const graph_joint *j, int i) {
    const sarrus_joint_type type = j->type;
    text_put(w, "%s{name: j%d, type: %s, bodies: [", i ? ", " : "", i, sarrus_joint_word(type));
    put_name(w, j->parent);
    text_put(w, ", ");
    put_name(w, j->child);
    text_put(w, "], at: ");
    if (type == SARRUS_JOINT_DISTANCE) {
        text_put(w, "[");
        text_put_numbers(w, "", 3, j->at[0]);
        text_put(w, ", ");
        text_put_numbers(w, "", 3, j->at[1]);
        text_put(w, "]");
    } else
        text_put_numbers(w, "", 3, j->at[0]);
    if (type == SARRUS_JOINT_UNIVERSAL) {
        text_put(w, ", axes: [");
        text_put_numbers(w, "", 3, j->axis[0]);
        text_put(w, ", ");
        text_put_numbers(w, "", 3, j->axis[1]);
        text_put(w, "]");
    } else if (type == SARRUS_JOINT_GENERAL || type == SARRUS_JOINT_BUSHING || type == SARRUS_JOINT_FREE)
        put_key(w, "frame", j->frame, 4);
    else if (type != SARRUS_JOINT_SPHERICAL && type != SARRUS_JOINT_FIXED && type != SARRUS_JOINT_DISTANCE)
        put_key(w, "axis", j->axis[0], 3);
    if (type == SARRUS_JOINT_SCREW)
        text_put(w, ", pitch: %.17g", j->pitch);
    if (type == SARRUS_JOINT_GENERAL)
        text_put(w, ", constrain: [%s]", lists[j->i_list].held);
    put_repeated(w, "stiffness", j->stiffness, n_free_of(j));
    put_repeated(w, "damping", j->damping, n_free_of(j));
    text_put(w, "}");
}

const char *spatial_graph_text(const spatial_graph *graph) {
    static char text[65536];
    text_writer w = {text, sizeof text, 0};
    text_put(&w, "{sarrus: 1, space: spatial, integrator: {t_end: 1}");
    put_key(&w, "gravity", graph->gravity, 3);
    text_put(&w, ", bodies: [");
    for (int i = 0; i < graph->n_bodies; ++i) {
        const graph_body *b = &graph->bodies[i];
        text_put(&w, "%s{name: b%d, mass: %.17g", i ? ", " : "", i, b->mass);
        put_key(&w, "inertia", b->inertia, 6);
        put_key(&w, "rotor", b->rotor, 3);
        put_key(&w, "position", b->position, 3);
        put_key(&w, "orientation", b->turn, 4);
        put_key(&w, "velocity", b->velocity, 3);
        put_key(&w, "angular_velocity", b->rate, 3);
        text_put(&w, "}");
    }
    text_put(&w, "], joints: [");
    for (int i = 0; i < graph->n_joints; ++i)
        put_joint(&w, &graph->joints[i], i);
    text_put(&w, "], forces: [");
    for (int i = 0; i < graph->n_springs; ++i) {
        const graph_spring *s = &graph->springs[i];
        text_put(&w, "%s{name: s%d, type: spring, between: [[b%d, ", i ? ", " : "", i, s->body[0]);
        text_put_numbers(&w, "", 3, s->at[0]);
        text_put(&w, "], [b%d, ", s->body[1]);
        text_put_numbers(&w, "", 3, s->at[1]);
        text_put(&w, "]], stiffness: %.17g, rest_length: %.17g, damping: %.17g}", s->stiffness, s->rest, s->damping);
    }
    text_put(&w, "]}");
    return text;
}
