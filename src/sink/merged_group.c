#include "sink/merged_group.h"

#include <string.h>

#include "sink/hdf5_object.h"
#include "sink/merge.h"
#include "sink/result_totals.h"

uint64_t sarrus_merged_group_size(const sarrus_merged_group *group) {
    return group->merge->parts[0].groups[group->i_group].n_study;
}

uint64_t sarrus_merged_group_seed(const sarrus_merged_group *group) {
    return group->merge->parts[0].groups[group->i_group].seed;
}

int sarrus_merged_group_n_parts(const sarrus_merged_group *group) {
    return group->merge->n_parts;
}

void sarrus_merged_group_part(const sarrus_merged_group *group, int i_part, uint64_t *i_first, uint64_t *n) {
    const sarrus_result_info *info = &group->merge->parts[i_part].groups[group->i_group];
    *i_first = info->first_instance;
    *n = info->n_instances;
}

char *sarrus_merged_group_scenario(const sarrus_merged_group *group) {
    char *text = sarrus_hdf5_read_text(group->root, "scenario", false);
    char *copy = text != NULL ? strdup(text) : NULL;
    if (text != NULL)
        H5free_memory(text);
    return copy;
}

/* Rows of all parts, in the order of the instances, `size` bytes each. */
static bool rows_read(const sarrus_merged_group *group, const char *path, hid_t type, sarrus_merged_rows rows, size_t size,
                      char *out) {
    const sarrus_merge *merge = group->merge;
    uint64_t i_part = 0; /* the first row of a part, counted from that of the first one */
    bool ok = true;
    for (int i = 0; ok && i < merge->n_parts; ++i) {
        const uint64_t n = merge->parts[i].groups[group->i_group].n_instances, i_end = rows.i_first + rows.n;
        const uint64_t low = i_part > rows.i_first ? i_part : rows.i_first, high = i_part + n < i_end ? i_part + n : i_end;
        if (low < high) {
            hid_t root = sarrus_merge_root(merge, merge->parts[i].file, group->i_group);
            ok = root >= 0 && sarrus_hdf5_has(root, path) && sarrus_hdf5_read_rows(root, path, type, low - i_part, high - low, out);
            out += (high - low) * size;
            if (root >= 0)
                H5Gclose(root);
        }
        i_part += n;
    }
    return ok;
}

bool sarrus_merged_group_numbers_of(const sarrus_merged_group *group, const char *path, sarrus_merged_rows rows, double *out) {
    return rows_read(group, path, H5T_NATIVE_DOUBLE, rows, sizeof *out, (char *)out);
}

bool sarrus_merged_group_status_of(const sarrus_merged_group *group, sarrus_merged_rows rows, uint8_t *out) {
    hid_t dataset = H5Dopen2(group->root, "instance/status", H5P_DEFAULT), type = dataset >= 0 ? H5Dget_type(dataset) : -1;
    const bool ok = type >= 0 && H5Tget_size(type) == 1 && rows_read(group, "instance/status", type, rows, 1, (char *)out);
    if (type >= 0)
        H5Tclose(type);
    if (dataset >= 0)
        H5Dclose(dataset);
    return ok;
}

static sarrus_merged_rows all_rows(const sarrus_merged_group *group) {
    return (sarrus_merged_rows){0, sarrus_merged_group_size(group)};
}

bool sarrus_merged_group_numbers(const sarrus_merged_group *group, const char *path, double *out) {
    return sarrus_merged_group_numbers_of(group, path, all_rows(group), out);
}

bool sarrus_merged_group_status(const sarrus_merged_group *group, uint8_t *out) {
    return sarrus_merged_group_status_of(group, all_rows(group), out);
}

static bool has_levels(const sarrus_sink_description *description) {
    bool has = false;
    for (int i = 0; i < description->n_totals; ++i)
        has = has || description->totals[i].has_levels;
    return has;
}

bool sarrus_merged_group_totals_write(const sarrus_merged_group *group, const sarrus_sink_description *description,
                                      const double *const *values) {
    sarrus_result_totals totals = {0};
    hid_t levels = has_levels(description) ? sarrus_result_levels_create(group->root, description->levels) : -1;
    const bool ok = (levels >= 0 || !has_levels(description)) &&
                    sarrus_result_totals_create(&totals, group->root, description, levels) &&
                    sarrus_result_totals_write(&totals, values);
    sarrus_result_totals_close(&totals);
    if (levels >= 0)
        H5Dclose(levels);
    return ok;
}
