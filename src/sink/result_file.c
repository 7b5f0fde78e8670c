#include "sink/result_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/stop.h"
#include "sink/hdf5_object.h"
#include "sink/result_source.h"

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
                reason = "HDF5 gives no reason; memory may be short";
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

static sarrus_status fail_of_memory(sarrus_result_file *file) {
    if (!file->failed) {
        snprintf(file->message, sizeof file->message, "out of memory");
        file->failed = true;
    }
    return SARRUS_NO_MEMORY;
}

/* OK, or a failure of `doing` when HDF5 has said so, or the driver has seen a write fail. */
static sarrus_status judge(sarrus_result_file *file, bool ok, const char *doing) {
    return ok && file->state.write_error == 0 ? SARRUS_OK : sarrus_result_file_fail(file, doing);
}

/* What stands at the root of a file of several groups, beside them. */
static bool write_index(sarrus_result_file *file, const sarrus_sink_description *descriptions) {
    const uint64_t n_groups = (uint64_t)file->n_groups;
    hid_t root = file->file;
    bool ok = sarrus_result_origin_write(root) && sarrus_hdf5_put_number(root, "n_groups", H5T_NATIVE_UINT64, &n_groups) &&
              sarrus_hdf5_put_texts(root, "group_files", file->index->files, n_groups) &&
              sarrus_result_origins_write(root, descriptions, file->n_groups) &&
              sarrus_result_scenario_write(root, file->index->scenario);
    file->complete = ok ? sarrus_result_complete_open(root) : -1;
    return file->complete >= 0;
}

