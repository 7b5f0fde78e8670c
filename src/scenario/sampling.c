/* The sampled parameters of `batch`: what they are drawn for, and by which distribution. */
#include "scenario/reader.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "scenario/override.h"
#include "scenario/suggest.h"

/* A sampled parameter while it is being read. */
struct draw_reading {
    sarrus_sampled *sampled;
    const sarrus_node *distribution; /* its word; NULL: there is none */
};

/* True when `path` means something in the file, or is a setting that may be left out, but is no value of the table. */
static bool is_setting(const sarrus_reader *reader, const char *path) {
    static const char *const prefixes[] = {"integrator.", "output.", "batch."};
    for (size_t i = 0; i < sizeof prefixes / sizeof prefixes[0]; ++i) {
        if (strncmp(path, prefixes[i], strlen(prefixes[i])) == 0) {
            return true;
        }
    }
    const sarrus_node *node = sarrus_tree_find(&reader->tree, path);
    return node != NULL && node->kind == SARRUS_NODE_SCALAR;
}

/* How many characters of `path` are a list's, when a number stands behind it where a name belongs, as in bodies.0.mass; else 0. */
static size_t list_by_number(const char *path) {
    static const char *const lists[] = {"bodies.", "joints.", "forces.", "constraints."};
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; ++i) {
        const size_t n = strlen(lists[i]);
        if (strncmp(path, lists[i], n) == 0 && strspn(path + n, "0123456789") > 0 &&
            path[n + strspn(path + n, "0123456789")] == '.')
            return n;
    }
    return 0;
}

static void report_number_for_name(sarrus_reader *reader, const sarrus_node *node, size_t n_list, const char *shown) {
    const sarrus_model *model = reader->model;
    sarrus_value_index i = 0;
    while (i < model->n_values - 1 && strncmp(model->values[i].path, node->text, n_list) != 0)
        ++i;
    sarrus_reader_refuse(reader, node, "'%s' names nothing: what is in a list goes by its name; expected a path as '%s'", shown,
                         model->values[i].path);
}

/* The path of the first number of `path`, as bodies.a.position.0 of bodies.a.position; NULL when it has none, or stands for what
 * the file has as one number or not at all. */
static const char *first_of_group(sarrus_reader *reader, const char *path) {
    const sarrus_model *model = reader->model;
    const sarrus_node *node = sarrus_tree_find(&reader->tree, path);
    const bool is_group = node != NULL && node->kind != SARRUS_NODE_SCALAR;
    const size_t n_path = strlen(path);
    const int n_candidates = is_group ? sarrus_reader_candidates(reader, model->n_values) : 0;
    for (int i_value = 0; i_value < n_candidates; ++i_value) {
        const char *candidate = model->values[i_value].path;
        if (strncmp(candidate, path, n_path) == 0 && candidate[n_path] == '.') {
            return candidate;
        }
    }
    return NULL;
}

static bool ends_with_part(const char *path, const char *part) {
    const size_t n_path = strlen(path);
    const size_t n_part = strlen(part);
    return n_path > n_part && path[n_path - n_part - 1] == '.' && strcmp(path + n_path - n_part, part) == 0;
}

static const char *closest_path(sarrus_reader *reader, const char *path) {
    const sarrus_model *model = reader->model;
    sarrus_suggestion suggestion = sarrus_suggestion_for(path);
    const int n_candidates = sarrus_reader_candidates(reader, (int)model->n_values);
    for (int i_value = 0; i_value < n_candidates; ++i_value) {
        const char *candidate = model->values[i_value].path;
        if (ends_with_part(candidate, path)) {
            return candidate;
        }
        sarrus_suggestion_offer(&suggestion, candidate);
    }
    return suggestion.best;
}

