/* What the mapping `output` says of instances: whose trajectories are kept, of what there are statistics over all of them, and
 * which quantities are held against the parameters. */
#include <stdlib.h>
#include <string.h>

#include "scenario/output.h"
#include "scenario/suggest.h"

enum { most_levels = 64, most_bins = 10000 };

static const sarrus_word statistics_words[] = {
#define SARRUS_CHANNEL(name, bit, word, numbers, bytes, text) {word, bit},
#include "sarrus/channel.def"
    {"drives", SARRUS_STATISTICS_DRIVES},
    {"points", SARRUS_STATISTICS_POINTS},
    {"quantities", SARRUS_STATISTICS_QUANTITIES},
};

/* ---- output.instances ---- */

void sarrus_kept_read(sarrus_reader *reader, sarrus_node *node, void *object) {
    static const sarrus_word words[] = {{"all", 0}, {"none", 1}};
    sarrus_model *model = object;
    int code = 0;
    if (node == NULL) {
        return;
    }
    if (node->kind != SARRUS_NODE_SEQUENCE) {
        if (node->kind != SARRUS_NODE_SCALAR || sarrus_node_is_null(node)) {
            sarrus_reader_refuse(reader, node, "'%s' is %s; expected all, none, or a list of numbers of instances", reader->path,
                                 sarrus_node_kind_text(node));
        } else if (sarrus_word_read(reader, node, "choice of instances", words, 2, &code)) {
            model->output.has_kept = code != 0;
        }
        return;
    }
    model->output.has_kept = true;
    model->output.kept = sarrus_reader_allocate(reader, node->n_children, sizeof *model->output.kept);
    int i = 0;
    for (sarrus_node *item = node->first; item != NULL && model->output.kept != NULL; item = item->next) {
        const size_t n_path = sarrus_path_push_index(reader, i++);
        uint64_t number = 0;
        if (sarrus_count_read(reader, item, 0, UINT64_C(1) << 53, &number)) {
            model->output.kept[model->output.n_kept++] = number;
        }
        sarrus_path_pop(reader, n_path);
    }
}

/* One number of the list, and where it stands. */
typedef struct kept_item {
    uint64_t number;
    int i_item;
    const sarrus_node *node;
} kept_item;

static int items_compare(const void *a, const void *b) {
    const kept_item *x = a, *y = b;
    return x->number != y->number ? (x->number > y->number) - (x->number < y->number) : x->i_item - y->i_item;
}

/* Instances of the study are known once `batch` has been read; a file that does not say how many takes what a caller gives. */
void sarrus_kept_settle(sarrus_reader *reader) {
    sarrus_model *model = reader->model;
    const sarrus_node *root = reader->tree.root;
    const sarrus_node *list = sarrus_node_child(sarrus_node_child(root, "output"), "instances");
    const sarrus_node *count = sarrus_node_child(sarrus_node_child(root, "batch"), "instances");
    const uint64_t n_study = sarrus_model_n_instances(model);
    const int n = model->output.n_kept;
    if (n == 0 || list == NULL || list->n_children != n) {
        return;
    }
    kept_item *items = calloc((size_t)n, sizeof *items);
    if (items == NULL) {
        reader->findings.is_out_of_memory = true;
        return;
    }
    int i = 0;
    for (const sarrus_node *item = list->first; item != NULL; item = item->next, ++i) {
        items[i] = (kept_item){model->output.kept[i], i, item};
    }
    qsort(items, (size_t)n, sizeof *items, items_compare);
    for (i = 0; i < n; ++i) {
        model->output.kept[i] = items[i].number;
        if (i > 0 && items[i].number == items[i - 1].number) {
            sarrus_reader_refuse(reader, items[i].node, "instance %llu stands twice; expected each instance once",
                                 (unsigned long long)items[i].number);
        } else if (count != NULL && items[i].number >= n_study) {
            sarrus_reader_refuse(reader, items[i].node, "there is no instance %llu; expected numbers from 0 to %llu",
                                 (unsigned long long)items[i].number, (unsigned long long)n_study - 1);
        }
    }
    free(items);
}

/* ---- output.statistics ---- */

void sarrus_drawn_names_settle(sarrus_reader *reader) {
    const sarrus_model *model = reader->model;
    const sarrus_node *list = sarrus_node_child(sarrus_node_child(reader->tree.root, "batch"), "parameters");
    const sarrus_node *item = list != NULL ? list->first : NULL;
    for (int i = 0; model->output.statistics != 0 && item != NULL && i < model->batch.n_sampled; ++i, item = item->next) {
        if (strcmp(model->batch.sampled[i].label, "time") == 0) {
            sarrus_reader_refuse(reader, item,
                                 "a drawn parameter is called 'time', as the times of a result are, and output.statistics has one "
                                 "of each; expected another name");
        }
    }
}

