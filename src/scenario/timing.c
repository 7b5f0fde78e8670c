/* The mappings `integrator` and `output`: the steps through time, and where the run looks. */
#include "scenario/reader.h"

#include <math.h>

#include "scenario/output.h"

/* A step count beyond this would outlast any run and the exactness of a double. */
static const double max_steps = 1e12;

enum { order_most = 12 };

static const sarrus_word integrators[] = {
#define SARRUS_INTEGRATOR(name, value, word, order, is_adaptive, text) {word, value},
#include "sarrus/integrators.def"
};

static const sarrus_word channels[] = {
#define SARRUS_CHANNEL(name, bit, word, numbers, bytes, text) {word, bit},
#include "sarrus/channel.def"
};

static const sarrus_word orientations[] = {
#define SARRUS_ORIENTATION_FORM(name, word, n, units, scale, text, ...) {word, SARRUS_ORIENTATION_##name},
#include "sarrus/orientation.def"
};

enum {
    n_integrators = sizeof integrators / sizeof integrators[0],
    n_channels = sizeof channels / sizeof channels[0],
    n_orientations = sizeof orientations / sizeof orientations[0],
};

static bool is_adaptive(const sarrus_model *model) {
    return sarrus_integrator_is_adaptive(model->integrator.method) != 0;
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
    if (!is_adaptive(model) && dt > 0 && t_end / dt > max_steps) {
        sarrus_reader_refuse(reader, node, "the run would take %.3g steps; expected t_end / dt <= 1e12", t_end / dt);
        return;
    }
    model->integrator.t_end = t_end;
}

static void read_rtol(sarrus_reader *reader, sarrus_node *node, void *object) {
    sarrus_model *model = object;
    double tolerance = 0;
    if (node == NULL || !sarrus_number_read(reader, node, SARRUS_RULE_POSITIVE, &tolerance, NULL)) {
        return;
    }
    if (tolerance >= 1) {
        sarrus_reader_refuse(reader, node, "'%s' is %.10g; expected a relative tolerance below 1", reader->path, tolerance);
        return;
    }
    model->integrator.rtol = tolerance;
}

static void read_atol(sarrus_reader *reader, sarrus_node *node, void *object) {
    sarrus_model *model = object;
    if (node != NULL) {
        (void)sarrus_number_read(reader, node, SARRUS_RULE_POSITIVE, &model->integrator.atol, NULL);
    }
}

static void read_max_steps(sarrus_reader *reader, sarrus_node *node, void *object) {
    sarrus_model *model = object;
    if (node != NULL) {
        (void)sarrus_count_read(reader, node, 1, UINT64_C(1000000000000), &model->integrator.max_steps);
    }
}

static void read_max_order(sarrus_reader *reader, sarrus_node *node, void *object) {
    sarrus_model *model = object;
    uint64_t order = 0;
    if (node == NULL || !sarrus_count_read(reader, node, 1, order_most, &order)) {
        return;
    }
    if (model->integrator.method != SARRUS_INTEGRATOR_ADAMS_MOULTON) {
        sarrus_reader_refuse(
            reader, node->key, "'max_order' for the integrator '%s', whose order is fixed; expected it with '%s' only",
            sarrus_integrator_word(model->integrator.method), sarrus_integrator_word(SARRUS_INTEGRATOR_ADAMS_MOULTON));
        return;
    }
    model->integrator.max_order = (int)order;
}

/* What a step of a fixed method is that does not resolve the motion: made in parts, or as it is. */
static void read_substeps(sarrus_reader *reader, sarrus_node *node, void *object) {
    static const sarrus_word words[] = {{"auto", 1}, {"off", 0}};
    sarrus_model *model = object;
    int code = 0;
    if (node != NULL && sarrus_word_read(reader, node, "substeps", words, 2, &code)) {
        model->integrator.has_substeps = code != 0;
    }
}

/* Of the numbers that steps are made with. */
static void read_step_precision(sarrus_reader *reader, sarrus_node *node, void *object) {
    static const sarrus_word words[] = {{"double", 0}, {"single", 1}};
    sarrus_model *model = object;
    int code = 0;
    if (node == NULL || !sarrus_word_read(reader, node, "precision", words, 2, &code)) {
        return;
    }
    if (code != 0 && is_adaptive(model)) {
        sarrus_reader_refuse(reader, node,
                             "'%s' chooses its steps by differences that single precision does not tell; expected "
                             "'precision: double', or the method rk4 or semi-implicit",
                             sarrus_integrator_word(model->integrator.method));
        return;
    }
    model->integrator.is_single = code != 0;
    model->integrator.precision_place = sarrus_node_place(node);
}

/* In the order of decoding: whether dt, t_end and max_order make sense depends on the method. */
static const sarrus_key integrator_keys[] = {
    {.name = "method", .read = read_method},
    {.name = "dt", .read = read_dt},
    {.name = "t_end", .flags = SARRUS_KEY_REQUIRED, .read = read_t_end},
    {.name = "rtol", .read = read_rtol},
    {.name = "atol", .read = read_atol},
    {.name = "max_steps", .read = read_max_steps},
    {.name = "max_order", .read = read_max_order},
    {.name = "substeps", .read = read_substeps},
    {.name = "precision", .read = read_step_precision},
};

/* The step of a fixed method has to be given. One that chooses its steps begins with a thousandth of the run. */
static void check_dt(sarrus_reader *reader, const sarrus_node *node, sarrus_model *model) {
    if (sarrus_node_child(node, "dt") != NULL || node->kind != SARRUS_NODE_MAPPING) {
        return;
    }
    if (!is_adaptive(model)) {
        sarrus_reader_refuse(reader, node, "'integrator.dt' is missing; expected the step of '%s' in s",
                             sarrus_integrator_word(model->integrator.method));
        return;
    }
    model->integrator.dt = model->integrator.t_end > 0 ? model->integrator.t_end / 1000 : 1e-3;
}

