#include <stdio.h>
#include <string.h>

#include "cli/command.h"
#include "cli/json.h"
#include "cli/options.h"

typedef struct entry {
    const char *name;
    const char *summary;
} entry;

static const entry formulations[] = {
    {"udwadia-kalaba", "absolute coordinates; constraint forces by the pseudoinverse of J M^-1/2 (the default)"},
    {NULL, NULL},
};
static const entry pinvs[] = {
    {"auto", "block LDL' on an independent row set, with a rank-revealing path for the lanes that need it (the default)"},
    {"svd", "one-sided Jacobi SVD, one instance a lane"},
    {"lapack", "LAPACK's dgelsd, one instance at a time: the reference, slow"},
    {NULL, NULL},
};
static const entry integrators[] = {
    {"rk4", "classical Runge-Kutta of order 4, fixed step (the default)"},
    {NULL, NULL},
};
static const entry joints[] = {
    {"revolute", "planar; the two points coincide; free coordinate: the relative angle"},
    {"prismatic", "planar; sliding along an axis without turning; free coordinate: the displacement"},
    {"fixed", "planar; no relative motion"},
    {"distance", "planar; the two points keep their distance, as a massless rod with two pins"},
    {NULL, NULL},
};
static const entry backends[] = {
    {"cpu", "SIMD lanes, one instance a lane; AVX-512, AVX2 or baseline, chosen at run time"},
    {NULL, NULL},
};

typedef struct topic {
    const char *name;
    const entry *entries; /* ended by a NULL name */
} topic;

static const topic topics[] = {
    {"formulations", formulations}, {"pinv", pinvs}, {"integrators", integrators}, {"joints", joints}, {"backends", backends},
};
enum { N_TOPICS = sizeof topics / sizeof topics[0] };

static void help_print(void) {
    printf("Usage: sarrus list formulations|pinv|integrators|joints|backends [--json]\n\n"
           "Prints what this build has, one a line, each with a description.\n");
}

static void topic_print(const topic *chosen) {
    for (const entry *e = chosen->entries; e->name != NULL; e++)
        printf("%-16s %s\n", e->name, e->summary);
}

static void topic_print_json(const topic *chosen) {
    sarrus_json json;
    sarrus_json_begin(&json, stdout);
    sarrus_json_open(&json, chosen->name, '[');
    for (const entry *e = chosen->entries; e->name != NULL; e++) {
        sarrus_json_open(&json, NULL, '{');
        sarrus_json_text(&json, "name", e->name);
        sarrus_json_text(&json, "summary", e->summary);
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
        return sarrus_option_refuse(argv[0], "one of formulations, pinv, integrators, joints, backends was expected");
    const char *names[N_TOPICS];
    for (int i = 0; i < N_TOPICS; i++) {
        names[i] = topics[i].name;
        if (strcmp(argv[optind], topics[i].name) != 0)
            continue;
        (is_json ? topic_print_json : topic_print)(&topics[i]);
        return SARRUS_EXIT_DONE;
    }
    const char *closest = sarrus_option_closest(argv[optind], names, N_TOPICS);
    return sarrus_option_refuse(argv[0], "unknown list '%s'; %s%s", argv[optind], closest != NULL ? "did you mean " : "expected ",
                                closest != NULL ? closest : "formulations, pinv, integrators, joints or backends");
}
