#include "sink/merged_parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sink/hdf5_object.h"

enum { MOST_PARTS = 1 << 20 };

/* Whether the part that is called so in the file `path` can be read: beside it, as HDF5 looks for it. */
static bool is_there(const char *path, const char *name) {
    const char *slash = strrchr(path, '/');
    char *full = NULL;
    if (name[0] == '/' || slash == NULL)
        return access(name, R_OK) == 0;
    if (asprintf(&full, "%.*s%s", (int)(slash - path) + 1, path, name) < 0)
        return false;
    const bool is_readable = access(full, R_OK) == 0;
    free(full);
    return is_readable;
}

bool sarrus_merged_parts_count(hid_t root, const char *path, int *n_parts, int *n_missing) {
    hsize_t n = 0;
    *n_parts = *n_missing = 0;
    if (H5Lexists(root, "parts", H5P_DEFAULT) <= 0 || H5Lexists(root, "parts/file", H5P_DEFAULT) <= 0)
        return true;
    hid_t dataset = H5Dopen2(root, "parts/file", H5P_DEFAULT), type = sarrus_hdf5_string_type();
    hid_t space = dataset >= 0 ? H5Dget_space(dataset) : -1;
    bool ok = type >= 0 && space >= 0 && H5Sget_simple_extent_ndims(space) == 1 &&
              H5Sget_simple_extent_dims(space, &n, NULL) >= 0 && n <= MOST_PARTS;
    char **names = ok ? calloc((size_t)n + 1, sizeof *names) : NULL;
    ok = names != NULL && H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, names) >= 0;
    for (hsize_t i = 0; ok && i < n; ++i)
        *n_missing += names[i] == NULL || !is_there(path, names[i]);
    *n_parts = ok ? (int)n : 0;
    if (ok)
        H5Dvlen_reclaim(type, space, H5P_DEFAULT, names);
    free(names);
    if (space >= 0)
        H5Sclose(space);
    if (type >= 0)
        H5Tclose(type);
    if (dataset >= 0)
        H5Dclose(dataset);
    return ok;
}
