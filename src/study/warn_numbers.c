/* Warnings of single numbers of a scenario: angles that look like degrees, steps that are coarse beside a sine, named parameters
 * that nothing uses, values of its own that are none of those that are drawn, too few instances for sensitivities. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/expression.h"
#include "study/distribution.h"
#include "study/warning_list.h"

static const double whole_turn = 2.0 * M_PI * (1.0 + 1e-9);

/* Whoever writes π thinks of radians, and whoever writes `deg` has turned degrees into them. */
static bool mentions_radians(const char *expression) {
    size_t length = 0;
    for (const char *word = expression ? sarrus_expression_next_word(expression, &length) : NULL; word != NULL;
         word = sarrus_expression_next_word(word + length, &length)) {
        if ((length == 2 && strncmp(word, "pi", 2) == 0) ||
            (length == 3 && (strncmp(word, "_pi", 3) == 0 || strncmp(word, "deg", 3) == 0)))
            return true;
    }
    return false;
}

static void angle_check(sarrus_warnings *warnings, const sarrus_model *model, sarrus_value_index i) {
    if (i == SARRUS_NO_VALUE)
        return;
    const sarrus_value *value = &model->values[i];
    const sarrus_sampled *draw = sarrus_model_draw_find(model, i);
    double angle = value->nominal;
    const char *is = "is";
    if (draw != NULL) {
        angle = sarrus_sampled_quantile(draw, 0.5);
        is = "is drawn around";
    } else if (mentions_radians(value->expression)) {
        return;
    }
    const double numbers[2] = {angle, angle * M_PI / 180.0};
    if (fabs(angle) > whole_turn)
        sarrus_warnings_add(warnings, SARRUS_WARNING_LARGE_ANGLE, value->path, numbers, 2,
                            "%s %s %.6g rad, more than a whole turn; angles are in radians: %.6g degrees are %.5g", value->path, is,
                            angle, angle, numbers[1]);
}

/* The numbers of a signal that are angles: the phase of any sine; of an angle also what it swings about, and by how much. A slope
 * or a table may well lead through many turns. */
static void signal_check(sarrus_warnings *warnings, const sarrus_model *model, const sarrus_signal *signal, bool is_angle) {
    if (signal->kind == SARRUS_SIGNAL_SINE)
        angle_check(warnings, model, signal->values[2]);
    if (!is_angle || signal->kind == SARRUS_SIGNAL_TABLE || signal->n_values == 0)
        return;
    angle_check(warnings, model, signal->values[0]); /* constant, offset of a ramp, amplitude, c0 */
    if (signal->kind == SARRUS_SIGNAL_SINE)
        angle_check(warnings, model, signal->values[3]);
}

static void orientation_check(sarrus_warnings *warnings, const sarrus_model *model, sarrus_orientation form,
                              const sarrus_value_index *values) {
    if (model->space == SARRUS_SPACE_PLANAR)
        angle_check(warnings, model, values[0]);
    else if (form == SARRUS_ORIENTATION_AXIS)
        angle_check(warnings, model, values[3]);
    else if (form == SARRUS_ORIENTATION_EULER || form == SARRUS_ORIENTATION_BRYANT)
        for (int i = 0; i < 3; ++i)
            angle_check(warnings, model, values[i]);
}

/* Sets is_angle[n_signals] where a drive is one of an angle. */
static void joint_check(sarrus_warnings *warnings, const sarrus_model *model, const sarrus_joint *joint, bool *is_angle) {
    bool turns[SARRUS_MAX_FREEDOMS];
    const int n = sarrus_joint_coordinates(model->space, joint, turns);
    for (int k = 0; k < n; ++k) {
        if (turns[k])
            angle_check(warnings, model, joint->rest[k]);
        if (joint->drive[k] >= 0)
            is_angle[joint->drive[k]] = turns[k];
    }
    if (model->space == SARRUS_SPACE_SPATIAL)
        orientation_check(warnings, model, joint->frame_form, joint->frame);
}

void sarrus_warn_of_angles(sarrus_warnings *warnings, const sarrus_model *model) {
    bool *is_angle = calloc((size_t)model->n_signals + 1, sizeof *is_angle);
    warnings->is_out_of_memory = warnings->is_out_of_memory || is_angle == NULL;
    for (int b = 0; b < model->n_bodies; ++b)
        orientation_check(warnings, model, model->bodies[b].orientation_form, model->bodies[b].orientation);
    for (int i = 0; is_angle != NULL && i < model->n_joints; ++i)
        joint_check(warnings, model, &model->joints[i], is_angle);
    for (int i = 0; is_angle != NULL && i < model->n_signals; ++i)
        signal_check(warnings, model, &model->signals[i], is_angle[i]);
    sarrus_warnings_add_rest(warnings, SARRUS_WARNING_LARGE_ANGLE, "angles of more than a whole turn");
    free(is_angle);
}

