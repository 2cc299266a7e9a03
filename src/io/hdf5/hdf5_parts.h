/* hdf5_parts: the interface between the files of the HDF5 reader. All functions run in the child process; on failure
 * the reply holds a message. */
#pragma once

#include <hdf5.h>

#include "io/subprocess/subprocess.h"

typedef struct eb_hdf5_description {
    int rank;
    hsize_t dims[2];
    bool numeric, little_endian;
    eb_dtype dtype;
    eb_foreign foreign; /* the stored type, if it is converted to dtype */
} eb_hdf5_description;

/* Reads rank, shape and type. False: libhdf5 failed. */
bool eb_hdf5_describe(hid_t dataset, eb_hdf5_description *out);

/* Fills the reply's n, d, dtype and the position of the values. */
void eb_hdf5_reply_dataset(hid_t dataset, const eb_subprocess_request *request, eb_subprocess_reply *reply);

/* Refuses with "`what`: libhdf5 says: REASON". */
void eb_hdf5_refuse(eb_subprocess_reply *reply, const eb_subprocess_request *request, const char *what);

/* libhdf5's little-endian type for dtype. */
hid_t eb_hdf5_type(eb_dtype dtype);
