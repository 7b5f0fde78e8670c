#include "sink/result_place.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "core/hdf5_signature.h"
#include "sarrus/run.h"
#include "sink/result_name.h"

enum { LOCK_TRIES = 10, OWNER_BYTES = 160, NEW_FILES_MODE = 0666, COPIED_MODE = 0777 };

/* Bytes of the last part of NAME: the longest name beside it is .NAME.checkpoint. */
enum { LONGEST_NAME = NAME_MAX - (int)sizeof "." - (int)sizeof ".checkpoint" + 2 };

static sarrus_status refuse(sarrus_result_place *place, const char *doing, int error) {
    snprintf(place->message, sizeof place->message, "%s: %s", doing, strerrordesc_np(error));
    return error == ENOMEM ? SARRUS_NO_MEMORY : SARRUS_IO;
}

/* ---- names ---- */

/* `before` + the last part of `target` + `after`, in the folder of `target`; to be freed. */
static char *name_beside(const char *target, const char *before, const char *after) {
    const char *slash = strrchr(target, '/');
    const int n_folder = slash != NULL ? (int)(slash - target) + 1 : 0;
    char *name = NULL;
    return asprintf(&name, "%.*s%s%s%s", n_folder, target, before, target + n_folder, after) < 0 ? NULL : name;
}

char *sarrus_result_place_name(const char *path, const char *before, const char *after) {
    char *target = sarrus_result_name_resolve(path);
    char *name = target != NULL ? name_beside(target, before, after) : NULL;
    free(target);
    return name;
}

static bool names_make(sarrus_result_place *place, const char *path) {
    place->target = sarrus_result_name_resolve(path);
    if (place->target == NULL) {
        return false;
    }
    place->lock_name = name_beside(place->target, ".", ".lock");
    place->fresh = name_beside(place->target, ".", ".new");
    place->partial = name_beside(place->target, "", ".partial");
    place->before = name_beside(place->target, "", ".partial~");
    return place->lock_name != NULL && place->fresh != NULL && place->partial != NULL && place->before != NULL;
}

/* Whether `name` is the open file. */
static bool is_same_file(int descriptor, const char *name) {
    struct stat open_file, named;
    return fstat(descriptor, &open_file) == 0 && stat(name, &named) == 0 && open_file.st_dev == named.st_dev &&
           open_file.st_ino == named.st_ino;
}

/* ---- lock ---- */

/* Who holds the lock, as it says in the lock file: "process 17 of this machine". */
static void owner_describe(int lock, char *out, size_t n_bytes) {
    char text[OWNER_BYTES] = "", here[OWNER_BYTES] = "", host[OWNER_BYTES] = "";
    long process = 0;
    const ssize_t n = pread(lock, text, sizeof text - 1, 0);
    text[n > 0 ? n : 0] = '\0';
    (void)gethostname(here, sizeof here - 1);
    if (sscanf(text, "%ld %159s", &process, host) < 1) {
        snprintf(out, n_bytes, "another process");
    } else {
        const bool is_elsewhere = host[0] != '\0' && strcmp(host, here) != 0;
        snprintf(out, n_bytes, "process %ld%s%s", process, is_elsewhere ? " on " : "", is_elsewhere ? host : "");
    }
}

static sarrus_status taken_refuse(int lock, char *message) {
    char owner[2 * OWNER_BYTES];
    owner_describe(lock, owner, sizeof owner);
    snprintf(message, SARRUS_PLACE_MESSAGE_BYTES, "%s is writing to it now; expected a name of its own for every run", owner);
    return SARRUS_BAD_ARGUMENT;
}

/* Whether the lock was refused because somebody else has it. Where a file system has no locks (ENOLCK, ENOTSUP, …) nobody can tell;
 * two writers then still have a file each, and the first to lose the name hears of it from sarrus_result_place_verify. */
static bool is_taken(int lock) {
    int result = flock(lock, LOCK_EX | LOCK_NB);
    /* somebody who only looks holds it for a moment */
    for (int i = 0; i < LOCK_TRIES && result != 0 && errno == EWOULDBLOCK; ++i) {
        const struct timespec moment = {.tv_nsec = 5 * 1000 * 1000};
        (void)nanosleep(&moment, NULL);
        result = flock(lock, LOCK_EX | LOCK_NB);
    }
    return result != 0 && errno == EWOULDBLOCK;
}

