/* What a fresh group of a result file holds: the layout that docs/result_file.md describes. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <hdf5_hl.h>

#include "sarrus/scenario.h"
#include "sarrus/version.h"
#include "sink/hdf5_object.h"
#include "sink/result_group.h"

/* An attribute may hold 64 KiB, 4096 entries of 16 bytes: users of a scale, or texts. */
enum { SCALE_USERS_MAX = 4000, UNITS_MAX = 4000 };

/* The scales while the file is being made. */
typedef struct scales {
    hid_t instance;
    hid_t trajectory; /* of the rows of fields; that of the instances where all have one, negative where none has */
    hid_t levels;
    hid_t *labels; /* [n_fields]; −1: none, or shared with an earlier field */
    int n_instance_users, n_trajectory_users, n_time_users, n_levels_users;
    int *n_label_users; /* [n_fields] of these */
} scales;

bool sarrus_result_origin_write(hid_t root) {
    const int format = SARRUS_FORMAT;
    return sarrus_hdf5_put_number(root, "sarrus_format", H5T_NATIVE_INT, &format) &&
           sarrus_hdf5_put_text(root, "Conventions", "CF-1.11") && sarrus_hdf5_put_text(root, "sarrus_version", SARRUS_VERSION) &&
           sarrus_hdf5_put_created(root);
}

hid_t sarrus_result_complete_open(hid_t root) {
    const int no = 0;
    hid_t attribute = sarrus_hdf5_open_attribute(root, "complete", H5T_NATIVE_INT, 0);
    if (attribute >= 0 && H5Awrite(attribute, H5T_NATIVE_INT, &no) < 0) {
        H5Aclose(attribute);
        return -1;
    }
    return attribute;
}

/* Of a file that holds one of several groups of its study. */
static bool put_study_group(hid_t root, const sarrus_sink_description *description) {
    return description->study_group_file == NULL ||
           (sarrus_hdf5_put_number(root, "study_group", H5T_NATIVE_INT, &description->study_group) &&
            sarrus_hdf5_put_text(root, "study_group_file", description->study_group_file));
}

/* Of a plan, as text. */
typedef struct plan_name {
    char text[32];
} plan_name;

static plan_name name_of(uint64_t plan_hash) {
    plan_name name;
    snprintf(name.text, sizeof name.text, "%016" PRIx64, plan_hash);
    return name;
}

static int ranks_of(const sarrus_sink_description *description) {
    return description->n_ranks > 0 ? description->n_ranks : 1;
}

static bool put_maker(hid_t root, const char *backend, const char *device, int n_ranks) {
    return sarrus_hdf5_put_text(root, "backend", backend != NULL ? backend : "") &&
           sarrus_hdf5_put_text(root, "device", device != NULL ? device : "") &&
           sarrus_hdf5_put_number(root, "n_ranks", H5T_NATIVE_INT, &n_ranks);
}

/* The text of two, either of which may be NULL. */
static const char *text_of_both(const char *a, const char *b) {
    const bool are_same = a == NULL || b == NULL ? a == b : strcmp(a, b) == 0;
    return are_same ? a : "several";
}

bool sarrus_result_origins_write(hid_t root, const sarrus_sink_description *descriptions, int n) {
    uint64_t seeds[SARRUS_MAX_GROUPS];
    plan_name names[SARRUS_MAX_GROUPS];
    const char *hashes[SARRUS_MAX_GROUPS], *backend = descriptions->backend, *device = descriptions->device;
    int n_ranks = 1;
    if (n > SARRUS_MAX_GROUPS) /* no reader takes so many */
        return false;
    for (int g = 0; g < n; ++g) {
        const sarrus_sink_description *of = &descriptions[g];
        seeds[g] = of->seed;
        names[g] = name_of(of->plan_hash);
        hashes[g] = names[g].text;
        backend = text_of_both(backend, of->backend);
        device = text_of_both(device, of->device);
        n_ranks = ranks_of(of) > n_ranks ? ranks_of(of) : n_ranks;
    }
    return put_maker(root, backend, device, n_ranks) &&
           sarrus_hdf5_put_numbers(root, "seed", H5T_NATIVE_UINT64, seeds, (hsize_t)n) &&
           sarrus_hdf5_put_texts(root, "plan_hash", hashes, (hsize_t)n);
}

