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
#include "sink/result_file.h"
#include "sink/sink_group.h"

/* What a stop leaves to the writer for each group, s, of which it counts so many at most. The program promises to end within twice
 * that. */
static const double STOP_SECONDS = 0.1;
enum { STOP_GROUPS_MAX = 10 };

enum { THREADS_DEFAULT = 2, THREADS_MAX = 256 };

/* What the writer does next; guarded by the mutex. */
typedef enum writer_order { ORDER_NONE = 0, ORDER_CLOSE = 1 } writer_order;

struct sarrus_sink {
    int n_groups;
    sarrus_sink_group *groups;     /* [n_groups] */
    const sarrus_layout **layouts; /* [n_groups] theirs */
    char *path;
    sarrus_compress_pool *pool;
    sarrus_result_file file; /* the writer's */
    pthread_t writer;
    bool has_writer;
    const volatile int32_t *stop;
    double stop_seconds;

    pthread_mutex_t mutex;
    pthread_cond_t for_writer, for_caller;
    /* guarded by the mutex: */
    sarrus_block_buffer **queue; /* [2 n_groups] a ring of those that are queued, in the order in which they were handed over */
    int i_queue, n_queue;
    writer_order order;
    const sarrus_sink_description *descriptions; /* of the caller, until the file was created */
    const sarrus_sink_outcome *outcomes;         /* of the caller, while it waits for the end */
    bool created;                                /* creation ended, well or not */
    sarrus_status status;                        /* of the writer: OK or why it stopped */
    char message[SARRUS_RESULT_MESSAGE_BYTES];
    double stop_seen; /* s of the monotonic clock; 0: no stop was asked for yet */
    uint64_t n_bytes;

