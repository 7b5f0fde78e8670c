/* The mapping `batch.correlation`: correlations of the normal scores of pairs of sampled parameters. */
#include "scenario/reader.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "scenario/suggest.h"

/* Its matrix has the square of this, its factor a third of the cube. */
enum { most_correlated = 1024 };

/* Smaller pivots are those of a matrix that is singular but for rounding. */
static const double least_pivot = 1e-12;

/* Which sampled parameter has this label; −1 with a finding: none. One whose own target was refused has no label, and may be the
 * one that is meant: then −1 without a second finding. */
static int label_find(sarrus_reader *reader, const sarrus_node *node, const char *name) {
    const sarrus_model *model = reader->model;
    bool has_unlabelled = false;
    for (int i = 0; i < model->batch.n_sampled; ++i) {
        const char *label = model->batch.sampled[i].label;
        has_unlabelled = has_unlabelled || label == NULL || model->batch.sampled[i].n_targets == 0;
        if (label != NULL && strcmp(label, name) == 0) {
            return i;
        }
    }
    if (has_unlabelled) {
        return -1;
    }
    sarrus_suggestion suggestion = sarrus_suggestion_for(name);
    const int n_candidates = sarrus_reader_candidates(reader, model->batch.n_sampled);
    for (int i = 0; i < n_candidates; ++i) {
        sarrus_suggestion_offer(&suggestion, model->batch.sampled[i].label);
    }
    if (suggestion.best != NULL) {
        sarrus_reader_refuse(reader, node, "no sampled parameter is called '%.60s'; did you mean '%s'?", name, suggestion.best);
    } else {
        sarrus_reader_refuse(reader, node, "no sampled parameter is called '%.60s'; expected the name or first path of one", name);
    }
    return -1;
}

/* The text between blanks, ended by a zero; `text` is changed. */
static char *trimmed(char *text) {
    text += strspn(text, " ");
    for (size_t n = strlen(text); n > 0 && text[n - 1] == ' '; --n) {
        text[n - 1] = '\0';
    }
    return text;
}

/* The two parameters of a key [L, m], which the parser has as that text. */
static bool read_pair(sarrus_reader *reader, const sarrus_node *key, int pair[2]) {
    char *text = sarrus_reader_copy(reader, key->text);
    if (text == NULL) {
        return false;
    }
    char *inner = trimmed(text);
    const size_t n = strlen(inner);
    char *comma = strchr(inner, ',');
    const bool is_pair = n > 2 && inner[0] == '[' && inner[n - 1] == ']' && comma != NULL && strchr(comma + 1, ',') == NULL;
    if (is_pair) {
        inner[n - 1] = '\0';
        *comma = '\0';
        pair[0] = label_find(reader, key, trimmed(inner + 1));
        pair[1] = label_find(reader, key, trimmed(comma + 1));
    } else {
        sarrus_reader_refuse(reader, key, "'correlation' has a key that is no pair; expected two sampled parameters, as [L, m]");
    }
    free(text);
    if (is_pair && pair[0] >= 0 && pair[0] == pair[1]) {
        sarrus_reader_refuse(reader, key, "a correlation of a parameter with itself; expected two different ones");
    }
    return is_pair && pair[0] >= 0 && pair[1] >= 0 && pair[0] != pair[1];
}

static bool read_entry(sarrus_reader *reader, const sarrus_node *node, double *matrix) {
    const int n = reader->model->batch.n_sampled;
    int pair[2] = {-1, -1};
    double value = 0;
    if (!read_pair(reader, node->key, pair) || !sarrus_number_read(reader, node, SARRUS_RULE_ANY, &value, NULL)) {
        return false;
    }
    const int row = pair[0] > pair[1] ? pair[0] : pair[1], column = pair[0] > pair[1] ? pair[1] : pair[0];
    double *entry = &matrix[(size_t)row * (size_t)n + (size_t)column];
    if (fabs(value) >= 1) {
        sarrus_reader_refuse(reader, node, "a correlation of %.10g; expected a number between -1 and 1", value);
    } else if (!isnan(*entry)) {
        sarrus_reader_refuse(reader, node->key, "the correlation of this pair stands twice; expected it once");
    } else {
        *entry = value;
        return true;
    }
    return false;
}

/* Cholesky's factor over the lower half. Returns the row without a positive pivot, −1: none. */
static int factor(double *matrix, int n) {
    for (int i = 0; i < n; ++i) {
        double *row = matrix + (size_t)i * (size_t)n, rest = 1.0;
        for (int k = 0; k < i; ++k) {
            const double *other = matrix + (size_t)k * (size_t)n;
            double sum = row[k];
            for (int j = 0; j < k; ++j) {
                sum -= row[j] * other[j];
            }
            row[k] = sum / other[k];
            rest -= row[k] * row[k];
        }
        if (!(rest > least_pivot)) {
            return i;
        }
        row[i] = sqrt(rest);
    }
    return -1;
}

void sarrus_correlation_read(sarrus_reader *reader, sarrus_node *node, void *object) {
    sarrus_model *model = object;
    const int n = model->batch.n_sampled;
    if (node == NULL || sarrus_node_is_null(node)) {
        return;
    }
    if (node->kind != SARRUS_NODE_MAPPING) {
        sarrus_reader_refuse(reader, node, "'correlation' is %s; expected a mapping as {[L, m]: 0.6}", sarrus_node_kind_text(node));
        return;
    }
    if (n > most_correlated) {
        sarrus_reader_refuse(reader, node, "a correlation of %d parameters; expected at most %d", n, (int)most_correlated);
        return;
    }
    if (node->n_children == 0) {
        return;
    }
    double *matrix = sarrus_reader_allocate(reader, n * n, sizeof *matrix);
    bool is_good = matrix != NULL;
    model->batch.correlation = matrix;
    for (int i = 0; is_good && i < n; ++i) {
        for (int k = 0; k < i; ++k) {
            matrix[(size_t)i * (size_t)n + (size_t)k] = (double)NAN; /* not given */
        }
    }
    for (const sarrus_node *entry = node->first; matrix != NULL && entry != NULL; entry = entry->next) {
        is_good = read_entry(reader, entry, matrix) && is_good;
    }
    for (int i = 0; matrix != NULL && i < n * n; ++i) {
        matrix[i] = isnan(matrix[i]) ? 0 : matrix[i];
    }
    const int bad = is_good ? factor(matrix, n) : -1;
    if (bad >= 0) {
        sarrus_reader_refuse(reader, node,
                             "the correlations contradict each other at '%s': their matrix is not positive definite; expected "
                             "smaller ones",
                             model->batch.sampled[bad].label);
    }
}
