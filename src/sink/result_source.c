#include "sink/result_source.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "core/stop.h"
#include "sarrus/run.h"
#include "sarrus/version.h"
#include "sink/hdf5_error.h"
#include "sink/hdf5_object.h"

enum {
    PIECE = 65536,
    SHOWN_BYTES = 48,
    MOST_LINES = 1000
}; /* numbers that are read at a time; of a line that is shown; looked for */

bool sarrus_result_source_mark(const char *path, sarrus_source_mark *out) {
    struct stat about;
    memset(out, 0, sizeof *out);
    if (stat(path, &about) != 0 || !S_ISREG(about.st_mode) || about.st_size == 0) {
        return false;
    }
    out->device = (uint64_t)about.st_dev;
    out->inode = (uint64_t)about.st_ino;
    out->n_bytes = (uint64_t)about.st_size;
    out->seconds = (int64_t)about.st_mtim.tv_sec;
    out->nanoseconds = (int64_t)about.st_mtim.tv_nsec;
    return true;
}

hid_t sarrus_result_source_open(const char *path) {
    hid_t access = H5Pcreate(H5P_FILE_ACCESS), file = -1;
    if (access >= 0 && H5Pset_file_locking(access, false, true) >= 0 && H5Pset_fclose_degree(access, H5F_CLOSE_STRONG) >= 0) {
        file = H5Fopen(path, H5F_ACC_RDONLY, access);
    }
    if (access >= 0) {
        H5Pclose(access);
    }
    return file;
}

/* Group `i_group` of a file, to be closed by root_close; −1: the file itself. */
static hid_t root_open(hid_t file, int i_group) {
    char name[16];
    snprintf(name, sizeof name, "%d", i_group);
    return i_group < 0 ? file : H5Gopen2(file, name, H5P_DEFAULT);
}

static void root_close(hid_t root, int i_group) {
    if (i_group >= 0 && root >= 0) {
        H5Gclose(root);
    }
}

/* ---- taking over ---- */

/* Whether two datasets have the same axes, cut into the same chunks. */
static bool is_alike(hid_t a, hid_t b) {
    hsize_t dims[2][3] = {{0}}, chunk[2][3] = {{0}};
    const hid_t datasets[2] = {a, b};
    int n_dims[2] = {-1, -2};
    for (int i = 0; i < 2; ++i) {
        hid_t space = H5Dget_space(datasets[i]), layout = H5Dget_create_plist(datasets[i]);
        if (space >= 0 && layout >= 0 && H5Sget_simple_extent_ndims(space) <= 3 && H5Pget_layout(layout) == H5D_CHUNKED &&
            H5Sget_simple_extent_dims(space, dims[i], NULL) >= 0) {
            n_dims[i] = H5Pget_chunk(layout, 3, chunk[i]);
        }
        if (layout >= 0) {
            H5Pclose(layout);
        }
        if (space >= 0) {
            H5Sclose(space);
        }
    }
    return n_dims[0] == n_dims[1] && memcmp(dims[0], dims[1], sizeof dims[0]) == 0 &&
           memcmp(chunk[0], chunk[1], sizeof chunk[0]) == 0;
}

/* What is copied (to a negative id: only looked at), and a buffer that is as large as the largest chunk so far. */
typedef struct chunk_copy {
    hid_t from, to;
    uint8_t *bytes;
    size_t n_reserved;
    const volatile int32_t *stop; /* once it is set nothing more is copied */
} chunk_copy;

/* Whether a packed chunk ends with its checksum: HDF5 does not look where packed bytes are asked for. */
static bool is_whole(const uint8_t *bytes, size_t n_bytes) {
    uint32_t said = 0;
    if (n_bytes < sizeof said)
        return false;
    for (size_t i = 0; i < sizeof said; ++i)
        said |= (uint32_t)bytes[n_bytes - sizeof said + i] << 8 * i;
    return sarrus_fletcher32(bytes, n_bytes - sizeof said) == said;
}

static bool chunk_take(chunk_copy *copy, const hsize_t offset[3]) {
    hsize_t n_bytes = 0;
    uint32_t mask = 0;
    if (sarrus_stop_is_asked(copy->stop))
        return false;
    if (H5Dget_chunk_storage_size(copy->from, offset, &n_bytes) < 0 || n_bytes == 0) {
        return false;
    }
    if (n_bytes > copy->n_reserved) {
        free(copy->bytes);
        copy->bytes = malloc(n_bytes);
        copy->n_reserved = copy->bytes != NULL ? n_bytes : 0;
    }
    return copy->bytes != NULL && H5Dread_chunk(copy->from, H5P_DEFAULT, offset, &mask, copy->bytes) >= 0 &&
           is_whole(copy->bytes, n_bytes) &&
           (copy->to < 0 || H5Dwrite_chunk(copy->to, H5P_DEFAULT, mask, offset, n_bytes, copy->bytes) >= 0);
}

