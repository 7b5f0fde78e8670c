/* The mapping `dynamics`: how to compute accelerations, and what holds the constraints. */
#include "core/formulation_kind.h"
#include "scenario/reader.h"
#include "scenario/suggest.h"

static const sarrus_word formulations[] = {
    {"auto", SARRUS_FORMULATION_AUTO},
#define SARRUS_FORMULATION(name, value, word, kernel, dense, text) {word, value},
#include "sarrus/formulation.def"
};

static const sarrus_word pinvs[] = {
#define SARRUS_PINV_METHOD(name, value, word, kernel, text) {word, value},
#include "sarrus/pinv_methods.def"
};

static const sarrus_word rank_methods[] = {
#define SARRUS_RANK_METHOD(name, value, word, tolerance, text) {word, value},
#include "sarrus/rank_methods.def"
};

static const sarrus_word projections[] = {{"none", SARRUS_PROJECTION_NONE}, {"every_step", SARRUS_PROJECTION_EVERY_STEP}};

static const sarrus_word baumgarte_rules[] = {{"step", 1}};

enum {
    n_formulations = sizeof formulations / sizeof formulations[0],
    n_pinvs = sizeof pinvs / sizeof pinvs[0],
    n_rank_methods = sizeof rank_methods / sizeof rank_methods[0],
    n_projections = sizeof projections / sizeof projections[0],
};

static bool is_present(const sarrus_node *node) {
    return node != NULL && !sarrus_node_is_null(node);
}

static void read_formulation(sarrus_reader *reader, sarrus_node *node, void *object) {
    sarrus_model *model = object;
    int code = 0;
    if (node != NULL && sarrus_word_read(reader, node, "formulation", formulations, n_formulations, &code)) {
        model->dynamics.formulation = (sarrus_formulation)code;
        model->dynamics.formulation_place = sarrus_node_place(node);
    }
}

static void read_pinv(sarrus_reader *reader, sarrus_node *node, void *object) {
    sarrus_model *model = object;
    int code = 0;
    if (node != NULL && sarrus_word_read(reader, node, "pinv", pinvs, n_pinvs, &code)) {
        model->dynamics.pinv = (sarrus_pinv_method)code;
    }
}

/* A rank method, and the default of its tolerance. */
static void read_rank_method(sarrus_reader *reader, sarrus_node *node, void *object) {
    sarrus_model *model = object;
    int code = 0;
    if (node != NULL && sarrus_word_read(reader, node, "rank method", rank_methods, n_rank_methods, &code)) {
        model->dynamics.rank_method = (sarrus_rank_method)code;
        model->dynamics.rank_tolerance = sarrus_rank_method_tolerance(model->dynamics.rank_method);
    }
}

/* Whether the tolerance is a fraction of a larger one of the sizes, so that 1 would leave nothing. */
static bool is_fraction(sarrus_rank_method method) {
    return method == SARRUS_RANK_RELATIVE || method == SARRUS_RANK_GAP || method == SARRUS_RANK_TRACKED;
}

static void read_rank_tolerance(sarrus_reader *reader, sarrus_node *node, void *object) {
    sarrus_model *model = object;
    const sarrus_rank_method method = model->dynamics.rank_method;
    double tolerance = 0;
    if (node == NULL || !sarrus_number_read(reader, node, SARRUS_RULE_POSITIVE, &tolerance, NULL)) {
        return;
    }
    if (method == SARRUS_RANK_AUTO) {
        sarrus_reader_refuse(reader, node->key,
                             "a tolerance for the rank method 'auto', which takes none; expected another method or no 'tol'");
    } else if (is_fraction(method) && tolerance >= 1) {
        sarrus_reader_refuse(reader, node, "'%s' is %.10g; expected a relative tolerance below 1", reader->path, tolerance);
    } else {
        model->dynamics.rank_tolerance = tolerance;
    }
}

static const sarrus_key rank_keys[] = {
    {.name = "method", .flags = SARRUS_KEY_REQUIRED, .read = read_rank_method},
    {.name = "tol", .read = read_rank_tolerance},
};

static void read_rank(sarrus_reader *reader, sarrus_node *node, void *object) {
    if (node != NULL) {
        (void)sarrus_mapping_read(reader, node, "rank", rank_keys, 2, object);
    }
}

static void read_baumgarte_rule(sarrus_reader *reader, sarrus_node *node, void *object) {
    sarrus_model *model = object;
    int code = 0;
    if (node != NULL && sarrus_word_read(reader, node, "rule", baumgarte_rules, 1, &code)) {
        model->dynamics.has_step_gains = true;
    }
}

