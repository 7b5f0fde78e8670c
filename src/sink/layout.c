#include "sink/layout.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "core/stop.h"
#include "sink/bit_round.h"

static const uint64_t CHUNK_BYTES = (uint64_t)1 << 20; /* about; HDF5 readers cache and decompress whole chunks */
enum { COMMON_CHUNK = 16 };
static const uint64_t BLOCK_BYTES_DEFAULT = (uint64_t)64 << 20;
static const uint64_t BYTES_MAX = (uint64_t)1 << 46; /* of one block: keeps every product below 2^63 */

/* Blocks of equal length, so that the last chunks in time are not mostly padding. */
static uint64_t balanced(uint64_t n_times, uint64_t block_times) {
    uint64_t n_blocks = (n_times + block_times - 1) / block_times;
    return (n_times + n_blocks - 1) / n_blocks;
}

static uint64_t clamp(uint64_t x, uint64_t low, uint64_t high) {
    return x < low ? low : x > high ? high : x;
}

/* Sets widths and block_times; false when the sizes are out of range. */
static bool choose_block(const sarrus_sink_description *description, sarrus_layout *layout) {
    uint64_t width_sum = 0, common_sum = 0, width_max = 1;
    for (int f = 0; f < layout->n_fields; ++f) {
        const sarrus_sink_field *given = &description->fields[f];
        if (given->width < 0) {
            return false;
        }
        sarrus_layout_field *field = &layout->fields[f];
        field->type = given->type;
        field->n_kept_bits = given->n_kept_bits;
        field->is_common = given->is_common;
        field->n_rows = given->is_common ? 1 : layout->n_trajectories;
        field->n_levels = given->has_levels ? (uint64_t)description->levels->n : 0;
        field->n_dims = (given->is_common ? 1 : 2) + (given->width > 0) + given->has_levels;
        field->width = (given->width == 0 ? 1 : (uint64_t)given->width) * (given->has_levels ? field->n_levels : 1);
        *(given->is_common ? &common_sum : &width_sum) += field->width;
        /* What is of all instances together is read by a merge alone, or small: its chunks may be larger. */
        const uint64_t width = given->is_common ? 1 + field->width / COMMON_CHUNK : field->width;
        width_max = width > width_max ? width : width_max;
    }
    uint64_t doubles_per_time = 0;
    if (__builtin_mul_overflow(layout->n_trajectories, width_sum, &doubles_per_time) ||
        __builtin_add_overflow(doubles_per_time, common_sum, &doubles_per_time) || doubles_per_time > BYTES_MAX / sizeof(double) ||
        description->beside_bytes > BYTES_MAX) {
        return false;
    }
    uint64_t block_bytes = description->block_bytes != 0 ? description->block_bytes : BLOCK_BYTES_DEFAULT;
    block_bytes = block_bytes < BYTES_MAX ? block_bytes : BYTES_MAX;
    const uint64_t bytes_per_time = doubles_per_time * sizeof(double) + description->beside_bytes;
    uint64_t by_memory = bytes_per_time == 0 ? layout->n_times : block_bytes / bytes_per_time;
    uint64_t by_chunk = CHUNK_BYTES / (width_max * sizeof(double));
    uint64_t most = clamp(by_memory < by_chunk ? by_memory : by_chunk, 1, layout->n_times);
    layout->block_times = balanced(layout->n_times, most);
    layout->block_doubles = doubles_per_time * layout->block_times;
    return true;
}

static size_t element_size(sarrus_sink_type type) {
    return type == SARRUS_SINK_U16 ? sizeof(uint16_t) : sizeof(double);
}

sarrus_status sarrus_layout_make(const sarrus_sink_description *description, sarrus_layout *out) {
    if (description->n_instances == 0 || description->n_times == 0 || description->n_fields < 0) {
        return SARRUS_BAD_ARGUMENT;
    }
    sarrus_layout layout = {.n_instances = description->n_instances,
                            .n_trajectories =
                                description->has_trajectories ? description->n_trajectories : description->n_instances,
                            .n_times = description->n_times,
                            .is_open_ended = description->is_open_ended,
                            .n_fields = description->n_fields};
    layout.fields = calloc((size_t)layout.n_fields + 1, sizeof *layout.fields);
    if (layout.fields == NULL) {
        return SARRUS_NO_MEMORY;
    }
    if (!choose_block(description, &layout)) {
        sarrus_layout_clear(&layout);
        return SARRUS_BAD_ARGUMENT;
    }
    for (int f = 0; f < layout.n_fields; ++f) {
        sarrus_layout_field *field = &layout.fields[f];
        uint64_t instance_bytes = layout.block_times * field->width * element_size(field->type);
        field->chunk_instances = clamp(CHUNK_BYTES / instance_bytes, 1, field->n_rows);
        field->n_chunks = (field->n_rows + field->chunk_instances - 1) / field->chunk_instances;
        field->i_job_first = layout.n_jobs;
        layout.n_jobs += field->n_chunks;
        size_t staging = field->chunk_instances * layout.block_times * field->width * element_size(field->type);
        layout.chunk_bytes_max = staging > layout.chunk_bytes_max ? staging : layout.chunk_bytes_max;
    }
    *out = layout;
    return SARRUS_OK;
}