void sarrus_channel_check(sarrus_reader *reader, const sarrus_node *item, unsigned channel) {
    if (channel == SARRUS_CHANNEL_JOINT_POINTS && sarrus_model_ground_motion(reader->model, 0) != NULL) {
        sarrus_reader_defer(reader, item,
                            "the channel 'joint_points' with a ground that moves is of a later version; expected a ground at rest");
    }
}

static bool has_drives(const sarrus_model *model) {
    for (int i = 0; i < SARRUS_MAX_FREEDOMS * model->n_joints; ++i) {
        if (model->joints[i / SARRUS_MAX_FREEDOMS].drive[i % SARRUS_MAX_FREEDOMS] >= 0) {
            return true;
        }
    }
    return false;
}

/* NULL, or what the scenario would have to have. */
static const char *lacking(const sarrus_model *model, unsigned code) {
    switch (code) {
    case SARRUS_STATISTICS_DRIVES:
        return has_drives(model) ? NULL : "a joint with a drive";
    case SARRUS_STATISTICS_POINTS:
        return model->output.n_points > 0 ? NULL : "output.points";
    case SARRUS_STATISTICS_QUANTITIES:
        return model->output.n_quantities > 0 ? NULL : "output.quantities";
    default:
        return NULL;
    }
}

static void read_statistics_channels(sarrus_reader *reader, sarrus_node *node, void *object) {
    sarrus_model *model = object;
    if (node == NULL || !sarrus_list_check(reader, node, -1, "a list of channels, as [state, energy]")) {
        return;
    }
    for (const sarrus_node *item = node->first; item != NULL; item = item->next) {
        int code = 0;
        if (!sarrus_word_read(reader, item, "channel of statistics", statistics_words,
                              sizeof statistics_words / sizeof statistics_words[0], &code)) {
            continue;
        }
        const char *expected = lacking(model, (unsigned)code);
        if ((model->output.statistics & (unsigned)code) != 0) {
            sarrus_reader_refuse(reader, item, "the channel '%s' stands twice; expected each channel once", item->text);
        } else if (expected != NULL) {
            sarrus_reader_refuse(reader, item, "there are no %s; expected %s", item->text, expected);
        }
        sarrus_channel_check(reader, item, (unsigned)code);
        model->output.statistics |= (unsigned)code;
    }
}

static void read_level(sarrus_reader *reader, const sarrus_node *item, sarrus_model *model) {
    double level = 0;
    if (!sarrus_number_read(reader, item, SARRUS_RULE_NOT_NEGATIVE, &level, NULL)) {
        return;
    }
    if (level > 1) {
        sarrus_reader_refuse(reader, item, "'%s' is %.10g; expected a share of the instances, from 0 to 1", reader->path, level);
        return;
    }
    for (int i = 0; i < model->output.n_levels; ++i) {
        if (model->output.levels[i] == level) {
            sarrus_reader_refuse(reader, item, "the quantile %.10g stands twice; expected each quantile once", level);
            return;
        }
    }
    model->output.levels[model->output.n_levels++] = level;
}

static void read_levels(sarrus_reader *reader, sarrus_node *node, void *object) {
    sarrus_model *model = object;
    if (node == NULL || !sarrus_list_check(reader, node, -1, "a list of shares, as [0.05, 0.5, 0.95]")) {
        return;
    }
    if (node->n_children > most_levels) {
        sarrus_reader_refuse(reader, node, "%d quantiles; expected at most %d", node->n_children, most_levels);
        return;
    }
    model->output.levels = sarrus_reader_allocate(reader, node->n_children, sizeof *model->output.levels);
    int i = 0;
    for (const sarrus_node *item = node->first; item != NULL && model->output.levels != NULL; item = item->next) {
        const size_t n_path = sarrus_path_push_index(reader, i++);
        read_level(reader, item, model);
        sarrus_path_pop(reader, n_path);
    }
}

static void read_quantile_method(sarrus_reader *reader, sarrus_node *node, void *object) {
    static const sarrus_word words[] = {{"exact", 0}, {"sketch", 1}};
    sarrus_model *model = object;
    int code = 0;
    if (node != NULL && sarrus_word_read(reader, node, "way to make quantiles", words, 2, &code)) {
        model->output.has_sketches = code != 0;
    }
}

