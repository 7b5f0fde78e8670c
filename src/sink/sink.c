/* The caller's side and the writer thread. Every HDF5 call is made on the writer thread, creating and closing included. */
#include "sink/sink.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/crew.h"
#include "core/monotonic.h"
#include "core/report.h"
#include "core/stop.h"
#include "sink/compress_pool.h"
#include "sink/layout.h"
#include "sink/outcome_copy.h"
#include "sink/result_file.h"

/* What a stop leaves to the writer, s. The program promises to end within twice that. */
static const double STOP_SECONDS = 0.1;

enum { N_BUFFERS = 2, THREADS_DEFAULT = 2, THREADS_MAX = 256 };

typedef enum buffer_state { BUFFER_FREE = 0, BUFFER_LENT = 1, BUFFER_QUEUED = 2 } buffer_state;

/* One block: lent to the caller, then queued, then free again. */
typedef struct block_buffer {
    buffer_state state;
    double *memory; /* [layout.block_doubles]; NULL for a second buffer that is never needed */
    double **data;  /* [n_fields] into `memory` */
    double *times;  /* [layout.block_times] into `memory`; NULL when they are known beforehand */
    uint64_t i_time_first, n_times_stride, n_times;
    bool has_outcome;
    sarrus_outcome_copy outcome;
} block_buffer;

/* What the writer does next; guarded by the mutex. */
typedef enum writer_order { ORDER_NONE = 0, ORDER_CLOSE = 1 } writer_order;

struct sarrus_sink {
    sarrus_layout layout;
    char *path;
    block_buffer buffers[N_BUFFERS];
    sarrus_compress_pool *pool;
    sarrus_result_file file; /* the writer's */
    pthread_t writer;
    bool has_writer;
    const volatile int32_t *stop;
    double stop_seconds;

    pthread_mutex_t mutex;
    pthread_cond_t for_writer, for_caller;
    /* guarded by the mutex: */
    writer_order order;
    const sarrus_sink_description *description; /* of the caller, until the file was created */
    const sarrus_sink_outcome *outcome;         /* of the caller, while it waits for the end */
    bool created;                               /* creation ended, well or not */
    sarrus_status status;                       /* of the writer: OK or why it stopped */
    char message[SARRUS_RESULT_MESSAGE_BYTES];
    double busy_seconds;
    double stop_seen; /* s of the monotonic clock; 0: no stop was asked for yet */
    uint64_t n_bytes, n_times_written;

    /* the caller's: */
    uint64_t i_time_next; /* first time of the next block to be lent */
    int i_lent;           /* buffer that is lent or lent next */
    bool lent, ended, closed;
};

/* ---- writer thread ---- */

/* Whether a stop was asked for so long ago that nothing more may be begun. */
static bool is_late(sarrus_sink *sink) {
    if (!sarrus_stop_is_asked(sink->stop)) {
        return false;
    }
    const double now = sarrus_monotonic_seconds();
    pthread_mutex_lock(&sink->mutex);
    sink->stop_seen = sink->stop_seen > 0.0 ? sink->stop_seen : now;
    const bool late = now - sink->stop_seen > sink->stop_seconds;
    pthread_mutex_unlock(&sink->mutex);
    return late;
}

/* INTERRUPTED when there was no time for it; of a block that was begun nothing is to be seen in the file either. */
static sarrus_status write_chunks(sarrus_sink *sink, const block_buffer *buffer) {
    const sarrus_layout *layout = &sink->layout;
    const sarrus_layout_block block = {.layout = layout,
                                       .data = buffer->data,
                                       .n_times_stride = buffer->n_times_stride,
                                       .n_times = buffer->n_times,
                                       .stop = sink->stop};
    sarrus_status status = is_late(sink) ? SARRUS_INTERRUPTED : SARRUS_OK;
    if (status == SARRUS_OK && buffer->times != NULL) {
        status = sarrus_result_file_extend(&sink->file, buffer->times, buffer->n_times);
    } else if (status == SARRUS_OK) {
        status = sarrus_result_file_reach(&sink->file, buffer->i_time_first + buffer->n_times);
    }
    if (status != SARRUS_OK) {
        return status;
    }
    sarrus_compress_pool_begin(sink->pool, layout->n_jobs, sarrus_layout_pack, &block);
    for (uint64_t j = 0; j < layout->n_jobs && status == SARRUS_OK; j++) {
        const sarrus_compress_slot *slot = sarrus_compress_pool_take(sink->pool);
        int i_field = 0;
        uint64_t i_chunk = 0;
        sarrus_layout_job(layout, j, &i_field, &i_chunk);
        uint64_t i_instance = i_chunk * layout->fields[i_field].chunk_instances;
        status = sarrus_result_file_put(&sink->file, i_field, i_instance, buffer->i_time_first, slot);
        sarrus_compress_pool_release(sink->pool);
        if (status == SARRUS_OK && j + 1 < layout->n_jobs && is_late(sink)) {
            sarrus_result_file_abandon(&sink->file);
            status = SARRUS_INTERRUPTED;
        }
    }
    sarrus_compress_pool_cancel(sink->pool);
    return status;
}

