/* Reading scenarios in tests: what went wrong is printed, and a small scenario that tests vary. */
#ifndef SARRUS_TESTS_SCENARIO_FIXTURE_H
#define SARRUS_TESTS_SCENARIO_FIXTURE_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/model.h"
#include "sarrus/document.h"
#include "sarrus/scenario.h"

/* Two bodies; what a test adds goes between the halves or behind them. */
#define SCENARIO_HEAD                                                                                                              \
    "sarrus: 1\nspace: planar\n"                                                                                                   \
    "bodies:\n"                                                                                                                    \
    "  - {name: a, mass: 1, inertia: 0.1, position: [0, 0]}\n"                                                                     \
    "  - {name: b, mass: 2, inertia: 0.2, position: [1, 0]}\n"                                                                     \
    "integrator: {dt: 1.0e-3, t_end: 2}\n"
#define SCENARIO_JOINTS "joints:\n  - {name: j, type: revolute, bodies: [ground, a], at: [0.5, 0.25]}\n"
#define SCENARIO SCENARIO_HEAD SCENARIO_JOINTS

/* A context that tests fill, and the last model or document read; all are freed by reading_end. */
struct reading {
    sarrus_context *context;
    sarrus_model *model;
    sarrus_document *document;
    sarrus_status status;
};

static inline void reading_end(struct reading *reading) {
    sarrus_model_destroy(reading->model);
    sarrus_document_destroy(reading->document);
    sarrus_context_destroy(reading->context);
    *reading = (struct reading){.context = NULL};
}

static inline struct reading reading_begin(void) {
    struct reading reading = {.context = NULL};
    if (sarrus_context_create(&reading.context) != SARRUS_OK) {
        abort();
    }
    return reading;
}

static inline struct reading read_bytes(const char *text, size_t n_bytes, const sarrus_override *overrides, size_t n_overrides) {
    struct reading reading = reading_begin();
    reading.status = sarrus_scenario_read_text(reading.context, "test.yaml", text, n_bytes, overrides, n_overrides, &reading.model);
    return reading;
}

static inline struct reading read_text(const char *text) {
    return read_bytes(text, strlen(text), NULL, 0);
}

/* The same of a document, which stands for a file beside those that it names. */
static inline struct reading read_document(const char *text, const sarrus_override *overrides, size_t n_overrides) {
    struct reading reading = reading_begin();
    reading.status =
        sarrus_document_read_text(reading.context, "./all.yaml", text, strlen(text), overrides, n_overrides, &reading.document);
    return reading;
}

static inline const sarrus_diagnostic *diagnostic_of(const struct reading *reading, size_t i) {
    return sarrus_context_diagnostic(reading->context, i);
}

static inline void print_diagnostics(const struct reading *reading) {
    for (size_t i = 0; i < sarrus_context_n_diagnostics(reading->context); ++i) {
        const sarrus_diagnostic *found = diagnostic_of(reading, i);
        printf("%s:%d:%d: %s\n", found->file, found->line, found->column, found->message);
    }
}

/* Index of the value at `path`, which must be there. */
static inline sarrus_value_index value_at(const sarrus_model *model, const char *path) {
    const sarrus_value_index i_value = sarrus_model_value_find(model, path);
    if (i_value == SARRUS_NO_VALUE) {
        printf("no value at %s\n", path);
        abort();
    }
    return i_value;
}

static inline double nominal_at(const sarrus_model *model, const char *path) {
    return model->values[value_at(model, path)].nominal;
}

#endif