/* Whether the file is a lock that a writer has left, as owner_write makes them, or empty: nothing else may be written over. */
static bool is_lock(int lock) {
    char text[OWNER_BYTES + 1] = "", host[OWNER_BYTES] = "";
    struct stat about;
    long process = 0;
    int n_read = 0;
    const ssize_t n = pread(lock, text, OWNER_BYTES, 0);
    if (fstat(lock, &about) != 0 || n < 0 || about.st_size != n) {
        return false;
    }
    return n == 0 || (sscanf(text, "%ld %159[^\n]%n", &process, host, &n_read) >= 1 && (n_read == 0 || n_read == n - 1));
}

static bool owner_write(int lock) {
    char text[2 * OWNER_BYTES], host[OWNER_BYTES] = "";
    (void)gethostname(host, sizeof host - 1);
    const int n = snprintf(text, sizeof text, "%ld %s\n", (long)getpid(), host);
    return ftruncate(lock, 0) == 0 && pwrite(lock, text, (size_t)n, 0) == n;
}

static sarrus_status lock_take(sarrus_result_place *place) {
    for (;;) {
        place->lock = open(place->lock_name, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, NEW_FILES_MODE);
        if (place->lock < 0) {
            return refuse(place, "cannot be written", errno);
        }
        if (is_taken(place->lock)) {
            const sarrus_status status = taken_refuse(place->lock, place->message);
            close(place->lock);
            place->lock = -1;
            return status;
        }
        const bool is_ours = is_lock(place->lock);
        if (is_ours && is_same_file(place->lock, place->lock_name)) {
            break;
        }
        close(place->lock); /* its last owner has removed it meanwhile */
        place->lock = -1;
        if (!is_ours) {
            snprintf(place->message, sizeof place->message, "%.300s is in the way: it is not a lock of a run", place->lock_name);
            return SARRUS_BAD_ARGUMENT;
        }
    }
    errno = ENOSPC; /* of a write that is cut short */
    return owner_write(place->lock) ? SARRUS_OK : refuse(place, "cannot be written", errno);
}

