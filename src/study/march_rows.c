#include <string.h>

#include "study/march.h"

/* Calls `move` for the rows of every observable, instance by instance: where they stand, and their number of bytes. Returns all of
 * them together. */
static size_t rows_walk(const sarrus_march *march, void (*move)(double *rows, size_t n_bytes, void *user), void *user) {
    const uint64_t n_instances = sarrus_batch_n_instances(march->batch);
    uint64_t width[SARRUS_N_OBSERVABLES];
    size_t n_all = 0;
    if (!march->is_open)
        return 0;
    sarrus_march_widths(march, width);
    for (int i = 0; i < SARRUS_N_OBSERVABLES; ++i) {
        double *const destination = march->next.destination[i];
        const size_t n_bytes = march->i_row * width[i] * sizeof(double);
        if (destination == NULL)
            continue;
        for (uint64_t k = 0; move != NULL && k < n_instances; ++k)
            move(destination + k * march->next.n_times_stride * width[i], n_bytes, user);
        n_all += n_instances * n_bytes;
    }
    return n_all;
}

size_t sarrus_march_rows_size(const sarrus_march *march) {
    return rows_walk(march, NULL, NULL);
}

static void row_save(double *rows, size_t n_bytes, void *user) {
    unsigned char **to = user;
    memcpy(*to, rows, n_bytes);
    *to += n_bytes;
}

void sarrus_march_rows_save(const sarrus_march *march, void *bytes) {
    unsigned char *to = bytes;
    (void)rows_walk(march, row_save, &to);
}

static void row_load(double *rows, size_t n_bytes, void *user) {
    const unsigned char **from = user;
    memcpy(rows, *from, n_bytes);
    *from += n_bytes;
}

void sarrus_march_rows_load(sarrus_march *march, const void *bytes) {
    const unsigned char *from = bytes;
    (void)rows_walk(march, row_load, &from);
}
