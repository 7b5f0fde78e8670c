#include "sink/hdf5_object.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <hdf5_hl.h>

#include "sink/hdf5_visit.h"

enum { COLUMN_CHUNK = 131072, DEFLATE_LEVEL = 1 }; /* 1 MiB of numbers; the level is only a remark to readers */

hid_t sarrus_hdf5_string_type(void) {
    hid_t type = H5Tcopy(H5T_C_S1);
    if (type >= 0 && (H5Tset_size(type, H5T_VARIABLE) < 0 || H5Tset_cset(type, H5T_CSET_UTF8) < 0)) {
        H5Tclose(type);
        return -1;
    }
    return type;
}

hid_t sarrus_hdf5_open_attribute(hid_t object, const char *name, hid_t type, hsize_t n) {
    hid_t space = n == 0 ? H5Screate(H5S_SCALAR) : H5Screate_simple(1, &n, NULL);
    if (space < 0) {
        return -1;
    }
    hid_t attribute = H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    H5Sclose(space);
    return attribute;
}

bool sarrus_hdf5_put_numbers(hid_t object, const char *name, hid_t type, const void *values, hsize_t n) {
    hid_t attribute = sarrus_hdf5_open_attribute(object, name, type, n);
    if (attribute < 0) {
        return false;
    }
    bool ok = H5Awrite(attribute, type, values) >= 0;
    return H5Aclose(attribute) >= 0 && ok;
}

bool sarrus_hdf5_put_number(hid_t object, const char *name, hid_t type, const void *value) {
    return sarrus_hdf5_put_numbers(object, name, type, value, 0);
}

bool sarrus_hdf5_put_text(hid_t object, const char *name, const char *text) {
    hid_t type = sarrus_hdf5_string_type();
    if (type < 0) {
        return false;
    }
    bool ok = sarrus_hdf5_put_number(object, name, type, &text);
    H5Tclose(type);
    return ok;
}

bool sarrus_hdf5_put_created(hid_t object) {
    char created[32];
    const time_t now = time(NULL);
    struct tm utc;
    return gmtime_r(&now, &utc) != NULL && strftime(created, sizeof created, "%Y-%m-%dT%H:%M:%SZ", &utc) > 0 &&
           sarrus_hdf5_put_text(object, "created", created);
}

bool sarrus_hdf5_put_texts(hid_t object, const char *name, const char *const *texts, hsize_t n) {
    hid_t type = sarrus_hdf5_string_type();
    hid_t attribute = type >= 0 ? sarrus_hdf5_open_attribute(object, name, type, n) : -1;
    bool ok = attribute >= 0 && H5Awrite(attribute, type, texts) >= 0;
    if (attribute >= 0) {
        H5Aclose(attribute);
    }
    if (type >= 0) {
        H5Tclose(type);
    }
    return ok;
}

bool sarrus_hdf5_describe(hid_t dataset, const char *units, const char *long_name) {
    return dataset >= 0 && (units == NULL || sarrus_hdf5_put_text(dataset, "units", units)) &&
           sarrus_hdf5_put_text(dataset, "long_name", long_name != NULL ? long_name : "");
}

/* No time stamps: the same run gives the same bytes. */
static bool set_layout(hid_t properties, hid_t type, const sarrus_hdf5_shape *shape) {
    bool ok = H5Pset_obj_track_times(properties, false) >= 0;
    if (shape->chunk != NULL) {
        ok = ok && H5Pset_chunk(properties, shape->n_dims, shape->chunk) >= 0;
    }
    if (shape->chunk != NULL && !shape->is_plain) {
        ok = ok && H5Pset_shuffle(properties) >= 0 && H5Pset_deflate(properties, DEFLATE_LEVEL) >= 0 &&
             H5Pset_fletcher32(properties) >= 0;
    }
    return ok && (shape->fill == NULL || H5Pset_fill_value(properties, type, shape->fill) >= 0);
}

hid_t sarrus_hdf5_create_dataset(hid_t file, const char *path, hid_t type, const sarrus_hdf5_shape *shape) {
    hid_t links = H5Pcreate(H5P_LINK_CREATE), properties = H5Pcreate(H5P_DATASET_CREATE);
    hid_t space = shape->n_dims == 0 ? H5Screate(H5S_SCALAR) : H5Screate_simple(shape->n_dims, shape->dims, shape->dims_max);
    hid_t dataset = -1;
    if (links >= 0 && properties >= 0 && space >= 0 && H5Pset_create_intermediate_group(links, 1) >= 0 &&
        H5Pset_char_encoding(links, H5T_CSET_UTF8) >= 0 && set_layout(properties, type, shape)) {
        dataset = H5Dcreate2(file, path, type, space, links, properties, H5P_DEFAULT);
    }
    if (space >= 0) {
        H5Sclose(space);
    }
    if (properties >= 0) {
        H5Pclose(properties);
    }
    if (links >= 0) {
        H5Pclose(links);
    }
    return dataset;
}

