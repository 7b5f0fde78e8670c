#include "study/channels.h"

#include <stdio.h>
#include <stdlib.h>

#include "core/report.h"
#include "plan/body.h"

static const char *const reaction_labels[2][SARRUS_SPATIAL_NV] = {
    [SARRUS_SPACE_PLANAR] = {"fx", "fy", "mz"},
    [SARRUS_SPACE_SPATIAL] = {"fx", "fy", "fz", "mx", "my", "mz"},
};
/* Of the coordinates of a body, of its speeds and of the rates of these; of what acts on it. */
static const char *const body_units[2][3][SARRUS_SPATIAL_NQ] = {
    [SARRUS_SPACE_PLANAR] = {{"m", "m", "rad"}, {"m s-1", "m s-1", "rad s-1"}, {"m s-2", "m s-2", "rad s-2"}},
    [SARRUS_SPACE_SPATIAL] = {{"m", "m", "m", "1", "1", "1", "1"},
                              {"m s-1", "m s-1", "m s-1", "rad s-1", "rad s-1", "rad s-1"},
                              {"m s-2", "m s-2", "m s-2", "rad s-2", "rad s-2", "rad s-2"}},
};
static const char *const load_units[2][SARRUS_SPATIAL_NV] = {
    [SARRUS_SPACE_PLANAR] = {"N", "N", "N m"},
    [SARRUS_SPACE_SPATIAL] = {"N", "N", "N", "N m", "N m", "N m"},
};
static const char *const axis_units[] = {"1", "1", "1", "rad"}; /* of an axis and an angle */
static const char radians_count[] = "of rows in rad a radian counts as a meter";
static const struct orientation_form {
    const char *word, *units, *labels_path, *text;
    int n;
    const char *const labels[SARRUS_MAX_ORIENTATION];
} orientation_forms[] = {
#define SARRUS_ORIENTATION_FORM(name, word, n, units, scale, text, ...)                                                            \
    [SARRUS_ORIENTATION_##name] = {word, units, scale, text, n, {__VA_ARGS__}},
#include "sarrus/orientation.def"
};
enum { N_ORIENTATION_FORMS = sizeof orientation_forms / sizeof orientation_forms[0] };
/* The numbers of driven coordinates, as in drive.A.1, and the scale of joints that have so many. */
static const char *const drive_labels[SARRUS_MAX_FREEDOMS] = {"0", "1", "2", "3", "4", "5"};
static const char *const drive_scales[SARRUS_MAX_FREEDOMS + 1] = {"",           "",           "drive_of_2", "drive_of_3",
                                                                  "drive_of_4", "drive_of_5", "drive_of_6"};
static const char *const unique_name[1] = {"unique"};

/* The driven coordinates of a joint, and of each whether it is an angle. Returns how many. */
static int joint_drives(const sarrus_model *model, const sarrus_joint *joint, bool is_angle[SARRUS_MAX_FREEDOMS]) {
    const int n = sarrus_joint_coordinates(model->space, joint, is_angle);
    int n_drives = 0;
    for (int k = 0; k < n; ++k) {
        if (joint->drive[k] >= 0)
            is_angle[n_drives++] = is_angle[k];
    }
    return n_drives;
}

/* Rows that hold an angle or drive one mix m and rad in Φ. */
static bool is_mixed(const sarrus_plan *plan) {
    for (int i = 0; i < plan->mech.m; ++i) {
        if (sarrus_plan_row_is_angle(plan, i))
            return true;
    }
    return false;
}

static sarrus_sink_field *field_add(sarrus_channels *channels, sarrus_observable observable, int offset, int width,
                                    sarrus_sink_field field) {
    const int i = channels->n_fields++;
    field.width = width;
    channels->fields[i] = field;
    channels->observable[i] = observable;
    channels->offset[i] = offset;
    channels->n_components[i] = width > 0 ? width : 1;
    return &channels->fields[i];
}

static void state_add(sarrus_channels *channels, const sarrus_plan *plan) {
    const int n_q = plan->mech.n_q, n_v = plan->mech.n_v;
    for (int i = 0; i < n_q; ++i)
        channels->coordinate_names[i] = sarrus_plan_coordinate_name(plan, i);
    for (int i = 0; i < n_v; ++i)
        channels->speed_names[i] = sarrus_plan_speed_name(plan, i);
    channels->width[SARRUS_OBSERVE_Q] = n_q;
    channels->width[SARRUS_OBSERVE_V] = n_v;
    const sarrus_body_sizes *sizes = sarrus_body_sizes_of((int32_t)channels->model->space);
    field_add(channels, SARRUS_OBSERVE_Q, 0, n_q,
              (sarrus_sink_field){.path = "state/q",
                                  .long_name = sarrus_observable_text(SARRUS_OBSERVE_Q),
                                  .component_units = body_units[channels->model->space][0],
                                  .n_component_units = sizes->n_q,
                                  .labels = channels->coordinate_names,
                                  .labels_path = "coordinate"});
    field_add(channels, SARRUS_OBSERVE_V, 0, n_v,
              (sarrus_sink_field){.path = "state/v",
                                  .long_name = sarrus_observable_text(SARRUS_OBSERVE_V),
                                  .component_units = body_units[channels->model->space][1],
                                  .n_component_units = sizes->n_v,
                                  .labels = channels->speed_names,
                                  .labels_path = "speed"});
}

static void acceleration_add(sarrus_channels *channels, const sarrus_plan *plan) {
    const int n_v = plan->mech.n_v;
    for (int i = 0; i < n_v; ++i)
        channels->speed_names[i] = sarrus_plan_speed_name(plan, i);
    channels->width[SARRUS_OBSERVE_ACCELERATION] = n_v;
    field_add(channels, SARRUS_OBSERVE_ACCELERATION, 0, n_v,
              (sarrus_sink_field){.path = "state/a",
                                  .long_name = "accelerations: the rates of the speeds",
                                  .component_units = body_units[channels->model->space][2],
                                  .n_component_units = sarrus_body_sizes_of((int32_t)channels->model->space)->n_v,
                                  .labels = channels->speed_names,
                                  .labels_path = "speed"});
}

static void scalar_add(sarrus_channels *channels, sarrus_observable observable, const char *path, const char *comment) {
    const sarrus_sink_type type = observable == SARRUS_OBSERVE_RANK ? SARRUS_SINK_U16 : SARRUS_SINK_F64;
    channels->width[observable] = 1;
    field_add(channels, observable, 0, 0,
              (sarrus_sink_field){.path = path,
                                  .long_name = sarrus_observable_text(observable),
                                  .units = sarrus_observable_unit(observable),
                                  .comment = comment,
                                  .type = type});
}

/* "group/name", kept in channels->paths of the field that is added next; NULL without memory. */
static const char *path_make(sarrus_channels *channels, const char *group, const char *name) {
    char *path = NULL;
    if (asprintf(&path, "%s/%s", group, name) < 0)
        return NULL;
    channels->paths[channels->n_fields] = path;
    return path;
}

/* What acts where on whom, kept in channels->comments of the field that is added next; NULL without memory. */
static const char *reaction_comment(sarrus_channels *channels, const sarrus_plan *plan, int i_joint, bool is_unique) {
    const sarrus_model *model = plan->model;
    const sarrus_joint *joint = &model->joints[i_joint];
    const char *names[2];
    for (int k = 0; k < 2; ++k)
        names[k] = joint->body[k] == SARRUS_GROUND ? "ground" : model->bodies[joint->body[k]].name;
    char *comment = NULL;
    if (asprintf(&comment,
                 "what the joint's constraints do to %s, the child: the force at its point of the joint and the moment about it, "
                 "components in the inertial frame; %s gets the opposite; the joint's springs, dampers and drive are not in it%s%s",
                 names[1], names[0], is_unique ? "" : "; not unique: redundant constraints share a load, of all shares that ",
                 is_unique ? "" : sarrus_plan_weights_text(plan)) < 0)
        return NULL;
    channels->comments[channels->n_fields] = comment;
    return comment;
}

static bool reactions_add(sarrus_channels *channels, const sarrus_model *model, const sarrus_plan *plan) {
    const int n_each = sarrus_body_sizes_of((int32_t)model->space)->n_v; /* force and moment go with the speeds of a body */
    channels->width[SARRUS_OBSERVE_REACTIONS] = n_each * model->n_joints;
    for (int i = 0; i < model->n_joints; ++i) {
        channels->uniqueness[i] = sarrus_plan_reaction_is_unique(plan, i);
        const char *path = path_make(channels, "reactions", model->joints[i].name);
        const char *comment = reaction_comment(channels, plan, i, channels->uniqueness[i] != 0);
        if (path == NULL || comment == NULL)
            return false;
        field_add(channels, SARRUS_OBSERVE_REACTIONS, n_each * i, n_each,
                  (sarrus_sink_field){.path = path,
                                      .long_name = sarrus_observable_text(SARRUS_OBSERVE_REACTIONS),
                                      .component_units = load_units[model->space],
                                      .n_component_units = n_each,
                                      .comment = comment,
                                      .labels = reaction_labels[model->space],
                                      .labels_path = "reaction_component",
                                      .n_flags = 1,
                                      .flag_names = unique_name,
                                      .flag_values = &channels->uniqueness[i]});
    }
    return true;
}

/* A dataset a body and form: "orientations/euler/hand". */
static bool orientations_add(sarrus_channels *channels, unsigned forms, const sarrus_model *model, const sarrus_plan *plan) {
    for (int i_form = 0; i_form < N_ORIENTATION_FORMS; ++i_form) {
        const struct orientation_form *form = &orientation_forms[i_form];
        if ((forms >> i_form & 1U) == 0)
            continue;
        char group[64];
        (void)snprintf(group, sizeof group, "orientations/%s", form->word);
        for (int i = 0; i < model->n_bodies; ++i) {
            const char *path = path_make(channels, group, model->bodies[i].name);
            if (path == NULL)
                return false;
            const bool is_axis = i_form == SARRUS_ORIENTATION_AXIS;
            channels->form[channels->n_fields] = (sarrus_orientation)i_form;
            field_add(channels, SARRUS_OBSERVE_Q, SARRUS_SPATIAL_NQ * i + 3, form->n,
                      (sarrus_sink_field){.path = path,
                                          .long_name = form->text,
                                          .units = is_axis ? NULL : form->units,
                                          .component_units = is_axis ? axis_units : NULL,
                                          .n_component_units = is_axis ? form->n : 0,
                                          .labels = form->labels,
                                          .labels_path = form->labels_path});
        }
        channels->width[SARRUS_OBSERVE_Q] = plan->mech.n_q;
    }
    return true;
}

/* What constraints beside joints put on the coordinates that follow; in space their force on the second body. */
static bool constraints_add(sarrus_channels *channels, const sarrus_model *model, const sarrus_plan *plan) {
    const bool is_spatial = model->space == SARRUS_SPACE_SPATIAL;
    const int n_each = is_spatial ? 3 : 1;
    channels->width[SARRUS_OBSERVE_CONSTRAINTS] = n_each * model->n_constraints;
    for (int i = 0; i < model->n_constraints; ++i) {
        const char *path = path_make(channels, "constraints", model->constraints[i].name);
        int *is_unique = &channels->uniqueness[model->n_joints + i];
        if (path == NULL)
            return false;
        *is_unique = sarrus_plan_reaction_is_unique(plan, model->n_joints + i);
        field_add(channels, SARRUS_OBSERVE_CONSTRAINTS, n_each * i, is_spatial ? n_each : 0,
                  (sarrus_sink_field){.path = path,
                                      .long_name = is_spatial ? "force of the constraint on its second body, inertial frame"
                                                              : sarrus_observable_text(SARRUS_OBSERVE_CONSTRAINTS),
                                      .units = sarrus_plan_row_is_angle(plan, plan->constraint[i].row) ? "N m" : "N",
                                      .labels = is_spatial ? reaction_labels[model->space] : NULL,
                                      .labels_path = is_spatial ? "force_component" : NULL,
                                      .n_flags = 1,
                                      .flag_names = unique_name,
                                      .flag_values = is_unique});
    }
    return true;
}

/* Drives come in the order of the scenario; one alone is a number, several of a joint are a vector. */
static bool drives_add(sarrus_channels *channels, const sarrus_model *model) {
    int offset = 0;
    for (int i = 0; i < model->n_joints; ++i) {
        const sarrus_joint *joint = &model->joints[i];
        bool is_angle[SARRUS_MAX_FREEDOMS];
        const int n = joint_drives(model, joint, is_angle);
        int n_shifts = 0; /* which come before the turns */
        for (int k = 0; k < n; ++k)
            n_shifts += !is_angle[k];
        const bool is_alike = n_shifts == 0 || n_shifts == n;
        if (n == 0)
            continue;
        const char *path = path_make(channels, "drives", joint->name);
        if (path == NULL)
            return false;
        field_add(channels, SARRUS_OBSERVE_DRIVES, offset, n > 1 ? n : 0,
                  (sarrus_sink_field){.path = path,
                                      .long_name = sarrus_observable_text(SARRUS_OBSERVE_DRIVES),
                                      .units = !is_alike       ? NULL
                                               : n_shifts == 0 ? "N m"
                                                               : "N",
                                      .component_units = is_alike ? NULL : &load_units[SARRUS_SPACE_SPATIAL][3 - n_shifts],
                                      .n_component_units = n,
                                      .labels = drive_labels,
                                      .labels_path = drive_scales[n]});
        offset += n;
    }
    channels->width[SARRUS_OBSERVE_DRIVES] = offset;
    return true;
}

/* Datasets of the free coordinates of a joint and of their rates: "joints/A/speed". */
static bool joints_add(sarrus_channels *channels, const sarrus_model *model, const sarrus_plan *plan) {
    static const char *const words[] = {"coordinate", "speed"};
    static const char *const texts[] = {"free coordinates of the joint, 0 in the configuration as given", "rates of them"};
    static const sarrus_observable observables[] = {SARRUS_OBSERVE_JOINT_COORDINATES, SARRUS_OBSERVE_JOINT_SPEEDS};
    int offset = 0;
    for (int i = 0; i < model->n_joints; ++i) {
        sarrus_joint_names *names = &channels->joint_names[i];
        sarrus_joint_names_find(model->space, &model->joints[i], names);
        for (int order = 0; names->n > 0 && order < 2; ++order) {
            char *path = NULL;
            if (asprintf(&path, "joints/%s/%s", model->joints[i].name, words[order]) < 0)
                return false;
            channels->paths[channels->n_fields] = path;
            field_add(channels, observables[order], offset, names->n,
                      (sarrus_sink_field){.path = path,
                                          .long_name = texts[order],
                                          .units = names->is_mixed ? NULL : names->units[order][0],
                                          .component_units = names->is_mixed ? names->units[order] : NULL,
                                          .n_component_units = names->n,
                                          .labels = names->labels,
                                          .labels_path = names->scale});
        }
        offset += names->n;
    }
    channels->width[SARRUS_OBSERVE_JOINT_COORDINATES] = plan->mech.n_joint_numbers;
    channels->width[SARRUS_OBSERVE_JOINT_SPEEDS] = plan->mech.n_joint_numbers;
    return true;
}

static const char *const vector_labels[] = {"x", "y", "z"};

/* "joints/A/point", and "joints/A/parent_point" of a joint whose points may part. */
static bool joint_points_add(sarrus_channels *channels, const sarrus_model *model) {
    static const char *const words[] = {[SARRUS_JOINT_PARENT_POINT] = "parent_point", [SARRUS_JOINT_POINT] = "point"};
    static const char *const texts[] = {[SARRUS_JOINT_PARENT_POINT] = "the joint's point on its parent, inertial frame",
                                        [SARRUS_JOINT_POINT] = "the joint's point on its child, inertial frame"};
    const sarrus_body_sizes *sizes = sarrus_body_sizes_of((int32_t)model->space);
    for (int i = 0; i < model->n_joints; ++i) {
        for (int order = SARRUS_JOINT_PARENT_POINT; order <= SARRUS_JOINT_POINT; ++order) {
            char *path = NULL;
            if (order == SARRUS_JOINT_PARENT_POINT && !sarrus_joint_parts(model->space, &model->joints[i]))
                continue;
            if (asprintf(&path, "joints/%s/%s", model->joints[i].name, words[order]) < 0)
                return false;
            channels->paths[channels->n_fields] = path;
            channels->joint[channels->n_fields] = 1 + i;
            channels->order[channels->n_fields] = order;
            field_add(channels, SARRUS_OBSERVE_Q, 0, sizes->dimension,
                      (sarrus_sink_field){.path = path,
                                          .long_name = texts[order],
                                          .units = "m",
                                          .labels = vector_labels,
                                          .labels_path = "vector_component"});
        }
        channels->width[SARRUS_OBSERVE_Q] = sizes->n_q * model->n_bodies;
    }
    return true;
}

static const struct point_order {
    const char *word, *units, *long_name;
    sarrus_observable observable; /* the last that it needs */
} point_orders[3] = {
    {"position", "m", "position of a point of a body, inertial frame", SARRUS_OBSERVE_Q},
    {"velocity", "m s-1", "velocity of a point of a body, inertial frame", SARRUS_OBSERVE_V},
    {"acceleration", "m s-2", "acceleration of a point of a body, inertial frame", SARRUS_OBSERVE_ACCELERATION},
};

/* A dataset a point and order: "points/tip/velocity". */
static bool points_add(sarrus_channels *channels, const sarrus_model *model) {
    const sarrus_body_sizes *sizes = sarrus_body_sizes_of((int32_t)model->space);
    for (int i = 0; i < model->output.n_points; ++i) {
        const sarrus_output_point *point = &model->output.points[i];
        char group[96];
        (void)snprintf(group, sizeof group, "points/%s", point->name);
        for (int order = 0; order < 3; ++order) {
            if ((point->orders >> order & 1U) == 0)
                continue;
            const char *path = path_make(channels, group, point_orders[order].word);
            if (path == NULL)
                return false;
            channels->point[channels->n_fields] = 1 + i;
            channels->order[channels->n_fields] = order;
            field_add(channels, point_orders[order].observable, 0, sizes->dimension,
                      (sarrus_sink_field){.path = path,
                                          .long_name = point_orders[order].long_name,
                                          .units = point_orders[order].units,
                                          .labels = vector_labels,
                                          .labels_path = "vector_component"});
            for (int k = 0; k <= order; ++k)
                channels->width[point_orders[k].observable] = (k == 0 ? sizes->n_q : sizes->n_v) * model->n_bodies;
        }
    }
    return true;
}

sarrus_status sarrus_channels_points_place(sarrus_channels *channels, sarrus_context *context, const sarrus_draws *draws,
                                           uint64_t n_instances) {
    const sarrus_model *model = channels->model;
    const int dimension = sarrus_body_sizes_of((int32_t)model->space)->dimension, n = dimension * model->output.n_points;
    bool has_points = false, has_places = false;
    for (int i = 0; i < channels->n_fields; ++i) {
        has_points = has_points || channels->point[i] > 0;
        has_places = has_places || channels->joint[i] > 0;
    }
    const sarrus_status placed =
        has_places ? sarrus_joint_places_create(context, channels->plan, draws, n_instances, &channels->places) : SARRUS_OK;
    if (placed != SARRUS_OK || !has_points)
        return placed;
    sarrus_value_index *indices = calloc((size_t)n + 1, sizeof *indices);
    if (indices == NULL)
        return sarrus_report(context, SARRUS_NO_MEMORY, "out of memory for the points");
    for (int i = 0; i < n; ++i)
        indices[i] = model->output.points[i / dimension].at[i % dimension];
    const sarrus_status status = sarrus_instance_numbers_create(context, model, draws, n_instances, indices, n, &channels->at);
    free(indices);
    return status;
}

bool sarrus_channels_field_is_plain(const sarrus_channels *channels, int i_field) {
    return channels->form[i_field] == SARRUS_ORIENTATION_PARAMETERS && channels->point[i_field] == 0 &&
           channels->joint[i_field] == 0;
}

bool sarrus_channels_field_is_direct(const sarrus_channels *channels, int i_field) {
    return channels->is_direct[channels->observable[i_field]] && sarrus_channels_field_is_plain(channels, i_field);
}

static void direct_mark(sarrus_channels *channels) {
    for (int i = 0; i < channels->n_fields; ++i)
        if (sarrus_channels_field_is_plain(channels, i) && channels->n_components[i] == channels->width[channels->observable[i]])
            channels->is_direct[channels->observable[i]] = true;
}

/* n_owners: joints and other constraints. */
static bool channels_allocate(sarrus_channels *channels, const sarrus_model *model, size_t n, size_t n_owners) {
    /* State 3, diagnostics 7; reactions, drives, joints and their points; orientations; points. */
    const size_t n_fields_max = 10 + 6 * n_owners + (size_t)N_ORIENTATION_FORMS * (size_t)model->n_bodies +
                                sizeof point_orders / sizeof point_orders[0] * (size_t)model->output.n_points;
    channels->fields = calloc(n_fields_max, sizeof *channels->fields);
    channels->observable = calloc(n_fields_max, sizeof *channels->observable);
    channels->offset = calloc(n_fields_max, sizeof *channels->offset);
    channels->n_components = calloc(n_fields_max, sizeof *channels->n_components);
    channels->form = calloc(n_fields_max, sizeof *channels->form);
    channels->point = calloc(n_fields_max, sizeof *channels->point);
    channels->order = calloc(n_fields_max, sizeof *channels->order);
    channels->joint = calloc(n_fields_max, sizeof *channels->joint);
    channels->joint_names = calloc(n_owners + 1, sizeof *channels->joint_names);
    channels->paths = calloc(n_fields_max + 1, sizeof *channels->paths);
    channels->comments = calloc(n_fields_max + 1, sizeof *channels->comments);
    channels->coordinate_names = calloc(n + 1, sizeof *channels->coordinate_names);
    channels->speed_names = calloc(n + 1, sizeof *channels->speed_names);
    channels->uniqueness = calloc(n_owners + 1, sizeof *channels->uniqueness);
    return channels->fields != NULL && channels->observable != NULL && channels->offset != NULL && channels->n_components != NULL &&
           channels->form != NULL && channels->point != NULL && channels->order != NULL && channels->joint != NULL &&
           channels->joint_names != NULL && channels->paths != NULL && channels->comments != NULL &&
           channels->coordinate_names != NULL && channels->speed_names != NULL && channels->uniqueness != NULL;
}

sarrus_channel_choice sarrus_channel_choice_of(const sarrus_model *model) {
    return (sarrus_channel_choice){model->output.channels, model->output.orientations, true, true};
}

void sarrus_channels_keep(sarrus_channels *channels, const uint64_t *kept, uint64_t n_kept) {
    channels->has_kept = true;
    channels->kept = kept;
    channels->n_kept = n_kept;
    for (int i = 0; i < SARRUS_N_OBSERVABLES; ++i)
        channels->is_direct[i] = false;
}

sarrus_status sarrus_channels_create(sarrus_context *context, const sarrus_plan *plan, const sarrus_channel_choice *choice,
                                     sarrus_channels *out) {
    const sarrus_model *model = plan->model;
    *out = (sarrus_channels){.model = model, .plan = plan};
    const unsigned wanted = choice->channels;
    const char *radians = is_mixed(plan) ? radians_count : NULL;
    const size_t n_owners = (size_t)(model->n_joints + model->n_constraints);
    bool is_done = channels_allocate(out, model, (size_t)plan->mech.n_q, n_owners);
    if (is_done && (wanted & SARRUS_CHANNEL_STATE))
        state_add(out, plan);
    if (is_done && (wanted & SARRUS_CHANNEL_ACCELERATION))
        acceleration_add(out, plan);
    if (is_done)
        is_done = orientations_add(out, choice->orientations, model, plan);
    if (is_done && (wanted & SARRUS_CHANNEL_ENERGY))
        scalar_add(out, SARRUS_OBSERVE_ENERGY, "diagnostics/energy", NULL);
    if (is_done && (wanted & SARRUS_CHANNEL_WORK))
        scalar_add(out, SARRUS_OBSERVE_WORK, "diagnostics/work", NULL);
    if (is_done && (wanted & SARRUS_CHANNEL_CONSTRAINT)) {
        scalar_add(out, SARRUS_OBSERVE_POSITION_ERROR, "diagnostics/position_error", radians);
        scalar_add(out, SARRUS_OBSERVE_VELOCITY_ERROR, "diagnostics/velocity_error", radians);
    }
    if (is_done && (wanted & SARRUS_CHANNEL_RANK))
        scalar_add(out, SARRUS_OBSERVE_RANK, "diagnostics/rank", NULL);
    if (is_done && (wanted & SARRUS_CHANNEL_SINGULAR_VALUES)) {
        scalar_add(out, SARRUS_OBSERVE_KEPT, "diagnostics/smallest_kept", radians);
        scalar_add(out, SARRUS_OBSERVE_DROPPED, "diagnostics/largest_dropped", radians);
    }
    if (is_done && (wanted & SARRUS_CHANNEL_REACTIONS))
        is_done = reactions_add(out, model, plan) && constraints_add(out, model, plan);
    if (is_done && (wanted & SARRUS_CHANNEL_JOINTS))
        is_done = joints_add(out, model, plan);
    if (is_done && (wanted & SARRUS_CHANNEL_JOINT_POINTS))
        is_done = joint_points_add(out, model);
    if (is_done && choice->has_drives)
        is_done = drives_add(out, model);
    if (is_done && choice->has_points)
        is_done = points_add(out, model);
    if (!is_done)
        return sarrus_report(context, SARRUS_NO_MEMORY, "out of memory for the output channels");
    direct_mark(out);
    return SARRUS_OK;
}

void sarrus_channels_free(sarrus_channels *channels) {
    /* behind the last is what was made for one that could not be added */
    for (int i = 0; channels->paths != NULL && channels->comments != NULL && i <= channels->n_fields; ++i) {
        free(channels->paths[i]);
        free(channels->comments[i]);
    }
    free(channels->paths);
    free(channels->comments);
    free(channels->fields);
    free(channels->observable);
    free(channels->offset);
    free(channels->n_components);
    free(channels->form);
    free(channels->point);
    free(channels->order);
    free(channels->joint);
    free(channels->joint_names);
    sarrus_joint_places_free(&channels->places);
    sarrus_instance_numbers_free(&channels->at);
    free(channels->coordinate_names);
    free(channels->speed_names);
    free(channels->uniqueness);
    *channels = (sarrus_channels){0};
}
