/* A file that names several scenarios: text → guard → tree → overrides → what each scenario gets → models. */
#include "sarrus/document.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/report.h"
#include "scenario/emit.h"
#include "scenario/guard.h"
#include "scenario/override.h"
#include "scenario/reader.h"
#include "scenario/reading.h"

struct sarrus_document {
    bool is_mixed;
    int n_groups;
    sarrus_model **models; /* [n_groups] */
    char **files;          /* [n_groups] as they are named */
    char *name, *resolved; /* of several scenarios; NULL: those of the model */
};

/* What one call reads. */
typedef struct document_reading {
    sarrus_context *context;
    sarrus_reading texts; /* the document's own, and all overrides */
    sarrus_reader reader; /* its tree, which the trees of the scenarios point into */
    sarrus_finding_source
        *sources; /* [n_overrides + SARRUS_SOURCE_OVERRIDES] of findings that are not about a scenario's own file */
    sarrus_document *document;
} document_reading;

static void read_file_name(sarrus_reader *reader, sarrus_node *node, void *object) {
    (void)object;
    if (node != NULL && (node->kind != SARRUS_NODE_SCALAR || sarrus_node_is_null(node) || node->n_text == 0)) {
        const bool is_empty = node->kind == SARRUS_NODE_SCALAR && !sarrus_node_is_null(node);
        sarrus_reader_refuse(reader, node, "'%s' is %s; expected the name of a scenario file, relative to this one", reader->path,
                             is_empty ? "empty" : sarrus_node_kind_text(node));
    }
}

/* Numbers of a scenario's batch are read with it: they may be expressions of its parameters. */
static void read_later(sarrus_reader *reader, sarrus_node *node, void *object) {
    (void)reader, (void)node, (void)object;
}

static void read_set(sarrus_reader *reader, sarrus_node *node, void *object) {
    (void)object;
    if (node == NULL || sarrus_node_is_null(node)) {
        return;
    }
    if (node->kind != SARRUS_NODE_MAPPING) {
        sarrus_reader_refuse(reader, node, "'%s' is %s; expected a mapping of paths and values, as {bodies.crank.mass: 2}",
                             reader->path, sarrus_node_kind_text(node));
        return;
    }
    for (const sarrus_node *value = node->first; value != NULL; value = value->next) {
        if (sarrus_path_is_common(value->key->text)) {
            sarrus_reader_refuse(reader, value->key,
                                 "'%s' is common to all scenarios of a document; expected it beside 'scenarios'", value->key->text);
        } else if (sarrus_entry_key(value->key->text) != NULL) {
            sarrus_reader_refuse(reader, value->key, "'%s' in 'set'; expected the key '%s' beside 'file'", value->key->text,
                                 sarrus_entry_key(value->key->text));
        }
    }
}

static const sarrus_key entry_keys[] = {
    {.name = "file", .flags = SARRUS_KEY_REQUIRED, .read = read_file_name},
    {.name = "instances", .read = read_later},
    {.name = "seed", .read = read_later},
    {.name = "set", .read = read_set},
};

static void read_scenarios(sarrus_reader *reader, sarrus_node *node, void *object) {
    if (node == NULL || !sarrus_list_check(reader, node, -1, "a list of scenarios, as [{file: a.yaml, instances: 1000}]")) {
        return;
    }
    if (node->n_children < 1 || node->n_children > SARRUS_MAX_GROUPS) {
        sarrus_reader_refuse(reader, node, "'scenarios' has %d entries; expected from 1 to %d", node->n_children,
                             SARRUS_MAX_GROUPS);
        return;
    }
    int i = 0;
    for (sarrus_node *entry = node->first; entry != NULL; entry = entry->next) {
        const size_t n_path = sarrus_path_push_index(reader, i++);
        (void)sarrus_mapping_read(reader, entry, "an entry of 'scenarios'", entry_keys, sizeof entry_keys / sizeof entry_keys[0],
                                  object);
        sarrus_path_pop(reader, n_path);
    }
}

static void refuse_foreign(sarrus_reader *reader, sarrus_node *node, void *object) {
    (void)object;
    if (node != NULL) {
        sarrus_reader_refuse(reader, node->key, "'%s' beside 'scenarios'; expected it in the files that these name", reader->path);
    }
}