/* Chunks lie in the order in which they were written: block after block, in each the fields, in each the instances. */
static bool blocks_take(const sarrus_layout *layout, const hid_t *from, const hid_t *to, uint64_t n_times,
                        const volatile int32_t *stop) {
    chunk_copy copy = {.bytes = NULL, .stop = stop};
    bool ok = true;
    for (uint64_t i_time = 0; i_time < n_times; i_time += layout->block_times) {
        for (int f = 0; ok && f < layout->n_fields; ++f) {
            const sarrus_layout_field *field = &layout->fields[f];
            copy.from = from[f];
            copy.to = to != NULL ? to[f] : -1;
            for (uint64_t c = 0; ok && c < field->n_chunks; ++c) {
                const hsize_t i_row = c * field->chunk_instances;
                const hsize_t offset[3] = {field->is_common ? i_time : i_row, field->is_common ? 0 : i_time, 0};
                ok = chunk_take(&copy, offset);
            }
        }
    }
    free(copy.bytes);
    return ok;
}

/* to [n_fields]: the datasets that take the first n_times of those of `root`; NULL: these are only looked at. */
static bool fields_take(const sarrus_layout *layout, const hid_t *to, hid_t root, const sarrus_sink_description *description,
                        uint64_t n_times) {
    const int n_fields = layout->n_fields;
    hid_t *from = malloc(((size_t)n_fields + 1) * sizeof *from);
    bool ok = from != NULL;
    int n_open = 0;
    for (; ok && n_open < n_fields; ++n_open) {
        from[n_open] = H5Dopen2(root, description->fields[n_open].path, H5P_DEFAULT);
        if (from[n_open] < 0) {
            ok = false;
            break;
        }
        ok = to == NULL || is_alike(from[n_open], to[n_open]);
    }
    ok = ok && blocks_take(layout, from, to, n_times, description->stop);
    for (int f = 0; f < n_open; ++f) {
        H5Dclose(from[f]);
    }
    free(from);
    return ok;
}

static bool rows_take(sarrus_result_group *group, hid_t root, const sarrus_sink_description *description, uint64_t n_rows) {
    const int n_columns = group->table.n_columns;
    double *numbers = malloc((size_t)PIECE * ((size_t)n_columns + 1) * sizeof *numbers);
    const double **rows = malloc(((size_t)n_columns + 1) * sizeof *rows);
    bool ok = numbers != NULL && rows != NULL;
    for (uint64_t i = 0; ok && n_columns > 0 && i < n_rows; i += PIECE) {
        const uint64_t n = n_rows - i < PIECE ? n_rows - i : PIECE;
        for (int c = 0; ok && c < n_columns; ++c) {
            rows[c] = numbers + (size_t)c * PIECE;
            ok = sarrus_hdf5_read_rows(root, description->columns[c].path, H5T_NATIVE_DOUBLE, i, n, numbers + (size_t)c * PIECE);
        }
        const sarrus_sink_outcome outcome = {.n_rows = n, .rows = rows};
        ok = ok && sarrus_result_table_write(&group->table, &outcome);
    }
    free(rows);
    free(numbers);
    return ok;
}

bool sarrus_result_source_take(sarrus_result_group *group, hid_t from, int i_group, const sarrus_sink_description *description,
                               const sarrus_sink_source *source) {
    const int i = i_group < 0 ? 0 : i_group;
    const uint64_t n_times = source->n_times[i];
    hid_t root = root_open(from, i_group);
    const bool ok = root >= 0 && (n_times == 0 || (sarrus_time_axis_reach(&group->time, n_times) &&
                                                   fields_take(group->layout, group->fields, root, description, n_times) &&
                                                   rows_take(group, root, description, source->n_rows[i])));
    root_close(root, i_group);
    return ok;
}

/* ---- looking ---- */

