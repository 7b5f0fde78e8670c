#include "sink/sink_group.h"

#include <stdlib.h>
#include <string.h>

/* Each array of a block begins on a cache line. */
static uint64_t rounded_doubles(const sarrus_layout *layout, int i_field) {
    return (layout->fields[i_field].n_rows * layout->block_times * layout->fields[i_field].width + 7) / 8 * 8;
}

static bool make_buffer(const sarrus_layout *layout, const sarrus_sink_description *description, sarrus_block_buffer *buffer) {
    uint64_t n = 8 + (layout->is_open_ended ? (layout->block_times + 7) / 8 * 8 : 0);
    for (int f = 0; f < layout->n_fields; ++f) {
        n += rounded_doubles(layout, f);
    }
    buffer->memory = aligned_alloc(64, n * sizeof(double));
    buffer->data = calloc((size_t)layout->n_fields + 1, sizeof *buffer->data);
    if (buffer->memory == NULL || buffer->data == NULL || !sarrus_outcome_copy_make(description, &buffer->outcome)) {
        return false;
    }
    double *at = buffer->memory;
    for (int f = 0; f < layout->n_fields; ++f) {
        buffer->data[f] = at;
        at += rounded_doubles(layout, f);
    }
    buffer->times = layout->is_open_ended ? at : NULL;
    return true;
}

static bool same_path(const char *a, const char *b) {
    return a != NULL && b != NULL && strcmp(a, b) == 0;
}

/* NULL, or what of a field's axes cannot be. */
static const char *shape_error(const sarrus_sink_description *description, const sarrus_sink_field *field) {
    if (!field->is_common && description->has_trajectories && description->n_trajectories == 0) {
        return "a dataset over instances, of which none is kept";
    }
    if (field->has_levels && (!field->is_common || description->levels == NULL || description->levels->n < 1)) {
        return "a dataset has an axis of levels, which are missing or not of all instances together";
    }
    return NULL;
}

/* The same of a total. */
static const char *total_error(const sarrus_sink_description *description, const sarrus_sink_total *total) {
    const sarrus_sink_labels *labels = total->labels != NULL ? total->labels : description->total_labels;
    if (total->n_label_axes == 0) {
        return NULL;
    }
    if (total->has_levels || total->n_label_axes < 0 || total->n_label_axes > 2 || labels == NULL || labels->n < 1) {
        return "a total has axes of labels, which are missing or beside levels";
    }
    return total->n_label_axes == 2 && labels->path_again == NULL ? "a total has a second axis of labels, which has no name" : NULL;
}

/* NULL, or what is wrong with the description. */
const char *sarrus_sink_description_error(const sarrus_sink_description *description) {
    if ((description->times == NULL && !description->is_open_ended) || (description->n_fields > 0 && description->fields == NULL) ||
        (description->n_parameters > 0 && description->parameters == NULL) ||
        (description->n_measures > 0 && description->measures == NULL) ||
        (description->n_columns > 0 && (description->columns == NULL || description->columns_scale == NULL))) {
        return "an array is missing";
    }
    if ((description->n_totals > 0 && description->totals == NULL) ||
        (description->has_trajectories && description->n_trajectories > 0 && description->trajectories == NULL)) {
        return "an array is missing";
    }
    for (int i = 0; i < description->n_totals; ++i) {
        const char *wrong = total_error(description, &description->totals[i]);
        if (wrong != NULL) {
            return wrong;
        }
    }
    for (int i = 0; i < description->n_fields; ++i) {
        const char *wrong = shape_error(description, &description->fields[i]);
        if (wrong != NULL) {
            return wrong;
        }
        if (description->fields[i].path == NULL || description->fields[i].path[0] == '\0') {
            return "a dataset has no path";
        }
        for (int j = 0; j < i; ++j) {
            if (same_path(description->fields[i].path, description->fields[j].path)) {
                return "two datasets have the same path";
            }
            if (same_path(description->fields[i].labels_path, description->fields[j].labels_path) &&
                description->fields[i].width != description->fields[j].width) {
                return "two datasets of different width share their labels";
            }
        }
    }
    return NULL;
}

sarrus_status sarrus_sink_group_make(sarrus_sink_group *group, int i_group, const sarrus_sink_description *description) {
    const sarrus_status status = sarrus_layout_make(description, &group->layout);
    if (status != SARRUS_OK) {
        return status;
    }
    const bool needs_second = group->layout.block_times < group->layout.n_times;
    for (int i = 0; i < SARRUS_GROUP_BUFFERS; ++i) {
        group->buffers[i].i_group = i_group;
        group->buffers[i].is_free = true;
        if ((i == 0 || needs_second) && !make_buffer(&group->layout, description, &group->buffers[i])) {
            return SARRUS_NO_MEMORY;
        }
    }
    return SARRUS_OK;
}

void sarrus_sink_group_free(sarrus_sink_group *group) {
    for (int i = 0; i < SARRUS_GROUP_BUFFERS; ++i) {
        free(group->buffers[i].memory);
        free(group->buffers[i].data);
        sarrus_outcome_copy_free(&group->buffers[i].outcome);
    }
    sarrus_layout_clear(&group->layout);
}

bool sarrus_sink_group_has_more(const sarrus_sink_group *group) {
    return !group->lent && !group->ended && group->i_time_next < group->layout.n_times;
}

void sarrus_sink_group_lend(sarrus_sink_group *group, sarrus_sink_block *out) {
    sarrus_block_buffer *buffer = &group->buffers[group->i_lent];
    const uint64_t rest = group->layout.n_times - group->i_time_next;
    buffer->i_time_first = group->i_time_next;
    buffer->n_times_stride = rest < group->layout.block_times ? rest : group->layout.block_times;
    group->lent = true;
    *out = (sarrus_sink_block){
        .i_time_first = buffer->i_time_first, .n_times = buffer->n_times_stride, .data = buffer->data, .times = buffer->times};
}

void sarrus_sink_group_take_back(sarrus_sink_group *group, uint64_t n_times) {
    sarrus_block_buffer *buffer = &group->buffers[group->i_lent];
    buffer->n_times = n_times;
    group->lent = false;
    group->ended = n_times < buffer->n_times_stride;
    group->i_time_next += n_times;
    group->i_lent = (group->i_lent + 1) % SARRUS_GROUP_BUFFERS;
}