/* `integrator` and `output` are read with each scenario, whose parameters they may depend on. */
static const sarrus_key document_keys[] = {
    {.name = "sarrus", .flags = SARRUS_KEY_REQUIRED, .read = sarrus_format_read},
    {.name = "name", .read = sarrus_name_read},
    {.name = "scenarios", .flags = SARRUS_KEY_REQUIRED, .read = read_scenarios},
    {.name = "integrator", .flags = SARRUS_KEY_REQUIRED, .read = read_later},
    {.name = "output", .read = read_later},
    {.name = "space", .flags = SARRUS_KEY_FOREIGN, .read = refuse_foreign},
    {.name = "parameters", .flags = SARRUS_KEY_FOREIGN, .read = refuse_foreign},
    {.name = "gravity", .flags = SARRUS_KEY_FOREIGN, .read = refuse_foreign},
    {.name = "bodies", .flags = SARRUS_KEY_FOREIGN, .read = refuse_foreign},
    {.name = "joints", .flags = SARRUS_KEY_FOREIGN, .read = refuse_foreign},
    {.name = "constraints", .flags = SARRUS_KEY_FOREIGN, .read = refuse_foreign},
    {.name = "forces", .flags = SARRUS_KEY_FOREIGN, .read = refuse_foreign},
    {.name = "dynamics", .flags = SARRUS_KEY_FOREIGN, .read = refuse_foreign},
    {.name = "limits", .flags = SARRUS_KEY_FOREIGN, .read = refuse_foreign},
    {.name = "batch", .flags = SARRUS_KEY_FOREIGN, .read = refuse_foreign},
};

/* Whether a tree is needed to tell: most scenarios do not hold the word. */
static bool may_be_mixed(const sarrus_text *text) {
    static const char word[] = "scenarios";
    return text->bytes != NULL && memmem(text->bytes, text->n_bytes, word, sizeof word - 1) != NULL;
}

/* Applies the overrides of the document; those of its scenarios must name one that there is. */
static void apply_overrides(document_reading *reading) {
    const sarrus_reading *texts = &reading->texts;
    sarrus_reader *reader = &reading->reader;
    for (size_t i = 0; i < texts->n_overrides; ++i) {
        size_t n_prefix = 0;
        const char *path = texts->overrides[i].path;
        const int i_source = SARRUS_SOURCE_OVERRIDES + (int)i;
        const sarrus_node *scenarios = sarrus_node_child(reader->tree.root, "scenarios");
        const int n_groups = scenarios->kind == SARRUS_NODE_SEQUENCE ? scenarios->n_children : 0;
        const int i_group = sarrus_override_group(path, &n_prefix);
        if (i_group < 0 && *path >= '0' && *path <= '9') {
            sarrus_findings_add(&reader->findings, SARRUS_BAD_INPUT, i_source, (sarrus_place){1, 1, 0},
                                "'%s' is not a path; expected the number of a scenario, a dot and a path, as 0.bodies.crank.mass",
                                path);
        } else if (i_group < 0) {
            (void)sarrus_override_apply(&reader->tree, &reader->findings, i_source, texts->shown[i], strlen(path));
        } else if (i_group >= n_groups) {
            sarrus_findings_add(&reader->findings, SARRUS_BAD_INPUT, i_source, (sarrus_place){1, 1, 0},
                                "no scenario %d in the path '%s'; expected a number from 0 to %d", i_group, path, n_groups - 1);
        } else if (sarrus_path_is_common(path + n_prefix)) {
            sarrus_findings_add(&reader->findings, SARRUS_BAD_INPUT, i_source, (sarrus_place){1, (int)n_prefix + 1, 0},
                                "'%s' is common to all scenarios of a document; expected the path '%s'", path, path + n_prefix);
        } else {
            sarrus_node *value =
                sarrus_override_node(&reader->tree, &reader->findings, i_source, texts->shown[i], strlen(path), n_prefix);
            if (value != NULL) {
                sarrus_entry_override(reader, sarrus_node_item(scenarios, i_group), value);
            }
        }
    }
}

static sarrus_status report(document_reading *reading) {
    return sarrus_findings_report(&reading->reader.findings, reading->context, reading->sources);
}

/* A name of a file as the document gives it, seen from where the program is; to be freed. NULL without memory. */
static char *path_make(const char *document, const char *file) {
    const char *slash = strrchr(document, '/');
    const int n_folder = file[0] == '/' || slash == NULL ? 0 : (int)(slash - document) + 1;
    char *path = NULL;
    return asprintf(&path, "%.*s%s", n_folder, document, file) < 0 ? NULL : path;
}

