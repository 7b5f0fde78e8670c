/* Rows of fields, from those of observables. */
#include "plan/body.h"
#include "plan/rotation.h"
#include "study/channels.h"
#include "study/point_motion.h"

/* What the motion of a point is made of, order by order. */
static const sarrus_observable of_order[3] = {SARRUS_OBSERVE_Q, SARRUS_OBSERVE_V, SARRUS_OBSERVE_ACCELERATION};

/* A row of a point, from that of its body. */
static void point_row(const sarrus_channels *channels, int i_field, uint64_t i_instance, uint64_t i_row,
                      double *const source[SARRUS_N_OBSERVABLES], double *to) {
    const sarrus_model *model = channels->model;
    const sarrus_body_sizes *sizes = sarrus_body_sizes_of((int32_t)model->space);
    const int i_point = channels->point[i_field] - 1, order = channels->order[i_field];
    const size_t body = (size_t)model->output.points[i_point].body;
    const double *s = sarrus_instance_numbers_of(&channels->at, i_instance) + sizes->dimension * i_point;
    const double *from[3];
    for (int k = 0; k < 3; ++k) {
        const sarrus_observable observable = of_order[k];
        const size_t n_each = (size_t)(k == 0 ? sizes->n_q : sizes->n_v);
        from[k] = k <= order ? source[observable] + i_row * (size_t)channels->width[observable] + n_each * body : NULL;
    }
    sarrus_point_motion(&(sarrus_point_on){model->space, s, from[0], from[1], from[2]}, order, to);
}

void sarrus_channels_row(const sarrus_channels *channels, int i_field, uint64_t i_instance, uint64_t i_row,
                         double *const source[SARRUS_N_OBSERVABLES], double *to) {
    const sarrus_observable observable = channels->observable[i_field];
    if (channels->point[i_field] > 0) {
        point_row(channels, i_field, i_instance, i_row, source, to);
        return;
    }
    if (channels->joint[i_field] > 0) {
        const double *q = source[SARRUS_OBSERVE_Q] + i_row * (size_t)channels->width[SARRUS_OBSERVE_Q];
        sarrus_joint_place(&channels->places, channels->model, i_instance, channels->joint[i_field] - 1, channels->order[i_field],
                           q, to);
        return;
    }
    const double *from = source[observable] + i_row * (size_t)channels->width[observable] + (size_t)channels->offset[i_field];
    if (channels->form[i_field] != SARRUS_ORIENTATION_PARAMETERS) {
        sarrus_orientation_write(channels->form[i_field], from, to);
        return;
    }
    for (int k = 0; k < channels->n_components[i_field]; ++k)
        to[k] = from[k];
}

/* One instance, which has row i_to of the fields: its rows of an observable are read once from memory and then cut from the cache,
 * field by field. */
static void instance_gather(const sarrus_channels *channels, const sarrus_channels_rows *rows, uint64_t i_to,
                            double *const source[SARRUS_N_OBSERVABLES], double **data) {
    const uint64_t i_instance = channels->has_kept ? channels->kept[i_to] : i_to;
    const size_t i_first = i_instance * rows->n_rows_stride + rows->i_row;
    for (int i_field = 0; i_field < channels->n_fields; ++i_field) {
        const size_t n_components = (size_t)channels->n_components[i_field];
        const sarrus_observable observable = channels->observable[i_field];
        const size_t width = (size_t)channels->width[observable];
        if (sarrus_channels_field_is_direct(channels, i_field))
            continue;
        double *to = data[i_field] + (i_to * rows->n_rows_stride + rows->i_row) * n_components;
        if (!sarrus_channels_field_is_plain(channels, i_field)) {
            for (uint64_t i_row = 0; i_row < rows->n_rows; ++i_row, to += n_components)
                sarrus_channels_row(channels, i_field, i_instance, i_first + i_row, source, to);
            continue;
        }
        const double *from = source[observable] + i_first * width + (size_t)channels->offset[i_field];
        for (uint64_t i_row = 0; i_row < rows->n_rows; ++i_row, from += width, to += n_components)
            for (size_t k = 0; k < n_components; ++k)
                to[k] = from[k];
    }
}

/* What the threads that gather share. */
typedef struct gathering {
    const sarrus_channels *channels;
    const sarrus_channels_rows *rows;
    double *const *source;
    double **data;
} gathering;

static void instances_gather(void *user, int i_member, int n_members) {
    const gathering *job = user;
    const sarrus_crew_share share =
        sarrus_crew_share_of(job->channels->has_kept ? job->channels->n_kept : job->rows->n_instances, i_member, n_members);
    for (uint64_t i = share.i_first; i < share.i_end; ++i)
        instance_gather(job->channels, job->rows, i, job->source, job->data);
}

void sarrus_channels_gather(const sarrus_channels *channels, const sarrus_channels_rows *rows,
                            double *const source[SARRUS_N_OBSERVABLES], double **data) {
    bool is_all_direct = true;
    for (int i = 0; i < channels->n_fields; ++i)
        is_all_direct = is_all_direct && sarrus_channels_field_is_direct(channels, i);
    if (is_all_direct)
        return;
    gathering job = {channels, rows, source, data};
    sarrus_crew_run(rows->crew, rows->n_threads, instances_gather, &job);
}