static bool put_root_attributes(sarrus_result_group *group, const sarrus_sink_description *description) {
    const plan_name name = name_of(description->plan_hash);
    hid_t root = group->root;
    const uint64_t n_study = description->n_study > 0 ? description->n_study : description->n_instances;
    const uint64_t n_trajectories = group->layout->n_trajectories;
    bool ok = sarrus_result_origin_write(root) &&
              put_maker(root, description->backend, description->device, ranks_of(description)) &&
              sarrus_hdf5_put_number(root, "seed", H5T_NATIVE_UINT64, &description->seed) &&
              sarrus_hdf5_put_number(root, "n_study_instances", H5T_NATIVE_UINT64, &n_study) &&
              sarrus_hdf5_put_number(root, "n_trajectories", H5T_NATIVE_UINT64, &n_trajectories) &&
              put_study_group(root, description) && sarrus_hdf5_put_text(root, "plan_hash", name.text);
    if (!ok) {
        return false;
    }
    const uint64_t none = 0;
    group->complete = sarrus_result_complete_open(root);
    group->n_times_written = sarrus_hdf5_open_attribute(root, "n_times_written", H5T_NATIVE_UINT64, 0);
    return group->complete >= 0 && group->n_times_written >= 0 && H5Awrite(group->n_times_written, H5T_NATIVE_UINT64, &none) >= 0;
}

bool sarrus_result_scenario_write(hid_t root, const char *text) {
    hid_t type = sarrus_hdf5_string_type();
    if (type < 0) {
        return false;
    }
    hid_t dataset = sarrus_hdf5_create_dataset(root, "scenario", type, &(sarrus_hdf5_shape){.n_dims = 0});
    bool ok = sarrus_hdf5_describe(dataset, "1", "the scenario as run, YAML") &&
              H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, &text) >= 0;
    if (dataset >= 0) {
        H5Dclose(dataset);
    }
    H5Tclose(type);
    return ok;
}

/* Which instances have rows in the fields, where that are not all; the levels. */
static bool put_choices(sarrus_result_group *group, const sarrus_sink_description *description, scales *out) {
    const sarrus_sink_levels *levels = description->levels;
    bool ok = true;
    if (!description->has_trajectories) {
        out->trajectory = out->instance;
    } else if (description->n_trajectories > 0) {
        out->trajectory = sarrus_hdf5_create_column(group->root, "trajectory", H5T_NATIVE_UINT64, description->trajectories,
                                                    description->n_trajectories);
        ok = sarrus_hdf5_describe(out->trajectory, "1", "number of the instance whose trajectory it is") &&
             H5DSset_scale(out->trajectory, "trajectory") >= 0;
    }
    if (ok && levels != NULL) {
        out->levels = sarrus_result_levels_create(group->root, levels);
        ok = out->levels >= 0;
    }
    return ok;
}

static bool put_scales(sarrus_result_group *group, const sarrus_sink_description *description, scales *out) {
    uint64_t n = description->n_instances;
    uint64_t *ids = malloc(n * sizeof *ids);
    if (ids == NULL) {
        return false;
    }
    for (uint64_t i = 0; i < n; ++i) {
        ids[i] = description->first_instance + i;
    }
    out->instance = sarrus_hdf5_create_column(group->root, "instance/id", H5T_NATIVE_UINT64, ids, n);
    free(ids);
    /* readers of netCDF look for a dimension in the groups above its user: the same dataset under a second name at the root */
    if (out->instance < 0 || H5Lcreate_hard(group->root, "instance/id", group->root, "id", H5P_DEFAULT, H5P_DEFAULT) < 0) {
        return false;
    }
    return sarrus_time_axis_create(&group->time, group->root, description, group->layout) &&
           sarrus_hdf5_describe(out->instance, "1", "number of the instance") && H5DSset_scale(out->instance, "id") >= 0 &&
           sarrus_hdf5_describe(group->time.dataset, "s", "output time") && H5DSset_scale(group->time.dataset, "time") >= 0;
}

/* Attaches a scale to an axis, as long as the scale can hold it. */
static bool attach(hid_t dataset, hid_t scale, unsigned axis, int *n_users) {
    if (*n_users >= SCALE_USERS_MAX) {
        return true;
    }
    ++*n_users;
    return H5DSattach_scale(dataset, scale, axis) >= 0;
}

