/* The scenario reader: text → guard → tree → overrides → model. */
#include "sarrus/scenario.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/report.h"
#include "sarrus/version.h"
#include "scenario/emit.h"
#include "scenario/guard.h"
#include "scenario/override.h"
#include "scenario/reader.h"

static void read_format(sarrus_reader *reader, sarrus_node *node, void *object) {
    (void)object;
    uint64_t format = 0;
    if (node == NULL || !sarrus_count_read(reader, node, 0, UINT64_MAX, &format)) {
        return;
    }
    if (format != SARRUS_FORMAT) {
        sarrus_reader_refuse(reader, node, "the scenario has format number %llu; expected %d, the only one that this version reads",
                             (unsigned long long)format, SARRUS_FORMAT);
    }
}

static void read_name(sarrus_reader *reader, sarrus_node *node, void *object) {
    sarrus_model *model = object;
    bool is_good = node == NULL || (node->kind == SARRUS_NODE_SCALAR && node->n_text <= 1000);
    for (const char *c = node != NULL && is_good ? node->text : ""; *c != '\0'; ++c) {
        is_good = is_good && (unsigned char)*c >= ' ' && *c != 0x7f;
    }
    if (!is_good) {
        sarrus_reader_refuse(reader, node, "the name is no line of text; expected at most 1000 characters without line ends");
    }
    const bool is_empty = node == NULL || !is_good || sarrus_node_is_null(node);
    model->name = sarrus_reader_copy(reader, is_empty ? "" : node->text);
}

static void read_space(sarrus_reader *reader, sarrus_node *node, void *object) {
    static const sarrus_word spaces[] = {{"planar", 0}, {"spatial", -1}};
    (void)object;
    int code = 0;
    if (node != NULL) {
        (void)sarrus_word_read(reader, node, "space", spaces, 2, &code);
    }
}

static void read_gravity(sarrus_reader *reader, sarrus_node *node, void *object) {
    static const double earth[2] = {0, -9.81};
    sarrus_model *model = object;
    if (node != NULL) {
        sarrus_vector_read(reader, node, 0, SARRUS_RULE_ANY, model->gravity);
        return;
    }
    for (int i = 0; i < 2; ++i) {
        const size_t n_path = sarrus_path_push_index(reader, i);
        model->gravity[i] = sarrus_value_read(reader, NULL, earth[i], SARRUS_RULE_ANY);
        sarrus_path_pop(reader, n_path);
    }
}

/* Joints aside, nothing constrains yet; the list may be there, empty. */
static void read_constraints(sarrus_reader *reader, sarrus_node *node, void *object) {
    (void)object;
    if (node == NULL || sarrus_node_is_null(node) || !sarrus_list_check(reader, node, -1, "a list of constraints")) {
        return;
    }
    for (const sarrus_node *item = node->first; item != NULL; item = item->next) {
        const sarrus_node *type = sarrus_node_child(item, "type");
        const bool has_word = type != NULL && type->kind == SARRUS_NODE_SCALAR;
        char shown[SARRUS_SHOWN_BYTES] = "";
        sarrus_reader_defer(reader, has_word ? type : item,
                            "constraints beside joints%s%s%s are of a later version; expected joints only",
                            has_word ? ", as '" : "", has_word ? sarrus_node_shown(type, shown) : "", has_word ? "'," : "");
    }
}

/* In the order of decoding: a part may refer to those above it. */
static const sarrus_key scenario_keys[] = {
    {.name = "sarrus", .flags = SARRUS_KEY_REQUIRED, .read = read_format},
    {.name = "name", .read = read_name},
    {.name = "space", .flags = SARRUS_KEY_REQUIRED, .read = read_space},
    {.name = "parameters", .read = sarrus_parameters_read},
    {.name = "integrator", .flags = SARRUS_KEY_REQUIRED, .read = sarrus_integrator_read},
    {.name = "gravity", .read = read_gravity},
    {.name = "bodies", .flags = SARRUS_KEY_REQUIRED, .read = sarrus_bodies_read},
    {.name = "joints", .flags = SARRUS_KEY_REQUIRED, .read = sarrus_joints_read},
    {.name = "constraints", .read = read_constraints},
    {.name = "forces", .read = sarrus_forces_read},
    {.name = "dynamics", .read = sarrus_dynamics_read},
    {.name = "output", .read = sarrus_output_read},
    {.name = "limits", .read = sarrus_limits_read},
    {.name = "batch", .read = sarrus_batch_read},
};

/* What a spatial scenario says would only be misread as planar: one finding is enough. */
static bool is_spatial(sarrus_reader *reader) {
    sarrus_node *space = sarrus_node_child(reader->tree.root, "space");
    if (space == NULL || space->kind != SARRUS_NODE_SCALAR || strcmp(space->text, "spatial") != 0) {
        return false;
    }
    read_space(reader, space, reader->model);
    return true;
}

