#include "edge/options.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "edge/exit_code.h"
#include "scenario/suggest.h"

bool sarrus_option_number(const char *text, uint64_t max, uint64_t *out) {
    uint64_t number = 0;
    if (*text == '\0')
        return false;
    for (const char *c = text; *c != '\0'; ++c) {
        if (*c < '0' || *c > '9')
            return false;
        const uint64_t digit = (uint64_t)(*c - '0');
        if (digit > max || number > (max - digit) / 10)
            return false;
        number = number * 10 + digit;
    }
    *out = number;
    return true;
}

bool sarrus_option_count(const char *command, const char *name, uint64_t min, uint64_t max, uint64_t *out) {
    if (sarrus_option_number(optarg, max, out) && *out >= min)
        return true;
    sarrus_option_refuse(command, "--%s needs a whole number from %llu to %llu; got '%s'", name, (unsigned long long)min,
                         (unsigned long long)max, optarg);
    return false;
}

bool sarrus_option_positive(const char *command, const char *name, double *out) {
    char *end = optarg;
    const bool is_plain = *optarg != '\0' && strspn(optarg, "0123456789.eE+-") == strlen(optarg) && *optarg != '+';
    *out = is_plain ? strtod(optarg, &end) : 0.0;
    if (is_plain && *end == '\0' && *out > 0.0 && isfinite(*out))
        return true;
    sarrus_option_refuse(command, "--%s needs a number above 0, as 1e-8; got '%s'", name, optarg);
    return false;
}

bool sarrus_option_backend(const char *command, const char *text, sarrus_backend *out) {
    static const char *const names[] = {"auto", "cpu", "cuda"};
    for (int i = 0; i < 3; ++i) {
        if (strcmp(text, names[i]) == 0) {
            *out = (sarrus_backend)i;
            return true;
        }
    }
    sarrus_option_refuse(command, "--backend is auto, cpu or cuda; got '%s'", text);
    return false;
}

const char *sarrus_option_closest(const char *word, const char *const *candidates, int n_candidates) {
    sarrus_suggestion suggestion = sarrus_suggestion_for(word);
    for (int i = 0; i < n_candidates; ++i)
        sarrus_suggestion_offer(&suggestion, candidates[i]);
    return sarrus_suggestion_close(&suggestion);
}

int sarrus_option_refuse(const char *command, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    fprintf(stderr, "sarrus%s%s: error: ", *command != '\0' ? " " : "", command);
    vfprintf(stderr, format, arguments);
    fprintf(stderr, "\nTry 'sarrus %s%s--help'.\n", command, *command != '\0' ? " " : "");
    va_end(arguments);
    return SARRUS_EXIT_BAD_INPUT;
}

enum { MAX_CANDIDATES = 32, LONGEST_WORD = 40 };

static void unknown_refuse(const char *command, const char *given, const struct option *table) {
    const char *candidates[MAX_CANDIDATES];
    char word[LONGEST_WORD + 1] = "";
    int n_candidates = 0;
    for (const struct option *o = table; o->name != NULL && n_candidates < MAX_CANDIDATES; ++o)
        candidates[n_candidates++] = o->name;
    snprintf(word, sizeof word, "%.*s", (int)strcspn(given + 2, "="), given + 2);
    const char *closest = sarrus_option_closest(word, candidates, n_candidates);
    if (closest != NULL)
        sarrus_option_refuse(command, "unknown option '--%s'; did you mean '--%s'?", word, closest);
    else
        sarrus_option_refuse(command, "unknown option '--%s'", word);
}

int sarrus_option_next(int argc, char **argv, const char *shorts, const struct option *table) {
    opterr = 0;
    const int i_before = optind;
    const int option = getopt_long(argc, argv, shorts, table, NULL);
    if (option != '?' && option != ':')
        return option;
    /* After permutation the culprit is the argument before optind; a short option in a cluster may still be at optind. */
    const char *given = argv[optind > i_before ? optind - 1 : optind];
    if (option == ':')
        sarrus_option_refuse(argv[0], "option '%s' needs a value", given);
    else if (optopt != 0 && strncmp(given, "--", 2) == 0)
        sarrus_option_refuse(argv[0], "option '%.*s' takes no value", (int)strcspn(given, "="), given);
    else if (optopt != 0)
        sarrus_option_refuse(argv[0], "unknown option '-%c'", optopt);
    else
        unknown_refuse(argv[0], given, table);
    return '?';
}

bool sarrus_settings_add(sarrus_settings *settings, const char *command, const char *text) {
    const char *equals = strchr(text, '=');
    if (equals == NULL || equals == text) {
        sarrus_option_refuse(command, "--set needs PATH=VALUE, as bodies.crank.mass=2; got '%s'", text);
        return false;
    }
    const size_t n = settings->n_overrides;
    sarrus_override *overrides = realloc(settings->overrides, (n + 1) * sizeof *overrides);
    if (overrides != NULL)
        settings->overrides = overrides;
    char **paths = realloc(settings->paths, (n + 1) * sizeof *paths);
    if (paths != NULL)
        settings->paths = paths;
    const char **texts = realloc(settings->texts, (n + 1) * sizeof *texts);
    if (texts != NULL)
        settings->texts = texts;
    char *path = strndup(text, (size_t)(equals - text));
    if (overrides == NULL || paths == NULL || texts == NULL || path == NULL) {
        free(path);
        fprintf(stderr, "sarrus %s: error: %s\n", command, strerror(ENOMEM));
        return false;
    }
    settings->paths[n] = path;
    settings->texts[n] = text;
    settings->overrides[n] = (sarrus_override){.path = path, .value = equals + 1};
    settings->n_overrides = n + 1;
    return true;
}

void sarrus_settings_take_back(sarrus_settings *settings) {
    settings->n_overrides -= 1;
    free(settings->paths[settings->n_overrides]);
}

void sarrus_settings_free(sarrus_settings *settings) {
    for (size_t i = 0; i < settings->n_overrides; ++i)
        free(settings->paths[i]);
    free(settings->paths);
    free(settings->texts);
    free(settings->overrides);
    *settings = (sarrus_settings){0};
}
