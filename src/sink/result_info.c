/* Reading what a result file holds. */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <hdf5.h>

#include "core/hdf5_signature.h"
#include "core/report.h"
#include "sarrus/run.h"
#include "sarrus/version.h"
#include "sink/hdf5_error.h"
#include "sink/hdf5_object.h"
#include "sink/hdf5_visit.h"
#include "sink/merged_parts.h"

/* What Sarrus writes is four groups deep, and a user's own groups hardly more; HDF5 takes minutes for thousands. */
enum { UNITS_BYTES = 256, MESSAGE_BYTES = 512, DEPTH_MAX = 64, TEXTS_MAX = 4096 };

/* An open file and how to leave it. */
typedef struct reader {
    sarrus_hdf5_silence silence;
    hid_t file;
    uint64_t file_bytes;
} reader;

static sarrus_status refuse_unopened(sarrus_context *context, const char *path, int error) {
    char partial[MESSAGE_BYTES];
    const int n = snprintf(partial, sizeof partial, "%s.partial", path);
    const bool is_unfinished = error == ENOENT && n < (int)sizeof partial && access(partial, F_OK) == 0;
    return sarrus_report(context, SARRUS_IO, "%s: cannot be read: %s%s%s%s", path, strerror(error),
                         is_unfinished ? "; there is " : "", is_unfinished ? partial : "",
                         is_unfinished ? ", of a run that goes on or did not end" : "");
}

/* Why HDF5 cannot open the file. */
static sarrus_status refuse_unreadable(sarrus_context *context, const char *path, const char *message) {
    char begin[SARRUS_HDF5_SIGNATURE_BYTES] = "";
    const int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    const ssize_t n = descriptor >= 0 ? read(descriptor, begin, sizeof begin) : 0;
    if (descriptor >= 0) {
        close(descriptor);
    }
    if (n <= 0) {
        return sarrus_report(context, SARRUS_IO, "%s: %s", path, n < 0 ? "cannot be read" : "the file is empty");
    }
    if (!sarrus_is_hdf5(begin, sizeof begin)) {
        return sarrus_report(context, SARRUS_BAD_INPUT, "%s: not an HDF5 file; is it a scenario? try 'sarrus check'", path);
    }
    return sarrus_report(context, SARRUS_IO, "%s: the file is damaged: %s", path, message);
}

static sarrus_status reader_open(sarrus_context *context, const char *path, reader *out) {
    struct stat about;
    int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    int error = descriptor < 0 || fstat(descriptor, &about) != 0 ? errno : S_ISDIR(about.st_mode) ? EISDIR : 0;
    if (descriptor >= 0) {
        close(descriptor);
    }
    if (error != 0) {
        return refuse_unopened(context, path, error);
    }
    if (!S_ISREG(about.st_mode)) { /* HDF5 would wait for what a pipe brings */
        return sarrus_report(context, SARRUS_BAD_INPUT, "%s: not an HDF5 file: a pipe, a socket or a device", path);
    }
    *out = (reader){.silence = sarrus_hdf5_silence_begin(), .file = -1, .file_bytes = (uint64_t)about.st_size};
    char message[MESSAGE_BYTES] = "";
    hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    if (access >= 0) {
        if (H5Pset_file_locking(access, false, true) >= 0 && H5Pset_fclose_degree(access, H5F_CLOSE_STRONG) >= 0) {
            out->file = H5Fopen(path, H5F_ACC_RDONLY, access);
        }
        sarrus_hdf5_message(message, sizeof message); /* the next call forgets it */
        H5Pclose(access);
    }
    if (out->file < 0) {
        const sarrus_status status = refuse_unreadable(context, path, message);
        sarrus_hdf5_silence_end(out->silence);
        return status;
    }
    return SARRUS_OK;
}

static void reader_close(reader *open_reader) {
    H5Fclose(open_reader->file);
    sarrus_hdf5_silence_end(open_reader->silence);
}

static bool get_number(hid_t object, const char *name, hid_t type, void *out) {
    hid_t attribute = H5Aopen(object, name, H5P_DEFAULT);
    if (attribute < 0) {
        return false;
    }
    hid_t space = H5Aget_space(attribute);
    bool ok = space >= 0 && H5Sget_simple_extent_npoints(space) == 1 && H5Aread(attribute, type, out) >= 0;
    if (space >= 0) {
        H5Sclose(space);
    }
    H5Aclose(attribute);
    return ok;
}

