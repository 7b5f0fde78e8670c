#include "study/xdmf.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "core/report.h"
#include "model/model.h"
#include "sarrus/run.h"
#include "sarrus/scenario.h"
#include "sink/hdf5_error.h"
#include "sink/hdf5_object.h"
#include "sink/result_source.h"

enum { PATH_BYTES = 512, NO_NODE = -1 };

static const double block_bytes = 0x1p26; /* of the places that are read at once, but for a single time */

/* A point of the figure: numbers `offset` … of a row of a dataset [rows][times][width] below the group. */
typedef struct node {
    char path[PATH_BYTES];
    int offset;
} node;

/* A line between two nodes, of a body. */
typedef struct line {
    int from, to, body;
} line;

typedef struct figure {
    const sarrus_xdmf_request *request;
    sarrus_result_info info;
    sarrus_model *model;
    hid_t file, root;
    char group[16]; /* "" or "/0" */
    int dimension, n_nodes, n_lines;
    node *nodes;
    line *lines;
    int (*ends)[2];    /* [n_joints] nodes on parent and child */
    int *centres;      /* [n_bodies] nodes, or NO_NODE */
    int *points;       /* [n_points] of the output, nodes or NO_NODE */
    double *times;     /* [n_times] s */
    uint64_t *rows;    /* [n_instances] of the request */
    uint64_t *n_drawn; /* [n_instances] times before their failure */
    uint64_t n_most;   /* drawn times of a block */
    double *places;    /* [n_instances][n_nodes][n_most][dimension] of a block */
} figure;

static void figure_free(figure *f) {
    if (f->root >= 0)
        H5Gclose(f->root);
    if (f->file >= 0)
        H5Fclose(f->file);
    sarrus_model_destroy(f->model);
    free(f->nodes);
    free(f->lines);
    free(f->ends);
    free(f->centres);
    free(f->points);
    free(f->times);
    free(f->rows);
    free(f->n_drawn);
    free(f->places);
}

static sarrus_status out_of_memory(sarrus_context *context) {
    return sarrus_report(context, SARRUS_NO_MEMORY, "out of memory for the figure");
}

/* ---- what is in the result ---- */