/* Reads the file of one scenario, with what the document says about it. */
static sarrus_status read_member(document_reading *reading, const sarrus_member *member, const char *path, sarrus_model **out) {
    const sarrus_node *file = sarrus_node_child(member->entry, "file");
    sarrus_text text;
    const int reason = sarrus_text_load(path, &text);
    if (reason == ENOMEM) {
        return sarrus_report(reading->context, SARRUS_NO_MEMORY, "out of memory while reading '%s'", path);
    }
    if (reason != 0) {
        sarrus_findings_add(&reading->reader.findings, SARRUS_BAD_INPUT, file->i_source, file->place,
                            "cannot read '%s': %s; expected a scenario file, its name relative to this one", path,
                            strerrordesc_np(reason));
        return report(reading);
    }
    sarrus_reading own;
    sarrus_status status =
        sarrus_reading_begin(&own, reading->context, &text, reading->texts.overrides, reading->texts.n_overrides);
    own.document = (sarrus_finding_source){reading->texts.name, reading->texts.text};
    own.member = member;
    if (status == SARRUS_OK) {
        status = sarrus_reading_run(reading->context, &own, out);
    }
    sarrus_reading_end(&own);
    sarrus_text_free(&text);
    return status;
}

/* The status of several: what is wrong counts more than what is of a later version. */
static sarrus_status worse(sarrus_status a, sarrus_status b) {
    if (a == SARRUS_OK || a == SARRUS_UNSUPPORTED) {
        return b == SARRUS_OK ? a : b;
    }
    return b == SARRUS_NO_MEMORY ? b : a;
}

static sarrus_status read_members(document_reading *reading) {
    sarrus_document *document = reading->document;
    const sarrus_node *root = reading->reader.tree.root, *list = sarrus_node_child(root, "scenarios");
    sarrus_member member = {.integrator = sarrus_node_child(root, "integrator"), .output = sarrus_node_child(root, "output")};
    sarrus_status status = SARRUS_OK;
    int i_group = 0;
    document->n_groups = list->n_children;
    document->models = calloc((size_t)document->n_groups, sizeof *document->models);
    document->files = calloc((size_t)document->n_groups, sizeof *document->files);
    if (document->models == NULL || document->files == NULL) {
        return sarrus_report(reading->context, SARRUS_NO_MEMORY, "out of memory while reading the scenario");
    }
    for (const sarrus_node *entry = list->first; entry != NULL && status != SARRUS_NO_MEMORY; entry = entry->next) {
        const int i = i_group++;
        member.entry = entry;
        member.i_entry = i;
        document->files[i] = strdup(sarrus_node_child(entry, "file")->text);
        char *path = document->files[i] != NULL ? path_make(reading->texts.name, document->files[i]) : NULL;
        const sarrus_status read = path != NULL ? read_member(reading, &member, path, &document->models[i])
                                                : sarrus_report(reading->context, SARRUS_NO_MEMORY, "out of memory");
        free(path);
        status = worse(status, read);
    }
    return status;
}

/* The document of one scenario. */
static sarrus_status read_alone(document_reading *reading, const sarrus_text *text) {
    sarrus_document *document = reading->document;
    document->n_groups = 1;
    document->models = calloc(1, sizeof *document->models);
    document->files = calloc(1, sizeof *document->files);
    if (document->models != NULL && document->files != NULL) {
        document->files[0] = strdup(text->name);
    }
    if (document->files == NULL || document->files[0] == NULL) {
        return sarrus_report(reading->context, SARRUS_NO_MEMORY, "out of memory while reading the scenario");
    }
    return sarrus_scenario_read_text(reading->context, text->name, text->bytes, text->n_bytes, reading->texts.overrides,
                                     reading->texts.n_overrides, &document->models[0]);
}

/* What is read and checked of the document itself. */
static sarrus_status read_list(document_reading *reading) {
    sarrus_reader *reader = &reading->reader;
    apply_overrides(reading);
    if (!sarrus_findings_any(&reader->findings)) {
        (void)sarrus_mapping_read(reader, reader->tree.root, "the document", document_keys,
                                  sizeof document_keys / sizeof document_keys[0], reader->model);
    }
    if (!sarrus_findings_any(&reader->findings)) {
        reading->document->name = sarrus_reader_copy(reader, reader->model->name);
        reading->document->resolved = sarrus_tree_emit(&reader->tree);
        reader->findings.is_out_of_memory = reader->findings.is_out_of_memory || reading->document->resolved == NULL;
    }
    return report(reading);
}

static bool make_sources(document_reading *reading) {
    const sarrus_reading *texts = &reading->texts;
    reading->sources = calloc(texts->n_overrides + SARRUS_SOURCE_OVERRIDES, sizeof *reading->sources);
    if (reading->sources == NULL) {
        return false;
    }
    reading->sources[SARRUS_SOURCE_FILE] = reading->sources[SARRUS_SOURCE_DOCUMENT] =
        (sarrus_finding_source){texts->name, texts->text};
    for (size_t i = 0; i < texts->n_overrides; ++i) {
        reading->sources[SARRUS_SOURCE_OVERRIDES + i] = (sarrus_finding_source){"--set", texts->shown[i]};
    }
    return true;
}

