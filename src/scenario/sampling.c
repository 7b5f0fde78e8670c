/* The sampled parameters of `batch`: what they are drawn for, and by which distribution. */
#include "scenario/reader.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "scenario/override.h"
#include "scenario/suggest.h"

/* An interval further from the mean than this many standard deviations holds less than 1e-15 of the distribution. */
static const double max_deviations = 8.0;

/* A normal distribution that must say where it is cut, and no kind of its own: it comes behind them. */
enum {
    truncated_normal = 0
#define SARRUS_DISTRIBUTION(name, value, word, first, second, text) +1
#include "sarrus/distribution.def"
};

static const sarrus_word distributions[] = {
#define SARRUS_DISTRIBUTION(name, value, word, first, second, text) {word, value},
#include "sarrus/distribution.def"
    {"truncated_normal", truncated_normal},
};

/* A sampled parameter while it is being read; NaN stands for a number that is not given. */
struct draw_reading {
    sarrus_sampled *sampled;
    const sarrus_node *node;
    int distribution; /* −1: unknown */
    double mean, sd, low, high, mu, sigma, min, max;
};

/* True when `path` means something in the file, or is a setting that may be left out, but is no value of the table. */
static bool is_setting(const sarrus_reader *reader, const char *path) {
    static const char *const prefixes[] = {"integrator.", "output.", "batch."};
    for (size_t i = 0; i < sizeof prefixes / sizeof prefixes[0]; ++i) {
        if (strncmp(path, prefixes[i], strlen(prefixes[i])) == 0) {
            return true;
        }
    }
    const sarrus_node *node = sarrus_tree_find(&reader->tree, path);
    return node != NULL && node->kind == SARRUS_NODE_SCALAR;
}

/* The path of the first number of `path`, as bodies.a.position.0 of bodies.a.position; NULL when it has none, or stands for what
 * the file has as one number or not at all. */
static const char *first_of_group(sarrus_reader *reader, const char *path) {
    const sarrus_model *model = reader->model;
    const sarrus_node *node = sarrus_tree_find(&reader->tree, path);
    const bool is_group = node != NULL && node->kind != SARRUS_NODE_SCALAR;
    const size_t n_path = strlen(path);
    const int n_candidates = is_group ? sarrus_reader_candidates(reader, model->n_values) : 0;
    for (int i_value = 0; i_value < n_candidates; ++i_value) {
        const char *candidate = model->values[i_value].path;
        if (strncmp(candidate, path, n_path) == 0 && candidate[n_path] == '.') {
            return candidate;
        }
    }
    return NULL;
}

static bool ends_with_part(const char *path, const char *part) {
    const size_t n_path = strlen(path);
    const size_t n_part = strlen(part);
    return n_path > n_part && path[n_path - n_part - 1] == '.' && strcmp(path + n_path - n_part, part) == 0;
}

static const char *closest_path(sarrus_reader *reader, const char *path) {
    const sarrus_model *model = reader->model;
    sarrus_suggestion suggestion = sarrus_suggestion_for(path);
    const int n_candidates = sarrus_reader_candidates(reader, (int)model->n_values);
    for (int i_value = 0; i_value < n_candidates; ++i_value) {
        const char *candidate = model->values[i_value].path;
        if (ends_with_part(candidate, path)) {
            return candidate;
        }
        sarrus_suggestion_offer(&suggestion, candidate);
    }
    return suggestion.best;
}

static void report_unknown_path(sarrus_reader *reader, const sarrus_node *node) {
    char shown[SARRUS_SHOWN_BYTES];
    (void)sarrus_node_shown(node, shown);
    const char *first = first_of_group(reader, node->text);
    if (first != NULL) {
        sarrus_reader_refuse(reader, node, "'%s' is not a single number; expected the path of one, as '%s'", shown, first);
        return;
    }
    if (is_setting(reader, node->text)) {
        sarrus_reader_refuse(reader, node, "'%s' cannot vary between instances; expected the path of a number of the model", shown);
        return;
    }
    const char *closest = closest_path(reader, node->text);
    if (closest != NULL) {
        sarrus_reader_refuse(reader, node, "the path '%s' names nothing; did you mean '%s'?", shown, closest);
    } else {
        sarrus_reader_refuse(reader, node, "the path '%s' names nothing; expected the path of a number of the model", shown);
    }
}

