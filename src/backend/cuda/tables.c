/* The plan's tables in device memory: one block, and a mechanism that points into it. */
#include <stdlib.h>
#include <string.h>

#include "backend/cuda/device.h"

enum { ALIGNMENT = 16, MOST_TABLES = 48 };

/* A pointer of the mechanism and the bytes that it points to. */
typedef struct table {
    size_t at; /* bytes into the mechanism */
    size_t n_bytes;
} table;

typedef struct table_list {
    table tables[MOST_TABLES];
    int n;
} table_list;

static size_t bytes(int32_t n, size_t size) {
    return n > 0 ? (size_t)n * size : 0;
}

static void list_add(table_list *list, size_t at, size_t n_bytes) {
    list->tables[list->n++] = (table){at, n_bytes};
}

#define AT(member) offsetof(sarrus_mechanism, member)

static void list_factor(const sarrus_mech_factor *f, table_list *list) {
    list_add(list, AT(factor.row_of), bytes(f->n_rows, sizeof *f->row_of));
    list_add(list, AT(factor.at), bytes(f->n_rows, sizeof *f->at));
    list_add(list, AT(factor.column), bytes(f->n_blocks + 1, sizeof *f->column));
    list_add(list, AT(factor.entry_row), bytes(f->n_entries, sizeof *f->entry_row));
    list_add(list, AT(factor.update), bytes(f->n_updates, sizeof *f->update));
    list_add(list, AT(factor.block_share), bytes(f->n_block_shares, sizeof *f->block_share));
    list_add(list, AT(factor.share), bytes(f->n_shares, sizeof *f->share));
    list_add(list, AT(factor.fill), bytes(f->n_fill, sizeof *f->fill));
    list_add(list, AT(factor.pad), bytes(f->n_pads, sizeof *f->pad));
    list_add(list, AT(factor.scale), bytes(f->n_scales, sizeof *f->scale));
    list_add(list, AT(factor.dependent), bytes(f->n_dependent, sizeof *f->dependent));
    list_add(list, AT(factor.guard), bytes(2 * f->n_blocks, sizeof *f->guard));
}

static void list_lanes(const sarrus_mech_factor *f, const sarrus_lane_tables *lane, table_list *list) {
    list_add(list, AT(lane.block_share), bytes(f->n_block_shares, sizeof *lane->block_share));
    list_add(list, AT(lane.share), bytes(f->n_shares, sizeof *lane->share));
    list_add(list, AT(lane.fill), bytes(f->n_fill, sizeof *lane->fill));
    list_add(list, AT(lane.pad), bytes(f->n_pads, sizeof *lane->pad));
    list_add(list, AT(lane.scale), bytes(f->n_scales, sizeof *lane->scale));
    list_add(list, AT(lane.row), bytes(f->n_rows, sizeof *lane->row));
    list_add(list, AT(lane.at), bytes(f->n_rows, sizeof *lane->at));
    list_add(list, AT(lane.dependent), bytes(f->n_dependent, sizeof *lane->dependent));
    list_add(list, AT(lane.entry_row), bytes(f->n_entries, sizeof *lane->entry_row));
    list_add(list, AT(lane.first_update), bytes(f->n_entries, sizeof *lane->first_update));
    list_add(list, AT(lane.update), bytes(f->n_updates, sizeof *lane->update));
}

static void list_tree(const sarrus_mechanism *mech, table_list *list) {
    const sarrus_mech_tree *tree = &mech->tree;
    list_add(list, AT(tree.link), bytes(tree->n_links, sizeof *tree->link));
    list_add(list, AT(tree.link_of), bytes(tree->n_links, sizeof *tree->link_of));
    list_add(list, AT(tree.speed), bytes(mech->n_v, sizeof *tree->speed));
    list_add(list, AT(tree.spring), bytes(tree->n_springs, sizeof *tree->spring));
    list_add(list, AT(tree.chain), bytes(tree->n_chain, sizeof *tree->chain));
    list_add(list, AT(tree.owner), bytes(tree->n_chain, sizeof *tree->owner));
    list_add(list, AT(tree.chain_start), bytes(mech->n_v + 1, sizeof *tree->chain_start));
    list_add(list, AT(tree.entry), bytes(tree->n_entries, sizeof *tree->entry));
    list_add(list, AT(tree.row_start), bytes(mech->m + 1, sizeof *tree->row_start));
    list_add(list, AT(tree.carry), bytes(tree->n_carries, sizeof *tree->carry));
    list_add(list, AT(tree.step), bytes(tree->n_steps, sizeof *tree->step));
    list_add(list, AT(tree.row_block), bytes(tree->n_row_blocks, sizeof *tree->row_block));
    list_add(list, AT(tree.meeting), bytes(tree->n_meetings, sizeof *tree->meeting));
    list_add(list, AT(tree.meet), bytes(tree->n_meets, sizeof *tree->meet));
}