static sarrus_status read_mixed(document_reading *reading, const sarrus_text *text) {
    sarrus_reader *reader = &reading->reader;
    sarrus_status status = sarrus_reader_create(reader);
    if (status != SARRUS_OK || !make_sources(reading)) {
        return sarrus_report(reading->context, SARRUS_NO_MEMORY, "out of memory while reading the scenario");
    }
    const bool is_parsed =
        sarrus_guard_check(&reader->findings, SARRUS_SOURCE_DOCUMENT, reading->texts.text, reading->texts.n_bytes) &&
        sarrus_tree_parse(&reader->tree, &reader->findings, SARRUS_SOURCE_DOCUMENT, 0, reading->texts.text, reading->texts.n_bytes);
    if (!is_parsed) {
        return report(reading);
    }
    if (sarrus_node_child(reader->tree.root, "scenarios") == NULL) {
        return read_alone(reading, text);
    }
    reading->document->is_mixed = true;
    status = read_list(reading);
    return status == SARRUS_OK ? read_members(reading) : status;
}

sarrus_status sarrus_document_read_text(sarrus_context *context, const char *name, const char *text, size_t n_bytes,
                                        const sarrus_override *overrides, size_t n_overrides, sarrus_document **out) {
    document_reading reading = {.context = context};
    const sarrus_text given = {name, text, n_bytes};
    if (out == NULL) {
        return sarrus_report(context, SARRUS_BAD_ARGUMENT, "a document needs a place for it");
    }
    sarrus_status status = sarrus_reading_begin(&reading.texts, context, &given, overrides, n_overrides);
    if (status == SARRUS_OK) {
        reading.document = calloc(1, sizeof *reading.document);
        status = reading.document == NULL ? sarrus_report(context, SARRUS_NO_MEMORY, "out of memory while reading the scenario")
                 : may_be_mixed(&given)   ? read_mixed(&reading, &given)
                                          : read_alone(&reading, &given);
    }
    free(reading.sources);
    sarrus_reader_destroy(&reading.reader);
    sarrus_reading_end(&reading.texts);
    if (status != SARRUS_OK) {
        sarrus_document_destroy(reading.document);
        return status;
    }
    *out = reading.document;
    return SARRUS_OK;
}

sarrus_status sarrus_document_read_file(sarrus_context *context, const char *path, const sarrus_override *overrides,
                                        size_t n_overrides, sarrus_document **out) {
    sarrus_text text;
    if (path == NULL || out == NULL) {
        return sarrus_report(context, SARRUS_BAD_ARGUMENT, "a scenario file needs a path and a place for the document");
    }
    const sarrus_status read = sarrus_text_read(context, path, &text);
    if (read != SARRUS_OK) {
        return read;
    }
    const sarrus_status status = sarrus_document_read_text(context, path, text.bytes, text.n_bytes, overrides, n_overrides, out);
    sarrus_text_free(&text);
    return status;
}

void sarrus_document_destroy(sarrus_document *document) {
    if (document == NULL) {
        return;
    }
    for (int i = 0; i < document->n_groups; ++i) {
        if (document->models != NULL) {
            sarrus_model_destroy(document->models[i]);
        }
        if (document->files != NULL) {
            free(document->files[i]);
        }
    }
    free(document->models);
    free(document->files);
    free(document->name);
    free(document->resolved);
    free(document);
}

int sarrus_document_is_mixed(const sarrus_document *document) {
    return document != NULL && document->is_mixed;
}

int sarrus_document_n_groups(const sarrus_document *document) {
    return document != NULL ? document->n_groups : 0;
}

static bool has_group(const sarrus_document *document, int i_group) {
    return document != NULL && i_group >= 0 && i_group < document->n_groups;
}

const sarrus_model *sarrus_document_model(const sarrus_document *document, int i_group) {
    return has_group(document, i_group) ? document->models[i_group] : NULL;
}

const char *sarrus_document_file(const sarrus_document *document, int i_group) {
    return has_group(document, i_group) ? document->files[i_group] : NULL;
}

const char *sarrus_document_resolved(const sarrus_document *document) {
    if (document == NULL) {
        return NULL;
    }
    return document->is_mixed ? document->resolved : sarrus_model_resolved(document->models[0]);
}

const char *sarrus_document_name(const sarrus_document *document) {
    if (document == NULL) {
        return NULL;
    }
    return document->is_mixed ? document->name : sarrus_model_name(document->models[0]);
}