/* Adds value `i_value` to the targets, once. */
static void add_target(sarrus_reader *reader, const sarrus_node *node, sarrus_sampled *sampled, sarrus_value_index i_value) {
    const char *path = reader->model->values[i_value].path;
    const char *fixed_because = reader->notes[i_value].fixed_because;
    if (fixed_because != NULL) {
        sarrus_reader_refuse(reader, node, "'%s' cannot vary between instances: %s; expected another path", path, fixed_because);
        return;
    }
    const sarrus_status status = sarrus_names_add(&reader->drawn, path, i_value);
    if (status == SARRUS_BAD_ARGUMENT) {
        sarrus_reader_refuse(reader, node, "'%s' is drawn twice; expected each path once", path);
    } else if (status != SARRUS_OK) {
        reader->findings.is_out_of_memory = true;
    } else {
        sampled->targets[sampled->n_targets++] = i_value;
    }
}

static void read_target(sarrus_reader *reader, const sarrus_node *node, sarrus_sampled *sampled) {
    if (node->kind != SARRUS_NODE_SCALAR || sarrus_node_is_null(node)) {
        sarrus_reader_refuse(reader, node, "'path' is %s; expected a path as bodies.crank.mass, or a list of them",
                             sarrus_node_kind_text(node));
        return;
    }
    sarrus_value_index i_value = sarrus_names_find(&reader->value_paths, node->text);
    if (i_value < 0) {
        i_value = sarrus_names_find(&reader->parameter_names, node->text);
    }
    if (i_value < 0) {
        report_unknown_path(reader, node);
        return;
    }
    add_target(reader, node, sampled, i_value);
}

static void read_path(sarrus_reader *reader, sarrus_node *node, void *object) {
    struct draw_reading *reading = object;
    if (node == NULL) {
        return;
    }
    const bool is_list = node->kind == SARRUS_NODE_SEQUENCE;
    if (is_list && node->n_children == 0) {
        sarrus_reader_refuse(reader, node, "'path' is an empty list; expected at least one path");
        return;
    }
    const sarrus_node *first = is_list ? node->first : node;
    reading->sampled->targets = sarrus_reader_allocate(reader, is_list ? node->n_children : 1, sizeof *reading->sampled->targets);
    reading->sampled->label = sarrus_reader_copy(reader, first->text != NULL ? first->text : "");
    if (reading->sampled->targets == NULL) {
        return;
    }
    for (const sarrus_node *item = first; item != NULL; item = is_list ? item->next : NULL) {
        read_target(reader, item, reading->sampled);
    }
}

static void read_parameter_name(sarrus_reader *reader, sarrus_node *node, void *object) {
    struct draw_reading *reading = object;
    char shown[SARRUS_SHOWN_BYTES];
    if (node == NULL || reading->sampled->targets != NULL) {
        return;
    }
    if (node->kind != SARRUS_NODE_SCALAR || sarrus_node_is_null(node)) {
        sarrus_reader_refuse(reader, node, "'name' is %s; expected the name of a parameter", sarrus_node_kind_text(node));
        return;
    }
    const sarrus_value_index i_value = sarrus_names_find(&reader->parameter_names, node->text);
    if (i_value >= 0) {
        reading->sampled->targets = sarrus_reader_allocate(reader, 1, sizeof *reading->sampled->targets);
        reading->sampled->label = sarrus_reader_copy(reader, node->text);
        if (reading->sampled->targets != NULL) {
            add_target(reader, node, reading->sampled, i_value);
        }
        return;
    }
    sarrus_suggestion suggestion = sarrus_suggestion_for(node->text);
    const int n_candidates = sarrus_reader_candidates(reader, reader->model->n_named);
    for (int i_named = 0; i_named < n_candidates; ++i_named) {
        sarrus_suggestion_offer(&suggestion, reader->model->values[i_named].path + sizeof "parameters." - 1);
    }
    (void)sarrus_node_shown(node, shown);
    if (suggestion.best != NULL) {
        sarrus_reader_refuse(reader, node, "no parameter is called '%s'; did you mean '%s'?", shown, suggestion.best);
    } else {
        sarrus_reader_refuse(reader, node, "no parameter is called '%s'; expected a name given in 'parameters'", shown);
    }
}

