#include <stdio.h>
#include <string.h>

#include "cli/command.h"
#include "edge/exit_code.h"
#include "edge/json.h"
#include "edge/options.h"
#include "sarrus/batch.h"

typedef struct entry {
    const char *name;
    const char *summary;
    double tolerance; /* default of `tol`; 0: takes none */
} entry;

static const entry formulations[] = {
    {"auto", "over a tree or of the bodies, as the plan finds quicker and right: mostly over a tree (the default)", 0.0},
#define SARRUS_FORMULATION(name, value, word, kernel, dense, text) {word, text, 0.0},
#include "sarrus/formulation.def"
    {NULL, NULL, 0.0},
};
static const entry pinvs[] = {
#define SARRUS_PINV_METHOD(name, value, word, kernel, text) {word, text, 0.0},
#include "sarrus/pinv_methods.def"
    {NULL, NULL, 0.0},
};
static const entry rank_methods[] = {
#define SARRUS_RANK_METHOD(name, value, word, tolerance, text) {word, text, tolerance},
#include "sarrus/rank_methods.def"
    {NULL, NULL, 0.0},
};
static const entry integrators[] = {
#define SARRUS_INTEGRATOR(name, value, word, order, is_adaptive, text) {word, text, 0.0},
#include "sarrus/integrators.def"
    {NULL, NULL, 0.0},
};
static const entry joints[] = {
#define SARRUS_JOINT(name, value, word, kernel, n_rows, row_0, row_1, row_2, label_0, label_1, label_2, free, needs, text)         \
    {word, text, 0.0},
#define SARRUS_SPATIAL_JOINT(name, value, word, row_0, row_1, row_2, row_3, row_4, row_5, free_0, free_1, free_2, free_3, free_4,  \
                             free_5, needs, text)                                                                                  \
    {word, text, 0.0},
#include "sarrus/joint.def"
    {NULL, NULL, 0.0},
};
static const entry constraints[] = {
#define SARRUS_CONSTRAINT(name, value, word, kernel, label, text) {word, text, 0.0},
#include "sarrus/constraint.def"
    {NULL, NULL, 0.0},
};
static const entry forces[] = {
#define SARRUS_FORCE(name, value, word, kernel, text) {word, text, 0.0},
#include "sarrus/force.def"
    {NULL, NULL, 0.0},
};
static const entry signals[] = {
#define SARRUS_SIGNAL(name, value, word, values, text) {#word, text " (" values ")", 0.0},
#include "sarrus/signal.def"
    {NULL, NULL, 0.0},
};
static const entry distributions[] = {
#define SARRUS_DISTRIBUTION(name, value, word, first, second, third, fourth, text) {word, text, 0.0},
#include "sarrus/distribution.def"
    {NULL, NULL, 0.0},
};
static const entry samplings[] = {
#define SARRUS_SAMPLING(name, value, word, text) {word, text, 0.0},
#include "sarrus/sampling.def"
    {NULL, NULL, 0.0},
};
static const entry designs[] = {
#define SARRUS_DESIGN(name, value, word, text) {word, text, 0.0},
#include "sarrus/design.def"
    {NULL, NULL, 0.0},
};
static const entry channels[] = {
#define SARRUS_CHANNEL(name, bit, word, numbers, bytes, text) {word, text, 0.0},
#include "sarrus/channel.def"
    {NULL, NULL, 0.0},
};
static const entry orientations[] = {
#define SARRUS_ORIENTATION_FORM(name, word, n, units, scale, text, ...) {word, text, 0.0},
#include "sarrus/orientation.def"
    {NULL, NULL, 0.0},
};
/* A word of its group stands before a name. */
static const entry fields[] = {
#define SARRUS_TILE_FIELD(name, count, kind, reset, unit, text) {#name, "[" #count "] " text, 0.0},
#define SARRUS_VERDICT_FIELD(name, count, kind, reset, unit, text) {"verdict." #name, "[" #count "] " text, 0.0},
#define SARRUS_PASSAGE_FIELD(name, count, kind, reset, unit, text) {"passage." #name, "[" #count "] " text, 0.0},
#define SARRUS_PASSAGE_ROW_FIELD(name, count, kind, reset, unit, text) {"passage." #name, "[" #count "] " text, 0.0},
#define SARRUS_ADAPTIVE_FIELD(name, count, kind, reset, unit, text) {"adaptive." #name, "[" #count "] " text, 0.0},
#define SARRUS_ADAMS_FIELD(name, count, kind, reset, unit, text) {"adaptive." #name, "[" #count "] " text, 0.0},
#define SARRUS_RUNGE_KUTTA_FIELD(name, count, kind, reset, unit, text) {"adaptive." #name, "[" #count "] " text, 0.0},
#include "sarrus/field.def"
    {NULL, NULL, 0.0},
};
/* The last but one says what is usable here; backends_look leaves it out of a build without it. */
static entry backends[] = {
    {"cpu", "SIMD lanes, one instance a lane; AVX-512, AVX2 or baseline, chosen at run time", 0.0},
    {"cuda", NULL, 0.0},
    {NULL, NULL, 0.0},
};

