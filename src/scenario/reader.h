/* The state of reading one scenario, and the table-driven decoding that every part of it shares.
 *
 * A part of the file is described by a table of keys; sarrus_mapping_read walks it, reports unknown and missing keys, and calls
 * each key's function in table order, with NULL for an absent optional key (the function then puts the default). Numbers that may
 * differ between instances need no function: the table says where their index goes. While a key is being read its path stands in
 * reader->path, so messages and the values table need no further bookkeeping. */
#ifndef SARRUS_SCENARIO_READER_H
#define SARRUS_SCENARIO_READER_H

#include <locale.h>

#include "model/expression.h"
#include "model/model.h"
#include "model/names.h"
#include "scenario/findings.h"
#include "scenario/tree.h"

/* What a number must satisfy. */
typedef enum sarrus_rule {
    SARRUS_RULE_ANY = 0,
    SARRUS_RULE_NOT_NEGATIVE = 1,
    SARRUS_RULE_POSITIVE = 2,
} sarrus_rule;

/* Notes on values that only the reader needs, one for each entry of model->values. */
typedef struct sarrus_value_note {
    sarrus_rule rule;
    const char *fixed_because; /* why it cannot be sampled, NULL if it can */
} sarrus_value_note;

typedef struct sarrus_reader {
    sarrus_findings findings;
    sarrus_tree tree;
    sarrus_model *model;
    sarrus_expression *expression; /* for nominal values */
    double *named;                 /* [n_named] nominal named parameters, bound to `expression` */
    sarrus_value_note *notes;      /* [n_values] */
    int capacity_values, capacity_signals;
    char *path; /* of what is being read, 0-terminated */
    size_t n_path, capacity_path;
    sarrus_names parameter_names, body_names, joint_names, constraint_names, force_names, point_names;
    sarrus_names value_paths; /* filled before the sampled parameters are read */
    sarrus_names drawn;       /* paths that a sampled parameter covers already */
    bool is_in_parameters;    /* what is being read are named parameters, of which use is not made yet */
    locale_t c_locale;
} sarrus_reader;

typedef void (*sarrus_key_function)(sarrus_reader *reader, sarrus_node *node, void *object);

enum {
    SARRUS_KEY_REQUIRED = 1,
    SARRUS_KEY_LATER = 2,    /* known, but of a later version */
    SARRUS_KEY_SCALAR = 4,   /* one number; its index goes to `offset` */
    SARRUS_KEY_VECTOR = 8,   /* two numbers, in space three, by default 0; their indices go to `offset` */
    SARRUS_KEY_IGNORED = 16, /* has been read already */
    SARRUS_KEY_FOREIGN = 32, /* is refused by its function, and expected by nobody */
    SARRUS_KEY_SPATIAL = 64, /* is refused in the plane */
};

typedef struct sarrus_key {
    const char *name;
    unsigned flags;
    sarrus_key_function read; /* NULL for numbers */
    size_t offset;            /* of a sarrus_value_index in the object */
    double fallback;          /* default of numbers that are not required */
    sarrus_rule rule;
} sarrus_key;

/* A word of the file and what it stands for. */
typedef struct sarrus_word {
    const char *text;
    int code;
} sarrus_word;
enum {
    SARRUS_WORD_LATER = -1,     /* known, but of a later version */
    SARRUS_WORD_ELSEWHERE = -2, /* known, but not in the space of this mechanism */
};

enum { SARRUS_SHOWN_BYTES = 64 };

/* A scalar's text, cut to a length fit for messages, in `buffer`. */
const char *sarrus_node_shown(const sarrus_node *node, char buffer[SARRUS_SHOWN_BYTES]);

/* Appends ".text" to the path and returns its old length, for sarrus_path_pop. */
size_t sarrus_path_push(sarrus_reader *reader, const char *text);
size_t sarrus_path_push_index(sarrus_reader *reader, int i);
void sarrus_path_pop(sarrus_reader *reader, size_t n_path);

/* Add a finding at `node`: BAD_INPUT, and UNSUPPORTED for what a later version will read. */
SARRUS_PRINTF(3, 4) void sarrus_reader_refuse(sarrus_reader *reader, const sarrus_node *node, const char *format, ...);
SARRUS_PRINTF(3, 4) void sarrus_reader_defer(sarrus_reader *reader, const sarrus_node *node, const char *format, ...);

/* How many of n_candidates may be compared with a misspelt word to tell what was meant: a file has so many comparisons, and errors
 * that are not kept have none. */
int sarrus_reader_candidates(sarrus_reader *reader, int n_candidates);

/* Reads a mapping by its table; `title` is what it is called, as "a body". False when it is no mapping. */
bool sarrus_mapping_read(sarrus_reader *reader, sarrus_node *node, const char *title, const sarrus_key *keys, int n_keys,
                         void *object);

/* True when `node` is a list (n_items >= 0: of so many); else adds a finding that names `expected`. */
bool sarrus_list_check(sarrus_reader *reader, const sarrus_node *node, int n_items, const char *expected);

/* The name of a list item (bodies, joints, forces): checks it, adds it to `names` with number `i_item`, copies it to *out ("" when
 * there is none) and pushes it (or the index) on the path; returns the old length of the path. */
size_t sarrus_item_name_read(sarrus_reader *reader, const sarrus_node *item, const char *title, sarrus_names *names, int i_item,
                             char **out);

/* The words of this version, with commas, into `out`, which is returned. */
enum { SARRUS_WORDS_BYTES = 400 };
const char *sarrus_words_list(const sarrus_word *words, int n_words, char out[SARRUS_WORDS_BYTES]);