/* NULL when it cannot be read. */
static char *read_fixed_text(hid_t attribute, hid_t type) {
    size_t n = H5Tget_size(type);
    char *text = calloc(n + 1, 1);
    if (text != NULL && H5Aread(attribute, type, text) < 0) {
        free(text);
        text = NULL;
    }
    return text;
}

/* The different ones of n texts, with commas between them. */
static void join_texts(char *const *texts, hssize_t n, char *out, size_t n_bytes) {
    size_t used = 0;
    for (hssize_t i = 0; i < n && used < n_bytes; ++i) {
        bool is_new = texts[i] != NULL;
        for (hssize_t k = 0; is_new && k < i; ++k) {
            is_new = texts[k] == NULL || strcmp(texts[i], texts[k]) != 0;
        }
        if (is_new) {
            used += (size_t)snprintf(out + used, n_bytes - used, "%s%s", used > 0 ? ", " : "", texts[i]);
        }
    }
}

/* Several texts of variable length, as join_texts; false when they cannot be read. */
static bool read_texts(hid_t attribute, hid_t type, hid_t space, char *out, size_t n_bytes) {
    const hssize_t n = H5Sget_simple_extent_npoints(space);
    char **texts = n > 0 && n <= TEXTS_MAX ? calloc((size_t)n, sizeof *texts) : NULL;
    const bool ok = texts != NULL && H5Aread(attribute, type, texts) >= 0;
    if (ok) {
        join_texts(texts, n, out, n_bytes);
        H5Dvlen_reclaim(type, space, H5P_DEFAULT, texts);
    }
    free(texts);
    return ok;
}

/* Text of an attribute, of variable or fixed length, when it is one, or several; false when it cannot be read. */
static bool read_text(hid_t attribute, char *out, size_t n_bytes) {
    hid_t type = H5Aget_type(attribute), space = H5Aget_space(attribute);
    bool ok = type >= 0 && space >= 0;
    const bool is_text = ok && H5Tget_class(type) == H5T_STRING;
    const bool single = is_text && H5Sget_simple_extent_npoints(space) == 1;
    if (is_text && H5Sget_simple_extent_npoints(space) > 1 && H5Tis_variable_str(type) > 0) {
        ok = read_texts(attribute, type, space, out, n_bytes);
    } else if (single && H5Tis_variable_str(type) > 0) {
        char *text = NULL;
        ok = H5Aread(attribute, type, &text) >= 0;
        snprintf(out, n_bytes, "%s", ok && text != NULL ? text : "");
        H5free_memory(ok ? text : NULL);
    } else if (single) {
        char *text = read_fixed_text(attribute, type);
        ok = text != NULL;
        snprintf(out, n_bytes, "%s", ok ? text : "");
        free(text);
    }
    if (space >= 0) {
        H5Sclose(space);
    }
    if (type >= 0) {
        H5Tclose(type);
    }
    return ok;
}

/* The same of an object's attribute by its name; "" when there is none. */
static bool get_text(hid_t object, const char *name, char *out, size_t n_bytes) {
    const htri_t exists = H5Aexists(object, name);
    out[0] = '\0';
    hid_t attribute = exists > 0 ? H5Aopen(object, name, H5P_DEFAULT) : -1;
    if (attribute < 0) {
        return exists == 0;
    }
    const bool ok = read_text(attribute, out, n_bytes);
    H5Aclose(attribute);
    return ok;
}

/* Length of a dataset with one axis; 0 when there is none. */
static uint64_t column_length(hid_t file, const char *path) {
    hid_t dataset = H5Dopen2(file, path, H5P_DEFAULT);
    if (dataset < 0) {
        return 0;
    }
    hid_t space = H5Dget_space(dataset);
    hsize_t n = 0;
    if (space < 0 || H5Sget_simple_extent_ndims(space) != 1 || H5Sget_simple_extent_dims(space, &n, NULL) < 0) {
        n = 0;
    }
    if (space >= 0) {
        H5Sclose(space);
    }
    H5Dclose(dataset);
    return n;
}