static bool attach_instances(hid_t dataset, scales *all) {
    return attach(dataset, all->instance, 0, &all->n_instance_users);
}

/* Rows of fields: those of all instances share the count of what is attached to their scale. */
static bool attach_rows(hid_t dataset, scales *all) {
    const bool is_all = all->trajectory == all->instance;
    return attach(dataset, all->trajectory, 0, is_all ? &all->n_instance_users : &all->n_trajectory_users);
}

static hid_t make_status_type(void) {
    hid_t type = H5Tenum_create(H5T_NATIVE_UINT8);
    for (uint8_t value = 0; type >= 0 && value < SARRUS_N_INSTANCE_STATUS; ++value) {
        if (H5Tenum_insert(type, sarrus_instance_status_word((sarrus_instance_status)value), &value) < 0) {
            H5Tclose(type);
            return -1;
        }
    }
    return type;
}

/* flag_values and flag_meanings (CF conventions, section 3.5) say the same as the enum type to readers that ignore it. */
static bool put_flags(hid_t dataset) {
    uint8_t values[SARRUS_N_INSTANCE_STATUS];
    char meanings[SARRUS_N_INSTANCE_STATUS * 40] = "";
    size_t used = 0;
    for (uint8_t i = 0; i < SARRUS_N_INSTANCE_STATUS; ++i) {
        values[i] = i;
        int n = snprintf(meanings + used, sizeof meanings - used, "%s%s", i > 0 ? " " : "",
                         sarrus_instance_status_word((sarrus_instance_status)i));
        if (n < 0 || (size_t)n >= sizeof meanings - used) {
            return false;
        }
        used += (size_t)n;
    }
    hid_t attribute = sarrus_hdf5_open_attribute(dataset, "flag_values", H5T_NATIVE_UINT8, SARRUS_N_INSTANCE_STATUS);
    bool ok = attribute >= 0 && H5Awrite(attribute, H5T_NATIVE_UINT8, values) >= 0;
    if (attribute >= 0) {
        H5Aclose(attribute);
    }
    return ok && sarrus_hdf5_put_text(dataset, "flag_meanings", meanings);
}

/* Status and failure time change in place at every commit, so that they are contiguous. */
static bool put_outcome(sarrus_result_group *group, scales *all) {
    const hsize_t dims = group->layout->n_instances;
    const double no_time = NAN;
    hid_t text = sarrus_hdf5_string_type();
    group->status_type = make_status_type();
    if (text < 0 || group->status_type < 0) {
        return false;
    }
    sarrus_hdf5_shape shape = {.n_dims = 1, .dims = &dims};
    group->status = sarrus_hdf5_create_dataset(group->root, "instance/status", group->status_type, &shape);
    group->reason = sarrus_hdf5_create_dataset(group->root, "instance/reason", text, &shape);
    shape.fill = &no_time;
    group->failed_time = sarrus_hdf5_create_dataset(group->root, "instance/failed_time", H5T_NATIVE_DOUBLE, &shape);
    H5Tclose(text);
    return sarrus_hdf5_describe(group->status, "1", "how the instance ended") && put_flags(group->status) &&
           attach_instances(group->status, all) && sarrus_hdf5_describe(group->reason, "1", "why the instance failed") &&
           attach_instances(group->reason, all) &&
           sarrus_hdf5_describe(group->failed_time, "s", "time of failure, NaN when healthy") &&
           attach_instances(group->failed_time, all);
}

static bool put_table(sarrus_result_group *group, const sarrus_sink_description *description, scales *all) {
    bool ok = sarrus_result_table_create(&group->table, group->root, description);
    for (int c = 0; ok && c < group->table.n_measures; ++c) {
        ok = attach_instances(group->table.measures[c], all);
    }
    ok = ok && sarrus_result_totals_create(&group->totals, group->root, description, all->levels);
    for (int c = 0; ok && c < group->totals.n; ++c) {
        all->n_levels_users += description->totals[c].has_levels ? 1 : 0;
    }
    return ok;
}

/* A dataset [n_instances] of given numbers. */
static bool put_column(hid_t folder, const sarrus_sink_description *description, const char *name, const double *values,
                       const char *units, const char *long_name, scales *all) {
    hid_t dataset = sarrus_hdf5_create_column(folder, name, H5T_NATIVE_DOUBLE, values, description->n_instances);
    const bool ok = sarrus_hdf5_describe(dataset, units, long_name) && attach_instances(dataset, all);
    if (dataset >= 0) {
        H5Dclose(dataset);
    }
    return ok;
}

