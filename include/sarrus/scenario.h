/* From a scenario file (YAML, format number 1) to an immutable model in SI units. */
#ifndef SARRUS_SCENARIO_H
#define SARRUS_SCENARIO_H

#include <stddef.h>
#include <stdint.h>

#include "sarrus/context.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct sarrus_model sarrus_model;

/* The largest mechanism: bodies, joints, and rows of its Jacobian (scalar constraints, drives included). The product of rows and
 * coordinates is below 2³¹, which the kernels count to. */
enum { SARRUS_MAX_BODIES = 16000, SARRUS_MAX_JOINTS = 32000, SARRUS_MAX_ROWS = 44000, SARRUS_MAX_CONSTRAINTS = 4000 };

/* The most scenarios that run together. */
enum { SARRUS_MAX_GROUPS = 64 };

/* `--set PATH=VALUE`: `value` is YAML text put at `path` (keys joined by dots, list items by name or index). */
typedef struct sarrus_override {
    const char *path;
    const char *value;
} sarrus_override;

/* Reads `path`, applies the overrides in order and checks everything the file says; several errors are found in one
 * call and left in `context`. `*out` is the caller's (sarrus_model_destroy).
 * Errors: BAD_INPUT (diagnostics with line and column), IO, UNSUPPORTED (a feature of a later version), NO_MEMORY. */
SARRUS_MUST_USE sarrus_status sarrus_scenario_read_file(sarrus_context *context, const char *path, const sarrus_override *overrides,
                                                        size_t n_overrides, sarrus_model **out);

/* The same from memory; `name` stands for the file in diagnostics, `text` holds `n_bytes` bytes (no end mark needed). */
SARRUS_MUST_USE sarrus_status sarrus_scenario_read_text(sarrus_context *context, const char *name, const char *text, size_t n_bytes,
                                                        const sarrus_override *overrides, size_t n_overrides, sarrus_model **out);

/* Frees a model; NULL is allowed. Plans and batches made from it must be destroyed before. */
void sarrus_model_destroy(sarrus_model *model);

/* The scenario as run (overrides applied), YAML text owned by the model. */
const char *sarrus_model_resolved(const sarrus_model *model);

/* The `name` of the scenario ("" when it has none), owned by the model. */
const char *sarrus_model_name(const sarrus_model *model);

/* What signals move ground by: the i-th of "x", "y", "z" and "angle" that has one; NULL: there are no more. */
const char *sarrus_model_ground_motion(const sarrus_model *model, int i);

/* Number of instances, those that a design makes of its points, and seed that the file asks for. */
uint64_t sarrus_model_n_instances(const sarrus_model *model);
uint64_t sarrus_model_seed(const sarrus_model *model);

#ifdef __cplusplus
}
#endif

#endif
