/* The scenario reader: text → guard → tree → overrides → model. */
#include "sarrus/scenario.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/report.h"
#include "sarrus/version.h"
#include "scenario/emit.h"
#include "scenario/guard.h"
#include "scenario/member.h"
#include "scenario/override.h"
#include "scenario/reader.h"
#include "scenario/reading.h"

void sarrus_format_read(sarrus_reader *reader, sarrus_node *node, void *object) {
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

void sarrus_name_read(sarrus_reader *reader, sarrus_node *node, void *object) {
    sarrus_model *model = object;
    bool is_good = node == NULL || (node->kind == SARRUS_NODE_SCALAR && node->n_text <= 1000);
    for (const char *c = node != NULL && is_good ? node->text : ""; *c != '\0'; ++c) {
        is_good = is_good && (unsigned char)*c >= ' ' && *c != 0x7f;
    }
    if (!is_good) {
        sarrus_reader_refuse(reader, node, "the name is not a line of text; expected at most 1000 characters without line ends");
    }
    const bool is_empty = node == NULL || !is_good || sarrus_node_is_null(node);
    model->name = sarrus_reader_copy(reader, is_empty ? "" : node->text);
}

/* Which space is meant where that is not said: without it all that follows would be wrong once more. */
static sarrus_space space_guess(const sarrus_reader *reader) {
    const sarrus_node *bodies = sarrus_node_child(reader->tree.root, "bodies");
    const sarrus_node *position = bodies != NULL ? sarrus_node_child(bodies->first, "position") : NULL;
    return position != NULL && position->n_children == 3 ? SARRUS_SPACE_SPATIAL : SARRUS_SPACE_PLANAR;
}

static void read_space(sarrus_reader *reader, sarrus_node *node, void *object) {
    static const sarrus_word spaces[] = {{"planar", SARRUS_SPACE_PLANAR}, {"spatial", SARRUS_SPACE_SPATIAL}};
    sarrus_model *model = object;
    int code = (int)space_guess(reader);
    if (node != NULL) {
        (void)sarrus_word_read(reader, node, "space", spaces, 2, &code);
    }
    model->space = (sarrus_space)code;
}

static void read_gravity(sarrus_reader *reader, sarrus_node *node, void *object) {
    static const double earth[3] = {0, -9.81, 0};
    sarrus_model *model = object;
    sarrus_vector_read(reader, node, earth, model->gravity);
}

/* In the order of decoding: a part may refer to those above it. */
static const sarrus_key scenario_keys[] = {
    {.name = "sarrus", .flags = SARRUS_KEY_REQUIRED, .read = sarrus_format_read},
    {.name = "name", .read = sarrus_name_read},
    {.name = "space", .flags = SARRUS_KEY_REQUIRED, .read = read_space},
    {.name = "parameters", .read = sarrus_parameters_read},
    {.name = "integrator", .flags = SARRUS_KEY_REQUIRED, .read = sarrus_integrator_read},
    {.name = "gravity", .read = read_gravity},
    {.name = "ground", .read = sarrus_ground_read},
    {.name = "bodies", .flags = SARRUS_KEY_REQUIRED, .read = sarrus_bodies_read},
    {.name = "joints", .flags = SARRUS_KEY_REQUIRED, .read = sarrus_joints_read},
    {.name = "constraints", .read = sarrus_constraints_read},
    {.name = "forces", .read = sarrus_forces_read},
    {.name = "dynamics", .read = sarrus_dynamics_read},
    {.name = "output", .read = sarrus_output_read},
    {.name = "limits", .read = sarrus_limits_read},
    {.name = "batch", .read = sarrus_batch_read},
};

/* A document of several scenarios says nothing of a mechanism: one finding. */
static bool is_document(sarrus_reader *reader) {
    const sarrus_node *scenarios = sarrus_node_child(reader->tree.root, "scenarios");
    if (scenarios != NULL) {
        sarrus_reader_refuse(reader, scenarios->key,
                             "'scenarios': this document names several scenarios itself; expected a scenario, with a mechanism");
    }
    return scenarios != NULL;
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
    return is_too_long(reader, "bodies", SARRUS_MAX_BODIES) || is_too_long(reader, "joints", SARRUS_MAX_JOINTS) ||
           is_too_long(reader, "constraints", SARRUS_MAX_CONSTRAINTS);
}

sarrus_status sarrus_reader_create(sarrus_reader *reader) {
    *reader = (sarrus_reader){.model = calloc(1, sizeof *reader->model), .c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0)};
    if (reader->model == NULL || reader->c_locale == (locale_t)0) {
        return SARRUS_NO_MEMORY;
    }
    sarrus_values_clear(reader->model->gravity, 3);
    sarrus_values_clear(reader->model->ground.about, 3);
    sarrus_values_clear(reader->model->ground.axis, 3);
    for (int k = 0; k < SARRUS_MAX_GROUND_SIGNALS; ++k) {
        reader->model->ground.signal[k] = -1;
    }
    reader->model->dynamics.alpha = SARRUS_NO_VALUE;
    reader->model->dynamics.beta = SARRUS_NO_VALUE;
    return sarrus_expression_create(&reader->expression);
}

