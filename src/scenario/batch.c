/* The mapping `batch`: how many instances, and where in the unit cube they are. */
#include "scenario/reader.h"

#include <math.h>

#include "model/grid.h"
#include "scenario/output.h"

static const uint64_t max_instances = UINT64_C(1) << 40;

static const sarrus_word samplings[] = {
#define SARRUS_SAMPLING(name, value, word, text) {word, value},
#include "sarrus/sampling.def"
};

static const sarrus_word designs[] = {
#define SARRUS_DESIGN(name, value, word, text) {word, value},
#include "sarrus/design.def"
};

static const sarrus_word truths[] = {{"true", 1}, {"false", 0}};

enum {
    n_samplings = sizeof samplings / sizeof samplings[0],
    n_designs = sizeof designs / sizeof designs[0],
    n_levels_most = 1 << 20,
};

static void read_instances(sarrus_reader *reader, sarrus_node *node, void *object) {
    sarrus_model *model = object;
    if (node != NULL) {
        (void)sarrus_count_read(reader, node, 1, max_instances, &model->batch.n_instances);
    }
}

static void read_seed(sarrus_reader *reader, sarrus_node *node, void *object) {
    sarrus_model *model = object;
    if (node != NULL) {
        (void)sarrus_count_read(reader, node, 0, UINT64_MAX, &model->batch.seed);
    }
}

static void read_list(sarrus_reader *reader, sarrus_node *node, void *object) {
    (void)object;
    if (node != NULL && !sarrus_node_is_null(node)) {
        sarrus_sampled_read(reader, node);
    }
}

static void read_sampling_word(sarrus_reader *reader, sarrus_node *node, void *object) {
    sarrus_model *model = object;
    int code = 0;
    if (node != NULL && sarrus_word_read(reader, node, "sampling", samplings, n_samplings, &code)) {
        model->batch.sampling = (sarrus_sampling)code;
    }
}

static void read_scramble(sarrus_reader *reader, sarrus_node *node, void *object) {
    sarrus_model *model = object;
    int code = 1;
    if (node == NULL) {
        return;
    }
    if (model->batch.sampling != SARRUS_SAMPLING_SOBOL) {
        sarrus_reader_refuse(reader, node->key, "'scramble' beside another method; expected it with 'sobol' only");
    } else if (sarrus_word_read(reader, node, "choice of scramble", truths, 2, &code)) {
        model->batch.is_scrambled = code == 1;
    }
}

static void read_levels(sarrus_reader *reader, sarrus_node *node, void *object) {
    sarrus_model *model = object;
    if (node == NULL) {
        return;
    }
    if (model->batch.sampling != SARRUS_SAMPLING_GRID) {
        sarrus_reader_refuse(reader, node->key, "'levels' beside another method; expected it with 'grid' only");
        return;
    }
    if (!sarrus_list_check(reader, node, model->batch.n_sampled, "a list of as many levels as parameters are sampled")) {
        return;
    }
    int *levels = sarrus_reader_allocate(reader, model->batch.n_sampled, sizeof *levels);
    model->batch.levels = levels;
    for (const sarrus_node *item = node->first; item != NULL && levels != NULL; item = item->next) {
        uint64_t count = 1;
        (void)sarrus_count_read(reader, item, 1, n_levels_most, &count);
        *levels++ = (int)count;
    }
}

static const sarrus_key sampling_keys[] = {
    {.name = "method", .flags = SARRUS_KEY_REQUIRED, .read = read_sampling_word},
    {.name = "scramble", .read = read_scramble},
    {.name = "levels", .read = read_levels},
};

static void read_sampling(sarrus_reader *reader, sarrus_node *node, void *object) {
    sarrus_model *model = object;
    model->batch.is_scrambled = true;
    if (node != NULL && node->kind == SARRUS_NODE_MAPPING) {
        (void)sarrus_mapping_read(reader, node, "a sampling", sampling_keys, sizeof sampling_keys / sizeof sampling_keys[0], model);
    } else if (node != NULL) {
        read_sampling_word(reader, node, model);
    }
}