    bool closed; /* the caller's */
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

/* The chunks of a block whose times are there. INTERRUPTED when there was no time for all of them. */
static sarrus_status write_fields(sarrus_sink *sink, const sarrus_block_buffer *buffer) {
    const sarrus_layout *layout = sink->layouts[buffer->i_group];
    const sarrus_layout_block block = {.layout = layout,
                                       .data = buffer->data,
                                       .n_times_stride = buffer->n_times_stride,
                                       .n_times = buffer->n_times,
                                       .stop = sink->stop};
    sarrus_result_chunk chunk = {.i_group = buffer->i_group, .i_time = buffer->i_time_first};
    sarrus_status status = SARRUS_OK;
    sarrus_compress_pool_begin(sink->pool, layout->n_jobs, sarrus_layout_pack, &block);
    for (uint64_t j = 0; j < layout->n_jobs && status == SARRUS_OK; ++j) {
        const sarrus_compress_slot *slot = sarrus_compress_pool_take(sink->pool);
        uint64_t i_chunk = 0;
        sarrus_layout_job(layout, j, &chunk.i_field, &i_chunk);
        chunk.i_instance = i_chunk * layout->fields[chunk.i_field].chunk_instances;
        status = sarrus_result_file_put(&sink->file, chunk, slot);
        sarrus_compress_pool_release(sink->pool);
        if (status == SARRUS_OK && j + 1 < layout->n_jobs && is_late(sink)) {
            sarrus_result_file_abandon(&sink->file);
            status = SARRUS_INTERRUPTED;
        }
    }
    sarrus_compress_pool_cancel(sink->pool);
    return status;
}

/* INTERRUPTED when there was no time for it; of a block that was begun nothing is to be seen in the file either. */
static sarrus_status write_block(sarrus_sink *sink, const sarrus_block_buffer *buffer) {
    const uint64_t n_times = buffer->i_time_first + buffer->n_times;
    sarrus_status status = is_late(sink) ? SARRUS_INTERRUPTED : SARRUS_OK;
    if (status == SARRUS_OK && buffer->times != NULL) {
        status = sarrus_result_file_extend(&sink->file, buffer->i_group, buffer->times, buffer->n_times);
    } else if (status == SARRUS_OK) {
        status = sarrus_result_file_reach(&sink->file, buffer->i_group, n_times);
    }
    if (status == SARRUS_OK) {
        status = write_fields(sink, buffer);
    }
    if (status == SARRUS_OK) {
        const sarrus_sink_outcome outcome = sarrus_outcome_copy_view(&buffer->outcome);
        status = sarrus_result_file_commit(&sink->file, buffer->i_group, n_times, buffer->has_outcome ? &outcome : NULL);
    }
    return status;
}

static sarrus_status write_end(sarrus_sink *sink, const sarrus_sink_outcome *outcomes) {
    bool is_complete = true;
    sarrus_status status = SARRUS_OK;
    for (int g = 0; g < sink->n_groups && status == SARRUS_OK; ++g) {
        const sarrus_sink_group *group = &sink->groups[g];
        /* the end of an open-ended group is where the caller has come to */
        const uint64_t n_wanted = group->layout.is_open_ended ? group->i_time_next : group->layout.n_times;
        const bool is_whole = outcomes[g].complete && group->n_times_written == n_wanted;
        is_complete = is_complete && is_whole;
        status = sarrus_result_file_finish(&sink->file, g, group->n_times_written, &outcomes[g], is_whole);
    }
    return status == SARRUS_OK && is_complete ? sarrus_result_file_complete(&sink->file) : status;
}

/* Tells the caller how the writer stands; the mutex is held. */
static void publish(sarrus_sink *sink, sarrus_status status) {
    sink->n_bytes = sink->file.state.n_bytes;
    if (status != SARRUS_OK && sink->status == SARRUS_OK) {
        sink->status = status;
        snprintf(sink->message, sizeof sink->message, "%s", sink->file.message);
    }
    pthread_cond_broadcast(&sink->for_caller);
}

/* Writes queued blocks in order until told to close or until writing fails; drops those that a stop leaves no time for. The mutex
 * is held on entry and on return. */
static void write_blocks(sarrus_sink *sink) {
    while (sink->status == SARRUS_OK) {
        if (sink->n_queue == 0) {
            if (sink->order == ORDER_CLOSE) {
                break;
            }
            pthread_cond_wait(&sink->for_writer, &sink->mutex);
            continue;
        }
        sarrus_block_buffer *buffer = sink->queue[sink->i_queue];
        pthread_mutex_unlock(&sink->mutex);
        sarrus_status status = write_block(sink, buffer);
        pthread_mutex_lock(&sink->mutex);
        if (status == SARRUS_OK) {
            sink->groups[buffer->i_group].n_times_written = buffer->i_time_first + buffer->n_times;
        }
        sink->i_queue = (sink->i_queue + 1) % (SARRUS_GROUP_BUFFERS * sink->n_groups);
        --sink->n_queue;
        buffer->is_free = true;
        publish(sink, status == SARRUS_INTERRUPTED ? SARRUS_OK : status);
    }
}

/* Nobody else writes to the counts any more. */
static bool has_times(const sarrus_sink *sink) {
    for (int g = 0; g < sink->n_groups; ++g) {
        if (sink->groups[g].n_times_written > 0) {
            return true;
        }
    }
    return false;
}

static void *write_file(void *argument) {
    sarrus_sink *sink = argument;
    sarrus_status status = sarrus_result_file_create(&sink->file, sink->path, sink->layouts, sink->descriptions);
    pthread_mutex_lock(&sink->mutex);
    sink->created = true;
    sink->descriptions = NULL;
    publish(sink, status);
    write_blocks(sink);
    while (sink->order != ORDER_CLOSE) {
        pthread_cond_wait(&sink->for_writer, &sink->mutex);
    }
    const sarrus_sink_outcome *outcomes = sink->outcomes;
    status = sink->status;
    pthread_mutex_unlock(&sink->mutex);
    if (status == SARRUS_OK && outcomes != NULL && !sink->file.state.is_abandoned) {
        status = write_end(sink, outcomes);
    }
    const sarrus_result_end end = !has_times(sink)                          ? SARRUS_RESULT_REMOVED
                                  : status == SARRUS_OK && outcomes != NULL ? SARRUS_RESULT_NAMED
                                                                            : SARRUS_RESULT_LEFT;
    sarrus_status closing = sarrus_result_file_close(&sink->file, end);
    pthread_mutex_lock(&sink->mutex);
    publish(sink, status == SARRUS_OK ? closing : status);
    pthread_mutex_unlock(&sink->mutex);
    return NULL;
}

/* ---- caller's side ---- */

static sarrus_status report_memory(sarrus_context *context) {
    return sarrus_report(context, SARRUS_NO_MEMORY, "no memory for the output buffers");
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
    size_t chunk_bytes_max = 0;
    for (int g = 0; g < sink->n_groups; ++g) {
        const size_t n_bytes = sink->layouts[g]->chunk_bytes_max;
        chunk_bytes_max = n_bytes > chunk_bytes_max ? n_bytes : chunk_bytes_max;
    }
    bool is_again;
    sarrus_status status;
    do { /* one that compresses is enough when the writer would find no place beside more of them */
        status = sarrus_compress_pool_create(n, chunk_bytes_max, &sink->pool);
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

static sarrus_status refuse(sarrus_context *context, const char *what) {
    return sarrus_report(context, SARRUS_BAD_ARGUMENT, "result file: %s", what);
}

/* The groups' layouts and buffers. */
static sarrus_status make_groups(sarrus_sink *sink, sarrus_context *context, const sarrus_sink_description *descriptions) {
    sink->groups = calloc((size_t)sink->n_groups, sizeof *sink->groups);
    sink->layouts = calloc((size_t)sink->n_groups, sizeof *sink->layouts);
    sink->queue = calloc((size_t)sink->n_groups * SARRUS_GROUP_BUFFERS, sizeof *sink->queue);
    if (sink->groups == NULL || sink->layouts == NULL || sink->queue == NULL) {
        return report_memory(context);
    }
    for (int g = 0; g < sink->n_groups; ++g) {
        const sarrus_status status = sarrus_sink_group_make(&sink->groups[g], g, &descriptions[g]);
        sink->layouts[g] = &sink->groups[g].layout;
        if (status == SARRUS_OK && descriptions->source != NULL) {
            const uint64_t n_times = descriptions->source->n_times[g];
            if (n_times > sink->layouts[g]->n_times ||
                (n_times % sink->layouts[g]->block_times != 0 && n_times != sink->layouts[g]->n_times)) {
                return refuse(context, "what is taken over does not end with a block");
            }
            sink->groups[g].i_time_next = sink->groups[g].n_times_written = n_times;
        }
        if (status != SARRUS_OK) {
            return status == SARRUS_NO_MEMORY ? report_memory(context)
                                              : refuse(context, "nothing to write, or too much for one file");
        }
    }
    return SARRUS_OK;
}

/* Everything but the threads. */
static sarrus_status make_sink(sarrus_context *context, const char *path, const sarrus_sink_description *descriptions, int n_groups,
                               sarrus_sink **out) {
    if (path == NULL || descriptions == NULL || n_groups < 1) {
        return refuse(context, "an argument is missing");
    }
    for (int g = 0; g < n_groups; ++g) {
        const char *wrong = sarrus_sink_description_error(&descriptions[g]);
        if (wrong != NULL) {
            return refuse(context, wrong);
        }
    }
    sarrus_sink *sink = calloc(1, sizeof *sink);
    if (sink == NULL) {
        return report_memory(context);
    }
    pthread_mutex_init(&sink->mutex, NULL);
    pthread_cond_init(&sink->for_writer, NULL);
    pthread_cond_init(&sink->for_caller, NULL);
    *out = sink;
    sink->n_groups = sink->file.n_groups = n_groups;
    sink->stop = descriptions->stop;
    sink->stop_seconds = descriptions->stop_seconds > 0.0 ? descriptions->stop_seconds : STOP_SECONDS;
    sink->stop_seconds *= n_groups < STOP_GROUPS_MAX ? n_groups : STOP_GROUPS_MAX;
    sink->path = strdup(path);
    return sink->path != NULL ? make_groups(sink, context, descriptions) : report_memory(context);
}

sarrus_status sarrus_sink_create_groups(sarrus_context *context, const char *path, const sarrus_sink_index *index,
                                        const sarrus_sink_description *descriptions, int n_groups, sarrus_sink **out) {
    sarrus_sink *sink = NULL;
    if (index == NULL && n_groups > 1) {
        return refuse(context, "several groups at the root");
    }
    sarrus_status status = make_sink(context, path, descriptions, n_groups, &sink);
    if (status == SARRUS_OK) {
        sink->descriptions = descriptions;
        sink->file.index = index;
        status = start_threads(sink, context, descriptions->n_compress_threads);
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

sarrus_status sarrus_sink_create(sarrus_context *context, const char *path, const sarrus_sink_description *description,
                                 sarrus_sink **out) {
    return sarrus_sink_create_groups(context, path, NULL, description, 1, out);
}

uint64_t sarrus_sink_block_times(const sarrus_sink *sink, int i_group) {
    return sink->layouts[i_group]->block_times;
}

sarrus_status sarrus_sink_acquire(sarrus_sink *sink, int i_group, sarrus_sink_block *out) {
    sarrus_sink_group *group = &sink->groups[i_group];
    if (sink->closed || !sarrus_sink_group_has_more(group)) {
        return SARRUS_BAD_ARGUMENT;
    }
    sarrus_block_buffer *buffer = &group->buffers[group->i_lent];
    (void)is_late(sink); /* from now on the time runs */
    pthread_mutex_lock(&sink->mutex);
    while (!buffer->is_free && sink->status == SARRUS_OK) {
        pthread_cond_wait(&sink->for_caller, &sink->mutex);
    }
    bool failed = sink->status != SARRUS_OK;
    pthread_mutex_unlock(&sink->mutex);
    if (failed) {
        return SARRUS_SINK_FAILED;
    }
    sarrus_sink_group_lend(group, out);
    return SARRUS_OK;
}

sarrus_status sarrus_sink_submit(sarrus_sink *sink, int i_group, uint64_t n_times, const sarrus_sink_outcome *outcome) {
    sarrus_sink_group *group = &sink->groups[i_group];
    sarrus_block_buffer *buffer = &group->buffers[group->i_lent];
    if (!group->lent || sink->closed || n_times > buffer->n_times_stride) {
        return SARRUS_BAD_ARGUMENT;
    }
    (void)is_late(sink);
    buffer->has_outcome = outcome != NULL && outcome->status != NULL && outcome->failed_time != NULL;
    if (buffer->has_outcome && !sarrus_outcome_copy_take(&buffer->outcome, outcome)) {
        return SARRUS_NO_MEMORY;
    }
    sarrus_sink_group_take_back(group, n_times);
    pthread_mutex_lock(&sink->mutex);
    sarrus_status status = sink->status == SARRUS_OK ? SARRUS_OK : SARRUS_SINK_FAILED;
    if (n_times > 0) {
        buffer->is_free = false;
        sink->queue[(sink->i_queue + sink->n_queue++) % (SARRUS_GROUP_BUFFERS * sink->n_groups)] = buffer;
    }
    pthread_cond_signal(&sink->for_writer);
    pthread_mutex_unlock(&sink->mutex);
    return status;
}

/* Lets the writer finish what is queued and end. */
static void stop_writer(sarrus_sink *sink, const sarrus_sink_outcome *outcomes) {
    if (!sink->has_writer) {
        return;
    }
    pthread_mutex_lock(&sink->mutex);
    sink->outcomes = outcomes;
    sink->order = ORDER_CLOSE;
    pthread_cond_signal(&sink->for_writer);
    pthread_mutex_unlock(&sink->mutex);
    pthread_join(sink->writer, NULL);
    sink->has_writer = false;
}

sarrus_status sarrus_sink_close(sarrus_sink *sink, sarrus_context *context, const sarrus_sink_outcome *outcomes) {
    if (sink->closed) {
        return sarrus_report(context, SARRUS_BAD_ARGUMENT, "%s: closed already", sink->path);
    }
    stop_writer(sink, outcomes);
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
    for (int g = 0; sink->groups != NULL && g < sink->n_groups; ++g) {
        sarrus_sink_group_free(&sink->groups[g]);
    }
    free(sink->groups);
    free(sink->layouts);
    free(sink->queue);
    sarrus_result_place_free(&sink->file.place);
    free(sink->path);
    pthread_cond_destroy(&sink->for_writer);
    pthread_cond_destroy(&sink->for_caller);
    pthread_mutex_destroy(&sink->mutex);
    free(sink);
}

uint64_t sarrus_sink_times_written(const sarrus_sink *sink, int i_group) {
    return sink->groups[i_group].n_times_written;
}

uint64_t sarrus_sink_times_committed(const sarrus_sink *sink, int i_group) {
    sarrus_sink *locked = (sarrus_sink *)sink; /* the mutex is the only thing that changes */
    pthread_mutex_lock(&locked->mutex);
    const uint64_t n_times = sink->groups[i_group].n_times_written;
    pthread_mutex_unlock(&locked->mutex);
    return n_times;
}

uint64_t sarrus_sink_bytes(const sarrus_sink *sink) {
    sarrus_sink *locked = (sarrus_sink *)sink;
    pthread_mutex_lock(&locked->mutex);
    uint64_t n_bytes = sink->n_bytes;
    pthread_mutex_unlock(&locked->mutex);
    return n_bytes;
}