/* A word of a table; false with a finding when it is unknown, of a later version or of the other space. `what` as "joint type". */
bool sarrus_word_read(sarrus_reader *reader, const sarrus_node *node, const char *what, const sarrus_word *words, int n_words,
                      int *out);

/* A whole number in [least, most]; an expression may give it. */
bool sarrus_count_read(sarrus_reader *reader, const sarrus_node *node, uint64_t least, uint64_t most, uint64_t *out);

/* A finite number, expressions evaluated with the nominal parameters. `*expression` (may be NULL as an argument) is set to the
 * text behind the '=' or to NULL. */
bool sarrus_number_read(sarrus_reader *reader, const sarrus_node *node, sarrus_rule rule, double *out, const char **expression);

/* Adds a value with the present path: what `node` says, or `fallback` when it is NULL. Returns its index; a value that cannot be
 * read gets a finding and the fallback. */
sarrus_value_index sarrus_value_read(sarrus_reader *reader, const sarrus_node *node, double fallback, sarrus_rule rule);

/* The same for a list of n numbers, which `expected` describes; `fallback[n]` may be NULL for zeros. */
void sarrus_numbers_read(sarrus_reader *reader, const sarrus_node *node, int n, const char *expected, const double *fallback,
                         sarrus_value_index *out);

/* The same for a vector, which has two numbers in the plane and three in space. */
void sarrus_vector_read(sarrus_reader *reader, const sarrus_node *node, const double *fallback, sarrus_value_index *out);

/* The same for a vector that must not be zero. */
void sarrus_direction_read(sarrus_reader *reader, const sarrus_node *node, sarrus_value_index *out);

/* Whether all is well since there were `n_findings`, so that numbers read since then can be looked at together. */
bool sarrus_reader_is_good_since(const sarrus_reader *reader, size_t n_findings);

/* Sets out[n] to SARRUS_NO_VALUE. */
void sarrus_values_clear(sarrus_value_index *out, int n);

/* The inertia of a body in space: three or six numbers of a tensor that a body can have. A missing one has the entries 0. */
void sarrus_inertia_read(sarrus_reader *reader, const sarrus_node *node, sarrus_value_index out[6]);

/* An orientation in space in any of its forms, by default that of the inertial frame. */
void sarrus_orientation_take(sarrus_reader *reader, sarrus_node *node, sarrus_orientation *form,
                             sarrus_value_index out[SARRUS_MAX_ORIENTATION]);

/* The index of the body that `node` names, or SARRUS_GROUND; false with a finding when there is none. */
bool sarrus_body_reference_read(sarrus_reader *reader, const sarrus_node *node, int *out);

/* A copy of `text`; remembers when memory is out. */
char *sarrus_reader_copy(sarrus_reader *reader, const char *text);

/* Zeroed memory for n objects (at least one); remembers when memory is out. */
void *sarrus_reader_allocate(sarrus_reader *reader, int n, size_t n_bytes);

/* A signal, added to the model; −1 with a finding when it cannot be read. `smooth_for`: what needs two
 * continuous derivatives of it, as messages call it; NULL: nothing does. */
int sarrus_signal_read(sarrus_reader *reader, sarrus_node *node, const char *smooth_for);

/* The table of a cam: `angle` (rad) and `y`, cubic. False with a finding when it cannot be read; *out is then as it was. */
bool sarrus_cam_table_read(sarrus_reader *reader, sarrus_node *node, sarrus_signal *out);

/* A reader to be given to sarrus_reader_destroy, after an error too. NO_MEMORY. */
SARRUS_MUST_USE sarrus_status sarrus_reader_create(sarrus_reader *reader);
void sarrus_reader_destroy(sarrus_reader *reader);

/* The keys `sarrus` and `name`, which every file has (object: the model). */
void sarrus_format_read(sarrus_reader *reader, sarrus_node *node, void *object);
void sarrus_name_read(sarrus_reader *reader, sarrus_node *node, void *object);

/* The parts of the file, as key functions of the top level (object: the model). */
void sarrus_parameters_read(sarrus_reader *reader, sarrus_node *node, void *object);
void sarrus_ground_read(sarrus_reader *reader, sarrus_node *node, void *object);
void sarrus_bodies_read(sarrus_reader *reader, sarrus_node *node, void *object);
void sarrus_joints_read(sarrus_reader *reader, sarrus_node *node, void *object);
void sarrus_constraints_read(sarrus_reader *reader, sarrus_node *node, void *object);
void sarrus_forces_read(sarrus_reader *reader, sarrus_node *node, void *object);
void sarrus_dynamics_read(sarrus_reader *reader, sarrus_node *node, void *object);
/* Of dynamics: what multipliers that are not unique are least in (object: the model). */
void sarrus_weights_read(sarrus_reader *reader, sarrus_node *node, void *object);
void sarrus_integrator_read(sarrus_reader *reader, sarrus_node *node, void *object);
void sarrus_output_read(sarrus_reader *reader, sarrus_node *node, void *object);
void sarrus_limits_read(sarrus_reader *reader, sarrus_node *node, void *object);
void sarrus_batch_read(sarrus_reader *reader, sarrus_node *node, void *object);

/* Marks the named parameters that others depend on which are used themselves; those in other expressions are marked already. */
void sarrus_parameters_use_spread(sarrus_reader *reader);

/* The list batch.parameters; all values must be in the table. */
void sarrus_sampled_read(sarrus_reader *reader, sarrus_node *node);

/* The distribution of a sampled parameter whose targets are read: its word, and its numbers from the mapping `node`. */
void sarrus_distribution_read(sarrus_reader *reader, const sarrus_node *node, const sarrus_node *word, sarrus_sampled *out);

/* The mapping batch.correlation, behind that list (object: the model). */
void sarrus_correlation_read(sarrus_reader *reader, sarrus_node *node, void *object);

#endif