bool sarrus_result_source_is_sound(const char *path, const sarrus_sink_index *index, const sarrus_sink_description *descriptions,
                                   int n_groups, const uint64_t *n_times) {
    const sarrus_hdf5_silence silence = sarrus_hdf5_silence_begin();
    hid_t file = sarrus_result_source_open(path);
    bool is_sound = file >= 0;
    for (int g = 0; is_sound && g < n_groups; ++g) {
        sarrus_layout layout;
        hid_t root = root_open(file, index != NULL ? g : -1);
        is_sound = root >= 0 && sarrus_layout_make(&descriptions[g], &layout) == SARRUS_OK;
        if (is_sound) {
            is_sound = fields_take(&layout, NULL, root, &descriptions[g], n_times[g]);
            sarrus_layout_clear(&layout);
        }
        root_close(root, index != NULL ? g : -1);
    }
    if (file >= 0) {
        H5Fclose(file);
    }
    sarrus_hdf5_silence_end(silence);
    return is_sound;
}

/* Whether a dataset of one text, or an attribute, is `text`. */
static bool has_text(hid_t root, const char *name, bool is_attribute, const char *text) {
    char *found = sarrus_hdf5_read_text(root, name, is_attribute);
    const bool is_same = found != NULL && strcmp(found, text != NULL ? text : "") == 0;
    if (found != NULL) {
        H5free_memory(found);
    }
    return is_same;
}

/* Whether the drawn numbers are those of the file. */
static bool has_parameters(hid_t root, const sarrus_sink_description *description) {
    double *numbers = malloc(PIECE * sizeof *numbers);
    hid_t folder = H5Gopen2(root, "instance/parameters", H5P_DEFAULT);
    bool is_same = numbers != NULL && folder >= 0;
    for (int p = 0; is_same && p < description->n_parameters; ++p) {
        const sarrus_sink_parameter *parameter = &description->parameters[p];
        for (uint64_t i = 0; is_same && i < description->n_instances; i += PIECE) {
            const uint64_t n_left = description->n_instances - i, n = n_left < PIECE ? n_left : PIECE;
            is_same = sarrus_hdf5_read_rows(folder, parameter->path, H5T_NATIVE_DOUBLE, i, n, numbers) &&
                      memcmp(numbers, parameter->values + i, n * sizeof *numbers) == 0;
        }
    }
    if (folder >= 0) {
        H5Gclose(folder);
    }
    free(numbers);
    return is_same;
}

static bool has_plan(hid_t root, uint64_t plan_hash) {
    char hash[32];
    snprintf(hash, sizeof hash, "%016" PRIx64, plan_hash);
    return has_text(root, "plan_hash", true, hash);
}

bool sarrus_result_source_has_plan(const char *path, int i_group, uint64_t plan_hash) {
    const sarrus_hdf5_silence silence = sarrus_hdf5_silence_begin();
    hid_t file = sarrus_result_source_open(path);
    hid_t root = file >= 0 ? root_open(file, i_group) : -1;
    const bool is_same = root >= 0 && has_plan(root, plan_hash);
    root_close(root, i_group);
    if (file >= 0) {
        H5Fclose(file);
    }
    sarrus_hdf5_silence_end(silence);
    return is_same;
}

/* Whether a text has this line. */
static bool has_line(const char *text, const char *line, size_t n) {
    for (const char *at = text; (at = memmem(at, strlen(at), line, n)) != NULL; ++at) {
        if ((at == text || at[-1] == '\n') && (at[n] == '\n' || at[n] == '\0'))
            return true;
    }
    return false;
}

/* out ← the first line from `text` on that `other` has not, without its indent, cut where it is long; "" when there is none. */
static void own_line_find(const char *text, const char *other, char out[SHOWN_BYTES + 4]) {
    out[0] = '\0';
    for (int i = 0; i < MOST_LINES && *text != '\0'; ++i) {
        size_t n = strcspn(text, "\n");
        if (!has_line(other, text, n)) {
            const size_t indent = strspn(text, " ");
            text += indent;
            n -= indent;
            const bool is_long = n > SHOWN_BYTES;
            for (n = is_long ? SHOWN_BYTES : n; is_long && n > 0 && ((unsigned char)text[n] & 0xc0U) == 0x80U;)
                --n; /* not within a character */
            snprintf(out, SHOWN_BYTES + 4, "%.*s%s", (int)n, text, is_long ? "…" : "");
            return;
        }
        text += n + (text[n] == '\n');
    }
}