static void read_design_word(sarrus_reader *reader, sarrus_node *node, void *object) {
    sarrus_model *model = object;
    int code = 0;
    if (node != NULL && sarrus_word_read(reader, node, "design", designs, n_designs, &code)) {
        model->batch.design = (sarrus_design)code;
    }
}

static void read_second_order(sarrus_reader *reader, sarrus_node *node, void *object) {
    sarrus_model *model = object;
    int code = 1;
    if (node == NULL) {
        return;
    }
    if (model->batch.design != SARRUS_DESIGN_SALTELLI) {
        sarrus_reader_refuse(reader, node->key, "'second_order' beside another method; expected it with 'saltelli' only");
    } else if (sarrus_word_read(reader, node, "choice of second_order", truths, 2, &code)) {
        model->batch.has_second_order = code == 1;
    }
}

static void read_design_levels(sarrus_reader *reader, sarrus_node *node, void *object) {
    sarrus_model *model = object;
    uint64_t count = 4;
    if (node == NULL) {
        return;
    }
    if (model->batch.design != SARRUS_DESIGN_MORRIS) {
        sarrus_reader_refuse(reader, node->key, "'levels' beside another method; expected it with 'morris' only");
    } else if (sarrus_count_read(reader, node, 2, n_levels_most, &count) && count % 2 != 0) {
        sarrus_reader_refuse(reader, node, "%d levels; expected an even number, half of which is a step", (int)count);
    } else {
        model->batch.n_levels = (int)count;
    }
}

static const sarrus_key design_keys[] = {
    {.name = "method", .flags = SARRUS_KEY_REQUIRED, .read = read_design_word},
    {.name = "second_order", .read = read_second_order},
    {.name = "levels", .read = read_design_levels},
};

static void read_design(sarrus_reader *reader, sarrus_node *node, void *object) {
    sarrus_model *model = object;
    model->batch.has_second_order = true;
    model->batch.n_levels = 4;
    if (node != NULL && node->kind == SARRUS_NODE_MAPPING) {
        (void)sarrus_mapping_read(reader, node, "a design", design_keys, sizeof design_keys / sizeof design_keys[0], model);
    } else if (node != NULL) {
        read_design_word(reader, node, model);
    }
}

/* What is said of the parameters comes behind them. */
static const sarrus_key batch_keys[] = {
    {.name = "instances", .read = read_instances}, {.name = "seed", .read = read_seed},
    {.name = "parameters", .read = read_list},     {.name = "sampling", .read = read_sampling},
    {.name = "design", .read = read_design},       {.name = "correlation", .read = sarrus_correlation_read},
};

static void settle_design(sarrus_reader *reader, const sarrus_node *batch) {
    const sarrus_model *model = reader->model;
    const sarrus_node *node = sarrus_node_child(batch, "design");
    const char *word = designs[model->batch.design].text;
    if (model->batch.design == SARRUS_DESIGN_PLAIN) {
        return;
    }
    if (model->batch.n_sampled == 0) {
        sarrus_reader_refuse(reader, node, "the design '%s' without parameters; expected some to be sampled", word);
    } else if (model->batch.correlation != NULL) {
        sarrus_reader_refuse(reader, node, "the design '%s' beside a correlation; expected independent parameters", word);
    } else if (model->batch.design == SARRUS_DESIGN_MORRIS && model->batch.sampling != SARRUS_SAMPLING_RANDOM) {
        sarrus_reader_refuse(reader, node, "the design 'morris' beside sampling '%s'; expected 'random', it has a grid of its own",
                             samplings[model->batch.sampling].text);
    } else if (model->batch.sampling == SARRUS_SAMPLING_GRID) {
        sarrus_reader_refuse(reader, node, "the design '%s' beside sampling 'grid'; expected random, lhs or sobol", word);
    } else if (model->batch.n_instances > max_instances / sarrus_model_study_size(model, 1)) {
        sarrus_reader_refuse(reader, node, "the design '%s' makes more than %llu instances; expected fewer points", word,
                             (unsigned long long)max_instances);
    }
}