static void read_distribution(sarrus_reader *reader, sarrus_node *node, void *object) {
    struct draw_reading *reading = object;
    int code = 0;
    if (node != NULL &&
        sarrus_word_read(reader, node, "distribution", distributions, sizeof distributions / sizeof distributions[0], &code)) {
        reading->distribution = code;
        reading->sampled->kind = code == truncated_normal ? SARRUS_DISTRIBUTION_NORMAL : (sarrus_distribution_kind)code;
    }
}

/* The numbers of all distributions; which of them belong to which is checked afterwards. */
static const struct {
    const char *key;
    size_t offset;
    sarrus_rule rule;
    unsigned distributions; /* bit 1 << distribution of each that has it */
} draw_numbers[] = {
    {"mean", offsetof(struct draw_reading, mean), SARRUS_RULE_ANY, 1U | 4U | 8U},
    {"sd", offsetof(struct draw_reading, sd), SARRUS_RULE_NOT_NEGATIVE, 1U | 4U | 8U},
    {"low", offsetof(struct draw_reading, low), SARRUS_RULE_ANY, 2U},
    {"high", offsetof(struct draw_reading, high), SARRUS_RULE_ANY, 2U},
    {"mu", offsetof(struct draw_reading, mu), SARRUS_RULE_ANY, 4U},
    {"sigma", offsetof(struct draw_reading, sigma), SARRUS_RULE_NOT_NEGATIVE, 4U},
    {"min", offsetof(struct draw_reading, min), SARRUS_RULE_ANY, 15U},
    {"max", offsetof(struct draw_reading, max), SARRUS_RULE_ANY, 15U},
};

static const sarrus_key draw_keys[] = {
    {.name = "path", .read = read_path},
    {.name = "name", .read = read_parameter_name},
    {.name = "distribution", .flags = SARRUS_KEY_REQUIRED, .read = read_distribution},
    {.name = "mean", .flags = SARRUS_KEY_IGNORED},
    {.name = "sd", .flags = SARRUS_KEY_IGNORED},
    {.name = "low", .flags = SARRUS_KEY_IGNORED},
    {.name = "high", .flags = SARRUS_KEY_IGNORED},
    {.name = "mu", .flags = SARRUS_KEY_IGNORED},
    {.name = "sigma", .flags = SARRUS_KEY_IGNORED},
    {.name = "min", .flags = SARRUS_KEY_IGNORED},
    {.name = "max", .flags = SARRUS_KEY_IGNORED},
};

/* Reads every number that is given; false when one of them is wrong. */
static bool read_draw_numbers(sarrus_reader *reader, struct draw_reading *reading) {
    bool is_good = true;
    for (size_t i = 0; i < sizeof draw_numbers / sizeof draw_numbers[0]; ++i) {
        double *number = (double *)(void *)((char *)reading + draw_numbers[i].offset);
        const sarrus_node *node = sarrus_node_child(reading->node, draw_numbers[i].key);
        *number = (double)NAN;
        if (node == NULL) {
            continue;
        }
        const size_t n_path = sarrus_path_push(reader, draw_numbers[i].key);
        is_good = sarrus_number_read(reader, node, draw_numbers[i].rule, number, NULL) && is_good;
        sarrus_path_pop(reader, n_path);
        if ((draw_numbers[i].distributions & 1U << reading->distribution) == 0) {
            sarrus_reader_refuse(reader, node->key, "'%s' in a %s distribution; expected no such key", draw_numbers[i].key,
                                 distributions[reading->distribution].text);
            is_good = false;
        }
    }
    return is_good;
}

