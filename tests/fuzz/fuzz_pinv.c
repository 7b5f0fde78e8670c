/* Any options, sizes and numbers to the pseudoinverses: no crash, no byte outside of the arrays; a refusal has a text and has
 * written nothing, and ranks lie within what the sizes allow. The head of the input is the call, the rest the numbers, over and
 * over. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "sarrus/pinv.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { HEAD = 10, LARGEST = 12, MOST = 9 };

static void must(int condition) {
    if (!condition) {
        abort();
    }
}

/* An array of the very size, so that the sanitizer sees what goes beyond it. */
static double *numbers(size_t n, const uint8_t *bytes, size_t n_bytes) {
    double *array = malloc(n * sizeof *array + 1);
    must(array != NULL);
    for (size_t i = 0; i < n * sizeof *array; ++i) {
        ((uint8_t *)array)[i] = n_bytes > 0 ? bytes[i % n_bytes] : 0;
    }
    return array;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size < HEAD) {
        return 0;
    }
    const int method = (int)(int8_t)data[0], m = (int)data[1] % (LARGEST + 1), n = (int)data[2] % (LARGEST + 1);
    const int n_rhs = (int)data[3] % 4;
    const uint64_t n_matrices = data[4] % (MOST + 1);
    const double tolerance = (double)data[5] / 16.0 * (data[7] & 1 ? -1.0 : 1e-9);
    const sarrus_pinv_options options = {.method = (sarrus_pinv_method)method,
                                         .rank_method = (sarrus_rank_method)(int)(int8_t)data[6],
                                         .rank_tolerance = tolerance,
                                         .n_threads = data[7] & 2 ? 2 : 1,
                                         .isa = "baseline",
                                         .backend = SARRUS_BACKEND_CPU};
    const size_t n_a = (size_t)n_matrices * (size_t)m * (size_t)n, n_b = (size_t)n_matrices * (size_t)m * (size_t)n_rhs;
    const size_t n_x = (size_t)n_matrices * (size_t)n * (size_t)(n_rhs > 0 ? n_rhs : m), n_rank = (size_t)n_matrices + 1;
    double *a = numbers(n_a, data + HEAD, size - HEAD), *b = numbers(n_b, data + HEAD, size - HEAD), *x = numbers(n_x, NULL, 0);
    int32_t *rank = calloc(n_rank, sizeof *rank), *max_rank = calloc(n_rank, sizeof *max_rank);
    sarrus_context *context = NULL;
    must(rank != NULL && max_rank != NULL && sarrus_context_create(&context) == SARRUS_OK);
    for (size_t i = 0; i < n_rank; ++i) {
        max_rank[i] = (int8_t)data[8];
    }
    const sarrus_pinv_batch batch = {.n_matrices = n_matrices,
                                     .m = m,
                                     .n = n,
                                     .n_rhs = n_rhs,
                                     .a = data[7] & 4 ? NULL : a,
                                     .b = data[7] & 8 ? NULL : b,
                                     .x = x,
                                     .max_rank = data[7] & 16 ? max_rank : NULL,
                                     .rank = data[7] & 32 ? rank : NULL};
    const sarrus_status status = sarrus_pinv_compute(context, &options, &batch);
    must((status == SARRUS_OK) == (sarrus_context_n_diagnostics(context) == 0));
    for (size_t i = 0; status != SARRUS_OK && i < n_x; ++i) {
        must(x[i] == 0.0);
    }
    for (size_t i = 0; i < n_matrices; ++i) {
        must(rank[i] >= 0 && rank[i] <= m && rank[i] <= n);
    }
    (void)sarrus_pinv_count_flops(&options, m, n, n_rhs, 1, 1.0);
    sarrus_context_destroy(context);
    free(max_rank);
    free(rank);
    free(x);
    free(b);
    free(a);
    return 0;
}
