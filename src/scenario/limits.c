/* The mapping `limits`, or the word `off` for none of them: what an instance that is marked ok keeps to. */
#include <ctype.h>
#include <math.h>
#include <string.h>

#include "scenario/reader.h"

static const sarrus_word words[] = {{"auto", 0}, {"off", 1}};

/* `auto`, `off` or a number > 0. */
static void read_limit(sarrus_reader *reader, sarrus_node *node, double *out) {
    int code = 0;
    if (node == NULL)
        return;
    if (node->kind != SARRUS_NODE_SCALAR || sarrus_node_is_null(node)) {
        sarrus_reader_refuse(reader, node, "'%s' is %s; expected a number > 0, 'off' or 'auto'", reader->path,
                             sarrus_node_kind_text(node));
        return;
    }
    const bool is_word = isalpha((unsigned char)node->text[0]);
    if (!is_word) {
        (void)sarrus_number_read(reader, node, SARRUS_RULE_POSITIVE, out, NULL);
    } else if (sarrus_word_read(reader, node, "limit (a number > 0, or a word)", words, 2, &code)) {
        *out = code == 0 ? (double)NAN : (double)INFINITY;
    }
}

static void read_violation(sarrus_reader *reader, sarrus_node *node, void *object) {
    read_limit(reader, node, &((sarrus_model *)object)->limits.violation);
}

static void read_energy(sarrus_reader *reader, sarrus_node *node, void *object) {
    read_limit(reader, node, &((sarrus_model *)object)->limits.energy);
}

static void read_error(sarrus_reader *reader, sarrus_node *node, void *object) {
    read_limit(reader, node, &((sarrus_model *)object)->limits.error);
}

static const sarrus_key keys[] = {
    {.name = "violation", .read = read_violation}, {.name = "energy", .read = read_energy}, {.name = "error", .read = read_error}};

void sarrus_limits_read(sarrus_reader *reader, sarrus_node *node, void *object) {
    sarrus_model *model = object;
    model->limits.violation = model->limits.energy = model->limits.error = (double)NAN;
    if (node == NULL || sarrus_node_is_null(node))
        return;
    if (node->kind == SARRUS_NODE_MAPPING)
        (void)sarrus_mapping_read(reader, node, "limits", keys, sizeof keys / sizeof keys[0], object);
    else if (node->kind == SARRUS_NODE_SCALAR && strcmp(node->text, "off") == 0)
        model->limits.violation = model->limits.energy = model->limits.error = (double)INFINITY;
    else
        sarrus_reader_refuse(reader, node,
                             "limits is %s; expected a mapping with the keys 'violation', 'energy' and 'error', or 'off'",
                             sarrus_node_kind_text(node));
}
