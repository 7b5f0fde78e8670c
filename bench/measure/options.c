#include "bench/measure/options.h"

#include <stdio.h>
#include <string.h>

#include "edge/exit_code.h"
#include "edge/options.h"

enum { MAX_NAMES = 16, MAX_COMMAND = 64 };

int sarrus_bench_value_refuse(const char *benchmark, const char *option, const char *value, const char *expected) {
    char command[MAX_COMMAND];
    snprintf(command, sizeof command, "bench %s", benchmark);
    return sarrus_option_refuse(command, "--%s takes %s; got '%s'", option, expected, value);
}

static int help_print(const char *benchmark, const sarrus_bench_option *options, int n_options) {
    printf("Usage: sarrus bench %s [options]\n\nOptions:\n", benchmark);
    for (int i = 0; i < n_options; ++i) {
        char names[48];
        snprintf(names, sizeof names, "%c%c%s--%s %s", options[i].letter != 0 ? '-' : ' ',
                 options[i].letter != 0 ? options[i].letter : ' ', options[i].letter != 0 ? ", " : "  ", options[i].name,
                 options[i].value != NULL ? options[i].value : "");
        printf("  %-24s %s\n", names, options[i].help);
    }
    return SARRUS_EXIT_DONE;
}

/* The option that `word` begins with, up to its "="; NULL when there is none. */
static const sarrus_bench_option *option_find(const char *word, const sarrus_bench_option *options, int n_options) {
    const bool is_long = strncmp(word, "--", 2) == 0;
    const size_t n = is_long ? strcspn(word + 2, "=") : 0;
    for (int i = 0; i < n_options; ++i) {
        const sarrus_bench_option *o = &options[i];
        if (is_long ? strncmp(word + 2, o->name, n) == 0 && o->name[n] == '\0'
                    : word[0] == '-' && o->letter != 0 && word[1] == o->letter && word[2] == '\0')
            return o;
    }
    return NULL;
}

static int unknown_refuse(const char *command, const char *word, const sarrus_bench_option *options, int n_options) {
    const char *names[MAX_NAMES];
    int n_names = 0;
    for (int i = 0; i < n_options && i < MAX_NAMES; ++i)
        names[n_names++] = options[i].name;
    const char *closest = sarrus_option_closest(word + strspn(word, "-"), names, n_names);
    if (closest == NULL)
        return sarrus_option_refuse(command, "'%s' is not understood", word);
    return sarrus_option_refuse(command, "'%s' is not understood; did you mean '--%s'?", word, closest);
}

/* False: the option does not take this value. */
static bool value_take(const sarrus_bench_option *option, const char *value) {
    if (option->count != NULL)
        return sarrus_option_number(value, option->max_count == 0 ? UINT64_MAX : option->max_count, option->count) &&
               *option->count > 0;
    if (option->n_texts == NULL)
        *option->text = value;
    else if (*option->n_texts < option->max_texts)
        option->text[(*option->n_texts)++] = value;
    else
        return false;
    return true;
}

int sarrus_bench_options_read(int argc, char **argv, const sarrus_bench_option *options, int n_options) {
    char command[MAX_COMMAND];
    snprintf(command, sizeof command, "bench %s", argv[0]);
    for (int i = 1; i < argc; ++i) {
        const char *word = argv[i];
        if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0)
            return help_print(argv[0], options, n_options);
        const sarrus_bench_option *option = option_find(word, options, n_options);
        if (option == NULL)
            return unknown_refuse(command, word, options, n_options);
        const char *value = strchr(word, '=') != NULL ? strchr(word, '=') + 1 : NULL;
        if (option->flag != NULL) {
            if (value != NULL)
                return sarrus_option_refuse(command, "option '--%s' takes no value", option->name);
            *option->flag = true;
            continue;
        }
        if (value == NULL && i + 1 == argc)
            return sarrus_option_refuse(command, "option '--%s' needs a value", option->name);
        if (value == NULL)
            value = argv[++i];
        if (!value_take(option, value))
            return sarrus_option_refuse(command, "'%s' is no value for --%s", value, option->name);
    }
    return -1;
}