static void read_histogram(sarrus_reader *reader, sarrus_node *node, void *object) {
    sarrus_model *model = object;
    uint64_t n_bins = 0;
    if (node != NULL && sarrus_count_read(reader, node, 1, most_bins, &n_bins)) {
        model->output.n_bins = (int)n_bins;
        if ((model->output.statistics & SARRUS_STATISTICS_QUANTITIES) == 0) {
            sarrus_reader_refuse(reader, node, "a histogram without quantities; expected 'quantities' among the channels");
        }
    }
}

static void read_covariance(sarrus_reader *reader, sarrus_node *node, void *object) {
    static const sarrus_word truths[] = {{"true", 1}, {"false", 0}};
    sarrus_model *model = object;
    int code = 0;
    if (node == NULL || !sarrus_word_read(reader, node, "choice of covariance", truths, 2, &code)) {
        return;
    }
    model->output.has_covariance = code != 0;
    if (model->output.has_covariance && (model->output.statistics & SARRUS_STATISTICS_QUANTITIES) == 0) {
        sarrus_reader_refuse(reader, node, "covariances without quantities; expected 'quantities' among the channels");
    }
}

static const sarrus_key statistics_keys[] = {
    {.name = "channels", .flags = SARRUS_KEY_REQUIRED, .read = read_statistics_channels},
    {.name = "quantiles", .read = read_levels},
    {.name = "quantile_method", .read = read_quantile_method},
    {.name = "histogram", .read = read_histogram},
    {.name = "covariance", .read = read_covariance},
};

void sarrus_statistics_read(sarrus_reader *reader, sarrus_node *node, void *object) {
    if (node == NULL || sarrus_node_is_null(node)) {
        return;
    }
    if (node->kind == SARRUS_NODE_SEQUENCE) {
        read_statistics_channels(reader, node, object);
        return;
    }
    (void)sarrus_mapping_read(reader, node, "output.statistics", statistics_keys,
                              sizeof statistics_keys / sizeof statistics_keys[0], object);
}

/* ---- output.sensitivity ---- */

/* The quantity of that name, or -1. */
static int quantity_find(sarrus_reader *reader, const sarrus_node *item) {
    const sarrus_model *model = reader->model;
    sarrus_suggestion suggestion = sarrus_suggestion_for(item->text);
    for (int i = 0; i < model->output.n_quantities; ++i) {
        const char *name = model->output.quantities[i].name;
        if (name != NULL && strcmp(name, item->text) == 0) {
            return i;
        }
        if (name != NULL) {
            sarrus_suggestion_offer(&suggestion, name);
        }
    }
    const char *close = sarrus_suggestion_close(&suggestion);
    if (model->output.n_quantities == 0) {
        sarrus_reader_refuse(reader, item, "there is no quantity '%s'; expected output.quantities to have it", item->text);
    } else if (close != NULL) {
        sarrus_reader_refuse(reader, item, "there is no quantity '%s'; did you mean '%s'?", item->text, close);
    } else {
        sarrus_reader_refuse(reader, item, "there is no quantity '%s'; expected one of output.quantities", item->text);
    }
    return -1;
}

void sarrus_sensitivity_read(sarrus_reader *reader, sarrus_node *node, void *object) {
    sarrus_model *model = object;
    if (node == NULL || sarrus_node_is_null(node) ||
        !sarrus_list_check(reader, node, -1, "a list of names of quantities, as [stroke]")) {
        return;
    }
    model->output.sensitivity = sarrus_reader_allocate(reader, node->n_children, sizeof *model->output.sensitivity);
    for (const sarrus_node *item = node->first; item != NULL && model->output.sensitivity != NULL; item = item->next) {
        if (item->kind != SARRUS_NODE_SCALAR || sarrus_node_is_null(item)) {
            sarrus_reader_refuse(reader, item, "an entry of '%s' is %s; expected the name of a quantity", reader->path,
                                 sarrus_node_kind_text(item));
            continue;
        }
        const int i_quantity = quantity_find(reader, item);
        for (int i = 0; i_quantity >= 0 && i < model->output.n_sensitivity; ++i) {
            if (model->output.sensitivity[i] == i_quantity) {
                sarrus_reader_refuse(reader, item, "the quantity '%s' stands twice; expected each quantity once", item->text);
            }
        }
        if (i_quantity >= 0) {
            model->output.sensitivity[model->output.n_sensitivity++] = i_quantity;
        }
    }
}

void sarrus_sensitivity_settle(sarrus_reader *reader) {
    const sarrus_model *model = reader->model;
    if (model->output.n_sensitivity > 0 && model->batch.n_sampled == 0) {
        const sarrus_node *output = sarrus_node_child(reader->tree.root, "output");
        sarrus_reader_refuse(reader, sarrus_node_child(output, "sensitivity"),
                             "a sensitivity without sampled parameters; expected some in batch.parameters");
    }
}