static bool is_given(double number) {
    return !isnan(number);
}

/* Two numbers that must both be there. */
static bool need(sarrus_reader *reader, const struct draw_reading *reading, double a, double b, const char *expected) {
    if (is_given(a) && is_given(b)) {
        return true;
    }
    sarrus_reader_refuse(reader, reading->node, "a %s distribution lacks a number; expected %s",
                         distributions[reading->distribution].text, expected);
    return false;
}

/* Mean and standard deviation of the variable itself to those of its logarithm. */
static bool settle_lognormal(sarrus_reader *reader, struct draw_reading *reading) {
    const bool by_moments = is_given(reading->mean) || is_given(reading->sd);
    if (by_moments == (is_given(reading->mu) || is_given(reading->sigma))) {
        sarrus_reader_refuse(reader, reading->node,
                             "a lognormal distribution needs one pair of numbers; expected either mu and sigma, or mean and sd");
        return false;
    }
    if (!by_moments) {
        reading->sampled->a = reading->mu;
        reading->sampled->b = reading->sigma;
        return need(reader, reading, reading->mu, reading->sigma, "mu and sigma");
    }
    if (!need(reader, reading, reading->mean, reading->sd, "mean and sd")) {
        return false;
    }
    if (reading->mean <= 0) {
        sarrus_reader_refuse(reader, sarrus_node_child(reading->node, "mean"),
                             "the mean is %.10g; expected a number > 0 for a lognormal distribution", reading->mean);
        return false;
    }
    const double ratio = reading->sd / reading->mean;
    const double variance = log1p(ratio * ratio);
    reading->sampled->a = log(reading->mean) - variance / 2;
    reading->sampled->b = sqrt(variance);
    if (!isfinite(reading->sampled->a) || !isfinite(reading->sampled->b)) {
        sarrus_reader_refuse(reader, reading->node, "the ratio of sd to mean is beyond all numbers; expected a smaller sd");
        return false;
    }
    return true;
}

static bool settle(sarrus_reader *reader, struct draw_reading *reading) {
    sarrus_sampled *sampled = reading->sampled;
    switch (sampled->kind) {
    case SARRUS_DISTRIBUTION_NORMAL:
        sampled->a = reading->mean;
        sampled->b = reading->sd;
        if (reading->distribution == truncated_normal && !is_given(reading->min) && !is_given(reading->max)) {
            sarrus_reader_refuse(reader, reading->node, "a truncated_normal distribution lacks its bounds; expected min or max");
            return false;
        }
        return need(reader, reading, reading->mean, reading->sd, "mean and sd");
    case SARRUS_DISTRIBUTION_UNIFORM:
        sampled->a = reading->low;
        sampled->b = reading->high;
        if (!need(reader, reading, reading->low, reading->high, "low and high")) {
            return false;
        }
        if (!(reading->low < reading->high)) {
            sarrus_reader_refuse(reader, sarrus_node_child(reading->node, "high"),
                                 "high is %.10g and low is %.10g; expected low < high", reading->high, reading->low);
            return false;
        }
        return true;
    case SARRUS_DISTRIBUTION_LOGNORMAL:
        return settle_lognormal(reader, reading);
    }
    return false;
}

/* True when [min, max] holds a share of the distribution from which numbers can be drawn. */
static bool bounds_hold_something(const sarrus_sampled *sampled) {
    const bool is_logarithmic = sampled->kind == SARRUS_DISTRIBUTION_LOGNORMAL;
    double least = sampled->min;
    double most = sampled->max;
    if (sampled->kind == SARRUS_DISTRIBUTION_UNIFORM) {
        return least < sampled->b && most > sampled->a;
    }
    if (is_logarithmic && most <= 0) {
        return false;
    }
    if (is_logarithmic) {
        least = least <= 0 ? -(double)INFINITY : log(least);
        most = log(most);
    }
    return least <= sampled->a + max_deviations * sampled->b && most >= sampled->a - max_deviations * sampled->b;
}