static sarrus_status lock_look(const char *lock_name, char *message) {
    const int lock = open(lock_name, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
    if (lock < 0) {
        return SARRUS_OK; /* taking it will tell */
    }
    const sarrus_status status = is_taken(lock) ? taken_refuse(lock, message) : SARRUS_OK;
    close(lock);
    return status;
}

/* ---- the file ---- */

/* The name of a file that is being written is nobody's to give. */
static sarrus_status spelling_check(const char *target, char *message) {
    static const char *const endings[] = {".partial", ".partial~", ".checkpoint"};
    const size_t n = strlen(target);
    const char *slash = strrchr(target, '/');
    const size_t n_last = n - (slash != NULL ? (size_t)(slash - target) + 1 : 0);
    if (n_last > (size_t)LONGEST_NAME) {
        snprintf(message, SARRUS_PLACE_MESSAGE_BYTES,
                 "the last part of the name has %zu bytes; expected at most %d, for the names beside it", n_last,
                 (int)LONGEST_NAME);
        return SARRUS_BAD_ARGUMENT;
    }
    for (size_t i = 0; i < sizeof endings / sizeof endings[0]; ++i) {
        const size_t n_ending = strlen(endings[i]);
        if (n >= n_ending && strcmp(target + n - n_ending, endings[i]) == 0) {
            snprintf(message, SARRUS_PLACE_MESSAGE_BYTES,
                     "names that end in %s are those of unfinished results; expected another name", endings[i]);
            return SARRUS_BAD_ARGUMENT;
        }
    }
    return SARRUS_OK;
}

/* Whether nothing, or nothing but a result, finished or not, stands at `name`, where this run is about to put something of its own.
 */
static sarrus_status way_check(sarrus_result_place *place, const char *name) {
    char message[SARRUS_PLACE_MESSAGE_BYTES];
    struct stat about;
    if (lstat(name, &about) != 0) {
        return SARRUS_OK;
    }
    const sarrus_status status = sarrus_result_name_check(name, false, message, sizeof message);
    if (status != SARRUS_OK) {
        snprintf(place->message, sizeof place->message, "%.200s is in the way: %.280s", name, message);
    }
    return status;
}

/* What a run that was killed in its first moment has left as the hidden file is an HDF5 file as far as it goes. */
static sarrus_status fresh_remove(sarrus_result_place *place) {
    static const char nothing[SARRUS_HDF5_SIGNATURE_BYTES];
    char begin[sizeof nothing] = "";
    const int descriptor = open(place->fresh, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    const ssize_t n = descriptor >= 0 ? pread(descriptor, begin, sizeof begin, 0) : -1;
    if (descriptor >= 0) {
        close(descriptor);
    }
    if (n > 0 && !sarrus_is_hdf5(begin, sizeof begin) && memcmp(begin, nothing, sizeof begin) != 0) {
        return way_check(place, place->fresh);
    }
    (void)unlink(place->fresh);
    return SARRUS_OK;
}

sarrus_status sarrus_result_place_check(const char *path, bool keeps_complete, char *message) {
    sarrus_result_place place = {.lock = -1, .descriptor = -1};
    sarrus_status status = SARRUS_OK;
    if (!names_make(&place, path)) {
        status = refuse(&place, "cannot be written", errno);
        memcpy(message, place.message, SARRUS_PLACE_MESSAGE_BYTES);
    }
    if (status == SARRUS_OK) {
        status = spelling_check(place.target, message);
    }
    if (status == SARRUS_OK) {
        status = sarrus_result_name_check(place.target, keeps_complete, message, SARRUS_PLACE_MESSAGE_BYTES);
    }
    if (status == SARRUS_OK) {
        status = lock_look(place.lock_name, message);
    }
    sarrus_result_place_free(&place);
    return status;
}

sarrus_status sarrus_result_place_take(sarrus_result_place *place, const char *path, bool keeps_complete) {
    *place = (sarrus_result_place){.lock = -1, .descriptor = -1};
    if (!names_make(place, path)) {
        return refuse(place, "cannot be written", errno);
    }
    place->keeps_complete = keeps_complete;
    sarrus_status status = spelling_check(place->target, place->message);
    if (status == SARRUS_OK) {
        status = sarrus_result_name_check(place->target, keeps_complete, place->message, sizeof place->message);
    }
    if (status == SARRUS_OK) {
        status = lock_take(place);
    }
    if (status == SARRUS_OK) {
        status = fresh_remove(place);
    }
    if (status != SARRUS_OK) {
        return status;
    }
    place->descriptor = open(place->fresh, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, NEW_FILES_MODE);
    if (place->descriptor < 0) {
        return refuse(place, "cannot be written", errno);
    }
    place->name = place->fresh;
    return SARRUS_OK;
}

/* Whether the file at the partial name is worth keeping; one that cannot be read may be. */
static bool has_times(const char *partial) {
    sarrus_result_info info;
    return sarrus_result_info_read(NULL, partial, &info) != SARRUS_OK || info.n_times > 0;
}

/* Out of the way with what an earlier run has left. */
static sarrus_status put_aside(sarrus_result_place *place) {
    struct stat about;
    if (lstat(place->partial, &about) != 0) {
        return SARRUS_OK;
    }
    sarrus_status status = way_check(place, place->partial);
    if (status != SARRUS_OK || place->takes_partial || about.st_size == 0 || !has_times(place->partial)) {
        return status;
    }
    status = way_check(place, place->before);
    if (status != SARRUS_OK) {
        return status;
    }
    if (rename(place->partial, place->before) != 0) {
        return refuse(place, "what an earlier run has left cannot be put aside", errno);
    }
    snprintf(place->notice, sizeof place->notice, "what an earlier run had left unfinished is now %.400s", place->before);
    return SARRUS_OK;
}

sarrus_status sarrus_result_place_reveal(sarrus_result_place *place) {
    const sarrus_status status = put_aside(place);
    if (status != SARRUS_OK) {
        return status;
    }
    if (rename(place->fresh, place->partial) != 0) {
        return refuse(place, "cannot be written", errno);
    }
    place->name = place->partial;
    return SARRUS_OK;
}

sarrus_status sarrus_result_place_verify(sarrus_result_place *place, uint64_t n_bytes) {
    struct stat about;
    if (fstat(place->descriptor, &about) != 0) {
        return refuse(place, "cannot be written", errno);
    }
    place->is_spoiled = true;
    if (!is_same_file(place->descriptor, place->name)) {
        snprintf(place->message, sizeof place->message, "%.400s was removed, renamed or replaced while it was written",
                 place->name);
        return SARRUS_IO;
    }
    if ((uint64_t)about.st_size != n_bytes) {
        snprintf(place->message, sizeof place->message,
                 "%.300s was changed by another program while it was written (%" PRIu64 " bytes, expected %" PRIu64 ")",
                 place->name, (uint64_t)about.st_size, n_bytes);
        return SARRUS_IO;
    }
    place->is_spoiled = false;
    return SARRUS_OK;
}

void sarrus_result_place_settle(const sarrus_result_place *place) {
    (void)sync_file_range(place->descriptor, 0, 0, SYNC_FILE_RANGE_WRITE); /* a hint: what fails now fails again at the end */
}

/* The folder of `target`, opened; −1 with errno. */
static int folder_open(const char *target) {
    char *folder = strdup(target);
    if (folder == NULL) {
        return -1;
    }
    char *slash = strrchr(folder, '/');
    if (slash != NULL) {
        slash[1] = '\0';
    }
    const int descriptor = open(slash != NULL ? folder : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    free(folder);
    return descriptor;
}

/* Takes the name; where a complete result is to be kept, not over one that has come this very moment. */
static bool name_take(const sarrus_result_place *place, bool is_free) {
    if (place->keeps_complete && is_free && renameat2(AT_FDCWD, place->partial, AT_FDCWD, place->target, RENAME_NOREPLACE) == 0) {
        return true;
    }
    const bool is_unknown = errno == EINVAL || errno == ENOSYS; /* of a file system */
    return (!place->keeps_complete || !is_free || is_unknown) && rename(place->partial, place->target) == 0;
}

/* Renames and syncs. A new name in a folder is on the disk only after the latter. Some file systems do not know it (EINVAL), and a
 * folder that may be written to and not read cannot be opened (folder −1): nothing can be done there. */
static sarrus_status name_settle(sarrus_result_place *place, bool is_free, int folder) {
    if (fsync(place->descriptor) != 0) {
        return refuse(place, "writing failed", errno);
    }
    if (!name_take(place, is_free)) {
        return refuse(place, "the result cannot take its name", errno);
    }
    place->name = place->target;
    return folder < 0 || fsync(folder) == 0 || errno == EINVAL ? SARRUS_OK : refuse(place, "writing failed", errno);
}

sarrus_status sarrus_result_place_publish(sarrus_result_place *place, uint64_t n_bytes) {
    struct stat about;
    sarrus_status status = sarrus_result_place_verify(place, n_bytes);
    if (status == SARRUS_OK) {
        status = sarrus_result_name_check(place->target, place->keeps_complete, place->message, sizeof place->message);
    }
    if (status != SARRUS_OK) {
        return status;
    }
    /* whoever may read the old result may read the new one */
    const bool is_free = stat(place->target, &about) != 0;
    if (!is_free) {
        (void)fchmod(place->descriptor, about.st_mode & COPIED_MODE);
    }
    const int folder = folder_open(place->target); /* what can fail for want of something fails before the name is taken */
    if (folder < 0 && errno != EACCES) {
        return refuse(place, "writing failed", errno);
    }
    status = name_settle(place, is_free, folder);
    if (folder >= 0) {
        close(folder);
    }
    return status == SARRUS_OK ? sarrus_result_place_verify(place, n_bytes) : status; /* what was renamed is what was written */
}

void sarrus_result_place_leave(sarrus_result_place *place, bool keeps_partial) {
    if (place->descriptor >= 0) {
        const bool is_there = place->name != NULL && is_same_file(place->descriptor, place->name);
        const bool is_kept = is_there && (place->name == place->target || (place->name == place->partial && keeps_partial));
        if (is_there && !is_kept) {
            (void)unlink(place->name);
        }
        place->name = is_kept ? place->name : NULL;
        close(place->descriptor);
    }
    if (place->lock >= 0) {
        if (is_same_file(place->lock, place->lock_name)) {
            (void)unlink(place->lock_name); /* before it is given free: whoever opened it then sees that it is gone */
        }
        close(place->lock);
    }
    place->descriptor = place->lock = -1;
}

void sarrus_result_place_free(sarrus_result_place *place) {
    free(place->target);
    free(place->lock_name);
    free(place->fresh);
    free(place->partial);
    free(place->before);
    place->target = place->lock_name = place->fresh = place->partial = place->before = NULL;
    place->name = NULL;
}
