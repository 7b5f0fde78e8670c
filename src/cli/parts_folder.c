#include "cli/parts_folder.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/report.h"
#include "sarrus/run.h"

enum { NEW_FILES_MODE = 0666, HEAD_BYTES = 64, MOST_BYTES = 1 << 24 };

static sarrus_status refuse(sarrus_context *context, const char *path) {
    return sarrus_report(context, SARRUS_IO, "%s: %s", path, strerror(errno));
}

static sarrus_status no_memory(sarrus_context *context) {
    return sarrus_report(context, SARRUS_NO_MEMORY, "out of memory for the names of parts");
}

/* The whole text of a file, to be freed; NULL with errno. */
static char *text_read(const char *path) {
    struct stat about;
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    char *text = NULL;
    if (file >= 0 && fstat(file, &about) == 0) {
        text = about.st_size >= 0 && about.st_size < MOST_BYTES ? calloc(1, (size_t)about.st_size + 1) : NULL;
        errno = about.st_size < MOST_BYTES ? ENOMEM : EFBIG;
    }
    size_t n = 0;
    for (ssize_t more = 1; text != NULL && more != 0 && n < (size_t)about.st_size;) {
        more = read(file, text + n, (size_t)about.st_size - n);
        n += more > 0 ? (size_t)more : 0;
        if (more < 0 && errno != EINTR) {
            free(text);
            text = NULL;
        }
    }
    const int why = errno;
    if (file >= 0)
        close(file);
    errno = why;
    return text;
}

/* Writes the file whole, or not at all, unless there is one: of several processes that do so the first wins. False with errno. */
static bool text_write(const char *path, const char *text) {
    char *fresh = NULL;
    if (asprintf(&fresh, "%s.%ld", path, (long)getpid()) < 0)
        return false;
    const int file = open(fresh, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, NEW_FILES_MODE);
    const size_t n = strlen(text);
    bool ok = file >= 0;
    for (size_t i = 0; ok && i < n;) { /* one that is cut short says why when the rest is tried */
        const ssize_t more = write(file, text + i, n - i);
        ok = more > 0 || (more < 0 && errno == EINTR);
        i += more > 0 ? (size_t)more : 0;
    }
    ok = ok && fsync(file) == 0;
    ok = (file < 0 || close(file) == 0) && ok;
    /* Not every file system has links; then the last wins, and writes the same where the study is the same. */
    if (ok && link(fresh, path) != 0 && errno != EEXIST)
        ok = rename(fresh, path) == 0;
    const int why = errno;
    if (file >= 0)
        (void)unlink(fresh);
    free(fresh);
    errno = why;
    return ok;
}

/* Whose parts they are: the number of parts stands in the first line. */
static sarrus_status study_take(sarrus_parts_folder *folder, sarrus_context *context, const char *about, uint64_t n_parts) {
    char *path = NULL, *own = NULL, *found = NULL, *end = NULL;
    sarrus_status status = SARRUS_OK;
    if (asprintf(&path, "%s/study", folder->path) < 0)
        return no_memory(context);
    if (asprintf(&own, "%" PRIu64 " parts\n%s", n_parts, about) < 0) {
        free(path);
        return no_memory(context);
    }
    found = text_read(path);
    if (found == NULL && errno == ENOENT && !text_write(path, own))
        status = refuse(context, path);
    if (status == SARRUS_OK && found == NULL)
        found = text_read(path);
    if (status == SARRUS_OK && found == NULL)
        status = refuse(context, path);
    const char *rest = found != NULL ? strchr(found, '\n') : NULL;
    folder->n_parts = rest != NULL ? strtoull(found, &end, 10) : 0;
    if (status == SARRUS_OK &&
        (rest == NULL || strcmp(rest + 1, about) != 0 || folder->n_parts < 1 || folder->n_parts > UINT32_MAX))
        status =
            sarrus_report(context, SARRUS_BAD_ARGUMENT,
                          "%s has parts of another study, or of another version; expected it to be removed, or another name of "
                          "the result",
                          folder->path);
    free(found);
    free(own);
    free(path);
    return status;
}

static sarrus_status files_name(sarrus_parts_folder *folder, sarrus_context *context) {
    folder->files = calloc((size_t)folder->n_parts, sizeof *folder->files);
    for (uint64_t k = 0; folder->files != NULL && k < folder->n_parts; ++k)
        if (asprintf(&folder->files[k], "%s/%" PRIu64 "_of_%" PRIu64 ".h5", folder->path, k, folder->n_parts) < 0) {
            folder->files[k] = NULL;
            return no_memory(context);
        }
    return folder->files != NULL ? SARRUS_OK : no_memory(context);
}