/* A table has a knot more than intervals. */
static int32_t count_knots(const sarrus_mechanism *mech) {
    int32_t n = 0;
    for (int32_t i = 0; i < mech->n_signals; ++i)
        n += mech->signal[i].kind == SARRUS_SIGNAL_TABLE ? mech->signal[i].n + 1 : 0;
    return n;
}

static void list_make(const sarrus_mechanism *mech, table_list *list) {
    const sarrus_mech_factor *f = &mech->factor;
    list->n = 0;
    list_add(list, AT(joint), bytes(mech->n_joints, sizeof *mech->joint));
    list_add(list, AT(freedom), bytes(mech->n_freedoms, sizeof *mech->freedom));
    list_add(list, AT(force), bytes(mech->n_forces, sizeof *mech->force));
    list_add(list, AT(signal), bytes(mech->n_signals, sizeof *mech->signal));
    list_add(list, AT(row), bytes(mech->m, sizeof *mech->row));
    list_add(list, AT(knots), bytes(count_knots(mech), sizeof *mech->knots));
    list_add(list, AT(independent), bytes(f->n_independent, sizeof *mech->independent));
    if (mech->row_weight)
        list_add(list, AT(row_weight), bytes(mech->m, sizeof *mech->row_weight));
    list_factor(f, list);
    list_lanes(f, &mech->lane, list);
    if (mech->tree.n_links > 0)
        list_tree(mech, list);
}

static size_t aligned(size_t n_bytes) {
    return (n_bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

static int block_upload(const sarrus_gpu *gpu, void *pinned, size_t n_bytes, void *to) {
    void *stream = NULL;
    const sarrus_gpu_copy copy = {to, pinned, n_bytes, n_bytes, n_bytes, 1, SARRUS_GPU_UPLOAD};
    int error = gpu->stream_create(&stream);
    if (error == SARRUS_GPU_OK)
        error = gpu->copy(&copy, stream);
    if (error == SARRUS_GPU_OK)
        error = gpu->synchronize(stream);
    (void)gpu->stream_destroy(stream);
    return error;
}

int sarrus_cuda_tables_upload(const sarrus_gpu *gpu, const sarrus_mechanism *mech, cuda_tables *out) {
    table_list list;
    size_t n_bytes = ALIGNMENT;
    void *pinned = NULL;
    list_make(mech, &list);
    for (int i = 0; i < list.n; ++i)
        n_bytes += aligned(list.tables[i].n_bytes);
    int error = gpu->allocate(&out->memory, n_bytes);
    if (error == SARRUS_GPU_OK)
        error = gpu->host_allocate(&pinned, n_bytes);
    if (error != SARRUS_GPU_OK)
        return error;
    memset(pinned, 0, n_bytes);
    out->mech = *mech;
    size_t begin = 0;
    for (int i = 0; i < list.n; ++i) {
        unsigned char *pointer = (unsigned char *)&out->mech + list.tables[i].at;
        const void *from;
        void *to = (unsigned char *)out->memory + begin;
        memcpy(&from, pointer, sizeof from);
        if (from && list.tables[i].n_bytes > 0)
            memcpy((unsigned char *)pinned + begin, from, list.tables[i].n_bytes);
        memcpy(pointer, &to, sizeof to);
        begin += aligned(list.tables[i].n_bytes);
    }
    error = block_upload(gpu, pinned, n_bytes, out->memory);
    (void)gpu->host_release(pinned);
    return error;
}

int sarrus_cuda_list_upload(const sarrus_gpu *gpu, const void *list, size_t n_bytes, void **out) {
    void *pinned = NULL;
    int error = gpu->allocate(out, n_bytes);
    if (error == SARRUS_GPU_OK)
        error = gpu->host_allocate(&pinned, n_bytes);
    if (error != SARRUS_GPU_OK)
        return error;
    memcpy(pinned, list, n_bytes);
    error = block_upload(gpu, pinned, n_bytes, *out);
    (void)gpu->host_release(pinned);
    return error;
}