/* Whether a list is longer than a mechanism can be: one finding, since all that follows from it would only be a hundred more. */
static bool is_too_long(sarrus_reader *reader, const char *key, int most) {
    sarrus_node *list = sarrus_node_child(reader->tree.root, key);
    if (list == NULL || list->kind != SARRUS_NODE_SEQUENCE || list->n_children <= most) {
        return false;
    }
    sarrus_reader_refuse(reader, list, "the mechanism has %d %s; expected at most %d", list->n_children, key, most);
    return true;
}

static bool is_too_large(sarrus_reader *reader) {
    return is_too_long(reader, "bodies", SARRUS_MAX_BODIES) || is_too_long(reader, "joints", SARRUS_MAX_JOINTS);
}

static sarrus_status reader_create(sarrus_reader *reader) {
    *reader = (sarrus_reader){.model = calloc(1, sizeof *reader->model), .c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0)};
    if (reader->model == NULL || reader->c_locale == (locale_t)0) {
        return SARRUS_NO_MEMORY;
    }
    sarrus_values_clear(reader->model->gravity, 3);
    reader->model->dynamics.alpha = SARRUS_NO_VALUE;
    reader->model->dynamics.beta = SARRUS_NO_VALUE;
    return sarrus_expression_create(&reader->expression);
}

static void reader_destroy(sarrus_reader *reader) {
    sarrus_names *sets[] = {&reader->parameter_names, &reader->body_names,  &reader->joint_names,
                            &reader->force_names,     &reader->value_paths, &reader->drawn};
    for (size_t i = 0; i < sizeof sets / sizeof sets[0]; ++i) {
        sarrus_names_clear(sets[i]);
    }
    sarrus_tree_clear(&reader->tree);
    sarrus_expression_destroy(reader->expression);
    sarrus_model_destroy(reader->model);
    free(reader->named);
    free(reader->notes);
    free(reader->path);
    if (reader->c_locale != (locale_t)0) {
        freelocale(reader->c_locale);
    }
}

/* The texts that findings point into: the file, then one "path=value" for each override. */
static char **texts_create(const char *text, size_t n_bytes, const sarrus_override *overrides, size_t n_overrides) {
    char **texts = calloc(n_overrides + 1, sizeof *texts);
    if (texts == NULL) {
        return NULL;
    }
    texts[0] = calloc(1, n_bytes + 1);
    bool is_good = texts[0] != NULL;
    if (is_good && n_bytes > 0) {
        memcpy(texts[0], text, n_bytes);
    }
    for (size_t i = 0; i < n_overrides; ++i) {
        char *shown = NULL;
        if (asprintf(&shown, "%s=%s", overrides[i].path, overrides[i].value) < 0) {
            is_good = false;
            break;
        }
        texts[i + 1] = shown;
    }
    if (!is_good) {
        for (size_t i = 0; i <= n_overrides; ++i) {
            free(texts[i]);
        }
        free(texts);
        return NULL;
    }
    return texts;
}

/* Everything between the text and the findings. `texts` [n_overrides + 1]; their bytes may be changed by the guard. */
static void read_texts(sarrus_reader *reader, char **texts, size_t n_bytes, const sarrus_override *overrides, size_t n_overrides) {
    if (!sarrus_guard_check(&reader->findings, 0, texts[0], n_bytes) ||
        !sarrus_tree_parse(&reader->tree, &reader->findings, 0, 0, texts[0], n_bytes)) {
        return;
    }
    bool is_good = true;
    for (size_t i = 0; i < n_overrides; ++i) {
        is_good =
            sarrus_override_apply(&reader->tree, &reader->findings, (int)i + 1, texts[i + 1], strlen(overrides[i].path)) && is_good;
    }
    if (is_spatial(reader) || is_too_large(reader)) {
        return;
    }
    const int n_keys = sizeof scenario_keys / sizeof scenario_keys[0];
    if (!reader->findings.is_out_of_memory) {
        (void)sarrus_mapping_read(reader, reader->tree.root, "the scenario", scenario_keys, n_keys, reader->model);
    }
}

/* Gives the model what it keeps of the text. */
static void finish_model(sarrus_reader *reader, const char *name, char **text) {
    sarrus_model *model = reader->model;
    sarrus_parameters_use_spread(reader);
    model->resolved = sarrus_tree_emit(&reader->tree);
    model->file = sarrus_reader_copy(reader, name);
    model->text = *text;
    *text = NULL;
    if (model->resolved == NULL) {
        reader->findings.is_out_of_memory = true;
    }
}