static void settle_bounds(sarrus_reader *reader, struct draw_reading *reading) {
    sarrus_sampled *sampled = reading->sampled;
    const sarrus_node *bound = sarrus_node_child(reading->node, is_given(reading->max) ? "max" : "min");
    sampled->min = is_given(reading->min) ? reading->min : -(double)INFINITY;
    sampled->max = is_given(reading->max) ? reading->max : (double)INFINITY;
    if (!(sampled->min < sampled->max)) {
        sarrus_reader_refuse(reader, bound, "max is %.10g and min is %.10g; expected min < max", sampled->max, sampled->min);
    } else if (bound != NULL && !bounds_hold_something(sampled)) {
        sarrus_reader_refuse(reader, bound,
                             "nothing of the distribution lies between min and max; expected an interval that it reaches");
    }
}

/* A draw that can only give what the target must not be is a mistake; one that may is left to the instances. */
static void check_targets(sarrus_reader *reader, const struct draw_reading *reading) {
    const sarrus_sampled *sampled = reading->sampled;
    const bool is_uniform = sampled->kind == SARRUS_DISTRIBUTION_UNIFORM;
    const double least = is_uniform && sampled->min < sampled->a ? sampled->a : sampled->min;
    const double most = is_uniform && sampled->max > sampled->b ? sampled->b : sampled->max;
    for (int i = 0; i < sampled->n_targets; ++i) {
        const sarrus_rule rule = reader->notes[sampled->targets[i]].rule;
        const bool is_wrong = rule != SARRUS_RULE_ANY && ((is_uniform && least < 0) || most < 0);
        if (is_wrong) {
            sarrus_reader_refuse(reader, reading->node, "the draws of '%s' can be negative; expected numbers >= 0",
                                 reader->model->values[sampled->targets[i]].path);
        }
    }
}

static void read_draw(sarrus_reader *reader, sarrus_node *node, sarrus_sampled *sampled) {
    struct draw_reading reading = {.sampled = sampled, .node = node, .distribution = -1};
    sampled->place = node->place;
    if (!sarrus_mapping_read(reader, node, "a sampled parameter", draw_keys, sizeof draw_keys / sizeof draw_keys[0], &reading)) {
        return;
    }
    const bool has_path = sarrus_node_child(node, "path") != NULL;
    if (has_path == (sarrus_node_child(node, "name") != NULL)) {
        sarrus_reader_refuse(reader, node,
                             has_path ? "a sampled parameter with both 'path' and 'name'; expected exactly one of them"
                                      : "a sampled parameter lacks its target; expected either 'path' or 'name'");
    }
    if (reading.distribution < 0 || !read_draw_numbers(reader, &reading) || !settle(reader, &reading)) {
        return;
    }
    settle_bounds(reader, &reading);
    check_targets(reader, &reading);
}

void sarrus_sampled_read(sarrus_reader *reader, sarrus_node *node) {
    sarrus_model *model = reader->model;
    if (reader->findings.is_out_of_memory || !sarrus_list_check(reader, node, -1, "a list of sampled parameters")) {
        return;
    }
    for (int i_value = 0; i_value < model->n_values; ++i_value) {
        /* Two equal paths come from duplicate names, which are reported already. */
        if (sarrus_names_add(&reader->value_paths, model->values[i_value].path, i_value) == SARRUS_NO_MEMORY) {
            reader->findings.is_out_of_memory = true;
            return;
        }
    }
    model->batch.sampled = sarrus_reader_allocate(reader, node->n_children, sizeof *model->batch.sampled);
    for (sarrus_node *item = node->first; item != NULL && !reader->findings.is_out_of_memory; item = item->next) {
        const size_t n_path = sarrus_path_push_index(reader, model->batch.n_sampled);
        model->batch.n_sampled += 1;
        read_draw(reader, item, &model->batch.sampled[model->batch.n_sampled - 1]);
        sarrus_path_pop(reader, n_path);
    }
}
