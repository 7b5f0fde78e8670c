/* Queries and the end of a model; the scenario room makes it. */
#include "model/model.h"

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
    }
    free(sampled);
}

void sarrus_model_destroy(sarrus_model *model) {
    if (model == NULL) {
        return;
    }
    bodies_destroy(model->bodies, model->n_bodies);
    joints_destroy(model->joints, model->n_joints);
    forces_destroy(model->forces, model->n_forces);
    signals_destroy(model->signals, model->n_signals);
    values_destroy(model->values, model->n_values);
    sampled_destroy(model->batch.sampled, model->batch.n_sampled);
    free(model->file);
    free(model->text);
    free(model->name);
    free(model->resolved);
    free(model);
}

const char *sarrus_model_resolved(const sarrus_model *model) {
    return model != NULL ? model->resolved : NULL;
}

const char *sarrus_model_name(const sarrus_model *model) {
    return model != NULL ? model->name : NULL;
}

uint64_t sarrus_model_n_instances(const sarrus_model *model) {
    return model != NULL ? model->batch.n_instances : 0;
}

uint64_t sarrus_model_seed(const sarrus_model *model) {
    return model != NULL ? model->batch.seed : 0;
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

int sarrus_joint_n_rows(const sarrus_joint *joint) {
    static const int of_type[SARRUS_N_JOINT_TYPES] = {
#define SARRUS_JOINT(name, value, word, kernel, n_rows, row_0, row_1, row_2, label_0, label_1, label_2, free, needs, text)         \
    [value] = n_rows,
#include "sarrus/joint.def"
    };
    return of_type[joint->type] + (joint->drive >= 0 ? 1 : 0);
}

const char *sarrus_joint_word(sarrus_joint_type type) {
    static const char *const words[SARRUS_N_JOINT_TYPES] = {
#define SARRUS_JOINT(name, value, word, kernel, n_rows, row_0, row_1, row_2, label_0, label_1, label_2, free, needs, text)         \
    [value] = word,
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