static bool is_there(hid_t root, const char *path) {
    char part[PATH_BYTES];
    for (const char *slash = strchr(path, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
        snprintf(part, sizeof part, "%.*s", (int)(slash - path), path);
        if (H5Lexists(root, part, H5P_DEFAULT) <= 0)
            return false;
    }
    return H5Lexists(root, path, H5P_DEFAULT) > 0;
}

/* Adds a node, when the file has its dataset; returns its number or NO_NODE. */
static int node_add(figure *f, int offset, const char *folder, const char *name, const char *leaf) {
    node *own = &f->nodes[f->n_nodes];
    *own = (node){.offset = offset};
    const int n = snprintf(own->path, sizeof own->path, "%s%s%s%s%s", folder, *name ? "/" : "", name, *leaf ? "/" : "", leaf);
    if (n >= PATH_BYTES || !is_there(f->root, own->path))
        return NO_NODE;
    hid_t dataset = H5Dopen2(f->root, own->path, H5P_DEFAULT), space = dataset >= 0 ? H5Dget_space(dataset) : -1;
    hsize_t dims[3];
    const bool is_good = space >= 0 && H5Sget_simple_extent_ndims(space) == 3 &&
                         H5Sget_simple_extent_dims(space, dims, NULL) == 3 && dims[2] >= (hsize_t)(offset + f->dimension);
    if (space >= 0)
        H5Sclose(space);
    if (dataset >= 0)
        H5Dclose(dataset);
    return is_good ? f->n_nodes++ : NO_NODE;
}

static void line_add(figure *f, int from, int to, int body) {
    f->lines[f->n_lines++] = (line){from, to, body};
}

/* Lines of a body: from its centre to each node on it; without centres from one to the next. */
static void body_draw(figure *f, int body) {
    const sarrus_model *model = f->model;
    int last = f->centres[body];
    for (int k = 0; k < 2 * model->n_joints + model->output.n_points; ++k) {
        const bool is_joint = k < 2 * model->n_joints;
        const int own = is_joint ? model->joints[k / 2].body[k % 2] : model->output.points[k - 2 * model->n_joints].body;
        const int to = is_joint ? f->ends[k / 2][k % 2] : f->points[k - 2 * model->n_joints];
        if (own != body || to == NO_NODE)
            continue;
        if (last != NO_NODE)
            line_add(f, last, to, body);
        last = f->centres[body] != NO_NODE ? f->centres[body] : to;
    }
}

static sarrus_status nodes_make(figure *f, sarrus_context *context) {
    const sarrus_model *model = f->model;
    const size_t n_joints = (size_t)model->n_joints, n_bodies = (size_t)model->n_bodies, n_points = (size_t)model->output.n_points;
    const int n_q = model->space == SARRUS_SPACE_SPATIAL ? 7 : 3;
    f->dimension = model->space == SARRUS_SPACE_SPATIAL ? 3 : 2;
    if (f->info.n_trajectories == 0)
        return sarrus_report(context, SARRUS_BAD_INPUT, "%s has no trajectories; expected a run that keeps some (output.instances)",
                             f->request->result);
    f->nodes = calloc(2 * n_joints + n_bodies + n_points + 1, sizeof *f->nodes);
    f->lines = calloc(3 * n_joints + n_points + 1, sizeof *f->lines);
    f->ends = calloc(n_joints + 1, sizeof *f->ends);
    f->centres = calloc(n_bodies + 1, sizeof *f->centres);
    f->points = calloc(n_points + 1, sizeof *f->points);
    if (f->nodes == NULL || f->lines == NULL || f->ends == NULL || f->centres == NULL || f->points == NULL)
        return out_of_memory(context);
    for (int j = 0; j < model->n_joints; ++j) {
        f->ends[j][1] = node_add(f, 0, "joints", model->joints[j].name, "point");
        f->ends[j][0] = node_add(f, 0, "joints", model->joints[j].name, "parent_point");
        if (f->ends[j][0] == NO_NODE)
            f->ends[j][0] = f->ends[j][1];
        if (f->ends[j][1] == NO_NODE)
            return sarrus_report(context, SARRUS_BAD_INPUT,
                                 "%s has no points of its joints; expected a run with joint_points in output.channels",
                                 f->request->result);
    }
    for (int i = 0; i < model->n_bodies; ++i)
        f->centres[i] = node_add(f, n_q * i, "state", "q", "");
    for (int i = 0; i < model->output.n_points; ++i)
        f->points[i] = node_add(f, 0, "points", model->output.points[i].name, "position");
    for (int i = 0; i < model->n_bodies; ++i)
        body_draw(f, i);
    for (int j = 0; j < model->n_joints; ++j)
        if (model->joints[j].type == SARRUS_JOINT_DISTANCE)
            line_add(f, f->ends[j][0], f->ends[j][1], SARRUS_GROUND);
    return f->n_lines > 0 ? SARRUS_OK
                          : sarrus_report(context, SARRUS_BAD_INPUT, "%s has nothing to draw lines between; expected joints",
                                          f->request->result);
}

/* Row of the fields that instance `number` has; false: none. */
static bool row_find(const figure *f, uint64_t number, uint64_t *out) {
    uint64_t n = f->info.n_trajectories, low = 0;
    if (!is_there(f->root, "trajectory")) {
        *out = number - f->info.first_instance;
        return number >= f->info.first_instance && *out < n;
    }
    while (low < n) { /* they ascend */
        const uint64_t middle = low + (n - low) / 2;
        uint64_t found = 0;
        if (!sarrus_hdf5_read_rows(f->root, "trajectory", H5T_NATIVE_UINT64, middle, 1, &found))
            return false;
        low = found < number ? middle + 1 : low;
        n = found < number ? n : middle;
    }
    uint64_t found = 0;
    *out = low;
    return low < f->info.n_trajectories && sarrus_hdf5_read_rows(f->root, "trajectory", H5T_NATIVE_UINT64, low, 1, &found) &&
           found == number;
}

/* Times i_first, i_first + every, … of an instance. */
typedef struct time_slab {
    uint64_t row, i_first, every, n;
} time_slab;

/* The first `width` numbers of a node at these times, into out [n][width]. */
static bool node_read(const figure *f, const node *own, const time_slab *slab, int width, double *out) {
    const hsize_t start[3] = {slab->row, slab->i_first, (hsize_t)own->offset}, stride[3] = {1, slab->every, 1};
    const hsize_t count[3] = {1, slab->n, (hsize_t)width};
    hid_t dataset = H5Dopen2(f->root, own->path, H5P_DEFAULT), space = dataset >= 0 ? H5Dget_space(dataset) : -1;
    hid_t memory = H5Screate_simple(3, count, NULL);
    const bool ok = space >= 0 && memory >= 0 && H5Sselect_hyperslab(space, H5S_SELECT_SET, start, stride, count, NULL) >= 0 &&
                    H5Dread(dataset, H5T_NATIVE_DOUBLE, memory, space, H5P_DEFAULT, out) >= 0;
    if (memory >= 0)
        H5Sclose(memory);
    if (space >= 0)
        H5Sclose(space);
    if (dataset >= 0)
        H5Dclose(dataset);
    return ok;
}

/* Times before an instance that has failed shows NaN. */
static bool drawn_count(const figure *f, uint64_t row, uint64_t *out) {
    const time_slab all = {row, 0, 1, f->info.n_times};
    double *column = malloc((size_t)(f->info.n_times + 1) * sizeof *column);
    const bool ok = column != NULL && node_read(f, &f->nodes[0], &all, 1, column);
    for (*out = 0; ok && *out < f->info.n_times && !isnan(column[*out]);)
        ++*out;
    free(column);
    return ok;
}

static uint64_t number_of(const figure *f, int i) {
    uint64_t first = f->info.first_instance;
    if (f->request->n_instances > 0)
        return f->request->instances[i];
    if (is_there(f->root, "trajectory"))
        (void)sarrus_hdf5_read_rows(f->root, "trajectory", H5T_NATIVE_UINT64, 0, 1, &first);
    return first;
}

static int n_instances_of(const figure *f) {
    return f->request->n_instances > 0 ? f->request->n_instances : 1;
}

static sarrus_status rows_find(figure *f, sarrus_context *context) {
    const size_t n = (size_t)n_instances_of(f);
    const uint64_t n_times = f->info.n_times;
    f->rows = calloc(n, sizeof *f->rows);
    f->n_drawn = calloc(n, sizeof *f->n_drawn);
    f->times = n_times < SIZE_MAX / sizeof(double) ? calloc((size_t)n_times + 1, sizeof *f->times) : NULL;
    if (f->rows == NULL || f->n_drawn == NULL || f->times == NULL)
        return out_of_memory(context);
    bool is_read = n_times == 0 || sarrus_hdf5_read_rows(f->root, "time", H5T_NATIVE_DOUBLE, 0, n_times, f->times);
    for (int i = 0; i < n_instances_of(f); ++i) {
        const uint64_t number = number_of(f, i);
        if (!row_find(f, number, &f->rows[i]))
            return sarrus_report(context, SARRUS_BAD_INPUT,
                                 "%s has no trajectory of instance %" PRIu64 "; expected one of those that it holds",
                                 f->request->result, number);
        is_read = is_read && (n_times == 0 || drawn_count(f, f->rows[i], &f->n_drawn[i]));
    }
    if (!is_read)
        return sarrus_report(context, SARRUS_IO, "%s: the file is damaged", f->request->result);
    const double n_numbers = (double)n * f->n_nodes * f->dimension, fitting = block_bytes / (n_numbers * sizeof(double));
    f->n_most = fitting < 1.0 ? 1 : fitting < (double)n_times ? (uint64_t)fitting : n_times + 1;
    f->places = n_numbers * (double)f->n_most < 0x1p60 ? calloc((size_t)(n_numbers * (double)f->n_most), sizeof(double)) : NULL;
    return f->places != NULL ? SARRUS_OK : out_of_memory(context);
}

static sarrus_status model_read(figure *f, sarrus_context *context) {
    char *text = sarrus_hdf5_read_text(f->root, "scenario", false);
    if (text == NULL)
        return sarrus_report(context, SARRUS_IO, "%s: the file is damaged: its scenario cannot be read", f->request->result);
    const sarrus_status status = sarrus_scenario_read_text(context, f->request->result, text, strlen(text), NULL, 0, &f->model);
    H5free_memory(text);
    return status;
}

static sarrus_status result_open(figure *f, sarrus_context *context) {
    const sarrus_xdmf_request *request = f->request;
    sarrus_status status = sarrus_result_info_read(context, request->result, &f->info);
    if (status != SARRUS_OK)
        return status;
    if ((f->info.n_groups > 0) != (request->group >= 0))
        return sarrus_report(context, SARRUS_BAD_ARGUMENT,
                             f->info.n_groups > 0 ? "%s has %d groups; expected the number of one"
                                                  : "%s has no groups; expected none",
                             request->result, f->info.n_groups);
    if (request->group >= 0) {
        snprintf(f->group, sizeof f->group, "/%d", request->group);
        status = sarrus_result_group_info_read(context, request->result, request->group, &f->info);
    }
    const sarrus_hdf5_silence silence = sarrus_hdf5_silence_begin();
    f->file = status == SARRUS_OK ? sarrus_result_source_open(request->result) : -1;
    f->root = f->file >= 0 ? H5Gopen2(f->file, *f->group != '\0' ? f->group : "/", H5P_DEFAULT) : -1;
    if (status == SARRUS_OK && f->root < 0)
        status = sarrus_report(context, SARRUS_IO, "%s: cannot be read", request->result);
    if (status == SARRUS_OK)
        status = model_read(f, context);
    if (status == SARRUS_OK)
        status = nodes_make(f, context);
    if (status == SARRUS_OK)
        status = rows_find(f, context);
    sarrus_hdf5_silence_end(silence);
    return status;
}

/* ---- the text ---- */

/* With what XML has other words for. */
static void text_put(FILE *out, const char *text) {
    for (; *text != '\0'; ++text) {
        switch (*text) {
        case '&':
            fputs("&amp;", out);
            break;
        case '<':
            fputs("&lt;", out);
            break;
        case '"':
            fputs("&quot;", out);
            break;
        default:
            fputc(*text, out);
        }
    }
}

/* Lines and their bodies, which are the same in every grid: only some readers know a reference to what was said before. */
static void lines_put(FILE *out, const figure *f) {
    fprintf(out, "<Topology TopologyType=\"Polyline\" NodesPerElement=\"2\" NumberOfElements=\"%d\">", f->n_lines);
    fprintf(out, "<DataItem Format=\"XML\" NumberType=\"Int\" Dimensions=\"%d 2\">", f->n_lines);
    for (int i = 0; i < f->n_lines; ++i)
        fprintf(out, "%s%d %d", i > 0 ? " " : "", f->lines[i].from, f->lines[i].to);
    fputs("</DataItem></Topology><Attribute Name=\"body\" AttributeType=\"Scalar\" Center=\"Cell\">", out);
    fprintf(out, "<DataItem Format=\"XML\" NumberType=\"Int\" Dimensions=\"%d\">", f->n_lines);
    for (int i = 0; i < f->n_lines; ++i)
        fprintf(out, "%s%d", i > 0 ? " " : "", f->lines[i].body);
    fputs("</DataItem></Attribute>", out);
}

/* Places of the nodes at drawn time `at` of the block, to the bit. */
static void places_put(FILE *out, const figure *f, int i_instance, uint64_t at) {
    const uint64_t n_nodes = (uint64_t)f->n_nodes, dimension = (uint64_t)f->dimension;
    fprintf(out, "<Geometry GeometryType=\"%s\">", f->dimension == 3 ? "XYZ" : "XY");
    fprintf(out, "<DataItem Format=\"XML\" NumberType=\"Float\" Precision=\"8\" Dimensions=\"%d %d\">", f->n_nodes, f->dimension);
    for (uint64_t i = 0; i < n_nodes; ++i) {
        const double *place = f->places + (((uint64_t)i_instance * n_nodes + i) * f->n_most + at) * dimension;
        for (uint64_t k = 0; k < dimension; ++k)
            fprintf(out, "%s%.17g", i + k > 0 ? " " : "", place[k]);
    }
    fputs("</DataItem></Geometry>", out);
}

/* In one line: the reader of version 2 in VTK takes what comes first in a geometry for all of it, by which it knows one again. */
static void grid_put(FILE *out, const figure *f, int i, uint64_t i_time, uint64_t at) {
    fprintf(out, "<Grid Name=\"instance %" PRIu64 "\" GridType=\"Uniform\"><Time Value=\"%.17g\"/>", number_of(f, i),
            f->times[i_time]);
    lines_put(out, f);
    places_put(out, f, i, at);
    fputs("</Grid>\n", out);
}

static void time_put(FILE *out, const figure *f, uint64_t i_time, uint64_t at) {
    const int n = n_instances_of(f);
    int n_grids = 0;
    for (int i = 0; i < n; ++i)
        n_grids += i_time < f->n_drawn[i];
    if (n_grids == 0)
        return;
    if (n > 1)
        fprintf(out, "<Grid Name=\"instances\" GridType=\"Collection\" CollectionType=\"Spatial\"><Time Value=\"%.17g\"/>\n",
                f->times[i_time]);
    for (int i = 0; i < n; ++i)
        if (i_time < f->n_drawn[i])
            grid_put(out, f, i, i_time, at);
    if (n > 1)
        fputs("</Grid>\n", out);
}

/* Reads the places of all instances at n drawn times from output time i_first on. */
static bool block_read(const figure *f, uint64_t i_first, uint64_t n) {
    double *out = f->places;
    bool ok = true;
    for (int i = 0; ok && i < n_instances_of(f); ++i) {
        const time_slab slab = {f->rows[i], i_first, f->request->every, n};
        for (int k = 0; ok && k < f->n_nodes; ++k, out += f->n_most * (uint64_t)f->dimension)
            ok = node_read(f, &f->nodes[k], &slab, f->dimension, out);
    }
    return ok;
}

/* False when the result cannot be read. */
static bool document_put(FILE *out, const figure *f) {
    const uint64_t every = f->request->every, n_times = f->info.n_times;
    bool ok = true;
    fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<Xdmf Version=\"2.0\">\n<Domain>\n<Grid Name=\"", out);
    text_put(out, f->model->name != NULL && f->model->name[0] != '\0' ? f->model->name : "mechanism");
    fputs("\" GridType=\"Collection\" CollectionType=\"Temporal\">\n", out);
    for (uint64_t left = n_times == 0 ? 0 : (n_times - 1) / every + 1, t = 0; ok && left > 0;) {
        const uint64_t n = left < f->n_most ? left : f->n_most;
        ok = block_read(f, t, n);
        for (uint64_t at = 0; ok && at < n; ++at)
            time_put(out, f, t + at * every, at);
        left -= n;
        t += n * every;
    }
    fputs("</Grid>\n</Domain>\n</Xdmf>\n", out);
    return ok;
}

