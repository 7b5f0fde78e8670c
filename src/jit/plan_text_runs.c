/* Tables as items (runs.h) and the steps of their runs as text. Every member of sarrus_plan_steps is written by name, in the order
 * of its declaration. */
#include "jit/plan_text_runs.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "plan/cost.h"

/* What a table's macro is called, and what its items hold: keys first. */
typedef struct table_kind {
    const char *name;
    int32_t n_keys, n_numbers;
} table_kind;

/* The places of a joint's items. */
enum { JOINT_OWN_KEYS = 11, JOINT_KEYS = JOINT_OWN_KEYS + SARRUS_TREE_JOINT_KEYS, JOINT_NUMBERS = 7, COLUMN_KEYS = 1 };

static const table_kind kinds[SARRUS_RUNS_TREE] = {
    [SARRUS_RUNS_JOINTS] = {"JOINTS", JOINT_KEYS, JOINT_NUMBERS},
    [SARRUS_RUNS_BLOCK_SHARES] = {"BLOCK_SHARES", 1, 4},
    [SARRUS_RUNS_SHARES] = {"SHARES", 1, 6},
    [SARRUS_RUNS_FILL] = {"FILL", 0, 1},
    [SARRUS_RUNS_PADS] = {"PADS", 0, 1},
    [SARRUS_RUNS_SCALES] = {"SCALES", 0, 2},
    [SARRUS_RUNS_FACTORED] = {"FACTORED", 0, 2},
    [SARRUS_RUNS_COLUMNS] = {"COLUMNS", COLUMN_KEYS, 0}, /* the numbers: see count_numbers */
};

static table_kind kind_of(int table) {
    if (table < SARRUS_RUNS_TREE)
        return kinds[table];
    const sarrus_tree_run_kind *of = sarrus_tree_run_kind_of(table - SARRUS_RUNS_TREE);
    return (table_kind){of->name, of->n_keys, of->n_numbers};
}

static int32_t longest_column(const sarrus_mech_factor *f) {
    int32_t longest = 0;
    for (int32_t k = 0; k < f->n_blocks; ++k)
        longest = f->column[k + 1] - f->column[k] > longest ? f->column[k + 1] - f->column[k] : longest;
    return longest;
}

/* A column: its first entry, the block row of each entry, the block of each pair of entries. */
static int32_t count_numbers(const sarrus_mechanism *mech, int table) {
    const int32_t longest = longest_column(&mech->factor);
    return table == SARRUS_RUNS_COLUMNS ? 1 + longest + longest * (longest + 1) / 2 : kind_of(table).n_numbers;
}

static int32_t count_items(const sarrus_mechanism *mech, int table) {
    const sarrus_mech_factor *f = &mech->factor;
    if (table >= SARRUS_RUNS_TREE)
        return sarrus_tree_run_count(mech, table - SARRUS_RUNS_TREE);
    const int32_t counts[SARRUS_RUNS_TREE] = {mech->n_joints, f->n_block_shares, f->n_shares, f->n_fill,
                                              f->n_pads,      f->n_scales,       f->n_rows,   f->n_blocks};
    return counts[table];
}

static void joint_fill(const sarrus_mechanism *mech, int32_t i, int32_t *item) {
    const sarrus_mech_joint *j = &mech->joint[i];
    const int32_t keys[JOINT_OWN_KEYS] = {
        j->kind,         j->n_rows,           j->elastic,         j->parent < 0,       j->child < 0,      j->signal < 0,
        j->is_crank_pin, j->parent_crank < 0, j->child_crank < 0, j->parent_crank & 1, j->child_crank & 1};
    const int32_t numbers[JOINT_NUMBERS] = {j->parent, j->child, j->row, j->p, j->signal, j->parent_crank, j->child_crank};
    memcpy(item, keys, sizeof keys);
    sarrus_tree_joint_keys(mech, j, item + JOINT_OWN_KEYS);
    memcpy(item + JOINT_KEYS, numbers, sizeof numbers);
}

/* Which segment an item stands in. */
static int32_t segment_of(const int32_t *segment, int32_t i) {
    int32_t s = 0;
    while (i >= segment[s + 1])
        ++s;
    return s;
}

static void block_share_fill(const sarrus_mechanism *mech, int32_t i, int32_t *item) {
    const sarrus_lane_block_share *s = &mech->lane.block_share[i];
    item[0] = segment_of(mech->lane.block_segment, i);
    item[1] = (int32_t)s->destination;
    item[2] = (int32_t)s->push;
    item[3] = (int32_t)s->turn;
    item[4] = (int32_t)s->mass;
}

