#include "core/npy_input.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/report.h"

enum { PIECE_BYTES = 1 << 18 };

static sarrus_status report(sarrus_context *context, sarrus_status status, const char *path, const char *message) {
    const sarrus_location location = {.file = path};
    return sarrus_report_at(context, SARRUS_ERROR, status, &location, "%s", message);
}

static sarrus_status report_error(sarrus_context *context, const char *path, int error) {
    const sarrus_location location = {.file = path};
    return sarrus_report_at(context, SARRUS_ERROR, SARRUS_IO, &location, "cannot be read: %s", strerrordesc_np(error));
}

/* Bytes at `at`, all of them. */
static sarrus_status bytes_read(sarrus_context *context, const sarrus_npy_input *input, uint64_t at, void *bytes, size_t n_bytes) {
    for (size_t n_read = 0; n_read < n_bytes;) {
        const ssize_t n = pread(input->descriptor, (unsigned char *)bytes + n_read, n_bytes - n_read, (off_t)(at + n_read));
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return report_error(context, input->path, errno);
        if (n == 0)
            return report(context, SARRUS_IO, input->path, "ended early: it was changed while it was read");
        n_read += (size_t)n;
    }
    return SARRUS_OK;
}

static sarrus_status shape_check(sarrus_context *context, sarrus_npy_input *input) {
    const sarrus_npy_header *header = &input->header;
    const sarrus_location location = {.file = input->path};
    const int n_leading = header->n_dims - 2;
    if (n_leading < 0)
        return sarrus_report_at(context, SARRUS_ERROR, SARRUS_BAD_INPUT, &location,
                                "the array has %d dimension%s; expected two, (rows, columns), or more, (..., rows, columns)",
                                header->n_dims, header->n_dims == 1 ? "" : "s");
    input->n_rows = header->dims[n_leading];
    input->n_columns = header->dims[n_leading + 1];
    if (input->n_rows == 0 || input->n_columns == 0)
        return sarrus_report_at(context, SARRUS_ERROR, SARRUS_BAD_INPUT, &location,
                                "the matrices are of %llux%llu; expected at least one row and one column",
                                (unsigned long long)input->n_rows, (unsigned long long)input->n_columns);
    input->n_matrices = header->n_items / input->n_rows / input->n_columns;
    return SARRUS_OK;
}

/* Reads the head, and holds the length of the file against it. */
static sarrus_status head_read(sarrus_context *context, sarrus_npy_input *input, uint64_t n_file) {
    const size_t n_bytes = n_file < SARRUS_NPY_HEAD_BYTES ? (size_t)n_file : SARRUS_NPY_HEAD_BYTES;
    const sarrus_location location = {.file = input->path};
    char message[SARRUS_NPY_MESSAGE_BYTES];
    unsigned char *bytes = malloc(SARRUS_NPY_HEAD_BYTES);
    if (bytes == NULL)
        return report(context, SARRUS_NO_MEMORY, input->path, "out of memory");
    sarrus_status status = bytes_read(context, input, 0, bytes, n_bytes);
    if (status == SARRUS_OK) {
        status = sarrus_npy_header_read(bytes, n_bytes, &input->header, message);
        if (status != SARRUS_OK)
            (void)report(context, status, input->path, message);
    }
    free(bytes);
    if (status == SARRUS_OK && n_file != input->header.n_file)
        status = sarrus_report_at(context, SARRUS_ERROR, SARRUS_IO, &location,
                                  "this .npy file has %llu bytes; its head says %llu: it is %s", (unsigned long long)n_file,
                                  (unsigned long long)input->header.n_file,
                                  n_file < input->header.n_file ? "cut off" : "damaged, or holds more than one array");
    return status == SARRUS_OK ? shape_check(context, input) : status;
}

