/* Mechanisms in space at random: a tree of up to 30 bodies, on ground or floating, with joints of every type in turn, and further
 * joints that close loops in it. Everything fits together at t = 0 but the speeds, which assembly brings onto the joints. */
#ifndef TESTS_SUPPORT_SPATIAL_GRAPH_H
#define TESTS_SUPPORT_SPATIAL_GRAPH_H

#include <stdint.h>

#include "model/model.h"

enum { GRAPH_MAX_BODIES = 30, GRAPH_MAX_JOINTS = 45, GRAPH_MAX_FORCES = 8 };

typedef struct graph_body {
    double mass, inertia[6], rotor[3];                 /* kg; kg m², xx, yy, zz, xy, xz, yz; kg m²/s */
    double position[3], turn[4], velocity[3], rate[3]; /* m; Euler parameters; m/s; rad/s in the body's frame */
} graph_body;

/* parent and child: −1 is ground. What a type does not have is written nowhere. */
typedef struct graph_joint {
    sarrus_joint_type type;
    int parent, child, i_list;             /* i_list: which of the lists of a general joint */
    double at[2][3], axis[2][3], frame[4]; /* m, inertial: the parent's point, the child's; directions; Euler parameters */
    double pitch, stiffness, damping;      /* m/rad; the same along all free coordinates */
} graph_joint;

/* A spring with a damper between points of two bodies, in their frames. */
typedef struct graph_spring {
    int body[2];
    double at[2][3], stiffness, rest, damping; /* m, N/m, m, N s/m */
} graph_spring;

typedef struct spatial_graph {
    int n_bodies, n_joints, n_springs;
    double gravity[3];
    graph_body bodies[GRAPH_MAX_BODIES];
    graph_joint joints[GRAPH_MAX_JOINTS];
    graph_spring springs[GRAPH_MAX_FORCES];
} spatial_graph;

typedef struct graph_options {
    int n_bodies, n_loops, is_floating, is_damped;
    uint64_t seed;
} graph_options;

void spatial_graph_create(const graph_options *options, spatial_graph *out);

/* The same as a whole turned by the unit quaternion p about the origin, then shifted. */
void spatial_graph_place(const spatial_graph *graph, const double p[4], const double shift[3], spatial_graph *out);

/* The same with body i as number to[i], the joints from the last to the first, and parent and child exchanged wherever that is the
 * same joint. */
void spatial_graph_renumber(const spatial_graph *graph, const int *to, spatial_graph *out);

/* As text of a scenario, which the next call overwrites. */
const char *spatial_graph_text(const spatial_graph *graph);

#endif
