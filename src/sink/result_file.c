#include "sink/result_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { REASON_ROWS = 65536 }; /* rows of /instance/reason written at a time */

sarrus_status sarrus_result_file_fail(sarrus_result_file *file, const char *doing) {
    if (!file->failed) {
        char buffer[SARRUS_RESULT_MESSAGE_BYTES / 2];
        const char *reason = buffer;
        if (file->state.is_cut) {
            reason = "another program has made the file shorter";
        } else if (file->state.write_error != 0) {
            reason = strerror_r(file->state.write_error, buffer, sizeof buffer); /* the GNU one: may not use the buffer */
        } else {
            sarrus_hdf5_message(buffer, sizeof buffer);
            if (buffer[0] == '\0')
                reason = "HDF5 says no more; it may lack memory";
        }
        snprintf(file->message, sizeof file->message, "%s: %s", doing, reason);
        file->failed = true;
    }
    return SARRUS_IO;
}

/* The same with what the place of the file has said. */
static sarrus_status fail_of_place(sarrus_result_file *file, sarrus_status status) {
    if (status != SARRUS_OK && !file->failed) {
        snprintf(file->message, sizeof file->message, "%s", file->place.message);
        file->failed = true;
    }
    return status;
}

/* A file access property list with our driver, a metadata cache that writes on flush only, and no file locks (network file
 * systems often refuse them). Negative on failure. */
static hid_t make_access(sarrus_result_file *file) {
    hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    if (access < 0) {
        return -1;
    }
    H5AC_cache_config_t cache = {.version = H5AC__CURR_CACHE_CONFIG_VERSION};
    bool ok = H5Pget_mdc_config(access, &cache) >= 0;
    cache.evictions_enabled = false;
    cache.incr_mode = H5C_incr__off;
    cache.flash_incr_mode = H5C_flash_incr__off;
    cache.decr_mode = H5C_decr__off;
    ok = ok && H5Pset_mdc_config(access, &cache) >= 0;
    ok = ok && H5Pset_fclose_degree(access, H5F_CLOSE_STRONG) >= 0;
    ok = ok && H5Pset_file_locking(access, false, true) >= 0;
    file->driver = ok ? sarrus_file_driver_set(access, &file->state) : -1;
    if (file->driver < 0) {
        H5Pclose(access);
        return -1;
    }
    return access;
}

static void forget_ids(sarrus_result_file *file) {
    file->driver = file->access = file->file = -1;
    file->n_times_written = file->complete = -1;
    file->time.dataset = -1;
    file->status = file->status_type = file->failed_time = file->reason = -1;
}

sarrus_status sarrus_result_file_create(sarrus_result_file *file, const char *path, const sarrus_layout *layout,
                                        const sarrus_sink_description *description) {
    forget_ids(file);
    file->silence = sarrus_hdf5_silence_begin();
    file->layout = layout;
    sarrus_status status = fail_of_place(file, sarrus_result_place_take(&file->place, path, description->keeps_complete));
    file->state.descriptor = file->place.descriptor;
    if (status != SARRUS_OK) {
        return status;
    }
    file->fields = malloc(((size_t)layout->n_fields + 1) * sizeof *file->fields);
    file->status_on_file = calloc(layout->n_instances, 1);
    if (file->fields == NULL || file->status_on_file == NULL) {
        snprintf(file->message, sizeof file->message, "out of memory");
        file->failed = true;
        return SARRUS_NO_MEMORY;
    }
    for (int f = 0; f < layout->n_fields; f++) {
        file->fields[f] = -1;
    }
    file->access = make_access(file);
    if (file->access < 0) {
        return sarrus_result_file_fail(file, "the HDF5 library cannot be set up");
    }
    file->file = H5Fcreate(file->place.name, H5F_ACC_TRUNC, H5P_DEFAULT, file->access);
    if (file->file < 0) {
        return sarrus_result_file_fail(file, "cannot be created");
    }
    status = sarrus_result_schema_write(file, description);
    if (status == SARRUS_OK) {
        status = sarrus_result_file_commit(file, 0, NULL);
    }
    return status == SARRUS_OK ? fail_of_place(file, sarrus_result_place_reveal(&file->place)) : status;
}

sarrus_status sarrus_result_file_reach(sarrus_result_file *file, uint64_t n_times) {
    const bool ok = sarrus_time_axis_reach(&file->time, n_times) && file->state.write_error == 0;
    return ok ? SARRUS_OK : sarrus_result_file_fail(file, "writing failed");
}

sarrus_status sarrus_result_file_extend(sarrus_result_file *file, const double *times, uint64_t n_times) {
    const sarrus_layout *layout = file->layout;
    bool ok = sarrus_time_axis_append(&file->time, times, n_times);
    for (int f = 0; ok && f < layout->n_fields; f++) {
        const hsize_t dims[3] = {layout->n_instances, file->time.n_written, layout->fields[f].width};
        ok = H5Dset_extent(file->fields[f], dims) >= 0;
    }
    return ok && file->state.write_error == 0 ? SARRUS_OK : sarrus_result_file_fail(file, "writing failed");
}

void sarrus_result_file_abandon(sarrus_result_file *file) {
    file->state.is_abandoned = true;
}

sarrus_status sarrus_result_file_put(sarrus_result_file *file, int i_field, uint64_t i_instance, uint64_t i_time,
                                     const sarrus_compress_slot *slot) {
    const hsize_t offset[3] = {i_instance, i_time, 0};
    herr_t result = H5Dwrite_chunk(file->fields[i_field], H5P_DEFAULT, slot->filter_mask, offset, slot->n_packed, slot->packed);
    if (result < 0 || file->state.write_error != 0) {
        return sarrus_result_file_fail(file, "writing failed");
    }
    return SARRUS_OK;
}