static sarrus_status memory_take(sarrus_context *context, sarrus_npy_input *input) {
    if (input->header.is_fortran && input->header.n_items > 0) {
        void *map = mmap(NULL, (size_t)input->header.n_file, PROT_READ, MAP_PRIVATE, input->descriptor, 0);
        if (map == MAP_FAILED)
            return report_error(context, input->path, errno);
        input->map = map;
    } else if (!sarrus_npy_is_native(&input->header)) {
        input->piece = malloc(PIECE_BYTES);
        if (input->piece == NULL)
            return report(context, SARRUS_NO_MEMORY, input->path, "out of memory");
    }
    return SARRUS_OK;
}

sarrus_status sarrus_npy_input_open(sarrus_context *context, const char *path, sarrus_npy_input *out) {
    struct stat about;
    *out = (sarrus_npy_input){.path = path};
    out->descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (out->descriptor < 0 || fstat(out->descriptor, &about) != 0)
        return report_error(context, path, errno);
    if (S_ISDIR(about.st_mode))
        return report_error(context, path, EISDIR);
    if (!S_ISREG(about.st_mode))
        return report(context, SARRUS_IO, path, "cannot be read: not a regular file");
    out->device = about.st_dev;
    out->node = about.st_ino;
    const sarrus_status status = head_read(context, out, (uint64_t)about.st_size);
    return status == SARRUS_OK ? memory_take(context, out) : status;
}

/* Where in an array in Fortran order, in numbers, matrix i of the leading dimensions in C order begins. */
static uint64_t scattered_begin(const sarrus_npy_header *header, uint64_t i) {
    const int n_leading = header->n_dims - 2;
    uint64_t stride = 1, begin = 0;
    for (int d = 0; d < n_leading; ++d)
        stride *= header->dims[d];
    for (int d = n_leading - 1; d >= 0; --d) {
        stride /= header->dims[d];
        begin += i % header->dims[d] * stride;
        i /= header->dims[d];
    }
    return begin;
}

static void scattered_read(const sarrus_npy_input *input, uint64_t first, uint64_t count, double *out) {
    const size_t n_item = (size_t)input->header.n_item, n_rows = (size_t)input->n_rows, n_columns = (size_t)input->n_columns;
    const unsigned char *numbers = input->map + input->header.n_head;
    const size_t to_row = (size_t)input->n_matrices * n_item, to_column = to_row * n_rows;
    for (uint64_t i = 0; i < count; ++i) {
        const unsigned char *begin = numbers + scattered_begin(&input->header, first + i) * n_item;
        for (size_t row = 0; row < n_rows; ++row)
            sarrus_npy_decode(&input->header, begin + row * to_row, to_column, n_columns, out + (i * n_rows + row) * n_columns);
    }
}

sarrus_status sarrus_npy_input_read(sarrus_context *context, const sarrus_npy_input *input, uint64_t first, uint64_t count,
                                    double *out) {
    const uint64_t n_one = input->n_rows * input->n_columns, n_item = (uint64_t)input->header.n_item;
    const uint64_t at = input->header.n_head + first * n_one * n_item;
    sarrus_status status = SARRUS_OK;
    if (input->map != NULL) {
        scattered_read(input, first, count, out);
        return SARRUS_OK;
    }
    if (input->piece == NULL)
        return bytes_read(context, input, at, out, (size_t)(count * n_one * n_item));
    for (uint64_t n_done = 0, n_all = count * n_one; n_done < n_all && status == SARRUS_OK;) {
        const uint64_t n_most = PIECE_BYTES / n_item, n = n_all - n_done < n_most ? n_all - n_done : n_most;
        status = bytes_read(context, input, at + n_done * n_item, input->piece, (size_t)(n * n_item));
        if (status == SARRUS_OK)
            sarrus_npy_decode(&input->header, input->piece, (size_t)n_item, (size_t)n, out + n_done);
        n_done += n;
    }
    return status;
}

void sarrus_npy_input_close(sarrus_npy_input *input) {
    if (input->map != NULL)
        (void)munmap((void *)(uintptr_t)input->map, (size_t)input->header.n_file);
    if (input->descriptor >= 0)
        (void)close(input->descriptor);
    free(input->piece);
    *input = (sarrus_npy_input){.descriptor = -1};
}
