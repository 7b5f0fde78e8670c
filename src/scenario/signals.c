/* Functions of time, wherever they stand. */
#include "scenario/reader.h"

#include <stdlib.h>
#include <string.h>

/* A signal while it is being read: the indices of its numbers in the model's order, then what only tables have. */
struct signal_reading {
    sarrus_value_index numbers[4];
    int n_values;
    sarrus_value_index *values; /* [n_values], polynomials and tables */
    double *knots;              /* [n_knots] */
    int n_knots;
    bool is_linear;
};

enum { n_least_linear = 2, n_least_cubic = 4 };

static sarrus_value_index *read_values(sarrus_reader *reader, const sarrus_node *node, int *n_values) {
    sarrus_value_index *values = sarrus_reader_allocate(reader, node->n_children, sizeof *values);
    if (values == NULL) {
        return NULL;
    }
    for (const sarrus_node *item = node->first; item != NULL; item = item->next) {
        const size_t n_path = sarrus_path_push_index(reader, *n_values);
        values[(*n_values)++] = sarrus_value_read(reader, item, 0, SARRUS_RULE_ANY);
        sarrus_path_pop(reader, n_path);
    }
    return values;
}

static void read_knots(sarrus_reader *reader, sarrus_node *node, void *object) {
    struct signal_reading *reading = object;
    if (node == NULL) {
        return;
    }
    const bool is_time = strcmp(node->key->text, "t") == 0;
    if (!sarrus_list_check(reader, node, -1, is_time ? "a list of times" : "a list of angles")) {
        return;
    }
    reading->knots = sarrus_reader_allocate(reader, node->n_children, sizeof *reading->knots);
    if (reading->knots == NULL) {
        return;
    }
    for (const sarrus_node *item = node->first; item != NULL; item = item->next) {
        double time = 0;
        if (!sarrus_number_read(reader, item, SARRUS_RULE_ANY, &time, NULL)) {
            return;
        }
        if (reading->n_knots > 0 && time <= reading->knots[reading->n_knots - 1]) {
            sarrus_reader_refuse(reader, item, "the %s %.10g does not follow the one before; expected %ss that increase",
                                 is_time ? "time" : "angle", time, is_time ? "time" : "angle");
            return;
        }
        reading->knots[reading->n_knots++] = time;
    }
}

static void read_ordinates(sarrus_reader *reader, sarrus_node *node, void *object) {
    struct signal_reading *reading = object;
    if (node != NULL && sarrus_list_check(reader, node, -1, "a list of numbers")) {
        reading->values = read_values(reader, node, &reading->n_values);
    }
}

static void read_interpolation(sarrus_reader *reader, sarrus_node *node, void *object) {
    static const sarrus_word interpolations[] = {{"cubic", 0}, {"linear", 1}};
    struct signal_reading *reading = object;
    int code = 0;
    if (node != NULL && sarrus_word_read(reader, node, "interpolation", interpolations, 2, &code)) {
        reading->is_linear = code == 1;
    }
}

static const sarrus_key ramp_keys[] = {
    {"slope", SARRUS_KEY_REQUIRED | SARRUS_KEY_SCALAR, NULL, offsetof(struct signal_reading, numbers[1]), 0, SARRUS_RULE_ANY},
    {"offset", SARRUS_KEY_SCALAR, NULL, offsetof(struct signal_reading, numbers[0]), 0, SARRUS_RULE_ANY},
    {"start", SARRUS_KEY_SCALAR, NULL, offsetof(struct signal_reading, numbers[2]), 0, SARRUS_RULE_ANY},
};

static const sarrus_key sine_keys[] = {
    {"amplitude", SARRUS_KEY_REQUIRED | SARRUS_KEY_SCALAR, NULL, offsetof(struct signal_reading, numbers[0]), 0, SARRUS_RULE_ANY},
    {"frequency", SARRUS_KEY_REQUIRED | SARRUS_KEY_SCALAR, NULL, offsetof(struct signal_reading, numbers[1]), 0, SARRUS_RULE_ANY},
    {"phase", SARRUS_KEY_SCALAR, NULL, offsetof(struct signal_reading, numbers[2]), 0, SARRUS_RULE_ANY},
    {"offset", SARRUS_KEY_SCALAR, NULL, offsetof(struct signal_reading, numbers[3]), 0, SARRUS_RULE_ANY},
};

static const sarrus_key cam_keys[] = {
    {.name = "angle", .flags = SARRUS_KEY_REQUIRED, .read = read_knots},
    {.name = "y", .flags = SARRUS_KEY_REQUIRED, .read = read_ordinates},
    {.name = "interpolation", .read = read_interpolation},
};

static const sarrus_key table_keys[] = {
    {.name = "t", .flags = SARRUS_KEY_REQUIRED, .read = read_knots},
    {.name = "y", .flags = SARRUS_KEY_REQUIRED, .read = read_ordinates},
    {.name = "interpolation", .read = read_interpolation},
};