static sarrus_status write_block(sarrus_sink *sink, const block_buffer *buffer) {
    sarrus_status status = write_chunks(sink, buffer);
    if (status == SARRUS_OK) {
        const sarrus_sink_outcome outcome = sarrus_outcome_copy_view(&buffer->outcome);
        status =
            sarrus_result_file_commit(&sink->file, buffer->i_time_first + buffer->n_times, buffer->has_outcome ? &outcome : NULL);
    }
    return status;
}

static sarrus_status write_end(sarrus_sink *sink, const sarrus_sink_outcome *outcome, uint64_t n_times) {
    /* the end of an open-ended file is where the caller has come to */
    const uint64_t n_wanted = sink->layout.is_open_ended ? sink->i_time_next : sink->layout.n_times;
    bool complete = outcome->complete && n_times == n_wanted;
    return sarrus_result_file_finish(&sink->file, n_times, outcome, complete);
}

/* Tells the caller how the writer stands; the mutex is held. */
static void publish(sarrus_sink *sink, sarrus_status status, double since) {
    sink->busy_seconds += sarrus_monotonic_seconds() - since;
    sink->n_bytes = sink->file.state.n_bytes;
    if (status != SARRUS_OK && sink->status == SARRUS_OK) {
        sink->status = status;
        snprintf(sink->message, sizeof sink->message, "%s", sink->file.message);
    }
    pthread_cond_broadcast(&sink->for_caller);
}

/* Writes queued blocks in order until told to close or until writing fails; drops those that a stop leaves no time for. Returns the
 * number of times on file. The mutex is held on entry and on return. */
static uint64_t write_blocks(sarrus_sink *sink) {
    uint64_t n_times = 0;
    for (int i = 0; sink->status == SARRUS_OK;) {
        block_buffer *buffer = &sink->buffers[i];
        if (buffer->state != BUFFER_QUEUED) {
            if (sink->order == ORDER_CLOSE) {
                break;
            }
            pthread_cond_wait(&sink->for_writer, &sink->mutex);
            continue;
        }
        pthread_mutex_unlock(&sink->mutex);
        double since = sarrus_monotonic_seconds();
        sarrus_status status = write_block(sink, buffer);
        pthread_mutex_lock(&sink->mutex);
        n_times = status == SARRUS_OK ? buffer->i_time_first + buffer->n_times : n_times;
        buffer->state = BUFFER_FREE;
        publish(sink, status == SARRUS_INTERRUPTED ? SARRUS_OK : status, since);
        i = (i + 1) % N_BUFFERS;
    }
    return n_times;
}

static void *write_file(void *argument) {
    sarrus_sink *sink = argument;
    double since = sarrus_monotonic_seconds();
    sarrus_status status = sarrus_result_file_create(&sink->file, sink->path, &sink->layout, sink->description);
    pthread_mutex_lock(&sink->mutex);
    sink->created = true;
    sink->description = NULL;
    publish(sink, status, since);
    uint64_t n_times = write_blocks(sink);
    while (sink->order != ORDER_CLOSE) {
        pthread_cond_wait(&sink->for_writer, &sink->mutex);
    }
    const sarrus_sink_outcome *outcome = sink->outcome;
    status = sink->status;
    pthread_mutex_unlock(&sink->mutex);
    since = sarrus_monotonic_seconds();
    if (status == SARRUS_OK && outcome != NULL && !sink->file.state.is_abandoned) {
        status = write_end(sink, outcome, n_times);
    }
    const sarrus_result_end end = n_times == 0                             ? SARRUS_RESULT_REMOVED
                                  : status == SARRUS_OK && outcome != NULL ? SARRUS_RESULT_NAMED
                                                                           : SARRUS_RESULT_LEFT;
    sarrus_status closing = sarrus_result_file_close(&sink->file, end);
    pthread_mutex_lock(&sink->mutex);
    publish(sink, status == SARRUS_OK ? closing : status, since);
    sink->n_times_written = n_times;
    pthread_mutex_unlock(&sink->mutex);
    return NULL;
}

