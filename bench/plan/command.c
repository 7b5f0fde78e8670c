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

#include "bench/measure/measure.h"
#include "bench/measure/options.h"
#include "bench/plan/scenarios.h"
#include "bench/report/sheet.h"
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

static void row_show(sarrus_sheet *sheet, const plan_family *family, int n, const plan_row *row) {
    struct rusage usage;
    (void)getrusage(RUSAGE_SELF, &usage);
    sarrus_sheet_row(sheet);
    sarrus_sheet_text(sheet, "family", -10, "family", family->name);
    sarrus_sheet_count(sheet, "n", 6, "n", (uint64_t)n);
    sarrus_sheet_count(sheet, "bodies", 7, "bodies", (uint64_t)row->sizes.n_bodies);
    sarrus_sheet_count(sheet, "rows", 7, "rows", (uint64_t)row->sizes.m);
    sarrus_sheet_count(sheet, "rank", 7, "rank", (uint64_t)row->sizes.rank);
    sarrus_sheet_count(sheet, "dof", 7, "dof", (uint64_t)row->sizes.n_dof);
    sarrus_sheet_number(sheet, "seconds", 10, "%.3f", "seconds", row->seconds);
    sarrus_sheet_number(sheet, "peak MB", 9, "%.0f", "peak_megabytes", (double)usage.ru_maxrss / 1024.0);
    sarrus_sheet_text(sheet, "", 0, NULL, row->is_right ? "" : " WRONG");
    sarrus_sheet_flag(sheet, "right", row->is_right);
    sarrus_sheet_row_end(sheet);
}

/* Between the last two sizes, in bodies or, where there is one body only, in rows. */
static double exponent_of(const plan_row *rows) {
    const bool has_bodies = rows[2].sizes.n_bodies > rows[1].sizes.n_bodies;
    const double from = has_bodies ? rows[1].sizes.n_bodies : rows[1].sizes.m,
                 to = has_bodies ? rows[2].sizes.n_bodies : rows[2].sizes.m;
    return log(rows[2].seconds / rows[1].seconds) / log(to / from);
}

typedef struct options {
    bool json, quick;
} options;

/* The gates that have failed. */
static int family_run(sarrus_context *context, const plan_family *family, const options *o, sarrus_sheet *sheet) {
    plan_row rows[N_SIZES] = {0};
    int n_failures = 0;
    for (int i = 0; i < N_SIZES; ++i) {
        const int n = o->quick ? family->quick_sizes[i] : family->sizes[i];
        n_failures += !(plan_once(context, family, n, &rows[i]) && rows[i].is_right);
        row_show(sheet, family, n, &rows[i]);
    }
    const double exponent = exponent_of(rows);
    /* What takes milliseconds is no measure of growth. */
    const bool is_within = o->quick || !(exponent > family->limit);
    sarrus_sheet_note(sheet, "%-10s grows by n^%.2f%s\n", "", exponent, is_within ? "" : ", above its limit: FAILED");
    return n_failures + !is_within;
}

static sarrus_status work(sarrus_context *context, void *user, int *n_failures) {
    const options *o = user;
    sarrus_sheet sheet;
    sarrus_sheet_begin(&sheet, o->json ? NULL : stdout, o->json ? stdout : NULL, "plan");
    sarrus_sheet_table(&sheet, "rows");
    for (int i = 0; i < N_FAMILIES; ++i)
        *n_failures += family_run(context, &families[i], o, &sheet);
    sarrus_sheet_table_end(&sheet);
    sarrus_json_flag(&sheet.json, "good", *n_failures == 0);
    sarrus_sheet_end(&sheet);
    return SARRUS_OK;
}

int sarrus_bench_plan(int argc, char **argv) {
    options o = {.json = false};
    const sarrus_bench_option known[] = {
        {"json", NULL, "machine-readable output", .flag = &o.json},
        {"quick", NULL, "small mechanisms, whose growth is not judged", .flag = &o.quick},
    };
    const int code = sarrus_bench_options_read(argc, argv, known, sizeof known / sizeof known[0]);
    return code >= 0 ? code : sarrus_bench_carry_out("plan", NULL, work, &o);
}
