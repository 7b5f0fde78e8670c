#include "sink/packed_chunks.h"

#include <stdlib.h>
#include <string.h>

enum { N_FILTERS = 3 }; /* shuffle, deflate, fletcher32 */

static bool sizes_get(sarrus_packed_chunks *chunks) {
    hid_t space = H5Dget_space(chunks->dataset), type = H5Dget_type(chunks->dataset), layout = H5Dget_create_plist(chunks->dataset);
    bool ok = space >= 0 && type >= 0 && layout >= 0;
    chunks->n_dims = ok ? H5Sget_simple_extent_ndims(space) : -1;
    ok = ok && chunks->n_dims >= 0 && chunks->n_dims <= SARRUS_PACKED_DIMS &&
         (chunks->n_dims == 0 || H5Sget_simple_extent_dims(space, chunks->dims, NULL) >= 0);
    chunks->element_size = ok ? H5Tget_size(type) : 0;
    chunks->is_packed = ok && H5Pget_layout(layout) == H5D_CHUNKED && H5Pget_nfilters(layout) == N_FILTERS &&
                        H5Pget_chunk(layout, SARRUS_PACKED_DIMS, chunks->chunk) == chunks->n_dims;
    if (space >= 0)
        H5Sclose(space);
    if (type >= 0)
        H5Tclose(type);
    if (layout >= 0)
        H5Pclose(layout);
    return ok;
}

bool sarrus_packed_chunks_open(sarrus_packed_chunks *chunks, hid_t dataset) {
    *chunks = (sarrus_packed_chunks){.dataset = dataset, .n_elements = 1};
    if (!sizes_get(chunks))
        return false;
    if (!chunks->is_packed)
        return true;
    for (int k = 0; k < chunks->n_dims; ++k)
        chunks->n_elements *= chunks->chunk[k];
    const size_t n_bytes = chunks->n_elements * chunks->element_size;
    chunks->elements = calloc(chunks->n_elements, chunks->element_size);
    chunks->packed = malloc(sarrus_packer_bound(n_bytes));
    return chunks->elements != NULL && chunks->packed != NULL && sarrus_packer_create(n_bytes, &chunks->packer) == SARRUS_OK;
}

void sarrus_packed_chunks_close(sarrus_packed_chunks *chunks) {
    sarrus_packer_destroy(chunks->packer);
    free(chunks->packed);
    free(chunks->elements);
    *chunks = (sarrus_packed_chunks){.dataset = -1};
}

bool sarrus_packed_chunks_put(sarrus_packed_chunks *chunks, const hsize_t *offset) {
    const uint8_t nothing = 0;
    uint32_t mask = 0;
    const sarrus_chunk_numbers numbers = {.elements = chunks->elements,
                                          .n_elements = chunks->n_elements,
                                          .element_size = chunks->element_size,
                                          .row = chunks->n_dims > 2 ? chunks->chunk[chunks->n_dims - 1] : 1};
    const size_t n_packed = sarrus_packer_pack(chunks->packer, &numbers, SARRUS_PACK_WELL, chunks->packed, &mask);
    return H5Dwrite_chunk(chunks->dataset, H5P_DEFAULT, 0, offset, sizeof nothing, &nothing) >= 0 &&
           H5Dwrite_chunk(chunks->dataset, H5P_DEFAULT, mask, offset, n_packed, chunks->packed) >= 0;
}

bool sarrus_packed_chunks_rows_put(sarrus_packed_chunks *chunks, hsize_t i_first, hsize_t n, const void *values) {
    size_t row_bytes = chunks->element_size;
    bool is_whole = chunks->n_dims >= 1;
    for (int k = 1; k < chunks->n_dims; ++k) {
        row_bytes *= chunks->dims[k];
        is_whole = is_whole && chunks->chunk[k] == chunks->dims[k];
    }
    if (!is_whole || i_first % chunks->chunk[0] != 0 || (n % chunks->chunk[0] != 0 && i_first + n != chunks->dims[0]))
        return false;
    bool ok = true;
    for (hsize_t i = 0; ok && i < n; i += chunks->chunk[0]) {
        const hsize_t n_here = n - i < chunks->chunk[0] ? n - i : chunks->chunk[0], offset[SARRUS_PACKED_DIMS] = {i_first + i};
        memset(chunks->elements, 0, chunks->n_elements * chunks->element_size);
        memcpy(chunks->elements, (const uint8_t *)values + i * row_bytes, n_here * row_bytes);
        ok = sarrus_packed_chunks_put(chunks, offset);
    }
    return ok;
}