/* Makes `values` of a signal from its first n numbers. */
static bool take_numbers(sarrus_reader *reader, struct signal_reading *reading, int n) {
    reading->values = sarrus_reader_allocate(reader, n, sizeof *reading->values);
    if (reading->values == NULL) {
        return false;
    }
    memcpy(reading->values, reading->numbers, (size_t)n * sizeof *reading->values);
    reading->n_values = n;
    return true;
}

static bool read_constant(sarrus_reader *reader, sarrus_node *node, struct signal_reading *reading, const char *smooth_for) {
    (void)smooth_for;
    reading->numbers[0] = sarrus_value_read(reader, node, 0, SARRUS_RULE_ANY);
    return take_numbers(reader, reading, 1);
}

/* At its start a ramp has a kink, where a driven joint would need an infinite load. The rate at t_end is that after it. */
static bool read_ramp(sarrus_reader *reader, sarrus_node *node, struct signal_reading *reading, const char *smooth_for) {
    if (!sarrus_mapping_read(reader, node, "a ramp", ramp_keys, sizeof ramp_keys / sizeof ramp_keys[0], reading)) {
        return false;
    }
    const sarrus_value_index i_start = reading->numbers[2];
    if (smooth_for != NULL && i_start != SARRUS_NO_VALUE) {
        const double start = reader->model->values[i_start].nominal;
        reader->notes[i_start].fixed_because = "drives and the motion of ground must have no kink within the run";
        if (start > 0 && start <= reader->model->integrator.t_end) {
            sarrus_reader_refuse(reader, sarrus_node_child(node, "start"),
                                 "%s has a kink at t = %.10g s; expected a start at or before 0, or after t_end", smooth_for,
                                 start);
        }
    }
    return take_numbers(reader, reading, 3);
}

static bool read_sine(sarrus_reader *reader, sarrus_node *node, struct signal_reading *reading, const char *smooth_for) {
    (void)smooth_for;
    return sarrus_mapping_read(reader, node, "a sine", sine_keys, sizeof sine_keys / sizeof sine_keys[0], reading) &&
           take_numbers(reader, reading, 4);
}

static bool read_polynomial(sarrus_reader *reader, sarrus_node *node, struct signal_reading *reading, const char *smooth_for) {
    (void)smooth_for;
    if (!sarrus_list_check(reader, node, -1, "a list of coefficients [c0, c1, ...]")) {
        return false;
    }
    if (node->n_children == 0) {
        sarrus_reader_refuse(reader, node, "a polynomial without coefficients; expected at least one");
        return false;
    }
    reading->values = read_values(reader, node, &reading->n_values);
    return reading->values != NULL;
}

/* As many ordinates as there are knots under `key`, and enough of them. */
static bool check_points(sarrus_reader *reader, const sarrus_node *node, const struct signal_reading *reading, const char *key) {
    const sarrus_node *times = sarrus_node_child(node, key);
    const sarrus_node *ordinates = sarrus_node_child(node, "y");
    if (times == NULL || ordinates == NULL || times->kind != SARRUS_NODE_SEQUENCE || ordinates->kind != SARRUS_NODE_SEQUENCE ||
        reading->n_knots != times->n_children) {
        return false; /* reported already */
    }
    if (times->n_children != ordinates->n_children) {
        sarrus_reader_refuse(reader, ordinates, "'y' has %d entries and '%s' has %d; expected as many of both",
                             ordinates->n_children, key, times->n_children);
        return false;
    }
    const int n_least = reading->is_linear ? n_least_linear : n_least_cubic;
    if (reading->n_knots < n_least) {
        sarrus_reader_refuse(reader, times, "a table of %d points; expected at least %d for %s interpolation", reading->n_knots,
                             n_least, reading->is_linear ? "linear" : "cubic");
        return false;
    }
    return true;
}

static bool check_table(sarrus_reader *reader, const sarrus_node *node, const struct signal_reading *reading,
                        const char *smooth_for) {
    if (!check_points(reader, node, reading, "t")) {
        return false;
    }
    const sarrus_node *times = sarrus_node_child(node, "t");
    const double t_end = reader->model->integrator.t_end;
    const double last = reading->knots[reading->n_knots - 1];
    if (reading->knots[0] > 0 || last < t_end * (1 - 1e-12)) {
        sarrus_reader_refuse(reader, times, "the table covers t = %.10g to %.10g s; expected it to cover the run from 0 to %.10g s",
                             reading->knots[0], last, t_end);
    }
    if (smooth_for != NULL && reading->is_linear) {
        sarrus_reader_refuse(reader, sarrus_node_child(node, "interpolation"),
                             "a linear table has no second derivative, which %s needs; expected cubic interpolation", smooth_for);
    }
    return true;
}

static bool read_table(sarrus_reader *reader, sarrus_node *node, struct signal_reading *reading, const char *smooth_for) {
    return sarrus_mapping_read(reader, node, "a table", table_keys, sizeof table_keys / sizeof table_keys[0], reading) &&
           check_table(reader, node, reading, smooth_for);
}

