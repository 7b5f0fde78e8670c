#include "jit/plan_text_tree_runs.h"

#include <stddef.h>
#include <string.h>

/* A link is nothing but numbers: all of them are written, and those that are to be equal in every lap are keys besides. */
enum { LINK_NUMBERS = sizeof(sarrus_mech_link) / sizeof(int32_t), LINK_KEYS = 24 };
enum { SPEED_KEYS = 3, CHAIN_KEYS = 4, ENTRY_KEYS = 6, ENTRY_NUMBERS = 4, CARRY_NUMBERS = 3, STEP_KEYS = 1, STEP_NUMBERS = 4 };

static const sarrus_tree_run_kind kinds[SARRUS_N_TREE_RUN_TABLES] = {
    [SARRUS_TREE_RUNS_LINKS] = {"LINKS", LINK_KEYS, LINK_NUMBERS, {{"link", LINK_NUMBERS}}},
    [SARRUS_TREE_RUNS_SPEEDS] = {"TREE_SPEEDS", SPEED_KEYS, 2, {{"speed_body", 1}, {"speed_laps", 1}}},
    [SARRUS_TREE_RUNS_CHAIN] = {"CHAIN", CHAIN_KEYS, 3, {{"chain", 1}, {"owner", 1}, {"chain_laps", 1}}},
    [SARRUS_TREE_RUNS_ENTRIES] = {"TREE_ENTRIES", ENTRY_KEYS, ENTRY_NUMBERS + 1, {{"entry", ENTRY_NUMBERS}, {"entry_laps", 1}}},
    [SARRUS_TREE_RUNS_CARRIES] = {"CARRIES", 0, CARRY_NUMBERS, {{"carry", CARRY_NUMBERS}}},
    [SARRUS_TREE_RUNS_STEPS] = {"TREE_STEPS", STEP_KEYS, STEP_NUMBERS, {{"step", STEP_NUMBERS}}},
};

const sarrus_tree_run_kind *sarrus_tree_run_kind_of(int table) {
    return &kinds[table];
}

int32_t sarrus_tree_run_count(const sarrus_mechanism *mech, int table) {
    const sarrus_mech_tree *tree = &mech->tree;
    const int32_t counts[SARRUS_N_TREE_RUN_TABLES] = {tree->n_links,   mech->n_v,       tree->n_chain,
                                                      tree->n_entries, tree->n_carries, tree->n_steps};
    return tree->n_links > 0 ? counts[table] : 0;
}

/* What is asked of a link beyond its numbers: whether its body is the root, too. */
static void link_fill(const sarrus_mech_link *l, int32_t *item) {
    const int32_t keys[LINK_KEYS] = {l->form,
                                     l->is_reversed,
                                     l->n_v,
                                     l->is_pure,
                                     l->is_on_pure,
                                     l->inboard < 0,
                                     l->joint < 0,
                                     l->origin < 0,
                                     l->freedom < 0,
                                     l->inboard_zeros,
                                     l->outboard_zeros,
                                     l->inboard_axis[0],
                                     l->inboard_axis[1],
                                     l->inboard_axis[2],
                                     l->outboard_axis[0],
                                     l->outboard_axis[1],
                                     l->outboard_axis[2],
                                     l->is_diagonal,
                                     l->has_rotor,
                                     l->axis,
                                     l->is_against,
                                     l->way,
                                     l->span_zeros,
                                     l->root == l->body};
    memcpy(item, keys, sizeof keys);
    memcpy(item + LINK_KEYS, l, sizeof *l);
}

static void chain_fill(const sarrus_mechanism *mech, int32_t r, int32_t *item) {
    const int32_t chain = mech->tree.chain[r], owner = mech->tree.owner[r];
    const sarrus_mech_speed *of = &mech->tree.speed[chain];
    const int32_t values[CHAIN_KEYS + 3] = {of->form, of->index, of->is_pure, chain == owner, chain, owner, r};
    memcpy(item, values, sizeof values);
}

static void entry_fill(const sarrus_mechanism *mech, int32_t n, int32_t *item) {
    const sarrus_mech_entry *e = &mech->tree.entry[n];
    const sarrus_mech_speed *of = &mech->tree.speed[e->speed];
    const int32_t is_within = mech->joint[mech->row[e->row].joint].is_within;
    const int32_t values[ENTRY_KEYS + ENTRY_NUMBERS + 1] = {
        e->way, e->side < 0, of->form, of->index, of->is_pure, is_within, e->speed, e->side, e->row, e->way, n};
    memcpy(item, values, sizeof values);
}

void sarrus_tree_run_fill(const sarrus_mechanism *mech, int table, int32_t i, int32_t *item) {
    const sarrus_mech_tree *tree = &mech->tree;
    if (table == SARRUS_TREE_RUNS_LINKS) {
        link_fill(&tree->link[i], item);
    } else if (table == SARRUS_TREE_RUNS_SPEEDS) {
        const sarrus_mech_speed *s = &tree->speed[i];
        const int32_t values[SPEED_KEYS + 2] = {s->form, s->index, s->is_pure, s->body, i};
        memcpy(item, values, sizeof values);
    } else if (table == SARRUS_TREE_RUNS_CHAIN) {
        chain_fill(mech, i, item);
    } else if (table == SARRUS_TREE_RUNS_ENTRIES) {
        entry_fill(mech, i, item);
    } else if (table == SARRUS_TREE_RUNS_CARRIES) {
        memcpy(item, &tree->carry[i], sizeof tree->carry[i]);
    } else {
        const sarrus_mech_tree_step *s = &tree->step[i];
        const int32_t values[STEP_KEYS + STEP_NUMBERS] = {s->kind, s->kind, s->to, s->a, s->b};
        memcpy(item, values, sizeof values);
    }
}

void sarrus_tree_joint_keys(const sarrus_mechanism *mech, const sarrus_mech_joint *joint, int32_t *keys) {
    memset(keys, 0, SARRUS_TREE_JOINT_KEYS * sizeof *keys);
    keys[0] = joint->is_within;
    for (int side = 0; mech->tree.n_links > 0 && side < 2; ++side) {
        const int32_t body = side ? joint->child : joint->parent;
        if (body < 0)
            continue;
        const sarrus_mech_link *link = &mech->tree.link[mech->tree.link_of[body]];
        keys[1 + side] = link->is_pure + 2 * (link->origin < 0) + 4 * (link->root == body);
    }
    for (int32_t r = 0; r < joint->n_rows && r < SARRUS_TREE_JOINT_ROWS; ++r) {
        const sarrus_mech_row *row = &mech->row[joint->row + r];
        keys[3 + r] = 16 * row->form + row->kind;
    }
}
