#include "study/checkpoint.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/checksum.h"
#include "core/memory.h"
#include "core/monotonic.h"
#include "core/report.h"
#include "core/stop.h"
#include "plan/plan.h"
#include "sarrus/version.h"
#include "sink/result_place.h"

/* A fiftieth of the time at most goes into checkpoints. */
static const double default_seconds = 5.0, rest_share = 50.0;

/* What must be left beside a checkpoint: HDF5 crashes where it gets no memory. */
static const double memory_beside = 0x1p27;

/* What a run that was stopped may still write, so that it ends in time. */
static const size_t most_at_stop = (size_t)1 << 26;

/* The file: this, then for each group its number of bytes, then these, each at a multiple of 8. */
typedef struct file_head {
    char magic[8];
    uint64_t n_bytes, checksum; /* of all; of what follows */
    uint64_t run, n_groups;
} file_head;

static const char MAGIC[8] = {'S', 'A', 'R', 'R', 'U', 'S', 'C', '1'};

enum { HASHED_FROM = offsetof(file_head, run), FILE_MODE = 0666 };

static uint64_t number_join(uint64_t a, uint64_t b) {
    const uint64_t pair[2] = {a, b};
    return sarrus_checksum(pair, sizeof pair);
}

static uint64_t text_number(const char *text) {
    return sarrus_checksum(text, strlen(text));
}

uint64_t sarrus_checkpoint_run(const sarrus_group *groups, int n_groups) {
    uint64_t run = text_number(SARRUS_VERSION);
    for (int g = 0; g < n_groups; ++g) {
        const sarrus_group *group = &groups[g];
        const uint64_t numbers[] = {sarrus_plan_hash(group->plan), group->n_study, group->i_first, group->n_instances, group->seed};
        run = number_join(run, sarrus_checksum(numbers, sizeof numbers));
        run = number_join(run, text_number(sarrus_model_resolved(group->model)));
        for (int p = 0; p < sarrus_draws_n_parameters(group->draws); ++p) {
            const double *values = sarrus_draws_values(group->draws, p);
            run = number_join(run, sarrus_checksum(values, group->n_instances * sizeof *values));
        }
    }
    return run;
}

sarrus_status sarrus_checkpoints_begin(sarrus_checkpoints *all, const char *path, const sarrus_group *groups, int n_groups,
                                       double seconds) {
    *all = (sarrus_checkpoints){.n_groups = n_groups, .interval = seconds == 0.0 ? default_seconds : seconds};
    all->sections = calloc((size_t)n_groups, sizeof *all->sections);
    all->name = sarrus_result_place_name(path, "", ".checkpoint");
    all->fresh = sarrus_result_place_name(path, ".", ".checkpoint");
    all->run = sarrus_checkpoint_run(groups, n_groups);
    const double now = sarrus_monotonic_seconds();
    for (int g = 0; all->sections != NULL && g < n_groups; ++g)
        all->sections[g].taken = now;
    return all->sections != NULL && all->name != NULL && all->fresh != NULL ? SARRUS_OK : SARRUS_NO_MEMORY;
}

void sarrus_checkpoints_forget(sarrus_checkpoints *all) {
    for (int g = 0; all->sections != NULL && g < all->n_groups; ++g) {
        free(all->sections[g].bytes);
        all->sections[g] = (sarrus_checkpoint_section){.taken = all->sections[g].taken};
    }
    all->has_file = false;
}

void sarrus_checkpoints_free(sarrus_checkpoints *all) {
    sarrus_checkpoints_forget(all);
    free(all->sections);
    free(all->name);
    free(all->fresh);
    *all = (sarrus_checkpoints){0};
}

/* ---- the file ---- */