/* A group of an indexed file is called by its number; without an index there is one, the file itself. */
static bool write_group(sarrus_result_file *file, int i_group, const sarrus_sink_description *description) {
    sarrus_result_group *group = &file->groups[i_group];
    group->owns_root = file->index != NULL;
    group->root = file->file;
    if (group->owns_root) {
        char name[16];
        snprintf(name, sizeof name, "%d", i_group);
        group->root = H5Gcreate2(file->file, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    }
    return group->root >= 0 && sarrus_result_schema_write(group, description);
}

static bool make_groups(sarrus_result_file *file, const sarrus_layout *const *layouts) {
    bool ok = true;
    file->groups = calloc((size_t)file->n_groups, sizeof *file->groups);
    for (int g = 0; file->groups != NULL && g < file->n_groups; ++g) {
        ok = sarrus_result_group_make(&file->groups[g], layouts[g]) && ok;
    }
    return file->groups != NULL && ok;
}

static sarrus_status write_schema(sarrus_result_file *file, const sarrus_sink_description *descriptions) {
    bool ok = file->index == NULL || write_index(file, descriptions);
    for (int g = 0; ok && g < file->n_groups; ++g) {
        ok = write_group(file, g, &descriptions[g]);
    }
    return judge(file, ok, "the datasets cannot be created");
}

/* Takes over what the source holds of every group. The name is locked by now: what the source was before is looked at again. */
static sarrus_status take_over(sarrus_result_file *file, const sarrus_sink_description *descriptions) {
    const sarrus_sink_source *source = descriptions->source;
    sarrus_source_mark mark;
    hid_t from = -1;
    const bool is_same = sarrus_result_source_mark(source->path, &mark) && memcmp(&mark, &source->mark, sizeof mark) == 0;
    if (is_same) {
        from = sarrus_result_source_open(source->path);
    }
    bool ok = from >= 0;
    for (int g = 0; ok && g < file->n_groups; ++g) {
        ok = sarrus_result_source_take(&file->groups[g], from, file->index != NULL ? g : -1, &descriptions[g], source);
    }
    const bool is_stopped = !ok && is_same && sarrus_stop_is_asked(descriptions->stop);
    if (!is_same || is_stopped) {
        snprintf(file->message, sizeof file->message, "what an earlier run has left %s",
                 is_same ? "was being taken over when the run was stopped" : "was changed by another program");
        file->failed = true;
    }
    const sarrus_status status = is_stopped     ? SARRUS_INTERRUPTED
                                 : file->failed ? SARRUS_IO
                                                : judge(file, ok, "what an earlier run has left cannot be taken over");
    if (from >= 0) {
        H5Fclose(from);
    }
    return status;
}

sarrus_status sarrus_result_file_create(sarrus_result_file *file, const char *path, const sarrus_layout *const *layouts,
                                        const sarrus_sink_description *descriptions) {
    file->driver = file->access = file->file = file->complete = -1;
    file->silence = sarrus_hdf5_silence_begin();
    sarrus_status status = fail_of_place(file, sarrus_result_place_take(&file->place, path, descriptions->keeps_complete));
    file->state.descriptor = file->place.descriptor;
    if (status != SARRUS_OK) {
        return status;
    }
    if (!make_groups(file, layouts)) {
        return fail_of_memory(file);
    }
    file->access = make_access(file);
    if (file->access < 0) {
        return sarrus_result_file_fail(file, "the HDF5 library cannot be set up");
    }
    file->file = H5Fcreate(file->place.name, H5F_ACC_TRUNC, H5P_DEFAULT, file->access);
    if (file->file < 0) {
        return sarrus_result_file_fail(file, "cannot be created");
    }
    status = write_schema(file, descriptions);
    const sarrus_sink_source *source = descriptions->source;
    if (status == SARRUS_OK && source != NULL) {
        status = take_over(file, descriptions);
        file->place.takes_partial = strcmp(source->path, file->place.partial) == 0;
    }
    for (int g = 0; status == SARRUS_OK && g < file->n_groups; ++g) {
        const bool has_some = source != NULL && source->n_times[g] > 0;
        status = sarrus_result_file_commit(file, g, has_some ? source->n_times[g] : 0, has_some ? &source->outcomes[g] : NULL);
    }
    return status == SARRUS_OK ? fail_of_place(file, sarrus_result_place_reveal(&file->place)) : status;
}

sarrus_status sarrus_result_file_reach(sarrus_result_file *file, int i_group, uint64_t n_times) {
    return judge(file, sarrus_time_axis_reach(&file->groups[i_group].time, n_times), "writing failed");
}

sarrus_status sarrus_result_file_extend(sarrus_result_file *file, int i_group, const double *times, uint64_t n_times) {
    return judge(file, sarrus_result_group_extend(&file->groups[i_group], times, n_times), "writing failed");
}

void sarrus_result_file_abandon(sarrus_result_file *file) {
    file->state.is_abandoned = true;
}

sarrus_status sarrus_result_file_put(sarrus_result_file *file, sarrus_result_chunk chunk, const sarrus_compress_slot *slot) {
    sarrus_result_group *group = &file->groups[chunk.i_group];
    return judge(file, sarrus_result_group_put(group, chunk.i_field, chunk.i_instance, chunk.i_time, slot), "writing failed");
}

sarrus_status sarrus_result_file_commit(sarrus_result_file *file, int i_group, uint64_t n_times,
                                        const sarrus_sink_outcome *outcome) {
    sarrus_result_group *group = &file->groups[i_group];
    bool ok = outcome == NULL || sarrus_result_group_outcome_write(group, outcome);
    /* the number of times counts only what was flushed before it */
    ok = ok && H5Fflush(file->file, H5F_SCOPE_GLOBAL) >= 0;
    ok = ok && H5Awrite(group->n_times_written, H5T_NATIVE_UINT64, &n_times) >= 0;
    ok = ok && H5Fflush(file->file, H5F_SCOPE_GLOBAL) >= 0;
    const sarrus_status status = judge(file, ok, "writing failed");
    if (status != SARRUS_OK) {
        return status;
    }
    sarrus_result_place_settle(&file->place);
    return fail_of_place(file, sarrus_result_place_verify(&file->place, file->state.n_bytes));
}

sarrus_status sarrus_result_file_finish(sarrus_result_file *file, int i_group, uint64_t n_times, const sarrus_sink_outcome *outcome,
                                        bool complete) {
    const int mark = 1;
    sarrus_result_group *group = &file->groups[i_group];
    sarrus_status status = SARRUS_OK;
    if (outcome->status != NULL) {
        status = judge(file, sarrus_result_group_reasons_write(group, outcome->status), "writing failed");
    }
    if (status == SARRUS_OK) {
        status = sarrus_result_file_commit(file, i_group, n_times, outcome);
    }
    if (status != SARRUS_OK || !complete) {
        return status;
    }
    return judge(file, H5Awrite(group->complete, H5T_NATIVE_INT, &mark) >= 0 && H5Fflush(file->file, H5F_SCOPE_GLOBAL) >= 0,
                 "writing failed");
}

sarrus_status sarrus_result_file_complete(sarrus_result_file *file) {
    const int mark = 1;
    const bool is_said = file->complete < 0; /* the group is the file */
    return judge(file,
                 is_said || (H5Awrite(file->complete, H5T_NATIVE_INT, &mark) >= 0 && H5Fflush(file->file, H5F_SCOPE_GLOBAL) >= 0),
                 "writing failed");
}

static void close_groups(sarrus_result_file *file) {
    for (int g = 0; file->groups != NULL && g < file->n_groups; ++g) {
        sarrus_result_group_close(&file->groups[g]);
    }
    free(file->groups);
    file->groups = NULL;
    if (file->complete >= 0) {
        H5Aclose(file->complete);
    }
}

sarrus_status sarrus_result_file_close(sarrus_result_file *file, sarrus_result_end end) {
    bool ok = true;
    close_groups(file);
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
    file->driver = file->access = file->file = file->complete = -1;
    return status;
}