sarrus_status sarrus_parts_folder_take(sarrus_parts_folder *folder, sarrus_context *context, const char *output, const char *about,
                                       uint64_t n_parts) {
    struct stat found;
    *folder = (sarrus_parts_folder){.path = NULL};
    if (asprintf(&folder->path, "%s.parts", output) < 0) {
        folder->path = NULL;
        return no_memory(context);
    }
    if (mkdir(folder->path, 0777) != 0 && errno != EEXIST)
        return refuse(context, folder->path);
    if (stat(folder->path, &found) != 0 || !S_ISDIR(found.st_mode))
        return sarrus_report(context, SARRUS_BAD_ARGUMENT, "%s is in the way: it is no folder", folder->path);
    const sarrus_status status = study_take(folder, context, about, n_parts);
    return status == SARRUS_OK ? files_name(folder, context) : status;
}

void sarrus_parts_folder_free(sarrus_parts_folder *folder) {
    for (uint64_t k = 0; folder->files != NULL && k < folder->n_parts; ++k)
        free(folder->files[k]);
    free(folder->files);
    free(folder->path);
    *folder = (sarrus_parts_folder){.path = NULL};
}

bool sarrus_part_is_complete(const sarrus_parts_folder *folder, uint64_t i_part) {
    sarrus_context *context = NULL;
    sarrus_result_info info;
    bool is_complete = false;
    if (access(folder->files[i_part], F_OK) != 0 || sarrus_context_create(&context) != SARRUS_OK)
        return false;
    is_complete = sarrus_result_info_read(context, folder->files[i_part], &info) == SARRUS_OK && info.complete != 0;
    sarrus_context_destroy(context);
    return is_complete;
}

static bool claim_name(const sarrus_parts_folder *folder, uint64_t i_part, char *out, size_t n_bytes) {
    return snprintf(out, n_bytes, "%s.claim", folder->files[i_part]) < (int)n_bytes;
}

static int claim_file(const char *name) {
    const int claim = open(name, O_RDWR | O_CREAT | O_CLOEXEC, NEW_FILES_MODE);
    /* Where a file system has no locks nobody can tell: the result's own lock is asked then. */
    if (claim >= 0 && flock(claim, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
        close(claim);
        return SARRUS_PART_TAKEN;
    }
    return claim >= 0 ? claim : SARRUS_PART_REFUSED;
}

int sarrus_part_claim(const sarrus_parts_folder *folder, uint64_t i_part) {
    char name[4096];
    return claim_name(folder, i_part, name, sizeof name) ? claim_file(name) : SARRUS_PART_REFUSED;
}

int sarrus_merge_claim(const sarrus_parts_folder *folder) {
    char name[4096];
    return snprintf(name, sizeof name, "%s/merge", folder->path) < (int)sizeof name ? claim_file(name) : SARRUS_PART_REFUSED;
}

/* What tells a file from one of that name that is written later. */
static bool mark_make(const char *path, char out[HEAD_BYTES], struct timespec *written) {
    struct stat about;
    if (stat(path, &about) != 0)
        return false;
    *written = about.st_mtim;
    (void)snprintf(out, HEAD_BYTES, "%ju %lld %ld\n", (uintmax_t)about.st_ino, (long long)about.st_mtim.tv_sec,
                   about.st_mtim.tv_nsec);
    return true;
}

void sarrus_merge_note(int claim, const char *output) {
    char mark[HEAD_BYTES];
    struct timespec written;
    /* Without it the next one merges once more, to the same bits. */
    if (mark_make(output, mark, &written) && ftruncate(claim, 0) == 0)
        (void)!pwrite(claim, mark, strlen(mark), 0);
}

bool sarrus_merge_is_done(const sarrus_parts_folder *folder, int claim, const char *output) {
    char mark[HEAD_BYTES], noted[HEAD_BYTES] = "", part[HEAD_BYTES];
    struct timespec merged, written;
    const ssize_t n = pread(claim, noted, sizeof noted - 1, 0);
    bool is_done = n > 0 && mark_make(output, mark, &merged) && strcmp(mark, noted) == 0;
    for (uint64_t k = 0; is_done && k < folder->n_parts; ++k)
        is_done = mark_make(folder->files[k], part, &written) &&
                  (written.tv_sec < merged.tv_sec || (written.tv_sec == merged.tv_sec && written.tv_nsec <= merged.tv_nsec));
    return is_done;
}

void sarrus_part_release(int claim) {
    if (claim >= 0)
        close(claim);
}

void sarrus_parts_folder_tidy(const sarrus_parts_folder *folder) {
    char name[4096];
    for (uint64_t k = 0; k < folder->n_parts; ++k)
        if (claim_name(folder, k, name, sizeof name))
            (void)unlink(name);
}