static void report_unknown_path(sarrus_reader *reader, const sarrus_node *node) {
    char shown[SARRUS_SHOWN_BYTES];
    (void)sarrus_node_shown(node, shown);
    const char *first = first_of_group(reader, node->text);
    if (first != NULL) {
        sarrus_reader_refuse(reader, node, "'%s' is not a single number; expected the path of one, as '%s'", shown, first);
        return;
    }
    const size_t n_list = list_by_number(node->text);
    if (n_list > 0 && reader->model->n_values > 0) {
        report_number_for_name(reader, node, n_list, shown);
        return;
    }
    if (is_setting(reader, node->text)) {
        sarrus_reader_refuse(reader, node, "'%s' cannot vary between instances; expected the path of a number of the model", shown);
        return;
    }
    const char *closest = closest_path(reader, node->text);
    if (closest != NULL) {
        sarrus_reader_refuse(reader, node, "the path '%s' names nothing; did you mean '%s'?", shown, closest);
    } else {
        sarrus_reader_refuse(reader, node, "the path '%s' names nothing; expected the path of a number of the model", shown);
    }
}

/* Adds value `i_value` to the targets, once. */
static void add_target(sarrus_reader *reader, const sarrus_node *node, sarrus_sampled *sampled, sarrus_value_index i_value) {
    const char *path = reader->model->values[i_value].path;
    const char *fixed_because = reader->notes[i_value].fixed_because;
    if (fixed_because != NULL) {
        sarrus_reader_refuse(reader, node, "'%s' cannot vary between instances: %s; expected another path", path, fixed_because);
        return;
    }
    const sarrus_status status = sarrus_names_add(&reader->drawn, path, i_value);
    if (status == SARRUS_BAD_ARGUMENT) {
        sarrus_reader_refuse(reader, node, "'%s' is drawn twice; expected each path once", path);
    } else if (status != SARRUS_OK) {
        reader->findings.is_out_of_memory = true;
    } else {
        sampled->targets[sampled->n_targets++] = i_value;
    }
}

static void read_target(sarrus_reader *reader, const sarrus_node *node, sarrus_sampled *sampled) {
    if (node->kind != SARRUS_NODE_SCALAR || sarrus_node_is_null(node)) {
        sarrus_reader_refuse(reader, node, "'path' is %s; expected a path as bodies.crank.mass, or a list of them",
                             sarrus_node_kind_text(node));
        return;
    }
    sarrus_value_index i_value = sarrus_names_find(&reader->value_paths, node->text);
    if (i_value < 0) {
        i_value = sarrus_names_find(&reader->parameter_names, node->text);
    }
    if (i_value < 0) {
        report_unknown_path(reader, node);
        return;
    }
    add_target(reader, node, sampled, i_value);
}

static void read_path(sarrus_reader *reader, sarrus_node *node, void *object) {
    struct draw_reading *reading = object;
    if (node == NULL) {
        return;
    }
    const bool is_list = node->kind == SARRUS_NODE_SEQUENCE;
    if (is_list && node->n_children == 0) {
        sarrus_reader_refuse(reader, node, "'path' is an empty list; expected at least one path");
        return;
    }
    const sarrus_node *first = is_list ? node->first : node;
    reading->sampled->targets = sarrus_reader_allocate(reader, is_list ? node->n_children : 1, sizeof *reading->sampled->targets);
    reading->sampled->label = sarrus_reader_copy(reader, first->text != NULL ? first->text : "");
    if (reading->sampled->targets == NULL) {
        return;
    }
    for (const sarrus_node *item = first; item != NULL; item = is_list ? item->next : NULL) {
        read_target(reader, item, reading->sampled);
    }
}

static void read_parameter_name(sarrus_reader *reader, sarrus_node *node, void *object) {
    struct draw_reading *reading = object;
    char shown[SARRUS_SHOWN_BYTES];
    if (node == NULL || reading->sampled->targets != NULL) {
        return;
    }
    if (node->kind != SARRUS_NODE_SCALAR || sarrus_node_is_null(node)) {
        sarrus_reader_refuse(reader, node, "'name' is %s; expected the name of a parameter", sarrus_node_kind_text(node));
        return;
    }
    const sarrus_value_index i_value = sarrus_names_find(&reader->parameter_names, node->text);
    if (i_value >= 0) {
        reading->sampled->targets = sarrus_reader_allocate(reader, 1, sizeof *reading->sampled->targets);
        reading->sampled->label = sarrus_reader_copy(reader, node->text);
        if (reading->sampled->targets != NULL) {
            add_target(reader, node, reading->sampled, i_value);
        }
        return;
    }
    sarrus_suggestion suggestion = sarrus_suggestion_for(node->text);
    const int n_candidates = sarrus_reader_candidates(reader, reader->model->n_named);
    for (int i_named = 0; i_named < n_candidates; ++i_named) {
        sarrus_suggestion_offer(&suggestion, reader->model->values[i_named].path + sizeof "parameters." - 1);
    }
    (void)sarrus_node_shown(node, shown);
    if (suggestion.best != NULL) {
        sarrus_reader_refuse(reader, node, "no parameter is called '%s'; did you mean '%s'?", shown, suggestion.best);
    } else {
        sarrus_reader_refuse(reader, node, "no parameter is called '%s'; expected a name given in 'parameters'", shown);
    }
}