static const sarrus_key baumgarte_keys[] = {
    {"alpha", SARRUS_KEY_SCALAR, NULL, offsetof(sarrus_model, dynamics.alpha), 0, SARRUS_RULE_NOT_NEGATIVE},
    {"beta", SARRUS_KEY_SCALAR, NULL, offsetof(sarrus_model, dynamics.beta), 0, SARRUS_RULE_NOT_NEGATIVE},
    {.name = "rule", .read = read_baumgarte_rule},
};

/* Called with NULL too, so that both numbers are in the table and can be sampled. */
static void read_baumgarte(sarrus_reader *reader, sarrus_node *node, void *object) {
    sarrus_node nothing = {.kind = SARRUS_NODE_MAPPING};
    sarrus_model *model = object;
    sarrus_node *mapping = node != NULL ? node : &nothing;
    if (!sarrus_mapping_read(reader, mapping, "baumgarte", baumgarte_keys, sizeof baumgarte_keys / sizeof baumgarte_keys[0],
                             object)) {
        return;
    }
    const sarrus_node *rule = sarrus_node_child(mapping, "rule");
    if (rule != NULL && (sarrus_node_child(mapping, "alpha") != NULL || sarrus_node_child(mapping, "beta") != NULL)) {
        sarrus_reader_refuse(reader, rule->key, "both a rule and gains; expected 'rule', or 'alpha' and 'beta'");
    }
    if (model->dynamics.has_step_gains && model->dynamics.alpha != SARRUS_NO_VALUE && model->dynamics.beta != SARRUS_NO_VALUE) {
        reader->notes[model->dynamics.alpha].fixed_because = "the gains follow from the step";
        reader->notes[model->dynamics.beta].fixed_because = "the gains follow from the step";
    }
}

static void read_projection_tolerance(sarrus_reader *reader, sarrus_node *node, void *object) {
    sarrus_model *model = object;
    if (node != NULL && sarrus_number_read(reader, node, SARRUS_RULE_POSITIVE, &model->dynamics.projection_tolerance, NULL)) {
        model->dynamics.projection = SARRUS_PROJECTION_TOLERANCE;
    }
}

static const sarrus_key projection_keys[] = {
    {.name = "tolerance", .flags = SARRUS_KEY_REQUIRED, .read = read_projection_tolerance}};

/* Whether a gain is, or can become, other than zero. */
static bool is_gain(const sarrus_model *model, sarrus_value_index i) {
    return i != SARRUS_NO_VALUE && (model->values[i].nominal != 0.0 || model->values[i].expression != NULL);
}

/* Without a word about stabilization every step is projected: a mechanism that passes a singular position off its constraints
 * leaves its branch, and a pseudoinverse of a redundant Jacobian does not hold what it leaves out. With Baumgarte's gains
 * the choice has been made. */
static void read_projection(sarrus_reader *reader, sarrus_node *node, void *object) {
    sarrus_model *model = object;
    int code = 0;
    if (node == NULL) {
        bool has_gains =
            model->dynamics.has_step_gains || is_gain(model, model->dynamics.alpha) || is_gain(model, model->dynamics.beta);
        model->dynamics.projection = has_gains ? SARRUS_PROJECTION_NONE : SARRUS_PROJECTION_EVERY_STEP;
        return;
    }
    if (node->kind == SARRUS_NODE_MAPPING) {
        (void)sarrus_mapping_read(reader, node, "projection", projection_keys, 1, object);
    } else if (sarrus_word_read(reader, node, "projection", projections, n_projections, &code)) {
        model->dynamics.projection = (sarrus_projection)code;
    }
}

static void refuse_joint(sarrus_reader *reader, const sarrus_node *item) {
    char shown[SARRUS_SHOWN_BYTES];
    if (item->kind != SARRUS_NODE_SCALAR || sarrus_node_is_null(item)) {
        sarrus_reader_refuse(reader, item, "'%s' is %s; expected the name of a joint", reader->path, sarrus_node_kind_text(item));
        return;
    }
    sarrus_suggestion suggestion = sarrus_suggestion_for(item->text);
    const int n_candidates = sarrus_reader_candidates(reader, reader->model->n_joints);
    for (int i = 0; i < n_candidates; ++i) {
        sarrus_suggestion_offer(&suggestion, reader->model->joints[i].name);
    }
    const char *close = sarrus_suggestion_close(&suggestion);
    (void)sarrus_node_shown(item, shown);
    if (close != NULL) {
        sarrus_reader_refuse(reader, item, "no joint is called '%s'; did you mean '%s'?", shown, close);
    } else {
        sarrus_reader_refuse(reader, item, "no joint is called '%s'; expected the name of one of the joints", shown);
    }
}