/* A grid of equal levels has a number of instances that is a power, one of levels that are given has their product. */
static void settle_grid(sarrus_reader *reader, const sarrus_node *batch) {
    sarrus_model *model = reader->model;
    const sarrus_node *instances = sarrus_node_child(batch, "instances"), *sampling = sarrus_node_child(batch, "sampling");
    const int d = model->batch.n_sampled;
    const unsigned long long n = model->batch.n_instances;
    if (model->batch.sampling != SARRUS_SAMPLING_GRID || d == 0) {
        return;
    }
    if (model->batch.levels == NULL) {
        const unsigned long long k = sarrus_grid_levels(n, d), below = sarrus_grid_points(k, d),
                                 above = sarrus_grid_points(k + 1, d);
        if (below != n) {
            sarrus_reader_refuse(reader, instances,
                                 "%llu instances are no grid of %d parameters; expected a number k^%d, as %llu = %llu^%d or %llu = "
                                 "%llu^%d",
                                 n, d, d, below, k, d, above, k + 1, d);
        }
        return;
    }
    uint64_t product = 1;
    for (int i = 0; i < d; ++i) {
        product = product > max_instances ? product : product * (uint64_t)model->batch.levels[i];
    }
    if (product > max_instances) {
        sarrus_reader_refuse(reader, sampling, "the levels make more than %llu instances; expected fewer",
                             (unsigned long long)max_instances);
    } else if (instances == NULL) {
        model->batch.n_instances = product;
    } else if (product != n) {
        sarrus_reader_refuse(reader, instances, "%llu instances for a grid of %llu points; expected as many, or no such key", n,
                             (unsigned long long)product);
    }
}

/* Points at the very ends of the unit interval have no quantile where a distribution has no end. */
static void settle_ends(sarrus_reader *reader, const sarrus_node *batch) {
    const sarrus_model *model = reader->model;
    const bool is_bare = model->batch.sampling == SARRUS_SAMPLING_SOBOL && !model->batch.is_scrambled;
    const bool is_morris = model->batch.design == SARRUS_DESIGN_MORRIS;
    const sarrus_node *list = sarrus_node_child(batch, "parameters");
    if (is_bare && model->batch.correlation != NULL) {
        sarrus_reader_refuse(reader, sarrus_node_child(batch, "sampling"),
                             "a sobol sequence without scramble begins at 0, where a normal score is infinite; expected scramble: "
                             "true beside a correlation");
    }
    for (int i = 0; i < model->batch.n_sampled && (is_bare || is_morris); ++i) {
        double low = 0, high = 0;
        sarrus_sampled_support(&model->batch.sampled[i], &low, &high);
        if (isinf(low)) {
            sarrus_reader_refuse(reader, sarrus_node_item(list, i),
                                 "%s 0, where this distribution is infinite; expected a bound 'min'%s",
                                 is_bare ? "a sobol sequence without scramble begins at" : "the levels of morris begin at",
                                 is_bare ? ", or scramble: true" : "");
        } else if (isinf(high) && is_morris) {
            sarrus_reader_refuse(reader, sarrus_node_item(list, i),
                                 "the levels of morris end at 1, where this distribution is infinite; expected a bound 'max'");
        }
    }
}

void sarrus_batch_read(sarrus_reader *reader, sarrus_node *node, void *object) {
    sarrus_model *model = object;
    const size_t n_findings = reader->findings.n_kept;
    model->batch.n_instances = 1;
    const bool has_batch = node != NULL && !sarrus_node_is_null(node);
    if (has_batch && (!sarrus_mapping_read(reader, node, "batch", batch_keys, sizeof batch_keys / sizeof batch_keys[0], object) ||
                      !sarrus_reader_is_good_since(reader, n_findings))) {
        return;
    }
    if (has_batch) {
        settle_design(reader, node);
        settle_grid(reader, node);
        settle_ends(reader, node);
    }
    sarrus_kept_settle(reader);
    sarrus_drawn_names_settle(reader);
    sarrus_sensitivity_settle(reader);
}