void sarrus_warn_of_parameters(sarrus_warnings *warnings, const sarrus_model *model) {
    for (int i = 0; i < model->n_named; ++i) {
        const char *name = model->values[i].path;
        if (model->values[i].is_used)
            continue;
        if (sarrus_model_draw_find(model, i) != NULL)
            sarrus_warnings_add(warnings, SARRUS_WARNING_UNUSED_DRAW, name, NULL, 0,
                                "%s is drawn for every instance, but nothing depends on it", name);
        else
            sarrus_warnings_add(warnings, SARRUS_WARNING_UNUSED_PARAMETER, name, NULL, 0, "nothing depends on %s", name);
    }
    sarrus_warnings_add_rest(warnings, SARRUS_WARNING_UNUSED_DRAW, "draws on which nothing depends");
    sarrus_warnings_add_rest(warnings, SARRUS_WARNING_UNUSED_PARAMETER, "named parameters on which nothing depends");
}

/* Beyond the quantile of this share, at either end, nothing is drawn: not once in the largest studies. */
static const double never = 1e-9;

/* The plan, what `check` shows and a batch without draws are made with the scenario's own values. An end of the interval counts as
 * within it, and so does what rounding or a few digits make of it. */
void sarrus_warn_of_nominal_values(sarrus_warnings *warnings, const sarrus_model *model) {
    for (int s = 0; s < model->batch.n_sampled; ++s) {
        const sarrus_sampled *draw = &model->batch.sampled[s];
        const double low = sarrus_sampled_quantile(draw, never), high = sarrus_sampled_quantile(draw, 1.0 - never);
        for (int k = 0; k < draw->n_targets; ++k) {
            const sarrus_value *value = &model->values[draw->targets[k]];
            const double numbers[3] = {value->nominal, low, high};
            const double slack = 1e-6 * (high - low) + 1e-12 * fabs(value->nominal);
            if (value->nominal < low - slack || value->nominal > high + slack)
                sarrus_warnings_add(
                    warnings, SARRUS_WARNING_NOMINAL_OUTSIDE_DRAWS, value->path, numbers, 3,
                    "%s is %.6g in the scenario, but drawn between %.6g and %.6g: the plan is made with a value that "
                    "no instance has",
                    value->path, value->nominal, low, high);
        }
    }
    sarrus_warnings_add_rest(warnings, SARRUS_WARNING_NOMINAL_OUTSIDE_DRAWS, "values that are never drawn");
}

/* Steps in a period below which a step of fixed length is told of. With eight of them rk4 has a free sine's integral wrong by some
 * 1e-4 of its amplitude; with one it sees the same value every time. */
static const double steps_least = 8.0;

void sarrus_warn_of_coarse_steps(sarrus_warnings *warnings, const sarrus_model *model) {
    if (sarrus_integrator_is_adaptive(model->integrator.method))
        return; /* they see sines themselves */
    for (int i = 0; i < model->n_signals; ++i) {
        const sarrus_signal *signal = &model->signals[i];
        if (signal->kind != SARRUS_SIGNAL_SINE || model->values[signal->values[0]].nominal == 0.0)
            continue;
        const sarrus_value *value = &model->values[signal->values[1]];
        const sarrus_sampled *draw = sarrus_model_draw_find(model, signal->values[1]);
        const double frequency = fabs(draw != NULL ? sarrus_sampled_quantile(draw, 0.5) : value->nominal);
        const double n_steps = 1.0 / (frequency * model->integrator.dt), numbers[2] = {n_steps, 1.0 / frequency};
        if (n_steps < steps_least)
            sarrus_warnings_add(
                warnings, SARRUS_WARNING_COARSE_STEP, value->path, numbers, 2,
                "integrator.dt = %.4g s makes %.3g steps in a period of %.4g s (%s): what the sine does between them "
                "is not seen",
                model->integrator.dt, n_steps, numbers[1], value->path);
    }
    sarrus_warnings_add_rest(warnings, SARRUS_WARNING_COARSE_STEP, "sines that are fast beside the steps");
}

/* Of fewer the bootstrap, and Fisher's interval of a rank correlation (its half width is 1.96/√(n − 3): 0.38 at 30), say little
 * more than that nothing is known. Trajectories are asked for by tens, each with an elementary effect of every parameter. */
static const struct {
    uint64_t least;
    const char *what, *made; /* what there are too few of; what is made of them */
} least_blocks[] = {
    [SARRUS_DESIGN_PLAIN] = {30, "instance", "rank correlations"},
    [SARRUS_DESIGN_SALTELLI] = {30, "base point", "Sobol' indices"},
    [SARRUS_DESIGN_MORRIS] = {10, "trajector", "elementary effects"},
};

void sarrus_warn_of_few_blocks(sarrus_warnings *warnings, const sarrus_model *model, uint64_t n_blocks) {
    const bool is_morris = model->batch.design == SARRUS_DESIGN_MORRIS;
    const uint64_t least = least_blocks[model->batch.design].least;
    const double numbers[2] = {(double)n_blocks, (double)least};
    if (model->output.n_sensitivity == 0 || n_blocks >= least)
        return;
    sarrus_warnings_add(warnings, SARRUS_WARNING_FEW_BLOCKS, "output.sensitivity", numbers, 2,
                        "%s of %llu %s%s: below %llu their intervals are wide, and in doubt themselves",
                        least_blocks[model->batch.design].made, (unsigned long long)n_blocks,
                        least_blocks[model->batch.design].what,
                        is_morris       ? n_blocks == 1 ? "y" : "ies"
                        : n_blocks == 1 ? ""
                                        : "s",
                        (unsigned long long)least);
}