void sarrus_reader_destroy(sarrus_reader *reader) {
    sarrus_names *sets[] = {&reader->parameter_names, &reader->body_names,  &reader->joint_names, &reader->constraint_names,
                            &reader->force_names,     &reader->point_names, &reader->value_paths, &reader->drawn};
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

/* Those of a document have changed its list of scenarios. */
static void apply_overrides(sarrus_reader *reader, const sarrus_reading *reading) {
    for (size_t i = 0; reading->member == NULL && i < reading->n_overrides; ++i) {
        (void)sarrus_override_apply(&reader->tree, &reader->findings, SARRUS_SOURCE_OVERRIDES + (int)i, reading->shown[i],
                                    strlen(reading->overrides[i].path));
    }
}

/* Everything between the text and the findings. The bytes of the texts may be changed by the guard. */
static void read_texts(sarrus_reader *reader, const sarrus_reading *reading) {
    if (!sarrus_guard_check(&reader->findings, SARRUS_SOURCE_FILE, reading->text, reading->n_bytes) ||
        !sarrus_tree_parse(&reader->tree, &reader->findings, SARRUS_SOURCE_FILE, 0, reading->text, reading->n_bytes)) {
        return;
    }
    if (reading->member != NULL && !is_document(reader)) {
        sarrus_member_put(reader, reading->member);
    }
    apply_overrides(reader, reading);
    if (is_document(reader) || is_too_large(reader)) {
        return;
    }
    const int n_keys = sizeof scenario_keys / sizeof scenario_keys[0];
    if (!reader->findings.is_out_of_memory) {
        (void)sarrus_mapping_read(reader, reader->tree.root, "the scenario", scenario_keys, n_keys, reader->model);
    }
}

/* Gives the model what it keeps of the text. */
static void finish_model(sarrus_reader *reader, sarrus_reading *reading) {
    sarrus_model *model = reader->model;
    sarrus_parameters_use_spread(reader);
    model->resolved = sarrus_tree_emit(&reader->tree);
    model->file = sarrus_reader_copy(reader, reading->name);
    model->text = reading->text;
    reading->text = NULL;
    model->overrides = sarrus_reader_allocate(reader, (int)reading->n_overrides, sizeof *model->overrides);
    for (size_t i = 0; i < reading->n_overrides && model->overrides != NULL; ++i)
        model->overrides[model->n_overrides++] = sarrus_reader_copy(reader, reading->shown[i]);
    if (model->resolved == NULL) {
        reader->findings.is_out_of_memory = true;
    }
}

sarrus_status sarrus_reading_run(sarrus_context *context, sarrus_reading *reading, sarrus_model **out) {
    sarrus_finding_source *sources = calloc(reading->n_overrides + SARRUS_SOURCE_OVERRIDES, sizeof *sources);
    sarrus_reader reader;
    sarrus_status status = sarrus_reader_create(&reader);
    if (sources == NULL || status != SARRUS_OK) {
        free(sources);
        sarrus_reader_destroy(&reader);
        return sarrus_report(context, SARRUS_NO_MEMORY, "out of memory while reading the scenario");
    }
    sources[SARRUS_SOURCE_FILE] = (sarrus_finding_source){reading->name, reading->text};
    sources[SARRUS_SOURCE_DOCUMENT] = reading->document;
    for (size_t i = 0; i < reading->n_overrides; ++i) {
        sources[SARRUS_SOURCE_OVERRIDES + i] = (sarrus_finding_source){"--set", reading->shown[i]};
    }
    read_texts(&reader, reading);
    if (!sarrus_findings_any(&reader.findings)) {
        finish_model(&reader, reading);
    }
    status = sarrus_findings_report(&reader.findings, context, sources);
    if (status == SARRUS_OK) {
        *out = reader.model;
        reader.model = NULL;
    }
    free(sources);
    sarrus_reader_destroy(&reader);
    return status;
}

sarrus_status sarrus_scenario_read_text(sarrus_context *context, const char *name, const char *text, size_t n_bytes,
                                        const sarrus_override *overrides, size_t n_overrides, sarrus_model **out) {
    sarrus_reading reading;
    if (out == NULL) {
        return sarrus_report(context, SARRUS_BAD_ARGUMENT, "a scenario needs a place for the model");
    }
    const sarrus_text given = {name, text, n_bytes};
    sarrus_status status = sarrus_reading_begin(&reading, context, &given, overrides, n_overrides);
    if (status == SARRUS_OK) {
        status = sarrus_reading_run(context, &reading, out);
    }
    sarrus_reading_end(&reading);
    return status;
}

sarrus_status sarrus_scenario_read_file(sarrus_context *context, const char *path, const sarrus_override *overrides,
                                        size_t n_overrides, sarrus_model **out) {
    if (path == NULL || out == NULL) {
        return sarrus_report(context, SARRUS_BAD_ARGUMENT, "a scenario file needs a path and a place for the model");
    }
    sarrus_text text;
    const sarrus_status read = sarrus_text_read(context, path, &text);
    if (read != SARRUS_OK) {
        return read;
    }
    const sarrus_status status = sarrus_scenario_read_text(context, path, text.bytes, text.n_bytes, overrides, n_overrides, out);
    sarrus_text_free(&text);
    return status;
}
