/* The mappings `dynamics`, `integrator` and `output`: how to compute, not what. */
#include "scenario/reader.h"

#include <math.h>

/* A step count beyond this would outlast any run and the exactness of a double. */
static const double max_steps = 1e12;

static const sarrus_word formulations[] = {
    {"udwadia-kalaba", SARRUS_FORMULATION_UDWADIA_KALABA},
    {"saddle", -1},
    {"range-space", -1},
    {"square-root", -1},
    {"null-space", -1},
    {"constraint-force", -1},
    {"partial-elimination", -1},
    {"barycentric", -1},
    {"relative", -1},
    {"tree-cut", -1},
    {"recursive", -1},
};

static const sarrus_word pinvs[] = {
    {"auto", SARRUS_PINV_AUTO},
    {"svd", SARRUS_PINV_SVD},
    {"lapack", SARRUS_PINV_LAPACK},
    {"jacobi", -1},
    {"greville", -1},
    {"varga", -1},
    {"householder", -1},
    {"mgs", -1},
    {"mgs2", -1},
    {"cholesky", -1},
    {"tikhonov", -1},
    {"normal", -1},
};

static const sarrus_word rank_methods[] = {
    {"auto", SARRUS_RANK_AUTO},
    {"relative", SARRUS_RANK_RELATIVE},
    {"absolute", SARRUS_RANK_ABSOLUTE},
    {"gap", -1},
    {"tracked", -1},
    {"violation", -1},
};

static const sarrus_word projections[] = {{"none", SARRUS_PROJECTION_NONE}, {"every_step", SARRUS_PROJECTION_EVERY_STEP}};

static const sarrus_word integrators[] = {{"rk4", SARRUS_INTEGRATOR_RK4},
                                          {"dopri5", SARRUS_INTEGRATOR_DOPRI5},
                                          {"verner65", SARRUS_INTEGRATOR_VERNER65},
                                          {"adams-moulton", SARRUS_INTEGRATOR_ADAMS_MOULTON},
                                          {"semi-implicit", SARRUS_INTEGRATOR_SEMI_IMPLICIT}};

static const sarrus_word channels[] = {{"state", SARRUS_CHANNEL_STATE},           {"energy", SARRUS_CHANNEL_ENERGY},
                                       {"constraint", SARRUS_CHANNEL_CONSTRAINT}, {"rank", SARRUS_CHANNEL_RANK},
                                       {"reactions", SARRUS_CHANNEL_REACTIONS},   {"statistics", -1}};

enum {
    n_formulations = sizeof formulations / sizeof formulations[0],
    n_pinvs = sizeof pinvs / sizeof pinvs[0],
    n_rank_methods = sizeof rank_methods / sizeof rank_methods[0],
    n_projections = sizeof projections / sizeof projections[0],
    n_integrators = sizeof integrators / sizeof integrators[0],
    n_channels = sizeof channels / sizeof channels[0],
};

static bool is_present(const sarrus_node *node) {
    return node != NULL && !sarrus_node_is_null(node);
}

static void read_formulation(sarrus_reader *reader, sarrus_node *node, void *object) {
    sarrus_model *model = object;
    int code = 0;
    if (node != NULL && sarrus_word_read(reader, node, "formulation", formulations, n_formulations, &code)) {
        model->dynamics.formulation = (sarrus_formulation)code;
    }
}

static void read_pinv(sarrus_reader *reader, sarrus_node *node, void *object) {
    sarrus_model *model = object;
    int code = 0;
    if (node != NULL && sarrus_word_read(reader, node, "pinv", pinvs, n_pinvs, &code)) {
        model->dynamics.pinv = (sarrus_pinv_method)code;
    }
}

static void read_rank_method(sarrus_reader *reader, sarrus_node *node, void *object) {
    sarrus_model *model = object;
    int code = 0;
    if (node != NULL && sarrus_word_read(reader, node, "rank method", rank_methods, n_rank_methods, &code)) {
        model->dynamics.rank_method = (sarrus_rank_method)code;
    }
}