static void share_fill(const sarrus_mechanism *mech, int32_t i, int32_t *item) {
    const sarrus_lane_share *s = &mech->lane.share[i];
    item[0] = segment_of(mech->lane.segment, i);
    item[1] = (int32_t)s->destination;
    item[2] = (int32_t)s->push;
    item[3] = (int32_t)s->turn;
    item[4] = (int32_t)s->mass;
    item[5] = (int32_t)s->direction_i;
    item[6] = (int32_t)s->direction_j;
}

static void column_fill(const sarrus_mechanism *mech, int32_t k, int32_t *item) {
    const sarrus_mech_factor *f = &mech->factor;
    const int32_t first = f->column[k], n_entries = f->column[k + 1] - first;
    int32_t at = 0;
    item[at++] = n_entries;
    item[at++] = first;
    for (int32_t p = first; p < first + n_entries; ++p)
        item[at++] = (int32_t)mech->lane.entry_row[p];
    for (int32_t u = 0; u < n_entries * (n_entries + 1) / 2; ++u)
        item[at++] = (int32_t)mech->lane.update[mech->lane.first_update[first] + u];
}

static void item_fill(const sarrus_mechanism *mech, int table, int32_t i, int32_t *item) {
    if (table >= SARRUS_RUNS_TREE) {
        sarrus_tree_run_fill(mech, table - SARRUS_RUNS_TREE, i, item);
        return;
    }
    switch (table) {
    case SARRUS_RUNS_JOINTS:
        joint_fill(mech, i, item);
        break;
    case SARRUS_RUNS_BLOCK_SHARES:
        block_share_fill(mech, i, item);
        break;
    case SARRUS_RUNS_SHARES:
        share_fill(mech, i, item);
        break;
    case SARRUS_RUNS_FILL:
        item[0] = (int32_t)mech->lane.fill[i];
        break;
    case SARRUS_RUNS_PADS:
        item[0] = (int32_t)mech->lane.pad[i];
        break;
    case SARRUS_RUNS_SCALES:
        item[0] = (int32_t)mech->lane.scale[i].at;
        item[1] = (int32_t)mech->lane.scale[i].mass;
        break;
    case SARRUS_RUNS_FACTORED:
        item[0] = (int32_t)mech->lane.row[i];
        item[1] = (int32_t)mech->lane.at[i];
        break;
    default:
        column_fill(mech, i, item);
        break;
    }
}

bool sarrus_plan_text_runs_create(sarrus_plan_text_runs *all, const sarrus_mechanism *mech) {
    memset(all, 0, sizeof *all);
    for (int table = 0; table < SARRUS_N_RUN_TABLES; ++table) {
        sarrus_plan_items *items = &all->items[table];
        if (!sarrus_plan_items_create(items, count_items(mech, table), kind_of(table).n_keys, count_numbers(mech, table)))
            break;
        for (int32_t i = 0; i < items->n; ++i)
            item_fill(mech, table, i, sarrus_plan_item(items, i));
        if (!sarrus_plan_runs_find(items, &all->runs[table]))
            break;
        if (table + 1 == SARRUS_N_RUN_TABLES)
            return true;
    }
    sarrus_plan_text_runs_free(all);
    return false;
}

void sarrus_plan_text_runs_free(sarrus_plan_text_runs *all) {
    for (int table = 0; table < SARRUS_N_RUN_TABLES; ++table) {
        sarrus_plan_items_free(&all->items[table]);
        sarrus_plan_runs_free(&all->runs[table]);
    }
}

static double written_share(const sarrus_plan_text_runs *all, int table) {
    return all->items[table].n > 0 ? (double)all->runs[table].n_written / (double)all->items[table].n : 0.0;
}

/* Joints, shares and columns are about equal parts of the work; the worst of them counts. */
double sarrus_plan_text_runs_written(const sarrus_plan_text_runs *all) {
    double most = 0.0;
    for (int table = 0; table < SARRUS_N_RUN_TABLES; ++table) {
        const double share = written_share(all, table);
        most = share > most ? share : most;
    }
    return most;
}

