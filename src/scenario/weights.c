/* `dynamics: {multipliers: …}`: what multipliers that are not unique are least in. */
#include "scenario/reader.h"
#include "scenario/suggest.h"

static const sarrus_word rules[] = {
    {"equal", SARRUS_WEIGHTS_EQUAL}, {"units", SARRUS_WEIGHTS_UNITS}, {"masses", SARRUS_WEIGHTS_MASSES}};

enum { n_rules = sizeof rules / sizeof rules[0] };

/* Squared they are to stay far from what double precision tells apart. */
static const double least_weight = 1e-3, most_weight = 1e3;

static bool read_weight(sarrus_reader *reader, const sarrus_node *node, double *out) {
    if (!sarrus_number_read(reader, node, SARRUS_RULE_POSITIVE, out, NULL))
        return false;
    if (*out >= least_weight && *out <= most_weight)
        return true;
    sarrus_reader_refuse(reader, node, "'%s' is %.10g; expected a weight from 0.001 to 1000", reader->path, *out);
    return false;
}

/* One number, or one for forces and one for moments. */
static void read_pair(sarrus_reader *reader, const sarrus_node *node, double of[2]) {
    if (node->kind != SARRUS_NODE_SEQUENCE) {
        if (read_weight(reader, node, &of[0]))
            of[1] = of[0];
        return;
    }
    if (!sarrus_list_check(reader, node, 2, "a number, or two: of forces and of moments"))
        return;
    int k = 0;
    for (const sarrus_node *item = node->first; item != NULL; item = item->next, ++k) {
        const size_t n_path = sarrus_path_push_index(reader, k);
        (void)read_weight(reader, item, &of[k]);
        sarrus_path_pop(reader, n_path);
    }
}

static void refuse_owner(sarrus_reader *reader, const sarrus_node *node) {
    const sarrus_model *model = reader->model;
    sarrus_suggestion suggestion = sarrus_suggestion_for(node->key->text);
    const int n_candidates = sarrus_reader_candidates(reader, model->n_joints + model->n_constraints);
    for (int i = 0; i < n_candidates && i < model->n_joints; ++i)
        sarrus_suggestion_offer(&suggestion, model->joints[i].name);
    for (int i = model->n_joints; i < n_candidates; ++i)
        sarrus_suggestion_offer(&suggestion, model->constraints[i - model->n_joints].name);
    const char *close = sarrus_suggestion_close(&suggestion);
    char shown[SARRUS_SHOWN_BYTES];
    (void)sarrus_node_shown(node->key, shown);
    if (close != NULL)
        sarrus_reader_refuse(reader, node->key, "no joint and no constraint is called '%s'; did you mean '%s'?", shown, close);
    else
        sarrus_reader_refuse(reader, node->key, "no joint and no constraint is called '%s'; expected the name of one", shown);
}

/* {A: 2, B: [1, 0.5]}. A constraint may be called as a joint is: then the joint is meant. */
static void read_given(sarrus_reader *reader, sarrus_node *node, sarrus_model *model) {
    const int n_owners = model->n_joints + model->n_constraints;
    sarrus_weights *weights = &model->dynamics.weights;
    weights->of = sarrus_reader_allocate(reader, 2 * n_owners, sizeof *weights->of);
    for (int i = 0; weights->of != NULL && i < 2 * n_owners; ++i)
        weights->of[i] = 1.0;
    for (sarrus_node *item = node->first; weights->of != NULL && item != NULL; item = item->next) {
        int owner = sarrus_names_find(&reader->joint_names, item->key->text);
        const int i_constraint = owner < 0 ? sarrus_names_find(&reader->constraint_names, item->key->text) : -1;
        owner = i_constraint >= 0 ? model->n_joints + i_constraint : owner;
        if (owner < 0) {
            refuse_owner(reader, item);
            continue;
        }
        const size_t n_path = sarrus_path_push(reader, item->key->text);
        read_pair(reader, item, weights->of + 2 * (size_t)owner);
        sarrus_path_pop(reader, n_path);
    }
    weights->rule = SARRUS_WEIGHTS_GIVEN;
}

void sarrus_weights_read(sarrus_reader *reader, sarrus_node *node, void *object) {
    sarrus_model *model = object;
    int code = 0;
    if (node == NULL)
        return;
    model->dynamics.weights.place = sarrus_node_place(node);
    if (node->kind == SARRUS_NODE_MAPPING)
        read_given(reader, node, model);
    else if (sarrus_word_read(reader, node, "weighting of multipliers", rules, n_rules, &code))
        model->dynamics.weights.rule = (sarrus_weights_rule)code;
}