static void read_rank_tolerance(sarrus_reader *reader, sarrus_node *node, void *object) {
    sarrus_model *model = object;
    double tolerance = 0;
    if (node == NULL || !sarrus_number_read(reader, node, SARRUS_RULE_POSITIVE, &tolerance, NULL)) {
        return;
    }
    if (model->dynamics.rank_method == SARRUS_RANK_AUTO) {
        sarrus_reader_refuse(reader, node->key,
                             "a tolerance for the rank method 'auto', which takes none; expected the method relative or absolute");
    } else if (model->dynamics.rank_method == SARRUS_RANK_RELATIVE && tolerance >= 1) {
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

static const sarrus_key baumgarte_keys[] = {
    {"alpha", SARRUS_KEY_SCALAR, NULL, offsetof(sarrus_model, dynamics.alpha), 0, SARRUS_RULE_NOT_NEGATIVE},
    {"beta", SARRUS_KEY_SCALAR, NULL, offsetof(sarrus_model, dynamics.beta), 0, SARRUS_RULE_NOT_NEGATIVE},
};

/* Called with NULL too, so that both numbers are in the table and can be sampled. */
static void read_baumgarte(sarrus_reader *reader, sarrus_node *node, void *object) {
    sarrus_node nothing = {.kind = SARRUS_NODE_MAPPING};
    (void)sarrus_mapping_read(reader, node != NULL ? node : &nothing, "baumgarte", baumgarte_keys, 2, object);
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

/* Without a word about stabilisation every step is projected: a mechanism that passes a singular position off its constraints
 * leaves its branch, and a pseudoinverse of a redundant Jacobian does not hold what it leaves out. With Baumgarte's gains
 * the choice has been made. */
static void read_projection(sarrus_reader *reader, sarrus_node *node, void *object) {
    sarrus_model *model = object;
    int code = 0;
    if (node == NULL) {
        bool has_gains = is_gain(model, model->dynamics.alpha) || is_gain(model, model->dynamics.beta);
        model->dynamics.projection = has_gains ? SARRUS_PROJECTION_NONE : SARRUS_PROJECTION_EVERY_STEP;
        return;
    }
    if (node->kind == SARRUS_NODE_MAPPING) {
        (void)sarrus_mapping_read(reader, node, "projection", projection_keys, 1, object);
    } else if (sarrus_word_read(reader, node, "projection", projections, n_projections, &code)) {
        model->dynamics.projection = (sarrus_projection)code;
    }
}

static const sarrus_key dynamics_keys[] = {
    {.name = "formulation", .read = read_formulation},
    {.name = "pinv", .read = read_pinv},
    {.name = "rank", .read = read_rank},
    {.name = "baumgarte", .read = read_baumgarte},
    {.name = "projection", .read = read_projection},
};

void sarrus_dynamics_read(sarrus_reader *reader, sarrus_node *node, void *object) {
    sarrus_node nothing = {.kind = SARRUS_NODE_MAPPING};
    sarrus_model *model = object;
    model->dynamics.rank_tolerance = 1e-10;
    (void)sarrus_mapping_read(reader, is_present(node) ? node : &nothing, "dynamics", dynamics_keys,
                              sizeof dynamics_keys / sizeof dynamics_keys[0], object);
}

static void read_method(sarrus_reader *reader, sarrus_node *node, void *object) {
    sarrus_model *model = object;
    int code = 0;
    if (node != NULL && sarrus_word_read(reader, node, "integrator", integrators, n_integrators, &code)) {
        model->integrator.method = (sarrus_integrator)code;
    }
}

static void read_dt(sarrus_reader *reader, sarrus_node *node, void *object) {
    sarrus_model *model = object;
    if (node != NULL) {
        (void)sarrus_number_read(reader, node, SARRUS_RULE_POSITIVE, &model->integrator.dt, NULL);
    }
}

static void read_t_end(sarrus_reader *reader, sarrus_node *node, void *object) {
    sarrus_model *model = object;
    double t_end = 0;
    if (node == NULL || !sarrus_number_read(reader, node, SARRUS_RULE_NOT_NEGATIVE, &t_end, NULL)) {
        return;
    }
    const double dt = model->integrator.dt;
    if (dt > 0 && t_end / dt > max_steps) {
        sarrus_reader_refuse(reader, node, "the run would take %.3g steps; expected t_end / dt <= 1e12", t_end / dt);
        return;
    }
    model->integrator.t_end = t_end;
}

static void read_rtol(sarrus_reader *reader, sarrus_node *node, void *object) {
    sarrus_model *model = object;
    if (node != NULL) {
        (void)sarrus_number_read(reader, node, SARRUS_RULE_POSITIVE, &model->integrator.rtol, NULL);
    }
}

static void read_atol(sarrus_reader *reader, sarrus_node *node, void *object) {
    sarrus_model *model = object;
    if (node != NULL) {
        (void)sarrus_number_read(reader, node, SARRUS_RULE_POSITIVE, &model->integrator.atol, NULL);
    }
}

static const sarrus_key integrator_keys[] = {
    {.name = "dt", .flags = SARRUS_KEY_REQUIRED, .read = read_dt},
    {.name = "t_end", .flags = SARRUS_KEY_REQUIRED, .read = read_t_end},
    {.name = "method", .read = read_method},
    {.name = "rtol", .read = read_rtol},
    {.name = "atol", .read = read_atol},
};

void sarrus_integrator_read(sarrus_reader *reader, sarrus_node *node, void *object) {
    sarrus_model *model = object;
    model->integrator.rtol = 1e-8;
    model->integrator.atol = 1e-10;
    if (node != NULL) {
        (void)sarrus_mapping_read(reader, node, "integrator", integrator_keys, sizeof integrator_keys / sizeof integrator_keys[0],
                                  object);
    }
}

static void read_every(sarrus_reader *reader, sarrus_node *node, void *object) {
    sarrus_model *model = object;
    if (node != NULL) {
        (void)sarrus_count_read(reader, node, 1, UINT64_C(1000000000000), &model->output.every);
    }
}

/* Seconds between outputs; a fixed step reaches only multiples of dt. */
static void read_interval(sarrus_reader *reader, sarrus_node *node, void *object) {
    sarrus_model *model = object;
    double interval = 0;
    if (node == NULL || !sarrus_number_read(reader, node, SARRUS_RULE_POSITIVE, &interval, NULL) || model->integrator.dt <= 0) {
        return;
    }
    const double ratio = interval / model->integrator.dt;
    const double steps = round(ratio);
    if (!(ratio <= max_steps) || steps < 1 || fabs(ratio - steps) > 1e-9 * steps) {
        sarrus_reader_refuse(reader, node, "the interval is %.10g steps; expected a multiple of dt = %.10g s", ratio,
                             model->integrator.dt);
        return;
    }
    model->output.every = (uint64_t)steps;
}

static void read_channels(sarrus_reader *reader, sarrus_node *node, void *object) {
    sarrus_model *model = object;
    if (node == NULL || !sarrus_list_check(reader, node, -1, "a list of channels")) {
        return;
    }
    model->output.channels = 0;
    for (const sarrus_node *item = node->first; item != NULL; item = item->next) {
        int code = 0;
        if (!sarrus_word_read(reader, item, "channel", channels, n_channels, &code)) {
            continue;
        }
        if ((model->output.channels & (unsigned)code) != 0) {
            sarrus_reader_refuse(reader, item, "the channel '%s' stands twice; expected each channel once", item->text);
        }
        model->output.channels |= (unsigned)code;
    }
}

static const sarrus_key output_keys[] = {
    {.name = "every", .read = read_every},
    {.name = "interval", .read = read_interval},
    {.name = "channels", .read = read_channels},
    {.name = "statistics", .flags = SARRUS_KEY_LATER},
};

void sarrus_output_read(sarrus_reader *reader, sarrus_node *node, void *object) {
    sarrus_model *model = object;
    model->output.every = 1;
    model->output.channels = SARRUS_CHANNEL_STATE | SARRUS_CHANNEL_ENERGY | SARRUS_CHANNEL_CONSTRAINT | SARRUS_CHANNEL_RANK;
    if (!is_present(node)) {
        return;
    }
    (void)sarrus_mapping_read(reader, node, "output", output_keys, sizeof output_keys / sizeof output_keys[0], object);
    const sarrus_node *interval = sarrus_node_child(node, "interval");
    if (interval != NULL && sarrus_node_child(node, "every") != NULL) {
        sarrus_reader_refuse(reader, interval->key, "both 'every' and 'interval'; expected at most one of them");
    }
}