/* Status and failure times go together, and only when a status changed. */
static bool write_status(sarrus_result_file *file, const sarrus_sink_outcome *outcome) {
    size_t n = file->layout->n_instances;
    if (outcome->status == NULL || memcmp(outcome->status, file->status_on_file, n) == 0) {
        return true;
    }
    bool ok = H5Dwrite(file->status, file->status_type, H5S_ALL, H5S_ALL, H5P_DEFAULT, outcome->status) >= 0;
    ok = ok && (outcome->failed_time == NULL ||
                H5Dwrite(file->failed_time, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, outcome->failed_time) >= 0);
    memcpy(file->status_on_file, outcome->status, n);
    return ok;
}

sarrus_status sarrus_result_file_commit(sarrus_result_file *file, uint64_t n_times, const sarrus_sink_outcome *outcome) {
    bool ok = outcome == NULL || (write_status(file, outcome) && sarrus_result_table_write(&file->table, outcome));
    /* the number of times counts only what was flushed before it */
    ok = ok && H5Fflush(file->file, H5F_SCOPE_GLOBAL) >= 0;
    ok = ok && H5Awrite(file->n_times_written, H5T_NATIVE_UINT64, &n_times) >= 0;
    ok = ok && H5Fflush(file->file, H5F_SCOPE_GLOBAL) >= 0;
    if (!ok || file->state.write_error != 0) {
        return sarrus_result_file_fail(file, "writing failed");
    }
    sarrus_result_place_settle(&file->place);
    return fail_of_place(file, sarrus_result_place_verify(&file->place, file->state.n_bytes));
}

/* Writes rows of /instance/reason; "" is stored as a null reference, without a heap object. */
static bool put_reasons(const sarrus_result_file *file, hid_t type, hid_t file_space, uint64_t i_first, uint64_t n,
                        const uint8_t *status, const char **texts) {
    bool any = false;
    for (uint64_t i = 0; i < n; i++) {
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
              H5Dwrite(file->reason, type, memory_space, file_space, H5P_DEFAULT, texts) >= 0;
    if (memory_space >= 0) {
        H5Sclose(memory_space);
    }
    return ok;
}

static sarrus_status write_reasons(sarrus_result_file *file, const uint8_t *status) {
    const char **texts = malloc(REASON_ROWS * sizeof *texts);
    if (texts == NULL) {
        return sarrus_result_file_fail(file, "out of memory");
    }
    hid_t type = H5Dget_type(file->reason), space = H5Dget_space(file->reason);
    bool ok = type >= 0 && space >= 0;
    for (uint64_t i = 0; ok && i < file->layout->n_instances; i += REASON_ROWS) {
        uint64_t rest = file->layout->n_instances - i;
        ok = put_reasons(file, type, space, i, rest < REASON_ROWS ? rest : REASON_ROWS, status, texts);
    }
    free(texts);
    if (type >= 0) {
        H5Tclose(type);
    }
    if (space >= 0) {
        H5Sclose(space);
    }
    return ok ? SARRUS_OK : sarrus_result_file_fail(file, "writing failed");
}

sarrus_status sarrus_result_file_finish(sarrus_result_file *file, uint64_t n_times, const sarrus_sink_outcome *outcome,
                                        bool complete) {
    sarrus_status result = outcome->status != NULL ? write_reasons(file, outcome->status) : SARRUS_OK;
    if (result == SARRUS_OK) {
        result = sarrus_result_file_commit(file, n_times, outcome);
    }
    if (result != SARRUS_OK || !complete) {
        return result;
    }
    const int mark = 1;
    bool ok = H5Awrite(file->complete, H5T_NATIVE_INT, &mark) >= 0 && H5Fflush(file->file, H5F_SCOPE_GLOBAL) >= 0;
    return ok && file->state.write_error == 0 ? SARRUS_OK : sarrus_result_file_fail(file, "writing failed");
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

static void close_objects(sarrus_result_file *file) {
    for (int f = 0; file->fields != NULL && f < file->layout->n_fields; f++) {
        close_dataset(file->fields[f]);
    }
    sarrus_result_table_close(&file->table);
    sarrus_time_axis_close(&file->time);
    close_dataset(file->status);
    close_dataset(file->failed_time);
    close_dataset(file->reason);
    close_attribute(file->n_times_written);
    close_attribute(file->complete);
    if (file->status_type >= 0) {
        H5Tclose(file->status_type);
    }
}

sarrus_status sarrus_result_file_close(sarrus_result_file *file, sarrus_result_end end) {
    bool ok = true;
    close_objects(file);
    if (file->file >= 0) {
        /* after a failed write the driver drops what HDF5 still wants to write: the disk stays as last committed */
        ok = H5Fclose(file->file) >= 0 && file->state.write_error == 0;
    }
    sarrus_status status = ok ? SARRUS_OK : sarrus_result_file_fail(file, "closing failed");
    if (status == SARRUS_OK && end == SARRUS_RESULT_NAMED) {
        status = fail_of_place(file, sarrus_result_place_publish(&file->place, file->state.n_bytes));
    }
    sarrus_result_place_leave(&file->place, end != SARRUS_RESULT_REMOVED);
    if (file->access >= 0) {
        H5Pclose(file->access);
        H5FDunregister(file->driver);
    }
    sarrus_hdf5_silence_end(file->silence);
    free(file->fields);
    free(file->status_on_file);
    file->fields = NULL;
    file->status_on_file = NULL;
    forget_ids(file);
    return status;
}