void sarrus_integrator_read(sarrus_reader *reader, sarrus_node *node, void *object) {
    sarrus_model *model = object;
    model->integrator.rtol = 1e-8;
    model->integrator.atol = 1e-10;
    model->integrator.max_steps = 10000000;
    model->integrator.max_order = order_most;
    model->integrator.has_substeps = true;
    model->integrator.method = SARRUS_INTEGRATOR_DEFAULT;
    if (node != NULL) {
        (void)sarrus_mapping_read(reader, node, "integrator", integrator_keys, sizeof integrator_keys / sizeof integrator_keys[0],
                                  object);
        check_dt(reader, node, model);
    }
    model->integrator.grid = model->integrator.dt;
}

static void read_every(sarrus_reader *reader, sarrus_node *node, void *object) {
    sarrus_model *model = object;
    if (node != NULL) {
        (void)sarrus_count_read(reader, node, 1, UINT64_C(1000000000000), &model->output.every);
    }
}

/* Seconds between outputs. A fixed step reaches only multiples of dt; an adaptive method gives the state at any time, so that its
 * grid is the interval itself. */
static void read_interval(sarrus_reader *reader, sarrus_node *node, void *object) {
    sarrus_model *model = object;
    double interval = 0;
    if (node == NULL || !sarrus_number_read(reader, node, SARRUS_RULE_POSITIVE, &interval, NULL) || model->integrator.dt <= 0) {
        return;
    }
    if (is_adaptive(model)) {
        model->integrator.grid = interval;
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

/* Of trajectories in the file; half of a number or more would leave no bit of it. */
static void read_precision(sarrus_reader *reader, sarrus_node *node, void *object) {
    sarrus_model *model = object;
    double precision = 0;
    if (node == NULL || !sarrus_number_read(reader, node, SARRUS_RULE_POSITIVE, &precision, NULL))
        return;
    if (precision < 0.5) {
        model->output.precision = precision;
    } else {
        sarrus_reader_refuse(reader, node, "a relative error of %g; expected one below 0.5, as 1e-9", precision);
    }
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
        sarrus_channel_check(reader, item, (unsigned)code);
        model->output.channels |= (unsigned)code;
    }
}

static void read_orientations(sarrus_reader *reader, sarrus_node *node, void *object) {
    sarrus_model *model = object;
    if (node == NULL || !sarrus_list_check(reader, node, -1, "a list of forms of orientations")) {
        return;
    }
    for (const sarrus_node *item = node->first; item != NULL; item = item->next) {
        int code = 0;
        if (!sarrus_word_read(reader, item, "orientation", orientations, n_orientations, &code)) {
            continue;
        }
        if ((model->output.orientations & 1U << code) != 0) {
            sarrus_reader_refuse(reader, item, "the orientation '%s' stands twice; expected each form once", item->text);
        }
        model->output.orientations |= 1U << code;
    }
}

static const sarrus_key output_keys[] = {
    {.name = "every", .read = read_every},
    {.name = "interval", .read = read_interval},
    {.name = "precision", .read = read_precision},
    {.name = "channels", .read = read_channels},
    {.name = "orientations", .flags = SARRUS_KEY_SPATIAL, .read = read_orientations},
    {.name = "points", .read = sarrus_points_read},
    {.name = "quantities", .read = sarrus_quantities_read},
    {.name = "instances", .read = sarrus_kept_read},
    {.name = "statistics", .read = sarrus_statistics_read},
    {.name = "sensitivity", .read = sarrus_sensitivity_read},
};

/* Fixed steps were counted with t_end; the grid of an adaptive method is known only now. */
static void check_grid(sarrus_reader *reader, sarrus_model *model) {
    const double n_intervals = model->integrator.grid > 0 ? model->integrator.t_end / model->integrator.grid : 0;
    const sarrus_node *integrator = sarrus_node_child(reader->tree.root, "integrator");
    const sarrus_node *t_end = integrator != NULL ? sarrus_node_child(integrator, "t_end") : NULL;
    if (is_adaptive(model) && t_end != NULL && !(n_intervals <= max_steps)) {
        sarrus_reader_refuse(reader, t_end, "the run would pass %.3g times; expected t_end / %s <= 1e12", n_intervals,
                             model->integrator.grid != model->integrator.dt ? "output.interval" : "dt");
    }
    /* An interval beyond the end is the whole run, however far beyond. */
    if (is_adaptive(model) && model->integrator.t_end > 0 && model->integrator.grid > model->integrator.t_end) {
        model->integrator.grid = model->integrator.t_end;
    }
}

void sarrus_output_read(sarrus_reader *reader, sarrus_node *node, void *object) {
    sarrus_model *model = object;
    model->output.every = 1;
    model->output.channels = SARRUS_CHANNEL_STATE | SARRUS_CHANNEL_ENERGY | SARRUS_CHANNEL_CONSTRAINT | SARRUS_CHANNEL_RANK;
    if (node != NULL && !sarrus_node_is_null(node)) {
        (void)sarrus_mapping_read(reader, node, "output", output_keys, sizeof output_keys / sizeof output_keys[0], object);
        const sarrus_node *interval = sarrus_node_child(node, "interval");
        if (interval != NULL && sarrus_node_child(node, "every") != NULL) {
            sarrus_reader_refuse(reader, interval->key, "both 'every' and 'interval'; expected at most one of them");
        }
    }
    check_grid(reader, model);
}
