/* Units of numbers, by the keys that they stand under. */
#include "model/unit.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { SPATIAL_NQ = 7, SPATIAL_NV = 6 }; /* of a body */

/* Written as kg, m, s, rad. */
static const sarrus_unit one = {true, {0, 0, 0, 0}}, kilogram = {true, {1, 0, 0, 0}}, meter = {true, {0, 1, 0, 0}},
                         second = {true, {0, 0, 1, 0}}, radian = {true, {0, 0, 0, 1}}, newton = {true, {1, 1, -2, 0}},
                         newton_meter = {true, {1, 2, -2, 0}};

const char *sarrus_unit_write(const sarrus_unit *unit, char out[SARRUS_UNIT_BYTES]) {
    static const char *const names[SARRUS_N_BASE_UNITS + 1] = {"N", "kg", "m", "s", "rad"};
    double power[SARRUS_N_BASE_UNITS + 1] = {0};
    size_t n = 0;
    for (int i = 0; i < SARRUS_N_BASE_UNITS; ++i) {
        power[i + 1] = unit->power[i];
        if (!unit->is_known || power[i + 1] != rint(power[i + 1]) || fabs(power[i + 1]) > 99)
            return NULL;
    }
    if (unit->power[SARRUS_UNIT_KG] == 1 && unit->power[SARRUS_UNIT_S] < 0) {
        power[0] = 1;
        power[1 + SARRUS_UNIT_KG] -= 1;
        power[1 + SARRUS_UNIT_M] -= 1;
        power[1 + SARRUS_UNIT_S] += 2;
    }
    out[0] = '\0';
    for (int sign = 1; sign >= -1; sign -= 2) /* what divides comes last */
        for (int i = 0; i <= SARRUS_N_BASE_UNITS; ++i)
            if (sign * power[i] > 0)
                n += (size_t)snprintf(out + n, SARRUS_UNIT_BYTES - n, power[i] == 1 ? "%s%s" : "%s%s%d", n > 0 ? " " : "", names[i],
                                      (int)power[i]);
    return n > 0 ? out : strcpy(out, "1");
}

static sarrus_unit times(sarrus_unit a, sarrus_unit b, double power) {
    for (int i = 0; i < SARRUS_N_BASE_UNITS; ++i)
        a.power[i] += power * b.power[i];
    return a;
}

/* A free coordinate; what acts along it. */
static sarrus_unit coordinate_unit(bool is_angle) {
    return is_angle ? radian : meter;
}

static sarrus_unit load_unit(bool is_angle) {
    return is_angle ? newton_meter : newton;
}

/* ---- by the keys of the scenario ---- */

static void give(sarrus_unit *units, const sarrus_value_index *index, int n, sarrus_unit unit) {
    for (int i = 0; i < n; ++i)
        if (index[i] != SARRUS_NO_VALUE)
            units[index[i]] = unit;
}

static void orientation_give(sarrus_unit *units, sarrus_orientation form, const sarrus_value_index *index) {
    give(units, index, SARRUS_MAX_ORIENTATION,
         form == SARRUS_ORIENTATION_EULER || form == SARRUS_ORIENTATION_BRYANT ? radian : one);
    if (form == SARRUS_ORIENTATION_AXIS)
        give(units, index + 3, 1, radian);
}

static void signal_give(const sarrus_model *model, sarrus_unit *units, int i_signal, sarrus_unit unit) {
    if (i_signal < 0)
        return;
    const sarrus_signal *signal = &model->signals[i_signal];
    give(units, signal->values, signal->n_values, unit);
    switch (signal->kind) {
    case SARRUS_SIGNAL_CONSTANT:
    case SARRUS_SIGNAL_TABLE:
        break;
    case SARRUS_SIGNAL_RAMP:
        give(units, signal->values + 1, 1, times(unit, second, -1));
        give(units, signal->values + 2, 1, second);
        break;
    case SARRUS_SIGNAL_SINE:
        give(units, signal->values + 1, 1, times(one, second, -1));
        give(units, signal->values + 2, 1, radian);
        break;
    case SARRUS_SIGNAL_POLYNOMIAL:
        for (int k = 0; k < signal->n_values; ++k)
            give(units, signal->values + k, 1, times(unit, second, -k));
        break;
    }
}

static void body_give(const sarrus_model *model, sarrus_unit *units, const sarrus_body *body) {
    const bool is_spatial = model->space == SARRUS_SPACE_SPATIAL;
    const sarrus_unit inertia = times(kilogram, meter, 2);
    give(units, &body->mass, 1, kilogram);
    give(units, body->inertia, 6, inertia);
    give(units, body->position, 3, meter);
    give(units, body->velocity, 3, times(meter, second, -1));
    give(units, body->angular_velocity, 3, times(radian, second, -1));
    give(units, body->rotor, 3, times(inertia, second, -1));
    if (is_spatial)
        orientation_give(units, body->orientation_form, body->orientation);
    else
        give(units, body->orientation, 1, radian);
}