/* Enum type → its numbers: reading with the file's own type gives bytes. */
static bool count_failed(hid_t file, sarrus_result_info *info) {
    enum { ROWS = 65536 };
    uint8_t *status = malloc(ROWS);
    hid_t dataset = H5Dopen2(file, "instance/status", H5P_DEFAULT);
    hid_t type = dataset >= 0 ? H5Dget_type(dataset) : -1;
    bool ok = status != NULL && type >= 0 && H5Tget_size(type) == 1;
    for (uint64_t i = 0; ok && i < info->n_instances; i += ROWS) {
        uint64_t n = info->n_instances - i < ROWS ? info->n_instances - i : ROWS;
        ok = sarrus_hdf5_read_rows(file, "instance/status", type, i, n, status);
        for (uint64_t k = 0; ok && k < n; ++k) {
            const bool is_known = status[k] < SARRUS_N_INSTANCE_STATUS;
            if (is_known && info->n_failed_by_status[status[k]]++ == 0 && status[k] != SARRUS_INSTANCE_OK) {
                sarrus_run_failure *first = &info->first_failure[status[k]];
                first->instance = info->first_instance + i + k;
                ok = sarrus_hdf5_read_rows(file, "instance/failed_time", H5T_NATIVE_DOUBLE, i + k, 1, &first->time);
            }
            info->n_failed += status[k] != SARRUS_INSTANCE_OK;
        }
    }
    if (type >= 0) {
        H5Tclose(type);
    }
    if (dataset >= 0) {
        H5Dclose(dataset);
    }
    free(status);
    return ok;
}

/* Times on file: what was written, which is less than planned in a file that is not complete. */
static bool read_times(hid_t file, sarrus_result_info *info) {
    uint64_t n_planned = column_length(file, "time");
    uint64_t n_written = 0;
    const bool is_counted = get_number(file, "n_times_written", H5T_NATIVE_UINT64, &n_written);
    if (is_counted && n_written > 0 && n_planned == 0) {
        return false; /* they cannot be read */
    }
    if (!is_counted || n_written > n_planned) {
        n_written = n_planned;
    }
    info->n_times = n_written;
    info->t_first = info->t_last = NAN;
    return n_written == 0 || (sarrus_hdf5_read_rows(file, "time", H5T_NATIVE_DOUBLE, 0, 1, &info->t_first) &&
                              sarrus_hdf5_read_rows(file, "time", H5T_NATIVE_DOUBLE, n_written - 1, 1, &info->t_last));
}

/* Rows of the table of changes of rank: after a kill its columns may differ by what was being committed. */
static void count_events(hid_t file, sarrus_result_info *info) {
    static const char *const columns[] = {"events/rank/instance", "events/rank/before", "events/rank/after"};
    info->has_rank_events = H5Lexists(file, "events", H5P_DEFAULT) > 0 && H5Lexists(file, "events/rank", H5P_DEFAULT) > 0;
    if (!info->has_rank_events) {
        return;
    }
    info->n_rank_events = column_length(file, sarrus_hdf5_rank_change_times(file));
    for (size_t c = 0; c < sizeof columns / sizeof columns[0]; ++c) {
        const uint64_t n = column_length(file, columns[c]);
        info->n_rank_events = n < info->n_rank_events ? n : info->n_rank_events;
    }
}

/* Which part of its study the file holds. */
static bool read_part(hid_t file, sarrus_result_info *info) {
    info->n_study = info->n_trajectories = info->n_instances;
    const bool has_study = H5Aexists(file, "n_study_instances") > 0, has_choice = H5Aexists(file, "n_trajectories") > 0;
    return (info->n_instances == 0 || sarrus_hdf5_read_rows(file, "instance/id", H5T_NATIVE_UINT64, 0, 1, &info->first_instance)) &&
           (!has_study || get_number(file, "n_study_instances", H5T_NATIVE_UINT64, &info->n_study)) &&
           (!has_choice || get_number(file, "n_trajectories", H5T_NATIVE_UINT64, &info->n_trajectories));
}

/* Of a file that holds one of several groups of its study: which. */
static bool read_study_group(hid_t file, sarrus_result_info *info) {
    const htri_t is_of_group = H5Aexists(file, "study_group");
    info->is_of_group = is_of_group > 0;
    return is_of_group == 0 || (get_number(file, "study_group", H5T_NATIVE_INT, &info->study_group) && info->study_group >= 0 &&
                                get_text(file, "study_group_file", info->scenario_file, sizeof info->scenario_file));
}