double sarrus_plan_text_tree_runs_flops(const sarrus_plan_text_runs *all, const sarrus_mechanism *mech) {
    const sarrus_plan_runs *tree = all->runs + SARRUS_RUNS_TREE;
    const sarrus_tree_items written = {.bodies = tree[SARRUS_TREE_RUNS_LINKS].n_written,
                                       .speeds = tree[SARRUS_TREE_RUNS_SPEEDS].n_written,
                                       .rows = mech->m * written_share(all, SARRUS_RUNS_JOINTS),
                                       .chain = tree[SARRUS_TREE_RUNS_CHAIN].n_written,
                                       .entries = tree[SARRUS_TREE_RUNS_ENTRIES].n_written,
                                       .steps = tree[SARRUS_TREE_RUNS_STEPS].n_written,
                                       .carries = tree[SARRUS_TREE_RUNS_CARRIES].n_written,
                                       .shares = all->runs[SARRUS_RUNS_SHARES].n_written,
                                       .factor = written_share(all, SARRUS_RUNS_COLUMNS)};
    return sarrus_plan_tree_flops_of(mech, &written);
}

static void macro_write(FILE *out, const char *name, const sarrus_plan_runs *runs, bool is_backward) {
    fprintf(out, "#define SARRUS_PLAN_RUNS_%s%s(RUN, i, lap, from, to, call)", is_backward ? "BACK_" : "", name);
    for (int32_t r = 0; r < runs->n; ++r) {
        const sarrus_plan_run *run = &runs->run[is_backward ? runs->n - 1 - r : r];
        fprintf(out, " RUN(i, lap, from, to, %" PRId32 ", %" PRId32 ", %" PRId32 ", call)", run->first, run->period, run->n_laps);
    }
    fprintf(out, "\n");
}

/* The steps of one table by item: steps[i][j] of value j; 0 beyond the first laps. NULL: no memory. */
static int32_t *steps_of(const sarrus_plan_items *items, const sarrus_plan_runs *runs) {
    const int32_t width = items->n_keys + items->n_numbers;
    int32_t *steps = calloc((size_t)(items->n > 0 ? items->n : 1) * (size_t)width + 1, sizeof *steps);
    for (int32_t r = 0; steps != NULL && r < runs->n; ++r) {
        const sarrus_plan_run *run = &runs->run[r];
        for (int32_t i = run->first; i < run->first + run->period; ++i) {
            for (int32_t j = 0; j < width; ++j)
                steps[(size_t)i * (size_t)width + (size_t)j] = sarrus_plan_run_step(items, run, i, j);
        }
    }
    return steps;
}

/* One table of sarrus_plan_steps: the steps of values `first` … first + n − 1 of every item, as a structure or as a number. */
typedef struct step_table {
    const char *member;
    int table;
    int32_t first, n;
} step_table;

static void step_table_write(FILE *out, const step_table *t, const sarrus_plan_items *items, const int32_t *steps) {
    const int32_t width = items->n_keys + items->n_numbers;
    const bool is_joint = t->table == SARRUS_RUNS_JOINTS;
    fprintf(out, "  .%s = {", t->member);
    for (int32_t i = 0; i < items->n; ++i) {
        const int32_t *s = steps + (size_t)i * (size_t)width + t->first;
        if (is_joint) /* kind, parent, child, row, n_rows, p, signal, elastic, is_crank_pin, parent_crank, child_crank */
            fprintf(out, "{0,%" PRId32 ",%" PRId32 ",%" PRId32 ",0,%" PRId32 ",%" PRId32 ",0,0,%" PRId32 ",%" PRId32 "},", s[0],
                    s[1], s[2], s[3], s[4], s[5], s[6]);
        if (t->n > 1 && !is_joint)
            fprintf(out, "{");
        for (int32_t j = 0; j < t->n && !is_joint; ++j)
            fprintf(out, "%" PRId32 ",", s[j]);
        if (t->n > 1 && !is_joint)
            fprintf(out, "},");
    }
    fprintf(out, items->n > 0 ? "},\n" : "%s},\n", t->n > 1 ? "{0}" : "0");
}

/* The columns' tables: number, first entry, block row by entry, block by pair of entries; entries and pairs as the plan lists them,
 * column after column. */