/* detail ← the first lines that only one of two scenarios has, that of the file and `text`. */
static void difference_show(hid_t root, const char *text, char *detail) {
    char ours[SHOWN_BYTES + 4], theirs[SHOWN_BYTES + 4];
    char *found = text != NULL ? sarrus_hdf5_read_text(root, "scenario", false) : NULL;
    if (found == NULL)
        return;
    size_t begin = 0;
    for (size_t i = 0; found[i] == text[i] && text[i] != '\0'; ++i)
        begin = text[i] == '\n' ? i + 1 : begin;
    own_line_find(found + begin, text, theirs);
    own_line_find(text + begin, found, ours);
    if (theirs[0] != '\0' && ours[0] != '\0')
        snprintf(detail, SARRUS_SOURCE_DETAIL_BYTES, " ('%s' there, '%s' here)", theirs, ours);
    else if (theirs[0] != '\0' || ours[0] != '\0')
        snprintf(detail, SARRUS_SOURCE_DETAIL_BYTES, " ('%s' %s alone)", theirs[0] != '\0' ? theirs : ours,
                 theirs[0] != '\0' ? "there" : "here");
    H5free_memory(found);
}

static const char another_scenario[] = "the result of another scenario";
static const char another_plan[] = "the result of another plan";

/* Why a group of the file is not what the description says; NULL: it is. */
static const char *group_difference(hid_t root, const sarrus_result_info *info, const sarrus_sink_description *description) {
    const uint64_t n_study = description->n_study > 0 ? description->n_study : description->n_instances;
    if (!has_text(root, "scenario", false, description->scenario)) {
        return another_scenario;
    }
    if (info->n_instances != description->n_instances || info->first_instance != description->first_instance ||
        info->n_study != n_study) {
        return "the result of other instances";
    }
    if (info->seed != description->seed || !has_parameters(root, description)) {
        return "the result of other draws";
    }
    return has_plan(root, description->plan_hash) ? NULL : another_plan;
}

static const char *file_difference(hid_t file, const sarrus_result_info *infos, const sarrus_sink_index *index,
                                   const sarrus_sink_description *descriptions, int n_groups, char *detail) {
    if (!has_text(file, "sarrus_version", true, SARRUS_VERSION)) {
        return "the result of another version of the program";
    }
    if (index != NULL && !has_text(file, "scenario", false, index->scenario)) {
        return "the result of another document";
    }
    const char *difference = NULL;
    for (int g = 0; g < n_groups && difference == NULL; ++g) {
        hid_t root = root_open(file, index != NULL ? g : -1);
        difference = root >= 0 ? group_difference(root, &infos[g], &descriptions[g]) : "damaged";
        if (difference == another_scenario)
            difference_show(root, descriptions[g].scenario, detail);
        root_close(root, index != NULL ? g : -1);
    }
    return difference;
}

sarrus_status sarrus_result_source_look(const char *path, const sarrus_sink_index *index,
                                        const sarrus_sink_description *descriptions, int n_groups, uint64_t *n_times,
                                        sarrus_source_look *out) {
    sarrus_result_info whole;
    *out = (sarrus_source_look){.is_there = false};
    if (!sarrus_result_source_mark(path, &out->mark)) {
        return SARRUS_OK;
    }
    sarrus_result_info *infos = calloc((size_t)n_groups, sizeof *infos);
    if (infos == NULL) {
        return SARRUS_NO_MEMORY;
    }
    bool is_read = sarrus_result_info_read(NULL, path, &whole) == SARRUS_OK;
    const bool is_of_as_many = is_read && whole.n_groups == (index != NULL ? n_groups : 0);
    infos[0] = whole;
    for (int g = 0; is_of_as_many && index != NULL && g < n_groups && is_read; ++g) {
        is_read = sarrus_result_group_info_read(NULL, path, g, &infos[g]) == SARRUS_OK;
    }
    const sarrus_hdf5_silence silence = sarrus_hdf5_silence_begin();
    hid_t file = is_read ? sarrus_result_source_open(path) : -1;
    if (file >= 0) {
        out->is_there = true;
        out->is_complete = whole.complete != 0;
        out->difference = is_of_as_many ? file_difference(file, infos, index, descriptions, n_groups, out->detail)
                                        : "the result of another document";
        out->is_of_run = out->difference == NULL;
        out->is_of_another_plan = out->difference == another_plan;
        H5Fclose(file);
    }
    for (int g = 0; g < n_groups; ++g) {
        n_times[g] = infos[g].n_times;
    }
    sarrus_hdf5_silence_end(silence);
    free(infos);
    return SARRUS_OK;
}