/* Whether a path leads through more groups than anybody means. */
static bool is_too_deep(const char *name) {
    int depth = 0;
    for (const char *slash = strchr(name, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
        ++depth;
    }
    return depth > DEPTH_MAX;
}

static herr_t count_dataset(hid_t file, const char *name, const H5O_info_t *object, void *user) {
    (void)file;
    if (is_too_deep(name)) {
        return -1;
    }
    *(int *)user += object->type == H5O_TYPE_DATASET;
    return 0;
}

static sarrus_status refuse_damaged(sarrus_context *context, const char *path) {
    char message[MESSAGE_BYTES];
    sarrus_hdf5_message(message, sizeof message);
    return sarrus_report(context, SARRUS_IO, "%s: the file is damaged%s%s", path, message[0] != '\0' ? ": " : "", message);
}

/* What every root of a result says: that of the file, and those of its groups. */
static sarrus_status read_origin(sarrus_context *context, const char *path, hid_t root, sarrus_result_info *out) {
    if (!get_number(root, "sarrus_format", H5T_NATIVE_INT, &out->format)) {
        return sarrus_report(context, SARRUS_BAD_INPUT, "%s: not a Sarrus result file (no attribute sarrus_format)", path);
    }
    if (out->format != SARRUS_FORMAT) {
        return sarrus_report(context, SARRUS_UNSUPPORTED, "%s: result file format %d; this version reads format %d", path,
                             out->format, SARRUS_FORMAT);
    }
    const bool ok = get_text(root, "sarrus_version", out->version, sizeof out->version) &&
                    get_text(root, "created", out->created, sizeof out->created) &&
                    get_number(root, "complete", H5T_NATIVE_INT, &out->complete);
    return ok ? SARRUS_OK : refuse_damaged(context, path);
}

/* The results of one model, below `root`. */
static sarrus_status read_group(sarrus_context *context, const char *path, hid_t root, sarrus_result_info *out) {
    const sarrus_status status = read_origin(context, path, root, out);
    if (status != SARRUS_OK) {
        return status;
    }
    out->n_instances = column_length(root, "instance/id");
    if (out->n_instances == 0) { /* no run has none */
        return sarrus_report(context, SARRUS_IO, "%s: the file is damaged: instance/id cannot be read", path);
    }
    const htri_t has_coordinates = H5Lexists(root, "coordinate", H5P_DEFAULT), has_events = H5Lexists(root, "events", H5P_DEFAULT);
    out->n_coordinates = has_coordinates > 0 ? (int)column_length(root, "coordinate") : 0;
    count_events(root, out);
    const bool ok =
        get_text(root, "backend", out->backend, sizeof out->backend) && get_text(root, "device", out->device, sizeof out->device) &&
        has_events >= 0 && (has_events > 0) == (out->has_rank_events != 0) && (has_coordinates == 0 || out->n_coordinates > 0) &&
        get_number(root, "seed", H5T_NATIVE_UINT64, &out->seed) && read_part(root, out) && read_study_group(root, out) &&
        read_times(root, out) && sarrus_merged_parts_count(root, path, &out->n_parts, &out->n_parts_missing) &&
        count_failed(root, out) && sarrus_hdf5_visit(root, count_dataset, &out->n_datasets) >= 0;
    return ok ? SARRUS_OK : refuse_damaged(context, path);
}

/* Text i of an attribute that holds n of them; false when it is not so. */
static bool get_text_of(hid_t object, const char *name, uint64_t n, uint64_t i, char *out, size_t n_bytes) {
    char *texts[SARRUS_MAX_GROUPS] = {NULL};
    hid_t attribute = H5Aopen(object, name, H5P_DEFAULT);
    hid_t type = attribute >= 0 ? H5Aget_type(attribute) : -1, space = attribute >= 0 ? H5Aget_space(attribute) : -1;
    bool ok = type >= 0 && space >= 0 && H5Tis_variable_str(type) > 0 && H5Sget_simple_extent_npoints(space) == (hssize_t)n &&
              n <= SARRUS_MAX_GROUPS && i < n && H5Aread(attribute, type, texts) >= 0;
    if (ok) {
        snprintf(out, n_bytes, "%s", texts[i] != NULL ? texts[i] : "");
        H5Dvlen_reclaim(type, space, H5P_DEFAULT, texts);
    }
    if (space >= 0) {
        H5Sclose(space);
    }
    if (type >= 0) {
        H5Tclose(type);
    }
    if (attribute >= 0) {
        H5Aclose(attribute);
    }
    return ok;
}

/* Groups of the file: 0 without an index. False when the number is none. */
static bool read_n_groups(hid_t file, int *out) {
    uint64_t n = 0;
    const htri_t is_indexed = H5Aexists(file, "n_groups");
    *out = 0;
    if (is_indexed == 0) {
        return true;
    }
    if (is_indexed < 0 || !get_number(file, "n_groups", H5T_NATIVE_UINT64, &n) || n < 1 || n > SARRUS_MAX_GROUPS) {
        return false;
    }
    *out = (int)n;
    return true;
}

static sarrus_status read_group_of(sarrus_context *context, const char *path, hid_t file, int i_group, int n_groups,
                                   sarrus_result_info *out) {
    char name[16];
    snprintf(name, sizeof name, "%d", i_group);
    hid_t group = H5Gopen2(file, name, H5P_DEFAULT);
    sarrus_status status = group >= 0 ? read_group(context, path, group, out) : refuse_damaged(context, path);
    if (status == SARRUS_OK &&
        !get_text_of(file, "group_files", (uint64_t)n_groups, (uint64_t)i_group, out->scenario_file, sizeof out->scenario_file)) {
        status = refuse_damaged(context, path);
    }
    if (group >= 0) {
        H5Gclose(group);
    }
    return status;
}

/* Adds what group i_group has. */
static void info_add(sarrus_result_info *total, const sarrus_result_info *one, int i_group) {
    total->n_instances += one->n_instances;
    total->n_study += one->n_study;
    total->n_trajectories += one->n_trajectories;
    total->n_failed += one->n_failed;
    for (int i = 0; i < SARRUS_N_INSTANCE_STATUS; ++i) {
        if (total->n_failed_by_status[i] == 0) {
            total->first_failure[i] = one->first_failure[i];
            total->first_failure[i].group = i_group;
        }
        total->n_failed_by_status[i] += one->n_failed_by_status[i];
    }
    total->n_times = one->n_times > total->n_times ? one->n_times : total->n_times;
    total->t_first = fmin(total->t_first, one->t_first);
    total->t_last = fmax(total->t_last, one->t_last);
    total->n_datasets += one->n_datasets;
    total->has_rank_events = total->has_rank_events || one->has_rank_events;
    total->n_rank_events += one->n_rank_events;
}

/* The file as a whole. */
static sarrus_status read_info(sarrus_context *context, const char *path, hid_t file, sarrus_result_info *out) {
    sarrus_result_info origin = *out;
    int n_groups = 0;
    sarrus_status status = read_origin(context, path, file, &origin);
    if (status == SARRUS_OK && !read_n_groups(file, &n_groups)) {
        status = refuse_damaged(context, path);
    }
    if (status != SARRUS_OK || n_groups == 0) {
        return status != SARRUS_OK ? status : read_group(context, path, file, out);
    }
    for (int g = 0; g < n_groups && status == SARRUS_OK; ++g) {
        sarrus_result_info one = {.file_bytes = out->file_bytes};
        status = read_group_of(context, path, file, g, n_groups, &one);
        if (g == 0) {
            *out = one;
        } else {
            info_add(out, &one, g);
        }
    }
    out->complete = origin.complete;
    out->n_groups = n_groups;
    out->n_datasets += 1; /* the document */
    out->scenario_file[0] = '\0';
    return status;
}

/* As sarrus_result_info_read; i_group −1: the file as a whole. */
static sarrus_status info_read(sarrus_context *context, const char *path, int i_group, sarrus_result_info *out) {
    reader open_reader;
    int n_groups = 0;
    sarrus_status status = reader_open(context, path, &open_reader);
    if (status != SARRUS_OK) {
        return status;
    }
    sarrus_result_info info = {.file_bytes = open_reader.file_bytes};
    if (i_group < 0) {
        status = read_info(context, path, open_reader.file, &info);
    } else if (!read_n_groups(open_reader.file, &n_groups)) {
        status = refuse_damaged(context, path);
    } else if (i_group >= n_groups) {
        status = sarrus_report(context, SARRUS_BAD_ARGUMENT, "%s: no group %d; the file has %d", path, i_group, n_groups);
    } else {
        status = read_group_of(context, path, open_reader.file, i_group, n_groups, &info);
    }
    reader_close(&open_reader);
    if (status == SARRUS_OK) {
        *out = info;
    }
    return status;
}

sarrus_status sarrus_result_info_read(sarrus_context *context, const char *path, sarrus_result_info *out) {
    if (path == NULL || out == NULL) {
        return sarrus_report(context, SARRUS_BAD_ARGUMENT, "sarrus_result_info_read needs a path and a place for what it finds");
    }
    return info_read(context, path, -1, out);
}

sarrus_status sarrus_result_group_info_read(sarrus_context *context, const char *path, int i_group, sarrus_result_info *out) {
    if (path == NULL || out == NULL || i_group < 0) {
        return sarrus_report(context, SARRUS_BAD_ARGUMENT,
                             "sarrus_result_group_info_read needs a path, a group from 0 on and a place for what it finds");
    }
    return info_read(context, path, i_group, out);
}

typedef struct visit_state {
    sarrus_dataset_visitor visit;
    void *user;
} visit_state;

static const char *type_name(hid_t type) {
    size_t size = H5Tget_size(type);
    switch (H5Tget_class(type)) {
    case H5T_STRING:
        return "string";
    case H5T_FLOAT:
        return size == 8 ? "f64" : size == 4 ? "f32" : "float";
    case H5T_ENUM:
        return size == 1 ? "enum u8" : "enum";
    case H5T_INTEGER: {
        static const char *const names[2][4] = {{"u8", "u16", "u32", "u64"}, {"i8", "i16", "i32", "i64"}};
        int i = size == 1 ? 0 : size == 2 ? 1 : size == 4 ? 2 : 3;
        return names[H5Tget_sign(type) == H5T_SGN_NONE ? 0 : 1][i];
    }
    default:
        return "other";
    }
}

/* The scale of the instances has a second name at the root of its group, which is met first. */
static const char *visited_path(hid_t file, const char *name, char path[32]) {
    const char *slash = strrchr(name, '/'), *leaf = slash != NULL ? slash + 1 : name;
    const size_t n_folder = (size_t)(leaf - name);
    if (strcmp(leaf, "id") != 0 || n_folder + sizeof "instance/id" > 32) {
        return name;
    }
    snprintf(path, 32, "%.*sinstance", (int)n_folder, name);
    if (H5Lexists(file, path, H5P_DEFAULT) <= 0) {
        return name;
    }
    snprintf(path, 32, "%.*sinstance/id", (int)n_folder, name);
    return H5Lexists(file, path, H5P_DEFAULT) > 0 ? path : name;
}

static herr_t visit_dataset(hid_t file, const char *name, const H5O_info_t *object, void *user) {
    const visit_state *state = user;
    if (is_too_deep(name)) {
        return -1;
    }
    if (object->type != H5O_TYPE_DATASET) {
        return 0;
    }
    hid_t dataset = H5Dopen2(file, name, H5P_DEFAULT);
    if (dataset < 0) {
        return -1;
    }
    hid_t space = H5Dget_space(dataset), type = H5Dget_type(dataset);
    hsize_t extent[H5S_MAX_RANK];
    uint64_t dims[H5S_MAX_RANK];
    int n_dims = space >= 0 ? H5Sget_simple_extent_dims(space, extent, NULL) : -1;
    bool ok = n_dims >= 0 && type >= 0;
    if (ok) {
        char units[UNITS_BYTES];
        ok = get_text(dataset, "units", units, sizeof units);
        for (int d = 0; d < n_dims; ++d) {
            dims[d] = extent[d];
        }
        char path[32];
        if (ok) {
            state->visit(visited_path(file, name, path), n_dims, dims, type_name(type), H5Dget_storage_size(dataset), units,
                         state->user);
        }
    }
    if (type >= 0) {
        H5Tclose(type);
    }
    if (space >= 0) {
        H5Sclose(space);
    }
    H5Dclose(dataset);
    return ok ? 0 : -1;
}

sarrus_status sarrus_result_visit(sarrus_context *context, const char *path, sarrus_dataset_visitor visit, void *user) {
    if (path == NULL || visit == NULL) {
        return sarrus_report(context, SARRUS_BAD_ARGUMENT, "sarrus_result_visit needs a path and a function to call");
    }
    reader open_reader;
    sarrus_status status = reader_open(context, path, &open_reader);
    if (status != SARRUS_OK) {
        return status;
    }
    visit_state state = {.visit = visit, .user = user};
    if (sarrus_hdf5_visit(open_reader.file, visit_dataset, &state) < 0) {
        status = refuse_damaged(context, path);
    }
    reader_close(&open_reader);
    return status;
}