static void backends_look(void) {
    static char text[96];
    const int n_devices = sarrus_backend_n_devices(SARRUS_BACKEND_CUDA);
    if (n_devices < 0)
        backends[1].name = NULL;
    else if (n_devices == 0)
        snprintf(text, sizeof text, "NVIDIA GPUs, one instance a thread; no device is usable here");
    else
        snprintf(text, sizeof text, "NVIDIA GPUs, one instance a thread; %d device%s usable here", n_devices,
                 n_devices == 1 ? "" : "s");
    backends[1].summary = text;
}

typedef struct topic {
    const char *name;
    const entry *entries; /* ended by a NULL name */
} topic;

static const topic topics[] = {
    {"formulations", formulations},
    {"pinv", pinvs},
    {"rank", rank_methods},
    {"integrators", integrators},
    {"joints", joints},
    {"constraints", constraints},
    {"forces", forces},
    {"signals", signals},
    {"distributions", distributions},
    {"samplings", samplings},
    {"designs", designs},
    {"channels", channels},
    {"orientations", orientations},
    {"fields", fields},
    {"backends", backends},
};
enum { N_TOPICS = sizeof topics / sizeof topics[0] };

/* The topics' names with commas between them; the same text at every call. */
static const char *topics_text(void) {
    static char text[256];
    size_t n = 0;
    for (int i = 0; i < N_TOPICS && n < sizeof text; ++i)
        n += (size_t)snprintf(text + n, sizeof text - n, "%s%s", i > 0 ? ", " : "", topics[i].name);
    return text;
}

static void help_print(void) {
    printf("Usage: sarrus list TOPIC [--json]\n\n"
           "Prints what this build has, one a line, each with a description. TOPIC is one of\n  %s\n",
           topics_text());
}

static void topic_print(const topic *chosen) {
    int width = 16;
    for (const entry *e = chosen->entries; e->name != NULL; ++e)
        width = (int)strlen(e->name) > width ? (int)strlen(e->name) : width;
    for (const entry *e = chosen->entries; e->name != NULL; ++e) {
        printf("%-*s %s", width, e->name, e->summary);
        if (e->tolerance > 0.0)
            printf(" (tol: %g unless given)", e->tolerance);
        putchar('\n');
    }
}

static void topic_print_json(const topic *chosen) {
    sarrus_json json;
    sarrus_json_begin(&json, stdout);
    sarrus_json_open(&json, chosen->name, '[');
    for (const entry *e = chosen->entries; e->name != NULL; ++e) {
        sarrus_json_open(&json, NULL, '{');
        sarrus_json_text(&json, "name", e->name);
        sarrus_json_text(&json, "summary", e->summary);
        if (e->tolerance > 0.0)
            sarrus_json_number(&json, "tol", e->tolerance);
        sarrus_json_close(&json, '}');
    }
    sarrus_json_close(&json, ']');
    sarrus_json_close(&json, '}');
}

int sarrus_command_list(int argc, char **argv) {
    static const struct option table[] = {{"json", no_argument, NULL, 'j'}, {"help", no_argument, NULL, 'h'}, {0}};
    bool is_json = false;
    for (int option; (option = sarrus_option_next(argc, argv, ":h", table)) != -1;) {
        if (option == 'h') {
            help_print();
            return SARRUS_EXIT_DONE;
        }
        if (option != 'j')
            return SARRUS_EXIT_BAD_INPUT;
        is_json = true;
    }
    if (optind != argc - 1)
        return sarrus_option_refuse(argv[0], "one of %s was expected", topics_text());
    backends_look();
    const char *names[N_TOPICS];
    for (int i = 0; i < N_TOPICS; ++i) {
        names[i] = topics[i].name;
        if (strcmp(argv[optind], topics[i].name) != 0)
            continue;
        (is_json ? topic_print_json : topic_print)(&topics[i]);
        return SARRUS_EXIT_DONE;
    }
    const char *closest = sarrus_option_closest(argv[optind], names, N_TOPICS);
    return sarrus_option_refuse(argv[0], "unknown list '%s'; %s%s", argv[optind], closest ? "did you mean " : "expected one of ",
                                closest ? closest : topics_text());
}
