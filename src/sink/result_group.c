#include "sink/result_group.h"

#include <stdlib.h>
#include <string.h>

#include "sarrus/status.h"

enum { REASON_ROWS = 65536 }; /* rows of /instance/reason written at a time */

bool sarrus_result_group_make(sarrus_result_group *group, const sarrus_layout *layout) {
    *group = (sarrus_result_group){.layout = layout,
                                   .root = -1,
                                   .n_times_written = -1,
                                   .complete = -1,
                                   .status = -1,
                                   .status_type = -1,
                                   .failed_time = -1,
                                   .reason = -1,
                                   .time = {.dataset = -1}};
    group->fields = malloc(((size_t)layout->n_fields + 1) * sizeof *group->fields);
    group->status_on_file = calloc(layout->n_instances, 1);
    for (int f = 0; group->fields != NULL && f < layout->n_fields; ++f) {
        group->fields[f] = -1;
    }
    return group->fields != NULL && group->status_on_file != NULL;
}

void sarrus_result_dims(const sarrus_layout_field *field, uint64_t n_rows, uint64_t n_times, hsize_t dims[3]) {
    int n = 0;
    if (!field->is_common) {
        dims[n++] = n_rows;
    }
    dims[n++] = n_times;
    if (n < field->n_dims - (field->n_levels > 0)) {
        dims[n++] = field->width / (field->n_levels > 0 ? field->n_levels : 1);
    }
    if (field->n_levels > 0) {
        dims[n] = field->n_levels;
    }
}

bool sarrus_result_group_extend(sarrus_result_group *group, const double *times, uint64_t n_times) {
    const sarrus_layout *layout = group->layout;
    bool ok = sarrus_time_axis_append(&group->time, times, n_times);
    for (int f = 0; ok && f < layout->n_fields; ++f) {
        hsize_t dims[3];
        sarrus_result_dims(&layout->fields[f], layout->fields[f].n_rows, group->time.n_written, dims);
        ok = H5Dset_extent(group->fields[f], dims) >= 0;
    }
    return ok;
}

bool sarrus_result_group_put(sarrus_result_group *group, int i_field, uint64_t i_instance, uint64_t i_time,
                             const sarrus_compress_slot *slot) {
    const bool is_common = group->layout->fields[i_field].is_common;
    const hsize_t offset[3] = {is_common ? i_time : i_instance, is_common ? 0 : i_time, 0};
    return H5Dwrite_chunk(group->fields[i_field], H5P_DEFAULT, slot->filter_mask, offset, slot->n_packed, slot->packed) >= 0;
}

/* Status and failure times go together, and only when a status changed. */
static bool write_status(sarrus_result_group *group, const sarrus_sink_outcome *outcome) {
    size_t n = group->layout->n_instances;
    if (outcome->status == NULL || memcmp(outcome->status, group->status_on_file, n) == 0) {
        return true;
    }
    bool ok = H5Dwrite(group->status, group->status_type, H5S_ALL, H5S_ALL, H5P_DEFAULT, outcome->status) >= 0;
    ok = ok && (outcome->failed_time == NULL ||
                H5Dwrite(group->failed_time, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, outcome->failed_time) >= 0);
    memcpy(group->status_on_file, outcome->status, n);
    return ok;
}

bool sarrus_result_group_outcome_write(sarrus_result_group *group, const sarrus_sink_outcome *outcome) {
    return write_status(group, outcome) && sarrus_result_table_write(&group->table, outcome) &&
           (outcome->totals == NULL || sarrus_result_totals_write(&group->totals, outcome->totals));
}

/* Writes rows of /instance/reason; "" is stored as a null reference, without a heap object. */
static bool put_reasons(const sarrus_result_group *group, hid_t type, hid_t file_space, uint64_t i_first, uint64_t n,
                        const uint8_t *status, const char **texts) {
    bool any = false;
    for (uint64_t i = 0; i < n; ++i) {
        uint8_t word = status[i_first + i];
        texts[i] = word != SARRUS_INSTANCE_OK ? sarrus_instance_status_text((sarrus_instance_status)word) : "";
        any = any || word != SARRUS_INSTANCE_OK;
    }
    if (!any) {
        return true;
    }
    const hsize_t start = i_first, count = n;
    hid_t memory_space = H5Screate_simple(1, &count, NULL);
    bool ok = memory_space >= 0 && H5Sselect_hyperslab(file_space, H5S_SELECT_SET, &start, NULL, &count, NULL) >= 0 &&
              H5Dwrite(group->reason, type, memory_space, file_space, H5P_DEFAULT, texts) >= 0;
    if (memory_space >= 0) {
        H5Sclose(memory_space);
    }
    return ok;
}

bool sarrus_result_group_reasons_write(const sarrus_result_group *group, const uint8_t *status) {
    const char **texts = malloc(REASON_ROWS * sizeof *texts);
    hid_t type = H5Dget_type(group->reason), space = H5Dget_space(group->reason);
    bool ok = texts != NULL && type >= 0 && space >= 0;
    for (uint64_t i = 0; ok && i < group->layout->n_instances; i += REASON_ROWS) {
        uint64_t rest = group->layout->n_instances - i;
        ok = put_reasons(group, type, space, i, rest < REASON_ROWS ? rest : REASON_ROWS, status, texts);
    }
    free(texts);
    if (type >= 0) {
        H5Tclose(type);
    }
    if (space >= 0) {
        H5Sclose(space);
    }
    return ok;
}

static void close_dataset(hid_t id) {
    if (id >= 0) {
        H5Dclose(id);
    }
}

static void close_attribute(hid_t id) {
    if (id >= 0) {
        H5Aclose(id);
    }
}

void sarrus_result_group_close(sarrus_result_group *group) {
    for (int f = 0; group->fields != NULL && f < group->layout->n_fields; ++f) {
        close_dataset(group->fields[f]);
    }
    sarrus_result_table_close(&group->table);
    sarrus_result_totals_close(&group->totals);
    sarrus_time_axis_close(&group->time);
    close_dataset(group->status);
    close_dataset(group->failed_time);
    close_dataset(group->reason);
    close_attribute(group->n_times_written);
    close_attribute(group->complete);
    if (group->status_type >= 0) {
        H5Tclose(group->status_type);
    }
    if (group->owns_root && group->root >= 0) {
        H5Gclose(group->root);
    }
    free(group->fields);
    free(group->status_on_file);
    *group = (sarrus_result_group){.root = -1};
}