static sarrus_status read_all(sarrus_context *context, const char *name, char **texts, size_t n_bytes,
                              const sarrus_override *overrides, size_t n_overrides, sarrus_model **out) {
    sarrus_finding_source *sources = calloc(n_overrides + 1, sizeof *sources);
    sarrus_reader reader;
    sarrus_status status = reader_create(&reader);
    if (sources == NULL || status != SARRUS_OK) {
        free(sources);
        reader_destroy(&reader);
        return sarrus_report(context, SARRUS_NO_MEMORY, "out of memory while reading the scenario");
    }
    for (size_t i = 0; i <= n_overrides; ++i) {
        sources[i] = (sarrus_finding_source){i == 0 ? name : "--set", texts[i]};
    }
    read_texts(&reader, texts, n_bytes, overrides, n_overrides);
    if (!sarrus_findings_any(&reader.findings)) {
        finish_model(&reader, name, &texts[0]);
    }
    status = sarrus_findings_report(&reader.findings, context, sources);
    if (status == SARRUS_OK) {
        *out = reader.model;
        reader.model = NULL;
    }
    free(sources);
    reader_destroy(&reader);
    return status;
}

static const char hdf5_signature[] = "\x89HDF\r\n\x1a\n";
/* A path and a value each, of no more than anybody can mean. */
static sarrus_status check_overrides(sarrus_context *context, const sarrus_override *overrides, size_t n_overrides) {
    enum { MOST_OVERRIDES = 1 << 20 };
    if (n_overrides > MOST_OVERRIDES) {
        return sarrus_report(context, SARRUS_BAD_ARGUMENT, "%zu overrides; expected at most %d", n_overrides, MOST_OVERRIDES);
    }
    for (size_t i = 0; i < n_overrides; ++i) {
        if (overrides == NULL || overrides[i].path == NULL || overrides[i].value == NULL) {
            return sarrus_report(context, SARRUS_BAD_ARGUMENT, "override %zu has no path or no value", i);
        }
    }
    return SARRUS_OK;
}

sarrus_status sarrus_scenario_read_text(sarrus_context *context, const char *name, const char *text, size_t n_bytes,
                                        const sarrus_override *overrides, size_t n_overrides, sarrus_model **out) {
    if (name == NULL || (text == NULL && n_bytes > 0) || out == NULL) {
        return sarrus_report(context, SARRUS_BAD_ARGUMENT, "a scenario needs a name, a text and a place for the model");
    }
    if (check_overrides(context, overrides, n_overrides) != SARRUS_OK) {
        return SARRUS_BAD_ARGUMENT;
    }
    if (n_bytes >= sizeof hdf5_signature - 1 && memcmp(text, hdf5_signature, sizeof hdf5_signature - 1) == 0) {
        const sarrus_location begin = {name, NULL, 1, 1}; /* without the line, which is no text */
        return sarrus_report_at(context, SARRUS_ERROR, SARRUS_BAD_INPUT, &begin,
                                "this is an HDF5 file, such as a result; expected a scenario ('sarrus info' shows results)");
    }
    /* What the guard would refuse for its size is cut right behind the limit: the rest need not be copied. */
    const size_t n_kept = n_bytes > SARRUS_SCENARIO_MAX_BYTES + 1U ? SARRUS_SCENARIO_MAX_BYTES + 1U : n_bytes;
    char **texts = texts_create(text, n_kept, overrides, n_overrides);
    if (texts == NULL) {
        return sarrus_report(context, SARRUS_NO_MEMORY, "out of memory while reading the scenario");
    }
    const sarrus_status status = read_all(context, name, texts, n_kept, overrides, n_overrides, out);
    for (size_t i = 0; i <= n_overrides; ++i) {
        free(texts[i]);
    }
    free(texts);
    return status;
}

sarrus_status sarrus_scenario_read_file(sarrus_context *context, const char *path, const sarrus_override *overrides,
                                        size_t n_overrides, sarrus_model **out) {
    if (path == NULL || out == NULL) {
        return sarrus_report(context, SARRUS_BAD_ARGUMENT, "a scenario file needs a path and a place for the model");
    }
    const size_t capacity = SARRUS_SCENARIO_MAX_BYTES + 1U;
    char *text = malloc(capacity);
    if (text == NULL) {
        return sarrus_report(context, SARRUS_NO_MEMORY, "out of memory while reading '%s'", path);
    }
    FILE *file = fopen(path, "rb");
    const size_t n_bytes = file == NULL ? 0 : fread(text, 1, capacity, file);
    const int reason = errno;
    const bool failed = file == NULL || ferror(file) != 0;
    if (file != NULL) {
        (void)fclose(file);
    }
    const sarrus_status status =
        failed ? sarrus_report(context, SARRUS_IO, "cannot read '%s': %s; expected a scenario file", path, strerrordesc_np(reason))
               : sarrus_scenario_read_text(context, path, text, n_bytes, overrides, n_overrides, out);
    free(text);
    return status;
}
