#include "sink/placed_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/report.h"
#include "sink/hdf5_error.h"
#include "sink/result_place.h"

enum { PIECE = 1 << 20 };

/* False with errno. */
static bool bytes_write(int to, const char *bytes, size_t n) {
    while (n > 0) {
        const ssize_t n_done = write(to, bytes, n);
        if (n_done < 0 && errno != EINTR)
            return false;
        bytes += n_done > 0 ? n_done : 0;
        n -= n_done > 0 ? (size_t)n_done : 0;
    }
    return true;
}

/* The same. */
static bool descriptor_copy(int from, int to, char *bytes) {
    for (;;) {
        const ssize_t n = read(from, bytes, PIECE);
        if (n == 0)
            return true;
        if ((n < 0 && errno != EINTR) || (n > 0 && !bytes_write(to, bytes, (size_t)n)))
            return false;
    }
}

static bool file_copy(const char *path, int to) {
    char *bytes = malloc(PIECE);
    const int from = bytes != NULL ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    const bool ok = from >= 0 && descriptor_copy(from, to, bytes);
    const int why = errno;
    if (from >= 0)
        close(from);
    free(bytes);
    errno = why;
    return ok;
}

static sarrus_status cannot_write(const sarrus_placed_file *placed, sarrus_context *context, const char *why) {
    return sarrus_report(context, SARRUS_IO, "%s: cannot be written: %s", placed->path, why);
}

static sarrus_status file_write(const sarrus_placed_file *placed, sarrus_context *context, const sarrus_result_place *place) {
    sarrus_hdf5_listener listener;
    sarrus_status status = SARRUS_OK;
    if (placed->copy_of != NULL && !file_copy(placed->copy_of, place->descriptor))
        return cannot_write(placed, context, strerror(errno));
    sarrus_hdf5_listen_begin(&listener);
    hid_t access = H5Pcreate(H5P_FILE_ACCESS), file = -1;
    if (access >= 0 && H5Pset_file_locking(access, false, true) >= 0)
        file = placed->copy_of != NULL ? H5Fopen(place->name, H5F_ACC_RDWR, access)
                                       : H5Fcreate(place->name, H5F_ACC_TRUNC, H5P_DEFAULT, access);
    bool ok = file >= 0 && placed->write(placed->user, file, &status);
    ok = (file < 0 || H5Fclose(file) >= 0) && ok;
    if (access >= 0)
        H5Pclose(access);
    sarrus_hdf5_listen_end(&listener);
    if (ok || status != SARRUS_OK)
        return status;
    return cannot_write(placed, context, listener.message[0] != '\0' ? listener.message : "out of memory");
}

sarrus_status sarrus_placed_file_make(const sarrus_placed_file *placed, sarrus_context *context) {
    sarrus_result_place place;
    struct stat about;
    sarrus_status status = sarrus_result_place_take(&place, placed->path, placed->no_clobber != 0);
    if (status == SARRUS_OK)
        status = file_write(placed, context, &place);
    else
        status = sarrus_report(context, status, "%s: %s", placed->path, place.message);
    if (status == SARRUS_OK) {
        place.takes_partial = true; /* nothing is left that could be gone on with */
        status = sarrus_result_place_reveal(&place);
        if (status == SARRUS_OK && fstat(place.descriptor, &about) == 0)
            status = sarrus_result_place_publish(&place, (uint64_t)about.st_size);
        if (status != SARRUS_OK)
            status = sarrus_report(context, status, "%s: %s", placed->path, place.message);
    }
    sarrus_result_place_leave(&place, false);
    sarrus_result_place_free(&place);
    return status;
}
