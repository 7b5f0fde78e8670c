/* Queries and the end of a model; the scenario room makes it. */
#include "model/model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void bodies_destroy(sarrus_body *bodies, int n_bodies) {
    for (int i_body = 0; bodies != NULL && i_body < n_bodies; ++i_body) {
        free(bodies[i_body].name);
    }
    free(bodies);
}

static void joints_destroy(sarrus_joint *joints, int n_joints) {
    for (int i_joint = 0; joints != NULL && i_joint < n_joints; ++i_joint) {
        free(joints[i_joint].name);
    }
    free(joints);
}

static void constraints_destroy(sarrus_constraint *constraints, int n_constraints) {
    for (int i = 0; constraints != NULL && i < n_constraints; ++i) {
        free(constraints[i].name);
        free(constraints[i].table.values);
        free(constraints[i].table.knots);
        free(constraints[i].points);
    }
    free(constraints);
}

static void forces_destroy(sarrus_force *forces, int n_forces) {
    for (int i_force = 0; forces != NULL && i_force < n_forces; ++i_force) {
        free(forces[i_force].name);
    }
    free(forces);
}

static void signals_destroy(sarrus_signal *signals, int n_signals) {
    for (int i_signal = 0; signals != NULL && i_signal < n_signals; ++i_signal) {
        free(signals[i_signal].values);
        free(signals[i_signal].knots);
    }
    free(signals);
}

static void values_destroy(sarrus_value *values, int n_values) {
    for (int i_value = 0; values != NULL && i_value < n_values; ++i_value) {
        free(values[i_value].path);
        free(values[i_value].expression);
    }
    free(values);
}

static void sampled_destroy(sarrus_sampled *sampled, int n_sampled) {
    for (int i_sampled = 0; sampled != NULL && i_sampled < n_sampled; ++i_sampled) {
        free(sampled[i_sampled].label);
        free(sampled[i_sampled].targets);
        free(sampled[i_sampled].values);
        free(sampled[i_sampled].shares);
    }
    free(sampled);
}

static void output_destroy(sarrus_model *model) {
    for (int i = 0; model->output.points != NULL && i < model->output.n_points; ++i) {
        free(model->output.points[i].name);
    }
    for (int i = 0; model->output.quantities != NULL && i < model->output.n_quantities; ++i) {
        free(model->output.quantities[i].name);
        free(model->output.quantities[i].text);
    }
    free(model->output.points);
    free(model->output.quantities);
    free(model->output.kept);
    free(model->output.sensitivity);
    free(model->output.levels);
}

void sarrus_model_destroy(sarrus_model *model) {
    if (model == NULL) {
        return;
    }
    bodies_destroy(model->bodies, model->n_bodies);
    joints_destroy(model->joints, model->n_joints);
    constraints_destroy(model->constraints, model->n_constraints);
    forces_destroy(model->forces, model->n_forces);
    signals_destroy(model->signals, model->n_signals);
    values_destroy(model->values, model->n_values);
    sampled_destroy(model->batch.sampled, model->batch.n_sampled);
    free(model->batch.levels);
    free(model->batch.correlation);
    output_destroy(model);
    free(model->dynamics.cut.joint);
    free(model->dynamics.cut.place_of);
    free(model->dynamics.weights.of);
    free(model->file);
    free(model->text);
    for (int i = 0; i < model->n_overrides; ++i)
        free(model->overrides[i]);
    free(model->overrides);
    free(model->name);
    free(model->resolved);
    free(model);
}

sarrus_location sarrus_model_location(const sarrus_model *model, const sarrus_place *place) {
    if (place->i_override > model->n_overrides) /* that of a document, which has them */
        return (sarrus_location){model->file, model->text, 0, 0};
    if (place->i_override > 0)
        return (sarrus_location){"--set", model->overrides[place->i_override - 1], place->line, place->column};
    return (sarrus_location){model->file, model->text, place->line, place->column};
}