static void joint_give(const sarrus_model *model, sarrus_unit *units, const sarrus_joint *joint) {
    bool is_angle[SARRUS_MAX_FREEDOMS];
    const int n = sarrus_joint_coordinates(model->space, joint, is_angle);
    for (int k = 0; k < 2; ++k) {
        give(units, joint->at[k], 3, meter);
        give(units, joint->point[k], 3, meter);
        give(units, joint->axis[k], 3, one);
    }
    give(units, &joint->length, 1, meter);
    give(units, &joint->pitch, 1, times(meter, radian, -1));
    orientation_give(units, joint->frame_form, joint->frame);
    for (int k = 0; k < n; ++k) {
        const sarrus_unit coordinate = coordinate_unit(is_angle[k]), stiffness = times(load_unit(is_angle[k]), coordinate, -1);
        give(units, &joint->stiffness[k], 1, stiffness);
        give(units, &joint->damping[k], 1, times(stiffness, second, 1));
        give(units, &joint->rest[k], 1, coordinate);
        signal_give(model, units, joint->drive[k], coordinate);
    }
}

static void force_give(const sarrus_model *model, sarrus_unit *units, const sarrus_force *force) {
    const sarrus_unit load = force->type == SARRUS_FORCE_TORQUE ? newton_meter : newton, stiffness = times(newton, meter, -1);
    for (int k = 0; k < 2; ++k)
        give(units, force->point[k], 3, meter);
    give(units, &force->stiffness, 1, stiffness);
    give(units, &force->rest_length, 1, meter);
    give(units, &force->damping, 1, times(stiffness, second, 1));
    for (int k = 0; k < 3; ++k) {
        if (force->value[k].kind == SARRUS_SOURCE_VALUE)
            give(units, &force->value[k].index, 1, load);
        else if (force->value[k].kind == SARRUS_SOURCE_SIGNAL)
            signal_give(model, units, force->value[k].index, load);
    }
}

/* The coordinate that a constraint couples. */
static sarrus_unit coupled_unit(const sarrus_model *model, const sarrus_coupled *of) {
    bool is_angle[SARRUS_MAX_FREEDOMS] = {false};
    if (of->joint >= 0)
        (void)sarrus_joint_coordinates(model->space, &model->joints[of->joint], is_angle);
    return coordinate_unit(is_angle[0]);
}

static void slip_give(const sarrus_model *model, sarrus_unit *units, const sarrus_slip_numbers *slip) {
    give(units, slip->along, 3, one);
    give(units, slip->about, 3, meter);
    give(units, slip->plane, 3, meter);
    give(units, slip->normal, 3, one);
    give(units, slip->axis, 3, one);
    give(units, &slip->radius, 1, meter);
    signal_give(model, units, slip->speed, times(meter, second, -1));
}

static void constraint_give(const sarrus_model *model, sarrus_unit *units, const sarrus_constraint *constraint) {
    const sarrus_unit follower = coupled_unit(model, &constraint->of[0]);
    for (int i = 0; i < 2; ++i)
        for (int k = 0; k < 2; ++k)
            give(units, constraint->of[i].point[k], 3, meter);
    give(units, &constraint->ratio, 1, times(follower, coupled_unit(model, &constraint->of[1]), -1));
    give(units, &constraint->offset, 1, follower);
    give(units, constraint->table.values, constraint->table.n_values, follower);
    for (int i = 0; i < constraint->n_points; ++i)
        give(units, constraint->points[i], 3, meter);
    if (constraint->type == SARRUS_CONSTRAINT_NONHOLONOMIC)
        slip_give(model, units, &constraint->slip);
}

static void ground_give(const sarrus_model *model, sarrus_unit *units) {
    const int i_angle = model->space == SARRUS_SPACE_SPATIAL ? 3 : 2;
    if (!model->ground.is_given)
        return;
    give(units, model->ground.about, 3, meter);
    give(units, model->ground.axis, 3, one);
    for (int k = 0; k <= i_angle; ++k)
        signal_give(model, units, model->ground.signal[k], coordinate_unit(k == i_angle));
}