/* Whether nothing, or a checkpoint, stands at `name`: nothing else is written over or removed. */
static bool is_ours(const char *name) {
    char begin[sizeof MAGIC] = "";
    struct stat about;
    if (lstat(name, &about) != 0)
        return errno == ENOENT;
    const int descriptor = open(name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    const ssize_t n = descriptor >= 0 ? read(descriptor, begin, sizeof begin) : -1;
    if (descriptor >= 0)
        close(descriptor);
    return S_ISREG(about.st_mode) && (n == 0 || (n == (ssize_t)sizeof begin && memcmp(begin, MAGIC, sizeof begin) == 0));
}

static bool all_write(int descriptor, const void *bytes, size_t n) {
    const unsigned char *from = bytes;
    while (n > 0) {
        const ssize_t n_done = write(descriptor, from, n);
        if (n_done < 0 && errno == EINTR)
            continue;
        if (n_done <= 0)
            return false;
        from += n_done;
        n -= (size_t)n_done;
    }
    return true;
}

static size_t padded(size_t n) {
    return (n + 7) / 8 * 8;
}

/* Bytes of the file; its checksum is one of the sections' own. */
static size_t file_size(const sarrus_checkpoints *all) {
    size_t n = sizeof(file_head) + (size_t)all->n_groups * sizeof(uint64_t);
    for (int g = 0; g < all->n_groups; ++g)
        n += padded(all->sections[g].n_bytes);
    return n;
}

static uint64_t sections_checksum(const sarrus_checkpoints *all, const file_head *head) {
    uint64_t sum = sarrus_checksum((const unsigned char *)head + HASHED_FROM, sizeof *head - HASHED_FROM);
    for (int g = 0; g < all->n_groups; ++g)
        sum = number_join(sum, sarrus_checksum(all->sections[g].bytes, all->sections[g].n_bytes));
    return sum;
}

static bool file_fill(const sarrus_checkpoints *all, int descriptor) {
    static const unsigned char nothing[8];
    file_head head = {.n_bytes = file_size(all), .run = all->run, .n_groups = (uint64_t)all->n_groups};
    memcpy(head.magic, MAGIC, sizeof MAGIC);
    head.checksum = sections_checksum(all, &head);
    bool ok = all_write(descriptor, &head, sizeof head);
    for (int g = 0; ok && g < all->n_groups; ++g) {
        const uint64_t n_bytes = all->sections[g].n_bytes;
        ok = all_write(descriptor, &n_bytes, sizeof n_bytes);
    }
    for (int g = 0; ok && g < all->n_groups; ++g) {
        const size_t n_bytes = all->sections[g].n_bytes;
        ok = all_write(descriptor, all->sections[g].bytes, n_bytes) && all_write(descriptor, nothing, padded(n_bytes) - n_bytes);
    }
    return ok;
}

/* A write beyond a limit of file sizes would be a deadly signal on this thread. */
static bool is_within_limit(size_t n_bytes) {
    struct rlimit limit;
    return getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY || n_bytes <= limit.rlim_cur;
}

/* errno of what failed; 0: the file has its name. A file of before stays when it fails. */
static int file_write(sarrus_checkpoints *all) {
    if (!is_within_limit(file_size(all)))
        return EFBIG;
    if (!is_ours(all->fresh) || !is_ours(all->name))
        return EEXIST;
    (void)unlink(all->fresh);
    const int descriptor = open(all->fresh, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, FILE_MODE);
    if (descriptor < 0)
        return errno;
    errno = ENOSPC; /* of a write that is cut short */
    int error = file_fill(all, descriptor) ? 0 : errno;
    if (close(descriptor) != 0 && error == 0)
        error = errno;
    if (error == 0 && rename(all->fresh, all->name) != 0)
        error = errno;
    if (error != 0)
        (void)unlink(all->fresh);
    all->has_file = all->has_file || error == 0;
    return error;
}

/* Reads what follows the head into the sections. */
static bool sections_read(sarrus_checkpoints *all, int descriptor, size_t n_bytes) {
    size_t n_left = n_bytes - sizeof(file_head);
    bool ok = n_left >= (size_t)all->n_groups * sizeof(uint64_t);
    for (int g = 0; ok && g < all->n_groups; ++g) {
        uint64_t n = 0;
        ok = read(descriptor, &n, sizeof n) == (ssize_t)sizeof n && n <= n_left;
        all->sections[g].n_bytes = ok ? (size_t)n : 0;
        n_left -= sizeof n;
    }
    for (int g = 0; ok && g < all->n_groups; ++g) {
        sarrus_checkpoint_section *section = &all->sections[g];
        const size_t n = padded(section->n_bytes);
        ok = n <= n_left;
        section->bytes = ok && n > 0 ? malloc(n) : NULL;
        n_left -= n;
        for (size_t i = 0; ok && i < n;) {
            const ssize_t n_read = section->bytes != NULL ? read(descriptor, section->bytes + i, n - i) : -1;
            ok = n_read > 0;
            i += ok ? (size_t)n_read : 0;
        }
        ok = ok && (n == 0 || sarrus_group_state_look(section->bytes, section->n_bytes, &section->state));
    }
    return ok && n_left == 0;
}

sarrus_status sarrus_checkpoints_read(sarrus_checkpoints *all) {
    file_head head;
    struct stat about;
    const int descriptor = open(all->name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    const bool is_of_run = descriptor >= 0 && fstat(descriptor, &about) == 0 && S_ISREG(about.st_mode) &&
                           read(descriptor, &head, sizeof head) == (ssize_t)sizeof head &&
                           memcmp(head.magic, MAGIC, sizeof MAGIC) == 0 && head.n_bytes == (uint64_t)about.st_size &&
                           head.run == all->run && head.n_groups == (uint64_t)all->n_groups;
    const bool fits = !is_of_run || sarrus_memory_left(NULL) >= (double)head.n_bytes + memory_beside;
    all->has_file =
        is_of_run && fits && sections_read(all, descriptor, head.n_bytes) && sections_checksum(all, &head) == head.checksum;
    if (descriptor >= 0)
        close(descriptor);
    if (!all->has_file)
        sarrus_checkpoints_forget(all);
    return fits ? SARRUS_OK : SARRUS_NO_MEMORY;
}

/* ---- taking ---- */

/* No more of them, and why. */
static void give_up(sarrus_checkpoints *all, sarrus_context *context, const char *reason) {
    all->interval = -1.0;
    all->is_pending = false;
    (void)sarrus_report_at(context, SARRUS_NOTE, SARRUS_OK, NULL, "%s: no more checkpoints are written: %s", all->name, reason);
}

/* False without memory. The bytes of before are given back first: there are never two. */
static bool section_take(sarrus_checkpoints *all, sarrus_group *group) {
    sarrus_checkpoint_section *section = &all->sections[group->index];
    const size_t n_bytes = sarrus_group_state_size(group);
    free(section->bytes);
    section->bytes = NULL;
    section->n_bytes = 0;
    if (sarrus_memory_left(NULL) < (double)padded(n_bytes) + memory_beside)
        return false;
    section->bytes = malloc(padded(n_bytes));
    if (section->bytes == NULL || sarrus_group_state_save(group, section->bytes, n_bytes) != SARRUS_OK) {
        free(section->bytes);
        section->bytes = NULL;
        return false;
    }
    section->n_bytes = n_bytes;
    all->is_pending = sarrus_group_state_look(section->bytes, n_bytes, &section->state);
    return true;
}

/* Whether the result holds what the sections go on from. */
static bool is_committed(const sarrus_checkpoints *all, const sarrus_sink *sink) {
    for (int g = 0; g < all->n_groups; ++g)
        if (sarrus_sink_times_committed(sink, g) < all->sections[g].state.i_time)
            return false;
    return true;
}

void sarrus_checkpoints_take(sarrus_checkpoints *all, sarrus_context *context, sarrus_group *group, const sarrus_sink *sink) {
    if (all->interval < 0.0)
        return;
    sarrus_checkpoint_section *section = &all->sections[group->index];
    const double began = sarrus_monotonic_seconds();
    bool is_busy = false;
    if (all->is_pending && is_committed(all, sink)) {
        const int error = file_write(all);
        all->is_pending = false;
        is_busy = true;
        if (error != 0)
            give_up(all, context, error == EEXIST ? "a file that is none is in the way" : strerrordesc_np(error));
    }
    const bool is_over = sarrus_march_is_over(&group->march); /* the result is complete in a moment */
    if (all->interval >= 0.0 && !is_over && !all->is_pending &&
        began - section->taken >= fmax(all->interval, rest_share * section->cost)) {
        section->cost = 0.0;
        is_busy = true;
        if (!section_take(all, group))
            give_up(all, context, "out of memory");
        section->taken = sarrus_monotonic_seconds();
    }
    if (is_busy)
        section->cost += sarrus_monotonic_seconds() - began;
}

void sarrus_checkpoints_settle(sarrus_checkpoints *all, const sarrus_sink *sink, bool is_complete) {
    if (is_complete) {
        const char *const names[2] = {all->name, all->fresh}; /* the latter of a kill while it was written */
        for (int i = 0; i < 2; ++i)
            if (names[i] != NULL && is_ours(names[i]))
                (void)unlink(names[i]);
        all->has_file = false;
    } else if (all->is_pending && all->interval >= 0.0 && file_size(all) <= most_at_stop && is_committed(all, sink)) {
        (void)file_write(all); /* the one of before is as good, but for the time */
        all->is_pending = false;
    }
}
