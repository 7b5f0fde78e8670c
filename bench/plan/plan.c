/* `sarrus bench plan`: what planning costs as mechanisms grow. Chains, ladders of parallelograms, wheels, scissor lattices,
 * separate pendulums and pins on one body; each in three sizes, with the time and the memory of the whole way from the text of a
 * scenario to its model card. The exponent is that of the time between the second size and the third. Every plan's degrees of
 * freedom are known, and a row whose plan has others, or whose exponent is above its limit, fails. */
#include "bench/benches.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "bench/plan/scenarios.h"
#include "core/monotonic.h"
#include "sarrus/context.h"
#include "sarrus/plan.h"
#include "sarrus/scenario.h"

enum { N_SIZES = 3 };

typedef struct plan_family {
    const char *name;
    void (*write)(FILE *out, int n);
    int (*n_dof)(int n);
    int sizes[N_SIZES], quick_sizes[N_SIZES];
    double limit; /* of the exponent; INFINITY: its factor is full by its nature */
} plan_family;

static int as_many(int n) {
    return n;
}
static int one(int n) {
    (void)n;
    return 1;
}
static int two(int n) {
    (void)n;
    return 2;
}
static int none(int n) {
    (void)n;
    return 0;
}

static const plan_family families[] = {
    {"chain", sarrus_bench_chain_write, as_many, {100, 1000, 10000}, {10, 30, 90}, 1.3},
    {"ladder", sarrus_bench_ladder_write, one, {40, 400, 2000}, {4, 12, 36}, 1.3},
    {"lattice", sarrus_bench_lattice_write, two, {5, 15, 30}, {2, 4, 6}, INFINITY},
    {"wheel", sarrus_bench_wheel_write, one, {20, 100, 400}, {5, 10, 20}, INFINITY},
    {"pendulums", sarrus_bench_pendulums_write, as_many, {100, 1000, 10000}, {10, 30, 90}, 1.3},
    {"pins", sarrus_bench_pins_write, none, {50, 500, 5000}, {5, 15, 45}, 1.3},
};
enum { N_FAMILIES = sizeof families / sizeof families[0] };

typedef struct plan_row {
    double seconds;
    sarrus_plan_sizes sizes;
    bool is_right;
} plan_row;

static bool plan_once(sarrus_context *context, const plan_family *family, int n, plan_row *row) {
    char *text = NULL;
    size_t n_text = 0;
    FILE *out = open_memstream(&text, &n_text);
    if (!out)
        return false;
    family->write(out, n);
    bool good = fclose(out) == 0;
    sarrus_model *model = NULL;
    sarrus_plan *plan = NULL;
    const double begun = sarrus_monotonic_seconds();
    good = good && sarrus_scenario_read_text(context, family->name, text, n_text, NULL, 0, &model) == SARRUS_OK &&
           sarrus_plan_create(context, model, &plan) == SARRUS_OK;
    row->seconds = sarrus_monotonic_seconds() - begun;
    if (good)
        sarrus_plan_sizes_get(plan, &row->sizes);
    row->is_right = good && row->sizes.n_dof == family->n_dof(n);
    sarrus_plan_destroy(plan);
    sarrus_model_destroy(model);
    free(text);
    return good;
}

static void row_print(const plan_family *family, int n, const plan_row *row, bool is_json, bool is_first) {
    struct rusage usage;
    (void)getrusage(RUSAGE_SELF, &usage);
    const double megabytes = (double)usage.ru_maxrss / 1024.0;
    if (is_json)
        printf("%s\n  {\"family\": \"%s\", \"n\": %d, \"bodies\": %d, \"rows\": %d, \"rank\": %d, \"dof\": %d, \"seconds\": %.6g, "
               "\"peak_megabytes\": %.1f, \"right\": %s}",
               is_first ? "" : ",", family->name, n, row->sizes.n_bodies, row->sizes.m, row->sizes.rank, row->sizes.n_dof,
               row->seconds, megabytes, row->is_right ? "true" : "false");
    else
        printf("%-10s %6d %7d %7d %7d %7d %10.3f %9.0f  %s\n", family->name, n, row->sizes.n_bodies, row->sizes.m, row->sizes.rank,
               row->sizes.n_dof, row->seconds, megabytes, row->is_right ? "" : "WRONG");
    fflush(stdout);
}

/* Between the last two sizes, in bodies or, where there is one body only, in rows. */
static double exponent_of(const plan_row *rows) {
    const bool has_bodies = rows[2].sizes.n_bodies > rows[1].sizes.n_bodies;
    const double from = has_bodies ? rows[1].sizes.n_bodies : rows[1].sizes.m,
                 to = has_bodies ? rows[2].sizes.n_bodies : rows[2].sizes.m;
    return log(rows[2].seconds / rows[1].seconds) / log(to / from);
}

/* False: a gate has failed. */
static bool family_run(sarrus_context *context, const plan_family *family, bool is_quick, bool is_json, bool is_first) {
    plan_row rows[N_SIZES] = {0};
    bool good = true;
    for (int i = 0; i < N_SIZES; i++) {
        const int n = is_quick ? family->quick_sizes[i] : family->sizes[i];
        good = plan_once(context, family, n, &rows[i]) && rows[i].is_right && good;
        row_print(family, n, &rows[i], is_json, is_first && i == 0);
    }
    const double exponent = exponent_of(rows);
    /* What takes milliseconds is no measure of growth. */
    const bool is_within = is_quick || !(exponent > family->limit);
    if (!is_json)
        printf("%-10s grows by n^%.2f%s\n", "", exponent, is_within ? "" : ", above its limit: FAILED");
    return good && is_within;
}

static int usage_refuse(const char *word) {
    fprintf(stderr, "sarrus bench plan: error: unknown option '%s'; expected --json, --quick\n", word);
    return 2;
}

int sarrus_bench_plan(int argc, char **argv) {
    bool is_json = false, is_quick = false, good = true;
    for (int i = 1; i < argc; i++) {
        const bool json = strcmp(argv[i], "--json") == 0, quick = strcmp(argv[i], "--quick") == 0;
        if (!json && !quick)
            return usage_refuse(argv[i]);
        is_json = is_json || json;
        is_quick = is_quick || quick;
    }
    sarrus_context *context = NULL;
    if (sarrus_context_create(&context) != SARRUS_OK) {
        fprintf(stderr, "sarrus bench plan: error: out of memory\n");
        return 3;
    }
    if (is_json)
        printf("{\"rows\": [");
    else
        printf("%-10s %6s %7s %7s %7s %7s %10s %9s\n", "family", "n", "bodies", "rows", "rank", "dof", "seconds", "peak MB");
    for (int i = 0; i < N_FAMILIES; i++)
        good = family_run(context, &families[i], is_quick, is_json, i == 0) && good;
    if (is_json)
        printf("\n], \"good\": %s}\n", good ? "true" : "false");
    sarrus_context_destroy(context);
    return good ? 0 : 1;
}
