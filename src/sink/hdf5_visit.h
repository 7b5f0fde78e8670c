/* Every object of a file, by the call that this release of HDF5 has for it: from 1.12 on visitors are given another type, under the
 * same name. */
#ifndef SARRUS_SINK_HDF5_VISIT_H
#define SARRUS_SINK_HDF5_VISIT_H

#include <hdf5.h>

typedef herr_t sarrus_hdf5_visitor(hid_t root, const char *name, const H5O_info_t *object, void *user);

/* By increasing names; the visitor is told what an object is. Its negative number ends the visit, and is returned. */
static inline herr_t sarrus_hdf5_visit(hid_t root, sarrus_hdf5_visitor *visitor, void *user) {
#if H5_VERSION_GE(1, 12, 0)
    return H5Ovisit3(root, H5_INDEX_NAME, H5_ITER_INC, visitor, user, H5O_INFO_BASIC);
#else
    return H5Ovisit2(root, H5_INDEX_NAME, H5_ITER_INC, visitor, user, H5O_INFO_BASIC);
#endif
}

#endif
