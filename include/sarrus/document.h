/* What a scenario file says: one scenario, or a list of several that are run together (docs/scenario.md). A run of either is a list
 * of groups, each of one model. */
#ifndef SARRUS_DOCUMENT_H
#define SARRUS_DOCUMENT_H

#include <stddef.h>

#include "sarrus/scenario.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct sarrus_document sarrus_document;

/* Reads `path` and the scenarios that it names, if it is a list of some: their names are relative to its folder. Overrides are
 * applied in order; of a list those whose path begins with a number and a dot go to the scenario of that number, the others to the
 * document. Several errors are found in one call and left in `context`, each with the file that it is about. `*out` is the caller's
 * (sarrus_document_destroy). Errors: those of sarrus_scenario_read_file; a scenario that cannot be read is BAD_INPUT. */
SARRUS_MUST_USE sarrus_status sarrus_document_read_file(sarrus_context *context, const char *path, const sarrus_override *overrides,
                                                        size_t n_overrides, sarrus_document **out);

/* The same from memory; `name` stands for the file in diagnostics, and its folder is that of the files which it names. */
SARRUS_MUST_USE sarrus_status sarrus_document_read_text(sarrus_context *context, const char *name, const char *text, size_t n_bytes,
                                                        const sarrus_override *overrides, size_t n_overrides,
                                                        sarrus_document **out);

/* Frees a document with its models; NULL is allowed. Plans and batches made from them must be destroyed before. */
void sarrus_document_destroy(sarrus_document *document);

/* 1: a list of scenarios, of one or more; 0: a scenario. */
int sarrus_document_is_mixed(const sarrus_document *document);

/* Number of groups: 1 for a scenario. */
int sarrus_document_n_groups(const sarrus_document *document);

/* The model of a group, and the file it is from as the document names it (of a scenario: `path` or `name`). The document's; NULL
 * when there is no such group. */
const sarrus_model *sarrus_document_model(const sarrus_document *document, int i_group);
const char *sarrus_document_file(const sarrus_document *document, int i_group);

/* The document as run (overrides applied), YAML, and its `name` ("" when it has none). The document's. */
const char *sarrus_document_resolved(const sarrus_document *document);
const char *sarrus_document_name(const sarrus_document *document);

#ifdef __cplusplus
}
#endif

#endif
