/* Any bytes as the head of a .npy file: no crash, no byte outside of them; a refusal has a text. What is taken agrees with itself,
 * its numbers are read where the input holds them, and a head made of its dimensions says the same dimensions. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "core/npy.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(int condition) {
    if (!condition) {
        abort();
    }
}

static void numbers_look(const sarrus_npy_header *header, const uint8_t *data, size_t size) {
    enum { MOST = 64 };
    double numbers[MOST];
    const size_t n_item = (size_t)header->n_item, n_there = (size - (size_t)header->n_head) / n_item;
    sarrus_npy_decode(header, data + header->n_head, n_item, n_there < MOST ? n_there : MOST, numbers);
    if (n_there > 2) {
        sarrus_npy_decode(header, data + header->n_head, 2 * n_item, 2, numbers);
    }
}

static void made_look(const sarrus_npy_header *header) {
    uint8_t bytes[SARRUS_NPY_MADE_BYTES];
    char message[SARRUS_NPY_MESSAGE_BYTES] = "";
    sarrus_npy_header again;
    const size_t n = sarrus_npy_header_make(header->n_dims, header->dims, bytes);
    const sarrus_status status = sarrus_npy_header_read(bytes, n, &again, message);
    must(n <= sizeof bytes && n % 64 == 0);
    must(status == SARRUS_OK || header->n_item < 8); /* of doubles there may be too many */
    must(again.n_dims == header->n_dims && memcmp(again.dims, header->dims, sizeof again.dims[0] * (size_t)again.n_dims) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char message[SARRUS_NPY_MESSAGE_BYTES];
    sarrus_npy_header header;
    memset(message, 'x', sizeof message);
    message[0] = '\0';
    const sarrus_status status = sarrus_npy_header_read(data, size, &header, message);
    if (status != SARRUS_OK) {
        must((status == SARRUS_BAD_INPUT || status == SARRUS_IO) && message[0] != '\0' && memchr(message, '\0', sizeof message));
        return 0;
    }
    must(header.n_head <= size && header.n_dims >= 0 && header.n_dims <= SARRUS_NPY_MOST_DIMS);
    must(header.n_item == 1 || header.n_item == 2 || header.n_item == 4 || header.n_item == 8);
    must(header.n_file == header.n_head + header.n_items * (uint64_t)header.n_item && header.n_file <= INT64_MAX);
    numbers_look(&header, data, size);
    made_look(&header);
    return 0;
}
