#include "sink/row_kind.h"

#include <stdbool.h>
#include <string.h>

#include <hdf5_hl.h>

#include "sink/hdf5_object.h"
#include "sink/hdf5_visit.h"

static bool is_below(const char *path, const char *const *folders, size_t n_folders) {
    for (size_t i = 0; i < n_folders; ++i) {
        const size_t n = strlen(folders[i]);
        if (strncmp(path, folders[i], n) == 0 && path[n] == '/')
            return true;
    }
    return false;
}

static uint64_t place_of_path(hid_t root, const char *path) {
    hid_t dataset = sarrus_hdf5_has(root, path) ? H5Dopen2(root, path, H5P_DEFAULT) : -1;
    const uint64_t place = sarrus_hdf5_place_of(dataset);
    if (dataset >= 0)
        H5Dclose(dataset);
    return place;
}

sarrus_row_kind sarrus_row_kind_of(hid_t root, const char *path, hid_t dataset) {
    static const char *const of_instances[] = {"instance", "quantities"};
    static const char *const over_times[] = {"state",  "diagnostics", "reactions",    "constraints", "drives",
                                             "points", "joints",      "orientations", "replay"};
    const bool is_of_instances = is_below(path, of_instances, sizeof of_instances / sizeof of_instances[0]);
    if (dataset < 0 || H5DSis_scale(dataset) > 0)
        return SARRUS_ROWS_NONE;
    const uint64_t scale = sarrus_hdf5_scale_of(dataset, 0);
    if (scale == UINT64_MAX && is_of_instances)
        return SARRUS_ROWS_INSTANCES;
    if (scale == UINT64_MAX)
        return is_below(path, over_times, sizeof over_times / sizeof over_times[0]) ? SARRUS_ROWS_TRAJECTORIES : SARRUS_ROWS_NONE;
    if (scale == place_of_path(root, "trajectory"))
        return SARRUS_ROWS_TRAJECTORIES;
    if (scale != place_of_path(root, "instance/id"))
        return SARRUS_ROWS_NONE;
    return is_of_instances ? SARRUS_ROWS_INSTANCES : SARRUS_ROWS_TRAJECTORIES;
}