void sarrus_layout_clear(sarrus_layout *layout) {
    free(layout->fields);
    layout->fields = NULL;
}

void sarrus_layout_job(const sarrus_layout *layout, uint64_t i_job, int *i_field, uint64_t *i_chunk) {
    int low = 0, high = layout->n_fields - 1; /* the last field whose first job is not after i_job */
    while (low < high) {
        int middle = low + (high - low + 1) / 2;
        if (layout->fields[middle].i_job_first <= i_job) {
            low = middle;
        } else {
            high = middle - 1;
        }
    }
    *i_field = low;
    *i_chunk = i_job - layout->fields[low].i_job_first;
}

static void to_u16(const double *from, uint64_t n, uint16_t *to) {
    for (uint64_t i = 0; i < n; ++i) {
        double x = from[i];
        double limited = x > 0.0 ? (x < 65534.0 ? x : 65534.0) : 0.0;
        to[i] = isnan(x) ? 65535 : (uint16_t)(limited + 0.5);
    }
}

static void to_u64(const double *from, uint64_t n, uint64_t *to) {
    for (uint64_t i = 0; i < n; ++i) {
        to[i] = (uint64_t)from[i];
    }
}

/* Rows of chunk_instances instances into `staging`, rows and times that are not there filled. */
static void gather(const sarrus_layout_block *block, const sarrus_layout_field *field, const double *first, uint64_t n_rows,
                   uint8_t *staging) {
    uint64_t row = block->layout->block_times * field->width; /* numbers of an instance in the chunk */
    uint64_t filled = block->n_times * field->width;          /* of which there are values */
    uint64_t source_row = block->n_times_stride * field->width;
    bool is_u16 = field->type == SARRUS_SINK_U16;
    for (uint64_t r = 0; r < field->chunk_instances; ++r) {
        uint64_t n = r < n_rows ? filled : 0;
        const double *from = first + (r < n_rows ? r * source_row : 0);
        if (is_u16) {
            uint16_t *to = (uint16_t *)(void *)staging + r * row;
            to_u16(from, n, to);
            memset(to + n, 0xff, (row - n) * sizeof *to);
        } else if (field->type == SARRUS_SINK_U64) {
            uint64_t *to = (uint64_t *)(void *)staging + r * row;
            to_u64(from, n, to);
            memset(to + n, 0, (row - n) * sizeof *to);
        } else {
            double *to = (double *)(void *)staging + r * row;
            if (field->n_kept_bits > 0) {
                sarrus_bit_round(from, n, field->n_kept_bits, to);
            } else {
                memcpy(to, from, n * sizeof *to);
            }
            for (uint64_t i = n; i < row; ++i) {
                to[i] = NAN;
            }
        }
    }
}

void sarrus_layout_pack(const void *user, uint64_t i_job, sarrus_compress_slot *slot) {
    const sarrus_layout_block *block = user;
    const sarrus_layout *layout = block->layout;
    int i_field = 0;
    uint64_t i_chunk = 0;
    sarrus_layout_job(layout, i_job, &i_field, &i_chunk);
    const sarrus_layout_field *field = &layout->fields[i_field];
    uint64_t i_instance = i_chunk * field->chunk_instances;
    uint64_t n_rows = field->n_rows - i_instance;
    n_rows = n_rows < field->chunk_instances ? n_rows : field->chunk_instances;
    const double *first = block->data[i_field] + i_instance * block->n_times_stride * field->width;
    bool whole =
        n_rows == field->chunk_instances && block->n_times == layout->block_times && block->n_times_stride == block->n_times;
    const void *elements = first;
    if (!whole || field->type != SARRUS_SINK_F64 || field->n_kept_bits > 0) {
        gather(block, field, first, n_rows, slot->staging);
        elements = slot->staging;
    }
    const sarrus_chunk_numbers numbers = {.elements = elements,
                                          .n_elements = field->chunk_instances * layout->block_times * field->width,
                                          .element_size = element_size(field->type),
                                          .row = field->width};
    const sarrus_packing how = sarrus_stop_is_asked(block->stop) ? SARRUS_PACK_SOON : SARRUS_PACK_WELL;
    slot->n_packed = sarrus_packer_pack(slot->packer, &numbers, how, slot->packed, &slot->filter_mask);
}