const char *sarrus_model_resolved(const sarrus_model *model) {
    return model != NULL ? model->resolved : NULL;
}

const char *sarrus_model_name(const sarrus_model *model) {
    return model != NULL ? model->name : NULL;
}

const char *sarrus_model_ground_motion(const sarrus_model *model, int i) {
    static const char *const components[2][SARRUS_MAX_GROUND_SIGNALS] = {
        [SARRUS_SPACE_PLANAR] = {"x", "y", "angle"}, [SARRUS_SPACE_SPATIAL] = {"x", "y", "z", "angle"}};
    for (int k = 0; model && model->ground.is_given && i >= 0 && k < SARRUS_MAX_GROUND_SIGNALS; ++k)
        if (model->ground.signal[k] >= 0 && i-- == 0)
            return components[model->space][k];
    return NULL;
}

uint64_t sarrus_model_study_size(const sarrus_model *model, uint64_t n) {
    const uint64_t n_sampled = (uint64_t)model->batch.n_sampled;
    switch (model->batch.design) {
    case SARRUS_DESIGN_SALTELLI:
        return n * ((model->batch.has_second_order ? 2 : 1) * n_sampled + 2);
    case SARRUS_DESIGN_MORRIS:
        return n * (n_sampled + 1);
    case SARRUS_DESIGN_PLAIN:
        break;
    }
    return n;
}

uint64_t sarrus_model_n_instances(const sarrus_model *model) {
    return model != NULL ? sarrus_model_study_size(model, model->batch.n_instances) : 0;
}

uint64_t sarrus_model_seed(const sarrus_model *model) {
    return model != NULL ? model->batch.seed : 0;
}

const char *sarrus_sampled_path(const sarrus_model *model, const sarrus_sampled *sampled) {
    const sarrus_value_index target = sampled->targets[0];
    return target < model->n_named ? sampled->label : model->values[target].path;
}

sarrus_value_index sarrus_model_value_find(const sarrus_model *model, const char *path) {
    static const char prefix[] = "parameters.";
    for (int i_named = 0; i_named < model->n_named; ++i_named) {
        const char *full = model->values[i_named].path;
        if (strcmp(full, path) == 0 || strcmp(full + sizeof prefix - 1, path) == 0) {
            return i_named;
        }
    }
    for (int i_value = model->n_named; i_value < model->n_values; ++i_value) {
        if (strcmp(model->values[i_value].path, path) == 0) {
            return i_value;
        }
    }
    return SARRUS_NO_VALUE;
}

const char *sarrus_constraint_word(sarrus_constraint_type type) {
    static const char *const words[] = {
#define SARRUS_CONSTRAINT(name, value, word, kernel, label, text) [value] = word,
#include "sarrus/constraint.def"
    };
    return words[type];
}

const char *sarrus_constraint_label(sarrus_constraint_type type) {
    static const char *const labels[] = {
#define SARRUS_CONSTRAINT(name, value, word, kernel, label, text) [value] = label,
#include "sarrus/constraint.def"
    };
    return labels[type];
}

