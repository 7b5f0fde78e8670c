/* Constraints, forces and energy of the reference, every derivative by jets. */
#include "tests/support/reference.h"

#include <math.h>
#include <string.h>

#include "tests/support/reference_features.h"

/* Poses of parent and child when only coordinate k (0 … 2) of body `side` moves, at unit speed. */
static void poses_along(const int body[2], const double *q, int side, int k, reference_pose pose[2]) {
    for (int s = 0; s < 2; ++s) {
        pose[s] = reference_pose_moving(body[s], q, NULL);
    }
    jet *moving = k == 0 ? &pose[side].x : k == 1 ? &pose[side].y : &pose[side].theta;
    moving->d = 1.0;
}

static void poses_moving(const int body[2], const double *q, const double *v, reference_pose pose[2]) {
    for (int s = 0; s < 2; ++s) {
        pose[s] = reference_pose_moving(body[s], q, v);
    }
}

static void joint_jacobian(const reference *ref, const reference_joint *joint, const double *q, double *jacobian) {
    for (int side = 0; side < 2; ++side) {
        if (joint->body[side] == SARRUS_GROUND) {
            continue;
        }
        for (int k = 0; k < 3; ++k) {
            reference_pose pose[2];
            jet rows[REFERENCE_MAX_ROWS];
            poses_along(joint->body, q, side, k, pose);
            reference_joint_rows(joint, pose, jet_constant(0.0), rows);
            for (int i = 0; i < joint->n_rows; ++i) {
                jacobian[(joint->row + i) * ref->n + 3 * joint->body[side] + k] = rows[i].d;
            }
        }
    }
}

/* A coordinate of a constraint; of a curve Φ and nothing. */
static jet coupled(const reference *ref, const reference_constraint *constraint, int i, const reference_pose pose[2]) {
    const reference_joint *of = &constraint->of[i];
    jet rows[REFERENCE_MAX_ROWS];
    if (constraint->from->type == SARRUS_CONSTRAINT_CURVE) {
        return i == 0 ? reference_curve_row(ref, constraint, pose) : jet_constant(0.0);
    }
    if (of->type != SARRUS_JOINT_DISTANCE) {
        return reference_joint_free(of, pose);
    }
    reference_joint_rows(of, pose, jet_constant(0.0), rows);
    return rows[0];
}

/* f with its derivatives at x. */
static void law(const reference *ref, const sarrus_constraint *from, double x, double f[3]) {
    switch (from->type) { /* of a row of constraint.def that is missing the compiler says so */
    case SARRUS_CONSTRAINT_GEAR:
        f[0] = ref->values[from->ratio] * x + ref->values[from->offset];
        f[1] = ref->values[from->ratio];
        f[2] = 0.0;
        break;
    case SARRUS_CONSTRAINT_CAM:
        reference_table(ref, &from->table, from->is_periodic, x, f);
        break;
    case SARRUS_CONSTRAINT_CURVE:
    case SARRUS_CONSTRAINT_NONHOLONOMIC: /* has no Φ: tests/conformance/test_nonholonomic.c */
        f[0] = f[1] = f[2] = 0.0;
        break;
    }
}

/* A − f(B). */
static jet constraint_row(const reference *ref, const reference_constraint *constraint, jet a, jet b) {
    double f[3];
    law(ref, constraint->from, b.f, f);
    return jet_subtract(a, (jet){f[0], f[1] * b.d, f[2] * b.d * b.d + f[1] * b.dd});
}

static void constraint_jacobian(const reference *ref, const reference_constraint *constraint, const double *q, double *jacobian) {
    for (int moving = 0; moving < 12; ++moving) {
        const int part = moving / 6, side = moving / 3 % 2, k = moving % 3, body = constraint->of[part].body[side];
        jet x[2];
        for (int i = 0; i < 2; ++i) {
            reference_pose pose[2];
            poses_moving(constraint->of[i].body, q, NULL, pose);
            if (i == part && body != SARRUS_GROUND) {
                poses_along(constraint->of[i].body, q, side, k, pose);
            }
            x[i] = coupled(ref, constraint, i, pose);
        }
        if (body != SARRUS_GROUND) {
            jacobian[constraint->row * ref->n + 3 * body + k] += constraint_row(ref, constraint, x[0], x[1]).d;
        }
    }
}

