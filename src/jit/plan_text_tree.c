#include "jit/plan_text_tree.h"

static void size_write(FILE *out, const char *name, int32_t n) {
    fprintf(out, "#define SARRUS_PLAN_N_%s %d\n", name, n > 0 ? n : 1);
}

void sarrus_plan_text_tree_sizes_write(FILE *out, const sarrus_mechanism *mech) {
    const sarrus_mech_tree *tree = &mech->tree;
    if (tree->n_links == 0)
        return;
    size_write(out, "LINKS", tree->n_links);
    size_write(out, "TREE_SPEEDS", mech->n_v);
    size_write(out, "SPRINGS", tree->n_springs);
    size_write(out, "CHAIN", tree->n_chain);
    size_write(out, "TREE_ENTRIES", tree->n_entries);
    size_write(out, "CARRIES", tree->n_carries);
    size_write(out, "TREE_STEPS", tree->n_steps);
}

static void integers_write(FILE *out, const char *name, const int32_t *x, int32_t n) {
    fprintf(out, "    .%s = {", name);
    for (int32_t i = 0; i < n; ++i)
        fprintf(out, "%d,", x[i]);
    fprintf(out, "%s},\n", n > 0 ? "" : "0");
}

static void links_write(FILE *out, const sarrus_mech_tree *tree) {
    fprintf(out, "    .link = {");
    for (int32_t i = 0; i < tree->n_links; ++i) {
        const sarrus_mech_link *l = &tree->link[i];
        fprintf(out, "{%d,%d,%d,%d,%d,%d,%d,%d,%d,%d,%d,%d,%d,%d,", l->form, l->body, l->inboard, l->root, l->joint, l->p,
                l->origin, l->is_reversed, l->freedom, l->q, l->v, l->n_v, l->is_pure, l->is_on_pure);
        fprintf(out, "%d,%d,{%d,%d,%d},{%d,%d,%d},%d,%d,%d,%d,%d,%d,%d},", l->inboard_zeros, l->outboard_zeros, l->inboard_axis[0],
                l->inboard_axis[1], l->inboard_axis[2], l->outboard_axis[0], l->outboard_axis[1], l->outboard_axis[2],
                l->is_diagonal, l->has_rotor, l->axis, l->is_against, l->way, l->inboard_link, l->span_zeros);
    }
    fprintf(out, "},\n");
}

static void speeds_write(FILE *out, const sarrus_mechanism *mech) {
    const sarrus_mech_tree *tree = &mech->tree;
    fprintf(out, "    .speed = {");
    for (int32_t i = 0; i < mech->n_v; ++i)
        fprintf(out, "{%d,%d,%d,%d},", tree->speed[i].body, tree->speed[i].form, tree->speed[i].index, tree->speed[i].is_pure);
    fprintf(out, "%s},\n    .spring = {", mech->n_v > 0 ? "" : "{0}");
    for (int32_t i = 0; i < tree->n_springs; ++i)
        fprintf(out, "{%d,%d,%d,%d},", tree->spring[i].q, tree->spring[i].speed, tree->spring[i].is_against, tree->spring[i].p);
    fprintf(out, "%s},\n", tree->n_springs > 0 ? "" : "{0}");
}

static void entries_write(FILE *out, const sarrus_mechanism *mech) {
    const sarrus_mech_tree *tree = &mech->tree;
    fprintf(out, "    .entry = {");
    for (int32_t i = 0; i < tree->n_entries; ++i)
        fprintf(out, "{%d,%d,%d,%d},", tree->entry[i].speed, tree->entry[i].side, tree->entry[i].row, tree->entry[i].way);
    fprintf(out, "%s},\n", tree->n_entries > 0 ? "" : "{0}");
    integers_write(out, "row_start", tree->row_start, mech->m + 1);
    fprintf(out, "    .carry = {");
    for (int32_t i = 0; i < tree->n_carries; ++i)
        fprintf(out, "{%d,%d,%d},", tree->carry[i].to, tree->carry[i].from, tree->carry[i].at);
    fprintf(out, "%s},\n    .step = {", tree->n_carries > 0 ? "" : "{0}");
    for (int32_t i = 0; i < tree->n_steps; ++i)
        fprintf(out, "{%d,%d,%d,%d},", tree->step[i].kind, tree->step[i].to, tree->step[i].a, tree->step[i].b);
    fprintf(out, "%s},\n", tree->n_steps > 0 ? "" : "{0}");
}

void sarrus_plan_text_tree_write(FILE *out, const sarrus_mechanism *mech) {
    const sarrus_mech_tree *tree = &mech->tree;
    if (tree->n_links == 0)
        return;
    fprintf(out,
            "  .tree = {\n    .n_links = %d, .n_chain = %d, .n_entries = %d, .n_carries = %d, .n_steps = %d, .most_speeds = %d, "
            ".has_loads = %d, .asks_bodies = %d, .is_articulated = %d, .in_own_frames = %d, .is_recursive = %d, .n_springs = %d, "
            ".follows_turns = %d, .has_travellers = %d, .n_rows_within = %d,\n",
            tree->n_links, tree->n_chain, tree->n_entries, tree->n_carries, tree->n_steps, tree->most_speeds, tree->has_loads,
            tree->asks_bodies, tree->is_articulated, tree->in_own_frames, tree->is_recursive, tree->n_springs, tree->follows_turns,
            tree->has_travellers, tree->n_rows_within);
    links_write(out, tree);
    integers_write(out, "link_of", tree->link_of, tree->n_links);
    speeds_write(out, mech);
    integers_write(out, "chain", tree->chain, tree->n_chain);
    integers_write(out, "owner", tree->owner, tree->n_chain);
    integers_write(out, "chain_start", tree->chain_start, mech->n_v + 1);
    entries_write(out, mech);
    fprintf(out, "  },\n");
}