/* ---- the file ---- */

/* A pipe or a device takes what it is given; to look into it may be to wait for ever. */
static bool is_stream(const char *path) {
    struct stat what;
    return stat(path, &what) == 0 && !S_ISREG(what.st_mode) && !S_ISDIR(what.st_mode);
}

/* Whether a file may be written there: none is, or one of XDMF. */
static sarrus_status place_check(sarrus_context *context, const char *path) {
    char begin[256] = "";
    if (is_stream(path))
        return SARRUS_OK;
    FILE *file = fopen(path, "rb");
    if (file == NULL)
        return errno == ENOENT ? SARRUS_OK : sarrus_report(context, SARRUS_IO, "%s: %s", path, strerror(errno));
    const size_t n = fread(begin, 1, sizeof begin - 1, file);
    fclose(file);
    begin[n] = '\0';
    return n == 0 || strstr(begin, "<Xdmf") != NULL
               ? SARRUS_OK
               : sarrus_report(context, SARRUS_BAD_ARGUMENT, "%s is no XDMF file; expected a name that is free", path);
}

static sarrus_status document_write(const figure *f, sarrus_context *context, const char *path) {
    FILE *out = fopen(path, "w");
    if (out == NULL)
        return sarrus_report(context, SARRUS_IO, "%s: %s", path, strerror(errno));
    const bool is_read = document_put(out, f);
    errno = 0;
    const bool is_flushed = fflush(out) == 0 && ferror(out) == 0;
    const int why = errno; /* 0: the stream has failed before, and what for is not known any more */
    if (fclose(out) != 0 || !is_flushed)
        return sarrus_report(context, SARRUS_IO, "%s: cannot be written%s%s", path, why ? ": " : "", why ? strerror(why) : "");
    return is_read ? SARRUS_OK : sarrus_report(context, SARRUS_IO, "%s: the file is damaged", f->request->result);
}

/* As OUT.partial, which takes the place of an older file at the end. */
static sarrus_status figure_write(const figure *f, sarrus_context *context) {
    const char *path = f->request->output;
    char *partial = NULL;
    if (is_stream(path))
        return document_write(f, context, path);
    if (asprintf(&partial, "%s.partial", path) < 0)
        return out_of_memory(context);
    sarrus_status status = place_check(context, partial);
    if (status == SARRUS_OK) {
        status = document_write(f, context, partial);
        if (status == SARRUS_OK && rename(partial, path) != 0)
            status = sarrus_report(context, SARRUS_IO, "%s: %s", path, strerror(errno));
        if (status != SARRUS_OK)
            (void)remove(partial);
    }
    free(partial);
    return status;
}

sarrus_status sarrus_xdmf_write(sarrus_context *context, const sarrus_xdmf_request *request) {
    figure f = {.request = request, .file = -1, .root = -1};
    sarrus_status status = place_check(context, request->output);
    if (status == SARRUS_OK)
        status = result_open(&f, context);
    if (status == SARRUS_OK)
        status = figure_write(&f, context);
    figure_free(&f);
    return status;
}