/* ---- caller's side ---- */

static sarrus_status report_memory(sarrus_context *context) {
    return sarrus_report(context, SARRUS_NO_MEMORY, "no memory for the output buffers");
}

/* Each array of a block begins on a cache line. */
static uint64_t rounded_doubles(const sarrus_layout *layout, int i_field) {
    return (layout->n_instances * layout->block_times * layout->fields[i_field].width + 7) / 8 * 8;
}

static bool make_buffer(const sarrus_layout *layout, const sarrus_sink_description *description, block_buffer *buffer) {
    uint64_t n = 8 + (layout->is_open_ended ? (layout->block_times + 7) / 8 * 8 : 0);
    for (int f = 0; f < layout->n_fields; f++) {
        n += rounded_doubles(layout, f);
    }
    buffer->memory = aligned_alloc(64, n * sizeof(double));
    buffer->data = calloc((size_t)layout->n_fields + 1, sizeof *buffer->data);
    if (buffer->memory == NULL || buffer->data == NULL || !sarrus_outcome_copy_make(description, &buffer->outcome)) {
        return false;
    }
    double *at = buffer->memory;
    for (int f = 0; f < layout->n_fields; f++) {
        buffer->data[f] = at;
        at += rounded_doubles(layout, f);
    }
    buffer->times = layout->is_open_ended ? at : NULL;
    return true;
}

static bool same_path(const char *a, const char *b) {
    return a != NULL && b != NULL && strcmp(a, b) == 0;
}