bool sarrus_constraint_couples(sarrus_constraint_type type) {
#define SARRUS_COUPLING(name, kernel)                                                                                              \
    if (type == SARRUS_CONSTRAINT_##name)                                                                                          \
        return true;
#include "sarrus/constraint.def"
    return false;
}

int sarrus_constraint_n_rows(sarrus_space space, const sarrus_constraint *constraint) {
    const bool is_spatial = space == SARRUS_SPACE_SPATIAL;
    if (constraint->type == SARRUS_CONSTRAINT_CURVE)
        return is_spatial ? 2 : 1; /* a point on a curve has one direction less than its space */
    return constraint->type == SARRUS_CONSTRAINT_NONHOLONOMIC && constraint->slip_kind == SARRUS_SLIP_ROLLING ? 3 : 1;
}

/* Of the list of a general joint: what its three rotations are held by, for each set of held ones. */
static const sarrus_spatial_row general_rows[8][3] = {
    {SARRUS_SPATIAL_ROW_NONE},
    {SARRUS_SPATIAL_ROW_ACROSS_23},
    {SARRUS_SPATIAL_ROW_ACROSS_31},
    {SARRUS_SPATIAL_ROW_ACROSS_31, SARRUS_SPATIAL_ROW_ACROSS_32},
    {SARRUS_SPATIAL_ROW_ACROSS_12},
    {SARRUS_SPATIAL_ROW_ACROSS_21, SARRUS_SPATIAL_ROW_ACROSS_23},
    {SARRUS_SPATIAL_ROW_ACROSS_12, SARRUS_SPATIAL_ROW_ACROSS_13},
    {SARRUS_SPATIAL_ROW_ACROSS_12, SARRUS_SPATIAL_ROW_ACROSS_23, SARRUS_SPATIAL_ROW_ACROSS_31},
};
static const sarrus_freedom general_turns[8][2] = {
    {SARRUS_FREEDOM_BALL},
    {SARRUS_FREEDOM_FIRST_2, SARRUS_FREEDOM_SECOND_3},
    {SARRUS_FREEDOM_FIRST_3, SARRUS_FREEDOM_SECOND_1},
    {SARRUS_FREEDOM_TURN_3},
    {SARRUS_FREEDOM_FIRST_1, SARRUS_FREEDOM_SECOND_2},
    {SARRUS_FREEDOM_TURN_2},
    {SARRUS_FREEDOM_TURN_1},
    {SARRUS_FREEDOM_NONE},
};

int sarrus_joint_row_forms(const sarrus_joint *joint, sarrus_spatial_row rows[SARRUS_MAX_SPATIAL_ROWS]) {
    static const sarrus_spatial_row of_type[SARRUS_N_JOINT_TYPES][SARRUS_MAX_SPATIAL_ROWS] = {
#define SARRUS_SPATIAL_JOINT(name, value, word, row_0, row_1, row_2, row_3, row_4, row_5, ...)                                     \
    [value] = {SARRUS_SPATIAL_ROW_##row_0, SARRUS_SPATIAL_ROW_##row_1, SARRUS_SPATIAL_ROW_##row_2,                                 \
               SARRUS_SPATIAL_ROW_##row_3, SARRUS_SPATIAL_ROW_##row_4, SARRUS_SPATIAL_ROW_##row_5},
#include "sarrus/joint.def"
    };
    int n_rows = 0;
    while (n_rows < SARRUS_MAX_SPATIAL_ROWS && of_type[joint->type][n_rows] != SARRUS_SPATIAL_ROW_NONE) {
        rows[n_rows] = of_type[joint->type][n_rows];
        ++n_rows;
    }
    if (joint->type != SARRUS_JOINT_GENERAL) {
        return n_rows;
    }
    for (int k = 0; k < 3; ++k) {
        if ((joint->held >> k) & 1) {
            rows[n_rows++] = (sarrus_spatial_row)(SARRUS_SPATIAL_ROW_ALONG_1 + k);
        }
    }
    for (int k = 0; k < 3 && general_rows[joint->held >> 3][k] != SARRUS_SPATIAL_ROW_NONE; ++k) {
        rows[n_rows++] = general_rows[joint->held >> 3][k];
    }
    return n_rows;
}

int sarrus_joint_freedoms(const sarrus_joint *joint, sarrus_freedom freedoms[SARRUS_MAX_FREEDOMS]) {
    static const sarrus_freedom of_type[SARRUS_N_JOINT_TYPES][SARRUS_MAX_FREEDOMS] = {
#define SARRUS_SPATIAL_JOINT(name, value, word, row_0, row_1, row_2, row_3, row_4, row_5, free_0, free_1, free_2, free_3, free_4,  \
                             free_5, ...)                                                                                          \
    [value] = {SARRUS_FREEDOM_##free_0, SARRUS_FREEDOM_##free_1, SARRUS_FREEDOM_##free_2,                                          \
               SARRUS_FREEDOM_##free_3, SARRUS_FREEDOM_##free_4, SARRUS_FREEDOM_##free_5},
#include "sarrus/joint.def"
    };
    int n = 0;
    while (n < SARRUS_MAX_FREEDOMS && of_type[joint->type][n] != SARRUS_FREEDOM_NONE) {
        freedoms[n] = of_type[joint->type][n];
        ++n;
    }
    if (joint->type != SARRUS_JOINT_GENERAL) {
        return n;
    }
    for (int k = 0; k < 3; ++k) {
        if (!((joint->held >> k) & 1)) {
            freedoms[n++] = (sarrus_freedom)(SARRUS_FREEDOM_SHIFT_1 + k);
        }
    }
    for (int k = 0; k < 2 && general_turns[joint->held >> 3][k] != SARRUS_FREEDOM_NONE; ++k) {
        freedoms[n++] = general_turns[joint->held >> 3][k];
    }
    return n;
}

const char *sarrus_freedom_text(sarrus_freedom freedom) {
    static const char *const texts[] = {
        [SARRUS_FREEDOM_NONE] = "nothing",
#define SARRUS_FREEDOM(name, value, n, unit, text) [value] = text,
#include "sarrus/freedom.def"
    };
    return texts[freedom];
}

bool sarrus_freedom_turns(sarrus_freedom freedom) {
    static const char *const units[] = {
        [SARRUS_FREEDOM_NONE] = "",
#define SARRUS_FREEDOM(name, value, n, unit, text) [value] = unit,
#include "sarrus/freedom.def"
    };
    return strcmp(units[freedom], "rad") == 0;
}

int sarrus_joint_n_rows(sarrus_space space, const sarrus_joint *joint) {
    static const int of_type[SARRUS_N_JOINT_TYPES] = {
#define SARRUS_JOINT(name, value, word, kernel, n_rows, row_0, row_1, row_2, label_0, label_1, label_2, free, needs, text)         \
    [value] = n_rows,
#include "sarrus/joint.def"
    };
    sarrus_spatial_row rows[SARRUS_MAX_SPATIAL_ROWS];
    int n_rows = space == SARRUS_SPACE_SPATIAL ? sarrus_joint_row_forms(joint, rows) : of_type[joint->type];
    for (int k = 0; k < SARRUS_MAX_FREEDOMS; ++k) {
        n_rows += joint->drive[k] >= 0;
    }
    return n_rows;
}

bool sarrus_joint_parts(sarrus_space space, const sarrus_joint *joint) {
    sarrus_spatial_row rows[SARRUS_MAX_SPATIAL_ROWS];
    if (space == SARRUS_SPACE_PLANAR) {
        return !SARRUS_JOINT_AMONG(SARRUS_JOINTS_WITH_PIN, joint->type);
    }
    return sarrus_joint_row_forms(joint, rows) == 0 || rows[0] != SARRUS_SPATIAL_ROW_PIN_X;
}

int sarrus_joint_coordinates(sarrus_space space, const sarrus_joint *joint, bool is_angle[SARRUS_MAX_FREEDOMS]) {
    sarrus_freedom freedoms[SARRUS_MAX_FREEDOMS];
    if (space == SARRUS_SPACE_PLANAR) {
        is_angle[0] = sarrus_joint_freedom(joint->type) == SARRUS_FREE_ANGLE;
        return sarrus_joint_freedom(joint->type) != SARRUS_FREE_NONE;
    }
    const int n = sarrus_joint_freedoms(joint, freedoms);
    for (int k = 0; k < n; ++k) {
        is_angle[k] = sarrus_freedom_turns(freedoms[k]);
    }
    return n;
}

int sarrus_freedom_n_numbers(sarrus_freedom freedom) {
    static const int counts[] = {
        [SARRUS_FREEDOM_NONE] = 0,
#define SARRUS_FREEDOM(name, value, n, unit, text) [value] = n,
#include "sarrus/freedom.def"
    };
    return counts[freedom];
}

int sarrus_joint_n_numbers(sarrus_space space, const sarrus_joint *joint) {
    sarrus_freedom freedoms[SARRUS_MAX_FREEDOMS];
    int n_numbers = 0;
    if (space == SARRUS_SPACE_PLANAR) {
        return sarrus_joint_freedom(joint->type) != SARRUS_FREE_NONE;
    }
    const int n = sarrus_joint_freedoms(joint, freedoms);
    for (int k = 0; k < n; ++k) {
        n_numbers += sarrus_freedom_n_numbers(freedoms[k]);
    }
    return n_numbers;
}

int sarrus_model_n_joint_numbers(const sarrus_model *model, int n_joints) {
    int n = 0;
    for (int i = 0; i < n_joints; ++i) {
        n += sarrus_joint_n_numbers(model->space, &model->joints[i]);
    }
    return n;
}

const char *sarrus_joint_word(sarrus_joint_type type) {
    static const char *const words[SARRUS_N_JOINT_TYPES] = {
#define SARRUS_JOINT_TYPE(name, value, word, place) [value] = word,
#include "sarrus/joint.def"
    };
    return words[type];
}

sarrus_joint_free sarrus_joint_freedom(sarrus_joint_type type) {
    static const sarrus_joint_free free_coordinates[SARRUS_N_JOINT_TYPES] = {
#define SARRUS_JOINT(name, value, word, kernel, n_rows, row_0, row_1, row_2, label_0, label_1, label_2, free, needs, text)         \
    [value] = SARRUS_FREE_##free,
#include "sarrus/joint.def"
    };
    return free_coordinates[type];
}

void sarrus_sampled_support(const sarrus_sampled *sampled, double *low, double *high) {
    *low = -(double)INFINITY;
    *high = (double)INFINITY;
    switch (sampled->kind) {
    case SARRUS_DISTRIBUTION_NORMAL:
        if (sampled->b == 0) {
            *low = *high = sampled->a;
        }
        break;
    case SARRUS_DISTRIBUTION_LOGNORMAL:
        *low = 0;
        break;
    case SARRUS_DISTRIBUTION_UNIFORM:
        *low = sampled->a;
        *high = sampled->b;
        break;
    case SARRUS_DISTRIBUTION_TRIANGULAR:
        *low = sampled->a;
        *high = sampled->c;
        break;
    case SARRUS_DISTRIBUTION_WEIBULL:
        *low = 0;
        break;
    case SARRUS_DISTRIBUTION_BETA:
        *low = sampled->c;
        *high = sampled->d;
        break;
    case SARRUS_DISTRIBUTION_DISCRETE:
    case SARRUS_DISTRIBUTION_EMPIRICAL:
        *low = sampled->values[0];
        *high = sampled->values[sampled->n_values - 1];
        break;
    }
    *low = sampled->min > *low ? sampled->min : *low;
    *high = sampled->max < *high ? sampled->max : *high;
}

const sarrus_sampled *sarrus_model_draw_find(const sarrus_model *model, sarrus_value_index i) {
    for (int i_sampled = 0; i_sampled < model->batch.n_sampled; ++i_sampled) {
        const sarrus_sampled *sampled = &model->batch.sampled[i_sampled];
        for (int i_target = 0; i_target < sampled->n_targets; ++i_target) {
            if (sampled->targets[i_target] == i) {
                return sampled;
            }
        }
    }
    return NULL;
}

int sarrus_model_body_find(const sarrus_model *model, const char *name) {
    for (int i_body = 0; i_body < model->n_bodies; ++i_body) {
        if (strcmp(model->bodies[i_body].name, name) == 0) {
            return i_body;
        }
    }
    return -1;
}