static void column_steps_write(FILE *out, const sarrus_plan_text_runs *all, const int32_t *steps) {
    const sarrus_plan_items *items = &all->items[SARRUS_RUNS_COLUMNS];
    const sarrus_plan_runs *runs = &all->runs[SARRUS_RUNS_COLUMNS];
    const int32_t width = items->n_keys + items->n_numbers;
    int32_t longest = 0;
    fprintf(out, "  .block = {");
    for (int32_t r = 0; r < runs->n; ++r) {
        for (int32_t i = 0; i < runs->run[r].period * runs->run[r].n_laps; ++i)
            fprintf(out, "%" PRId32 ",", runs->run[r].n_laps > 1 ? runs->run[r].period : 0);
    }
    fprintf(out, "%s},\n  .column = {", items->n > 0 ? "" : "0");
    for (int32_t k = 0; k < items->n; ++k) {
        fprintf(out, "%" PRId32 ",", steps[(size_t)k * (size_t)width + 1]);
        longest = sarrus_plan_item(items, k)[0] > longest ? sarrus_plan_item(items, k)[0] : longest;
    }
    fprintf(out, "%s},\n  .entry_row = {", items->n > 0 ? "" : "0");
    for (int32_t k = 0; k < items->n; ++k) {
        for (int32_t p = 0; p < sarrus_plan_item(items, k)[0]; ++p)
            fprintf(out, "%" PRId32 ",", steps[(size_t)k * (size_t)width + 2 + (size_t)p]);
    }
    fprintf(out, "%s},\n  .update = {", longest > 0 ? "" : "0");
    for (int32_t k = 0; k < items->n; ++k) {
        const int32_t n_entries = sarrus_plan_item(items, k)[0];
        for (int32_t u = 0; u < n_entries * (n_entries + 1) / 2; ++u)
            fprintf(out, "%" PRId32 ",", steps[(size_t)k * (size_t)width + 2 + (size_t)(n_entries + u)]);
    }
    fprintf(out, "%s},\n", longest > 0 ? "" : "0");
}

/* One table of sarrus_plan_tree_steps: numbers first … first + n − 1 of every item, one after another. */
static void tree_table_write(FILE *out, const sarrus_plan_items *items, const int32_t *steps, int32_t first, int32_t n) {
    const int32_t width = items->n_keys + items->n_numbers;
    for (int32_t i = 0; i < items->n; ++i) {
        for (int32_t j = 0; j < n; ++j)
            fprintf(out, "%" PRId32 ",", steps[(size_t)i * (size_t)width + (size_t)(first + j)]);
    }
    fprintf(out, "%s", items->n > 0 ? "" : "0");
}

static void tree_steps_write(FILE *out, const sarrus_plan_text_runs *all, int32_t *const *steps) {
    fprintf(out, "  .tree = {\n");
    for (int table = 0; table < SARRUS_N_TREE_RUN_TABLES; ++table) {
        const sarrus_tree_run_kind *kind = sarrus_tree_run_kind_of(table);
        int32_t first = kind->n_keys;
        for (int m = 0; m < SARRUS_TREE_STEP_MEMBERS && kind->member[m].name; ++m) {
            fprintf(out, "    .%s = {", kind->member[m].name);
            tree_table_write(out, &all->items[SARRUS_RUNS_TREE + table], steps[SARRUS_RUNS_TREE + table], first, kind->member[m].n);
            fprintf(out, "},\n");
            first += kind->member[m].n;
        }
    }
    fprintf(out, "  },\n");
}

bool sarrus_plan_text_runs_write(FILE *out, const sarrus_plan_text_runs *all) {
    static const step_table members[] = {
        {"joint", SARRUS_RUNS_JOINTS, JOINT_KEYS, JOINT_NUMBERS},
        {"block_share", SARRUS_RUNS_BLOCK_SHARES, 1, 4},
        {"share", SARRUS_RUNS_SHARES, 1, 6},
        {"fill", SARRUS_RUNS_FILL, 0, 1},
        {"pad", SARRUS_RUNS_PADS, 0, 1},
        {"scale", SARRUS_RUNS_SCALES, 0, 2},
        {"row", SARRUS_RUNS_FACTORED, 0, 1},
        {"at", SARRUS_RUNS_FACTORED, 1, 1},
    };
    int32_t *steps[SARRUS_N_RUN_TABLES] = {0};
    bool good = true;
    for (int table = 0; table < SARRUS_N_RUN_TABLES; ++table) {
        macro_write(out, kind_of(table).name, &all->runs[table], false);
        macro_write(out, kind_of(table).name, &all->runs[table], true);
        steps[table] = steps_of(&all->items[table], &all->runs[table]);
        good = good && steps[table] != NULL;
    }
    fprintf(out, "LANE_CONSTANT sarrus_plan_steps sarrus_constant_steps = {\n");
    for (size_t i = 0; good && i < sizeof members / sizeof members[0]; ++i)
        step_table_write(out, &members[i], &all->items[members[i].table], steps[members[i].table]);
    if (good)
        column_steps_write(out, all, steps[SARRUS_RUNS_COLUMNS]);
    if (good && all->items[SARRUS_RUNS_TREE].n > 0)
        tree_steps_write(out, all, steps);
    fprintf(out, "};\n");
    for (int table = 0; table < SARRUS_N_RUN_TABLES; ++table)
        free(steps[table]);
    return good;
}