/* NULL, or what is wrong with the description. */
static const char *description_error(const sarrus_sink_description *description) {
    if ((description->times == NULL && !description->is_open_ended) || (description->n_fields > 0 && description->fields == NULL) ||
        (description->n_parameters > 0 && description->parameters == NULL) ||
        (description->n_measures > 0 && description->measures == NULL) ||
        (description->n_columns > 0 && (description->columns == NULL || description->columns_scale == NULL))) {
        return "an array is missing";
    }
    for (int i = 0; i < description->n_fields; i++) {
        if (description->fields[i].path == NULL || description->fields[i].path[0] == '\0') {
            return "a dataset has no path";
        }
        for (int j = 0; j < i; j++) {
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

/* Starts a thread that no signal is delivered to: the program's handlers run on its own threads, and a write past the file size
 * limit fails with an error instead of a deadly SIGXFSZ. */
static sarrus_status start_threads(sarrus_sink *sink, sarrus_context *context, int n_compress_threads) {
    int n = n_compress_threads > 0 ? n_compress_threads : THREADS_DEFAULT;
    sigset_t blocked, before;
    sarrus_thread_signals(&blocked);
    pthread_sigmask(SIG_SETMASK, &blocked, &before);
    n = n < THREADS_MAX ? n : THREADS_MAX;
    int error = 0;
    bool is_again;
    sarrus_status status;
    do { /* one that compresses is enough when the writer would find no place beside more of them */
        status = sarrus_compress_pool_create(n, sink->layout.chunk_bytes_max, &sink->pool);
        error = status == SARRUS_OK ? pthread_create(&sink->writer, NULL, write_file, sink) : 0;
        sink->has_writer = status == SARRUS_OK && error == 0;
        if (!sink->has_writer) {
            sarrus_compress_pool_destroy(sink->pool);
            sink->pool = NULL;
        }
        is_again = error != 0 && n > 1;
        n = 1;
    } while (is_again);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (sink->has_writer) {
        return SARRUS_OK;
    }
    return sarrus_report(context, SARRUS_NO_MEMORY, "the output threads cannot be started: %s",
                         status == SARRUS_NO_MEMORY ? "out of memory" : strerror(error != 0 ? error : EAGAIN));
}

/* Everything but the threads. */
static sarrus_status make_sink(sarrus_context *context, const char *path, const sarrus_sink_description *description,
                               sarrus_sink **out) {
    const char *wrong = path == NULL || description == NULL ? "an argument is missing" : description_error(description);
    if (wrong != NULL) {
        return sarrus_report(context, SARRUS_BAD_ARGUMENT, "result file: %s", wrong);
    }
    sarrus_sink *sink = calloc(1, sizeof *sink);
    if (sink == NULL) {
        return report_memory(context);
    }
    pthread_mutex_init(&sink->mutex, NULL);
    pthread_cond_init(&sink->for_writer, NULL);
    pthread_cond_init(&sink->for_caller, NULL);
    *out = sink;
    sink->stop = description->stop;
    sink->stop_seconds = description->stop_seconds > 0.0 ? description->stop_seconds : STOP_SECONDS;
    sarrus_status status = sarrus_layout_make(description, &sink->layout);
    if (status != SARRUS_OK) {
        return status == SARRUS_NO_MEMORY
                   ? report_memory(context)
                   : sarrus_report(context, status, "result file: nothing to write, or too much for one file");
    }
    sink->path = strdup(path);
    bool ok = sink->path != NULL && make_buffer(&sink->layout, description, &sink->buffers[0]);
    if (ok && sink->layout.block_times < sink->layout.n_times) {
        ok = make_buffer(&sink->layout, description, &sink->buffers[1]);
    }
    return ok ? SARRUS_OK : report_memory(context);
}

sarrus_status sarrus_sink_create(sarrus_context *context, const char *path, const sarrus_sink_description *description,
                                 sarrus_sink **out) {
    sarrus_sink *sink = NULL;
    sarrus_status status = make_sink(context, path, description, &sink);
    if (status == SARRUS_OK) {
        sink->description = description;
        status = start_threads(sink, context, description->n_compress_threads);
    }
    if (status == SARRUS_OK) {
        pthread_mutex_lock(&sink->mutex);
        while (!sink->created) {
            pthread_cond_wait(&sink->for_caller, &sink->mutex);
        }
        if (sink->status != SARRUS_OK) {
            status = sarrus_report(context, sink->status, "%s: %s", path, sink->message);
        } else if (sink->file.place.notice[0] != '\0') {
            (void)sarrus_report_at(context, SARRUS_NOTE, SARRUS_OK, NULL, "%s: %s", path, sink->file.place.notice);
        }
        pthread_mutex_unlock(&sink->mutex);
    }
    if (status != SARRUS_OK) {
        sarrus_sink_destroy(sink);
        return status;
    }
    *out = sink;
    return SARRUS_OK;
}

uint64_t sarrus_sink_block_times(const sarrus_sink *sink) {
    return sink->layout.block_times;
}

sarrus_status sarrus_sink_acquire(sarrus_sink *sink, sarrus_sink_block *out) {
    if (sink->lent || sink->ended || sink->closed || sink->i_time_next >= sink->layout.n_times) {
        return SARRUS_BAD_ARGUMENT;
    }
    block_buffer *buffer = &sink->buffers[sink->i_lent];
    (void)is_late(sink); /* from now on the time runs */
    pthread_mutex_lock(&sink->mutex);
    while (buffer->state != BUFFER_FREE && sink->status == SARRUS_OK) {
        pthread_cond_wait(&sink->for_caller, &sink->mutex);
    }
    bool failed = sink->status != SARRUS_OK;
    if (!failed) {
        buffer->state = BUFFER_LENT;
    }
    pthread_mutex_unlock(&sink->mutex);
    if (failed) {
        return SARRUS_SINK_FAILED;
    }
    uint64_t rest = sink->layout.n_times - sink->i_time_next;
    buffer->i_time_first = sink->i_time_next;
    buffer->n_times_stride = rest < sink->layout.block_times ? rest : sink->layout.block_times;
    sink->lent = true;
    *out = (sarrus_sink_block){
        .i_time_first = buffer->i_time_first, .n_times = buffer->n_times_stride, .data = buffer->data, .times = buffer->times};
    return SARRUS_OK;
}

sarrus_status sarrus_sink_submit(sarrus_sink *sink, uint64_t n_times, const sarrus_sink_outcome *outcome) {
    block_buffer *buffer = &sink->buffers[sink->i_lent];
    if (!sink->lent || sink->closed || n_times > buffer->n_times_stride) {
        return SARRUS_BAD_ARGUMENT;
    }
    (void)is_late(sink);
    buffer->n_times = n_times;
    buffer->has_outcome = outcome != NULL && outcome->status != NULL && outcome->failed_time != NULL;
    if (buffer->has_outcome && !sarrus_outcome_copy_take(&buffer->outcome, outcome)) {
        return SARRUS_NO_MEMORY;
    }
    sink->lent = false;
    sink->ended = n_times < buffer->n_times_stride;
    sink->i_time_next += n_times;
    sink->i_lent = (sink->i_lent + 1) % N_BUFFERS;
    pthread_mutex_lock(&sink->mutex);
    sarrus_status status = sink->status == SARRUS_OK ? SARRUS_OK : SARRUS_SINK_FAILED;
    buffer->state = n_times > 0 ? BUFFER_QUEUED : BUFFER_FREE;
    pthread_cond_signal(&sink->for_writer);
    pthread_mutex_unlock(&sink->mutex);
    return status;
}

/* Lets the writer finish what is queued and end. */
static void stop_writer(sarrus_sink *sink, const sarrus_sink_outcome *outcome) {
    if (!sink->has_writer) {
        return;
    }
    pthread_mutex_lock(&sink->mutex);
    sink->outcome = outcome;
    sink->order = ORDER_CLOSE;
    pthread_cond_signal(&sink->for_writer);
    pthread_mutex_unlock(&sink->mutex);
    pthread_join(sink->writer, NULL);
    sink->has_writer = false;
}

sarrus_status sarrus_sink_close(sarrus_sink *sink, sarrus_context *context, const sarrus_sink_outcome *outcome) {
    if (sink->closed) {
        return sarrus_report(context, SARRUS_BAD_ARGUMENT, "%s: closed already", sink->path);
    }
    stop_writer(sink, outcome);
    sink->closed = true;
    if (sink->status == SARRUS_OK) {
        return SARRUS_OK;
    }
    const char *left = sarrus_sink_left(sink);
    const bool is_spoiled = sink->file.place.is_spoiled || sink->file.state.is_cut;
    const bool is_named = sink->file.place.name != NULL && left == NULL; /* only the last sync has failed */
    return sarrus_report(context, SARRUS_SINK_FAILED, "%s: %s; %s%s%s", sink->path, sink->message,
                         is_named       ? "the result has its name, but may not be on the disk"
                         : left == NULL ? "nothing is left of this run under its name"
                         : is_spoiled   ? "what is left of it is "
                                        : "what was committed before is in ",
                         left != NULL ? left : "", left != NULL && is_spoiled ? ", and may not be readable" : "");
}

const char *sarrus_sink_left(const sarrus_sink *sink) {
    return sink->file.place.name != NULL && sink->file.place.name == sink->file.place.partial ? sink->file.place.name : NULL;
}

void sarrus_sink_destroy(sarrus_sink *sink) {
    if (sink == NULL) {
        return;
    }
    stop_writer(sink, NULL);
    sarrus_compress_pool_destroy(sink->pool);
    for (int i = 0; i < N_BUFFERS; i++) {
        free(sink->buffers[i].memory);
        free(sink->buffers[i].data);
        sarrus_outcome_copy_free(&sink->buffers[i].outcome);
    }
    sarrus_layout_clear(&sink->layout);
    sarrus_result_place_free(&sink->file.place);
    free(sink->path);
    pthread_cond_destroy(&sink->for_writer);
    pthread_cond_destroy(&sink->for_caller);
    pthread_mutex_destroy(&sink->mutex);
    free(sink);
}

uint64_t sarrus_sink_times_written(const sarrus_sink *sink) {
    return sink->n_times_written;
}

double sarrus_sink_busy_seconds(const sarrus_sink *sink) {
    sarrus_sink *locked = (sarrus_sink *)sink; /* the mutex is the only thing that changes */
    pthread_mutex_lock(&locked->mutex);
    double seconds = sink->busy_seconds;
    pthread_mutex_unlock(&locked->mutex);
    return seconds;
}

uint64_t sarrus_sink_bytes(const sarrus_sink *sink) {
    sarrus_sink *locked = (sarrus_sink *)sink;
    pthread_mutex_lock(&locked->mutex);
    uint64_t n_bytes = sink->n_bytes;
    pthread_mutex_unlock(&locked->mutex);
    return n_bytes;
}