void sarrus_value_units_give(const sarrus_model *model, sarrus_unit *units) {
    for (int i = 0; i < model->n_values; ++i)
        units[i] = (sarrus_unit){.is_known = false};
    give(units, model->gravity, 3, times(meter, second, -2));
    for (int i = 0; i < model->n_bodies; ++i)
        body_give(model, units, &model->bodies[i]);
    for (int i = 0; i < model->n_joints; ++i)
        joint_give(model, units, &model->joints[i]);
    for (int i = 0; i < model->n_constraints; ++i)
        constraint_give(model, units, &model->constraints[i]);
    for (int i = 0; i < model->n_forces; ++i)
        force_give(model, units, &model->forces[i]);
    ground_give(model, units);
    const sarrus_value_index gains[2] = {model->dynamics.alpha, model->dynamics.beta};
    give(units, gains, 2, times(one, second, -1));
    for (int i = 0; i < model->output.n_points; ++i)
        give(units, model->output.points[i].at, 3, meter);
}

/* ---- of what quantities are made ---- */

/* A component of the coordinates of bodies, whose rates have the same per second and, twice, per second squared. */
static sarrus_unit body_unit(sarrus_space space, sarrus_observable observable, int component) {
    const bool is_spatial = space == SARRUS_SPACE_SPATIAL;
    if (!is_spatial)
        return coordinate_unit(component % 3 == 2);
    if (observable == SARRUS_OBSERVE_Q)
        return component % SPATIAL_NQ < 3 ? meter : one;
    return coordinate_unit(component % SPATIAL_NV >= 3);
}

/* Motor loads come in the order of the scenario. */
static sarrus_unit drive_unit(const sarrus_model *model, int component) {
    for (int i = 0; i < model->n_joints; ++i) {
        bool is_angle[SARRUS_MAX_FREEDOMS];
        const int n = sarrus_joint_coordinates(model->space, &model->joints[i], is_angle);
        for (int k = 0; k < n; ++k)
            if (model->joints[i].drive[k] >= 0 && component-- == 0)
                return load_unit(is_angle[k]);
    }
    return (sarrus_unit){.is_known = false};
}

/* So do free coordinates, each of which may be several numbers. */
static sarrus_unit joint_unit(const sarrus_model *model, int component) {
    for (int i = 0; i < model->n_joints; ++i) {
        bool is_angle[SARRUS_MAX_FREEDOMS];
        sarrus_freedom freedoms[SARRUS_MAX_FREEDOMS];
        const int n = sarrus_joint_coordinates(model->space, &model->joints[i], is_angle);
        if (model->space == SARRUS_SPACE_SPATIAL)
            (void)sarrus_joint_freedoms(&model->joints[i], freedoms);
        for (int k = 0; k < n; ++k) {
            component -= model->space == SARRUS_SPACE_SPATIAL ? sarrus_freedom_n_numbers(freedoms[k]) : 1;
            if (component < 0)
                return coordinate_unit(is_angle[k]);
        }
    }
    return (sarrus_unit){.is_known = false};
}

static sarrus_unit observed_unit(const sarrus_model *model, sarrus_observable observable, int component) {
    const bool is_spatial = model->space == SARRUS_SPACE_SPATIAL;
    switch (observable) {
    case SARRUS_OBSERVE_Q:
        return body_unit(model->space, observable, component);
    case SARRUS_OBSERVE_V:
        return times(body_unit(model->space, observable, component), second, -1);
    case SARRUS_OBSERVE_ACCELERATION:
        return times(body_unit(model->space, observable, component), second, -2);
    case SARRUS_OBSERVE_ENERGY:
    case SARRUS_OBSERVE_WORK:
        return newton_meter;
    case SARRUS_OBSERVE_REACTIONS:
        return load_unit(is_spatial ? component % SPATIAL_NV >= 3 : component % 3 == 2);
    case SARRUS_OBSERVE_DRIVES:
        return drive_unit(model, component);
    case SARRUS_OBSERVE_JOINT_COORDINATES:
        return joint_unit(model, component);
    case SARRUS_OBSERVE_JOINT_SPEEDS:
        return times(joint_unit(model, component), second, -1);
    case SARRUS_OBSERVE_POSITION_ERROR:
    case SARRUS_OBSERVE_VELOCITY_ERROR:
    case SARRUS_OBSERVE_RANK:
    case SARRUS_OBSERVE_KEPT:
    case SARRUS_OBSERVE_DROPPED:
    case SARRUS_OBSERVE_CONSTRAINTS:
    case SARRUS_N_OBSERVABLES:
        break;
    }
    return (sarrus_unit){.is_known = false};
}

sarrus_unit sarrus_term_unit(const sarrus_model *model, const sarrus_unit *units, const sarrus_term *term) {
    switch (term->kind) {
    case SARRUS_TERM_TIME:
        return second;
    case SARRUS_TERM_OBSERVED:
        return observed_unit(model, term->observable, term->component);
    case SARRUS_TERM_POINT:
        return times(meter, second, -term->order);
    case SARRUS_TERM_VALUE:
        return units[term->value];
    }
    return (sarrus_unit){.is_known = false};
}