/* Whether the rest is a spanning tree is the plan's to say. */
static void read_cut(sarrus_reader *reader, sarrus_node *node, void *object) {
    sarrus_model *model = object;
    sarrus_cut_list *cut = &model->dynamics.cut;
    sarrus_names taken = {0};
    if (node == NULL || !sarrus_list_check(reader, node, -1, "a list of the joints to cut")) {
        return;
    }
    cut->is_given = true;
    cut->place = sarrus_node_place(node);
    cut->joint = sarrus_reader_allocate(reader, node->n_children, sizeof *cut->joint);
    cut->place_of = sarrus_reader_allocate(reader, node->n_children, sizeof *cut->place_of);
    for (sarrus_node *item = node->first; item != NULL && !reader->findings.is_out_of_memory; item = item->next) {
        const bool is_name = item->kind == SARRUS_NODE_SCALAR && !sarrus_node_is_null(item);
        const int32_t i_joint = is_name ? sarrus_names_find(&reader->joint_names, item->text) : -1;
        if (i_joint < 0) {
            refuse_joint(reader, item);
            continue;
        }
        const sarrus_status added = sarrus_names_add(&taken, item->text, i_joint);
        if (added == SARRUS_NO_MEMORY) {
            reader->findings.is_out_of_memory = true;
        } else if (added != SARRUS_OK) {
            sarrus_reader_refuse(reader, item, "the joint '%s' stands twice; expected each joint once", item->text);
        } else {
            cut->place_of[cut->n] = sarrus_node_place(item);
            cut->joint[cut->n++] = i_joint;
        }
    }
    sarrus_names_clear(&taken);
}

static const sarrus_key dynamics_keys[] = {
    {.name = "formulation", .read = read_formulation},
    {.name = "pinv", .read = read_pinv},
    {.name = "rank", .read = read_rank},
    {.name = "baumgarte", .read = read_baumgarte},
    {.name = "projection", .read = read_projection},
    {.name = "cut", .read = read_cut},
    {.name = "multipliers", .read = sarrus_weights_read},
};

/* Libraries are asked for one matrix, that of udwadia-kalaba. */
static void settle_formulation(sarrus_reader *reader, const sarrus_node *node) {
    const sarrus_model *model = reader->model;
    const bool is_library = model->dynamics.pinv == SARRUS_PINV_LAPACK || (int)model->dynamics.pinv >= SARRUS_N_PINV_HOST_METHODS;
    if (is_library && sarrus_formulation_is_in_full(model->dynamics.formulation))
        sarrus_reader_refuse(
            reader, sarrus_node_child(node, "pinv"),
            "'pinv: %s' beside 'formulation: %s'; expected a method of the lanes, or 'formulation: udwadia-kalaba'",
            sarrus_pinv_method_word(model->dynamics.pinv), sarrus_formulation_word(model->dynamics.formulation));
    if (sarrus_formulation_takes_pinv(model->dynamics.formulation))
        return;
    if (model->dynamics.pinv != SARRUS_PINV_AUTO)
        sarrus_reader_refuse(reader, sarrus_node_child(node, "pinv"),
                             "'pinv: %s' beside 'formulation: %s', which takes no pseudoinverse; expected no 'pinv'",
                             sarrus_pinv_method_word(model->dynamics.pinv), sarrus_formulation_word(model->dynamics.formulation));
    if (model->dynamics.rank_method != SARRUS_RANK_AUTO)
        sarrus_reader_refuse(reader, sarrus_node_child(node, "rank"),
                             "a rank method beside 'formulation: %s', which takes the plan's independent rows; expected no 'rank'",
                             sarrus_formulation_word(model->dynamics.formulation));
}

void sarrus_dynamics_read(sarrus_reader *reader, sarrus_node *node, void *object) {
    sarrus_node nothing = {.kind = SARRUS_NODE_MAPPING};
    sarrus_model *model = object;
    model->dynamics.formulation = SARRUS_FORMULATION_AUTO;
    model->dynamics.rank_tolerance = sarrus_rank_method_tolerance(SARRUS_RANK_AUTO);
    (void)sarrus_mapping_read(reader, is_present(node) ? node : &nothing, "dynamics", dynamics_keys,
                              sizeof dynamics_keys / sizeof dynamics_keys[0], object);
    if (is_present(node) && node->kind == SARRUS_NODE_MAPPING)
        settle_formulation(reader, node);
}
