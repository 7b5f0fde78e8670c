#include "sink/prefix_code.h"

#include <stdlib.h>
#include <string.h>

enum { SYMBOLS_MAX = SARRUS_CODE_SYMBOLS_MAX, BITS_MAX = SARRUS_CODE_BITS_MAX };

typedef struct leaf {
    uint32_t count;
    int symbol;
} leaf;

static int leaf_order(const void *left, const void *right) {
    const leaf *a = left, *b = right;
    return a->count != b->count ? (a->count > b->count) - (a->count < b->count) : a->symbol - b->symbol;
}

/* Depths of n ≥ 2 leaves that are sorted by their counts: of the two lightest nodes one is made, until there is one. Leaves and
 * made nodes are each in order of weight, so that the lightest is at the head of either. */
static void depths_find(const leaf *leaves, int n, int *depth) {
    uint64_t weight[2 * SYMBOLS_MAX];
    int parent[2 * SYMBOLS_MAX];
    for (int i = 0; i < n; ++i)
        weight[i] = leaves[i].count;
    int i_leaf = 0, i_made = n;
    for (int k = n; k < 2 * n - 1; ++k) {
        weight[k] = 0;
        for (int child = 0; child < 2; ++child) {
            const int taken = i_leaf < n && (i_made == k || weight[i_leaf] <= weight[i_made]) ? i_leaf++ : i_made++;
            weight[k] += weight[taken];
            parent[taken] = k;
        }
    }
    depth[2 * n - 2] = 0;
    for (int i = 2 * n - 3; i >= 0; --i)
        depth[i] = depth[parent[i]] + 1;
}

/* Codes longer than there may be are cut; for what that takes of the others one at a time is made longer. */
static void lengths_limit(int n_of_length[BITS_MAX + 1]) {
    int32_t sum = 0;
    for (int length = 1; length <= BITS_MAX; ++length)
        sum += (int32_t)n_of_length[length] << (BITS_MAX - length);
    for (; sum > 1 << BITS_MAX; --sum) {
        --n_of_length[BITS_MAX];
        int length = BITS_MAX - 1;
        while (n_of_length[length] == 0)
            --length;
        --n_of_length[length];
        n_of_length[length + 1] += 2;
    }
}

void sarrus_prefix_code_lengths(const uint32_t *count, int n, uint8_t *n_bits) {
    leaf leaves[SYMBOLS_MAX];
    int depth[2 * SYMBOLS_MAX], n_of_length[BITS_MAX + 1] = {0}, n_leaves = 0;
    memset(n_bits, 0, (size_t)n);
    for (int i = 0; i < n; ++i) {
        if (count[i] > 0)
            leaves[n_leaves++] = (leaf){count[i], i};
    }
    if (n_leaves == 1)
        n_bits[leaves[0].symbol] = 1;
    if (n_leaves < 2)
        return;
    qsort(leaves, (size_t)n_leaves, sizeof *leaves, leaf_order);
    depths_find(leaves, n_leaves, depth);
    for (int i = 0; i < n_leaves; ++i)
        ++n_of_length[depth[i] < BITS_MAX ? depth[i] : BITS_MAX];
    lengths_limit(n_of_length);
    int i = n_leaves; /* the most frequent get the shortest */
    for (int length = 1; length <= BITS_MAX; ++length) {
        for (int k = 0; k < n_of_length[length]; ++k)
            n_bits[leaves[--i].symbol] = (uint8_t)length;
    }
}

void sarrus_prefix_code_bits(const uint8_t *n_bits, int n, uint16_t *bits) {
    int n_of_length[BITS_MAX + 1] = {0};
    uint32_t next[BITS_MAX + 2] = {0};
    for (int i = 0; i < n; ++i)
        ++n_of_length[n_bits[i]];
    n_of_length[0] = 0;
    for (int length = 1; length <= BITS_MAX; ++length)
        next[length + 1] = (next[length] + (uint32_t)n_of_length[length]) << 1;
    for (int i = 0; i < n; ++i) {
        uint32_t code = n_bits[i] > 0 ? next[n_bits[i]]++ : 0, reversed = 0;
        for (int k = 0; k < n_bits[i]; ++k, code >>= 1)
            reversed = reversed << 1 | (code & 1);
        bits[i] = (uint16_t)reversed;
    }
}