/* The rows behind those of the joints. */
static void constraint_rows(const reference *ref, const double *q, const double *v, double *phi, double *phi_dot, double *gamma,
                            double *jacobian) {
    for (int i = 0; i < ref->model->n_constraints; ++i) {
        const reference_constraint *constraint = &ref->constraints[i];
        jet x[2];
        for (int k = 0; k < 2; ++k) {
            reference_pose pose[2];
            poses_moving(constraint->of[k].body, q, v, pose);
            x[k] = coupled(ref, constraint, k, pose);
        }
        const jet row = constraint_row(ref, constraint, x[0], x[1]);
        if (phi) {
            phi[constraint->row] = row.f;
        }
        if (phi_dot) {
            phi_dot[constraint->row] = row.d;
        }
        if (gamma) {
            gamma[constraint->row] = -row.dd;
        }
        if (jacobian) {
            constraint_jacobian(ref, constraint, q, jacobian);
        }
    }
}

void reference_constraints(const reference *ref, double t, const double *q, const double *v, double *phi, double *phi_dot,
                           double *gamma, double *jacobian) {
    if (jacobian) {
        memset(jacobian, 0, (size_t)ref->m * (size_t)ref->n * sizeof *jacobian);
    }
    for (int j = 0; j < ref->n_joints; ++j) {
        const reference_joint *joint = &ref->joints[j];
        reference_pose pose[2];
        jet rows[REFERENCE_MAX_ROWS];
        double s[3] = {0.0, 0.0, 0.0};
        if (joint->drive >= 0) {
            reference_signal(ref, joint->drive, t, s);
        }
        poses_moving(joint->body, q, v, pose);
        reference_joint_rows(joint, pose, (jet){s[0], s[1], s[2]}, rows);
        for (int i = 0; i < joint->n_rows; ++i) {
            if (phi) {
                phi[joint->row + i] = rows[i].f;
            }
            if (phi_dot) {
                phi_dot[joint->row + i] = rows[i].d;
            }
            if (gamma) { /* what is left of the second derivative when a = 0 moves to the right side */
                gamma[joint->row + i] = -rows[i].dd;
            }
        }
        if (jacobian) {
            joint_jacobian(ref, joint, q, jacobian);
        }
    }
    constraint_rows(ref, q, v, phi, phi_dot, gamma, jacobian);
}

static double source_value(const reference *ref, const sarrus_source *source, double t) {
    double s[3];
    switch (source->kind) {
    case SARRUS_SOURCE_SIGNAL:
        reference_signal(ref, source->index, t, s);
        return s[0];
    case SARRUS_SOURCE_INPUT:
        return ref->inputs[source->index];
    case SARRUS_SOURCE_VALUE:
    default:
        return ref->values[source->index];
    }
}

/* Adds −tension ∂length/∂q. */
static void add_spring(const reference *ref, const sarrus_force *spring, const double *q, const double *v, double *force) {
    reference_pose pose[2];
    poses_moving(spring->body, q, v, pose);
    jet length = reference_spring_length(ref, spring, pose);
    double damping = spring->damping == SARRUS_NO_VALUE ? 0.0 : ref->values[spring->damping];
    double tension = ref->values[spring->stiffness] * (length.f - ref->values[spring->rest_length]) + damping * length.d;
    for (int side = 0; side < 2; ++side) {
        for (int k = 0; k < 3 && spring->body[side] != SARRUS_GROUND; ++k) {
            poses_along(spring->body, q, side, k, pose);
            force[3 * spring->body[side] + k] -= tension * reference_spring_length(ref, spring, pose).d;
        }
    }
}

static void add_point_force(const reference *ref, const sarrus_force *load, double t, const double *q, double *force) {
    int body[2] = {load->body[0], SARRUS_GROUND};
    double point[2] = {ref->values[load->point[0][0]], ref->values[load->point[0][1]]};
    double fx = source_value(ref, &load->value[0], t), fy = source_value(ref, &load->value[1], t);
    if (load->frame == SARRUS_FRAME_BODY) {
        double c = cos(q[3 * body[0] + 2]), s = sin(q[3 * body[0] + 2]), bx = fx, by = fy;
        fx = c * bx - s * by;
        fy = s * bx + c * by;
    }
    for (int k = 0; k < 3; ++k) {
        reference_pose pose[2];
        jet world[2];
        poses_along(body, q, 0, k, pose);
        reference_point(&pose[0], point, world);
        force[3 * body[0] + k] += fx * world[0].d + fy * world[1].d;
    }
}

/* Spring and damper along the free coordinate of a joint. */
static void add_joint_spring(const reference_joint *joint, const double *q, const double *v, double *force) {
    reference_pose pose[2];
    poses_moving(joint->body, q, v, pose);
    jet coordinate = reference_joint_free(joint, pose);
    double load = joint->stiffness * (coordinate.f - joint->rest) + joint->damping * coordinate.d;
    for (int side = 0; side < 2; ++side) {
        for (int k = 0; k < 3 && joint->body[side] != SARRUS_GROUND; ++k) {
            poses_along(joint->body, q, side, k, pose);
            force[3 * joint->body[side] + k] -= load * reference_joint_free(joint, pose).d;
        }
    }
}