static bool put_parameters(sarrus_result_group *group, const sarrus_sink_description *description, scales *all) {
    hid_t folder = H5Gcreate2(group->root, "instance/parameters", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    bool ok = folder >= 0;
    for (int p = 0; ok && p < description->n_parameters; ++p) {
        const sarrus_sink_parameter *parameter = &description->parameters[p];
        ok = put_column(folder, description, parameter->path, parameter->values, parameter->counted_in, parameter->path, all);
    }
    if (folder >= 0) {
        H5Gclose(folder);
    }
    return ok;
}

/* The group is there only when something was drawn. */
static bool put_units(sarrus_result_group *group, const sarrus_sink_description *description, scales *all) {
    hid_t folder = -1;
    bool ok = true;
    for (int p = 0; ok && p < description->n_parameters; ++p) {
        const sarrus_sink_parameter *parameter = &description->parameters[p];
        if (parameter->label == NULL || parameter->units == NULL) {
            continue;
        }
        folder = folder >= 0 ? folder : H5Gcreate2(group->root, "instance/unit", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
        ok = folder >= 0 && put_column(folder, description, parameter->label, parameter->units, "1",
                                       "the draw in the unit interval, of which the parameter is the quantile", all);
    }
    if (folder >= 0) {
        H5Gclose(folder);
    }
    return ok;
}

/* Of names, or where a field has none of the places from 0 on. */
static hid_t create_labels(hid_t root, const sarrus_sink_field *field) {
    const uint64_t n = (uint64_t)field->width;
    if (field->labels != NULL) {
        return sarrus_hdf5_create_strings(root, field->labels_path, field->labels, n);
    }
    uint64_t *places = malloc(n * sizeof *places);
    for (uint64_t i = 0; places != NULL && i < n; ++i) {
        places[i] = i;
    }
    hid_t scale = places != NULL ? sarrus_hdf5_create_column(root, field->labels_path, H5T_NATIVE_UINT64, places, n) : -1;
    free(places);
    return scale;
}

/* Attaches the scale of the axis of components of field `i`, which fields that name the same one share. */
static bool attach_labels(const sarrus_result_group *group, const sarrus_sink_description *description, int i, scales *all) {
    const sarrus_sink_field *field = &description->fields[i];
    if (field->width == 0 || field->labels_path == NULL) {
        return true;
    }
    const unsigned axis = field->is_common ? 1 : 2;
    for (int j = 0; j < i; ++j) {
        if (all->labels[j] >= 0 && strcmp(description->fields[j].labels_path, field->labels_path) == 0) {
            return attach(group->fields[i], all->labels[j], axis, &all->n_label_users[j]);
        }
    }
    hid_t scale = create_labels(group->root, field);
    all->labels[i] = scale;
    const char *slash = strrchr(field->labels_path, '/');
    bool ok = sarrus_hdf5_describe(scale, "1", field->labels != NULL ? "names of the last axis" : "places along the last axis") &&
              H5DSset_scale(scale, slash != NULL ? slash + 1 : field->labels_path) >= 0;
    return ok && attach(group->fields[i], scale, axis, &all->n_label_users[i]);
}

/* One text a component; of more than an attribute holds those that repeat. */
static bool put_component_units(hid_t dataset, const sarrus_sink_field *field) {
    if (field->component_units == NULL) {
        return true;
    }
    const int n = field->width <= UNITS_MAX ? field->width : field->n_component_units;
    const char **units = malloc((size_t)n * sizeof *units);
    for (int k = 0; units != NULL && k < n; ++k) {
        units[k] = field->component_units[k % field->n_component_units];
    }
    const bool ok = units != NULL && sarrus_hdf5_put_texts(dataset, "units", units, (hsize_t)n);
    free(units);
    return ok;
}

/* Of rounded numbers, in the words of netCDF and of CF 1.12 for "bitround". */
static bool put_rounding(hid_t dataset, int n_kept_bits) {
    const double error = ldexp(1.0, -(n_kept_bits + 1));
    return n_kept_bits == 0 ||
           (sarrus_hdf5_put_number(dataset, "_QuantizeBitRoundNumberOfSignificantBits", H5T_NATIVE_INT, &n_kept_bits) &&
            sarrus_hdf5_put_number(dataset, "quantization_maximum_relative_error", H5T_NATIVE_DOUBLE, &error));
}

static bool put_field(sarrus_result_group *group, const sarrus_sink_description *description, int i, scales *all) {
    const sarrus_sink_field *field = &description->fields[i];
    const sarrus_layout_field *cut = &group->layout->fields[i];
    const bool is_open = group->layout->is_open_ended;
    hsize_t dims[3], dims_max[3], chunk[3];
    sarrus_result_dims(cut, cut->n_rows, is_open ? 1 : group->layout->n_times, dims);
    sarrus_result_dims(cut, cut->n_rows, H5S_UNLIMITED, dims_max);
    sarrus_result_dims(cut, cut->chunk_instances, group->layout->block_times, chunk);
    const double fill_f64 = NAN;
    const uint16_t fill_u16 = UINT16_MAX;
    const hid_t type = field->type == SARRUS_SINK_U16   ? H5T_NATIVE_UINT16
                       : field->type == SARRUS_SINK_U64 ? H5T_NATIVE_UINT64
                                                        : H5T_NATIVE_DOUBLE;
    const sarrus_hdf5_shape shape = {.n_dims = cut->n_dims,
                                     .dims = dims,
                                     .dims_max = is_open ? dims_max : NULL,
                                     .chunk = chunk,
                                     .fill = field->type == SARRUS_SINK_U16   ? (const void *)&fill_u16
                                             : field->type == SARRUS_SINK_U64 ? NULL
                                                                              : (const void *)&fill_f64};
    hid_t dataset = sarrus_hdf5_create_dataset(group->root, field->path, type, &shape);
    group->fields[i] = dataset;
    bool ok = sarrus_hdf5_describe(dataset, field->units, field->long_name) && put_component_units(dataset, field) &&
              (field->comment == NULL || sarrus_hdf5_put_text(dataset, "comment", field->comment)) &&
              put_rounding(dataset, field->n_kept_bits) &&
              (field->method == NULL || sarrus_hdf5_put_text(dataset, "method", field->method)) &&
              (field->is_common || attach_rows(dataset, all)) &&
              attach(dataset, group->time.dataset, field->is_common ? 0 : 1, &all->n_time_users) &&
              (!field->has_levels || attach(dataset, all->levels, (unsigned)cut->n_dims - 1, &all->n_levels_users));
    for (int k = 0; ok && k < field->n_flags; ++k) {
        ok = sarrus_hdf5_put_number(dataset, field->flag_names[k], H5T_NATIVE_INT, &field->flag_values[k]);
    }
    return ok && attach_labels(group, description, i, all);
}

bool sarrus_result_schema_write(sarrus_result_group *group, const sarrus_sink_description *description) {
    scales all = {.instance = -1, .trajectory = -1, .levels = -1};
    all.labels = malloc(((size_t)description->n_fields + 1) * sizeof *all.labels);
    all.n_label_users = calloc((size_t)description->n_fields + 1, sizeof *all.n_label_users);
    bool ok = all.labels != NULL && all.n_label_users != NULL;
    for (int f = 0; all.labels != NULL && f < description->n_fields; ++f) {
        all.labels[f] = -1;
    }
    ok = ok && put_root_attributes(group, description) && sarrus_result_scenario_write(group->root, description->scenario) &&
         put_scales(group, description, &all) && put_choices(group, description, &all) && put_outcome(group, &all) &&
         put_table(group, description, &all) && put_parameters(group, description, &all) && put_units(group, description, &all);
    for (int f = 0; ok && f < description->n_fields; ++f) {
        ok = put_field(group, description, f, &all);
    }
    for (int f = 0; all.labels != NULL && f < description->n_fields; ++f) {
        if (all.labels[f] >= 0) {
            H5Dclose(all.labels[f]);
        }
    }
    free(all.labels);
    free(all.n_label_users);
    if (all.trajectory >= 0 && all.trajectory != all.instance) {
        H5Dclose(all.trajectory);
    }
    if (all.levels >= 0) {
        H5Dclose(all.levels);
    }
    if (all.instance >= 0) {
        H5Dclose(all.instance);
    }
    return ok;
}