/* The last chunk is filled up with zeros, which nobody can read. */
static bool put_column(hid_t dataset, const void *values, uint64_t n, uint64_t chunk) {
    const size_t size = 8;
    sarrus_packer *packer = NULL;
    uint8_t *staging = calloc(chunk, size), *packed = malloc(sarrus_packer_bound(chunk * size));
    bool ok = staging != NULL && packed != NULL && sarrus_packer_create(chunk * size, &packer) == SARRUS_OK;
    for (uint64_t i = 0; ok && i < n; i += chunk) {
        const uint8_t *from = (const uint8_t *)values + i * size;
        if (n - i < chunk) {
            memset(staging, 0, chunk * size);
            memcpy(staging, from, (n - i) * size);
            from = staging;
        }
        uint32_t mask = 0;
        const sarrus_chunk_numbers numbers = {from, chunk, size, 1};
        size_t n_packed = sarrus_packer_pack(packer, &numbers, SARRUS_PACK_WELL, packed, &mask);
        const hsize_t offset = i;
        ok = H5Dwrite_chunk(dataset, H5P_DEFAULT, mask, &offset, n_packed, packed) >= 0;
    }
    sarrus_packer_destroy(packer);
    free(packed);
    free(staging);
    return ok;
}

hid_t sarrus_hdf5_create_column(hid_t file, const char *path, hid_t type, const void *values, uint64_t n) {
    const hsize_t dims = n, chunk = n < COLUMN_CHUNK ? n : COLUMN_CHUNK;
    hid_t dataset = sarrus_hdf5_create_dataset(file, path, type, &(sarrus_hdf5_shape){.n_dims = 1, .dims = &dims, .chunk = &chunk});
    if (dataset >= 0 && !put_column(dataset, values, n, chunk)) {
        H5Dclose(dataset);
        return -1;
    }
    return dataset;
}

hid_t sarrus_hdf5_create_strings(hid_t file, const char *path, const char *const *texts, uint64_t n) {
    const hsize_t dims = n;
    hid_t type = sarrus_hdf5_string_type();
    if (type < 0) {
        return -1;
    }
    hid_t dataset = sarrus_hdf5_create_dataset(file, path, type, &(sarrus_hdf5_shape){.n_dims = 1, .dims = &dims});
    if (dataset >= 0 && H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, texts) < 0) {
        H5Dclose(dataset);
        dataset = -1;
    }
    H5Tclose(type);
    return dataset;
}

bool sarrus_hdf5_read_rows(hid_t root, const char *path, hid_t type, uint64_t i_first, uint64_t n, void *out) {
    const hsize_t start = i_first, count = n;
    hid_t dataset = H5Dopen2(root, path, H5P_DEFAULT);
    if (dataset < 0) {
        return false;
    }
    hid_t space = H5Dget_space(dataset), memory_space = H5Screate_simple(1, &count, NULL);
    const bool ok = space >= 0 && memory_space >= 0 && H5Sget_simple_extent_ndims(space) == 1 &&
                    H5Sselect_hyperslab(space, H5S_SELECT_SET, &start, NULL, &count, NULL) >= 0 &&
                    H5Dread(dataset, type, memory_space, space, H5P_DEFAULT, out) >= 0;
    if (memory_space >= 0) {
        H5Sclose(memory_space);
    }
    if (space >= 0) {
        H5Sclose(space);
    }
    H5Dclose(dataset);
    return ok;
}

const char *sarrus_hdf5_rank_change_times(hid_t root) {
    return H5Lexists(root, "events/rank/time", H5P_DEFAULT) > 0 ? "events/rank/time" : "events/rank/event_time";
}

/* A file that was damaged may have more than one text where one is expected. */
static bool is_one(hid_t object, bool is_attribute) {
    const hid_t space = is_attribute ? H5Aget_space(object) : H5Dget_space(object);
    const bool is = space >= 0 && H5Sget_simple_extent_npoints(space) == 1;
    if (space >= 0) {
        H5Sclose(space);
    }
    return is;
}

char *sarrus_hdf5_read_text(hid_t root, const char *name, bool is_attribute) {
    char *text = NULL;
    const htri_t is_there = is_attribute ? H5Aexists(root, name) : H5Lexists(root, name, H5P_DEFAULT);
    hid_t object = is_there <= 0 ? -1 : is_attribute ? H5Aopen(root, name, H5P_DEFAULT) : H5Dopen2(root, name, H5P_DEFAULT);
    hid_t type = object >= 0 ? sarrus_hdf5_string_type() : -1;
    const bool is_read =
        type >= 0 && is_one(object, is_attribute) &&
        (is_attribute ? H5Aread(object, type, &text) : H5Dread(object, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, &text)) >= 0;
    if (type >= 0) {
        H5Tclose(type);
    }
    if (object >= 0) {
        (void)(is_attribute ? H5Aclose(object) : H5Dclose(object));
    }
    return is_read ? text : NULL;
}

bool sarrus_hdf5_has(hid_t root, const char *path) {
    char name[512];
    for (const char *slash = strchr(path, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
        const int n = (int)(slash - path);
        if (n >= (int)sizeof name) {
            return false;
        }
        snprintf(name, sizeof name, "%.*s", n, path);
        if (H5Lexists(root, name, H5P_DEFAULT) <= 0) {
            return false;
        }
    }
    return H5Lexists(root, path, H5P_DEFAULT) > 0;
}

static herr_t scale_note(hid_t dataset, unsigned axis, hid_t scale, void *user) {
    (void)dataset;
    (void)axis;
    *(uint64_t *)user = sarrus_hdf5_place_of(scale);
    return 1;
}

uint64_t sarrus_hdf5_scale_of(hid_t dataset, unsigned axis) {
    uint64_t place = UINT64_MAX;
    (void)H5DSiterate_scales(dataset, axis, NULL, scale_note, &place);
    return place;
}