void reference_forces(const reference *ref, double t, const double *q, const double *v, double *force) {
    for (int i = 0; i < ref->n_bodies; ++i) {
        force[3 * i] = ref->mass[3 * i] * ref->gravity[0];
        force[3 * i + 1] = ref->mass[3 * i] * ref->gravity[1];
        force[3 * i + 2] = 0.0;
    }
    for (int i = 0; i < ref->model->n_forces; ++i) {
        const sarrus_force *load = &ref->model->forces[i];
        switch (load->type) {
        case SARRUS_FORCE_SPRING:
            add_spring(ref, load, q, v, force);
            break;
        case SARRUS_FORCE_TORQUE:
            force[3 * load->body[0] + 2] += source_value(ref, &load->value[0], t);
            break;
        case SARRUS_FORCE_POINT:
            add_point_force(ref, load, t, q, force);
            break;
        }
    }
    for (int j = 0; j < ref->n_joints; ++j) {
        if (ref->joints[j].stiffness != 0.0 || ref->joints[j].damping != 0.0) {
            add_joint_spring(&ref->joints[j], q, v, force);
        }
    }
}

double reference_energy(const reference *ref, double t, const double *q, const double *v) {
    (void)t;
    double energy = 0.0;
    for (int i = 0; i < ref->n; ++i) {
        energy += 0.5 * ref->mass[i] * v[i] * v[i];
    }
    for (int i = 0; i < ref->n_bodies; ++i) {
        energy -= ref->mass[3 * i] * (ref->gravity[0] * q[3 * i] + ref->gravity[1] * q[3 * i + 1]);
    }
    reference_pose pose[2];
    for (int i = 0; i < ref->model->n_forces; ++i) {
        const sarrus_force *load = &ref->model->forces[i];
        if (load->type == SARRUS_FORCE_SPRING) {
            poses_moving(load->body, q, v, pose);
            double stretch = reference_spring_length(ref, load, pose).f - ref->values[load->rest_length];
            energy += 0.5 * ref->values[load->stiffness] * stretch * stretch;
        }
    }
    for (int j = 0; j < ref->n_joints; ++j) {
        poses_moving(ref->joints[j].body, q, v, pose);
        double stretch = reference_joint_free(&ref->joints[j], pose).f - ref->joints[j].rest;
        energy += 0.5 * ref->joints[j].stiffness * stretch * stretch;
    }
    return energy;
}

void reference_free_coordinate(const reference *ref, int i_joint, const double *q, const double *v, double *value, double *rate) {
    reference_pose pose[2];
    poses_moving(ref->joints[i_joint].body, q, v, pose);
    jet coordinate = reference_joint_free(&ref->joints[i_joint], pose);
    *value = coordinate.f;
    *rate = coordinate.d;
}

/* The rows before the drive's act on the child at its joint point; their moment about that point is what theta's own
 * derivative leaves after the point's share is taken away. */
void reference_reactions(const reference *ref, double t, const double *q, const double *lambda, double *reaction) {
    (void)t;
    for (int j = 0; j < ref->n_joints; ++j) {
        reference_joint joint = ref->joints[j];
        double load[3] = {0.0, 0.0, 0.0};
        joint.n_rows -= joint.drive >= 0;
        joint.drive = -1;
        int moved = joint.body[1] == SARRUS_GROUND ? 0 : 1; /* a ground child takes the parent's load, reversed below */
        for (int k = 0; k < 3; ++k) {
            reference_pose pose[2];
            jet rows[REFERENCE_MAX_ROWS];
            poses_along(joint.body, q, moved, k, pose);
            reference_joint_rows(&joint, pose, jet_constant(0.0), rows);
            for (int i = 0; i < joint.n_rows; ++i) {
                load[k] -= lambda[joint.row + i] * rows[i].d;
            }
        }
        reference_pose pose[2];
        jet point[2];
        poses_moving(joint.body, q, NULL, pose);
        reference_point(&pose[1], joint.point[1], point);
        double rx = point[0].f - pose[moved].x.f, ry = point[1].f - pose[moved].y.f;
        double sign = moved == 1 ? 1.0 : -1.0;
        reaction[3 * j] = sign * load[0];
        reaction[3 * j + 1] = sign * load[1];
        reaction[3 * j + 2] = sign * (load[2] - rx * load[1] + ry * load[0]);
    }
}

int reference_drives(const reference *ref, const double *lambda, double *load) {
    int n = 0;
    for (int j = 0; j < ref->n_joints; ++j) {
        if (ref->joints[j].drive >= 0) {
            load[n++] = -lambda[ref->joints[j].row + ref->joints[j].n_rows - 1];
        }
    }
    return n;
}