static void read_distribution(sarrus_reader *reader, sarrus_node *node, void *object) {
    struct draw_reading *reading = object;
    (void)reader;
    reading->distribution = node;
}

static const sarrus_key draw_keys[] = {
    {.name = "path", .read = read_path},
    {.name = "name", .read = read_parameter_name},
    {.name = "distribution", .flags = SARRUS_KEY_REQUIRED, .read = read_distribution},
    {.name = "mean", .flags = SARRUS_KEY_IGNORED},
    {.name = "sd", .flags = SARRUS_KEY_IGNORED},
    {.name = "low", .flags = SARRUS_KEY_IGNORED},
    {.name = "mode", .flags = SARRUS_KEY_IGNORED},
    {.name = "high", .flags = SARRUS_KEY_IGNORED},
    {.name = "mu", .flags = SARRUS_KEY_IGNORED},
    {.name = "sigma", .flags = SARRUS_KEY_IGNORED},
    {.name = "scale", .flags = SARRUS_KEY_IGNORED},
    {.name = "shape", .flags = SARRUS_KEY_IGNORED},
    {.name = "alpha", .flags = SARRUS_KEY_IGNORED},
    {.name = "beta", .flags = SARRUS_KEY_IGNORED},
    {.name = "values", .flags = SARRUS_KEY_IGNORED},
    {.name = "weights", .flags = SARRUS_KEY_IGNORED},
    {.name = "min", .flags = SARRUS_KEY_IGNORED},
    {.name = "max", .flags = SARRUS_KEY_IGNORED},
};

static void read_draw(sarrus_reader *reader, sarrus_node *node, sarrus_sampled *sampled) {
    struct draw_reading reading = {.sampled = sampled};
    sampled->place = node->place;
    if (!sarrus_mapping_read(reader, node, "a sampled parameter", draw_keys, sizeof draw_keys / sizeof draw_keys[0], &reading)) {
        return;
    }
    const bool has_path = sarrus_node_child(node, "path") != NULL;
    if (has_path == (sarrus_node_child(node, "name") != NULL)) {
        sarrus_reader_refuse(reader, node,
                             has_path ? "a sampled parameter with both 'path' and 'name'; expected exactly one of them"
                                      : "a sampled parameter lacks its target; expected either 'path' or 'name'");
    }
    if (reading.distribution != NULL) {
        sarrus_distribution_read(reader, node, reading.distribution, sampled);
    }
}

void sarrus_sampled_read(sarrus_reader *reader, sarrus_node *node) {
    sarrus_model *model = reader->model;
    if (reader->findings.is_out_of_memory || !sarrus_list_check(reader, node, -1, "a list of sampled parameters")) {
        return;
    }
    for (int i_value = 0; i_value < model->n_values; ++i_value) {
        /* Two equal paths come from duplicate names, which are reported already. */
        if (sarrus_names_add(&reader->value_paths, model->values[i_value].path, i_value) == SARRUS_NO_MEMORY) {
            reader->findings.is_out_of_memory = true;
            return;
        }
    }
    model->batch.sampled = sarrus_reader_allocate(reader, node->n_children, sizeof *model->batch.sampled);
    for (sarrus_node *item = node->first; item != NULL && !reader->findings.is_out_of_memory; item = item->next) {
        const size_t n_path = sarrus_path_push_index(reader, model->batch.n_sampled);
        model->batch.n_sampled += 1;
        read_draw(reader, item, &model->batch.sampled[model->batch.n_sampled - 1]);
        sarrus_path_pop(reader, n_path);
    }
}