static const struct {
    const char *name;
    sarrus_signal_kind kind;
    bool (*read)(sarrus_reader *reader, sarrus_node *node, struct signal_reading *reading, const char *smooth_for);
} signal_kinds[] = {
#define SARRUS_SIGNAL(name, value, word, values, text) {#word, value, read_##word},
#include "sarrus/signal.def"
};

static const sarrus_key signal_keys[] = {
#define SARRUS_SIGNAL(constant, value, word, values, text) {.name = #word, .flags = SARRUS_KEY_IGNORED},
#include "sarrus/signal.def"
};

/* Moves what was read into the model. */
static int signal_add(sarrus_reader *reader, const sarrus_node *node, sarrus_signal_kind kind,
                      const struct signal_reading *reading) {
    sarrus_model *model = reader->model;
    if (model->n_signals == reader->capacity_signals) {
        const int capacity = reader->capacity_signals == 0 ? 8 : 2 * reader->capacity_signals;
        sarrus_signal *signals = realloc(model->signals, (size_t)capacity * sizeof *signals);
        if (signals == NULL) {
            reader->findings.is_out_of_memory = true;
            free(reading->values);
            free(reading->knots);
            return -1;
        }
        model->signals = signals;
        reader->capacity_signals = capacity;
    }
    model->signals[model->n_signals] = (sarrus_signal){.place = sarrus_node_place(node),
                                                       .kind = kind,
                                                       .n_values = reading->n_values,
                                                       .values = reading->values,
                                                       .knots = reading->knots,
                                                       .is_linear = reading->is_linear};
    return model->n_signals++;
}

/* The one key of a signal's mapping; NULL with a finding when there is none or more than one. */
static sarrus_node *signal_form(sarrus_reader *reader, sarrus_node *node) {
    static const sarrus_word words[] = {
#define SARRUS_SIGNAL(name, value, word, values, text) {#word, value},
#include "sarrus/signal.def"
    };
    const int n_kinds = sizeof signal_kinds / sizeof signal_kinds[0];
    char expected[SARRUS_WORDS_BYTES];
    if (!sarrus_mapping_read(reader, node, "a signal", signal_keys, n_kinds, NULL)) {
        return NULL;
    }
    sarrus_node *form = NULL;
    int n_forms = 0;
    for (int i_kind = 0; i_kind < n_kinds; ++i_kind) {
        sarrus_node *child = sarrus_node_child(node, signal_kinds[i_kind].name);
        form = child != NULL ? child : form;
        n_forms += child != NULL;
    }
    if (n_forms == 0 && node->n_children > 0) {
        return NULL; /* an unknown key, reported */
    }
    if (n_forms != 1) {
        sarrus_reader_refuse(reader, node, "a signal of %d forms; expected one of %s", n_forms,
                             sarrus_words_list(words, n_kinds, expected));
        return NULL;
    }
    return form;
}

int sarrus_signal_read(sarrus_reader *reader, sarrus_node *node, const char *smooth_for) {
    struct signal_reading reading = {.n_values = 0};
    sarrus_values_clear(reading.numbers, 4);
    if (node->kind == SARRUS_NODE_SCALAR) {
        return read_constant(reader, node, &reading, smooth_for) ? signal_add(reader, node, SARRUS_SIGNAL_CONSTANT, &reading) : -1;
    }
    sarrus_node *form = signal_form(reader, node);
    if (form == NULL) {
        return -1;
    }
    int i_kind = 0;
    while (strcmp(signal_kinds[i_kind].name, form->key->text) != 0) {
        ++i_kind;
    }
    const size_t n_path = sarrus_path_push(reader, form->key->text);
    const bool is_good = signal_kinds[i_kind].read(reader, form, &reading, smooth_for);
    sarrus_path_pop(reader, n_path);
    if (!is_good) {
        free(reading.values);
        free(reading.knots);
        return -1;
    }
    return signal_add(reader, node, signal_kinds[i_kind].kind, &reading);
}

bool sarrus_cam_table_read(sarrus_reader *reader, sarrus_node *node, sarrus_signal *out) {
    struct signal_reading reading = {.n_values = 0};
    bool is_good = sarrus_mapping_read(reader, node, "a table", cam_keys, sizeof cam_keys / sizeof cam_keys[0], &reading) &&
                   check_points(reader, node, &reading, "angle");
    if (is_good && reading.is_linear) {
        sarrus_reader_refuse(reader, sarrus_node_child(node, "interpolation"),
                             "a linear table has no second derivative, which a cam needs; expected cubic interpolation");
        is_good = false;
    }
    if (!is_good) {
        free(reading.values);
        free(reading.knots);
        return false;
    }
    *out = (sarrus_signal){.place = sarrus_node_place(node),
                           .kind = SARRUS_SIGNAL_TABLE,
                           .n_values = reading.n_values,
                           .values = reading.values,
                           .knots = reading.knots};
    return true;
}
